#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {
namespace detail {

template <class Storage, bool Empty = __is_empty(Storage)>
struct static_shared {
  struct alignas(1024) type : Storage {};
};
template <class Storage>
struct static_shared<Storage, true> {
  using type = Storage;
};

}  // namespace detail

/// A collective's storage for a `__shared__` variable of its own: what lies behind it stays aligned as it was.
///
/// Dynamic shared memory begins behind the static variables of a kernel. 48 bytes move it to an address that is no
/// multiple of 32: WMMA loads then take up to 1.28 times as long, and copies with a swizzle of 128 bytes, which need a
/// multiple of 1024, place their rows wrongly.
///
/// **Cost**: the storage, rounded up to 1024 bytes; nothing if it is empty. As a member of a struct of yours, declare
/// the plain storage, and put it last: there it keeps its size and alignment.
///
/// **Example** (examples/02_schedule/after.cu):
///
///     __shared__ heddle::static_shared<typename Scheduler::storage> smem;
template <class Storage>
using static_shared = typename detail::static_shared<Storage>::type;

}}  // namespace heddle::HEDDLE_ABI
