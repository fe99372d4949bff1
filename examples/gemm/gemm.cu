#include "gemm.hpp"

#include <algorithm>
#include <limits>

#include "variant.hpp"

namespace gemm {
namespace {

using heddle::ceil_div;
using heddle::extent;

void check(const problem& p) {
  heddle::detail::require_at_least(0, "gemm::problem: m", p.m);
  heddle::detail::require_at_least(0, "gemm::problem: n", p.n);
  heddle::detail::require_at_least(0, "gemm::problem: k", p.k);
}

void require_matrix(const char* name, const void* data, bool is_used) {
  const auto address = reinterpret_cast<unsigned long long>(data);
  if (is_used && address == 0) heddle::detail::refuse(name, 0, "at least", 1);
  if (address % 2 != 0) heddle::detail::refuse(name, static_cast<long long>(address), "a multiple of", 2);
}

void check(const problem& p, const operands& o, std::size_t workspace_bytes) {
  const bool reads = p.m > 0 && p.n > 0 && p.k > 0 && o.alpha != 0;
  require_matrix("gemm::operands: a", o.a, reads);
  require_matrix("gemm::operands: b", o.b, reads);
  require_matrix("gemm::operands: c", o.c, p.m > 0 && p.n > 0);
  heddle::detail::require_at_least(p.a == layout::row_major ? p.k : p.m, "gemm::operands: lda", o.lda);
  heddle::detail::require_at_least(p.b == layout::row_major ? p.n : p.k, "gemm::operands: ldb", o.ldb);
  heddle::detail::require_at_least(p.n, "gemm::operands: ldc", o.ldc);
  const auto workspace = reinterpret_cast<unsigned long long>(o.workspace);
  if (workspace_bytes > 0 && workspace == 0) heddle::detail::refuse("gemm::operands: workspace", 0, "at least", 1);
  if (workspace % 16 != 0) {
    heddle::detail::refuse("gemm::operands: workspace", static_cast<long long>(workspace), "a multiple of", 16);
  }
}

/// What the tensor memory accelerator asks of a matrix.
bool suits_copies(const void* data, long long pitch) {
  return reinterpret_cast<unsigned long long>(data) % 16 == 0 && pitch % 8 == 0 && pitch * 2 < 1LL << 40;
}

/// Expected clocks of a launch: every wave in full, or the last one shared.
double clocks_of(const problem& p, const choice& c, int multiprocessors) {
  const variant& v = *c.variant;
  const extent clusters = ceil_div(ceil_div(extent{p.m, p.n}, v.tile), v.cluster);
  const int workers = multiprocessors * v.blocks_per_multiprocessor / v.blocks_in_cluster();
  const int rest = clusters.size() % workers, waves = clusters.size() / workers;
  const double steps = v.k_steps(p.k), tile = steps * v.step_clocks + v.tile_clocks;
  if (c.sharers == 0) return (waves + (rest > 0 ? 1 : 0)) * tile;
  const heddle::detail::division division(static_cast<unsigned>(clusters.size()), v.k_steps(p.k), c.sharers,
                                          static_cast<unsigned>(workers));
  if (division.split_tiles() == 0) return std::numeric_limits<double>::infinity();
  // A partial sum goes to L2 at some 40 bytes a clock, and as many come back to the last to arrive as share a tile.
  const double parts = 1.0 * division.sharers() / rest, part = steps / parts * v.step_clocks;
  const double adding = 4000 + static_cast<double>(v.slot_bytes) / 40 * (2 + parts);
  return waves * tile + part + v.tile_clocks + adding;
}

}  // namespace

device device::current() {
  int number = 0, major = 0, minor = 0, multiprocessors = 0, l2_bytes = 0;
  const bool known = cudaGetDevice(&number) == cudaSuccess &&
                     cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number) == cudaSuccess &&
                     cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number) == cudaSuccess &&
                     cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number) == cudaSuccess &&
                     cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, number) == cudaSuccess;
  if (!known) return {90, heddle::predict::h200()};
  if (major == 9) {
    heddle::predict::device hopper = heddle::predict::h200();
    hopper.multiprocessors = multiprocessors, hopper.l2_bytes = l2_bytes;
    return {90, hopper};
  }
  return {major * 10 + minor, {.name = "this device", .multiprocessors = multiprocessors, .l2_bytes = l2_bytes}};
}

std::vector<const variant*> variants(const problem& problem, const device& device) {
  std::vector<const variant*> all;
  if (device.compute_capability == 90) {
    all = problem.element == element::bf16 ? wgmma_variants_bf16(problem) : wgmma_variants_fp16(problem);
  }
  for (const variant* each : mma_variants(problem)) all.push_back(each);
  return all;
}

plan::launch plan::launch_of(const gemm::choice& choice) const {
  launch result{choice};
  if (problem_.m > 0 && problem_.n > 0) result.grid = choice.variant->grid(problem_, choice);
  return result;
}

plan::plan(const gemm::problem& problem, const gemm::device& device, const gemm::choice& told) : problem_(problem) {
  check(problem);
  heddle::detail::require_at_least(1, "gemm::choice: width", told.width);
  heddle::detail::require_at_least(0, "gemm::choice: sharers", told.sharers);
  heddle::detail::require_at_most(heddle::stream_k<>::most_sharers, "gemm::choice: sharers", told.sharers);
  if (told.variant->is_wgmma) chosen_ = launch_of(told);
  gemm::choice portable = told;
  portable.variant = variants(problem, device).back();
  if (told.variant->is_wgmma) portable.sharers = 0;
  portable_ = launch_of(portable);
}

plan::plan(const gemm::problem& problem, const gemm::device& device)
    : plan(problem, device, [&] {
        check(problem);
        gemm::choice best;
        double best_clocks = std::numeric_limits<double>::infinity();
        for (const gemm::variant* variant : variants(problem, device)) {
          if (!variant->is_wgmma && best.variant != nullptr) continue;
          const int workers =
              device.chip.multiprocessors * variant->blocks_per_multiprocessor / variant->blocks_in_cluster();
          for (const int sharers : {0, (std::min)(workers, heddle::stream_k<>::most_sharers)}) {
            const gemm::choice tried{variant, 8, heddle::axis::y, sharers};
            const double clocks = clocks_of(problem, tried, device.chip.multiprocessors);
            if (best.variant != nullptr && clocks >= best_clocks) continue;
            best = tried, best_clocks = clocks;
          }
        }
        const extent fetched{best.variant->tile.rows * best.variant->cluster.rows,
                             best.variant->tile.cols * best.variant->cluster.cols};
        const extent grid = ceil_div(extent{problem.m, problem.n}, fetched);
        const auto advice = heddle::predict::advise(
            heddle::predict::gemm_problem{
                .m = problem.m, .n = problem.n, .k = problem.k, .tile_m = fetched.rows, .tile_n = fetched.cols},
            device.chip);
        if (advice.kind == heddle::predict::order_kind::row_major) {
          best.width = (std::max)(1, grid.cols), best.axis = heddle::axis::x;
        } else if (advice.width > 0) {
          best.width = advice.width, best.axis = advice.axis;
        }
        return best;
      }()) {}

std::size_t plan::workspace_bytes() const {
  std::size_t most = 0;
  for (const launch& each : {chosen_, portable_}) {
    if (each.kernel.variant == nullptr || each.kernel.sharers == 0) continue;
    const int blocks = each.kernel.variant->blocks_in_cluster();
    const int slots = heddle::stream_k<>::slots(each.kernel.sharers, blocks);
    most = (std::max)(most, state_bytes(blocks) + static_cast<std::size_t>(slots) *
                                                      static_cast<std::size_t>(each.kernel.variant->slot_bytes));
  }
  return most;
}

std::string plan::text() const {
  const gemm::choice& c = choice();
  return std::string(c.variant->name) + ", bands of " + std::to_string(c.width) +
         (c.axis == heddle::axis::x ? " columns" : " rows") +
         (c.sharers > 0 ? ", rest shared by " + std::to_string(c.sharers) : ", whole tiles");
}

cudaError_t gemm(const plan& plan, const operands& o, cudaStream_t stream) {
  problem p = plan.problem();
  check(p, o, plan.workspace_bytes());
  if (p.m == 0 || p.n == 0) return cudaSuccess;
  if (o.alpha == 0) p.k = 0;
  const bool by_copies = p.k > 0 && suits_copies(o.a, o.lda) && suits_copies(o.b, o.ldb) && suits_copies(o.c, o.ldc);
  const plan::launch& launch = by_copies && plan.chosen_.kernel.variant ? plan.chosen_ : plan.portable_;
  return launch.kernel.variant->enqueue(p, launch.kernel, launch.grid, o, stream);
}

}  // namespace gemm
