#pragma once

#include "smoke.hpp"

// A path, and what is done with it: `bounce` where it is, and `travel` to what it meets next. Every mode does these, in
// the same order for each path.

namespace path_tracer {

struct alignas(16) path {
  vec origin, direction, throughput, light;
  hit next;  // what was found at the end of the way
  unsigned pixel;
  random_stream random;
  unsigned state = 0;  // from the lowest bit: key, whether a lamp that is hit counts, bounces, whether it ends here

  PATH_TRACER_MEMBER kind what() const { return static_cast<kind>(state >> 3 & 15); }
  PATH_TRACER_MEMBER unsigned key() const { return state & 127; }  // the kind, and in which octant the surface faces
  PATH_TRACER_MEMBER int bounces() const { return static_cast<int>(state >> 8 & 255); }
  PATH_TRACER_MEMBER bool sees_lamps() const { return (state >> 7 & 1) != 0; }
  PATH_TRACER_MEMBER bool ends() const { return (state >> 16 & 1) != 0; }

  PATH_TRACER_MEMBER void is_to(kind what, unsigned octant) {
    state = (state & ~127u) | static_cast<unsigned>(what) << 3 | octant;
  }
  PATH_TRACER_MEMBER void bounced(bool sees) { state = ((state + 256) & ~128u) | (sees ? 128u : 0); }
  PATH_TRACER_MEMBER void is_last() { state |= 1u << 16; }
};

/// A ray from where a path is to a lamp, and what the path gets if nothing is in between.
struct alignas(16) aim {
  vec direction;
  float distance = 0;  // 0 is none
  vec worth;
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

/// What a path has met, as its key; where smoke is on the way, that of smoke.
PATH_TRACER_FN void meet(path& of, const scene& in, const hit& found) {
  of.next = found;
  if (in.smoke.radius > 0 && !within(in.smoke, of.origin, of.direction, found.distance).is_empty()) {
    return of.is_to(kind::smoke, octant_of(of.direction));
  }
  face(of, in);
}

/// The way of a path: first to a lamp, if it aims at one, and then to what it meets, if it goes on.
class journey {
 public:
  journey() = default;
  PATH_TRACER_MEMBER journey(const path& of, const aim& at) : left_(at.distance > 0 ? 2 : 1) {
    if (left_ == 2) {
      way = walk(of.origin, at.direction, at.distance * (1 - off), true);
    } else {
      way = walk(of.origin, of.direction, INFINITY, false);
    }
  }

  walk way;

  PATH_TRACER_MEMBER bool is_over() const { return left_ == 0; }

  /// Where the walk has ended: to the next one, or it is over.
  PATH_TRACER_MEMBER void turn(path& of, const aim& at, const scene& in) {
    if (--left_ == 0) return meet(of, in, way.found());
    if (way.found().triangle < 0) of.light = of.light + at.worth;
    if (of.ends()) {
      left_ = 0;
    } else {
      way = walk(of.origin, of.direction, INFINITY, false);
    }
  }

 private:
  int left_ = 0;  // walks
};

/// At a lamp, for directions alike within a half-space or all round.
PATH_TRACER_FN aim aimed(const scene& in, vec at, vec normal, bool all_round, vec throughput, random_stream& random) {
  if (in.lamp_count == 0) return {};
  const float lot = random.next(), u = random.next(), v = random.next();
  const int which = static_cast<int>(lot * static_cast<float>(in.lamp_count));
  const lamp& from = in.lamps[which];
  const vec way = plus(plus(from.corner, from.edge, u), from.other, v) - at;
  const float square = dot(way, way), distance = sqrtf(square);
  const vec direction = way * (1 / distance), across = cross(from.edge, from.other);  // as long as the lamp is large
  const float cosine = all_round ? 1.f : dot(direction, normal);
  if (!(cosine > 0)) return {};
  float through = 1;
  if (const stretch part = within(in.smoke, at, direction, distance); !part.is_empty()) {
    through = passes(in.smoke, at, direction, part, random);
  }
  const float share = all_round ? 0.0795774715f : 0.318309886f * cosine;  // 1 / 4 pi, cos / pi
  const float part_of_it = share * fabsf(dot(direction, across)) / square * static_cast<float>(in.lamp_count) * through;
  return {direction, distance, throughput * from.emission * part_of_it};
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

/// Through smoke: false where it came through, to what is behind.
PATH_TRACER_FN bool pass(path& of, const scene& in, aim& at_lamp) {
  const float at =
      meets(in.smoke, of.origin, of.direction, within(in.smoke, of.origin, of.direction, of.next.distance), of.random);
  if (at < 0) {
    face(of, in);
    return false;
  }
  of.origin = plus(of.origin, of.direction, at);
  of.throughput = of.throughput * in.smoke.albedo;
  at_lamp = aimed(in, of.origin, {}, true, of.throughput, of.random);
  const float z = 1 - 2 * of.random.next(), across = sqrtf(fmaxf(0, 1 - z * z));
  const circle around = on_circle(of.random.next());
  of.direction = {across * around.cosine, across * around.sine, z};
  of.bounced(in.lamp_count == 0);
  if (!goes_on(of, in)) of.is_last();
  return true;
}

PATH_TRACER_FN vec half_way(const frame& around, float roughness, random_stream& random) {
  const float alpha = roughness * roughness, lot = random.next();
  const circle turn = on_circle(random.next());
  const float cosine = sqrtf((1 - lot) / fmaf(alpha * alpha - 1, lot, 1)), sine = sqrtf(fmaxf(0, 1 - cosine * cosine));
  return around.to_world(sine * turn.cosine, sine * turn.sine, cosine);
}

/// At what was hit: the path goes on from there, or it ends.
PATH_TRACER_FN void shade(path& of, const scene& in, aim& at_lamp) {
  if (of.next.triangle < 0) {
    const vec sky = of.what() == kind::clouds ? clouds(of.direction) : haze(of.direction);
    of.light = of.light + of.throughput * in.sky_color * sky;
    return of.is_last();
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
  of.origin = plus(at, flat, off);
  switch (how) {
    case lobe::diffuse: {
      of.throughput = of.throughput * color;
      if (largest(of.throughput) <= 0) return of.is_last();
      at_lamp = aimed(in, of.origin, normal, false, of.throughput, of.random);
      const float lot = of.random.next(), radius = sqrtf(lot);
      const circle around = on_circle(of.random.next());
      of.direction = normalized(frame(normal).to_world(radius * around.cosine, radius * around.sine, sqrtf(1 - lot)));
      if (dot(of.direction, flat) <= 0) return of.is_last();
      break;
    }
    case lobe::glossy: {
      const vec half = half_way(frame(normal), roughness, of.random);
      of.direction = normalized(reflected(of.direction, half));
      of.throughput = of.throughput * mix(color, all(1), low2 * low2 * low);
      if (dot(of.direction, flat) <= 0) return of.is_last();
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
      const bool through = of.random.next() >= reflects;
      if (through) {
        of.origin = plus(at, flat, -off);
        of.direction = normalized(plus(of.direction * ratio, half, ratio * c - sqrtf(square)));
        of.throughput = of.throughput * color;
      } else {
        of.direction = normalized(reflected(of.direction, half));
      }
      if ((dot(of.direction, flat) < 0) != through) return of.is_last();
      break;
    }
  }
  of.bounced(how != lobe::diffuse || in.lamp_count == 0);
  if (!goes_on(of, in)) of.is_last();
}

/// All of it: false if there is no ray to follow.
PATH_TRACER_FN bool bounce(path& of, const scene& in, aim& at_lamp) {
  if (of.what() != kind::smoke || !pass(of, in, at_lamp)) shade(of, in, at_lamp);
  return !of.ends() || at_lamp.distance > 0;
}

}  // namespace path_tracer
