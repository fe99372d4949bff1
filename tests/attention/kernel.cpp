// The portable kernel of examples/attention, run on the host with the instructions of tests/simt.

#include "simt.hpp"

#include "attention/on_any.cuh"

#include "attention/on_host.hpp"
#include "refusal.hpp"

using namespace heddle_test;

namespace {

template <int Width>
struct portable_kernel : attention::on_any<__nv_bfloat16, Width> {
  template <class Scheduler>
  static void run(const Scheduler& scheduler, const attention::problem& p, const attention::operands& o) {
    const attention::arguments of = attention::make_arguments(p, o, attention::is_packed<Scheduler>);
    simt::launch(3, attention::mma_shape::threads, [&] { attention::attend_mma<__nv_bfloat16, Width>(scheduler, of); });
  }
};

}  // namespace

TEST_CASE("Attention of sequences of the same lengths is right on the host", "[attention]") {
  for (const window seen : {full, causal, window{5, 3}, window{0, 0}, window{70, 0}}) {
    CAPTURE(seen.left, seen.right);
    for (const auto& [queries, keys] : {lengths{1, 1}, {63, 65}, {65, 63}, {130, 5}, {5, 130}, {2, 0}}) {
      CAPTURE(queries, keys);
      CHECK(wrong_in_a_grid<portable_kernel, 64>(2, {queries, keys}, 2, 1, seen) == 0);
    }
  }
  for (const window seen : {causal, window{70, 0}}) {
    CAPTURE(seen.left, seen.right);
    CHECK(wrong_in_a_grid<portable_kernel, 128>(1, {129, 193}, 3, 3, seen) == 0);
  }
}

TEST_CASE("Attention of packed sequences is right on the host", "[attention]") {
  const std::vector<lengths> some{{0, 4}, {34, 34}, {1, 0}, {64, 64}, {70, 7}, {0, 0}, {3, 129}};
  for (const window seen : {full, causal, window{40, 30}}) {
    CAPTURE(seen.left, seen.right);
    CHECK(wrong_in_groups<portable_kernel, 64>(some, 3, 1, seen) == 0);
    CHECK(wrong_in_groups<portable_kernel, 128>(some, 2, 2, seen) == 0);
  }
}

TEST_CASE("Attention shares heads of keys on the host", "[attention]") {
  CHECK(wrong_in_groups<portable_kernel, 64>({{3, 70}}, 6, 2, full) == 0);
}

TEST_CASE("Wrong offsets leave attention without queries or keys on the host", "[attention]") {
  host_pass<64> some({{40, 40}, {0, 40}, {50, 50}, {10, 0}}, 2, 1, causal, simt::random), wrong = some;
  // The second sequence ends before it begins, and the keys of the last one would begin behind all keys.
  wrong.query_offsets = {0, 40, 7, 90, 100}, wrong.key_offsets = {0, 40, 80, 130, 1 << 20};
  std::vector<unsigned long long> state;
  run<portable_kernel<64>>(wrong, wrong.p, heddle::strided{prepared<portable_kernel<64>>(wrong, state)});
  some.o = wrong.o, some.lse = wrong.lse;
  CHECK(some.wrong(1000, simt::random) == 0);
}

TEST_CASE("Attention refuses what it cannot do", "[attention]") {
  alignas(16) static char memory[64];
  const attention::problem right{2, 5, 7, 6, 3, 64, 0.125f};
  const attention::operands some{memory, memory, memory, memory, nullptr, reinterpret_cast<const int*>(memory)};
  const auto refuses = [&](auto change, bool is_packed = false) {
    attention::problem p = right;
    attention::operands o = some;
    change(p, o);
    return refusal([&] { attention::check(p, o, 64, is_packed); });
  };
  CHECK(refuses([](auto&, auto&) {}) == "not refused");
  CHECK(refuses([](auto& p, auto&) { p.width = 96; }) == "attention: width is 96; it must be exactly 64");
  CHECK(refuses([](auto& p, auto&) { p.heads = 4; }) == "attention: heads is 4; it must be a multiple of 3");
  CHECK(refuses([](auto& p, auto&) { p.key_heads = 0; }) == "attention: key_heads is 0; it must be at least 1");
  CHECK(refuses([](auto& p, auto&) { p.sequences = -1; }) == "attention: sequences is -1; it must be at least 0");
  CHECK(refuses([](auto& p, auto&) { p.queries = -1; }) == "attention: queries is -1; it must be at least 0");
  CHECK(refuses([](auto& p, auto&) { p.keys = -1; }) == "attention: keys is -1; it must be at least 0");
  CHECK(refuses([](auto& p, auto&) { p.left = -1; }) == "attention: left is -1; it must be at least 0");
  CHECK(refuses([](auto& p, auto&) { p.right = -1; }) == "attention: right is -1; it must be at least 0");
  for (const float scale : {-1.0f, 0.0f, NAN, INFINITY}) {
    CHECK(refuses([=](auto& p, auto&) { p.scale = scale; }) == "attention: scale must be positive and finite");
  }
  CHECK(refuses([](auto& p, auto&) { p.keys = 1LL << 30; }) ==
        "attention: tokens of a sequence is 1073741824; it must be at most 1073741823");
  CHECK(refuses([](auto&, auto& o) { o.q = nullptr; }) == "attention: q is 0; it must be at least 1");
  CHECK(refuses([](auto&, auto& o) { o.v = memory + 2; }).ends_with("it must be a multiple of 16"));
  CHECK(refuses([](auto&, auto& o) { o.key_offsets = nullptr; }, true) ==
        "attention: key_offsets is 0; it must be at least 1");
  CHECK(refuses([](auto&, auto& o) { o.key_offsets = nullptr; }) == "not refused");
  CHECK(refuses([](auto& p, auto& o) { p.keys = 0, o.k = o.v = nullptr; }) == "not refused");
}
