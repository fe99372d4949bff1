#include "gemm.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <heddle/device/current_device.hpp>
#include <heddle/recipe/any_order.hpp>
#include <heddle/recipe/text.hpp>

#include "checks.hpp"
#include "choices.hpp"
#include "tune.hpp"

namespace gemm {
namespace {

/// Returns a choice in a line.
std::string text_of(const choice& c) {
  return std::string(c.variant->name) + ", " + to_string(c.by) +
         (c.seats > 0 ? ", seats in runs of " + std::to_string(c.seats) : "");
}

}  // namespace

heddle::extent places_of(const problem& p, const choice& c) {
  return heddle::ceil_div(heddle::ceil_div(p.m, p.n, c.variant->tile), c.variant->cluster);
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
