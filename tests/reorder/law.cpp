// The law of reordering in the kernels' own code, on the host: a permutation that sorts by key, keeps the order of
// equals and puts those last that take no part; and state that arrives whole.

#include "simt.hpp"

#include <numeric>
#include <string>

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "reorder/keys.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::keys;
using heddle_test::state;

namespace {

template <int Threads, int Bits>
void ranks_obey() {
  using reorder = block_reorder<Threads, Bits>;
  const std::vector<keys> all = heddle_test::every_pattern(Threads, Bits);
  std::vector<typename reorder::place> found(all.size() * Threads);
  simt::launch(1, Threads, [&] {  // one call after another, with the same memory
    __shared__ typename reorder::storage smem;
    reorder sort(smem);
    for (std::size_t i = 0; i < all.size(); ++i) {
      found[i * Threads + threadIdx.x] = sort.rank(all[i].of[threadIdx.x], all[i].active[threadIdx.x]);
    }
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(Threads, Bits, all[i].name);
    const std::vector<unsigned> expected = heddle_test::ranks_of(all[i], Bits);
    unsigned wrong = 0;
    for (unsigned thread = 0; thread < Threads; ++thread) {
      wrong += found[i * Threads + thread].rank != expected[thread];
    }
    CHECK(wrong == 0);
    const heddle_test::spread how = heddle_test::spread_of(all[i], Bits);
    for (const unsigned thread : {0u, Threads - 1u}) {
      const auto& place = found[i * Threads + thread];
      CHECK(place.active == how.active);
      CHECK(place.how.active == how.active);
      CHECK(place.how.visits == how.visits);
      CHECK(place.how.keys == how.keys);
    }
  }
}

template <int Threads>
void ranks_obey_for_all_bits() {
  heddle_test::for_all_bits([](auto bits) { ranks_obey<Threads, decltype(bits)::value>(); });
}

/// There by the ranks, and back again.
template <class T, int Threads, int Bytes>
void state_arrives() {
  CAPTURE(sizeof(T), Threads, Bytes);
  std::vector<unsigned> ranks(Threads);
  std::iota(ranks.begin(), ranks.end(), 0u);
  std::shuffle(ranks.begin(), ranks.end(), simt::random);
  std::vector<T> held(Threads), carried(Threads), back(Threads);
  for (T& each : held) {
    for (unsigned char& byte : each.bytes) byte = static_cast<unsigned char>(simt::random());
  }
  simt::launch(1, Threads, [&] {
    __shared__ typename block_exchange<T, Threads, Bytes>::storage smem;
    const block_exchange<T, Threads, Bytes> exchange(smem);
    const unsigned thread = threadIdx.x;
    carried[thread] = exchange.to(held[thread], ranks[thread]);
    back[thread] = exchange.back(carried[thread], ranks[thread]);
  });
  unsigned wrong = 0, not_back = 0;
  for (unsigned thread = 0; thread < Threads; ++thread) {
    wrong += !(carried[ranks[thread]] == held[thread]);
    not_back += !(back[thread] == held[thread]);
  }
  CHECK(wrong == 0);
  CHECK(not_back == 0);
}

template <class T>
void state_arrives_in_all_blocks() {
  state_arrives<T, 32, 128>();
  state_arrives<T, 32, 1024>();
  state_arrives<T, 96, 1000>();
  state_arrives<T, 256, 16 * 1024>();
  state_arrives<T, 1000, 4096>();
}

}  // namespace

TEST_CASE("block_reorder ranks threads by key for every number of bits on the host", "[reorder]") {
  ranks_obey_for_all_bits<32>();
  ranks_obey_for_all_bits<64>();
  ranks_obey_for_all_bits<96>();
  ranks_obey_for_all_bits<160>();
  ranks_obey_for_all_bits<256>();
}

TEST_CASE("block_reorder ranks threads by key in the largest blocks on the host", "[reorder]") {
  ranks_obey<512, 3>();
  ranks_obey<992, 4>();
  ranks_obey<1024, 3>();
  ranks_obey<1024, 8>();
}

TEST_CASE("block_exchange carries state of any size there and back on the host", "[reorder]") {
  state_arrives_in_all_blocks<state<1>>();
  state_arrives_in_all_blocks<state<2>>();
  state_arrives_in_all_blocks<state<4>>();
  state_arrives_in_all_blocks<state<7>>();
  state_arrives_in_all_blocks<state<24>>();
  state_arrives_in_all_blocks<state<84>>();
  state_arrives_in_all_blocks<state<256>>();
}

TEST_CASE("A block whose keys are together stays as it is", "[reorder]") {
  const coherence together{8, 8, 256}, mixed{64, 8, 256};  // eight warps
  CHECK(together.sorted_visits() == 15);
  CHECK_FALSE(together.pays(1e9f, 1));
  CHECK(mixed.pays(100, 6));       // 49 visits of 100 clocks fewer
  CHECK_FALSE(mixed.pays(1, 64));  // 49 clocks for 888
  CHECK(mixed.pays(1, 64, {.of_exchange = 10, .of_word = 0.5f}));
  CHECK_FALSE(coherence{0, 0, 0}.pays(1e9f, 0));
}
