#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

// A town of meshes, each of meshlets, and a camera that flies through it. All lengths are whole numbers of 1/16 m, so
// that the host and the device agree about every meshlet.

namespace culling {

#if defined(__CUDACC__)
#define CULLING_BOTH __host__ __device__ inline
#else
#define CULLING_BOTH inline
#endif

struct sphere {
  int x, y, z, radius;
};

struct mesh {
  sphere bounds;
  unsigned first, meshlets;  // its first one among all meshlets, and how many it has
};

/// A plane of the view. Its normal has a length of 2^14 and points inwards.
struct plane {
  int x, y, z;
  long long offset;
};

struct camera {
  plane planes[6];
  int x, y, z;
  float yaw;  // for the picture
};

/// Returns whether a sphere is in view, at least in part.
CULLING_BOTH bool sees(const camera& from, const sphere& what) {
  for (const plane& side : from.planes) {
    const long long distance = static_cast<long long>(side.x) * what.x + static_cast<long long>(side.y) * what.y +
                               static_cast<long long>(side.z) * what.z + side.offset;
    if (distance < -(static_cast<long long>(what.radius) << 14)) return false;
  }
  return true;
}

/// Returns whether a meshlet is in view and faces the camera. It faces outwards from the centre of its mesh.
CULLING_BOTH bool is_left(const camera& from, const mesh& of, const sphere& meshlet) {
  const auto part = [](int inside, int on, int eye) { return static_cast<long long>(on - inside) * (eye - on); };
  const sphere& all = of.bounds;
  return part(all.x, meshlet.x, from.x) + part(all.y, meshlet.y, from.y) + part(all.z, meshlet.z, from.z) > 0 &&
         sees(from, meshlet);
}

/// The result of a frame, for the check: how many meshes are in view, how many of their meshlets are left, and a sum
/// that says which.
struct tally {
  unsigned meshes = 0, meshlets = 0, which = 0;

  friend bool operator==(const tally&, const tally&) = default;
};

CULLING_BOTH unsigned mix(unsigned seed) {
  seed = (seed ^ seed >> 16) * 0x7feb352du;
  seed = (seed ^ seed >> 15) * 0x846ca68bu;
  return seed ^ seed >> 16;
}

struct scene {
  static constexpr int size = 65536;  // a square, 4 km wide
  static constexpr unsigned most_meshlets = 256;

  std::vector<mesh> meshes;
  std::vector<sphere> meshlets;

  /// Makes a town of `count` houses: many of few meshlets, some of many, and closer together in the middle.
  explicit scene(unsigned count) {
    unsigned seed = 1;
    const auto below = [&](int limit) { return static_cast<int>(mix(seed++) % static_cast<unsigned>(limit)); };
    for (unsigned number = 0; number < count; ++number) {
      const double share = (below(1 << 20) + 1) / 1048576.0;
      const auto of_mesh = static_cast<unsigned>(std::min<double>(most_meshlets, 6 / share));
      const int radius = 32 + static_cast<int>(12 * std::sqrt(of_mesh));
      const double way = size * 0.48 * std::pow(below(1 << 20) / 1048576.0, 0.7), angle = below(1 << 20) * 6e-6;
      const sphere bounds{size / 2 + static_cast<int>(way * std::cos(angle)), radius,
                          size / 2 + static_cast<int>(way * std::sin(angle)), radius};
      meshes.push_back({bounds, static_cast<unsigned>(meshlets.size()), of_mesh});
      for (unsigned i = 0; i < of_mesh; ++i) {
        const int its = radius / 6 + 4, room = radius - its;
        const auto within = [&] { return (below(2 * room + 1) - room) * 4 / 7; };  // in a cube within the sphere
        meshlets.push_back({bounds.x + within(), bounds.y + within(), bounds.z + within(), its});
      }
    }
  }

  /// Returns what the device should find, by a plain loop over meshes and meshlets.
  tally seen_from(const camera& from) const {
    tally seen;
    for (const mesh& each : meshes) {
      if (!sees(from, each.bounds)) continue;
      ++seen.meshes;
      for (unsigned i = each.first; i < each.first + each.meshlets; ++i) {
        if (!is_left(from, each, meshlets[i])) continue;
        ++seen.meshlets;
        seen.which += mix(i);
      }
    }
    return seen;
  }
};

/// Returns the camera of a frame. It flies in a circle over the town and turns meanwhile.
inline camera camera_at(unsigned frame) {
  constexpr double half_width = 0.5, half_height = 0.35, near = 16, far = 16 * 1200;  // radians, and 1/16 m
  const double turn = frame * 0.006, yaw = frame * 0.017;
  const double x = scene::size * (0.5 + 0.25 * std::cos(turn)), y = 16 * 30,
               z = scene::size * (0.5 + 0.25 * std::sin(turn));
  camera result{{}, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), static_cast<float>(yaw)};
  const auto towards = [&](double sideways, double up) {  // the direction at these angles from the camera's
    return std::array{std::cos(yaw + sideways) * std::cos(up), std::sin(up), std::sin(yaw + sideways) * std::cos(up)};
  };
  constexpr double quarter = 1.5707963267948966;
  const auto plane_at = [&](std::array<double, 3> normal, double distance) {
    plane side{static_cast<int>(std::lround(normal[0] * 16384)), static_cast<int>(std::lround(normal[1] * 16384)),
               static_cast<int>(std::lround(normal[2] * 16384)), 0};
    side.offset = -std::llround(side.x * x + side.y * y + side.z * z + distance * 16384);
    return side;
  };
  const auto back = towards(2 * quarter, 0);
  result.planes[0] = plane_at(towards(0, 0), near);
  result.planes[1] = plane_at(back, -far);
  result.planes[2] = plane_at(towards(quarter - half_width, 0), 0);
  result.planes[3] = plane_at(towards(half_width - quarter, 0), 0);
  result.planes[4] = plane_at(towards(0, quarter - half_height), 0);
  result.planes[5] = plane_at(towards(0, half_height - quarter), 0);
  return result;
}

/// Returns a view from above, as SVG: each mesh is coloured by whether it is in view, and by the share of its meshlets
/// that are left.
inline std::string picture(const scene& all, const camera& from, const std::vector<unsigned char>& left) {
  std::ostringstream dots[4], text;
  for (const mesh& each : all.meshes) {
    unsigned count = 0;
    for (unsigned i = each.first; i < each.first + each.meshlets; ++i) count += left[i];
    const int kind = !sees(from, each.bounds) ? 0 : count == 0 ? 1 : 2 * count < each.meshlets ? 2 : 3;
    dots[kind] << 'M' << each.bounds.x / 64 << ' ' << each.bounds.z / 64 << "h0";
  }
  text << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1024 1064\" width=\"1024\" height=\"1064\">\n"
          "<rect width=\"1024\" height=\"1064\" fill=\"#fcfcfb\"/>\n<g fill=\"none\" stroke-linecap=\"round\">\n";
  constexpr const char* colors[] = {"#d5d8dc", "#e59866", "#5dade2", "#1e8449"};
  constexpr const char* names[] = {"not in view", "in view, none left", "under half of them left",
                                   "half and more left"};
  for (int kind = 0; kind < 4; ++kind) {
    text << "<path stroke=\"" << colors[kind] << "\" stroke-width=\"" << (kind == 0 ? 2 : 4) << "\" d=\""
         << dots[kind].str() << "\"/>\n";
  }
  text << "<path stroke=\"#2c3e50\" stroke-width=\"1.5\" d=\"";
  for (const float side : {-0.5f, 0.5f}) {
    text << 'M' << from.x / 64 << ' ' << from.z / 64 << 'l' << 300 * std::cos(from.yaw + side) << ' '
         << 300 * std::sin(from.yaw + side);
  }
  text << "\"/>\n</g>\n<g font-family=\"sans-serif\" font-size=\"16\" fill=\"#2c3e50\">\n";
  for (int kind = 0; kind < 4; ++kind) {
    text << "<circle cx=\"" << 24 + kind * 240 << "\" cy=\"1044\" r=\"6\" fill=\"" << colors[kind] << "\"/><text x=\""
         << 36 + kind * 240 << "\" y=\"1050\">" << names[kind] << "</text>\n";
  }
  text << "</g>\n</svg>\n";
  return text.str();
}

}  // namespace culling
