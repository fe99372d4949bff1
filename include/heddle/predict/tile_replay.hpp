#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/predict/detail/lru.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Requires `cells()`: the number of cells, an `int` or a `long long`. A cell is memory that every tile reads as a
/// whole or not at all.
template <class Problem>
concept has_cells = requires(const Problem& problem) {
  { problem.cells() } -> detail::gives_count;
};

/// Requires `steps()`: the number of steps that the blocks of a wave go through in lockstep; 1 if they do not.
template <class Problem>
concept has_steps = requires(const Problem& problem) {
  { problem.steps() } -> detail::gives<int>;
};

/// Requires `reads(tile, step, read)`, which calls `read(cell, bytes)` for each cell that a tile reads in a step.
template <class Problem>
concept has_reads = requires(const Problem& problem, const detail::tile_of_problem<Problem>& tile, int step,
                             void (*read)(long long cell, long long bytes)) {
  problem.reads(tile, step, read);
};

/// Requires `written_bytes(tile)`: the bytes that a tile writes to DRAM.
template <class Problem>
concept has_written_bytes = requires(const Problem& problem, const detail::tile_of_problem<Problem>& tile) {
  { problem.written_bytes(tile) } -> detail::gives<long long>;
};

/// Requires a problem that says which cells of memory a tile reads, and when. Its tiles are those of its `space()`, or
/// of its `grid()`.
template <class Problem>
concept cell_problem = has_cells<Problem> && has_steps<Problem> && has_reads<Problem> && has_written_bytes<Problem>;

static_assert(!cell_problem<int> && !cell_problem<extent>);

/// Replays a problem of your own, wave by wave, against a cache. In each step, every cell that some tile of the wave
/// reads is touched once, in the order in which tiles name them.
///
/// **Preconditions**: cells are numbered from 0 and below `cells()`, which is checked; a cell has the same number of
/// bytes in every tile.
/// **Cost**: some 16 bytes per cell that was read and 32 per cell in the cache; for each wave one call of `read` per
/// tile and cell.
/// **Example** (examples/01_order/attention.hpp):
///
///     auto replay(long long cache_bytes) const { return heddle::predict::tile_replay{*this, cache_bytes}; }
template <class Problem>
class tile_replay {
 public:
  /// Begins with an empty cache of `cache_bytes`.
  tile_replay(const Problem& problem, long long cache_bytes)
      : problem_(problem), cells_(problem.cells()), cache_(cache_bytes) {
    detail::require_at_least(0, "heddle::predict::tile_replay: cells", cells_);
    static_assert(cell_problem<Problem>);
  }

  /// Replays one wave and returns the bytes that it moves.
  wave_traffic operator()(const std::vector<detail::tile_of_problem<Problem>>& wave) {
    wave_traffic bytes;
    const int steps = problem_.steps();
    calls_ += static_cast<long long>(wave.size()) * steps;
    for (int step = 0; step < steps; ++step) {
      ++now_;
      for (const auto& tile : wave) {
        problem_.reads(tile, step, [&](long long cell, long long of_cell) {
          ++cells_read_;
          bytes.requested_bytes += of_cell;
          if (is_first_now(cell)) bytes.dram_bytes += cache_.touch(cell, of_cell);
        });
      }
    }
    for (const auto& tile : wave) bytes.written_bytes += problem_.written_bytes(tile);
    return bytes;
  }

  /// Returns the bytes read from DRAM again so far, because the cache had dropped them.
  long long bytes_again() const { return cache_.bytes_again(); }
  /// Returns the number of cells read so far, each once per tile that reads it. Four tiles that read nothing in a step
  /// take as long as a cell.
  long long cells_read() const { return (std::max)(cells_read_, calls_ / 4); }

 private:
  bool is_first_now(long long cell) {
    detail::require_at_least(0, "heddle::predict::tile_replay: cell", cell);
    detail::require_at_most(cells_ - 1, "heddle::predict::tile_replay: cell", cell);
    long long& last = last_read_[cell];
    const bool is_first = last != now_;
    last = now_;
    return is_first;
  }

  Problem problem_;
  long long cells_, now_ = 0, calls_ = 0, cells_read_ = 0;
  detail::sparse<long long> last_read_;  // the last step that read each cell; steps of all waves are numbered from 1
  detail::lru cache_;
};

}}}  // namespace heddle::HEDDLE_ABI::predict
