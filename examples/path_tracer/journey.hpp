#pragma once

#include "path.hpp"

// The way of a path to what it meets next.

namespace path_tracer {

/// Turns a path to the kind of the surface that it has hit, or of the sky.
PATH_TRACER_FN void face(path& of, const scene& in) {
  const int number = of.next.triangle;
  of.turn_to(number < 0 ? in.sky : in.materials[in.shadings[number].material].what);
}

/// Turns a path to the kind of what it has met: smoke, if there is any on the way, else the surface or the sky.
PATH_TRACER_FN void meet(path& of, const scene& in, const hit& found) {
  of.next = found;
  if (in.smoke.radius > 0 && !within(in.smoke, of.origin, of.direction, found.distance).is_empty()) {
    return of.turn_to(kind::smoke);
  }
  face(of, in);
}

/// The rays of a path: one to a lamp, if it aims at one, and then one to what it meets, if it goes on.
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

  /// Ends a walk that has arrived: begins the next one, or is over.
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
  int left_ = 0;  // walks still to do
};

}  // namespace path_tracer
