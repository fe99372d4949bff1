// expect: heddle::laws: this order has a longest_step()

#include <heddle/laws/check_order.hpp>

struct row {
  int size() const { return 2; }
  heddle::coord operator()(int i) const { return {0, i}; }
  int index(heddle::coord tile) const { return tile.col; }
  double longest_step() const { return 1; }
};

bool holds = static_cast<bool>(heddle::laws::probe_order(row{}, 10, 1));

int main() {}
