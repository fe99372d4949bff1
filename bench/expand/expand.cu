// Work expansion: every source spawns n items, and every item is stored as {source, rank}, 8 bytes. Time covers all of
// it: begin, production, lookup and the store. Contestants take turns in one process on the same data, and each result
// is checked before it is timed.
//
//   loop          a thread a source, which writes its own items one after another: one pass
//   upper_bound   CUB's scan, and then a binary search for every item
//   thrust        Thrust's idiom: scan, scatter, running maximum, and a pass that writes
//   from_n        power_of_two without the stored offset
//   fixed<32>     of rows in which no n is above 32; its items have no slot, so where each belongs is known beforehand
//   the others    the strategies of heddle
//
//   floor         the time of storing the items alone, at the speed of a plain kernel of the same run
//   warm          medians of launches one after another, us; cold: after the L2 was filled with something else
//
//   bench_expand [--json <file>] [--most <log2 of items, 28 unless told>] [--rounds <9>]

#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

using namespace heddle;

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class Word>
class array {
 public:
  explicit array(std::size_t count) { check(cudaMalloc(&data_, sizeof(Word) * std::max<std::size_t>(count, 1))); }
  array(const array&) = delete;
  ~array() { cudaFree(data_); }
  Word* data() const { return data_; }

 private:
  Word* data_ = nullptr;
};

constexpr int threads = 256;

using with_offset = power_of_two<run_offset::stored>;
using without_offset = power_of_two<run_offset::from_n>;

unsigned blocks_for(unsigned long long count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

// The strategies.

template <expander Work>
__global__ void produce(const __grid_constant__ Work work, const unsigned* n, unsigned size) {
  __shared__ typename Work::push_storage smem;
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  work.push(smem, source, source < size ? n[source] : 0);
}

template <expander Work>
__global__ void consume(const __grid_constant__ Work work, item* out) {
  __shared__ typename Work::storage smem;
  for (auto place = work.items(smem); place; ++place) out[place.slot()] = *place;
}

/// Where items have no slot.
template <expander Work>
__global__ void consume_into(const __grid_constant__ Work work, const unsigned* begin, item* out) {
  __shared__ typename Work::storage smem;
  for (const item each : work.items(smem)) out[begin[each.source] + each.rank] = each;
}

// What else one would do.

__global__ void loop(const unsigned* n, const unsigned* begin, unsigned size, item* out) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source >= size) return;
  for (unsigned rank = 0; rank < n[source]; ++rank) out[begin[source] + rank] = {source, rank};
}

__global__ void search(const unsigned* end, unsigned size, unsigned items, item* out) {
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
  out[slot] = {first, slot - (first == 0 ? 0 : end[first - 1])};
}

__global__ void scatter(const unsigned* n, const unsigned* begin, unsigned size, unsigned* owner) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source < size && n[source] > 0) owner[begin[source]] = source;
}

__global__ void write(const unsigned* owner, const unsigned* begin, unsigned items, item* out) {
  const unsigned slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot < items) out[slot] = {owner[slot], slot - begin[owner[slot]]};
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
      add("99% zero", [&](unsigned) { return share() < 0.01 ? static_cast<unsigned>(share() * 200 * mean) : 0u; });
      add("one huge", [&](unsigned i) { return i == size / 2 ? static_cast<unsigned>(mean * size) : i % 2; });
      add("1 and 64K", [&](unsigned) { return share() * 65536 < mean ? 65536u : 1u; });
    }
  }
  return all;
}

struct contestant {
  std::string name;
  std::function<void()> run;
  std::vector<float> warm{}, cold{};
};

float median(std::vector<float>& times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

class timer {
 public:
  timer() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  timer(const timer&) = delete;
  ~timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  template <class Run>
  float microseconds(const Run& run) {
    check(cudaEventRecord(begin_));
    run();
    check(cudaGetLastError());
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1000;
  }

 private:
  cudaEvent_t begin_, end_;
};

}  // namespace

int main(int argc, char** argv) {
  std::FILE* json = nullptr;
  unsigned long long most_items = 1ull << 28;
  int rounds = 9;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      json = std::fopen(argv[++i], "w");
      if (json == nullptr) {
        std::fprintf(stderr, "%s cannot be written\n", argv[i]);
        return 1;
      }
    } else if (std::strcmp(argv[i], "--most") == 0 && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      most_items = 1ull << std::min(std::atoi(argv[++i]), 31);
    } else if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      rounds = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "unknown or incomplete: %s\n", argv[i]);
      return 1;
    }
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device here, nothing was run\n");
    return 0;
  }

  const unsigned most_sources = 1u << 24;
  const unsigned long long room = most_items + most_items / 2;
  const expansion capacity{most_sources, room};
  array<unsigned> n(most_sources), begin(most_sources), end(most_sources), owner(room);
  array<item> out(room);
  array<char> packed_state(packed_prefix::state_bytes(capacity)), scanned_state(scanned::state_bytes(capacity)),
      append_state(append::state_bytes(capacity)), fixed_state(fixed<32>::state_bytes(capacity)),
      with_state(with_offset::state_bytes(capacity)), without_state(without_offset::state_bytes(capacity)),
      flush(256u << 20);
  array<unsigned long long> sum(1);
  std::size_t scratch_bytes = 0;
  check(cub::DeviceScan::InclusiveSum(nullptr, scratch_bytes, n.data(), end.data(), most_sources));
  array<char> scratch(scratch_bytes);
  timer timed;

  std::printf("%-24s %10s  %-14s %9s %9s %8s %9s\n", "row", "items", "contestant", "warm, us", "cold, us", "of floor",
              "MB");
  if (json != nullptr) std::fprintf(json, "[\n");
  const char* separator = "";
  for (const row& each : rows(most_items)) {
    const auto size = static_cast<unsigned>(each.n.size());
    unsigned long long total = 0, expected = 0;
    std::vector<unsigned> begins(size);
    for (unsigned source = 0; source < size; ++source) {
      const unsigned long long of = each.n[source];
      begins[source] = static_cast<unsigned>(total);
      total += of;
      expected += (source + 1ull) * (of * (of - (of > 0)) / 2 * 2654435761ull + of * 40503ull);
    }
    if (total == 0 || total > room) continue;
    const auto items = static_cast<unsigned>(total);
    check(cudaMemcpy(n.data(), each.n.data(), sizeof(unsigned) * size, cudaMemcpyHostToDevice));
    check(cudaMemcpy(begin.data(), begins.data(), sizeof(unsigned) * size, cudaMemcpyHostToDevice));

    const auto strategy = [&](const char* name, auto work) {
      using Work = decltype(work);
      const launch_config grid = work.grid(consume<Work>, threads);
      check(grid.error);
      return contestant{name, [=, &n, &out] {
                          check(work.begin_async(nullptr));
                          produce<<<blocks_for(size), threads>>>(work, n.data(), size);
                          check(launch(grid, nullptr, consume<Work>, work, out.data()));
                        }};
    };
    const unsigned long long sources = 1ull * blocks_for(size) * threads;
    const expansion exact{sources, total};
    std::vector<contestant> all;
    all.push_back(strategy("packed_prefix", packed_prefix{exact, packed_state.data()}));
    all.push_back(strategy("scanned", scanned{exact, scanned_state.data()}));
    all.push_back(strategy("append", append{exact, append_state.data()}));
    all.push_back(strategy("power_of_two", with_offset{exact, with_state.data()}));
    all.push_back(strategy("from_n", without_offset{exact, without_state.data()}));
    if (*std::max_element(each.n.begin(), each.n.end()) <= 32) {
      const fixed<32> work{exact, fixed_state.data()};
      const launch_config grid = work.grid(consume_into<fixed<32>>, threads);
      check(grid.error);
      all.push_back({"fixed<32>", [=, &n, &begin, &out] {
                       check(work.begin_async(nullptr));
                       produce<<<blocks_for(size), threads>>>(work, n.data(), size);
                       check(launch(grid, nullptr, consume_into<fixed<32>>, work, begin.data(), out.data()));
                     }});
    }
    all.push_back({"upper_bound", [&] {
                     std::size_t bytes = scratch_bytes;
                     check(cub::DeviceScan::InclusiveSum(scratch.data(), bytes, n.data(), end.data(), size));
                     search<<<blocks_for(items), threads>>>(end.data(), size, items, out.data());
                   }});
    all.push_back({"thrust", [&] {
                     const auto policy = thrust::cuda::par_nosync.on(nullptr);
                     std::size_t bytes = scratch_bytes;
                     check(cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, n.data(), begin.data(), size));
                     check(cudaMemsetAsync(owner.data(), 0, sizeof(unsigned) * items));
                     scatter<<<blocks_for(size), threads>>>(n.data(), begin.data(), size, owner.data());
                     const thrust::device_ptr<unsigned> owners(owner.data());
                     thrust::inclusive_scan(policy, owners, owners + items, owners, thrust::maximum<unsigned>());
                     write<<<blocks_for(items), threads>>>(owner.data(), begin.data(), items, out.data());
                   }});
    // Its begins are known beforehand: to it that is a present.
    all.push_back({"loop", [&] { loop<<<blocks_for(size), threads>>>(n.data(), begin.data(), size, out.data()); }});
    for (contestant& of : all) {
      check(cudaMemset(out.data(), 0xff, sizeof(item) * total));
      check(cudaMemset(sum.data(), 0, sizeof(unsigned long long)));
      of.run();
      add_up<<<1024, threads>>>(out.data(), items, sum.data());
      unsigned long long found = 0;
      check(cudaMemcpy(&found, sum.data(), sizeof found, cudaMemcpyDeviceToHost));
      if (found != expected) {
        std::fprintf(stderr, "%s: %s is wrong\n", each.name.c_str(), of.name.c_str());
        return 1;
      }
    }
    std::vector<float> floors;
    for (int round = 0; round < rounds; ++round) {
      floors.push_back(timed.microseconds([&] { store<<<1056, threads>>>(items, out.data()); }));
      for (contestant& of : all) {
        of.warm.push_back(timed.microseconds(of.run));
        check(cudaMemset(flush.data(), round, 256u << 20));
        of.cold.push_back(timed.microseconds(of.run));
      }
    }
    const float floor = median(floors);
    for (contestant& of : all) {
      double bytes = 0;
      if (of.name == "packed_prefix") bytes = static_cast<double>(packed_prefix::state_bytes(exact));
      if (of.name == "scanned") bytes = static_cast<double>(scanned::state_bytes(exact));
      if (of.name == "append") bytes = static_cast<double>(append::state_bytes(exact));
      if (of.name == "power_of_two") bytes = static_cast<double>(with_offset::state_bytes(exact));
      if (of.name == "from_n") bytes = static_cast<double>(without_offset::state_bytes(exact));
      if (of.name == "fixed<32>") bytes = static_cast<double>(fixed<32>::state_bytes(exact));
      if (of.name == "upper_bound") bytes = 4.0 * size + static_cast<double>(scratch_bytes);
      if (of.name == "thrust") bytes = 4.0 * size + 4.0 * static_cast<double>(items);
      const float warm = median(of.warm), cold = median(of.cold);
      std::printf("%-24s %10u  %-14s %9.1f %9.1f %8.2f %9.1f\n", each.name.c_str(), items, of.name.c_str(), warm, cold,
                  floor / warm, bytes * 1e-6);
      if (json == nullptr) continue;
      std::fprintf(json,
                   "%s{\"row\": \"%s\", \"items\": %u, \"contestant\": \"%s\", \"warm_us\": %.2f, \"cold_us\": %.2f, "
                   "\"floor_us\": %.2f, \"bytes\": %.0f}",
                   separator, each.name.c_str(), items, of.name.c_str(), warm, cold, floor, bytes);
      separator = ",\n";
    }
  }
  if (json != nullptr) {
    std::fprintf(json, "\n]\n");
    std::fclose(json);
  }
  return 0;
}
