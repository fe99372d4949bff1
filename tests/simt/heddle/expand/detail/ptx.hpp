#pragma once

#include <heddle/detail/ptx.hpp>

// In place of include/heddle/expand/detail/ptx.hpp.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline unsigned ld_ca(const unsigned* from) {
  return *from;
}

inline bool is_cooperative() {
  return simt::now->grid->beside_others != nullptr;
}
template <class Pair>
Pair ld_cg(const Pair* from) {
  return *from;
}
template <class Word>
Word ld_acquire(const Word* from) {
  simt::wait();
  return *from;
}
template <class Word>
Word atom_release_add(Word* to, std::type_identity_t<Word> number) {
  if (simt::random() % 4 == 0) simt::wait();
  return std::exchange(*to, *to + number);
}
inline void red_release_add(unsigned* to, unsigned number) {
  atom_release_add(to, number);
}

template <class Word>
Word redux_sync_add(unsigned lanes, Word value) {
  return simt::reduced("redux add", lanes, value, [](Word one, Word other) { return one + other; });
}

template <class Word>
Word redux_sync_min(unsigned lanes, Word value) {
  return simt::reduced("redux min", lanes, value, [](Word one, Word other) { return std::min(one, other); });
}

template <class Word>
Word redux_sync_max(unsigned lanes, Word value) {
  return simt::reduced("redux max", lanes, value, [](Word one, Word other) { return std::max(one, other); });
}

template <class Word>
Word redux_sync_or(unsigned lanes, Word value) {
  return simt::reduced("redux or", lanes, value, [](Word one, Word other) { return one | other; });
}

// Asynchronous copies to shared memory. They complete when the thread waits for them, or earlier.

struct copy {
  unsigned* to;
  unsigned words[4];
};
inline thread_local std::vector<std::vector<copy>> copies;  // per thread

inline void cp_async_wait_all() {
  if (copies.size() <= threadIdx.x) return;
  for (const copy& each : copies[threadIdx.x]) std::copy_n(each.words, 4, each.to);
  copies[threadIdx.x].clear();
}

inline void cp_async(unsigned* to, const unsigned* from, unsigned bytes) {
  if (copies.size() <= threadIdx.x) copies.resize(threadIdx.x + 1);
  copy its{to, {}};
  for (unsigned i = 0; i < 4; ++i) its.words[i] = 4 * i < bytes ? from[i] : 0;
  copies[threadIdx.x].push_back(its);
  if (simt::random() % 2 == 0) cp_async_wait_all();
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx
