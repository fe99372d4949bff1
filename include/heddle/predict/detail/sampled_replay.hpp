#pragma once

#include <algorithm>
#include <cmath>

#include <heddle/predict/detail/replay_size.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// What the waves of an order move: all that was replayed, or scaled up from some of them.
struct sampled_traffic {
  predict::wave_traffic total;
  long long again = 0;  // bytes from DRAM beyond the compulsory ones
  double error = 0;     // standard error of the bytes from DRAM; 0 if every wave was replayed
  bool is_filled = false;  // whether the first waves of a sample read as much as the cache holds

  /// Returns the share of all bytes moved that the error is.
  double relative_error() const {
    return error > 0 ? error / static_cast<double>(total.dram_bytes + total.written_bytes) : 0;
  }
};

/// Replays an order by the problem's coarse replay: all waves if they read few cells, else as many as read some `cells`.
///
/// A sample is the first waves, and windows of waves spread over the others. The waves before a window fill the cache
/// and do not count: an LRU that has read as much as it holds does not depend on what came before.
///
/// Ends early if `goes_on(again)` is false for the bytes that are read again at least.
template <class Order, class Problem, class GoesOn>
sampled_traffic replay_sample(const Order& order, const Problem& problem, const replay_size& chip,
                              predict::schedule_choice schedule, long long period, long long cells, const GoesOn& goes_on) {
  constexpr long long few_cells = 1 << 19;
  auto replay = problem.coarse_replay(chip.cache_bytes);
  chip_waves waves(order, {order.size(), chip.multiprocessors, chip.blocks, schedule});
  long long tiles = 0;
  const auto take = [&](long long number) {
    const auto& wave = waves(number);
    tiles += static_cast<long long>(wave.size());
    return replay(wave);
  };

  sampled_traffic seen;
  long long first = 0;
  for (; first < waves.size(); ++first) {
    const auto read = replay.cells_read();
    seen.is_filled = seen.total.dram_bytes >= chip.cache_bytes;
    const bool is_long = static_cast<double>(read) * static_cast<double>(waves.size()) >
                         static_cast<double>((std::max)(few_cells, cells)) * static_cast<double>(first);
    if ((seen.is_filled || read >= cells / 4) && is_long && waves.size() > 13 * first) break;
    seen.total += take(first);
    seen.again = replay.bytes_again();
    if (!goes_on(seen.again)) return seen;
  }
  if (first == waves.size()) return seen;

  const predict::wave_traffic head = seen.total;
  const auto least_windows = std::clamp(cells / (2 * replay.cells_read()), 2LL, 4LL);
  const auto rest = static_cast<double>(order.size() - tiles);
  const auto compulsory = problem.compulsory_bytes();
  // The runs of sm_affine begin together.
  const bool is_affine = schedule.kind == predict::schedule_kind::sm_affine;
  if (is_affine) period = 1LL * schedule.run * chip.multiprocessors;
  const double in_waves = static_cast<double>(period) / (1.0 * chip.multiprocessors * chip.blocks);
  const long long most = is_affine ? waves.size() / 4 : 3 * first;
  const long long length = std::clamp(static_cast<long long>(in_waves), first, most);
  const long long warm = is_affine ? length : seen.is_filled ? 2 * first : first;  // at most
  const long long places = waves.size() - first - warm - length + 1;
  const bool repeats = period > 0 && 8 * in_waves < static_cast<double>(places);
  const double pattern = repeats ? in_waves : static_cast<double>(places);
  // Windows that are all alike leave out what happens between them; a cache that is not full, what it would have kept.
  const double least_error = seen.is_filled ? 0.002 : 0.05;
  const double patterns = std::floor(static_cast<double>(places) / pattern);
  double sum_tiles = 0, sum_dram = 0, squares = 0, products = 0, square_tiles = 0;
  predict::wave_traffic sum;
  for (int windows = 1;; ++windows) {
    const auto spread = [&](double step, double most) { return (windows * step - std::floor(windows * step)) * most; };
    long long wave = first + static_cast<long long>(std::floor(spread(0.5698402909980532, patterns)) * pattern +
                                                    spread(0.7548776662466927, pattern));
    const long long latest = wave + warm;
    for (long long filled = 0; filled < chip.cache_bytes && wave < latest; ++wave) filled += take(wave).dram_bytes;
    tiles = 0;
    predict::wave_traffic window;
    for (const long long end = wave + length; wave < end; ++wave) window += take(wave);
    sum += window;
    const auto dram = static_cast<double>(window.dram_bytes), of = static_cast<double>(tiles);
    sum_tiles += of, sum_dram += dram, squares += dram * dram, products += dram * of, square_tiles += of * of;
    const double rate = sum_dram / sum_tiles;
    const double variance = squares - 2 * rate * products + rate * rate * square_tiles;
    if (windows < least_windows) continue;
    const auto scaled = [&](long long of_head, long long of_windows) {
      return of_head + std::llround(static_cast<double>(of_windows) / sum_tiles * rest);
    };
    seen.total.dram_bytes = scaled(head.dram_bytes, sum.dram_bytes);
    seen.total.requested_bytes = scaled(head.requested_bytes, sum.requested_bytes);
    seen.total.written_bytes = scaled(head.written_bytes, sum.written_bytes);
    const auto read = static_cast<double>(seen.total.dram_bytes);
    seen.error = (std::max)(least_error * read,
                            rest * std::sqrt((std::max)(0.0, variance) * windows / (windows - 1)) / sum_tiles);
    // An order that seems to read every byte once does so.
    if (read < static_cast<double>(compulsory) + 2 * seen.error) seen.total.dram_bytes = compulsory;
    seen.again = seen.total.dram_bytes - compulsory;
    if (replay.cells_read() >= cells || !goes_on(seen.again - std::llround(3 * seen.error))) break;
  }
  return seen;
}

}  // namespace heddle::inline HEDDLE_ABI::detail
