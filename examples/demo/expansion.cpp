#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include <heddle/predict/device.hpp>

#include "measured.hpp"
#include "table.hpp"

namespace {

struct spawning {
  std::string name;
  std::function<unsigned(double)> n;  // of a source, from a number below 1
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

/// Of the threads of a warp, on average, until that with the longest loop is done.
double busy_in_loop(const std::vector<unsigned>& n) {
  unsigned long long turns = 0;
  for (auto warp = n.begin(); warp != n.end(); warp += 32) turns += *std::max_element(warp, warp + 32);
  return items_of(n) / (32 * static_cast<double>(turns));
}

}  // namespace

std::vector<demo::table> demo::expansion() {
  const std::vector<spawning> kinds{
      {"uniform, 0 to 32", [](double drawn) { return static_cast<unsigned>(33 * drawn); }},
      {"power law, up to 65536",
       [](double drawn) { return static_cast<unsigned>(std::min(65536.0, 1.6 / (drawn + 1e-9))); }},
      {"0, and one in 100 up to 3200",
       [](double drawn) { return drawn < 0.01 ? static_cast<unsigned>(320000 * drawn) : 0; }},
      {"1 each", [](double) { return 1u; }}};
  std::vector<std::vector<unsigned>> n;
  for (const spawning& kind : kinds) n.push_back(n_of_all(kind));

  constexpr heddle::predict::device chip = heddle::predict::h200();
  const auto floor_of = [&](double items) { return 8e3 * items / chip.dram_bytes_per_second; };
  table result{
      "Work expansion, 4 million sources of n items each",
      "8 bytes are stored for every item. In a loop in each thread a warp goes on until the longest is done: so "
      "many of its threads are busy on average. The floor is the bytes of all items at the " +
          formatted("%.1f", chip.dram_bytes_per_second / 1e12) + " TB/s of an H200.",
      {"n", "items", "busy in a loop", "floor, ms"},
      {},
      -1};
  for (std::size_t i = 0; i < n.size(); ++i) {
    const double items = items_of(n[i]);
    result.rows.push_back({kinds[i].name, formatted("%.1f M", items / 1e6),
                           formatted("%.0f %%", 100 * busy_in_loop(n[i])), formatted("%.3f", floor_of(items))});
  }

  const auto measured = measure_expansion(n);
  if (!measured.why_not.empty()) return {result, not_measured(measured.why_not)};
  result.heading += ", measured on this " + measured.gpu;
  result.text +=
      " The loop is one kernel, told beforehand where the items of a source go; packed_prefix and scanned are "
      "begin_async and two kernels, and the gain is that of packed_prefix. All results were checked.";
  for (const char* header : {"loop, ms", "packed_prefix, ms", "scanned, ms", "gain"}) result.headers.push_back(header);
  for (std::size_t i = 0; i < n.size(); ++i) {
    const auto& [loop, packed_prefix, scanned] = measured.rows[i];
    for (const double milliseconds : {loop, packed_prefix, scanned}) {
      result.rows[i].push_back(formatted("%.3f", milliseconds));
    }
    result.rows[i].push_back(formatted("%.2f x", loop / packed_prefix));
  }
  return {result};
}
