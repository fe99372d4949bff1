// Runs the decisions of every scheduler on the host, by the code that kernels use: blocks access memory in adversarial
// orders.

#include <heddle/laws.hpp>
#include <heddle/one_at_a_time.hpp>
#include <heddle/order.hpp>
#include <heddle/recipe/with.hpp>
#include <heddle/schedule.hpp>

#include "recipes.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::in_every_schedule;

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

TEST_CASE("Every scheduler visits each tile once and restores its state in every interleaving", "[schedule]") {
  std::mt19937 random(7);
  in_every_schedule([&](auto kind) {
    in_every_launch(200, [&](row_major order, laws::launches plan) {
      std::vector<unsigned long long> state(detail::all_schedules::state_bytes() / 8 + 1);
      const auto scheduler = detail::scheduler_of<kind()>(order, state.data(), 1 + static_cast<int>(random() % 12));
      if (!scheduler.persistent) plan.workers = order.size();
      if (kind() == recipe::cluster_launch) plan.count = 1;  // workers that leave early lose what they took over
      return laws::check_schedule(scheduler, plan);
    });
  });
}

TEST_CASE("cluster_launch visits each tile once though the hardware refuses to give blocks that have not started",
          "[schedule]") {
  // The simulated hardware refuses now and then, as sm_100 may; the blocks that it kept start later.
  int refused = 0;  // though a block had not started
  for (unsigned seed = 0; seed < 50; ++seed) {
    laws::interleaving memory(seed, 3);
    std::vector<int> done(40);
    int left = 40;  // blocks that neither have started nor were taken over
    REQUIRE(memory.run(40, 100'000, [&](int worker) {
      --left;
      for (int tile = worker; tile >= 0;) {
        ++done[static_cast<std::size_t>(tile)];
        memory.step();
        tile = memory.take_over();
        left -= tile >= 0;
        refused += tile < 0 && left > 2;  // two more may have started
      }
    }));
    REQUIRE(std::ranges::count(done, 1) == 40);
    const cluster_launch scheduler{row_major{{5, 8}}};
    REQUIRE(laws::check_schedule(scheduler, {.workers = 40, .resident = 3, .count = 2, .seed = seed}).failure == "");
  }
  CHECK(refused > 20);
}

TEST_CASE("draws_late visits each tile once and restores the state in every interleaving", "[schedule]") {
  zeroed<work_stealing<>> lanes;
  in_every_launch(200, [&](row_major order, laws::launches plan) {
    zeroed<ticket<>> state;
    const draws_late scheduler{ticket{order, state.data()}};
    const std::string failure = laws::check_schedule(scheduler, plan).failure;
    CHECK(failure == "");
    return laws::check_schedule(draws_late{work_stealing{order, lanes.data()}}, plan);
  });
}

TEST_CASE("numbered_ticket gives each worker its own tile first, and restores the state in every interleaving",
          "[schedule]") {
  in_every_launch(200, [&](row_major order, laws::launches plan) {
    zeroed<numbered_ticket<>> state;
    const numbered_ticket scheduler{order, state.data()};
    const std::string failure = laws::check_schedule(draws_late{scheduler}, plan).failure;
    CHECK(failure == "");
    return laws::check_schedule(scheduler, plan);
  });
}

TEST_CASE("work_stealing restores a state for launches of different sizes", "[schedule]") {
  zeroed<work_stealing<>> state;  // one for launches of different sizes
  in_every_launch(100, [&](row_major order, laws::launches plan) {
    return laws::check_schedule(work_stealing{order, state.data()}, plan);
  });
  for (const int workers : {257, 3}) {  // more than lanes, then few
    const laws::launches plan{.workers = workers, .resident = 2, .count = 3};
    CHECK(laws::check_schedule(work_stealing{row_major{{1, 260}}, state.data()}, plan).failure == "");
  }
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

TEST_CASE("seats without a state and in a launch that is too large leave workers their numbers", "[schedule]") {
  chip_map map{.multiprocessors = 4};
  zeroed<seats> state;
  const seats all(map, 1, 2, state.data());
  for (const unsigned number : {0u, 1u, 70u, seats::most_workers}) {
    CHECK(seats{}.claim(one_at_a_time{2, 71, number}) == number);
    CHECK(seats(map, 1, 2).claim(one_at_a_time{2, 71, number}) == number);
    CHECK(all.claim(one_at_a_time{2, seats::most_workers + 1, number}) == number);
  }
  CHECK(std::ranges::count(state.words, 0ull) == static_cast<std::ptrdiff_t>(state.words.size()));
  CHECK(all.claim(one_at_a_time{3, seats::most_workers, 17}) == 3);
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

namespace {

/// What machines of one launch share: how many additions there were, and what comes before the next one.
struct additions {
  int count = 0;
  std::function<void()> before;
};

/// A machine that counts additions.
struct counting : one_at_a_time {
  additions* all;

  template <class Word>
  Word add(Word* word, Word value) const {
    ++all->count;
    if (const auto before = std::exchange(all->before, nullptr)) before();
    return one_at_a_time::add(word, value);
  }
};

/// A launch of `work_stealing` in which workers take one tile at a time, in an order that the test chooses.
class stealing_launch {
 public:
  stealing_launch(int tiles, int workers, void* state) : scheduler_(row_major{{1, tiles}}, state) {
    for (int number = 0; number < workers; ++number) {
      const counting machine{{0, static_cast<unsigned>(workers), static_cast<unsigned>(number)}, &additions_};
      workers_.push_back({draws(scheduler_, machine, none_), false, false});
    }
  }

  /// Returns the next tile of a worker, or -1 at its end. A worker is not asked again after that.
  int take(int number) {
    auto& [next, has_started, is_done] = workers_[static_cast<std::size_t>(number)];
    if (is_done) return -1;
    if (has_started) next.ask();
    const unsigned index = std::exchange(has_started, true) ? next.next(0) : next.first();
    is_done = index >= static_cast<unsigned>(scheduler_.order().size());
    return is_done ? -1 : static_cast<int>(index);
  }

  int additions() const { return additions_.count; }
  void before_next_addition(std::function<void()> does) { additions_.before = std::move(does); }

 private:
  using draws = work_stealing<>::draws<counting>;

  struct taker {
    draws next;
    bool has_started, is_done;
  };

  work_stealing<> scheduler_;
  work_stealing<>::storage none_{};
  struct additions additions_;
  std::vector<taker> workers_;
};

/// The same as lists of tiles.
class lists_of_tiles {
 public:
  lists_of_tiles(int tiles, int workers) : left_(static_cast<std::size_t>(std::min(workers, 256))) {
    for (int tile = tiles - 1; tile >= 0; --tile) left_[static_cast<std::size_t>(tile) % left_.size()].push_back(tile);
  }

  int take(int number) {
    auto* from = &left_[static_cast<std::size_t>(number) % left_.size()];
    if (from->empty()) {
      from = &*std::ranges::max_element(left_, {}, [](const auto& list) { return list.size(); });
    }
    if (from->empty()) return -1;
    const int tile = from->back();
    from->pop_back();
    return tile;
  }

  /// Returns whether no lane has more tiles left than that of this tile had.
  bool was_fullest(int tile) const {
    const auto size = left_[static_cast<std::size_t>(tile) % left_.size()].size() + 1;
    return std::ranges::all_of(left_, [&](const auto& list) { return list.size() <= size; });
  }

 private:
  std::vector<std::vector<int>> left_;  // per lane, the first tile last
};

}  // namespace

TEST_CASE("work_stealing takes its own lane in order and then from the lane with the most tiles left", "[schedule]") {
  std::mt19937 random(20261123);
  zeroed<work_stealing<>> state;
  const auto agrees = [&](int tiles, int workers, int late) {
    CAPTURE(tiles, workers, late);
    stealing_launch launch(tiles, workers, state.data());
    lists_of_tiles expected(tiles, workers);
    const auto take = [&](int worker) {
      const int tile = launch.take(worker);
      REQUIRE(tile == expected.take(worker));
      const bool is_stolen = tile >= 0 && tile % std::min(workers, 256) != worker % 256;
      if (is_stolen) REQUIRE(expected.was_fullest(tile));
      return tile >= 0;
    };
    // Late workers start when the others have taken some tiles, or all.
    for (int turn = 0; late < workers && turn < tiles; ++turn) {
      take(static_cast<int>(random() % static_cast<unsigned>(workers - late)));
      if (random() % 64 == 0) break;
    }
    for (int worker = workers - 1; worker >= 0; --worker) {
      while (take(worker)) continue;
    }
    // A tile and an entry are an addition each. A worker may find that others have used up its lane.
    REQUIRE(launch.additions() <= tiles + 2 * workers);
  };
  for (int tiles = 0; tiles <= 24; ++tiles) {
    for (int workers = 1; workers <= 7; ++workers) {
      for (int late = 0; late <= workers; ++late) agrees(tiles, workers, late);
    }
  }
  for (const int workers : {15, 16, 17, 132, 255, 256, 257, 300, 700}) {
    for (const int tiles : {1, 250, 256, 257, 2000}) agrees(tiles, workers, workers / 6);
  }
}

TEST_CASE("Workers of work_stealing that none is late for take the tiles of strided without a failing draw",
          "[schedule]") {
  zeroed<work_stealing<>> state;
  for (const int workers : {1, 2, 5, 132, 256}) {
    for (const int tiles : {0, 1, 7, 264, 1000}) {
      CAPTURE(workers, tiles);
      stealing_launch launch(tiles, workers, state.data());
      for (int index = 0; index < tiles; ++index) REQUIRE(launch.take(index % workers) == index);
      for (int worker = 0; worker < workers; ++worker) REQUIRE(launch.take(worker) == -1);
      CHECK(launch.additions() == tiles + workers + std::max(0, workers - tiles));
    }
  }
}

TEST_CASE("A worker of work_stealing that another is quicker than takes the next tile that is left", "[schedule]") {
  zeroed<work_stealing<>> state;
  stealing_launch launch(9, 3, state.data());
  for (const int tile : {0, 3, 6}) REQUIRE(launch.take(0) == tile);
  // Worker 0 is about to take tile 1.
  launch.before_next_addition([&] {
    for (const int tile : {1, 4, 7}) CHECK(launch.take(1) == tile);
  });
  CHECK(launch.take(0) == 2);
  CHECK(launch.take(2) == 5);
  CHECK(launch.take(1) == 8);
}

TEST_CASE("work_stealing counts the largest order and as many failing draws as a launch can have", "[schedule]") {
  constexpr int most = 2147483647;
  const auto first_of = [](int workers, auto drawn) {
    zeroed<work_stealing<>> state;
    // A state is the arrivals and two sets of counters: the number of the launch, the lanes, and the draws of each.
    auto* const words = static_cast<unsigned*>(state.data());
    for (unsigned lane = 0; lane < 256; ++lane) words[5 + lane] = drawn(lane);
    return stealing_launch(most, workers, state.data()).take(0);
  };
  CHECK(first_of(1, [](unsigned) { return 0x7ffffffeu; }) == most - 1);
  CHECK(first_of(1, [](unsigned) { return 0x7fffffffu; }) == -1);
  CHECK(first_of(1, [](unsigned) { return 0xfffffffdu; }) == -1);
  CHECK(first_of(256, [](unsigned lane) { return lane == 254 ? 8388607u : 8388608u; }) == most - 1);
  CHECK(first_of(256, [](unsigned lane) { return lane == 255 ? 8388606u : 0x80000000u; }) == most - 256);
  CHECK(first_of(256, [](unsigned lane) { return 0x7fffffffu + 8388607u - lane % 2; }) == -1);
}
