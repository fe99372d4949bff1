// The order of a product of several GPUs, and what is predicted of its time.

#include <overlap/prediction.hpp>

#include "test.hpp"

using heddle_test::approx;

namespace {

int first_row(const overlap::problem& p, int rank) {
  return rank * p.rows_of_shard();
}

}  // namespace

TEST_CASE("A rank makes all tiles of its own rows first, and then those of the ranks after it", "[overlap]") {
  for (int ranks = 1; ranks <= 5; ++ranks) {
    for (int tiles_of_shard = 1; tiles_of_shard <= 17; ++tiles_of_shard) {
      for (const int cols : {1, 2, 5}) {
        const overlap::problem p{.m = ranks * tiles_of_shard * 3, .n = cols * 2, .k = 1, .ranks = ranks};
        for (int rank = 0; rank < ranks; ++rank) {
          const auto order = overlap::order_of(p, {3, 2}, rank);
          REQUIRE(order.size() == ranks * tiles_of_shard * cols);
          std::set<std::pair<int, int>> seen;
          for (int i = 0; i < order.size(); ++i) {
            const heddle::coord tile = order(i);
            REQUIRE(tile.row / tiles_of_shard == (rank + i / (tiles_of_shard * cols)) % ranks);
            seen.insert({tile.row, tile.col});
          }
          REQUIRE(seen.size() == static_cast<std::size_t>(order.size()));
        }
      }
    }
  }
}

TEST_CASE("A rank begins with its own rows where shards end in the middle of a tile", "[overlap]") {
  const overlap::problem p{.m = 5 * 37, .n = 64, .k = 1, .ranks = 5};
  for (int rank = 0; rank < 5; ++rank) {
    const heddle::coord tile = overlap::order_of(p, {16, 16}, rank)(0);
    CHECK(tile.row * 16 <= first_row(p, rank) + p.rows_of_shard());
    CHECK((tile.row + 1) * 16 > first_row(p, rank));
  }
}

TEST_CASE("What is predicted of a product that begins with what is here", "[overlap]") {
  // Two ranks with two rows of tiles each, of one column; one worker, and a second a tile.
  const overlap::conditions slow{4.0, {8, 8}, 1, 1e3, 0};
  overlap::problem p{.m = 32, .n = 8, .k = 100, .ranks = 2};  // 3200 bytes a shard: 3.2 seconds
  CHECK(overlap::predicted_seconds(p, slow, 0) == approx(3.2 + 2));
  p.pieces_of_shard = 2;  // the second comes after 3.2 seconds too, and the first after 1.6
  CHECK(overlap::predicted_seconds(p, slow, 1) == approx(3.2 + 1));
  p.pieces_of_shard = 4;  // of four rows, half a tile
  CHECK(overlap::predicted_seconds(p, slow, 1) == approx(3.2 + 1));
  for (int ranks : {1, 2, 4, 8}) {
    const overlap::problem of{.m = 1024, .n = 512, .k = 64, .ranks = ranks};
    double before = 0;
    for (const double rate : {1e18, 1e12, 1e9, 1e6}) {
      const overlap::conditions on{1e-3, {64, 64}, 13, rate, 0};
      const double seconds = overlap::predicted_seconds(of, on, ranks - 1);
      CHECK(seconds >= before);
      if (before == 0 || ranks == 1) CHECK(seconds == approx(1e-3));
      before = seconds;
    }
  }
  // The third rank of four receives from the fourth first, which sends to it first; then from the first and the second.
  const overlap::problem four{.m = 32, .n = 8, .k = 100, .ranks = 4};
  CHECK(overlap::predicted_seconds(four, {4.0, {8, 8}, 1, 1600, 0}, 2) == approx(4.0));
  CHECK(overlap::predicted_seconds(four, {4.0, {8, 8}, 1, 160, 0}, 2) == approx(31.0));
}
