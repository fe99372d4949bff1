#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/ranked_launches.hpp>

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

/// Returns a sentence on tiles that were not replayed; nothing if all were.
inline std::string replayed_text(double replayed) {
  if (replayed == 1) return "";
  return " The bytes are those of " + number_text(100 * replayed, 100, 2) + " % of the tiles, scaled up.";
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

/// Returns the launches to time before one is believed, since what limits the kernel is not known: L1, of launches by
/// sm_affine; arithmetic, of others, unless DRAM takes longest anyway; and what L1 keeps of tiles near each other,
/// where every byte is read once and L2 takes longest.
inline std::vector<recipe> to_measure(const ranked_launches& found) {
  const unit_times times = found.time().of(found.plain_launch().work);
  std::vector<recipe> launches;
  if (!times.known()) return launches;
  const auto add_first = [&](const auto& is_asked) {
    const auto* const first = found.first([&](const auto& one) { return found.gains(one) && is_asked(one.by); });
    if (first != nullptr) launches.push_back(first->by);
  };
  if (!found.time().knows_limit()) {
    add_first([](const recipe& by) { return by.schedule == recipe::sm_affine; });
    if (!times.dram_is_top()) add_first([](const recipe& by) { return by.schedule != recipe::sm_affine; });
  }
  const bool is_of_l2 = times.l2 >= (std::max)(times.dram, times.arithmetic) && !found.time().has_matrix_work();
  if (!launches.empty() || !is_of_l2 || found.rules().l2_bytes || found.plain_launch().moved.again > 0) return launches;
  for (const recipe& by : found.rules().launches) {
    const bool is_plain = by == found.rules().plain;
    if (by.order == recipe::thread_group_tiling && by.width == 8 && !is_plain && launches.empty())
      launches.push_back(by);
  }
  return launches;
}

/// Turns a ranking into an advice: the first launch, unless it is to be measured.
inline predict::advice advice_of(const ranked_launches& found) {
  const predict::advice_rules& rules = found.rules();
  const weighed_launch &plain = found.plain_launch(), &kept = found.kept_launch();
  const unit_times times = found.time().of(plain.work);
  predict::advice advice;
  advice.to_measure = to_measure(found);
  const auto* const first = found.first([&](const weighed_launch& one) {
    return std::find(advice.to_measure.begin(), advice.to_measure.end(), one.by) == advice.to_measure.end() &&
           found.may_be_advised(one.by) && (advice.to_measure.empty() || times.dram_is_top());
  });
  const weighed_launch& chosen = first != nullptr && found.gains(*first) ? *first : kept;

  static_cast<recipe&>(advice) = chosen.by;
  advice.matters = chosen.by.order_alone() != plain.by.order_alone();
  for (const weighed_launch& one : found.all()) {
    const bool is_first = one.by == chosen.by;
    advice.ranked.insert(is_first ? advice.ranked.begin() : advice.ranked.end(),
                         {one.by, one.seconds, one.by == plain.by ? "plain" : to_string(one.by)});
  }
  advice.plain_bytes = std::llround(plain.work.dram_bytes);
  advice.predicted_bytes = std::llround(chosen.work.dram_bytes);
  advice.replayed = (std::min)(plain.moved.replayed, chosen.moved.replayed);
  advice.idle_share = chosen.work.idle_share;
  advice.plain_idle_share = plain.work.idle_share;
  const bool says_seconds = found.knows_seconds() && found.time().knows_limit();
  if (says_seconds) {
    advice.predicted_seconds = chosen.seconds;
    advice.plain_seconds = plain.seconds;
    advice.error = rules.error;
  }
  const predict::wave_traffic& moved = plain.moved.total;
  const long long compulsory_bytes = found.compulsory_bytes();
  advice.dram_is_top_unit = times.dram_is_top();
  advice.low_hit_rate = moved.hit_rate() < 0.8;
  advice.footprints_overlap = 4 * moved.requested_bytes >= 5 * compulsory_bytes && compulsory_bytes > 0;

  const char* const name = rules.plain == recipe{} ? "row_major" : "the plain order";
  const auto beside = [&](const weighed_launch& one, const weighed_launch& other) {
    return moves_text(one, other, name, found.is_uneven(), says_seconds);
  };
  std::string& reason = advice.reason;
  if (advice.matters) {
    reason = to_string(chosen.by) + beside(chosen, plain);
    for (const recipe& other : advice.to_measure)
      reason += "; measure: " + to_string(other) + " may gain more, and may lose";
  } else if (!advice.to_measure.empty()) {
    const recipe& by = advice.to_measure.front();
    reason = "measure: " + to_string(by) + " may gain and may lose, since what limits the kernel is not known";
    if (const auto* one = found.first([&](const auto& any) { return any.by == by; }))
      reason += ": it" + beside(*one, kept);
  } else {
    reason = "order will not matter: ";
    const auto* const other = found.first([&](const auto& one) { return one.seconds < kept.seconds; });
    if (compulsory_bytes <= found.cache_bytes() && !found.is_uneven()) {
      reason += "everything fits in L2";
    } else if (moved.dram_bytes == compulsory_bytes && !found.is_uneven()) {
      reason += std::string(name) + " reads every byte only once";
    } else if (other == nullptr) {
      reason += "no other order that was tried is quicker than " + std::string(name);
    } else {
      reason +=
          to_string(other->by) + beside(*other, kept) + ", and what matters begins at " + percent_text(rules.margin);
    }
  }
  reason += ". " + limit_text(times, found.time().knows_limit(), found.time().knows_l1(), moved.hit_rate()) +
            replayed_text(advice.replayed);
  return advice;
}

}}}  // namespace heddle::HEDDLE_ABI::detail
