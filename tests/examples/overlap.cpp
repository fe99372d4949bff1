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

TEST_CASE("A rank makes its own sums last, as many tiles behind those that others make of them as a shard has",
          "[overlap]") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (int rows = 1; rows <= 40; ++rows) {
      for (const int cols : {1, 2, 5}) {
        const int of_shard = (rows + 2) / 3;  // rows of tiles
        const auto order = overlap::order_of_sums({.m = ranks * rows, .n = cols * 2, .k = 1, .ranks = ranks}, {3, 2});
        REQUIRE(order.size() == ranks * of_shard * cols);
        const int of_others = (ranks - 1) * of_shard, width = overlap::rows_of_band((std::max)(of_others, 1), 1);
        const int across = of_others <= 8 || of_shard % width == 0 ? 0 : width;  // rows of bands of several shards
        for (int i = 0; i < order.size(); ++i) {
          const heddle::coord tile = order(i);
          REQUIRE((tile.row >= of_others) == (i >= of_others * cols));
          REQUIRE(order.index(tile) == i);
          for (int row = tile.row - of_shard; tile.row >= of_others && row >= 0; row -= of_shard) {
            REQUIRE(i - order.index({row, tile.col}) >= (of_shard - across) * cols);
          }
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
  overlap::problem p{.m = 32, .n = 8, .k = 100, .ranks = 2, .pieces_of_shard = 1};  // 3200 bytes a shard: 3.2 seconds
  CHECK(overlap::predicted_seconds(p, slow, 0) == approx(3.2 + 2));
  p.pieces_of_shard = 2;  // the second comes after 3.2 seconds too, and the first after 1.6
  CHECK(overlap::predicted_seconds(p, slow, 1) == approx(3.2 + 1));
  p.pieces_of_shard = 4;  // of four rows, half a tile
  CHECK(overlap::predicted_seconds(p, slow, 1) == approx(3.2 + 1));
  for (int ranks : {1, 2, 4, 8}) {
    const overlap::problem of{.m = 1024, .n = 512, .k = 64, .ranks = ranks, .pieces_of_shard = 1};
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
  const overlap::problem four{.m = 32, .n = 8, .k = 100, .ranks = 4, .pieces_of_shard = 1};
  CHECK(overlap::predicted_seconds(four, {4.0, {8, 8}, 1, 1600, 0}, 2) == approx(4.0));
  CHECK(overlap::predicted_seconds(four, {4.0, {8, 8}, 1, 160, 0}, 2) == approx(31.0));
}

TEST_CASE("Pieces are the fewest that are predicted to take at most 1 % longer than the best", "[overlap]") {
  const overlap::problem shapes[] = {{.m = 8192, .n = 7168, .k = 4096},
                                     {.m = 16384, .n = 14336, .k = 8192},
                                     {.m = 2048, .n = 8192, .k = 8192},
                                     {.m = 3 * 1000, .n = 4096, .k = 512}};
  for (const int ranks : {2, 3, 4, 6, 8}) {
    for (overlap::problem p : shapes) {
      if (p.m % ranks != 0) continue;
      p.ranks = ranks;
      const int most = p.pieces_of_shard = overlap::most_pieces(p);
      for (const double rate : {1e13, 360e9, 50e9, 20e9, 5e9}) {
        for (const double of_copy : {0.0, 4e-6, 1e-3}) {
          const overlap::conditions on{2.0 * p.m * p.n * p.k / 720e12, {256, 256}, 66, rate, of_copy};
          const int chosen = overlap::best_pieces(p, on, 0);
          REQUIRE(most % chosen == 0);
          const auto seconds_in = [&](int pieces) {
            overlap::problem in = p;
            in.pieces_of_shard = pieces;
            return overlap::predicted_seconds(in, on, 0);
          };
          double best = 1e30;
          for (int pieces = 1; pieces <= most; pieces *= 2) best = std::min(best, seconds_in(pieces));
          CHECK(seconds_in(chosen) <= 1.01 * best);
          if (chosen > 1) CHECK(seconds_in(chosen / 2) > 1.01 * best);
          if (rate == 1e13) CHECK(chosen == 1);
        }
      }
    }
  }
  // Over a slow link rows are waited for, and the first piece of the last shard is there sooner.
  overlap::problem slow{.m = 8192, .n = 7168, .k = 4096, .ranks = 2, .pieces_of_shard = 8};
  CHECK(overlap::best_pieces(slow, {668e-6, {256, 256}, 66, 20e9, 4e-6}, 0) > 1);
  CHECK(overlap::best_pieces(slow, {668e-6, {256, 256}, 66, 360e9, 4e-6}, 0) == 1);
}

TEST_CASE("A rank may send as many pieces as divide its shard and have flags, and one that is stored", "[overlap]") {
  for (int ranks = 1; ranks <= 32; ++ranks) {
    for (int rows = 1; rows <= 64; ++rows) {
      for (const int k : {8, 8192, 65536}) {
        const overlap::problem p{.m = ranks * rows, .n = 8, .k = k, .ranks = ranks};
        const int most = overlap::most_pieces(p);
        REQUIRE((most == 1 || most == 2 || most == 4 || most == 8));
        REQUIRE(rows % most == 0);
        REQUIRE(ranks * most + ranks - 1 <= 64);
        const bool may_be_more = most < 8 && rows % (2 * most) == 0 && ranks * 2 * most + ranks <= 64;
        REQUIRE((most == 1 || p.bytes_of_shard() > overlap::most_stored));
        REQUIRE((p.bytes_of_shard() <= overlap::most_stored || !may_be_more));
      }
    }
  }
}
