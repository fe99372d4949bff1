#include "attention/on_hopper.cuh"

#include "attention.hpp"

using namespace heddle_test;

namespace {

template <class Element, int Width>
using on_hopper = attention::on_hopper<Element, Width>;

}  // namespace

HOPPER_TEST("Attention agrees with double precision at every length from 1 to 257 on Hopper", "[attention]") {
  every_length<on_hopper>();
}

HOPPER_TEST("Attention of random lengths agrees with double precision on Hopper", "[attention]") {
  random_lengths<on_hopper>();
}

HOPPER_TEST("Empty sequences, and one, two or three blocks, are right on Hopper", "[attention]") {
  empty_sequences<on_hopper>();
}

HOPPER_TEST("Logits that rise, fall, are equal or infinite are right on Hopper", "[attention]") {
  logits<on_hopper>();
}

HOPPER_TEST("A sequence of NaN leaves its neighbours right on Hopper", "[attention]") {
  neighbours_of_nan<on_hopper>();
}

HOPPER_TEST("Offsets that are wrong are counted or have no keys on Hopper", "[attention]") {
  wrong_offsets<on_hopper>();
}

HOPPER_TEST("Replays of attention with other lengths, and a thousand with the same, are right on Hopper",
            "[attention]") {
  replays<on_hopper>();
}
