// The law of reordering on the host, in the code of the kernels: ranks are a permutation that sorts by key, keeps the
// order of equal keys and puts inactive threads last; state arrives intact.

#include "simt.hpp"

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/key_probe.hpp>

#include "filled.hpp"
#include "reorder/keys.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::keys;
using heddle_test::state;

namespace {

/// Ranks every pattern in shared memory that is filled with `filling` before.
template <int Threads, int Bits>
void ranks_obey(unsigned char filling) {
  using reorder = block_reorder<Threads, Bits>;
  const std::vector<keys> all = heddle_test::every_pattern(Threads, Bits);
  std::vector<typename reorder::place> found(all.size() * Threads);
  std::vector<coherence> spreads(all.size() * Threads);
  simt::launch(1, Threads, [&] {  // calls in succession, with the same memory
    __shared__ typename reorder::storage smem;
    heddle_test::fill(smem, filling);
    reorder sort(smem);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const unsigned thread = threadIdx.x, key = all[i].of[thread];
      const bool everybody = all[i].everybody(), is_active = all[i].active[thread];
      if (i % 2 == 0) spreads[i * Threads + thread] = everybody ? sort.spread(key) : sort.spread(key, is_active);
      found[i * Threads + thread] = everybody ? sort.rank(key) : sort.rank(key, is_active);
      if (i % 2 != 0) spreads[i * Threads + thread] = sort.spread(key, is_active);
    }
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(Threads, Bits, all[i].name, static_cast<int>(filling));
    const std::vector<unsigned> expected = heddle_test::ranks_of(all[i], Bits);
    unsigned wrong = 0;
    for (unsigned thread = 0; thread < Threads; ++thread) {
      wrong += found[i * Threads + thread].rank != expected[thread];
    }
    const heddle_test::spread how = heddle_test::spread_of(all[i], Bits);
    for (unsigned thread = 0; thread < Threads; ++thread) {
      const coherence& here = spreads[i * Threads + thread];
      wrong += found[i * Threads + thread].active != how.active || here.active != how.active ||
               here.visits != how.visits || here.keys != how.keys;
    }
    CHECK(wrong == 0);
  }
}

template <int Threads, int Bits>
void ranks_obey() {
  for (const unsigned char filling : heddle_test::fillings) ranks_obey<Threads, Bits>(filling);
}

template <int Threads>
void ranks_obey_for_all_bits() {
  heddle_test::for_all_bits([](auto bits) { ranks_obey<Threads, decltype(bits)::value>(); });
}

/// Carries state to the ranks and back.
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
  ranks_obey_for_all_bits<96>();
  ranks_obey_for_all_bits<256>();
  ranks_obey<64, 3>();
  ranks_obey<160, 6>();
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

TEST_CASE("block_reorder seats whole warps within groups of four, and rank_at is the inverse", "[reorder]") {
  const auto check_seats = [](auto of) {
    constexpr unsigned threads = decltype(of)::value;
    CAPTURE(threads);
    unsigned wrong = 0;
    for (unsigned rank = 0; rank < threads; ++rank) {
      const unsigned seat = block_reorder<threads, 1>::seat(rank);
      wrong += block_reorder<threads, 1>::rank_at(seat) != rank || seat >= threads || seat / 128 != rank / 128 ||
               seat % 32 != rank % 32 || seat / 32 != block_reorder<threads, 1>::seat(rank / 32 * 32) / 32;
    }
    CHECK(wrong == 0);
  };
  check_seats(std::integral_constant<unsigned, 96>());
  check_seats(std::integral_constant<unsigned, 256>());
  check_seats(std::integral_constant<unsigned, 352>());
  check_seats(std::integral_constant<unsigned, 1024>());
}

TEST_CASE("Ranks and state share their memory on the host", "[reorder]") {
  constexpr int threads = 96, rounds = 6;
  using reorder = block_reorder<threads, 2>;
  using exchange = block_exchange<state<24>, threads, 8 * threads>;
  union shared {
    typename reorder::storage ranks;
    typename exchange::storage states;
  };
  std::vector<state<24>> found(threads);
  simt::launch(1, threads, [&] {
    __shared__ shared smem;
    reorder sort(smem.ranks);
    state<24> mine{};
    mine.bytes[0] = static_cast<unsigned char>(threadIdx.x);
    for (int round = 0; round < rounds; ++round) {
      const unsigned key = heddle_test::key_in(mine.bytes[0], round);
      __syncthreads();  // threads may still read states
      const coherence how = sort.spread(key);
      if (how.visits > how.warps()) mine = exchange(smem.states).to(mine, sort.rank(key).rank);
      mine.bytes[1 + round] = static_cast<unsigned char>(threadIdx.x);
    }
    found[threadIdx.x] = mine;
  });
  std::vector<unsigned> expected(threads);
  std::iota(expected.begin(), expected.end(), 0u);
  for (int round = 0; round < rounds; ++round) {
    std::stable_sort(expected.begin(), expected.end(), [&](unsigned one, unsigned other) {
      return heddle_test::key_in(one, round) < heddle_test::key_in(other, round);
    });
  }
  unsigned wrong = 0;
  for (unsigned thread = 0; thread < threads; ++thread) wrong += found[thread].bytes[0] != expected[thread];
  CHECK(wrong == 0);
}

TEST_CASE("key_probe counts what block_reorder finds", "[reorder]") {
  constexpr int threads = 160, bits = 3;
  for (const keys& each : heddle_test::every_pattern(threads, bits)) {
    CAPTURE(each.name);
    key_probe<bits>::counts counts{};
    simt::launch(1, threads, [&] { key_probe<bits>{&counts}.see(each.of[threadIdx.x], each.active[threadIdx.x]); });
    const heddle_test::spread how = heddle_test::spread_of(each, bits);
    CHECK(counts.visits == how.visits);
    CHECK(counts.active() == how.active);
    unsigned warps = 0;  // with an active thread
    for (auto begin = each.active.begin(); begin != each.active.end(); begin += 32) {
      warps += std::count(begin, begin + 32, 1) > 0;
    }
    CHECK(counts.warps == warps);
    unsigned distinct = 0;
    for (const unsigned long long with_key : counts.threads) distinct += with_key > 0;
    CHECK(distinct == how.keys);
  }
}

TEST_CASE("key_probe predicts how many keys warps have once they are sorted", "[reorder]") {
  for (const unsigned most : {1u, 2u, 7u, 16u}) {
    for (const int threads : {64, 256, 1024}) {
      CAPTURE(most, threads);
      constexpr int blocks = 200;
      key_probe<4>::counts counts{};
      double sorted = 0;
      for (int block = 0; block < blocks; ++block) {
        keys drawn{"drawn", {}, std::vector<char>(static_cast<unsigned>(threads), 1)};
        for (int thread = 0; thread < threads; ++thread) {
          drawn.of.push_back(std::min(simt::random() % most, simt::random() % most));  // low keys more often
          ++counts.threads[drawn.of.back()];
        }
        counts.warps += static_cast<unsigned>(threads) / 32;
        counts.visits += heddle_test::spread_of(drawn, 4).visits;
        std::sort(drawn.of.begin(), drawn.of.end());
        sorted += heddle_test::spread_of(drawn, 4).visits;
      }
      const double found = sorted / static_cast<double>(counts.warps);
      CHECK(counts.sorted_keys_of_warp(threads) >= found * 0.999);
      CHECK(counts.sorted_keys_of_warp(threads) <= found * 1.03);
      const coherence::cost nothing{.of_rank = 0, .of_exchange = 0, .of_word = 0};
      CHECK(counts.gain(threads, 100, 6, nothing) <= counts.keys_of_warp() / found * 1.001);
      CHECK(counts.gain(threads, 100, 6) < counts.gain(threads, 1000, 6));
      if (most == 1) CHECK(counts.gain(threads, 1000, 6) < 1);
    }
  }
  CHECK(key_probe<4>::counts{}.gain(256, 100, 6) == 1);
}

TEST_CASE("key_probe says that nothing changes in a block without threads and without clocks", "[reorder]") {
  key_probe<2>::counts counts{.warps = 10, .visits = 30, .threads = {100, 100, 100, 20}};
  const coherence::cost nothing{.of_rank = 0, .of_exchange = 0, .of_word = 0};
  for (const int threads : {0, -1, -256, -0x7fffffff - 1}) {
    CAPTURE(threads);
    CHECK(counts.sorted_keys_of_warp(threads) == 0);
    CHECK(counts.gain(threads, 100, 6) == 1);
    CHECK(counts.gain(threads, 0, 0, nothing) == 1);
  }
  CHECK(counts.gain(256, 0, 6, nothing) == 1);
  CHECK(counts.gain(256, 0, 6) == 0);
  CHECK(counts.gain(0x7fffffff, 100, 6) > 0);
  counts.threads[0] = ~0ull / 1000;  // more than ten warps can have
  CHECK(counts.gain(0x7fffffff, 100, 6) > 0);
  const key_probe<2>::counts no_threads{.warps = 10, .visits = 0, .threads = {}};
  CHECK(no_threads.sorted_keys_of_warp(256) == 0);
  CHECK(no_threads.gain(256, 100, 6) == 1);
}

TEST_CASE("A block whose keys are together stays as it is", "[reorder]") {
  const coherence together{8, 8, 256}, mixed{64, 8, 256};  // eight warps
  CHECK(together.sorted_visits() == 15);
  CHECK_FALSE(together.pays(1e9f, 1));
  const coherence::cost exchange{.of_rank = 20, .of_exchange = 30, .of_word = 10};
  CHECK(mixed.pays(100, 6, exchange));         // 49 visits of 100 clocks fewer
  CHECK_FALSE(mixed.pays(100, 60, exchange));  // 4900 clocks for 8 times 650
  CHECK_FALSE(mixed.pays(17, 6, exchange));    // 833 clocks for 8 times 110
  CHECK(mixed.pays(17, 5, exchange));
  CHECK_FALSE(coherence{0, 0, 0}.pays(1e9f, 0));
  CHECK(coherence::cost{}.exchange(0) == 0);
  CHECK(coherence::cost{}.exchange(64) > coherence::cost{}.exchange(32));
  CHECK(coherence{9, 8, 256}.pays(1e9f, 0) == false);  // sorted, up to 15 visits
}
