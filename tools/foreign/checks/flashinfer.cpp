// FlashInfer's plan of prefill on Hopper and the schedulers that read it: each tile of each head and request once.
#include <algorithm>
using std::max, std::min;
namespace flashinfer {
enum class PosEncodingMode;
}
#include <flashinfer/attention/scheduler.cuh>

#include "cutlass.hpp"
#define __CUDA_ARCH__ 900
#include <flashinfer/attention/hopper/tile_scheduler.cuh>

using namespace flashinfer;
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
  return "";
}

template <class Scheduler>
void run(heddle::laws::tile_log& log, const PrefillPlanSM90Info& at, char* plan, int heads, int group) {
  const auto part = [&](long long offset) { return reinterpret_cast<int*>(plan + offset); };
  const typename Scheduler::Arguments by{part(at.work_indptr_offset),     part(at.head_indices_offset),
                                         part(at.qo_tile_indices_offset), part(at.qo_indptr_offset),
                                         part(at.kv_indptr_offset),       part(at.qo_len_offset),
                                         part(at.kv_len_offset),          part(at.batch_indices_offset),
                                         cutlass::FastDivmod(group),      heads};
  const auto params = Scheduler::to_underlying_arguments(by);
  simt::launch(Scheduler::get_grid_dim(by, multiprocessors), 1, [&] {
    Scheduler its;
    for (auto work = its.get_initial_work(params); work.is_valid(params); work = its.get_next_work(params, work))
      log.take(work.batch_idx, work.q_tile_idx, work.qo_head_idx);
  });
}

// The sweep: random lengths.
int main() {
  tally all{"FlashInfer"};
  for (std::vector<char> plan(1 << 24); all.launches < 500;) {
    const int group = any(1, 4), heads = group * any(1, 4), requests = any(1, 40), width = 64 * any(1, 2);
    std::vector<int> queries{0}, keys{0}, lengths;  // of queries; of keys
    std::vector<heddle::extent> grids;
    for (int i = 0, most = any(0, 15) == 0 ? 60000 : 3000; i < requests; ++i) {
      const int rows = any(0, 3) == 0 ? 0 : any(1, most);
      queries.push_back(queries[i] + rows), lengths.push_back(rows + any(0, 5000)),
          keys.push_back(keys[i] + lengths[i]);
      grids.push_back({(rows + (width == 64 ? 191 : 127)) / (width == 64 ? 192 : 128), heads});
    }
    heddle::laws::tile_log log(grids);
    PrefillPlanSM90Info at;
    multiprocessors = any(1, 132);
    PrefillSM90Plan<int>(nullptr, 0, plan.data(), plan.data(), plan.size(), at, queries.data(), keys.data(),
                         lengths.data(), queries.back(), requests, heads, heads / group, width, width, 1, any(0, 1),
                         any(0, 1), 2, nullptr);
    const auto of = at.same_schedule_for_all_heads ? run<BatchPrefillTileScheduler<int>>
                                                   : run<BatchPrefillPersistentTileScheduler<int>>;
    of(log, at, plan.data(), heads, group);
    all.add(log.report(), requests, queries.back());
  }
}
