#include <heddle/heddle.hpp>

#include <cmath>
#include <utility>

#include "groups.hpp"
#include "measured.hpp"
#include "table.hpp"

using namespace heddle;
using demo::formatted;
using demo::table;

namespace {

/// Shares rows out by Zipf's law: the second expert has half as many as the first, the third a third.
std::vector<int> shared_out(int rows, int experts) {
  double all = 0;
  for (int expert = 1; expert <= experts; ++expert) all += 1.0 / expert;
  std::vector<int> of_each;
  for (int i = 0; i < experts; ++i) {
    const int expert = 37 * i % experts;  // the popular ones lie anywhere among the others
    of_each.push_back(static_cast<int>(std::lround(rows / all / (expert + 1))));
  }
  return of_each;
}

/// An order of groups, as a launch has it.
struct way {
  const char* name;
  int width;
  heddle::axis axis;
  group_sequence sequence = group_sequence::as_numbered;
};

}  // namespace

demo::part demo::group_advice() {
  const predict::grouped_problem experts{
      .rows = shared_out(32768, 128), .n = 1536, .k = 2048, .tile_n = 256, .step_rows = 64};
  const predict::device& chip = demo::card_at_hand().chip;
  const std::string& name = demo::card_at_hand().name;
  const predict::advice advised = advise(experts, chip);
  const auto cost = [&](group_coord tile) { return experts.cost(tile); };

  table result;
  result.heading =
      "Grouped product, 128 experts x 1536 x 2048, 32768 rows by Zipf's law, bf16, tiles of 128 x 256, "
      "predicted for " +
      name;
  result.headers = {"order of each group", "DRAM read", "idle"};
  for (const way& each : {way{"row by row", 1, axis::y}, way{"bands of 8 rows", 8, axis::y},
                          way{"bands of 8 rows, heaviest first", 8, axis::y, group_sequence::heaviest_first},
                          way{"bands of 8 columns", 8, axis::x}}) {
    demo::group_state state(experts.shape());
    const grouped order =
        grouped{experts.shape(), state.data(), each.width, each.axis, each.sequence}.on_host(experts.ends().data());
    const double idle =
        predict::makespan(order, cost, {chip.multiprocessors}, {.schedule = advised.schedule}).idle_share();
    const auto total = predict::traffic(order, experts, chip).total;
    if (each.width == advised.width && each.axis == advised.axis && each.sequence == advised.sequence) {
      result.marked = static_cast<int>(result.rows.size());
    }
    result.rows.push_back({each.name, formatted("%.2f GB", static_cast<double>(total.dram_bytes) / 1e9),
                           formatted("%.1f %%", 100 * idle)});
  }
  result.text =
      "Idle is the share of the blocks' time in which they have no tile, by the schedule that is advised. Heaviest first idles least, but was 5 % slower "
      "on an H200: at the end come the experts of few rows, which wait for their B together. Advised for " +
      name + ": " + to_string(advised) + ". Why: " + advised.reason;
  return {"Grouped product",
          "Experts of any number of rows, known to the device alone, in one launch: which order of their tiles moves "
          "few bytes, and lets no block idle longer than row by row.",
          {{"Spaces", "spaces.md"}, {"Grouped product", "grouped.md"}},
          {},
          {std::move(result)}};
}
