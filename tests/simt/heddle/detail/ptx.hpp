#pragma once

// The instructions of include/heddle/detail/ptx.hpp as tests/simt.hpp runs them. This header takes the place of that
// one, as do those beside it, and stands for a GPU that has all of them. A use that an instruction does not allow
// throws an exception.

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline constexpr bool has_clusters = true;

inline unsigned smid() {
  return simt::now->grid->processors[simt::now->linear];
}
inline unsigned laneid() {
  return simt::self->lane;
}
inline unsigned lanemask_lt() {
  return (1u << simt::self->lane) - 1;
}
inline unsigned long long gridid() {
  return simt::now->grid->number;
}

// Time: two ticks to a nanosecond, in which the timer advances by 32.

inline unsigned long long ticks = 1ull << 40;

inline unsigned long long later() {
  return ticks += 1 + simt::random() % 64;
}
inline unsigned long long globaltimer() {
  return later() / 2 / 32 * 32;
}

template <class Word>
Word kept(Word value) {
  return value;
}
template <class Type>
Type* kept_shared(Type& shared) {
  return &shared;
}

// Clusters, of one row.

inline unsigned clusterid() {
  return simt::now->cluster_number().x;
}
inline unsigned nclusterid() {
  return simt::now->grid->blocks.x / simt::now->grid->cluster.x;
}
inline unsigned cluster_ctarank() {
  return simt::now->place_in_cluster().x;
}
inline unsigned cluster_nctarank() {
  return simt::now->grid->cluster.x;
}

// Addresses of shared memory. The upper bits have 1 + the rank of a block in the cluster, or 0 for this block; the
// lower bits have the distance from the start of its shared memory.

inline constexpr unsigned address_bits = 27, half_of_addresses = 1u << (address_bits - 1);

inline unsigned shared_address(const void* pointer) {
  const auto distance = static_cast<const char*>(pointer) - &simt::shared_memory + half_of_addresses;
  if (distance < 0 || distance >> address_bits != 0) throw std::logic_error("an address outside shared memory");
  return static_cast<unsigned>(distance);
}

template <class Word>
Word& at_address(unsigned address) {
  const unsigned rank = address >> address_bits;
  const unsigned block = simt::now->linear + (rank == 0 ? 0 : rank - 1 - cluster_ctarank());
  char* const its = simt::now->grid->shared[block];
  if (its == nullptr) throw std::logic_error("shared memory of a block that does not run");
  return *reinterpret_cast<Word*>(its - half_of_addresses + address % (1u << address_bits));
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx
