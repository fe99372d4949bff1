// expect: calling a constexpr __host__ function

#include <heddle/order/row_major.hpp>

__global__ void kernel(int rows, int cols, heddle::coord* tiles) {
  const heddle::row_major order{heddle::extent{rows, cols}};
  tiles[threadIdx.x] = order(threadIdx.x);
}

int main() {}
