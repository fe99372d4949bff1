// The grouped product of examples/grouped, run on the host: each group agrees with plain sums, and nothing else is
// written.

#include "simt.hpp"

#include <sys/mman.h>

#include <span>

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

/// Numbers behind which there is no memory: a read past them is a fault.
class at_the_end {
 public:
  explicit at_the_end(const std::vector<int>& from) : bytes_((from.size() * sizeof(int) / page + 2) * page) {
    pages_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(mprotect(pages_ + bytes_ - page, page, PROT_NONE) == 0);
    numbers_ = std::span(reinterpret_cast<int*>(pages_ + bytes_ - page) - from.size(), from.size());
    std::copy(from.begin(), from.end(), numbers_.begin());
  }
  at_the_end(const at_the_end&) = delete;
  ~at_the_end() { munmap(pages_, bytes_); }

  const int* data() const { return numbers_.data(); }

 private:
  static constexpr std::size_t page = 65536;  // or less
  std::size_t bytes_;
  char* pages_;
  std::span<int> numbers_;
};

/// What a product does to its rows.
struct fused {
  bool gathers = false, scatters = false, is_weighed = false;
};

/// Returns the wrong elements of a product whose groups have rows of A and of C, and a matrix B each.
template <int Cluster, major B, bool IsGated = false>
int wrong_by_rows(const std::vector<int>& rows, int n, int k, int low_m, const fused& by = {}) {
  using shape = ::grouped::shape<Cluster>;
  std::vector<int> ends(rows.size());
  std::partial_sum(rows.begin(), rows.end(), ends.begin());
  const int groups = static_cast<int>(rows.size()), all = ends.back(), b_cols = IsGated ? 2 * n : n;
  const int c_rows = by.scatters ? all + 5 : all;
  const int b_rows = B == major::k ? b_cols : k, b_pitch = B == major::k ? k : b_cols;
  const int a_rows = by.gathers ? all / 2 + 1 : all;
  matrix a(a_rows, k, true, k), b(groups * b_rows, b_pitch, true, b_pitch), c(c_rows, n, false, n);
  const long long cols = (b_cols + shape::tile_n * Cluster - 1) / (shape::tile_n * Cluster);
  const group_shape tiles{.rows = all, .groups = groups, .tile_rows = shape::tile_m, .cols = cols};
  std::vector<unsigned long long> state(heddle::grouped::state_bytes(tiles) / 8 + 1);
  const heddle::grouped of_device(tiles, state.data(), 2, axis::y, group_sequence::heaviest_first);
  heddle::grouped::preparing_storage shared;
  simt::launch(1, 32, [&] { of_device.prepare(shared, ends.data(), nullptr); });
  const heddle::grouped order = of_device.on_host();

  // Some numbers name no row.
  std::vector<int> rows_of_c(static_cast<std::size_t>(all));
  std::vector<float> weights(rows_of_c.size());
  for (float& each : weights) each = static_cast<float>(simt::random() % 5) - 2;
  std::iota(rows_of_c.begin(), rows_of_c.end(), 0);
  for (std::size_t i = rows_of_c.size(); i > 1; --i) std::swap(rows_of_c[i - 1], rows_of_c[simt::random() % i]);
  for (int& each : rows_of_c) each = each % 7 == 3 ? -1 - each : each % 7 == 4 ? c_rows + each : each;

  std::vector<int> rows_of_a(static_cast<std::size_t>(all));
  const int never = a_rows / 2;  // a row of NaN, that no number names
  for (int& each : rows_of_a) {
    each = static_cast<int>(simt::random() % static_cast<unsigned>(a_rows + 2)) - 1;
    if (each == never) each = -2;
  }
  const at_the_end numbers_of_a(rows_of_a);
  for (int i = 0; i < k && by.gathers; ++i) a.at(never, i) = element(std::nanf(""));

  const auto map_a = hopper::make_tensor_map<element>(a.data(), {all, k, k}, {shape::a_box, 64});
  const auto map_b = B == major::k ? hopper::make_tensor_map<element>(b.data(), {b_cols, k, k, groups},
                                                                      {IsGated ? 64 : shape::tile_n, 64})
                                   : hopper::make_tensor_map<element>(b.data(), {k, b_cols, b_cols, groups}, {64, 64});
  const ::grouped::arguments arguments{.a = map_a.map,
                                       .b = map_b.map,
                                       .low_m = low_m,
                                       .n = n,
                                       .k = k,
                                       .matrix_c = c.data(),
                                       .rows_of_a = by.gathers ? numbers_of_a.data() : nullptr,
                                       .matrix_a = a.data(),
                                       .a_rows = a_rows,
                                       .rows_of_c = by.scatters ? rows_of_c.data() : nullptr,
                                       .c_rows = c_rows,
                                       .weights = by.is_weighed ? weights.data() : nullptr};
  using operands = ::grouped::by_rows<shape, B, IsGated>;
  if constexpr (Cluster == 1) {
    run<shape, operands>(strided{order}, {2}, arguments);
  } else {
    const clustered by_clusters{order, {1, Cluster}, order.space().with_cols((n + shape::tile_n - 1) / shape::tile_n)};
    run<shape, operands>(strided{by_clusters}, {1, Cluster}, arguments);
  }
  const auto product = [&](int row, int col) {
    const int group = static_cast<int>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
    const int of_a = by.gathers ? rows_of_a[static_cast<std::size_t>(row)] : row;
    float sum = 0;
    for (int i = 0; i < k && of_a >= 0 && of_a < a_rows; ++i) {
      sum += a.value(of_a, i) * (B == major::k ? b.value(group * b_cols + col, i) : b.value(group * k + i, col));
    }
    return sum;
  };
  std::vector<int> from_row(static_cast<std::size_t>(c_rows), -1);  // of C
  for (int row = 0; row < all; ++row) {
    const int to = by.scatters ? rows_of_c[static_cast<std::size_t>(row)] : row;
    if (to >= 0 && to < c_rows) from_row[static_cast<std::size_t>(to)] = row;
  }
  return c.wrong(
      [&](int to, int col) {
        const int row = from_row[static_cast<std::size_t>(to)];
        if (row < 0) return matrix::guard;
        const float weight = by.is_weighed ? weights[static_cast<std::size_t>(row)] : 1, gate = product(row, col);
        return weight * (IsGated ? gate / (1 + std::exp(-gate)) * product(row, col + n) : gate);
      },
      IsGated ? 1.0f / 128 : 0);
}

}  // namespace

TEST_CASE("Groups of rows are right on the host", "[groups]") {
  const int low_m = GENERATE(0, 64);
  const std::vector<int> rows = GENERATE(std::vector{1, 0, 63, 64, 65}, std::vector{200, 0, 0, 129}, std::vector{0, 3});
  CHECK(wrong_by_rows<1, major::k>(rows, 264, 200, low_m) == 0);
  CHECK(wrong_by_rows<1, major::mn>(rows, 136, 72, low_m) == 0);
  CHECK(wrong_by_rows<2, major::k>(rows, 264, 328, low_m) == 0);
}

TEST_CASE("Rows that are scattered and weighed are right on the host", "[groups]") {
  const fused by =
      GENERATE(fused{.scatters = true}, fused{.is_weighed = true}, fused{.scatters = true, .is_weighed = true});
  CHECK(wrong_by_rows<1, major::k>({1, 0, 63, 64, 65}, 264, 72, 64, by) == 0);
  CHECK(wrong_by_rows<1, major::mn>({200, 0, 0, 129}, 136, 72, 0, by) == 0);
}

TEST_CASE("Rows that are gathered are right on the host", "[groups]") {
  const int low_m = GENERATE(0, 64);
  const fused by = GENERATE(fused{.gathers = true}, fused{.gathers = true, .scatters = true, .is_weighed = true});
  CHECK(wrong_by_rows<1, major::k>({1, 0, 63, 64, 65}, 264, 72, low_m, by) == 0);
  CHECK(wrong_by_rows<1, major::mn>({200, 0, 0, 129}, 136, 328, low_m, by) == 0);
  CHECK(wrong_by_rows<1, major::k>({0, 3}, 8, 8, low_m, by) == 0);
  CHECK(wrong_by_rows<1, major::k, true>({129, 0, 5}, 72, 136, low_m, by) == 0);
}

TEST_CASE("Gated groups are right on the host", "[groups]") {
  const fused by = GENERATE(fused{}, fused{.scatters = true, .is_weighed = true});
  CHECK(wrong_by_rows<1, major::k, true>({1, 0, 63, 64, 65}, 136, 72, 64, by) == 0);
  CHECK(wrong_by_rows<1, major::mn, true>({129, 0}, 72, 136, 64, by) == 0);
  CHECK(wrong_by_rows<1, major::k, true>({0, 129}, 64, 64, 0, by) == 0);
}

TEST_CASE("Groups of steps are right on the host", "[groups]") {
  using shape = ::grouped::shape<1>;
  const int m = GENERATE(40, 200), n = 264, groups = 4;
  const auto [k, ends] = GENERATE(table<int, std::vector<int>>({{264, {1, 1, 200, 264}},
                                                                {700, {0, 640, 700, 700}},
                                                                {264, {100, 90, 200, 300}},    // no steps, or too many
                                                                {264, {-5, 40, 264, 264}}}));  // before the first
  matrix a(k, m, true, m), b(k, n, true, n), c(groups * m, n, false, n);
  const auto map_a = hopper::make_tensor_map<element>(a.data(), {k, m, m}, {64, 64});
  const auto map_b = hopper::make_tensor_map<element>(b.data(), {k, n, n}, {64, 64});
  const ::grouped::arguments arguments{
      .a = map_a.map, .b = map_b.map, .low_m = 64, .n = n, .k = k, .matrix_c = c.data(), .m = m, .ends = ends.data()};
  std::vector<unsigned> state(ticket<>::state_bytes() / 4 + 1);
  const extent tiles = ceil_div(extent{m, n}, extent{shape::tile_m, shape::tile_n});
  run<shape, ::grouped::by_k<shape>>(ticket{batched{thread_group_tiling{tiles, 8, axis::y}, groups}, state.data()}, {2},
                                     arguments);
  CHECK(c.wrong([&](int row, int col) {
    const auto group = static_cast<std::size_t>(row / m);
    const int begin = group == 0 ? 0 : ends[group - 1];
    float sum = 0;
    if (begin < 0 || ends[group] > k) return sum;  // refused
    for (int i = begin; i < ends[group]; ++i) sum += a.value(i, row % m) * b.value(i, col);
    return sum;
  }) == 0);
}
