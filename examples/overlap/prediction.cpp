// How long a product on several GPUs takes that begins with the rows that are here: a prediction, and in how many
// pieces each GPU sends its rows.

#include "prediction.hpp"

#include <cmath>
#include <cstdio>

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/traffic.hpp>

namespace {

/// The limit of an H200, which a product reaches; and for each byte that a link sends or receives: of four that copied
/// 390 GB/s both ways at once, one drew 203 W, and 123 at rest.
constexpr double watts = 700, joules_of_byte = 80 / 780e9;

/// Returns the seconds of a product that takes `alone` in bands of eight tiles, in the order of a rank and while rows
/// come and go: what it reads more takes time of DRAM, and the link takes power from the matrix unit.
double in_order_of(const overlap::problem& p, const overlap::conditions& on, double alone, int rank) {
  using namespace heddle;
  const predict::device card = predict::h200();
  const predict::gemm_problem product{.m = p.m, .n = p.n, .k = p.k, .tile_m = on.tile.rows, .tile_n = on.tile.cols};
  const double exponent = card.overlap_of_units + 0.5;  // of a block per multiprocessor
  const auto of_dram = [&](const auto& order) {
    constexpr long long kept = 30 << 20;  // of 60 MB of L2, which keep two copies
    const auto bytes = predict::traffic(order, product, on.workers, kept).total.dram_bytes;
    return std::pow(static_cast<double>(bytes) / card.dram_bytes_per_second, exponent);
  };
  const double of_more =
      of_dram(overlap::order_of(p, on.tile, rank)) - of_dram(cta_swizzle{product.grid(), 8, axis::y});
  const double seconds = std::pow(std::pow(alone, exponent) + of_more, 1 / exponent);
  const double sent = static_cast<double>(p.bytes_of_shard()) * (p.ranks - 1);
  return seconds + 2 * sent * joules_of_byte / watts;
}

}  // namespace

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
      for (int rank = 0; rank < ranks; ++rank) {
        overlap::conditions of_rank = on;
        of_rank.product_seconds = in_order_of(p, on, alone, rank);
        last = (std::max)(last, overlap::predicted_seconds(p, of_rank, rank));
      }
      std::printf("%5d x %5d x %4d    %4d  %-19.3f %6d  %.3f\n", c.rows, c.cols, k, ranks, 1 + gathered / alone,
                  p.pieces_of_shard, last / alone);
    }
  }
}
