// Runs the decisions of every scheduler on the host, by the code that kernels use: blocks access memory in adversarial
// orders.

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <heddle/laws.hpp>
#include <heddle/order.hpp>
#include <heddle/schedule.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

/// A state, zeroed once.
template <class Scheduler>
struct zeroed {
  std::vector<unsigned long long> words = std::vector<unsigned long long>((Scheduler::state_bytes() + 7) / 8);

  void* data() { return words.data(); }
};

/// Few and many workers, fewer and more than tiles, not all of them resident.
template <class Check>
void in_every_launch(int rounds, Check check) {
  std::mt19937 random(20261121);
  const auto one_to = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  for (int round = 0; round < rounds; ++round) {
    const int workers = one_to(9);
    const laws::launches plan{.workers = workers,
                              .resident = one_to(static_cast<unsigned>(workers)),
                              .count = 4,
                              .multiprocessors = one_to(4),
                              .seed = static_cast<unsigned>(random())};
    const int tiles = random() % 8 == 0 ? 1 : one_to(40);
    const laws::verdict verdict = check(row_major{{1, tiles}}, plan);
    INFO(tiles << " tiles: " << verdict.failure);
    REQUIRE(verdict);
  }
}

}  // namespace

TEST_CASE("strided and chunked visit each tile once whoever goes first", "[schedule]") {
  in_every_launch(300, [](row_major order, laws::launches plan) { return laws::check_schedule(strided{order}, plan); });
  in_every_launch(300, [](row_major order, laws::launches plan) { return laws::check_schedule(chunked{order}, plan); });
}

TEST_CASE("one_shot and cluster_launch visit each tile once with a worker for every tile", "[schedule]") {
  in_every_launch(300, [](row_major order, laws::launches plan) {
    plan.workers = order.size();
    return laws::check_schedule(one_shot{order}, plan);
  });
  in_every_launch(300, [](row_major order, laws::launches plan) {
    plan.workers = order.size();
    plan.count = 1;  // no launch in which workers leave early, and lose what they took over
    return laws::check_schedule(cluster_launch{order}, plan);
  });
}

TEST_CASE("ticket visits each tile once and restores its state in every interleaving", "[schedule]") {
  in_every_launch(500, [](row_major order, laws::launches plan) {
    zeroed<ticket<>> state;
    return laws::check_schedule(ticket{order, state.data()}, plan);
  });
}

TEST_CASE("sm_affine visits each tile once and restores its state in every interleaving", "[schedule]") {
  std::mt19937 random(7);
  in_every_launch(80, [&](row_major order, laws::launches plan) {
    zeroed<sm_affine<>> state;
    return laws::check_schedule(sm_affine{order, state.data(), 1 + static_cast<int>(random() % 12)}, plan);
  });
}

TEST_CASE("stream_k does each step once and finds the last to arrive in every interleaving", "[schedule]") {
  std::mt19937 random(11);
  in_every_launch(600, [&](row_major order, laws::launches plan) {
    zeroed<stream_k<>> state;
    const int steps = random() % 8 == 0 ? 0 : static_cast<int>(random() % 90);
    const int sharers = random() % 6 == 0 ? 0 : static_cast<int>(random() % 12);
    return laws::check_split_schedule(stream_k{order, steps, sharers, state.data()}, plan);
  });
}

TEST_CASE("stream_k has work for each of its most workers and for no more", "[schedule]") {
  for (int tiles = 1; tiles < 20; ++tiles) {
    for (const int steps : {1, 7, 8, 9, 16, 33, 128}) {
      for (const int sharers : {0, 1, 2, 5, 19, 66}) {
        zeroed<stream_k<>> state;
        const stream_k scheduler{row_major{{tiles, 1}}, steps, sharers, state.data()};
        const unsigned most = scheduler.most_workers();
        INFO(tiles << " tiles of " << steps << " steps, " << sharers << " sharers: " << most << " workers");
        const auto has_work = [&](unsigned worker, unsigned workers) {
          const detail::schedule::division work(static_cast<unsigned>(tiles), steps, sharers, workers);
          return work.first(worker) < work.size();
        };
        for (unsigned worker = 0; worker < most; ++worker) REQUIRE(has_work(worker, most));
        REQUIRE_FALSE(has_work(most, most + 1));
      }
    }
  }
}

TEST_CASE("stream_k divides evenly for every number of tiles, steps, workers and sharers", "[schedule]") {
  for (const int tiles : {1, 2, 3, 5, 8, 13, 64}) {
    for (const int steps : {1, 7, 8, 9, 16, 33, 128}) {
      for (const int workers : {1, 2, 3, 4, 7, 12, 66}) {
        for (const int sharers : {0, 1, 2, 5, 66}) {
          zeroed<stream_k<>> state;
          const stream_k scheduler{row_major{{tiles, 1}}, steps, sharers, state.data()};
          const detail::schedule::division work(static_cast<unsigned>(tiles), steps, sharers,
                                                static_cast<unsigned>(workers));
          INFO(tiles << " tiles of " << steps << " steps, " << workers << " workers, " << sharers << " sharers");
          std::vector<int> done(static_cast<unsigned>(tiles * steps)), of_worker(static_cast<unsigned>(workers));
          std::vector<int> wholes(static_cast<unsigned>(workers));
          for (unsigned worker = 0; worker < static_cast<unsigned>(workers); ++worker) {
            for (unsigned number = work.first(worker); number < work.size(); number = work.next(number, worker)) {
              const auto part = work(number, worker);
              for (int step = part.begin; step < part.end; ++step) {
                ++done[part.tile * static_cast<unsigned>(steps) + static_cast<unsigned>(step)];
              }
              if (part.parts > 1) {
                REQUIRE(number >= part.first);
                REQUIRE(number < part.first + part.parts);
                REQUIRE(static_cast<int>(number) < stream_k<>::slots(sharers));
              }
              if (part.tile < work.split_tiles()) {
                of_worker[worker] += part.end - part.begin;
              } else {
                ++wholes[worker];
              }
            }
          }
          REQUIRE(std::all_of(done.begin(), done.end(), [](int count) { return count == 1; }));
          if (work.split_tiles() == 0) continue;
          REQUIRE(static_cast<int>(work.sharers()) <= sharers);
          const auto shares =
              std::minmax_element(of_worker.begin(), of_worker.begin() + static_cast<int>(work.sharers()));
          REQUIRE(*shares.second - *shares.first <= 1);
          REQUIRE(*shares.first >= detail::schedule::division::least_steps);
          REQUIRE(std::all_of(wholes.begin(), wholes.end(), [&](int count) { return count == tiles / workers; }));
        }
      }
    }
  }
}

namespace {

/// A map of this many multiprocessors in groups of any size.
chip_map any_map(std::mt19937& random, int multiprocessors) {
  chip_map map{.multiprocessors = multiprocessors};
  const unsigned groups = 1 + static_cast<unsigned>(random() % 9);
  for (int i = 0; i < multiprocessors; ++i) {
    map.group[i] = random() % 16 == 0 ? chip_map::nowhere : static_cast<unsigned char>(random() % groups);
  }
  return map;
}

/// A machine for one worker alone.
struct one_at_a_time {
  unsigned multiprocessor, count;

  unsigned sm() const { return multiprocessor; }
  unsigned workers() const { return count; }
  unsigned launch() const { return 1; }
  template <class Word>
  Word add(Word* word, Word value) const {
    return std::exchange(*word, *word + value);
  }
  template <class Word>
  Word bit_or(Word* word, Word value) const {
    return std::exchange(*word, *word | value);
  }
  template <class Word>
  Word load(const Word* word) const {
    return *word;
  }
  template <class Word>
  void store(Word* word, Word value) const {
    *word = value;
  }
  void fence() const {}
};

}  // namespace

TEST_CASE("seats give each worker a number of its own and restore their state in every interleaving", "[schedule]") {
  std::mt19937 random(20261122);
  for (int round = 0; round < 80; ++round) {
    const int workers = 1 + static_cast<int>(random() % (round % 50 == 0 ? 200 : 9));
    const int resident = 1 + static_cast<int>(random() % static_cast<unsigned>(workers));
    const chip_map map = any_map(random, 1 + static_cast<int>(random() % 140));
    zeroed<seats> state;
    const seats all(map, 1 + static_cast<int>(random() % 4), 1 + static_cast<int>(random() % 12), state.data());
    for (int launch = 0; launch < 3; ++launch) {
      std::vector<int> taken(static_cast<std::size_t>(workers));
      std::vector<unsigned> sm;  // several on one, none on another, and numbers beyond the map
      for (int worker = 0; worker < workers; ++worker) sm.push_back(static_cast<unsigned>(random() % 150));
      laws::interleaving memory(static_cast<unsigned>(random()), resident);
      REQUIRE(memory.run(workers, 1'000'000, [&](int worker) {
        const laws::detail::simulated_machine machine(memory, worker, workers, sm[static_cast<std::size_t>(worker)],
                                                      launch);
        const unsigned number = all.claim(machine);
        if (number < taken.size()) ++taken[number];
      }));
      REQUIRE(std::ranges::count(taken, 1) == workers);
      REQUIRE(std::ranges::count(state.words, 0ull) == static_cast<std::ptrdiff_t>(state.words.size()));
    }
  }
}

TEST_CASE("seats are dealt in whole runs of a group and then to what is left", "[schedule]") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const int multiprocessors = 1 + static_cast<int>(random() % 140), run = 1 + static_cast<int>(random() % 9);
    const chip_map map = any_map(random, multiprocessors);
    zeroed<seats> state;
    const seats all(map, 1, run, state.data());
    std::vector<unsigned> there;
    for (unsigned i = 0; i < static_cast<unsigned>(multiprocessors); ++i) {
      if (map.group[i] != chip_map::nowhere) there.push_back(i);
    }
    std::vector<int> group_of_number(there.size()), size(16);
    for (const unsigned i : there) {
      group_of_number[all.claim(one_at_a_time{i, static_cast<unsigned>(there.size())})] = map.group[i];
      ++size[map.group[i]];
    }
    int runs = 0;
    for (const int each : size) runs += each / run;
    for (int number = 0; number < runs * run; ++number) {
      REQUIRE(group_of_number[static_cast<std::size_t>(number)] ==
              group_of_number[static_cast<std::size_t>(number / run * run)]);
    }
  }
}

TEST_CASE("seats are shared by as many multiprocessors as a worker has blocks", "[schedule]") {
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    const int multiprocessors = 1 + static_cast<int>(random() % 140), blocks = 1 + static_cast<int>(random() % 16);
    const chip_map map = any_map(random, multiprocessors);
    std::vector<int> sharers(static_cast<std::size_t>(multiprocessors));
    int there = 0;
    for (int i = 0; i < multiprocessors; ++i) {
      if (map.group[i] == chip_map::nowhere) continue;
      ++there;
      zeroed<seats> state;  // every seat is free
      const seats all(map, blocks, 4, state.data());
      ++sharers.at(all.claim(one_at_a_time{static_cast<unsigned>(i), seats::most_workers}));
    }
    for (int number = 0; number < multiprocessors; ++number) {
      REQUIRE(sharers[static_cast<std::size_t>(number)] == std::clamp(there - number * blocks, 0, blocks));
    }
  }
}
