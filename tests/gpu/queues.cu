// The law of queues on the GPU: every value pushed is taken once, under its key, in every turn and for every launch
// shape.

#include <heddle/reorder/grid_queues.hpp>
#include <heddle/reorder/key_trial.hpp>

#include "refusal.hpp"
#include "schedule.hpp"

using namespace heddle_test;

namespace {

template <int Keys>
__global__ void push_all(const __grid_constant__ grid_queues<Keys> to, const unsigned* keys, unsigned count) {
  for (unsigned value = blockIdx.x * blockDim.x + threadIdx.x; value < count; value += gridDim.x * blockDim.x) {
    if (value % 3 == 0) {  // so that lanes push in two groups
      to.push_some(keys[value], value);
    } else {
      to.push_some(keys[value], value);
    }
  }
}

/// Counts how often each value is taken, and violations of the contract.
template <granularity Granularity, int Keys>
__global__ void take_all(const __grid_constant__ grid_queues<Keys> from, const unsigned* keys, unsigned count,
                         int* times, int* wrong, unsigned most_rows) {
  __shared__ heddle::static_shared<typename grid_queues<Keys>::storage> smem;
  __shared__ unsigned of_block;
  unsigned rows = 0;
  for (const auto [key, value, active] : from.template rows<Granularity>(smem)) {
    bool right = __all_sync(~0u, __shfl_sync(~0u, key, 0) == key) != 0;
    if constexpr (Granularity == granularity::block) {  // all threads take part, with the same key
      if (threadIdx.x == 0) of_block = key;
      __syncthreads();
      right = right && of_block == key;
      __syncthreads();
    }
    right = right && (!active || (value < count && keys[value] == key));
    if (!right) atomicAdd(wrong, 1);
    if (active && right) atomicAdd(&times[value], 1);
    if (++rows == most_rows) break;
  }
}

/// Takes values and pushes them on under the next key; each launch is a turn.
template <int Keys>
__global__ void pass_on(const __grid_constant__ grid_queues<Keys> from, const __grid_constant__ grid_queues<Keys> to,
                        int* times) {
  __shared__ heddle::static_shared<typename grid_queues<Keys>::storage> smem;
  for (const auto [key, value, active] : from.rows(smem)) {
    if (!active) continue;
    atomicAdd(&times[value], 1 + static_cast<int>(key) * 1000);
    to.push_some((key * 5 + 1) % Keys, value);
  }
}

/// A state followed by a guard. All but its totals is filled with garbage.
template <int Keys>
class guarded {
  static constexpr std::size_t guard = 4096;

 public:
  explicit guarded(unsigned long long capacity)
      : bytes_(grid_queues<Keys>::state_bytes(capacity)), memory_(bytes_ + guard, 0xa5), of_(capacity, memory_.data()) {
    set_bytes(memory_.data(), 0, of_.bytes_to_clear());
  }

  const grid_queues<Keys>& of() const { return of_; }

  unsigned long long required() const {
    typename grid_queues<Keys>::totals totals;
    check(cudaMemcpy(&totals, of_.state(), sizeof totals, cudaMemcpyDeviceToHost));
    return of_.required(totals);
  }

  bool guard_is_whole() {
    const std::vector<unsigned char> all = memory_.read();
    return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(bytes_), all.end(),
                       [](unsigned char byte) { return byte == 0xa5; });
  }

 private:
  std::size_t bytes_;
  device_array<unsigned char> memory_;
  grid_queues<Keys> of_;
};

/// Random keys on host and device, a third of them 0.
class elements {
 public:
  elements(unsigned count, unsigned keys, unsigned seed) : of(count), on_device_(count, 0) {
    std::mt19937 random(seed);
    for (unsigned& key : of) key = random() % 3 == 0 ? 0 : static_cast<unsigned>(random() % keys);
    on_device_.copy_from(of);
  }
  unsigned count() const { return static_cast<unsigned>(of.size()); }
  const unsigned* data() { return on_device_.data(); }

  std::vector<unsigned> of;

 private:
  device_array<unsigned> on_device_;
};

template <int Keys>
void push(const grid_queues<Keys>& to, elements& all, cudaStream_t on) {
  if (all.count() > 0) push_all<Keys><<<kernels_overlap() ? 300 : 2, 160, 0, on>>>(to, all.data(), all.count());
  check(cudaGetLastError());
}

template <granularity Granularity, int Keys>
std::vector<int> take(const grid_queues<Keys>& from, elements& all, cudaStream_t on, unsigned threads, unsigned blocks,
                      unsigned most_rows = ~0u) {
  device_array<int> times(all.count(), 0), wrong(1, 0);
  const auto kernel = take_all<Granularity, Keys>;
  launch_config grid = from.grid(kernel, threads, 0, kernels_overlap() ? 1000 : 1);
  check(grid.error);
  if (blocks > 0) grid.config.gridDim.x = blocks;
  check(launch(grid, on, kernel, from, all.data(), all.count(), times.data(), wrong.data(), most_rows));
  finish(on);
  CHECK(wrong.read()[0] == 0);
  return times.read();
}

bool each_once(const std::vector<int>& times) {
  return std::all_of(times.begin(), times.end(), [](int each) { return each == 1; });
}

template <int Keys, granularity Granularity>
void obeys_the_law() {
  stream on;
  const unsigned most = kernels_overlap() ? 1'000'000 : 3'000;
  guarded<Keys> queues(most);
  for (const unsigned count : {0u, 1u, 33u, most / 40, most}) {
    for (const auto& [threads, blocks] : {std::pair{128u, 0u}, {32u, 1u}, {256u, 3u}, {1024u, 0u}}) {
      if (blocks == 1 && count > 100'000) continue;
      CAPTURE(Keys, count, threads, blocks);
      elements all(count, Keys, count + threads);
      push(queues.of(), all, on);
      CHECK(each_once(take<Granularity>(queues.of(), all, on, threads, blocks)));
    }
  }
  CHECK(queues.guard_is_whole());
}

/// Steps whose keys change; a thread ends where they lead it.
struct travel {
  struct place {
    unsigned number, at;
  };
  unsigned* ends;

  __host__ __device__ static unsigned step_from(unsigned at) { return at * 1664525u + 1013904223u; }
  __device__ place begin(unsigned i) const { return {i, i * 2654435761u}; }
  __device__ unsigned key(place mine) const { return mine.at >> 29; }
  __device__ place step(place mine, bool) const { return {mine.number, step_from(mine.at)}; }
  __device__ void end(unsigned, place mine) const { atomicAdd(&ends[mine.number], mine.at); }
};

}  // namespace

GPU_TEST("Queues give every element once under its key to warps and to blocks on the GPU", "[reorder]") {
  obeys_the_law<1, granularity::warp>();
  obeys_the_law<104, granularity::warp>();
  obeys_the_law<256, granularity::block>();
}

GPU_TEST("Queues drop values past capacity and report the capacity required on the GPU", "[reorder]") {
  stream on;
  for (const unsigned long long capacity : {0ull, 1ull, 500ull, 3'000ull}) {
    CAPTURE(capacity);
    guarded<104> queues(capacity);
    unsigned long long most = 0;
    for (const unsigned count : {2'000u, kernels_overlap() ? 400'000u : 5'000u, 1'000u}) {
      elements all(count, 104, count);
      std::vector<unsigned long long> each(104), there(104);
      for (const unsigned key : all.of) most = std::max(most, ++each[key]);
      push(queues.of(), all, on);
      const std::vector<int> times = take<granularity::warp>(queues.of(), all, on, 256, 0);
      for (unsigned value = 0; value < count; ++value) there[all.of[value]] += static_cast<unsigned>(times[value]);
      for (unsigned key = 0; key < 104; ++key) CHECK(there[key] == std::min(each[key], capacity));
      CHECK(queues.required() == most);
    }
    CHECK(queues.guard_is_whole());
  }
}

GPU_TEST("Queues are ready for the next turn when blocks leave early on the GPU", "[reorder]") {
  stream on;
  const unsigned count = kernels_overlap() ? 300'000 : 2'000;
  guarded<104> queues(count);
  for (unsigned turn = 0; turn < 6; ++turn) {
    elements all(count, 104, turn);
    push(queues.of(), all, on);
    const std::vector<int> times = take<granularity::warp>(queues.of(), all, on, 128, 0, turn % 2 == 0 ? 1 : ~0u);
    CHECK(std::all_of(times.begin(), times.end(), [](int each) { return each <= 1; }));
    if (turn % 2 == 1) CHECK(each_once(times));
  }
}

GPU_TEST("Queues pass elements on in every replay of a graph and on two streams on the GPU", "[reorder]") {
  constexpr unsigned keys = 13;
  const unsigned count = kernels_overlap() ? 100'000 : 1'000;
  const int replays = kernels_overlap() ? 50 : 2;
  struct lane {
    stream on;
    guarded<keys> some, others;
    elements all;
    device_array<int> times;
    std::optional<captured_graph> graph;

    lane(unsigned number, unsigned seed) : some(number), others(number), all(number, keys, seed), times(number, 0) {}
  };
  lane first(count, 1), second(count / 3, 2);
  for (lane* each : {&first, &second}) {
    push(each->some.of(), each->all, each->on);
    finish(each->on);
    const launch_config grid = each->some.of().grid(pass_on<keys>, 256, 0, kernels_overlap() ? 50 : 1);
    each->graph.emplace(each->on, [&] {
      const auto &some = each->some.of(), &others = each->others.of();
      check(launch(grid, each->on, pass_on<keys>, some, others, each->times.data()));
      check(launch(grid, each->on, pass_on<keys>, others, some, each->times.data()));
    });
  }
  for (int turn = 0; turn < replays; ++turn) {
    for (lane* each : {&first, &second}) each->graph->replay(each->on);
  }
  for (lane* each : {&first, &second}) {
    finish(each->on);
    std::vector<int> expected(each->all.count());
    for (std::size_t value = 0; value < expected.size(); ++value) {
      unsigned key = each->all.of[value];
      for (int turn = 0; turn < 2 * replays; ++turn, key = (key * 5 + 1) % keys) {
        expected[value] += 1 + static_cast<int>(key) * 1000;
      }
    }
    CHECK(each->times.read() == expected);
    CHECK(each->some.guard_is_whole());
    CHECK(each->others.guard_is_whole());
  }
}

TEST_CASE("Queues without a state or with a capacity past 32-bit numbers are refused by name", "[reorder]") {
  alignas(32) static unsigned char memory[64];
  CHECK(refusal([] { grid_queues<4>(1, nullptr); }) ==
        "heddle::grid_queues: state is null; it must point to device memory");
  CHECK(refusal([] { grid_queues<4>(1ull << 30, memory); }) ==
        "heddle::grid_queues: capacity is 1073741824; it must be at most 1073741808");
  CHECK(grid_queues<4>::state_bytes(1000) == grid_queues<4>::state_bytes(0) + 16'000);
}

GPU_TEST("A trial takes every thread through its steps in each form on the GPU", "[reorder]") {
  stream on;
  for (const unsigned count : {0u, 1u, 255u, 100'000u}) {
    std::vector<unsigned> expected(count), after_one(count);
    for (unsigned i = 0; i < count; ++i) {
      after_one[i] = expected[i] = travel::step_from(i * 2654435761u);
      for (int more = 1; more < 5; ++more) expected[i] = travel::step_from(expected[i]);
    }
    device_array<unsigned> ends(count, 0);
    device_array<unsigned char> state(grid_queues<8>::state_bytes(count), 0);
    const auto finds = [&](cudaError_t enqueued, const std::vector<unsigned>& those) {
      check(enqueued);
      finish(on);
      CHECK(ends.read() == those);
      set_bytes(ends.data(), 0, sizeof(unsigned) * count);
    };
    const key_trial<3, travel> of_five{{ends.data()}, count, 5}, of_one{{ends.data()}, count};
    finds(of_five.in_place(on), expected);
    finds(of_five.by_block(on), expected);
    finds(of_one.by_queues(on, {count, state.data()}), after_one);
  }
}
