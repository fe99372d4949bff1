// Small kernels of the kinds that people write, as they write them, and over the policy of heddle that its pages
// recommend for their kind. Both take turns in one process, and must leave the same words. A guard
// over both then has one of them as number 0, and the other.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <heddle/choose/guard.hpp>

#include "common/context.hpp"
#include "common/options.hpp"
#include "common/timing.hpp"
#include "decode.cuh"
#include "lines.cuh"
#include "lists.cuh"
#include "lookups.cuh"
#include "pairs.cuh"
#include "paths.cuh"
#include "small.cuh"
#include "tiles.cuh"
#include "voxels.cuh"

using namespace heddle_bench;
using namespace wild;

namespace {

struct options {
  int rounds = 7;
  std::string json;
};

__global__ void add_up(const unsigned* of, std::size_t count, unsigned long long* sum) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    mine += 0x9e3779b97f4a7c15ull * (mix(of[i] ^ mix(static_cast<unsigned>(i))) + 1ull);
  }
  atomicAdd(sum, mine);
}

/// Returns a number for what a form leaves behind.
unsigned long long mark_of(const contest& one, const std::function<void()>& form) {
  const device_array<unsigned long long> sum(1);
  sum.set_bytes(0);
  one.result->set_bytes(0x55);
  form();
  check(cudaGetLastError());
  add_up<<<1024, 256>>>(one.result->data(), one.result->size(), sum.data());
  return sum.first();
}

/// Returns the milliseconds of so many calls, each between two events, with a synchronisation at every sixteenth.
template <class Call>
std::vector<double> times_of(int calls, const Call& call) {
  constexpr int in_flight = 16;
  event_timer timers[in_flight];
  std::vector<double> found;
  for (int first = 0; first < calls; first += in_flight) {
    const int end = std::min(in_flight, calls - first);
    for (int i = 0; i < end; ++i) timers[i].begin(), call(first + i), timers[i].end();
    for (int i = 0; i < end; ++i) found.push_back(timers[i].read());
  }
  return found;
}

/// Calls of one key by a guard, and as many of its number 0 and of the better form without one, in milliseconds per
/// call.
struct guarded_times {
  double all = 0, late = 0;    // of all calls, and of the second half
  double first = 0, best = 0;  // of number 0, and of the better form in the second half
  double most = 0;             // of all calls, by the bound
  double events = 0;           // of one call in twelve
  bool is_within() const { return all <= most; }
  bool is_best() const { return late - events <= 1.02 * best; }

  void print(const char* name) const {
    std::printf(
        "%16s %9.3f ms a call, at most %.3f by the bound%s; at last %.4f, %.4f for events, the better one %.4f%s\n",
        name, all, most, is_within() ? "" : ", WHICH IS BROKEN", late, events, best,
        is_best() ? "" : ", BY MORE THAN 2 %");
  }
  void add_to(json_object& json, const std::string& name) const {
    json.add(name + "_ms", all, 4)
        .add(name + "_late_ms", late, 4)
        .add(name + "_first_ms", first, 4)
        .add(name + "_best_ms", best, 4)
        .add(name + "_events_ms", events, 5)
        .add(name + "_bound_ms", most, 4)
        .add(name + "_is_within", is_within())
        .add(name + "_is_best", is_best());
  }
};

/// Returns by how many milliseconds a call takes longer with two events in it.
double milliseconds_of_events() {
  event_timer inside;
  double with = 0, without = 0;
  for (const double each : times_of(200, [](int) {})) without += each / 200;
  for (const double each : times_of(200, [&](int) { inside.begin(), inside.end(); })) with += each / 200;
  return std::max(0.0, with - without);
}

/// Calls two keys: for the first the kernel as people write it is number 0, for the second that over heddle. Each form
/// runs without a guard as often. The four come in random order, since a kernel's time depends on what the one before
/// it left in L2. The bound is that of heddle::guard: 1.01 times what number 0 takes, two launches of each candidate,
/// and the events of calls that are timed: those that are undecided, and a tenth of the others.
std::pair<guarded_times, guarded_times> guarded(const contest& one, double before, double after) {
  // A thousand calls of a key, or a second of them.
  const int calls = std::clamp(static_cast<int>(1000 / std::max(before, after)), 100, 1000);
  const double of_events = milliseconds_of_events();
  heddle::guard guard{2};
  double timed[2]{};
  std::vector<int> turns(static_cast<std::size_t>(4 * calls));
  std::mt19937 random(1);
  for (auto at = turns.begin(); at != turns.end(); at += 4) {
    std::iota(at, at + 4, 0);
    std::shuffle(at, at + 4, random);
  }
  const std::vector<double> times = times_of(4 * calls, [&](int call) {
    const int key = turns[static_cast<std::size_t>(call)] / 2;
    if (turns[static_cast<std::size_t>(call)] % 2 == 0) return (key == 0 ? one.before : one.after)();
    const auto of = static_cast<std::uint64_t>(key);
    timed[key] += guard.decision(of) ? 0.1 : 1;
    check(guard(nullptr, of, [&](int which) {
      (which == key ? one.before : one.after)();
      return cudaGetLastError();
    }));
  });
  guarded_times found[2]{};
  double alone_late[2]{};
  for (int call = 0; call < 4 * calls; ++call) {
    const double each = times[static_cast<std::size_t>(call)] / calls;
    const int turn = turns[static_cast<std::size_t>(call)], key = turn / 2;
    const bool is_late = call >= 2 * calls;
    if (turn % 2 == 0) {
      found[key].first += each, alone_late[key] += is_late ? 2 * each : 0;
    } else {
      found[key].all += each, found[key].late += is_late ? 2 * each : 0;
    }
  }
  for (int key = 0; key < 2; ++key) {
    found[key].best = std::min(alone_late[0], alone_late[1]);
    found[key].events = of_events / 12;
    found[key].most =
        1.01 * found[key].first + (2 * (found[0].first + found[1].first) + timed[key] * of_events) / calls;
  }
  return {found[0], found[1]};
}

/// Measures one contest. Returns whether all forms left the same.
bool measure(const contest& one, const options& chosen, json_file& json) {
  event_timer timer;
  const int times = 1 + static_cast<int>(5 / timer.milliseconds(one.before));  // some five milliseconds at once
  const advice said = one.ask ? one.ask() : advice{};
  const unsigned long long expected = mark_of(one, one.before);
  const bool is_same = expected == mark_of(one, one.after) && (!said.run || expected == mark_of(one, said.run));
  std::vector<double> before, after, followed;
  for (int round = 0; round < chosen.rounds; ++round) {
    before.push_back(timer.milliseconds_of_each(times, one.before));
    after.push_back(timer.milliseconds_of_each(times, one.after));
    if (said.run) followed.push_back(timer.milliseconds_of_each(times, said.run));
  }
  const double first = median(before), then = median(after);
  const auto [by_guard, turned] = guarded(one, first, then);
  std::printf("%-16s %9.3f ms before, %9.3f after: %6.3f times as fast by %s%s\n", one.kind.c_str(), first, then,
              first / then, one.policy.c_str(), is_same ? "" : ", BUT ANOTHER RESULT");
  by_guard.print("guarded"), turned.print("turned round");
  json_object row;
  row.add("kind", one.kind)
      .add("what", one.what)
      .add("policy", one.policy)
      .add("before_ms", first, 4)
      .add("after_ms", then, 4);
  if (said.run) {
    const double as_said = median(followed);
    row.add("advised", said.by).add("advised_ms", as_said, 4);
    std::printf("%16s %9.3f ms: %6.3f times as fast by %s\n", "as advised", as_said, first / as_said, said.by.c_str());
  }
  by_guard.add_to(row, "guarded"), turned.add_to(row, "turned");
  json.add(row);
  return is_same;
}

int run(const options& chosen) {
  if (!has_gpu(program_invocation_short_name)) return skipped;
  json_file json(chosen.json, context_json().add("rounds", chosen.rounds));
  json.begin_list("kinds");
  bool all_same = true;
  for (const auto make : {of_product, of_attention, of_filter, of_splatting<false>, of_paths, of_graph<false>,
                          of_sparse_product, of_culling<false>, of_histogram, of_fractal, of_even_decoding,
                          of_skewed_decoding, of_suppression, of_some_voxels<true, false>, of_some_voxels<false, false>,
                          of_some_voxels<true, true>, of_some_voxels<false, true>}) {
    all_same = measure(make(), chosen, json) && all_same;
  }
  json.end();
  json.begin_list("even_and_skewed");
  for (const auto make : {of_votes, of_octree, of_level, of_lookups, of_decode}) {
    for (const bool even : {false, true}) all_same = measure(make(even), chosen, json) && all_same;
  }
  for (const auto make : {of_graph<true>, of_splatting<true>, of_culling<true>})
    all_same = measure(make(), chosen, json) && all_same;
  json.end();
  json.begin_list("lines");
  each_line([&](const contest& one) { all_same = measure(one, chosen, json) && all_same; });
  json.finish();
  return all_same ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  options chosen;
  parse_options(count, arguments, "Small kernels of every kind, before and after heddle.\n",
                {{"--rounds", "R", "turns of each form; the median counts", number(chosen.rounds, 1, 1000)},
                 {"--json", "FILE", "write figures there", file(chosen.json)}});
  return run(chosen);
}
