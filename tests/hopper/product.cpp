// The product of examples/gemm, run on the host: it agrees with plain sums and writes nothing else, in whatever order
// threads, copies and the matrix unit go on.

#include "simt.hpp"

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>

#include "gemm/along_k.hpp"
#include "gemm/gemm_wgmma.cuh"
#include "hopper/kernel.cuh"
#include "hopper/product.cuh"
#include "overlap/problem.hpp"

#include "hopper/matrices.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::element, heddle_test::major, heddle_test::matrix, heddle_test::operand_matrix;

namespace {

struct extents {
  int m, n, k;
};

/// Rows of a matrix that come when a thread has waited for them, and not before.
struct late_rows {
  matrix* to;  // where they are missing
  const matrix* from;
  int of_tile;
  std::vector<bool>* here;

  void wait(coord tile) const {
    for (auto turns = simt::random() % 64; turns > 0; --turns) simt::wait();
    const int first = tile.row * of_tile;
    for (int row = first; row < std::min(first + of_tile, to->rows); ++row) {
      if ((*here)[static_cast<std::size_t>(row)]) continue;
      (*here)[static_cast<std::size_t>(row)] = true;
      const auto begin = from->memory.begin() + row * from->pitch;
      std::copy(begin, begin + from->cols, to->memory.begin() + row * to->pitch);
    }
  }
};

/// An epilogue that adds another number to each of sixty neighbours, and is called for elements of C alone.
struct by_place {
  int rows, cols;

  float operator()(float value, int row, int col) const {
    if (row < 0 || row >= rows || col < 0 || col >= cols)
      throw std::logic_error("an epilogue of an element outside of C");
    return value + static_cast<float>(row % 5 + 5 * (col % 12));
  }
};

/// Returns the wrong elements of `by_place` of alpha A B + beta C, by a kernel in so many workers, under the scheduler
/// that `make(tiles)` makes. With gates, rows of A and C come as late as they may.
template <class Shape, major A = major::k, major B = major::k, class Gate = open_gate, class Make>
int wrong(extents of, hopper::launch_of launch, float beta, const Make& make) {
  const auto [m, n, k] = of;
  operand_matrix a(A, m, k), b(B, n, k);
  matrix c(m, n, beta != 0);
  matrix before = c;
  const auto scheduler = make(ceil_div(extent{m, n}, Shape::tile));
  using by = std::remove_const_t<decltype(scheduler)>;
  const auto [map_a, error_a] =
      Shape::transposed
          ? hopper::make_operand_maps<element, B, Shape::tile_m, Shape::cluster_n>(b.data(), n, k, b.pitch)
          : hopper::make_operand_maps<element, A, Shape::tile_m, Shape::cluster_n>(a.data(), m, k, a.pitch);
  const auto [map_b, error_b] =
      Shape::transposed
          ? hopper::make_operand_maps<element, A, Shape::tile_n, Shape::cluster_m>(a.data(), m, k, a.pitch)
          : hopper::make_operand_maps<element, B, Shape::tile_n, Shape::cluster_m>(b.data(), n, k, b.pitch);
  const auto map_c = hopper::make_tensor_map<element>(c.data(), {m, n, c.pitch}, {16, Shape::c_box});
  std::vector<float4> sums(4 * Shape::tile_m * Shape::tile_n);
  constexpr auto first = Shape::transposed ? B : A, second = Shape::transposed ? A : B;
  const hopper::kernel kernel{gemm::gemm_wgmma<Shape, element, first, second, by, by_place, Gate>, Shape::threads,
                              sizeof(gemm::wgmma_smem<Shape, by>)};
  Gate gate_of_a, gate_of_c;
  std::vector<bool> a_is_here(static_cast<std::size_t>(m)), c_is_here = a_is_here;
  operand_matrix all_of_a = a;
  const by_place epilogue{m, n};
  if constexpr (std::is_same_v<Gate, late_rows>) {
    gate_of_a = {&a, &all_of_a, Shape::tile.rows, &a_is_here};
    gate_of_c = {&c, &before, Shape::tile.rows, &c_is_here};
    for (matrix* missing : {static_cast<matrix*>(&a), &c}) {
      for (int row = 0; row < m; ++row) std::fill_n(&missing->at(row, 0), missing->cols, element(99));
    }
  }
  (void)kernel.launch(
      launch, nullptr, scheduler,
      {map_a, map_b, map_c.map, m, n, k, 2, beta, c.data(), c.pitch, {}, sums.data(), epilogue, gate_of_a, gate_of_c});
  return c.wrong([&](int row, int col) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += all_of_a(row, i) * b(col, i);
    return epilogue(2 * sum + (beta != 0 ? beta * before.value(row, col) : 0), row, col);
  });
}

/// A gate of C in three shards. What is added to one's own comes when a thread has waited for it, and a tile of another
/// shard is there when the gate is told of it.
struct three_shards : gemm::shards_of_c {
  struct memory {
    std::vector<matrix> c, when_told = {};
    matrix added, missing;
    std::vector<std::vector<element>> rooms;
    int untold;  // tiles of other shards
  };

  memory* of;
  CUtensorMap map{};

  void wait(coord) const {}
  char* owned_by(int owner) const { return reinterpret_cast<char*>(of->c[static_cast<std::size_t>(owner)].data()); }
  void* room(unsigned) const { return of->rooms[blockIdx.x].data(); }
  void wait_for(int step, const shard& its) const {
    if (its.owner != rank) throw std::logic_error("sums are added to a shard of another rank");
    for (auto turns = simt::random() % 64; turns > 0; --turns) simt::wait();
    const auto begin = of->missing.memory.begin() + step * rows * of->added.pitch;
    std::copy(begin, begin + rows * of->added.pitch, of->added.memory.begin() + step * rows * of->added.pitch);
  }
  void tell(const shard& its) const {
    if (!is_sent(its)) throw std::logic_error("told of a tile of its own shard");
    if (--of->untold == 0) of->when_told = of->c;
  }
};

/// Returns the wrong elements of shards of C by one of three ranks, in so many workers.
template <class Shape>
int wrong_in_shards(extents of, int rank, hopper::launch_of launch) {
  const auto [m, n, k] = of;
  const int rows = m / 3;
  operand_matrix a(major::k, m, k), b(major::k, n, k);
  const extent of_cluster{Shape::tile.rows * Shape::tiles_of_cluster.rows,
                          Shape::tile.cols * Shape::tiles_of_cluster.cols};
  const auto order = overlap::order_of_sums({.m = m, .n = n, .k = k, .ranks = 3}, of_cluster);
  const extent tiles{order.space().rows * Shape::tiles_of_cluster.rows, (n - 1) / Shape::tile.cols + 1};
  const strided scheduler{clustered{order, Shape::tiles_of_cluster, tiles}};
  const unsigned blocks = launch.workers * launch.blocks_in_cluster;
  three_shards::memory memory{.c = {},
                              .added = {2 * rows, n, false, n},
                              .missing = {2 * rows, n, true, n},
                              .rooms = {},
                              .untold = order.size() / 3 * 2 * Shape::tiles_of_cluster.size()};
  memory.rooms.assign(blocks, std::vector<element>(static_cast<std::size_t>(Shape::tile.size())));
  for (int i = 0; i < 3; ++i) memory.c.emplace_back(rows, n, false, n);
  three_shards gate{{rank, 3, rows, Shape::tile, Shape::tiles_of_cluster, n, 8}, &memory};
  const auto map_of = [&](matrix& c) {
    return hopper::make_tensor_map<element>(c.data(), {c.rows, n, c.pitch}, {16, Shape::c_box}).map;
  };
  gate.map = map_of(memory.added);
  constexpr bool transposed = Shape::transposed;
  const auto map_m = hopper::make_operand_maps<element, major::k, Shape::tile_m, Shape::cluster_n>(
      transposed ? b.data() : a.data(), transposed ? n : m, k, transposed ? b.pitch : a.pitch);
  const auto map_n = hopper::make_operand_maps<element, major::k, Shape::tile_n, Shape::cluster_m>(
      transposed ? a.data() : b.data(), transposed ? m : n, k, transposed ? a.pitch : b.pitch);
  using by = std::remove_const_t<decltype(scheduler)>;
  const hopper::kernel kernel{gemm::gemm_wgmma<Shape, element, major::k, major::k, by, by_place, three_shards>,
                              Shape::threads, sizeof(gemm::wgmma_smem<Shape, by>)};
  matrix& own = memory.c[static_cast<std::size_t>(rank)];
  const by_place epilogue{rows, n};
  (void)kernel.launch(
      launch, nullptr, scheduler,
      {map_m.first, map_n.first, map_of(own), rows, n, k, 1, 0, own.data(), n, {}, nullptr, epilogue, gate, gate});
  if (memory.untold != 0) return -1;
  int wrong = 0;
  for (int shard = 0; shard < 3; ++shard) {
    wrong +=
        (shard == rank ? memory.c : memory.when_told)[static_cast<std::size_t>(shard)].wrong([&](int row, int col) {
          float sum = 0;
          for (int i = 0; i < k; ++i) sum += a(shard * rows + row, i) * b(col, i);
          if (shard != rank) return sum;
          for (int step = 0; step < 2; ++step) sum += memory.missing.value(step * rows + row, col);
          return epilogue(sum, row, col);
        });
  }
  return wrong;
}

template <class Shape>
auto whole_tiles(extent tiles) {
  return strided{clustered{row_major{ceil_div(tiles, Shape::tiles_of_cluster)}, Shape::tiles_of_cluster, tiles}};
}

}  // namespace

TEST_CASE("The smallest product is right on the host", "[hopper]") {
  for (const auto& [m, n, k] : {extents{130, 264, 72}, {1, 8, 8}, {300, 200, 400}}) {
    operand_matrix a(major::k, m, k, k), b(major::k, n, k, k);
    matrix c(m, n, false, n);
    (void)hopper::smallest::enqueue(a.data(), b.data(), c.data(), m, n, k, nullptr);
    CAPTURE(m, n, k);
    CHECK(c.wrong([&](int row, int col) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a(row, i) * b(col, i);
      return sum;
    }) == 0);
  }
}

TEST_CASE("Whole tiles are right on the host, in clusters or not, in turn, and with B and A changed", "[product]") {
  const float beta = GENERATE(0.f, 1.f);
  const extents of = GENERATE(extents{150, 200, 330}, extents{70, 24, 1000}, extents{64, 136, 64}, extents{1, 8, 8});
  CAPTURE(beta, of.m, of.n, of.k);
  using plain = gemm::wgmma_shape<64, 64, 1, 1>;
  CHECK(wrong<plain>(of, {1}, beta, whole_tiles<plain>) == 0);
  using cluster = gemm::wgmma_shape<64, 64, 2, 1>;
  CHECK(wrong<cluster>(of, {2, 2}, beta, whole_tiles<cluster>) == 0);
  using in_turn = gemm::wgmma_shape<64, 64, 1, 1, true>;
  CHECK(wrong<in_turn>(of, {1}, beta, whole_tiles<in_turn>) == 0);
  using transposed = gemm::transposed_shape<64, 32, 1, 2>;
  CHECK(wrong<transposed>(of, {1, 2}, beta, whole_tiles<transposed>) == 0);
  using long_rows = gemm::wgmma_shape<128, 96, 1, 2>;
  CHECK(wrong<long_rows>(of, {1, 2}, beta, whole_tiles<long_rows>) == 0);
}

TEST_CASE("Tiles at whose middle C ends are right on the host, and no box outside of C is stored", "[product]") {
  const float beta = GENERATE(0.f, 1.f);
  using rows = gemm::wgmma_shape<128, 128, 1, 1>;
  CHECK(wrong<rows>({64, 64, 72}, {1}, beta, whole_tiles<rows>) == 0);
  using columns = gemm::transposed_shape<128, 32, 1, 1>;
  CHECK(wrong<columns>({16, 64, 72}, {1}, beta, whole_tiles<columns>) == 0);
}

TEST_CASE("Operands of either layout are right on the host", "[product]") {
  using shape = gemm::wgmma_shape<128, 128, 2, 1>;
  const extents of{200, 136, 200};
  CHECK(wrong<shape, major::mn, major::k>(of, {1, 2}, 0, whole_tiles<shape>) == 0);
  CHECK(wrong<shape, major::k, major::mn>(of, {1, 2}, 0, whole_tiles<shape>) == 0);
  CHECK(wrong<shape, major::mn, major::mn>(of, {1, 2}, 0, whole_tiles<shape>) == 0);
}

TEST_CASE("Tiles at gates are right on the host, however late their rows come", "[product]") {
  const float beta = GENERATE(0.f, 1.f);
  const extents of = GENERATE(extents{150, 200, 330}, extents{70, 24, 1000}, extents{64, 136, 64}, extents{1, 8, 8});
  CAPTURE(beta, of.m, of.n, of.k);
  const auto check = [&]<class Shape>(Shape, hopper::launch_of launch) {
    CHECK(wrong<Shape, major::k, major::k, late_rows>(of, launch, beta, whole_tiles<Shape>) == 0);
  };
  check(gemm::wgmma_shape<64, 64, 1, 1>(), {1});
  check(gemm::wgmma_shape<64, 64, 1, 1>(), {12});
  check(gemm::wgmma_shape<64, 64, 2, 1>(), {2, 2});
  check(gemm::wgmma_shape<128, 128, 2, 1>(), {1, 2});
}

TEST_CASE("Tiles that are stored in shards of C are right on the host, however late what is added comes", "[product]") {
  const extents of =
      GENERATE(extents{3 * 150, 200, 330}, extents{3 * 70, 24, 200}, extents{3 * 64, 264, 64}, extents{3, 8, 8});
  for (int rank = 0; rank < 3; ++rank) {
    CAPTURE(of.m, of.n, of.k, rank);
    CHECK(wrong_in_shards<gemm::wgmma_shape<64, 64, 1, 1>>(of, rank, {1}) == 0);
    CHECK(wrong_in_shards<gemm::wgmma_shape<64, 128, 2, 1>>(of, rank, {2, 2}) == 0);
    CHECK(wrong_in_shards<gemm::wgmma_shape<128, 128, 2, 1>>(of, rank, {1, 2}) == 0);
    CHECK(wrong_in_shards<gemm::wgmma_shape<64, 16, 1, 1>>(of, rank, {3}) == 0);
  }
}

TEST_CASE("Tiles that workers share are right on the host", "[product]") {
  using shape = gemm::wgmma_shape<64, 64, 1, 1>;
  std::vector<unsigned> state(stream_k<>::state_bytes(8) / 4);
  const auto shared = [&](extent tiles) {
    const clustered order{row_major{tiles}, extent{1, 1}, tiles};
    return stream_k{order, (1200 + 63) / 64, 3, state.data()};
  };
  const float beta = GENERATE(0.f, 1.f);
  CHECK(wrong<shape>({100, 72, 1200}, {3}, beta, shared) == 0);
  CHECK(wrong<shape>({20, 72, 1200}, {3}, beta, shared) == 0);
}

TEST_CASE("Tiles whose steps the blocks of a cluster share are right on the host", "[product]") {
  using shape = gemm::wgmma_shape<64, 64, 1, 1>;
  const int parts = GENERATE(2, 3);
  const extents of = GENERATE(extents{70, 40, 500}, extents{9, 72, 333});
  CHECK(wrong<shape>(of, {static_cast<unsigned>((of.m + 63) / 64 * ((of.n + 63) / 64)), static_cast<unsigned>(parts)},
                     1.f, [&](extent tiles) {
                       return one_shot{gemm::along_k{row_major{tiles}, parts}};
                     }) == 0);
}

TEST_CASE("Tiles that are drawn are right on the host", "[product]") {
  using shape = gemm::wgmma_shape<64, 64, 1, 1>;
  std::vector<unsigned> state(ticket<>::state_bytes() / 4 + 1);
  CHECK(wrong<shape>({150, 200, 100}, {3}, 0, [&](extent tiles) {
          return ticket{clustered{row_major{tiles}, extent{1, 1}, tiles}, state.data()};
        }) == 0);
}
