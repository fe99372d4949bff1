// Reordering threads by key: when it pays, and ranks alone compared with CUB's. The contestants of a row take turns in
// one process. Each must leave every thread's state as the plain kernel does, bit for bit.

#include "common/bench.hpp"
#include "ranks.cuh"
#include "trial.cuh"
#include "work.cuh"

using namespace heddle_bench;

namespace {

constexpr const char* about =
    R"(Threads carry state through a switch of equally likely branches, or read a table, each by its own key.

  plain      state stays in its thread
  reorder    state changes places before every round
  gate       the same, while coherence_gate finds that it pays
  gain       plain / reorder, plain / gate: above 1 reordering pays
)";

constexpr const char* counters = R"(
The JSON has every contestant's median, and the spread (most - least) / median. With --once it lists the launches in
order, for counters.py. Counters of those launches:

  ncu --clock-control none --csv --metrics \
    smsp__thread_inst_executed_per_inst_executed.ratio,\
    smsp__issue_active.avg.pct_of_peak_sustained_active,smsp__inst_executed.sum,\
    l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio,\
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,\
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum \
    --kernel-name regex:"plain|reordered" bench_reorder --once --only switch,data
)";

struct options {
  std::vector<std::string> only;  // sweeps; all of them if empty
  int rounds = 7;
  bool once = false;
  std::string json;
};

struct contestant {
  std::string name;
  int threads;
  std::function<void()> run;
  std::vector<float> times{};

  float median() const { return heddle_bench::median(times); }
  float spread() const {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    return (*most - *least) / median();
  }
};

class bench {
 public:
  explicit bench(const options& chosen)
      : chosen_(chosen), json_(chosen.json, context_json().add("rounds", chosen.rounds)) {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    multiprocessors_ = device.multiProcessorCount;
    int kilohertz = 0;
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    megahertz_ = static_cast<float>(kilohertz) / 1000;
    fill<<<most_in_table / 256, 256>>>(table_.data(), most_in_table, 1, {});
    json_.begin_list("rows");
  }

  void finish() { json_.finish(); }

  /// K equally likely branches of L turns, with random keys and with keys that are together already.
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
    for (const unsigned turns : {4u, 16u, 64u}) {
      for (const unsigned skew : {0u, 32768u, 49152u, 58982u, 64881u, 65470u, 65536u}) {
        const work todo{.turns = turns, .skew = skew};
        std::vector<contestant> all;
        add<6, 3, 256>(all, todo, in_switch{});
        add<6, 3, 512>(all, todo, in_switch{});
        show<6>("skew", todo, all);
      }
    }
  }

  /// Keys that are together in some of 32 rounds, and random in the others.
  void of_change() {
    for (const unsigned turns : {4u, 16u, 64u}) {
      for (const unsigned together : {first_half, ~first_half, every_other}) {
        const work todo{.rounds = 32, .turns = turns, .together = together, .alike = 31};
        show<6, 3, 256>("change", todo, in_switch{});
      }
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

  /// No branches: threads with one key read the same words of a table, threads with other keys read elsewhere.
  void of_data() {
    for (const unsigned turns : {4u, 16u, 64u}) {
      if (chosen_.once && turns == 64) continue;
      show<6, 2, 512>("data", {.keys = 4, .turns = turns}, table_of(4));
      show<6, 4, 512>("data", {.keys = 16, .turns = turns}, table_of(16));
      show<6, 6, 512>("data", {.keys = 64, .turns = turns}, table_of(64));
      show<6, 8, 512>("data", {.keys = 256, .turns = turns}, table_of(256));
    }
  }

  /// The cost of a rank and of an exchange per warp, in clocks of a scheduler, and the line through the exchanges.
  void of_cost() {
    std::vector<cost> found;
    found.push_back(cost_of<2, 3, 256>());
    found.push_back(cost_of<6, 3, 256>());
    found.push_back(cost_of<16, 3, 256>());
    found.push_back(cost_of<32, 3, 256>());
    cost_of<6, 3, 128>();
    cost_of<6, 3, 512>();
    cost_of<6, 3, 1024>();
    cost_of<6, 1, 256>();
    cost_of<6, 5, 256>();
    cost_of<6, 6, 256>();
    cost_of<6, 8, 256>();
    cost_of<6, 8, 1024>();
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
    std::printf("coherence::cost{.of_rank = %.0f, .of_exchange = %.0f, .of_word = %.1f, .of_question = %.0f}\n",
                found[1].rank, (clocks - of_word * words) / n, of_word, found[1].question);
  }

  /// What a trial says of sorted blocks and of queues beforehand, and what kernels without it gain.
  void of_trial() {
    for (const unsigned turns : {4u, 16u, 64u, 256u}) {
      const work todo{.keys = 8, .turns = turns};
      tried<2, 3>("trial", todo, in_switch{});
      tried<6, 3>("trial", todo, in_switch{});
      tried<16, 3>("trial", todo, in_switch{});
      tried<6, 1>("trial", {.keys = 2, .turns = turns}, in_switch{});
      tried<6, 2>("trial", {.keys = 4, .turns = turns}, in_switch{});
      tried<6, 4>("trial", {.keys = 16, .turns = turns}, in_switch{});
      if (turns > 4) tried<6, 3>("trial", {.keys = 8, .turns = 16, .longest = 4 * turns}, in_switch{});
    }
    const work once{.keys = 8, .rounds = 1, .turns = 54};
    const auto look_ups = [&](const char* name, unsigned words, unsigned of_each) {
      tried<3, 3>(name, once, in_materials{{table_.data(), words - 1, of_each}});
    };
    look_ups("look-ups in 256 MB", most_in_table, 0);
    look_ups("look-ups in 16 MB", 1 << 22, 0);
    look_ups("look-ups in 1 MB", 1 << 18, 0);
    look_ups("even look-ups", most_in_table, once.turns);
  }

  void of_ranks() {
    constexpr unsigned blocks = count / rank_threads / 8;
    std::vector<contestant> all;
    const auto add = [&]<class By>(const char* name, By) {
      all.push_back({name, rank_threads, [this] { rank_by<By><<<blocks, rank_threads>>>(states_.data()); }});
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
      const std::vector<unsigned> found = states_.to_host(blocks * rank_threads);
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
  static constexpr unsigned count = 1 << 21, most_words = 64, words_of_table = 1 << 23, most_in_table = 1 << 26;
  static constexpr unsigned first_half = 0xffff, every_other = 0xaaaaaaaa;  // of 32 rounds

  template <int Bits>
  void switch_of(unsigned turns) {
    for (const unsigned together : {0u, ~0u}) {
      const work todo{.keys = 1u << Bits, .turns = turns, .together = together};
      std::vector<contestant> all;
      add<6, Bits, 256>(all, todo, in_switch{});
      add<6, Bits, 512>(all, todo, in_switch{});
      add<6, Bits, 1024>(all, todo, in_switch{});
      show<6>("switch", todo, all);
    }
  }

  in_table table_of(unsigned keys) const { return {table_.data(), words_of_table / keys}; }

  template <int Words, int Bits, int Threads, class Body>
  void add(std::vector<contestant>& all, work todo, Body body) {
    auto* const states = reinterpret_cast<state<Words>*>(states_.data());
    all.push_back({"plain", Threads, [=] { plain<Words><<<count / Threads, Threads>>>(states, todo, body); }});
    add<Words, Bits, Threads, mode::reorder>(all, "reorder", todo, body);
    if constexpr (Words == 6) add<Words, Bits, Threads, mode::gate>(all, "gate", todo, body);
  }

  /// A trial in each form beside a kernel in each form.
  template <int Words, int Bits, class Body>
  void tried(const char* sweep, const work& todo, Body body) {
    constexpr int in_block = 256;
    using queues = heddle::grid_queues<1 << Bits>;
    using one_trial = heddle::key_trial<Bits, round_of<Words, Body>, in_block>;
    auto* const states = reinterpret_cast<state<Words>*>(states_.data());
    const device_array<char> room(queues::state_bytes(count));
    room.set_bytes(0);
    const queues keyed{count, room.data()};
    const one_trial all_rounds{{states, todo, body}, count, todo.rounds}, one_round{{states, todo, body}, count};
    const auto config = keyed.grid(queued<Words, queues, Body>, in_block);
    const auto each_round = [todo](auto form) {
      return [=] {
        for (unsigned round = 0; round < todo.rounds; ++round) form();
      };
    };
    std::vector<contestant> all;
    all.push_back({"plain", in_block, [=] { plain<Words><<<count / in_block, in_block>>>(states, todo, body); }});
    add<Words, Bits, in_block, mode::reorder>(all, "reorder", todo, body);
    all.push_back({"queues", in_block, each_round([=] {
                     push_keys<Words><<<count / in_block, in_block>>>(keyed, states, todo);
                     check(heddle::launch(config, nullptr, queued<Words, queues, Body>, keyed, states, todo, body));
                   })});
    all.push_back({"trial, in place", in_block, [=] { check(all_rounds.in_place(nullptr)); }});
    all.push_back({"trial, by block", in_block, [=] { check(all_rounds.by_block(nullptr)); }});
    all.push_back({"trial, by queues", in_block, each_round([=] { check(one_round.by_queues(nullptr, keyed)); })});
    show<Words>(sweep, todo, all);
    if (chosen_.once) return;
    const float in_place = all[3].median();
    std::printf("%-10s queues: %6.3f  a trial says: reorder %6.3f queues %6.3f\n", "",
                all[0].median() / all[2].median(), in_place / all[4].median(), in_place / all[5].median());
  }

  template <int Words, int Bits, int Threads, mode Mode, class Body>
  void add(std::vector<contestant>& all, const char* name, work todo, Body body) {
    const auto gate = heddle::block_reorder<Threads, Bits>::gate(Body::clocks_of(todo), Words);
    all.push_back({name, Threads, launch_of<Words, Bits, Threads, Mode>(todo, body, gate)});
  }

  template <int Words, int Bits, int Threads, mode Mode, class Body>
  std::function<void()> launch_of(work todo, Body body, heddle::coherence_gate gate) {
    auto* const states = reinterpret_cast<state<Words>*>(states_.data());
    return [=] { reordered<Words, Bits, Threads, Mode><<<count / Threads, Threads>>>(states, todo, body, gate); };
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
      fill<<<count / 256, 256>>>(states_.data(), count, Words, todo);
      sum_.set_bytes(0);
      each.run();
      check(cudaGetLastError());
      if (chosen_.once) continue;
      add_up<<<count / 256, 256>>>(states_.data(), count, Words, sum_.data());
      const unsigned long long found = sum_.first();
      if (&each == &all[0]) expected = found;
      if (found != expected) fail(each.name, sweep);
    }
    check(cudaDeviceSynchronize());
    if (chosen_.once) {
      for (contestant& each : all) write(sweep, todo, Words, each);
      return;
    }
    time(all, [&] { fill<<<count / 256, 256>>>(states_.data(), count, Words, todo); });
    const float best = best_of(all, "plain");
    std::printf("%-7s keys %3u%s turns %3u longest %4u skew %.3f state %3d  plain %9.1f us  gain: reorder %6.3f", sweep,
                todo.keys, name_of(todo.together), todo.turns, todo.longest, static_cast<double>(todo.skew) / 65536,
                Words * 4, best, best / best_of(all, "reorder"));
    if (best_of(all, "gate") < INFINITY) std::printf("  gate %6.3f", best / best_of(all, "gate"));
    std::printf("\n");
    for (contestant& each : all) write(sweep, todo, Words, each);
  }

  struct cost {
    float words, rank, exchange, question;
  };

  template <int Words, int Bits, int Threads>
  cost cost_of() {
    const work todo{.keys = 1u << Bits, .rounds = 64, .turns = 0};
    auto* const states = reinterpret_cast<state<Words>*>(states_.data());
    const auto plainly = [=] { plain<Words><<<count / Threads, Threads>>>(states, todo, in_line{}); };
    std::vector<contestant> all{{"plain", Threads, plainly}};
    add<Words, Bits, Threads, mode::rank>(all, "rank", todo, in_line{});
    add<Words, Bits, Threads, mode::reorder>(all, "reorder", todo, in_line{});
    if constexpr (Words == 6) {  // visits of one clock never pay, and a question without a price has no pause
      const heddle::coherence_gate asks{1, Words, {.of_question = 0}, {1 << 20, 1, 32}};
      all.push_back({"ask", Threads, launch_of<Words, Bits, Threads, mode::gate>(todo, in_line{}, asks)});
    }
    show<Words>("cost", todo, all);
    if (chosen_.once) return {};
    const float warps = static_cast<float>(count / 32) / static_cast<float>(4 * multiprocessors_);
    const float clocks_of_us = megahertz_ / warps / static_cast<float>(todo.rounds);
    const auto clocks = [&](std::size_t of, std::size_t over) {
      return (all[of].median() - all[over].median()) * clocks_of_us;
    };
    const cost found{Words, clocks(1, 0), clocks(2, 1), all.size() > 3 ? clocks(3, 0) : 0};
    std::printf("  %2d words, %d bits, %4d threads: rank %.0f clocks, exchange %.0f, question %.0f\n", Words, Bits,
                Threads, found.rank, found.exchange, found.question);
    return found;
  }

  static const char* name_of(unsigned together) {
    return together == ~0u           ? " together"
           : together == first_half  ? " together, then mixed"
           : together == ~first_half ? " mixed, then together"
           : together == every_other ? " together every other round"
                                     : "";
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

  void write(const char* sweep, const work& todo, int words, const contestant& each) {
    json_object row;
    row.add("sweep", sweep).add("keys", todo.keys).add("together", todo.together == ~0u ? 1 : 0);
    if (todo.together != 0 && todo.together != ~0u) row.add("rounds_together", name_of(todo.together) + 1);
    row.add("turns", todo.turns).add("longest", todo.longest);
    row.add("skew", static_cast<double>(todo.skew) / 65536, 3).add("state", words * 4);
    row.add("threads", each.threads).add("contestant", each.name);
    if (!chosen_.once) row.add("us", each.median(), 2).add("spread", each.spread(), 3);
    json_.add(row);
  }

  [[noreturn]] static void fail(const std::string& name, const char* sweep) {
    std::fprintf(stderr, "bench_reorder: %s: %s is not the same\n", sweep, name.c_str());
    std::exit(1);
  }

  options chosen_;
  json_file json_;
  int multiprocessors_ = 0;
  float megahertz_ = 0;
  event_timer timer_;
  device_array<unsigned> states_{std::size_t{most_words} * count}, table_{most_in_table};
  device_array<unsigned long long> sum_{1};
};

struct sweep {
  std::string name;
  void (bench::*run)();
};

const std::vector<sweep> sweeps{
    {"switch", &bench::of_switch}, {"ratio", &bench::of_ratio}, {"skew", &bench::of_skew},
    {"change", &bench::of_change}, {"state", &bench::of_state}, {"data", &bench::of_data},
    {"cost", &bench::of_cost},     {"trial", &bench::of_trial}, {"ranks", &bench::of_ranks}};

options parse(int count, char** arguments) {
  options chosen;
  std::vector<std::string> names;
  for (const sweep& each : sweeps) names.push_back(each.name);
  parse_options(count, arguments, about,
                {{"--only", "SWEEPS", "run only these", some_of(chosen.only, names)},
                 {"--rounds", "R", "launches per contestant; figures are medians", number(chosen.rounds, 1, 100'000)},
                 {"--once", "", "run each contestant once, untimed: for ncu", flag(chosen.once)},
                 {"--json", "FILE", "write the figures to FILE", file(chosen.json)}},
                counters);
  return chosen;
}

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  if (!has_gpu(program_invocation_short_name)) return skipped;
  bench all(chosen);
  for (const auto& [name, run] : sweeps) {
    const bool is_chosen = std::find(chosen.only.begin(), chosen.only.end(), name) != chosen.only.end();
    if (chosen.only.empty() || is_chosen) (all.*run)();
  }
  all.finish();
}
