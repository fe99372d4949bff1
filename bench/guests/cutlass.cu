// A kernel of CUTLASS by its own scheduler in each of its settings, and by heddle's: alone, and while another kernel
// holds multiprocessors. Compiled per shape of a cluster: HEDDLE_CLUSTER_ROWS, HEDDLE_CLUSTER_COLS.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <heddle/choose/event_clock.hpp>
#include <heddle/device/current_device.hpp>
#include <heddle/predict.hpp>

#include "common/context.hpp"
#include "common/holder.cuh"
#include "common/options.hpp"
#include "common/timing.hpp"
#include "guests/contest.hpp"
#include "guests/product.cuh"

namespace {

using namespace guests;
using namespace heddle_bench;
using heddle::axis;
using heddle::recipe;
using heddle::guest::cutlass_launch;

constexpr extent cluster_tile{128 * in_cluster.rows, 256 * in_cluster.cols};

using by_cutlass = product<cooperative, cluster, cutlass::gemm::PersistentScheduler>;
using by_dealt = product<cooperative, cluster, heddle::guest::dealt>;
using by_drawn = product<cooperative, cluster, heddle::guest::drawn>;
using settings = by_cutlass::scheduling;
using raster = decltype(settings::raster_order);

constexpr problem products[] = {{8192, 8192, 8192},   {4096, 4096, 4096},  {4000, 6000, 3000},    {16384, 16384, 4096},
                                {8192, 28672, 4096},  {2048, 32768, 8192}, {32768, 2048, 8192},   {4352, 4352, 8192},
                                {2304, 18432, 8192},  {5120, 5120, 5120},  {2048, 2048, 2048, 8}, {1024, 1024, 8192, 4},
                                {16384, 16384, 16384}};
constexpr problem products_beside[] = {{8192, 8192, 8192}, {4096, 4096, 4096}, {8192, 28672, 4096}};

std::string name_of(problem of) {
  const std::string name = std::to_string(of.m) + " x " + std::to_string(of.n) + " x " + std::to_string(of.k);
  return of.planes == 1 ? name : name + " x " + std::to_string(of.planes);
}

/// Returns what `advise` says of a problem in units of clusters: each is a worker.
recipe advised(problem of, heddle::predict::device card) {
  card.multiprocessors /= in_cluster.size();
  const heddle::predict::gemm_problem plane{.m = of.m,
                                            .n = of.n,
                                            .k = of.k,
                                            .tile_m = cluster_tile.rows,
                                            .tile_n = cluster_tile.cols,
                                            .blocks_per_tile = in_cluster.size()};
  if (of.planes == 1) return advise(plane, card);
  return advise(heddle::predict::batched_problem{.plane = plane, .count = of.planes}, card);
}

recipe usual(problem of) {
  return heddle::guest::usual_order(heddle::ceil_div(of.m, of.n, cluster_tile));
}

recipe of_width(recipe by, int width) {
  by.width = width;
  return by;
}

recipe across(recipe by) {
  by.axis = by.axis == axis::x ? axis::y : axis::x;
  return by;
}

/// The matrices of a product.
struct matrices {
  problem of;
  device_array<element> a, b, d;

  explicit matrices(problem size) : of(size), a(of.a()), b(of.b()), d(of.c()) { fill(a, 1), fill(b, 2); }
};

template <class Product>
contestant contestant_by(const std::string& by, const matrices& all, const typename Product::scheduling& how) {
  const auto one = std::make_shared<Product>(all.of, all.a.data(), all.b.data(), nullptr, all.d.data(), 0.0f, how);
  if (!one->can_run() || one->prepare() != cutlass::Status::kSuccess) refuse(by + ": it cannot be prepared");
  return {by, [one](cudaStream_t stream) { return one->launch(stream); }};
}

cutlass_launch following(recipe by) {
  heddle::guest::cutlass_launch arguments{};
  arguments.launch = by;
  return arguments;
}

std::vector<contestant> settings_of_cutlass(const matrices& all) {
  std::vector<contestant> some;
  some.push_back(contestant_by<by_cutlass>("CUTLASS, default", all, {}));
  for (const raster order : {raster::AlongN, raster::AlongM}) {
    for (const int swizzle : {1, 2, 4, 8}) {
      some.push_back(contestant_by<by_cutlass>(std::string("CUTLASS, ") +
                                                   (order == raster::AlongN ? "AlongN" : "AlongM") + ", swizzle " +
                                                   std::to_string(swizzle),
                                               all, {swizzle, order}));
    }
  }
  return some;
}

/// Returns the recipe of four that `choose` finds fastest.
recipe chosen(const matrices& all, recipe said) {
  const recipe by = usual(all.of);
  std::vector<heddle::candidate<recipe>> candidates{{by}, {across(by)}, {of_width(by, 4)}};
  if (said.order_alone() == candidates[2].value) said = of_width(by, 16);
  candidates.push_back({said});
  std::map<std::string, contestant> launches;
  for (const auto& each : candidates) {
    launches.emplace(to_string(each.value), contestant_by<by_dealt>("", all, following(each.value)));
  }
  heddle::event_clock clock(nullptr);
  const auto found = heddle::choose(candidates,
                                    [&](const recipe& one) {
                                      const bool is_launched = launches.at(to_string(one)).launch(clock.stream()) ==
                                                               cutlass::Status::kSuccess;
                                      return is_launched ? cudaSuccess : cudaErrorUnknown;
                                    },
                                    clock, {.most = 4, .rest = 1, .tie = 0.001});
  check(found.error);
  return found.value;
}

void add_rows(json_file& json, problem of, int held, const std::vector<contestant>& all) {
  for (const contestant& each : all) {
    const auto [least, most] = std::minmax_element(each.ms.begin(), each.ms.end());
    json.add(json_object()
                 .add("m", of.m)
                 .add("n", of.n)
                 .add("k", of.k)
                 .add("planes", of.planes)
                 .add("held", held)
                 .add("by", each.by)
                 .add("ms", median(each.ms), 5)
                 .add("least", *least, 5)
                 .add("most", *most, 5));
  }
}

/// Compares settings, orders and schedulers on one product.
void compare(problem of, const heddle::predict::device& card, int rounds, bool sweeps, json_file& json,
             means& all_means) {
  const matrices all(of);
  const recipe by = usual(of), said = advised(of, card), best_of_four = chosen(all, said);
  std::vector<contestant> some = settings_of_cutlass(all);
  const std::size_t own = some.size();
  const auto add = [&](const std::string& name, auto contest, recipe how) {
    some.push_back(contest(name + ": " + to_string(how.order_alone()), all, following(how)));
    return some.size() - 1;
  };
  const auto dealt = [](auto&&... a) { return contestant_by<by_dealt>(a...); };
  const auto drawn = [](auto&&... a) { return contestant_by<by_drawn>(a...); };
  const std::size_t ruled = add("dealt, no recipe", dealt, by), advised_at = add("dealt, advised", dealt, said),
                    chosen_at = add("dealt, chosen", dealt, best_of_four),
                    drawn_at = add("drawn, no recipe", drawn, by);
  recipe late = by;
  late.schedule = recipe::late_ticket;
  const std::size_t late_at = add("drawn late", drawn, late), drawn_advised = add("drawn, advised", drawn, said),
                    drawn_chosen = add("drawn, chosen", drawn, best_of_four);
  const std::size_t swept = some.size();
  if (sweeps) {
    add("sweep", dealt, {.order = recipe::row_major});
    add("sweep", dealt, {.order = recipe::column_major});
    for (const auto order : {recipe::cta_swizzle, recipe::thread_group_tiling}) {
      for (const int width : {2, 4, 8, 16}) {
        for (const axis along : {axis::x, axis::y}) {
          if (order == recipe::thread_group_tiling && width != 8) continue;
          add("sweep", dealt, {.order = order, .width = width, .axis = along});
        }
      }
    }
  }
  run(some, rounds);
  add_rows(json, of, 0, some);

  const auto ms = [&](std::size_t at) { return median(some[at].ms); };
  const std::size_t best = fastest(some, 0, own);
  std::printf("\n%s: %.4f ms, %.0f TFLOP/s by %s\n", name_of(of).c_str(), ms(best),
              2e-9 * of.m * of.n * of.k * of.planes / ms(best), some[best].by.c_str());
  const auto compare_with_best = [&](const std::string& name, std::size_t at) {
    all_means.add("over CUTLASS's best: " + name, ms(best) / ms(at));
    std::printf("  %.3f  %s\n", ms(best) / ms(at), some[at].by.c_str());
  };
  compare_with_best("CUTLASS's default", 0);
  compare_with_best("dealt, no recipe", ruled);
  compare_with_best("dealt, advised", advised_at);
  compare_with_best("dealt, chosen of four", chosen_at);
  compare_with_best("drawn, no recipe", drawn_at);
  compare_with_best("drawn late, no recipe", late_at);
  compare_with_best("drawn, advised", drawn_advised);
  compare_with_best("drawn, chosen of four", drawn_chosen);
  all_means.add("over CUTLASS's default: dealt, no recipe", ms(0) / ms(ruled));
  all_means.add("over CUTLASS's default: drawn, no recipe", ms(0) / ms(drawn_at));
  all_means.add("drawn over dealt, no recipe", ms(ruled) / ms(drawn_at));
  all_means.add("drawn late over dealt, no recipe", ms(ruled) / ms(late_at));
  if (!sweeps) return;
  std::size_t best_dealt = fastest(some, swept, some.size());
  for (const std::size_t at : {ruled, advised_at, chosen_at}) best_dealt = ms(at) < ms(best_dealt) ? at : best_dealt;
  compare_with_best("dealt, best of a sweep", best_dealt);
  all_means.add("best of a sweep over dealt, advised", ms(best_dealt) / ms(advised_at));
  std::fflush(stdout);
}

/// Compares while blocks of another kernel hold multiprocessors.
void compare_beside(problem of, const heddle::predict::device& card, int rounds, json_file& json) {
  const matrices all(of);
  std::vector<contestant> own = settings_of_cutlass(all);
  run(own, 5);
  const auto faster = [](const contestant& one, const contestant& other) { return median(one.ms) < median(other.ms); };
  contestant best = *std::min_element(own.begin(), own.end(), faster);
  const recipe by = usual(of), said = advised(of, card);
  std::vector<contestant> some{
      {best.by, best.launch},
      contestant_by<by_dealt>("dealt, no recipe", all, {}),
      contestant_by<by_drawn>("drawn, no recipe", all, {}),
      contestant_by<by_drawn>("drawn, advised", all, following(said)),
      contestant_by<by_drawn>("drawn, across: " + to_string(across(by)), all, following(across(by)))};
  holder other(20'000);
  std::printf("\n%s, over %s alone\nheld", name_of(of).c_str(), best.by.c_str());
  for (const contestant& each : some) std::printf("  %s", each.by.c_str());
  double alone = 0;
  event_timer timer;
  for (const int held : {0, 1, 8, 16, 24, 32}) {
    for (contestant& each : some) each.ms.clear();
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < some.size(); ++i) {
        contestant& each = some[round % 2 == 0 ? i : some.size() - 1 - i];
        other.start(held);
        other.wait_for_all();
        each.ms.push_back(timer.milliseconds([&] { each.launch(nullptr); }));
        other.stop();
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(2 * each.ms.back()));
      }
    }
    if (held == 0) alone = median(some[0].ms);
    add_rows(json, of, held, some);
    std::printf("\n%4d", held);
    for (const contestant& each : some)
      std::printf("  %*.3f", static_cast<int>(each.by.size()), median(each.ms) / alone);
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  if (!has_gpu("bench_cutlass", hopper_only)) return skipped;
  int rounds = 15;
  bool has_sweep = false, is_beside = false, is_alone = false;
  std::string json_name;
  parse_options(
      count, arguments,
      "Times a kernel of CUTLASS by its own scheduler and by heddle's, in turns: thirteen products, and three while\n"
      "another kernel holds multiprocessors. A number is the time of CUTLASS's fastest setting over that of the row.",
      {{"--rounds", "R", "rounds of each comparison", number(rounds, 1, 999)},
       {"--sweep", "", "time twelve dealt orders besides", flag(has_sweep)},
       {"--alone", "", "leave out what is beside another kernel", flag(is_alone)},
       {"--beside", "", "leave out what is alone", flag(is_beside)},
       {"--json", "FILE", "write the figures as JSON", file(json_name)}});
  const auto [card, error] = heddle::current_device();
  check(error);
  json_file json(json_name, context_json());
  json.add_members(
      json_object().add("cluster", std::to_string(in_cluster.rows) + " x " + std::to_string(in_cluster.cols)));
  json.begin_list("products");
  means all;
  if (!is_beside) {
    for (const problem of : products) compare(of, card, rounds, has_sweep, json, all);
    std::printf("\n");
    all.print();
  }
  if (!is_alone) {
    for (const problem of : products_beside) compare_beside(of, card, rounds, json);
  }
  json.finish();
  return 0;
}
