// Kernels on the pieces of examples/hopper, run on the host: they agree with plain sums, whatever the order in which
// threads, copies and the matrix unit go on.

#include "simt.hpp"

#include "hopper/product.cuh"

#include "test.hpp"

namespace {

using element = __nv_bfloat16;

struct product {
  int m, n, k;
  std::vector<element> a, b, c;

  product(int rows, int cols, int steps) : m(rows), n(cols), k(steps) {
    const auto fill = [](std::vector<element>& to, int count) {
      // aligned to 16 bytes, as copies need it
      for (int i = 0; i < count; ++i) to.push_back(element(static_cast<float>(static_cast<int>(simt::random() % 9) - 4)));
    };
    fill(a, m * k), fill(b, n * k);
    c.resize(static_cast<std::size_t>(m * n), element(NAN));
  }

  int wrong() const {
    int count = 0;
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        float sum = 0;
        for (int i = 0; i < k; ++i) {
          sum += static_cast<float>(a[static_cast<std::size_t>(row * k + i)]) *
                 static_cast<float>(b[static_cast<std::size_t>(col * k + i)]);
        }
        count += c[static_cast<std::size_t>(row * n + col)].bits != element(sum).bits;
      }
    }
    return count;
  }
};

}  // namespace

TEST_CASE("The smallest product agrees with plain sums on the host", "[hopper]") {
  for (const auto& [m, n, k] : {std::array{130, 264, 72}, {1, 8, 8}, {300, 200, 400}}) {
    product one(m, n, k);
    CAPTURE(m, n, k);
    CHECK(hopper::smallest::enqueue(one.a.data(), one.b.data(), one.c.data(), m, n, k, nullptr) == cudaSuccess);
    CHECK(one.wrong() == 0);
  }
}
