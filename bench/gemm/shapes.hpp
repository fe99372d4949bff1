#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/options.hpp"

// The products that a benchmark times, and how --shapes names them.

namespace gemm_bench {

struct shape {
  int m, n, k;
};

/// Returns a reader of one of the named lists, or of M,N,K with N and K multiples of `multiple`.
inline heddle_bench::reader shape_list(std::vector<shape>& into, const std::map<std::string, std::vector<shape>>& named,
                                       const std::string& by_default, int multiple = 1) {
  std::string accepted;
  for (const auto& [name, list] : named) accepted += name + ", ";
  accepted += "or M,N,K";
  if (multiple > 1) accepted += " with N and K multiples of " + std::to_string(multiple);
  into = named.at(by_default);
  return {accepted, by_default, [&into, named, multiple](const std::string& value) {
            if (const auto list = named.find(value); list != named.end()) {
              into = list->second;
              return true;
            }
            const std::vector<int> own = heddle_bench::numbers_of(value, ',', 1, 1 << 30);
            if (own.size() != 3 || own[1] % multiple != 0 || own[2] % multiple != 0) return false;
            into = {{own[0], own[1], own[2]}};
            return true;
          }};
}

}  // namespace gemm_bench
