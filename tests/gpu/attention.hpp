#pragma once

// Passes of attention on the GPU, against double precision.

#include "attention/pass.hpp"
#include "schedule.hpp"

namespace heddle_test {

using bf16 = __nv_bfloat16;
using fp16 = __half;

inline std::mt19937 generator(unsigned seed) {
  return std::mt19937(seed);
}

enum class way { one_shot, strided, packed };

/// The arrays of a pass on the device.
template <class Element, int Width, class Kernel>
class on_device {
 public:
  using pass = attention_pass<Element, Width>;
  using kernel = Kernel;

  explicit on_device(const pass& of)
      : q_(of.q),
        k_(of.k),
        v_(of.v),
        o_(of.o),
        lse_(of.lse),
        queries_(of.query_offsets),
        keys_(of.key_offsets),
        state_(heddle::grouped::state_bytes(kernel::groups(of.p)), 0xa5),
        draws_(heddle::ticket<>::state_bytes(), 0) {}

  void clear(const pass& of) { o_.copy_from(of.o), lse_.copy_from(of.lse); }
  void set_lengths(const std::vector<int>& queries, const std::vector<int>& keys) {
    queries_.copy_from(queries), keys_.copy_from(keys);
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
      check(order.prepare_async(queries_.data() + 1, on, heddle::group_rows::offsets(keys_.data())));
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

template <template <class, int> class Kernel, class Element, int Width>
void every_length() {
  std::mt19937 random = generator(Width);
  const int step = kernels_overlap() ? 1 : 37;  // few under a tool that checks every access
  for (const window seen : windows) {
    CAPTURE(typeid(Element).name(), Width, seen.left, seen.right);
    std::vector<lengths> squares, other;
    for (int length = 1; length <= 257; length += step) {
      squares.push_back({length, length});
      other.push_back({length, static_cast<int>(random() % 300)});
      for (const way by : {way::one_shot, way::strided}) {
        attention_pass<Element, Width> some({by == way::strided ? other.back() : squares.back()}, 2, 1, seen, random);
        CAPTURE(length, other.back().keys);
        REQUIRE(wrong<Kernel>(some, by, random, 8) == 0);
      }
    }
    for (const auto& all : {squares, other}) {
      attention_pass<Element, Width> some(all, 2, 1, seen, random);
      CHECK(wrong<Kernel>(some, way::packed, random, 8) == 0);
    }
  }
}

template <template <class, int> class Kernel, class Element, int Width>
void random_lengths(unsigned seed) {
  std::mt19937 random = generator(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const int most = kernels_overlap() ? 4096 : 300;
  for (int round = 0; round < (kernels_overlap() ? 12 : 3); ++round) {
    const int sharers = std::vector{1, 3, 8, 16}[static_cast<unsigned>(below(4))], key_heads = 1 + below(2);
    const window seen = below(3) == 0 ? window{below(2 * most), below(most)} : windows[below(6)];
    const int sequences = 1 + below(4);
    std::vector<lengths> all;
    for (int i = 0; i < sequences; ++i) all.push_back({1 + below(below(2) == 0 ? most : 200), below(most)});
    const lengths each{1 + below(most / sequences), below(most)};
    CAPTURE(round, sharers, key_heads, seen.left, seen.right, sequences, each.queries, each.keys);
    attention_pass<Element, Width> packed(all, sharers * key_heads, key_heads, seen, random);
    CHECK(wrong<Kernel>(packed, way::packed, random, 6) == 0);
    attention_pass<Element, Width> same(std::vector(static_cast<unsigned>(sequences), each), sharers * key_heads,
                                        key_heads, seen, random);
    CHECK(wrong<Kernel>(same, below(2) == 0 ? way::one_shot : way::strided, random, 6) == 0);
  }
}

template <template <class, int> class Kernel>
void every_length() {
  every_length<Kernel, bf16, 64>();
  every_length<Kernel, bf16, 128>();
  every_length<Kernel, fp16, 64>();
  every_length<Kernel, fp16, 128>();
}

template <template <class, int> class Kernel>
void random_lengths() {
  random_lengths<Kernel, bf16, 64>(1);
  random_lengths<Kernel, bf16, 128>(2);
  random_lengths<Kernel, fp16, 64>(3);
  random_lengths<Kernel, fp16, 128>(4);
}

inline const std::vector<lengths> ugly{{0, 0},   {193, 193}, {0, 5}, {64, 0},    {1, 1},
                                       {300, 3}, {3, 300},   {0, 0}, {128, 129}, {191, 65}};

template <template <class, int> class Kernel>
void empty_sequences() {
  std::mt19937 random = generator(5);
  for (const window seen : windows) {
    for (const unsigned workers : {1u, 2u, 3u, ~0u}) {
      CAPTURE(seen.left, seen.right, workers);
      attention_pass<bf16, 128> some(ugly, 3, 1, seen, random);
      CHECK(wrong<Kernel>(some, way::packed, random, 24, workers) == 0);
      for (const lengths each : {lengths{193, 65}, {65, 193}, {70, 0}, {0, 70}}) {
        attention_pass<bf16, 64> same({each, each, each}, 2, 2, seen, random);
        CHECK(wrong<Kernel>(same, way::strided, random, 24, workers) == 0);
      }
    }
  }
  attention_pass<bf16, 128> none({{0, 0}, {0, 0}}, 2, 1, causal, random);
  CHECK(wrong<Kernel>(none, way::packed, random) == 0);
  attention_pass<bf16, 128> many(std::vector<lengths>(kernels_overlap() ? 8192 : 50, {34, 34}), 2, 1, causal, random);
  CHECK(wrong<Kernel>(many, way::packed, random, 3) == 0);
}

template <template <class, int> class Kernel>
void logits() {
  std::mt19937 random = generator(6);
  const auto check_keys = [&](const auto& value) {
    for (const window seen : {full, causal, window{70, 20}}) {
      attention_pass<bf16, 64> some({{200, 300}}, 2, 1, seen, random);
      for (bf16& each : some.q) each = bf16(1.0f);
      some.fill_keys(value);
      CHECK(wrong<Kernel>(some, way::strided, random, 200) == 0);
    }
  };
  check_keys([](int token, int) { return static_cast<float>(token) / 60; });
  check_keys([](int token, int) { return static_cast<float>(-token) / 60; });
  check_keys([](int, int) { return 0.0f; });
  check_keys([](int token, int i) { return token % 3 == 0 && i == 5 ? -INFINITY : static_cast<float>(token % 7); });
  check_keys([](int token, int i) { return token < 128 && i == 5 ? -INFINITY : 0.5f; });
  check_keys([](int token, int i) { return token == 140 && i == 5 ? INFINITY : 0.5f; });
}

template <template <class, int> class Kernel>
void neighbours_of_nan() {
  std::mt19937 random = generator(7);
  attention_pass<fp16, 128> some({{70, 70}, {65, 65}, {33, 33}}, 2, 2, full, random);
  for (std::size_t i = 70 * 2 * 128; i < 135 * 2 * 128; ++i) some.q[i] = some.k[i] = some.v[i] = fp16(NAN);
  CHECK(wrong<Kernel>(some, way::packed, random, 100) == 0);
}

template <template <class, int> class Kernel>
void wrong_offsets() {
  std::mt19937 random = generator(8);
  attention_pass<bf16, 64> some({{40, 40}, {0, 40}, {50, 50}, {10, 0}}, 2, 1, causal, random);
  on_device<bf16, 64, Kernel<bf16, 64>> arrays(some);
  // The second sequence ends before it begins, and the keys of the last one would begin behind all keys.
  arrays.set_lengths({0, 40, 7, 90, 100}, {0, 40, 80, 130, 1 << 30});
  stream on;
  arrays.enqueue(some.p, way::packed, on);
  finish(on);
  arrays.read(some);
  CHECK(some.wrong(100, random) == 0);
  CHECK(arrays.prepared().wrong == 1);
}

template <template <class, int> class Kernel>
void replays() {
  std::mt19937 random = generator(9);
  attention_pass<bf16, 128> one(ugly, 2, 1, causal, random), other = one;
  std::vector<int>&queries = other.query_offsets, &keys = other.key_offsets;
  std::adjacent_difference(queries.begin(), queries.end(), queries.begin());
  std::adjacent_difference(keys.begin(), keys.end(), keys.begin());
  std::reverse(queries.begin() + 1, queries.end()), std::reverse(keys.begin() + 1, keys.end());
  std::partial_sum(queries.begin(), queries.end(), queries.begin());
  std::partial_sum(keys.begin(), keys.end(), keys.begin());
  on_device<bf16, 128, Kernel<bf16, 128>> arrays(one);
  stream on;
  const captured_graph graph(on, [&] { arrays.enqueue(one.p, way::packed, on); });
  for (auto* const some : {&one, &other, &one}) {
    arrays.clear(*some);
    arrays.set_lengths(some->query_offsets, some->key_offsets);
    graph.replay(on);
    finish(on);
    arrays.read(*some);
    CHECK(some->wrong(24, random) == 0);
    some->clear();
  }
  attention_pass<bf16, 128> first = one, again = one;
  arrays.read(first);
  for (int i = 0; i < (kernels_overlap() ? 1000 : 3); ++i) {
    graph.replay(on);
    finish(on);
    arrays.read(again);
    REQUIRE(std::memcmp(again.o.data(), first.o.data(), first.o.size() * sizeof(bf16)) == 0);
    REQUIRE(std::memcmp(again.lse.data(), first.lse.data(), first.lse.size() * sizeof(float)) == 0);
  }
}

}  // namespace heddle_test
