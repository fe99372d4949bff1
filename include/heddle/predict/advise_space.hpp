#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <heddle/order/batched.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/predict/batched_problem.hpp>
#include <heddle/predict/causal_problem.hpp>
#include <heddle/predict/detail/launch_search.hpp>
#include <heddle/predict/grouped_problem.hpp>
#include <heddle/predict/space_advice.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the rules' usual orders of a product and a few others.
inline std::vector<predict::order_choice> orders_of_a_plane(const predict::gemm_problem& plane,
                                                            const predict::device& device, int blocks) {
  using predict::order_kind;
  const extent grid = plane.grid();
  std::vector<predict::order_choice> orders{{}};
  if (grid.cols > 1 && grid.rows > 1) {
    orders.push_back({order_kind::thread_group_tiling, grid.rows, axis::y});  // column_major
  }
  for (const auto& usual : plane.rules(device, blocks).usual_orders) orders.push_back(usual);
  for (const axis along : {axis::y, axis::x}) {
    for (const int width : {16, 8, 4}) {
      const predict::order_choice bands{order_kind::cta_swizzle, width, along};
      const bool is_new = std::find(orders.begin(), orders.end(), bands) == orders.end();
      if (width < (along == axis::y ? grid.rows : grid.cols) && is_new) orders.push_back(bands);
    }
  }
  return orders;
}

/// Returns `first`, twice as many, and so on, and `most` at the end.
inline std::vector<int> doublings(long long first, long long most) {
  std::vector<int> numbers;
  for (long long number = first; number < most; number *= 2) numbers.push_back(static_cast<int>(number));
  numbers.push_back(static_cast<int>(most));
  return numbers;
}

/// The order of `grouped` on the host, without a state that has an entry per row of tiles.
class groups_in_sequence {
 public:
  groups_in_sequence(const predict::grouped_problem& problem, group_sequence sequence)
      : group_at_(problem.rows.size()), tiles_(problem.space()) {
    std::iota(group_at_.begin(), group_at_.end(), 0);
    if (sequence == group_sequence::as_numbered) return;
    const auto rows_of = [&](int group) { return problem.rows[static_cast<std::size_t>(group)]; };
    std::stable_sort(group_at_.begin(), group_at_.end(), [&](int a, int b) { return rows_of(a) > rows_of(b); });
    std::vector<int> rows;
    for (const int group : group_at_) rows.push_back(rows_of(group));
    tiles_ = {rows, problem.tile_m, static_cast<int>(problem.shape().cols)};
  }

  /// The tiles of the groups, each in bands.
  struct order {
    const groups_in_sequence* groups;
    int width;
    axis along;

    int size() const { return groups->tiles_.size(); }
    group_coord operator()(int i) const {
      const int place = groups->tiles_.tile(i).group;
      const auto [row, col] = in_bands(place)(i - begin_of(place));
      return {groups->group_at_[static_cast<std::size_t>(place)], row, col};
    }
    int index(group_coord tile) const {
      const auto at = std::find(groups->group_at_.begin(), groups->group_at_.end(), tile.group);
      const int place = static_cast<int>(at - groups->group_at_.begin());
      return begin_of(place) + in_bands(place).index({tile.row, tile.col});
    }

   private:
    int begin_of(int place) const { return groups->tiles_.number({place, 0, 0}); }
    thread_group_tiling in_bands(int place) const {
      const predict::group_tiles& tiles = groups->tiles_;
      return {extent(tiles.first(place + 1) - tiles.first(place), tiles.cols()), width, along};
    }
  };

 private:
  std::vector<int> group_at_;  // a place in the sequence
  predict::group_tiles tiles_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail

namespace heddle::inline HEDDLE_ABI::predict {

/// Returns the order and the schedule to use for a batch of products, and why: an order of the planes, and how many
/// planes to take in turn.
///
/// The order of least time is advised, and the simplest of those within 1 %. All tiles take the same time, so that
/// blocks idle in the last wave alone, whatever the order; the schedule is the one for a single product. The plain
/// order is row_major, one plane after another.
///
/// **Preconditions**: `blocks_per_multiprocessor` is at least 1, and the problem and the device pass their `check()`.
/// Any other value is refused with an `invalid_argument`.
/// **Cost**: replays some dozens of orders, or samples of them: mostly some 10 ms, and 0.1 s for 2^20 tiles.
/// **Example** (tests/predict/spaces.cpp):
///
///     const space_advice of_layers = advise(layers, h200());
inline space_advice advise(const batched_problem& problem, const device& device, int blocks_per_multiprocessor = 1) {
  detail::check_question(problem, device, blocks_per_multiprocessor);
  const extent grid = problem.plane.grid();
  const long long blocks = 1LL * device.multiprocessors * blocks_per_multiprocessor;

  // Planes in turn share what tiles of one place read. No more are needed than fill the chip with tiles that share a
  // stripe.
  const auto useful = [&](int sharing, int stripes) {
    return sharing == 1 ? 1 : (std::min)({1LL * sharing, 1LL * problem.count, blocks / (std::max)(1, stripes)});
  };
  const long long most =
      (std::max)({1LL, useful(problem.planes_per_a, grid.cols), useful(problem.planes_per_b, grid.rows)});
  const auto with_orders = [&](const space_advice& named, const auto& f) {
    with_order(named, grid, [&](const auto& order) {
      const bool repeats_planes = problem.count / 8 >= named.interleave;
      f(batched{order, problem.count, named.interleave},
        (repeats_planes ? grid.size() : detail::tiles_of_pattern(named, grid)) * named.interleave);
    });
  };
  detail::launch_search search(problem, device, blocks_per_multiprocessor, with_orders);
  for (const order_choice& of_plane : detail::orders_of_a_plane(problem.plane, device, blocks_per_multiprocessor)) {
    for (const int interleave : detail::doublings(1, most)) {
      space_advice named{of_plane};
      named.interleave = interleave;
      search.consider(named);
    }
  }
  return search.advice("row_major, one plane after another,");
}

/// Returns the order and the schedule to use for a grouped product with such sizes, and why: the bands of each group,
/// and which group comes first.
///
/// The order of least time is advised, and the simplest of those within 1 %. Where blocks run evenly the schedule is
/// `strided`, unless `ticket` gains 1 % of the time because ends of groups are short. The plain order walks each group
/// row by row, group after group. It is advised last: where bytes make no difference, bands of 1024 rows are up to 11 %
/// faster (H200, docs/grouped.md).
///
/// Heaviest first is advised only if DRAM idles for at least half of the time: it puts the groups of few rows together,
/// which wait for their B, at the end. H200, 128 groups x 1536 x 2048, Zipf(1): 5 % slower than as numbered
/// (docs/grouped.md).
///
/// **Preconditions**: as for a batch.
/// **Cost**: replays up to nine orders, or samples of them: 6 ms for 10,000 tiles, and 0.1 s for up to 2^31 - 1 in
/// 16,384 groups. 2^22 groups take 0.7 s and 84 MB.
/// **Example** (tests/predict/spaces.cpp):
///
///     const space_advice of_experts = advise(experts, h200());
inline space_advice advise(const grouped_problem& problem, const device& device, int blocks_per_multiprocessor = 1) {
  detail::check_question(problem, device, blocks_per_multiprocessor);
  const group_shape shape = problem.shape();
  const auto with_orders = [&](const space_advice& named, const auto& f) {
    const detail::groups_in_sequence groups(problem, named.sequence);
    f(detail::groups_in_sequence::order{&groups, named.width, named.axis}, 0);
  };
  detail::launch_search search(problem, device, blocks_per_multiprocessor, with_orders);
  const auto bands = [](int width, heddle::axis along) {
    return space_advice{{order_kind::thread_group_tiling, width, along}};
  };
  const int highest = problem.rows.empty() ? 0 : *std::max_element(problem.rows.begin(), problem.rows.end());
  const int most_rows = detail::tiles_along(highest, problem.tile_m), cols = static_cast<int>(shape.cols);
  search.consider(bands(1, axis::y));
  search.take_plain_last();
  const int usual = (std::max)(1, device.band_rows / problem.tile_m);
  search.consider(bands(usual, axis::y));
  for (const axis along : {axis::y, axis::x}) {
    const int most = along == axis::y ? most_rows : cols;
    for (const int width : {4, 8, 16}) {
      if (width / 2 < most && (along == axis::x || width != usual)) search.consider(bands(width, along));
    }
  }
  if (search.dram_and_blocks_idle()) {
    space_advice heaviest = search.best();
    heaviest.sequence = group_sequence::heaviest_first;
    search.consider(heaviest);
  }
  return search.advice("each group row by row");
}

/// Returns the order and the schedule to use for a causal pass, and why: how many heads to take at a time, with their
/// longest tiles first. The plain order is head after head, from the first tile to the last.
///
/// The order of least time is advised, and the simplest of those within 1 %. Sections of heads are the bands of
/// `thread_group_tiling`, walked from the end. `ticket` is predicted as `one_shot` is, and does as well in a persistent
/// kernel.
///
/// **Preconditions**: as for a batch.
/// **Cost**: replays some orders, or samples of them, for up to 0.1 s.
/// **Example** (tests/predict/spaces.cpp):
///
///     const space_advice best = advise(pass, h200());
inline space_advice advise(const causal_problem& problem, const device& device, int blocks_per_multiprocessor = 1) {
  detail::check_question(problem, device, blocks_per_multiprocessor);
  const extent grid = problem.grid();
  const int sharing = (std::max)(1, problem.heads / (std::max)(1, problem.key_heads));
  // A section of sixteen tiles per block has tiles enough to end evenly.
  const long long enough = 16LL * device.multiprocessors * blocks_per_multiprocessor;
  long long widest = sharing;
  while (widest < problem.heads && widest * grid.rows < enough) widest *= 2;
  widest = (std::min)(widest, (std::max)(1LL, 1LL * problem.heads));

  const auto with_orders = [&](const space_advice& named, const auto& f) {
    const thread_group_tiling order{grid, named.width};
    const long long section = 1LL * named.width * grid.rows;
    if (named.is_reversed) {
      f(reversed{order}, section);
    } else {
      f(order, section);
    }
  };
  detail::launch_search search(problem, device, blocks_per_multiprocessor, with_orders);
  search.consider({{order_kind::thread_group_tiling, 1, axis::x}});
  for (const int width : detail::doublings(sharing, widest)) {
    space_advice named{{order_kind::thread_group_tiling, width, axis::x}};
    named.is_reversed = true;
    search.consider(named);
  }
  return search.advice("head after head in order");
}

}  // namespace heddle::inline HEDDLE_ABI::predict
