#include "attention/on_hopper.cuh"

#include "attention.hpp"

using namespace heddle_test;

namespace {

template <class Element, int Width>
using on_hopper = attention::on_hopper<Element, Width>;

}  // namespace

TEST_CASE("Attention agrees with double precision at every length from 1 to 257 on Hopper", "[gpu][attention]") {
  if (no_hopper()) return;
  every_length<on_hopper>();
}

TEST_CASE("Attention of random lengths agrees with double precision on Hopper", "[gpu][attention]") {
  if (no_hopper()) return;
  random_lengths<on_hopper>();
}

TEST_CASE("Empty sequences, and one, two or three blocks, are right on Hopper", "[gpu][attention]") {
  if (no_hopper()) return;
  empty_sequences<on_hopper>();
}

TEST_CASE("Logits that rise, fall, are equal or infinite are right on Hopper", "[gpu][attention]") {
  if (no_hopper()) return;
  logits<on_hopper>();
}

TEST_CASE("A sequence of NaN leaves its neighbours right on Hopper", "[gpu][attention]") {
  if (no_hopper()) return;
  neighbours_of_nan<on_hopper>();
}

TEST_CASE("Offsets that are wrong are counted or have no keys on Hopper", "[gpu][attention]") {
  if (no_hopper()) return;
  wrong_offsets<on_hopper>();
}

TEST_CASE("Replays of attention with other lengths, and a thousand with the same, are right on Hopper",
          "[gpu][attention]") {
  if (no_hopper()) return;
  replays<on_hopper>();
}
