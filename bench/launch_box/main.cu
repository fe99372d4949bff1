// Which launch box sorts fastest on the GPU at hand: a merge sort compiled for about twenty launch shapes per key type,
// every one of them verified, then all measured in alternation with the fixed 256x7 and with cub::DeviceMergeSort.

#include <cuda_runtime.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/device/device_merge_sort.cuh>
#include <cuda/std/functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <heddle/launch/compiled_params.hpp>

#include "common/context.hpp"
#include "sweep.hpp"

namespace {

using sort_bench::configuration;

constexpr const char* usage =
    "usage: bench_launch_box [--keys N] [--repetitions R] [--seed S] [--json FILE]\n"
    "\n"
    "Finds the launch box with which a merge sort is fastest on this GPU.\n"
    "\n"
    "  --keys N         keys to sort, 1 to 2000000000 (default 16777216)\n"
    "  --repetitions R  times that every configuration is measured; medians are shown (default 7)\n"
    "  --seed S         of the random keys (default: another one in every run)\n"
    "  --json FILE      write all figures to FILE\n"
    "  --help           show this\n";

struct options {
  int keys = 1 << 24;
  int repetitions = 7;
  std::uint64_t seed = 0;
  std::string json;
};

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "%s\n\n%s", what.c_str(), usage);
  std::exit(2);
}

template <class Number>
Number number_of(std::string_view option, std::string_view text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    refuse(std::string(option) + ": a number from " + std::to_string(least) + " to " + std::to_string(most) +
           " is wanted, not '" + std::string(text) + "'");
  }
  return number;
}

options parse(int count, char** arguments) {
  options chosen;
  std::random_device entropy;
  chosen.seed = static_cast<std::uint64_t>(entropy()) << 32 | entropy();
  for (int i = 1; i < count; ++i) {
    const std::string_view option = arguments[i];
    if (option == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    const std::set<std::string_view> known{"--keys", "--repetitions", "--seed", "--json"};
    if (!known.contains(option)) refuse("unknown option '" + std::string(option) + "'");
    if (++i == count) refuse(std::string(option) + ": its value is missing");
    const std::string_view value = arguments[i];
    if (option == "--keys") chosen.keys = number_of(option, value, 1, 2'000'000'000);
    if (option == "--repetitions") chosen.repetitions = number_of(option, value, 1, 100'000);
    if (option == "--seed") chosen.seed = number_of<std::uint64_t>(option, value, 0, UINT64_MAX);
    if (option == "--json") chosen.json = value;
  }
  return chosen;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "\n%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

/// An array in device memory.
template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) { check(cudaMalloc(&data_, size * sizeof(Value))); }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }

  void copy_from(const device_array& other) {
    check(cudaMemcpyAsync(data_, other.data_, size_ * sizeof(Value), cudaMemcpyDeviceToDevice));
  }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};

/// Milliseconds that work takes on the default stream.
class stopwatch {
 public:
  stopwatch() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  ~stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  stopwatch(const stopwatch&) = delete;

  template <class Work>
  double operator()(Work work) {
    // No synchronization before: while the GPU restores the keys, the host gets ahead of it with the launches.
    check(cudaEventRecord(begin_));
    check(work());
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds;
  }

 private:
  cudaEvent_t begin_, end_;
};

constexpr int blocks = 1024, threads = 256;

/// What stands in the unsorted keys.
enum class content {
  random,
  few_distinct,  // the four largest keys, among them the one that pads a tile: where ties are resolved wrongly, it
                 // shows
  descending,
};

const char* name_of(content kind) {
  switch (kind) {
    case content::random:
      return "random";
    case content::few_distinct:
      return "few distinct";
    default:
      return "descending";
  }
}

template <class Key>
__global__ void fill(Key* keys, std::size_t count, std::uint64_t seed, content kind) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    // splitmix64: the i-th number of the sequence that starts at the seed.
    std::uint64_t hash = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
    switch (kind) {
      case content::random:
        keys[i] = static_cast<Key>(hash);
        break;
      case content::few_distinct:
        keys[i] = static_cast<Key>(~(hash & 3));
        break;
      case content::descending:
        keys[i] = static_cast<Key>(count - i);
        break;
    }
  }
}

/// Adds the number of places where a and b differ to *mismatches.
template <class Key>
__global__ void compare(const Key* a, const Key* b, std::size_t count, unsigned long long* mismatches) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long different = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    different += a[i] != b[i];
  }
  if (different != 0) atomicAdd(mismatches, different);
}

/// cub::DeviceMergeSort in place, with its temporary storage.
template <class Key>
class cub_sort {
 public:
  explicit cub_sort(int most) : storage_(bytes(most)) {}

  cudaError_t operator()(Key* keys, int count) {
    std::size_t size = storage_.size();
    return cub::DeviceMergeSort::SortKeys(storage_.data(), size, keys, count, cuda::std::less<Key>{});
  }

 private:
  static std::size_t bytes(int most) {
    std::size_t size = 0;
    check(cub::DeviceMergeSort::SortKeys(nullptr, size, static_cast<Key*>(nullptr), most, cuda::std::less<Key>{}));
    return size;
  }

  device_array<unsigned char> storage_;
};

void show_progress(const char* what, std::size_t done, std::size_t all) {
  std::fprintf(stderr, "\r%s %zu/%zu …%s", what, done, all, done == all ? "\n" : "");
}

struct measurement {
  std::string name;
  int threads, values, min_blocks;  // 0 where there is no box: cub
  std::vector<double> milliseconds;

  double median() const {
    std::vector<double> sorted = milliseconds;
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
};

struct study {
  const char* key;
  std::vector<measurement> boxes;
  measurement cub;

  const measurement& fixed() const {
    return *std::ranges::find_if(boxes,
                                 [](const auto& m) { return m.threads == 256 && m.values == 7 && m.min_blocks == 0; });
  }
};

template <class Key>
class workbench {
 public:
  workbench(const options& chosen, const std::vector<configuration<Key>>& configurations)
      : options_(chosen), configurations_(configurations), cub_(chosen.keys) {}

  /// Whether every configuration sorts as cub does: all keys and small arrays that end on, before and behind the edge
  /// of a tile. The whole array is compared, so that a write behind the last key is found too.
  bool verify(const char* what) {
    bool right = true;
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      show_progress(what, i, configurations_.size());
      const auto& one = configurations_[i];
      const long long tile = one.threads * one.values;
      std::set<int> counts{options_.keys};
      for (long long count : {0LL, 1LL, 2LL, tile - 1, tile, tile + 1, 2 * tile + 1, 3 * tile, 5 * tile - 1,
                              7 * tile + 3, 64 * tile + 1}) {
        if (count <= options_.keys) counts.insert(static_cast<int>(count));
      }
      for (int count : counts) right &= sorts_as_cub(one, count);
    }
    show_progress(what, configurations_.size(), configurations_.size());
    return right;
  }

  /// Every repetition measures every configuration once, so that clocks and temperature are the same for all of them.
  study measure(const char* what, const char* key) {
    study result{key, {}, {"cub::DeviceMergeSort", 0, 0, 0, {}}};
    for (const auto& one : configurations_) {
      result.boxes.push_back({one.name, one.threads, one.values, one.min_blocks, {}});
    }
    fill<<<blocks, threads>>>(unsorted_.data(), unsorted_.size(), options_.seed, content::random);
    check(cudaGetLastError());
    for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
      for (std::size_t i = 0; i < configurations_.size(); ++i) {
        keys_.copy_from(unsorted_);
        result.boxes[i].milliseconds.push_back(time_([&] { return sort(configurations_[i], options_.keys); }));
      }
      keys_.copy_from(unsorted_);
      result.cub.milliseconds.push_back(time_([&] { return cub_(keys_.data(), options_.keys); }));
      show_progress(what, repetition + 1, options_.repetitions);
    }
    return result;
  }

 private:
  /// Keys behind the last one that is sorted: none of them may change.
  static constexpr std::size_t margin = 1 << 14;

  cudaError_t sort(const configuration<Key>& one, int count) {
    return one.sort(keys_.data(), scratch_.data(), partitions_.data(), count, nullptr);
  }

  bool sorts_as_cub(const configuration<Key>& one, int count) {
    bool right = true;
    for (content kind : {content::random, content::few_distinct, content::descending}) {
      const unsigned long long wrong = mismatches(one, count, kind);
      if (wrong == 0) continue;
      std::fprintf(stderr, "\nwrong: %s, %d %s keys of %zu bits: %llu are not where cub puts them\n", one.name.c_str(),
                   count, name_of(kind), 8 * sizeof(Key), wrong);
      right = false;
    }
    return right;
  }

  unsigned long long mismatches(const configuration<Key>& one, int count, content kind) {
    // Small sorts restore and compare a small part.
    const std::size_t length = count + margin;
    fill<<<blocks, threads>>>(unsorted_.data(), length, options_.seed, kind);
    for (Key* copy : {keys_.data(), expected_.data()}) {
      check(cudaMemcpyAsync(copy, unsorted_.data(), length * sizeof(Key), cudaMemcpyDeviceToDevice));
    }
    check(sort(one, count));
    check(cub_(expected_.data(), count));
    check(cudaMemsetAsync(mismatches_.data(), 0, sizeof(unsigned long long)));
    compare<<<blocks, threads>>>(static_cast<const Key*>(keys_.data()), static_cast<const Key*>(expected_.data()),
                                 length, mismatches_.data());
    check(cudaGetLastError());
    unsigned long long wrong = 0;
    check(cudaMemcpy(&wrong, mismatches_.data(), sizeof wrong, cudaMemcpyDeviceToHost));
    return wrong;
  }

  /// One int per tile, for the smallest tile.
  std::size_t partitions_needed() const {
    long long smallest = options_.keys;
    for (const auto& one : configurations_) smallest = std::min<long long>(smallest, one.threads * one.values);
    return options_.keys / smallest + 1;
  }

  const options& options_;
  const std::vector<configuration<Key>>& configurations_;
  cub_sort<Key> cub_;
  device_array<Key> unsorted_{options_.keys + margin};
  device_array<Key> keys_{options_.keys + margin};
  device_array<Key> scratch_{options_.keys + margin};
  device_array<Key> expected_{options_.keys + margin};
  device_array<int> partitions_{partitions_needed()};
  device_array<unsigned long long> mismatches_{1};
  stopwatch time_;
};

double gigakeys(const measurement& m, int keys) {
  return keys / m.median() * 1e-6;
}

void print(const study& done, const options& chosen, const cudaDeviceProp& device) {
  std::vector<const measurement*> sorted;
  for (const auto& m : done.boxes) sorted.push_back(&m);
  std::ranges::stable_sort(sorted, {}, [](const measurement* m) { return m->median(); });
  const double fixed = done.fixed().median();

  std::printf("\n%d keys of type %s\n\n", chosen.keys, done.key);
  std::printf("threads x values  min_blocks        ms   Gkeys/s  over 256x7\n");
  for (const measurement* m : sorted) {
    std::printf("%7d x %-6d  %10d  %8.4f  %8.3f  %9.3fx\n", m->threads, m->values, m->min_blocks, m->median(),
                gigakeys(*m, chosen.keys), fixed / m->median());
  }
  std::printf("\nfixed 256x7           %8.4f ms  %8.3f Gkeys/s\n", fixed, gigakeys(done.fixed(), chosen.keys));
  std::printf("cub::DeviceMergeSort  %8.4f ms  %8.3f Gkeys/s  %.3fx of 256x7\n", done.cub.median(),
              gigakeys(done.cub, chosen.keys), fixed / done.cub.median());

  const measurement& best = *sorted.front();
  // From 9.0 on a chip has features of its own, and the sweeps are compiled for it with the suffix.
  const std::string arch = std::to_string(10 * device.major + device.minor);
  const std::string target = device.major >= 9 ? "{" + arch + ", 'a'}" : arch;
  std::printf("\nThe best box for %s keys on this GPU:\n\n", done.key);
  std::printf("struct sort_box {\n");
  std::printf("  struct params { int threads, min_blocks, values; };\n");
  std::printf("  HEDDLE_FN params operator()(heddle::arch target) const {\n");
  std::printf("    return heddle::match<params>(target, {{80, {256, 0, 7}}, {%s, {%d, %d, %d}}});\n", target.c_str(),
              best.threads, best.min_blocks, best.values);
  std::printf("  }\n};\n");
}

struct some_box {
  struct params {
    int threads, min_blocks;
  };
  HEDDLE_FN params operator()(heddle::arch target) const {
    return heddle::match<params>(target, {{80, {128, 0}}, {90, {256, 0}}, {{90, 'a'}, {512, 0}}});
  }
};

template <heddle::launch_box Box>
__global__ __launch_bounds__(heddle::here<Box>().threads) void some_kernel() {}

/// What the host pays for the parameters of a launch, after the first time.
double nanoseconds_of_compiled_params() {
  constexpr int calls = 1'000'000;
  int sum = heddle::compiled_params<some_box>(some_kernel<some_box>).params.threads;
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) {
    const auto found = heddle::compiled_params<some_box>(some_kernel<some_box>);
    check(found.error);
    sum ^= found.params.threads;
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  if (sum == 0) std::exit(1);  // of an even number of equal ones and one more
  return elapsed.count() / calls;
}

void write_measurement(std::FILE* file, const measurement& m, int keys, const char* indentation) {
  std::fprintf(file,
               "%s{\"name\": \"%s\", \"threads\": %d, \"values\": %d, \"min_blocks\": %d, \"median_ms\": %.6f, "
               "\"gigakeys_per_second\": %.6f, \"ms\": [",
               indentation, m.name.c_str(), m.threads, m.values, m.min_blocks, m.median(), gigakeys(m, keys));
  const char* separator = "";
  for (double milliseconds : m.milliseconds) {
    std::fprintf(file, "%s%.6f", separator, milliseconds);
    separator = ", ";
  }
  std::fprintf(file, "]}");
}

/// Whether all of it was written.
bool write_json(std::FILE* file, const std::vector<study>& studies, const options& chosen, const cudaDeviceProp& device,
                double params_ns) {
  int runtime = 0, driver = 0;
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaDriverGetVersion(&driver));
  std::fprintf(file, "{\n  \"context\": {%s},\n", heddle_bench::context_members().c_str());
  std::fprintf(file, "  \"gpu\": \"%s\",\n  \"capability\": %d,\n  \"multiprocessors\": %d,\n", device.name,
               10 * device.major + device.minor, device.multiProcessorCount);
  std::fprintf(file, "  \"cuda_runtime\": %d,\n  \"cuda_driver\": %d,\n", runtime, driver);
  std::fprintf(file, "  \"compiled_params_ns\": %.2f,\n", params_ns);
  std::fprintf(file, "  \"keys\": %d,\n  \"repetitions\": %d,\n  \"seed\": %llu,\n  \"studies\": [", chosen.keys,
               chosen.repetitions, static_cast<unsigned long long>(chosen.seed));
  const char* between_studies = "\n";
  for (const study& one : studies) {
    std::fprintf(file, "%s    {\n      \"key\": \"%s\",\n      \"cub\":\n", between_studies, one.key);
    write_measurement(file, one.cub, chosen.keys, "        ");
    std::fprintf(file, ",\n      \"boxes\": [");
    const char* between_boxes = "\n";
    for (const measurement& m : one.boxes) {
      std::fputs(between_boxes, file);
      write_measurement(file, m, chosen.keys, "        ");
      between_boxes = ",\n";
    }
    std::fprintf(file, "\n      ]\n    }");
    between_studies = ",\n";
  }
  std::fprintf(file, "\n  ]\n}\n");
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("There is no GPU here: nothing is measured.\n");
    return 0;
  }
  // Opened first: after minutes of measuring is too late to find out that it cannot be written.
  std::FILE* json = nullptr;
  if (!chosen.json.empty()) {
    json = std::fopen(chosen.json.c_str(), "w");
    if (json == nullptr) {
      std::fprintf(stderr, "%s: %s\n", chosen.json.c_str(), std::strerror(errno));
      return 1;
    }
  }

  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s, %d multiprocessors, medians of %d repetitions, seed %llu\n", device.name, device.multiProcessorCount,
              chosen.repetitions, static_cast<unsigned long long>(chosen.seed));

  const double params_ns = nanoseconds_of_compiled_params();
  std::printf("compiled_params: %.1f ns a call after the first\n", params_ns);

  bool right = true;
  std::vector<study> studies;
  const auto run = [&](const auto& configurations, const char* key) {
    workbench bench(chosen, configurations);
    if (!bench.verify((std::string("verifying ") + key).c_str())) {
      right = false;
      return;
    }
    studies.push_back(bench.measure((std::string("measuring ") + key).c_str(), key));
    print(studies.back(), chosen, device);
  };
  run(sort_bench::configurations32(), "uint32");
  run(sort_bench::configurations64(), "uint64");
  if (!right) return 1;
  if (json != nullptr && !write_json(json, studies, chosen, device, params_ns)) {
    std::fprintf(stderr, "%s could not be written\n", chosen.json.c_str());
    return 1;
  }
}
