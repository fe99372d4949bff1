// The portable kernel of examples/attention, run on the host with the instructions of tests/simt.

#include "simt.hpp"

#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/strided.hpp>

#include "attention/mma.cuh"

#include "attention/pass.hpp"
#include "test.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

using shape = attention::mma_shape;

template <int Width>
using pass = attention_pass<__nv_bfloat16, Width>;

template <int Width, class Scheduler>
void run(pass<Width>& some, const attention::problem& p, const Scheduler& scheduler) {
  const auto as_int = [](long long value) { return static_cast<int>(value); };
  const attention::arguments of{some.q.data(),
                                some.k.data(),
                                some.v.data(),
                                some.o.data(),
                                some.lse.data(),
                                some.key_offsets.data(),
                                some.query_offsets.back(),
                                as_int(p.queries),
                                as_int(p.keys),
                                as_int(p.heads),
                                as_int(p.key_heads),
                                p.scale * 1.44269504f,
                                p.left,
                                p.right};
  simt::launch(3, shape::threads, [&] { attention::attend_mma<__nv_bfloat16, Width>(scheduler, of); });
}

template <int Width>
int wrong_in_a_grid(int sequences, lengths each, int heads, int key_heads, window seen) {
  pass<Width> some(std::vector<lengths>(static_cast<unsigned>(sequences), each), heads, key_heads, seen, simt::random);
  const extent grid((each.queries + shape::tile_queries - 1) / shape::tile_queries, heads * sequences);
  run(some, some.by_sequence(), strided{reversed{thread_group_tiling{grid, 2, axis::x}}});
  return some.wrong(1000, simt::random);
}

/// The order of the groups of a pass, prepared in this memory.
template <int Width>
reversed<grouped> prepared(const pass<Width>& some, std::vector<unsigned long long>& state) {
  const group_shape tiles{some.p.queries, some.p.sequences, shape::tile_queries, some.p.heads};
  state.resize(grouped::state_bytes(tiles) / 8 + 1);
  const grouped of_device(tiles, state.data(), some.p.key_heads, axis::x, group_sequence::lightest_first);
  grouped::preparing_storage shared;
  simt::launch(1, 32, [&] {
    of_device.prepare(shared, some.query_offsets.data() + 1, group_weights::differences(some.key_offsets.data()));
  });
  return reversed{of_device.on_host()};
}

template <int Width>
int wrong_in_groups(const std::vector<lengths>& all, int heads, int key_heads, window seen) {
  pass<Width> some(all, heads, key_heads, seen, simt::random);
  std::vector<unsigned long long> state;
  run(some, some.p, strided{prepared(some, state)});
  return some.wrong(1000, simt::random);
}

}  // namespace

TEST_CASE("Attention of sequences of the same lengths is right on the host", "[attention]") {
  for (const window seen : {full, causal, window{5, 3}, window{0, 0}, window{70, 0}}) {
    CAPTURE(seen.left, seen.right);
    for (const auto& [queries, keys] : {lengths{1, 1}, {63, 65}, {65, 63}, {130, 5}, {5, 130}, {2, 0}}) {
      CAPTURE(queries, keys);
      CHECK(wrong_in_a_grid<64>(2, {queries, keys}, 2, 1, seen) == 0);
    }
    CHECK(wrong_in_a_grid<128>(1, {129, 193}, 3, 3, seen) == 0);
  }
}

TEST_CASE("Attention of packed sequences is right on the host", "[attention]") {
  const std::vector<lengths> some{{0, 4}, {34, 34}, {1, 0}, {64, 64}, {70, 7}, {0, 0}, {3, 129}};
  for (const window seen : {full, causal, window{40, 30}}) {
    CAPTURE(seen.left, seen.right);
    CHECK(wrong_in_groups<64>(some, 3, 1, seen) == 0);
    CHECK(wrong_in_groups<128>(some, 2, 2, seen) == 0);
  }
}

TEST_CASE("Attention shares heads of keys on the host", "[attention]") {
  CHECK(wrong_in_groups<64>({{3, 70}}, 6, 2, full) == 0);
}

TEST_CASE("Wrong offsets leave attention without queries or keys on the host", "[attention]") {
  pass<64> some({{40, 40}, {0, 40}, {50, 50}, {10, 0}}, 2, 1, causal, simt::random), wrong = some;
  // The second sequence ends before it begins, and the keys of the last one would begin behind all keys.
  wrong.query_offsets = {0, 40, 7, 90, 100}, wrong.key_offsets = {0, 40, 80, 130, 1 << 20};
  std::vector<unsigned long long> state;
  run(wrong, wrong.p, strided{prepared(wrong, state)});
  some.o = wrong.o, some.lse = wrong.lse;
  CHECK(some.wrong(1000, simt::random) == 0);
}
