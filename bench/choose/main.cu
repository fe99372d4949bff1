// How good the product's plan is at shapes that nothing was fitted to: products of random shapes by the plan and by a
// tuned plan, beside the best of all that is built in.

#include <unistd.h>

#include <filesystem>
#include <limits>

#include <heddle/choose.hpp>

#include "common/bench.hpp"
#include "gemm/contender.cuh"
#include "gemm/cublas_lt.hpp"
#include "gemm/tune.hpp"
#include "random_shapes.hpp"
#include "summary.hpp"

namespace {

using namespace choose_bench;
using namespace heddle_bench;
using gemm_bench::check;
using gemm_bench::elements;

constexpr const char* about =
    R"(Times bf16 products of random shapes on this GPU: by the plan, by a plan that was tuned, twice and each time
afresh, and by all kernels that are built in, in several orders. The best of all is timed again beside the others, and
beside the faster of cuBLAS and of up to 32 algorithms of cublasLt.
)";

struct options {
  int shapes = 40, seed = 1, rest = 3, most = 4;
  std::string json;
};

options parse(int count, char** arguments) {
  options chosen;
  parse_options(count, arguments, about,
                {{"--shapes", "N", "how many", number(chosen.shapes, 1, 10'000)},
                 {"--seed", "S", "which", number(chosen.seed, 0, 1'000'000)},
                 {"--most", "N", "candidates that tuning times", number(chosen.most, 1, 100)},
                 {"--rest", "R", "idle time after each burst, as a multiple of it", number(chosen.rest, 0, 100)},
                 {"--json", "FILE", "write the figures to FILE; shapes that it has already are not timed again",
                  file(chosen.json)}});
  return chosen;
}

/// Operands of a product, with room for any plan.
class product {
 public:
  product(const shape& s, const gemm::device& device)
      : shape_(s),
        problem_{.m = s.m, .n = s.n, .k = s.k},
        memory_(s, blas()),
        workspace_(gemm::tuning_workspace_bytes(problem_, device)) {
    workspace_.set_bytes(0);
    check(cudaDeviceSynchronize());
  }

  /// Returns a launch for each way in which the libraries do the product.
  std::vector<std::function<void(cudaStream_t)>> by_libraries() const {
    static const gemm_bench::cublas_lt lt(blas());
    auto all = lt.launches(shape_, memory_.a.data(), memory_.b.data(), memory_.c.data());
    all.push_back([this](cudaStream_t stream) {
      gemm_bench::check(cublasSetStream(blas().handle(), stream));
      blas()(shape_, memory_.a.data(), memory_.b.data(), memory_.c.data());
      gemm_bench::check(cublasSetStream(blas().handle(), nullptr));
    });
    return all;
  }

  const gemm::problem& problem() const { return problem_; }
  gemm::operands operands() const {
    return {.a = memory_.a.data(),
            .lda = shape_.k,
            .b = memory_.b.data(),
            .ldb = shape_.k,
            .c = memory_.c.data(),
            .ldc = shape_.n,
            .workspace = workspace_.data()};
  }

  /// Ends the program if a plan is wrong.
  void require_right(const gemm::plan& plan) const {
    if (gemm_bench::is_right(memory_.c, memory_.expected, [&] { check(gemm::gemm(plan, operands(), nullptr)); }))
      return;
    std::fprintf(stderr, "bench_choose: %s is wrong at %d x %d x %d\n", plan.text().c_str(), shape_.m, shape_.n,
                 shape_.k);
    std::exit(1);
  }

 private:
  static const gemm_bench::cublas& blas() {
    static const gemm_bench::cublas library;
    return library;
  }

  shape shape_;
  gemm::problem problem_;
  gemm_bench::product_memory memory_;
  device_array<char> workspace_;
};

/// Bursts of one way to do a product.
struct timed_launches {
  double seconds() const { return times.empty() ? std::numeric_limits<double>::infinity() : median(times); }

  int launches = 0;  // in a burst of 2 ms
  std::vector<double> times;
};

/// A plan and its bursts.
struct contender : timed_launches {
  explicit contender(const gemm::plan& of) : plan(of) {}

  gemm::plan plan;
};

/// A launch by a library, and its bursts.
struct library_launch : timed_launches {
  explicit library_launch(std::function<void(cudaStream_t)> with) : launch(std::move(with)) {}

  std::function<void(cudaStream_t)> launch;
};

/// Times bursts of plans.
class sweep {
 public:
  sweep(const product& of, int rest) : of_(of), rest_(rest) {}

  /// Times a burst. A plan that the runtime refuses keeps no times.
  void time(contender& one) {
    time(one, [&] { return gemm::gemm(one.plan, of_.operands(), clock_.stream()); });
  }
  void time(library_launch& one) {
    time(one, [&] { return one.launch(clock_.stream()), cudaGetLastError(); });
  }

  /// Times all in two rounds; those that are slower than the fastest by half are left after the first.
  template <class One>
  void time(std::vector<One>& all) {
    for (One& one : all) time(one);
    const double limit = 1.5 * std::min_element(all.begin(), all.end(), faster)->seconds();
    for (One& one : all) {
      if (one.seconds() <= limit) time(one);
    }
  }

  static bool faster(const timed_launches& one, const timed_launches& other) { return one.seconds() < other.seconds(); }

 private:
  template <class Launch>
  void time(timed_launches& one, const Launch& launch) {
    if (one.launches == 0) {
      if (clock_.burst(1, launch).error != cudaSuccess) return;
      const double once = clock_.burst(4, launch).seconds / 4;
      one.launches = static_cast<int>(std::clamp(2e-3 / once, 1.0, 400.0));
    }
    const auto [seconds, error] = clock_.burst(one.launches, launch);
    check(error);
    clock_.rest(rest_ * seconds);
    one.times.push_back(seconds / one.launches);
  }

  const product& of_;
  int rest_;
  heddle::event_clock clock_{nullptr, true};
};

template <class One>
void keep_the_fastest(std::vector<One>& all) {
  std::stable_sort(all.begin(), all.end(), sweep::faster);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), 3)), all.end());
}

/// Returns the three fastest of all that is built in: every candidate of the plan, and the best of them in other
/// orders.
std::vector<contender> best_built_in(const product& of, const gemm::device& device, sweep& timed) {
  const gemm::problem& problem = of.problem();
  std::vector<contender> all, in_other_orders;
  for (const auto& each : gemm::candidates(problem, device)) {
    all.emplace_back(gemm::plan(problem, device, each.value));
  }
  timed.time(all);
  keep_the_fastest(all);
  for (const contender& each : all) {
    for (const auto axis : {heddle::axis::x, heddle::axis::y}) {
      for (const int width : {4, 8, 16}) {
        gemm::choice other = each.plan.choice();
        const heddle::extent places = gemm::places_of(problem, other);
        if (width > 4 && width / 2 >= (axis == heddle::axis::x ? places.cols : places.rows)) continue;
        other.by.axis = axis, other.by.width = width, other.seats = other.seats > 0 ? width : 0;
        in_other_orders.emplace_back(gemm::plan(problem, device, other));
      }
    }
  }
  timed.time(in_other_orders);
  all.insert(all.end(), in_other_orders.begin(), in_other_orders.end());
  keep_the_fastest(all);
  return all;
}

/// Tunes afresh, and returns the plan.
gemm::plan tuned(const product& of, const gemm::device& device, const options& chosen) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("bench_choose." + std::to_string(getpid()) + ".json");
  heddle::wisdom known(path.string());
  const auto found = gemm::tune(of.problem(), device, of.operands(), known, nullptr,
                                {.most = chosen.most, .rest = static_cast<double>(chosen.rest)});
  check(found.error);
  std::filesystem::remove(path);
  std::filesystem::remove(path.string() + ".lock");
  return found.value;
}

/// Measures one shape.
json_object measure(const shape& s, const gemm::device& device, const options& chosen) {
  const product of(s, device);
  sweep timed(of, chosen.rest);
  const gemm::plan plan(of.problem(), device);
  const auto begin = std::chrono::steady_clock::now();
  const gemm::plan first = tuned(of, device, chosen);
  const double tuning = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const gemm::plan second = tuned(of, device, chosen);

  // The last comparison has each plan once.
  std::vector<contender> last;
  const auto find = [&](const gemm::plan& which) {
    return std::find_if(last.begin(), last.end(),
                        [&](const contender& one) { return one.plan.text() == which.text(); });
  };
  const auto enter = [&](const gemm::plan& which) {
    if (find(which) == last.end()) last.emplace_back(which);
  };
  for (const contender& each : best_built_in(of, device, timed)) enter(each.plan);
  for (const gemm::plan& each : {plan, first, second}) enter(each);
  for (const contender& each : last) of.require_right(each.plan);
  std::vector<library_launch> libraries;
  for (const auto& launch : of.by_libraries()) libraries.emplace_back(launch);
  timed.time(libraries);
  keep_the_fastest(libraries);
  for (int round = 0; round < 7; ++round) {
    for (contender& each : last) timed.time(each);
    for (library_launch& each : libraries) timed.time(each);
  }
  const contender& best = *std::min_element(last.begin(), last.end(), sweep::faster);
  json_object row;
  row.add("m", s.m).add("n", s.n).add("k", s.k);
  const auto add = [&](const std::string& name, const gemm::plan& which) {
    row.add(name, which.text()).add(name + "_us", 1e6 * find(which)->seconds(), 3);
  };
  add("plan", plan), add("best", best.plan), add("tuned", first), add("tuned_again", second);
  row.add("library_us", 1e6 * std::min_element(libraries.begin(), libraries.end(), sweep::faster)->seconds(), 3);
  return row.add("tuning_ms", 1e3 * tuning, 1);
}

int run(const options& chosen) {
  if (!has_gpu(program_invocation_short_name, hopper_only)) return skipped;
  const std::vector<row> before = rows_in(chosen.json);
  json_file json(chosen.json, context_json().add("seed", chosen.seed).add("rest", chosen.rest));
  json.begin_list("products");
  const gemm::device device = gemm::device::current();
  std::vector<row> all;
  for (const shape& s : random_shapes(chosen.shapes, static_cast<unsigned>(chosen.seed))) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const row& one) { return is_of(one, s); });
    const json_object one = known != before.end() ? json_object(known->text) : measure(s, device, chosen);
    json.add(one);
    all.emplace_back(one.text());
    std::printf("%3zu of %d: %s%s\n", all.size(), chosen.shapes, line_of(all.back()).c_str(),
                known != before.end() ? " (was measured)" : "");
    std::fflush(stdout);
  }
  json.finish();
  std::printf("%s", summary(all).c_str());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  return run(parse(count, arguments));
}
