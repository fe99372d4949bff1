// FlashAttention-3's forward kernel by its own schedulers and by heddle's, and heddle's own kernel beside it.
// tests/guests/check_flash builds it over a checkout of FlashAttention.

#include <heddle/schedule/draws_late.hpp>

#include "attention/on_hopper.cuh"
#include "attention/section.hpp"
#include "guests/contest.hpp"
#include "guests/flash.cuh"

namespace {

using namespace heddle_bench;
using flash_guest::pass;
using flash_guest::problem;

/// Returns a contestant that checks its launches itself.
guests::contestant contestant_by(const std::string& name, const std::function<void()>& launch) {
  return {name, [=](cudaStream_t) {
            launch();
            return cutlass::Status::kSuccess;
          }};
}

/// Returns how to enqueue a pass of heddle's own kernel, its longest tiles first, or head after head if all are as
/// long.
std::function<void()> own_kernel(const pass& all, const heddle::predict::device& card) {
  static const attention::on_hopper<flash_guest::element, flash_guest::width> kernel;
  static const device_array<char> state(heddle::ticket<>::state_bytes());
  static const bool is_zeroed = (state.set_bytes(0), true);
  const problem& of = all.of();
  attention::problem p{static_cast<long long>(of.lengths.size()),
                       of.lengths[0],
                       of.lengths[0],
                       of.heads,
                       of.key_heads,
                       flash_guest::width,
                       0.08838834764831845f};
  if (!of.has("full")) p.right = 0;
  const attention::operands operands{all.q().data(), all.k().data(), all.v().data(), all.o().data(),
                                     all.logarithms().data()};
  const auto over = [=](const auto& scheduler) -> std::function<void()> {
    const auto grid = kernel.grid(scheduler);
    check(grid.error);
    return [=] { check(kernel.launch(grid, scheduler, p, operands, nullptr)); };
  };
  const heddle::extent tiles = kernel.tiles(p);
  if (!is_zeroed || of.has("full")) return over(heddle::strided{heddle::column_major{tiles}});
  const heddle::thread_group_tiling bands{tiles, attention::section_of(p, false, card), heddle::axis::x};
  return over(heddle::draws_late{heddle::ticket{heddle::reversed{bands}, state.data()}});
}

void compare(const std::string& name, const problem& of, const heddle::predict::device& card, int rounds,
             json_file& json, std::vector<json_object>& beside, guests::means& means) {
  const auto launchers = flash_guest::launchers_of(of.kind);
  if (launchers.empty()) return;
  const pass all(of);
  std::vector<guests::contestant> some;
  for (const auto& [by, launch] : launchers) {
    const auto enqueue = all.by(by);
    some.push_back(contestant_by(by, [=] { enqueue(nullptr); }));
  }
  const bool has_own_kernel = of.kind == "causal" || of.has("full_pair");
  if (has_own_kernel) some.push_back(contestant_by("own_kernel", own_kernel(all, card)));
  guests::run(some, rounds);

  double heddle = 0, best = 1e9, own_kernel = 0;
  std::printf("%-15s %-28s", of.kind.c_str(), name.c_str());
  for (const guests::contestant& each : some) {
    const double ms = median(each.ms);
    (each.by == "heddle"       ? heddle
     : each.by == "own_kernel" ? own_kernel
                               : best) = each.by == "heddle" || each.by == "own_kernel" ? ms : std::min(best, ms);
    std::printf("  %s %.0f", each.by.c_str(), of.flops() / ms * 1e-9);
    const auto [least, most] = std::minmax_element(each.ms.begin(), each.ms.end());
    json_object row;
    row.add("kind", of.kind)
        .add("sequences", name)
        .add("tokens", of.tokens())
        .add("heads", of.heads)
        .add("key_heads", of.key_heads)
        .add("by", each.by)
        .add("ms", ms, 5)
        .add("least", *least, 5)
        .add("most", *most, 5)
        .add("tflops", of.flops() / ms * 1e-9, 4);
    if (each.by != "own_kernel") json.add(row);
    if (has_own_kernel) beside.push_back(row);
  }
  std::printf("  heddle over the best %.4f", best / heddle);
  if (has_own_kernel) std::printf("  own kernel %.3f", best / own_kernel);
  std::printf("\n");
  std::fflush(stdout);
  means.add(of.kind + ", over FlashAttention's best", best / heddle);
  if (has_own_kernel) means.add(of.kind + ", heddle's own kernel", best / own_kernel);
}

std::vector<int> log_normal(int count, int least, int most, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> length(std::log(1024.), 1);
  std::vector<int> lengths;
  for (int i = 0; i < count; ++i) lengths.push_back(std::clamp(static_cast<int>(length(random)), least, most));
  return lengths;
}

}  // namespace

int main(int count, char** arguments) {
  if (!has_gpu("bench_flash_attention", hopper_only)) return skipped;
  int rounds = 15;
  std::string json_name;
  parse_options(
      count, arguments,
      "Times FlashAttention-3's forward kernel by its own schedulers, by heddle's, and heddle's own kernel, in turns.\n"
      "Numbers are TFLOP/s; a ratio is the time of FlashAttention's fastest scheduler over the other.",
      {{"--rounds", "R", "rounds of each comparison", number(rounds, 1, 999)},
       {"--json", "FILE", "write the figures as JSON", file(json_name)}});
  const auto [card, error] = heddle::current_device();
  check(error);
  json_file json(json_name, context_json());
  json.begin_list("passes");
  guests::means means;
  std::vector<json_object> beside;
  const auto contest = [&](const std::string& name, const problem& of) {
    compare(name, of, card, rounds, json, beside, means);
  };
  for (const std::string kind : {"causal", "full_pair", "local", "grouped_causal"}) {
    const bool is_grouped = kind == "grouped_causal";
    for (const int length : {1024, 2048, 4096, 8192, 16384}) {
      const std::vector<int> lengths(static_cast<std::size_t>(16384 / length), length);
      contest(std::to_string(length), {kind, lengths, is_grouped ? 32 : 16, is_grouped ? 8 : 16, 1024});
    }
  }
  for (const std::string kind : {"packed_causal", "packed_full", "packed_local", "packed_grouped"}) {
    const int heads = kind == "packed_grouped" ? 32 : 16, keys = kind == "packed_grouped" ? 8 : 16;
    for (const unsigned seed : {1u, 2u, 3u}) {
      contest("64, log-normal, " + std::to_string(seed), {kind, log_normal(64, 64, 16384, seed), heads, keys, 1024});
    }
    contest("16, log-normal", {kind, log_normal(16, 64, 16384, 4), heads, keys, 1024});
    contest("2048 of 34", {kind, std::vector<int>(2048, 34), heads, keys, 1024});
  }
  means.print();
  json.end();
  json.begin_list("beside_own_kernel");
  for (const json_object& row : beside) json.add(row);
  json.finish();
  return 0;
}
