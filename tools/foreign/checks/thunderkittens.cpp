// ThunderKittens's maps of its products, whose lines verdicts.py takes from their files: each tile of every grid once.
#include "tally.hpp"

#include "blackwell.inc"

int2 hopper(int task_id, int Rblocks, int Cblocks) {
  constexpr int SUPER_M = 12;
  struct {
    struct {
      int2 coord;
    } common;
  } args{};
#include "hopper.inc"
  return args.common.coord;
}

void check(tally& all, auto tile_of) {
  for (int rows = 1; rows <= 32; ++rows) {
    for (int cols = 1; cols <= 32; ++cols) {
      heddle::laws::tile_log log({{rows, cols}});
      simt::launch(rows * cols, 1, [&] {
        const int2 tile = tile_of(int(blockIdx.x), rows, cols);
        log.take(0, tile.x, tile.y);
      });
      all.add(log.report(), rows, cols);
    }
  }
}

template <int... Widths>
void over(tally& all) {
  (check(all, [](int i, int rows, int cols) { return get_swizzled_2d_idx<Widths>(rows, cols, i); }), ...);
  (check(all, [](int i, int rows, int cols) { return get_swizzled_2d_idx<Widths, false>(rows, cols, i); }), ...);
}

int main() {
  tally all{"ThunderKittens"};
  check(all, hopper), over<1, 2, 3, 4, 8, 12, 16>(all);
}
