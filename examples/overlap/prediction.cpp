// How long a product on several GPUs takes that begins with the rows that are here: a prediction, and in how many
// pieces each GPU sends its rows.

#include "prediction.hpp"

#include <cstdio>

int main() {
  constexpr heddle::extent shapes[][2] = {
      {{8192, 7168}, {4096, 0}}, {{16384, 14336}, {8192, 0}}, {{2048, 8192}, {8192, 0}}};
  constexpr double nccl_seconds = 10e-6;
  std::printf("H200s, bf16: times over the product alone\n%-22s %4s  %-19s %6s  %s\n", "m x n x k", "GPUs",
              "after NCCL's gather", "pieces", "as rows arrive");
  for (const auto& [c, depth] : shapes) {
    const int k = depth.rows;
    for (const int ranks : {2, 4, 8}) {
      const double alone = 2.0 * c.rows * c.cols * k / 760e12;
      const overlap::conditions on{alone, {256, 256}, 66, 360e9, 4e-6};
      overlap::problem p{.m = c.rows, .n = c.cols, .k = k, .ranks = ranks};
      const double nccl_per_second = ranks == 2 ? 240e9 : 280e9;
      const double gathered = static_cast<double>(p.bytes_of_shard()) * (ranks - 1) / nccl_per_second + nccl_seconds;
      p.pieces_of_shard = overlap::most_pieces(p);
      p.pieces_of_shard = overlap::best_pieces(p, on, 0);
      double last = 0;
      for (int rank = 0; rank < ranks; ++rank) last = (std::max)(last, overlap::predicted_seconds(p, on, rank));
      std::printf("%5d x %5d x %4d    %4d  %-19.3f %6d  %.3f\n", c.rows, c.cols, k, ranks, 1 + gathered / alone,
                  p.pieces_of_shard, last / alone);
    }
  }
}
