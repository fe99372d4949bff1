// before.cu with reordering: before each bounce paths of one material come together within a block, while that pays.

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "common.hpp"

using reorder = heddle::block_reorder<256, 3>;
using exchange = heddle::block_exchange<path, 256>;

__global__ void trace(unsigned* light) {
  __shared__ heddle::static_shared<reorder::storage> ranks;
  __shared__ heddle::static_shared<exchange::storage> states;
  reorder by_material(ranks);
  heddle::coherence_gate gate = reorder::gate(200, exchange::words);
  path mine = path_of(blockIdx.x * blockDim.x + threadIdx.x);
  for (unsigned bounce = 0;;) {
    for (const unsigned end = gate.until(bounce, 8); bounce < end; ++bounce) mine = bounced(mine);
    if (bounce == 8) break;
    const auto [pays, rank, active] = by_material.rank_if(gate, mine.material);
    if (pays) mine = exchange(states).to(mine, rank);
  }
  light[mine.number] = mine.light;
}

int main() {
  return run("after", [](unsigned* light, unsigned paths) { trace<<<paths / 256, 256>>>(light); });
}
