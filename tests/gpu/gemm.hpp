#pragma once

// A matrix product to compare with: in double precision, one thread per element, and nothing in common with the tested
// kernels.

#include "gemm/gemm.hpp"
#include "schedule.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace heddle_test {

using bf16 = __nv_bfloat16;
using fp16 = __half;

template <class Element>
constexpr gemm::element element_of = std::is_same_v<Element, bf16> ? gemm::element::bf16 : gemm::element::fp16;

inline constexpr gemm::layout layouts[] = {gemm::layout::row_major, gemm::layout::column_major};

/// The GPU that tests run on.
inline const gemm::device& here() {
  static const gemm::device known = gemm::device::current();
  return known;
}

/// A matrix as a user has it: lines `pitch` apart, inside a buffer whose other bytes must not change.
template <class Element>
class matrix {
 public:
  static constexpr int guard = 64;  // elements before and behind

  /// Begins `shift` elements behind an aligned address.
  matrix(int lines, int length, long long pitch, int shift = 0)
      : lines_(lines),
        length_(length),
        pitch_(pitch),
        begin_(guard + shift),
        memory_(static_cast<std::size_t>(begin_ + (lines > 0 ? (lines - 1) * pitch + length : 0) + guard), 0xff) {}

  Element* data() { return reinterpret_cast<Element*>(memory_.data()) + begin_; }
  const Element* data() const { return const_cast<matrix*>(this)->data(); }
  long long pitch() const { return pitch_; }
  void poison() { memory_.fill(0xff); }  // NaN

  void fill_at_random(unsigned seed);

  /// Returns whether memory outside the matrix was written since it was poisoned.
  bool leaked() const {
    const std::vector<unsigned short> all = memory_.read();
    const long long size = static_cast<long long>(all.size());
    for (long long i = 0; i < size; ++i) {
      const long long at = i - begin_;
      const bool inside = at >= 0 && at / pitch_ < lines_ && at % pitch_ < length_;
      if (!inside && all[static_cast<std::size_t>(i)] != 0xffff) return true;
    }
    return false;
  }

  std::vector<unsigned short> words() const { return memory_.read(); }
  std::size_t index(int line, int at) const { return static_cast<std::size_t>(begin_ + line * pitch_ + at); }

 private:
  int lines_, length_;
  long long pitch_;
  int begin_;
  device_array<unsigned short> memory_;
};

template <class Element>
__global__ void fill_normal(Element* data, int lines, int length, long long pitch, unsigned seed) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < 1LL * lines * length; i += gridDim.x * blockDim.x) {
    unsigned long long x = (static_cast<unsigned long long>(seed) << 40) + static_cast<unsigned long long>(i) + 1;
    const auto uniform = [&] {  // splitmix64
      x += 0x9e3779b97f4a7c15;
      unsigned long long z = x;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
      z = (z ^ z >> 27) * 0x94d049bb133111eb;
      return (static_cast<float>((z ^ z >> 31) >> 40) + 0.5f) / 16777216.0f;
    };
    const float radius = sqrtf(-2 * logf(uniform())), angle = 6.2831853f * uniform();
    data[i / length * pitch + i % length] = static_cast<Element>(radius * cosf(angle));
  }
}

template <class Element>
void matrix<Element>::fill_at_random(unsigned seed) {
  if (lines_ == 0 || length_ == 0) return;
  fill_normal<<<256, 256>>>(data(), lines_, length_, pitch_, seed);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

/// Computes alpha A B + beta C for the rows `first`, `first + every`, …. Strides along m, n and k are in elements.
template <class Element>
__global__ void reference(double* result, const Element* a, long long am, long long ak, const Element* b, long long bk,
                          long long bn, const Element* c, long long cm, int m, int n, int k, float alpha, float beta,
                          int first, int every) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = first + static_cast<int>(blockIdx.y) * every;
  if (col >= n || row >= m) return;
  double sum = 0;
  if (alpha != 0) {
    for (int i = 0; i < k; ++i)
      sum += static_cast<double>(static_cast<float>(a[row * am + i * ak])) *
             static_cast<double>(static_cast<float>(b[i * bk + col * bn]));
  }
  sum *= alpha;
  if (beta != 0) sum += static_cast<double>(beta) * static_cast<double>(static_cast<float>(c[row * cm + col]));
  result[static_cast<long long>(blockIdx.y) * n + col] = sum;
}

/// The operands of one product, and its result.
template <class Element>
struct product {
  gemm::problem p;
  matrix<Element> a, b, c;
  float alpha, beta;

  static long long length(bool row_major, int rows, int cols) { return row_major ? cols : rows; }

  product(gemm::problem problem, float alpha_, float beta_, int pad_a, int pad_b, int pad_c, int shift, unsigned seed)
      : p(problem),
        a(a_rows() ? p.m : p.k, a_rows() ? p.k : p.m, std::max(1LL, length(a_rows(), p.m, p.k)) + pad_a, shift),
        b(b_rows() ? p.k : p.n, b_rows() ? p.n : p.k, std::max(1LL, length(b_rows(), p.k, p.n)) + pad_b, shift),
        c(p.m, p.n, std::max(1, p.n) + pad_c, shift),
        alpha(alpha_),
        beta(beta_) {
    a.fill_at_random(seed);
    b.fill_at_random(seed + 1);
    if (beta != 0) c.fill_at_random(seed + 2);
  }

  bool a_rows() const { return p.a == gemm::layout::row_major; }
  bool b_rows() const { return p.b == gemm::layout::row_major; }

  gemm::operands operands(void* workspace) {
    return {a.data(), a.pitch(), b.data(), b.pitch(), c.data(), c.pitch(), alpha, beta, workspace};
  }

  static float value(unsigned short word) {
    if constexpr (std::is_same_v<Element, __nv_bfloat16>) return __bfloat162float(__ushort_as_bfloat16(word));
    return __half2float(__ushort_as_half(word));
  }

  /// Returns the rows of the reference. Call it before C is written.
  std::vector<double> expected(int first = 0, int every = 1) const {
    const int rows = p.m <= first ? 0 : (p.m - first - 1) / every + 1;
    device_array<double> result(static_cast<std::size_t>(rows) * static_cast<std::size_t>(p.n), 0);
    if (rows > 0 && p.n > 0) {
      const dim3 grid(static_cast<unsigned>((p.n + 127) / 128), static_cast<unsigned>(rows));
      reference<Element><<<grid, 128>>>(result.data(), a.data(), a_rows() ? a.pitch() : 1, a_rows() ? 1 : a.pitch(),
                                        b.data(), b_rows() ? b.pitch() : 1, b_rows() ? 1 : b.pitch(), c.data(),
                                        c.pitch(), p.m, p.n, p.k, alpha, beta, first, every);
      check(cudaGetLastError());
    }
    return result.read();
  }

  /// Returns |C - expected| / |expected|; NaN if C has one.
  double error(const std::vector<double>& expected, int first = 0, int every = 1) const {
    const std::vector<unsigned short> words = c.words();
    double difference = 0, norm = 0;
    std::size_t i = 0;
    for (int row = first; row < p.m; row += every) {
      for (int col = 0; col < p.n; ++col, ++i) {
        const double wrong = value(words[c.index(row, col)]) - expected[i];
        difference += wrong * wrong;
        norm += expected[i] * expected[i];
      }
    }
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  }

  static double tolerance() { return std::is_same_v<Element, __nv_bfloat16> ? 1e-2 : 2e-3; }
};

/// Runs a product by a plan and compares it with the reference.
template <class Element>
void agrees(product<Element>& one, const gemm::plan& plan, int first = 0, int every = 1) {
  CAPTURE(plan.text(), one.p.m, one.p.n, one.p.k, one.a_rows(), one.b_rows(), one.a.pitch(), one.b.pitch(),
          one.c.pitch(), one.alpha, one.beta);
  device_array<char> workspace(plan.workspace_bytes(), 0);
  const std::vector<double> expected = one.expected(first, every);
  stream on;
  check(gemm::gemm(plan, one.operands(workspace.data()), on));
  finish(on);
  CHECK(one.error(expected, first, every) <= product<Element>::tolerance());
  if (one.beta == 0) CHECK_FALSE(one.c.leaked());
}

}  // namespace heddle_test
