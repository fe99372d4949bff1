// Grouped kernels of CUTLASS by heddle's orders and schedulers give the bits of the product of each group alone, in
// every order and sequence, with empty groups, and in every configuration in which CUTLASS's own drop tiles. Compiled
// once per kind and shape of a cluster: HEDDLE_KIND, HEDDLE_CLUSTER_ROWS, HEDDLE_CLUSTER_COLS.

#include <cutlass/version.h>

#include <cstdio>
#include <random>
#include <string>

#include "../../examples/common/stream.hpp"
#include "expect.hpp"
#include "guests/grouped.cuh"

namespace {

using namespace guests;
using heddle::axis;
using heddle::group_sequence;
using heddle::recipe;
using kind = HEDDLE_KIND;  // cooperative or pingpong

/// Makes the product of each group alone, by a plain kernel: of columns, and so of the transposed product.
void multiply_each(const group_matrices& all, float beta) {
  all.expected.set_bytes(0x7f);
  for (int group = 0; group < all.sizes.count(); ++group) {
    const int m = all.sizes.m[group], k = all.sizes.k[group];
    if (m == 0) continue;
    product<kind, cluster, cutlass::gemm::PersistentScheduler> alone({all.sizes.n, m, k}, all.b_of(group),
                                                                     all.a_of(group), all.c.data() + all.d_of(group),
                                                                     all.expected.data() + all.d_of(group), beta);
    expect(alone.prepare() == cutlass::Status::kSuccess && alone.launch() == cutlass::Status::kSuccess,
           "a group alone");
    check(cudaDeviceSynchronize());
  }
}

/// Returns whether each of `launches` over one state gives the expected bits.
template <class Product>
bool is_right(Product& by, const group_matrices& all, int launches) {
  if (!by.can_run() || by.prepare() != cutlass::Status::kSuccess) return false;
  bool is_equal = true;
  for (int launch = 0; launch < launches; ++launch) {
    all.d.set_bytes(0x7f);
    is_equal &= by.launch() == cutlass::Status::kSuccess;
    check(cudaDeviceSynchronize());
    is_equal &= are_equal(all.d, all.expected);
  }
  return is_equal;
}

std::string name_of(const group_sizes& sizes) {
  std::string all = std::to_string(sizes.count()) + " groups of ";
  for (int group = 0; group < std::min(8, sizes.count()); ++group) {
    all += std::to_string(sizes.m[group]) + " x " + std::to_string(sizes.k[group]) + ", ";
  }
  return all + "n " + std::to_string(sizes.n);
}

int rows_of(const group_sizes& sizes) {
  return std::accumulate(sizes.m.begin(), sizes.m.end(), 0);
}

/// One order, in three launches.
template <class Tag>
void serves(const group_matrices& all, float beta, bool knows_shapes, int width = 8, axis along = axis::y,
            group_sequence sequence = group_sequence::as_numbered) {
  const group_order<kind> by(all, rows_of(all.sizes), recipe{.width = width, .axis = along, .sequence = sequence});
  by.prepare(all);
  heddle::guest::cutlass_groups arguments{};
  arguments.order = by.order;
  grouped_product<kind, cluster, Tag> product(all, beta, arguments, knows_shapes);
  expect(is_right(product, all, 3), std::string(kind::name) + ", " + (product.draws ? "drawn, " : "dealt, ") +
                                        name_of(all.sizes) + ", width " + std::to_string(width));
}

template <class Tag>
void serves_each(const group_matrices& all, float beta) {
  serves<Tag>(all, beta, true);
  serves<Tag>(all, beta, false, 1, axis::x, group_sequence::heaviest_first);
  serves<Tag>(all, beta, false, 3, axis::y, group_sequence::lightest_first);
}

/// Other sizes in each replay of a graph, over a state and an order of as many rows as there may be.
template <class Tag>
void follows_sizes(group_matrices& all, const std::vector<group_sizes>& turns) {
  all.set(turns[0]);
  const group_order<kind> by(all, 1LL * all.sizes.count() * 300);
  heddle::guest::cutlass_groups arguments{};
  arguments.order = by.order;
  grouped_product<kind, cluster, Tag> product(all, 0, arguments, false);
  expect(product.prepare() == cutlass::Status::kSuccess, "a graph");
  const stream on;
  check(cudaDeviceSynchronize());
  const captured_graph graph(
      on,
      [&] {
        by.prepare(all, on);
        product.launch(on), product.launch(on);
      },
      cudaStreamCaptureModeRelaxed);
  for (const group_sizes& turn : turns) {
    all.set(turn);
    multiply_each(all, 0);
    all.d.set_bytes(0x7f);
    check(cudaDeviceSynchronize());
    graph.replay(on);
    check(cudaDeviceSynchronize());
    expect(are_equal(all.d, all.expected), std::string(kind::name) + ", a replay with " + name_of(turn));
  }
}

group_sizes random_sizes(std::mt19937& random, int groups, int most_rows, int n, int most_k, bool with_empty) {
  group_sizes sizes{{}, {}, n};
  for (int group = 0; group < groups; ++group) {
    const bool is_empty = with_empty && random() % 3 == 0;
    sizes.m.push_back(is_empty ? 0 : 1 + static_cast<int>(random() % most_rows));
    sizes.k.push_back(8 * (1 + static_cast<int>(random() % (most_k / 8))));
  }
  return sizes;
}

void serves_groups() {
  std::mt19937 random(5);
  const std::vector<group_sizes> some{
      {{130, 1, 0, 64, 1000, 0, 257}, {200, 64, 512, 8, 1024, 64, 136}, 776},
      {{0, 0, 0}, {64, 64, 64}, 512},
      {{0, 5, 0}, {64, 64, 64}, 8},
      {{1500}, {712}, 1368},
      random_sizes(random, 40, 1500, 1200, 512, true),
      random_sizes(random, 300, 90, 264, 256, true),
  };
  for (const group_sizes& sizes : some) {
    group_matrices all(sizes.count(), 1500, sizes.n, 1024);
    all.set(sizes);
    for (const float beta : {0.0f, 0.5f}) {
      multiply_each(all, beta);
      serves_each<heddle::guest::dealt>(all, beta);
      serves_each<heddle::guest::drawn>(all, beta);
    }
  }
  std::vector<group_sizes> turns;
  for (int turn = 0; turn < 6; ++turn) turns.push_back(random_sizes(random, 50, 300, 520, 256, turn != 2));
  group_matrices all(50, 300, 520, 256);
  follows_sizes<heddle::guest::dealt>(all, turns);
  follows_sizes<heddle::guest::drawn>(all, turns);
  std::printf("%d checks pass, %d fail\n", passed, failed);
  std::fflush(stdout);
}

/// The configurations of CUTLASS's scheduler, each over a few random products: its own drop tiles in some.
void drops_no_tile() {
  int wrong = 0;
  for (int number = 0; number < 32; ++number) {
    const bool knows_shapes = number & 1, along_m = number & 2, with_empty = number & 4;
    const int width = 1 << number / 8;
    std::mt19937 random(7);
    bool is_wrong = false;
    for (int round = 0; round < 2; ++round) {
      const group_sizes sizes = random_sizes(random, 1 + static_cast<int>(random() % 30), 1500,
                                             100 * (1 + static_cast<int>(random() % 12)) / 8 * 8, 64, with_empty);
      group_matrices all(sizes.count(), 1500, sizes.n, 64);
      all.set(sizes);
      multiply_each(all, 0);
      using own = grouped_product<kind, cluster, cutlass::gemm::GroupScheduler>;
      typename own::scheduling by{};
      by.max_swizzle_size = width;
      by.raster_order = along_m ? decltype(by.raster_order)::AlongM : decltype(by.raster_order)::AlongN;
      own by_cutlass(all, 0, by, knows_shapes);
      is_wrong |= !is_right(by_cutlass, all, 1);
      const axis along = along_m ? axis::x : axis::y;
      serves<heddle::guest::dealt>(all, 0, knows_shapes, width, along);
      serves<heddle::guest::drawn>(all, 0, knows_shapes, width, along);
    }
    wrong += is_wrong;
  }
  std::printf("%s: CUTLASS %d.%d is wrong in %d of 32 configurations\n", kind::name, CUTLASS_MAJOR, CUTLASS_MINOR,
              wrong);
  std::fflush(stdout);
}

}  // namespace

int main() {
  if (!has_gpu("test_cutlass_grouped", hopper_only)) return skipped;
  serves_groups();
  drops_no_tile();
  std::printf("%s, clusters of %d x %d: %d checks pass, %d fail\n", kind::name, in_cluster.rows, in_cluster.cols,
              passed, failed);
  return failed > 0;
}
