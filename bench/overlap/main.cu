// Times products of several GPUs (examples/overlap): those that begin with the rows that are here, next to an
// all-gather by NCCL that comes before the product, and those whose sums are scattered, next to a reduce-scatter by
// NCCL that comes behind it; both next to the product alone.

#include "common/bench.hpp"
#include "gemm/cublas.hpp"
#include "gemm/measure.cuh"
#include "overlap/prediction.hpp"
#include "overlap/scattered_product.hpp"
#include "overlap/team.hpp"

namespace {

using overlap::member;
using overlap::transport;
using element = __nv_bfloat16;

constexpr const char* about =
    "Times bf16 products on all GPUs of this machine, each of which has some rows of A and all of a B of its own.\n";

struct shape {
  int m, n, k;
};

const std::vector<shape> documented{{8192, 7168, 4096}, {16384, 14336, 8192}, {2048, 8192, 8192}, {16, 8192, 8192},
                                    {32, 8192, 8192},   {64, 8192, 8192},     {128, 8192, 8192},  {256, 8192, 8192}};

struct options {
  int gpus = 0, rounds = 5;
  std::string json;
};

options parse(int count, char** arguments) {
  using namespace heddle_bench;
  options chosen;
  parse_options(count, arguments, about,
                {{"--gpus", "N", "how many GPUs; 0: all", number(chosen.gpus, 0, 32)},
                 {"--rounds", "R", "bursts of each contender; medians are shown", number(chosen.rounds, 1, 1000)},
                 {"--json", "FILE", "write the figures to FILE", file(chosen.json)}});
  return chosen;
}

/// A way to have the product on all GPUs.
struct contender {
  std::string name;
  std::unique_ptr<overlap::team_graph> graph;
  std::vector<double> seconds = {};
};

/// The handles of cuBLAS, one for each GPU of a team, which must be the current one in each call.
class cublas_of_team {
 public:
  explicit cublas_of_team(const overlap::team& team) {
    team.each([this](const member& one) {
      handles_.push_back(std::make_unique<gemm_bench::cublas>());
      gemm_bench::check(cublasSetStream(handles_.back()->handle(), one.stream));
    });
  }

  const gemm_bench::cublas& of(const member& one) const { return *handles_[static_cast<unsigned>(one.rank)]; }

 private:
  std::vector<std::unique_ptr<gemm_bench::cublas>> handles_;
};

/// The plans of a product of packed matrices, B column by column: one for each GPU of a team.
class plan_of_team {
 public:
  plan_of_team(const overlap::team& team, const gemm::problem& problem) {
    team.each([&](const member&) {
      plans_.emplace_back(problem, gemm::device::current());
      workspaces_.push_back(std::make_unique<device_array<char>>(plans_.back().workspace_bytes()));
      workspaces_.back()->fill(0);
    });
  }

  void enqueue(const void* a, const void* b, void* c, const member& one) const {
    const gemm::plan& plan = plans_[static_cast<unsigned>(one.rank)];
    const gemm::problem& p = plan.problem();
    check(gemm::gemm(plan,
                     {.a = a,
                      .lda = p.k,
                      .b = b,
                      .ldb = p.k,
                      .c = c,
                      .ldc = p.n,
                      .workspace = workspaces_[static_cast<unsigned>(one.rank)]->data()},
                     one.stream));
  }

 private:
  std::vector<gemm::plan> plans_;
  std::vector<std::unique_ptr<device_array<char>>> workspaces_;
};

/// Ways to do the same on all GPUs of a team, timed in turns as graphs.
class contest {
 public:
  contest(const overlap::team& team, const shape& s) : team_(team), shape_(s) {}

  void add(const std::string& name, const std::function<void()>& enqueue) {
    all_.push_back({name, std::make_unique<overlap::team_graph>(team_, enqueue)});
  }

  /// Times all, and prints them beside the first two: what a library does first, and the products alone.
  void measure(int rounds, heddle_bench::json_file& json, const std::string& what) {
    const double burst = 2.0 * shape_.m * shape_.n * shape_.k / 700e12 + 4e-5;  // a turn, about
    const int turns = (std::max)(5, static_cast<int>(8e-3 / burst));
    const std::size_t count = all_.size();
    for (std::size_t i = 0; i < count * static_cast<unsigned>(rounds); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));  // what ran before has warmed the GPUs
      const std::size_t round = i / count, at = (i + round) % count;
      contender& each = all_[round % 2 == 0 ? at : count - 1 - at];  // and another one runs before it in each round
      each.graph->seconds(2);                                        // links that rest wake up
      each.seconds.push_back(each.graph->seconds(turns));
    }
    heddle_bench::json_object row, over_alone, over_nccl;
    const double nccl = heddle_bench::median(all_[0].seconds), alone = heddle_bench::median(all_[1].seconds);
    std::printf("%s, %d x %d x %d: %s %.1f us\n", what.c_str(), shape_.m, shape_.n, shape_.k, all_[1].name.c_str(),
                alone * 1e6);
    row.add("what", what).add("m", shape_.m).add("n", shape_.n).add("k", shape_.k).add("gpus", team_.ranks());
    row.add("alone_us", alone * 1e6, 2);
    for (const contender& each : all_) {
      const double seconds = heddle_bench::median(each.seconds);
      std::printf("  %-28s %9.1f us  %.3f of alone  %.3f of %s\n", each.name.c_str(), seconds * 1e6, seconds / alone,
                  seconds / nccl, all_[0].name.c_str());
      over_alone.add(each.name, seconds / alone, 4);
      over_nccl.add(each.name, seconds / nccl, 4);
    }
    json.add(row.add("over_alone", over_alone).add("over_nccl", over_nccl));
  }

 private:
  const overlap::team& team_;
  shape shape_;
  std::vector<contender> all_;
};

void fill_normal(const overlap::team& team, const overlap::team_array<element>& array, unsigned seed) {
  team.each([&](const member& one) {
    gemm_bench::fill_normal<<<1024, 256>>>(array.of(one).data(), array.of(one).size(),
                                           seed + static_cast<unsigned>(one.rank));
    check(cudaDeviceSynchronize());
  });
}

/// Refuses times of turns in which a rank was late.
template <class Product>
void expect_in_time(const overlap::team& team, const overlap::products_of_team<Product>& products) {
  team.each([&](const member& one) {
    const auto [report, error] = products.of(one).report(one.stream);
    check(error);
    if (report.late > 0) throw std::runtime_error("rank " + std::to_string(report.rank) + " was late");
  });
}

std::unique_ptr<overlap::team_product> gathered_of(const overlap::team& team, const shape& s, int pieces) {
  const overlap::problem problem{.m = s.m, .n = s.n, .k = s.k, .ranks = team.ranks(), .pieces_of_shard = pieces};
  auto made = std::make_unique<overlap::team_product>(team, problem);
  team.each([&](const member& one) {
    const overlap::gathered_product& its = made->of(one);
    gemm_bench::fill_normal<<<1024, 256>>>(static_cast<element*>(its.own_rows()), its.bytes_of_shard() / 2,
                                           100 + static_cast<unsigned>(one.rank));
    check(cudaDeviceSynchronize());
  });
  return made;
}

void measure_gathered(const overlap::team& team, const cublas_of_team& library, const shape& s, int rounds,
                      heddle_bench::json_file& json) {
  const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
  const overlap::team_array<element> b(team, n * k), c(team, m * n);
  fill_normal(team, b, 3);

  std::vector<std::unique_ptr<overlap::team_product>> products;
  contest all(team, s);
  products.push_back(gathered_of(team, s, 1));
  const overlap::team_product& gathered = *products.back();
  gathered.send_by(transport::callers);
  all.add("NCCL, then the plan", [&] { gathered.enqueue(b, c); });
  all.add("the plan alone", [&] {
    team.each([&](const member& one) { gathered.of(one).enqueue(b.of(one).data(), c.of(one).data(), one.stream); });
  });
  all.add("NCCL, then cuBLAS", [&] {
    gathered.all_gather();
    team.each([&](const member& one) {
      library.of(one)({s.m, s.n, s.k}, gathered.of(one).all_rows(), b.of(one).data(), c.of(one).data());
    });
  });
  const auto add = [&](const std::string& name, int pieces,
                       const std::function<void(const overlap::team_product&)>& set) {
    products.push_back(gathered_of(team, s, pieces));
    const overlap::team_product& product = *products.back();
    if (!product.are_connected()) return;
    set(product);
    all.add(name, [&] { product.enqueue(b, c); });
  };
  add("as chosen", 0, [&](const overlap::team_product& product) {
    team.each([&](const member& one) {
      const overlap::gathered_product& its = product.of(one);
      std::printf("rank %d: %s, pieces: %d\n", one.rank, its.how() == transport::copies ? "copies" : "stores",
                  its.pieces());
    });
  });
  for (const transport how : {transport::copies, transport::stores}) {
    for (const int pieces : {1, 2, 4, 8}) {
      if (s.m / team.ranks() % pieces != 0 || (how == transport::stores && pieces > 1)) continue;
      if (team.ranks() * pieces + team.ranks() - 1 > heddle::arrival_gate::most_flags) continue;
      add((how == transport::copies ? "copies, pieces: " : "stores, pieces: ") + std::to_string(pieces), pieces,
          [&](const overlap::team_product& product) { product.send_by(how); });
    }
  }
  all.measure(rounds, json, "gathered");
  for (const auto& product : products) expect_in_time(team, *product);
}

/// Times a product whose sums are scattered, alone or behind the product that makes its A: a layer of two matrices.
void measure_scattered(const overlap::team& team, const shape& s, bool is_layer, int rounds,
                       heddle_bench::json_file& json) {
  const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
  const auto ranks = static_cast<std::size_t>(team.ranks());
  const shape first_shape{s.m, s.k, s.n};
  const overlap::team_array<element> first_b(team, is_layer ? n * k : 1), a(team, m * k), b(team, n * k),
      c(team, m * n), own(team, m * n / ranks);
  fill_normal(team, a, 3), fill_normal(team, b, 13), fill_normal(team, first_b, 23);
  const plan_of_team plan(team, {.m = s.m, .n = s.n, .k = s.k});
  const auto multiply = [&] {
    team.each([&](const member& one) { plan.enqueue(a.of(one).data(), b.of(one).data(), c.of(one).data(), one); });
  };
  std::vector<std::unique_ptr<overlap::team_product>> firsts;
  std::vector<std::unique_ptr<overlap::products_of_team<overlap::scattered_product>>> products;
  if (is_layer) {
    for (int i = 0; i < 2; ++i) firsts.push_back(gathered_of(team, first_shape, 0));
    firsts[0]->send_by(transport::callers);
  }

  contest all(team, s);
  all.add("NCCL after the plan", [&] {
    if (is_layer) firsts[0]->enqueue(first_b, a);
    multiply();
    check(ncclGroupStart());
    team.each([&](const member& one) {
      check(ncclReduceScatter(c.of(one).data(), own.of(one).data(), m * n / ranks, ncclBfloat16, ncclSum,
                              one.communicator, one.stream));
    });
    check(ncclGroupEnd());
  });
  all.add("the plan alone", [&] {
    if (is_layer) {
      team.each(
          [&](const member& one) { firsts[0]->of(one).enqueue(first_b.of(one).data(), a.of(one).data(), one.stream); });
    }
    multiply();
  });
  for (const int pieces : {0, 1, 2, 4, 16}) {
    if (pieces > 0 && s.m / team.ranks() % pieces != 0) continue;
    const overlap::problem problem{.m = s.m, .n = s.n, .k = s.k, .ranks = team.ranks(), .pieces_of_shard = pieces};
    products.push_back(std::make_unique<overlap::products_of_team<overlap::scattered_product>>(team, problem));
    const auto& product = *products.back();
    if (!product.are_connected()) continue;
    all.add(pieces == 0 ? "as chosen" : "pieces: " + std::to_string(pieces), [&] {
      if (is_layer) firsts[1]->enqueue(first_b, a);
      team.each([&](const member& one) { product.of(one).enqueue(a.of(one).data(), b.of(one).data(), one.stream); });
    });
  }
  all.measure(rounds, json, is_layer ? "layer" : "scattered");
  for (const auto& product : products) expect_in_time(team, *product);
}

/// Times products while NCCL gathers 64 MB again and again in another stream, and alone: by the plan, by one that
/// shares the GPU, and by cuBLAS.
void measure_beside(const overlap::team& team, const cublas_of_team& library, const shape& s, int rounds,
                    heddle_bench::json_file& json) {
  constexpr int products = 6;
  constexpr std::size_t gathered = 64 << 20;
  const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
  const overlap::team_array<element> a(team, m * k), b(team, n * k), c(team, m * n);
  const overlap::team_array<char> all(team, gathered);
  fill_normal(team, a, 3), fill_normal(team, b, 13);
  const overlap::team others(team.ranks());  // with streams and communicators of their own
  const auto gather = [&] {
    check(ncclGroupStart());
    others.each([&](const member& one) {
      char* const memory = all.of(one).data();
      const std::size_t shard = gathered / static_cast<unsigned>(others.ranks());
      overlap::team::all_gather(memory + static_cast<unsigned>(one.rank) * shard, memory, shard, one, one.stream);
    });
    check(ncclGroupEnd());
  };
  const plan_of_team plain(team, {.m = s.m, .n = s.n, .k = s.k}),
      sharing(team, {.m = s.m, .n = s.n, .k = s.k, .sharing = true});
  const auto by = [&](const plan_of_team* plan) {
    return [&, plan](const member& one) { plan->enqueue(a.of(one).data(), b.of(one).data(), c.of(one).data(), one); };
  };
  struct contender {
    std::string name;
    std::function<void(const member&)> enqueue;
    std::vector<double> alone = {}, beside = {};
  };
  std::vector<contender> contenders;
  contenders.push_back({"the plan", by(&plain)});
  contenders.push_back({"sharing", by(&sharing)});
  contenders.push_back({"cuBLAS", [&](const member& one) {
                          library.of(one)({s.m, s.n, s.k}, a.of(one).data(), b.of(one).data(), c.of(one).data());
                        }});
  gather();  // connects
  others.each([](const member& one) { check(cudaStreamSynchronize(one.stream)); });
  const overlap::team_graph one_gather(others, gather);
  const double of_gather = one_gather.seconds(20);
  for (int round = 0; round < rounds; ++round) {
    for (contender& one : contenders) {
      one.alone.push_back(overlap::seconds_of_turn(team, products, one.enqueue));
      const int gathers = static_cast<int>(2 * products * one.alone.back() / of_gather) + 1;  // for twice as long
      one.beside.push_back(overlap::seconds_of_turn(team, products, one.enqueue, [&] {
        for (int i = 0; i < gathers; ++i) gather();
      }));
      others.each([](const member& its) { check(cudaStreamSynchronize(its.stream)); });
    }
  }
  heddle_bench::json_object alone_us, over_alone;
  std::printf("beside NCCL, %d x %d x %d: an all-gather takes %.1f us\n", s.m, s.n, s.k, of_gather * 1e6);
  for (const contender& one : contenders) {
    const double alone = heddle_bench::median(one.alone), beside = heddle_bench::median(one.beside);
    std::printf("  %-28s %9.1f us alone  %9.1f us  %.3f of alone\n", one.name.c_str(), alone * 1e6, beside * 1e6,
                beside / alone);
    alone_us.add(one.name, alone * 1e6, 2), over_alone.add(one.name, beside / alone, 4);
  }
  heddle_bench::json_object row;
  row.add("what", "beside NCCL").add("m", s.m).add("n", s.n).add("k", s.k).add("gpus", team.ranks());
  json.add(row.add("alone_us", alone_us).add("over_alone", over_alone));
}

}  // namespace

int main(int count, char** arguments) {
  options chosen = parse(count, arguments);
  if (!has_gpu("bench_overlap")) return skipped;
  if (chosen.gpus == 0) chosen.gpus = count_gpus();
  if (chosen.gpus < 2 || count_gpus() < chosen.gpus) {
    std::printf("bench_overlap: %d GPUs: skipped\n", count_gpus());
    return skipped;
  }
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  const overlap::team team(chosen.gpus);
  const cublas_of_team library(team);
  heddle_bench::json_file json(chosen.json, heddle_bench::context_json().add("gpus", team.ranks()));
  json.begin_list("products");
  for (const shape& each : documented) measure_gathered(team, library, each, chosen.rounds, json);
  for (const shape& each : {documented[0], documented[1], documented[2]}) {
    measure_scattered(team, each, false, chosen.rounds, json);
  }
  measure_scattered(team, {8192, 4096, 7168}, true, chosen.rounds, json);
  measure_beside(team, library, {8192, 8192, 8192}, chosen.rounds, json);
  json.finish();
  return 0;
}
