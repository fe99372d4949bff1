#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "attention/expected.hpp"

namespace heddle_test {

/// How many queries and keys a sequence has.
struct lengths {
  int queries, keys;
};

/// A window, as `attention::problem` has it.
struct window {
  int left, right;
};
inline constexpr window full{attention::unlimited, attention::unlimited}, causal{attention::unlimited, 0};

/// Sequences one behind another: operands of normal numbers with NaN behind the last token, and a result with guards.
template <class Element, int Width>
struct attention_pass {
  static constexpr int guard_tokens = 3;
  static constexpr float guard = -77;

  attention::problem p;  // packed
  std::vector<int> query_offsets{0}, key_offsets{0};
  std::vector<Element> q, k, v, o;
  std::vector<float> lse;

  attention_pass(const std::vector<lengths>& all, int heads, int key_heads, window seen, std::mt19937& random) {
    for (const auto [queries, keys] : all) {
      query_offsets.push_back(query_offsets.back() + queries);
      key_offsets.push_back(key_offsets.back() + keys);
    }
    p = {std::ssize(all), query_offsets.back(), key_offsets.back(), heads, key_heads, Width, 0.3f, seen.left,
         seen.right};
    std::normal_distribution<float> normal;
    for (auto* const array : {&q, &k, &v}) {
      const int tokens = array == &q ? query_offsets.back() : key_offsets.back();
      const int per_token = (array == &q ? heads : key_heads) * Width;
      for (int i = 0; i < tokens * per_token; ++i) array->push_back(Element(normal(random)));
      array->resize(array->size() + static_cast<unsigned>(guard_tokens * per_token), Element(NAN));
    }
    clear();
  }

  /// Forgets the result.
  void clear() {
    o.assign(q.size(), Element(guard));
    lse.assign(static_cast<std::size_t>(p.heads * query_offsets.back() + guard_tokens), guard);
  }

  /// Returns the same for kernels to which sequences of the same lengths are not packed.
  attention::problem by_sequence() const {
    attention::problem each = p;
    each.queries = query_offsets[1], each.keys = key_offsets[1];
    return each;
  }

  /// Fills the keys of all heads by `value(number of the token, element)`.
  template <class Value>
  void fill_keys(const Value& value) {
    const auto per_token = static_cast<int>(p.key_heads) * Width;
    for (int i = 0; i < key_offsets.back() * per_token; ++i) {
      k[static_cast<unsigned>(i)] = Element(value(i / per_token, i % Width));
    }
  }

  /// Returns how many numbers are wrong in at most so many rows of each head and sequence, and in the guards.
  int wrong(int most_rows, std::mt19937& random) const {
    const auto at = [](const auto& all, long long i) {
      return static_cast<double>(static_cast<float>(all[static_cast<std::size_t>(i)]));
    };
    const auto differs = [](double found, double expected, double tolerance) {
      return std::isnan(expected) ? !std::isnan(found)
                                  : found != expected && !(std::fabs(found - expected) <= tolerance);
    };
    const double unit = sizeof(Element) == 2 && static_cast<float>(Element(1 + 0x1p-9f)) == 1 ? 0x1p-8 : 0x1p-11;
    const long long heads = p.heads, key_heads = p.key_heads, tokens = query_offsets.back();
    int count = 0;
    for (std::size_t s = 0; s + 1 < query_offsets.size(); ++s) {
      const int first = query_offsets[s], queries = query_offsets[s + 1] - first;
      const int first_key = key_offsets[s], keys = key_offsets[s + 1] - first_key;
      for (long long head = 0; head < heads; ++head) {
        const auto of_keys = [&](const std::vector<Element>& all) {
          return [&, head](int number, int i) {
            return at(all, ((first_key + number) * key_heads + head / (heads / key_heads)) * Width + i);
          };
        };
        for (int turn = 0; turn < std::min(queries, most_rows); ++turn) {
          const int query = queries <= most_rows || turn == 0 ? turn
                            : turn == 1                       ? queries - 1
                            : turn < most_rows / 2
                                ? std::min(queries - 1, static_cast<int>(random() % 8) * 64 + 63 + turn % 2)
                                : static_cast<int>(random() % static_cast<unsigned>(queries));
          const long long begin = ((first + query) * heads + head) * Width;
          const attention::expected_row row = attention::expect(
              p, queries, keys, query, unit, [&](int i) { return at(q, begin + i); }, of_keys(k), of_keys(v));
          for (int i = 0; i < Width; ++i) {
            const auto col = static_cast<unsigned>(i);
            count += differs(at(o, begin + i), row.values[col], row.tolerance[col]);
          }
          count += differs(at(lse, head * tokens + first + query), row.lse, row.lse_tolerance);
        }
      }
    }
    for (long long i = tokens * heads * Width; i < std::ssize(o); ++i) count += at(o, i) != guard;
    for (long long i = heads * tokens; i < std::ssize(lse); ++i) count += at(lse, i) != guard;
    return count;
  }
};

}  // namespace heddle_test
