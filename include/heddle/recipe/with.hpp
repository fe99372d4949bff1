#pragma once

#include <algorithm>
#include <utility>

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/dilated.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/morton.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/recipe/any_order.hpp>
#include <heddle/recipe/recipe.hpp>
#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

/// An order of a grid or of the transposed grid as a recipe says to walk it: rotated{reversed{transposed{order}}}, each
/// of them or not, in one type.
template <grid_order Order>
class arranged {
 public:
  HEDDLE_HOST arranged(const Order& order, const recipe& by)
      : order_(order),
        is_transposed_(by.transposed),
        is_reversed_(by.reversed),
        first_(require_at_least(0, "heddle::rotated: first", by.first)) {
    require_at_most(order.size(), "heddle::rotated: first", by.first);
  }

  HEDDLE_FN extent space() const { return is_transposed_ ? order_.space().transposed() : order_.space(); }
  HEDDLE_FN int size() const { return order_.size(); }
  HEDDLE_FN coord operator()(int i) const { return turned(order_(place_of(i, first_, is_reversed_, size()))); }
  HEDDLE_FN int index(coord tile) const { return index_of(order_.index(turned(tile)), first_, is_reversed_, size()); }

 private:
  HEDDLE_FN coord turned(coord tile) const { return is_transposed_ ? coord{tile.col, tile.row} : tile; }

  Order order_;
  bool is_transposed_, is_reversed_;
  int first_;
};

/// Calls `f` with the order of a recipe over a grid, computed, in one of five types. One of the user's own is in a
/// table of the grid or of the transposed grid.
template <class F>
constexpr decltype(auto) with_computed(const recipe& by, extent grid, const tile_table::entry* own, const F& f) {
  const extent inner = by.transposed ? grid.transposed() : grid;
  if (by.order == recipe::hilbert) return f(arranged<hilbert>(hilbert{inner}, by));
  if (by.order == recipe::morton) return f(arranged<morton>(morton{inner}, by));
  if (by.order == recipe::dilated) return f(arranged<dilated>(dilated{inner, by.step, by.width}, by));
  if (by.order == recipe::own) return f(arranged<tile_table>(tile_table{inner, own}, by));
  return f(any_order<>(by, grid));
}

template <recipe::schedule_kind Kind, class Order>
auto scheduler_of(const Order& order, [[maybe_unused]] void* state, [[maybe_unused]] int run) {
  if constexpr (Kind == recipe::one_shot) return one_shot{order};
  if constexpr (Kind == recipe::strided) return strided{order};
  if constexpr (Kind == recipe::chunked) return chunked{order};
  if constexpr (Kind == recipe::ticket) return ticket{order, state};
  if constexpr (Kind == recipe::late_ticket) return draws_late{ticket{order, state}};
  if constexpr (Kind == recipe::sm_affine) return sm_affine{order, state, run};
  if constexpr (Kind == recipe::work_stealing) return work_stealing{order, state};
  if constexpr (Kind == recipe::cluster_launch) return cluster_launch{order};
}

}  // namespace detail

/// Lists schedulers for which `with_recipe` compiles a kernel. `stream_k` is not among them: it takes the steps of a
/// tile, and its kernel builds it from `recipe::sharers`.
///
/// **Example** (tests/recipe/recipe.cpp):
///
///     using two = recipe::schedules<recipe::strided, recipe::ticket>;
template <recipe::schedule_kind... Kinds>
struct recipe::schedules {
  static_assert(((Kinds != stream_k) && ...),
                "heddle::recipe::schedules: stream_k takes the steps of a tile. Build it from recipe::sharers");

  /// Returns the bytes of a state on the device with which any of these schedulers can be built.
  static constexpr decltype(sizeof 0) state_bytes() { return (std::max)({bytes_of<Kinds>()...}); }

  /// Calls `f` with the scheduler of a recipe. One that is not listed is refused.
  template <class Order, class F>
  static decltype(auto) with(const recipe& by, const Order& order, void* state, F&& f) {
    return with_first_of<Kinds...>(by, order, state, std::forward<F>(f));
  }

 private:
  template <schedule_kind Kind>
  static constexpr decltype(sizeof 0) bytes_of() {
    using scheduler = decltype(detail::scheduler_of<Kind>(heddle::row_major{extent{1, 1}}, nullptr, 1));
    if constexpr (requires { scheduler::state_bytes(); }) return scheduler::state_bytes();
    return 0;
  }

  template <schedule_kind Kind, schedule_kind... Others, class Order, class F>
  static decltype(auto) with_first_of(const recipe& by, const Order& order, void* state, F&& f) {
    if (by.schedule == Kind) return std::forward<F>(f)(detail::scheduler_of<Kind>(order, state, by.run));
    if constexpr (sizeof...(Others) > 0) return with_first_of<Others...>(by, order, state, std::forward<F>(f));
    detail::refuse("heddle::with_recipe", ": the scheduler is not on the list of the call");
  }
};

namespace detail {

/// All schedulers that `with_recipe` builds.
using all_schedules = decltype([]<int... Kind>(std::integer_sequence<int, Kind...>) {
  return recipe::schedules<static_cast<recipe::schedule_kind>(Kind)...>();
}(std::make_integer_sequence<int, recipe::stream_k>()));

}  // namespace detail

/// The schedulers that `advise` returns.
using advised_schedules =
    recipe::schedules<recipe::one_shot, recipe::strided, recipe::ticket, recipe::late_ticket, recipe::sm_affine>;

/// Calls `f` with the order of a recipe over a grid as a type, and returns the result of `f`. The grid is of clusters
/// if the recipe has clusters: a kernel with clusters puts `clustered` around the order. An order of the user's own is
/// read from `own`, the table of the grid, or of the transposed grid if the recipe transposes.
///
/// **Cost**: `f` is instantiated for seven types. One for `any_order` follows any recipe.
/// **Example** (tests/recipe/recipe.cpp):
///
///     const int first = with_recipe(curve, grid, [&](const auto& order) { return grid.number(order(0)); });
template <class F>
constexpr decltype(auto) with_recipe(const recipe& by, extent grid, const F& f,
                                     const tile_table::entry* own = nullptr) {
  if (any_order<>::needs_table(by) || by.reversed || by.first > 0) return detail::with_computed(by, grid, own, f);
  if (by.order == recipe::cta_swizzle) return f(cta_swizzle{grid, by.width, detail::axis_of(by)});
  const bool is_bands = by.order == recipe::thread_group_tiling;
  return f(thread_group_tiling{grid, is_bands ? by.width : detail::width_of(by, grid), detail::axis_of(by)});
}

/// Calls `f` with the scheduler of a recipe over an order, and returns the result of `f`. `Schedules` lists those for
/// which `f` is compiled: `advised_schedules` are enough for advice.
///
/// **Preconditions**: the state is `Schedules::state_bytes()` bytes on the device, zeroed once for each scheduler. One
/// launch at a time uses it. A scheduler that is not on the list is refused with an `invalid_argument`.
/// **Example** (examples/trace/trace.cu):
///
///     right &= heddle::with_recipe<heddle::advised_schedules>(
///         by, order, state.data(), [&](const auto& scheduler) { return painted_right(scheduler, by, folder); });
template <class Schedules, tile_order Order, class F>
decltype(auto) with_recipe(const recipe& by, const Order& order, void* state, F&& f) {
  return Schedules::with(by, order, state, std::forward<F>(f));
}

/// Calls `f` with the scheduler of a recipe over its order of a grid. `f` is instantiated for each pair of seven orders
/// and a scheduler on the list.
template <class Schedules, class F>
decltype(auto) with_recipe(const recipe& by, extent grid, void* state, F&& f) {
  return with_recipe(by, grid, [&](const auto& order) -> decltype(auto) {
    return Schedules::with(by, order, state, std::forward<F>(f));
  });
}

#if !defined(__CUDACC_RTC__)
/// Fills the table of the order of a recipe over a grid, on the host. One of the user's own is made of its table.
inline tile_table::entries make_tile_table(const recipe& by, extent grid, const tile_table::entry* own = nullptr) {
  return detail::with_computed(by, grid, own, [](const auto& order) { return make_tile_table(order); });
}
#endif

}}  // namespace heddle::HEDDLE_ABI
