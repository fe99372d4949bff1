// The law of the gate on the host, in the code of the kernels: threads of a block decide alike, state comes to where it
// belongs, a pause has no barrier, questions take their share of the clocks and no more, and keys that change are found
// again in time.

#include "simt.hpp"

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "filled.hpp"
#include "reorder/keys.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::keys;
using heddle_test::state;

namespace {

/// What one thread saw in one round.
struct seen {
  bool pays;
  unsigned rank, active, barriers;
};

/// Calls `rank_if` with one pattern of keys per round.
template <int Threads, int Bits>
std::vector<std::vector<seen>> decided(const std::vector<keys>& rounds, coherence_gate with) {
  using reorder = block_reorder<Threads, Bits>;
  std::vector<std::vector<seen>> all(rounds.size(), std::vector<seen>(Threads));
  simt::launch(1, Threads, [&] {
    __shared__ typename reorder::storage smem;
    reorder sort(smem);
    coherence_gate gate = with;
    const auto end = static_cast<unsigned>(rounds.size());
    unsigned next = gate.until(0, end);
    for (unsigned round = 0; round < end; ++round) {
      const unsigned thread = threadIdx.x, key = rounds[round].of[thread];
      const unsigned before = simt::now->barriers;
      typename reorder::decision found{false, thread, Threads};
      if (round == next) {
        found =
            rounds[round].everybody() ? sort.rank_if(gate, key) : sort.rank_if(gate, key, rounds[round].active[thread]);
        next = gate.until(round, end);
      }
      all[round][thread] = {found.pays, found.rank, found.active, simt::now->barriers - before};
      __syncthreads();  // or another thread may be ahead when this one counts barriers
    }
  });
  return all;
}

/// A cost with which a block of `spread` sorts if that saves more than `visits` visits per warp of one clock.
coherence::cost more_than(float visits) {
  return {.of_rank = visits, .of_exchange = 0, .of_word = 0, .of_question = 0};
}

bool should_sort(const heddle_test::spread& how, float visits_per_warp) {
  const unsigned warps = (how.active + 31) / 32, sorted = how.keys == 0 ? 0 : warps + how.keys - 1;
  return how.visits > sorted && static_cast<float>(how.visits - sorted) > visits_per_warp * static_cast<float>(warps);
}

template <int Threads, int Bits>
void every_thread_decides_alike(float visits) {
  CAPTURE(Threads, Bits, visits);
  const std::vector<keys> rounds = heddle_test::every_pattern(Threads, Bits);
  // Without a price for questions there are no pauses.
  const auto found = decided<Threads, Bits>(rounds, {1, 0, more_than(visits), coherence{1u << 20, 1, 32}});
  unsigned wrong = 0, sorted = 0;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    CAPTURE(rounds[round].name);
    const heddle_test::spread how = heddle_test::spread_of(rounds[round], Bits);
    const std::vector<unsigned> ranks = heddle_test::ranks_of(rounds[round], Bits);
    const bool pays = found[round][0].pays;
    if (pays) {
      ++sorted;
      for (unsigned thread = 0; thread < Threads; ++thread) {
        const seen& here = found[round][thread];
        wrong += !here.pays || here.rank != ranks[thread] || here.active != how.active;
      }
    } else {
      for (unsigned thread = 0; thread < Threads; ++thread) {
        const seen& here = found[round][thread];
        wrong += here.pays || (here.active == 0) != (how.active == 0);
      }
    }
    // A block that did not sort counts all that decides. One that did sort counts visits, with the keys of before.
    const bool did_sort = round > 0 && found[round - 1][0].pays;
    if (!did_sort) CHECK(pays == should_sort(how, visits));
    if (did_sort && how.visits <= (how.active + 31) / 32) CHECK_FALSE(pays);
  }
  CHECK(wrong == 0);
  CHECK((sorted > 0) == (visits < 1));
}

keys together(unsigned threads) {
  return {"together", std::vector<unsigned>(threads, 1), std::vector<char>(threads, 1)};
}

keys mixed(unsigned threads) {
  keys all{"mixed", std::vector<unsigned>(threads), std::vector<char>(threads, 1)};
  std::iota(all.of.begin(), all.of.end(), 0u);
  return all;
}

}  // namespace

TEST_CASE("All threads of a block decide alike, and as coherence says, on the host", "[reorder]") {
  for (const float visits : {0.0f, 0.3f, 1e6f}) {
    every_thread_decides_alike<64, 1>(visits);
    every_thread_decides_alike<96, 3>(visits);
    every_thread_decides_alike<256, 3>(visits);
    every_thread_decides_alike<160, 6>(visits);
  }
}

TEST_CASE("A gate that pauses has no barrier, and one that never pays has none at all", "[reorder]") {
  constexpr unsigned threads = 64, rounds = 40;
  using reorder = block_reorder<threads, 2>;
  const std::vector<keys> all(rounds, together(threads));
  unsigned barriers = 0, pauses = 0;
  for (const auto& round : decided<threads, 2>(all, reorder::gate(1000, 4, {.of_question = 50}))) {
    for (const seen& here : round) CHECK(here.barriers <= 1);
    barriers += round[0].barriers;
    pauses += round[0].barriers == 0;
  }
  CHECK(barriers + pauses == rounds);
  CHECK(barriers > 1);
  CHECK(pauses > rounds / 2);
  // At most 3 visits are saved in each of two warps.
  const coherence::cost of{.of_rank = 50, .of_exchange = 0, .of_word = 0};
  for (const auto& round : decided<threads, 2>(std::vector<keys>(rounds, mixed(threads)), reorder::gate(33, 4, of))) {
    for (const seen& here : round) CHECK((here.barriers == 0 && !here.pays));
  }
  const auto found = decided<threads, 2>(std::vector<keys>(rounds, mixed(threads)), reorder::gate(34, 4, of));
  for (const auto& round : found) CHECK(round[0].pays);
}

TEST_CASE("The cheap question suffices where keys are together, and the long one is paid for by a longer pause",
          "[reorder]") {
  constexpr unsigned threads = 128, bits = 3, rounds = 10;
  using reorder = block_reorder<threads, bits>;
  const auto barriers_of = [](const keys& all) {
    // A question takes 1/32 of a visit, so two rounds pay for it.
    const coherence::cost of{.of_rank = 20, .of_exchange = 0, .of_word = 0, .of_question = 3};
    std::vector<unsigned> each;
    for (const auto& round : decided<threads, bits>(std::vector<keys>(rounds, all), reorder::gate(96, 4, of))) {
      CHECK_FALSE(round[5].pays);
      each.push_back(round[5].barriers);
    }
    return each;
  };
  keys same = together(threads), pairs = together(threads);
  for (unsigned thread = 0; thread < threads; ++thread) {
    same.of[thread] = 1 | thread << bits;                       // bits that do not matter
    pairs.of[thread] = 2 * (thread / 32) + (thread % 32 < 16);  // of each warp alone: sorting saves nothing
  }
  CHECK(barriers_of(same) == std::vector<unsigned>{1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
  CHECK(barriers_of(pairs) == std::vector<unsigned>{3, 0, 0, 0, 0, 0, 0, 3, 0, 0});
}

TEST_CASE("A loop whose threads have all ended ends, though its gate never pays", "[reorder]") {
  constexpr unsigned threads = 64;
  using reorder = block_reorder<threads, 2>;
  for (const float clocks : {0.0f, 1.0f, 1000.0f}) {
    const coherence::cost of{.of_rank = 1e9f};  // sorting never pays
    keys nobody = together(threads);
    std::fill(nobody.active.begin(), nobody.active.end(), false);
    const std::vector<keys> all(coherence_gate::longest_pause + 1, nobody);
    const auto found = decided<threads, 2>(all, reorder::gate(clocks, 4, of));
    for (const seen& here : found.back()) CHECK(here.active == 0);
  }
}

TEST_CASE("Questions in vain take a 64th of the clocks at most, or one round in 22, but for the first", "[reorder]") {
  const coherence alone{8, 1, 256}, best{64, 8, 256};
  for (const float clocks : {1.0f, 3.0f, 56.0f, 200.0f, 896.0f, 1e5f}) {
    for (const float of_question : {0.0f, 0.5f, 22.0f, 58.0f, 1000.0f}) {
      CAPTURE(clocks, of_question);
      const coherence::cost of{.of_rank = 0, .of_exchange = 0, .of_word = 0, .of_question = of_question};
      coherence_gate gate(clocks, 6, of, best);
      constexpr unsigned rounds = 1000;
      unsigned asked = 0;
      for (unsigned round = gate.until(0, rounds); round < rounds;) {
        CHECK_FALSE(gate.pays(alone));
        gate.note(false, 1, 1);
        const unsigned next = gate.until(round, rounds);
        CHECK(next > round);
        CHECK(next <= round + 1 + coherence_gate::longest_pause);
        round = next;
        const double clocks_of_all = static_cast<double>(asked) * static_cast<double>(of_question);
        const double share = clocks_of_all / (round * static_cast<double>(clocks));
        if (64 * of_question <= 21 * clocks) CHECK(share <= 1 / 64.0);
        CHECK(asked <= round * std::max(1 / 22.0, static_cast<double>(clocks / (64 * of_question))));
        ++asked;
      }
      if (of_question == 0) CHECK(asked == rounds);
      CHECK(asked >= rounds / coherence_gate::longest_pause);
      CHECK(asked >= rounds / (2 + 64 * static_cast<double>(of_question) / static_cast<double>(clocks)));
    }
  }
}

TEST_CASE("A pause that outlasts a loop goes on in the next one", "[reorder]") {
  const coherence::cost of{.of_rank = 0, .of_exchange = 0, .of_word = 0, .of_question = 1000};
  for (const unsigned rounds : {1u, 2u, 5u, 22u, 23u, 100u}) {
    CAPTURE(rounds);
    coherence_gate gate(1, 6, of, coherence{64, 8, 256});
    unsigned before = 0;  // rounds of all loops up to now
    std::vector<unsigned> asked;
    while (before < 300) {
      for (unsigned round = gate.until(0, rounds); round < rounds; round = gate.until(round, rounds)) {
        asked.push_back(before + round);
        gate.note(false, 1, 1);
      }
      before += rounds;
    }
    CHECK(asked.size() > 10);
    for (unsigned i = 0; i < asked.size(); ++i) CHECK(asked[i] == 22 * i);
  }
}

TEST_CASE("Keys that change are found again: at once from mixed, and within a pause from together", "[reorder]") {
  const coherence mixed{64, 8, 256}, alone{8, 1, 256};
  for (const float clocks : {20.0f, 200.0f, 896.0f}) {
    const coherence::cost of{.of_rank = 10, .of_exchange = 0, .of_word = 0, .of_question = 22};
    const auto longest = static_cast<int>(std::min(21.0, 1 + 64 * 22.0 / static_cast<double>(clocks)));
    for (int change = 0; change < 200; ++change) {
      CAPTURE(clocks, change);
      coherence_gate gate(clocks, 6, of, mixed);
      unsigned round = 0, next = 0;
      const auto asks = [&](const coherence& how) {
        if (round++ < next) return false;
        const coherence seen{how.visits, gate.is_sorting() ? gate.keys() : how.keys, how.active};
        gate.note(gate.pays(seen), seen.keys, gate.is_sorting() ? 0 : 1);
        next = gate.until(round - 1, 10'000);
        return gate.is_sorting();
      };
      for (int before = 0; before < change; ++before) CHECK_FALSE(asks(alone));
      int waited = 0;
      while (!asks(mixed)) ++waited;
      CHECK(waited <= longest);
      for (int after = 0; after < 100; ++after) CHECK(asks(mixed));
      CHECK_FALSE(asks(alone));
      CHECK(asks(mixed));  // a single round of other keys begins no pause
    }
  }
}

TEST_CASE("With the gate every thread's state becomes what it is without, on the host", "[reorder]") {
  constexpr unsigned threads = 96, rounds = 60;
  using reorder = block_reorder<threads, 2>;
  using exchange = block_exchange<state<24>, threads, 8 * threads>;
  const auto step = [](state<24>& mine, unsigned key) {
    for (unsigned i = 1; i < 24; ++i) mine.bytes[i] = static_cast<unsigned char>(mine.bytes[i] * 5 + key + i);
  };
  // Keys that are together in stretches of several rounds, and mixed in others.
  const auto key_of = [](const state<24>& mine, unsigned round) {
    return round / 7 % 2 == 0 ? round & 3u : heddle_test::key_in(mine.bytes[0], static_cast<int>(round)) + round / 11;
  };
  std::vector<state<24>> found(threads), expected(threads);
  unsigned sorted = 0;
  simt::launch(1, threads, [&] {
    __shared__ typename reorder::storage ranks;
    __shared__ typename exchange::storage states;
    heddle_test::fill(ranks, heddle_test::fillings[0]);
    reorder sort(ranks);
    coherence_gate gate = reorder::gate(400, exchange::words, {.of_question = 5});
    state<24> mine{};
    mine.bytes[0] = static_cast<unsigned char>(threadIdx.x);
    for (unsigned round = 0;;) {
      for (const unsigned end = gate.until(round, rounds); round < end; ++round) step(mine, key_of(mine, round));
      if (round == rounds) break;
      const auto [pays, rank, active] = sort.rank_if(gate, key_of(mine, round));
      if (pays) mine = exchange(states).to(mine, rank);
      if (pays && threadIdx.x == 0) ++sorted;
    }
    found[mine.bytes[0]] = mine;
  });
  unsigned wrong = 0;
  for (unsigned thread = 0; thread < threads; ++thread) {
    state<24>& mine = expected[thread];
    mine.bytes[0] = static_cast<unsigned char>(thread);
    for (unsigned round = 0; round < rounds; ++round) step(mine, key_of(mine, round));
    wrong += !(found[thread] == mine);
  }
  CHECK(wrong == 0);
  CHECK(sorted > 5);
  CHECK(sorted < rounds / 2);
}
