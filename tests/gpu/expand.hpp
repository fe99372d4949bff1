#pragma once

// The law of expansion on the GPU: every pair of a source and a rank below its n, once, compared with counts of the
// host.

#include <heddle/expand.hpp>

#include "expand/sources.hpp"
#include "schedule.hpp"

namespace heddle_test {

// The kernels.

/// Pushes one source per thread. Sources past the end spawn nothing.
template <expander Work>
__global__ void produce(const __grid_constant__ Work work, const unsigned* n, unsigned size) {
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  work.push(smem, source, source < size ? n[source] : 0);
}

/// Sources per thread at once.
constexpr unsigned several = 4;

template <expander Work>
__global__ void produce_several(const __grid_constant__ Work work, const unsigned* n, unsigned size) {
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  unsigned sources[several], of_each[several];
  for (unsigned i = 0; i < several; ++i) {
    sources[i] = (blockIdx.x * several + i) * blockDim.x + threadIdx.x;
    of_each[i] = sources[i] < size ? n[sources[i]] : 0;
  }
  work.push(smem, sources, of_each);
}

/// Pushes from divergent code, in a grid-stride loop.
template <expander Work>
__global__ void produce_some(const __grid_constant__ Work work, const unsigned* n, unsigned size) {
  for (unsigned source = blockIdx.x * blockDim.x + threadIdx.x; source < size; source += gridDim.x * blockDim.x) {
    if (source % 3 == 0) {
      work.push_some(source, n[source]);
    } else if (n[source] > 0) {
      work.push_some(source, n[source]);
    }
  }
}

/// Counts each item and each slot, once per thread that has it.
template <granularity Granularity, expander Work>
__global__ void consume(const __grid_constant__ Work work, const unsigned* n, const unsigned* begin, unsigned size,
                        int* visits, int* slots, unsigned most_slots, int* wrong) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  __shared__ unsigned staged[256];
  for (auto place = work.template items<Granularity>(smem); place; ++place) {
    const auto [source, rank] = *place;
    if (source >= size || rank >= n[source]) {
      atomicAdd(wrong, 1);
      continue;
    }
    if constexpr (Granularity == granularity::block) {  // all threads of the block are here, with the same item
      staged[threadIdx.x] = begin[source] + rank;
      __syncthreads();
      if (staged[(threadIdx.x + 37) % blockDim.x] != begin[source] + rank) atomicAdd(wrong, 1);
      __syncthreads();
    }
    if constexpr (Granularity == granularity::warp) {
      if (__shfl_sync(~0u, begin[source] + rank, 11) != begin[source] + rank) atomicAdd(wrong, 1);
    }
    atomicAdd(&visits[begin[source] + rank], 1);
    unsigned slot = begin[source] + rank;  // if items have no slot
    if constexpr (requires { place.slot(); }) slot = place.slot();
    if (slot < most_slots) {
      atomicAdd(&slots[slot], 1);
    } else {
      atomicAdd(wrong, 1);
    }
  }
}

/// A state with a guard behind it, in memory full of stale bytes.
template <class Work>
class guarded {
  static constexpr std::size_t guard = 4096;

 public:
  explicit guarded(expansion capacity)
      : bytes_(Work::state_bytes(capacity)), memory_(bytes_ + guard, 0xa5), work_(capacity, memory_.data()) {}

  const Work& work() const { return work_; }

  auto required() const {
    typename Work::totals totals;
    check(cudaMemcpy(&totals, work_.state(), sizeof totals, cudaMemcpyDeviceToHost));
    return work_.required(totals);
  }
  unsigned long long items_pushed() const {
    typename Work::totals totals;
    check(cudaMemcpy(&totals, work_.state(), sizeof totals, cudaMemcpyDeviceToHost));
    return work_.items_pushed(totals);
  }

  bool guard_is_whole() const {
    const std::vector<unsigned char> all = memory_.read();
    return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(bytes_), all.end(),
                       [](unsigned char byte) { return byte == 0xa5; });
  }

 private:
  std::size_t bytes_;
  device_array<unsigned char> memory_;
  Work work_;
};

inline unsigned blocks_for(unsigned size, unsigned threads) {
  return (size + threads - 1) / threads;
}

/// What the second pass visits: how often each item and each slot, and how many wrong items.
struct visited {
  std::vector<int> visits, slots;
  int wrong;
};

template <granularity Granularity, class Work>
visited items_of(const Work& work, const sources& all, cudaStream_t on, unsigned threads = 128, unsigned blocks = 0) {
  if (!kernels_overlap() && blocks == 0) blocks = 2;
  device_array n(all.n), begin(all.begins());
  const auto items = static_cast<std::size_t>(all.items());
  device_array<int> visits(items, 0), slots(items, 0), wrong(1, 0);
  const auto kernel = consume<Granularity, Work>;
  launch_config grid = work.grid(kernel, threads);
  check(grid.error);
  if (blocks > 0 && grid.config.gridDim.x > 0)
    grid.config.gridDim.x = kernels_overlap() ? blocks : std::min(blocks, 3u);
  check(launch(grid, on, kernel, work, n.data(), begin.data(), all.size(), visits.data(), slots.data(),
               static_cast<unsigned>(items), wrong.data()));
  finish(on);
  return {visits.read(), slots.read(), wrong.read()[0]};
}

template <class Work>
void push_all(const Work& work, const sources& all, cudaStream_t on, unsigned threads) {
  device_array n(all.n);
  check(work.begin_async(on));
  if (all.size() > 0) produce<<<blocks_for(all.size(), threads), threads, 0, on>>>(work, n.data(), all.size());
  check(cudaGetLastError());
  finish(on);
}

/// Returns the first count that is not `expected`, in words; empty if all are.
inline std::string not_all(const std::vector<int>& counts, int expected) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != expected) {
      return "item " + std::to_string(i) + " of " + std::to_string(counts.size()) + " was counted " +
             std::to_string(counts[i]) + " times, not " + std::to_string(expected);
    }
  }
  return {};
}

template <granularity Granularity, class Work>
void every_item_once(const Work& work, const sources& all, cudaStream_t on) {
  for (const auto& [threads, blocks] : {std::pair{128u, 0u}, {32u, 1u}, {256u, 3u}, {96u, 5000u}}) {
    if (blocks == 1 && all.items() > 200'000) continue;
    if (blocks == 5000 && !kernels_overlap()) continue;
    CAPTURE(threads, blocks);
    const int of_each = Granularity == granularity::thread ? 1
                        : Granularity == granularity::warp ? 32
                                                           : static_cast<int>(threads);
    const visited found = items_of<Granularity>(work, all, on, threads, blocks);
    CHECK(found.wrong == 0);
    CHECK(not_all(found.visits, of_each) == "");
    CHECK(not_all(found.slots, of_each) == "");
  }
}

/// The law for one strategy: for each distribution, granularity and launch.
template <class Work>
void obeys_the_law_of_expansion(unsigned most = ~0u) {
  stream on;
  int turn = 0;
  for (const sources& all : every_distribution(kernels_overlap(), most)) {
    const unsigned threads = std::vector{256u, 32u, 1000u, 64u, 544u}[static_cast<std::size_t>(turn++ % 5)];
    CAPTURE(typeid(Work).name(), all.name, all.size(), threads);
    const guarded<Work> state(room_for(all, threads));
    for (int again = 0; again < 2; ++again) {
      push_all(state.work(), all, on, threads);
      CHECK(state.required().items == all.items());
      every_item_once<granularity::thread>(state.work(), all, on);
    }
    every_item_once<granularity::warp>(state.work(), all, on);
    every_item_once<granularity::block>(state.work(), all, on);
    CHECK(state.guard_is_whole());
  }
}

/// Returns, in words, the first source that was visited in part or twice; empty if none was.
inline std::string in_part(const visited& found, const sources& all) {
  const std::vector<unsigned> begin = all.begins();
  for (unsigned source = 0; source < all.size(); ++source) {
    for (unsigned rank = 0; rank < all.n[source]; ++rank) {
      const int count = found.visits[begin[source] + rank];
      if (count > 1) return "source " + std::to_string(source) + " is there more than once";
      if (count != found.visits[begin[source]]) return "source " + std::to_string(source) + " is there in part";
    }
  }
  return {};
}

inline unsigned long long count_of(const visited& found) {
  return static_cast<unsigned long long>(std::accumulate(found.visits.begin(), found.visits.end(), 0ll));
}

}  // namespace heddle_test
