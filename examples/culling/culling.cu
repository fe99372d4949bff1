// A frame of a renderer that decides on the GPU what to draw: meshes are culled by their bounding spheres, and of those
// in view the meshlets, by theirs and by where they face. A mesh has 6 to 256 of these, so that the second pass is what
// work expansion is for.
//
// A frame is captured in a graph once. The host launches it for every frame and reads nothing until all are done.

#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "scene.hpp"

namespace {

using namespace culling;

constexpr const char* usage =
    "usage: culling [--strategy NAME] [--frames F] [--meshes M] [--picture FILE]\n"
    "\n"
    "Culls the meshes and meshlets of a town from a moving camera, and checks every frame against the host.\n"
    "\n"
    "  --strategy NAME  packed_prefix, scanned, append, power_of_two, fixed, or all (default)\n"
    "  --frames F       how many, 1 to 100000 (default 1000)\n"
    "  --meshes M       how many, 1 to 1000000 (default 30000)\n"
    "  --picture FILE   the last frame from above, as SVG (default culling.svg)\n"
    "  --help           show this\n";

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "culling: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "culling: %s\n\n%s", what.c_str(), usage);
  std::exit(2);
}

struct options {
  std::string strategy = "all", picture = "culling.svg";
  unsigned frames = 1000, meshes = 30'000;
};

unsigned number(const std::string& option, const std::string& value, long most) {
  char* end = nullptr;
  const long found = std::strtol(value.c_str(), &end, 10);
  if (*end != 0 || value.empty() || found < 1 || found > most) {
    refuse(option + ": a number from 1 to " + std::to_string(most) + " is wanted, not '" + value + "'");
  }
  return static_cast<unsigned>(found);
}

options parse(int count, char** arguments) {
  options chosen;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (option != "--strategy" && option != "--frames" && option != "--meshes" && option != "--picture") {
      refuse("unknown option '" + option + "'");
    }
    if (++i == count) refuse(option + ": its value is missing");
    const std::string value = arguments[i];
    if (option == "--strategy") chosen.strategy = value;
    if (option == "--picture") chosen.picture = value;
    if (option == "--frames") chosen.frames = number(option, value, 100'000);
    if (option == "--meshes") chosen.meshes = number(option, value, 1'000'000);
  }
  return chosen;
}

template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t count) : count_(count) { check(cudaMalloc(&data_, sizeof(Value) * count)); }
  explicit device_array(const std::vector<Value>& from) : device_array(from.size()) {
    check(cudaMemcpy(data_, from.data(), sizeof(Value) * count_, cudaMemcpyHostToDevice));
  }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  Value* data() const { return data_; }
  void clear() { check(cudaMemset(data_, 0, sizeof(Value) * count_)); }
  std::vector<Value> read() const {
    std::vector<Value> values(count_);
    check(cudaMemcpy(values.data(), data_, sizeof(Value) * count_, cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  Value* data_ = nullptr;
};

/// What kernels know of a frame.
struct frame {
  const mesh* meshes;
  const sphere* meshlets;
  unsigned mesh_count;
  const camera* cameras;  // of all frames
  tally* tallies;
  unsigned char* left;  // of each meshlet, in the frame that was last
  const unsigned* number;

  __device__ const camera& from() const { return cameras[*number]; }
};

__global__ void next_frame(unsigned* number) {
  ++*number;
}

/// Sums of the threads of a warp.
__device__ void add_to(unsigned& sum, unsigned mine) {
  mine = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0 && mine > 0) atomicAdd(&sum, mine);
}

template <heddle::expander Work>
__global__ void cull_meshes(const __grid_constant__ Work work, frame now) {
  __shared__ typename Work::push_storage smem;
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  const bool in_view = number < now.mesh_count && sees(now.from(), now.meshes[number].bounds);
  work.push(smem, number, in_view ? now.meshes[number].meshlets : 0);
  add_to(now.tallies[*now.number].meshes, in_view ? 1 : 0);
}

template <heddle::expander Work>
__global__ void cull_meshlets(const __grid_constant__ Work work, frame now) {
  __shared__ typename Work::storage smem;
  __shared__ tally of_block;
  if (threadIdx.x == 0) of_block = {};
  __syncthreads();
  const camera& from = now.from();
  tally mine;
  for (const auto [number, of_mesh] : work.items(smem)) {
    const mesh& of = now.meshes[number];
    const unsigned meshlet = of.first + of_mesh;
    const bool stays = is_left(from, of, now.meshlets[meshlet]);
    now.left[meshlet] = stays;
    mine.meshlets += stays;
    mine.which += stays ? mix(meshlet) : 0;
  }
  add_to(of_block.meshlets, mine.meshlets);
  add_to(of_block.which, mine.which);
  __syncthreads();
  if (threadIdx.x != 0 || of_block.meshlets == 0) return;
  tally& all = now.tallies[*now.number];
  atomicAdd(&all.meshlets, of_block.meshlets);
  atomicAdd(&all.which, of_block.which);
}

/// All frames with one strategy: milliseconds of a frame, and what was seen in each.
template <heddle::expander Work>
float fly(const scene& town, unsigned frames, frame now, unsigned* number) {
  constexpr unsigned threads = 256;
  const unsigned blocks = (now.mesh_count + threads - 1) / threads;
  const heddle::expansion room{1ull * blocks * threads, town.meshlets.size()};
  device_array<char> state(Work::state_bytes(room));
  const Work work{room, state.data()};
  const heddle::launch_config grid = work.grid(cull_meshlets<Work>, threads);

  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  check(work.begin_async(stream));
  cull_meshes<<<blocks, threads, 0, stream>>>(work, now);
  check(heddle::launch(grid, stream, cull_meshlets<Work>, work, now));
  next_frame<<<1, 1, 0, stream>>>(number);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));

  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaGraphUpload(executable, stream));
  check(cudaEventRecord(begin, stream));
  for (unsigned i = 0; i < frames; ++i) check(cudaGraphLaunch(executable, stream));
  check(cudaEventRecord(end, stream));
  check(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  return milliseconds / static_cast<float>(frames);
}

struct strategy {
  const char* name;
  float (*fly)(const scene&, unsigned, frame, unsigned*);
};

constexpr strategy strategies[] = {{"packed_prefix", fly<heddle::packed_prefix>},
                                   {"scanned", fly<heddle::scanned>},
                                   {"append", fly<heddle::append>},
                                   {"power_of_two", fly<heddle::power_of_two<>>},
                                   {"fixed", fly<heddle::fixed<scene::most_meshlets>>}};

void draw(const options& chosen, const scene& town, const camera& from, const std::vector<unsigned char>& left) {
  std::ofstream file(chosen.picture);
  file << picture(town, from, left);
  file.flush();
  if (!file) refuse("--picture: '" + chosen.picture + "' cannot be written");
  std::printf("From above, the last frame: %s\n", chosen.picture.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  const options chosen = parse(count, arguments);
  bool is_known = chosen.strategy == "all";
  for (const strategy& each : strategies) is_known = is_known || chosen.strategy == each.name;
  if (!is_known) refuse("--strategy: '" + chosen.strategy + "' is not known");

  const scene town(chosen.meshes);
  std::vector<camera> cameras(chosen.frames);
  for (unsigned i = 0; i < chosen.frames; ++i) cameras[i] = camera_at(i);
  std::printf("%zu meshes, %zu meshlets, %u frames\n", town.meshes.size(), town.meshlets.size(), chosen.frames);

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::vector<unsigned char> left(town.meshlets.size());
    for (const mesh& each : town.meshes) {
      for (unsigned i = each.first; i < each.first + each.meshlets; ++i) {
        left[i] = is_left(cameras.back(), each, town.meshlets[i]);
      }
    }
    draw(chosen, town, cameras.back(), left);
    std::printf("culling: no CUDA device here, only the picture was made, by the host\n");
    return 77;  // counted as skipped by ctest
  }

  std::vector<tally> expected(chosen.frames);
  unsigned long long sum = 0;
  for (unsigned i = 0; i < chosen.frames; ++i) sum += (expected[i] = town.seen_from(cameras[i])).meshlets;
  std::printf("On average %.0f meshlets are left in a frame\n\n", static_cast<double>(sum) / chosen.frames);

  const device_array<mesh> meshes(town.meshes);
  const device_array<sphere> meshlets(town.meshlets);
  const device_array<camera> on_device(cameras);
  device_array<tally> tallies(chosen.frames);
  device_array<unsigned char> left(town.meshlets.size());
  device_array<unsigned> frame_number(1);
  const frame now{meshes.data(),  meshlets.data(), chosen.meshes,      on_device.data(),
                  tallies.data(), left.data(),     frame_number.data()};
  for (const strategy& each : strategies) {
    if (chosen.strategy != "all" && chosen.strategy != each.name) continue;
    tallies.clear();
    left.clear();
    frame_number.clear();
    const float milliseconds = each.fly(town, chosen.frames, now, frame_number.data());
    const std::vector<tally> found = tallies.read();
    for (unsigned i = 0; i < chosen.frames; ++i) {
      if (found[i] == expected[i]) continue;
      std::printf("%s: frame %u has %u meshes and %u meshlets; %u and %u were expected\n", each.name, i,
                  found[i].meshes, found[i].meshlets, expected[i].meshes, expected[i].meshlets);
      return 1;
    }
    std::printf("  %-14s %7.1f us a frame, every frame right\n", each.name, milliseconds * 1000);
  }
  draw(chosen, town, cameras.back(), left.read());
  return 0;
}
