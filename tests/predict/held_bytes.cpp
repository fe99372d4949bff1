#include "held_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "sanitized.hpp"

namespace {

std::atomic<std::size_t> bytes_now = 0, bytes_at_most = 0;
constexpr std::size_t room_for_size = alignof(std::max_align_t);

}  // namespace

std::size_t heddle_test::begin_of_held() {
  return bytes_at_most = bytes_now.load();
}
std::size_t heddle_test::most_held() {
  return bytes_at_most;
}

#if !defined(SANITIZED)
void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes + room_for_size);
  if (memory == nullptr) throw std::bad_alloc{};
  *static_cast<std::size_t*>(memory) = bytes;
  bytes_now += bytes;
  bytes_at_most = (std::max)(bytes_at_most.load(), bytes_now.load());
  return static_cast<char*>(memory) + room_for_size;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  void* const all = static_cast<char*>(memory) - room_for_size;
  bytes_now -= *static_cast<std::size_t*>(all);
  std::free(all);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
#endif
