// One kernel with uneven tiles under three schedulers, each traced: which block took which tile, where, from when to
// when. Writes a trace for ui.perfetto.dev and a picture of each, into the folder that is given, or the current one.

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <heddle/draw/trace_timeline.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/recipe.hpp>
#include <heddle/trace.hpp>

#include "../common/cuda.hpp"
#include "paint.cuh"

/// Paints twice under a traced scheduler, and writes what the second launch did.
template <class Scheduler>
bool painted_right(const Scheduler& scheduler, const heddle::recipe& by, const std::string& folder) {
  const std::string name = to_string(by.schedule);
  const device_array<int> turns(1ULL * rows * cols, 0xff);

  const auto kernel = paint<heddle::traced<Scheduler>>;
  const auto grid = scheduler.grid(kernel, threads);
  check(grid.error);
  const heddle::trace::room room{.blocks = static_cast<int>(grid.config.gridDim.x), .tiles = 1024, .launches = 2};
  const device_array<char> memory(room.bytes());
  memory.fill(0);
  const heddle::trace::buffer buffer{room, memory.data(), memory.bytes()};

  const heddle::traced traced{scheduler, buffer};
  for (int launch = 0; launch < 2; ++launch) {
    check(heddle::launch(traced.grid(kernel, threads), nullptr, kernel, traced, turns.data()));
  }
  const auto [report, error] = heddle::trace::read(buffer, nullptr);
  check(error);

  const auto order = scheduler.order();
  const auto numbers = heddle::trace::summarize(report, 1, order, by);
  std::printf("%s\n%s", name.c_str(), numbers.text().c_str());

  heddle::trace::chrome_trace file;
  file.add(name, report, order);
  const std::string path = folder + "/trace_" + name;
  if (const std::string failure = file.write(path + ".json"); !failure.empty()) throw std::runtime_error(failure);
  std::ofstream picture(path + ".svg", std::ios::binary);
  picture << heddle::draw::timeline(report, {.title = "A trace of " + name, .heading = name, .launch = 1});
  std::printf("wrote %s.json, for ui.perfetto.dev, and %s.svg\n\n", path.c_str(), path.c_str());

  // Each tile has one slice per launch.
  std::vector<int> visits(static_cast<std::size_t>(order.size()));
  for (const auto& slice : report.slices) ++visits[static_cast<std::size_t>(slice.index)];
  for (const int count : visits) {
    if (count != 2) return false;
  }
  const std::vector<int> result = turns.read();
  for (int i = 0; i < 20000; ++i) {  // check some pixels on the host
    const int row = i * 7919 % rows, col = i * 6007 % cols;
    if (result[static_cast<std::size_t>(row) * cols + static_cast<std::size_t>(col)] != turns_of(row, col))
      return false;
  }
  return picture.good();
}

int main(int count, char** arguments) try {
  if (!has_gpu("trace")) return skipped;
  const std::string folder = count > 1 ? arguments[1] : ".";

  const heddle::row_major order{{rows / tile_size, cols / tile_size}};
  const device_array<char> state(heddle::advised_schedules::state_bytes());
  bool right = true;
  for (const char* text : {"strided", "ticket", "sm_affine, run 16"}) {
    const heddle::recipe by = heddle::from_string(text);
    state.fill(0);
    right &= heddle::with_recipe<heddle::advised_schedules>(
        by, order, state.data(), [&](const auto& scheduler) { return painted_right(scheduler, by, folder); });
  }
  if (!right) std::printf("trace: wrong\n");
  return right ? 0 : 1;
} catch (const std::exception& error) {
  return failed("trace", error);
}
