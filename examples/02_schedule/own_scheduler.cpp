// Proves a scheduler of your own on the host: the code that decides in kernels runs here, for blocks that start, pause
// and leave as a seed decides.

#include <cstdio>

#include <heddle/laws/check_schedule.hpp>
#include <heddle/order/row_major.hpp>

#include "to_and_fro.hpp"

using heddle::row_major;

static_assert(heddle::tile_scheduler<to_and_fro<row_major>>);

/// The same scheduler with a bug: every step is one too long.
struct almost : to_and_fro<row_major> {
  using to_and_fro::to_and_fro;

  template <class Machine>
  struct draws : to_and_fro::draws<Machine> {
    using to_and_fro::draws<Machine>::draws;
    HEDDLE_FN unsigned next(unsigned index) { return to_and_fro::draws<Machine>::next(index) + 1; }
  };
};

int main() {
  for (int tiles = 0; tiles <= 20; ++tiles) {
    for (int workers = 1; workers <= 6; ++workers) {
      const to_and_fro scheduler{row_major{{1, tiles}}};
      const heddle::laws::launches plan{.workers = workers, .resident = 1 + tiles % workers, .count = 2};
      if (const auto verdict = heddle::laws::check_schedule(scheduler, plan); !verdict) {
        std::printf("%d tiles: %s\n", tiles, verdict.failure.c_str());
        return 1;
      }
    }
  }
  std::puts("to_and_fro: each tile once, of up to 20, by up to 6 blocks");

  const almost wrong{row_major{{3, 4}}};
  const auto verdict = heddle::laws::check_schedule(wrong, {.workers = 3, .resident = 2});
  std::printf("almost: %s\n", verdict.failure.c_str());
  return verdict ? 1 : 0;
}
