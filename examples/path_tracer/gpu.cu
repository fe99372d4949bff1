// A render on the GPU.

#include <cuda_runtime.h>

#include <chrono>
#include <memory>
#include <thread>

#include "../common/measure.hpp"
#include "../common/stream.hpp"
#include "block.cuh"
#include "plain.cuh"
#include "queues.cuh"
#include "render.hpp"
#include "trial.cuh"

namespace path_tracer {
namespace {

/// Returns the number of blocks of a kernel that are resident at once.
template <class... Params>
unsigned resident(void (*kernel)(Params...), int in_block) {
  int device = 0, processors = 0, blocks = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, in_block, 0));
  return static_cast<unsigned>(processors * blocks);
}

/// A graph of 16 turns of the queues.
class turns {
  static constexpr unsigned in_flight = 1u << 21;  // many times the resident threads: a turn ends with its longest path
  static constexpr int of_graph = 16;

 public:
  turns(const job& work, bool gate, cudaStream_t on)
      : paths_(in_flight),
        aims_(in_flight),
        rays_(ray_queues::state_bytes(in_flight)),
        some_(path_queues::state_bytes(in_flight)),
        others_(path_queues::state_bytes(in_flight)),
        all_{paths_.data(), aims_.data(), {in_flight, rays_.data()}},
        from_(in_flight, some_.data()),
        to_(in_flight, others_.data()) {
    const heddle::launch_config to_shade = from_.grid(shade_queues, threads),
                                to_follow = all_.rays.grid(follow_rays, threads);
    graph_ = std::make_unique<captured_graph>(on, [&] {
      for (int turn = 0; turn < of_graph; ++turn) {
        const path_queues &from = turn % 2 == 0 ? from_ : to_, &to = turn % 2 == 0 ? to_ : from_;
        check(heddle::launch(to_shade, on, shade_queues, work, all_, from, to, gate));
        check(heddle::launch(to_follow, on, follow_rays, work, all_, to));
      }
    });
    graph_->upload(on);
  }

  void begin(cudaStream_t on) const {
    check(cudaMemsetAsync(all_.rays.state(), 0, ray_queues::bytes_to_clear(), on));
    check(cudaMemsetAsync(from_.state(), 0, path_queues::bytes_to_clear(), on));
    check(cudaMemsetAsync(to_.state(), 0, path_queues::bytes_to_clear(), on));
    fill_queues<<<in_flight / 256, 256, 0, on>>>(all_, from_, in_flight);
    check(cudaGetLastError());
  }
  void enqueue(cudaStream_t on) const { graph_->replay(on); }

  /// Returns whether the queues are empty. Reads them back and waits for that; called between two graphs.
  bool are_over(cudaStream_t on) const {
    path_queues::totals totals;
    check(cudaMemcpyAsync(&totals, from_.state(), sizeof totals, cudaMemcpyDeviceToHost, on));
    check(cudaStreamSynchronize(on));
    return from_.size(totals) == 0;
  }

 private:
  device_array<path> paths_;
  device_array<aim> aims_;
  device_array<char> rays_, some_, others_;
  traffic all_;
  path_queues from_, to_;
  std::unique_ptr<captured_graph> graph_;
};

/// A render by steps of a trial, with as many paths in flight.
class trial_turns {
  static constexpr unsigned in_flight = 1u << 21, steps = 16;

 public:
  trial_turns(const job& work, cudaStream_t on)
      : paths_(in_flight), keyed_(trial_queues::state_bytes(in_flight)), all_{work, paths_.data()} {
    check(cudaMemsetAsync(keyed_.data(), 0, trial_queues::bytes_to_clear(), on));
    begin_paths<<<in_flight / 256, 256, 0, on>>>(paths_.data(), in_flight);
    check(cudaGetLastError());
  }

  /// Takes steps until all paths have begun and none has a ray.
  void take(mode how, cudaStream_t on) const {
    const trial_queues keyed(in_flight, keyed_.data());
    const plain_trial plain{all_, in_flight, steps}, one{all_, in_flight};
    const block_trial blocks{all_, in_flight, steps};
    word rays = 0, begun = 0, before = 0;
    do {
      before = rays;
      if (how == mode::in_place) check(plain.in_place(on));
      if (how == mode::by_block) check(blocks.by_block(on));
      for (unsigned step = 0; how == mode::by_queues && step < steps; ++step) check(one.by_queues(on, keyed));
      check(cudaMemcpyAsync(&rays, all_.work.rays, sizeof(word), cudaMemcpyDeviceToHost, on));
      check(cudaMemcpyAsync(&begun, all_.work.next_path, sizeof(word), cudaMemcpyDeviceToHost, on));
      check(cudaStreamSynchronize(on));
    } while (rays != before || begun < all_.work.paths);
  }

 private:
  device_array<path> paths_;
  device_array<char> keyed_;
  paths_in_flight all_;
};

/// Reads how many paths have begun, while kernels run.
class watch {
 public:
  explicit watch(const job& work) : work_(work) { check(cudaHostAlloc(&begun_, sizeof(word), cudaHostAllocDefault)); }
  watch(const watch&) = delete;
  ~watch() { cudaFreeHost(begun_); }

  word look() {
    check(cudaMemcpyAsync(begun_, work_.next_path, sizeof(word), cudaMemcpyDeviceToHost, beside_));
    check(cudaStreamSynchronize(beside_));
    return *begun_ < work_.paths ? *begun_ : work_.paths;
  }

 private:
  const job& work_;
  stream beside_;
  word* begun_ = nullptr;
};

void wait_for(cudaEvent_t what, watch& begun, const job& work, const settings& chosen) {
  for (cudaError_t state; (state = cudaEventQuery(what)) != cudaSuccess;) {
    if (state != cudaErrorNotReady) check(state);
    chosen.progress(static_cast<double>(begun.look()) / static_cast<double>(work.paths));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// Launches graphs until the queues are empty; they also have the paths that are still to begin.
void take_turns(const turns& all, const job& work, watch& begun, const settings& chosen, cudaStream_t on) {
  all.begin(on);
  do {
    all.enqueue(on);
    check(cudaStreamSynchronize(on));
    chosen.progress(static_cast<double>(begun.look()) / static_cast<double>(work.paths));
  } while (!all.are_over(on));
}

/// Returns the chosen mode; if the gate is on and sorting could not pay, `persistent`.
mode gated(const settings& chosen, const scene& in) {
  const bool blocks = chosen.how == mode::block, queues = chosen.how == mode::queues;
  const bool closed = chosen.gate && ((blocks && !could_pay_for_blocks(in)) || (queues && !could_pay_for_queues(in)));
  return closed ? mode::persistent : chosen.how;
}

rendered rendered_by(const world& of, const settings& chosen) {
  const device_array<node> nodes(of.nodes);
  const device_array<triangle> triangles(of.triangles);
  const device_array<shading> shadings(of.shadings);
  const device_array<material> materials(of.materials);
  const auto pixels = static_cast<std::size_t>(chosen.width) * static_cast<std::size_t>(chosen.height);
  const device_array<film::sum> sums(3 * pixels);
  const device_array<word> counters(2);
  scene in = of.view();
  in.tree = {nodes.data(), triangles.data()};
  in.shadings = shadings.data();
  in.materials = materials.data();
  const job work{in,
                 {sums.data()},
                 heddle::morton{{chosen.height, chosen.width}},
                 chosen.width,
                 chosen.height,
                 static_cast<word>(pixels) * chosen.passes,
                 counters.data(),
                 counters.data() + 1};
  const mode how = gated(chosen, in);
  const stream on;
  const stopwatch time;
  watch begun(work);
  std::unique_ptr<turns> queued;
  std::unique_ptr<trial_turns> tried;
  if (how == mode::queues) queued = std::make_unique<turns>(work, chosen.gate, on);
  if (how > mode::queues) tried = std::make_unique<trial_turns>(work, on);
  check(cudaMemsetAsync(sums.data(), 0, 3 * pixels * sizeof(film::sum), on));
  check(cudaMemsetAsync(counters.data(), 0, 2 * sizeof(word), on));
  check(cudaStreamSynchronize(on));

  time.start(on);
  switch (how) {
    case mode::each: {
      trace_each<<<static_cast<unsigned>((work.paths + threads - 1) / threads), threads, 0, on>>>(work);
      break;
    }
    case mode::persistent:
      trace_persistent<<<resident(trace_persistent, threads), threads, 0, on>>>(work);
      break;
    case mode::block: {
      const auto trace = chosen.gate ? trace_block<true> : trace_block<false>;
      trace<<<resident(trace, threads_of_block), threads_of_block, 0, on>>>(work);
      break;
    }
    case mode::queues:
      take_turns(*queued, work, begun, chosen, on);
      break;
    case mode::in_place:
    case mode::by_block:
    case mode::by_queues:
      tried->take(how, on);
  }
  check(cudaGetLastError());
  time.stop(on);
  wait_for(time.end(), begun, work, chosen);

  rendered result;
  result.milliseconds = time.milliseconds();
  result.sums = sums.read();
  check(cudaMemcpy(&result.rays, work.rays, sizeof(word), cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace

std::string gpu() {
  const gpu_found found = find_gpu();
  return found.why_not.empty() ? found.name : "";
}

rendered render_on_gpu(const world& of, const settings& chosen) {
  try {
    return rendered_by(of, chosen);
  } catch (const std::exception& error) {
    rendered none;
    none.error = error.what();
    return none;
  }
}

}  // namespace path_tracer
