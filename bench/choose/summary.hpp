#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "gemm/shapes.hpp"
#include "page/figures.hpp"

// What the rows of bench_choose say, and which of a file are to be kept.

namespace choose_bench {

/// A row as it was written.
struct row : heddle_bench::fields {
  explicit row(const std::string& line) : fields(heddle_bench::reading::fields_of(line)), text(line) {}
  std::string text;
};

/// Returns the complete rows of a file that an earlier run has begun.
inline std::vector<row> rows_in(const std::string& name) {
  std::vector<row> rows;
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find("{\"m\": "), end = line.rfind('}');
    if (begin != std::string::npos && end != std::string::npos) rows.emplace_back(line.substr(begin, end + 1 - begin));
  }
  return rows;
}

inline bool is_of(const row& one, const gemm_bench::shape& s) {
  return one.number("m") == s.m && one.number("n") == s.n && one.number("k") == s.k;
}

/// Returns the speed of one of the plans, over the best that is built in or over `library`.
inline double over(const row& one, const std::string& reference, const std::string& name) {
  return one.number(reference + "_us") / one.number(name + "_us");
}

inline std::string line_of(const row& one) {
  char words[512];
  std::snprintf(words, sizeof words, "%5.0f x %5.0f x %5.0f  best %9.2f us, plan %.3f, tuned %.3f in %.0f ms  %s",
                one.number("m"), one.number("n"), one.number("k"), one.number("best_us"), over(one, "best", "plan"),
                over(one, "best", "tuned"), one.number("tuning_ms"), one.word("plan").c_str());
  return words;
}

/// Returns how the plans do in the mean and at worst, and whether two tunings agree.
inline std::string summary(const std::vector<row>& all) {
  if (all.empty()) return "";
  std::string text;
  char words[256];
  const auto compare = [&](const char* reference, const char* what) {
    for (const char* name : {"plan", "tuned"}) {
      double logs = 0, worst = std::numeric_limits<double>::infinity();
      for (const row& one : all) {
        const double speed = over(one, reference, name);
        logs += std::log(speed), worst = std::min(worst, speed);
      }
      std::snprintf(words, sizeof words, "%-6s over %s: %.4f in the geometric mean, %.3f at worst\n", name, what,
                    std::exp(logs / static_cast<double>(all.size())), worst);
      text += words;
    }
  };
  compare("best", "the best that is built in");
  // Figures of earlier versions are without libraries.
  if (std::all_of(all.begin(), all.end(), [](const row& one) { return one.number("library_us") > 0; })) {
    compare("library", "the better of cuBLAS and cublasLt");
  }
  int agree = 0;
  double apart = 0;
  for (const row& one : all) {
    agree += one.word("tuned") == one.word("tuned_again") ? 1 : 0;
    apart = std::max(apart, std::abs(std::log(one.number("tuned_us") / one.number("tuned_again_us"))));
  }
  std::snprintf(words, sizeof words, "Two tunings agree in %d of %zu; the others are within %.1f %%\n", agree,
                all.size(), 100 * (std::exp(apart) - 1));
  return text + words;
}

}  // namespace choose_bench
