// The configurations of launches, their attributes and what is said of occupancy: the library's own code on the host,
// over a runtime of the tests.

#include "runtime.hpp"

#include <heddle/launch/launch_shape.hpp>
#include <heddle/launch/occupancy.hpp>
#include <heddle/launch/programmatic.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/strided.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

int ran = 0;
void kernel(int value) {
  ran = value;
}
const void* const address = reinterpret_cast<const void*>(kernel);

unsigned cluster_of(const launch_config& grid) {
  return grid.config.numAttrs == 0 ? 1 : grid.config.attrs[0].val.clusterDim.x;
}

}  // namespace

TEST_CASE("A launch has a block or a cluster per worker, and none of more than 2^31 - 1 blocks is tried", "[launch]") {
  for (const unsigned blocks : {1u, 2u, 3u, 8u, 9u, 16u}) {
    for (const unsigned workers : {0u, 1u, 5u, 0x7fffffffu / 16, 0x7fffffffu / 2, 0x7fffffffu, 0x80000000u}) {
      runtime::reset();
      CAPTURE(blocks, workers);
      const unsigned long long all = 1ull * blocks * workers;
      const launch_config grid = detail::all_of(address, dim3(96), 0, workers, blocks);
      if (all > 0x7fffffff) {
        CHECK(grid.error == cudaErrorInvalidConfiguration);
        CHECK(launch(grid, nullptr, kernel, 1) == cudaErrorInvalidConfiguration);
        CHECK(runtime::launches.empty());
        continue;
      }
      CHECK(grid.error == cudaSuccess);
      CHECK(grid.config.gridDim.x == all);
      CHECK(grid.config.blockDim.x == 96);
      CHECK(cluster_of(grid) == blocks);
      CHECK(runtime::kernels[address].non_portable == (blocks > 8 ? 1 : 0));
    }
  }
  CHECK(detail::all_of(address, dim3(96), 0, 1, 17).error == cudaErrorInvalidClusterSize);
  CHECK(detail::all_of(address, dim3(96), 0, 0x80000000u, 32).error == cudaErrorInvalidClusterSize);
}

TEST_CASE("A persistent launch has no more workers than there are, nor than are resident", "[launch]") {
  for (const int multiprocessors : {1, 3, 10}) {
    for (const int per_multiprocessor : {1, 2, 5}) {
      for (const unsigned workers : {1u, 4u, 20u, 49u, 1000u, 0x7fffffffu, 0xffffffffu}) {
        for (const int cap : {1, 2, 9, 10, 11, 0x7fffffff}) {
          for (const unsigned most_threads : {~0u, 96u, 250u}) {
            runtime::reset();
            runtime::gpu.multiprocessors = multiprocessors;
            runtime::gpu.blocks_per_multiprocessor = per_multiprocessor;
            CAPTURE(multiprocessors, per_multiprocessor, workers, cap, most_threads);
            const int used = (std::min)(multiprocessors, cap);
            const int on_each = (std::min)(per_multiprocessor, static_cast<int>((std::min)(most_threads / 96, 1000u)));
            const launch_config grid = detail::resident_of(address, dim3(32, 3), 0, workers, 1, cap, most_threads);
            CHECK(grid.error == cudaSuccess);
            REQUIRE(grid.config.gridDim.x == (std::min)(workers, static_cast<unsigned>(used * on_each)));
          }
        }
      }
    }
  }
  // Clusters: the share of those that are resident on the whole GPU, and at least one.
  for (const unsigned blocks : {2u, 16u}) {
    for (const unsigned workers : {1u, 3u, 1000u, 0x0fffffffu, 0x7fffffffu, 0xffffffffu}) {
      for (const int cap : {1, 5, 10, 11}) {
        runtime::reset();
        CAPTURE(blocks, workers, cap);
        const unsigned share = static_cast<unsigned>((std::max)(1, 7 * (std::min)(cap, 10) / 10));
        const launch_config grid = detail::resident_of(address, dim3(64), 0, workers, blocks, cap);
        CHECK(grid.error == cudaSuccess);
        CHECK(grid.config.gridDim.x == blocks * (std::min)(workers, share));
        CHECK(cluster_of(grid) == blocks);
      }
    }
  }
  runtime::reset();
  CHECK(detail::resident_of(address, dim3(64), 0, 0, 2, 1).config.gridDim.x == 0);
  CHECK(detail::resident_of(address, dim3(64), 0, 0, 2, 1).error == cudaSuccess);
  CHECK_THROWS_WITH(detail::resident_of(address, dim3(64), 0, 5, 1, 0),
                    "heddle: cap, in multiprocessors, is 0; it must be at least 1");
  CHECK(detail::resident_of(address, dim3(2048), 0, 5, 1, 1).error == cudaErrorInvalidValue);
  runtime::gpu.clusters = runtime::gpu.blocks_per_multiprocessor = 0;
  CHECK(detail::resident_of(address, dim3(64), 0, 5, 2, 1).error == cudaErrorInvalidConfiguration);
  CHECK(detail::resident_of(address, dim3(64), 0, 5, 1, 1).error == cudaErrorInvalidConfiguration);
  runtime::gpu.error = cudaErrorInvalidDeviceFunction;
  CHECK(detail::resident_of(address, dim3(64), 0, 5, 2, 1).error == cudaErrorInvalidDeviceFunction);
}

TEST_CASE("A scheduler launches blocks over tiles, and clusters over clusters of tiles", "[launch]") {
  runtime::reset();
  const extent grid{9, 11}, cluster{2, 1};
  const row_major tiles{grid};
  const clustered clusters{row_major{ceil_div(grid, cluster)}, cluster, grid};
  const auto expect = [](const launch_config& found, unsigned blocks, unsigned of_cluster) {
    CHECK(found.error == cudaSuccess);
    CHECK(found.config.gridDim.x == blocks);
    CHECK(cluster_of(found) == of_cluster);
  };
  expect(one_shot{tiles}.grid(kernel, 64), 99, 1);
  expect(one_shot{clusters}.grid(kernel, 64), 2 * 55, 2);
  expect(strided{tiles}.grid(kernel, 64), 20, 1);
  expect(strided{tiles}.grid(kernel, 64, 0, 3), 6, 1);
  expect(strided{clusters}.grid(kernel, 64), 2 * 7, 2);
}

TEST_CASE("A kernel is allowed its dynamic shared memory, and never less than before", "[launch]") {
  runtime::reset();
  const auto allowed = [] { return runtime::kernels[address].attributes.maxDynamicSharedSizeBytes; };
  CHECK(detail::all_of(address, dim3(32), 40'000, 1, 1).error == cudaSuccess);
  CHECK(allowed() == 48 * 1024);
  CHECK(detail::all_of(address, dim3(32), 100'000, 1, 1).error == cudaSuccess);
  CHECK(allowed() == 100'000);
  CHECK(detail::all_of(address, dim3(32), 60'000, 1, 1).config.dynamicSmemBytes == 60'000);
  CHECK(allowed() == 100'000);
  CHECK(detail::all_of(address, dim3(32), 300'000, 1, 1).error == cudaErrorInvalidValue);
  CHECK(detail::all_of(address, dim3(32), (1ull << 32) + 100, 1, 1).error == cudaErrorInvalidValue);
  CHECK(allowed() == 100'000);
}

TEST_CASE("A launch passes its attributes and the clusters on, and does nothing for no blocks", "[launch]") {
  runtime::reset();
  cudaLaunchAttribute priority{};
  priority.id = cudaLaunchAttributePriority;
  priority.val.priority = -2;
  const auto stream = reinterpret_cast<cudaStream_t>(&ran);
  const launch_config plain = detail::all_of(address, dim3(64), 0, 6, 2), early = plain.with(programmatic_launch());
  CHECK(launch(plain, stream, kernel, 41) == cudaSuccess);
  CHECK(ran == 41);
  CHECK(launch(early.with(priority), stream, kernel, 42) == cudaSuccess);
  CHECK(launch(early, stream, kernel, 43) == cudaSuccess);  // a value: the one with a priority is another
  CHECK(ran == 43);
  REQUIRE(runtime::launches.size() == 3);
  for (const auto& each : runtime::launches) {
    CHECK(each.blocks == 12);
    CHECK(each.stream == stream);
    CHECK(std::ranges::count(each.attributes, cudaLaunchAttributeClusterDimension, &cudaLaunchAttribute::id) == 1);
  }
  const auto& passed = runtime::launches[1].attributes;
  REQUIRE(passed.size() == 3);
  CHECK(passed[0].id == cudaLaunchAttributeProgrammaticStreamSerialization);
  CHECK(passed[0].val.programmaticStreamSerializationAllowed == 1);
  CHECK(passed[1].val.priority == -2);
  CHECK(passed[2].val.clusterDim.x == 2);
  CHECK(runtime::launches[0].attributes.size() == 1);
  CHECK(runtime::launches[2].attributes.size() == 2);

  CHECK(launch(detail::all_of(address, dim3(64), 0, 0, 2), stream, kernel, 44) == cudaSuccess);
  CHECK(ran == 43);
  launch_config most = plain;
  for (unsigned i = 1; i < launch_config::most_attributes; ++i) most = most.with(priority);
  CHECK(launch(most, stream, kernel, 45) == cudaSuccess);
  CHECK(runtime::launches.back().attributes.size() == launch_config::most_attributes);
  CHECK_THROWS_WITH(most.with(priority), "heddle::launch_config: attributes is 9; it must be at most 8");
  launch_shape shape{.threads = 64};
  for (unsigned i = 0; i < launch_config::most_attributes; ++i) shape = shape.with(priority);
  CHECK_THROWS_WITH(shape.with(priority), "heddle::launch_shape: attributes is 9; it must be at most 8");
}

TEST_CASE("A kernel of a programmatic launch waits, and lets the next one start", "[launch]") {
  runtime::reset();
  wait_for_launch_before();
  CHECK(runtime::waits == 1);
  CHECK(runtime::triggers == 0);
  let_next_launch_start();
  CHECK(runtime::waits == 1);
  CHECK(runtime::triggers == 1);
}

TEST_CASE("occupancy names the limit that allows no more blocks", "[launch]") {
  using limit = occupancy::limit;
  runtime::reset();
  runtime::gpu.multiprocessors = 132;
  runtime::gpu.blocks_per_multiprocessor = 4;
  const auto found = [](int by_threads, int by_blocks, int by_smem, int by_registers, int registers = 40) {
    runtime::kernels[address].attributes.numRegs = registers;
    runtime::answer = {(std::min)({by_threads, by_blocks, by_smem, by_registers}), by_threads, by_blocks, by_smem,
                       by_registers};
    const auto [fits, error] = occupancy_of(kernel, 128);
    CHECK(error == cudaSuccess);
    return fits;
  };
  CHECK(found(4, 9, 9, 9).limited_by == limit::threads);
  CHECK(found(9, 4, 9, 9).limited_by == limit::blocks);
  CHECK(found(9, 9, 4, 9).limited_by == limit::shared_memory);
  CHECK(found(9, 9, 9, 4).limited_by == limit::registers);
  CHECK(found(9, 9, 9, 4, 255).limited_by == limit::registers_of_a_thread);
  CHECK(found(4, 9, 9, 9, 255).limited_by == limit::threads);
  // Of several limits the one that a change of the kernel lifts.
  CHECK(found(4, 4, 4, 4).limited_by == limit::registers);
  CHECK(found(4, 4, 4, 9).limited_by == limit::shared_memory);
  CHECK(found(4, 4, 9, 9).limited_by == limit::threads);

  const occupancy all = found(4, 32, 0x7fffffff, 6);
  CHECK(all.waves(4 * 132) == 1);
  CHECK(all.waves(4 * 132 * 5 / 2) == 2.5);
  CHECK(std::string(all.text().c_str()) ==
        "4 blocks of 128 threads on each of 132 multiprocessors, limited by threads (threads 4, blocks 32, shared "
        "memory any, registers 6); 40 registers, 24 bytes spilled");
  runtime::answer_error = CUDA_OCC_ERROR_UNKNOWN_DEVICE;
  CHECK(occupancy_of(kernel, 128).error == cudaErrorInvalidConfiguration);
  runtime::answer_error = CUDA_OCC_SUCCESS;
  CHECK(occupancy_of(kernel, 128, 300'000).error == cudaErrorInvalidValue);
  CHECK_FALSE(occupancy_of(kernel, 2000));
  CHECK(occupancy_of(kernel, 128, 150'000).error == cudaSuccess);
}
