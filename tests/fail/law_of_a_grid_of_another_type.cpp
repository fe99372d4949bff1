// expect: heddle::laws: this order has a grid()

#include <heddle/laws/check_order.hpp>

struct shape {
  int rows, cols;
};
struct row {
  shape grid() const { return {1, 2}; }
  int size() const { return 2; }
  heddle::coord operator()(int i) const { return {0, i}; }
  int index(heddle::coord tile) const { return tile.col; }
};

bool holds = static_cast<bool>(heddle::laws::check_order(row{}));

int main() {}
