#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/launch_search.hpp>

// What a search found, as an advice and in words.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns a value with at least `digits` behind the point, and with as many as tell it from another: a message never
/// says that 80 % is less than 80 %.
inline std::string number_text(double value, double other, int digits) {
  char text[48], of_other[48];
  do {
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    std::snprintf(of_other, sizeof of_other, "%.*f", digits, other);
  } while (value != other && std::string(text) == of_other && ++digits < 16);
  return text;
}

/// Returns "1.05 GB": three digits or more, in the largest unit that leaves one before the point.
inline std::string in_units(double value, double other, const char* const (&units)[5]) {
  int unit = 0;
  for (; value >= 999.5 && unit < 4; ++unit) value /= 1000, other /= 1000;
  const int digits = value >= 99.95 || unit == 0 ? 0 : value >= 9.995 ? 1 : 2;
  return number_text(value, other, digits) + " " + units[unit];
}
/// Returns bytes as a text that differs from that of `other` bytes.
inline std::string bytes_text(double bytes, double other) {
  return in_units(bytes, other, {"B", "kB", "MB", "GB", "TB"});
}
/// Returns a time as a text that differs from that of `other` seconds.
inline std::string time_text(double seconds, double other) {
  return in_units(seconds * 1e9, other * 1e9, {"ns", "µs", "ms", "s", "ks"});
}
/// Returns "12.5 %": a limit with all its digits.
inline std::string percent_text(double limit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g %%", 100 * limit);
  return text;
}
/// Returns a share as a text that differs from that of a limit.
inline std::string percent_text(double share, double limit) {
  return share == limit ? percent_text(limit) : number_text(100 * share, 100 * limit, 0) + " %";
}

/// Returns a sentence on how sure bytes are; nothing if they are exact.
inline std::string sample_text(double error) {
  if (error == 0) return "";
  return " The bytes are those of a sample of the tiles, scaled up to all; their standard error is " +
         number_text(100 * error, 0, 1) + " %.";
}

/// Returns a sentence on what the plain order takes of each unit, and which one limits it.
inline std::string limit_text(const unit_times& times, bool knows_limit, bool knows_l1, double l2_hit_rate) {
  std::string text = "In the plain order " + percent_text(l2_hit_rate, 0.8) + " of what blocks read hits L2";
  if (!times.known())
    return text + "; without work, or without the device's rates, it is not known what takes longest.";
  const char* limit = "DRAM";
  double longest = times.dram;
  text += ", and alone at the device's rates DRAM needs " + time_text(times.dram, times.of_others());
  const auto add = [&](const char* unit, double seconds) {
    if (seconds <= 0) return;
    text += std::string(", ") + unit + " " + time_text(seconds, times.dram);
    if (seconds > longest) limit = unit, longest = seconds;
  };
  add("L2", times.l2);
  if (knows_l1) add("L1", times.l1);
  add("arithmetic", times.arithmetic);
  return text + (knows_limit ? std::string(": ") + limit + " takes longest." : "; what threads compute is not known.");
}

/// Returns what a launch takes and moves beside the plain one, from the verb on.
inline std::string moves_text(const weighed_launch& by, const weighed_launch& plain, const char* plain_name,
                              bool is_uneven, bool knows_seconds) {
  const bool is_affine = by.by.schedule == recipe::sm_affine;
  const auto of = [&](const weighed_launch& one, const weighed_launch& other, const char* dram, const char* l2) {
    std::string text = knows_seconds ? " takes " + time_text(one.seconds, other.seconds) + " and" : "";
    text += " moves " + bytes_text(one.work.dram_bytes, other.work.dram_bytes) + dram;
    if (is_affine) text += " and " + bytes_text(one.work.l2_bytes, other.work.l2_bytes) + l2;
    if (!is_uneven) return text;
    const double idle = 100 * one.work.idle_share;
    return text + ", with blocks idle for " + number_text(idle, 100 * other.work.idle_share, 1) + " % of the time";
  };
  return of(by, plain, " to and from DRAM", " from L2") + "; " + plain_name + of(plain, by, "", "");
}

/// Turns what a search found into an advice.
inline predict::advice advice_of(launch_search& search) {
  using candidate = weighed_launch;
  const predict::advice_rules& rules = search.rules();
  const long long compulsory_bytes = search.compulsory_bytes();
  candidate best = search.best_order();
  const candidate plain = search.with_schedule_of(search.plain_launch());
  const bool is_faster = best.seconds < plain.seconds;
  const candidate affine = search.best_affine(is_faster ? best : plain);
  const unit_times times = search.time().of(plain.work);
  const double gain = 1 - best.work.dram_bytes / (std::max)(1.0, plain.work.dram_bytes);
  const bool is_other = !search.is_plain(best), ends_sooner = best.work.idle_share + 0.01 < plain.work.idle_share;
  const bool is_hidden =
      rules.least_gain > 0 && rules.instructions == 0 && times.memory_hardly_counts() && !ends_sooner;
  const bool is_measured_faster = search.measured(best.by) < 1 && plain.moved.again > 0;
  bool gains =
      plain.work.dram_bytes > 0 && is_other && is_faster && !is_hidden &&
      (rules.least_gain == 0 || ends_sooner || (is_measured_faster ? std::abs(gain) : gain) >= rules.least_gain);

  predict::advice advice;
  const bool is_sure = search.time().knows_limit() || !times.known();
  // By an order a kernel may take 1 % longer than by its own blockIdx (docs/predict.md).
  if (search.time().is_measured() && !ends_sooner && best.seconds > 0.99 * plain.seconds) gains = false;
  if (gains && !is_sure && !times.dram_is_top()) advice.to_measure.push_back(best.by), gains = false;
  if (affine.seconds > 0 && !is_sure) advice.to_measure.push_back(affine.by);
  const candidate measured = affine.seconds > 0 ? affine : best;
  if (affine.seconds > 0 && is_sure) best = affine, gains = true;
  const candidate& chosen = gains ? best : plain;

  static_cast<recipe&>(advice) = chosen.by;
  advice.matters = gains;
  advice.plain_bytes = std::llround(plain.work.dram_bytes);
  advice.predicted_bytes = std::llround(chosen.work.dram_bytes);
  advice.bytes_error = (std::max)(plain.moved.relative_error(), chosen.moved.relative_error());
  advice.idle_share = chosen.work.idle_share;
  advice.plain_idle_share = plain.work.idle_share;
  const bool says_seconds = search.knows_seconds() && search.time().knows_limit();
  if (says_seconds) {
    advice.predicted_seconds = chosen.seconds;
    advice.plain_seconds = plain.seconds;
  }
  const predict::wave_traffic& moved = plain.moved.total;
  advice.dram_is_top_unit = times.dram_is_top();
  advice.low_hit_rate = moved.hit_rate() < 0.8;
  advice.footprints_overlap = 4 * moved.requested_bytes >= 5 * compulsory_bytes && compulsory_bytes > 0;

  const char* const name = rules.plain == recipe{} ? "row_major" : "the plain order";
  std::string& reason = advice.reason;
  if (gains) {
    reason = to_string(best.by) + moves_text(best, plain, name, search.is_uneven(), says_seconds);
    for (const recipe& other : advice.to_measure)
      reason += "; measure: " + to_string(other) + " may gain more, and may lose";
  } else if (!advice.to_measure.empty()) {
    reason = "measure: " + to_string(measured.by) +
             " may gain and may lose, since what limits the kernel is not known: it" +
             moves_text(measured, plain, name, false, says_seconds);
  } else {
    reason = "order will not matter: ";
    if (compulsory_bytes <= search.cache_bytes() && !search.is_uneven()) {
      reason += "everything fits in L2";
    } else if (moved.dram_bytes == compulsory_bytes && !search.is_uneven()) {
      reason += std::string(name) + " reads every byte only once";
    } else if (is_hidden) {
      reason += "arithmetic takes at least four times as long as DRAM and L2";
    } else if (is_other) {
      reason += to_string(best.by) + " moves " + percent_text(std::abs(gain), rules.least_gain) +
                (gain < 0 ? " more" : " less") + " than " + name + ", and what matters begins at " +
                percent_text(rules.least_gain);
    } else {
      reason += std::string("no order that was tried gains ") + percent_text(rules.tolerance) + " over " + name;
    }
  }
  reason += ". " + limit_text(times, search.time().knows_limit(), search.time().knows_l1(), moved.hit_rate()) +
            sample_text(advice.bytes_error);
  return advice;
}

}}}  // namespace heddle::HEDDLE_ABI::detail
