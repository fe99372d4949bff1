// The kernel for Hopper of examples/attention, run on the host with the instructions of tests/simt.

#include "simt.hpp"

#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/strided.hpp>

#include "attention/on_hopper.cuh"

#include "attention/pass.hpp"
#include "test.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

template <int Width>
using pass = attention_pass<__nv_bfloat16, Width>;
template <int Width>
using kernel = attention::on_hopper<__nv_bfloat16, Width>;

template <int Width, class Scheduler>
void run(pass<Width>& some, const attention::problem& p, const Scheduler& scheduler) {
  const attention::operands o{some.q.data(), some.k.data(),   some.v.data(),
                              some.o.data(), some.lse.data(), some.key_offsets.data()};
  REQUIRE(kernel<Width>{}.launch(hopper::launch_of{2}, scheduler, p, o, nullptr) == cudaSuccess);
}

template <int Width>
int wrong_in_a_grid(int sequences, lengths each, int heads, int key_heads, window seen) {
  pass<Width> some(std::vector<lengths>(static_cast<unsigned>(sequences), each), heads, key_heads, seen, simt::random);
  const attention::problem p = some.by_sequence();
  run(some, p, strided{reversed{thread_group_tiling{kernel<Width>::tiles(p), 2, axis::x}}});
  return some.wrong(1000, simt::random);
}

/// The order of the groups of a pass, prepared in this memory.
template <int Width>
reversed<grouped> prepared(const pass<Width>& some, std::vector<unsigned long long>& state) {
  const group_shape tiles = kernel<Width>::groups(some.p);
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

TEST_CASE("Attention on Hopper of sequences of the same lengths is right on the host", "[attention]") {
  for (const window seen : {full, causal, window{200, 0}}) {
    CAPTURE(seen.left, seen.right);
    for (const auto& [queries, keys] : {lengths{1, 1}, {129, 300}, {150, 5}, {2, 0}}) {
      CAPTURE(queries, keys);
      CHECK(wrong_in_a_grid<64>(2, {queries, keys}, 2, 1, seen) == 0);
    }
  }
  CHECK(wrong_in_a_grid<128>(1, {190, 390}, 2, 2, causal) == 0);
}

TEST_CASE("Attention on Hopper of packed sequences is right on the host", "[attention]") {
  const std::vector<lengths> some{{0, 4}, {34, 34}, {1, 0}, {64, 64}, {140, 7}, {0, 0}, {3, 300}};
  for (const window seen : {causal, window{40, 30}}) {
    CAPTURE(seen.left, seen.right);
    CHECK(wrong_in_groups<64>(some, 3, 1, seen) == 0);
  }
  CHECK(wrong_in_groups<128>({{1, 500}, {140, 0}, {30, 30}, {1, 1}, {2, 700}, {129, 1}, {0, 0}, {5, 5}}, 2, 2, full) ==
        0);
}
