#pragma once

#include <cstdint>

#include <heddle/invalid_argument.hpp>

#include "problem.hpp"

namespace attention {

/// Refuses what the kernels for heads of `width` elements cannot do.
inline void check(const problem& p, const operands& o, long long width, bool is_packed) {
  const auto require = [](bool is_right, const char* name, long long value, const char* rule, long long limit) {
    if (!is_right) throw heddle::invalid_argument(name, value, rule, limit);
  };
  require(p.sequences >= 0, "attention: sequences", p.sequences, "at least", 0);
  require(p.queries >= 0, "attention: queries", p.queries, "at least", 0);
  require(p.keys >= 0, "attention: keys", p.keys, "at least", 0);
  require(p.key_heads >= 1, "attention: key_heads", p.key_heads, "at least", 1);
  require(p.heads >= 1 && p.heads % p.key_heads == 0, "attention: heads", p.heads, "a multiple of", p.key_heads);
  require(p.width == width, "attention: width", p.width, "exactly", width);
  require(p.left >= 0, "attention: left", p.left, "at least", 0);
  require(p.right >= 0, "attention: right", p.right, "at least", 0);
  if (!(p.scale > 0 && p.scale < 1e30f)) {
    throw heddle::invalid_argument("attention: scale", " must be positive and finite");
  }
  const long long copies = is_packed ? 1 : p.sequences, most = 0x7fffffff;
  require(copies == 0 || (p.queries <= most / copies && p.keys <= most / copies), "attention: tokens of a sequence",
          p.queries > p.keys ? p.queries : p.keys, "at most", copies == 0 ? most : most / copies);
  const auto require_pointer = [&](const char* name, const void* pointer, bool is_needed, long long alignment) {
    const auto address = static_cast<long long>(reinterpret_cast<std::uintptr_t>(pointer));
    require(!is_needed || address != 0, name, 0, "at least", 1);
    require(address % alignment == 0, name, address, "a multiple of", alignment);
  };
  const bool has_queries = p.sequences > 0 && p.queries > 0, has_keys = has_queries && p.keys > 0;
  require_pointer("attention: q", o.q, has_queries, 16);
  require_pointer("attention: k", o.k, has_keys, 16);
  require_pointer("attention: v", o.v, has_keys, 16);
  require_pointer("attention: o", o.o, has_queries, 16);
  require_pointer("attention: lse", o.lse, false, 4);
  require_pointer("attention: key_offsets", o.key_offsets, is_packed && has_queries, 4);
}

}  // namespace attention
