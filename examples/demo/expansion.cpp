#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include <heddle/predict/device.hpp>

#include "measured.hpp"
#include "table.hpp"
#include "timelines.hpp"

namespace {

/// How many items a source has.
struct spawning {
  std::string name;
  std::function<unsigned(double)> n;  // from a random number below 1
};

std::vector<unsigned> n_of_all(const spawning& kind) {
  std::mt19937 random(1);
  std::vector<unsigned> n(1 << 22);
  for (unsigned& each : n) each = kind.n(static_cast<double>(random()) * 0x1p-32);
  return n;
}

double items_of(const std::vector<unsigned>& n) {
  return static_cast<double>(std::accumulate(n.begin(), n.end(), 0ull));
}

/// The share of a warp's threads that are busy, on average, until the longest loop ends.
double busy_in_loop(const std::vector<unsigned>& n) {
  unsigned long long turns = 0;
  for (auto warp = n.begin(); warp != n.end(); warp += 32) turns += *std::max_element(warp, warp + 32);
  return items_of(n) / (32 * static_cast<double>(turns));
}

}  // namespace

demo::part demo::expansion() {
  part all{
      "Expansion",
      "Sources spawn items, each source as many as it likes. In a loop in each thread a warp waits for its longest "
      "loop; expansion counts the items in a first pass, and deals them evenly to the threads of a second.",
      {{"Work expansion", "expand.md"}},
      timelines_of_expansion()};
  const std::vector<spawning> kinds{
      {"uniform, 0 to 32", [](double drawn) { return static_cast<unsigned>(33 * drawn); }},
      {"power law, up to 65536",
       [](double drawn) { return static_cast<unsigned>(std::min(65536.0, 1.6 / (drawn + 1e-9))); }},
      {"0, and one in 100 up to 3200",
       [](double drawn) { return drawn < 0.01 ? static_cast<unsigned>(320000 * drawn) : 0; }},
      {"1 each", [](double) { return 1u; }}};
  std::vector<std::vector<unsigned>> n;
  for (const spawning& kind : kinds) n.push_back(n_of_all(kind));

  const heddle::predict::device& chip = demo::card_at_hand().chip;
  const std::string& name = demo::card_at_hand().name;
  const std::string rate = formatted("%.1f", chip.dram_bytes_per_second / 1e12) + " TB/s of " + name;
  table counted{"Work expansion, 4 million sources of n items each, counted and predicted for " + name,
                "Busy is the share of a warp's threads that work, on average, in a loop in each thread. The floor is "
                "the time to store the items, 8 bytes each, at the " +
                    rate + ".",
                {"n", "items", "busy in a loop", "floor on " + name + ", ms"},
                {.heading = "Threads of a warp that are busy in a loop, %", .decimals = 0}};
  for (std::size_t i = 0; i < n.size(); ++i) {
    const double items = items_of(n[i]), busy = 100 * busy_in_loop(n[i]);
    counted.rows.push_back({kinds[i].name, formatted("%.1f M", items / 1e6), formatted("%.0f %%", busy),
                            formatted("%.3f", 8e3 * items / chip.dram_bytes_per_second)});
    counted.bars.rows.push_back({kinds[i].name, {busy}});
  }
  all.tables.push_back(counted);

  const auto measured = measure_expansion(n);
  all.why_not = measured.why_not;
  if (measured.rows.empty()) return all;
  table timed{"The same expansion, measured on this " + measured.gpu,
              "The loop is one kernel that is given the place of each source's first item. packed_prefix and scanned "
              "are begin_async and two kernels; the gain is that of packed_prefix over the loop. All results were "
              "checked.",
              {"n", "loop, ms", "packed_prefix, ms", "scanned, ms", "gain"},
              {.heading = "ms, measured on this " + measured.gpu + " (less is better)",
               .series = {"loop", "packed_prefix", "scanned"},
               .decimals = 3}};
  for (std::size_t i = 0; i < n.size(); ++i) {
    const auto& [loop, packed_prefix, scanned] = measured.rows[i];
    timed.rows.push_back({kinds[i].name, formatted("%.3f", loop), formatted("%.3f", packed_prefix),
                          formatted("%.3f", scanned), formatted("%.2f x", loop / packed_prefix)});
    timed.bars.rows.push_back({kinds[i].name, {loop, packed_prefix, scanned}});
  }
  all.tables.push_back(timed);
  return all;
}
