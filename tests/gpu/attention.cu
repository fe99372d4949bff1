#include "attention/on_any.cuh"

#include "attention.hpp"

using namespace heddle_test;

GPU_TEST("Attention agrees with double precision at every length from 1 to 257 on the GPU", "[attention]") {
  every_length<attention::on_any>();
}

GPU_TEST("Attention of random lengths agrees with double precision on the GPU", "[attention]") {
  random_lengths<attention::on_any>();
}

GPU_TEST("Empty sequences, and one, two or three blocks, are right on the GPU", "[attention]") {
  empty_sequences<attention::on_any>();
}

GPU_TEST("Logits that rise, fall, are equal or infinite are right on the GPU", "[attention]") {
  logits<attention::on_any>();
}

GPU_TEST("A sequence of NaN leaves its neighbours right on the GPU", "[attention]") {
  neighbours_of_nan<attention::on_any>();
}

GPU_TEST("Offsets that are wrong are counted or have no keys on the GPU", "[attention]") {
  wrong_offsets<attention::on_any>();
}

GPU_TEST("Replays of attention with other lengths, and a thousand with the same, are right on the GPU", "[attention]") {
  replays<attention::on_any>();
}
