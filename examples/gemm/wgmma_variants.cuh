#pragma once

#include "on_hopper.cuh"

namespace gemm {

/// Returns the kernels for one type of element: of all that were tried, those without which random shapes lose most.
template <class Element>
std::vector<const variant*> wgmma_variants(const problem& p) {
  const bool a_k = p.a == layout::row_major, b_k = p.b == layout::column_major;
  const auto in_any_layout = [&]<major A, major B>() {
    using wide = on_hopper<wgmma_shape<128, 256, 2, 1>, Element, A, B>;
    using square = on_hopper<wgmma_shape<128, 128, 2, 1>, Element, A, B>;
    static constexpr variant of[]{
        make_variant<kind::together, wide>("wgmma 128x256, cluster 2x1"),
        make_variant<kind::together, square>("wgmma 128x128, cluster 2x1"),
        make_variant<kind::drawn, wide>("wgmma 128x256 drawn, cluster 2x1"),
        make_variant<kind::drawn, square>("wgmma 128x128 drawn, cluster 2x1"),
    };
    return std::vector<const variant*>{&of[0], &of[1], &of[2], &of[3]};
  };
  if (a_k && b_k) {
    using enum kind;
    static constexpr variant others[]{
        make_variant<together, on_hopper<transposed_shape<256, 160, 1, 2>, Element>>("wgmma 160x256, cluster 2x1"),
        make_variant<together, on_hopper<wgmma_shape<192, 192, 1, 2>, Element>>("wgmma 192x192, cluster 1x2"),
        make_variant<together, on_hopper<wgmma_shape<128, 224, 2, 1>, Element>>("wgmma 128x224, cluster 2x1"),
        make_variant<in_turn, on_hopper<wgmma_shape<128, 176, 2, 1, true>, Element>>(
            "wgmma 128x176 in turn, cluster 2x1"),
        make_variant<together, on_hopper<transposed_shape<128, 192, 4, 1>, Element>>("wgmma 192x128, cluster 1x4"),
        make_variant<together, on_hopper<wgmma_shape<192, 96, 1, 2>, Element>>("wgmma 192x96, cluster 1x2"),
        make_variant<together, on_hopper<wgmma_shape<128, 96, 2, 2>, Element>>("wgmma 128x96, cluster 2x2"),
        make_variant<together, on_hopper<wgmma_shape<64, 128, 2, 1>, Element>>("wgmma 64x128, cluster 2x1"),
        make_variant<together, on_hopper<transposed_shape<64, 128, 2, 1>, Element>>("wgmma 128x64, cluster 1x2"),
        make_variant<together, on_hopper<wgmma_shape<128, 256, 1, 1>, Element>>("wgmma 128x256"),
        make_variant<together, on_hopper<wgmma_shape<256, 160, 1, 1>, Element>>("wgmma 256x160"),
        make_variant<together, on_hopper<wgmma_shape<192, 160, 1, 1>, Element>>("wgmma 192x160"),
        make_variant<together, on_hopper<wgmma_shape<128, 192, 1, 1>, Element>>("wgmma 128x192"),
        make_variant<together, on_hopper<transposed_shape<128, 160, 1, 1>, Element>>("wgmma 160x128"),
        make_variant<together, on_hopper<wgmma_shape<128, 128, 1, 1>, Element>>("wgmma 128x128"),
        make_variant<together, on_hopper<wgmma_shape<128, 96, 1, 1>, Element>>("wgmma 128x96"),
        make_variant<together, on_hopper<wgmma_shape<64, 128, 1, 1>, Element>>("wgmma 64x128"),
        make_variant<together, on_hopper<wgmma_shape<64, 64, 1, 1>, Element>>("wgmma 64x64"),
        make_variant<together, on_hopper<transposed_shape<64, 16, 1, 1>, Element>>("wgmma 16x64"),
        make_variant<along_k, on_hopper<wgmma_shape<64, 64, 1, 1>, Element>>("wgmma 64x64 along k"),
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
