#include <numeric>

#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/scanned.hpp>

#include "on_gpu.cuh"

// Every item is stored as {source, rank}: in a loop in each thread, and in two passes.

namespace {

using heddle::item;

__global__ void loop(const unsigned* all_n, const unsigned* begins, unsigned sources, item* out) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source >= sources) return;
  const unsigned n = all_n[source], begin = begins[source];
  for (unsigned rank = 0; rank < n; ++rank) out[begin + rank] = {source, rank};
}

constexpr unsigned threads = 128, at_once = 4;  // first pass: sources per thread

template <heddle::expander Work>
__global__ void push_sources(const __grid_constant__ Work work, const unsigned* all_n, unsigned sources) {
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  const unsigned first = (blockIdx.x * threads + threadIdx.x / 32 * 32) * at_once + threadIdx.x % 32;
  unsigned source[at_once], n[at_once];
  for (unsigned i = 0; i < at_once; ++i) {
    source[i] = first + i * 32;
    n[i] = source[i] < sources ? all_n[source[i]] : 0;
  }
  work.push(smem, source, n);
}

template <heddle::expander Work>
__global__ void store_items(const __grid_constant__ Work work, item* out) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  for (auto place = work.items(smem); place; ++place) out[place.slot()] = *place;
}

/// A number for a pair of source and rank, so that sums over all items can be compared whatever their slots.
__host__ __device__ unsigned long long weight(unsigned long long source, unsigned long long rank) {
  return (source + 1) * (rank * 2654435761 + 40503);
}

__global__ void add_up(const item* items, std::size_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    mine += weight(items[i].source, items[i].rank);
  }
  atomicAdd(sum, mine);
}

/// Sources, room for their items, and the sum that the items must have.
struct workload {
  explicit workload(const std::vector<unsigned>& all_n)
      : sources(static_cast<unsigned>(all_n.size())), n(all_n), begins(begins_of(all_n)), out(items_of(all_n)) {
    for (unsigned long long source = 0; source < sources; ++source) {
      for (unsigned rank = 0; rank < all_n[source]; ++rank) expected += weight(source, rank);
    }
  }

  unsigned blocks() const { return (sources + threads * at_once - 1) / (threads * at_once); }
  heddle::expansion capacity() const { return {1ull * blocks() * threads * at_once, out.size()}; }

  void check_result() const {
    const device_array<unsigned long long> sum(std::vector<unsigned long long>{0});
    add_up<<<1024, 256>>>(out.data(), out.size(), sum.data());
    check(cudaGetLastError());
    if (sum.read()[0] != expected) throw std::runtime_error("the items are wrong");
  }

  unsigned sources;
  device_array<unsigned> n, begins;
  device_array<item> out;
  unsigned long long expected = 0;

 private:
  static std::size_t items_of(const std::vector<unsigned>& all_n) {
    return std::accumulate(all_n.begin(), all_n.end(), std::size_t{0});
  }
  static std::vector<unsigned> begins_of(const std::vector<unsigned>& all_n) {
    std::vector<unsigned> result(all_n.size());
    std::exclusive_scan(all_n.begin(), all_n.end(), result.begin(), 0u);
    return result;
  }
};

template <heddle::expander Work>
class two_passes {
 public:
  explicit two_passes(const workload& all)
      : all_(all),
        state_(Work::state_bytes(all.capacity())),
        work_(all.capacity(), state_.data()),
        second_(work_.grid(store_items<Work>, 1024)) {}

  void operator()() const {
    check(work_.begin_async(nullptr));
    push_sources<<<all_.blocks(), threads>>>(work_, all_.n.data(), all_.sources);
    check(cudaGetLastError());
    check(heddle::launch(second_, nullptr, store_items<Work>, work_, all_.out.data()));
  }

 private:
  const workload& all_;
  device_array<char> state_;
  Work work_;
  heddle::launch_config second_;
};

demo::expansion_times times_of(const std::vector<unsigned>& n) {
  const workload all(n);
  const two_passes<heddle::packed_prefix> packed_prefix(all);
  const two_passes<heddle::scanned> scanned(all);
  const std::vector<std::function<void()>> contestants{
      [&] {
        loop<<<(all.sources + 255) / 256, 256>>>(all.n.data(), all.begins.data(), all.sources, all.out.data());
        check(cudaGetLastError());
      },
      [&] { packed_prefix(); }, [&] { scanned(); }};
  for (const auto& contestant : contestants) {
    all.out.fill(0xff);
    contestant();
    all.check_result();
  }
  const std::vector<double> medians = demo::medians_of(contestants);
  return {medians[0], medians[1], medians[2]};
}

}  // namespace

demo::measurement<demo::expansion_times> demo::measure_expansion(const std::vector<std::vector<unsigned>>& all) {
  return on_gpu(any_gpu, [&] {
    std::vector<expansion_times> times;
    for (const std::vector<unsigned>& n : all) times.push_back(times_of(n));
    return times;
  });
}
