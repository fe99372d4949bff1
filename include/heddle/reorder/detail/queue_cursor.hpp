#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/detail/gpu.hpp>
#include <heddle/detail/range_for.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/granularity.hpp>
#include <heddle/reorder/queued_value.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::reorder {

/// The counter of one queue. It has a memory sector of its own, so pushes to different queues do not contend.
struct alignas(32) queue_counter {
  word64 pushed;  // values in this turn, dropped ones included
  word64 most;    // the largest `pushed` of any turn before
};

/// The start of the state: the counter of rows drawn, and one counter per queue.
template <unsigned Keys>
struct queue_totals {
  alternating<counter> draws;
  queue_counter of_key[Keys];
};

/// The shared memory of a block: how many values and rows each key has, and which row the block takes.
template <unsigned Keys>
struct queue_rows {
  unsigned counts[Keys], ends[Keys];  // per key: its values; the number of rows up to its last one
  unsigned number;                    // how many blocks entered before this one
  unsigned index[2];                  // granularity::block: the row that the block takes, in turns
  counter* draws;                     // of this launch
};

#if defined(__CUDACC__)

/// Walks rows of values with one key each, which warps or blocks draw one after another.
///
///   counts 40 0 33     rows of 32   0: 32 of key 0   1: 8 of key 0   2: 32 of key 2   3: 1 of key 2
template <unsigned Keys, granularity Granularity, class Machine>
class queue_cursor : public as_range<queue_cursor<Keys, Granularity, Machine>, queued_value> {
  static constexpr bool by_warp = Granularity == granularity::warp;
  static_assert(by_warp || Granularity == granularity::block, "heddle::grid_queues: rows of granularity::thread");

 public:
  HEDDLE_DEVICE queue_cursor(queue_rows<Keys>& shared, queue_totals<Keys>& all, const unsigned* values,
                             unsigned capacity, Machine on)
      : shared_(&shared), values_(values), capacity_(capacity), machine_(on) {
    check(gridDim.y == 1 && gridDim.z == 1, "heddle::grid_queues: rows in a grid of more than one dimension");
    check(warp::threads_in_block() % 32 == 0, "heddle::grid_queues: rows of blocks that are not whole warps");
    check_storage(shared, "heddle::grid_queues: the storage is not in shared memory");
    __syncthreads();  // threads have left a loop before this one that used the same memory
    if (warp::thread() < 32) enter(all);
    __syncthreads();
    const unsigned units = by_warp ? warp::threads_in_block() / 32 : 1;
    all_units_ = machine_.workers() * units;
    arrive(shared.number * units + (by_warp ? warp::thread() / 32 : 0));
  }
  queue_cursor(const queue_cursor&) = delete;  // two of them would draw twice

  HEDDLE_DEVICE explicit operator bool() const { return row_ < shared_->ends[Keys - 1]; }
  HEDDLE_DEVICE queued_value operator*() const { return taken_; }

  HEDDLE_DEVICE queue_cursor& operator++() {
    unsigned row = 0;
    if (asks()) row = all_units_ + counter::drawn(answer_, machine_);
    if constexpr (by_warp) {
      row = __shfl_sync(warp::all, row, 0);
    } else {
      unsigned& told = shared_->index[turn_++ & 1];  // rewritten only after the barrier that follows its last read
      if (asks()) told = row;
      __syncthreads();
      row = told;
    }
    arrive(row);
    return *this;
  }

 private:
  /// Counts values and rows per key. The first warp calls it. When the last block enters, all blocks have read the
  /// counts, so it empties the queues for the next turn.
  HEDDLE_DEVICE void enter(queue_totals<Keys>& all) {
    unsigned rows = 0;
#pragma unroll 1
    for (unsigned first = 0; first < Keys; first += 32) {
      const unsigned key = first + warp::lane();
      const word64 pushed = key < Keys ? machine_.load(&all.of_key[key].pushed) : 0;
      const auto count = static_cast<unsigned>(pushed < capacity_ ? pushed : capacity_);
      const unsigned end = rows + warp::inclusive_sum(count / width() + (count % width() > 0 ? 1 : 0));
      rows = __shfl_sync(warp::all, end, 31);
      if (key >= Keys) continue;
      shared_->counts[key] = count;
      shared_->ends[key] = end;
    }
    __syncwarp();
    unsigned number = 0;
    if (warp::lane() == 0) {
      machine_.fence();
      const auto entered = all.draws.enter(machine_);
      entered.counters->enter(machine_);
      shared_->draws = entered.counters;
      shared_->number = number = entered.number;
      machine_.fence();
    }
    number = __shfl_sync(warp::all, number, 0);
    if (number + 1 < machine_.workers()) return;
    for (unsigned key = warp::lane(); key < Keys; key += 32) {
      queue_counter& its = all.of_key[key];
      const word64 pushed = machine_.load(&its.pushed);
      if (pushed > machine_.load(&its.most)) machine_.store(&its.most, pushed);
      machine_.store(&its.pushed, word64{0});
    }
  }

  /// Takes this row, and draws the next one early: the answer arrives while this row is worked on.
  HEDDLE_DEVICE void arrive(unsigned row) {
    row_ = row;
    if (!*this) return;
    if (asks()) answer_ = shared_->draws->draw(machine_);
    unsigned key = 0;
#pragma unroll 1
    for (unsigned first = 0; first < Keys; first += 32) {
      const unsigned at = first + warp::lane();
      key += static_cast<unsigned>(__popc(__ballot_sync(warp::all, at < Keys && shared_->ends[at] <= row)));
    }
    const unsigned before = key == 0 ? 0 : shared_->ends[key - 1];
    const unsigned place = (row - before) * width() + (by_warp ? warp::lane() : warp::thread());
    const bool active = place < shared_->counts[key];
    taken_ = {key, active ? values_[word64{key} * capacity_ + place] : 0, active};
  }

  HEDDLE_DEVICE static bool asks() {
    return (by_warp ? warp::lane() : warp::thread()) == 0;
  }
  HEDDLE_DEVICE static unsigned width() {
    return by_warp ? 32 : warp::threads_in_block();
  }

  queue_rows<Keys>* shared_;
  const unsigned* values_;
  unsigned capacity_;
  Machine machine_;
  unsigned all_units_, row_ = 0, turn_ = 0;
  word64 answer_ = 0;
  queued_value taken_{};
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::reorder
