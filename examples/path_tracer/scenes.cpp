// The scenes. The costs of their materials were fixed before any mode was tuned.

#include "scenes.hpp"

#include <cmath>
#include <iterator>
#include <random>

#include "stage.hpp"

namespace path_tracer {

world terrace(bool cheap, float aspect) {
  stage result;
  mesh& of = result.shapes;
  scene& numbers = result.of.numbers;
  std::mt19937 random(7);
  const auto lot = [&] { return static_cast<float>(random() >> 8) * 0x1p-24f; };
  const auto made = [&](kind what, vec color, vec other, float roughness = 0, float scale = 1) {
    material next;
    const bool textured = what < kind::glass;
    next.what = cheap && textured ? (what == kind::marble || what == kind::wood ? kind::plain : kind::plastic) : what;
    if (cheap && what == kind::flakes) next.what = kind::metal;
    next.color = color;
    next.other = other;
    next.roughness = cheap && textured ? 0.15f : roughness;
    next.scale = scale;
    return result.add(next);
  };
  const auto glow = [&](vec emission) {
    material next;
    next.what = kind::light;
    next.color = all(0.5f);
    next.emission = emission;
    return result.add(next);
  };

  const int floor = made(kind::terrazzo, {0.42f, 0.36f, 0.31f}, {0.52f, 0.20f, 0.12f}, 0, 0.9f);
  const int white_marble = made(kind::marble, {0.86f, 0.83f, 0.78f}, {0.18f, 0.17f, 0.20f}, 0, 1.3f);
  const int green_marble = made(kind::marble, {0.10f, 0.28f, 0.19f}, {0.75f, 0.78f, 0.65f}, 0, 2.2f);
  const int celadon = made(kind::ceramic, {0.42f, 0.62f, 0.52f}, {0.18f, 0.26f, 0.22f}, 0, 1.6f);
  const int cobalt = made(kind::ceramic, {0.08f, 0.16f, 0.52f}, {0.55f, 0.58f, 0.62f}, 0, 2.2f);
  const int rusty = made(kind::rust, {0.62f, 0.60f, 0.58f}, {0.34f, 0.12f, 0.04f}, 0.18f, 1.2f);
  const int red_paint = made(kind::flakes, {0.52f, 0.02f, 0.03f}, {1.0f, 0.45f, 0.2f}, 0, 1);
  const int blue_paint = made(kind::flakes, {0.02f, 0.10f, 0.42f}, {0.4f, 0.7f, 1.0f}, 0, 1);
  const int oak = made(kind::wood, {0.50f, 0.30f, 0.15f}, {0.22f, 0.10f, 0.04f}, 0, 1.2f);
  const int walnut = made(kind::wood, {0.26f, 0.14f, 0.08f}, {0.09f, 0.04f, 0.02f}, 0, 2.4f);
  const int glass = made(kind::glass, {0.98f, 0.99f, 0.98f}, {});
  const int amber = made(kind::glass, {0.98f, 0.72f, 0.32f}, {});
  const int sea = made(kind::glass, {0.62f, 0.90f, 0.86f}, {}, 0.12f);
  const int gold = made(kind::metal, {0.98f, 0.72f, 0.32f}, {}, 0.22f);
  const int copper = made(kind::metal, {0.93f, 0.52f, 0.36f}, {}, 0.35f);
  const int mirror = made(kind::metal, {0.92f, 0.93f, 0.95f}, {}, 0.04f);
  const int white = made(kind::plain, {0.78f, 0.76f, 0.72f}, {});
  const int clay = made(kind::plain, {0.62f, 0.32f, 0.20f}, {});
  const int cream = made(kind::plastic, {0.80f, 0.68f, 0.46f}, {}, 0.1f);
  const int teal = made(kind::plastic, {0.04f, 0.36f, 0.38f}, {}, 0.2f);
  const int ember = glow({4.2f, 1.5f, 0.40f}), ice = glow({0.7f, 1.9f, 3.6f});

  of.add_flat({-60, 0, -60}, {0, 0, 120}, {120, 0, 0}, floor);

  // The middle of the terrace.
  of.add_surface({.at = {0, 0, 0}}, 192, 40, white_marble, [](float u, float v) {  // a pedestal, turned on a lathe
    const float around = 6.2831853f * u, up = 1 - v;
    const float radius = 0.75f + 0.3f * std::pow(std::abs(2 * up - 1), 4.f) + 0.03f * std::cos(12 * around);
    return vec{radius * std::cos(around), 1.1f * up, radius * std::sin(around)};
  });
  of.add_surface({.at = {0, 1.1f, 0}}, 96, 2, white_marble, [](float u, float v) {
    const float around = 6.2831853f * u, radius = 1.05f * v;
    return vec{radius * std::cos(around), 0, radius * std::sin(around)};
  });
  of.add_knot({.at = {0, 2.15f, 0}, .size = 0.72f, .axis = {1, 0, 0}, .angle = 1.15f}, 2, 3, 0.2f, 480, 40, glass);

  of.add_sphere({.at = {-2.9f, 1.15f, 0.4f}, .size = 1.15f}, 96, celadon);
  of.add_surface({.at = {2.9f, 1.2f, 0.9f}, .size = 1.2f}, 192, 96, rusty, [](float u, float v) {  // a hull, dented
    const float around = 6.2831853f * u, down = 3.14159265f * v;
    const vec out{std::sin(down) * std::cos(around), std::cos(down), std::sin(down) * std::sin(around)};
    return out * (1 + 0.18f * fractal(out * 1.4f + all(2.5f), 3));
  });
  of.add_torus({.at = {-1.55f, 0.36f, 2.5f}, .size = 0.72f, .axis = {0, 0, 1}, .angle = 0.12f}, 0.45f, 64, oak);
  of.add_sphere({.at = {1.35f, 0.62f, 2.75f}, .size = 0.62f}, 64, red_paint);
  of.add_knot({.at = {-5.2f, 1.25f, -1.9f}, .size = 0.95f, .axis = {1, 0, 0}, .angle = 1.4f}, 3, 2, 0.24f, 360, 32,
              gold);
  of.add_sphere({.at = {5.3f, 1.5f, -1.8f}, .size = 1.5f}, 72, mirror);
  of.add_torus({.at = {0.1f, 0.22f, 3.9f}, .size = 0.5f}, 0.4f, 48, cobalt);
  of.add_sphere({.at = {-3.3f, 0.5f, 3.2f}, .size = 0.5f}, 48, amber);
  of.add_sphere({.at = {3.5f, 0.45f, 3.4f}, .size = 0.45f}, 48, sea);
  for (int i = 0; i < 5; ++i) {  // a wall of slabs in the background
    const float x = -8 + 4.0f * static_cast<float>(i);
    const int slabs[] = {walnut, green_marble, rusty, white_marble, oak};
    of.add_box({.at = {x, 1.7f, -5.4f - 0.4f * std::abs(x) * 0.2f}, .angle = -0.06f * x}, {1.75f, 1.7f, 0.16f},
               slabs[i]);
  }

  // Small things around it.
  const int small[] = {celadon, cobalt, rusty,  red_paint, blue_paint, oak,  walnut, white_marble, green_marble, glass,
                       amber,   gold,   copper, mirror,    white,      clay, cream,  teal,         sea,          floor};
  for (int row = 0; row < 15; ++row) {
    for (int column = 0; column < 25; ++column) {
      const float x = -12.5f + static_cast<float>(column) + 0.65f * lot(),
                  z = -9 + static_cast<float>(row) + 0.65f * lot();
      const float size = 0.12f + 0.17f * lot(), turn = 6.28f * lot();
      int which = small[random() % std::size(small)];
      if (const unsigned luck = random() % 24; luck == 0)
        which = ember;
      else if (luck == 1)
        which = ice;
      const unsigned shape = random() % 4;
      const auto clear = [&](float cx, float cz, float radius) { return std::hypot(x - cx, z - cz) > radius + size; };
      if (!clear(0, 0, 1.3f) || !clear(-2.9f, 0.4f, 1.2f) || !clear(2.9f, 0.9f, 1.35f) || !clear(-1.55f, 2.5f, 1.1f) ||
          !clear(1.35f, 2.75f, 0.65f) || !clear(-5.2f, -1.9f, 1.7f) || !clear(5.3f, -1.8f, 1.55f) ||
          !clear(0.1f, 3.9f, 0.75f) || !clear(-3.3f, 3.2f, 0.55f) || !clear(3.5f, 3.4f, 0.5f) || z < -4.4f ||
          z > 5.2f) {
        continue;
      }
      if (shape == 0) {
        of.add_box({.at = {x, size * 0.8f, z}, .angle = turn}, all(size * 0.8f), which);
      } else if (shape == 1) {
        of.add_torus({.at = {x, size * 0.36f, z}, .size = size * 0.9f}, 0.4f, 14, which);
      } else {
        of.add_sphere({.at = {x, size, z}, .size = size}, shape == 2 ? 16 : 12, which);
      }
    }
  }

  result.add_lamp({{-7.5f, 7.5f, 1}, {2.4f, 0.5f, 0}, {0, 0.6f, 2.4f}, {26, 17, 9}});
  result.add_lamp({{5.5f, 6.5f, -5}, {1.8f, -0.4f, 1}, {0, 1.8f, 0.4f}, {7, 10, 16}});

  numbers.sky = cheap ? kind::haze : kind::clouds;
  numbers.sky_color = all(0.8f);
  if (!cheap) numbers.smoke = {{1.3f, 1.7f, -2.5f}, 2.3f, 3.2f, 0.93f};
  numbers.most_bounces = 10;
  result.look({0.9f, 4.1f, 11.6f}, {0.1f, 1.05f, 0.2f}, 33, aspect, 0.04f);
  return result.built();
}

world furnace(int bounces) {
  stage result;
  material wall;
  wall.color = all(0.5f);
  wall.emission = all(0.5f);
  result.shapes.add_box({}, all(1), result.add(wall));
  result.of.numbers.sky = kind::haze;
  result.of.numbers.most_bounces = bounces;
  result.look({0, 0, 0.9f}, {0, 0, 0}, 60, 1, 0);
  return result.built();
}

}  // namespace path_tracer
