// Attention by one kernel over orders, sections of heads and schedules: all of them, what `advise` says beside the
// best, and what `predict::makespan` says beside the ends of traced launches.

#include <fstream>

#include <heddle/draw/trace_timeline.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>
#include <heddle/trace.hpp>

#include "attention/on_hopper.cuh"
#include "attention/section.hpp"
#include "common/bench.hpp"
#include "gemm/measure.cuh"

namespace {

using namespace heddle_bench;
using heddle::recipe;
using element = __nv_bfloat16;
constexpr int width = 128;
const attention::on_hopper<element, width> kernel;

struct options {
  int rounds = 5;
  std::vector<int> one_pass;
  std::string json, pictures;
};

__global__ void count_differences(const element* some, const element* others, std::size_t count, unsigned* different) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    if (!(some[i] == others[i])) atomicAdd(different, 1u);  // NaN differs
  }
}

/// A problem with its operands on the device.
struct pass {
  attention::problem p;
  device_array<element> q, k, v, o, first;

  explicit pass(const attention::problem& of, bool is_packed = false)
      : p(of),
        q(elements(p.queries, p.heads, is_packed)),
        k(elements(p.keys, p.key_heads, is_packed)),
        v(k.size()),
        o(q.size()),
        first(q.size()) {
    unsigned long long seed = 1;
    for (const auto* const each : {&q, &k, &v}) {
      gemm_bench::fill_normal<<<1024, 256>>>(each->data(), each->size(), seed += 77777777);
    }
  }

  attention::operands operands(const int* key_offsets = nullptr) const {
    return {q.data(), k.data(), v.data(), o.data(), nullptr, key_offsets};
  }

  /// Returns how to launch the kernel over a scheduler.
  template <class Scheduler>
  std::function<void()> over(const Scheduler& scheduler, const int* key_offsets = nullptr) const {
    const auto grid = kernel.grid(scheduler);
    check(grid.error);
    return [=, of = operands(key_offsets), this] { check(kernel.launch(grid, scheduler, p, of, nullptr)); };
  }

  /// Returns whether a launch leaves what the first one left.
  bool agrees(const std::function<void()>& launch, bool is_first) const {
    static const device_array<unsigned> different(1);
    different.set_bytes(0);
    o.set_bytes(0xff);
    launch();
    if (is_first) first.copy_from(o);
    count_differences<<<1024, 256>>>(o.data(), first.data(), o.size(), different.data());
    return different.first() == 0;
  }

 private:
  std::size_t elements(long long tokens, long long heads, bool is_packed) const {
    return static_cast<std::size_t>(tokens * (is_packed ? 1 : p.sequences) * heads * width);
  }
};

struct contender {
  std::string order, schedule;
  long long section;
  std::function<void()> launch;
  double milliseconds = 0;
};

/// Measures bursts of launches in turns, with rests between them. Returns whether all of them leave the same.
bool measure(const pass& some, std::vector<contender>& all, int rounds) {
  event_timer timer;
  bool all_agree = true;
  for (const contender& each : all) {
    if (some.agrees(each.launch, &each == &all.front())) continue;
    std::printf("%s by %s in sections of %lld: ANOTHER RESULT\n", each.order.c_str(), each.schedule.c_str(),
                each.section);
    all_agree = false;
  }
  const int times = 1 + static_cast<int>(2 / timer.milliseconds(all.front().launch));
  std::vector<std::vector<double>> seen(all.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      seen[i].push_back(timer.milliseconds_of_each(times, all[i].launch));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].milliseconds = median(seen[i]);
  return all_agree;
}

/// Returns the state of all schedulers of a kind, which is zeroed once.
template <class Scheduler>
void* state_of() {
  static const auto memory = [] {
    auto made = std::make_unique<device_array<char>>(Scheduler::state_bytes());
    made->set_bytes(0);
    return made;
  }();
  return memory->data();
}

auto bands_of(const attention::problem& p, long long section) {
  return heddle::thread_group_tiling{kernel.tiles(p), section, heddle::axis::x};
}

template <class Order>
auto drawn_late(const Order& order) {
  return heddle::draws_late{heddle::ticket{order, state_of<heddle::ticket<>>()}};
}

/// Returns a causal pass as it is advised: the longest tiles first, in the section of `advise`.
auto advised(const attention::problem& p, const heddle::predict::device& card) {
  return drawn_late(heddle::reversed{bands_of(p, attention::section_of(p, false, card))});
}

/// Returns launches in sections of 1, 2, 4, … 32 heads and in that of `advise`; the first one is head after head.
std::vector<contender> contenders_of(const pass& some, long long advised_section) {
  std::vector<contender> all;
  const attention::problem& p = some.p;
  std::set<long long> sections{advised_section};
  for (long long section = 1; section <= std::min(p.heads * p.sequences, 32LL); section *= 2) sections.insert(section);
  for (const long long section : sections) {
    const auto bands = bands_of(p, section);
    const auto add = [&](const char* order, const char* schedule, const auto& scheduler) {
      all.push_back({order, schedule, section, some.over(scheduler)});
    };
    add("bands", "one_shot", heddle::one_shot{bands});
    add("bands", "strided", heddle::strided{bands});
    add("bands", "ticket, drawn late", drawn_late(bands));
    if (p.right != 0) continue;
    const heddle::reversed longest{bands};
    add("reversed bands", "one_shot", heddle::one_shot{longest});
    add("reversed bands", "strided", heddle::strided{longest});
    add("reversed bands", "ticket", heddle::ticket{longest, state_of<heddle::ticket<>>()});
    add("reversed bands", "ticket, drawn late", drawn_late(longest));
    add("reversed bands", "work_stealing", heddle::work_stealing{longest, state_of<heddle::work_stealing<>>()});
  }
  return all;
}

std::string mask_of(const attention::problem& p) {
  return p.right == 0 ? "causal" : "full";
}

json_object described(const attention::problem& p) {
  return json_object()
      .add("mask", mask_of(p))
      .add("sequences", p.sequences)
      .add("length", p.queries)
      .add("heads", p.heads)
      .add("key_heads", p.key_heads);
}

struct advice_row {
  attention::problem p;
  double raster, advised;
  contender best;
};

/// Measures all contenders of a pass. Returns whether they agree.
bool contest(const attention::problem& p, const heddle::predict::device& card, int rounds, json_file& json,
             std::vector<advice_row>& rows) {
  const pass some(p);
  const long long section = attention::section_of(p, false, card);
  std::vector<contender> all = contenders_of(some, section);
  const bool agree = measure(some, all, rounds);
  const double flops =
      (p.right == 0 ? 2. : 4.) * static_cast<double>(p.sequences * p.queries * p.keys * p.heads) * width;
  advice_row row{p, all.front().milliseconds, 0, all.front()};
  for (const contender& each : all) {
    json.add(described(p)
                 .add("order", each.order)
                 .add("schedule", each.schedule)
                 .add("section", each.section)
                 .add("ms", each.milliseconds, 4)
                 .add("tflops", flops / each.milliseconds * 1e-9, 1));
    if (each.milliseconds < row.best.milliseconds) row.best = each;
    const bool is_advised = p.right == 0 ? each.order == "reversed bands" && each.schedule == "ticket, drawn late"
                                         : each.schedule == "strided";
    if (is_advised && each.section == section) row.advised = each.milliseconds;
  }
  std::printf("%-6s %5lld x %6lld: raster %.3f ms, advised (section %lld) %.3f, best (%lld, %s, %s) %.3f\n",
              mask_of(p).c_str(), p.sequences, p.queries, row.raster, section, row.advised, row.best.section,
              row.best.order.c_str(), row.best.schedule.c_str(), row.best.milliseconds);
  rows.push_back(row);
  return agree;
}

/// Packed sequences of log-normal lengths: head after head as they come, and the longest first.
bool contest_packed(const heddle::predict::device& card, int seed, int rounds, json_file& json) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::vector<int> offsets{0};
  double flops = 0;
  for (int i = 0; i < 64; ++i) {
    const double radius = std::sqrt(-2 * std::log((random() + 1.0) / 4294967296.0)),
                 angle = random() * 6.2831853 / 4294967296.0;
    offsets.push_back(offsets.back() +
                      std::clamp(static_cast<int>(1024 * std::exp(radius * std::cos(angle))), 64, 16384));
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) flops += 2. * 16 * width * std::pow(offsets[i] - offsets[i - 1], 2);
  const long long tokens = offsets.back();
  const pass some({64, tokens, tokens, 16, 16, width, 0.08838835f, attention::unlimited, 0}, true);
  const device_array<int> ends(offsets.size());
  ends.copy_from(offsets.data(), offsets.size());
  const heddle::group_shape groups = kernel.groups(some.p);
  const device_array<char> plain_state(heddle::grouped::state_bytes(groups)), state_of_longest(plain_state.size());
  const heddle::grouped plain(groups, plain_state.data(), 1, heddle::axis::x);
  const auto prepared = [&](const heddle::grouped& order, const std::function<void()>& launch) {
    return [&, order, launch] {
      check(order.prepare_async(ends.data() + 1, nullptr, heddle::group_rows::offsets(ends.data())));
      launch();
    };
  };
  std::vector<contender> all{
      {"as they come", "one_shot", 1, prepared(plain, some.over(heddle::one_shot{plain}, ends.data()))}};
  for (const long long section : {1, 2, 4, 8, 16}) {
    const heddle::grouped longest(groups, state_of_longest.data(), section, heddle::axis::x,
                                  heddle::group_sequence::lightest_first);
    all.push_back({"the longest first", "ticket, drawn late", section,
                   prepared(longest, some.over(drawn_late(heddle::reversed{longest}), ends.data()))});
  }
  const bool agree = measure(some, all, rounds);
  const long long section_of_advice = attention::section_of(some.p, true, card);
  for (const contender& each : all) {
    std::printf("packed, %lld tokens, %s, %lld heads: %.3f ms, %.0f TFLOP/s\n", tokens, each.order.c_str(),
                each.section, each.milliseconds, flops / each.milliseconds * 1e-9);
    json.add(json_object()
                 .add("packed", "64 sequences, log-normal, " + std::to_string(tokens) + " tokens")
                 .add("order", each.order)
                 .add("section", each.section)
                 .add("is_advised", each.order != "as they come" && each.section == section_of_advice)
                 .add("ms", each.milliseconds, 4));
  }
  return agree;
}

/// Traces two launches, and compares the end of the second one with that of `predict::makespan`.
template <class Scheduler>
void trace_under(const pass& some, const Scheduler& scheduler, recipe::schedule_kind kind, const std::string& name,
                 const std::string& pictures, json_file& json) {
  const auto grid = kernel.grid(scheduler);
  check(grid.error);
  const heddle::trace::room room{.blocks = static_cast<int>(grid.config.gridDim.x), .tiles = 128, .launches = 2};
  const device_array<char> memory(room.bytes());
  memory.set_bytes(0);
  const heddle::trace::buffer buffer{room, memory.data(), memory.bytes()};
  const auto launch = some.over(heddle::traced{scheduler, buffer});
  launch(), launch();
  const auto [report, error] = heddle::trace::read(buffer, nullptr);
  check(error);
  const auto numbers = heddle::trace::summarize(report, 1, scheduler.order(), {.schedule = kind});
  std::printf("%lld causal, %s: traced until %.1f us, predicted %.1f\n", some.p.queries, name.c_str(),
              numbers.time * 1e-3, numbers.predicted * 1e-3);
  json.add(described(some.p)
               .add("schedule", name)
               .add("traced_us", numbers.time * 1e-3, 1)
               .add("predicted_us", numbers.predicted * 1e-3, 1));
  if (pictures.empty() || some.p.queries != 4096) return;
  const std::string path = pictures + "/attention_" + (kind == recipe::ticket ? "longest_first" : "raster") + ".svg";
  std::ofstream picture(path, std::ios::binary);
  picture << heddle::draw::timeline(report, {.title = "A trace of causal attention, " + name,
                                             .heading = "4 x 16 heads of 4096 tokens, " + name,
                                             .launch = 1});
  if (!picture.flush()) refuse("--pictures: '" + path + "' cannot be written");
}

attention::problem causal(long long sequences, long long length, long long heads = 16, long long key_heads = 16) {
  return {sequences, length, length, heads, key_heads, width, 0.08838835f, attention::unlimited, 0};
}

int run(const options& chosen) {
  if (!has_gpu(program_invocation_short_name, hopper_only)) return skipped;
  const auto [card, error] = heddle::current_device();
  check(error);
  if (!chosen.one_pass.empty()) {
    const pass some(causal(chosen.one_pass[0], chosen.one_pass[1], chosen.one_pass[2], chosen.one_pass[3]));
    some.over(advised(some.p, card))();
    check(cudaDeviceSynchronize());
    return 0;
  }

  json_file json(chosen.json, context_json().add("rounds", chosen.rounds));
  bool agree = true;
  std::vector<advice_row> rows;
  json.begin_list("orders");
  for (const bool is_causal : {true, false}) {
    for (const int length : {1024, 2048, 4096, 8192, 16384}) {
      attention::problem p = causal(16384 / length, length);
      if (!is_causal) p.right = attention::unlimited;
      agree = contest(p, card, chosen.rounds, json, rows) && agree;
    }
  }
  for (const int length : {32768, 65536, 131072}) agree = contest(causal(1, length), card, 3, json, rows) && agree;
  json.end();
  json.begin_list("sections");
  for (const advice_row& each : rows) {
    json.add(
        described(each.p)
            .add("raster_ms", each.raster, 4)
            .add("advised_ms", each.advised, 4)
            .add("best_ms", each.best.milliseconds, 4)
            .add("best", each.best.order + " of " + std::to_string(each.best.section) + ", " + each.best.schedule));
  }
  json.end();
  json.begin_list("packed_orders");
  for (const int seed : {1, 2, 3}) agree = contest_packed(card, seed, chosen.rounds, json) && agree;
  json.end();
  json.begin_list("ends");
  for (const int length : {1024, 2048, 4096, 8192, 16384}) {
    const pass some(causal(16384 / length, length));
    trace_under(some, heddle::one_shot{bands_of(some.p, 1)}, recipe::one_shot, "head after head", chosen.pictures,
                json);
    trace_under(some, advised(some.p, card), recipe::ticket, "the longest first", chosen.pictures, json);
  }
  json.finish();
  return agree ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  options chosen;
  parse_options(
      count, arguments,
      "Attention (bf16, heads of 128 elements) by one kernel, over orders, sections of heads and schedules.\n",
      {{"--rounds", "R", "turns of each; the median counts", number(chosen.rounds, 1, 1000)},
       {"--pass", "SEQUENCES,LENGTH,HEADS,KEY_HEADS", "launch this causal pass once as advised, for a profiler",
        numbers(chosen.one_pass, 1, 1 << 20)},
       {"--pictures", "FOLDER", "draw time lines of 4096 tokens there", file(chosen.pictures)},
       {"--json", "FILE", "write figures there", file(chosen.json)}});
  if (!chosen.one_pass.empty() && chosen.one_pass.size() != 4) refuse("--pass takes four numbers");
  return run(chosen);
}
