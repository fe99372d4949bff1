#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/trace/buffer.hpp>
#include <heddle/trace/detail/noting_cursor.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <heddle/launch/launch_shape.hpp>
#endif

namespace heddle { inline namespace HEDDLE_ABI {
namespace detail {

// Names the piece of the concept that a type lacks, as the guides of orders do.
template <tile_scheduler Scheduler>
struct must_be_tile_scheduler {};
template <split_scheduler Scheduler>
struct must_be_split_scheduler {};

template <class Scheduler>
struct deduced_scheduler : must_be_tile_scheduler<Scheduler> {
  using type = Scheduler;
};
template <splits_tiles Scheduler>
struct deduced_scheduler<Scheduler> : must_be_split_scheduler<Scheduler> {
  using type = Scheduler;
};

}  // namespace detail

/// Wraps a scheduler so that each tile leaves a slice in a buffer: its multiprocessor, block, start, end and index.
///
///   heddle::traced scheduler{heddle::ticket{order, state}, buffer};     // the kernel stays as it is
///
/// `trace::read` reads the slices. A kernel with a scheduler that is not wrapped is compiled as before.
///
/// **Offers** all that the scheduler offers, with `tiles`, `start`, `lead`, `follow` and `grid` of its own. In a loop
/// the first thread of the block notes tiles: a slice is from where it has the tile to where it asks for the next. In
/// roles the first follower to arrive does; without followers, or with `room::by_leader`, the leader.
///
/// **Preconditions**: those of the scheduler and of the buffer. Roles call `start` under every scheduler, as
/// `tile_scheduler` asks. A kernel with two loops in one launch leaves the slices of two launches.
///
/// **Effects**: a block that leaves its loop early leaves a slice of its last tile, too. What finds no room is counted.
///
/// **Cost**: 80 bytes of shared memory besides the scheduler's. Per tile two reads of the clock and one store of 16
/// bytes by one thread; per block and launch a load and six such stores. In roles, one exchange in shared memory per
/// follower. No atomics on the buffer, no fences, no barriers.
///
/// **Example** (examples/trace/trace.cu):
///
///     const heddle::traced traced{scheduler, buffer};
///     check(heddle::launch(traced.grid(kernel, threads), nullptr, kernel, traced, turns.data()));
template <class Scheduler>
requires(tile_scheduler<Scheduler> || split_scheduler<Scheduler>) class traced : public Scheduler {
 public:
  /// Builds the scheduler from the one that decides, and the buffer for the slices.
  HEDDLE_HOST traced(Scheduler scheduler, trace::buffer buffer) : Scheduler(scheduler), buffer_(buffer) {}

  /// Shared memory: the scheduler's, and the notes of the block.
  struct storage : Scheduler::storage {
    trace::detail::notes notes;
  };

  /// Returns the buffer.
  HEDDLE_FN const trace::buffer& buffer() const { return buffer_; }

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// Returns the launch that the scheduler's own `grid` returns. A buffer in memory of the host is refused.
  template <class... Params, class... Limits>
  launch_config grid(void (*kernel)(Params...), dim3 threads, Limits... limits) const requires
      requires(const Scheduler& scheduler) {
    scheduler.grid(kernel, threads, limits...);
  }
  {
    cudaPointerAttributes memory{};
    const cudaError_t error = cudaPointerGetAttributes(&memory, buffer_.memory());
    if (error != cudaSuccess) return {{}, error};
    if (memory.type != cudaMemoryTypeDevice && memory.type != cudaMemoryTypeManaged) {
      detail::refuse("heddle::traced: the memory of the buffer", " is not on the device");
    }
    return Scheduler::grid(kernel, threads, limits...);
  }
#endif

#if defined(__CUDACC__)
 private:
  using order_type = typename detail::plain<decltype(detail::any<Scheduler>().order())>::type;
  template <class Type>
  HEDDLE_DEVICE static Type& some();  // declared only
  template <class Cursor>
  using noting = trace::detail::noting_cursor<Cursor, cluster_order<order_type>>;

  // The types of the scheduler's cursors. Return types are not deduced: nvcc's host compiler sees no bodies.
  using own_storage = typename Scheduler::storage;
  template <class... Machine>
  using walk_together = noting<decltype(detail::any<Scheduler>().tiles(some<own_storage>(), some<Machine>()...))>;
  template <class... Machine>
  using walk_ahead = noting<decltype(detail::any<Scheduler>().lead(some<own_storage>(), some<Machine>()...))>;
  template <class... Machine>
  using walk_behind = noting<decltype(detail::any<Scheduler>().follow(some<own_storage>(), some<Machine>()...))>;

 public:
  /// Returns the block's tiles, as the scheduler does, and notes them.
  template <class... Machine>
  HEDDLE_DEVICE walk_together<Machine...> tiles(storage& shared, Machine... on) const {
    check_traced(shared);
    const bool is_first = (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
    return {shared.notes, buffer_, is_first, [&] { return Scheduler::tiles(own(shared), on...); }};
  }

  /// Prepares the storage for roles, as the scheduler does.
  HEDDLE_DEVICE void start(storage& shared, int followers) const {
    check_traced(shared);
    shared.notes.followers = buffer_.room().by_leader ? 0 : followers;
    shared.notes.taken = 0;
    Scheduler::start(shared, followers);
  }

  /// Returns the block's tiles for the thread that leads, as the scheduler does.
  template <class... Machine>
  HEDDLE_DEVICE walk_ahead<Machine...> lead(storage& shared, Machine... on) const {
    const bool keeps = shared.notes.followers == 0;
    return {shared.notes, buffer_, keeps, [&] { return Scheduler::lead(own(shared), on...); }};
  }

  /// Returns the block's tiles for a thread that follows, as the scheduler does.
  template <class... Machine>
  HEDDLE_DEVICE walk_behind<Machine...> follow(storage& shared, Machine... on) const {
    const bool keeps = shared.notes.followers > 0 && atomicExch(&shared.notes.taken, 1) == 0;
    return {shared.notes, buffer_, keeps, [&] { return Scheduler::follow(own(shared), on...); }};
  }

  // Cursors that go in steps note nothing.
  void lead_in_steps(storage&) const = delete;
  void follow_in_steps(storage&) const = delete;
#endif

 private:
#if defined(__CUDACC__)
  HEDDLE_DEVICE static own_storage& own(storage& shared) {
    return shared;
  }

  HEDDLE_DEVICE static void check_traced(const storage& shared) {
    detail::check_storage(shared, "heddle: the storage of a scheduler is not in shared memory");
  }
#endif

  trace::buffer buffer_;
};

template <class Scheduler>
traced(Scheduler, trace::buffer) -> traced<typename detail::deduced_scheduler<Scheduler>::type>;

}}  // namespace heddle::HEDDLE_ABI
