// A product whose sums are scattered over several ranks: every element is of this turn, and summed in the order of the
// ranks, however late these and their copies are.

#include <overlap/scattered_product.hpp>

#include <cuda_bf16.h>

#include "gpu.hpp"
#include "ranks.hpp"
#include "refusal.hpp"

using heddle_test::no_gpu;
using heddle_test::refusal;
using namespace ranks;

namespace {

using element = __nv_bfloat16;

/// An element of the A of a rank: any number of eight bits between -1 and 1, which differs from turn to turn.
__device__ element element_of_a(int rank, int row, int x, unsigned turn) {
  unsigned bits =
      (static_cast<unsigned>(row) * 769 + static_cast<unsigned>(x)) * 31 + static_cast<unsigned>(rank) * 7 + turn;
  bits *= 0x9e3779b9u, bits ^= bits >> 15, bits *= 0x85ebca6bu;
  return __float2bfloat16(static_cast<float>(bits >> 8) / static_cast<float>(1 << 23) - 1);
}

__global__ void fill_a_of(int rank, element* a, int m, int k, const unsigned* turn) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < m * k;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    a[i] = element_of_a(rank, i / k, i % k, *turn);
  }
}

/// Counts what is not the owner's sum, to which those of the ranks before it have been added as elements.
__global__ void count_wrong_sums(element* c, int owner, int ranks, int rows, int n, int k, const unsigned* turn,
                                 unsigned* wrong) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < rows * n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    float sum = 0;
    for (int back = 0; back < ranks; ++back) {
      sum += __bfloat162float(element_of_a((owner + ranks - back) % ranks, owner * rows + i / n, i % n % k, *turn));
    }
    if (__bfloat162float(c[i]) != __bfloat162float(__float2bfloat16(sum))) atomicAdd(wrong, 1u);
    c[i] = __float2bfloat16(-5.0f);
  }
}

/// A rank with its product and its A.
struct scattering : rank_base {
  overlap::scattered_product product;
  device_array<element> a;

  scattering(const overlap::problem& p, int number, const overlap::options& options)
      : rank_base(p, number),
        product(p, number, options),
        a(static_cast<std::size_t>(p.m) * static_cast<unsigned>(p.k)) {
    const std::size_t elements = static_cast<std::size_t>(p.rows_of_shard()) * static_cast<unsigned>(p.n);
    check(cudaMemset(product.own_rows(), 0xff, elements * sizeof(element)));
    load_kernels(fill_a_of, count_wrong_sums);
  }

  void enqueue_product() {
    fill_a_of<<<4, 256, 0, stream>>>(rank, a.data(), problem.m, problem.k, turn.data());
    product.enqueue(a.data(), b.data(), stream);
  }
  void enqueue_check() {
    count_wrong_sums<<<4, 256, 0, stream>>>(static_cast<element*>(product.own_rows()), rank, problem.ranks,
                                            problem.rows_of_shard(), problem.n, problem.k, turn.data(), wrong.data());
    next_turn<<<1, 1, 0, stream>>>(turn.data());
    check(cudaGetLastError());
  }
  void enqueue_turn() {
    enqueue_product();
    enqueue_check();
  }
};

void agrees(const overlap::problem& problem, int turns, unsigned most_delay) {
  CAPTURE(problem.m, problem.n, problem.k, problem.ranks, problem.pieces_of_shard);
  if (can_meet(problem.ranks)) team<scattering>(problem).run_late(turns, most_delay);
}

}  // namespace

GPU_TEST("A scattered product is right in 1000 turns that the host does not wait for", "[overlap]") {
  agrees({.m = 512, .n = 256, .k = 128, .ranks = 2}, 1000, 30000);
}

GPU_TEST("A scattered product is right for any number of ranks and pieces", "[overlap]") {
  agrees({.m = 768, .n = 520, .k = 256, .ranks = 3}, 40, 100000);
  agrees({.m = 1024, .n = 256, .k = 256, .ranks = 4, .pieces_of_shard = 4}, 40, 100000);
  agrees({.m = 2048, .n = 1024, .k = 128, .ranks = 2, .pieces_of_shard = 8}, 40, 50000);
  agrees({.m = 8192, .n = 2048, .k = 64, .ranks = 4}, 20, 50000);   // several tiles of a worker
  agrees({.m = 8192, .n = 8192, .k = 6144, .ranks = 2}, 3, 50000);  // long: takes seats
  agrees({.m = 3 * 300, .n = 1032, .k = 72, .ranks = 3, .pieces_of_shard = 5}, 40, 50000);
  agrees({.m = 16, .n = 512, .k = 264, .ranks = 2, .pieces_of_shard = 2}, 40, 50000);
  agrees({.m = 5 * 37, .n = 256, .k = 128, .ranks = 5}, 40, 50000);  // shards that end in the middle of a tile
  agrees({.m = 7, .n = 64, .k = 64}, 3, 1000);
  agrees({.m = 94, .n = 33, .k = 31, .ranks = 2}, 20, 50000);  // by the portable kernel
  agrees({.m = 4 * 23, .n = 33, .k = 33, .ranks = 4}, 20, 50000);
}

TEST_CASE("A graph of a scattered product can be replayed", "[gpu][overlap]") {
  if (no_gpu() || !can_meet(3)) return;
  team<scattering>({.m = 768, .n = 256, .k = 128, .ranks = 3}).replay(100);
}

GPU_TEST("Ranks that are connected again have the rows of the last turn, and take further ones", "[overlap]") {
  for (const int ranks : {2, 3}) {
    if (!can_meet(ranks)) continue;
    CAPTURE(ranks);
    team<scattering> all({.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks, .pieces_of_shard = 2});
    for (unsigned turn = 1; turn <= 3; ++turn) {
      all.enqueue([](scattering& one) { one.enqueue_product(); });
      all.connect_again();
      all.each([](scattering& one) { one.enqueue_check(); });
      all.check_results(turn);
    }
    for (int turn = 0; turn < 5; ++turn) all.enqueue_turn();
    all.check_results(8);
  }
}

TEST_CASE("A rank whose sums never come ends the turn of the next one at its limit, and is named", "[gpu][overlap]") {
  for (const int ranks : {2, 3, 4}) {
    if (no_gpu() || !can_meet(ranks)) break;
    CAPTURE(ranks);
    team<scattering> all({.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks, .pieces_of_shard = 2}, 50'000'000);
    all.enqueue_turn();
    all.check_results(1);
    use_gpu_of(0);
    scattering& first = *all.members.front();
    first.enqueue_turn();  // alone
    const auto report = first.product.report(first.stream).value;
    CHECK(report.late > 0);
    CHECK(report.rank >= 1);
    CHECK(report.piece == -1);  // the others have not begun this turn, and so may still read the last one
    CHECK(report.at == 0);
  }
}

TEST_CASE("Ranks of a scattered product are told of a fault between two others", "[gpu][overlap]") {
  for (const int ranks : {2, 3, 4}) {
    if (no_gpu() || !can_meet(ranks)) break;
    CAPTURE(ranks);
    const overlap::problem problem{.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks};
    const int to = 2 % ranks;
    use_gpu_of(to);
    const overlap::scattered_product elsewhere(problem, to);
    team<scattering> all(problem, 100'000'000);
    all.cut(1, to, elsewhere.address());
    all.enqueue_turn();
    all.finish();
    all.each([&](scattering& one) {
      if (one.rank == 1) return;  // takes the other part for that rank
      const auto report = one.product.report(one.stream).value;
      CHECK(report.late > 0);  // ranks behind may be late by then
      if (one.rank == to) CHECK((report.rank == 1 && report.at == to));
    });
  }
}

TEST_CASE("A scattered product refuses what cannot be right", "[gpu][overlap]") {
  const auto refused = [](const overlap::problem& problem, int rank) {
    return refusal([&] { overlap::scattered_product(problem, rank); });
  };
  CHECK(refused({.m = 9, .n = 8, .k = 8, .ranks = 2}, 0) == "overlap::problem: m is 9; it must be a multiple of 2");
  CHECK(refused({.m = 8, .n = 8, .k = 8, .ranks = 2}, 2) ==
        "overlap::scattered_product: rank is 2; it must be less than 2");
  if (no_gpu()) return;
  overlap::scattered_product alone({.m = 8, .n = 8, .k = 8, .ranks = 2}, 0);
  CHECK(refusal([&] { (void)alone.connect({}); }) == "overlap: addresses is 0; it must be exactly 2");
  const overlap::scattered_product deeper({.m = 8, .n = 8, .k = 16, .ranks = 2}, 1);  // may have other tiles
  CHECK(refusal([&] {
          (void)alone.connect({alone.address(), deeper.address()});
        }) == "overlap: k of another rank is 16; it must be exactly 8");
  CHECK(refusal([&] { alone.enqueue(nullptr, nullptr, nullptr); }) ==
        "overlap: connected ranks is 1; it must be exactly 2");
}
