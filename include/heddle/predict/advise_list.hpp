#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <heddle/candidate.hpp>
#include <heddle/expand/list_probe.hpp>
#include <heddle/predict/device.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Ways to visit the items of sources: a loop in each thread, a loop in each warp, or one of heddle's strategies.
enum class list_method { loop, warp_per_source, warp_dealt, packed_prefix, scanned };

/// Returns the name of a method, as it is in code.
///
/// **Example** (tests/predict/lists.cpp):
///
///     CHECK(std::string(name_of(found.method)) == "scanned");
constexpr const char* name_of(list_method method) {
  constexpr const char* names[] = {"loop", "warp_per_source", "warp_dealt", "packed_prefix", "scanned"};
  return names[static_cast<int>(method)];
}

/// Names the method to use for some sources, what it takes, and why: the result of `advise_list`.
///
/// **Example** (tests/predict/lists.cpp):
///
///     const list_advice found = advise_list(counts, h200(), 3.63e-3);
///     CHECK(std::string(name_of(found.method)) == "scanned");
struct list_advice {
  list_method method = list_method::loop;      // `loop`: leave it
  double seconds = 0, loop_seconds = 0;        // by the method, as predicted; by the loop, as measured
  double error = 0;                            // of predicted seconds, as a share
  std::vector<candidate<list_method>> ranked;  // all methods, the fastest first, for `choose`
  std::string reason;                          // why, in a sentence
};

}}}  // namespace heddle::HEDDLE_ABI::predict

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// What methods take, in seconds, on a card: fitted to the 240 rows of bench_lists on an H200, and scaled by its memory
/// and its multiprocessors.
class list_times {
 public:
  list_times(const list_counts& counts, const predict::device& card, double measured_seconds)
      : sources_(static_cast<double>(counts.sources)),
        spawning_(static_cast<double>(counts.spawning)),
        items_(static_cast<double>(counts.items)),
        mean_(items_ / spawning_),
        is_scanned_(counts.is_scanned),
        loop_(measured_seconds),
        memory_(card.dram_bytes_per_second > 0 ? 4.2e12 / card.dram_bytes_per_second : 1),
        resident_(64.0 * card.multiprocessors),
        // In a loop a warp takes as many turns as its longest source, and the longest of all ends alone.
        turns_((static_cast<double>(counts.turns) / resident_) + static_cast<double>(counts.longest)),
        longest_(static_cast<double>(counts.longest)),
        lanes_(items_ / static_cast<double>(counts.turns)) {
    body_ = (std::max)(loop_ - of_loop(), 0.05 * loop_);
    // Items with places that follow one another are stored by whole sectors if neighbours are in neighbouring threads.
    together_ = is_scanned_ ? std::clamp(mean_ / 2, 1.0, 8.0) : 1;
  }

  double lanes() const { return lanes_; }

  double of(predict::list_method method) const {
    switch (method) {
      case predict::list_method::loop:
        return loop_;
      case predict::list_method::warp_per_source: {
        const double even = body_ * (items_ / 32 + 0.6 * spawning_) / resident_ / turns_;
        return 3.4e-6 + 75e-12 * sources_ + (std::max)({1.05 * of_items(), even, body_ * longest_ / 32 / turns_});
      }
      case predict::list_method::warp_dealt: {
        const double entered = 0.4e-6 + 1.6e-9 * (std::min)(sources_ / 256, resident_ / 8);
        if (is_scanned_) return of_loop() + entered + 1.1 * of_items() + (longest_ > 64 ? 2.5e-6 + 2e-12 * items_ : 0);
        if (lanes_ > 25 && mean_ > 1.5 && longest_ <= 64) return loop_ + entered + 0.5e-6;  // its warps loop
        const double rows = (items_ / 32 + 0.5 * (std::min)(sources_ / 32, spawning_)) / resident_ + 0.5;
        const double dealt = (std::min)(body_, (std::max)(body_ * rows / turns_, least()));
        return of_loop() + entered + 1.05 * dealt + 30e-9 * (std::min)(longest_, 64.0);
      }
      case predict::list_method::packed_prefix:
        return 9.5e-6 + memory_ * (2.3e-12 * sources_ + 2.2e-12 * spawning_) + of_items();
      default:
        return 11.5e-6 + memory_ * (3.0e-12 * sources_ + 0.8e-12 * spawning_) + of_items();
    }
  }

 private:
  /// A launch that reads the counts, and does no more.
  double of_loop() const { return 3.5e-6 + memory_ * 2.6e-12 * sources_; }
  /// Memory at least: 8 bytes in place, or a sector at random with what comes along.
  double least() const { return memory_ * items_ * (is_scanned_ ? 2.5e-12 : 20e-12); }
  /// Items that are dealt out evenly: as many turns fewer, unless memory limits the loop, and no more than in it.
  double of_items() const {
    const double even = body_ * (items_ / 32 / resident_ + 0.3) / turns_ / together_;
    return (std::min)(body_ / together_, (std::max)(even, least()));
  }

  double sources_, spawning_, items_, mean_;
  bool is_scanned_;
  double loop_, memory_, resident_, turns_, longest_, lanes_, body_ = 0, together_ = 1;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Returns whether sources with such counts are better in a list, in which, and why. The loop stays unless another
/// method is predicted to take at most 0.88 of its time, and if it takes less than 4.4 us, hardly more than a launch.
///
/// `measured_seconds` is what the loop takes on the device. `counts.is_scanned` says that the original scans the
/// counts, so that items have places that follow one another; `warp_dealt` is meant by `run_in_rows` then.
///
/// **Preconditions**: `measured_seconds` is above 0, and the device passes its `check()`; no more sources spawn than
/// there are, and the turns and the longest are those of the items. Other values are refused with an
/// `invalid_argument`.
/// **Cost**: some arithmetic.
/// **Example** (tests/predict/lists.cpp):
///
///     const list_advice found = advise_list(counts, h200(), 3.63e-3);
inline list_advice advise_list(const list_counts& counts, const device& card, double measured_seconds) {
  card.check();
  detail::require_member("advise_list", "measured_seconds", measured_seconds, {});
  if (!(measured_seconds > 0)) detail::refuse("heddle::predict::advise_list: measured_seconds", " is 0");
  if (counts.spawning > counts.sources || counts.spawning > counts.items || counts.longest > counts.turns ||
      counts.turns > counts.items || counts.items > 32 * counts.turns) {
    detail::refuse("heddle::predict::advise_list: counts", " are of no sources: fill them by list_probe");
  }
  list_advice found;
  found.seconds = found.loop_seconds = measured_seconds;
  found.error = 0.3;
  found.ranked = {{list_method::loop, measured_seconds, name_of(list_method::loop)}};
  if (counts.items == 0) {
    found.reason = "No source has an item: a list has nothing to deal out.";
    return found;
  }
  const detail::list_times times(counts, card, measured_seconds);
  for (const list_method each :
       {list_method::warp_per_source, list_method::warp_dealt, list_method::packed_prefix, list_method::scanned}) {
    if (each == list_method::warp_per_source && counts.items <= 8 * counts.sources) continue;
    found.ranked.push_back({each, times.of(each), name_of(each)});
  }
  std::ranges::stable_sort(found.ranked, {}, &candidate<list_method>::seconds);
  const bool is_short = measured_seconds < 4.4e-6;
  if (found.ranked[0].seconds < 0.88 * measured_seconds && !is_short) {
    found.method = found.ranked[0].value;
    found.seconds = found.ranked[0].seconds;
  }
  char text[320];
  std::snprintf(
      text, sizeof text,
      "Of 32 threads of a loop %.1f have an item, and the longest source has %llu: %s takes %.1f us as predicted, the loop "
      "%.1f%s.",
      times.lanes(), counts.longest, found.ranked[0].name.c_str(), found.ranked[0].seconds * 1e6,
      measured_seconds * 1e6,
      found.method != list_method::loop ? ""
      : is_short                        ? ", which is hardly more than a launch; leave it"
                                        : "; leave it");
  found.reason = text;
  return found;
}

}}}  // namespace heddle::HEDDLE_ABI::predict
