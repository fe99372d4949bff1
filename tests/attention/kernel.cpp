// The portable kernel of examples/attention, run on the host with the instructions of tests/simt.

#include "simt.hpp"

#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/strided.hpp>

#include "attention/expected.hpp"
#include "attention/mma.cuh"

#include "test.hpp"

using namespace heddle;

namespace {

using element = __nv_bfloat16;
using shape = attention::mma_shape;

/// Elements of tokens: normal ones, and NaN before the first, between sequences and behind the last.
std::vector<element> elements(int tokens, int per_token, bool are_nan) {
  std::vector<element> all;
  std::normal_distribution<float> normal;
  for (int i = 0; i < tokens * per_token; ++i) all.emplace_back(are_nan ? NAN : normal(simt::random));
  return all;
}

struct lengths {
  int queries, keys;
};

/// Packed sequences, and a result with guards.
template <int Width>
struct pass {
  static constexpr int guard_tokens = 3;
  static constexpr float guard = -77;

  attention::problem p;
  std::vector<int> query_offsets{0}, key_offsets{0};
  std::vector<element> q, k, v, o;
  std::vector<float> lse;

  pass(const std::vector<lengths>& all, int heads, int key_heads, int left, int right) {
    for (const auto [queries, keys] : all) {
      query_offsets.push_back(query_offsets.back() + queries);
      key_offsets.push_back(key_offsets.back() + keys);
    }
    p = {std::ssize(all), query_offsets.back(), key_offsets.back(), heads, key_heads, Width, 0.3f, left, right};
    const auto with_nan = [&](int tokens, int per_token) {
      std::vector<element> some = elements(tokens, per_token, false);
      const std::vector<element> more = elements(guard_tokens, per_token, true);
      some.insert(some.end(), more.begin(), more.end());
      return some;
    };
    q = with_nan(query_offsets.back(), heads * Width);
    k = with_nan(key_offsets.back(), key_heads * Width);
    v = with_nan(key_offsets.back(), key_heads * Width);
    o.assign(q.size(), element(guard));
    lse.assign(static_cast<std::size_t>(heads * query_offsets.back() + guard_tokens), guard);
  }

  attention::arguments arguments(bool is_packed) {
    const auto as_int = [](long long value) { return static_cast<int>(value); };
    return {q.data(), k.data(), v.data(), o.data(), lse.data(), key_offsets.data(), query_offsets.back(),
            as_int(is_packed ? p.queries : p.queries / p.sequences), as_int(is_packed ? p.keys : p.keys / p.sequences),
            as_int(p.heads), as_int(p.key_heads), p.scale * 1.44269504f, p.left, p.right};
  }

  template <class Scheduler>
  void run(const Scheduler& scheduler, bool is_packed) {
    const attention::arguments of = arguments(is_packed);
    simt::launch(3, shape::threads, [&] { attention::attend_mma<element, Width>(scheduler, of); });
  }

  int wrong() {
    const auto size = [](auto number) { return static_cast<std::size_t>(number); };
    int count = 0;
    const int heads = static_cast<int>(p.heads), key_heads = static_cast<int>(p.key_heads), tokens = query_offsets.back();
    for (std::size_t s = 0; s + 1 < query_offsets.size(); ++s) {
      const int first = query_offsets[s], queries = query_offsets[s + 1] - first;
      const int first_key = key_offsets[s], keys = key_offsets[s + 1] - first_key;
      for (int head = 0; head < heads; ++head) {
        const auto of_keys = [&](const std::vector<element>& all) {
          return [&, head](int number, int i) {
            return static_cast<float>(
                all[size(((first_key + number) * key_heads + head / (heads / key_heads)) * Width + i)]);
          };
        };
        for (int query = 0; query < queries; ++query) {
          const int at = ((first + query) * heads + head) * Width;
          const auto expected = attention::expect(
              p, queries, keys, query, 0x1p-8, [&](int i) { return static_cast<float>(q[size(at + i)]); }, of_keys(k),
              of_keys(v));
          for (int i = 0; i < Width; ++i) {
            const double error = std::fabs(static_cast<float>(o[size(at + i)]) - expected.values[size(i)]);
            count += !(error <= expected.tolerance[size(i)]);
          }
          const double found = lse[size(head * tokens + first + query)];
          count += !(found == expected.lse || std::fabs(found - expected.lse) <= expected.lse_tolerance);
        }
      }
    }
    for (std::size_t i = size(tokens * heads * Width); i < o.size(); ++i) count += static_cast<float>(o[i]) != guard;
    for (std::size_t i = size(heads * tokens); i < lse.size(); ++i) count += lse[i] != guard;
    return count;
  }
};

template <int Width>
int wrong_in_a_grid(int sequences, lengths each, int heads, int key_heads, int left, int right) {
  pass<Width> some(std::vector<lengths>(static_cast<unsigned>(sequences), each), heads, key_heads, left, right);
  const extent grid((each.queries + shape::tile_queries - 1) / shape::tile_queries, heads * sequences);
  some.run(strided{reversed{thread_group_tiling{grid, 2, axis::x}}}, false);
  return some.wrong();
}

template <int Width>
int wrong_in_groups(const std::vector<lengths>& all, int heads, int key_heads, int left, int right) {
  pass<Width> some(all, heads, key_heads, left, right);
  const group_shape tiles{some.p.queries, some.p.sequences, shape::tile_queries, heads};
  std::vector<unsigned long long> state(grouped::state_bytes(tiles) / 8 + 1);
  const grouped of_device(tiles, state.data(), key_heads, axis::x, group_sequence::lightest_first);
  grouped::preparing_storage shared;
  simt::launch(1, 32, [&] {
    of_device.prepare(shared, some.query_offsets.data() + 1, group_weights::differences(some.key_offsets.data()));
  });
  some.run(strided{reversed{of_device.on_host()}}, true);
  return some.wrong();
}

constexpr int none = attention::unlimited;
struct window {
  int left, right;
};

}  // namespace

TEST_CASE("Attention of sequences of the same lengths is right on the host", "[attention]") {
  const auto [left, right] = GENERATE(window{none, none}, window{none, 0}, window{5, 3}, window{0, 0}, window{70, 0});
  CAPTURE(left, right);
  for (const auto& [queries, keys] : {lengths{1, 1}, {63, 65}, {65, 63}, {130, 5}, {5, 130}, {2, 0}}) {
    CAPTURE(queries, keys);
    CHECK(wrong_in_a_grid<64>(2, {queries, keys}, 2, 1, left, right) == 0);
  }
  CHECK(wrong_in_a_grid<128>(1, {129, 193}, 3, 3, left, right) == 0);
}

TEST_CASE("Attention of packed sequences is right on the host", "[attention]") {
  const auto [left, right] = GENERATE(window{none, none}, window{none, 0}, window{40, 30});
  CAPTURE(left, right);
  const std::vector<lengths> some{{0, 4}, {34, 34}, {1, 0}, {64, 64}, {70, 7}, {0, 0}, {3, 129}};
  CHECK(wrong_in_groups<64>(some, 3, 1, left, right) == 0);
  CHECK(wrong_in_groups<128>(some, 2, 2, left, right) == 0);
}
