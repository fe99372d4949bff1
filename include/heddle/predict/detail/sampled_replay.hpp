#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include <heddle/predict/detail/sample_windows.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// How much of an order to replay, in cells that are read.
struct sample_size {
  long long whole;    // all waves, if they read so few
  long long to_fill;  // at most, until the cache is full
  long long cells;    // of a sample, as soon as it has windows enough
  long long most;     // of a sample that is not sure by then
};

/// What the waves of an order move: all that was replayed, or scaled up from some of them.
struct sampled_traffic {
  predict::wave_traffic total;
  long long again = 0;     // bytes from DRAM beyond the compulsory ones
  double error = 0;        // standard error of the bytes from DRAM; 0 if every wave was replayed
  bool is_filled = false;  // whether the first waves of a sample read as much as the cache holds
  bool is_rough = false;   // whether the replay takes tiles together
  long long cells = 0;     // read by the replay

  /// Returns how sure the bytes from DRAM are. If the cache was not full, or tiles were taken together, it is not known
  /// what it would have kept: of what was read again, all or nothing.
  double uncertainty() const {
    if (!is_rough && (error == 0 || is_filled)) return error;
    return (std::max)({error, 0.05 * static_cast<double>(total.dram_bytes), 0.5 * static_cast<double>(again)});
  }

  /// Returns the same as a share of all bytes moved.
  double relative_error() const {
    const double unsure = uncertainty();
    return unsure > 0 ? unsure / static_cast<double>(total.dram_bytes + total.written_bytes) : 0;
  }
};

/// Says whether a replay that has read so many bytes again goes on.
using replay_goes_on = std::function<bool(long long again)>;

/// Replays an order by the problem's coarse replay: all waves if they read few cells, else as many as read some
/// `cells`. The order does the same again after `pattern` tiles, or not if that is 0.
///
/// A sample is the first waves, and windows of waves spread over the others. The waves before a window fill the cache
/// and do not count: an LRU that has read as much as it holds does not depend on what came before.
///
/// Ends early if `goes_on(again)` is false for the bytes that are read again at least.
/// `replay` is the problem's coarse replay, with an empty cache.
template <class Order, class Replay>
sampled_traffic replay_sample(const Order& order, long long compulsory, Replay replay, const replay_size& chip,
                              const recipe& by, long long pattern, sample_size size, const replay_goes_on& goes_on) {
  chip_waves waves(order, {order.size(), chip.multiprocessors, chip.blocks, by});
  long long tiles = 0;
  const auto take = [&](long long number) {
    const auto& wave = waves(number);
    tiles += static_cast<long long>(wave.size());
    return replay(wave);
  };

  sampled_traffic seen;
  if constexpr (requires { replay.is_rough(); }) seen.is_rough = replay.is_rough();
  long long first = 0;
  for (; first < waves.size(); ++first) {
    const auto all_cells = static_cast<double>(replay.cells_read()) * static_cast<double>(waves.size());
    const bool is_long = all_cells > static_cast<double>(size.whole) * static_cast<double>(first);
    seen.is_filled = seen.total.dram_bytes >= chip.cache_bytes;
    const bool is_enough = seen.is_filled || replay.cells_read() >= size.to_fill;
    if (is_long && waves.size() > 13 * first && first > 0 && is_enough) break;
    seen.total += take(first);
    seen.again = replay.bytes_again();
    seen.cells = replay.cells_read();
    if (!goes_on(seen.again)) return seen;
  }
  if (first == waves.size()) return seen;

  const double in_waves = static_cast<double>(pattern) / (1.0 * chip.multiprocessors * chip.blocks);
  const sample_windows windows(waves.size(), first, 12 * seen.cells <= size.cells, in_waves,
                               size.most * first / seen.cells);
  const long long cells_of_window = seen.cells * (windows.fill + windows.length) / first;
  const auto least_windows = std::clamp(size.cells / cells_of_window, 2LL, 4LL);
  constexpr double least_error = 0.002;  // windows that are all alike leave out what is between them

  const auto add = [&](sum_of_windows& to, long long begin, long long length) {
    for (long long wave = (std::max)(0LL, begin - windows.fill); wave < begin; ++wave) take(wave);
    tiles = 0;
    predict::wave_traffic window;
    for (long long wave = begin; wave < begin + length; ++wave) window += take(wave);
    to.add(window, tiles);
  };

  const auto behind_first = static_cast<double>(order.size() - tiles);
  predict::wave_traffic outside = seen.total;  // of the first waves, and of the last
  double in_last = 0;
  if (windows.last > 0) {
    sum_of_windows last;
    const long long begin = waves.size() - windows.last, length = (std::min)(windows.last, windows.length);
    in_last = static_cast<double>(order.size()) - 1.0 * static_cast<double>(begin) * chip.multiprocessors * chip.blocks;
    add(last, begin + (windows.last - length) / 2, length);
    outside = last.with_rest(outside, in_last);
  }
  const double rest = behind_first - in_last;
  sum_of_windows sum;
  do {
    add(sum, windows.begin_of(sum.windows() + 1), windows.length);
    seen.cells = replay.cells_read();
    if (sum.windows() < least_windows) continue;
    seen.total = sum.with_rest(outside, rest);
    const auto read = static_cast<double>(seen.total.dram_bytes);
    seen.error = (std::max)(least_error * read, sum.error(rest));
    // An order that seems to read every byte once does so.
    const auto least = static_cast<double>(compulsory), unsure = 2 * seen.error;
    const double once = (std::max)(seen.is_filled ? 0.004 * least : 0.025 * least, unsure < 0.03 * least ? unsure : 0);
    if (read - least < once) seen.total.dram_bytes = compulsory;
    seen.again = seen.total.dram_bytes - compulsory;
  } while (sum.windows() < least_windows || (seen.cells < (seen.relative_error() > 0.005 ? size.most : size.cells) &&
                                             goes_on(seen.again - std::llround(3 * seen.error))));
  // Few windows say little of how much all differ: by Student's t, 95 of 100 samples are within twice this error. What
  // lies between windows that are alike is up to 4 % of what is read in all but 3 of 471 samples (docs/predict.md).
  constexpr double half_of_t[] = {6.35, 2.15, 1.59, 1.39, 1.29, 1.22, 1.18, 1.15, 1.13};
  seen.error *= half_of_t[(std::min)(sum.windows() - 2, 8)];
  seen.error = (std::max)(seen.error, 0.025 * static_cast<double>(seen.total.dram_bytes));
  return seen;
}

}}}  // namespace heddle::HEDDLE_ABI::detail
