// Renders on the host, with the same functions as the GPU.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "journey.hpp"
#include "render.hpp"
#include "shade.hpp"

namespace path_tracer {
namespace {

void travel(path& of, const aim& at, const scene& in) {
  walk::later stack;
  for (journey on(of, at); !on.is_over();) {
    if (on.way.at_node()) {
      on.way.pass_node(in.tree, stack);
    } else if (on.way.at_triangle()) {
      on.way.pass_triangle(in.tree, stack);
    } else {
      on.turn(of, at, in);
    }
  }
}

}  // namespace

rendered render_on_host(const world& of, const settings& chosen) {
  const scene in = of.view();
  rendered result;
  result.sums.resize(3ull * static_cast<unsigned>(chosen.width) * static_cast<unsigned>(chosen.height));
  const film picture{result.sums.data()};
  std::atomic<int> next_row{0};
  std::atomic<unsigned long long> rays{0};
  const auto rows = [&] {
    unsigned long long mine = 0;
    for (int y = next_row++; y < chosen.height; y = next_row++) {
      for (int x = 0; x < chosen.width; ++x) {
        for (unsigned pass_number = 0; pass_number < chosen.passes; ++pass_number) {
          path on = begun(in, x, y, chosen.width, chosen.height, pass_number);
          aim at_lamp;
          do {
            travel(on, at_lamp, in);
            at_lamp = {};
            mine += !on.ends();
          } while (!on.ends() && bounce(on, in, at_lamp));
          picture.expose(on.pixel, on.light, [](film::sum* sum, film::sum value) { *sum += value; });
        }
      }
      chosen.progress(static_cast<double>(std::min(next_row.load(), chosen.height)) / chosen.height);
    }
    rays += mine;
  };
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i) others.emplace_back(rows);
  rows();
  for (std::thread& each : others) each.join();
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  result.rays = rays;
  return result;
}

}  // namespace path_tracer
