#include <heddle/order/hilbert.hpp>

__global__ void kernel(const __grid_constant__ heddle::hilbert order, heddle::coord* tiles) {
  tiles[blockIdx.x] = order(static_cast<int>(blockIdx.x));
}

int main() {
  const heddle::hilbert order{{12, 34}};
  kernel<<<1, 1>>>(order, nullptr);
}
