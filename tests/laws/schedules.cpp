// The checker of schedules finds what is wrong with wrong ones, each with one mistake that has been made before.

#include <string>
#include <vector>

#include <heddle/laws/check_split_schedule.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

enum class mistake { none, no_atomic, never_reset, reset_by_the_first, waits_for_all, skips_the_last, one_too_many };

struct words {
  unsigned next = 0, entered = 0;
};

/// A ticket counter that is put back to zero by the last worker to find no tile.
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

/// What is found in a few launches that no one leaves early.
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

enum class slip { none, last_too_early, all_are_last, step_twice, step_left_out, slot_shared };

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
      return here;
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
