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
