#include "launch_mma.cuh"

namespace gemm {
namespace {

template <class Element, major A, major B>
constexpr variant portable{
    "mma 128x128",
    false,
    false,
    {mma_shape::tile_m, mma_shape::tile_n},
    {1, 1},
    mma_shape::tile_k,
    mma_shape::slot_floats * 4LL,
    2,
    1170,
    0,
    0.73,
    6500,
    0,
    7000,
    35000,
    [](int workers, int) { return grid_of_mma<Element, A, B>(scheduler_of_tiles(workers), identity{}); },
    [](const problem& p, const choice& c, const heddle::launch_config& grid, const heddle::seats&, const operands& o,
       cudaStream_t stream) {
      const auto scheduler = scheduler_of_tiles(p, *c.variant, c, o.workspace);
      return enqueue_mma<Element, A, B>(grid, scheduler, p, o, identity{}, stream);
    }};

template <class Element>
const variant* of(const problem& p) {
  const bool a_k = p.a == layout::row_major, b_k = p.b == layout::column_major;
  if (a_k) return b_k ? &portable<Element, major::k, major::k> : &portable<Element, major::k, major::mn>;
  return b_k ? &portable<Element, major::mn, major::k> : &portable<Element, major::mn, major::mn>;
}

}  // namespace

std::vector<const variant*> mma_variants(const problem& p) {
  return {p.element == element::bf16 ? of<__nv_bfloat16>(p) : of<__half>(p)};
}

}  // namespace gemm
