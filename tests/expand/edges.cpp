// Expansion at its limits, in the kernels' own code on the host: room that ends exactly at the end of a source, sums
// past 2^32 within a warp, sources that are nearly in order, and first passes of so many blocks that their sums have
// levels.

#include "simt.hpp"

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "expand/state.hpp"
#include "filled.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::fill;
using heddle_test::state;

namespace {

using word64 = unsigned long long;

/// A source and the number of its items.
struct spawner {
  unsigned source, n;
};

using items = std::vector<std::pair<unsigned, unsigned>>;  // sources and ranks, sorted

word64 sum_of(const std::vector<spawner>& all) {
  word64 sum = 0;
  for (const spawner& each : all) sum += each.n;
  return sum;
}

/// Returns the items, sorted, of the sources in the order in which they are pushed, up to the first without room.
items items_before(const std::vector<spawner>& all, word64 sources, word64 room) {
  items found;
  for (const auto& [source, n] : all) {
    if (n == 0) continue;
    if (sources == 0 || n > room) break;
    --sources;
    room -= n;
    for (unsigned rank = 0; rank < n; ++rank) found.emplace_back(source, rank);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Pushes all sources in their order, `Count` per thread at once: a warp takes one row of lanes after another.
template <unsigned Count, class Work>
void push(const Work& work, const std::vector<spawner>& all, unsigned threads, unsigned char filling) {
  const auto size = static_cast<unsigned>(all.size());
  simt::launch((size + Count * threads - 1) / (Count * threads), threads, [&] {
    __shared__ typename Work::push_storage smem;
    fill(smem, filling);
    unsigned source[Count], n[Count];
    for (unsigned i = 0; i < Count; ++i) {
      const unsigned at = heddle_test::source_in_warps(Count, i);
      source[i] = at < size ? all[at].source : 0;
      n[i] = at < size ? all[at].n : 0;
    }
    work.push(smem, source, n);
  });
}

/// Returns the items that the second pass visits. The test case fails if there are more than `most`, or if two share a
/// slot or a slot is not below `most`.
template <granularity Granularity = granularity::thread, class Work>
items visited(const Work& work, word64 most, unsigned blocks, unsigned threads, unsigned char filling) {
  items found;
  std::vector<int> slots;
  bool has_slots = false;
  simt::launch(blocks, threads, [&] {
    __shared__ typename Work::storage smem;
    fill(smem, filling);
    const bool counts = Granularity == granularity::thread || threadIdx.x % 32 == 0;
    for (auto place = work.template items<Granularity>(smem); place; ++place) {
      if (!counts) continue;
      found.emplace_back((*place).source, (*place).rank);
      if (found.size() > most) throw std::logic_error("more items than there can be");
      if constexpr (requires { place.slot(); }) {
        has_slots = true;
        slots.resize(std::max<std::size_t>(slots.size(), place.slot() < most ? place.slot() + 1 : 0));
        if (place.slot() < most) ++slots[place.slot()];
      }
    }
  });
  std::sort(found.begin(), found.end());
  if (has_slots) CHECK(slots == std::vector<int>(found.size(), 1));
  return found;
}

/// Pushes all sources, and checks that the second pass visits the items that find room.
template <unsigned Count = 1, class Work>
void expands(const std::vector<spawner>& all, unsigned threads, expansion room, const items& expected,
             unsigned char filling, std::type_identity<Work>) {
  CAPTURE(Count, all.size(), threads, room.sources, room.items, static_cast<int>(filling));
  state<Work> to(room, filling);
  to.begin();
  push<Count>(to.work(), all, threads, filling);
  CHECK(to.items_pushed() == sum_of(all));
  CHECK(visited(to.work(), room.items, 2, 64, filling) == expected);
  CHECK(to.guard_is_whole());
}

template <class Work>
constexpr std::type_identity<Work> by{};

/// Every room from none to all, in items and in sources.
template <class Work>
void expands_what_fits_exactly(bool limits_items, bool limits_sources) {
  constexpr unsigned threads = 40;
  std::vector<spawner> all;
  for (unsigned i = 0; i < 2 * threads + 10; ++i) all.push_back({i, i % 3 == 1 ? 0 : i == 50 ? 9 : 1 + i % 2});
  const word64 of_all = sum_of(all), sources = 3 * 64;
  for (const unsigned char filling : heddle_test::fillings) {
    for (word64 room = 0; limits_items && room <= of_all; ++room) {
      expands(all, threads, {sources, room}, items_before(all, sources, room), filling, by<Work>);
    }
    for (word64 room = 0; limits_sources && room <= all.size(); ++room) {
      expands(all, threads, {room, of_all}, items_before(all, room, of_all), filling, by<Work>);
    }
  }
}

/// Behind a sum past 2^32 nothing fits, however small the sum is modulo 2^32.
template <class Work, unsigned Count>
void admits_nothing_behind_2_to_the_32() {
  constexpr unsigned threads = 64, of_warp = 32 * Count;
  std::vector<spawner> small;  // for two warps
  for (unsigned i = 0; i < 2 * of_warp; ++i) small.push_back({i, 2});
  small[0].n = 10;
  const expansion room{4 * of_warp, 1000};
  for (const unsigned at : {1u, 5u, 31u, of_warp - 1}) {
    for (const unsigned rest : {0u, 3u, 70u}) {  // the sum through the large source, modulo 2^32
      for (const unsigned behind : {at + 1, at + 9, of_warp, 2 * of_warp - 1}) {
        std::vector<spawner> all = small;
        all[at].n = 0;
        all[at].n = static_cast<unsigned>(rest - sum_of({all.begin(), all.begin() + at + 1}));
        if (behind < all.size()) all[behind].n = 5000;  // must not cut the list again
        for (const unsigned char filling : heddle_test::fillings) {
          expands<Count>(all, threads, room, items_before(all, room.sources, room.items), filling, by<Work>);
        }
      }
    }
  }
}

/// Sources that are alike, from few items to so many that the sum of a warp passes 32 bits.
template <class Work, unsigned Count>
void adds_up_n_of_any_size() {
  for (unsigned bit = 8; bit < 32; ++bit) {
    for (const unsigned n : {(1u << bit) - 1, (1u << bit) + 1}) {
      std::vector<spawner> all;
      for (unsigned i = 0; i < 96 * Count; ++i) all.push_back({i, i < 64 * Count ? n : 3});
      for (const unsigned char filling : heddle_test::fillings) {
        expands<Count>(all, 96, {96 * Count, 5000}, items_before(all, 96 * Count, 5000), filling, by<Work>);
      }
    }
  }
}

/// A block whose sum carries out of the bits that the packed word has for items. Sources behind it may not take what is
/// left of the sum for their place, nor for the end of the list.
template <class Work>
void admits_nothing_behind_a_carry() {
  std::vector<spawner> all(1024, {7, 10});
  std::fill_n(all.begin(), 512, spawner{7, 0xffffffff});     // 2^41 - 512 items: a multiple of 2^37, but for the 512
  std::fill_n(all.begin() + 512, 32, spawner{7, 32});        // now 512 more than 2^41
  std::fill_n(all.begin() + 600, 424, spawner{7, 999'999});  // sources that could cut the list
  const expansion room{1 << 22, 1'000'000};                  // 37 bits for items
  for (const unsigned char filling : heddle_test::fillings) {
    state<Work> to(room, filling);
    for (int round = 0; round < 4; ++round) {  // threads run in another order each time
      to.begin();
      push<1>(to.work(), all, 1024, filling);
      CHECK(to.items_pushed() == sum_of(all));
      CHECK(visited(to.work(), room.items, 1, 32, filling).empty());
    }
  }
}

/// Expands a block of consecutive sources, after `change` has changed some of them.
template <unsigned Count, class Change>
void names_sources_of(Change change) {
  std::vector<spawner> all;
  for (unsigned i = 0; i < 96 * Count; ++i) all.push_back({1000 + i, 1 + i % 5});
  change(all);
  const expansion room{96 * Count, sum_of(all)};
  expands<Count>(all, 96, room, items_before(all, room.sources, room.items), 0xa5, by<scanned>);
}

/// Consecutive sources with a gap, with one that spawns nothing, or with two that are swapped.
template <unsigned Count>
void names_sources_behind_a_gap() {
  for (const unsigned at : {0u, 1u, 31u, 32u, 64u, 32 * Count, 64 * Count, 96 * Count - 1}) {
    for (const unsigned by : {1u, 32u, 5000u, 1'000'000'000u}) {
      CAPTURE(at, by);
      names_sources_of<Count>([&](std::vector<spawner>& all) {
        for (unsigned i = at; i < all.size(); ++i) all[i].source += by;
      });
    }
    CAPTURE(at);
    names_sources_of<Count>([&](std::vector<spawner>& all) { all[at].n = 0; });
    names_sources_of<Count>([&](std::vector<spawner>& all) { std::swap(all[at], all[95]); });
  }
}

/// Runs the first pass of a list with more items than 32 bits count, and the last blocks of a second pass of many. They
/// visit the last items that find room, with the right slots.
void visits_the_end_of_a_long_list() {
  constexpr unsigned blocks = 1 << 18, of_each = 100'000'000;
  std::vector<spawner> all;  // three slabs: the second begins below item 2^32, and ends behind it
  for (unsigned i = 0; i < 96; ++i) all.push_back({3 * i, i < 32 ? of_each : 10 * of_each + i});
  const word64 last = 32ull * of_each + 10 * of_each + 32;  // the next source has room for some of its items only
  state<scanned> to({96, 0xffffffff - 63});
  to.begin();
  push<1>(to.work(), all, 32, 0xa5);
  CHECK(to.items_pushed() == sum_of(all));
  std::vector<unsigned> slots;
  for (unsigned block = blocks - 40; block < blocks; ++block) {  // the last of them have no items
    simt::launch(1, 32, [&] {
      simt::now->grid->clusters.resize(blocks);
      simt::now->grid->blocks.x = blocks;
      simt::now->number.x = block;
      __shared__ scanned::storage smem;
      for (auto place = to.work().items(smem); place; ++place) {
        slots.push_back(place.slot());
        const unsigned source = (*place).source / 3, begin = source < 32 ? source * of_each : 32 * of_each;
        if (source > 32 || (*place).rank != place.slot() - begin) throw std::logic_error("an item of another source");
      }
    });
  }
  std::sort(slots.begin(), slots.end());
  REQUIRE(slots.size() > 10'000);
  CHECK(slots.back() == last - 1);
  CHECK(slots.back() - slots.front() == slots.size() - 1);
}

/// The slabs of a first pass of `blocks` blocks of one thread, few of which spawn anything. Only these are run: an idle
/// block would write a slab of no sources, and zeroed memory is the same.
void finds_items_of_many_blocks(unsigned blocks) {
  CAPTURE(blocks);
  std::map<unsigned, unsigned> n_of;  // by block
  for (unsigned level = 1; level <= blocks; level *= 32) {
    for (const unsigned at : {level - 1, level, level + 1, 7 * level, 31 * level, 31 * level + 1})
      n_of[at] = 1 + at % 7;
  }
  for (unsigned step = 1; step < 40; ++step) n_of[blocks / 40 * step] = step % 5;
  n_of[blocks - 2] = 40;
  n_of[blocks - 1] = 3;
  n_of.erase(n_of.lower_bound(blocks), n_of.end());
  n_of[0] = 2;
  std::vector<spawner> all;
  for (const auto& [block, n] : n_of) all.push_back({block, n});

  const expansion capacity{32ull * blocks, sum_of(all)};
  const std::unique_ptr<void, decltype(&std::free)> zeroed(std::calloc(1, scanned::state_bytes(capacity)), &std::free);
  const scanned work(capacity, zeroed.get());
  for (const auto& [block, n] : all) {
    simt::launch(1, 1, [&, block = block, n = n] {  // with the number of the block in the first pass
      simt::now->grid->blocks.x = blocks;
      simt::now->number.x = block;
      __shared__ scanned::push_storage smem;
      work.push(smem, block, n);
      simt::now->number.x = 0;
    });
  }
  CHECK(work.required(*static_cast<const scanned::totals*>(zeroed.get())).items == capacity.items);
  const items expected = items_before(all, ~0ull, ~0ull);
  CHECK(visited<granularity::warp>(work, capacity.items, 3, 64, 0xa5) == expected);
  if (blocks < 3000) CHECK(visited(work, capacity.items, 3, 64, 0xa5) == expected);
}

}  // namespace

TEST_CASE("Strategies expand what fits exactly and nothing behind it on the host", "[expand]") {
  expands_what_fits_exactly<packed_prefix>(true, true);
  expands_what_fits_exactly<power_of_two>(true, true);
  expands_what_fits_exactly<scanned>(true, false);
  expands_what_fits_exactly<append>(true, false);
}

TEST_CASE("Strategies admit nothing behind a sum past 2^32 within a warp on the host", "[expand]") {
  admits_nothing_behind_2_to_the_32<packed_prefix, 1>();
  admits_nothing_behind_2_to_the_32<packed_prefix, 3>();
  admits_nothing_behind_2_to_the_32<scanned, 1>();
  admits_nothing_behind_2_to_the_32<scanned, 3>();
  admits_nothing_behind_2_to_the_32<append, 1>();
  admits_nothing_behind_2_to_the_32<append, 3>();
  admits_nothing_behind_2_to_the_32<power_of_two, 1>();
}

TEST_CASE("Strategies add up n of any size on the host", "[expand]") {
  adds_up_n_of_any_size<packed_prefix, 1>();
  adds_up_n_of_any_size<packed_prefix, 2>();
  adds_up_n_of_any_size<scanned, 3>();
  adds_up_n_of_any_size<append, 1>();
  adds_up_n_of_any_size<power_of_two, 1>();
}

TEST_CASE("Strategies admit nothing behind a sum that carries, whatever was in memory, on the host", "[expand]") {
  admits_nothing_behind_a_carry<packed_prefix>();
  admits_nothing_behind_a_carry<scanned>();
  admits_nothing_behind_a_carry<append>();
  admits_nothing_behind_a_carry<power_of_two>();
}

TEST_CASE("scanned names sources that are nearly in order by their own numbers on the host", "[expand]") {
  names_sources_behind_a_gap<1>();
  names_sources_behind_a_gap<3>();
}

TEST_CASE("scanned writes down as many items in order as half words count, and more, on the host", "[expand]") {
  for (const unsigned of_all : {65'535u, 65'536u, 65'537u, 65'600u, 131'072u, 131'073u, 200'000u}) {
    names_sources_of<1>([&](std::vector<spawner>& all) {
      for (spawner& each : all) each.n = of_all / 96;
      all.back().n = 1;
      all.front().n += static_cast<unsigned>(of_all - sum_of(all));
    });
  }
}

TEST_CASE("scanned writes down sources and begins that just fit in one word, or just not, on the host", "[expand]") {
  for (int bits = 1; bits <= 16; ++bits) {                                            // bits of the begin
    for (const unsigned range : {(1u << (32 - bits)) - 1, 1u << (32 - bits) % 32}) {  // range of the sources
      for (const unsigned more : {0u, 1u, 2u}) {
        names_sources_of<1>([&](std::vector<spawner>& all) {
          all = {{5, 0}, {5 + range / 2, 0}, {5, (1u << bits) - 1 + more}, {5 + (range < ~5u ? range : ~5u), 1}};
        });
      }
    }
  }
}

TEST_CASE("scanned finds the items of more blocks than a level of sums counts on the host", "[expand]") {
  for (const unsigned full : {1u << 10, 1u << 15, 1u << 20}) {
    for (const unsigned blocks : {full - 1, full, full + 1, full + 33}) finds_items_of_many_blocks(blocks);
  }
}

TEST_CASE("scanned ends a list of nearly 2^32 items where the room does on the host", "[expand]") {
  visits_the_end_of_a_long_list();
}

TEST_CASE("A search in a page finds the entry in which a share ends, or the last, on the host", "[expand]") {
  struct by_items_and_places {
    static unsigned through(unsigned end, unsigned place) { return 2 * end + 3 * place; }
  };
  for (const unsigned count : {1u, 2u, 31u, 32u, 33u, 64u, 100u, 1000u}) {
    CAPTURE(count);
    std::vector<unsigned> words(2 * count + 8, 0xa5a5a5a5u);  // sources, begins, and other words behind them
    for (unsigned i = 0; i < count; ++i) words[i] = 7;
    for (unsigned i = 0; i < count; ++i) words[count + i] = i * 4 + i % 3;
    const unsigned end = count * 4 + 1, first_place = 50;
    const detail::expand::page all{words.data(), 0, count, false, detail::expand::entry_form::apart(count), 0, end};
    std::vector<unsigned> expected;  // by target
    for (unsigned i = 0; i < count; ++i) {
      const unsigned through = 2 * (i + 1 < count ? words[count + i + 1] : end) + 3 * (first_place + i);
      if (i + 1 == count || expected.size() < through) expected.resize(i + 1 == count ? through + 9 : through, i);
    }
    std::vector<unsigned> found(expected.size());
    simt::launch(1, 32, [&] {
      for (unsigned target = 0; target < found.size(); target += count < 1000 ? 1 : 7) {
        found[target] = detail::expand::find<by_items_and_places>(all, first_place, target);
      }
    });
    unsigned wrong = 0;
    for (std::size_t i = 0; i < found.size(); i += count < 1000 ? 1 : 7) wrong += found[i] != expected[i];
    CHECK(wrong == 0);
  }
}

TEST_CASE("Lanes of divergent code add up what the lanes before them have on the host", "[expand]") {
  for (int round = 0; round < 200; ++round) {
    const unsigned lanes = static_cast<unsigned>(simt::random() & simt::random()) | 1u << simt::random() % 32;
    std::vector<word64> value(32), found(32);
    for (word64& each : value) each = simt::random_word() >> (16 + simt::random() % 48);
    simt::launch(1, 32, [&] {
      const unsigned lane = threadIdx.x;
      if ((lanes >> lane & 1) != 0) found[lane] = detail::warp::inclusive_sum_of_some(lanes, value[lane]);
    });
    word64 sum = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      sum += value[lane];
      REQUIRE(found[lane] == sum);
    }
  }
}
