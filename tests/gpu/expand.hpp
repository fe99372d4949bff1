#pragma once

// Expansion on the GPU: a machine for the laws of expand/laws.hpp.

#include "expand/laws.hpp"
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

/// Pushes again and again with the same shared memory.
template <expander Work>
__global__ void produce_in_turns(const __grid_constant__ Work work, const unsigned* n, unsigned size) {
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  for (unsigned first = blockIdx.x * blockDim.x; first < size; first += gridDim.x * blockDim.x) {
    const unsigned source = first + threadIdx.x;
    work.push(smem, source, source < size ? n[source] : 0);
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

/// The GPU as a machine for the laws of expansion.
struct gpu_machine {
  static constexpr unsigned several = heddle_test::several, large_n = 700, block_sizes[] = {256, 32, 1000, 64, 544};

  template <class Work>
  using state = guarded<Work>;

  bool is_fast = kernels_overlap();
  stream on;

  bool warps_take(const sources&) const { return true; }
  std::vector<std::pair<unsigned, unsigned>> shapes(const sources& all, granularity) const {
    std::vector<std::pair<unsigned, unsigned>> found{{128, 0}, {256, 3}};  // 0: as many blocks as are resident
    if (all.items() <= 200'000) found.push_back({32, 1});
    if (is_fast) found.push_back({96, 5000});
    return found;
  }

  template <class Work>
  void push(const state<Work>& to, const sources& all, unsigned threads) const {
    push_by(produce<Work>, to, all, blocks_of(all.size(), threads), threads);
  }
  template <class Work>
  void push_several(const state<Work>& to, const sources& all, unsigned threads) const {
    push_by(produce_several<Work>, to, all, blocks_of(all.size(), several * threads), threads);
  }
  template <class Work>
  void push_some(const state<Work>& to, const sources& all) const {
    push_by(produce_some<Work>, to, all, 7, 96);
  }
  template <class Work>
  void push_in_turns(const state<Work>& to, const sources& all) const {
    push_by(produce_in_turns<Work>, to, all, 5, 72);
  }

  template <granularity Granularity, class Work>
  visited visits(const Work& work, const sources& all, unsigned threads = 128, unsigned blocks = 0) const {
    if (!is_fast) blocks = blocks == 0 ? 2 : std::min(blocks, 3u);
    device_array n(all.n), begin(all.begins());
    const auto items = static_cast<std::size_t>(all.items());
    device_array<int> visits(items, 0), slots(items, 0), wrong(1, 0);
    const auto kernel = consume<Granularity, Work>;
    launch_config grid = work.grid(kernel, threads);
    check(grid.error);
    if (blocks > 0 && grid.config.gridDim.x > 0) grid.config.gridDim.x = blocks;
    check(launch(grid, on, kernel, work, n.data(), begin.data(), all.size(), visits.data(), slots.data(),
                 static_cast<unsigned>(items), wrong.data()));
    finish(on);
    return {visits.read(), slots.read(), wrong.read()[0]};
  }

 private:
  template <class Kernel, class Work>
  void push_by(Kernel kernel, const state<Work>& to, const sources& all, unsigned blocks, unsigned threads) const {
    device_array n(all.n);
    check(to.work().begin_async(on));
    if (blocks > 0) kernel<<<blocks, threads, 0, on>>>(to.work(), n.data(), all.size());
    check(cudaGetLastError());
    finish(on);
  }
};

}  // namespace heddle_test
