#include <bit>
#include <random>

#include <heddle/reorder/coherence.hpp>

#include "measured.hpp"
#include "table.hpp"

namespace {

/// How keys are spread over the warps of some blocks, and what the gate makes of that.
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

/// In clocks of a scheduler: keys that are visited now, and what is left of them if it is as the gate decides.
outlook predict(const demo::branching& by) {
  constexpr double clocks = demo::branching::clocks;
  constexpr unsigned words = demo::branching::words;
  constexpr heddle::coherence::cost cost;
  constexpr double of_rank = cost.of_rank, of_exchange = cost.exchange(words);
  std::mt19937 random(1);
  double warps = 0, visits = 0, sorted = 0, after = 0;
  for (unsigned block = 0; block < 4096; ++block) {
    const heddle::coherence how = block_of(by, block, random);
    const bool is_mixed = how.visits > how.warps(), is_exchanged = how.pays(demo::branching::clocks, words);
    warps += how.warps();
    visits += how.visits;
    sorted += is_mixed ? how.sorted_visits() : how.visits;
    after += clocks * (is_exchanged ? how.sorted_visits() : how.visits) +
             how.warps() * ((is_mixed ? of_rank : 0) + (is_exchanged ? of_exchange : 0));
  }
  return {visits / warps, sorted / warps, clocks * visits / after};
}

}  // namespace

std::vector<demo::table> demo::reordering() {
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
  std::vector<branching> all;
  table result{"Reordering, a switch of eight branches",
               "Paths of examples/05_reorder, eight times through branches of 200 clocks, in blocks of 256 and with 16 "
               "bytes of state: how many branches a warp takes, now and at most if its block is sorted, and how many "
               "times as fast that should be with the gate, by coherence.",
               {"branches", "of a warp", "sorted", "predicted"},
               {},
               -1};
  for (const auto& [name, by] : rows) {
    const auto [keys_of_warp, sorted_keys_of_warp, gain] = predict(by);
    result.rows.push_back(
        {name, formatted("%.1f", keys_of_warp), formatted("%.1f", sorted_keys_of_warp), formatted("%.2f x", gain)});
    all.push_back(by);
  }

  const auto measured = measure_reordering(all);
  if (!measured.why_not.empty()) return {result, not_measured(measured.why_not)};
  result.heading += ", measured on this " + measured.gpu;
  result.text +=
      " Measured with the gate, which exchanges only where it should pay, and with an exchange every time; plain is "
      "without. All results were checked.";
  for (const char* header : {"with the gate", "every time", "plain, ms"}) result.headers.push_back(header);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [plain, gated, always] = measured.rows[i];
    for (const double milliseconds : {gated, always}) {
      result.rows[i].push_back(formatted("%.2f x", plain / milliseconds));
    }
    result.rows[i].push_back(formatted("%.3f", plain));
  }
  return {result};
}
