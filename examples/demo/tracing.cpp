#include <cmath>

#include <heddle/draw/trace_timeline.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/trace/chrome_trace.hpp>
#include <heddle/trace/summary.hpp>

#include "measured.hpp"
#include "table.hpp"

namespace {

using heddle::recipe;

/// What predict::makespan says of uneven tiles, as a trace would show it. Times are in units of a tile's cost.
heddle::trace::report predicted_trace(const heddle::row_major& order, const recipe& by) {
  constexpr int workers = 16;
  const auto cost = [&](heddle::coord tile) {
    const double row = tile.row - order.space().rows / 2.0, col = tile.col - order.space().cols / 2.0;
    return 1000.0 + 9000 * std::exp(-(row * row + col * col) / 20);
  };
  const auto makespan = heddle::predict::makespan(order, cost, {workers}, by);
  heddle::trace::report made;
  made.launches.push_back({0, workers, 1, 0, 0, makespan.end, 0});
  for (int worker = 0; worker < workers; ++worker) {
    heddle::trace::report::block block{0, worker, worker, 0, 0, 0, 0, made.slices.size(), 0};
    for (const auto& each : makespan.stretches) {
      if (each.worker != worker) continue;
      made.slices.push_back({0, worker, worker, 0, each.index, 0, each.begin, each.end});
      block.end = each.end;
    }
    block.count = made.slices.size() - block.first;
    made.blocks.push_back(block);
  }
  return made;
}

}  // namespace

demo::part demo::traces() {
  part all{"Traces",
           "What ran where and when, from a launch: a lane per block of a multiprocessor, time to the right, tiles "
           "coloured by their place in the order. A traced scheduler notes it, with no change to the kernel.",
           {{"Traces", "trace.md"}}};
  const auto [gpu, why_not, measured] = measure_traces();
  all.why_not = why_not;
  if (measured.empty()) {
    const heddle::row_major order{{16, 24}};
    for (const recipe::schedule_kind kind : {recipe::strided, recipe::ticket}) {
      const std::string name = to_string(kind);
      all.pictures.push_back(
          {"", name, "traced{" + name + "{…}, buffer}",
           "Predicted by predict::makespan for uneven tiles on 16 blocks; a GPU would be traced.",
           heddle::draw::timeline(predicted_trace(order, {.schedule = kind}), {.title = name, .heading = name}), true});
    }
    return all;
  }
  const heddle::row_major order{painted_tiles()};
  heddle::trace::chrome_trace file;
  table numbers{
      "Uneven tiles of the Mandelbrot set, traced on the " + gpu,
      "Tail: from when the first block has no tile left to the end. Makespan: what predict::makespan says of the "
      "same tiles.",
      {"schedule", "time, us", "idle, %", "tail, us", "longest tile, us", "makespan, us"}};
  for (const auto& [by, report] : measured) {
    const std::string name = to_string(by.schedule);
    const auto sum = heddle::trace::summarize(report, 0, order, by);
    numbers.rows.push_back({name, formatted("%.1f", sum.time * 1e-3), formatted("%.1f", 100 * sum.idle_share),
                            formatted("%.1f", sum.tail * 1e-3), formatted("%.1f", sum.longest * 1e-3),
                            formatted("%.1f", sum.predicted * 1e-3)});
    all.pictures.push_back({"", name, "traced{" + name + "{…}, buffer}", "Traced on the " + gpu + ".",
                            heddle::draw::timeline(report, {.title = name, .heading = name}), true});
    file.add(name, report, order);
  }
  all.tables.push_back(numbers);
  all.files.push_back({"trace.json", "A trace for ui.perfetto.dev", file.str()});
  return all;
}
