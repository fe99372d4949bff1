// Reordering threads by key: when it pays, and the ranks alone beside CUB's. All contestants of a row take turns in one
// process, and each must leave every thread's state as the plain kernel does, bit for bit.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/context.hpp"
#include "common/device.hpp"
#include "common/timing.hpp"
#include "ranks.cuh"
#include "work.cuh"

using namespace heddle_bench;

namespace {

constexpr const char* help = R"(bench_reorder [options]

Threads that carry state through a switch of equally likely branches, or read a table, by keys of their own.

  plain      each thread stays where it is
  reorder    the state changes places before every round
  gate       the same where keys are mixed and coherence::pays says so
  gain       plain / reorder, plain / gate: above 1 it pays

  --only <sweeps>   of switch,ratio,skew,state,data,cost,ranks; all of them without
  --rounds <7>      how often each contestant runs; the median counts
  --once            each runs once, untimed: for ncu, as in
                      ncu --clock-control none --csv --metrics \
                        smsp__thread_inst_executed_per_inst_executed.ratio,\
                        smsp__issue_active.avg.pct_of_peak_sustained_active,\
                        l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio,\
                        l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,\
                        l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum \
                        --kernel-name regex:"plain|reordered" bench_reorder --once --only switch,data
  --json <file>     every contestant's median, and the spread (most - least) / median; with --once what was launched,
                    in its order, for counters.py
  --help
)";

struct options {
  std::string only;
  int rounds = 7;
  bool once = false;
  std::FILE* json = nullptr;
};

struct contestant {
  std::string name;
  int threads;
  std::function<void()> run;
  std::vector<float> times{};

  float median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
  float spread() { return (times.back() - times.front()) / median(); }
};

class bench {
 public:
  explicit bench(const options& chosen) : chosen_(chosen) {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    multiprocessors_ = device.multiProcessorCount;
    int kilohertz = 0;
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    megahertz_ = static_cast<float>(kilohertz) / 1000;
    check(cudaMalloc(&states_, sizeof(unsigned) * most_words * count));
    check(cudaMalloc(&table_, sizeof(unsigned) * words_of_table));
    check(cudaMalloc(&sum_, sizeof *sum_));
    fill<<<words_of_table / 256, 256>>>(table_, words_of_table, 1, {});
    if (chosen_.json == nullptr) return;
    std::fprintf(chosen_.json, "{\n\"context\": {%s, \"rounds\": %d},\n\"rows\": [", context_members().c_str(),
                 chosen_.rounds);
  }
  bench(const bench&) = delete;
  ~bench() {
    if (chosen_.json != nullptr) std::fprintf(chosen_.json, "\n]\n}\n");
    cudaFree(sum_);
    cudaFree(table_);
    cudaFree(states_);
  }

  /// K equally likely branches of L turns, with keys that are drawn and with keys that are together already.
  void of_switch() {
    for (const unsigned turns : {4u, 16u, 64u, 256u}) {
      if (chosen_.once && turns != 64) continue;
      switch_of<1>(turns);
      switch_of<2>(turns);
      switch_of<3>(turns);
      switch_of<4>(turns);
    }
  }

  /// Branch 0 of eight is longer than the others.
  void of_ratio() {
    for (const unsigned ratio : {1u, 4u, 16u, 64u})
      show<6, 3, 512>("ratio", {.turns = 16, .longest = 16 * ratio}, in_switch{});
  }

  /// Most threads have key 0.
  void of_skew() {
    for (const unsigned skew : {0u, 32768u, 49152u, 58982u, 64881u, 65536u}) {
      show<6, 3, 512>("skew", {.turns = 64, .skew = skew}, in_switch{});
    }
  }

  void of_state() {
    for (const unsigned turns : {16u, 64u}) {
      show<2, 3, 512>("state", {.turns = turns}, in_switch{});
      show<6, 3, 512>("state", {.turns = turns}, in_switch{});
      show<16, 3, 512>("state", {.turns = turns}, in_switch{});
      show<32, 3, 512>("state", {.turns = turns}, in_switch{});
      show<64, 3, 512>("state", {.turns = turns}, in_switch{});
    }
  }

  /// No branches: threads of one key read the same, and others something else.
  void of_data() {
    for (const unsigned turns : {4u, 16u, 64u}) {
      if (chosen_.once && turns != 16) continue;
      show<6, 2, 512>("data", {.keys = 4, .turns = turns}, table_of(4));
      show<6, 4, 512>("data", {.keys = 16, .turns = turns}, table_of(16));
      show<6, 6, 512>("data", {.keys = 64, .turns = turns}, table_of(64));
      show<6, 8, 512>("data", {.keys = 256, .turns = turns}, table_of(256));
    }
  }

  /// What a rank and an exchange take, for each warp, in clocks of a scheduler; and the line through the exchanges.
  void of_cost() {
    std::vector<cost> found;
    found.push_back(cost_of<2>());
    found.push_back(cost_of<6>());
    found.push_back(cost_of<16>());
    found.push_back(cost_of<32>());
    if (chosen_.once) return;
    float words = 0, clocks = 0, squares = 0, products = 0;
    for (const cost& each : found) {
      words += each.words;
      clocks += each.exchange;
      squares += each.words * each.words;
      products += each.words * each.exchange;
    }
    const auto n = static_cast<float>(found.size());
    const float of_word = (n * products - words * clocks) / (n * squares - words * words);
    std::printf("coherence::cost{.of_rank = %.0f, .of_exchange = %.0f, .of_word = %.1f}\n", found[1].rank,
                (clocks - of_word * words) / n, of_word);
  }

  void of_ranks() {
    constexpr unsigned blocks = count / rank_threads / 8;
    std::vector<contestant> all;
    const auto add = [&]<class By>(const char* name, By) {
      all.push_back({name, rank_threads, [this] { rank_by<By><<<blocks, rank_threads>>>(states_); }});
    };
    add("the loop alone", by_nothing{});
    add("heddle::block_reorder", by_heddle{});
    add("cub::BlockRadixRank", by_cub_radix_rank{});
    add("cub::BlockRadixRankMatch", by_cub_match{});
    add("cub::BlockRadixRankMatchEarlyCounts", by_cub_early_counts{});
    add("cub::BlockRadixSort", by_cub_sort{});
    std::vector<unsigned> expected;
    for (contestant& each : all) {
      each.run();
      std::vector<unsigned> found(blocks * rank_threads);
      check(cudaMemcpy(found.data(), states_, sizeof(unsigned) * found.size(), cudaMemcpyDeviceToHost));
      if (&each == &all[1]) expected = found;
      if (&each > &all[1] && found != expected) fail(each.name, "ranks");
    }
    if (chosen_.once) return;
    time(all, [] {});
    const float alone = all[0].median(), ours = all[1].median();
    for (contestant& each : all) {
      std::printf("ranks, 3 bits, 512 threads  %-38s %8.1f us  %5.2f of heddle's, %5.2f without the loop\n",
                  each.name.c_str(), each.median(), each.median() / ours, (each.median() - alone) / (ours - alone));
      write("ranks", {.keys = 1 << rank_bits, .rounds = rank_calls, .turns = 0}, 1, each);
    }
  }

 private:
  static constexpr unsigned count = 1 << 21, most_words = 64, words_of_table = 1 << 23;

  template <int Bits>
  void switch_of(unsigned turns) {
    for (const unsigned together : {0u, 1u}) {
      const work todo{.keys = 1u << Bits, .turns = turns, .together = together};
      std::vector<contestant> all;
      add<6, Bits, 256>(all, todo, in_switch{});
      add<6, Bits, 512>(all, todo, in_switch{});
      add<6, Bits, 1024>(all, todo, in_switch{});
      show<6>("switch", todo, all);
    }
  }

  in_table table_of(unsigned keys) const { return {table_, words_of_table / keys}; }

  template <int Words, int Bits, int Threads, class Body>
  void add(std::vector<contestant>& all, work todo, Body body) {
    auto* const states = reinterpret_cast<state<Words>*>(states_);
    all.push_back({"plain", Threads, [=] { plain<Words><<<count / Threads, Threads>>>(states, todo, body); }});
    add<Words, Bits, Threads, mode::reorder>(all, "reorder", todo, body);
    if constexpr (Words == 6) add<Words, Bits, Threads, mode::gate>(all, "gate", todo, body);
  }

  template <int Words, int Bits, int Threads, mode Mode, class Body>
  void add(std::vector<contestant>& all, const char* name, work todo, Body body) {
    auto* const states = reinterpret_cast<state<Words>*>(states_);
    all.push_back({name, Threads,
                   [=] { reordered<Words, Bits, Threads, Mode><<<count / Threads, Threads>>>(states, todo, body); }});
  }

  template <int Words, int Bits, int Threads, class Body>
  void show(const char* sweep, work todo, Body body) {
    std::vector<contestant> all;
    add<Words, Bits, Threads>(all, todo, body);
    show<Words>(sweep, todo, all);
  }

  template <int Words>
  void show(const char* sweep, const work& todo, std::vector<contestant>& all) {
    unsigned long long expected = 0;
    for (contestant& each : all) {
      fill<<<count / 256, 256>>>(states_, count, Words, todo);
      check(cudaMemset(sum_, 0, sizeof *sum_));
      each.run();
      check(cudaGetLastError());
      if (chosen_.once) continue;
      add_up<<<count / 256, 256>>>(states_, count, Words, sum_);
      unsigned long long found = 0;
      check(cudaMemcpy(&found, sum_, sizeof found, cudaMemcpyDeviceToHost));
      if (&each == &all[0]) expected = found;
      if (found != expected) fail(each.name, sweep);
    }
    check(cudaDeviceSynchronize());
    if (chosen_.once) {
      for (contestant& each : all) write(sweep, todo, Words, each);
      return;
    }
    time(all, [&] { fill<<<count / 256, 256>>>(states_, count, Words, todo); });
    const float best = best_of(all, "plain");
    std::printf("%-7s keys %3u%s turns %3u longest %4u skew %.2f state %3d  plain %9.1f us  gain: reorder %6.3f", sweep,
                todo.keys, todo.together != 0 ? " together" : "", todo.turns, todo.longest,
                static_cast<double>(todo.skew) / 65536, Words * 4, best, best / best_of(all, "reorder"));
    if (best_of(all, "gate") < INFINITY) std::printf("  gate %6.3f", best / best_of(all, "gate"));
    std::printf("\n");
    for (contestant& each : all) write(sweep, todo, Words, each);
  }

  struct cost {
    float words, rank, exchange;
  };

  template <int Words>
  cost cost_of() {
    const work todo{.rounds = 64, .turns = 0};
    auto* const states = reinterpret_cast<state<Words>*>(states_);
    std::vector<contestant> all{{"plain", 256, [=] { plain<Words><<<count / 256, 256>>>(states, todo, in_line{}); }}};
    add<Words, 3, 256, mode::rank>(all, "rank", todo, in_line{});
    add<Words, 3, 256, mode::reorder>(all, "reorder", todo, in_line{});
    show<Words>("cost", todo, all);
    if (chosen_.once) return {};
    const float warps = static_cast<float>(count / 32) / static_cast<float>(4 * multiprocessors_);
    const float clocks_of_us = megahertz_ / warps / static_cast<float>(todo.rounds);
    const cost found{Words, (all[1].median() - all[0].median()) * clocks_of_us,
                     (all[2].median() - all[1].median()) * clocks_of_us};
    std::printf("  %2d words: rank %.0f clocks, exchange %.0f\n", Words, found.rank, found.exchange);
    return found;
  }

  void time(std::vector<contestant>& all, const std::function<void()>& before) {
    for (int round = 0; round < chosen_.rounds; ++round) {
      for (contestant& each : all) {
        before();
        each.times.push_back(timer_.milliseconds(each.run) * 1000);
      }
    }
  }

  static float best_of(std::vector<contestant>& all, const char* name) {
    float best = INFINITY;
    for (contestant& each : all) {
      if (each.name == name) best = std::min(best, each.median());
    }
    return best;
  }

  void write(const char* sweep, const work& todo, int words, contestant& each) {
    if (chosen_.json == nullptr) return;
    std::fprintf(
        chosen_.json,
        "%s\n{\"sweep\": \"%s\", \"keys\": %u, \"together\": %u, \"turns\": %u, \"longest\": %u, \"skew\": %.2f, "
        "\"state\": %d, \"threads\": %d, \"contestant\": \"%s\"",
        is_first_ ? "" : ",", sweep, todo.keys, todo.together, todo.turns, todo.longest,
        static_cast<double>(todo.skew) / 65536, words * 4, each.threads, each.name.c_str());
    if (!chosen_.once) std::fprintf(chosen_.json, ", \"us\": %.2f, \"spread\": %.3f", each.median(), each.spread());
    std::fprintf(chosen_.json, "}");
    is_first_ = false;
  }

  [[noreturn]] static void fail(const std::string& name, const char* sweep) {
    std::fprintf(stderr, "bench_reorder: %s: %s is not the same\n", sweep, name.c_str());
    std::exit(1);
  }

  options chosen_;
  bool is_first_ = true;
  int multiprocessors_ = 0;
  float megahertz_ = 0;
  event_timer timer_;
  unsigned *states_ = nullptr, *table_ = nullptr;
  unsigned long long* sum_ = nullptr;
};

options parse(int argc, char** argv) {
  options chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--help") {
      std::printf("%s", help);
      std::exit(0);
    } else if (option == "--once") {
      chosen.once = true;
      continue;
    } else if (option == "--only" && !value.empty()) {
      chosen.only = value;
    } else if (option == "--rounds" && std::atoi(value.c_str()) > 0) {
      chosen.rounds = std::atoi(value.c_str());
    } else if (option == "--json" && !value.empty()) {
      chosen.json = std::fopen(value.c_str(), "w");
      if (chosen.json == nullptr) {
        std::fprintf(stderr, "bench_reorder: %s cannot be written\n", value.c_str());
        std::exit(1);
      }
    } else {
      std::fprintf(stderr, "bench_reorder: unknown or incomplete: %s %s\n%s", option.c_str(), value.c_str(), help);
      std::exit(2);
    }
    ++i;
  }
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  const options chosen = parse(argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("bench_reorder: no CUDA device: skipped\n");
    return 77;
  }
  const std::pair<const char*, void (bench::*)()> sweeps[] = {
      {"switch", &bench::of_switch}, {"ratio", &bench::of_ratio}, {"skew", &bench::of_skew},
      {"state", &bench::of_state},   {"data", &bench::of_data},   {"cost", &bench::of_cost},
      {"ranks", &bench::of_ranks}};
  int ran = 0;
  {
    bench all(chosen);
    for (const auto& [name, sweep] : sweeps) {
      if (!chosen.only.empty() && (',' + chosen.only + ',').find(',' + std::string(name) + ',') == std::string::npos)
        continue;
      (all.*sweep)();
      ++ran;
    }
  }
  if (chosen.json != nullptr) std::fclose(chosen.json);
  if (ran > 0) return 0;
  std::fprintf(stderr, "bench_reorder: no sweep of %s\n", chosen.only.c_str());
  return 2;
}
