// Traffic of, and advice for, work that is not one rectangle: batches, groups and causal passes.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <heddle/laws/check_costs.hpp>
#include <heddle/order.hpp>
#include <heddle/predict.hpp>

#include "../test.hpp"
#include "by_table.hpp"
#include "naive.hpp"
#include "order/groups_on_host.hpp"
#include "refusal.hpp"
#include "sanitized.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

// The headers number stripes and keep a log; these name what is read, and keep lists.

/// What a tile reads in one step, in the order in which all blocks of a wave read it: the first pieces of all tiles,
/// then the second ones.
struct piece {
  key name;
  long long bytes;
};

/// Replays tiles whose pieces in a step are `pieces(tile, step, turn)`, in blocks that may drift apart.
template <class Tile, class Pieces, class Written>
std::vector<wave_traffic> naive_replay(const std::vector<std::vector<Tile>>& waves, int steps, int turns,
                                       const Pieces& pieces, const Written& written, long long cache_bytes,
                                       bool drifts = false) {
  naive_lru cache(cache_bytes);
  std::vector<wave_traffic> result;
  for (const auto& wave : waves) {
    wave_traffic bytes;
    naive_drift drift;
    for (const Tile tile : wave) bytes.written_bytes += written(tile);
    for (int step = 0; step < steps; ++step) {
      std::set<key> seen;
      for (int turn = 0; turn < turns; ++turn) {
        for (const Tile tile : wave) {
          for (const auto& [name, of_piece] : pieces(tile, step, turn)) {
            const key stripe{std::get<0>(name), std::get<1>(name), 0};
            if (step == 0) drift.need(stripe);
            bytes.requested_bytes += of_piece;
            if (!seen.insert(name).second) continue;
            const long long read = cache.touch(name, of_piece);
            bytes.dram_bytes += read, drift.read(stripe, read);
          }
        }
      }
    }
    if (drifts) bytes.dram_bytes += drift.again(bytes.dram_bytes, cache_bytes);
    result.push_back(bytes);
  }
  return result;
}

/// Counts the elements of one tile along one direction.
int elements(int place, int tile, int size) {
  int count = 0;
  for (int i = 0; i < size; ++i) count += i / tile == place ? 1 : 0;
  return count;
}

int steps_of(int size, int tile) {
  return (size + tile - 1) / tile;
}

std::vector<wave_traffic> naive_replay(const batched_problem& p, const std::vector<std::vector<batch_coord>>& waves,
                                       long long cache_bytes) {
  const gemm_problem& plane = p.plane;
  const auto matrix = [](int batch, int sharing) {  // which one a plane reads
    int number = 0;
    for (int i = 1; i <= batch; ++i) number += i % sharing == 0 ? 1 : 0;
    return number;
  };
  const auto pieces = [&](batch_coord tile, int step, int turn) {
    const int depth = elements(step, plane.tile_k, plane.k);
    const int thick = turn == 0 ? elements(tile.row, plane.tile_m, plane.m) : elements(tile.col, plane.tile_n, plane.n);
    const int number = matrix(tile.batch, turn == 0 ? p.planes_per_a : p.planes_per_b);
    return std::vector{
        piece{{2 * number + turn, turn == 0 ? tile.row : tile.col, step}, 1LL * thick * depth * plane.element_bytes}};
  };
  const auto written = [&](batch_coord tile) {
    return 1LL * elements(tile.row, plane.tile_m, plane.m) * elements(tile.col, plane.tile_n, plane.n) *
           plane.output_bytes;
  };
  return naive_replay(waves, steps_of(plane.k, plane.tile_k), 2, pieces, written, cache_bytes,
                      plane.blocks_per_tile == 1);
}

std::vector<wave_traffic> naive_replay(const grouped_problem& p, const std::vector<std::vector<group_coord>>& waves,
                                       long long cache_bytes) {
  const auto rows = [&](group_coord tile) {
    return elements(tile.row, p.tile_m, p.rows[static_cast<unsigned>(tile.group)]);
  };
  const auto pieces = [&](group_coord tile, int step, int turn) {
    const int thick = turn == 0 ? rows(tile) : elements(tile.col, p.tile_n, p.n);
    return std::vector{piece{{2 * tile.group + turn, turn == 0 ? tile.row : tile.col, step},
                             1LL * thick * elements(step, p.tile_k, p.k) * p.element_bytes}};
  };
  const auto written = [&](group_coord tile) {
    return 1LL * rows(tile) * elements(tile.col, p.tile_n, p.n) * p.output_bytes;
  };
  return naive_replay(waves, steps_of(p.k, p.tile_k), 2, pieces, written, cache_bytes, p.blocks_per_tile == 1);
}

/// Returns whether a query sees a key: the last one sees the last key, and each before it one key less.
bool sees(const causal_problem& p, int query, int key) {
  return p.queries - 1 - query <= p.keys - 1 - key;
}

/// Returns whether some query of a tile sees some key of a step.
bool sees_step(const causal_problem& p, int row, int step) {
  for (int query = 0; query < p.queries; ++query) {
    for (int key = 0; key < p.keys; ++key) {
      if (query / p.tile_queries == row && key / p.tile_keys == step && sees(p, query, key)) return true;
    }
  }
  return false;
}

std::vector<wave_traffic> naive_replay(const causal_problem& p, const std::vector<std::vector<coord>>& waves,
                                       long long cache_bytes) {
  const long long vector_bytes = 1LL * p.width * p.element_bytes;
  std::map<std::pair<int, int>, bool> is_seen;
  for (int row = 0; row < steps_of(p.queries, p.tile_queries); ++row) {
    for (int step = 0; step < steps_of(p.keys, p.tile_keys); ++step) is_seen[{row, step}] = sees_step(p, row, step);
  }
  const auto written = [&](coord tile) { return vector_bytes * elements(tile.row, p.tile_queries, p.queries); };
  const auto pieces = [&](coord tile, int step, int) {
    std::vector<piece> read;
    if (step == 0) read.push_back({{-1, tile.row, tile.col}, written(tile)});
    int key_head = 0;
    for (int head = 1; head <= tile.col; ++head) key_head += head % (p.heads / p.key_heads) == 0 ? 1 : 0;
    if (is_seen[{tile.row, step}]) {
      read.push_back({{0, key_head, step}, 2 * vector_bytes * elements(step, p.tile_keys, p.keys)});
    }
    return read;
  };
  return naive_replay(waves, (std::max)(1, steps_of(p.keys, p.tile_keys)), 1, pieces, written, cache_bytes);
}

std::vector<wave_traffic> naive_replay(const pairs_problem& p, const std::vector<std::vector<coord>>& waves,
                                       long long cache_bytes) {
  std::map<std::pair<int, int>, std::set<int>> things;  // of the pairs of a tile
  std::map<std::pair<int, int>, long long> pairs;
  for (int i = 0; i < p.things; ++i) {
    for (int j = i + 1; j < p.things; ++j) {
      const std::pair tile{i / p.tile_things, j / p.tile_things};
      things[tile].insert({i, j});
      ++pairs[tile];
    }
  }
  const auto pieces = [&](coord tile, int step, int) {
    std::map<int, long long> of_stripe;
    for (const int thing : things[{tile.row, tile.col}]) {
      of_stripe[thing / p.tile_things] += elements(step, p.step_elements, p.elements) * p.element_bytes;
    }
    std::vector<piece> read;
    for (const auto& [stripe, bytes] : of_stripe) {
      if (bytes > 0) read.push_back({{0, stripe, step}, bytes});
    }
    return read;
  };
  const auto written = [&](coord tile) { return pairs[{tile.row, tile.col}] * p.pair_bytes; };
  return naive_replay(waves, (std::max)(1, steps_of(p.elements, p.step_elements)), 1, pieces, written, cache_bytes);
}

/// Checks the traffic of an order against the naive replay, and what must hold of any replay.
template <class Order, class Problem>
void check_traffic(dice& roll, const Order& order, const Problem& p) {
  const int blocks = roll(1, 9);
  long long cache = roll(0, static_cast<int>((std::min)(2 * p.compulsory_bytes() + 1, 100'000'000LL)));
  if (roll(0, 9) == 0) cache = 0;
  if (roll(0, 9) == 0) cache = endless;
  const auto schedule = static_cast<recipe::schedule_kind>(roll(0, 3));
  std::vector<tile_of<Order>> tiles;
  for (int i = 0; i < order.size(); ++i) tiles.push_back(order(i));
  const auto waves = naive_waves(tiles, blocks, schedule);
  CAPTURE(blocks, cache, to_string(schedule));
  const traffic_report seen = traffic(order, p, blocks, cache, {.schedule = schedule});
  REQUIRE(seen.waves == naive_replay(p, waves, cache));
  REQUIRE(traffic(order, p, blocks, endless, {.schedule = schedule}).total.dram_bytes == p.compulsory_bytes());
  REQUIRE(seen.compulsory_bytes == p.compulsory_bytes());

  auto coarse = p.coarse_replay(endless);
  long long read = 0;
  for (const auto& wave : waves) read += coarse(wave).dram_bytes;
  REQUIRE(read == p.compulsory_bytes());
}

batched_problem some_batch(dice& roll) {
  return {.plane = {.m = roll(0, 20),
                    .n = roll(0, 20),
                    .k = roll(0, 20),
                    .tile_m = roll(1, 8),
                    .tile_n = roll(1, 8),
                    .tile_k = roll(1, 8),
                    .element_bytes = roll(1, 4),
                    .blocks_per_tile = roll(1, 2)},
          .count = roll(0, 7),
          .planes_per_a = roll(1, 4),
          .planes_per_b = roll(1, 8)};
}

grouped_problem some_groups(dice& roll) {
  std::vector<int> rows(static_cast<unsigned>(roll(0, 6)));
  for (int& of_group : rows) of_group = roll(0, 3) == 0 ? 0 : roll(1, 25);
  const int tile_m = roll(1, 8);
  return {.rows = rows,
          .n = roll(0, 20),
          .k = roll(0, 20),
          .tile_m = tile_m,
          .tile_n = roll(1, 8),
          .tile_k = roll(1, 8),
          .element_bytes = roll(1, 4),
          .step_rows = roll(0, 1) == 0 ? tile_m : roll(1, 8),
          .blocks_per_tile = roll(1, 2)};
}

causal_problem some_pass(dice& roll) {
  const int key_heads = roll(1, 4);
  return {.queries = roll(0, 40),
          .keys = roll(0, 60),
          .heads = key_heads * roll(0, 4),
          .key_heads = key_heads,
          .width = roll(1, 8),
          .tile_queries = roll(1, 9),
          .tile_keys = roll(1, 20),
          .element_bytes = roll(1, 4)};
}

pairs_problem some_pairs(dice& roll) {
  return {.things = roll(0, 60),
          .elements = roll(0, 20),
          .tile_things = roll(1, 9),
          .step_elements = roll(1, 9),
          .element_bytes = roll(1, 4),
          .pair_bytes = roll(0, 4)};
}

groups_on_host on_host(const grouped_problem& p, int width = 1, axis along = axis::y,
                       group_sequence sequence = group_sequence::as_numbered) {
  return {p.shape(), p.ends(), width, along, sequence};
}

// Each calls f with the order that an advice names, or with the plain one.
template <class F>
void with_advised(const advice& a, const batched_problem& p, const F& f) {
  by_table(a, p.plane.grid(), [&](const auto& order) { f(batched{order, p.count, a.interleave}); });
}
template <class F>
void with_advised(const advice& a, const grouped_problem& p, const F& f) {
  CHECK(a.order == recipe::thread_group_tiling);
  f(on_host(p, a.width, a.axis, a.sequence).order());
}
template <class F>
void with_advised(const advice& a, const causal_problem& p, const F& f) {
  by_table(a, p.grid(), f);
}
template <class F>
void with_plain(const batched_problem& p, const F& f) {
  f(batched{row_major{p.plane.grid()}, p.count});
}
template <class F>
void with_plain(const grouped_problem& p, const F& f) {
  f(on_host(p).order());
}
template <class F>
void with_plain(const causal_problem& p, const F& f) {
  f(column_major{p.grid()});
}

bool is_near(double value, double target, double share) {
  return std::abs(value - target) <= share * std::abs(target);
}

/// Checks an advice against the replay and the makespan of the orders that it names.
template <class Problem>
advice check_advice(const Problem& p, const device& chip, int blocks, double tolerance = 0) {
  const advice a = advise(p, chip, blocks);
  CAPTURE(to_string(a), a.reason);
  const auto check = [&](const auto& order, recipe::schedule_kind schedule, long long bytes, double idle_share) {
    const wave_traffic moved = traffic(order, p, chip, blocks).total;
    CHECK(is_near(static_cast<double>(bytes), static_cast<double>(moved.dram_bytes + moved.written_bytes), tolerance));
    const auto cost = [&](const auto& tile) { return p.cost(tile); };
    const makespan_report launch = makespan(order, cost, {chip.multiprocessors * blocks}, {.schedule = schedule});
    return std::abs(idle_share - launch.idle_share()) < 0.002;
  };
  with_advised(a, p, [&](const auto& order) { CHECK(check(order, a.schedule, a.predicted_bytes, a.idle_share)); });
  with_plain(p, [&](const auto& order) {  // by a schedule that the problem's rules allow
    const auto is_of = [&](recipe::schedule_kind by) { return check(order, by, a.plain_bytes, a.plain_idle_share); };
    CHECK((is_of(recipe::one_shot) || is_of(recipe::strided) || is_of(recipe::ticket)));
  });
  CHECK(a.predicted_seconds <= a.plain_seconds);
  CHECK(!a.reason.empty());
  return a;
}

device some_chip(dice& roll, const device& like = h200()) {
  device chip = like;
  chip.multiprocessors = roll(1, 6);
  chip.l2_bytes = roll(0, 4000);
  chip.l2_copies = 1;
  chip.dram_bytes_per_second = 1e9 * roll(1, 20);
  chip.matrix_operations_per_second = 1e9 * roll(1, 200);
  return chip;
}

const batched_problem layers{
    .plane = {.m = 512, .n = 4096, .k = 4096}, .count = 64, .planes_per_a = 1, .planes_per_b = 64};
const grouped_problem experts{.rows = {700, 0, 90, 2300, 128, 411}, .n = 2048, .k = 4096};
const causal_problem pass{.queries = 16384, .keys = 16384, .heads = 32, .key_heads = 8};

}  // namespace

TEST_CASE("A batched product reads what lists say, piece by piece", "[predict]") {
  dice roll;
  for (int i = 0; i < 300; ++i) {
    const batched_problem p = some_batch(roll);
    CAPTURE(i, p.count, p.planes_per_a, p.planes_per_b, p.plane.m, p.plane.n, p.plane.k);
    const int interleave = roll(1, 5);
    with_some_order(roll, p.plane.grid(), [&](const auto& order) {
      if (interleave == 1) {
        check_traffic(roll, batched{order, p.count}, p);
      } else {
        check_traffic(roll, batched{order, p.count, interleave}, p);
      }
    });
  }
}

TEST_CASE("A grouped product reads what lists say, piece by piece", "[predict]") {
  dice roll;
  for (int i = 0; i < 300; ++i) {
    const grouped_problem p = some_groups(roll);
    CAPTURE(i, p.rows, p.n, p.k, p.tile_m, p.tile_n);
    const auto sequence = roll(0, 1) == 0 ? group_sequence::as_numbered : group_sequence::heaviest_first;
    const groups_on_host of = on_host(p, roll(1, 5), roll(0, 1) == 0 ? axis::x : axis::y, sequence);
    check_traffic(roll, of.order(), p);
  }
}

TEST_CASE("A causal pass reads what lists say, piece by piece", "[predict]") {
  dice roll;
  for (int i = 0; i < 300; ++i) {
    const causal_problem p = some_pass(roll);
    CAPTURE(i, p.queries, p.keys, p.heads, p.key_heads, p.tile_queries, p.tile_keys);
    with_some_order(roll, p.grid(), [&](const auto& order) {
      check_traffic(roll, order, p);
      check_traffic(roll, reversed{order}, p);
    });
  }
}

TEST_CASE("Pairs read what lists say, piece by piece", "[predict]") {
  const pairs_problem distances{.things = 1000, .elements = 100};
  CHECK(distances.space().size() == 16 * 17 / 2);
  dice roll;
  for (int i = 0; i < 300; ++i) {
    const pairs_problem p = some_pairs(roll);
    CAPTURE(i, p.things, p.elements, p.tile_things, p.step_elements);
    const triangle space = p.space();
    with_some_order(roll, space.folded(), [&](const auto& order) {
      check_traffic(roll, triangular{order, space}, p);
      check_traffic(roll, reversed{triangular{order, space}}, p);
    });
  }
}

TEST_CASE("Steps in which tiles read nothing are work of a replay", "[predict]") {
  const causal_problem blind{.queries = 100'000, .keys = 40 * 128, .heads = 1};  // the first queries see no key
  auto replay = blind.replay(endless);
  replay(std::vector<coord>(100));
  CHECK(replay.cells_read() >= 100 * 40 / 4);
}

TEST_CASE("A batch of one and a single group are a product", "[predict]") {
  dice roll;
  for (int i = 0; i < 100; ++i) {
    gemm_problem one = some_batch(roll).plane;
    one.output_bytes = roll(0, 3);
    const batched_problem batch_of_one{.plane = one, .count = 1};
    const grouped_problem group{.rows = {one.m},
                                .n = one.n,
                                .k = one.k,
                                .tile_m = one.tile_m,
                                .tile_n = one.tile_n,
                                .tile_k = one.tile_k,
                                .element_bytes = one.element_bytes,
                                .output_bytes = one.output_bytes,
                                .blocks_per_tile = one.blocks_per_tile};
    const int blocks = roll(1, 9), cache = roll(0, 2000), width = roll(1, 5);
    const axis along = roll(0, 1) == 0 ? axis::x : axis::y;
    const thread_group_tiling order{one.grid(), width, along};
    const traffic_report expected = traffic(order, one, blocks, cache);
    CHECK(traffic(batched{order, 1}, batch_of_one, blocks, cache).waves == expected.waves);
    CHECK(batch_of_one.compulsory_bytes() == one.compulsory_bytes());
    CHECK(traffic(on_host(group, width, along).order(), group, blocks, cache).waves == expected.waves);
    if (one.m > 0) CHECK(group.compulsory_bytes() == one.compulsory_bytes());
  }
  const gemm_problem square{.m = 8192, .n = 8192, .k = 8192};
  const advice of_one = advise(batched_problem{.plane = square, .count = 1}, h200());
  CHECK(to_string(of_one) == to_string(advise(square, h200())));
  CHECK(is_near(static_cast<double>(of_one.predicted_bytes),
                static_cast<double>(advise(square, h200()).predicted_bytes), 0.001));
}

TEST_CASE("Tiles of groups on the host are those of a list", "[predict]") {
  dice roll;
  for (int i = 0; i < 200; ++i) {
    const grouped_problem p = some_groups(roll);
    const group_tiles tiles = p.space();
    int number = 0;
    for (int group = 0; group < static_cast<int>(p.rows.size()); ++group) {
      const int cols = steps_of(p.n, p.tile_n);
      for (int row = 0; row * p.tile_m < p.rows[static_cast<unsigned>(group)]; ++row) {
        for (int col = 0; col < cols; ++col) {
          const group_coord tile{group, row, col};
          CHECK(tiles.tile(number) == tile);
          CHECK(tiles.number(tile) == number++);
          CHECK(tiles.contains(tile));
          CHECK(!tiles.contains({group, row, cols}));
          CHECK(!tiles.contains({group, row, -1}));
        }
      }
      CHECK(!tiles.contains({group, steps_of(p.rows[static_cast<unsigned>(group)], p.tile_m), 0}));
      CHECK(!tiles.contains({group, -1, 0}));
    }
    CHECK(tiles.size() == number);
    CHECK(!tiles.contains({-1, 0, 0}));
    CHECK(!tiles.contains({static_cast<int>(p.rows.size()), 0, 0}));
  }
}

TEST_CASE("Costs count whole steps of what a tile multiplies", "[predict]") {
  dice roll;
  for (int i = 0; i < 200; ++i) {
    const causal_problem p = some_pass(roll);
    for (int row = 0; row < p.grid().rows; ++row) {
      int steps = 0;
      for (int step = 0; step * p.tile_keys < p.keys; ++step) steps += sees_step(p, row, step) ? 1 : 0;
      const double keys = 1.0 * steps * p.tile_keys;
      CHECK(p.cost({row, 0}) == 4 * p.tile_queries * keys * p.width * (p.element_bytes / 2.0));
    }
    const grouped_problem g = some_groups(roll);
    const group_tiles tiles = g.space();
    for (int number = 0; number < tiles.size(); ++number) {
      const group_coord tile = tiles.tile(number);
      const int rows = elements(tile.row, g.tile_m, g.rows[static_cast<unsigned>(tile.group)]);
      int multiplied = 0;
      while (multiplied < rows) multiplied += g.step_rows;
      CHECK(g.cost(tile) == 2.0 * multiplied * g.tile_n * g.k * (g.element_bytes / 2.0));
    }
  }
  CHECK(layers.cost({0, 0, 0}) == 2.0 * 128 * 128 * 4096);
}

TEST_CASE("An advice is what replay and makespan say of its order, and never slower than the plain one", "[predict]") {
  dice roll;
  for (int i = 0; i < 100; ++i) {
    const int blocks = roll(1, 3);
    CAPTURE(i, blocks);
    check_advice(some_batch(roll), some_chip(roll), blocks);
    check_advice(some_groups(roll), some_chip(roll), blocks);
    check_advice(some_pass(roll), some_chip(roll), blocks);
  }
}

TEST_CASE("A large advice is near what a replay of all steps and planes says", "[predict]") {
  check_advice(layers, h200(), 1, 0.02);
  check_advice(experts, h200(), 1, 0.02);
  check_advice(pass, h200(), 1, 0.05);
  check_advice(batched_problem{.plane = {.m = 1024, .n = 2048, .k = 512}, .count = 300, .planes_per_b = 300}, h200(), 1,
               0.05);
  check_advice(batched_problem{.plane = {.m = 256, .n = 8192, .k = 1024}, .count = 500, .planes_per_a = 4}, h200(), 2,
               0.05);
  check_advice(causal_problem{.queries = 2048, .keys = 3000, .heads = 2048, .key_heads = 512}, h200(), 1, 0.05);
  std::vector<int> rows;
  for (int i = 0; i < 300; ++i) rows.push_back(i * i % 1999);
  check_advice(grouped_problem{.rows = rows, .n = 4096, .k = 2048, .step_rows = 16}, h200(), 1, 0.05);
}

TEST_CASE("A causal pass is advised sections of heads, heaviest first", "[predict]") {
  const advice best = advise(pass, h200());
  CHECK(to_string(best) == "thread_group_tiling, width 4, axis x, reversed, late_ticket");
  CHECK(best.idle_share < 0.01);
  CHECK(best.plain_idle_share > 0.03);
  CHECK(
      best.reason ==
      "thread_group_tiling, width 4, axis x, reversed, late_ticket takes 2.76 ms and moves 336 MB to and from DRAM, with "
      "blocks idle for 0.1 % of the time; the plain order takes 2.90 ms and moves 336 MB, with blocks idle for 3.6 % of "
      "the time. In the plain order 99 % of what blocks read hits L2, and alone at the device's rates DRAM needs 79.9 µs, "
      "L2 1.52 ms, arithmetic 2.86 ms: arithmetic takes longest.");

  dice roll;
  for (int i = 0; i < 50; ++i) {
    causal_problem p = some_pass(roll);
    p.heads = p.key_heads * 8;
    const advice a = advise(p, some_chip(roll), 1);
    CAPTURE(to_string(a), p.heads, p.key_heads);
    if (!a.reversed) continue;
    CHECK((a.width % (p.heads / p.key_heads) == 0 || a.width == p.heads));
    const int rest = p.heads % a.width * p.grid().rows;  // the narrow band, which comes first
    const reversed order{thread_group_tiling{p.grid(), a.width}};
    const auto cost = [&](coord tile) { return p.cost(tile); };
    if (rest == 0 && p.grid().size() > 0) {
      CHECK(laws::check_costs(order, cost, a.width * p.grid().rows).failure == "");
    }
    for (int tile = 1; tile < order.size(); ++tile) {
      const bool begins = tile == rest || (tile > rest && (tile - rest) % (a.width * p.grid().rows) == 0);
      if (!begins) CHECK(cost(order(tile)) <= cost(order(tile - 1)));
    }
  }
}

TEST_CASE("Blocks of a long launch idle as long as its makespan says", "[predict]") {
  const causal_problem long_pass{.queries = 131072, .keys = 131072, .heads = 33};  // 33,792 tiles
  const advice a = advise(long_pass, h200());
  const auto cost = [&](coord tile) { return long_pass.cost(tile); };
  const double idle =
      makespan(thread_group_tiling{long_pass.grid(), 1, axis::x}, cost, {132}, {.schedule = recipe::one_shot})
          .idle_share();
  CHECK(idle > 0.002);
  CHECK(std::abs(a.plain_idle_share - idle) < 0.001);
}

TEST_CASE("Planes that share a matrix are taken in turn, and others are not", "[predict]") {
  const advice of_layers = advise(layers, h200());
  CHECK(of_layers.interleave > 1);
  CHECK(of_layers.predicted_bytes < of_layers.plain_bytes);
  batched_problem own = layers;
  own.planes_per_b = 1;
  CHECK(advise(own, h200()).interleave == 1);
}

TEST_CASE("Groups are advised ticket if their ends are short, and strided if all tiles are even", "[predict]") {
  grouped_problem p{.rows = std::vector<int>(64, 3 * 128 + 16), .n = 4096, .k = 4096};
  CHECK(advise(p, h200()).schedule == recipe::strided);
  p.step_rows = 16;
  const advice uneven = advise(p, h200());
  CHECK(uneven.schedule == recipe::ticket);
  CHECK(uneven.predicted_seconds <
        advise(grouped_problem{.rows = p.rows, .n = 4096, .k = 4096}, h200()).predicted_seconds);
  p.rows = {100};
  CHECK(advise(p, h200()).schedule == recipe::one_shot);  // one wave
  p.rows.assign(64, 100);
  CHECK(!advise(p, h200()).matters);  // a group is a row of tiles

  const advice of_experts = advise(experts, h200());
  const group_tiles tiles = experts.space();
  CHECK(tiles.size() > 132);
  CHECK(of_experts.schedule == recipe::strided);
  CHECK(of_experts.predicted_seconds <= of_experts.plain_seconds);
}

TEST_CASE("Heaviest groups are advised first only where DRAM idles for half of the time", "[predict]") {
  grouped_problem p{.rows = {1243, 105, 1572}, .n = 4096, .k = 2048, .step_rows = 16};
  CHECK(advise(p, h200()).sequence == group_sequence::heaviest_first);

  // 128 experts by Zipf's law: whole tiles first would gain idle time, and leave the groups that wait for their B.
  p = {.rows = {}, .n = 1536, .k = 2048, .tile_n = 256, .step_rows = 64};
  for (int expert = 0; expert < 128; ++expert) p.rows.push_back(6030 / (1 + 37 * expert % 128));
  const advice skewed = advise(p, h200());
  CHECK(skewed.idle_share > 0.03);
  CHECK(skewed.sequence == group_sequence::as_numbered);
}

TEST_CASE("The advice in docs/spaces.md is what it says", "[predict]") {
  const grouped_problem of_page{.rows = {700, 0, 90, 2300, 128, 411, 1650, 37}, .n = 4096, .k = 4096, .step_rows = 64};
  CHECK(
      advise(of_page, h200()).reason ==
      "thread_group_tiling, width 4, axis x, ticket takes 240 µs and moves 389 MB to and from DRAM, with blocks idle for "
      "1.9 % of the time; the plain order takes 286 µs and moves 649 MB, with blocks idle for 6.3 % of the time. In the "
      "plain order 79 % of what blocks read hits L2, and alone at the device's rates DRAM needs 155 µs, L2 250 µs, "
      "arithmetic 242 µs: L2 takes longest.");
  const causal_problem short_pass{.queries = 4096, .keys = 4096, .heads = 32, .key_heads = 8};
  CHECK(
      advise(short_pass, h200()).reason ==
      "thread_group_tiling, width 4, axis x, reversed, late_ticket takes 176 µs and moves 83.9 MB to and from DRAM, with "
      "blocks idle for 0.0 % of the time; the plain order takes 216 µs and moves 83.9 MB, with blocks idle for 14.1 % of "
      "the time. In the plain order 96 % of what blocks read hits L2, and alone at the device's rates DRAM needs 20.0 µs, "
      "L2 101 µs, arithmetic 205 µs: arithmetic takes longest.");
}

TEST_CASE("Without the device's rates bytes and idle time count alike", "[predict]") {
  device chip = h200();
  chip.matrix_operations_per_second = 0;
  for (const advice& a : {advise(layers, chip), advise(experts, chip), advise(pass, chip)}) {
    CHECK(a.predicted_seconds == 0);
    CHECK(a.plain_seconds == 0);
  }
  CHECK(advise(layers, chip).predicted_bytes < advise(layers, chip).plain_bytes);
  CHECK(advise(pass, chip).idle_share < advise(pass, chip).plain_idle_share);
}

TEST_CASE("Advice for nothing is a plain order", "[predict]") {
  for (const advice& a : {advise(batched_problem{.plane = {.m = 128, .n = 128, .k = 64}, .count = 0}, h200()),
                          advise(grouped_problem{.rows = {}, .n = 128, .k = 64}, h200()),
                          advise(grouped_problem{.rows = {0, 0}, .n = 128, .k = 64}, h200()),
                          advise(causal_problem{.queries = 0, .keys = 0, .heads = 4}, h200()),
                          advise(causal_problem{.queries = 100, .keys = 100, .heads = 0}, h200()),
                          advise(causal_problem{.queries = 100, .keys = 100, .heads = 0, .key_heads = 1}, h200())}) {
    CHECK(a.predicted_bytes == 0);
    CHECK(a.idle_share == 0);
    CHECK(a.schedule == recipe::one_shot);
    CHECK(a.reason.find("order will not matter") == 0);
  }
}

TEST_CASE("Every byte is read once, and bands of many groups still gain", "[predict]") {
  const grouped_problem groups{.rows = std::vector<int>(128, 256), .n = 1536, .k = 2048, .tile_n = 256};
  const advice a = advise(groups, h100());
  CHECK(to_string(a) == "thread_group_tiling, width 8, axis y, strided");
  CHECK(a.predicted_bytes == a.plain_bytes);
}

TEST_CASE("Advice for 2^20 tiles takes less than a second", "[predict][clock]") {
  const auto time = [](const auto& problem) {
    const auto start = std::chrono::steady_clock::now();
    (void)advise(problem, h200());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const double of_batch =
      time(batched_problem{.plane = {.m = 8192, .n = 8192, .k = 8192}, .count = 256, .planes_per_b = 256});
  const double of_groups = time(grouped_problem{.rows = std::vector<int>(1024, 128 * 32), .n = 4096, .k = 4096});
  const double of_pass = time(causal_problem{.queries = 131072, .keys = 131072, .heads = 1024, .key_heads = 128});
  WARN("advise for 2^20 tiles: batched " << of_batch << " ms, grouped " << of_groups << " ms, causal " << of_pass
                                         << " ms");
#if defined(__OPTIMIZE__) && !defined(SANITIZED)
  CHECK((std::max)({of_batch, of_groups, of_pass}) < 1000);
#endif
}

namespace {

/// A volume in slabs: a tile reads its own cell and that of the slab before it.
struct volume {
  int slices, rows, cols;

  batch<extent> space() const { return {slices, {rows, cols}}; }
  void check() const {}
  long long compulsory_bytes() const { return 64LL * space().size(); }
  int cells() const { return space().size(); }
  int steps() const { return 1; }
  template <class Read>
  void reads(batch_coord tile, int, const Read& read) const {
    read(space().number(tile), 64);
    if (tile.batch > 0) read(space().number({tile.batch - 1, tile.row, tile.col}), 64);
  }
  long long written_bytes(batch_coord) const { return 64; }
  auto replay(long long cache_bytes) const { return tile_replay{*this, cache_bytes}; }
  advice_rules rules(const device&, int) const { return {}; }
};
static_assert(traffic_problem<volume> && cell_problem<volume> && has_space<volume> && !has_grid<volume> &&
              !problem<volume>);

struct without_tiles : volume {
  int space() const;
};
static_assert(!has_tiles<without_tiles> && !traffic_problem<without_tiles>);

}  // namespace

TEST_CASE("A problem of a user's own names any space", "[predict]") {
  const volume p{.slices = 8, .rows = 10, .cols = 10};
  const auto read = [&](const auto& order, long long cache_bytes) {
    return traffic(order, p, 20, cache_bytes).total.dram_bytes;
  };
  const row_major plane{{10, 10}};
  CHECK(read(batched{plane, 8}, endless) == p.compulsory_bytes());
  CHECK(read(batched{plane, 8}, 20 * 64) == (100 + 2 * 700) * 64);  // a slice does not fit
  CHECK(read(batched{plane, 8, 8}, 20 * 64) < p.compulsory_bytes() * 5 / 4);
  const tile_table::entries entries = make_tile_table(batched{plane, 8, 8});
  CHECK(read(any_order{p.space(), entries.data()}, 20 * 64) == read(batched{plane, 8, 8}, 20 * 64));
}

namespace {

/// The same, for `advise`: later slices take longer.
struct advised_volume : volume {
  auto replay(long long cache_bytes) const { return tile_replay{*this, cache_bytes}; }
  auto coarse_replay(long long cache_bytes) const { return replay(cache_bytes); }
  double cost(batch_coord tile) const { return 1.0 + tile.batch; }
};

/// Tiles of a triangle that read a row and a column each, as a causal product's do.
struct scores {
  int rows;

  triangle space() const { return triangle{rows}; }
  void check() const {}
  long long compulsory_bytes() const { return 2LL * rows * 4096; }
  int cells() const { return 2 * rows; }
  int steps() const { return 1; }
  template <class Read>
  void reads(coord tile, int, const Read& read) const {
    read(tile.row, 4096), read(rows + tile.col, 4096);
  }
  long long written_bytes(coord) const { return 1; }
  auto replay(long long cache_bytes) const { return tile_replay{*this, cache_bytes}; }
  auto coarse_replay(long long cache_bytes) const { return replay(cache_bytes); }
  double cost(coord) const { return 1; }
  advice_rules rules(const device&, int) const { return {}; }
};

/// The scores of causal attention, queries times keys below the diagonal: four heads of queries share the keys of one.
struct causal_scores {
  int heads, tiles, width;  // tiles of 128 queries, and of 128 keys, of a head

  batch<triangle> space() const { return {heads, triangle{tiles}}; }
  void check() const {}
  long long compulsory_bytes() const { return (heads + heads / 4) * tiles * bytes(); }
  int cells() const { return (heads + heads / 4) * tiles; }
  int steps() const { return 1; }
  template <class Read>
  void reads(batch_coord tile, int, const Read& read) const {
    read(tile.batch * tiles + tile.row, bytes()), read((heads + tile.batch / 4) * tiles + tile.col, bytes());
  }
  long long written_bytes(batch_coord) const { return 128 * 128 * 2; }
  auto replay(long long cache_bytes) const { return tile_replay{*this, cache_bytes}; }
  auto coarse_replay(long long cache_bytes) const { return replay(cache_bytes); }
  double cost(batch_coord) const { return 2.0 * 128 * 128 * width; }
  advice_rules rules(const device&, int) const { return {.blocks_go_in_step = false}; }

  long long bytes() const { return 128LL * width * 2; }
};

/// Prime numbers below a limit, each a tile that reads the cell of its last digit: a space that heddle has never seen.
struct primes {
  std::vector<int> all;

  int size() const { return static_cast<int>(all.size()); }
  int tile(int number) const { return all[static_cast<unsigned>(number)]; }
  int number(int tile) const { return static_cast<int>(std::find(all.begin(), all.end(), tile) - all.begin()); }
  bool contains(int tile) const { return number(tile) < size(); }
};
struct sieve {
  primes of;

  primes space() const { return of; }
  void check() const {}
  long long compulsory_bytes() const { return 6 * 64; }  // 1, 2, 3, 5, 7 and 9
  int cells() const { return 10; }
  int steps() const { return 1; }
  template <class Read>
  void reads(int tile, int, const Read& read) const {
    read(tile % 10, 64);
  }
  long long written_bytes(int) const { return 0; }
  auto replay(long long cache_bytes) const { return tile_replay{*this, cache_bytes}; }
  auto coarse_replay(long long cache_bytes) const { return replay(cache_bytes); }
  double cost(int tile) const { return 1e9 * tile; }
  advice_rules rules(const device&, int) const { return {}; }
};
static_assert(problem<advised_volume> && problem<scores> && problem<causal_scores> && problem<sieve>);

}  // namespace

TEST_CASE("A problem of a user's own over any space is advised", "[predict]") {
  const device small{.name = "small", .multiprocessors = 20, .l2_bytes = 20 * 64};
  const advised_volume slabs{{.slices = 8, .rows = 10, .cols = 10}};
  const advice of_slabs = advise(slabs, small, 1);
  CHECK(of_slabs.interleave > 1);
  const long long moved = by_table(of_slabs, {10, 10}, [&](const auto& plane) {
    const wave_traffic all = traffic(batched{plane, 8, of_slabs.interleave}, slabs, small).total;
    return all.dram_bytes + all.written_bytes;
  });
  CHECK(of_slabs.predicted_bytes == moved);

  device of_32_stripes = small;
  of_32_stripes.l2_bytes = 32 * 4096;
  const scores causal{64};
  const advice of_scores = advise(causal, of_32_stripes, 1);
  CHECK(of_scores.matters);
  CHECK(
      by_table(of_scores, causal.space().folded(), [&](const auto& folded) {
        const wave_traffic all =
            traffic(triangular{folded, row_major{causal.space().full()}, causal.space()}, causal, of_32_stripes).total;
        return all.dram_bytes + all.written_bytes;
      }) == of_scores.predicted_bytes);

  sieve numbers;
  for (int i = 2; i < 200; ++i) {
    if (std::all_of(numbers.of.all.begin(), numbers.of.all.end(), [&](int prime) { return i % prime != 0; })) {
      numbers.of.all.push_back(i);
    }
  }
  const advice of_numbers = advise(numbers, h200(), 1);
  CHECK(of_numbers.replayed == 1);
  CHECK(of_numbers.predicted_bytes == 6 * 64);
  device of_three = h200();
  of_three.multiprocessors = 3;
  CHECK(advise(numbers, of_three, 1).reversed);  // the largest first
}

TEST_CASE("Causal scores are advised an order of their triangles, and heads in turn that share their keys",
          "[predict]") {
  device chip = h200();
  chip.l2_bytes = 8 << 20;
  const causal_scores problem{.heads = 16, .tiles = 40, .width = 512};
  const advice best = advise(problem, chip, 1);
  CAPTURE(to_string(best), best.reason);
  CHECK(best.matters);
  CHECK(best.interleave > 1);
  CHECK(best.predicted_bytes < best.plain_bytes);
  const triangle half = problem.space().plane();
  const auto moved = [&](const recipe& by) {
    return by_table(by, half.folded(), [&](const auto& folded) {
      const batched order{triangular{folded, row_major{half.full()}, half}, problem.heads, by.interleave};
      const wave_traffic all = traffic(order, problem, chip).total;
      return all.dram_bytes + all.written_bytes;
    });
  };
  CHECK(is_near(static_cast<double>(moved(best)), static_cast<double>(best.predicted_bytes), 0.04));  // of stretches
  CHECK(moved({}) == best.plain_bytes);
}

TEST_CASE("Orders by which a space is replayed are those that a kernel takes", "[predict]") {
  dice roll;
  for (int i = 0; i < 200; ++i) {
    const extent grid{roll(0, 9), roll(0, 9)};
    const int count = roll(0, 7), interleave = roll(1, 9);
    recipe by{recipe::cta_swizzle, roll(1, 5), roll(0, 1) == 0 ? axis::x : axis::y};
    by.interleave = interleave;
    const auto same = [&](const auto& erased, const auto& order, bool is_reversed) {
      REQUIRE(erased.size() == order.size());
      for (int at = 0; at < order.size(); ++at) {
        REQUIRE(erased(at) == order(is_reversed ? order.size() - 1 - at : at));
      }
    };
    const cta_swizzle plane{grid, by.width, by.axis};
    const batch planes{count, grid};
    same(detail::orders_over<batch<extent>>::at(by, planes), batched{plane, count, interleave}, false);
    by.reversed = true;
    same(detail::orders_over<extent>::at(by, grid), plane, true);
    const triangle half{roll(0, 9), roll(0, 9), roll(-3, 9), roll(0, 1) == 0 ? side::lower : side::upper};
    same(detail::orders_over<triangle>::at(by, half),
         triangular{cta_swizzle{half.folded(), by.width, by.axis}, row_major{half.full()}, half}, true);
    const grouped_problem groups = some_groups(roll);
    for (const auto sequence : {group_sequence::as_numbered, group_sequence::heaviest_first}) {
      by.sequence = sequence;
      same(detail::orders_over<group_tiles>::at(by, groups.space()),
           on_host(groups, by.width, by.axis, sequence).order(), false);
    }
  }
}

TEST_CASE("Orders that do not cover a space are refused", "[predict]") {
  const volume p{.slices = 2, .rows = 2, .cols = 3};
  CHECK(refusal([&] {
          traffic(batched{row_major{{2, 3}}, 3}, p, 1, 0);
        }) == "heddle::predict::traffic: order.size() is 18; it must be exactly 12");
  CHECK(refusal([&] {
          traffic(batched{row_major{{3, 2}}, 2}, p, 1, 0);
        }) == "heddle::predict::traffic: tiles of the order that the problem has is 8; it must be exactly 12");
  const grouped_problem other{.rows = {128, 256}, .n = 128, .k = 1}, groups{.rows = {256, 128}, .n = 128, .k = 1};
  CHECK(refusal([&] { traffic(on_host(other).order(), groups, 1, 0); }) ==
        "heddle::predict::traffic: tiles of the order that the problem has is 2; it must be exactly 3");
}

TEST_CASE("A batch, groups and a pass take as long at a rate of their own as on a card of that rate", "[predict]") {
  constexpr double rate = 55e12;
  const auto card_of = [](int element_bytes) {
    device card = h200();
    card.matrix_operations_per_line *= rate * element_bytes / 2 / card.matrix_operations_per_second;
    card.matrix_operations_per_second = rate * element_bytes / 2;
    return card;
  };
  const auto alike = [&](const auto& slow, const auto& silent, int element_bytes) {
    const advice one = advise(slow, h200()), other = advise(silent, card_of(element_bytes));
    CHECK(one.reason == other.reason);
    CHECK(one.predicted_seconds == other.predicted_seconds);
    CHECK(one.predicted_seconds > 1.5 * advise(silent, h200()).predicted_seconds);
  };
  for (const int bytes : {2, 4}) {
    CAPTURE(bytes);
    batched_problem batch = layers, slow_batch = layers;
    batch.plane.element_bytes = slow_batch.plane.element_bytes = bytes;
    slow_batch.plane.operations_per_second = rate;
    alike(slow_batch, batch, bytes);
    grouped_problem groups = experts, slow_groups = experts;
    groups.element_bytes = slow_groups.element_bytes = bytes;
    slow_groups.operations_per_second = rate;
    alike(slow_groups, groups, bytes);
    causal_problem causal = pass, slow_causal = pass;
    causal.element_bytes = slow_causal.element_bytes = bytes;
    slow_causal.operations_per_second = rate;
    alike(slow_causal, causal, bytes);
  }
  CHECK(advise(layers, h200()).reason.find("order will not matter") == std::string::npos);
  batched_problem slow = layers;
  slow.plane.operations_per_second = rate;
  CHECK(advise(slow, h200()).reason.find("order will not matter") == 0);
}

TEST_CASE("Batches, groups and passes that cannot be right are refused", "[predict]") {
  const auto refused = [](auto p, auto spoil) {
    spoil(p);
    const std::string text = refusal([&] { advise(p, h200()); });
    REQUIRE(text.starts_with("heddle::predict::"));
    return text.substr(17);
  };
  CHECK(refused(layers, [](auto& p) { p.count = -1; }) == "batched_problem: count is -1; it must be at least 0");
  CHECK(refused(layers, [](auto& p) { p.planes_per_a = 0; }) ==
        "batched_problem: planes_per_a is 0; it must be at least 1");
  CHECK(refused(layers, [](auto& p) { p.planes_per_b = 0; }) ==
        "batched_problem: planes_per_b is 0; it must be at least 1");
  CHECK(refused(layers, [](auto& p) { p.plane.operations_per_second = -2; }) ==
        "gemm_problem: operations_per_second is -2; it must be at least 0");
  CHECK(refused(layers, [](auto& p) { p.plane.tile_m = 0; }) == "gemm_problem: tile_m is 0; it must be at least 1");
  CHECK(refused(layers, [](auto& p) { p.plane.tile_m = p.plane.tile_n = 1, p.count = 1 << 20; }) ==
        "batched_problem: tiles is 2199023255552; it must be at most 2147483647");
  batched_problem b{
      .plane = {.m = 1 << 20, .n = 1 << 20, .k = 1 << 20, .tile_m = 1 << 13, .tile_n = 1 << 13, .element_bytes = 64},
      .count = 1 << 8};
  CHECK(refused(b, [](auto&) {}).find("batched_problem: exabytes requested is ") == 0);

  const auto tiles = [](std::vector<int> rows, int tile_rows, int cols) {
    return refusal([&] { group_tiles(std::move(rows), tile_rows, cols); });
  };
  CHECK(tiles({100}, 0, 3) == "heddle::predict::group_tiles: tile_rows is 0; it must be at least 1");
  CHECK(tiles({100}, 10, -3) == "heddle::predict::group_tiles: cols is -3; it must be at least 0");
  CHECK(tiles({-100, 50}, 10, 1) == "heddle::predict::group_tiles: rows of a group is -100; it must be at least 0");
  CHECK(tiles({0x7fffffff}, 1, 2) ==
        "heddle::predict::group_tiles: tiles is 4294967294; it must be at most 2147483647");
  CHECK(tiles({0x7fffffff}, 1, 1) == "not refused");

  // Members that divide, each without check().
  b = layers, b.planes_per_a = 0;
  CHECK(refusal([&] { (void)b.different_a(); }) ==
        "heddle::predict::batched_problem: planes_per_a is 0; it must be at least 1");
  grouped_problem g = experts;
  g.tile_n = 0;
  CHECK(refusal([&] { (void)g.shape(); }) == "heddle::predict: elements of a tile is 0; it must be at least 1");
  g = experts, g.rows = {0x7fffffff, 0x7fffffff};
  CHECK(refusal([&] { (void)g.ends(); }) ==
        "heddle::predict::grouped_problem: rows of all groups is 4294967294; it must be at most 2147483647");
  CHECK(refusal([] { (void)group_shape{.rows = 9, .groups = 1, .tile_rows = 0, .cols = 1}.most_row_tiles(); }) ==
        "heddle::group_shape: tile_rows is 0; it must be at least 1");
  CHECK(refused(experts, [](auto& p) { p.rows[1] = -5; }) ==
        "grouped_problem: rows of a group is -5; it must be at least 0");
  g.rows = {0x7fffffff, 1};
  CHECK(refused(g, [](auto&) {}) == "grouped_problem: rows of all groups is 2147483648; it must be at most 2147483647");
  CHECK(refused(experts, [](auto& p) { p.step_rows = 0; }) == "grouped_problem: step_rows is 0; it must be at least 1");
  CHECK(refused(experts, [](auto& p) { p.blocks_per_tile = 0; }) ==
        "grouped_problem: blocks_per_tile is 0; it must be at least 1");
  CHECK(refused(experts, [](auto& p) { p.n = -1; }) == "grouped_problem: n is -1; it must be at least 0");
  CHECK(refused(experts, [](auto& p) { p.tile_k = 0; }) == "grouped_problem: tile_k is 0; it must be at least 1");
  CHECK(refused(experts, [](auto& p) { p.operations_per_second = -2; }) ==
        "grouped_problem: operations_per_second is -2; it must be at least 0");
  CHECK(refused(experts, [](auto& p) { p.element_bytes = 65; }) ==
        "grouped_problem: element_bytes is 65; it must be at most 64");

  CHECK(refused(pass, [](auto& p) { p.heads = 33; }) == "causal_problem: heads is 33; it must be a multiple of 8");
  CHECK(refused(pass, [](auto& p) { p.heads = -1; }) == "causal_problem: heads is -1; it must be at least 0");
  CHECK(refused(pass, [](auto& p) { p.heads = 0, p.key_heads = -1; }) ==
        "causal_problem: key_heads is -1; it must be at least 0");
  CHECK(refused(pass, [](auto& p) { p.queries = -1; }) == "causal_problem: queries is -1; it must be at least 0");
  CHECK(refused(pass, [](auto& p) { p.key_heads = 0; }) == "causal_problem: key_heads is 0; it must be at least 1");
  CHECK(refused(pass, [](auto& p) { p.operations_per_second = -2; }) ==
        "causal_problem: operations_per_second is -2; it must be at least 0");
  CHECK(refused(pass, [](auto& p) { p.tile_keys = 0; }) == "causal_problem: tile_keys is 0; it must be at least 1");

  const pairs_problem distances{.things = 1000, .elements = 100};
  CHECK(refused(distances, [](auto& p) { p.things = -1; }) == "pairs_problem: things is -1; it must be at least 0");
  CHECK(refused(distances, [](auto& p) { p.elements = -1; }) == "pairs_problem: elements is -1; it must be at least 0");
  CHECK(refused(distances, [](auto& p) { p.tile_things = 0; }) ==
        "pairs_problem: tile_things is 0; it must be at least 1");
  CHECK(refused(distances, [](auto& p) { p.step_elements = 0; }) ==
        "pairs_problem: step_elements is 0; it must be at least 1");
  CHECK(refused(distances, [](auto& p) { p.pair_bytes = 65; }) ==
        "pairs_problem: pair_bytes is 65; it must be at most 64");

  const auto of_no_blocks = [](const auto& p) { return refusal([&] { advise(p, h200(), 0); }); };
  for (const std::string& text : {of_no_blocks(pass), of_no_blocks(layers), of_no_blocks(experts)}) {
    CHECK(text == "heddle::predict::advise: blocks_per_multiprocessor is 0; it must be at least 1");
  }
  device none = h200();
  none.multiprocessors = 0;
  CHECK(refusal([&] { advise(pass, none); }) == "heddle::predict::device: multiprocessors is 0; it must be at least 1");
}
