// An order of your own: any type with these three members, and `grid()` to have its shape checked too. No
// base class, no registration. It runs wherever the library's own orders do, once it is proven.

#include <cstdio>

#include <heddle/laws/check_order.hpp>
#include <heddle/order/reversed.hpp>

/// Rows in alternating direction.
///
///   0 1 2 3
///   7 6 5 4
struct boustrophedon {
  heddle::extent shape;

  HEDDLE_FN heddle::extent grid() const { return shape; }
  HEDDLE_FN int size() const { return shape.size(); }

  HEDDLE_FN heddle::coord operator()(int i) const {
    const int row = i / shape.cols, col = i % shape.cols;
    return {row, row % 2 == 0 ? col : shape.cols - 1 - col};
  }

  HEDDLE_FN int index(heddle::coord tile) const {
    return tile.row * shape.cols + (tile.row % 2 == 0 ? tile.col : shape.cols - 1 - tile.col);
  }

  /// A promise beyond the law of orders, which check_order then checks as well.
  HEDDLE_FN int longest_step() const { return 1; }
};

static_assert(heddle::tile_order<boustrophedon>);

/// The same with a slip in the inverse.
struct almost : boustrophedon {
  HEDDLE_FN int index(heddle::coord tile) const { return tile.row * shape.cols + tile.col; }
};

int main() {
  for (int rows = 0; rows <= 20; ++rows) {
    for (int cols = 0; cols <= 20; ++cols) {
      const boustrophedon order{heddle::extent{rows, cols}};
      if (const auto verdict = heddle::laws::check_order(order); !verdict) {
        std::printf("%d x %d: %s\n", rows, cols, verdict.failure.c_str());
        return 1;
      }
    }
  }
  std::puts("boustrophedon: an order on every grid up to 20 x 20");

  const almost wrong{{heddle::extent{3, 4}}};
  std::printf("almost: %s\n", heddle::laws::check_order(wrong).failure.c_str());
  return heddle::laws::check_order(wrong) ? 1 : 0;
}
