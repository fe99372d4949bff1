// The kernel for Hopper of examples/attention, run on the host with the instructions of tests/simt.

#include "simt.hpp"

#include "attention/on_hopper.cuh"

#include "attention/on_host.hpp"
#include "test.hpp"

using namespace heddle_test;

namespace {

template <int Width>
struct hopper_kernel : attention::on_hopper<__nv_bfloat16, Width> {
  template <class Scheduler>
  static void run(const Scheduler& scheduler, const attention::problem& p, const attention::operands& o) {
    REQUIRE(hopper_kernel{}.launch(hopper::launch_of{2}, scheduler, p, o, nullptr) == cudaSuccess);
  }
};

}  // namespace

TEST_CASE("Attention on Hopper of sequences of the same lengths is right on the host", "[attention]") {
  for (const window seen : {full, causal, window{200, 0}}) {
    CAPTURE(seen.left, seen.right);
    for (const auto& [queries, keys] : {lengths{1, 1}, {129, 300}, {150, 5}, {2, 0}}) {
      CAPTURE(queries, keys);
      CHECK(wrong_in_a_grid<hopper_kernel, 64>(2, {queries, keys}, 2, 1, seen) == 0);
    }
  }
  CHECK(wrong_in_a_grid<hopper_kernel, 128>(1, {190, 390}, 2, 2, causal) == 0);
}

TEST_CASE("Attention on Hopper of packed sequences is right on the host", "[attention]") {
  const std::vector<lengths> some{{0, 4}, {34, 34}, {1, 0}, {64, 64}, {140, 7}, {0, 0}, {3, 300}};
  for (const window seen : {causal, window{40, 30}}) {
    CAPTURE(seen.left, seen.right);
    CHECK(wrong_in_groups<hopper_kernel, 64>(some, 3, 1, seen) == 0);
  }
  CHECK(wrong_in_groups<hopper_kernel, 128>({{1, 500}, {140, 0}, {30, 30}, {1, 1}, {2, 700}, {129, 1}, {0, 0}, {5, 5}},
                                            2, 2, full) == 0);
}

TEST_CASE("Attention on Hopper without keys has no memory of keys, and without queries no memory at all",
          "[attention]") {
  host_pass<64> some({{5, 0}, {5, 0}}, 2, 1, full, simt::random);
  const attention::problem keyless = some.by_sequence();
  const auto run = [](const attention::problem& p, const attention::operands& o) {
    hopper_kernel<64>::run(heddle::strided{heddle::row_major{hopper_kernel<64>::tiles(p)}}, p, o);
  };
  run(keyless, {some.q.data(), nullptr, nullptr, some.o.data(), some.lse.data(), nullptr});
  CHECK(some.wrong(1000, simt::random) == 0);
  attention::problem nothing = keyless;
  nothing.queries = 0;
  run(nothing, {});
  nothing.sequences = 0, nothing.queries = nothing.keys = 5;
  run(nothing, {});
}
