// An order of your own: any type with size(), operator() and index(); with space() its shape is checked too. It needs no
// base class and no registration, and works wherever the library's own orders do.

#include <cstdio>

#include <heddle/laws/check_order.hpp>
#include <heddle/order/reversed.hpp>

/// Walks the rows in alternating direction.
///
///   0 1 2 3
///   7 6 5 4
struct boustrophedon {
  heddle::extent shape;

  HEDDLE_FN heddle::extent space() const { return shape; }
  HEDDLE_FN int size() const { return shape.size(); }

  HEDDLE_FN heddle::coord operator()(int i) const {
    const int row = i / shape.cols, col = i % shape.cols;
    return {row, row % 2 == 0 ? col : shape.cols - 1 - col};
  }

  HEDDLE_FN int index(heddle::coord tile) const {
    return tile.row * shape.cols + (tile.row % 2 == 0 ? tile.col : shape.cols - 1 - tile.col);
  }

  /// Promises more than the law of orders: check_order checks that no step is longer.
  HEDDLE_FN int longest_step() const { return 1; }
};

static_assert(heddle::tile_order<boustrophedon>);

/// The same order with a mistake in its inverse.
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
