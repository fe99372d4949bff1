#pragma once

#include <cmath>
#include <cstdint>

#include "../common/picture.hpp"

// A scene of balls on a chequered floor, rendered with few samples per pixel: the input of a denoiser.

namespace convolution {

using namespace pictures;

/// What a renderer knows of each pixel: a noisy colour, a normal and a depth.
struct rendered {
  picture color;
  std::vector<float> surface;  // normal and depth
};

namespace detail {

struct vec3 {
  double x, y, z;

  friend vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vec3 operator*(double s, vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
};

inline double dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline vec3 normalized(vec3 a) {
  return 1 / std::sqrt(dot(a, a)) * a;
}

struct ball {
  vec3 center;
  double radius;
  vec3 color;
};

inline const ball balls[] = {{{-2.1, 1, 6.5}, 1, {0.85, 0.25, 0.2}},    {{0.3, 0.8, 5.2}, 0.8, {0.25, 0.55, 0.9}},
                             {{2.3, 1.2, 7.4}, 1.2, {0.3, 0.75, 0.35}}, {{1.3, 0.35, 3.9}, 0.35, {0.95, 0.8, 0.3}},
                             {{-0.9, 0.4, 4.1}, 0.4, {0.8, 0.8, 0.85}}, {{-3.4, 0.6, 4.9}, 0.6, {0.7, 0.4, 0.8}}};

struct hit {
  double distance = 1e30;
  vec3 normal{0, 0, -1}, color{0.55, 0.7, 0.95};
};

inline hit first_hit(vec3 from, vec3 along) {
  hit found;
  if (along.y < -1e-6) {
    const double distance = -from.y / along.y;
    const vec3 at = from + distance * along;
    const bool dark = (static_cast<int>(std::floor(at.x)) + static_cast<int>(std::floor(at.z))) % 2 != 0;
    if (distance > 1e-4 && distance < 60)
      found = {distance, {0, 1, 0}, dark ? vec3{0.3, 0.3, 0.32} : vec3{0.75, 0.74, 0.7}};
  }
  for (const ball& each : balls) {
    const vec3 to = from - each.center;
    const double b = dot(to, along), c = dot(to, to) - each.radius * each.radius, under = b * b - c;
    if (under < 0) continue;
    const double distance = -b - std::sqrt(under);
    if (distance < 1e-4 || distance >= found.distance) continue;
    found = {distance, normalized(from + distance * along - each.center), each.color};
  }
  return found;
}

/// Uniform numbers from 0 to 1, the same for the same seed.
class noise {
 public:
  explicit noise(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  double operator()() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

/// Returns the light from a window in the sky, estimated by `rays` rays to random places in it.
inline double light_at(vec3 at, vec3 normal, noise& random, int rays) {
  double sum = 0;
  for (int ray = 0; ray < rays; ++ray) {
    const vec3 to = normalized(vec3{-3 + 5 * random(), 8, 1 + 5 * random()} - at);
    const double facing = dot(normal, to);
    if (facing > 0 && first_hit(at + 1e-3 * normal, to).distance > 50) sum += facing;
  }
  return 0.12 + 0.9 * sum / rays;
}

}  // namespace detail

inline rendered render(int width, int height, int rays) {
  using namespace detail;
  rendered result{picture(width, height), {}};
  result.surface.resize(4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const vec3 eye{0, 1.6, -1.5};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const vec3 along = normalized({(x + 0.5 - width / 2.0) / height, (height * 0.42 - y - 0.5) / height, 1.1});
      const hit found = first_hit(eye, along);
      noise random(static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(width) + static_cast<std::uint64_t>(x) +
                   1);
      for (int i = 0; i < 8; ++i) random();
      const bool sky = found.distance > 1e20;
      const vec3 at = eye + found.distance * along;
      const double light = sky ? 1 : light_at(at, found.normal, random, rays);
      const double parts[] = {found.color.x, found.color.y, found.color.z};
      for (int i = 0; i < 3; ++i) result.color.at(x, y)[i] = static_cast<float>(parts[i] * light);
      float* const surface =
          result.surface.data() +
          4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
      surface[0] = static_cast<float>(found.normal.x);
      surface[1] = static_cast<float>(found.normal.y);
      surface[2] = static_cast<float>(found.normal.z);
      surface[3] = static_cast<float>(sky ? 60 : found.distance);
    }
  }
  return result;
}

}  // namespace convolution
