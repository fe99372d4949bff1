// A grouped kernel of CUTLASS by its own scheduler, in each setting that drops no tile, and by heddle's. Compiled per
// shape of a cluster: HEDDLE_CLUSTER_ROWS, HEDDLE_CLUSTER_COLS.

#include "guests/grouped.cuh"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "common/context.hpp"
#include "common/options.hpp"
#include "guests/contest.hpp"

namespace {

using namespace guests;
using namespace heddle_bench;
using heddle::axis;
using heddle::group_sequence;
using heddle::recipe;

template <class Tag>
using by = grouped_product<cooperative, cluster, Tag>;
using by_cutlass = by<cutlass::gemm::GroupScheduler>;

struct workload {
  const char* name;
  int groups, rows, n, k;
  bool has_skewed_rows = false, has_skewed_k = false;
};

// Experts of a mixture, and the gradients of their weights, whose k is what is a row here.
constexpr workload workloads[] = {{"8 experts, even", 8, 32768, 14336, 4096},
                                  {"32 experts, even", 32, 32768, 4096, 7168},
                                  {"64 experts, even", 64, 32768, 2816, 2048},
                                  {"128 experts, even", 128, 32768, 1536, 4096},
                                  {"32 experts, Zipf", 32, 32768, 4096, 7168, true},
                                  {"128 experts, Zipf", 128, 32768, 1536, 4096, true},
                                  {"gradients of 32 experts, Zipf", 32, 32 * 2048, 1536, 32768, false, true},
                                  {"gradients of 64 experts, Zipf", 64, 64 * 1024, 2048, 65536, false, true}};

/// Splits a sum by Zipf's law into multiples of 8, in no order.
std::vector<int> by_zipf(int count, int sum) {
  double harmonic = 0;
  for (int i = 1; i <= count; ++i) harmonic += 1.0 / i;
  std::vector<int> parts(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    parts[static_cast<std::size_t>(i * 13 % count)] = 8 * std::max(1, static_cast<int>(sum / harmonic / (i + 1) / 8));
  }
  return parts;
}

group_sizes sizes_of(const workload& of) {
  const auto count = static_cast<std::size_t>(of.groups);
  const std::vector<int> even(count, of.rows / of.groups), same(count, of.k);
  return {of.has_skewed_rows ? by_zipf(of.groups, of.rows) : even, of.has_skewed_k ? by_zipf(of.groups, of.k) : same,
          of.n};
}

template <class Tag>
contestant contestant_by(const std::string& name, const group_matrices& all, const typename by<Tag>::scheduling& how) {
  const auto one = std::make_shared<by<Tag>>(all, 0.0f, how, false);
  if (!one->can_run() || one->prepare() != cutlass::Status::kSuccess) refuse(name + ": it cannot be prepared");
  return {name, [one](cudaStream_t stream) { return one->launch(stream); }};
}

/// Returns CUTLASS's settings that give the bits of its first, which drops no tile.
std::vector<contestant> settings_of_cutlass(const group_matrices& all) {
  std::vector<contestant> some;
  using raster = decltype(by_cutlass::scheduling::raster_order);
  for (const int swizzle : {1, 2, 4, 8}) {
    for (const raster along : {raster::AlongM, raster::AlongN}) {
      const std::string name = std::string("CUTLASS, ") + (along == raster::AlongN ? "AlongN" : "AlongM") +
                               ", swizzle " + std::to_string(swizzle);
      some.push_back(contestant_by<cutlass::gemm::GroupScheduler>(name, all, {swizzle, along}));
      all.d.set_bytes(0x7f);
      if (some.back().launch(nullptr) != cutlass::Status::kSuccess) refuse(name + ": it cannot be launched");
      if (some.size() == 1) all.expected.copy_from(all.d);
      if (are_equal(all.d, all.expected)) continue;
      std::printf("  %s drops tiles\n", name.c_str());
      some.pop_back();
    }
  }
  return some;
}

void compare(const workload& of, int rounds, json_file& json, means& all_means) {
  const group_sizes sizes = sizes_of(of);
  group_matrices all(of.groups, *std::max_element(sizes.m.begin(), sizes.m.end()), of.n,
                     *std::max_element(sizes.k.begin(), sizes.k.end()));
  all.set(sizes);
  std::printf("\n%s: n %d, %.0f million multiply-adds\n", of.name, of.n,
              1e-6 * static_cast<double>(sizes.multiply_adds()));
  std::vector<contestant> some = settings_of_cutlass(all);
  const std::size_t own = some.size();
  std::vector<std::unique_ptr<group_order<cooperative>>> orders;
  const auto add = [&](const std::string& name, const std::optional<recipe>& by) {
    orders.push_back(std::make_unique<group_order<cooperative>>(all, of.rows, by));
    orders.back()->prepare(all);
    heddle::guest::cutlass_groups how{};
    how.order = orders.back()->order;
    some.push_back(contestant_by<heddle::guest::dealt>("dealt, " + name, all, how));
    some.push_back(contestant_by<heddle::guest::drawn>("drawn, " + name, all, how));
    for (std::size_t at = some.size() - 2; at < some.size(); ++at) {
      all.d.set_bytes(0x7f);
      if (some[at].launch(nullptr) != cutlass::Status::kSuccess || !are_equal(all.d, all.expected)) {
        refuse(some[at].by + ": it drops tiles");
      }
    }
  };
  add("as numbered", {});
  const std::size_t dealt = own, drawn = own + 1;
  const recipe usual = orders[0]->by;
  recipe heaviest = usual;
  heaviest.sequence = group_sequence::heaviest_first;
  add("heaviest first", heaviest);
  for (const int width : {4, 8, 16}) {
    for (const axis along : {axis::x, axis::y}) {
      const recipe by{.order = recipe::thread_group_tiling, .width = width, .axis = along};
      if (by != usual) add(std::to_string(width) + (along == axis::x ? " x" : " y"), by);
    }
  }
  const auto& prepared = *orders.front();
  some.push_back({"dealt, as numbered, with its preparation", [&, launch = some[dealt].launch](cudaStream_t stream) {
                    prepared.prepare(all, stream);
                    return launch(stream);
                  }});
  run(some, rounds);
  const double best = median(some[fastest(some, 0, own)].ms);
  for (const contestant& each : some) {
    const double ms = median(each.ms);
    std::printf("  %.3f  %.4f ms  %.0f TFLOP/s  %s\n", best / ms, ms,
                2e-9 * static_cast<double>(sizes.multiply_adds()) / ms, each.by.c_str());
    json.add(json_object().add("workload", of.name).add("by", each.by).add("ms", ms, 5).add("over_best", best / ms, 4));
  }
  double best_dealt = 1e9, best_drawn = 1e9;
  for (std::size_t at = own; at + 1 < some.size(); ++at) {
    double& least = (at - own) % 2 == 0 ? best_dealt : best_drawn;
    least = std::min(least, median(some[at].ms));
  }
  all_means.add("over CUTLASS's best: dealt, as numbered", best / median(some[dealt].ms));
  all_means.add("over CUTLASS's best: drawn, heaviest first", best / median(some[drawn + 2].ms));
  all_means.add("over CUTLASS's best: best dealt", best / best_dealt);
  all_means.add("over CUTLASS's best: best drawn", best / best_drawn);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (!has_gpu("bench_cutlass_grouped", hopper_only)) return skipped;
  int rounds = 15;
  std::string json_name;
  parse_options(
      count, arguments,
      "Times a grouped kernel of CUTLASS by its own scheduler and by heddle's, in turns. A number is the time of\n"
      "CUTLASS's fastest setting that drops no tile over that of the row.",
      {{"--rounds", "R", "rounds of each comparison", number(rounds, 1, 999)},
       {"--json", "FILE", "write the figures as JSON", file(json_name)}});
  json_file json(json_name, context_json());
  json.add_members(
      json_object().add("cluster", std::to_string(in_cluster.rows) + " x " + std::to_string(in_cluster.cols)));
  json.begin_list("groups");
  means all;
  for (const workload& of : workloads) compare(of, rounds, json, all);
  std::printf("\n");
  all.print();
  json.finish();
  return 0;
}
