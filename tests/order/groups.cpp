// Groups of sizes that only the device knows: the preparation's own code on the host, and the orders that it prepares.

#include "simt.hpp"

#include <heddle/laws/check_costs.hpp>
#include <heddle/laws/check_order.hpp>
#include <heddle/laws/check_schedule.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>

#include "filled.hpp"
#include "order/groups.hpp"

using namespace heddle;
using heddle_test::ceil_div_of;
using heddle_test::ends_of;

namespace {

/// A state in host memory with a guard behind it, prepared by so many blocks of so many threads.
class prepared {
 public:
  template <class Weights = decltype(nullptr)>
  prepared(group_shape shape, const std::vector<int>& ends, long long width, axis along, group_sequence sequence,
           unsigned threads = 32, const Weights& weights = {}, unsigned blocks = 5)
      : prepared(shape, ends.data(), width, along, sequence, threads, weights, blocks) {}
  template <class Rows, class Weights = decltype(nullptr)>
  prepared(group_shape shape, const Rows& rows, long long width, axis along, group_sequence sequence,
           unsigned threads = 32, const Weights& weights = {}, unsigned blocks = 5)
      : bytes_(grouped::state_bytes(shape)),
        words_(bytes_ / 8 + 64, 0xa5a5a5a5a5a5a5a5),
        order_(shape, words_.data(), width, along, sequence) {
    for (const unsigned char filling : heddle_test::fillings) {  // a second preparation leaves nothing of the first
      grouped::preparing_storage shared;
      simt::launch(blocks, threads, [&] {
        heddle_test::fill(shared, filling);
        order_.prepare(shared, rows, weights);
      });
    }
  }

  grouped order() const { return order_.on_host(); }
  prepared_groups found() const { return *reinterpret_cast<const prepared_groups*>(words_.data()); }
  bool guard_is_whole() const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(words_.data());
    return std::all_of(bytes + bytes_, bytes + 8 * words_.size(), [](unsigned char byte) { return byte == 0xa5; });
  }

 private:
  std::size_t bytes_;
  std::vector<unsigned long long> words_;
  grouped order_;
};

const auto prepare = [](group_shape shape, const std::vector<int>& ends, group_sequence sequence, const int* weights) {
  return prepared(shape, ends, 2, axis::y, sequence, 32, weights);
};

std::string broken(const prepared& groups, const std::vector<int>& rows, int tile_rows, int cols) {
  if (!groups.guard_is_whole()) return "the guard is written";
  const auto [tiles, row_tiles, wrong, last_end] = groups.found();
  if (last_end != std::accumulate(rows.begin(), rows.end(), 0)) return "last_end is " + std::to_string(last_end);
  if (tiles != groups.order().size() || tiles != row_tiles * cols) return "tiles, row_tiles";
  return heddle_test::broken(groups.order(), rows, tile_rows, cols);
}

std::string broken(const std::vector<int>& rows, int tile_rows, int cols, long long slack = 0, unsigned threads = 32,
                   unsigned blocks = 3) {
  const std::vector<int> ends = ends_of(rows);
  const group_shape shape{.rows = (ends.empty() ? 0 : ends.back()) + slack,
                          .groups = static_cast<long long>(rows.size()),
                          .tile_rows = tile_rows,
                          .cols = cols};
  for (const group_sequence sequence : heddle_test::sequences) {
    for (const axis along : {axis::x, axis::y}) {
      const prepared groups(shape, ends, 3, along, sequence, threads, {}, blocks);
      if (std::string failure = broken(groups, rows, tile_rows, cols); !failure.empty()) return failure;
      const grouped order = groups.order();
      const auto weight = [&](group_coord tile) {
        const double of_group = rows[static_cast<unsigned>(tile.group)];
        return sequence == group_sequence::as_numbered      ? -1.0 * tile.group
               : sequence == group_sequence::heaviest_first ? of_group
                                                            : -of_group;
      };
      if (const laws::verdict found = laws::check_costs(order, weight, 0x7fffffff); !found) return found.failure;
      if (const laws::verdict found = laws::check_order(reversed{order}); !found) return found.failure;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("Groups of up to nine rows of tiles are visited once, in every combination of one to three", "[order]") {
  for (int a = 0; a <= 9; ++a) {
    CHECK(broken({a}, 1, 3) == "");
    for (int b = 0; b <= 9; ++b) {
      CHECK(broken({a, b}, 2, 1, a) == "");
      for (const int c : {0, 1, 5, 9}) REQUIRE(broken({a, b, c}, 1, 2) == "");
    }
  }
}

TEST_CASE("Four to six groups are visited once, in combinations of small, middle and large", "[order]") {
  const int sizes[] = {0, 1, 4, 9};
  for (int combination = 0; combination < 4096; combination += 7) {
    std::vector<int> rows;
    for (int group = 0; group < 4 + combination % 3; ++group) rows.push_back(sizes[combination >> 2 * group & 3]);
    const std::vector<int> ends = ends_of(rows);
    const group_shape shape{.rows = ends.back(), .groups = std::ssize(rows), .tile_rows = 1, .cols = 2};
    const group_sequence sequence = heddle_test::sequences[combination / 7 % 3];
    CAPTURE(combination);
    REQUIRE(broken(prepared(shape, ends, 3, axis::y, sequence), rows, 1, 2) == "");
  }
}

TEST_CASE("Random groups are visited once, by preparations of several blocks and rounds", "[order]") {
  std::mt19937 random(11);
  for (int turn = 0; turn < 15; ++turn) {
    std::vector<int> rows(random() % 150);
    for (int& each : rows) each = random() % 3 == 0 ? 0 : static_cast<int>(random() % (random() % 20 == 0 ? 300 : 40));
    const int tile_rows = 1 + static_cast<int>(random() % 64), cols = static_cast<int>(random() % 4);
    CAPTURE(turn, rows.size(), tile_rows, cols);
    REQUIRE(broken(rows, tile_rows, cols, random() % 100, 32 + random() % 3 * 32, 5 + random() % 9) == "");
  }
  CHECK(broken({}, 4, 3) == "");
  CHECK(broken(std::vector<int>(70, 0), 4, 3) == "");
  CHECK(broken({3000}, 1, 1) == "");  // more tiles than a warp fills
  CHECK(broken({0, 2000, 1, 5000, 0}, 1, 2) == "");
  std::vector<int> large_and_small(60, 3);
  for (std::size_t group = 5; group < large_and_small.size(); group += 13) large_and_small[group] = 1100;
  CHECK(broken(large_and_small, 1, 1, 0, 64, 1) == "");
  // One that a warp fills, and the smallest that all threads fill.
  for (const int tiles : {1023, 1024, 1025, 1026}) {
    CAPTURE(tiles);
    for (const unsigned threads : {32u, 96u}) {
      CHECK(broken({tiles}, 1, 1, 0, threads, 1) == "");
      CHECK(broken({3, tiles, 0, 2 * tiles, 5}, 1, 1, 0, threads, 2) == "");
      CHECK(broken({7 * tiles - 3}, 7, 1, 0, threads, 1) == "");
    }
  }
}

TEST_CASE("Groups of equal weight stay as they are numbered, and weights count", "[order]") {
  heddle_test::counts_weights(prepare);
}

TEST_CASE("Lightest first mirrors heaviest first, and offsets weigh as their differences do", "[order]") {
  std::mt19937 random(31);
  for (int turn = 0; turn < 15; ++turn) {
    std::vector<int> rows(1 + random() % 140), weights(rows.size()), offsets{static_cast<int>(random() % 9)};
    for (std::size_t group = 0; group < rows.size(); ++group) {
      rows[group] = static_cast<int>(random() % 6);
      weights[group] = static_cast<int>(random() % 12) - 3;  // offsets may fall
      offsets.push_back(offsets.back() + weights[group]);
    }
    const group_shape shape{.rows = 1000, .groups = std::ssize(rows), .tile_rows = 2, .cols = 1};
    const auto weight_of = [&](int group) {
      const auto at = static_cast<unsigned>(group);
      return rows[at] * (std::max)(weights[at], 0);
    };
    std::vector<int> expected;
    for (int group = 0; group < std::ssize(rows); ++group) {
      if (rows[static_cast<unsigned>(group)] > 0) expected.push_back(group);
    }
    std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) { return weight_of(a) > weight_of(b); });
    CAPTURE(turn, rows.size());
    const auto check_by = [&](const auto& by) {
      const auto along = [&](group_sequence sequence) {
        return prepared(shape, ends_of(rows), 1, axis::x, sequence, 32 + random() % 2 * 32, by);
      };
      const prepared heaviest = along(group_sequence::heaviest_first), lightest = along(group_sequence::lightest_first);
      REQUIRE(heddle_test::groups_along(heaviest.order()) == expected);
      REQUIRE(heddle_test::groups_along(reversed{lightest.order()}) == expected);
      REQUIRE(broken(lightest, rows, 2, 1) == "");
    };
    check_by(weights.data());
    check_by(group_rows::offsets(offsets.data()));
  }
  // Differences past 32 bits, in either direction.
  const std::vector<int> offsets{0, -0x7fffffff, 0x7fffffff, -0x7fffffff, -0x7fffffff + 5};
  const prepared groups({.rows = 8, .groups = 4, .tile_rows = 1, .cols = 1}, {2, 4, 6, 8}, 1, axis::x,
                        group_sequence::heaviest_first, 32, group_rows::offsets(offsets.data()));
  CHECK(heddle_test::groups_along(groups.order()) == std::vector<int>{1, 3, 0, 2});
}

TEST_CASE("Reversed over lightest first, the longest tiles of a group come first in each band of columns", "[order]") {
  const std::vector<int> rows{9, 0, 4, 30, 1, 9}, keys{5, 7, 40, 3, 2, 5};
  const int tile_rows = 4, cols = 5, width = 2;
  const group_shape shape{.rows = 53, .groups = 6, .tile_rows = tile_rows, .cols = cols};
  const prepared groups(shape, ends_of(rows), width, axis::x, group_sequence::lightest_first, 32, keys.data());
  const reversed order{groups.order()};
  int bands = 0, last_group = -1, last_band = -1, last_row = -1;
  for (int i = 0; i < order.size(); ++i) {
    const group_coord tile = order(i);
    if (tile.group != last_group || tile.col / width != last_band) {
      ++bands;
      last_row = tile.row;
      CHECK(tile.row == ceil_div_of(rows[static_cast<unsigned>(tile.group)], tile_rows) - 1);
    }
    REQUIRE(tile.row <= last_row);
    last_group = tile.group, last_band = tile.col / width, last_row = tile.row;
  }
  CHECK(bands == 5 * 3);
  CHECK(heddle_test::groups_along(order) == std::vector<int>{2, 3, 0, 5, 4});
}

TEST_CASE("Ends that are wrong are counted, and their groups are empty", "[order]") {
  heddle_test::counts_wrong_ends(prepare);
}

TEST_CASE("Lengths, offsets and ends of three integer types name the rows that they say, and wrong ones are counted",
          "[order]") {
  for (const unsigned threads : {32u, 96u}) {
    heddle_test::reads_every_form([&](group_shape shape, const auto& rows, group_sequence sequence) {
      return prepared(shape, rows, 2, axis::y, sequence, threads);
    });
  }
}

TEST_CASE("Wrong ends are counted by preparations of several warps, blocks and rounds", "[order]") {
  std::mt19937 random(23);
  for (int turn = 0; turn < 8; ++turn) {
    std::vector<int> ends, rows;
    int end = 0, wrong = 0;
    for (int group = 0; group < 300; ++group) {
      const bool is_wrong = random() % 4 == 0;
      rows.push_back(is_wrong ? 0 : static_cast<int>(random() % 5));
      end += rows.back();
      ends.push_back(is_wrong ? -1 : end);
      wrong += is_wrong;
    }
    const group_shape shape{.rows = end, .groups = 300, .tile_rows = 2, .cols = 1};
    for (const group_sequence sequence : heddle_test::sequences) {
      const prepared groups(shape, ends, 1, axis::x, sequence, 96);
      CAPTURE(turn);
      CHECK(groups.found().wrong == wrong);
      REQUIRE(broken(groups, rows, 2, 1) == "");
    }
  }
}

TEST_CASE("A shape bounds its tiles, exactly where every group but one has one row", "[order]") {
  const auto most = [](long long rows, long long groups, long long tile_rows) {
    return group_shape{.rows = rows, .groups = groups, .tile_rows = tile_rows, .cols = 1}.most_row_tiles();
  };
  for (int rows = 0; rows <= 12; ++rows) {
    for (int groups = 1; groups <= 4; ++groups) {
      for (int tile_rows = 1; tile_rows <= 5; ++tile_rows) {
        int best = 0;
        std::vector<int> of(static_cast<unsigned>(groups));
        const auto all = [&](auto& self, int group, int left) -> void {
          if (group + 1 == groups) {
            int tiles = ceil_div_of(left, tile_rows);
            for (int i = 0; i < group; ++i) tiles += ceil_div_of(of[static_cast<unsigned>(i)], tile_rows);
            best = (std::max)(best, tiles);
            return;
          }
          for (int here = 0; here <= left; ++here) {
            of[static_cast<unsigned>(group)] = here;
            self(self, group + 1, left - here);
          }
        };
        all(all, 0, rows);
        CAPTURE(rows, groups, tile_rows);
        CHECK(most(rows, groups, tile_rows) == best);
      }
    }
  }
  CHECK(most(5, 0, 4) == 0);
}

TEST_CASE("Schedulers visit the tiles of groups once under adversarial interleavings", "[order]") {
  const std::vector<int> rows{9, 0, 4, 30, 1};
  const group_shape shape{.rows = 64, .groups = 5, .tile_rows = 4, .cols = 3};
  const prepared groups(shape, ends_of(rows), 2, axis::y, group_sequence::heaviest_first);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const laws::launches plan{.workers = 5, .resident = 3, .count = 3, .seed = seed};
    CHECK(laws::check_schedule(strided{groups.order()}, plan).failure == "");
    CHECK(laws::check_schedule(chunked{groups.order()}, plan).failure == "");
    std::vector<unsigned long long> state(ticket<>::state_bytes() / 8 + 1);
    CHECK(laws::check_schedule(ticket{groups.order(), state.data()}, plan).failure == "");
    std::vector<unsigned long long> runs(sm_affine<>::state_bytes() / 8 + 1);
    CHECK(laws::check_schedule(sm_affine{groups.order(), runs.data(), 3}, plan).failure == "");
    std::vector<unsigned long long> lanes(work_stealing<>::state_bytes() / 8 + 1);
    CHECK(laws::check_schedule(work_stealing{groups.order(), lanes.data()}, plan).failure == "");
  }
}

TEST_CASE("Groups refuse what cannot be right, and the host does not know their size", "[order]") {
  alignas(16) static char memory[1 << 12];
  const group_shape shape{.rows = 100, .groups = 4, .tile_rows = 16, .cols = 3};
  const grouped order{shape, memory};
  CHECK_THROWS_WITH(order.size(), "heddle::grouped: size() is known to the device alone; most_tiles(order) bounds it");
  CHECK(most_tiles(order) == (4 + 96 / 16) * 3);
  CHECK(most_tiles(reversed{order}) == 30);
  CHECK_THROWS_WITH(grouped(shape, nullptr), "heddle::grouped: state is null; it must point to device memory");
  CHECK_THROWS_WITH(grouped(shape, memory, 0), "heddle::grouped: width is 0; it must be at least 1");
  const auto refuses = [&](group_shape of, const char* why) { CHECK_THROWS_WITH(grouped::state_bytes(of), why); };
  refuses({.rows = -1, .groups = 4, .tile_rows = 16, .cols = 3},
          "heddle::group_shape: rows is -1; it must be at least 0");
  refuses({.rows = 1, .groups = -4, .tile_rows = 16, .cols = 3},
          "heddle::group_shape: groups is -4; it must be at least 0");
  refuses({.rows = 1, .groups = 4, .tile_rows = 0, .cols = 3},
          "heddle::group_shape: tile_rows is 0; it must be at least 1");
  refuses({.rows = 1, .groups = 4, .tile_rows = 1, .cols = -3},
          "heddle::group_shape: cols is -3; it must be at least 0");
  refuses({.rows = 1 << 20, .groups = 4, .tile_rows = 1, .cols = 1 << 12},
          "heddle::group_shape: tiles is 4294967296; it must be at most 2147483647");
}
