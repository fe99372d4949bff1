#include "gemm.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include <heddle/predict/advise.hpp>

#include "variant.hpp"

namespace gemm {
namespace {

using heddle::ceil_div;
using heddle::extent;

void require_at_least(long long limit, const char* name, long long value) {
  if (value < limit) throw heddle::invalid_argument(name, value, "at least", limit);
}

void require_at_most(long long limit, const char* name, long long value) {
  if (value > limit) throw heddle::invalid_argument(name, value, "at most", limit);
}

/// Refuses an address that is not aligned, or null for an operand that the product uses.
void require_address(const char* name, const void* data, int alignment, bool is_used) {
  const auto address = static_cast<long long>(reinterpret_cast<unsigned long long>(data));
  if (is_used && address == 0) throw heddle::invalid_argument(name, 0, "at least", 1);
  if (address % alignment != 0) throw heddle::invalid_argument(name, address, "a multiple of", alignment);
}

void check(const problem& p) {
  require_at_least(0, "gemm::problem: m", p.m);
  require_at_least(0, "gemm::problem: n", p.n);
  require_at_least(0, "gemm::problem: k", p.k);
}

void check(const problem& p, const operands& o, std::size_t workspace_bytes) {
  const bool reads = p.m > 0 && p.n > 0 && p.k > 0 && o.alpha != 0;
  require_address("gemm::operands: a", o.a, 2, reads);
  require_address("gemm::operands: b", o.b, 2, reads);
  require_address("gemm::operands: c", o.c, 2, p.m > 0 && p.n > 0);
  require_at_least(p.a == layout::row_major ? p.k : p.m, "gemm::operands: lda", o.lda);
  require_at_least(p.b == layout::row_major ? p.n : p.k, "gemm::operands: ldb", o.ldb);
  require_at_least(p.n, "gemm::operands: ldc", o.ldc);
  require_address("gemm::operands: workspace", o.workspace, 16, workspace_bytes > 0);
}

/// Returns whether the tensor memory accelerator can copy a matrix.
bool suits_copies(const void* data, long long pitch) {
  return reinterpret_cast<unsigned long long>(data) % 16 == 0 && pitch % 8 == 0 && pitch * 2 < 1LL << 40;
}

/// Returns whether the lines of a packed matrix begin at a line of L2; if not, a box costs twice the requests.
bool fills_lines(const problem& p, layout of, layout k_contiguous, int mn) {
  return (of == k_contiguous ? p.k : mn) % 64 == 0;
}

/// Returns the clocks of a step: those of the matrix unit or of the requests for its operands, one per row of a box,
/// whichever are more.
double step_clocks(const problem& p, const variant& v) {
  if (!v.is_wgmma) return v.step_clocks;
  constexpr double request_clocks = 2.0;  // H200: tiles of 128 x 192, 128 x 256 and 192 x 192 at 3000³ and 5000³
  const int of_a = v.tile.rows / v.cluster.cols * (fills_lines(p, p.a, layout::row_major, p.m) ? 1 : 2);
  const int of_b = v.tile.cols / v.cluster.rows * (fills_lines(p, p.b, layout::column_major, p.n) ? 1 : 2);
  return (std::max)(v.step_clocks, request_clocks * (of_a + of_b));
}

int workers_of(const variant& v, const device& device) {
  return device.chip.multiprocessors * v.blocks_per_multiprocessor / v.blocks_in_cluster();
}

/// Returns the workers that can share tiles: `stream_k` gives each a part of 8 steps or more.
int worth_sharing(int tiles, int k_steps, int sharers) {
  return static_cast<int>((std::min)(1LL * tiles * k_steps / 8, static_cast<long long>(sharers)));
}

/// Returns the number of workers that share the `rest` of the waves: 0 if each of its tiles has a worker of its own.
int sharers_of(int rest, int k_steps, int most) {
  const int sharers = worth_sharing(rest, k_steps, most);
  return sharers > rest ? sharers : 0;
}

/// Returns the expected clocks of a launch: every wave in full, or the last one shared.
double clocks_of(const problem& p, const choice& c, const device& device) {
  const variant& v = *c.variant;
  const int workers = workers_of(v, device), clusters = places_of(p, c).size();
  const int rest = clusters % workers, waves = clusters / workers;
  const double steps = v.k_steps(p.k), step = step_clocks(p, v), tile = steps * step + v.tile_clocks;
  const double begin = v.blocks_in_cluster() > 1 ? 1700 : 0;  // H200: 2048³ with and without clusters
  if (c.sharers == 0) return begin + (waves + (rest > 0 ? 1 : 0)) * tile;
  const int sharers = sharers_of(rest, v.k_steps(p.k), (std::min)(workers, c.sharers));
  if (sharers == 0) return std::numeric_limits<double>::infinity();
  // The clocks of storing a sum and of reading the sums of a tile: H200, 128 x 256 tiles at 2048³, 3000³ and 128 x 8192
  // x 8192.
  const double parts = 1.0 * sharers / rest;
  const double adding = static_cast<double>(v.slot_bytes) * (0.12 + 0.08 * parts);
  return begin + waves * tile + steps / parts * step + v.tile_clocks + adding;
}

/// Returns the choice with the advised bands if these save a tenth of the traffic of its own bands of 8.
choice in_advised_order(const problem& p, choice c, const device& device) {
  const variant& v = *c.variant;
  const heddle::predict::gemm_problem by_cluster{
      .m = p.m, .n = p.n, .k = p.k, .tile_m = v.tile.rows * v.cluster.rows, .tile_n = v.tile.cols * v.cluster.cols};
  heddle::predict::device workers = device.chip;
  workers.multiprocessors = workers_of(v, device);
  const auto advice = heddle::predict::advise(by_cluster, workers);
  if (!advice.matters || advice.width == 0) return c;
  const heddle::cta_swizzle bands(by_cluster.grid(), c.width, c.axis);
  const auto plain = heddle::predict::traffic(bands, by_cluster, workers);
  if (static_cast<double>(advice.predicted_bytes) <
      0.9 * static_cast<double>(plain.total.dram_bytes + plain.total.written_bytes)) {
    c.width = advice.width, c.axis = advice.axis;
  }
  return c;
}

}  // namespace

extent places_of(const problem& p, const choice& c) {
  return ceil_div(ceil_div(extent{p.m, p.n}, c.variant->tile), c.variant->cluster);
}

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
    static std::mutex one_at_a_time;
    static std::map<int, heddle::chip_map> maps;
    const std::lock_guard lock(one_at_a_time);
    if (maps.count(number) == 0) {
      const auto [map, error] = heddle::find_chip_map();
      maps[number] = error == cudaSuccess ? map : heddle::chip_map{};
    }
    return {90, hopper, maps[number]};
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

plan::launch plan::launch_of(const gemm::choice& choice, const gemm::device& device) const {
  const gemm::variant& v = *choice.variant;
  launch result{choice};
  if (choice.run > 0) result.seats = heddle::seats(device.map, v.blocks_in_cluster(), choice.run);
  if (problem_.m == 0 || problem_.n == 0) return result;
  const int clusters = order_of(places_of(problem_, choice), choice).size(), k_steps = v.k_steps(problem_.k);
  result.grid = v.grid((std::max)(clusters, worth_sharing(clusters, k_steps, choice.sharers)), k_steps);
  if (choice.sharers == 0 && result.grid.error == cudaSuccess) {
    // No more workers than the waves need: workers that would idle in the last wave leave their power to the others.
    const auto blocks = static_cast<unsigned>(v.blocks_in_cluster()), all = static_cast<unsigned>(clusters);
    unsigned& grid = result.grid.config.gridDim.x;
    const unsigned workers = grid / blocks, waves = (all + workers - 1) / workers;
    grid = (all + waves - 1) / waves * blocks;
  }
  return result;
}

plan::plan(const gemm::problem& problem, const gemm::device& device, const gemm::choice& told) : problem_(problem) {
  check(problem);
  if (told.variant == nullptr) throw heddle::invalid_argument("gemm::choice: variant", 0, "at least", 1);
  require_at_least(1, "gemm::choice: width", told.width);
  require_at_least(0, "gemm::choice: sharers", told.sharers);
  require_at_most(heddle::stream_k<>::most_sharers, "gemm::choice: sharers", told.sharers);
  require_at_least(0, "gemm::choice: run", told.run);
  const bool has_seats = told.variant->is_wgmma && device.map.multiprocessors > 0;
  require_at_most(has_seats ? heddle::chip_map::most : 0, "gemm::choice: run", told.run);
  if (told.variant->is_wgmma) chosen_ = launch_of(told, device);
  gemm::choice portable = told;
  portable.variant = variants(problem, device).back();
  portable.run = 0;
  if (told.variant->is_wgmma) portable.table = nullptr;  // it is for other tiles
  if (told.variant->is_wgmma) portable.sharers = 0;
  portable_ = launch_of(portable, device);
}

plan::plan(const gemm::problem& problem, const gemm::device& device)
    : plan(problem, device, [&] {
        check(problem);
        gemm::choice best;
        double best_clocks = std::numeric_limits<double>::infinity();
        for (const gemm::variant* variant : variants(problem, device)) {
          if (!variant->is_wgmma && best.variant != nullptr) continue;
          const int workers = (std::min)(workers_of(*variant, device), heddle::stream_k<>::most_sharers);
          for (const int sharers : {0, workers}) {
            // The hardware deals block numbers round the 8 GPCs: in bands of 8 the blocks of a GPC share the operand
            // that the blocks of a cluster do not share.
            const auto axis = variant->cluster.rows > variant->cluster.cols ? heddle::axis::x : heddle::axis::y;
            const gemm::choice tried{variant, 8, axis, sharers};
            const double clocks = clocks_of(problem, tried, device);
            // Workers that share tiles are at different steps from then on, and find fewer of each other's stripes in
            // L2.
            const double worth = sharers > 0 ? 0.9 : 1;
            if (best.variant != nullptr && clocks >= worth * best_clocks) continue;
            best = tried, best_clocks = clocks;
          }
        }
        best = in_advised_order(problem, best, device);
        // Seats take a microsecond per launch. H200: they gain 0.3 to 5 % from 0.3 ms on.
        if (best.variant->blocks_in_cluster() == 2 && best.sharers == 0 && best_clocks > 5e5 &&
            device.map.multiprocessors > 0) {
          best.run = best.width;
        }
        return best;
      }()) {}

std::size_t plan::workspace_bytes() const {
  std::size_t most = 0;
  for (const launch& each : {chosen_, portable_}) {
    if (each.kernel.variant == nullptr || (each.kernel.sharers == 0 && each.kernel.run == 0)) continue;
    const int blocks = each.kernel.variant->blocks_in_cluster();
    const int slots = heddle::stream_k<>::slots(each.kernel.sharers, blocks);
    most = (std::max)(most, state_bytes() + static_cast<std::size_t>(slots) *
                                                      static_cast<std::size_t>(each.kernel.variant->slot_bytes));
  }
  return most;
}

std::string plan::text() const {
  const gemm::choice& c = choice();
  const std::string bands = "bands of " + std::to_string(c.width) + (c.axis == heddle::axis::x ? " columns" : " rows");
  return std::string(c.variant->name) + ", " + (c.table != nullptr ? "by table" : bands) +
         (c.run > 0 ? ", seats in runs of " + std::to_string(c.run) : "") +
         (c.sharers > 0 ? ", rest shared by " + std::to_string(c.sharers) : ", whole tiles");
}

cudaError_t gemm(const plan& plan, const operands& o, cudaStream_t stream) {
  problem p = plan.problem();
  check(p, o, plan.workspace_bytes());
  if (p.m == 0 || p.n == 0) return cudaSuccess;
  if (o.alpha == 0) p.k = 0;
  const bool by_copies = p.k > 0 && suits_copies(o.a, o.lda) && suits_copies(o.b, o.ldb) && suits_copies(o.c, o.ldc);
  const plan::launch& launch = by_copies && plan.chosen_.kernel.variant ? plan.chosen_ : plan.portable_;
  const gemm::variant& v = *launch.kernel.variant;
  if (launch.kernel.run == 0) return v.enqueue(p, launch.kernel, launch.grid, {}, o, stream);
  char* const taken = static_cast<char*>(o.workspace) + seats_offset();
  return v.enqueue(p, launch.kernel, launch.grid, launch.seats.with_state(taken), o, stream);
}

}  // namespace gemm
