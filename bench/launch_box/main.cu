// Finds the launch box that sorts fastest on this GPU: a merge sort is compiled for about twenty launch shapes per key
// type. Every shape is verified, then all are measured alternately with the fixed 256x7 and cub::DeviceMergeSort.

#include <cstdint>
#include <limits>

#include <heddle/launch/compiled_params.hpp>

#include "common/bench.hpp"
#include "workbench.cuh"

namespace {

using namespace heddle_bench;
using namespace sort_bench;

constexpr const char* about = "Finds the launch box with which a merge sort is fastest on this GPU.\n";

options parse(int count, char** arguments) {
  options chosen;
  std::optional<std::uint64_t> seed;
  parse_options(count, arguments, about,
                {{"--keys", "N", "keys to sort", number(chosen.keys, 1, 2'000'000'000)},
                 {"--repetitions", "R", "times that every configuration is measured; medians are shown",
                  number(chosen.repetitions, 1, 100'000)},
                 {"--seed", "S", "of the random keys; without it another one in every run",
                  number(seed, 0, std::numeric_limits<std::uint64_t>::max())},
                 {"--json", "FILE", "write all figures to FILE", file(chosen.json)}});
  std::random_device entropy;
  chosen.seed = seed.value_or(static_cast<std::uint64_t>(entropy()) << 32 | entropy());
  return chosen;
}

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
  // From 9.0 on the sweeps are compiled with the suffix, for the features of the chip alone.
  const std::string arch = std::to_string(10 * device.major + device.minor);
  const std::string target = device.major >= 9 ? "{" + arch + ", 'a'}" : arch;
  std::printf("\nThe best box for %s keys on this GPU:\n\n", done.key);
  std::printf("struct sort_box {\n");
  std::printf("  struct params { int threads, min_blocks, values; };\n");
  std::printf("  HEDDLE_FN params operator()(heddle::arch target) const {\n");
  std::printf("    return heddle::box_match<params>(target, {{80, {256, 0, 7}}, {%s, {%d, %d, %d}}});\n",
              target.c_str(), best.threads, best.min_blocks, best.values);
  std::printf("  }\n};\n");
}

struct some_box {
  struct params {
    int threads, min_blocks;
  };
  HEDDLE_FN params operator()(heddle::arch target) const {
    return heddle::box_match<params>(target, {{80, {128, 0}}, {90, {256, 0}}, {{90, 'a'}, {512, 0}}});
  }
};

template <heddle::launch_box Box>
__global__ __launch_bounds__(heddle::box_params<Box>().threads) void some_kernel() {}

/// Measures a call of `compiled_params` on the host, after the first one.
double nanoseconds_of_compiled_params() {
  constexpr int calls = 1'000'000;
  int sum = heddle::compiled_params<some_box>(some_kernel<some_box>).value.threads;
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) {
    const auto found = heddle::compiled_params<some_box>(some_kernel<some_box>);
    check(found.error);
    sum ^= found.value.threads;
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  if (sum == 0) std::exit(1);  // not 0: the exclusive or of an odd number of equal values
  return elapsed.count() / calls;
}

json_object json_of(const measurement& m, int keys) {
  json_object line;
  line.add("name", m.name).add("threads", m.threads).add("values", m.values).add("min_blocks", m.min_blocks);
  line.add("median_ms", m.median(), 6).add("gigakeys_per_second", gigakeys(m, keys), 6).add("ms", m.milliseconds, 6);
  return line;
}

void write(json_file& json, const study& one, int keys) {
  json.begin_object();
  json.add_members(json_object().add("key", one.key));
  json.add_members(json_object().add("cub", json_of(one.cub, keys)));
  json.begin_list("boxes");
  for (const measurement& m : one.boxes) json.add(json_of(m, keys));
  json.end();
  json.end();
}

void write(json_file& json, const std::vector<study>& studies, const options& chosen, const cudaDeviceProp& device,
           double params_ns) {
  int runtime = 0, driver = 0;
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaDriverGetVersion(&driver));
  json_object of_device, of_run;
  of_device.add("gpu", device.name).add("capability", 10 * device.major + device.minor);
  of_device.add("multiprocessors", device.multiProcessorCount).add("cuda_runtime", runtime).add("cuda_driver", driver);
  of_run.add("compiled_params_ns", params_ns, 2).add("keys", chosen.keys).add("repetitions", chosen.repetitions);
  of_run.add("seed", chosen.seed);
  json.add_members(of_device);
  json.add_members(of_run);
  json.begin_list("studies");
  for (const study& one : studies) write(json, one, chosen.keys);
}

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  if (!has_gpu(program_invocation_short_name)) return skipped;
  json_file json(chosen.json, context_json());

  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("Medians of %d repetitions, seed %llu\n", chosen.repetitions,
              static_cast<unsigned long long>(chosen.seed));

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
  run(configurations32(), "uint32");
  run(configurations64(), "uint64");
  if (!right) return 1;
  write(json, studies, chosen, device, params_ns);
  json.finish();
}
