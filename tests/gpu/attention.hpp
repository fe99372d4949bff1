#pragma once

// Passes of attention on the GPU, against double precision.

#include <algorithm>
#include <random>

#include "attention/pass.hpp"
#include "schedule.hpp"

namespace heddle_test {

enum class way { one_shot, strided, packed };

/// The arrays of a pass on the device.
template <class Element, int Width, class Kernel>
class on_device {
 public:
  using pass = attention_pass<Element, Width>;
  using kernel = Kernel;

  explicit on_device(const pass& of)
      : q_(of.q.size(), 0),
        k_(of.k.size(), 0),
        v_(of.v.size(), 0),
        o_(of.o.size(), 0),
        lse_(of.lse.size(), 0),
        queries_(of.query_offsets.size(), 0),
        keys_(of.key_offsets.size(), 0),
        state_(heddle::grouped::state_bytes(kernel::groups(of.p)), 0xa5),
        draws_(heddle::ticket<>::state_bytes(), 0) {
    copy_to(q_, of.q), copy_to(k_, of.k), copy_to(v_, of.v);
    set_lengths(of.query_offsets, of.key_offsets);
    clear(of);
  }

  void clear(const pass& of) { copy_to(o_, of.o), copy_to(lse_, of.lse); }
  void set_lengths(const std::vector<int>& queries, const std::vector<int>& keys) {
    copy_to(queries_, queries), copy_to(keys_, keys);
  }
  attention::operands operands() { return {q_.data(), k_.data(), v_.data(), o_.data(), lse_.data(), keys_.data()}; }

  /// Enqueues the pass, by at most so many blocks.
  void enqueue(const attention::problem& p, way by, cudaStream_t on, unsigned workers = ~0u) {
    const auto launch = [&](const auto& scheduler) {
      heddle::launch_config grid = kernel{}.grid(scheduler);
      grid.config.gridDim.x = std::min(grid.config.gridDim.x, workers);
      check(kernel{}.launch(grid, scheduler, p, operands(), on));
    };
    const long long sharers = p.heads / p.key_heads;
    if (by == way::packed) {
      const heddle::grouped order(kernel::groups(p), state_.data(), sharers, heddle::axis::x,
                                  heddle::group_sequence::lightest_first);
      check(order.prepare_async(queries_.data() + 1, on, heddle::group_weights::differences(keys_.data())));
      launch(heddle::ticket{heddle::reversed{order}, draws_.data()});
    } else if (by == way::strided) {
      launch(
          heddle::strided{heddle::reversed{heddle::thread_group_tiling{kernel::tiles(p), sharers, heddle::axis::x}}});
    } else {
      launch(heddle::one_shot{heddle::row_major{kernel::tiles(p)}});
    }
  }

  heddle::prepared_groups prepared() { return *reinterpret_cast<const heddle::prepared_groups*>(state_.read().data()); }
  void read(pass& to) const { to.o = o_.read(), to.lse = lse_.read(); }

 private:
  device_array<Element> q_, k_, v_, o_;
  device_array<float> lse_;
  device_array<int> queries_, keys_;
  device_array<char> state_, draws_;
};

/// Returns how many of the numbers of a pass that a kernel makes are wrong.
template <template <class, int> class Kernel, class Element, int Width>
int wrong(attention_pass<Element, Width>& some, way by, std::mt19937& random, int most_rows = 24,
          unsigned workers = ~0u) {
  on_device<Element, Width, Kernel<Element, Width>> arrays(some);
  stream on;
  arrays.enqueue(by == way::packed ? some.p : some.by_sequence(), by, on, workers);
  finish(on);
  arrays.read(some);
  return some.wrong(most_rows, random);
}

inline const window windows[] = {full, causal, {64, 0}, {17, 5}, {0, 0}, {0, attention::unlimited}};

}  // namespace heddle_test
