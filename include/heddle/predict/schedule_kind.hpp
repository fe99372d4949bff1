#pragma once

namespace heddle::inline v0::predict {

/// Who takes what, as far as traffic can tell: `strided` and `ticket` make the waves of `one_shot`.
enum class schedule_kind { one_shot, strided, chunked, ticket };

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
  }
  return "";
}

}  // namespace heddle::inline v0::predict
