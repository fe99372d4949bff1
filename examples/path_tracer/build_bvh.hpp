#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "bvh.hpp"

// Builds the tree on the host. A box is split where the sum over both sides of surface area times triangles is least,
// among sixteen bins along each axis.

namespace path_tracer {

struct box {
  vec least = all(std::numeric_limits<float>::max()), most = all(-std::numeric_limits<float>::max());

  void add(vec at) {
    least = {std::min(least.x, at.x), std::min(least.y, at.y), std::min(least.z, at.z)};
    most = {std::max(most.x, at.x), std::max(most.y, at.y), std::max(most.z, at.z)};
  }
  void add(const box& other) {
    add(other.least);
    add(other.most);
  }
  float area() const {
    const vec size = most - least;
    return size.x < 0 ? 0 : size.x * size.y + size.y * size.z + size.z * size.x;
  }
};

class bvh_builder {
 public:
  std::vector<node> nodes;
  std::vector<int> order;  // numbers of the triangles, in the order of the leaves

  explicit bvh_builder(std::vector<box> boxes) : order(boxes.size()), boxes_(std::move(boxes)) {
    std::iota(order.begin(), order.end(), 0);
    const box whole = of(0, order.size());
    // The root is a node even if all triangles fit in a leaf.
    nodes.emplace_back();
    if (order.size() <= most_in_leaf) {
      set(0, 0, whole, leaf(0, order.size()));
      set(0, 1, {}, leaf(0, 0));
    } else {
      split(0, 0, order.size(), 1);
    }
  }

 private:
  static constexpr std::size_t most_in_leaf = 4;
  static constexpr int bins = 16;

  static int leaf(std::size_t first, std::size_t count) { return ~static_cast<int>(first * 8 + count); }

  box of(std::size_t begin, std::size_t end) const {
    box all_of_them;
    for (std::size_t i = begin; i < end; ++i) all_of_them.add(boxes_[static_cast<std::size_t>(order[i])]);
    return all_of_them;
  }

  float center(int number, int axis) const {
    const box& its = boxes_[static_cast<std::size_t>(number)];
    return 0.5f * ((&its.least.x)[axis] + (&its.most.x)[axis]);
  }

  void set(std::size_t number, int side, const box& its, int child) {
    node& at = nodes[number];
    (side == 0 ? at.left : at.right) = {its.least.x, its.most.x, its.least.y, its.most.y};
    (&at.depths.x)[2 * side] = its.least.z;
    (&at.depths.x)[2 * side + 1] = its.most.z;
    at.children[side] = child;
  }

  /// Splits triangles [begin, end) of node `number` into two sides, each a leaf or a new node.
  void split(std::size_t number, std::size_t begin, std::size_t end, int depth) {
    const std::size_t middle = part(begin, end, depth);
    const std::size_t from[] = {begin, middle}, to[] = {middle, end};
    for (int side = 0; side < 2; ++side) {
      const box its = of(from[side], to[side]);
      if (to[side] - from[side] <= most_in_leaf) {
        set(number, side, its, leaf(from[side], to[side] - from[side]));
        continue;
      }
      const std::size_t child = nodes.size();
      nodes.emplace_back();
      set(number, side, its, static_cast<int>(child));
      split(child, from[side], to[side], depth + 1);
    }
  }

  struct cut {
    float cost = std::numeric_limits<float>::max();
    int axis = 0, bin = 0;
  };

  /// Reorders [begin, end) and returns where its second side begins.
  std::size_t part(std::size_t begin, std::size_t end, int depth) {
    box centers;
    for (std::size_t i = begin; i < end; ++i) {
      centers.add(vec{center(order[i], 0), center(order[i], 1), center(order[i], 2)});
    }
    const auto bin_of = [&](int which, int axis) {
      const float start = (&centers.least.x)[axis], length = (&centers.most.x)[axis] - start;
      return std::min(bins - 1, static_cast<int>((center(which, axis) - start) / length * bins));
    };
    cut best;
    for (int axis = 0; axis < 3; ++axis) {
      if (!((&centers.most.x)[axis] > (&centers.least.x)[axis])) continue;
      std::array<box, bins> in_bin;
      std::array<std::size_t, bins> count{};
      for (std::size_t i = begin; i < end; ++i) {
        const auto bin = static_cast<std::size_t>(bin_of(order[i], axis));
        in_bin[bin].add(boxes_[static_cast<std::size_t>(order[i])]);
        ++count[bin];
      }
      std::array<float, bins> cost{};
      const auto sweep = [&](bool backwards) {
        box so_far;
        std::size_t of_them = 0;
        for (int i = 0; i + 1 < bins; ++i) {
          const auto bin = static_cast<std::size_t>(backwards ? bins - 1 - i : i);
          if (count[bin] > 0) so_far.add(in_bin[bin]);
          of_them += count[bin];
          cost[static_cast<std::size_t>(backwards ? bins - 2 - i : i)] += so_far.area() * static_cast<float>(of_them);
        }
      };
      sweep(false);
      sweep(true);
      const auto least = std::min_element(cost.begin(), cost.end() - 1);
      if (*least < best.cost) best = {*least, axis, static_cast<int>(least - cost.begin())};
    }
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin),
               last = order.begin() + static_cast<std::ptrdiff_t>(end);
    if (best.cost < std::numeric_limits<float>::max() && depth <= bvh::most_depth / 2) {
      const auto middle = std::partition(first, last, [&](int which) { return bin_of(which, best.axis) <= best.bin; });
      if (middle != first && middle != last) return begin + static_cast<std::size_t>(middle - first);
    }
    // All centres are equal, or the tree gets too deep for the stack: split into halves.
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, [&](int a, int b) { return center(a, best.axis) < center(b, best.axis); });
    return begin + (end - begin) / 2;
  }

  std::vector<box> boxes_;
};

}  // namespace path_tracer
