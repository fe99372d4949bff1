#pragma once

// Patterns of keys in a block, and their ranks computed by other means.

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <heddle/config.hpp>

namespace heddle_test {

struct keys {
  std::string name;
  std::vector<unsigned> of;
  std::vector<char> active;

  bool everybody() const { return std::count(active.begin(), active.end(), 0) == 0; }
};

/// Keys that are equal, different, sorted, reversed, in turns and random; with all, half, one and none of the threads
/// active.
inline std::vector<keys> every_pattern(unsigned threads, int bits) {
  std::mt19937 random(threads * 31 + static_cast<unsigned>(bits));
  std::vector<keys> all;
  const auto add = [&](const std::string& name, auto key_of) {
    const auto with = [&](const char* who, auto is_active) {
      keys next{name + who, {}, {}};
      for (unsigned thread = 0; thread < threads; ++thread) {
        next.of.push_back(key_of(thread));
        next.active.push_back(is_active(thread));
      }
      all.push_back(std::move(next));
    };
    with("", [](unsigned) { return true; });
    with(", half of them", [&](unsigned) { return random() % 2 == 0; });
    with(", one", [&](unsigned thread) { return thread == threads / 2; });
  };
  add("all equal", [](unsigned) { return 1u; });
  add("all different", [](unsigned thread) { return thread; });
  add("reversed", [&](unsigned thread) { return threads - thread; });
  add("sorted", [&](unsigned thread) { return (thread << bits) / threads; });
  add("equal but for bits that do not matter", [&](unsigned thread) { return 1u | thread << bits; });
  add("in turns", [](unsigned thread) { return thread % 3; });
  add("drawn", [&](unsigned) { return static_cast<unsigned>(random()); });
  add("skewed", [&](unsigned) { return random() % 16 == 0 ? static_cast<unsigned>(random()) : 0u; });
  keys nobody = all.back();
  nobody.name = "nobody";
  std::fill(nobody.active.begin(), nobody.active.end(), false);
  all.push_back(nobody);
  return all;
}

inline std::vector<unsigned> ranks_of(const keys& all, int bits) {
  std::vector<unsigned> threads(all.of.size()), ranks(all.of.size());
  std::iota(threads.begin(), threads.end(), 0u);
  std::stable_sort(threads.begin(), threads.end(), [&](unsigned one, unsigned other) {
    const auto place = [&](unsigned thread) {
      return std::pair(!all.active[thread], all.active[thread] ? all.of[thread] % (1u << bits) : 0);
    };
    return place(one) < place(other);
  });
  for (unsigned rank = 0; rank < threads.size(); ++rank) ranks[threads[rank]] = rank;
  return ranks;
}

struct spread {
  unsigned visits = 0, keys = 0, active = 0;
};

inline spread spread_of(const keys& all, int bits) {
  spread result;
  std::set<unsigned> of_block;
  for (unsigned begin = 0; begin < all.of.size(); begin += 32) {
    std::set<unsigned> of_warp;
    for (unsigned thread = begin; thread < begin + 32; ++thread) {
      if (!all.active[thread]) continue;
      ++result.active;
      of_warp.insert(all.of[thread] % (1u << bits));
    }
    result.visits += static_cast<unsigned>(of_warp.size());
    of_block.insert(of_warp.begin(), of_warp.end());
  }
  result.keys = static_cast<unsigned>(of_block.size());
  return result;
}

/// Returns two bits of a hash of the thread's first number, others in each round; in every fourth round all keys are
/// equal.
HEDDLE_FN unsigned key_in(unsigned number, int round) {
  return round % 4 == 3 ? 1 : number * 2654435761u >> (20 + 3 * round % 9) & 3;
}

/// A state of `Size` bytes.
template <int Size>
struct state {
  unsigned char bytes[Size];
  friend bool operator==(const state&, const state&) = default;
};

/// Calls `check` with 1 to 8, as a constant.
template <class Check>
void for_all_bits(Check check) {
  [&]<int... Before>(std::integer_sequence<int, Before...>) {
    (check(std::integral_constant<int, Before + 1>()), ...);
  }
  (std::make_integer_sequence<int, 8>());
}

}  // namespace heddle_test
