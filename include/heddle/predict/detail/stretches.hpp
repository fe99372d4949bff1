#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// What a launch moves: all that was replayed, or scaled up from stretches of its waves.
struct moved_bytes {
  predict::wave_traffic total;
  long long again = 0;  // bytes from DRAM beyond the compulsory ones
  double replayed = 1;  // the share of the tiles that was replayed and counted
  long long cells = 0;  // read by the replay
};

/// Says whether to go on with a replay that has read `again` bytes more than once.
using replay_goes_on = std::function<bool(long long again)>;

/// Replays an order by the problem's coarse replay: all waves if they read few cells, else stretches of them, the first
/// waves and others that are spread, which read about `cells` together.
///
/// The first stretch ends when it has filled the cache twice. Of the others, which are half as long again, as many
/// waves do not count: an LRU that has read as much as it holds does not depend on what came before. If the first one
/// reads all the cells before that, it stands alone.
///
/// Ends early if `goes_on(again)` is false for the bytes that the first stretch reads again at least.
/// `replay` is the problem's coarse replay, with an empty cache.
template <class Order, class Replay>
moved_bytes replay_stretches(const Order& order, long long compulsory, Replay replay, const replay_size& chip,
                             const recipe& by, long long cells, const replay_goes_on& goes_on) {
  chip_waves waves(order, {order.size(), chip.multiprocessors, chip.blocks, by});
  moved_bytes seen;
  long long tiles = 0, number = 0;  // tiles that count
  const auto take = [&](predict::wave_traffic& into) {
    const auto& wave = waves(number++);
    if (!wave.empty()) into += replay(wave);
    return static_cast<long long>(wave.size());
  };
  for (; number < waves.size(); tiles += take(seen.total)) {
    seen.cells = replay.cells_read(), seen.again = replay.bytes_again();
    if (!goes_on(seen.again)) return seen;
    const bool is_filled = seen.total.dram_bytes >= 2 * chip.cache_bytes;
    // Twice the stretch must be less than all of it.
    if (seen.cells >= (is_filled ? cells / 4 : cells) && 4 * number < waves.size()) break;
  }
  seen.cells = replay.cells_read(), seen.again = replay.bytes_again();
  if (number == waves.size()) return seen;

  const long long length = number, stretches = std::clamp(cells / (std::max)(1LL, seen.cells), 1LL, 8LL);
  predict::wave_traffic sum;  // of all stretches but the first
  long long of_sum = 0;
  for (int i = 1; i < stretches; ++i) {
    const double place = i * 0.6180339887498949;  // multiples of the golden ratio are spread over any pattern
    number =
        length + static_cast<long long>((place - std::floor(place)) * static_cast<double>(waves.size() - 2 * length));
    predict::wave_traffic filling;
    for (long long left = length; left > 0; --left) take(filling);
    for (long long left = (length + 1) / 2; left > 0; --left) of_sum += take(sum);
  }
  seen.replayed = static_cast<double>(tiles + of_sum) / order.size();
  if (of_sum == 0) sum = seen.total, of_sum = tiles;  // the first stands alone
  const double rest = static_cast<double>(order.size() - tiles) / static_cast<double>(of_sum);
  const auto with_rest = [&](long long bytes, long long of_stretches) {
    return bytes + std::llround(static_cast<double>(of_stretches) * rest);
  };
  // What seems to be read once is: the first stretch reads all that stays in the cache. What fits in it is, too.
  const long long again = with_rest(seen.total.dram_bytes, sum.dram_bytes) - compulsory;
  seen.again = compulsory <= chip.cache_bytes || again < compulsory / 100 ? 0 : again;
  seen.total = {(std::max)(compulsory + seen.again, with_rest(seen.total.requested_bytes, sum.requested_bytes)),
                compulsory + seen.again, with_rest(seen.total.written_bytes, sum.written_bytes)};
  seen.cells = replay.cells_read();
  return seen;
}

}}}  // namespace heddle::HEDDLE_ABI::detail
