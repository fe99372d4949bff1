// The law of trials on the host, in the code of the kernels: in each form every thread ends once, with the state after
// all of its steps.

#include "simt.hpp"

#include <heddle/reorder/key_trial.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

struct traveller {
  unsigned number, place, steps;
};

/// Steps whose keys change, and which note where a traveller ends. Warps step whole.
struct travel {
  traveller* ends;
  int *times, *ended;

  traveller begin(unsigned i) const { return {i, i * 2654435761u, 0}; }
  unsigned key(const traveller& at) const { return at.place >> 29; }
  traveller step(const traveller& at, bool has_work) const {
    if (__ballot_sync(~0u, has_work) == 0 || !has_work) return {~0u, 0, 0};
    return {at.number, at.place * 5 + 12345, at.steps + 1};
  }
  void end(unsigned i, const traveller& at) const { ends[at.number] = at, ++times[at.number], ++ended[i]; }
};

template <class Launch>
void every_end_once(unsigned count, unsigned steps, const Launch& launch) {
  CAPTURE(count, steps);
  std::vector<traveller> ends(count);
  std::vector<int> times(count), ended(count);
  const travel work{ends.data(), times.data(), ended.data()};
  launch(work);
  CHECK(times == std::vector<int>(count, 1));
  CHECK(ended == times);
  bool is_right = true;
  for (unsigned i = 0; i < count; ++i) {
    unsigned place = i * 2654435761u;
    for (unsigned at = 0; at < steps; ++at) place = place * 5 + 12345;
    is_right = is_right && ends[i].number == i && ends[i].place == place && ends[i].steps == steps;
  }
  CHECK(is_right);
}

}  // namespace

TEST_CASE("A trial takes every thread through its steps in each form on the host", "[reorder]") {
  for (const unsigned count : {1u, 31u, 64u, 65u, 128u, 300u}) {
    for (const unsigned steps : {0u, 1u, 4u}) {
      const unsigned blocks = (count - 1) / 64 + 1;
      every_end_once(count, steps, [&](const travel& work) {
        simt::launch(blocks, 64, [&] { detail::reorder::step_in_place<64, 1>(work, count, steps); });
      });
      every_end_once(count, steps, [&](const travel& work) {
        simt::launch(blocks, 64, [&] { detail::reorder::step_by_block<64, 1, 3>(work, count, steps); });
      });
    }
    using queues = grid_queues<8>;
    struct alignas(32) sector {
      unsigned char bytes[32];
    };
    std::vector<sector> state((queues::state_bytes(count) + 31) / 32);
    const queues of(count, state.data());
    every_end_once(count, 1, [&](const travel& work) {
      simt::launch((count - 1) / 64 + 1, 64, [&] { detail::reorder::push_by_key(of, work, count); });
      simt::launch(3, 64, [&] { detail::reorder::step_by_queues<64, 1>(of, work); });
    });
  }
}
