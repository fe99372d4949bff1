// The grouped product of examples/grouped, run on the host: each group agrees with plain sums, and nothing else is
// written.

#include "simt.hpp"

#include <numeric>

#include <heddle/order/batched.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>

#include "grouped/grouped.cuh"
#include "hopper/kernel.cuh"
#include "hopper/tensor_map.cuh"

#include "hopper/matrices.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::element, heddle_test::major, heddle_test::matrix;

namespace {

template <class Shape, class Operands, class Scheduler>
void run(const Scheduler& scheduler, hopper::launch_of launch, const ::grouped::arguments& arguments) {
  const hopper::kernel kernel{::grouped::multiply<Shape, element, Operands, Scheduler>, Shape::threads,
                              sizeof(::grouped::smem<Shape, Scheduler>)};
  (void)kernel.launch(launch, nullptr, scheduler, arguments);
}

/// Returns the wrong elements of a product whose groups have rows of A and of C, and a matrix B each.
template <int Cluster, major B>
int wrong_by_rows(const std::vector<int>& rows, int n, int k, int low_m) {
  using shape = ::grouped::shape<Cluster>;
  std::vector<int> ends(rows.size());
  std::partial_sum(rows.begin(), rows.end(), ends.begin());
  const int groups = static_cast<int>(rows.size()), all = ends.back(), b_rows = B == major::k ? n : k;
  matrix a(all, k, true, k), b(groups * b_rows, B == major::k ? k : n, true, B == major::k ? k : n),
      c(all, n, false, n);
  const long long cols = (n + shape::tile_n * Cluster - 1) / (shape::tile_n * Cluster);
  const group_shape tiles{.rows = all, .groups = groups, .tile_rows = shape::tile_m, .cols = cols};
  std::vector<unsigned long long> state(heddle::grouped::state_bytes(tiles) / 8 + 1);
  const heddle::grouped of_device(tiles, state.data(), 2, axis::y, group_sequence::heaviest_first);
  heddle::grouped::preparing_storage shared;
  simt::launch(1, 32, [&] { of_device.prepare(shared, ends.data(), nullptr); });
  const heddle::grouped order = of_device.on_host();
  const auto map_a = hopper::make_tensor_map<element>(a.data(), {all, k, k}, {shape::a_box, 64});
  const auto map_b = B == major::k ? hopper::make_tensor_map<element>(b.data(), {n, k, k, groups}, {shape::tile_n, 64})
                                   : hopper::make_tensor_map<element>(b.data(), {k, n, n, groups}, {64, 64});
  const ::grouped::arguments arguments{map_a.map, map_b.map, low_m, 0, n, k, nullptr, c.data()};
  using operands = ::grouped::by_rows<shape, B>;
  if constexpr (Cluster == 1) {
    run<shape, operands>(strided{order}, {2}, arguments);
  } else {
    const clustered by_clusters{order, {1, Cluster}, order.space().with_cols((n + shape::tile_n - 1) / shape::tile_n)};
    run<shape, operands>(strided{by_clusters}, {1, Cluster}, arguments);
  }
  return c.wrong([&](int row, int col) {
    const auto group = static_cast<int>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
    float sum = 0;
    for (int i = 0; i < k; ++i) {
      sum += a.value(row, i) * (B == major::k ? b.value(group * n + col, i) : b.value(group * k + i, col));
    }
    return sum;
  });
}

}  // namespace

TEST_CASE("Groups of rows are right on the host", "[groups]") {
  const int low_m = GENERATE(0, 64);
  const std::vector<int> rows = GENERATE(std::vector{1, 0, 63, 64, 65}, std::vector{200, 0, 0, 129}, std::vector{0, 3});
  CHECK(wrong_by_rows<1, major::k>(rows, 264, 200, low_m) == 0);
  CHECK(wrong_by_rows<1, major::mn>(rows, 136, 72, low_m) == 0);
  CHECK(wrong_by_rows<2, major::k>(rows, 520, 328, low_m) == 0);
}

TEST_CASE("Groups of steps are right on the host", "[groups]") {
  using shape = ::grouped::shape<1>;
  const int m = GENERATE(40, 200), n = 264, groups = 4;
  const std::vector<int> ends = GENERATE(std::vector{1, 1, 200, 264}, std::vector{0, 640, 700, 700});
  const int k = ends.back();
  matrix a(k, m, true, m), b(k, n, true, n), c(groups * m, n, false, n);
  const auto map_a = hopper::make_tensor_map<element>(a.data(), {k, m, m}, {64, 64});
  const auto map_b = hopper::make_tensor_map<element>(b.data(), {k, n, n}, {64, 64});
  const ::grouped::arguments arguments{map_a.map, map_b.map, 64, m, n, k, ends.data(), c.data()};
  std::vector<unsigned> state(ticket<>::state_bytes() / 4 + 1);
  const extent tiles = ceil_div(extent{m, n}, extent{shape::tile_m, shape::tile_n});
  run<shape, ::grouped::by_k<shape>>(ticket{batched{thread_group_tiling{tiles, 8, axis::y}, groups}, state.data()}, {2},
                                     arguments);
  CHECK(c.wrong([&](int row, int col) {
    const auto group = static_cast<std::size_t>(row / m);
    float sum = 0;
    for (int i = group == 0 ? 0 : ends[group - 1]; i < ends[group]; ++i) sum += a.value(i, row % m) * b.value(i, col);
    return sum;
  }) == 0);
}
