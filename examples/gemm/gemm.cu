#include "gemm.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <heddle/device/current_device.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/traffic.hpp>
#include <heddle/recipe/any_order.hpp>
#include <heddle/recipe/text.hpp>

#include "checks.hpp"
#include "expected.hpp"
#include "tune.hpp"

namespace gemm {
namespace {

using heddle::ceil_div;
using heddle::extent;

/// Returns the choice with the advised bands if these save a tenth of the traffic of its own bands of 8. Those of seats
/// were measured.
choice in_advised_order(const problem& p, choice c, const device& device) {
  if (c.seats > 0) return c;
  const variant& v = *c.variant;
  const heddle::predict::gemm_problem by_cluster{.m = p.m,
                                                 .n = p.n,
                                                 .k = p.k,
                                                 .tile_m = v.tile.rows * v.cluster.rows,
                                                 .tile_n = v.tile.cols * v.cluster.cols,
                                                 .blocks_per_tile = v.blocks_in_cluster()};
  heddle::predict::device workers = device.chip;
  workers.multiprocessors = workers_of(v, device);
  const auto advice = heddle::predict::advise(by_cluster, workers);
  if (!advice.matters || advice.width == 0) return c;
  const auto plain = heddle::predict::traffic(heddle::any_order{c.by, by_cluster.grid()}, by_cluster, workers);
  if (static_cast<double>(advice.predicted_bytes) <
      0.9 * static_cast<double>(plain.total.dram_bytes + plain.total.written_bytes)) {
    c.by.width = advice.width, c.by.axis = advice.axis;
  }
  return c;
}

/// Returns a choice in a line.
std::string text_of(const choice& c) {
  return std::string(c.variant->name) + ", " + to_string(c.by) +
         (c.seats > 0 ? ", seats in runs of " + std::to_string(c.seats) : "");
}

/// Returns the tiles, or clusters, from one edge to the other across the bands.
int across_bands(const problem& p, const choice& c) {
  return c.by.axis == heddle::axis::x ? places_of(p, c).cols : places_of(p, c).rows;
}

/// Returns a choice in another order that may be better: wider bands, or bands along the other axis.
choice in_other_order(const problem& p, choice c) {
  if (across_bands(p, c) >= 12) {
    c.by.width = c.by.width == 16 ? 8 : 16;
  } else {
    c.by.axis = c.by.axis == heddle::axis::x ? heddle::axis::y : heddle::axis::x, c.by.width = 8;
  }
  if (c.seats > 0) c.seats = c.by.width;
  return c;
}

/// Returns a choice of whole tiles in the bands of its kernel.
choice in_own_order(const problem& p, const variant& v, const device& device) {
  // The hardware deals block numbers round the 8 GPCs: in bands of 8 the blocks of a GPC share the operand that the
  // blocks of a cluster do not share. A last band of less than 4 is none. Without clusters bands of 4 are 3 % faster in
  // a single wave, and with clusters in a row bands of 16 always 1 % (H200, 117 products).
  choice whole{&v};
  if (v.cluster.rows > v.cluster.cols) whole.by.axis = heddle::axis::x;
  whole.by.schedule = v.draws()        ? heddle::recipe::work_stealing
                      : v.is_along_k() ? heddle::recipe::one_shot
                                       : heddle::recipe::strided;
  if (const int across = across_bands(p, whole); across > 8 && across < 12) whole.by.width = across;
  if (v.cluster.cols > 1) whole.by.width = 16;
  if (v.blocks_in_cluster() == 1 && places_of(p, whole).size() <= workers_of(v, device)) {
    whole.by.width = 4;
    if (places_of(p, whole).cols <= 4) whole.by.axis = heddle::axis::x;
  }
  // Where storing C in memory takes half as long as all products or more, tiles that run at once then store whole rows:
  // H200, up to 11 % less time.
  const auto& chip = device.chip;
  const bool leaves_l2 = 4.0 * p.m * p.n > static_cast<double>(chip.l2_bytes);
  if (leaves_l2 && p.k * chip.dram_bytes_per_second < 2 * chip.matrix_operations_per_second) {
    whole.by.width = 4, whole.by.axis = heddle::axis::y;
  }
  return whole;
}

/// Returns the choices of a kernel that differ in more than the order: whole tiles, tiles shared by all workers, and
/// tiles shared by as many as give each tile the same number of parts. Kernels along k have clusters of two to eight.
std::vector<choice> choices_of(const variant& v, const problem& p, const device& device) {
  const choice whole = in_own_order(p, v, device);
  const int workers = workers_of(v, device), clusters = places_of(p, whole).size(), rest = clusters % workers;
  std::vector<choice> all;
  if (v.is_along_k()) {
    for (const int parts : {2, 3, 4, 6, 8}) {
      if (clusters > workers_of(v, device, parts) || v.k_steps(p.k) < 2 * parts) break;
      choice along = whole;
      along.by.width = 8, along.by.axis = heddle::axis::x, along.by.sharers = clusters * parts;
      all.push_back(along);
    }
    return all;
  }
  all.push_back(whole);
  if (v.draws() || rest == 0) return all;
  if (v.kind == kind::in_turn && clusters < workers) return all;  // warpgroups that take turns need tiles to take
  // Larger tiles than 64x64 of blocks without clusters lost by sharing in all products that were measured, and the
  // portable kernel but for a single wave.
  if (v.is_wgmma() ? v.blocks_in_cluster() == 1 && v.tile.size() > 64 * 64 : clusters > workers) return all;
  for (const int most : {workers, workers / rest * rest, 2 * rest}) {
    const int sharers = sharers_of(rest, v.k_steps(p.k), (std::min)(workers, most));
    const auto is_same = [&](const choice& each) { return each.by.sharers == sharers; };
    choice shared = whole;
    shared.by.schedule = heddle::recipe::stream_k, shared.by.sharers = sharers;
    if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(shared);
  }
  return all;
}

/// Returns the choices of some kernels, those that are expected to be fastest first.
std::vector<heddle::candidate<choice>> in_order_of_time(const problem& p, const device& device,
                                                        const std::vector<const variant*>& variants) {
  std::vector<heddle::candidate<choice>> all;
  for (const variant* each : variants) {
    for (const choice& one : choices_of(*each, p, device)) {
      const double seconds = expected_seconds(p, one, device);
      all.push_back({one, seconds});
      // Seats take time at the beginning. H200: they lose 5 % of 0.2 ms, and gain 1 % from 0.8 ms on.
      if (each->blocks_in_cluster() != 2 || one.by.sharers > 0 || seconds < 8e-4 || device.map.multiprocessors == 0) {
        continue;
      }
      choice seated = one;
      // Bands of 8 columns that last six waves are halved. H200, two cards: 16384³ 1.2 and 1.7 % faster, 14336³ 0.5;
      // 8192³, whose bands last four, 0.6 and 0.7 slower.
      if (one.by.axis == heddle::axis::x && 8 * places_of(p, one).rows > 6 * workers_of(*each, device)) {
        seated.by.width = 4;
      }
      seated.seats = seated.by.width;
      all.push_back({seated, 0.99 * seconds});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& one, const auto& other) { return one.seconds < other.seconds; });
  return all;
}

}  // namespace

extent places_of(const problem& p, const choice& c) {
  return ceil_div(ceil_div(p.m, p.n, c.variant->tile), c.variant->cluster);
}

device device::current() {
  const auto [card, error] = heddle::current_device();
  if (error != cudaSuccess) return {90, heddle::predict::h200()};
  int number = 0, major = 0, minor = 0;
  (void)cudaGetDevice(&number);
  (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
  (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number);
  device found{major * 10 + minor, card};
  if (major != 9) return found;
  if (card.l2_bytes_per_second == 0) {  // a Hopper whose rates are unknown: an H200 of its size
    found.chip = heddle::predict::h200();
    found.chip.multiprocessors = card.multiprocessors, found.chip.l2_bytes = card.l2_bytes;
  }
  static std::mutex one_at_a_time;
  static std::map<int, heddle::chip_map> maps;
  const std::lock_guard lock(one_at_a_time);
  if (maps.count(number) == 0) {
    const auto [map, why_not] = heddle::find_chip_map();
    maps[number] = why_not == cudaSuccess ? map : heddle::chip_map{};
  }
  found.map = maps[number];
  return found;
}

std::vector<const variant*> variants(const problem& problem, const device& device) {
  std::vector<const variant*> all;
  if (device.compute_capability == 90) {
    all = problem.element == element::bf16 ? wgmma_variants_bf16(problem) : wgmma_variants_fp16(problem);
  }
  for (const variant* each : mma_variants(problem)) all.push_back(each);
  return all;
}

std::vector<heddle::candidate<choice>> candidates(const problem& problem, const device& device) {
  check(problem);
  std::vector<const variant*> kernels = variants(problem, device);
  if (kernels.front()->is_wgmma()) {
    std::erase_if(kernels, [&](const variant* each) { return !each->is_wgmma() || each->draws() != problem.sharing; });
  }
  auto all = in_order_of_time(problem, device, kernels);
  all.front().value = in_advised_order(problem, all.front().value, device);
  all.insert(all.begin() + 1, {in_other_order(problem, all.front().value), all.front().seconds});
  for (auto& each : all) each.name = text_of(each.value);
  return all;
}

plan::launch plan::launch_of(const gemm::choice& choice, const gemm::device& device) const {
  const gemm::variant& v = *choice.variant;
  launch result{choice};
  if (choice.seats > 0) result.seats = heddle::seats(device.map, v.blocks_in_cluster(), choice.seats);
  if (problem_.m == 0 || problem_.n == 0) return result;
  const heddle::any_order order{choice.by, places_of(problem_, choice), choice.table};
  const int clusters = order.size(), k_steps = v.k_steps(problem_.k);
  if (v.is_along_k()) {
    result.grid = v.grid(clusters, parts_along_k(clusters, k_steps, choice.by.sharers));
    return result;
  }
  result.grid = v.grid((std::max)(clusters, worth_sharing(clusters, k_steps, choice.by.sharers)), 1);
  if (choice.by.sharers == 0 && result.grid.error == cudaSuccess) {
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
  if (told.by.has_width()) require_at_least(1, "gemm::choice: width", told.by.width);
  require_at_least(0, "gemm::choice: sharers", told.by.sharers);
  const int most_sharers = told.variant->draws() ? 0 : heddle::stream_k<>::most_sharers;
  require_at_most(most_sharers, "gemm::choice: sharers", told.by.sharers);
  require_at_least(0, "gemm::choice: seats", told.seats);
  const bool has_seats = told.variant->is_wgmma() && !told.variant->is_along_k() && device.map.multiprocessors > 0;
  require_at_most(has_seats ? heddle::chip_map::most : 0, "gemm::choice: seats", told.seats);
  if (!told.variant->is_wgmma()) {
    portable_ = launch_of(told, device);
    return;
  }
  chosen_ = launch_of(told, device);
  portable_ = launch_of(in_order_of_time(problem, device, mma_variants(problem)).front().value, device);
}

plan::plan(const gemm::problem& problem, const gemm::device& device)
    : plan(problem, device, candidates(problem, device).front().value) {}

std::size_t plan::workspace_bytes() const {
  std::size_t most = 0;
  for (const launch& each : {chosen_, portable_}) {
    if (each.kernel.variant == nullptr || each.kernel.variant->is_along_k()) continue;
    if (each.kernel.by.sharers == 0 && each.kernel.seats == 0 && !each.kernel.variant->draws()) continue;
    const int blocks = each.kernel.variant->blocks_in_cluster();
    const int slots = heddle::stream_k<>::slots(each.kernel.by.sharers, blocks);
    most = (std::max)(most, state_bytes() + static_cast<std::size_t>(slots) *
                                                static_cast<std::size_t>(each.kernel.variant->slot_bytes()));
  }
  return most;
}

std::string plan::text() const {
  return text_of(choice());
}

cudaError_t gemm(const plan& plan, const operands& o, cudaStream_t stream) {
  problem p = plan.problem();
  check(p, o, plan.workspace_bytes());
  if (p.m == 0 || p.n == 0) return cudaSuccess;
  if (o.alpha == 0) p.k = 0;
  const plan::launch& launch = suits_copies(p, o) && plan.chosen_.kernel.variant ? plan.chosen_ : plan.portable_;
  const gemm::variant& v = *launch.kernel.variant;
  if (launch.kernel.seats == 0) return v.enqueue(p, launch.kernel, launch.grid, {}, o, stream);
  char* const taken = static_cast<char*>(o.workspace) + seats_offset();
  return v.enqueue(p, launch.kernel, launch.grid, launch.seats.with_state(taken), o, stream);
}

std::size_t tuning_workspace_bytes(const problem& problem, const device& device) {
  std::size_t most = 0;
  for (const auto& each : candidates(problem, device)) {
    most = (std::max)(most, plan(problem, device, each.value).workspace_bytes());
  }
  return most;
}

heddle::choice<plan, cudaError_t> tune(const problem& p, const device& device, const operands& o, heddle::wisdom& known,
                                       cudaStream_t stream, const heddle::choose_options& options) {
  check(p);
  const bool by_copies = suits_copies(p, o);
  std::vector<heddle::candidate<plan>> plans;
  for (const auto& each : by_copies ? candidates(p, device) : in_order_of_time(p, device, mma_variants(p))) {
    plans.push_back({plan(p, device, each.value), each.seconds, text_of(each.value)});
  }
  const auto [machine, error] = heddle::current_machine();
  if (error != cudaSuccess) return {.value = plans.front().value, .timed = {}, .failed = {}, .error = error};
  const heddle::wisdom_key key{machine,
                               "gemm 3",
                               {p.m, p.n, p.k, static_cast<int>(p.element), static_cast<int>(p.a),
                                static_cast<int>(p.b), o.lda, o.ldb, o.ldc, by_copies, p.sharing}};
  heddle::event_clock clock(stream, true);
  const auto launch = [&](const plan& one) {
    return clock.error() == cudaSuccess ? gemm(one, o, clock.stream()) : clock.error();
  };
  return known.choose(key, plans, launch, clock, options);
}

}  // namespace gemm
