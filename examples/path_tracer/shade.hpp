#pragma once

#include "journey.hpp"

// The step of a path at what it has met.

namespace path_tracer {

/// Returns a ray to a random point of a random lamp, for a diffuse surface or, with `all_round`, for smoke.
PATH_TRACER_FN aim aimed(const scene& in, vec at, vec normal, bool all_round, vec throughput, random_stream& random) {
  if (in.lamp_count == 0) return {};
  const float lot = random.next(), u = random.next(), v = random.next();
  const int which = static_cast<int>(lot * static_cast<float>(in.lamp_count));
  const lamp& from = in.lamps[which];
  const vec way = plus(plus(from.corner, from.edge, u), from.other, v) - at;
  const float square = dot(way, way), distance = sqrtf(square);
  const vec direction = way * (1 / distance),
            across = cross(from.edge, from.other);  // its length is the area of the lamp
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

/// A path with little throughput survives by chance, and then carries more. Returns whether the path goes on.
PATH_TRACER_FN bool russian_roulette(path& of, const scene& in) {
  if (of.bounces() >= in.most_bounces) return false;
  if (of.bounces() < 4) return true;
  const float chance = fminf(largest(of.throughput), 0.97f);
  if (of.random.next() >= chance) return false;
  of.throughput = of.throughput * (1 / chance);
  return true;
}

/// Does the step of a path in smoke. Returns false if it came through: then its kind is that of what it meets next.
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
  if (!russian_roulette(of, in)) of.end_here();
  return true;
}

PATH_TRACER_FN vec half_way(const frame& around, float roughness, random_stream& random) {
  const float alpha = roughness * roughness, lot = random.next();
  const circle turn = on_circle(random.next());
  const float cosine = sqrtf((1 - lot) / fmaf(alpha * alpha - 1, lot, 1)), sine = sqrtf(fmaxf(0, 1 - cosine * cosine));
  return around.to_world(sine * turn.cosine, sine * turn.sine, cosine);
}

/// Does the step of a path at a surface or the sky: it goes on from there, or ends.
PATH_TRACER_FN void shade(path& of, const scene& in, aim& at_lamp) {
  if (of.next.triangle < 0) {
    const vec sky = of.what() == kind::clouds ? clouds(of.direction) : haze(of.direction);
    of.light = of.light + of.throughput * in.sky_color * sky;
    return of.end_here();
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

  // A clear coat reflects at random, more likely at grazing angles.
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
      if (largest(of.throughput) <= 0) return of.end_here();
      at_lamp = aimed(in, of.origin, normal, false, of.throughput, of.random);
      const float lot = of.random.next(), radius = sqrtf(lot);
      const circle around = on_circle(of.random.next());
      of.direction = normalized(frame(normal).to_world(radius * around.cosine, radius * around.sine, sqrtf(1 - lot)));
      if (dot(of.direction, flat) <= 0) return of.end_here();
      break;
    }
    case lobe::glossy: {
      const vec half = half_way(frame(normal), roughness, of.random);
      of.direction = normalized(reflected(of.direction, half));
      of.throughput = of.throughput * mix(color, all(1), low2 * low2 * low);
      if (dot(of.direction, flat) <= 0) return of.end_here();
      break;
    }
    case lobe::glass: {
      const vec half = here.roughness > 0 ? half_way(frame(normal), here.roughness, of.random) : normal;
      const float ratio = inside ? 1.5f : 1 / 1.5f, c = clamped(-dot(half, of.direction), 0, 1);
      const float square = 1 - ratio * ratio * (1 - c * c);  // squared cosine after refraction
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
      if ((dot(of.direction, flat) < 0) != through) return of.end_here();
      break;
    }
  }
  of.bounced(how != lobe::diffuse || in.lamp_count == 0);
  if (!russian_roulette(of, in)) of.end_here();
}

/// Does the step of a path, and if it came through smoke, the next one too. Returns false if there is no ray to follow.
PATH_TRACER_FN bool bounce(path& of, const scene& in, aim& at_lamp) {
  if (of.what() != kind::smoke || !pass(of, in, at_lamp)) shade(of, in, at_lamp);
  return !of.ends() || at_lamp.distance > 0;
}

}  // namespace path_tracer
