// The law of warp_dealt on the GPU: each item of each source once, in every shape of a launch, from graphs that are
// replayed; and what list_probe counts.

#include <heddle/expand/list_probe.hpp>
#include <heddle/expand/warp_dealt.hpp>

#include "expand.hpp"

using namespace heddle_test;

namespace {

template <bool InRows>
__global__ void visit_dealt(const __grid_constant__ warp_dealt work, const unsigned* n, const unsigned* begin,
                            unsigned size, int* visits, int* wrong) {
  __shared__ heddle::static_shared<warp_dealt::storage> smem;
  const auto count = [&](unsigned source) { return n[source]; };
  const auto visit = [&](unsigned source, unsigned rank) {
    if (source < size && rank < n[source]) {
      atomicAdd(&visits[begin[source] + rank], 1);
    } else {
      atomicAdd(wrong, 1);
    }
  };
  if constexpr (InRows) {
    work.run_in_rows(smem, count, visit);
  } else {
    work.run(smem, count, visit);
  }
}

struct counts_of {
  const unsigned* n;
  __device__ unsigned operator()(unsigned source) const { return n[source]; }
};

}  // namespace

GPU_TEST("warp_dealt visits every item of every source once, from graphs that are replayed", "[expand]") {
  stream on;
  for (const sources& all : every_distribution(kernels_overlap())) {
    if (all.size() == 0) continue;
    device_array<unsigned> n(all.n), begin(all.begins());
    device_array<int> visits(all.items() + 1, 0), wrong(1, 0);
    int expected = 0;
    for (const unsigned listed : {0u, 3u, all.size()}) {
      device_array<unsigned char> state(warp_dealt::state_bytes(listed), 0xa5);
      set_bytes(state.data(), 0, warp_dealt::bytes_to_clear());
      const warp_dealt work{all.size(), listed, state.data()};
      for (const unsigned threads : {32u, 256u, 1024u}) {
        for (const int cap : {1, 1000}) {
          CAPTURE(all.name, all.size(), listed, threads, cap);
          const captured_graph graph(on, [&] {
            for (auto* const kernel : {visit_dealt<false>, visit_dealt<true>}) {
              check(launch({.threads = threads, .stream = on, .cap = cap}, kernel, work, n.data(), begin.data(),
                           all.size(), visits.data(), wrong.data()));
            }
          });
          for (int again = 0; again < 2; ++again, expected += 2) graph.replay(on);
          finish(on);
          std::vector<int> found = visits.read();
          found.pop_back();
          CHECK(not_all(found, expected) == "");
          CHECK(wrong.read()[0] == 0);
        }
      }
    }
  }
}

GPU_TEST("More blocks of warp_dealt than are resident at once visit every item once", "[expand]") {
  stream on;
  const unsigned size = 5000;
  for (const unsigned huge : {0u, size - 1}) {
    const sources all = drawn("one huge", size, [=](unsigned i) {
      return i == huge ? 100'000u : i % 7 == 0 ? 70u : i % 3;
    });
    device_array<unsigned> n(all.n), begin(all.begins());
    device_array<int> visits(all.items(), 0), wrong(1, 0);
    device_array<unsigned char> state(warp_dealt::state_bytes(size), 0);
    const warp_dealt work{size, size, state.data()};
    for (int again = 1; again < 4; ++again) {
      visit_dealt<false><<<20'000, 1024, 0, on>>>(work, n.data(), begin.data(), size, visits.data(), wrong.data());
      finish(on);
      CHECK(not_all(visits.read(), again) == "");
      CHECK(wrong.read()[0] == 0);
    }
  }
}

GPU_TEST("list_probe counts what the host counts", "[expand]") {
  stream on;
  device_array<list_counts> counts(1, 0);
  for (const sources& all : every_distribution(kernels_overlap())) {
    CAPTURE(all.name, all.size());
    device_array<unsigned> n(all.n);
    const list_probe probe{counts.data()};
    for (int again = 0; again < 2; ++again) check(probe.enqueue(on, all.size(), counts_of{n.data()}));
    finish(on);
    const list_counts found = counts.read()[0];
    unsigned long long turns = 0, longest = 0;
    for (unsigned first = 0; first < all.size(); first += 32) {
      unsigned of_warp = 0;
      for (unsigned i = first; i < std::min(first + 32, all.size()); ++i) of_warp = std::max(of_warp, all.n[i]);
      turns += of_warp;
      longest = std::max<unsigned long long>(longest, of_warp);
    }
    CHECK(found.sources == all.size());
    CHECK(found.spawning == all.spawning());
    CHECK(found.items == all.items());
    CHECK(found.turns == turns);
    CHECK(found.longest == longest);
  }
}
