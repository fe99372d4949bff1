#pragma once

#include <heddle/reorder/grid_queues.hpp>
#include <heddle/reorder/key_trial.hpp>

#include "common/cross_sections.cuh"
#include "work.cuh"

// A row of this benchmark as steps of a trial, and by queues without one.

namespace heddle_bench {

/// The body of a round: a look-up of cross sections, whose material is the key.
struct in_materials {
  static float clocks_of(const work&) { return 0; }

  cross_sections of;

  template <int Words>
  __device__ void operator()(state<Words>& mine, unsigned key, const work&) const {
    hand_on(mine, of.look_up(key, mine.words[1]));
  }
};

/// A round as a step.
template <int Words, class Body>
struct round_of {
  state<Words>* all;
  work todo;
  Body body;

  __device__ state<Words> begin(unsigned i) const { return all[i]; }
  __device__ unsigned key(const state<Words>& mine) const { return key_of(mine, 0, todo); }
  __device__ state<Words> step(state<Words> mine, bool has_work) const {
    if (!has_work) return mine;
    body(mine, key(mine), todo);
    if constexpr (Words > 2) mine.words[2] = drawn_key(mine, 0, todo);
    return mine;
  }
  __device__ void end(unsigned, const state<Words>& mine) const { all[mine.words[0]] = mine; }
};

template <int Words, class Queues>
__global__ void push_keys(const __grid_constant__ Queues to, const state<Words>* all, work todo) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  to.push_some(key_of(all[number], 0, todo), number);
}
template <int Words, class Queues, class Body>
__global__ void __launch_bounds__(256)
    queued(const __grid_constant__ Queues from, state<Words>* all, work todo, Body body) {
  __shared__ heddle::static_shared<typename Queues::storage> shared;
  for (const auto [key, number, is_pushed] : from.rows(shared)) {
    if (!is_pushed) continue;
    state<Words> mine = all[number];
    body(mine, key, todo);
    if constexpr (Words > 2) mine.words[2] = drawn_key(mine, 0, todo);
    all[mine.words[0]] = mine;
  }
}

}  // namespace heddle_bench
