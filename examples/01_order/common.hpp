#pragma once

// What before.cu and after.cu share: the tile body, and a host program that checks and times it.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int tile = 32;

struct matrix {
  float* data;
  int rows, cols;
};

__device__ inline void multiply_tile(matrix a, matrix b, matrix c, int tile_row, int tile_col) {
  __shared__ float part_of_a[tile][tile], part_of_b[tile][tile];
  const int row = tile_row * tile + static_cast<int>(threadIdx.y),
            col = tile_col * tile + static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int k = 0; k < a.cols; k += tile) {
    const int k_of_a = k + static_cast<int>(threadIdx.x), k_of_b = k + static_cast<int>(threadIdx.y);
    part_of_a[threadIdx.y][threadIdx.x] = row < a.rows && k_of_a < a.cols ? a.data[row * a.cols + k_of_a] : 0;
    part_of_b[threadIdx.y][threadIdx.x] = k_of_b < b.rows && col < b.cols ? b.data[k_of_b * b.cols + col] : 0;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += part_of_a[threadIdx.y][i] * part_of_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < c.rows && col < c.cols) c.data[row * c.cols + col] = sum;
}

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

inline matrix on_device(const std::vector<float>& values, int rows, int cols) {
  matrix m{nullptr, rows, cols};
  check(cudaMalloc(&m.data, sizeof(float) * values.size()));
  check(cudaMemcpy(m.data, values.data(), sizeof(float) * values.size(), cudaMemcpyHostToDevice));
  return m;
}

/// Launches on a ragged product, checks some of its elements and prints its time.
template <class Launch>
int run(const char* name, Launch launch) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("%s: no CUDA device here, nothing was run\n", name);
    return 0;
  }

  const int m = 4001, n = 4099, k = 2050;
  std::vector<float> a(1u * m * k), b(1u * k * n), c(1u * m * n, NAN);
  for (float& value : a) value = static_cast<float>(std::rand()) / RAND_MAX - 0.5f;
  for (float& value : b) value = static_cast<float>(std::rand()) / RAND_MAX - 0.5f;
  const matrix device_a = on_device(a, m, k), device_b = on_device(b, k, n), device_c = on_device(c, m, n);

  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float best = INFINITY;
  for (int turn = 0; turn < 5; ++turn) {
    check(cudaEventRecord(begin));
    launch(device_a, device_b, device_c);
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    best = std::fmin(best, milliseconds);
  }

  check(cudaMemcpy(c.data(), device_c.data, sizeof(float) * c.size(), cudaMemcpyDeviceToHost));
  for (const matrix& each : {device_a, device_b, device_c}) check(cudaFree(each.data));
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  for (int row = 0; row < m; row += 97) {
    for (int col = row % 5; col < n; col += 89) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += static_cast<double>(a[1u * row * k + i]) * b[1u * i * n + col];
      if (!(std::fabs(sum - c[1u * row * n + col]) < 1e-2)) {
        std::printf("%s: wrong at %d %d: %f instead of %f\n", name, row, col, c[1u * row * n + col], sum);
        return 1;
      }
    }
  }
  std::printf("%s: %.3f ms, right\n", name, best);
  return 0;
}
