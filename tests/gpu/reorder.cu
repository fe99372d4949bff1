// The law of reordering on the GPU: every pattern of keys, calls in succession, and state of any size.

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "reorder/keys.hpp"
#include "schedule.hpp"

using namespace heddle_test;

namespace {

/// One block per pattern, and in each three patterns in succession with the same memory.
template <int Threads, int Bits>
__global__ void __launch_bounds__(Threads) rank_all(const unsigned* of, const char* active, const spread* of_pattern,
                                                    typename block_reorder<Threads, Bits>::place* found) {
  __shared__ typename block_reorder<Threads, Bits>::storage smem;
  block_reorder<Threads, Bits> sort(smem);
  for (unsigned turn = 0; turn < 3; ++turn) {
    const unsigned pattern = (blockIdx.x + turn) % gridDim.x, at = pattern * Threads + threadIdx.x;
    const auto [visits, keys, active_there] = of_pattern[pattern];
    const bool everybody = active_there == Threads;
    const auto place = everybody ? sort.rank(of[at]) : sort.rank(of[at], active[at]);
    found[turn * gridDim.x * Threads + at] = place;
    if (turn == 1) continue;
    const coherence how = everybody ? sort.spread(of[at]) : sort.spread(of[at], active[at]);
    const bool is_right = how.visits == visits && how.keys == keys && how.active == active_there;
    if (!is_right) found[turn * gridDim.x * Threads + at].rank = ~0u;
  }
}

template <int Threads, int Bits>
void ranks_obey() {
  using place = typename block_reorder<Threads, Bits>::place;
  const std::vector<keys> all = every_pattern(Threads, Bits);
  const auto patterns = static_cast<unsigned>(all.size());
  std::vector<unsigned> of;
  std::vector<char> active;
  std::vector<spread> spreads;
  for (const keys& each : all) {
    spreads.push_back(spread_of(each, Bits));
    of.insert(of.end(), each.of.begin(), each.of.end());
    active.insert(active.end(), each.active.begin(), each.active.end());
  }
  device_array of_on_device(of);
  device_array active_on_device(active);
  device_array spreads_on_device(spreads);
  device_array<place> places(3 * of.size(), 0xff);
  rank_all<Threads, Bits>
      <<<patterns, Threads>>>(of_on_device.data(), active_on_device.data(), spreads_on_device.data(), places.data());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const std::vector<place> found = places.read();
  for (unsigned pattern = 0; pattern < patterns; ++pattern) {
    CAPTURE(Threads, Bits, all[pattern].name);
    const std::vector<unsigned> expected = ranks_of(all[pattern], Bits);
    const spread& how = spreads[pattern];
    unsigned wrong = 0;
    for (unsigned turn = 0; turn < 3; ++turn) {
      for (unsigned thread = 0; thread < Threads; ++thread) {
        const place& here = found[(turn * patterns + pattern) * Threads + thread];
        wrong += here.rank != expected[thread] || here.active != how.active;
      }
    }
    CHECK(wrong == 0);
  }
}

template <int Threads>
void ranks_obey_for_all_bits() {
  heddle_test::for_all_bits([](auto bits) { ranks_obey<Threads, decltype(bits)::value>(); });
}

template <class T, int Threads, int Bytes>
__global__ void __launch_bounds__(Threads) carry(const T* held, const unsigned* ranks, T* carried, T* back) {
  __shared__ typename block_exchange<T, Threads, Bytes>::storage smem;
  const block_exchange<T, Threads, Bytes> exchange(smem);
  const T mine = exchange.to(held[threadIdx.x], ranks[threadIdx.x]);
  carried[threadIdx.x] = mine;
  back[threadIdx.x] = exchange.back(mine, ranks[threadIdx.x]);
}

template <class T, int Threads, int Bytes>
void state_arrives() {
  CAPTURE(sizeof(T), Threads, Bytes);
  std::mt19937 random(Threads);
  std::vector<unsigned> ranks(Threads);
  std::iota(ranks.begin(), ranks.end(), 0u);
  std::shuffle(ranks.begin(), ranks.end(), random);
  std::vector<T> held(Threads);
  for (T& each : held) {
    for (unsigned char& byte : each.bytes) byte = static_cast<unsigned char>(random());
  }
  device_array<T> on_device(held), carried(Threads, 0xff), back(Threads, 0xff);
  device_array ranks_on_device(ranks);
  carry<T, Threads, Bytes><<<1, Threads>>>(on_device.data(), ranks_on_device.data(), carried.data(), back.data());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const std::vector<T> there = carried.read();
  unsigned wrong = 0;
  for (unsigned thread = 0; thread < Threads; ++thread) wrong += !(there[ranks[thread]] == held[thread]);
  CHECK(wrong == 0);
  CHECK(back.read() == held);
}

template <class T>
void state_arrives_in_all_blocks() {
  state_arrives<T, 32, 128>();
  state_arrives<T, 96, 1000>();
  state_arrives<T, 256, 16 * 1024>();
  state_arrives<T, 1024, 4096>();
}

constexpr int sorting_threads = 256, sorting_rounds = 20;
using sorting = block_reorder<sorting_threads, 2>;
using sorting_exchange = block_exchange<state<24>, sorting_threads, 8 * sorting_threads>;

/// Sorts with ranks and state in the same memory.
__global__ void __launch_bounds__(sorting_threads) sort_in_shared_memory_of_both(unsigned* found) {
  __shared__ union {
    sorting::storage ranks;
    sorting_exchange::storage states;
  } smem;
  sorting sort(smem.ranks);
  state<24> mine{};
  mine.bytes[3] = static_cast<unsigned char>(threadIdx.x);
  for (int round = 0; round < sorting_rounds; ++round) {
    const unsigned key = key_in(mine.bytes[3], round);
    __syncthreads();  // threads may still read states
    const coherence how = sort.spread(key);
    if (how.visits > how.warps()) mine = sorting_exchange(smem.states).to(mine, sort.rank(key).rank);
  }
  found[threadIdx.x] = mine.bytes[3];
}

/// Sorts to seats and then back to ranks. Ranks and state have memory of their own, so an exchange omits its first
/// barrier.
__global__ void __launch_bounds__(sorting_threads) sort_to_seats(unsigned* found) {
  __shared__ heddle::static_shared<sorting::storage> ranks;
  __shared__ heddle::static_shared<sorting_exchange::storage> states;
  sorting sort(ranks);
  const sorting_exchange exchange(states, true);
  state<24> mine{};
  mine.bytes[3] = static_cast<unsigned char>(threadIdx.x);
  for (int round = 0; round < sorting_rounds; ++round) {
    mine = exchange.to(mine, sorting::seat(sort.rank(key_in(mine.bytes[3], round)).rank));
    __syncthreads();
    mine = exchange.back(mine, sorting::seat(threadIdx.x));
  }
  found[threadIdx.x] = mine.bytes[3];
}

constexpr unsigned gated_rounds = 200;

/// Returns the key of a thread in a round: together in stretches of rounds, and mixed in stretches of other lengths.
HEDDLE_FN unsigned gated_key(unsigned number, unsigned round, unsigned stretch) {
  return round / stretch % 2 == 0 ? round & 3u : key_in(number, static_cast<int>(round));
}

HEDDLE_FN void gated_step(state<24>& mine, unsigned key) {
  for (unsigned i = 4; i < 24; ++i) mine.bytes[i] = static_cast<unsigned char>(mine.bytes[i] * 5 + key + i);
}

/// Goes through rounds with the gate. Blocks have stretches of different lengths. Records where threads did not decide
/// alike, and per block and round whether it sorted.
__global__ void __launch_bounds__(sorting_threads) sort_while_it_pays(state<24>* all, unsigned* unlike, char* sorted) {
  __shared__ heddle::static_shared<sorting::storage> ranks;
  __shared__ heddle::static_shared<sorting_exchange::storage> states;
  sorting sort(ranks);
  coherence_gate gate = sorting::gate(300, sorting_exchange::words, {.of_question = 20});
  state<24> mine{};
  mine.bytes[3] = static_cast<unsigned char>(threadIdx.x);
  bool has_moved = false;
  for (unsigned round = 0;;) {
    for (const unsigned end = gate.until(round, gated_rounds); round < end; ++round) {
      const int moved = __syncthreads_count(has_moved);
      if (moved != 0 && moved != sorting_threads) atomicAdd(unlike, 1u);
      if (threadIdx.x == 0) sorted[blockIdx.x * gated_rounds + round] = has_moved;
      has_moved = false;
      gated_step(mine, gated_key(mine.bytes[3], round, blockIdx.x + 1));
    }
    if (round == gated_rounds) break;
    const auto [pays, rank, active] = sort.rank_if(gate, gated_key(mine.bytes[3], round, blockIdx.x + 1));
    if (pays) mine = sorting_exchange(states, true).to(mine, rank);
    if (active != sorting_threads) atomicAdd(unlike, 1u);
    has_moved = pays;
  }
  all[blockIdx.x * sorting_threads + mine.bytes[3]] = mine;
}

}  // namespace

GPU_TEST("With the gate state is as without, threads decide alike, and keys are found again in time on the GPU",
         "[reorder]") {
  constexpr unsigned blocks = 90;
  device_array<state<24>> states(blocks * sorting_threads, 0xff);
  device_array<unsigned> unlike(1, 0);
  device_array<char> sorted(blocks * gated_rounds, 0xff);
  sort_while_it_pays<<<blocks, sorting_threads>>>(states.data(), unlike.data(), sorted.data());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  CHECK(unlike.read()[0] == 0);
  const std::vector<state<24>> found = states.read();
  const std::vector<char> sorts = sorted.read();
  for (unsigned block = 0; block < blocks; ++block) {
    CAPTURE(block);
    const unsigned stretch = block + 1;
    unsigned wrong = 0;
    for (unsigned thread = 0; thread < sorting_threads; ++thread) {
      state<24> expected{};
      expected.bytes[3] = static_cast<unsigned char>(thread);
      for (unsigned round = 0; round < gated_rounds; ++round) {
        gated_step(expected, gated_key(thread, round, stretch));
      }
      wrong += !(found[block * sorting_threads + thread] == expected);
    }
    CHECK(wrong == 0);
    const unsigned longest = 1 + 64 * 20 / 300;
    unsigned mixed = 0;  // rounds in succession with mixed keys
    for (unsigned round = 0; round < gated_rounds; ++round) {
      const bool is_mixed = round / stretch % 2 != 0 && round % 4 != 3;  // in every fourth round key_in is 1 for all
      if (round / stretch % 2 == 0) mixed = 0;
      if (is_mixed) ++mixed;
      const bool pays = sorts[block * gated_rounds + round] != 0;
      if (!is_mixed) CHECK_FALSE(pays);
      // A pause may end in a round in which all keys are equal, and the one after it is twice as long at most.
      if (is_mixed && mixed > 2 * longest) CHECK(pays);
    }
  }
}

GPU_TEST("block_reorder ranks threads by key for every number of bits on the GPU", "[reorder]") {
  ranks_obey_for_all_bits<32>();
  ranks_obey_for_all_bits<160>();
  ranks_obey_for_all_bits<256>();
  ranks_obey_for_all_bits<1024>();
}

GPU_TEST("block_reorder ranks threads by key in every block on the GPU", "[reorder]") {
  ranks_obey<64, 3>();
  ranks_obey<96, 3>();
  ranks_obey<128, 3>();
  ranks_obey<384, 3>();
  ranks_obey<512, 3>();
  ranks_obey<768, 3>();
  ranks_obey<992, 3>();
}

GPU_TEST("block_exchange carries state of any size there and back on the GPU", "[reorder]") {
  state_arrives_in_all_blocks<state<1>>();
  state_arrives_in_all_blocks<state<4>>();
  state_arrives_in_all_blocks<state<7>>();
  state_arrives_in_all_blocks<state<24>>();
  state_arrives_in_all_blocks<state<84>>();
  state_arrives_in_all_blocks<state<256>>();
}

GPU_TEST("Sorted again and again every thread has its state on the GPU", "[reorder]") {
  std::vector<unsigned> expected(sorting_threads);
  std::iota(expected.begin(), expected.end(), 0u);
  for (int round = 0; round < sorting_rounds; ++round) {
    std::stable_sort(expected.begin(), expected.end(),
                     [&](unsigned one, unsigned other) { return key_in(one, round) < key_in(other, round); });
  }
  for (const auto kernel : {sort_in_shared_memory_of_both, sort_to_seats}) {
    device_array<unsigned> found(sorting_threads, 0xff);
    kernel<<<1, sorting_threads>>>(found.data());
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    CHECK(found.read() == expected);
  }
}
