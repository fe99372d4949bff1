// expect: has_cost

#include <heddle/predict/advise.hpp>

using namespace heddle::predict;

struct misspelt {
  gemm_problem product{.m = 256, .n = 256, .k = 64};

  void check() const {}
  heddle::extent grid() const { return product.grid(); }
  long long compulsory_bytes() const { return product.compulsory_bytes(); }
  auto replay(long long cache_bytes) const { return product.replay(cache_bytes); }
  auto coarse_replay(long long cache_bytes) const { return replay(cache_bytes); }
  double costs(heddle::coord) const { return 0; }
  advice_rules rules(const device&, int) const { return {}; }
};

auto best = advise(misspelt{}, h200(), 1);

int main() {}
