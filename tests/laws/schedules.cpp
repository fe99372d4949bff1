// The checker of schedules finds the mistake in wrong schedulers. Each has one mistake that has been made before.

#include <heddle/laws/check_split_schedule.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/transposed.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>

#include "refusal.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

enum class mistake { none, no_atomic, never_reset, reset_by_the_first, waits_for_all, skips_the_last, one_too_many };

struct words {
  unsigned next = 0, entered = 0;
};

/// Draws from a ticket counter. The last worker to find no tile resets the counter to zero.
struct suspect {
  row_major tiles;
  words* state;
  mistake made;

  struct storage {};
  const row_major& order() const { return tiles; }

  template <class Machine>
  class draws {
   public:
    draws(const suspect& scheduler, Machine machine, storage&) : scheduler_(scheduler), machine_(machine) {}

    unsigned first() {
      if (scheduler_.made == mistake::waits_for_all) {
        machine_.add(&state().entered, 1u);
        while (machine_.load(&state().entered) % machine_.workers() != 0) machine_.pause();
      }
      return next(0);
    }

    unsigned next(unsigned) {
      unsigned drawn = 0;
      if (scheduler_.made == mistake::no_atomic) {
        drawn = machine_.load(&state().next);
        machine_.store(&state().next, drawn + 1);
      } else {
        drawn = machine_.add(&state().next, 1u);
      }
      const auto size = static_cast<unsigned>(scheduler_.tiles.size());
      const bool resets = scheduler_.made == mistake::reset_by_the_first ? drawn == size
                          : scheduler_.made == mistake::never_reset      ? false
                                                                         : drawn + 1 == size + machine_.workers();
      if (resets) machine_.store(&state().next, 0u);
      if (scheduler_.made == mistake::skips_the_last && drawn + 1 == size) return next(0);
      if (scheduler_.made == mistake::one_too_many && drawn == size) return 0;
      return drawn;
    }

   private:
    words& state() const { return *scheduler_.state; }

    const suspect& scheduler_;
    Machine machine_;
  };
};

/// Returns the failure found in a few launches that no worker leaves early.
std::string found(mistake made) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    words state;
    for (int launch = 0; launch < 3; ++launch) {
      const laws::launches plan{.workers = 4,
                                .resident = 2,
                                .count = 1,
                                .multiprocessors = 1,
                                .seed = 3 * seed + static_cast<unsigned>(launch)};
      const laws::verdict verdict = laws::check_schedule(suspect{row_major{{3, 4}}, &state, made}, plan);
      if (!verdict) return verdict.failure;
    }
  }
  return "nothing";
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("check_schedule finds nothing wrong with a counter that its last worker resets", "[laws]") {
  CHECK(found(mistake::none) == "nothing");
}

TEST_CASE("check_schedule names the tile that a broken schedule visits twice or never", "[laws]") {
  CHECK(contains(found(mistake::no_atomic), "is visited 2 times"));
  CHECK(contains(found(mistake::never_reset), "is never visited"));
  CHECK(contains(found(mistake::reset_by_the_first), " visited"));
  CHECK(contains(found(mistake::skips_the_last), "index 11 is never visited"));
  CHECK(contains(found(mistake::one_too_many), "index 0 is visited"));
}

TEST_CASE("check_schedule finds a schedule that waits for workers that have not started", "[laws]") {
  CHECK(contains(found(mistake::waits_for_all), "it does not end"));
}

TEST_CASE("check_schedule finds a state that is lost when workers leave early", "[laws]") {
  std::string failure;
  for (unsigned seed = 0; seed < 200 && failure.empty(); ++seed) {
    words state;
    failure = laws::check_schedule(suspect{row_major{{3, 4}}, &state, mistake::none},
                                   {.workers = 4, .resident = 4, .count = 3, .multiprocessors = 1, .seed = seed})
                  .failure;
  }
  CHECK(contains(failure, "launch 2 of 4 workers"));
  CHECK(contains(failure, "is never visited"));
}

namespace {

/// Draws tiles in pairs: the multiprocessor keeps the second of a pair for its next worker that draws. The last worker
/// to leave resets the state; it resets what multiprocessors keep only with `clears`.
struct keeps {
  struct words {
    unsigned next = 0, left = 0, kept[1024] = {};  // index + 1; 0: none
  };

  row_major tiles;
  words* state;
  bool clears;

  struct storage {};
  const row_major& order() const { return tiles; }

  template <class Machine>
  class draws {
   public:
    draws(const keeps& scheduler, Machine machine, storage&) : scheduler_(scheduler), machine_(machine) {}

    unsigned first() { return next(0); }

    unsigned next(unsigned) {
      const auto size = static_cast<unsigned>(scheduler_.tiles.size());
      if (mine_ == 0) mine_ = machine_.exchange(kept(), 0u);
      if (mine_ != 0) return std::exchange(mine_, 0u) - 1;
      const unsigned drawn = machine_.add(&scheduler_.state->next, 2u);
      if (drawn + 1 < size) mine_ = machine_.exchange(kept(), drawn + 2);
      return drawn;
    }

    void leave() {
      words& its = *scheduler_.state;
      if (machine_.add(&its.left, 1u) + 1 != machine_.workers()) return;
      machine_.store(&its.next, 0u);
      machine_.store(&its.left, 0u);
      if (!scheduler_.clears) return;
      for (unsigned& word : its.kept) word = 0;
    }

   private:
    unsigned* kept() const { return &scheduler_.state->kept[machine_.sm() % 1024]; }

    const keeps& scheduler_;
    Machine machine_;
    unsigned mine_ = 0;
  };
};

std::string found_of_keeps(bool clears) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    keeps::words state;
    const laws::launches plan{.workers = 4, .resident = 4, .count = 3, .multiprocessors = 2, .seed = seed};
    if (const auto verdict = laws::check_schedule(keeps{row_major{{3, 4}}, &state, clears}, plan); !verdict)
      return verdict.failure;
  }
  return "nothing";
}

/// Returns the same index for ever.
struct endless {
  row_major tiles;

  struct storage {};
  const row_major& order() const { return tiles; }

  template <class Machine>
  struct draws {
    draws(const endless&, Machine, storage&) {}
    unsigned first() const { return 0; }
    unsigned next(unsigned index) const { return index; }
  };
};

/// Has a negative number of tiles.
struct below_nothing {
  struct tiles_below_nothing : row_major {
    tiles_below_nothing() : row_major({1, 1}) {}
    int size() const { return -1; }
  } tiles;

  struct storage {};
  const tiles_below_nothing& order() const { return tiles; }
  int k_steps() const { return 1; }

  template <class Machine>
  struct draws {
    template <class... None>
    draws(const below_nothing&, Machine, None&...) {}
    unsigned first() const { return 0; }
    unsigned next(unsigned index) const { return index; }
    unsigned size() const { return 1; }
    stream_k<row_major>::part at(unsigned) const { return {}; }
  };
  template <class Machine>
  struct arrivals {
    arrivals(const below_nothing&, Machine) {}
    bool arrive(stream_k<row_major>::sums) const { return true; }
  };
};

/// Compares the messages for plans outside their limits.
template <class Check>
void refuses_what_no_launch_is(Check check) {
  const auto refused = [&](laws::launches plan) { return refusal([&] { check(plan); }); };
  CHECK(refused({.workers = 0}) == "heddle::laws::launches: workers is 0; it must be at least 1");
  CHECK(refused({.workers = -3}) == "heddle::laws::launches: workers is -3; it must be at least 1");
  CHECK(refused({.workers = 0x7fffffff}) == "heddle::laws::launches: workers is 2147483647; it must be at most 65536");
  CHECK(refused({.resident = 0}) == "heddle::laws::launches: resident is 0; it must be at least 1");
  CHECK(refused({.resident = -1}) == "heddle::laws::launches: resident is -1; it must be at least 1");
  CHECK(refused({.resident = 1025}) == "heddle::laws::launches: resident is 1025; it must be at most 1024");
  CHECK(refused({.count = 0}) == "heddle::laws::launches: count is 0; it must be at least 1");
  CHECK(refused({.multiprocessors = 0}) == "heddle::laws::launches: multiprocessors is 0; it must be at least 1");
  CHECK(refused({.multiprocessors = -2}) == "heddle::laws::launches: multiprocessors is -2; it must be at least 1");
  CHECK(refused({.workers = 3, .resident = 1024}) == "not refused");
}

}  // namespace

TEST_CASE("check_schedule finds what a multiprocessor keeps from an earlier launch", "[laws]") {
  CHECK(found_of_keeps(true) == "nothing");
  CHECK(contains(found_of_keeps(false), "launch 2 of 4 workers"));
  CHECK(contains(found_of_keeps(false), "is visited 2 times"));
}

TEST_CASE("Checkers of schedules refuse a plan of no workers or none resident or no multiprocessors", "[laws]") {
  refuses_what_no_launch_is([](laws::launches plan) { laws::check_schedule(strided{row_major{{3, 4}}}, plan); });
  refuses_what_no_launch_is([](laws::launches plan) {
    laws::check_split_schedule(stream_k{row_major{{3, 4}}, 8, 0, nullptr}, plan);
  });
}

TEST_CASE("An interleaving is refused where no worker may be resident", "[laws]") {
  const std::string refused = "; it must be at least 1";
  CHECK(refusal([] { laws::interleaving(1, 0); }) == "heddle::laws::interleaving: resident is 0" + refused);
  CHECK(refusal([] { laws::interleaving(1, -1); }) == "heddle::laws::interleaving: resident is -1" + refused);
}

TEST_CASE("An exception of a worker ends an interleaving, and the next run knows nothing of it", "[laws]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    laws::interleaving memory(seed, 3);
    const auto worker = [&](int number) {
      for (int i = 0; i < 9; ++i) memory.step();
      if (number == 4) throw std::out_of_range("worker 4");
    };
    CHECK_THROWS_AS(memory.run(9, 1000, worker), std::out_of_range);
    CHECK(memory.run(4, 1000, worker));
  }
}

TEST_CASE("Checkers of schedules end where a schedule does not and where an order has no size", "[laws]") {
  CHECK(contains(laws::check_schedule(endless{row_major{{3, 4}}}, {}).failure, "index 0 is visited"));
  CHECK(laws::check_schedule(below_nothing{}, {}).failure == "order().size() is -1");
  CHECK(laws::check_split_schedule(below_nothing{}, {}).failure == "order().size() is -1");
}

namespace {

enum class slip {
  none,
  last_too_early,
  all_are_last,
  step_twice,
  step_left_out,
  slot_shared,
  tile_outside,
  tile_below_0,
  begin_below_0,
  end_past_steps,
  end_before_begin,
  count_0,
  count_below_0,
  count_past_slots,
  first_below_0,
  first_past_slots,
  slot_below_0,
  slot_past_slots,
  no_end
};

/// stream_k with one mistake.
template <slip Made>
struct careless : stream_k<row_major> {
  using stream_k<row_major>::stream_k;

  template <class Machine>
  struct draws : stream_k<row_major>::draws<Machine> {
    draws(const careless& scheduler, Machine machine) : stream_k<row_major>::draws<Machine>(scheduler, machine) {}

    part at(unsigned number) const {
      part here = stream_k<row_major>::draws<Machine>::at(number);
      if (Made == slip::step_twice && here.begin > 0) --here.begin;
      if (Made == slip::step_left_out && here.begin > 0) ++here.begin;
      if (Made == slip::slot_shared) here.share.slot = here.share.first;
      if (Made == slip::tile_outside) here.tile = {7, 1'000'000'000};
      if (Made == slip::tile_below_0) here.tile.row = -1;
      if (Made == slip::begin_below_0) here.begin = -1'000'000'000;
      if (Made == slip::end_past_steps) here.end = 1'000'000'000;
      if (Made == slip::end_before_begin && here.begin > 0) here.end = here.begin - 1;
      if (Made == slip::count_0) here.share.count = 0;
      if (Made == slip::count_below_0) here.share.count = -2'000'000'000;
      if (here.share.count == 1) return here;
      if (Made == slip::count_past_slots) here.share.count = 0x7fffffff;
      if (Made == slip::first_below_0) here.share.first = -1'000'000'000;
      if (Made == slip::first_past_slots) here.share.first = here.share.slot = 1'000'000'000;
      if (Made == slip::slot_below_0) here.share.slot = -1;
      if (Made == slip::slot_past_slots) here.share.slot = 1'000'000'000;
      return here;
    }

    unsigned next(unsigned number) const {
      return Made == slip::no_end ? number : stream_k<row_major>::draws<Machine>::next(number);
    }
  };

  template <class Machine>
  struct arrivals : stream_k<row_major>::arrivals<Machine> {
    arrivals(const careless& scheduler, Machine machine) : stream_k<row_major>::arrivals<Machine>(scheduler, machine) {}

    bool arrive(sums from) const {
      if (Made == slip::last_too_early) --from.count;
      const bool last = stream_k<row_major>::arrivals<Machine>::arrive(from);
      return last || Made == slip::all_are_last;
    }
  };
};

template <slip Made>
std::string finding() {
  std::vector<unsigned long long> state((stream_k<>::state_bytes() + 7) / 8);
  const careless<Made> scheduler{row_major{{1, 5}}, 40, 4, state.data()};
  for (unsigned seed = 0; seed < 20; ++seed) {
    const laws::launches plan{.workers = 4, .resident = 4, .count = 3, .multiprocessors = 1, .seed = seed};
    if (const laws::verdict verdict = laws::check_split_schedule(scheduler, plan); !verdict) return verdict.failure;
  }
  return {};
}

}  // namespace

TEST_CASE("The checker of split schedules names what is wrong with a wrong one", "[laws]") {
  CHECK(finding<slip::none>() == "");
  CHECK(finding<slip::last_too_early>().find("slots empty") != std::string::npos);
  CHECK(finding<slip::all_are_last>() != "");
  CHECK(finding<slip::step_twice>().find("is done 2 times") != std::string::npos);
  CHECK(finding<slip::step_left_out>().find("is never done") != std::string::npos);
  CHECK(finding<slip::slot_shared>().find("a slot is used twice") != std::string::npos);
}

TEST_CASE("The checker of split schedules names what lies outside and never reads it", "[laws]") {
  CHECK(contains(finding<slip::tile_outside>(), "a part is of {7, 1000000000}, which is no tile of the order"));
  CHECK(contains(finding<slip::tile_below_0>(), "a part is of {-1, "));
  CHECK(contains(finding<slip::begin_below_0>(), " has steps -1000000000 to "));
  CHECK(contains(finding<slip::end_past_steps>(), " to 1000000000 of 40"));
  CHECK(contains(finding<slip::end_before_begin>(), " has steps "));
  CHECK(contains(finding<slip::count_0>(), " is one of 0"));
  CHECK(contains(finding<slip::count_below_0>(), " is one of -2000000000"));
  CHECK(contains(finding<slip::count_past_slots>(), ", of 2147483647 slots from "));
  CHECK(contains(finding<slip::first_below_0>(), " slots from -1000000000, and there are 18"));
  CHECK(contains(finding<slip::first_past_slots>(), " slots from 1000000000, and there are 18"));
  CHECK(contains(finding<slip::slot_below_0>(), " is in slot -1, of "));
  CHECK(contains(finding<slip::slot_past_slots>(), " is in slot 1000000000, of "));
  CHECK(finding<slip::no_end>() != "");
}

TEST_CASE("The checker of split schedules takes clusters of any order", "[laws]") {
  const auto failure = [](const auto& order) {
    std::vector<unsigned long long> state((stream_k<>::state_bytes(4) + 7) / 8);
    const stream_k scheduler{order, 40, 4, state.data()};
    std::string all;
    for (unsigned seed = 0; seed < 5; ++seed) {
      all += laws::check_split_schedule(scheduler, {.workers = 4, .resident = 3, .seed = seed}).failure;
    }
    return all;
  };
  CHECK(failure(clustered{row_major{{3, 2}}, {2, 2}, {5, 4}}) == "");
  CHECK(failure(clustered{reversed{row_major{{3, 2}}}, {2, 2}, {5, 4}}) == "");
}
