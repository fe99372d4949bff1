// The path tracer: every mode makes the same picture, and pictures with a known result have it.

#include "path_tracer/render.hpp"
#include "path_tracer/scenes.hpp"
#include "skip.hpp"
#include "test.hpp"

using namespace path_tracer;

namespace {

bool no_gpu() {
  if (!gpu().empty()) return false;
  heddle_test::skip("no CUDA device");
  return true;
}

settings small(int width, int height, unsigned passes) {
  settings chosen;
  chosen.width = width;
  chosen.height = height;
  chosen.passes = passes;
  return chosen;
}

double mean(const std::vector<float>& light) {
  return std::accumulate(light.begin(), light.end(), 0.0) / static_cast<double>(light.size());
}

/// Walls that shine 1/2 and reflect 1/2 show 1/2 + 1/4 + ..., one term per bounce: exactly, for each path.
template <class Render>
void furnace_is_exact(Render render) {
  for (const int bounces : {1, 2, 4}) {
    const settings chosen = small(24, 16, 3);
    const rendered found = render(furnace(bounces), chosen);
    REQUIRE(found.error == "");
    CHECK(found.rays == 24ull * 16 * 3 * static_cast<unsigned>(bounces));
    const float expected = 1 - std::ldexp(1.f, -bounces);
    for (const float light : light_of(found, chosen.passes)) CHECK(light == expected);
  }
}

/// With enough bounces, most of which russian roulette ends early, the walls show 1 on average.
template <class Render>
void furnace_shines_1(Render render) {
  const settings chosen = small(48, 32, 16);
  const rendered found = render(furnace(60), chosen);
  REQUIRE(found.error == "");
  CHECK(std::abs(mean(light_of(found, chosen.passes)) - 1) < 0.005);
}

void modes_agree(const world& of, settings chosen) {
  chosen.how = mode::each;
  const rendered expected = render_on_gpu(of, chosen);
  REQUIRE(expected.error == "");
  CHECK(expected.rays > static_cast<unsigned long long>(chosen.width) * static_cast<unsigned>(chosen.height));
  for (const mode how : modes) {
    for (const bool gate : {false, true}) {
      CAPTURE(name_of(how), gate, chosen.width, chosen.height, chosen.passes);
      chosen.how = how;
      chosen.gate = gate;
      const rendered found = render_on_gpu(of, chosen);
      REQUIRE(found.error == "");
      CHECK(found.rays == expected.rays);
      CHECK(found.sums == expected.sums);
    }
  }
}

}  // namespace

TEST_CASE("A furnace shows the light of each bounce exactly on the host", "[path_tracer]") {
  furnace_is_exact(render_on_host);
  furnace_shines_1(render_on_host);
}

TEST_CASE("A furnace shows the light of each bounce exactly on the GPU in every mode", "[gpu][path_tracer]") {
  if (no_gpu()) return;
  for (const mode how : modes) {
    const auto render = [&](const world& of, settings chosen) {
      chosen.how = how;
      return render_on_gpu(of, chosen);
    };
    CAPTURE(name_of(how));
    furnace_is_exact(render);
    furnace_shines_1(render);
  }
}

TEST_CASE("Every mode of the path tracer makes the same picture bit for bit", "[gpu][path_tracer]") {
  if (no_gpu()) return;
  for (const bool cheap : {false, true}) {
    const world of = terrace(cheap, 1.5f);
    modes_agree(of, small(1, 1, 1));
    modes_agree(of, small(33, 17, 2));
    modes_agree(of, small(240, 160, 5));
  }
}

TEST_CASE("The GPU renders what the host does but for noise", "[gpu][path_tracer]") {
  if (no_gpu()) return;
  const world of = terrace(false, 1.5f);
  settings chosen = small(96, 64, 6);
  const rendered host = render_on_host(of, chosen);
  const double expected = mean(light_of(host, chosen.passes));
  chosen.passes = 64;
  const double found = mean(light_of(render_on_gpu(of, chosen), chosen.passes));
  CHECK(std::abs(found - expected) < 0.06 * expected);
}
