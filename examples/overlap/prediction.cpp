// How long a product on several GPUs takes that begins with the rows that are here: a prediction, by the number of
// pieces in which each GPU sends its rows.

#include "prediction.hpp"

#include <cstdio>

int main() {
  constexpr heddle::extent shapes[][2] = {
      {{8192, 7168}, {4096, 0}}, {{16384, 14336}, {8192, 0}}, {{2048, 8192}, {8192, 0}}};
  std::printf("H200s, bf16: times over the product alone\n%-22s %4s  %-22s %7s %7s %7s %7s\n", "m x n x k", "GPUs",
              "after all have come", "1 piece", "2", "4", "8");
  for (const auto& [c, depth] : shapes) {
    const int k = depth.rows;
    for (const int ranks : {2, 4, 8}) {
      const double alone = 2.0 * c.rows * c.cols * k / 720e12;
      const overlap::conditions on{alone, {256, 256}, 66, 360e9, 4e-6};
      overlap::problem p{.m = c.rows, .n = c.cols, .k = k, .ranks = ranks};
      const double gathered = static_cast<double>(p.bytes_of_shard()) * (ranks - 1) / on.bytes_per_second;
      std::printf("%5d x %5d x %4d    %4d  %-22.3f", c.rows, c.cols, k, ranks, 1 + gathered / alone);
      for (p.pieces_of_shard = 1; p.pieces_of_shard <= 8; p.pieces_of_shard *= 2) {
        double last = 0;
        for (int rank = 0; rank < ranks; ++rank) last = (std::max)(last, predicted_seconds(p, on, rank));
        std::printf(" %7.3f", last / alone);
      }
      std::printf("\n");
    }
  }
}
