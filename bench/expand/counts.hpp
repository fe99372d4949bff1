#pragma once

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

// The n of each source, in every row of the benchmark.

namespace heddle_bench {

struct row {
  std::string name;
  std::vector<unsigned> n;
};

/// Returns the rows. A mean is over all sources, also those that spawn nothing.
inline std::vector<row> rows(unsigned long long most_items) {
  std::vector<row> all;
  for (const unsigned log_size : {10u, 14u, 18u, 22u, 24u}) {
    for (const double mean : {0.1, 1.0, 8.0, 16.0, 64.0, 4096.0}) {
      const unsigned size = 1u << log_size;
      if (mean * size > static_cast<double>(most_items)) continue;
      std::mt19937 random(log_size);
      const auto add = [&](const char* kind, auto draw) {
        char name[64];
        std::snprintf(name, sizeof name, "2^%u x %g %s", log_size, mean, kind);
        row next{name, std::vector<unsigned>(size)};
        unsigned long long items = 0;
        for (unsigned i = 0; i < size; ++i) {
          next.n[i] = draw(i);
          if (items + next.n[i] > most_items + most_items / 4) next.n[i] = 0;
          items += next.n[i];
        }
        all.push_back(std::move(next));
      };
      const auto share = [&] { return random() * 0x1p-32; };
      add("uniform", [&](unsigned) { return static_cast<unsigned>(share() * (2 * mean + 1)); });
      if (mean < 1 || log_size < 18) continue;
      add("constant", [&](unsigned) { return static_cast<unsigned>(mean); });
      add("pareto", [&](unsigned) { return static_cast<unsigned>(std::min(65536.0, mean / 10 / (share() + 1e-9))); });
      add("pareto sorted",
          [&](unsigned i) { return static_cast<unsigned>(std::min(65536.0, mean / 10 * size / (i + 1.0))); });
      add("90% zero", [&](unsigned) { return share() < 0.1 ? static_cast<unsigned>(share() * 20 * mean) : 0u; });
      add("99% zero", [&](unsigned) { return share() < 0.01 ? static_cast<unsigned>(share() * 200 * mean) : 0u; });
      add("one huge", [&](unsigned i) { return i == size / 2 ? static_cast<unsigned>(mean * size) : i % 2; });
      add("1 and 64K", [&](unsigned) { return share() * 65536 < mean ? 65536u : 1u; });
    }
  }
  return all;
}

}  // namespace heddle_bench
