// The simulator that users run other projects' schedulers on: what it says of places, lanes, barriers and draws.

#include "simt.hpp"

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <heddle/laws/check_taken.hpp>

#include "said.hpp"
#include "test.hpp"

using heddle::laws::check_taken;
using heddle_test::said;
using simt::three;

TEST_CASE("Threads, blocks and clusters of three dimensions have each place once", "[foreign]") {
  std::multiset<std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned, unsigned>> seen;
  simt::launch({4, 3, 2}, {8, 4, 2}, [&] {
    seen.insert({blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z});
    if (simt::self->lane != (threadIdx.y * 8 + threadIdx.x) % 32) throw std::logic_error("another lane");
    if (gridDim.size() != 24 || blockDim.size() != 64) throw std::logic_error("another size");
    if (simt::now->linear != (blockIdx.z * 3 + blockIdx.y) * 4 + blockIdx.x) throw std::logic_error("another number");
  });
  CHECK(seen.size() == 24 * 64);
  CHECK(std::set(seen.begin(), seen.end()).size() == 24 * 64);

  std::vector<unsigned> arrived(4), in_time;
  simt::launch_together({.blocks = {4, 2, 2}, .threads = 3, .cluster = {2, 2, 1}}, [&] {
    const three cluster = simt::now->cluster_number(), place = simt::now->place_in_cluster();
    if (cluster.x * 2 + place.x != blockIdx.x || cluster.z != blockIdx.z) throw std::logic_error("another place");
    const unsigned number = cluster.z * 2 + cluster.x;
    ++arrived[number];
    simt::cluster_sync();
    in_time.push_back(arrived[number]);
  });
  CHECK(in_time == std::vector<unsigned>(48, 12));
}

TEST_CASE("Lanes shuffle values of any type, and keep their own at the edge", "[foreign]") {
  simt::launch(1, 64, [] {
    const unsigned lane = threadIdx.x % 32;
    const double own = lane + 0.5;
    const bool right = __shfl_sync(~0u, own, 35) == 3.5 && __shfl_up_sync(~0u, own, 2) == (lane < 2 ? own : own - 2) &&
                       __shfl_down_sync(~0u, -int(lane), 5) == (lane > 26 ? -int(lane) : -int(lane) - 5) &&
                       __shfl_xor_sync(~0u, float(lane), 1) == float(lane ^ 1) &&
                       __shfl_sync(~0u, lane, 5, 4) == (lane & ~3u) + 1;
    if (!right || __ballot_sync(~0u, lane % 3 == 0) != 0x49249249) throw std::logic_error("another value");
  });
}

TEST_CASE("Named barriers and barriers in shared memory hold threads back until all have come", "[foreign]") {
  simt::launch(20, 96, [] {
    __shared__ int written;
    __shared__ simt::mbarrier full;
    if (threadIdx.x == 0) written = 0, full.init(33);
    __syncthreads();
    if (threadIdx.x < 32) {
      simt::bar_sync(1, 64);
      if (written != 32) throw std::logic_error("a consumer is early");
    } else if (threadIdx.x < 64) {
      ++written;
      simt::bar_arrive(1, 64);
      full.arrive();
    } else {
      if (threadIdx.x == 64) full.expect(16), full.arrive(), full.complete(16);
      full.wait(0);
      if (written != 32 || full.phase != 1) throw std::logic_error("a barrier opens early");
    }
  });
  CHECK(said({1, 32}, [] { simt::bar_sync(0, threadIdx.x < 16 ? 32 : 16); }) ==
        "bar.sync: threads disagree on their count");
  CHECK(said({1, 1}, [] { simt::mbarrier{}.wait(0); }) == "an mbarrier that was not initialised");
}

TEST_CASE("Blocks that draw in any interleaving take each tile once, unless a draw is not atomic", "[foreign]") {
  int found = 0;
  for (int round = 0; round < 40; ++round) {
    for (const bool is_atomic : {true, false}) {
      unsigned next = 0;
      std::vector<heddle::laws::taken_tile> log;
      simt::launch_together({.blocks = {2, 2}, .threads = 1, .resident = 3}, [&] {
        for (;;) {
          unsigned tile = next;
          if (is_atomic) {
            tile = atomicAdd(&next, 1);
          } else {
            simt::wait();
            next = tile + 1;
          }
          if (tile >= 20) return;
          log.push_back({tile, static_cast<int>(simt::now->linear)});
        }
      });
      const auto report = check_taken(log, 20);
      if (is_atomic) REQUIRE(report.failure == "");
      if (!is_atomic) found += !report;
    }
  }
  CHECK(found > 0);
}
