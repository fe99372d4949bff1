// A kernel of CUTLASS over arrays of pointers gives by `dealt` the bits that it gives by its own scheduler. Compiled
// once per shape of a cluster: HEDDLE_CLUSTER_ROWS, HEDDLE_CLUSTER_COLS.

#include <cutlass/gemm/group_array_problem_shape.hpp>

#include <string>
#include <vector>

#include "expect.hpp"
#include "guests/grouped.cuh"

namespace {

using namespace guests;
using heddle::recipe;

template <class Kind>
struct array_kernels {
  using half = halves<of_groups<Kind>, cluster, row, column, row>;
  using mainloop = typename half::mainloop;
  using epilogue = typename half::epilogue;
  using problem_shape = cutlass::gemm::ArrayProblemShape<cute::Shape<int, int, int, int>>;
  using own = cutlass::gemm::kernel::GemmUniversal<problem_shape, mainloop, epilogue>;
  using dealt =
      cutlass::gemm::kernel::GemmUniversal<problem_shape, heddle::guest::mainloop_by<heddle::guest::dealt, mainloop>,
                                           epilogue>;
};

/// Multiplies the planes of a batch from the last to the first.
template <class Kernel>
bool multiply(problem of, const device_array<element>& a, const device_array<element>& b,
              const device_array<element>& d, const typename Kernel::TileSchedulerArguments& by) {
  d.set_bytes(0x7f);
  std::vector<const element*> all;
  for (const auto* matrix : {&a, &b, &d}) {
    for (int plane = of.planes - 1; plane >= 0; --plane)
      all.push_back(matrix->data() + plane * (matrix->size() / of.planes));
  }
  const device_array<const element*> pointers(all.size());
  pointers.copy_from(all.data(), all.size());
  typename Kernel::Arguments arguments{};
  arguments.mode = cutlass::gemm::GemmUniversalMode::kArray;
  arguments.problem_shape = {{of.m, of.n, of.k, of.planes}};
  arguments.mainloop.ptr_A = pointers.data();
  arguments.mainloop.ptr_B = pointers.data() + of.planes;
  arguments.epilogue.ptr_D = const_cast<element**>(pointers.data() + 2 * of.planes);
  cute::get<0>(arguments.mainloop.dA) = of.k;
  cute::get<0>(arguments.mainloop.dB) = of.k;
  cute::get<0>(arguments.epilogue.dD) = of.n;
  arguments.epilogue.thread.alpha = 1;
  arguments.hw_info.sm_count = cutlass::KernelHardwareInfo::query_device_multiprocessor_count();
  arguments.scheduler = by;
  const device_array<unsigned char> workspace(Kernel::get_workspace_size(arguments));
  cutlass::gemm::device::GemmUniversalAdapter<Kernel> gemm;
  const bool is_launched = Kernel::can_implement(arguments) &&
                           gemm.initialize(arguments, workspace.data()) == cutlass::Status::kSuccess &&
                           gemm.run() == cutlass::Status::kSuccess;
  check(cudaDeviceSynchronize());
  return is_launched;
}

template <class Kind>
void serves_arrays() {
  using kernels = array_kernels<Kind>;
  for (const problem of : {problem{1000, 1368, 520, 5}, {64, 64, 64, 1}, {300, 2048, 128, 40}, {4352, 4352, 64, 2}}) {
    const device_array<element> a(of.a()), b(of.b()), d(of.c()), expected(of.c());
    fill(a, 1), fill(b, 2);
    const std::string name = std::string(Kind::name) + ", " + std::to_string(of.m) + " x " + std::to_string(of.planes);
    expect(multiply<typename kernels::own>(of, a, b, expected, {}), name + ": by CUTLASS");
    for (const recipe& by : {recipe{.order = recipe::cta_swizzle, .width = 3, .axis = heddle::axis::x},
                             recipe{.order = recipe::column_major, .reversed = true},
                             recipe{.order = recipe::cta_swizzle, .width = 8, .interleave = 2}}) {
      heddle::guest::cutlass_launch arguments{};
      arguments.launch = by;
      expect(multiply<typename kernels::dealt>(of, a, b, d, arguments) && are_equal(d, expected), name);
    }
  }
}

}  // namespace

int main() {
  if (!has_gpu("test_cutlass_arrays", hopper_only)) return skipped;
  serves_arrays<cooperative>();
  serves_arrays<pingpong>();
  std::printf("arrays, clusters of %d x %d: %d checks pass, %d fail\n", in_cluster.rows, in_cluster.cols, passed,
              failed);
  return failed > 0;
}
