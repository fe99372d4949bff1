#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/order/detail/preparation.hpp>
#include <heddle/order/groups.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Orders the tiles of groups of rows whose sizes only the device knows: experts of a mixture, sequences of a batch.
/// Group follows group, and within a group the tiles lie in bands, as in `thread_group_tiling`.
///
///   rows 130, 64, 0; tiles of 64 rows, 2 columns;      0 2 | group 0      6 7 | group 1
///   bands of 2 rows                                    1 3 |
///                                                      4 5 |
///
/// A launch follows a preparation on the same stream, which reads where the rows of each group lie: their ends, lengths
/// or offsets (`group_rows`). Nothing returns to the host, so a captured graph serves other sizes at its next replay.
/// One preparation serves every launch behind it.
///
/// **Preconditions**: the state is `state_bytes(shape)` bytes on the device; it need not be zeroed. No launch that uses
/// it runs during a preparation. The groups have at most 2^31 - 1 tiles together; the constructor checks the bound.
///
/// **Effects**: a preparation counts numbers that are wrong, and leaves their groups empty: see `prepared_groups`. It
/// writes nothing outside the state, whatever the numbers are.
///
/// **Cost**: two dependent loads per tile; a preparation is one small kernel. It adds 3.2 µs to a graph for 256 groups,
/// 15 µs for 16384, and 4.2 and 228 µs if they come by weight (H200, bench_spaces).
///
/// **Example** (tests/gpu/groups.cu):
///
///     const grouped order{many, state.data(), 3, axis::y, sequence};
///     check(order.prepare_async(on_device.data(), on));
class grouped {
 public:
  /// Builds the order from the shape of its groups, its state, and the bands of each group.
  HEDDLE_HOST grouped(group_shape shape, void* device_state, long long width = 8, axis along = axis::y,
                      group_sequence sequence = group_sequence::as_numbered)
      : plan_{{shape, detail::require_state<detail::order::group_record>("heddle::grouped: state", device_state)},
              detail::order::part<detail::order::group_record>(device_state, records_at(shape.groups)),
              detail::order::part<int>(device_state, group_at_at(shape.groups)),
              {extent(shape.most_row_tiles(), shape.cols),
               detail::require_int_at_least(1, "heddle::grouped: width", width), along},
              sequence,
              static_cast<int>(shape.rows),
              detail::fast_div(static_cast<int>(shape.tile_rows))} {}

  /// Returns the bytes of a state.
  HEDDLE_HOST static decltype(sizeof 0) state_bytes(group_shape shape) {
    shape.check();
    return group_at_at(shape.groups) + sizeof(int) * static_cast<unsigned>(shape.most_row_tiles());
  }

  /// Returns the space of tiles.
  HEDDLE_FN const groups& space() const { return plan_.space; }
  /// Returns a bound of the number of tiles, which the host knows.
  HEDDLE_FN int most_tiles() const { return plan_.walk.space().size(); }
  /// Returns the number of tiles, on the device.
  HEDDLE_FN int size() const { return space().size(); }

  /// Returns the i-th tile.
  HEDDLE_FN group_coord operator()(int i) const {
    const auto& in = plan_.records[plan_.group_at[space().cols_.quotient(i)]];
    const auto [row, col] = in.walk.tile(in.walk.at(i - in.first * space().columns_));
    return {in.group, row, col};
  }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(group_coord tile) const {
    const auto& in = plan_.records[space().places_[tile.group]];
    return in.first * space().columns_ + in.walk.index(in.walk.position_of({tile.row, tile.col}));
  }

  /// Returns the rows of a tile, as the space does.
  HEDDLE_FN groups::row_range rows_of(group_coord tile) const { return space().rows_of(tile); }

#if !defined(__CUDACC_RTC__)
  /// Prepares a state in memory of the host, and returns the order for use there: in predictions, drawings and laws.
  /// Rows and weights are those of `prepare_async`, in arrays of the host.
  template <class Rows, class Weights = decltype(nullptr)>
  grouped on_host(const Rows& rows, const Weights& weights = {}) const {
    plan_.on_host(detail::order::rows_of(rows), detail::order::weights_of(weights));
    return on_host();
  }
#endif

  /// Returns the same order over a state in memory of the host that was prepared there, or copied.
  HEDDLE_HOST grouped on_host() const {
    grouped copy = *this;
    copy.plan_.space.on_host_ = true;
    return copy;
  }

#if defined(__CUDACC__)
  /// The shared memory of a block that prepares.
  using preparing_storage = detail::order::preparation::storage;

  /// Prepares the state in a kernel of your own, all threads of which call it: of whole warps, with a block per 128
  /// groups at least, and as many threads in a block as there are groups per block.
  template <class Rows, class Weights = decltype(nullptr)>
  HEDDLE_DEVICE void prepare(preparing_storage& shared, const Rows& rows, const Weights& weights = {}) const {
    plan_.in_block(shared, detail::order::rows_of(rows), detail::order::weights_of(weights));
  }

#if !defined(__CUDACC_RTC__)
  /// Enqueues the preparation. `rows` is an array on the device: of ends, or as `group_rows` names it, of lengths or
  /// offsets. With `weights`, an array of one per group or `group_rows::offsets`, whose differences they are, the
  /// heaviest group is the one of most rows x weight. Weights are 0 to 2^32 - 1; others count as the nearer of these.
  template <class Rows, class Weights = decltype(nullptr)>
  [[nodiscard]] cudaError_t prepare_async(const Rows& rows, cudaStream_t stream, const Weights& weights = {}) const {
    auto of = detail::order::rows_of(rows);
    auto weights_of = detail::order::weights_of(weights);
    const auto [blocks, threads] = plan_.launch();
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    return cudaLaunchKernelEx(&config, detail::order::prepare<decltype(of), decltype(weights_of)>, plan_, of,
                              weights_of);
  }
#endif
#endif

 private:
  using bytes = decltype(sizeof 0);

  // The state: what was found, groups' rows, first tiles and places; records; and the place of each tile.
  HEDDLE_HOST static bytes records_at(long long groups) {
    return (sizeof(prepared_groups) + sizeof(int) * static_cast<bytes>(4 * groups + 1) + 15) / 16 * 16;
  }
  HEDDLE_HOST static bytes group_at_at(long long groups) {
    return records_at(groups) + sizeof(detail::order::group_record) * static_cast<bytes>(groups);
  }

  detail::order::preparation plan_;
};

}}  // namespace heddle::HEDDLE_ABI
