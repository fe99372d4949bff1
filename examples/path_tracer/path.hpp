#pragma once

#include "smoke.hpp"

// A path, and the three things that are done with it: `shade` where it is, `extend` to the next surface, and `pass` the
// smoke in between. Every mode does these, in the same order for each path.

namespace path_tracer {

struct path {
  vec origin, direction, throughput, light;
  hit next;  // what `extend` found
  unsigned pixel;
  random_stream random;
  unsigned state = 0;  // key, and behind it bounces and whether a lamp that is hit counts

  PATH_TRACER_MEMBER kind what() const { return static_cast<kind>(state >> 3 & 15); }
  PATH_TRACER_MEMBER unsigned key() const { return state & 127; }  // the kind, and in which octant the surface faces
  PATH_TRACER_MEMBER int bounces() const { return static_cast<int>(state >> 8 & 255); }
  PATH_TRACER_MEMBER bool sees_lamps() const { return (state >> 7 & 1) != 0; }

  PATH_TRACER_MEMBER void is_to(kind what, unsigned octant) {
    state = (state & ~127u) | static_cast<unsigned>(what) << 3 | octant;
  }
  PATH_TRACER_MEMBER void bounced(bool sees) { state = ((state + 256) & ~128u) | (sees ? 128u : 0); }
};

PATH_TRACER_FN unsigned octant_of(vec direction) {
  return (direction.x < 0 ? 1u : 0u) | (direction.y < 0 ? 2u : 0u) | (direction.z < 0 ? 4u : 0u);
}

/// A step off a surface, so that no ray meets it again.
inline constexpr float off = 2e-4f;

/// A path from the camera through a pixel.
PATH_TRACER_FN path begun(const scene& in, int x, int y, int width, int height, unsigned pass) {
  path of;
  of.pixel = static_cast<unsigned>(y) * static_cast<unsigned>(width) + static_cast<unsigned>(x);
  of.random = random_stream::of(of.pixel, pass);
  const float right = 2 * (static_cast<float>(x) + of.random.next()) / static_cast<float>(width) - 1;
  const float up = 1 - 2 * (static_cast<float>(y) + of.random.next()) / static_cast<float>(height);
  const circle around = on_circle(of.random.next());
  const float radius = in.eye.lens * sqrtf(of.random.next());
  const vec shift = plus(in.eye.right * (around.cosine * radius), in.eye.up, around.sine * radius);
  const vec toward = plus(plus(in.eye.forward, in.eye.right, right * in.eye.wide), in.eye.up, up * in.eye.high);
  of.origin = in.eye.from + shift;
  of.direction = normalized(toward * in.eye.focus - shift);
  of.throughput = all(1);
  of.light = {};
  of.next = {INFINITY, 0, 0, -1};
  of.state = 128;
  return of;
}

PATH_TRACER_FN void face(path& of, const scene& in) {
  const int number = of.next.triangle;
  if (number < 0) return of.is_to(in.sky, octant_of(of.direction));
  const kind what = in.materials[in.shadings[number].material].what;
  const vec normal = in.tree.triangles[number].normal();
  of.is_to(what, octant_of(dot(normal, of.direction) < 0 ? normal : -normal));
}

/// To the next surface, and its key; where smoke is on the way, that of smoke.
PATH_TRACER_FN void extend(path& of, const scene& in) {
  of.next = trace(in.tree, of.origin, of.direction, INFINITY, false);
  if (in.smoke.radius > 0 && !within(in.smoke, of.origin, of.direction, of.next.distance).is_empty()) {
    return of.is_to(kind::smoke, octant_of(of.direction));
  }
  face(of, in);
}

/// Light that a lamp sends to a point, for directions alike within a half-space or all round.
PATH_TRACER_FN vec aimed(const scene& in, vec at, vec normal, bool all_round, random_stream& random) {
  if (in.lamp_count == 0) return {};
  const float lot = random.next(), u = random.next(), v = random.next();
  const int which = static_cast<int>(lot * static_cast<float>(in.lamp_count));
  const lamp& from = in.lamps[which];
  const vec way = plus(plus(from.corner, from.edge, u), from.other, v) - at;
  const float square = dot(way, way), distance = sqrtf(square);
  const vec direction = way * (1 / distance), across = cross(from.edge, from.other);  // as long as the lamp is large
  const float cosine = all_round ? 1.f : dot(direction, normal);
  if (!(cosine > 0)) return {};
  if (trace(in.tree, at, direction, distance * (1 - off), true).triangle >= 0) return {};
  float through = 1;
  if (const stretch part = within(in.smoke, at, direction, distance); !part.is_empty()) {
    through = passes(in.smoke, at, direction, part, random);
  }
  const float share = all_round ? 0.0795774715f : 0.318309886f * cosine;  // 1 / 4 pi, cos / pi
  return from.emission * (share * fabsf(dot(direction, across)) / square * static_cast<float>(in.lamp_count) * through);
}

/// A path that has little left to carry goes on by lot.
PATH_TRACER_FN bool goes_on(path& of, const scene& in) {
  if (of.bounces() >= in.most_bounces) return false;
  if (of.bounces() < 4) return true;
  const float chance = fminf(largest(of.throughput), 0.97f);
  if (of.random.next() >= chance) return false;
  of.throughput = of.throughput * (1 / chance);
  return true;
}

/// Into smoke: false where it came through, to what is behind.
PATH_TRACER_FN bool pass(path& of, const scene& in, bool& ends) {
  const float at =
      meets(in.smoke, of.origin, of.direction, within(in.smoke, of.origin, of.direction, of.next.distance), of.random);
  if (at < 0) {
    face(of, in);
    return false;
  }
  of.origin = plus(of.origin, of.direction, at);
  of.throughput = of.throughput * in.smoke.albedo;
  of.light = of.light + of.throughput * aimed(in, of.origin, {}, true, of.random);
  const float z = 1 - 2 * of.random.next(), across = sqrtf(fmaxf(0, 1 - z * z));
  const circle around = on_circle(of.random.next());
  of.direction = {across * around.cosine, across * around.sine, z};
  of.bounced(in.lamp_count == 0);
  ends = !goes_on(of, in);
  return true;
}

PATH_TRACER_FN vec half_way(const frame& around, float roughness, random_stream& random) {
  const float alpha = roughness * roughness, lot = random.next();
  const circle turn = on_circle(random.next());
  const float cosine = sqrtf((1 - lot) / fmaf(alpha * alpha - 1, lot, 1)), sine = sqrtf(fmaxf(0, 1 - cosine * cosine));
  return around.to_world(sine * turn.cosine, sine * turn.sine, cosine);
}

/// At what was hit: false if the path ends there.
PATH_TRACER_FN bool shade(path& of, const scene& in) {
  if (of.next.triangle < 0) {
    const vec sky = of.what() == kind::clouds ? clouds(of.direction) : haze(of.direction);
    of.light = of.light + of.throughput * in.sky_color * sky;
    return false;
  }
  const shading& corners = in.shadings[of.next.triangle];
  const material& made_of = in.materials[corners.material];
  vec flat = normalized(in.tree.triangles[of.next.triangle].normal());
  vec normal = normalized(plus(plus(corners.normals[0] * (1 - of.next.u - of.next.v), corners.normals[1], of.next.u),
                               corners.normals[2], of.next.v));
  const bool inside = dot(flat, of.direction) > 0;
  if (inside) flat = -flat;
  if (dot(normal, flat) < 0) normal = -normal;
  const vec at = plus(of.origin, of.direction, of.next.distance);
  const surface here = surface_of(made_of, at, normal);

  if (of.sees_lamps() || !made_of.sampled) of.light = of.light + of.throughput * here.emission;
  normal = here.normal;
  if (dot(normal, of.direction) > -0.01f)
    normal = normalized(plus(normal, of.direction, -0.01f - dot(normal, of.direction)));

  // A coat reflects by lot, more of it at a glance.
  const float cosine = clamped(-dot(normal, of.direction), 0, 1), low = 1 - cosine, low2 = low * low;
  lobe how = here.how;
  vec color = here.color;
  float roughness = here.roughness;
  if (here.coat > 0 && of.random.next() < here.coat + (1 - here.coat) * low2 * low2 * low) {
    how = lobe::glossy;
    color = all(1);
    roughness = here.how == lobe::diffuse ? here.roughness : 0.02f;
  }
  bool through = false;
  switch (how) {
    case lobe::diffuse: {
      of.throughput = of.throughput * color;
      if (largest(of.throughput) <= 0) return false;
      of.light = of.light + of.throughput * aimed(in, plus(at, flat, off), normal, false, of.random);
      const float lot = of.random.next(), radius = sqrtf(lot);
      const circle around = on_circle(of.random.next());
      of.direction = normalized(frame(normal).to_world(radius * around.cosine, radius * around.sine, sqrtf(1 - lot)));
      if (dot(of.direction, flat) <= 0) return false;
      break;
    }
    case lobe::glossy: {
      const vec half = half_way(frame(normal), roughness, of.random);
      of.direction = normalized(reflected(of.direction, half));
      of.throughput = of.throughput * mix(color, all(1), low2 * low2 * low);
      if (dot(of.direction, flat) <= 0) return false;
      break;
    }
    case lobe::glass: {
      const vec half = here.roughness > 0 ? half_way(frame(normal), here.roughness, of.random) : normal;
      const float ratio = inside ? 1.5f : 1 / 1.5f, c = clamped(-dot(half, of.direction), 0, 1);
      const float square = 1 - ratio * ratio * (1 - c * c);  // of the cosine behind
      float reflects = 1;
      if (square > 0) {
        const float d = sqrtf(square), across = (ratio * c - d) / (ratio * c + d),
                    along = (c - ratio * d) / (c + ratio * d);
        reflects = 0.5f * (across * across + along * along);
      }
      through = of.random.next() >= reflects;
      if (through) {
        of.direction = normalized(plus(of.direction * ratio, half, ratio * c - sqrtf(square)));
        of.throughput = of.throughput * color;
      } else {
        of.direction = normalized(reflected(of.direction, half));
      }
      if ((dot(of.direction, flat) < 0) != through) return false;
      break;
    }
  }
  of.origin = plus(at, flat, through ? -off : off);
  of.bounced(how != lobe::diffuse || in.lamp_count == 0);
  return goes_on(of, in);
}

}  // namespace path_tracer
