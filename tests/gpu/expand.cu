#include "expand.hpp"

#include "refusal.hpp"

using namespace heddle_test;

namespace {

/// Of sources with n around MaxN, those up to MaxN are there, and all are required.
template <unsigned MaxN>
void leaves_out_what_is_larger() {
  const gpu_machine gpu;
  const unsigned size = gpu.is_fast ? 100'000 : 600;
  for (const unsigned largest : {MaxN, MaxN + 1, 0xffffffffu}) {
    CAPTURE(largest);
    sources all = drawn("around MaxN", size, [=](unsigned i) { return i % 3 == 0 ? largest : i % (MaxN + 1); });
    const guarded<fixed<MaxN>> state({(size + 95) / 96 * 96, 0});
    gpu.push(state, all, 96);
    CHECK(state.required().sources == all.spawning());
    CHECK(state.items_pushed() == all.items());
    CHECK(state.required().max_n == largest);
    for (unsigned& n : all.n) n = n > MaxN ? 0 : n;
    const visited found = gpu.visits<granularity::thread>(state.work(), all);
    CHECK(found.wrong == 0);
    CHECK(not_all(found.items, 1) == "");
    CHECK(state.guard_is_whole());
  }
}

/// Adds up the items instead of storing them, so that there can be very many.
template <expander Work>
__global__ void sum_up(const __grid_constant__ Work work, unsigned long long* sums) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  unsigned long long count = 0, ranks = 0, of_sources = 0;
  for (const auto [source, rank] : work.items(smem)) {
    ++count;
    ranks += rank;
    of_sources += source * 31ull * (rank + 1ull);
  }
  atomicAdd(&sums[0], count);
  atomicAdd(&sums[1], ranks);
  atomicAdd(&sums[2], of_sources);
}

using three = std::vector<unsigned long long>;

three sums_of(const std::vector<unsigned>& n) {
  three sums(3);
  for (std::size_t source = 0; source < n.size(); ++source) {
    const unsigned long long of = n[source];
    sums[0] += of;
    sums[1] += of * (of - (of > 0)) / 2;
    sums[2] += source * 31 * (of * (of + 1) / 2);
  }
  return sums;
}

template <class Work>
void enqueue_sum(const Work& work, const unsigned* n, unsigned size, unsigned long long* sums, cudaStream_t on) {
  check(work.begin_async(on));
  if (size > 0) produce<<<blocks_of(size, 256), 256, 0, on>>>(work, n, size);
  check(cudaGetLastError());
  check(launch(work.grid(sum_up<Work>, 256, 0, kernels_overlap() ? 1000 : 1), on, sum_up<Work>, work, sums));
}

template <class Work>
void expands_large() {
  stream on;
  std::vector<unsigned> n(100'000, 0);
  n[77'777] = 100'000'000;
  n[99'999] = 3;
  const guarded<Work> state({(n.size() + 255) / 256 * 256, 100'000'003});
  device_array on_device(n);
  device_array<unsigned long long> sums(3, 0);
  enqueue_sum(state.work(), on_device.data(), static_cast<unsigned>(n.size()), sums.data(), on);
  finish(on);
  CHECK(sums.read() == sums_of(n));
}

/// Changes the counts, so that every replay of a graph has others.
__global__ void change(unsigned* n, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) n[i] = (n[i] * 5 + i) % 23 > 9 ? (n[i] * 5 + i) % 23 : 0;
}

template <class Work>
void replays() {
  stream on;
  const unsigned size = kernels_overlap() ? 5000 : 600;
  std::vector<unsigned> n(size, 3);
  const guarded<Work> state({5120, 23ull * size});
  device_array on_device(n);
  device_array<unsigned long long> sums(3, 0);
  const int times = kernels_overlap() ? 100 : 3;
  replay(times, on, [&] {
    change<<<blocks_of(size, 256), 256, 0, on>>>(on_device.data(), size);
    enqueue_sum(state.work(), on_device.data(), size, sums.data(), on);
  });
  three expected(3);
  for (int turn = 0; turn < times; ++turn) {
    for (unsigned i = 0; i < size; ++i) n[i] = (n[i] * 5 + i) % 23 > 9 ? (n[i] * 5 + i) % 23 : 0;
    const three once = sums_of(n);
    for (int i = 0; i < 3; ++i) expected[static_cast<std::size_t>(i)] += once[static_cast<std::size_t>(i)];
  }
  CHECK(sums.read() == expected);
}

template <class Work>
void two_streams() {
  const unsigned size[2] = {3000, kernels_overlap() ? 50'000u : 500u};
  stream on[2];
  std::vector<unsigned> n[2];
  for (int i = 0; i < 2; ++i) n[i] = drawn("", size[i], [=](unsigned source) { return source % (5 + 9 * i); }).n;
  const guarded<Work> one({3072, 3000ull * 13}), other({50'176, 50'000ull * 13});
  device_array of_one(n[0]), of_other(n[1]);
  device_array<unsigned long long> sums(3, 0), other_sums(3, 0);
  const unsigned times = kernels_overlap() ? 50 : 2;
  for (unsigned turn = 0; turn < times; ++turn) {
    enqueue_sum(one.work(), of_one.data(), size[0], sums.data(), on[0]);
    enqueue_sum(other.work(), of_other.data(), size[1], other_sums.data(), on[1]);
  }
  for (int i = 0; i < 2; ++i) {
    finish(on[i]);
    three expected = sums_of(n[i]);
    for (auto& sum : expected) sum *= times;
    CHECK((i == 0 ? sums : other_sums).read() == expected);
  }
}

/// More items than 32 bits count, without room for them: all are counted.
template <class Work>
void counts_what_it_has_no_room_for(unsigned size, unsigned of_each) {
  stream on;
  const std::vector<unsigned> n(size, of_each);
  const guarded<Work> state({(size + 255) / 256 * 256, 1'000'000});
  device_array on_device(n);
  device_array<unsigned long long> sums(3, 0);
  enqueue_sum(state.work(), on_device.data(), size, sums.data(), on);
  finish(on);
  CHECK(state.items_pushed() == static_cast<unsigned long long>(size) * of_each);
  CHECK(sums.read()[0] == (of_each > 1'000'000 ? 0 : 1'000'000 / of_each * of_each));
  CHECK(state.guard_is_whole());
}

template <class Work>
void counts_in_64_bits() {
  const unsigned size = kernels_overlap() ? 20'000 : 700;
  counts_what_it_has_no_room_for<Work>(size, 900'000);
  counts_what_it_has_no_room_for<Work>(size, 0xffffffff);
  if (!kernels_overlap()) return;
  counts_what_it_has_no_room_for<Work>(3'000'000, 0xffffffff);  // 2^53 and more
  counts_what_it_has_no_room_for<Work>(1'000'000, 30'000);
}

}  // namespace

TEST_CASE("A second pass of blocks that are not whole warps is refused", "[gpu][expand]") {
  alignas(16) static unsigned char state[64];  // only its address is used
  const packed_prefix work{{1, 1}, state};
  CHECK(refusal([&] { (void)work.grid(sum_up<packed_prefix>, 100); }) ==
        "heddle: threads of a block is 100; it must be a multiple of 32");
}

GPU_TEST("Strategies visit every item of every source once on the GPU", "[expand]") {
  const gpu_machine gpu;
  obeys_the_law<packed_prefix>(gpu);
  obeys_the_law<scanned>(gpu);
  obeys_the_law<append>(gpu);
  obeys_the_law<power_of_two>(gpu);
  obeys_the_law<fixed<23>>(gpu, 23);
}

GPU_TEST("Strategies take sources from divergent code on the GPU", "[expand]") {
  const gpu_machine gpu;
  takes_some<packed_prefix>(gpu);
  takes_some<append>(gpu);
  takes_some<power_of_two>(gpu);
  takes_some<fixed<23>>(gpu, 23);
}

GPU_TEST("Strategies leave out whole sources where there is no room on the GPU", "[expand]") {
  const gpu_machine gpu;
  leaves_out_whole_sources<packed_prefix>(gpu, false);
  leaves_out_whole_sources<scanned>(gpu, true);
  leaves_out_whole_sources<append>(gpu, false, false);
  leaves_out_whole_sources<power_of_two>(gpu, false);
  leaves_out_whole_sources<fixed<23>>(gpu, false, true, false, 23);
}

GPU_TEST("fixed leaves out sources that are larger than MaxN on the GPU and requires them", "[expand]") {
  leaves_out_what_is_larger<23>();
}

GPU_TEST("Strategies take several sources of each thread at once on the GPU", "[expand]") {
  const gpu_machine gpu;
  takes_several<packed_prefix>(gpu);
  takes_several<scanned>(gpu);
  takes_several<append>(gpu);
  takes_several<power_of_two>(gpu);
  takes_several<fixed<23>>(gpu, 23);
}

GPU_TEST("As many sources of one item each are visited as there is room for, on the GPU", "[expand]") {
  const gpu_machine gpu;
  leaves_out_ones<packed_prefix>(gpu, false);
  leaves_out_ones<scanned>(gpu, true);
}

GPU_TEST("Strategies count required items in 64 bits on the GPU", "[expand]") {
  counts_in_64_bits<packed_prefix>();
  counts_in_64_bits<scanned>();
  counts_in_64_bits<append>();
  counts_in_64_bits<power_of_two>();
}

GPU_TEST("Strategies expand one source of 100 million items on the GPU", "[expand][large]") {
  if (!kernels_overlap()) return skip("a tool looks at every access");
  expands_large<packed_prefix>();
  expands_large<scanned>();
  expands_large<append>();
  expands_large<power_of_two>();
}

GPU_TEST("Strategies expand other counts in every replay of a graph on the GPU", "[expand]") {
  replays<packed_prefix>();
  replays<scanned>();
  replays<append>();
  replays<power_of_two>();
  replays<fixed<23>>();
}

GPU_TEST("Strategies in two streams with a state each are independent on the GPU", "[expand]") {
  two_streams<packed_prefix>();
  two_streams<scanned>();
  two_streams<append>();
  two_streams<power_of_two>();
  two_streams<fixed<23>>();
}

namespace {

__global__ void write_down(const __grid_constant__ scanned work, item* items) {
  __shared__ heddle::static_shared<scanned::storage> smem;
  for (auto place = work.items(smem); place; ++place) items[place.slot()] = *place;
}

}  // namespace

GPU_TEST("scanned keeps the order of the sources bit for bit in 20 runs on the GPU", "[expand]") {
  const gpu_machine gpu;
  for (const sources& all : every_distribution(kernels_overlap())) {
    CAPTURE(all.name, all.size());
    std::vector<unsigned> expected;
    for (unsigned source = 0; source < all.size(); ++source) {
      for (unsigned rank = 0; rank < all.n[source]; ++rank) expected.insert(expected.end(), {source, rank});
    }
    device_array<item> items(all.items(), 0xff);
    const auto written_down = [&](const guarded<scanned>& to) {
      items.fill(0xff);
      gpu.push(to, all, 96);
      const scanned& work = to.work();
      check(launch(work.grid(write_down, 128, 0, gpu.is_fast ? 1000 : 1), gpu.on, write_down, work, items.data()));
      finish(gpu.on);
      return items.read();
    };
    const guarded<scanned> state(room_for(all, 96));
    const int runs = kernels_overlap() ? 20 : 2;
    for (int run = 0; run < runs; ++run) {
      const std::vector<item> found = written_down(state);
      REQUIRE(std::equal(expected.begin(), expected.end(), reinterpret_cast<const unsigned*>(found.data())));
    }
    // With room for half of the items: the first half, in whole sources.
    const guarded<scanned> half({room_for(all, 96).sources, all.items() / 2});
    const std::vector<item> found = written_down(half);
    unsigned long long whole = 0;
    for (const unsigned of : all.n) {
      if (whole + of > all.items() / 2) break;
      whole += of;
    }
    REQUIRE(std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(2 * whole),
                       reinterpret_cast<const unsigned*>(found.data())));
    if (whole < all.items()) CHECK(found[whole].source == 0xffffffff);
  }
}
