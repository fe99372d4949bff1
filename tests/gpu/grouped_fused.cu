// Rows of grouped products that are gathered, scattered and weighed, next to those of plain ones; gated products next
// to double precision.

#include "grouped.hpp"
#include "refusal.hpp"

using namespace heddle_test;

namespace {

/// Returns a problem of these groups, with some rows that belong to none.
template <class Element>
::grouped::problem problem_of(gemm::layout b, int n, int k) {
  return {.rows = sum_of(ragged) + 17,
          .groups = static_cast<int>(ragged.size()),
          .n = n,
          .k = k,
          .element = element_of<Element>,
          .b = b};
}

/// Counts the elements of C that are not those of a row of the plain product times its weight, or that were written
/// though no row is stored there.
template <class Element>
__global__ void count_unlike(int* wrong, const Element* c, const Element* plain, const int* from_row,
                             const float* weights, int c_rows, int n) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < c_rows * n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const int row = from_row[i / n];
    const bool is_poison = reinterpret_cast<const unsigned short*>(c)[i] == 0xffff;
    bool is_right = is_poison;
    if (row >= 0) {  // but for a last bit of fp16 near zero
      const float right = static_cast<float>(plain[row * n + i % n]) * weights[row];
      is_right = !is_poison && fabsf(static_cast<float>(c[i]) - right) < 1e-6f;
    }
    if (!is_right) atomicAdd(wrong, 1);
  }
}

/// Counts the elements that are not silu(gate) x up, of a right product of 2 n columns.
template <class Element>
__global__ void count_wrong_gates(int* wrong, const Element* c, const double* values, const int* terms, int rows,
                                  int n) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < rows * n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const int gate_at = i / n * 2 * n + i % n;
    const double gate = values[gate_at], up = values[gate_at + n], right = gate / (1 + exp(-gate)) * up;
    const double sums_are_off = 1e-3 * sqrt(static_cast<double>(abs(terms[gate_at])));
    const bool is_poison = reinterpret_cast<const unsigned short*>(c)[i] == 0xffff;
    const double off = fabs(static_cast<double>(static_cast<float>(c[i])) - right);
    const bool is_close = off <= fabs(right) / 128 + sums_are_off * (1 + fabs(gate) + fabs(up));
    if (terms[gate_at] < 0 ? !is_poison : is_poison || !is_close) atomicAdd(wrong, 1);
  }
}

/// Copies rows by their numbers, and zeros where a number names none.
template <class Element>
__global__ void copy_rows(Element* to, const Element* from, const int* numbers, int rows, int from_rows, int k) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < rows * k;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const int row = numbers[i / k];
    to[i] = row >= 0 && row < from_rows ? from[row * k + i % k] : static_cast<Element>(0.0f);
  }
}

/// Gives each of `count` rows a row of its own of `most`, or now and then none.
std::vector<int> random_rows_for(long long count, int most, std::mt19937& random) {
  std::vector<int> index(static_cast<std::size_t>(most));
  std::iota(index.begin(), index.end(), 0);
  std::shuffle(index.begin(), index.end(), random);
  index.resize(static_cast<std::size_t>(count));
  for (int& each : index) {
    if (random() % 8 == 0) each = random() % 2 == 0 ? -1 - each : most + each;
  }
  return index;
}

template <class Element>
void scattered_rows_agree(::grouped::problem p, int cluster, unsigned seed) {
  CAPTURE(p.n, p.k, p.b == gemm::layout::row_major, cluster);
  constexpr int c_rows = 1000;
  p.c_rows = c_rows;
  std::mt19937 random(seed);
  products<Element> some(p, ragged, seed);
  const std::vector<int> index = random_rows_for(p.rows, c_rows, random);
  std::vector<int> from_row(c_rows, -1);
  for (int row = 0; row < sum_of(ragged); ++row) {
    const int to = index[static_cast<std::size_t>(row)];
    if (to >= 0 && to < c_rows) from_row[static_cast<std::size_t>(to)] = row;
  }
  std::vector<float> weights;  // powers of two: a product with one is not rounded
  for (int row = 0; row < p.rows; ++row) {
    weights.push_back(std::ldexp(random() % 2 == 0 ? 1.0f : -1.0f, static_cast<int>(random() % 5) - 2));
  }
  device_array<int> rows_of_c(index), from(from_row), wrong(1, 0);
  device_array of_rows(weights);
  matrix<Element> c(c_rows, p.n, p.n);
  const ::grouped::plan plan(p, here(), told(cluster));
  workspace_of workspace(plan);
  ::grouped::operands operands = some.operands(workspace.data());
  stream on;
  check(::grouped::product(plan, operands, on));
  operands.c = c.data(), operands.rows_of_c = rows_of_c.data(), operands.weights = of_rows.data();
  check(::grouped::product(plan, operands, on));
  count_unlike<<<64, 256, 0, on>>>(wrong.data(), c.data(), some.c.data(), from.data(), of_rows.data(), c_rows, p.n);
  finish(on);
  CHECK(wrong.read()[0] == 0);
  CHECK_FALSE(c.leaked());
}

/// Some rows of A are in many groups, others in none, and some numbers name no row.
template <class Element>
void gathered_rows_agree(::grouped::problem p, bool draws, unsigned seed) {
  CAPTURE(p.n, p.k, p.b == gemm::layout::row_major, p.is_gated, draws);
  const int a_rows = 300, rows = sum_of(ragged), k = p.k;
  std::mt19937 random(seed);
  matrix<Element> a(a_rows, k, k);
  a.fill_at_random(seed);
  std::vector<int> numbers(static_cast<std::size_t>(p.rows));
  for (int& each : numbers) {
    each = static_cast<int>(random() % a_rows);
    if (random() % 8 == 0) each = random() % 2 == 0 ? -1 - each : a_rows + each;
  }
  std::vector<int> itself(numbers.size(), -1);
  std::iota(itself.begin(), itself.begin() + rows, 0);
  device_array<int> rows_of_a(numbers), from(itself), wrong(1, 0);
  device_array weights(std::vector<float>(numbers.size(), 1));
  if (p.is_gated) p.n *= 2;
  products<Element> some(p, ragged, seed);
  if (p.is_gated) p.n /= 2;
  matrix<Element> plain(static_cast<int>(p.rows), p.n, p.n), c(static_cast<int>(p.rows), p.n, p.n);
  stream on;
  copy_rows<<<64, 256, 0, on>>>(some.a.data(), a.data(), rows_of_a.data(), rows, a_rows, k);
  p.a_rows = a_rows;
  const ::grouped::plan plan(p, here(), told(1, draws));
  workspace_of workspace(plan);
  ::grouped::operands operands = some.operands(workspace.data());
  operands.c = plain.data();
  check(::grouped::product(plan, operands, on));
  operands.a = a.data(), operands.c = c.data(), operands.rows_of_a = rows_of_a.data();
  check(::grouped::product(plan, operands, on));
  count_unlike<<<64, 256, 0, on>>>(wrong.data(), c.data(), plain.data(), from.data(), weights.data(),
                                   static_cast<int>(p.rows), p.n);
  finish(on);
  CHECK(wrong.read()[0] == 0);
  CHECK_FALSE(c.leaked());
}

template <class Element>
void gated_products_agree(::grouped::problem p, bool draws, unsigned seed) {
  CAPTURE(p.n, p.k, p.b == gemm::layout::row_major, draws);
  const int n = p.n;
  p.n = 2 * n;
  products<Element> wide(p, ragged, seed);
  right_c right(wide);
  p.n = n, p.is_gated = true;
  matrix<Element> c(static_cast<int>(p.rows), n, n);
  const ::grouped::plan plan(p, here(), told(1, draws));
  workspace_of workspace(plan);
  ::grouped::operands operands = wide.operands(workspace.data());
  operands.c = c.data();
  device_array<int> wrong(1, 0);
  stream on;
  check(::grouped::product(plan, operands, on));
  count_wrong_gates<<<64, 256, 0, on>>>(wrong.data(), c.data(), right.values.data(), right.terms.data(),
                                        static_cast<int>(p.rows), n);
  finish(on);
  CHECK(wrong.read()[0] == 0);
  CHECK_FALSE(c.leaked());
}

}  // namespace

HOPPER_TEST("rows that are scattered and weighed are those of a plain product", "[grouped]") {
  unsigned seed = 60;
  for (const auto b : layouts) {
    for (const auto& [n, k] : {std::pair{8, 8}, {264, 72}, {520, 1000}}) {
      for (const int cluster : {1, 2}) {
        scattered_rows_agree<bf16>(problem_of<bf16>(b, n, k), cluster, ++seed);
        scattered_rows_agree<fp16>(problem_of<fp16>(b, n, k), cluster, ++seed);
      }
    }
  }
}

HOPPER_TEST("rows that are gathered are those of a plain product", "[grouped]") {
  unsigned seed = 120;
  for (const auto b : layouts) {
    for (const auto& [n, k] : {std::pair{8, 8}, {264, 72}, {520, 1000}}) {
      for (const bool is_gated : {false, true}) {
        ::grouped::problem one = problem_of<bf16>(b, n, k), other = problem_of<fp16>(b, n, k);
        one.is_gated = other.is_gated = is_gated;
        gathered_rows_agree<bf16>(one, is_gated, ++seed);
        gathered_rows_agree<fp16>(other, !is_gated, ++seed);
      }
    }
  }
}

HOPPER_TEST("gated products agree with double precision", "[grouped]") {
  unsigned seed = 90;
  for (const auto b : layouts) {
    for (const auto& [n, k] : {std::pair{8, 8}, {136, 72}, {520, 1000}}) {
      for (const bool draws : {false, true}) {
        gated_products_agree<bf16>(problem_of<bf16>(b, n, k), draws, ++seed);
        gated_products_agree<fp16>(problem_of<fp16>(b, n, k), draws, ++seed);
      }
    }
  }
}

HOPPER_TEST("gathered, scattered and gated products refuse what cannot be right", "[grouped]") {
  const auto refused = [&](const ::grouped::problem& p, const ::grouped::choice& by) {
    return refusal([&] { ::grouped::plan(p, here(), by); });
  };
  CHECK(refused({.rows = 8, .groups = 1, .n = 8, .k = 8, .is_gated = true}, told(2)) ==
        "grouped: cluster is 2; it must be at most 1");
  CHECK(refused({.rows = 8, .groups = 1, .n = 8, .k = 8, .c_rows = -1}, {}) ==
        "grouped: c_rows is -1; it must be at least 0");
  CHECK(refused({.rows = 8, .groups = 1, .n = 8, .k = 8, .a_rows = -1}, {}) ==
        "grouped: a_rows is -1; it must be at least 0");
  const int numbers[2] = {};
  const float weights[2] = {};
  const auto workspace = reinterpret_cast<void*>(256);
  const auto refused_operands = [&](const int* rows_of_a, const int* rows_of_c, const float* of_rows, int cluster) {
    const ::grouped::plan plan({.rows = 0, .groups = 0, .n = 8, .k = 8}, here(), told(cluster));
    const ::grouped::operands o{nullptr, nullptr, nullptr, nullptr, workspace, rows_of_a, rows_of_c, of_rows};
    return refusal([&] { (void)::grouped::product(plan, o, nullptr); });
  };
  CHECK(refused_operands(numbers, nullptr, nullptr, 2) ==
        "grouped: cluster of a product that gathers is 2; it must be exactly 1");
  const auto odd = [](const auto* of) { return reinterpret_cast<decltype(of)>(0x101); };
  CHECK(refused_operands(odd(numbers), nullptr, nullptr, 1) == "grouped: rows_of_a is 257; it must be a multiple of 4");
  CHECK(refused_operands(nullptr, odd(numbers), nullptr, 1) == "grouped: rows_of_c is 257; it must be a multiple of 4");
  CHECK(refused_operands(nullptr, nullptr, odd(weights), 1) == "grouped: weights is 257; it must be a multiple of 4");
  const ::grouped::plan_by_k by_k({.rows = 8, .groups = 1, .m = 8, .n = 8}, here());
  CHECK(refusal([&] {
          const auto at = reinterpret_cast<void*>(256);
          (void)::grouped::product_by_k(
              by_k, {.a = at, .b = at, .ends = numbers, .c = at, .workspace = workspace, .weights = weights}, nullptr);
        }) == "grouped: products by k take no index and no weights");
  CHECK(refused({.rows = 8, .groups = 1, .n = 8, .k = 8, .c_rows = 1LL << 31}, {}) ==
        "grouped: c_rows is 2147483648; it must be at most 2147483647");
  CHECK(refused({.rows = 8, .groups = 1, .n = 1 << 30, .k = 8, .is_gated = true}, {}) ==
        "grouped: columns of B is 2147483648; it must be at most 2147483647");
}
