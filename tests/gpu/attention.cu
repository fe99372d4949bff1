#include "attention/on_any.cuh"

#include "attention.hpp"
#include "refusal.hpp"

using namespace heddle_test;

TEST_CASE("Attention agrees with double precision at every length from 1 to 257 on the GPU", "[gpu][attention]") {
  if (no_gpu()) return;
  every_length<attention::on_any>();
}

TEST_CASE("Attention of random lengths agrees with double precision on the GPU", "[gpu][attention]") {
  if (no_gpu()) return;
  random_lengths<attention::on_any>();
}

TEST_CASE("Empty sequences, and one, two or three blocks, are right on the GPU", "[gpu][attention]") {
  if (no_gpu()) return;
  empty_sequences<attention::on_any>();
}

TEST_CASE("Logits that rise, fall, are equal or infinite are right on the GPU", "[gpu][attention]") {
  if (no_gpu()) return;
  logits<attention::on_any>();
}

TEST_CASE("A sequence of NaN leaves its neighbours right on the GPU", "[gpu][attention]") {
  if (no_gpu()) return;
  neighbours_of_nan<attention::on_any>();
}

TEST_CASE("Offsets that are wrong are counted or have no keys on the GPU", "[gpu][attention]") {
  if (no_gpu()) return;
  wrong_offsets<attention::on_any>();
}

TEST_CASE("Replays of attention with other lengths, and a thousand with the same, are right on the GPU",
          "[gpu][attention]") {
  if (no_gpu()) return;
  replays<attention::on_any>();
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
  CHECK(refuses([](auto& p, auto&) { p.queries = -1; }) == "attention: queries is -1; it must be at least 0");
  CHECK(refuses([](auto& p, auto&) { p.left = -1; }) == "attention: left is -1; it must be at least 0");
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
