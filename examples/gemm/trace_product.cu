#include "trace_product.hpp"

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/recipe/with.hpp>

#include "../common/tracing.hpp"
#include "on_hopper.cuh"

namespace {

using namespace gemm;

using product = on_hopper<wgmma_shape<128, 256, 2, 1>, __nv_bfloat16>;
constexpr int rounds = 101;

template <class Scheduler>
void trace_under(const Scheduler& scheduler, const heddle::recipe& recipe, const problem& p, const operands& o,
                 const std::string& path) {
  const product of;
  const auto enqueue = [&](const auto& by) { return of.launch(of.grid(by), by, p, o, nullptr); };
  const auto grid = of.grid(scheduler);
  check(grid.error);
  const trace_memory memory({.blocks = static_cast<int>(grid.config.gridDim.x), .tiles = 1024, .launches = 4});
  const heddle::traced traced{scheduler, memory.buffer()};
  print_cost_of_trace(
      rounds, [&] { return enqueue(scheduler); }, [&] { return enqueue(traced); });

  const heddle::trace::report report = memory.read();
  const std::string name = to_string(recipe.schedule);
  const int last = static_cast<int>(report.launches.size()) - 1;
  std::printf("%s", heddle::trace::summarize(report, last, scheduler.order(), recipe).text().c_str());
  heddle::trace::chrome_trace file;
  file.add("product, " + name, report, scheduler.order());
  write_trace(path, file, report,
              std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k) + " under " + name);
}

}  // namespace

void gemm::trace_product(const problem& p, const operands& o, const std::string& schedule, const std::string& path) {
  const heddle::extent tiles = heddle::ceil_div(p.m, p.n, product::tile);
  const heddle::cta_swizzle bands{heddle::ceil_div(tiles, product::cluster), 8, heddle::axis::y};
  const heddle::clustered order{bands, product::cluster, tiles};
  using listed = heddle::recipe::schedules<heddle::recipe::strided, heddle::recipe::ticket>;
  const device_array<char> state(listed::state_bytes(), 0);
  const heddle::recipe by = heddle::from_string(schedule);
  heddle::with_recipe<listed>(by, order, state.data(),
                              [&](const auto& scheduler) { trace_under(scheduler, by, p, o, path); });
}
