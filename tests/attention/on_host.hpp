#pragma once

// Passes of attention by a kernel on the host. `Kernel<Width>` has `tiles`, `groups`, and `run(scheduler, problem,
// operands)`. simt.hpp must be included first.

#include <vector>

#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/strided.hpp>

#include <cuda_bf16.h>

#include "attention/pass.hpp"

namespace heddle_test {

template <int Width>
using host_pass = attention_pass<__nv_bfloat16, Width>;

template <class Kernel, int Width, class Scheduler>
void run(host_pass<Width>& some, const attention::problem& p, const Scheduler& scheduler) {
  Kernel::run(scheduler, p,
              {some.q.data(), some.k.data(), some.v.data(), some.o.data(), some.lse.data(), some.key_offsets.data()});
}

template <template <int> class Kernel, int Width>
int wrong_in_a_grid(int sequences, lengths each, int heads, int key_heads, window seen) {
  host_pass<Width> some(std::vector<lengths>(static_cast<unsigned>(sequences), each), heads, key_heads, seen,
                        simt::random);
  const attention::problem p = some.by_sequence();
  const heddle::thread_group_tiling bands{Kernel<Width>::tiles(p), 2, heddle::axis::x};
  run<Kernel<Width>>(some, p, heddle::strided{heddle::reversed{bands}});
  return some.wrong(1000, simt::random);
}

/// The order of the groups of a pass, prepared in this memory.
template <class Kernel, int Width>
heddle::reversed<heddle::grouped> prepared(const host_pass<Width>& some, std::vector<unsigned long long>& state) {
  const heddle::group_shape tiles = Kernel::groups(some.p);
  state.resize(heddle::grouped::state_bytes(tiles) / 8 + 1);
  const heddle::grouped of_device(tiles, state.data(), some.p.key_heads, heddle::axis::x,
                                  heddle::group_sequence::lightest_first);
  heddle::grouped::preparing_storage shared;
  simt::launch(1, 32, [&] {
    of_device.prepare(shared, some.query_offsets.data() + 1, heddle::group_rows::offsets(some.key_offsets.data()));
  });
  return heddle::reversed{of_device.on_host()};
}

template <template <int> class Kernel, int Width>
int wrong_in_groups(const std::vector<lengths>& all, int heads, int key_heads, window seen) {
  host_pass<Width> some(all, heads, key_heads, seen, simt::random);
  std::vector<unsigned long long> state;
  run<Kernel<Width>>(some, some.p, heddle::strided{prepared<Kernel<Width>>(some, state)});
  return some.wrong(1000, simt::random);
}

}  // namespace heddle_test
