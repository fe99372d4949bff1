#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/device_state.hpp>
#include <heddle/detail/gpu.hpp>
#include <heddle/result.hpp>
#include <heddle/schedule/detail/ptx.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Lets a tile wait until the rows of the input that it reads have arrived, from other GPUs or from a copy.
///
///   turn 7        pieces of 4 rows     0   1   2   3
///                 flags                7   7   6   7       piece 2 of turn 7 is still on its way
///                 tiles of 2 rows      0 1 2 3 4 5 6 7     tiles 4 and 5 wait
///
/// The flag of a piece is the number of the turn for which it was last delivered. The number of this turn lies in
/// device memory, and the stream raises it: so a captured graph can be replayed. On each GPU a turn is
///
/// 1. `begin_turn`, in a kernel of one warp;
/// 2. on a second stream the copies that this GPU sends, each followed by a copy of 4 bytes from `turn()` to
///    `arrived(piece)` of the receiver's gate;
/// 3. the kernel whose tiles wait;
/// 4. `end_turn` for each sender, whose next `begin_turn` waits for it: so nothing is overwritten that is still read.
///
/// A thread stops waiting `limit` nanoseconds after its first wait began. The kernel then goes on with what is there:
/// its result is void, and `read` names a flag that was missing. Where others have gone on without this GPU, their
/// later pieces lie in place of those that it waits for, and `read` names one of their flags: it is late itself.
///
/// **Preconditions**: the state is `state_bytes()` bytes on the device, zeroed before the first turn of any GPU. What
/// delivers a piece must not need room on a GPU whose blocks wait for it: copies by kernels, as NCCL makes them, go
/// into the same stream before the kernel, without a gate. Nor may the host wait for such a GPU before all have what
/// they need: the first launch of a kernel does, where it is loaded only then.
/// **Cost**: 48 bytes of kernel arguments; per thread that waits and per piece one load, with a fence; nothing for a
/// piece that the thread has seen.
/// **Example** (tests/gpu/arrivals.cu):
///
///     for (const auto tile : scheduler.tiles(smem)) {
///       gate.wait(tile);  // in all threads that read the input
class arrival_gate {
 public:
  /// The most pieces and readers together.
  static constexpr int most_flags = 64;

 private:
  struct state {
    unsigned turn, late, first_late, unused;
    unsigned flags[most_flags];
  };

 public:
  /// The rows of the input, and the rows of each piece. The last piece may be shorter.
  struct input {
    int rows, rows_of_piece;
  };

  /// Builds a gate. `readers` other GPUs read what this one sends, or none if nothing is overwritten. A tile has one
  /// row of the input until `for_tiles` says otherwise.
  HEDDLE_HOST arrival_gate(input of, int readers, long long limit, void* device_state)
      : rows_(detail::require_at_least(1, "heddle::arrival_gate: rows", of.rows)),
        rows_of_piece_(detail::require_at_least(1, "heddle::arrival_gate: rows_of_piece", of.rows_of_piece)),
        rows_of_tile_(1),
        readers_(detail::require_at_least(0, "heddle::arrival_gate: readers", readers)),
        limit_(limit),
        state_(detail::require_state<state>("heddle::arrival_gate: state", device_state)) {
    detail::require_at_most(most_flags, "heddle::arrival_gate: readers", readers);
    detail::require_at_most(most_flags - readers, "heddle::arrival_gate: pieces", pieces());
    if (limit_ < 1) detail::refuse("heddle::arrival_gate: limit", limit_, "at least", 1);
    deadline_ = 0;  // here: clang warns of a private member that only functions for kernels use
  }

  /// Returns the same gate for tiles of `rows` rows of the input.
  HEDDLE_HOST arrival_gate for_tiles(int rows) const {
    arrival_gate copy = *this;
    copy.rows_of_tile_ = detail::require_at_least(1, "heddle::arrival_gate: rows of a tile", rows);
    return copy;
  }

  /// Returns the same gate with `count` pieces from `first` on that are here before the kernel starts: those that this
  /// GPU has made itself.
  HEDDLE_HOST arrival_gate with_here(int first, int count) const {
    detail::require_at_least(0, "heddle::arrival_gate: first piece that is here", first);
    detail::require_at_least(0, "heddle::arrival_gate: pieces that are here", count);
    detail::require_at_most(pieces() - first, "heddle::arrival_gate: pieces that are here", count);
    arrival_gate copy = *this;
    for (int piece = first; piece < first + count; ++piece) copy.here_ |= 1ull << piece;
    return copy;
  }

  /// Returns the bytes of a state.
  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  /// Returns the number of pieces.
  HEDDLE_FN int pieces() const { return (rows_ - 1) / rows_of_piece_ + 1; }
  /// Returns the number of GPUs that read what this one sends.
  HEDDLE_FN int readers() const { return readers_; }

  /// Returns the first piece that a tile reads.
  HEDDLE_FN int first_piece(coord tile) const { return piece_of(first_row(tile)); }
  /// Returns the last piece that a tile reads.
  HEDDLE_FN int last_piece(coord tile) const {
    const long long last = first_row(tile) + rows_of_tile_ - 1;
    return piece_of(last < rows_ ? last : rows_ - 1);
  }

  /// Returns the number of this turn, on the device: a copy of it behind the data tells that a piece has arrived.
  HEDDLE_FN unsigned* turn() const { return &state_->turn; }
  /// Returns the flag of a piece, on the device.
  HEDDLE_FN unsigned* arrived(int piece) const { return &state_->flags[piece]; }
  /// Returns the flag of a reader, on the device: the last turn that it has read.
  HEDDLE_FN unsigned* read_by(int reader) const { return &state_->flags[pieces() + reader]; }

#if defined(__CUDACC__)
  /// Waits until all pieces that a tile reads are here. What a thread reads then, or copies by the bulk copy engine, is
  /// of this turn.
  HEDDLE_DEVICE void wait(coord tile) {
    wait_for(first_piece(tile), last_piece(tile));
  }

  /// Begins a turn: waits until all readers have read the last one, then raises the number of the turn. What the other
  /// GPUs were sent may be overwritten after it.
  ///
  /// **Preconditions**: one warp calls it, in a kernel that ends before the copies and the waiting kernel begin.
  HEDDLE_DEVICE void begin_turn() {
    const unsigned turn = wait_for_readers();
    if (detail::ptx::laneid() == 0) raise(turn);
  }

  /// Begins a turn in a kernel that stores in the memory of other GPUs, where step 2 has no copies: waits until all
  /// readers have read the last turn, and returns the number of the new one. When all is stored, a thread has
  /// `deliver` tell the receivers, and raises the number.
  ///
  /// **Preconditions**: one warp calls it in each block that stores, before any thread raises the number.
  HEDDLE_DEVICE unsigned wait_for_readers() {
    const unsigned last_turn = detail::gpu<false>::load(&state_->turn);
    for (int reader = static_cast<int>(detail::ptx::laneid()); reader < readers_; reader += 32) {
      wait_for(pieces() + reader, pieces() + reader);
    }
    __syncwarp();
    return last_turn + 1;
  }

  /// Tells this gate, which is that of the receiver, that a piece of a turn is there.
  ///
  /// **Preconditions**: one thread calls it, after a barrier of the threads that stored the piece.
  HEDDLE_DEVICE void deliver(int piece, unsigned turn) const {
    detail::ptx::st_release_sys(arrived(piece), turn);
  }

  /// Raises the number of the turn on this GPU.
  HEDDLE_DEVICE void raise(unsigned turn) const {
    state_->turn = turn;
  }

  /// Ends a turn: tells a sender that this GPU, which is its reader number `reader`, has read what it was sent.
  ///
  /// **Preconditions**: one thread calls it per sender, in a kernel that begins after the kernel that waits has ended.
  HEDDLE_DEVICE void end_turn(const arrival_gate& sender, int reader) const {
    detail::ptx::st_release_sys(sender.read_by(reader), detail::gpu<false>::load(&state_->turn));
  }
#endif

  /// What was late in all turns so far.
  struct report {
    unsigned late;      // waits that ended at the limit, or at what a later turn had delivered
    int piece, reader;  // that one of the first of these waited for; the other is -1, as both are if none was late
  };

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// Returns the report, after it has waited for the stream.
  result<report> read(cudaStream_t stream) const {
    state copy{};
    cudaError_t error = cudaMemcpyAsync(&copy, state_, sizeof copy, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    const int flag = static_cast<int>(copy.first_late) - 1;
    const bool is_piece = flag < pieces();
    return {{copy.late, is_piece ? flag : -1, is_piece ? -1 : flag - pieces()}, error};
  }
#endif

 private:
  HEDDLE_FN long long first_row(coord tile) const {
    return 1LL * tile.row * rows_of_tile_;
  }
  HEDDLE_FN int piece_of(long long row) const {
    return static_cast<int>(row / rows_of_piece_);
  }

#if defined(__CUDACC__)
  /// Waits for the flags [first, last] together: their loads do not wait for each other.
  HEDDLE_DEVICE void wait_for(int first, int last) {
    if (first > last) return;  // a tile below the input, of a cluster that reaches over its end
    unsigned long long missing = ~0ull << first & ~0ull >> (63 - last) & ~here_, ahead = 0;
    if (missing == 0) return;
    here_ |= missing;
    const unsigned turn = detail::gpu<false>::load(&state_->turn);
    while (true) {
      for (int group = first; group <= last; group += 4) {
        unsigned found[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          found[i] = turn - 1;  // as if not there
          if (group + i <= last) found[i] = detail::ptx::ld_relaxed_sys(&state_->flags[group + i]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int turns = static_cast<int>(found[i] - turn);
          const unsigned long long bit = missing & 1ull << (group + i) % 64;
          if (turns >= 0) missing ^= bit;
          if (turns > 0) ahead |= bit;
        }
      }
      if (missing == 0) break;
      const unsigned long long now = detail::ptx::globaltimer();
      if (deadline_ == 0) deadline_ = now + static_cast<unsigned long long>(limit_);
      if (now >= deadline_) break;
      detail::gpu<false>::pause();
    }
    for (int flag = first; flag <= last; ++flag) {
      if (((missing | ahead) >> flag & 1) == 0) continue;
      atomicAdd(&state_->late, 1u);
      atomicCAS(&state_->first_late, 0u, static_cast<unsigned>(flag) + 1);
    }
    detail::ptx::fence_acquire_sys();
    detail::ptx::fence_proxy_async_global();
  }
#endif

  int rows_, rows_of_piece_, rows_of_tile_, readers_;
  long long limit_;
  state* state_;
  unsigned long long here_ = 0, deadline_;  // the flags that were seen; when to stop waiting
};

/// The gate of a kernel whose input is all here: it never waits, and costs no instruction.
struct open_gate {
  /// Does nothing: all input is here.
  template <class Tile>
  HEDDLE_FN void wait(const Tile&) const {}
};

}}  // namespace heddle::HEDDLE_ABI
