// expect: has_refined

#include <heddle/predict/advise.hpp>

using namespace heddle::predict;

struct misspelt {
  gemm_problem product{.m = 256, .n = 256, .k = 64};

  void check() const {}
  heddle::extent grid() const { return product.grid(); }
  long long compulsory_bytes() const { return product.compulsory_bytes(); }
  auto replay(long long cache_bytes) const { return product.replay(cache_bytes); }
  auto coarse_replay(long long cache_bytes) const { return replay(cache_bytes); }
  double matrix_operations() const { return 0; }
  overlap closest_overlap() const { return {}; }
  advice_rules rules(const device&, int) const { return {}; }
  advice refine(const advice& found, const device&, int) const { return found; }
};

auto best = advise(misspelt{}, h200(), 1);

int main() {}
