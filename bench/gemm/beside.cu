#include "beside.hpp"

#include "common/holder.cuh"
#include "contender.cuh"
#include "gemm/variant.hpp"

namespace gemm_bench {
namespace {

using heddle::launch_config;
using heddle_bench::globaltimer;
using heddle_bench::holder;
using heddle_bench::json_object;
using std::chrono::steady_clock;

constexpr int in_a_row = 6;                        // products of a burst
constexpr long long longest_census = 10'000'000;   // ns
constexpr long long without_an_arrival = 200'000;  // ns: then all blocks that fit are counted
constexpr int held_all_the_time[] = {0, 2, 8, 16, 24, 32, 64}, held_for_a_part[] = {8, 24, 64};

struct census {
  unsigned present, most;
  long long last_arrival;
};

/// Finds the most blocks that are resident at once: each stays until no other one has arrived for a while.
__global__ void count_residents(census* all) {
  if (threadIdx.x != 0) return;
  const long long begin = globaltimer();
  volatile long long& last_arrival = all->last_arrival;
  last_arrival = begin;
  atomicMax(&all->most, atomicAdd(&all->present, 1u) + 1);
  while (globaltimer() - last_arrival < without_an_arrival && globaltimer() - begin < longest_census) __nanosleep(1000);
  atomicSub(&all->present, 1u);
}

/// Counts how many workers of a kernel are resident at once, with blocks of its size and shared memory.
class residents {
 public:
  residents(const gemm::variant& v, int k) : workers_(v.grid(1 << 16, v.k_steps(k))), blocks_(workers_) {
    int multiprocessors = 0, most_shared = 0;
    check(workers_.error);
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    check(cudaFuncSetAttribute(count_residents, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared));
    in_worker_ = v.blocks_in_cluster();
    blocks_.config.gridDim = dim3(static_cast<unsigned>(multiprocessors * v.blocks_per_multiprocessor));
    blocks_.config.attrs = nullptr, blocks_.config.numAttrs = 0;  // no clusters
    (void)workers(), (void)blocks();                              // loads the kernel
  }

  int workers() const { return count(workers_) / in_worker_; }
  int blocks() const { return count(blocks_); }

 private:
  int count(const launch_config& grid) const {
    check(cudaMemsetAsync(state_.data(), 0, state_.bytes()));
    check(heddle::launch(grid, nullptr, count_residents, state_.data()));
    return static_cast<int>(state_.first().most);
  }

  launch_config workers_, blocks_;
  int in_worker_ = 1;
  device_array<census> state_{1};
};

enum class moment { held, arrives, leaves };

const char* name_of(moment when) {
  return when == moment::held ? "held" : when == moment::arrives ? "arrives" : "leaves";
}

/// What one contender took in one situation.
struct figures {
  std::vector<double> milliseconds;  // per product
  std::vector<int> workers, blocks;  // that were resident while the multiprocessors were held
};

struct situation {
  moment when;
  int held;
  std::vector<figures> of;  // by contender
};

std::vector<situation> all_situations(int multiprocessors, std::size_t contenders) {
  std::vector<situation> all;
  const auto add = [&](moment when, int held) {
    if (held < multiprocessors) all.push_back({when, held, std::vector<figures>(contenders)});
  };
  for (const int held : held_all_the_time) add(moment::held, held);
  for (const moment when : {moment::arrives, moment::leaves}) {
    for (const int held : held_for_a_part) add(when, held);
  }
  return all;
}

/// Returns how many times as long as alone a product may take, in the mean of those in a row, if one with the
/// multiprocessors held has `waves` times as many waves.
double law_of(moment when, double waves) {
  // The blocks of the first product keep their multiprocessors: the kernel that arrives waits for its end.
  if (when == moment::arrives) return (1 + (in_a_row - 1) * waves) / in_a_row;
  if (when == moment::leaves) return ((waves + 1) / 2 + in_a_row - 1) / in_a_row;
  return waves;
}

}  // namespace

void measure_beside(const shape& s, int rounds, const cublas& library, heddle_bench::json_file& json) {
  const product_memory memory(s, library);
  const gemm::problem alone{.m = s.m, .n = s.n, .k = s.k}, sharing{.m = s.m, .n = s.n, .k = s.k, .sharing = true};
  const gemm::operands operands{memory.a.data(), s.k, memory.b.data(), s.k, memory.c.data(), s.n};
  const gemm::device device = gemm::device::current();
  const gemm::plan plan(alone, device);
  std::vector<contender> all;
  all.push_back({"cublas", "default", [&] { library(s, memory.a.data(), memory.b.data(), memory.c.data()); }});
  all.push_back(by_plan("heddle", plan, operands));
  all.push_back(by_plan("sharing", gemm::plan(sharing, device), operands));
  constexpr std::size_t plain = 1;
  require_right(all, memory, s);

  const int tiles = gemm::places_of(alone, plan.choice()).size();  // or clusters of tiles
  const auto waves = [&](int resident) { return (tiles + resident - 1) / (std::max)(1, resident); };
  const residents resident(*plan.choice().variant, s.k);
  holder others(1000);
  event_timer time;
  std::vector<situation> situations = all_situations(device.chip.multiprocessors, all.size());
  const std::vector<figures>& unheld = situations[0].of;
  const auto more_waves = [&](const figures& its) {
    return 1.0 * waves(median(its.workers)) / waves(median(unheld[plain].workers));
  };

  const auto burst = [&](const situation& at, std::size_t which, figures& its) {
    const auto count = [&] { its.workers.push_back(resident.workers()), its.blocks.push_back(resident.blocks()); };
    const contender& one = all[which];
    rest_before(s);
    if (at.when != moment::arrives) {
      others.start(at.held);
      others.wait_for_all();
      count();
    }
    one.work();
    double middle = 0;  // of the first product, in milliseconds
    if (at.when != moment::held) {
      middle = 0.5 * median(unheld[which].milliseconds) * (at.when == moment::leaves ? more_waves(its) : 1);
      check(cudaStreamSynchronize(nullptr));  // the first product begins now
    }
    const float in_all = time.milliseconds([&] {
      const auto begin = steady_clock::now();
      for (int i = 0; i < in_a_row; ++i) one.work();
      if (at.when == moment::held) return;
      while (steady_clock::now() - begin < std::chrono::duration<double, std::milli>(middle)) continue;
      if (at.when == moment::arrives) {
        others.start(at.held);
      } else {
        others.stop();
      }
    });
    its.milliseconds.push_back(static_cast<double>(in_all) / in_a_row);
    if (at.when == moment::arrives) {
      others.wait_for_all();
      count();
    }
    others.stop();
  };
  for (int round = 0; round < rounds; ++round) {
    for (situation& each : situations) {
      for (std::size_t i = 0; i < all.size(); ++i) burst(each, i, each.of[i]);
    }
  }

  const double plain_ms = median(unheld[plain].milliseconds);
  std::printf("%d x %d x %d, %d products in a row: ms per product; over the plan alone; over the law\n", s.m, s.n, s.k,
              in_a_row);
  for (const situation& each : situations) {
    const figures& of_plan = each.of[plain];
    std::printf("%3d %-7s  resident: %d workers of the plan, %d blocks; waves: %d\n", each.held, name_of(each.when),
                median(of_plan.workers), median(of_plan.blocks), waves(median(of_plan.workers)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double ms = median(each.of[i].milliseconds), over_alone = ms / plain_ms;
      const double over_law = over_alone / law_of(each.when, more_waves(each.of[i]));
      std::printf("      %-8s %9.4f ms %7.3f %7.3f  %s\n", all[i].name.c_str(), ms, over_alone, over_law,
                  all[i].what.c_str());
      json_object row;
      row.add("m", s.m).add("n", s.n).add("k", s.k).add("held", each.held);
      row.add("resident", median(each.of[i].workers)).add("contender", all[i].name).add("kernel", all[i].what);
      row.add("situation", name_of(each.when)).add("burst_ms", ms, 6);
      json.add(row.add("alone_ratio", over_alone, 4).add("law_ratio", over_law, 4));
    }
  }
  std::fflush(stdout);
}

}  // namespace gemm_bench
