#include <memory>

#include <heddle/recipe/with.hpp>
#include <heddle/schedule/strided.hpp>

#include "gemm/on_hopper.cuh"
#include "on_gpu.cuh"

namespace {

using heddle::extent;
using bf16 = __nv_bfloat16;

/// Normally distributed: the power of a product depends on how many bits change from element to element.
__global__ void fill_at_random(bf16* data, std::size_t size, unsigned seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    const auto uniform = [&](unsigned salt) {
      unsigned hash = static_cast<unsigned>(i) * 0x9e3779b9 + salt * 0x7f4a7c15;
      hash = (hash ^ hash >> 15) * 0x85ebca6b;
      hash = (hash ^ hash >> 13) * 0xc2b2ae35;
      return (static_cast<float>((hash ^ hash >> 16) >> 8) + 0.5f) / 16777216.0f;
    };
    data[i] = __float2bfloat16(sqrtf(-2 * logf(uniform(2 * seed))) * cosf(6.2831853f * uniform(2 * seed + 1)));
  }
}

/// Counts elements that differ by more than rounding: sums along k run forwards or backwards, depending on the order.
__global__ void count_differences(const bf16* one, const bf16* other, std::size_t size, int* differences) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    const float x = __bfloat162float(one[i]), y = __bfloat162float(other[i]);
    if (!(fabsf(x - y) <= 0.02f + 0.01f * fabsf(y))) atomicAdd(differences, 1);
  }
}

/// The operands, and the result of the first order.
struct product {
  product(int m, int n, int k)
      : problem{.m = m, .n = n, .k = k}, a(size(m, k)), b(size(n, k)), c(size(m, n)), first(size(m, n)), different(1) {
    fill_at_random<<<1024, 256>>>(a.data(), a.size(), 1);
    fill_at_random<<<1024, 256>>>(b.data(), b.size(), 2);
    different.fill(0);
  }

  static std::size_t size(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
  gemm::operands operands() const { return {a.data(), problem.k, b.data(), problem.k, c.data(), problem.n}; }

  gemm::problem problem;
  device_array<bf16> a, b, c, first;
  device_array<int> different;
};

/// The kernel in one order, by table.
template <class Shape>
class contender {
 public:
  contender(const product& p, const heddle::recipe& order)
      : p_(p), entries_(entries_of(p, order)), table_(static_cast<std::size_t>(entries_.size())) {
    check(cudaMemcpy(table_.data(), entries_.data(), entries_.bytes(), cudaMemcpyHostToDevice));
  }

  void enqueue() const {
    const heddle::tile_table order{workers(p_), table_.data()};
    const heddle::strided scheduler{heddle::clustered{order, cluster, tiles(p_)}};
    const gemm::on_hopper<Shape, bf16> by;
    check(by.launch(by.grid(scheduler), scheduler, p_.problem, p_.operands(), nullptr));
  }

 private:
  static constexpr extent tile{Shape::tile_m, Shape::tile_n}, cluster{Shape::cluster_m, Shape::cluster_n};

  static extent tiles(const product& p) { return heddle::ceil_div(p.problem.m, p.problem.n, tile); }
  static extent workers(const product& p) { return heddle::ceil_div(tiles(p), cluster); }
  static heddle::tile_table::entries entries_of(const product& p, const heddle::recipe& order) {
    return make_tile_table(order, workers(p));
  }

  const product& p_;
  heddle::tile_table::entries entries_;
  device_array<heddle::tile_table::entry> table_;
};

/// The median of each order, after a check that all orders have the same result.
template <class Shape>
std::vector<double> times_of(const product& p, const std::vector<heddle::recipe>& orders) {
  std::vector<std::unique_ptr<contender<Shape>>> all;
  for (const auto& order : orders) all.push_back(std::make_unique<contender<Shape>>(p, order));
  for (const auto& each : all) {
    p.c.fill(0xff);  // NaN
    each->enqueue();
    if (each == all[0]) check(cudaMemcpy(p.first.data(), p.c.data(), p.c.bytes(), cudaMemcpyDefault));
    count_differences<<<1024, 256>>>(p.c.data(), p.first.data(), p.c.size(), p.different.data());
  }
  if (p.different.read()[0] > 0) throw std::runtime_error("the orders disagree on the product");

  std::vector<std::function<void()>> contestants;
  for (const auto& each : all) contestants.push_back([&each] { each->enqueue(); });
  return demo::medians_of(contestants);
}

}  // namespace

demo::measurement<demo::order_times> demo::measure_product(int m, int n, int k,
                                                           const std::vector<heddle::recipe>& orders) {
  return on_gpu(hopper_only, [&] {
    const product p(m, n, k);
    const std::vector<double> blocks = times_of<gemm::wgmma_shape<128, 128, 1, 1>>(p, orders);
    const std::vector<double> clusters = times_of<gemm::wgmma_shape<128, 256, 2, 1>>(p, orders);
    std::vector<order_times> times;
    for (std::size_t i = 0; i < orders.size(); ++i) times.push_back({to_string(orders[i]), blocks[i], clusters[i]});
    return times;
  });
}
