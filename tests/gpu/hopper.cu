// Pieces of examples/hopper that no kernel of the examples uses yet: a product whose A is in registers, as attention
// has it, and operands in several boxes of any number of rows. And the smallest product, which is a program too.

#include "gemm.hpp"

#include "hopper/multiply.cuh"
#include "hopper/product.cuh"
#include "hopper/roles.cuh"
#include "hopper/tensor_map.cuh"

using namespace heddle_test;

namespace {

using hopper::major;

constexpr int queries = 64, keys = 128, width = 128;  // O = (Q Kᵀ) V, without a softmax between them

struct shared {
  alignas(1024) unsigned char q[width / 64][queries * 128];
  unsigned char k[width / 64][keys * 128];
  unsigned char v[width / 64][keys * 128];
  std::uint64_t loaded;
};

/// One warpgroup. The sums of the first product are the A of the second, in the registers in which they are.
__global__ void two_products(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                             const __grid_constant__ CUtensorMap v, float* o) {
  namespace ptx = hopper::ptx;
  auto& smem = hopper::shared_memory<shared>();
  const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(smem.loaded, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(smem.loaded, (queries + 2 * keys) * width * 2);
    for (int box = 0; box < width / 64; ++box) {
      ptx::cp_async_bulk_tensor_load(smem.q[box], q, box * 64, 0, smem.loaded);
      ptx::cp_async_bulk_tensor_load(smem.k[box], k, box * 64, 0, smem.loaded);
      ptx::cp_async_bulk_tensor_load(smem.v[box], v, box * 64, 0, smem.loaded);
    }
  }
  hopper::sync_all<false>();
  ptx::mbarrier_wait(smem.loaded, 0);

  float scores[1][keys / 2], sums[width / 2];
  ptx::wgmma_fence();
  hopper::multiply_boxes<bf16>(scores, smem.q, 0, smem.k);
  ptx::wgmma_commit_group();
  ptx::wgmma_wait_group<0>();
  hopper::fence_registers(scores[0]);

  unsigned weights[keys / 16][4];
  hopper::pack_operand<bf16>(weights, scores[0]);
  ptx::wgmma_fence();
  hopper::multiply_boxes<bf16>(sums, weights, smem.v, false);
  ptx::wgmma_commit_group();
  ptx::wgmma_wait_group<0>();
  hopper::fence_registers(sums);
#pragma unroll
  for (int i = 0; i < width / 2; ++i) {
    o[(row + i / 2 % 2 * 8) * width + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums[i];
  }
}

/// Small numbers, so that sums of products of the first kind are exact in bf16.
std::vector<double> numbers(int count, int seed) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back((i * seed + i / 7) % 3 - 1);
  return values;
}

/// Copies a matrix to the device, and returns its map for boxes of all rows and 64 columns.
CUtensorMap map_of(device_array<bf16>& memory, const std::vector<double>& values) {
  std::vector<bf16> elements;
  for (const double value : values) elements.push_back(__double2bfloat16(value));
  to_device(memory.data(), elements.data(), memory.bytes());
  const int rows = static_cast<int>(values.size()) / width;
  const auto [map, error] = hopper::make_tensor_map<bf16>(memory.data(), {rows, width, width}, {rows, 64});
  check(error);
  return map;
}

}  // namespace

HOPPER_TEST("The sums of one product are the A of a second one in registers", "[gemm]") {
  const auto q = numbers(queries * width, 5), k = numbers(keys * width, 11), v = numbers(keys * width, 13);
  device_array<bf16> q_memory(q.size(), 0), k_memory(k.size(), 0), v_memory(v.size(), 0);
  device_array<float> o(queries * width, 0xff);
  check(cudaFuncSetAttribute(two_products, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(shared)));
  two_products<<<1, 128, sizeof(shared)>>>(map_of(q_memory, q), map_of(k_memory, k), map_of(v_memory, v), o.data());
  check(cudaGetLastError());
  const std::vector<float> found = o.read();
  int wrong = 0;
  for (int row = 0; row < queries; ++row) {
    std::vector<double> scores(keys);
    for (int key = 0; key < keys; ++key) {
      for (int i = 0; i < width; ++i) scores[key] += q[row * width + i] * k[key * width + i];
    }
    for (int col = 0; col < width; ++col) {
      double sum = 0;
      for (int key = 0; key < keys; ++key) sum += scores[key] * v[key * width + col];
      wrong += found[row * width + col] != sum;
    }
  }
  CHECK(wrong == 0);
}

HOPPER_TEST("The smallest product agrees with double precision", "[gemm]") {
  for (const auto& [m, n, k] : {std::array{1, 8, 8}, {129, 264, 72}, {712, 808, 1032}, {4001, 2056, 64}}) {
    CAPTURE(m, n, k);
    heddle_test::product<bf16> one({.m = m, .n = n, .k = k}, 1, 0, 0, 0, 0, 0, 3);
    check(hopper::smallest::enqueue(one.a.data(), one.b.data(), one.c.data(), m, n, k, nullptr));
    check(cudaDeviceSynchronize());
    CHECK(one.error(one.expected()) <= heddle_test::product<bf16>::tolerance());
    CHECK_FALSE(one.c.leaked());
  }
}
