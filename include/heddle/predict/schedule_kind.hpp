#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Who takes what, as far as traffic can tell: `strided` and `ticket` make the waves of `one_shot`; of `sm_affine`,
/// every multiprocessor has a run of its own.
enum class schedule_kind { one_shot, strided, chunked, ticket, sm_affine };

constexpr const char* name_of(schedule_kind schedule) {
  switch (schedule) {
    case schedule_kind::one_shot:
      return "one_shot";
    case schedule_kind::strided:
      return "strided";
    case schedule_kind::chunked:
      return "chunked";
    case schedule_kind::ticket:
      return "ticket";
    case schedule_kind::sm_affine:
      return "sm_affine";
  }
  return "";
}

/// A schedule as a run-time value. A kind is one too, where it has no parameter.
struct schedule_choice {
  schedule_kind kind = schedule_kind::one_shot;
  int run = 1;  // of sm_affine, in tiles

  constexpr schedule_choice(schedule_kind kind_ = schedule_kind::one_shot, int run_ = 1) : kind(kind_), run(run_) {}

  friend bool operator==(const schedule_choice&, const schedule_choice&) = default;
};

}  // namespace heddle::inline HEDDLE_ABI::predict
