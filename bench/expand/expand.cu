// What expansion costs: the strategies of heddle beside what else one would do.

#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "common/context.hpp"
#include "common/device.hpp"
#include "common/timing.hpp"
#include "device_launch.cuh"
#include "graphs.cuh"
#include "passes.cuh"
#include "use.cuh"

using namespace heddle;
using namespace heddle_bench;

namespace {

constexpr const char* help = R"(bench_expand [options]

Work expansion: every source spawns n items, and every item is stored as {source, rank}, 8 bytes. Time covers all of it:
begin, production, lookup and the store. Contestants take turns in one process on the same data, and each result is
checked before it is timed.

  loop           a thread a source, which deals with its own items one after another: one pass
  upper_bound    CUB's scan, and then a binary search for every item
  run_length     CUB's scan, and then cub::BlockRunLengthDecode: a block for every 1024 sources
  thrust         Thrust's idiom: scan, scatter, running maximum, and a pass that writes
  device_launch  a launch from the device for each source, of rows of at most 2^14 of them; its memory is the driver's
  from_n         power_of_two without the stored offset
  fixed<32>      of rows in which no n is above 32; its items have no slot, so where each belongs is known beforehand
  the others     the strategies of heddle; in the first pass eight sources a thread, four of less than 2^20

  floor          the time of storing the items alone, at the speed of a plain kernel of the same run
  warm           medians of launches one after another, us: up to eight in a millisecond without a wait, so that it is
                 not the host that is timed; cold: of one, after the L2 was filled with something else

  --consumer <store>  what is done with an item: store writes it down, 8 bytes; gather reads 8 bytes from anywhere
                      first; null only looks at it; all: each of them
  --most <28>         rows of about 2^28 items at most
  --rows <text>       rows with this in their names
  --rounds <9>        how often each contestant runs, less often where that takes more than 20 ms; the median counts
  --graph             rows of at most 2^18 sources by replays of a graph, 20 one after another, of begin and both
                      passes: with the grid of the second pass `fixed`, as many blocks as are resident at once, and
                      `indirect`, set on the device; these only store
  --json <file>       every contestant's time, [warm, cold]
  --help
)";

constexpr int threads = 256;
constexpr unsigned most_of_launches = 1 << 14, most_of_graphs = 1 << 18;  // sources

using with_offset = power_of_two<run_offset::stored>;
using without_offset = power_of_two<run_offset::from_n>;

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

/// Where items have no slot.
template <expander Work, class Use>
__global__ void consume_into(const __grid_constant__ Work work, const unsigned* begin, Use use) {
  __shared__ typename Work::storage smem;
  for (const item each : work.items(smem)) use(begin[each.source] + each.rank, each);
}

// What else one would do.

template <class Use>
__global__ void loop(const unsigned* n, const unsigned* begin, unsigned size, Use use) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source >= size) return;
  for (unsigned rank = 0; rank < n[source]; ++rank) use(begin[source] + rank, {source, rank});
}

template <class Use>
__global__ void search(const unsigned* end, unsigned size, unsigned items, Use use) {
  const unsigned slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot >= items) return;
  unsigned first = 0, last = size;
  while (first < last) {
    const unsigned middle = first + (last - first) / 2;
    if (end[middle] <= slot) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  use(slot, {first, slot - (first == 0 ? 0 : end[first - 1])});
}

/// The decoder knows no runs of nothing: those of a block that are none go first. Items come out eight a thread, and
/// change places, so that what is stored at a time lies together.
template <class Use>
__global__ void decode(const unsigned* n, const unsigned* end, unsigned size, Use use) {
  constexpr int runs = 4, at_a_time = 8;
  using scan = cub::BlockScan<unsigned, threads>;
  using decoder = cub::BlockRunLengthDecode<unsigned, threads, runs, at_a_time>;
  using exchange = cub::BlockExchange<unsigned long long, threads, at_a_time>;
  __shared__ union {
    typename scan::TempStorage scan;
    typename exchange::TempStorage exchange;
  } smem;
  __shared__ typename decoder::TempStorage of_decoder;
  __shared__ unsigned live[threads * runs], live_n[threads * runs];
  const unsigned of_block = blockIdx.x * threads * runs, mine = threadIdx.x * runs;
  unsigned spawning[runs], before[runs], sources[runs], of_each[runs], count = 0, all = 0;
  for (unsigned i = 0; i < runs; ++i) {
    of_each[i] = of_block + mine + i < size ? n[of_block + mine + i] : 0;
    spawning[i] = of_each[i] > 0;
  }
  scan(smem.scan).ExclusiveSum(spawning, before, count);
  for (unsigned i = 0; i < runs; ++i) {
    if (spawning[i] == 0) continue;
    live[before[i]] = of_block + mine + i;
    live_n[before[i]] = of_each[i];
  }
  __syncthreads();
  for (unsigned i = 0; i < runs; ++i) {
    sources[i] = mine + i < count ? live[mine + i] : 0;
    of_each[i] = mine + i < count ? live_n[mine + i] : 0;
  }
  decoder runs_of_block(of_decoder, sources, of_each, all);
  const unsigned begin = of_block == 0 ? 0 : end[of_block - 1];
  for (unsigned window = 0; window < all; window += threads * at_a_time) {
    unsigned found[at_a_time], ranks[at_a_time];
    runs_of_block.RunLengthDecode(found, ranks, window);
    unsigned long long items[at_a_time];
    for (int i = 0; i < at_a_time; ++i) items[i] = (1ull * ranks[i] << 32) + found[i];
    __syncthreads();
    exchange(smem.exchange).BlockedToStriped(items);
    for (int i = 0; i < at_a_time; ++i) {
      const unsigned slot = window + static_cast<unsigned>(i) * threads + threadIdx.x;
      if (slot >= all) break;
      use(begin + slot, {static_cast<unsigned>(items[i]), static_cast<unsigned>(items[i] >> 32)});
    }
  }
}

__global__ void scatter(const unsigned* n, const unsigned* begin, unsigned size, unsigned* owner) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source < size && n[source] > 0) owner[begin[source]] = source;
}

template <class Use>
__global__ void write(const unsigned* owner, const unsigned* begin, unsigned items, Use use) {
  const unsigned slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot < items) use(slot, {owner[slot], slot - begin[owner[slot]]});
}

__global__ void store(unsigned items, item* out) {
  for (unsigned slot = blockIdx.x * blockDim.x + threadIdx.x; slot < items; slot += gridDim.x * blockDim.x) {
    out[slot] = {slot, slot};
  }
}

/// An order does not matter to it, and a pair that is missing or there twice does.
__global__ void add_up(const item* items, unsigned count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (unsigned slot = blockIdx.x * blockDim.x + threadIdx.x; slot < count; slot += gridDim.x * blockDim.x) {
    mine += (items[slot].source + 1ull) * (items[slot].rank * 2654435761ull + 40503ull);
  }
  atomicAdd(sum, mine);
}

struct row {
  std::string name;
  std::vector<unsigned> n;
};

/// Means are of all sources, also of those that spawn nothing.
std::vector<row> rows(unsigned long long most_items) {
  std::vector<row> all;
  for (const unsigned log_size : {10u, 14u, 18u, 22u, 24u}) {
    for (const double mean : {0.1, 1.0, 8.0, 16.0, 64.0, 4096.0}) {
      const unsigned size = 1u << log_size;
      if (mean * size > static_cast<double>(most_items)) continue;
      std::mt19937 random(log_size);
      const auto add = [&](const char* kind, auto draw) {
        char name[64];
        std::snprintf(name, sizeof name, "2^%u x %g %s", log_size, mean, kind);
        row next{name, std::vector<unsigned>(size)};
        unsigned long long items = 0;
        for (unsigned i = 0; i < size; ++i) {
          next.n[i] = draw(i);
          if (items + next.n[i] > most_items + most_items / 4) next.n[i] = 0;
          items += next.n[i];
        }
        all.push_back(std::move(next));
      };
      const auto share = [&] { return random() * 0x1p-32; };
      add("uniform", [&](unsigned) { return static_cast<unsigned>(share() * (2 * mean + 1)); });
      if (mean < 1 || log_size < 18) continue;
      add("constant", [&](unsigned) { return static_cast<unsigned>(mean); });
      add("pareto", [&](unsigned) { return static_cast<unsigned>(std::min(65536.0, mean / 10 / (share() + 1e-9))); });
      add("pareto sorted",
          [&](unsigned i) { return static_cast<unsigned>(std::min(65536.0, mean / 10 * size / (i + 1.0))); });
      add("90% zero", [&](unsigned) { return share() < 0.1 ? static_cast<unsigned>(share() * 20 * mean) : 0u; });
      add("99% zero", [&](unsigned) { return share() < 0.01 ? static_cast<unsigned>(share() * 200 * mean) : 0u; });
      add("one huge", [&](unsigned i) { return i == size / 2 ? static_cast<unsigned>(mean * size) : i % 2; });
      add("1 and 64K", [&](unsigned) { return share() * 65536 < mean ? 65536u : 1u; });
    }
  }
  return all;
}

struct options {
  std::FILE* json = nullptr;
  unsigned long long most_items = 1ull << 28;
  int rounds = 9;
  std::string rows, consumer = "store";
  bool graph = false;
};

options parse(int argc, char** argv) {
  options chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--help") {
      std::printf("%s", help);
      std::exit(0);
    } else if (option == "--graph") {
      chosen.graph = true;
      continue;
    }
    const int number = std::atoi(value.c_str());
    if (option == "--json" && !value.empty()) {
      chosen.json = std::fopen(value.c_str(), "w");
      if (chosen.json == nullptr) {
        std::fprintf(stderr, "bench_expand: %s cannot be written\n", value.c_str());
        std::exit(1);
      }
    } else if (option == "--most" && number > 0) {
      chosen.most_items = 1ull << std::min(number, 30);
    } else if (option == "--rounds" && number > 0) {
      chosen.rounds = number;
    } else if (option == "--rows" && !value.empty()) {
      chosen.rows = value;
    } else if (option == "--consumer" && (value == "store" || value == "gather" || value == "null" || value == "all")) {
      chosen.consumer = value;
    } else {
      std::fprintf(stderr, "bench_expand: unknown or incomplete: %s %s\n%s", option.c_str(), value.c_str(), help);
      std::exit(2);
    }
    ++i;
  }
  return chosen;
}

std::size_t bytes_of_scan(unsigned size) {
  std::size_t bytes = 0;
  unsigned* const none = nullptr;
  check(cub::DeviceScan::InclusiveSum(nullptr, bytes, none, none, size));
  return bytes;
}

/// All memory of a run.
struct memory {
  static constexpr unsigned most_sources = 1u << 24;

  unsigned long long room;
  expansion capacity{most_sources, room};
  device_array<unsigned> n{most_sources}, begin{most_sources}, end{most_sources}, owner{room};
  device_array<item> out{room}, table{table_size};
  device_array<char> packed{packed_prefix::state_bytes(capacity)}, scanned{heddle::scanned::state_bytes(capacity)},
      append{heddle::append::state_bytes(capacity)}, fixed{heddle::fixed<32>::state_bytes(capacity)},
      with{with_offset::state_bytes(capacity)}, without{without_offset::state_bytes(capacity)}, flush{256u << 20};
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
  add("power_of_two", with_offset{exact, of.with.data()});
  add("from_n", without_offset{exact, of.without.data()});
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
  // Its begins are known beforehand: to it that is a present. One source of millions takes it seconds, and where
  // nothing is done with an item the compiler leaves it out.
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

template <class... Values>
std::string text(const char* form, Values... values) {
  char words[96];
  std::snprintf(words, sizeof words, form, values...);
  return words;
}

/// Whether every item is where it should be.
bool is_right(const contestant& one, unsigned items, unsigned long long expected, memory& of) {
  check(cudaMemset(of.out.data(), 0xff, sizeof(item) * items));
  check(cudaMemset(of.sum.data(), 0, sizeof(unsigned long long)));
  one.run();
  add_up<<<1024, threads>>>(of.out.data(), items, of.sum.data());
  unsigned long long found = 0;
  check(cudaMemcpy(&found, of.sum.data(), sizeof found, cudaMemcpyDeviceToHost));
  return found == expected;
}

}  // namespace

int main(int argc, char** argv) {
  options chosen = parse(argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device here, nothing was run\n");
    return 0;
  }
  if (chosen.graph) chosen.consumer = "store";
  if (chosen.graph && !makes_room_for_device_launches(1)) {
    std::printf("--graph has no code for this GPU, nothing was run\n");
    return 0;
  }
  memory of{chosen.most_items + chosen.most_items / 2};
  check(cudaMemset(of.table.data(), 0, sizeof(item) * table_size));
  event_timer timer;
  const auto microseconds = [&](const auto& run) { return timer.milliseconds(run) * 1000; };

  std::printf("%-26s %10s  %-6s %-22s %9s %9s %8s %9s\n", "row", "items", "each", "contestant", "warm, us", "cold, us",
              "of floor", "MB");
  if (chosen.json != nullptr) {
    std::fprintf(chosen.json, "{\n\"context\": {%s, \"rounds\": %d},\n\"rows\": [\n", context_members().c_str(),
                 chosen.rounds);
  }
  const char* separator = "";
  for (const row& each : rows(chosen.most_items)) {
    const auto size = static_cast<unsigned>(each.n.size());
    if (each.name.find(chosen.rows) == std::string::npos || (chosen.graph && size > most_of_graphs)) continue;
    unsigned long long total = 0, expected = 0;
    std::vector<unsigned> begins(size);
    for (unsigned source = 0; source < size; ++source) {
      const unsigned long long n = each.n[source];
      begins[source] = static_cast<unsigned>(total);
      total += n;
      expected += (source + 1ull) * (n * (n - (n > 0)) / 2 * 2654435761ull + n * 40503ull);
    }
    if (total == 0 || total > of.room) continue;
    const auto items = static_cast<unsigned>(total);
    check(cudaMemcpy(of.n.data(), each.n.data(), sizeof(unsigned) * size, cudaMemcpyHostToDevice));
    check(cudaMemcpy(of.begin.data(), begins.data(), sizeof(unsigned) * size, cudaMemcpyHostToDevice));
    std::vector<float> floors;
    std::string bytes_in_json, times_in_json;
    for (const consumer each_consumer : {consumer::store, consumer::gather, consumer::null}) {
      const char* const its_name = name_of(each_consumer);
      if (chosen.consumer != "all" && chosen.consumer != its_name) continue;
      std::vector<contestant> all = contestants_of(each_consumer, chosen.graph, each, items, of);
      for (const contestant& one : all) {
        if (each_consumer == consumer::null || is_right(one, items, expected, of)) continue;
        std::fprintf(stderr, "%s, %s: %s is wrong\n", each.name.c_str(), its_name, one.name.c_str());
        return 1;
      }
      for (contestant& one : all) {
        if (!chosen.graph) one.at_once = std::clamp(static_cast<int>(1000 / microseconds(one.run)), 1, 8);
      }
      for (int round = 0; round < chosen.rounds; ++round) {
        floors.push_back(microseconds([&] { store<<<1056, threads>>>(items, of.out.data()); }));
        for (contestant& one : all) {
          if (round > 0 && one.warm[0] > 20'000) continue;
          one.warm.push_back(microseconds([&] {
                               for (int i = 0; i < one.at_once; ++i) one.run();
                             }) /
                             static_cast<float>(one.at_once));
          check(cudaMemset(of.flush.data(), round, 256u << 20));
          one.cold.push_back(microseconds(one.run));
        }
      }
      bytes_in_json = "";
      times_in_json += std::string(", \"") + its_name + "_us\": {";
      for (contestant& one : all) {
        const float warm = median(one.warm), cold = median(one.cold);
        std::printf("%-26s %10u  %-6s %-22s %9.1f %9.1f %8.2f %9.1f\n", each.name.c_str(), items, its_name,
                    one.name.c_str(), warm, cold, median(floors) / warm, one.bytes * 1e-6);
        const char* const comma = bytes_in_json.empty() ? "" : ", ";
        bytes_in_json += text("%s\"%s\": %.0f", comma, one.name.c_str(), one.bytes);
        times_in_json += text("%s\"%s\": [%.1f, %.1f]", comma, one.name.c_str(), warm, cold);
      }
      times_in_json += "}";
      std::fflush(stdout);
    }
    if (chosen.json == nullptr) continue;
    std::fprintf(
        chosen.json, "%s{\"row\": \"%s\", \"sources\": %u, \"items\": %u, \"floor_us\": %.1f, \"bytes\": {%s}%s}",
        separator, each.name.c_str(), size, items, median(floors), bytes_in_json.c_str(), times_in_json.c_str());
    separator = ",\n";
  }
  if (chosen.json != nullptr) {
    std::fprintf(chosen.json, "\n]\n}\n");
    std::fclose(chosen.json);
  }
  return 0;
}
