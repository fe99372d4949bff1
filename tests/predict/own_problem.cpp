// Problems of a user's own: the concept, the replay by cells, and advice for them.

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <heddle/predict/advise.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/tile_replay.hpp>
#include <heddle/predict/traffic.hpp>

#include "../../examples/01_order/attention.hpp"
#include "../test.hpp"
#include "by_table.hpp"
#include "naive.hpp"
#include "refusal.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

/// A type of its own that answers as another problem does.
template <class Problem>
struct the_same {
  Problem other;

  void check() const { other.check(); }
  extent grid() const { return other.grid(); }
  long long compulsory_bytes() const { return other.compulsory_bytes(); }
  auto replay(long long cache_bytes) const { return other.replay(cache_bytes); }
  auto coarse_replay(long long cache_bytes) const { return other.coarse_replay(cache_bytes); }
  double cost(coord tile) const { return other.cost(tile); }
  advice_rules rules(const device& chip, int blocks) const { return other.rules(chip, blocks); }
};

using model = the_same<gemm_problem>;
static_assert(problem<model> && problem<the_same<stencil_problem>> && problem<attention>);
static_assert(cell_problem<attention> && !cell_problem<gemm_problem>);

// Each hides one member of the model.
struct without_check : model {
  void check() const = delete;
};
struct without_grid : model {
  int grid() const;
};
struct without_compulsory_bytes : model {
  double compulsory_bytes() const;
};
struct without_replay : model {
  wave_traffic replay(long long) const;
};
struct without_cost : model {
  void cost(coord) const;
};
struct without_rules : model {
  advice_rules rules() const;
};
struct without_coarse_replay : model {
  int coarse_replay(long long) const;
};
static_assert(!has_check<without_check> && !problem<without_check>);
static_assert(!has_grid<without_grid> && !problem<without_grid>);
static_assert(!has_compulsory_bytes<without_compulsory_bytes> && !problem<without_compulsory_bytes>);
static_assert(!has_replay<without_replay> && !problem<without_replay>);
static_assert(!has_cost<without_cost> && !problem<without_cost>);
static_assert(!has_rules<without_rules> && !problem<without_rules>);
static_assert(!has_coarse_replay<without_coarse_replay> && !problem<without_coarse_replay>);

struct without_cells : attention {
  void cells() const;
};
struct without_steps : attention {
  void steps() const;
};
struct without_reads : attention {
  void reads(coord, int) const;
};
struct without_written_bytes : attention {
  void written_bytes(coord) const;
};
static_assert(!has_cells<without_cells> && !cell_problem<without_cells>);
static_assert(!has_steps<without_steps> && !cell_problem<without_steps>);
static_assert(!has_reads<without_reads> && !cell_problem<without_reads>);
static_assert(!has_written_bytes<without_written_bytes> && !cell_problem<without_written_bytes>);

/// Replays attention vector by vector: blocks load queries, keys and values of 2 * width bytes, in rounds of
/// `tile_keys` keys. The cache keeps and drops together what blocks load together: the queries of a tile, the keys and
/// values of a round.
std::vector<wave_traffic> naive_replay(const attention& p, const std::vector<std::vector<coord>>& waves,
                                       long long cache_bytes) {
  enum : int { of_queries, of_keys };
  const long long vector_bytes = 2LL * p.width;
  naive_lru cache(cache_bytes);
  std::vector<wave_traffic> result;
  for (const auto& wave : waves) {
    wave_traffic bytes;
    for (int first_key = 0; first_key < p.keys; first_key += p.tile_keys) {
      std::set<key> loaded;
      const auto load = [&](key which, long long vectors) {
        bytes.requested_bytes += vectors * vector_bytes;
        if (loaded.insert(which).second) bytes.dram_bytes += cache.touch(which, vectors * vector_bytes);
      };
      for (const coord tile : wave) {
        const int first_query = tile.row * p.tile_queries, heads_per_key_head = p.heads / p.key_heads;
        int queries = 0, keys_and_values = 0;
        for (int query = first_query; query < p.queries && query < first_query + p.tile_queries; ++query) ++queries;
        for (int one = first_key; one < p.keys && one < first_key + p.tile_keys; ++one) keys_and_values += 2;
        if (first_key == 0) {
          load({of_queries, tile.col, first_query}, queries);
          bytes.written_bytes += queries * vector_bytes;
        }
        int key_head = 0;
        while ((key_head + 1) * heads_per_key_head <= tile.col) ++key_head;
        load({of_keys, key_head, first_key}, keys_and_values);
      }
    }
    result.push_back(bytes);
  }
  return result;
}

template <class Problem>
std::string all_of(const Problem& problem, const device& device, int blocks) {
  const advice a = advise(problem, device, blocks);
  return to_string(a) + " " + std::to_string(a.predicted_bytes) + " " + std::to_string(a.plain_bytes) + " " + a.reason;
}

}  // namespace

TEST_CASE("Attention reads what a list and a set say, vector by vector", "[predict]") {
  dice roll;
  for (int i = 0; i < 300; ++i) {
    const int key_heads = roll(1, 4);
    const attention p{.queries = roll(1, 40),
                      .keys = roll(1, 60),
                      .heads = key_heads * roll(1, 4),
                      .key_heads = key_heads,
                      .width = roll(1, 8),
                      .tile_queries = roll(1, 9),
                      .tile_keys = roll(1, 20)};
    const int blocks = roll(1, 12);
    long long cache = roll(0, static_cast<int>(2 * p.compulsory_bytes()));
    if (roll(0, 9) == 0) cache = 0;
    const auto schedule = static_cast<recipe::schedule_kind>(roll(0, 3));
    CAPTURE(i, p.queries, p.keys, p.heads, p.key_heads, p.tile_queries, p.tile_keys, blocks, cache);
    with_some_order(roll, p.grid(), [&](const auto& order) {
      std::vector<coord> tiles;
      for (int tile = 0; tile < order.size(); ++tile) tiles.push_back(order(tile));
      const auto waves = naive_waves(tiles, blocks, schedule);
      REQUIRE(traffic(order, p, blocks, cache, {.schedule = schedule}).waves == naive_replay(p, waves, cache));
      REQUIRE(traffic(order, p, blocks, endless, {.schedule = schedule}).total.dram_bytes == p.compulsory_bytes());

      auto replay = p.replay(cache);
      auto coarse = p.coarse_replay(endless);
      long long read = 0, first = 0, roughly = 0;
      for (const auto& wave : waves) roughly += coarse(wave).dram_bytes;
      REQUIRE(roughly == p.compulsory_bytes());
      for (const auto& wave : waves) read += replay(wave).dram_bytes;
      for (const auto& wave : naive_replay(p, waves, endless)) first += wave.dram_bytes;
      REQUIRE(replay.bytes_again() == read - first);
    });
  }
}

TEST_CASE("A problem that answers as a product or a stencil does is advised the same, in the same words", "[predict]") {
  for (const gemm_problem& p : {gemm_problem{.m = 8192, .n = 8192, .k = 8192},
                                {.m = 4104, .n = 16392, .k = 5128},
                                {.m = 65536, .n = 1024, .k = 8192},
                                {.m = 2048, .n = 2048, .k = 2048}}) {
    for (const int blocks : {1, 2}) CHECK(all_of(model{p}, h200(), blocks) == all_of(p, h200(), blocks));
  }
  for (const int step : {1, 16}) {
    const stencil_problem p = stencil{.image = {2048, 8192},
                                      .tile = {8, 16},
                                      .bytes = 32,
                                      .radius = {2, 2},
                                      .step = step,
                                      .written = 16,
                                      .instructions = 736};
    CHECK(all_of(the_same<stencil_problem>{p}, h200(), 8) == all_of(p, h200(), 8));
  }
}

namespace {

template <class Problem>
struct with_rules : the_same<Problem> {
  advice_rules own;
  advice_rules rules(const device&, int) const { return own; }
};

}  // namespace

TEST_CASE("Rules of a problem decide which gains matter, what a wave is, and which schedule is advised", "[predict]") {
  const device chip{.name = "without rates", .multiprocessors = 132, .l2_bytes = 60 << 20, .l2_copies = 2};
  const auto advised = [&](const advice_rules& rules, int blocks = 1) {
    return advise(with_rules<gemm_problem>{{{.m = 8192, .n = 8192, .k = 8192}}, rules}, chip, blocks);
  };
  const advice plain = advised({});
  CHECK(plain.matters);
  CHECK(plain.schedule == recipe::one_shot);
  CHECK(advised({.beyond_one_wave = recipe::ticket}).schedule == recipe::ticket);
  CHECK(!advised({.margin = 0.99}).matters);
  CHECK(advised({.margin = 0.99}).reason.find("what matters begins at 99 %") != std::string::npos);
  CHECK(advised({}, 4).plain_bytes != advised({.blocks_go_in_step = false}, 4).plain_bytes);
  CHECK(advised({.blocks_go_in_step = false}, 4).plain_bytes == plain.plain_bytes);
  CHECK(refusal([&] { advised({.matrix_operations_per_second = -3}); }) ==
        "heddle::predict::advice_rules: matrix_operations_per_second is -3; it must be at least 0");
  CHECK(refusal([&] { advised({.overlap = -3}); }) ==
        "heddle::predict::advice_rules: overlap is -3; it must be at least 0");
}

TEST_CASE("A block that starts alone on its multiprocessor costs time, and one that stays does not", "[predict]") {
  const auto lost = [](int blocks) {
    const advice_rules keeps_order{.margin = 0.99, .beyond_one_wave = recipe::strided};
    const advice a = advise(with_rules<gemm_problem>{{{.m = 8192, .n = 8192, .k = 8192}}, keeps_order}, h200(), blocks);
    CHECK(a.ranked[0].name == "row_major, strided");
    const auto is_plain = [](const auto& one) { return one.name == "plain"; };
    const auto plain = std::find_if(a.ranked.begin(), a.ranked.end(), is_plain);
    REQUIRE(plain != a.ranked.end());
    CHECK((plain->value == recipe{} && plain->seconds == a.plain_seconds));
    return a.plain_seconds - a.predicted_seconds;
  };
  CHECK(std::abs(lost(1) - 1.6e-6 * (4096 / 132.0 - 1)) < 0.1e-6);
  CHECK((0 <= lost(2) && lost(2) < 0.1e-6));  // the other block works meanwhile
}

TEST_CASE("A product whose steps wait for their requests takes as long as these", "[predict]") {
  const auto over_aligned = [](int tile_m, int tile_n) {
    gemm_problem p{.m = 1024, .n = 1024, .k = 8192, .tile_m = tile_m, .tile_n = tile_n};
    const double aligned = advise(p, h200()).predicted_seconds;
    p.whole_lines = false;
    return advise(p, h200()).predicted_seconds / aligned;
  };
  CHECK(over_aligned(256, 256) == 1);
  CHECK(std::abs(over_aligned(128, 256) - 1.5) < 0.1);
  CHECK(std::abs(over_aligned(128, 128) - 2) < 0.1);
}

TEST_CASE("Rules of a problem list its launches, and say what was measured of them", "[predict]") {
  const stencil_problem pass{
      .rows = 512, .cols = 4096, .bytes_per_pixel = 16, .rows_radius = 1, .cols_radius = 1, .step = 64};
  const device small{.name = "small", .multiprocessors = 10, .l2_bytes = 1 << 19};
  const auto tried = [&](const advice_rules& rules) {
    return advise(with_rules<stencil_problem>{{pass}, rules}, small, 8).order;
  };
  CHECK(tried({}) != recipe::dilated);
  CHECK(tried({.launches = {{recipe::dilated, 16, axis::x, {4, 4}}}}) == recipe::dilated);

  device fast = h200();
  const auto advised = [&](const advice_rules& rules) {
    return advise(with_rules<gemm_problem>{{{.m = 8192, .n = 8192, .k = 8192}}, rules}, fast, 1).width;
  };
  const recipe narrow{recipe::thread_group_tiling, 3}, wider{recipe::thread_group_tiling, 5};
  fast.dram_bytes_per_second *= 4;
  for (const double memory : {1.0, 1.0 / 64}) {  // arithmetic takes longest, or DRAM
    fast.dram_bytes_per_second *= memory;
    CHECK(advised({.launches = {narrow, wider}, .margin = 0}) == 5);
    CHECK(advised({.launches = {wider, narrow}, .margin = 0}) == 5);
    CHECK(advised({.launches = {narrow, wider}, .margin = 0.99}) == 0);
    const auto as_measured = [&](const recipe& by) { return by.width == 3 ? 0.5 : 1.0; };
    CHECK(advised({.launches = {narrow, wider}, .measured = as_measured}) == 3);
  }
}

TEST_CASE("Attention with shared keys is advised bands of heads, and the order with the fewest bytes", "[predict]") {
  const attention p{.queries = 16384, .keys = 16384, .heads = 128, .key_heads = 32};
  const advice best = advise(p, h200(), 1);
  CHECK(best.matters);
  CHECK(!best.dram_is_top_unit);
  CHECK(5 * best.predicted_bytes < best.plain_bytes);
  const long long reads =
      by_table(best, p.grid(), [&](const auto& order) { return traffic(order, p, h200()).total.dram_bytes; });
  CHECK(best.predicted_bytes == reads + 2LL * p.width * p.heads * p.queries);
  CHECK(reads == p.compulsory_bytes());
}

TEST_CASE("Of a kernel that fits in L2 and waits for it, the answer is to measure", "[predict]") {
  struct distances : attention {
    double cost(coord) const { return 0; }
  };
  // The second is too large to be replayed whole.
  for (const distances pairs :
       {distances{{.queries = 4096, .keys = 4096, .heads = 16, .key_heads = 1}},
        distances{{.queries = 1 << 18, .keys = 8192, .heads = 2, .key_heads = 1, .width = 16, .tile_queries = 1}}}) {
    REQUIRE(pairs.compulsory_bytes() < h200().l2_bytes / 2);
    const advice found = advise(pairs, h200(), 8);
    CAPTURE(found.reason);
    CHECK((found.replayed < 1) == (pairs.tile_queries == 1));
    CHECK(!found.matters);
    REQUIRE(found.to_measure.size() == 1);
    CHECK(found.to_measure[0].width == 8);
    CHECK(found.reason.starts_with("measure: thread_group_tiling, width 8, axis "));
  }
}

TEST_CASE("A problem of a user's own is refused by its check, and a cell that it has not counted by the replay",
          "[predict]") {
  const attention odd{.queries = 64, .keys = 64, .heads = 5, .key_heads = 2};
  CHECK(refusal([&] { advise(odd, h200(), 1); }) == "attention: heads is 5; it must be a multiple of 2");
  CHECK(refusal([&] { traffic(row_major{odd.grid()}, odd, 132, 0); }) ==
        "attention: heads is 5; it must be a multiple of 2");
  struct miscounted : attention {
    int count = 2;
    int cells() const { return count; }
  };
  const miscounted p{{.queries = 256, .keys = 64, .heads = 1, .key_heads = 1}};
  CHECK(refusal([&] {
          tile_replay{p, 0}({{0, 0}});
        }) == "heddle::predict::tile_replay: cell is 2; it must be at most 1");
  const miscounted none{{.queries = 256, .keys = 64, .heads = 1, .key_heads = 1}, -1};
  CHECK(refusal([&] { tile_replay(none, 0); }) == "heddle::predict::tile_replay: cells is -1; it must be at least 0");
}
