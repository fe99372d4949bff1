// What TileLang makes of T.Persistent, which verdicts.py writes to kernels.inc: each tile of a grid once.
#include "tally.hpp"

#undef __launch_bounds__
#define __launch_bounds__(...)

void check(tally& all, auto kernel, int tiles, int blocks) {
  std::vector<int> visits(2 * tiles + 64);
  simt::launch(blocks, 1, [&] { kernel(visits.data()); });
  std::vector<heddle::laws::taken_tile> log;
  for (int tile = 0; tile < std::ssize(visits); ++tile) {
    for (int visit = 0; visit < visits[tile]; ++visit) log.push_back({tile, 0});
  }
  all.add(heddle::laws::check_taken(log, tiles), tiles, blocks);
}

#include "kernels.inc"

int main() {
  tally all{"T.Persistent"};
  check_all(all);
}
