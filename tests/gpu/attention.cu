#include "attention/on_any.cuh"

#include "attention.hpp"

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
