#pragma once

#include "on_hopper.cuh"

namespace gemm {

/// The figures of a kernel of tiles of `rows` rows of A, or of columns of B if they change places.
constexpr figures figures_of(int rows, double step_clocks, double loss_when_long, double tile_clocks,
                             double launch_clocks) {
  return {step_clocks, loss_when_long, rows == 64 ? 0.0 : 0.439, tile_clocks, 0, launch_clocks, 2020};
}

template <class Shape, class Element>
constexpr variant of_k_major(const char* name, double step_clocks, double loss_when_long, double tile_clocks,
                             double launch_clocks) {
  figures all = figures_of(Shape::tile_m, step_clocks, loss_when_long, tile_clocks, launch_clocks);
  if (Shape::in_turn) all.least_tile_clocks = 2000;
  return make_variant < Shape::in_turn ? kind::in_turn : kind::together, on_hopper < Shape, Element >> (name, all);
}

/// The same kernel in clusters whose blocks share a tile.
template <class Shape, class Element>
constexpr variant along_k_major(const char* name, double step_clocks, double tile_clocks, double launch_clocks) {
  return make_variant<kind::along_k, on_hopper<Shape, Element>>(
      name, figures_of(Shape::tile_m, step_clocks, 0, tile_clocks, launch_clocks));
}

/// Returns the kernels for one type of element.
template <class Element>
std::vector<const variant*> wgmma_variants(const problem& p) {
  using enum layout;
  const bool a_k = p.a == row_major, b_k = p.b == column_major;
  const auto in_any_layout = [&]<major A, major B>() {
    using wide = on_hopper<wgmma_shape<128, 256, 2, 1>, Element, A, B>;
    using square = on_hopper<wgmma_shape<128, 128, 2, 1>, Element, A, B>;
    constexpr figures of_wide = figures_of(128, 1134, 0.038, 1729, 4038);
    constexpr figures of_square = figures_of(128, 591, 0.06, 996, 2999);
    static constexpr variant of[]{
        make_variant<kind::together, wide>("wgmma 128x256, cluster 2x1", of_wide),
        make_variant<kind::together, square>("wgmma 128x128, cluster 2x1", of_square),
        make_variant<kind::drawn, wide>("wgmma 128x256 drawn, cluster 2x1", of_wide),
        make_variant<kind::drawn, square>("wgmma 128x128 drawn, cluster 2x1", of_square),
    };
    return std::vector<const variant*>{&of[0], &of[1], &of[2], &of[3]};
  };
  if (a_k && b_k) {
    static constexpr variant others[]{
        of_k_major<transposed_shape<256, 160, 1, 2>, Element>("wgmma 160x256, cluster 2x1", 1415, 0.028, 2889, 3316),
        of_k_major<wgmma_shape<192, 192, 1, 2>, Element>("wgmma 192x192, cluster 1x2", 1283, 0.03, 1728, 3968),
        of_k_major<wgmma_shape<128, 224, 2, 1>, Element>("wgmma 128x224, cluster 2x1", 992, 0.046, 2094, 2965),
        of_k_major<transposed_shape<128, 224, 2, 1>, Element>("wgmma 224x128, cluster 1x2", 992, 0.049, 2119, 3213),
        of_k_major<wgmma_shape<128, 192, 2, 1>, Element>("wgmma 128x192, cluster 2x1", 856, 0.047, 1090, 4599),
        of_k_major<wgmma_shape<128, 192, 2, 1, true>, Element>("wgmma 128x192 in turn, cluster 2x1", 857, 0.049, 752,
                                                               5610),
        of_k_major<wgmma_shape<128, 176, 2, 1, true>, Element>("wgmma 128x176 in turn, cluster 2x1", 792, 0.044, 527,
                                                               5892),
        of_k_major<transposed_shape<128, 192, 4, 1>, Element>("wgmma 192x128, cluster 1x4", 870, 0.036, 1704, 2118),
        of_k_major<wgmma_shape<192, 96, 1, 2>, Element>("wgmma 192x96, cluster 1x2", 667, 0.043, 1132, 3098),
        of_k_major<wgmma_shape<128, 96, 2, 1>, Element>("wgmma 128x96, cluster 2x1", 461, 0.138, 1156, 2588),
        of_k_major<wgmma_shape<128, 96, 2, 2>, Element>("wgmma 128x96, cluster 2x2", 447, 0.135, 1221, 2810),
        of_k_major<wgmma_shape<64, 128, 2, 1>, Element>("wgmma 64x128, cluster 2x1", 338, 0, 868, 1730),
        of_k_major<transposed_shape<64, 128, 2, 1>, Element>("wgmma 128x64, cluster 1x2", 327, 0, 1158, 1820),
        of_k_major<transposed_shape<256, 160, 1, 1>, Element>("wgmma 160x256", 1430, 0.028, 3050, 2760),
        of_k_major<wgmma_shape<256, 160, 1, 1>, Element>("wgmma 256x160", 1427, 0.029, 2796, 3104),
        of_k_major<wgmma_shape<192, 192, 1, 1>, Element>("wgmma 192x192", 1296, 0.03, 1693, 2919),
        of_k_major<wgmma_shape<128, 256, 1, 1>, Element>("wgmma 128x256", 1160, 0.021, 1521, 2779),
        of_k_major<wgmma_shape<192, 160, 1, 1>, Element>("wgmma 192x160", 1092, 0.026, 1703, 2417),
        of_k_major<transposed_shape<192, 160, 1, 1>, Element>("wgmma 160x192", 1093, 0.029, 1647, 2756),
        of_k_major<wgmma_shape<128, 224, 1, 1>, Element>("wgmma 128x224", 1008, 0.033, 2190, 2458),
        of_k_major<transposed_shape<128, 224, 1, 1>, Element>("wgmma 224x128", 1016, 0.033, 2305, 1761),
        of_k_major<wgmma_shape<128, 192, 1, 1>, Element>("wgmma 128x192", 878, 0.033, 1049, 2734),
        of_k_major<transposed_shape<128, 192, 1, 1>, Element>("wgmma 192x128", 879, 0.034, 1682, 2113),
        of_k_major<wgmma_shape<128, 176, 1, 1>, Element>("wgmma 128x176", 803, 0.027, 1593, 2468),
        of_k_major<transposed_shape<128, 160, 1, 1>, Element>("wgmma 160x128", 736, 0.037, 1706, 1964),
        of_k_major<wgmma_shape<128, 128, 1, 1>, Element>("wgmma 128x128", 591, 0.041, 946, 2037),
        of_k_major<wgmma_shape<192, 96, 1, 1>, Element>("wgmma 192x96", 688, 0.04, 1187, 2206),
        of_k_major<wgmma_shape<128, 96, 1, 1>, Element>("wgmma 128x96", 475, 0.193, 1007, 1857),
        of_k_major<wgmma_shape<64, 128, 1, 1>, Element>("wgmma 64x128", 270, 0, 935, 1679),
        of_k_major<transposed_shape<64, 96, 1, 1>, Element>("wgmma 96x64", 249, 0, 530, 2288),
        of_k_major<wgmma_shape<64, 64, 1, 1>, Element>("wgmma 64x64", 171, 0, 487, 1847),
        of_k_major<transposed_shape<64, 32, 1, 1>, Element>("wgmma 32x64", 221, 0, 993, 757),
        of_k_major<transposed_shape<64, 16, 1, 1>, Element>("wgmma 16x64", 246, 0, 638, 320),
        along_k_major<wgmma_shape<128, 192, 1, 1>, Element>("wgmma 128x192 along k", 851, 2411, 5281),
        along_k_major<wgmma_shape<128, 256, 1, 1>, Element>("wgmma 128x256 along k", 1123, 2189, 4330),
        along_k_major<wgmma_shape<128, 128, 1, 1>, Element>("wgmma 128x128 along k", 589, 2494, 5700),
        along_k_major<transposed_shape<128, 96, 1, 1>, Element>("wgmma 96x128 along k", 558, 2000, 3882),
        along_k_major<wgmma_shape<128, 96, 1, 1>, Element>("wgmma 128x96 along k", 567, 2052, 3970),
        along_k_major<wgmma_shape<64, 64, 1, 1>, Element>("wgmma 64x64 along k", 268, 1718, 1654),
    };
    auto all = in_any_layout.template operator()<major::k, major::k>();
    for (const variant& each : others) all.push_back(&each);
    return all;
  }
  if (a_k) return in_any_layout.template operator()<major::k, major::mn>();
  if (b_k) return in_any_layout.template operator()<major::mn, major::k>();
  return in_any_layout.template operator()<major::mn, major::mn>();
}

}  // namespace gemm
