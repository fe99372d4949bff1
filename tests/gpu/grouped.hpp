#pragma once

// Products of groups to compare with: in double precision, one thread per element, and nothing in common with the
// tested kernels. A group is a range of rows here.

#include "gemm.hpp"
#include "grouped/grouped.hpp"

namespace heddle_test {

/// Rows of groups that end next to a tile.
inline const std::vector<int> ragged{0, 1, 63, 0, 64, 65, 127, 128, 0, 0, 129, 257, 5, 0};

/// A choice in clusters of so many blocks.
inline ::grouped::choice told(int cluster, bool draws = true,
                              heddle::group_sequence sequence = heddle::group_sequence::as_numbered) {
  ::grouped::choice by;
  by.by.cluster = {1, cluster}, by.by.sequence = sequence;
  if (!draws) by.by.schedule = heddle::recipe::strided;
  return by;
}

inline int sum_of(const std::vector<int>& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0);
}

/// Rows [begin, end) of all groups.
struct row_range {
  int begin, end;
};

/// The right C, and of how many products each element is the sum: -1 for an element of no group.
struct right_c {
  device_array<double> values;
  device_array<int> terms;

  template <class Products>
  explicit right_c(Products& of) : values(of.size_of_c(), 0), terms(of.size_of_c(), 0xff) {
    if (of.size_of_c() > 0) of.multiply_in_double(*this);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
  }
};

template <class Element>
__global__ void multiply_groups(double* values, int* terms, const Element* a, const Element* b, const row_range* groups,
                                int count, long long rows, int n, int k, long long bk, long long bn) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= rows * n) return;
  const long long row = i / n, col = i % n;
  for (int group = 0; group < count; ++group) {
    if (row < groups[group].begin || row >= groups[group].end) continue;
    const Element* const of_group = b + static_cast<long long>(group) * k * n;
    double sum = 0;
    for (int at = 0; at < k; ++at) {
      sum += static_cast<double>(static_cast<float>(a[row * k + at])) *
             static_cast<double>(static_cast<float>(of_group[at * bk + col * bn]));
    }
    values[i] = sum;
    terms[i] = k;
  }
}

template <class Element>
__global__ void multiply_groups_by_k(double* values, int* terms, const Element* a, const Element* b,
                                     const row_range* groups, int count, int m, int n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= 1LL * count * m * n) return;
  const auto [begin, end] = groups[i / (1LL * m * n)];
  const long long row = i / n % m, col = i % n;
  double sum = 0;
  for (long long at = begin; at < end; ++at) {
    sum += static_cast<double>(static_cast<float>(a[at * m + row])) *
           static_cast<double>(static_cast<float>(b[at * n + col]));
  }
  values[i] = sum;
  terms[i] = end - begin;
}

/// Counts the elements of C that are wrong. An element of a group was written, and is as far from its reference as
/// rounding explains; NaN and infinity must be where the reference has them. Any other element is as it was poisoned.
template <class Element>
__global__ void count_wrong(int* wrong, const Element* c, const double* values, const int* terms, long long size) {
  constexpr double rounding = std::is_same_v<Element, __nv_bfloat16> ? 1.0 / 128 : 1.0 / 1024;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < size;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    const bool is_poison = reinterpret_cast<const unsigned short*>(c)[i] == 0xffff;
    const double value = static_cast<double>(static_cast<float>(c[i])), right = values[i];
    bool is_right = false;
    if (terms[i] < 0) {
      is_right = is_poison;
    } else if (right != right) {
      is_right = value != value && !is_poison;
    } else if (right - right != 0) {
      is_right = value == right;
    } else {
      is_right = fabs(value - right) <= rounding * fabs(right) + 1e-3 * sqrt(static_cast<double>(terms[i]));
    }
    if (!is_right) atomicAdd(wrong, 1);
  }
}

/// Where each group ends, for groups with these rows.
inline std::vector<int> ends_of(const std::vector<int>& rows) {
  std::vector<int> ends(rows.size());
  std::inclusive_scan(rows.begin(), rows.end(), ends.begin());
  return ends;
}

/// The groups with these rows.
inline std::vector<row_range> ranges_of(const std::vector<int>& rows) {
  std::vector<row_range> ranges;
  int end = 0;
  for (const int each : rows) ranges.push_back({end, end + each}), end += each;
  return ranges;
}

template <class Element>
void put(Element* at, float value) {
  const Element element = static_cast<Element>(value);
  to_device(at, &element, sizeof element);
}

/// What products of groups and products by k have in common: operands, results, and the comparison.
template <class Element>
class products_base {
 public:
  matrix<Element> a, b, c;
  device_array<int> ends;
  device_array<row_range> ranges;

  std::size_t size_of_c() const { return size_of_c_; }

  void poison_c(cudaStream_t on) { check(cudaMemsetAsync(c.data(), 0xff, sizeof(Element) * size_of_c_, on)); }

  ::grouped::operands operands(void* workspace) { return {a.data(), b.data(), ends.data(), c.data(), workspace}; }

  /// Returns the number of elements of C that are wrong, or -1 if memory around C was written.
  int wrong(right_c& right) {
    if (c.leaked()) return -1;
    device_array<int> count(1, 0);
    enqueue_count(count, right, nullptr);
    return count.read()[0];
  }

  /// Adds the number of elements of C that are wrong.
  void enqueue_count(device_array<int>& count, right_c& right, cudaStream_t on) {
    count_wrong<<<256, 256, 0, on>>>(count.data(), c.data(), right.values.data(), right.terms.data(),
                                     static_cast<long long>(size_of_c_));
    check(cudaGetLastError());
  }

 protected:
  products_base(long long a_lines, int a_length, long long b_lines, int b_length, long long c_lines, int c_length,
                int count)
      : a(static_cast<int>(a_lines), a_length, std::max(1, a_length)),
        b(static_cast<int>(b_lines), b_length, std::max(1, b_length)),
        c(static_cast<int>(c_lines), c_length, std::max(1, c_length)),
        ends(static_cast<std::size_t>(count), 0xff),
        ranges(static_cast<std::size_t>(count), 0xff),
        size_of_c_(static_cast<std::size_t>(c_lines) * static_cast<std::size_t>(c_length)) {}

  /// Sets the rows of groups, and returns those of all of them.
  int set_rows(const std::vector<int>& rows) {
    ends.copy_from(ends_of(rows));
    ranges.copy_from(ranges_of(rows));
    return sum_of(rows);
  }

  /// Fills a matrix at random, and poisons its lines from `first` on.
  static void fill_up_to(matrix<Element>& some, int first, int lines, int length, unsigned seed) {
    some.fill_at_random(seed);
    const std::size_t used = static_cast<std::size_t>(first) * static_cast<std::size_t>(length);
    const std::size_t all = static_cast<std::size_t>(lines) * static_cast<std::size_t>(length);
    if (all > used) set_bytes(some.data() + used, 0xff, sizeof(Element) * (all - used));
    check(cudaDeviceSynchronize());
  }

  /// Returns the blocks of 128 threads for a thread per element of C.
  unsigned blocks() const { return static_cast<unsigned>((size_of_c_ + 127) / 128); }

 private:
  std::size_t size_of_c_;
};

/// The operands of the products of groups, and their result. Rows of A behind the last group are NaN.
template <class Element>
class products : public products_base<Element> {
 public:
  ::grouped::problem p;

  products(::grouped::problem problem, const std::vector<int>& rows, unsigned seed)
      : products_base<Element>(problem.rows, problem.k, 1LL * problem.groups * lines_of_b(problem),
                               length_of_b(problem), problem.rows, problem.n, problem.groups),
        p(problem),
        seed_(seed) {
    this->b.fill_at_random(seed + 1);
    give(rows);
  }

  /// Gives the groups other rows, and poisons C.
  void give(const std::vector<int>& rows) {
    const int used = this->set_rows(rows);
    this->fill_up_to(this->a, used, static_cast<int>(p.rows), p.k, seed_);
    this->c.poison();
  }

  /// Gives the groups other rows, and leaves no row of A poisoned, so that the device may change the rows.
  void give_and_fill(const std::vector<int>& rows) {
    give(rows);
    this->a.fill_at_random(seed_);
  }

  void multiply_in_double(right_c& right) {
    const bool by_rows = p.b == gemm::layout::row_major;
    multiply_groups<<<this->blocks(), 128>>>(right.values.data(), right.terms.data(), this->a.data(), this->b.data(),
                                             this->ranges.data(), p.groups, p.rows, p.n, p.k, by_rows ? p.n : 1,
                                             by_rows ? 1 : p.k);
  }

 private:
  static int lines_of_b(const ::grouped::problem& p) { return p.b == gemm::layout::row_major ? p.k : p.n; }
  static int length_of_b(const ::grouped::problem& p) { return p.b == gemm::layout::row_major ? p.n : p.k; }

  unsigned seed_;
};

/// The operands of the products by k of groups, and their result. Rows of A and B behind the last group are NaN.
template <class Element>
class products_by_k : public products_base<Element> {
 public:
  ::grouped::problem_by_k p;

  products_by_k(::grouped::problem_by_k problem, const std::vector<int>& rows, unsigned seed)
      : products_base<Element>(problem.rows, problem.m, problem.rows, problem.n, 1LL * problem.groups * problem.m,
                               problem.n, problem.groups),
        p(problem),
        seed_(seed) {
    give(rows);
  }

  /// Gives the groups other rows, and poisons C.
  void give(const std::vector<int>& rows) {
    const int used = this->set_rows(rows);
    this->fill_up_to(this->a, used, static_cast<int>(p.rows), p.m, seed_);
    this->fill_up_to(this->b, used, static_cast<int>(p.rows), p.n, seed_ + 1);
    this->c.poison();
  }

  /// Gives the groups other rows, and leaves no row of A or B poisoned, so that the device may change the rows.
  void give_and_fill(const std::vector<int>& rows) {
    give(rows);
    this->a.fill_at_random(seed_);
    this->b.fill_at_random(seed_ + 1);
  }

  void multiply_in_double(right_c& right) {
    multiply_groups_by_k<<<this->blocks(), 128>>>(right.values.data(), right.terms.data(), this->a.data(),
                                                  this->b.data(), this->ranges.data(), p.groups, p.m, p.n);
  }

 private:
  unsigned seed_;
};

inline cudaError_t enqueue_products(const ::grouped::plan& plan, const ::grouped::operands& operands, cudaStream_t on) {
  return ::grouped::product(plan, operands, on);
}
inline cudaError_t enqueue_products(const ::grouped::plan_by_k& plan, const ::grouped::operands& operands,
                                    cudaStream_t on) {
  return ::grouped::product_by_k(plan, operands, on);
}

/// A workspace as a plan wants it.
template <class Plan>
class workspace_of {
 public:
  explicit workspace_of(const Plan& plan) : memory_(plan.workspace_bytes(), 0) {}
  void* data() { return memory_.data(); }

 private:
  device_array<char> memory_;
};

/// Runs the products by a plan and compares them with the reference.
template <class Products, class Plan>
void agrees_by(Products& some, const Plan& plan) {
  workspace_of workspace(plan);
  right_c right(some);
  stream on;
  check(enqueue_products(plan, some.operands(workspace.data()), on));
  finish(on);
  CHECK(some.wrong(right) == 0);
}

/// Runs products of groups and compares them with the reference.
template <class Element>
void agrees(products<Element>& some, const ::grouped::plan& plan) {
  CAPTURE(plan.text(), some.p.rows, some.p.groups, some.p.n, some.p.k, some.p.b == gemm::layout::row_major);
  agrees_by(some, plan);
}

template <class Element>
void agrees(products_by_k<Element>& some, const ::grouped::plan_by_k& plan) {
  CAPTURE(some.p.rows, some.p.groups, some.p.m, some.p.n);
  agrees_by(some, plan);
}

}  // namespace heddle_test
