#include <algorithm>
#include <bit>
#include <random>

#include <heddle/draw/timeline.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "measured.hpp"
#include "table.hpp"
#include "timelines.hpp"

namespace {

/// Branches that a warp takes, before and after its block is sorted, and how many times as fast the gate should be.
struct outlook {
  double keys_of_warp, sorted_keys_of_warp, gain;
};

heddle::coherence block_of(const demo::branching& by, unsigned block, std::mt19937& random) {
  heddle::coherence how{0, 0, demo::branching::threads};
  unsigned of_block = 0;
  for (unsigned warp = 0; warp < how.warps(); ++warp) {
    unsigned of_warp = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      of_warp |= 1u << by.key(block * how.active + warp * 32 + lane, static_cast<unsigned>(random()), 0);
    }
    how.visits += static_cast<unsigned>(std::popcount(of_warp));
    of_block |= of_warp;
  }
  how.keys = static_cast<unsigned>(std::popcount(of_block));
  return how;
}

/// Lets the gate decide in eight rounds of each block, and compares clocks of a warp scheduler: those of all branches,
/// and those that are left, with what questions, ranks and exchanges cost.
outlook predict(const demo::branching& by) {
  using reorder = heddle::block_reorder<demo::branching::threads, 3>;
  constexpr double clocks = demo::branching::clocks;
  constexpr unsigned words = demo::branching::words;
  constexpr heddle::coherence::cost cost = reorder::cost();
  std::mt19937 random(1);
  double warps = 0, visits = 0, sorted = 0, after = 0;
  for (unsigned block = 0; block < 512; ++block) {
    heddle::coherence_gate gate = reorder::gate(demo::branching::clocks, words);
    unsigned next = gate.until(0, 8);
    for (unsigned round = 0; round < 8; ++round) {
      const heddle::coherence how = block_of(by, block, random);
      const bool is_due = round == next, asks = is_due && !gate.is_sorting();
      if (is_due) {
        gate.note(gate.pays(how), how.keys, asks ? 1 : 0);
        next = gate.until(round, 8);
      }
      const bool sorts = gate.is_sorting();
      warps += how.warps();
      visits += how.visits;
      sorted += how.visits > how.warps() ? how.sorted_visits() : how.visits;
      after += clocks * (sorts ? how.sorted_visits() : how.visits);
      after += how.warps() * static_cast<double>((asks ? cost.of_question : 0) + (sorts ? cost.sorted(words) : 0));
    }
  }
  return {visits / warps, sorted / warps, clocks * visits / after};
}

/// Which branches the warps of a block take, before and after their threads are sorted by branch.
std::vector<demo::picture> pictures_of_branches() {
  const demo::branching by;
  std::mt19937 random(1);
  std::vector<unsigned> keys;
  for (unsigned thread = 0; thread < 256; ++thread) {
    keys.push_back(by.key(thread, static_cast<unsigned>(random()), 0));
  }
  std::vector<unsigned> sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end());

  // What the threads of each warp take, or each branch that they take once.
  const auto drawn = [](const std::vector<unsigned>& all, bool once, const char* heading) {
    std::vector<heddle::draw::lane> lanes = demo::numbered("warp", 8);
    for (auto first = all.begin(); heddle::draw::lane & warp : lanes) {
      std::vector<unsigned> taken(first, first + 32);
      first += 32;
      if (once) std::sort(taken.begin(), taken.end());
      if (once) taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
      for (int time = 0; const unsigned key : taken) {
        warp.stretches.push_back({time, time + 1, static_cast<int>(key)});
        ++time;
      }
    }
    return heddle::draw::timeline(lanes,
                                  {.title = heading, .heading = heading, .end = once ? 8 : 32, .tick = once ? 36 : 9});
  };
  return {{"", "Threads as they are", "", "A block of 256 threads, a warp per row. The numbers are branches.",
           drawn(keys, false, "which branch each thread takes")},
          {"", "What they cost", "", "A warp runs one after another all branches that its threads take.",
           drawn(keys, true, "time: the branches that each warp runs")},
          {"", "Threads sorted by branch", "block_reorder<256, 3>, block_exchange",
           "A thread's live state moves to its new place through shared memory.",
           drawn(sorted, false, "the same block, sorted")},
          {"", "What they cost then", "", "Most warps run one branch or two.",
           drawn(sorted, true, "time: the branches that each warp runs")}};
}

}  // namespace

demo::part demo::reordering() {
  part all{"Reordering",
           "Threads of a warp that take different branches wait for one another. `block_reorder` sorts the threads of "
           "a block by branch, and `block_exchange` moves their live state; a gate skips both if they cannot pay.",
           {{"Reordering", "reorder.md"}},
           pictures_of_branches()};
  const auto skew = [](double of_first) { return static_cast<unsigned>(65536 * (of_first - 1 / 8.0) / (7 / 8.0)); };
  struct row {
    const char* name;
    branching by;
  };
  const std::vector<row> rows{{"8, equally likely", {}},
                              {"4, equally likely", {.branches = 4}},
                              {"2, equally likely", {.branches = 2}},
                              {"8, three in four take the first", {.skew = skew(0.75)}},
                              {"8, one in 100 strays from the first", {.skew = skew(0.99)}},
                              {"8, all of a warp the same", {.together = true}}};
  std::vector<branching> each_by;
  for (const auto& [name, by] : rows) each_by.push_back(by);
  const auto measured = measure_reordering(each_by);
  all.why_not = measured.why_not;

  table result{
      "Reordering, a switch of up to eight branches, predicted for an H200",
      "Paths of examples/05_reorder, eight times through branches of 200 clocks, in blocks of 256 threads with "
      "16 bytes of state each: how many branches a warp takes as it is, and at most if its block is sorted. "
      "The gain that heddle::coherence predicts for the gate counts clocks that were measured on an H200.",
      {"branches", "per warp", "sorted", "gain predicted for an H200"},
      {.heading = "Times as fast with the gate, predicted for an H200 (more is better)", .line = 1}};
  if (!measured.rows.empty()) {
    const std::string on = "measured on this " + measured.gpu;
    result.heading += ", and " + on;
    result.text += " Measured are the gate, and an exchange every time; plain is without. All results were checked.";
    for (const char* header : {"with the gate, measured", "every time, measured", "plain, ms"}) {
      result.headers.push_back(header);
    }
    result.bars.heading = "Times as fast as without (more is better)";
    result.bars.series = {"gate, predicted for an H200", "gate, " + on, "every time, " + on};
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [keys_of_warp, sorted_keys_of_warp, gain] = predict(rows[i].by);
    std::vector<std::string> cells{rows[i].name, formatted("%.1f", keys_of_warp),
                                   formatted("%.1f", sorted_keys_of_warp), formatted("%.2f x", gain)};
    std::vector<double> gains{gain};
    if (!measured.rows.empty()) {
      const auto& [plain, gated, always] = measured.rows[i];
      for (const double milliseconds : {gated, always}) {
        cells.push_back(formatted("%.2f x", plain / milliseconds));
        gains.push_back(plain / milliseconds);
      }
      cells.push_back(formatted("%.3f", plain));
    }
    result.rows.push_back(cells);
    result.bars.rows.push_back({rows[i].name, gains});
  }
  all.tables.push_back(result);
  return all;
}
