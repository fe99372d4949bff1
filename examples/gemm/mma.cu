#include "on_any.cuh"

namespace gemm {
namespace {

template <class Element, major A, major B>
constexpr variant portable = make_variant<kind::portable, on_any<Element, A, B>>("mma 128x128");

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
