// What expansion costs: heddle's strategies compared with the alternatives.

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "baselines.cuh"
#include "common/bench.hpp"
#include "counts.hpp"
#include "device_launch.cuh"
#include "graphs.cuh"
#include "keys.cuh"
#include "levels.cuh"
#include "passes.cuh"
#include "use.cuh"

using namespace heddle;
using namespace heddle_bench;

namespace {

constexpr const char* about =
    R"(Work expansion: every source spawns n items, and every item is stored as {source, rank}, 8 bytes. Time covers
everything: begin, first pass, lookup and the store. Contestants take turns in one process on the same data, and each
result is checked before it is timed.

  loop           one thread per source, which loops over its own items: one pass
  upper_bound    CUB's scan, and then a binary search for every item
  run_length     CUB's scan, and then cub::BlockRunLengthDecode: a block for every 1024 sources
  thrust         Thrust's idiom: scan, scatter, running maximum, and a pass that writes
  device_launch  one launch per source, from the device, in rows of at most 2^14 sources; its memory is the driver's
  fixed<32>      in rows in which no n is above 32; its items have no slot, so their begins are known beforehand
  the others     heddle's strategies; the first pass has eight sources per thread, or four if there are fewer than 2^20

  floor          the time of a plain kernel that only stores as many items, in the same run
  warm           median of launches one after another, in us: up to eight in a millisecond without a wait, so that the
                 GPU is timed and not the host; cold: median of single launches, after the L2 was filled with other data

What is done with an item: store writes it, 8 bytes; gather reads 8 bytes from a random place first; null only looks at
it.
)";

constexpr unsigned most_of_launches = 1 << 14, most_of_graphs = 1 << 18;  // the most sources of such a row

unsigned blocks_for(unsigned long long count, int each = threads) {
  return static_cast<unsigned>((count + static_cast<unsigned>(each) - 1) / static_cast<unsigned>(each));
}

// The strategies.

template <expander Work>
void first_pass(const Work& work, unsigned blocks, const unsigned* n, unsigned size) {
  check(work.begin_async(nullptr));
  size < few ? produce<at_once(0)><<<blocks, of_pass_1>>>(work, n, size)
             : produce<at_once(few)><<<blocks, of_pass_1>>>(work, n, size);
}

/// The second pass for items without a slot.
template <expander Work, class Use>
__global__ void consume_into(const __grid_constant__ Work work, const unsigned* begin, Use use) {
  __shared__ typename Work::storage smem;
  for (const item each : work.items(smem)) use(begin[each.source] + each.rank, each);
}

/// Adds up a hash of the items: the order does not change the sum, but an item that is missing or there twice does.
__global__ void add_up(const item* items, unsigned count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (unsigned slot = blockIdx.x * blockDim.x + threadIdx.x; slot < count; slot += gridDim.x * blockDim.x) {
    mine += (items[slot].source + 1ull) * (items[slot].rank * 2654435761ull + 40503ull);
  }
  atomicAdd(sum, mine);
}

struct options {
  int log_most_items = 28, rounds = 9;
  std::string rows, only, consumer = "store", use = "items", json;
  bool graph = false;

  unsigned long long most_items() const { return 1ull << log_most_items; }
};

options parse(int count, char** arguments) {
  options chosen;
  parse_options(
      count, arguments, about,
      {{"--consumer", "WHAT", "what is done with an item", one_of(chosen.consumer, {"store", "gather", "null", "all"})},
       {"--most", "LOG", "rows of about 2^LOG items at most", number(chosen.log_most_items, 1, 30)},
       {"--rows", "TEXT", "rows with TEXT in their names", text(chosen.rows)},
       {"--only", "NAMES", "contestants with these names, separated by commas", text(chosen.only)},
       {"--rounds", "R", "how often each contestant runs; one that takes more than 20 ms runs once; the median counts",
        number(chosen.rounds, 1, 100'000)},
       {"--graph", "",
        "rows of at most 2^18 sources by replays of a graph, 20 one after another, of begin and both passes: with the "
        "grid of the second pass `fixed`, as many blocks as are resident at once, and `indirect`, set on the device; "
        "these only store",
        flag(chosen.graph)},
       {"--use", "WHAT",
        "items: the rows above; levels: searches of graphs, in one launch and with a launch per level; keys: pairs of a "
        "key and a source, beside CUB's scan and a loop per source",
        one_of(chosen.use, {"items", "levels", "keys"})},
       {"--json", "FILE", "every contestant's time, [warm, cold]", file(chosen.json)}});
  if (chosen.graph) chosen.consumer = "store";
  return chosen;
}

std::size_t bytes_of_scan(unsigned size) {
  std::size_t bytes = 0;
  unsigned* const none = nullptr;
  check(cub::DeviceScan::InclusiveSum(nullptr, bytes, none, none, size));
  return bytes;
}

/// All memory of the benchmark.
struct memory {
  static constexpr unsigned most_sources = 1u << 24;

  unsigned long long room;
  expansion capacity{most_sources, room};
  device_array<unsigned> n{most_sources}, begin{most_sources}, end{most_sources}, owner{room};
  device_array<item> out{room}, table{table_size};
  device_array<char> packed{packed_prefix::state_bytes(capacity)}, scanned{heddle::scanned::state_bytes(capacity)},
      append{heddle::append::state_bytes(capacity)}, fixed{heddle::fixed<32>::state_bytes(capacity)},
      power_of_two{heddle::power_of_two::state_bytes(capacity)}, flush{256u << 20};
  device_array<unsigned long long> sum{1};
  bool launches_from_device = makes_room_for_device_launches(most_of_launches);
  std::size_t scratch_bytes = bytes_of_scan(most_sources);
  device_array<char> scratch{scratch_bytes};
};

template <consumer Consumer>
std::vector<contestant> contestants_for(const row& each, unsigned items, memory& of) {
  const auto size = static_cast<unsigned>(each.n.size());
  const unsigned largest = *std::max_element(each.n.begin(), each.n.end());
  const use<Consumer> with{of.out.data(), of.table.data()};
  using Use = use<Consumer>;
  const int of_block = of_pass_1 * static_cast<int>(at_once(size));
  const unsigned blocks = blocks_for(size, of_block);
  const expansion exact{1ull * blocks * static_cast<unsigned>(of_block), items};
  std::vector<contestant> all;
  const auto add = [&](const char* name, auto work) {
    using Work = decltype(work);
    const launch_config grid = work.grid(consume<Work, Use>, of_pass_2);
    check(grid.error);
    all.push_back({name, static_cast<double>(Work::state_bytes(exact)), [=, &of] {
                     first_pass(work, blocks, of.n.data(), size);
                     check(launch(grid, nullptr, consume<Work, Use>, work, with));
                   }});
  };
  add("packed_prefix", packed_prefix{exact, of.packed.data()});
  add("scanned", scanned{exact, of.scanned.data()});
  add("append", append{exact, of.append.data()});
  add("power_of_two", power_of_two{exact, of.power_of_two.data()});
  if (largest <= 32) {
    const fixed<32> work{exact, of.fixed.data()};
    const launch_config grid = work.grid(consume_into<fixed<32>, Use>, of_pass_2);
    check(grid.error);
    all.push_back({"fixed<32>", static_cast<double>(fixed<32>::state_bytes(exact)), [=, &of] {
                     first_pass(work, blocks, of.n.data(), size);
                     check(launch(grid, nullptr, consume_into<fixed<32>, Use>, work, of.begin.data(), with));
                   }});
  }
  const auto scan = [=, &of] {
    std::size_t bytes = of.scratch_bytes;
    check(cub::DeviceScan::InclusiveSum(of.scratch.data(), bytes, of.n.data(), of.end.data(), size));
  };
  const double scan_bytes = 4.0 * size + static_cast<double>(bytes_of_scan(size));
  all.push_back({"upper_bound", scan_bytes, [=, &of] {
                   scan();
                   search<<<blocks_for(items), threads>>>(of.end.data(), size, items, with);
                 }});
  if (largest < 1u << 22) {
    all.push_back({"run_length", scan_bytes, [=, &of] {
                     scan();
                     decode<<<blocks_for(size, threads * 4), threads>>>(of.n.data(), of.end.data(), size, with);
                   }});
  }
  all.push_back({"thrust", 4.0 * size + 4.0 * items, [=, &of] {
                   const auto policy = thrust::cuda::par_nosync.on(nullptr);
                   std::size_t bytes = of.scratch_bytes;
                   check(cub::DeviceScan::ExclusiveSum(of.scratch.data(), bytes, of.n.data(), of.begin.data(), size));
                   check(cudaMemsetAsync(of.owner.data(), 0, sizeof(unsigned) * items));
                   scatter<<<blocks_for(size), threads>>>(of.n.data(), of.begin.data(), size, of.owner.data());
                   const thrust::device_ptr<unsigned> owners(of.owner.data());
                   thrust::inclusive_scan(policy, owners, owners + items, owners, thrust::maximum<unsigned>());
                   write<<<blocks_for(items), threads>>>(of.owner.data(), of.begin.data(), items, with);
                 }});
  // `loop` gets the begins of the items for free. One source of millions takes it seconds, and if nothing is done with
  // an item the compiler removes the loop.
  if (largest < 1u << 22 && Consumer != consumer::null) {
    all.push_back(
        {"loop", 0, [=, &of] { loop<<<blocks_for(size), threads>>>(of.n.data(), of.begin.data(), size, with); }});
  }
  if (of.launches_from_device && size <= most_of_launches) {
    all.push_back({"device_launch", 0, [=, &of] { launch_from_device(of.n.data(), of.begin.data(), size, with); }});
  }
  return all;
}

const char* name_of(consumer of) {
  return of == consumer::store ? "store" : of == consumer::gather ? "gather" : "null";
}

std::vector<contestant> contestants_of(consumer what, bool graph, const row& each, unsigned items, memory& of) {
  if (graph) {
    return graphs_of(of.n.data(), static_cast<unsigned>(each.n.size()), items, {of.out.data(), of.table.data()},
                     of.packed.data(), of.scanned.data());
  }
  return what == consumer::store    ? contestants_for<consumer::store>(each, items, of)
         : what == consumer::gather ? contestants_for<consumer::gather>(each, items, of)
                                    : contestants_for<consumer::null>(each, items, of);
}

/// Measures the contestants of one row after another.
class bench {
 public:
  explicit bench(const options& chosen)
      : chosen_(chosen),
        json_(chosen.json, context_json().add("rounds", chosen.rounds)),
        of_{chosen.most_items() + chosen.most_items() / 2} {
    of_.table.set_bytes(0);
    json_.begin_list("rows");
    std::printf("%-26s %10s  %-6s %-22s %9s %9s %8s %9s\n", "row", "items", "each", "contestant", "warm, us",
                "cold, us", "of floor", "MB");
  }

  void measure(const row& each) {
    const auto size = static_cast<unsigned>(each.n.size());
    unsigned long long total = 0, expected = 0;
    std::vector<unsigned> begins(size);
    for (unsigned source = 0; source < size; ++source) {
      const unsigned long long n = each.n[source];
      begins[source] = static_cast<unsigned>(total);
      total += n;
      expected += (source + 1ull) * (n * (n - (n > 0)) / 2 * 2654435761ull + n * 40503ull);
    }
    if (total == 0 || total > of_.room) return;
    const auto items = static_cast<unsigned>(total);
    of_.n.copy_from(each.n.data(), size);
    of_.begin.copy_from(begins.data(), size);

    std::vector<float> floors;
    json_object bytes;
    std::vector<std::pair<std::string, json_object>> times;
    for (const consumer what : {consumer::store, consumer::gather, consumer::null}) {
      const std::string its_name = name_of(what);
      if (chosen_.consumer != "all" && chosen_.consumer != its_name) continue;
      std::vector<contestant> all = contestants_of(what, chosen_.graph, each, items, of_);
      if (!chosen_.only.empty()) {
        std::erase_if(all, [names = "," + chosen_.only + ","](const contestant& one) {
          return names.find("," + one.name + ",") == std::string::npos;
        });
      }
      for (const contestant& one : all) {
        if (what == consumer::null || is_right(one, items, expected)) continue;
        std::fprintf(stderr, "bench_expand: %s, %s: %s is wrong\n", each.name.c_str(), its_name.c_str(),
                     one.name.c_str());
        std::exit(1);
      }
      time(all, items, floors);
      bytes = {};
      times.emplace_back(its_name + "_us", json_object());
      for (const contestant& one : all) {
        const float warm = median(one.warm), cold = median(one.cold);
        std::printf("%-26s %10u  %-6s %-22s %9.1f %9.1f %8.2f %9.1f\n", each.name.c_str(), items, its_name.c_str(),
                    one.name.c_str(), warm, cold, median(floors) / warm, one.bytes * 1e-6);
        bytes.add(one.name, one.bytes, 0);
        times.back().second.add(one.name, std::vector<float>{warm, cold}, 1);
      }
      std::fflush(stdout);
    }

    json_object line;
    line.add("row", each.name).add("sources", size).add("items", items).add("floor_us", median(floors), 1);
    line.add("bytes", bytes);
    for (const auto& [name, of_contestants] : times) line.add(name, of_contestants);
    json_.add(line);
  }

  void finish() { json_.finish(); }

 private:
  template <class Run>
  float microseconds(const Run& run) {
    return timer_.milliseconds(run) * 1000;
  }

  /// Returns whether a contestant stores every item once.
  bool is_right(const contestant& one, unsigned items, unsigned long long expected) {
    check(cudaMemset(of_.out.data(), 0xff, sizeof(item) * items));
    of_.sum.set_bytes(0);
    one.run();
    add_up<<<1024, threads>>>(of_.out.data(), items, of_.sum.data());
    return of_.sum.first() == expected;
  }

  /// Measures the contestants in turns, and the store alone in every round.
  void time(std::vector<contestant>& all, unsigned items, std::vector<float>& floors) {
    for (contestant& one : all) {
      if (!chosen_.graph) one.at_once = std::clamp(static_cast<int>(1000 / microseconds(one.run)), 1, 8);
    }
    for (int round = 0; round < chosen_.rounds; ++round) {
      floors.push_back(microseconds([&] { store<<<1056, threads>>>(items, of_.out.data()); }));
      for (contestant& one : all) {
        if (round > 0 && one.warm[0] > 20'000) continue;
        one.warm.push_back(static_cast<float>(timer_.milliseconds_of_each(one.at_once, one.run)) * 1000);
        of_.flush.set_bytes(round);
        one.cold.push_back(microseconds(one.run));
      }
    }
  }

  const options& chosen_;
  json_file json_;
  memory of_;
  event_timer timer_;
};

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  if (!has_gpu(program_invocation_short_name)) return skipped;
  if (chosen.graph && !makes_room_for_device_launches(1)) {
    std::printf("%s: --graph has no code for this GPU: skipped\n", program_invocation_short_name);
    return skipped;
  }
  if (chosen.use != "items") {
    json_file json(chosen.json, context_json().add("rounds", chosen.rounds));
    json.begin_list("rows");
    chosen.use == "levels" ? searches::measure_all(json, chosen.rounds)
                           : pairs_of_keys::measure_all(json, chosen.rounds);
    json.finish();
    return 0;
  }
  bench all(chosen);
  for (const row& each : rows(chosen.most_items())) {
    const bool is_chosen = each.name.find(chosen.rows) != std::string::npos;
    if (is_chosen && (!chosen.graph || each.n.size() <= most_of_graphs)) all.measure(each);
  }
  all.finish();
}
