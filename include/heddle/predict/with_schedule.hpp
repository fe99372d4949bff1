#pragma once

#include <algorithm>
#include <utility>

#include <heddle/predict/schedule_kind.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// The schedules that `advise` returns.
inline constexpr schedule_kind advised_schedules[] = {schedule_kind::one_shot, schedule_kind::strided,
                                                      schedule_kind::ticket, schedule_kind::sm_affine};

/// Returns the bytes of a state on the device with which `with_schedule` can build any schedule of an advice.
inline decltype(sizeof 0) schedule_state_bytes() {
  return (std::max)(ticket<>::state_bytes(), sm_affine<>::state_bytes());
}

/// Calls `f` with the scheduler that a choice describes, over an order, and returns the result of `f`. Any advice
/// converts to a choice.
///
/// **Preconditions**: the state is `schedule_state_bytes()` bytes on the device, zeroed once for each schedule. One
/// launch at a time uses it. `chunked`, which is not among `advised_schedules`, is refused with an `invalid_argument`.
/// **Cost**: `f` is instantiated for each of the schedules. With `with_order` around it a kernel is compiled for each
/// pair; one for `tile_table` follows any order.
/// **Example** (examples/convolution/passes.hpp):
///
///     return heddle::predict::with_schedule({schedule_, run_}, heddle::tile_table{tiles_, table_}, state_, launch);
template <class Order, class F>
decltype(auto) with_schedule(const schedule_choice& by, const Order& order, void* state, F&& f) {
  switch (by.kind) {
    case schedule_kind::one_shot:
      break;
    case schedule_kind::strided:
      return std::forward<F>(f)(strided{order});
    case schedule_kind::ticket:
      return std::forward<F>(f)(ticket{order, state});
    case schedule_kind::sm_affine:
      return std::forward<F>(f)(sm_affine{order, state, by.run});
    case schedule_kind::chunked:
      heddle::detail::refuse("heddle::predict::with_schedule", ": chunked is not among advised_schedules");
  }
  return std::forward<F>(f)(one_shot{order});
}

}  // namespace heddle::inline HEDDLE_ABI::predict
