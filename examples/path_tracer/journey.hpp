#pragma once

#include "path.hpp"

// From where a path is to what it meets next.

namespace path_tracer {

PATH_TRACER_FN void face(path& of, const scene& in) {
  const int number = of.next.triangle;
  of.turn_to(number < 0 ? in.sky : in.materials[in.shadings[number].material].what);
}

/// What a path has met, as its key; where smoke is on the way, that of smoke.
PATH_TRACER_FN void meet(path& of, const scene& in, const hit& found) {
  of.next = found;
  if (in.smoke.radius > 0 && !within(in.smoke, of.origin, of.direction, found.distance).is_empty()) {
    return of.turn_to(kind::smoke);
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

}  // namespace path_tracer
