#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "problem.hpp"

namespace attention {

/// A row of the result in double precision, and how far a kernel may be from it.
struct expected_row {
  std::vector<double> values, tolerance;
  double lse, lse_tolerance;
};

/// Computes a row from one query, and the keys and values of its sequence: `key(number, i)`, `value(number, i)`. Tokens
/// count from the last one, which is what queries and keys have in common. `unit` is half the distance of 1 to the next
/// element.
///
/// A kernel rounds each weight and the result to elements, and sums in float.
template <class Query, class Key, class Value>
expected_row expect(const problem& p, int queries, int keys, int query, double unit, const Query& of_query,
                    const Key& key, const Value& value) {
  const int width = static_cast<int>(p.width), queries_behind = queries - 1 - query;
  std::vector<int> seen;
  for (int keys_behind = 0; keys_behind < keys; ++keys_behind) {
    const long long before = 1LL * keys_behind - queries_behind;
    if (before <= p.left && -before <= p.right) seen.push_back(keys - 1 - keys_behind);
  }
  std::vector<double> logits;
  double top = -INFINITY, largest = 0;
  for (const int number : seen) {
    double sum = 0;
    for (int i = 0; i < width; ++i) sum += static_cast<double>(of_query(i)) * static_cast<double>(key(number, i));
    logits.push_back(sum * static_cast<double>(p.scale));
    top = (std::max)(top, logits.back());
    if (std::isfinite(logits.back())) largest = (std::max)(largest, std::fabs(logits.back()));
  }
  const auto all = static_cast<std::size_t>(width);
  expected_row row{std::vector<double>(all), std::vector<double>(all), -INFINITY, 0};
  // No key is seen. A logit that is no number is one that is seen.
  if (std::all_of(logits.begin(), logits.end(), [](double logit) { return logit == -INFINITY; })) return row;

  std::vector<double> sums(all), magnitudes(all);
  double total = 0;
  for (std::size_t at = 0; at < seen.size(); ++at) {
    const double weight = std::exp(logits[at] - top);
    total += weight;
    for (int i = 0; i < width; ++i) {
      const double part = weight * static_cast<double>(value(seen[at], i));
      sums[static_cast<unsigned>(i)] += part;
      magnitudes[static_cast<unsigned>(i)] +=
          std::fabs(part) + 0x1p-25 * std::fabs(static_cast<double>(value(seen[at], i)));
    }
  }
  const double of_floats = 1e-5 + 1e-6 * largest;
  for (std::size_t i = 0; i < all; ++i) {
    row.values[i] = sums[i] / total;
    row.tolerance[i] = (unit + of_floats) * (magnitudes[i] / total + std::fabs(row.values[i])) + 0x1p-24;
  }
  row.lse = top + std::log(total);
  row.lse_tolerance = of_floats;
  return row;
}

}  // namespace attention
