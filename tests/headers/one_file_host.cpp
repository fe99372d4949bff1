#include "heddle_host.hpp"

#include "heddle_host.hpp"  // once more

int main() {
  const heddle::predict::gemm_problem product{.m = 8192, .n = 8192, .k = 8192};
  const heddle::predict::advice best = heddle::predict::advise(product, heddle::predict::h200());
  const bool is_order = static_cast<bool>(heddle::laws::check_order(heddle::cta_swizzle{{4, 5}, 2}));
  return is_order && best.matters && !heddle::draw::svg(heddle::hilbert{{4, 4}}).empty() ? 0 : 1;
}
