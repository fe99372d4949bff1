#pragma once

#include <string>
#include <vector>

#include <heddle/candidate.hpp>
#include <heddle/recipe/text.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Names the launch to use as a recipe, what it takes, and why: the result of `advise` for every problem. The plain
/// order is the one to beat: row_major of a grid, one plane after another, each group row by row, head after head.
///
/// **Example** (examples/01_order/which_order.cpp):
///
///     const advice of_product = advise(product, h200());
///     std::printf("%s\n  %s\n", to_string(of_product).c_str(), of_product.reason.c_str());
struct advice : recipe {
  bool matters = false;  // whether the launch gains; false: the order is the plain one
  /// The launches that were weighed, the best first, for `choose` to time; the plain one is among them, and named so.
  /// Seconds are shares of the plain launch if a rate of the device is unknown.
  std::vector<candidate<recipe>> ranked;
  /// Launches that may gain and may lose, since the unit that limits the kernel is not known. Time them beside the
  /// advice, or ask again with the seconds that the plain order takes. Empty if the advice is sure.
  std::vector<recipe> to_measure;

  long long predicted_bytes = 0, plain_bytes = 0;   // to and from DRAM: by this order, and by the plain one
  double replayed = 1;                              // the share of the tiles whose bytes were counted; others scale up
  double idle_share = 0, plain_idle_share = 0;      // of the blocks' time, in which they have no tile
  double predicted_seconds = 0, plain_seconds = 0;  // 0 if a rate of the device is unknown
  double error = 0;                                 // of the seconds of such problems, as a share; 0 if unknown

  // The three conditions under which thread-group tiling was published to pay, for the plain order.
  bool dram_is_top_unit = false;    // DRAM would take longest of all units; false if rates are unknown
  bool low_hit_rate = false;        // the hit rate of L2 is under 80 %
  bool footprints_overlap = false;  // a fifth of what tiles read is read by several tiles, or more

  std::string reason;  // why, in two sentences
};

}}}  // namespace heddle::HEDDLE_ABI::predict
