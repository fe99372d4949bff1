#pragma once

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "guests/product.cuh"

// A grouped product of CUTLASS, by any scheduler: bf16, C by row = A by row times B by column for each group,
// accumulated in fp32.

namespace guests {

/// Groups with rows and k of their own, and n in common.
struct group_sizes {
  std::vector<int> m, k;
  int n;

  int count() const { return static_cast<int>(m.size()); }
  long long multiply_adds() const {
    long long all = 0;
    for (int group = 0; group < count(); ++group) all += 1LL * m[group] * n * k[group];
    return all;
  }
};

/// What a grouped kernel does in the place of each part of a plain one.
template <class Kind>
struct of_groups;
template <>
struct of_groups<cooperative> : cooperative {
  using mainloop = cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperative;
  using epilogue = cutlass::epilogue::PtrArrayTmaWarpSpecializedCooperative;
};
template <>
struct of_groups<pingpong> : pingpong {
  using mainloop = cutlass::gemm::KernelPtrArrayTmaWarpSpecializedPingpong;
  using epilogue = cutlass::epilogue::PtrArrayTmaWarpSpecializedPingpong;
};

/// The kernel of a tag, or of CUTLASS's `GroupScheduler`.
template <class Kind, class Cluster, class Tag>
struct grouped_kernel_of {
  using half = halves<of_groups<Kind>, Cluster, row*, column*, row*>;
  using mainloop = typename half::mainloop;
  using epilogue = typename half::epilogue;
  using problem_shape = cutlass::gemm::GroupProblemShape<cute::Shape<int, int, int>>;

  using by_cutlass =
      cutlass::gemm::kernel::GemmUniversal<problem_shape, mainloop, epilogue, cutlass::gemm::GroupScheduler>;
  using by_tag = cutlass::gemm::kernel::GemmUniversal<problem_shape, heddle::guest::mainloop_by<Tag, mainloop>,
                                                      epilogue, cutlass::gemm::GroupScheduler>;
  using type = std::conditional_t<std::is_same_v<Tag, cutlass::gemm::GroupScheduler>, by_cutlass, by_tag>;
};

/// The matrices of groups, each with room for `most_rows` rows, and what kernels read of them.
class group_matrices {
 public:
  using shape = cute::Shape<int, int, int>;

  group_matrices(int groups, int most_rows, int n, int most_k)
      : most_rows_(most_rows),
        n_(n),
        most_k_(most_k),
        a(1LL * groups * most_rows * most_k),
        b(1LL * groups * n * most_k),
        c(1LL * groups * most_rows * n),
        d(1LL * groups * most_rows * n),
        expected(1LL * groups * most_rows * n),
        shapes(groups),
        ends(groups),
        weights(groups),
        pointers(4LL * groups),
        strides(3LL * groups) {
    fill(a, 1), fill(b, 2), fill(c, 3);
    std::vector<const element*> all;
    for (const auto* of : {&a, &b, &c, &d}) {
      for (int group = 0; group < groups; ++group) all.push_back(of->data() + group * (of->size() / groups));
    }
    pointers.copy_from(all.data(), all.size());
  }

  /// Sets the sizes of the groups, on the device.
  void set(const group_sizes& to) {
    sizes = to;
    host_shapes.clear();
    std::vector<int> running(to.m);
    std::vector<long long> lines;
    std::partial_sum(to.m.begin(), to.m.end(), running.begin());
    for (int group = 0; group < to.count(); ++group) host_shapes.push_back({to.m[group], to.n, to.k[group]});
    for (const int matrix : {0, 1, 2}) {
      for (int group = 0; group < to.count(); ++group) lines.push_back(matrix == 2 ? to.n : to.k[group]);
    }
    shapes.copy_from(host_shapes.data(), host_shapes.size());
    ends.copy_from(running.data(), running.size());
    weights.copy_from(to.k.data(), to.k.size());
    strides.copy_from(lines.data(), lines.size());
  }

  const element* a_of(int group) const { return a.data() + 1LL * group * most_rows_ * most_k_; }
  const element* b_of(int group) const { return b.data() + 1LL * group * n_ * most_k_; }
  long long d_of(int group) const { return 1LL * group * most_rows_ * n_; }

 private:
  int most_rows_, n_, most_k_;

 public:
  device_array<element> a, b, c, d, expected;
  device_array<shape> shapes;
  device_array<int> ends, weights;
  device_array<const element*> pointers;
  device_array<long long> strides;
  std::vector<shape> host_shapes;
  group_sizes sizes{};
};

/// A grouped product that is ready to be launched, with a workspace of its own.
template <class Kind, class Cluster, class Tag>
class grouped_product {
 public:
  using kernel = typename grouped_kernel_of<Kind, Cluster, Tag>::type;
  using arguments = typename kernel::Arguments;
  using scheduling = decltype(arguments::scheduler);
  static constexpr bool draws = std::is_same_v<Tag, heddle::guest::drawn>;

  grouped_product(const group_matrices& all, float beta, const scheduling& by, bool knows_shapes)
      : arguments_(arguments_of(all, beta, by, knows_shapes)), workspace_(kernel::get_workspace_size(arguments_)) {}

  bool can_run() const { return kernel::can_implement(arguments_); }

  cutlass::Status prepare(cudaStream_t stream = nullptr) {
    return gemm_.initialize(arguments_, workspace_.data(), stream);
  }
  cutlass::Status launch(cudaStream_t stream = nullptr) { return gemm_.run(stream); }

 private:
  template <class Stride>
  static Stride* strides_of(const group_matrices& all, int matrix) {
    static_assert(sizeof(Stride) == sizeof(long long));
    return reinterpret_cast<Stride*>(all.strides.data() + matrix * all.sizes.count());
  }

  static arguments arguments_of(const group_matrices& all, float beta, const scheduling& by, bool knows_shapes) {
    const int groups = all.sizes.count();
    const auto pointers = [&](int matrix) { return all.pointers.data() + matrix * groups; };
    arguments these{};
    these.mode = cutlass::gemm::GemmUniversalMode::kGrouped;
    these.problem_shape = {groups, all.shapes.data(), knows_shapes ? all.host_shapes.data() : nullptr};
    these.mainloop = {pointers(0), strides_of<typename kernel::InternalStrideA>(all, 0), pointers(1),
                      strides_of<typename kernel::InternalStrideB>(all, 1)};
    these.epilogue = {{},
                      beta != 0 ? pointers(2) : nullptr,
                      strides_of<typename kernel::InternalStrideC>(all, 2),
                      const_cast<element**>(pointers(3)),
                      strides_of<typename kernel::InternalStrideD>(all, 2)};
    these.epilogue.thread.alpha = 1;
    these.epilogue.thread.beta = beta;
    these.hw_info.sm_count = cutlass::KernelHardwareInfo::query_device_multiprocessor_count();
    these.scheduler = by;
    return these;
  }

  arguments arguments_;
  device_array<unsigned char> workspace_;
  cutlass::gemm::device::GemmUniversalAdapter<kernel> gemm_;
};

/// Returns the shape of groups in clusters of tiles.
template <class Tile>
heddle::group_shape shape_of(Tile, long long rows, int groups, int n) {
  const int tile_rows = cute::size<0>(Tile{}) * in_cluster.rows, tile_cols = cute::size<1>(Tile{}) * in_cluster.cols;
  return {.rows = rows, .groups = groups, .tile_rows = tile_rows, .cols = (n - 1) / tile_cols + 1};
}

/// An order of groups, with its state: the usual one, unless a recipe says another.
template <class Kind>
class group_order {
 public:
  group_order(const group_matrices& all, long long most_rows, const std::optional<heddle::recipe>& said = {})
      : shape_(shape_of(typename Kind::tile{}, most_rows, all.sizes.count(), all.sizes.n)),
        state_(heddle::grouped::state_bytes(shape_)),
        by(said.value_or(heddle::guest::usual_bands(shape_))),
        order(shape_, state_.data(), by.width, by.axis, by.sequence) {}

  void prepare(const group_matrices& all, cudaStream_t stream = nullptr) const {
    check(order.prepare_async(all.ends.data(), stream, all.weights.data()));
  }

 private:
  heddle::group_shape shape_;
  device_array<char> state_;

 public:
  heddle::recipe by;
  heddle::grouped order;
};

}  // namespace guests
