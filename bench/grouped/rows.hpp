#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace heddle_bench {

/// Shares rows out by Zipf's law, with the popular groups anywhere among the others. An exponent of 0: all are alike.
inline std::vector<int> rows_by_zipf(int groups, int all, double exponent) {
  std::vector<double> weights;
  for (int rank = 0; rank < groups; ++rank) weights.push_back(std::pow(rank + 1, -exponent));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int> by_rank, rows;
  for (const double weight : weights) by_rank.push_back(static_cast<int>(all * weight / sum));
  const int rest = all - std::accumulate(by_rank.begin(), by_rank.end(), 0);
  for (int rank = 0; rank < rest; ++rank) ++by_rank[static_cast<std::size_t>(rank)];
  for (int group = 0; group < groups; ++group) {
    rows.push_back(by_rank[static_cast<std::size_t>((37 * group + 11) % groups)]);
  }
  return rows;
}

}  // namespace heddle_bench
