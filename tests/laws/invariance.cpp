// Which schedulers of the library add up a tile in the same way, whatever else is in the launch.

#include <cstddef>
#include <random>
#include <vector>

#include <heddle/laws/check_invariance.hpp>
#include <heddle/order/batched.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/recipe/with.hpp>
#include <heddle/schedule.hpp>

#include "recipes.hpp"
#include "test.hpp"

using namespace heddle;

namespace {

/// Names a tile of batch 0 by its place, and leaves out the others.
long long first_of_batch(batch_coord tile) {
  return tile.batch == 0 ? 100LL * tile.row + tile.col : -1;
}

/// Returns how launches with 1 to 9 workers and 1 to 4 batches add up the tiles of the first batch.
template <class Make>
std::vector<std::vector<laws::summed_part>> launches_of(Make scheduler_of) {
  std::vector<std::vector<laws::summed_part>> launches;
  for (int batches = 1; batches <= 4; ++batches) {
    for (int workers = 1; workers <= 9; ++workers) {
      const batched order{cta_swizzle{{5, 4}, 2}, batches, workers % 3 + 1};
      std::vector<unsigned long long> state(4096);
      const auto scheduler = scheduler_of(order, state.data());
      launches.push_back(laws::sums_of(scheduler, scheduler.persistent ? workers : order.size(), first_of_batch));
    }
  }
  return launches;
}

}  // namespace

TEST_CASE("Every scheduler but stream_k adds up a tile in the same way in every launch", "[laws]") {
  heddle_test::in_every_schedule([&](auto kind) {
    const auto launches =
        launches_of([&](auto order, void* state) { return detail::scheduler_of<kind()>(order, state, 5); });
    CHECK(laws::check_invariance(launches).failure == "");
    for (const auto& launch : launches) CHECK(launch.size() == 20);
  });
  const auto unshared = [](auto order, void* state) { return stream_k{order, 40, 0, state}; };
  CHECK(laws::check_invariance(launches_of(unshared)).failure == "");
  const auto shared = [](auto order, void* state) { return stream_k{order, 40, 8, state}; };
  CHECK(!laws::check_invariance(launches_of(shared)));
}

TEST_CASE("check_invariance names the tile, its sums and the launches", "[laws]") {
  std::vector<unsigned long long> state(4096);
  std::vector<std::vector<laws::summed_part>> launches;
  for (const int workers : {2, 1}) {
    const batched order{cta_swizzle{{1, 1}, 1}, 1, 1};
    launches.push_back(laws::sums_of(stream_k{order, 40, 4, state.data()}, workers, first_of_batch));
  }
  CHECK(laws::check_invariance(launches).failure ==
        "tile 0 is the sum of 0-20 20-40 in launch 0, and of 0-40 in launch 1");
  CHECK(laws::check_invariance({{{3, 0, 8}, {3, 8, 16}}, {{3, 8, 16}, {3, 0, 8}}}).failure ==
        "tile 3 is the sum of 0-8 8-16 in launch 0, and of 8-16 0-8 in launch 1");  // the order counts
  CHECK(laws::check_invariance({{{3, 0, 8}}, {{4, 0, 4}, {4, 4, 8}}, {{3, 0, 8}}}).failure == "");
  CHECK(laws::check_invariance({}).failure == "");
}

TEST_CASE("stream_k adds up a tile in the same way in every run of one launch", "[laws]") {
  std::mt19937 random(1);
  for (int turn = 0; turn < 100; ++turn) {
    const auto one_to = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
    const row_major order{{one_to(5), one_to(5)}};
    std::vector<unsigned long long> state(4096);
    const stream_k scheduler{order, one_to(64), one_to(9), state.data()};
    const int workers = one_to(9);
    const auto name = [&](coord tile) { return order.index(tile); };
    const auto once = laws::sums_of(scheduler, workers, name);
    REQUIRE(laws::check_invariance({once, laws::sums_of(scheduler, workers, name)}).failure == "");
    int steps = 0;
    for (const laws::summed_part& part : once) steps += part.end - part.begin;
    REQUIRE(steps == order.size() * scheduler.k_steps());
  }
}
