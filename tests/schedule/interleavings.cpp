// The decisions of every scheduler, as shipped, on the host: blocks that access memory in adversarial orders.

#include <random>
#include <vector>

#include <heddle/heddle.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

/// A state as its owner makes it: zeroed, once.
template <class Scheduler>
struct zeroed {
  std::vector<unsigned long long> words = std::vector<unsigned long long>((Scheduler::state_bytes() + 7) / 8);

  void* data() { return words.data(); }
};

/// Few workers and many, fewer than tiles and more, not all of them resident.
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
    plan.count = 1;  // and no early end, in which what was taken over is lost
    return laws::check_schedule(cluster_launch{order}, plan);
  });
}

TEST_CASE("ticket visits each tile once and restores its state in every interleaving", "[schedule]") {
  in_every_launch(1500, [](row_major order, laws::launches plan) {
    zeroed<ticket<>> state;
    return laws::check_schedule(ticket{order, state.data()}, plan);
  });
}

TEST_CASE("sm_affine visits each tile once and restores its state in every interleaving", "[schedule]") {
  std::mt19937 random(7);
  in_every_launch(250, [&](row_major order, laws::launches plan) {
    zeroed<sm_affine<>> state;
    return laws::check_schedule(sm_affine{order, state.data(), 1 + static_cast<int>(random() % 12)}, plan);
  });
}
