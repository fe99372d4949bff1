#include "held_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "sanitized.hpp"

namespace {

std::atomic<std::size_t> held = 0, most = 0;
constexpr std::size_t room_for_size = alignof(std::max_align_t);

}  // namespace

std::size_t heddle_test::begin_of_held() {
  return most = held.load();
}
std::size_t heddle_test::most_held() {
  return most;
}

#if !defined(SANITIZED)
void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes + room_for_size);
  if (memory == nullptr) throw std::bad_alloc{};
  *static_cast<std::size_t*>(memory) = bytes;
  held += bytes;
  most = (std::max)(most.load(), held.load());
  return static_cast<char*>(memory) + room_for_size;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  void* const all = static_cast<char*>(memory) - room_for_size;
  held -= *static_cast<std::size_t*>(all);
  std::free(all);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
#endif
