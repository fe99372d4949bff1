#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <heddle/predict/schedule_kind.hpp>
#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// The schedules that `advise` returns.
inline constexpr schedule_kind advised_schedules[] = {schedule_kind::one_shot, schedule_kind::strided,
                                                      schedule_kind::ticket, schedule_kind::sm_affine};

/// All schedules.
inline constexpr schedule_kind all_schedules[] = {
    schedule_kind::one_shot,  schedule_kind::strided,       schedule_kind::chunked,       schedule_kind::ticket,
    schedule_kind::sm_affine, schedule_kind::work_stealing, schedule_kind::cluster_launch};

/// Returns the bytes of a state on the device with which `with_schedule` can build any schedule.
inline decltype(sizeof 0) schedule_state_bytes() {
  return (std::max)({ticket<>::state_bytes(), sm_affine<>::state_bytes(), work_stealing<>::state_bytes()});
}

/// Calls `f` with the scheduler that a choice describes, over an order, and returns the result of `f`. Any advice
/// converts to a choice. `Schedules` lists those for which `f` is compiled: `advised_schedules` are enough for advice.
///
/// **Preconditions**: the state is `schedule_state_bytes()` bytes on the device, zeroed once for each schedule. One
/// launch at a time uses it. A choice that is not on the list is refused with an `invalid_argument`.
/// **Cost**: `f` is instantiated for each schedule on the list. With `with_order` around it a kernel is compiled for
/// each pair; one for `tile_table` follows any order.
/// **Example** (examples/convolution/passes.hpp):
///
///     return heddle::predict::with_schedule<heddle::predict::advised_schedules>(
///         {schedule_, run_}, heddle::tile_table{tiles_, table_}, state_, launch);
template <const auto& Schedules = all_schedules, class Order, class F>
decltype(auto) with_schedule(const schedule_choice& by, const Order& order, [[maybe_unused]] void* state, F&& f) {
  constexpr auto lists = [](schedule_kind kind) {
    return std::find(std::begin(Schedules), std::end(Schedules), kind) != std::end(Schedules);
  };
  if constexpr (lists(schedule_kind::one_shot)) {
    if (by.kind == schedule_kind::one_shot) return std::forward<F>(f)(one_shot{order});
  }
  if constexpr (lists(schedule_kind::strided)) {
    if (by.kind == schedule_kind::strided) return std::forward<F>(f)(strided{order});
  }
  if constexpr (lists(schedule_kind::chunked)) {
    if (by.kind == schedule_kind::chunked) return std::forward<F>(f)(chunked{order});
  }
  if constexpr (lists(schedule_kind::ticket)) {
    if (by.kind == schedule_kind::ticket) return std::forward<F>(f)(ticket{order, state});
  }
  if constexpr (lists(schedule_kind::sm_affine)) {
    if (by.kind == schedule_kind::sm_affine) return std::forward<F>(f)(sm_affine{order, state, by.run});
  }
  if constexpr (lists(schedule_kind::work_stealing)) {
    if (by.kind == schedule_kind::work_stealing) return std::forward<F>(f)(work_stealing{order, state});
  }
  if constexpr (lists(schedule_kind::cluster_launch)) {
    if (by.kind == schedule_kind::cluster_launch) return std::forward<F>(f)(cluster_launch{order});
  }
  heddle::detail::refuse("heddle::predict::with_schedule", ": the schedule is not on the list of the call");
}

/// Returns the C++ that builds a schedule over an order, to paste: "heddle::ticket{order, state}". Any advice is a
/// choice of a schedule.
///
/// **Preconditions**: `order` and `state` are expressions where the line is pasted; `state` points to
/// `state_bytes()` bytes of the scheduler on the device, zeroed once.
/// **Example** (examples/01_order/which_order.cpp):
///
///     std::printf("  const auto scheduler = %s;\n", code_of(schedule_choice(of_product), "order", "state").c_str());
inline std::string code_of(const schedule_choice& by, const std::string& order, const std::string& state) {
  const bool is_affine = by.kind == schedule_kind::sm_affine;
  std::string values = order;
  if (is_affine || by.kind == schedule_kind::ticket || by.kind == schedule_kind::work_stealing) values += ", " + state;
  if (is_affine) values += ", /*run*/ " + std::to_string(by.run);
  return std::string("heddle::") + name_of(by.kind) + "{" + values + "}";
}

}}}  // namespace heddle::HEDDLE_ABI::predict
