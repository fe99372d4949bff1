// Every configuration of CUTLASS's scheduler of groups, each over random groups:
//
//   cutlass_grouped [ROUNDS]      prints each configuration that breaks the law, and how many there are

#include "cutlass_grouped.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>

struct sums {
  int configurations = 0, wrong = 0, launches = 0;
  long long tiles_of_wrong = 0, missed = 0, tiles = 0, wasted = 0;
};

/// Checks launches of 1 to 40 groups with up to 1500 x 1200 elements, on 8, 22 and 132 multiprocessors.
template <int Rows, int Cols>
void over(int rounds, sums& all) {
  using order = scheduler::RasterOrderOptions;
  for (int number = 0; number < 32; ++number) {
    const bool on_host = number & 1, along_m = number & 2, with_empty = number & 4;
    const int swizzle = 1 << number / 8;
    std::mt19937 random(7);
    std::string first;
    long long tiles = 0, missed = 0;
    for (int round = 0; round < rounds; ++round, ++all.launches) {
      std::vector<groups::UnderlyingProblemShape> shapes;
      for (unsigned left = 1 + random() % 40; left > 0; --left) {
        const int m = 1 + int(random() % 1500), n = 100 * (1 + int(random() % 12));
        shapes.push_back({with_empty && random() % 3 == 0 ? 0 : m, n, 64});
      }
      scheduler::Arguments by;
      by.max_swizzle_size = swizzle;
      by.raster_order = along_m ? order::AlongM : order::AlongN;
      const groups of{int(shapes.size()), shapes.data(), on_host ? shapes.data() : nullptr};
      const int multiprocessors[] = {8, 22, 132};
      const auto report = taken(of, Shape<Int<Rows>, Int<Cols>, _1>{}, by, multiprocessors[round % 3]);
      tiles += report.tiles, missed += std::ssize(report.missed), all.wasted += report.wasted();
      if (!report && first.empty()) first = report.failure.substr(0, report.failure.find('\n'));
    }
    ++all.configurations, all.tiles += tiles;
    if (first.empty()) continue;
    ++all.wrong, all.tiles_of_wrong += tiles, all.missed += missed;
    std::printf(
        "cluster %d x %d, along %c, swizzle %d, shapes known to the %s, %s groups: %lld of %lld tiles missed; %s\n",
        Rows, Cols, along_m ? 'M' : 'N', swizzle, on_host ? "host" : "device", with_empty ? "empty" : "no empty",
        missed, tiles, first.c_str());
  }
}

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 10;
  sums all;
  over<1, 1>(rounds, all), over<2, 1>(rounds, all), over<1, 2>(rounds, all), over<2, 2>(rounds, all);
  std::printf(
      "%d of %d configurations wrong, with %.0f %% of their tiles missed; %d launches; %.0f %% of the tiles are taken in vain\n",
      all.wrong, all.configurations, all.wrong == 0 ? 0. : 100. * double(all.missed) / double(all.tiles_of_wrong),
      all.launches, 100. * double(all.wasted) / double(all.tiles));
  return all.wrong == 0 ? 0 : 1;
}
