#pragma once

// Items in levels, and the lists that a traversal of them makes one item after another: the oracle of ordered levels.

#include <heddle/config.hpp>

#include "test.hpp"

namespace heddle_test {

/// An item by its way from the root: larger than a word, and not a power of two of bytes.
struct way {
  unsigned root, level, number;

  HEDDLE_FN static way of_root(unsigned i) { return {i, 0, 7 * i}; }
  HEDDLE_FN way child(unsigned rank) const { return {root, level + 1, number * 31 + rank}; }
  friend bool operator==(const way&, const way&) = default;
};

/// How many children items have: one in `rarely` has up to `most`, others 0 to 2.
struct growth {
  unsigned seed, rarely, most;

  HEDDLE_FN unsigned of(const way& item) const {
    const unsigned mixed =
        ((item.number * 2654435761u) ^ (item.root * 40503u) ^ (item.level * 97u) ^ seed) * 2246822519u;
    return mixed >> 16 > 0xffff / rarely ? (mixed >> 8) % 3 : (mixed >> 5) % (most + 1);
  }
};

struct traversal {
  std::vector<std::vector<way>> lists{1};  // of each level, up to the first that is empty

  traversal(unsigned roots, unsigned levels, const growth& grows) {
    for (unsigned i = 0; i < roots; ++i) lists[0].push_back(way::of_root(i));
    for (unsigned level = 0; level < levels && !lists.back().empty(); ++level) {
      std::vector<way> next;
      for (const way& item : lists.back())
        for (unsigned rank = 0; rank < grows.of(item); ++rank) next.push_back(item.child(rank));
      lists.push_back(next);
    }
  }

  std::size_t largest() const {
    std::size_t most = 0;
    for (const auto& level : lists) most = std::max(most, level.size());
    return most;
  }
};

/// What a turn with room for so many items makes of a traversal.
struct outcome {
  std::size_t lists = 0, most = 0;  // lists that are made; the largest one, or the one that found no room
  bool is_whole = true;

  outcome(const traversal& of, std::size_t room) {
    for (const auto& level : of.lists) {
      most = std::max(most, level.size());
      is_whole = level.size() <= room;
      if (!is_whole) return;
      ++lists;
    }
  }
};

}  // namespace heddle_test
