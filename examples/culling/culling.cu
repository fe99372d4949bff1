// A frame of a renderer that decides on the GPU what to draw. The first pass culls meshes by their bounding spheres.
// The second pass culls the meshlets of the meshes in view, by their own spheres and by the direction they face. A mesh
// has 6 to 256 meshlets, so the second pass needs work expansion.
//
// The frame is captured in a graph once. The host launches that graph for every frame and reads nothing until all are
// done.

#include <cuda_runtime.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"
#include "../common/stream.hpp"
#include "scene.hpp"

namespace {

using namespace culling;

struct options {
  std::string strategy = "all", picture = "culling.svg";
  unsigned frames = 1000, meshes = 30'000;
};

options parse(int count, char** arguments) {
  using namespace command_line;
  options chosen;
  const std::string about =
      "Culls the meshes and meshlets of a town from a moving camera, and checks every frame against the host.\n";
  parse_options(count, arguments, about,
                {{"--strategy", "NAME", "of the expansion",
                  one_of(chosen.strategy, {"packed_prefix", "scanned", "append", "power_of_two", "fixed", "all"})},
                 {"--frames", "F", "how many", number(chosen.frames, 1, 100'000)},
                 {"--meshes", "M", "how many", number(chosen.meshes, 1, 1'000'000)},
                 {"--picture", "FILE", "the last frame from above, as SVG", file(chosen.picture)}});
  return chosen;
}

/// The arguments of all kernels of a frame.
struct frame {
  const mesh* meshes;
  const sphere* meshlets;
  unsigned mesh_count;
  const camera* cameras;   // one per frame
  tally* tallies;          // one per frame
  unsigned char* left;     // the result for each meshlet, in the latest frame
  const unsigned* number;  // of this frame

  __device__ const camera& from() const { return cameras[*number]; }
};

__global__ void next_frame(unsigned* number) {
  ++*number;
}

/// Adds the values of all threads of a warp to a sum, with one atomic.
__device__ void add_to(unsigned& sum, unsigned mine) {
  mine = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0 && mine > 0) atomicAdd(&sum, mine);
}

template <heddle::expander Work>
__global__ void cull_meshes(const __grid_constant__ Work work, frame now) {
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  const bool in_view = number < now.mesh_count && sees(now.from(), now.meshes[number].bounds);
  work.push(smem, number, in_view ? now.meshes[number].meshlets : 0);
  add_to(now.tallies[*now.number].meshes, in_view ? 1 : 0);
}

template <heddle::expander Work>
__global__ void cull_meshlets(const __grid_constant__ Work work, frame now) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  __shared__ unsigned meshlets, which;
  if (threadIdx.x == 0) meshlets = which = 0;
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
  add_to(meshlets, mine.meshlets);
  add_to(which, mine.which);
  __syncthreads();
  if (threadIdx.x != 0 || meshlets == 0) return;
  tally& all = now.tallies[*now.number];
  atomicAdd(&all.meshlets, meshlets);
  atomicAdd(&all.which, which);
}

/// Culls all frames with one strategy. Returns the milliseconds per frame.
template <heddle::expander Work>
float fly(const scene& town, unsigned frames, frame now, unsigned* number) {
  constexpr unsigned threads = 256;
  const unsigned blocks = (now.mesh_count + threads - 1) / threads;
  const heddle::expansion room{1ull * blocks * threads, town.meshlets.size()};
  const device_array<char> state(Work::state_bytes(room));
  const Work work{room, state.data()};
  const heddle::launch_config grid = work.grid(cull_meshlets<Work>, threads);

  const stream on;
  const captured_graph of_frame(on, [&] {
    check(work.begin_async(on));
    cull_meshes<<<blocks, threads, 0, on>>>(work, now);
    check(heddle::launch(grid, on, cull_meshlets<Work>, work, now));
    next_frame<<<1, 1, 0, on>>>(number);
  });

  const stopwatch watch;
  of_frame.upload(on);
  watch.start(on);
  for (unsigned i = 0; i < frames; ++i) of_frame.replay(on);
  watch.stop(on);
  return watch.milliseconds() / static_cast<float>(frames);
}

struct strategy {
  const char* name;
  float (*fly)(const scene&, unsigned, frame, unsigned*);
};

// Asked here first, since clang++ sees no function of the device from a variable of the host.
static_assert(heddle::expander<heddle::fixed<scene::most_meshlets>>);
constexpr strategy strategies[] = {{"packed_prefix", fly<heddle::packed_prefix>},
                                   {"scanned", fly<heddle::scanned>},
                                   {"append", fly<heddle::append>},
                                   {"power_of_two", fly<heddle::power_of_two>},
                                   {"fixed", fly<heddle::fixed<scene::most_meshlets>>}};

void draw(const options& chosen, const scene& town, const camera& from, const std::vector<unsigned char>& left) {
  std::ofstream file(chosen.picture);
  file << picture(town, from, left);
  file.flush();
  if (!file) command_line::refuse("--picture: '" + chosen.picture + "' cannot be written");
  std::printf("From above, the last frame: %s\n", chosen.picture.c_str());
}

}  // namespace

int main(int count, char** arguments) try {
  const options chosen = parse(count, arguments);
  const scene town(chosen.meshes);
  std::vector<camera> cameras(chosen.frames);
  for (unsigned i = 0; i < chosen.frames; ++i) cameras[i] = camera_at(i);
  std::printf("%zu meshes, %zu meshlets, %u frames\n", town.meshes.size(), town.meshlets.size(), chosen.frames);

  if (!has_gpu("culling")) {
    std::vector<unsigned char> left(town.meshlets.size());
    for (const mesh& each : town.meshes) {
      for (unsigned i = each.first; i < each.first + each.meshlets; ++i) {
        left[i] = is_left(cameras.back(), each, town.meshlets[i]);
      }
    }
    draw(chosen, town, cameras.back(), left);
    std::printf("culling: only the picture was made, by the host\n");
    return skipped;
  }

  std::vector<tally> expected(chosen.frames);
  unsigned long long sum = 0;
  for (unsigned i = 0; i < chosen.frames; ++i) sum += (expected[i] = town.seen_from(cameras[i])).meshlets;
  std::printf("On average %.0f meshlets are left in a frame\n\n", static_cast<double>(sum) / chosen.frames);

  const device_array<mesh> meshes(town.meshes);
  const device_array<sphere> meshlets(town.meshlets);
  const device_array<camera> on_device(cameras);
  const device_array<tally> tallies(chosen.frames);
  const device_array<unsigned char> left(town.meshlets.size());
  const device_array<unsigned> frame_number(1);
  const frame now{meshes.data(),  meshlets.data(), chosen.meshes,      on_device.data(),
                  tallies.data(), left.data(),     frame_number.data()};
  for (const strategy& each : strategies) {
    if (chosen.strategy != "all" && chosen.strategy != each.name) continue;
    tallies.fill(0);
    left.fill(0);
    frame_number.fill(0);
    const float milliseconds = each.fly(town, chosen.frames, now, frame_number.data());
    const std::vector<tally> found = tallies.read();
    for (unsigned i = 0; i < chosen.frames; ++i) {
      if (found[i] == expected[i]) continue;
      std::printf("%s: frame %u has %u meshes and %u meshlets; %u and %u were expected\n", each.name, i,
                  found[i].meshes, found[i].meshlets, expected[i].meshes, expected[i].meshlets);
      return 1;
    }
    std::printf("  %-14s %7.1f us per frame, every frame right\n", each.name, milliseconds * 1000);
  }
  draw(chosen, town, cameras.back(), left.read());
  return 0;
} catch (const std::exception& error) {
  return failed("culling", error);
}
