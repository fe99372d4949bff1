#pragma once

#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cute/tensor.hpp>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <heddle/guest/cutlass.hpp>

#include "common/device.hpp"

// A product of CUTLASS, by any scheduler: bf16, C by column = A by row times B by column, accumulated in fp32.

namespace guests {

using element = cutlass::bfloat16_t;
using heddle::extent;
using heddle_bench::check;
using heddle_bench::device_array;

// Compiled per shape of a cluster.
using cluster = cute::Shape<cute::Int<HEDDLE_CLUSTER_ROWS>, cute::Int<HEDDLE_CLUSTER_COLS>, cute::_1>;
constexpr extent in_cluster{HEDDLE_CLUSTER_ROWS, HEDDLE_CLUSTER_COLS};

struct problem {
  int m, n, k, planes = 1;
  long long a() const { return 1LL * m * k * planes; }
  long long b() const { return 1LL * n * k * planes; }
  long long c() const { return 1LL * m * n * planes; }
};

/// The two kinds of kernels, in the tiles of the measurements.
struct cooperative {
  using tile = cute::Shape<cute::_128, cute::_256, cute::_64>;
  using mainloop = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
  using epilogue = cutlass::epilogue::TmaWarpSpecializedCooperative;
  static constexpr const char* name = "cooperative";
};
struct pingpong {
  using tile = cute::Shape<cute::_64, cute::_128, cute::_64>;
  using mainloop = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
  using epilogue = cutlass::epilogue::TmaWarpSpecialized;
  static constexpr const char* name = "pingpong";
};

using row = cutlass::layout::RowMajor;
using column = cutlass::layout::ColumnMajor;

/// The two halves of a kernel over matrices of these layouts: D has that of C.
template <class Kind, class Cluster, class A, class B, class C>
struct halves {
  using epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, typename Kind::tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, element, C, 8, element, C, 8,
      typename Kind::epilogue>::CollectiveOp;
  using mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, element, A, 8, element, B, 8, float, typename Kind::tile,
      Cluster, cutlass::gemm::collective::StageCountAutoCarveout<sizeof(typename epilogue::SharedStorage)>,
      typename Kind::mainloop>::CollectiveOp;
};

/// A product that is ready to be launched, with a workspace of its own.
template <class Kind, class Cluster, class Scheduler>
class product {
 public:
  using half = halves<Kind, Cluster, row, column, column>;
  using kernel = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, typename half::mainloop,
                                                      typename half::epilogue, Scheduler>;
  using arguments = typename kernel::Arguments;
  using scheduling = decltype(arguments::scheduler);

  /// C is read if `beta` is not 0.
  product(problem of, const element* a, const element* b, const element* c, element* d, float beta,
          const scheduling& by = {})
      : arguments_(arguments_of(of, a, b, c, d, beta, by)), workspace_(kernel::get_workspace_size(arguments_)) {}

  bool can_run() const { return kernel::can_implement(arguments_); }

  /// Prepares the workspace and the parameters. One preparation serves any number of launches.
  cutlass::Status prepare(cudaStream_t stream = nullptr) {
    return gemm_.initialize(arguments_, workspace_.data(), stream);
  }
  cutlass::Status launch(cudaStream_t stream = nullptr, bool is_programmatic = false) {
    return gemm_.run(stream, nullptr, is_programmatic);
  }

 private:
  static arguments arguments_of(problem of, const element* a, const element* b, const element* c, element* d,
                                float beta, const scheduling& by) {
    const auto [m, n, k, planes] = of;
    arguments all{};
    all.mode = cutlass::gemm::GemmUniversalMode::kGemm;
    all.problem_shape = {m, n, k, planes};
    all.mainloop = {a, {k, cute::_1{}, 1LL * m * k}, b, {k, cute::_1{}, 1LL * n * k}};
    all.epilogue = {{1.0f, beta}, c, {cute::_1{}, m, 1LL * m * n}, d, {cute::_1{}, m, 1LL * m * n}};
    all.hw_info.sm_count = cutlass::KernelHardwareInfo::query_device_multiprocessor_count();
    all.scheduler = by;
    return all;
  }

  arguments arguments_;
  device_array<unsigned char> workspace_;
  cutlass::gemm::device::GemmUniversalAdapter<kernel> gemm_;
};

/// Fills an array with numbers of a normal distribution.
__global__ void fill(element* values, long long count, unsigned seed) {
  const long long stride = 1LL * gridDim.x * blockDim.x;
  for (long long i = 1LL * blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    unsigned long long word = (static_cast<unsigned long long>(seed) << 40) + static_cast<unsigned long long>(i);
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ull;  // splitmix64
    word = (word ^ word >> 27) * 0x94d049bb133111ebull;
    word ^= word >> 31;
    const float one = static_cast<float>((word >> 40) + 1) * 0x1p-24f, other = static_cast<float>(word & 0xffffff);
    values[i] = element(sqrtf(-2 * logf(one)) * cospif(other * 0x1p-23f));
  }
}

inline void fill(const device_array<element>& values, unsigned seed) {
  fill<<<1024, 256>>>(values.data(), static_cast<long long>(values.size()), seed);
  check(cudaGetLastError());
}

__global__ void count_differences(const unsigned short* one, const unsigned short* other, long long count,
                                  unsigned long long* found) {
  unsigned long long mine = 0;
  const long long stride = 1LL * gridDim.x * blockDim.x;
  for (long long i = 1LL * blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) mine += one[i] != other[i];
  if (mine > 0) atomicAdd(found, mine);
}

/// Returns whether two arrays have the same bits.
inline bool are_equal(const device_array<element>& one, const device_array<element>& other) {
  static const device_array<unsigned long long> found(1);
  found.set_bytes(0);
  count_differences<<<256, 256>>>(reinterpret_cast<const unsigned short*>(one.data()),
                                  reinterpret_cast<const unsigned short*>(other.data()),
                                  static_cast<long long>(one.size()), found.data());
  check(cudaGetLastError());
  return found.first() == 0;
}

}  // namespace guests
