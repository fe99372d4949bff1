// The law of expansion, in the kernels' own code on the host: every pair of a source and a rank below its n, once.

#include "simt.hpp"

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "expand/state.hpp"
#include "sources.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::blocks_of;
using heddle_test::drawn;
using heddle_test::sources;
using heddle_test::state;

namespace {

using with_offset = power_of_two<run_offset::stored>;
using without_offset = power_of_two<run_offset::from_n>;

template <class Work>
void produce(const Work& work, const unsigned* n, unsigned size) {
  __shared__ typename Work::push_storage smem;
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  work.push(smem, source, source < size ? n[source] : 0);
}

template <class Work>
void produce_some(const Work& work, const unsigned* n, unsigned size) {
  for (unsigned source = blockIdx.x * blockDim.x + threadIdx.x; source < size; source += gridDim.x * blockDim.x) {
    if (source % 3 != 0 || n[source] > 0) work.push_some(source, n[source]);
  }
}

/// Persistent blocks, which push again and again with the same shared memory.
template <class Work>
void produce_in_turns(const Work& work, const unsigned* n, unsigned size) {
  __shared__ typename Work::push_storage smem;
  for (unsigned first = blockIdx.x * blockDim.x; first < size; first += gridDim.x * blockDim.x) {
    const unsigned source = first + threadIdx.x;
    work.push(smem, source, source < size ? n[source] : 0);
  }
}

/// Sources per thread at once.
constexpr unsigned several = 3;

template <class Work>
void produce_several(const Work& work, const sources& all) {
  __shared__ typename Work::push_storage smem;
  heddle_test::push_sources<several>(work, smem, all,
                                     [](unsigned i) { return heddle_test::source_in_rows(several, i); });
}

struct visits {
  std::vector<int> of_items, of_slots;
  int wrong = 0;
  bool has_slots = false;
};

template <granularity Granularity, class Work>
void consume(const Work& work, const sources& all, const std::vector<unsigned>& begin, visits& found) {
  __shared__ typename Work::storage smem;
  for (auto place = work.template items<Granularity>(smem); place; ++place) {
    const auto [source, rank] = *place;
    if (source >= all.size() || rank >= all.n[source]) {
      ++found.wrong;
      continue;
    }
    ++found.of_items[begin[source] + rank];
    if constexpr (requires { place.slot(); }) {
      found.has_slots = true;
      if (place.slot() < found.of_slots.size()) {
        ++found.of_slots[place.slot()];
      } else {
        ++found.wrong;
      }
    }
    if constexpr (Granularity == granularity::block) __syncthreads();
  }
}

template <granularity Granularity, class Work>
visits items_of(const Work& work, const sources& all, unsigned blocks, unsigned threads) {
  visits found{std::vector<int>(all.items()), std::vector<int>(all.items())};
  const std::vector<unsigned> begin = all.begins();
  simt::launch(blocks, threads, [&] { consume<Granularity>(work, all, begin, found); });
  return found;
}

template <class Work>
void push_all(state<Work>& to, const sources& all, unsigned threads) {
  to.begin();
  simt::launch(blocks_of(all.size(), threads), threads, [&] { produce(to.work(), all.n.data(), all.size()); });
}

template <granularity Granularity, class Work>
void every_item_once(const Work& work, const sources& all, unsigned blocks, unsigned threads) {
  CAPTURE(all.size(), blocks, threads, static_cast<int>(Granularity));
  const int of_each = Granularity == granularity::thread ? 1
                      : Granularity == granularity::warp ? 32
                                                         : static_cast<int>(threads);
  const visits found = items_of<Granularity>(work, all, blocks, threads);
  const int of_each_slot = found.has_slots ? of_each : 0;
  CHECK(found.wrong == 0);
  CHECK(std::all_of(found.of_items.begin(), found.of_items.end(), [&](int count) { return count == of_each; }));
  CHECK(std::all_of(found.of_slots.begin(), found.of_slots.end(), [&](int count) { return count == of_each_slot; }));
}

template <granularity Granularity, class Work>
void every_item_once(const Work& work, const sources& all) {
  for (const auto& [blocks, threads] : {std::pair{1u, 32u}, {3u, 64u}, {40u, 96u}}) {
    if (Granularity == granularity::block && blocks * threads > 2000 && all.items() > 2000) continue;
    every_item_once<Granularity>(work, all, blocks, threads);
  }
}

template <class Work>
void obeys_the_law(unsigned most = ~0u) {
  int turn = 0;
  for (const sources& all : heddle_test::every_distribution(false, most)) {
    const unsigned threads = std::vector{256u, 32u, 100u, 64u, 8u}[static_cast<std::size_t>(turn++ % 5)];
    CAPTURE(all.name, all.size(), threads);
    state<Work> of(heddle_test::room_for(all, threads));
    for (int again = 0; again < 2; ++again) {
      push_all(of, all, threads);
      CHECK(of.items_pushed() == all.items());
      every_item_once<granularity::thread>(of.work(), all);
    }
    if (all.size() < 500) every_item_once<granularity::warp>(of.work(), all);
    if (all.size() < 500) every_item_once<granularity::block>(of.work(), all);
    CHECK(of.guard_is_whole());
  }
}

template <class Work>
void takes_several(unsigned most = ~0u) {
  unsigned turn = 0;
  for (const sources& all : heddle_test::every_distribution(false, most)) {
    const unsigned threads = turn++ % 2 == 0 ? 64 : 40;
    CAPTURE(all.name, all.size(), threads);
    const unsigned blocks = blocks_of(all.size(), several * threads);
    state<Work> of({1ull * blocks * several * 64, all.items()});
    of.begin();
    simt::launch(blocks, threads, [&] { produce_several(of.work(), all); });
    CHECK(of.items_pushed() == all.items());
    every_item_once<granularity::thread>(of.work(), all);
    CHECK(of.guard_is_whole());
  }
}

template <class Work>
void takes_some(unsigned most = ~0u) {
  for (const sources& all : heddle_test::every_distribution(false, most)) {
    CAPTURE(all.name, all.size());
    state<Work> of({all.spawning(), all.items()});
    of.begin();
    simt::launch(3, 96, [&] { produce_some(of.work(), all.n.data(), all.size()); });
    CHECK(of.items_pushed() == all.items());
    every_item_once<granularity::thread>(of.work(), all);
    of.begin();
    simt::launch(2, 72, [&] { produce_in_turns(of.work(), all.n.data(), all.size()); });
    CHECK(of.items_pushed() == all.items());
    every_item_once<granularity::thread>(of.work(), all);
    CHECK(of.guard_is_whole());
  }
}

/// If the room is too small, each source is there whole or not at all, and the room that all of them need is known.
template <class Work>
void leaves_out_whole_sources(bool counts_all_threads, bool counts_sources = true, bool counts_items = true) {
  std::mt19937 random(8);
  const unsigned threads = 96;
  const sources all = drawn("uneven", 700, [&](unsigned i) {
    return i % 97 == 0 ? 130u : random() % 4 == 0 ? static_cast<unsigned>(random() % 40) : 0u;
  });
  const unsigned long long items = all.items();
  const std::vector<unsigned> begin = all.begins();
  const expansion whole = counts_all_threads ? heddle_test::room_for(all, threads) : expansion{all.spawning(), items};
  const auto with_room = [&](expansion room) {
    CAPTURE(room.sources, room.items, whole.sources, items);
    state<Work> of(room);
    push_all(of, all, threads);
    CHECK(of.required().sources == whole.sources);
    CHECK(of.items_pushed() == items);
    const visits found = items_of<granularity::thread>(of.work(), all, 3, 64);
    CHECK(found.wrong == 0);
    for (unsigned source = 0; source < all.size(); ++source) {
      for (unsigned rank = 0; rank < all.n[source]; ++rank) {
        REQUIRE(found.of_items[begin[source] + rank] == found.of_items[begin[source]]);
      }
    }
    CHECK(*std::max_element(found.of_items.begin(), found.of_items.end()) <= 1);
    CHECK(of.guard_is_whole());
    return std::accumulate(found.of_items.begin(), found.of_items.end(), 0ull);
  };
  for (const unsigned long long room : {items, items - 1, items / 2, 129ull, 1ull, 0ull}) {
    if (!counts_items) break;
    const unsigned long long found = with_room({whole.sources, room});
    CHECK(found <= room);
    CHECK(found + (room == items ? 0 : 130) >= room);
  }
  if (!counts_sources) return;
  CHECK(with_room({whole.sources, items}) == items);
  CHECK(with_room({counts_all_threads ? all.size() / threads * threads : whole.sources - 1, items}) < items);
  CHECK(with_room({whole.sources / 2, items}) > 0);
  CHECK(with_room({0, items}) == 0);
}

/// One block, and room that ends anywhere: the sources before that are there, and nothing else.
void ends_where_the_room_does() {
  for (const bool begin_with_more : {false, true}) {  // true: item 75 is not in entry 75
    const sources all =
        drawn("few", 75, [=](unsigned i) { return begin_with_more && i < 25 ? 3u : 1 + i % 2 * (i < 25); });
    const std::vector<unsigned> begin = all.begins();
    for (unsigned room = 0; room <= all.items(); ++room) {
      state<scanned> of({96, room});
      push_all(of, all, 96);
      const visits found = items_of<granularity::thread>(of.work(), all, 2, 64);
      CHECK(found.wrong == 0);
      for (unsigned source = 0; source < all.size(); ++source) {
        const int expected = begin[source] + all.n[source] <= room ? 1 : 0;
        REQUIRE(found.of_items[begin[source]] == expected);
        REQUIRE(found.of_items[begin[source] + all.n[source] - 1] == expected);
      }
    }
  }
}

/// The same for a block of several pages, with more items than 32 bits count.
void ends_within_a_large_block() {
  constexpr unsigned threads = 800, of_each = 10'000'000, small = 50;
  const sources all = drawn("large", 2 * threads, [](unsigned i) { return i < small ? 100u : of_each; });
  state<scanned> of({all.size(), 100 * small + 1000});
  push_all(of, all, threads);
  CHECK(of.items_pushed() == all.items());
  std::vector<int> items(100 * small);
  simt::launch(3, 64, [&] {
    __shared__ scanned::storage smem;
    for (auto place = of.work().items(smem); place; ++place) ++items.at((*place).source * 100 + (*place).rank);
  });
  CHECK(items == std::vector<int>(items.size(), 1));
}

/// Counts items that find no room in 64 bits.
template <class Work>
void counts_in_64_bits() {
  constexpr unsigned room = 100'000;
  for (const unsigned of_each : {3'000u, 90'000u, 0xffffffffu}) {
    const sources all{"", std::vector<unsigned>(700, of_each)};
    state<Work> of({768, room});
    push_all(of, all, 256);
    CHECK(of.items_pushed() == 700ull * of_each);
    unsigned long long count = 0;
    simt::launch(2, 64, [&] {
      __shared__ typename Work::storage smem;
      for ([[maybe_unused]] const item each : of.work().items(smem)) ++count;
    });
    CHECK(count == (of_each > room ? 0 : room / of_each * of_each));
    CHECK(of.guard_is_whole());
  }
}

/// Sources of any number. Their numbers decide the form of the entries: consecutive, near each other, in any order, far
/// apart, up to the last number of 32 bits. Blocks have so many sources that they take several pages, and so many items
/// that they take several windows.
template <class Work>
void takes_any_name() {
  constexpr unsigned size = 3000;
  const sources some = drawn("1 to 32", size, [](unsigned i) { return (i * 2654435761u >> 16 & 31) + 1; });
  const sources gaps = drawn("0 to 31", size, [](unsigned i) { return i * 2654435761u >> 16 & 31; });
  const sources ones = drawn("1 each", size, [](unsigned) { return 1u; });
  const sources uneven = drawn("one of 60,000", size, [](unsigned i) { return i == 1234 ? 60'000u : i % 3; });
  const std::pair<const char*, unsigned (*)(unsigned)> names[] = {
      {"itself", [](unsigned i) { return i; }},
      {"backwards", [](unsigned i) { return size - i; }},
      {"warps backwards", [](unsigned i) { return (40 - i / (32 * several)) * (32 * several) + i % (32 * several); }},
      {"pairs", [](unsigned i) { return i ^ 1; }},
      {"far apart", [](unsigned i) { return i * 65'537 * 13; }},
      {"up to the last", [](unsigned i) { return 0xffffffffu - size + 1 + i; }},
  };
  for (const sources* all : {&some, &gaps, &ones, &uneven}) {
    const std::vector<unsigned> begin = all->begins();
    for (const auto& [name, of] : names) {
      for (const unsigned threads : {40u, 416u}) {
        CAPTURE(all->name, name, threads);
        const unsigned blocks = blocks_of(size, several * threads), warps = (threads + 31) / 32;
        state<Work> to({1ull * blocks * several * warps * 32, all->items()});
        to.begin();
        simt::launch(blocks, threads, [&, source_of = of] {
          __shared__ typename Work::push_storage smem;
          unsigned source[several], n[several];
          for (unsigned i = 0; i < several; ++i) {
            const unsigned which = heddle_test::source_in_warps(several, i);
            source[i] = which < size ? source_of(which) : 7;
            n[i] = which < size ? all->n[which] : 0;
          }
          to.work().push(smem, source, n);
        });
        std::map<unsigned, unsigned> number_of;
        for (unsigned i = 0; i < size; ++i) number_of[of(i)] = i;
        for (const unsigned in_block : {32u, 160u}) {
          std::vector<int> items(all->items()), slots(all->items());
          simt::launch(2, in_block, [&] {
            __shared__ typename Work::storage smem;
            for (int again = 0; again < 2; ++again) {  // with the same storage
              for (auto place = to.work().items(smem); place; ++place) {
                ++items.at(begin[number_of.at((*place).source)] + (*place).rank);
                ++slots.at(place.slot());
                if (simt::random() % 64 == 0) simt::wait();
              }
            }
          });
          CHECK(items == std::vector<int>(items.size(), 2));
          CHECK(slots == std::vector<int>(slots.size(), 2));
        }
        CHECK(to.guard_is_whole());
      }
    }
  }
}

/// No block of the second pass has more work than its share, if a source counts as four items. The tolerance is for
/// shares that are cut at the begin of a row, and for costs that are whole numbers of eight items.
template <class Work>
void deals_out_work_evenly() {
  constexpr unsigned threads = 32, warps = 12;
  const sources all = drawn("one huge", 3072, [](unsigned i) { return i == 1000 ? 60'000u : 1u; });
  state<Work> of(heddle_test::room_for(all, threads));
  push_all(of, all, threads);
  std::vector<unsigned> items(warps), begun(warps);
  simt::launch(warps * 32 / threads, threads, [&] {
    __shared__ typename Work::storage smem;
    const unsigned warp = (blockIdx.x * threads + threadIdx.x) / 32;
    for (const auto [source, rank] : of.work().items(smem)) {
      ++items[warp];
      if (rank == 0) ++begun[warp];
    }
  });
  const unsigned long long share = (all.items() + 4ull * all.size()) / warps;
  for (unsigned warp = 0; warp < warps; ++warp) {
    CAPTURE(warp, items[warp], begun[warp]);
    CHECK(items[warp] + 4ull * begun[warp] <= share + 5 * 32);
  }
}

/// One source has so many items that blocks take runs of the list. The runs begin and end anywhere, also within a page.
template <class Work>
void deals_out_runs() {
  std::mt19937 random(9);
  for (const unsigned size : {70u, 2600u}) {
    for (const unsigned huge : {0u, size / 2, size - 1}) {
      const sources all = drawn("one huge", size, [&](unsigned i) {
        return i == huge ? 40'000u : static_cast<unsigned>(i / 100 % 2 == 0 ? random() % 4 : random() % 40 / 39 * 60);
      });
      state<Work> of(heddle_test::room_for(all, 256));
      push_all(of, all, 256);
      for (const auto& [blocks, threads] : {std::pair{7u, 32u}, {24u, 64u}}) {
        CAPTURE(huge);
        every_item_once<granularity::thread>(of.work(), all, blocks, threads);
      }
    }
  }
}

/// No push has many more items than others, and each block has pages in several turns. Of 130049 entries one is behind
/// the last whole page, and its item is in the last row of that page.
template <class Work>
void deals_out_turns() {
  for (const auto& [size, blocks] : {std::pair{4200u, 1u}, {7000u, 3u}, {130'049u, 1u}}) {
    const sources all = drawn("up to two", size, [count = size](unsigned i) {
      return count < 130'049 ? i * 7 % 3 : i == 0 ? 2u : 1u;
    });
    state<Work> of(heddle_test::room_for(all, 256));
    push_all(of, all, 256);
    every_item_once<granularity::thread>(of.work(), all, blocks, 64);
  }
}

/// One item of each source, but for one source. That one has none, two, or more than a row, and is the first or the
/// last of a thread's, a warp's, a block's or a page's, or next to it. In one row or in several at once.
template <class Work>
void takes_ones_among_others() {
  constexpr unsigned size = 4300;
  for (const unsigned odd :
       {0u, 31u, 32u, 95u, 96u, 191u, 192u, 887u, 888u, 1023u, 1024u, 1025u, 3071u, 3072u, size - 1}) {
    for (const unsigned of_odd : {0u, 2u, 40u}) {
      const sources all = drawn("ones but one", size, [=](unsigned i) { return i == odd ? of_odd : 1u; });
      CAPTURE(odd, of_odd);
      state<Work> of({1ull * blocks_of(size, several * 64) * several * 64, all.items()});
      of.begin();
      simt::launch(blocks_of(size, several * 64), 64, [&] { produce_several(of.work(), all); });
      CHECK(of.items_pushed() == all.items());
      every_item_once<granularity::thread>(of.work(), all, 1 + odd % 2 * 2, 64);
      push_all(of, all, 192);
      every_item_once<granularity::thread>(of.work(), all, 3 - odd % 2 * 2, 64);
      CHECK(of.guard_is_whole());
    }
  }
}

/// One item of each source, in pages that are full, or have one entry more or less.
template <class Work>
void takes_pages_of_ones() {
  for (const unsigned size : {1023u, 1024u, 1025u, 3071u, 3072u, 3073u}) {
    const sources all = drawn("ones", size, [](unsigned) { return 1u; });
    state<Work> of(heddle_test::room_for(all, 256));
    push_all(of, all, 256);
    for (const unsigned blocks : {1u, 3u, 4u}) every_item_once<granularity::thread>(of.work(), all, blocks, 96);
  }
}

/// Room for some of the sources of one item each, up to all of them: as many are there, and nothing is written behind.
template <class Work>
void leaves_out_ones(bool counts_all_threads) {
  constexpr unsigned size = 500, threads = 64;
  const sources all = drawn("ones", size, [](unsigned) { return 1u; });
  for (const unsigned room : {0u, 1u, 31u, 32u, 63u, 64u, 65u, 192u, 255u, 256u, size - 1, size}) {
    for (const bool of_sources : {false, true}) {
      const unsigned whole = counts_all_threads ? 512 : size;
      CAPTURE(room, of_sources);
      state<Work> of(of_sources ? expansion{room, size} : expansion{whole, room});
      push_all(of, all, threads);
      CHECK(of.items_pushed() == size);
      CHECK(of.required().sources == whole);
      const visits found = items_of<granularity::thread>(of.work(), all, 2, 64);
      CHECK(found.wrong == 0);
      CHECK(std::accumulate(found.of_items.begin(), found.of_items.end(), 0u) == room);
      CHECK(*std::max_element(found.of_items.begin(), found.of_items.end()) <= 1);
      CHECK(of.guard_is_whole());
    }
  }
}

}  // namespace

TEST_CASE("Sources of one item each next to others are visited once, on the host", "[expand]") {
  takes_ones_among_others<packed_prefix>();
  takes_ones_among_others<scanned>();
  takes_ones_among_others<append>();
  takes_ones_among_others<fixed<40>>();
  takes_pages_of_ones<packed_prefix>();
  takes_pages_of_ones<scanned>();
}

TEST_CASE("As many sources of one item each are visited as there is room for, on the host", "[expand]") {
  leaves_out_ones<packed_prefix>(false);
  leaves_out_ones<scanned>(true);
}

TEST_CASE("Blocks that take pages in turns visit every item once, on the host", "[expand]") {
  deals_out_turns<packed_prefix>();
  deals_out_turns<scanned>();
}

TEST_CASE("Blocks that take runs of a list visit every item once, on the host", "[expand]") {
  deals_out_runs<packed_prefix>();
  deals_out_runs<scanned>();
}

TEST_CASE("Blocks get no more work than their share, sources counted, on the host", "[expand]") {
  deals_out_work_evenly<packed_prefix>();
  deals_out_work_evenly<scanned>();
}

TEST_CASE("Strategies take sources of any name on the host", "[expand]") {
  takes_any_name<packed_prefix>();
  takes_any_name<scanned>();
}

TEST_CASE("packed_prefix visits every item of every source once on the host", "[expand]") {
  obeys_the_law<packed_prefix>();
  takes_some<packed_prefix>();
}

TEST_CASE("scanned visits every item of every source once on the host", "[expand]") {
  obeys_the_law<scanned>();
}

TEST_CASE("append visits every item of every source once on the host", "[expand]") {
  obeys_the_law<append>();
  takes_some<append>();
}

TEST_CASE("power_of_two visits every item of every source once on the host", "[expand]") {
  obeys_the_law<with_offset>();
  obeys_the_law<without_offset>();
  takes_some<with_offset>();
  takes_some<without_offset>();
}

TEST_CASE("Strategies take several sources of each thread at once on the host", "[expand]") {
  takes_several<packed_prefix>();
  takes_several<scanned>();
  takes_several<append>();
  takes_several<with_offset>();
  takes_several<fixed<32>>(32);
}

TEST_CASE("fixed visits every item of every source once on the host", "[expand]") {
  obeys_the_law<fixed<32>>(32);
  obeys_the_law<fixed<5>>(5);
  takes_some<fixed<1>>(1);
  takes_some<fixed<100>>(100);
}

TEST_CASE("fixed leaves out sources that are larger than MaxN on the host and requires them", "[expand]") {
  constexpr unsigned max_n = 6;
  using work = fixed<max_n>;
  sources all = drawn("around MaxN", 300, [](unsigned i) { return i % 10; });
  const auto check = [&](unsigned largest) {
    const unsigned long long up_to_max = static_cast<unsigned long long>(
        std::count_if(all.n.begin(), all.n.end(), [](unsigned n) { return n > 0 && n <= max_n; }));
    for (const bool some : {false, true}) {
      CAPTURE(largest, up_to_max, some);
      state<work> of({up_to_max, 0});  // no room for the larger ones, which need none
      of.begin();
      simt::launch(5, 72, [&] {
        some ? produce_some(of.work(), all.n.data(), all.size())
             : produce_in_turns(of.work(), all.n.data(), all.size());
      });
      CHECK(of.required().sources == all.spawning());
      CHECK(of.items_pushed() == all.items());
      CHECK(of.required().max_n == largest);
      std::vector<unsigned> items(all.size());
      simt::launch(2, 64, [&] {
        __shared__ typename work::storage smem;
        for (const auto [source, rank] : of.work().items(smem)) {
          if (source < all.size() && rank < all.n[source]) ++items[source];
        }
      });
      for (unsigned source = 0; source < all.size(); ++source) {
        CHECK(items[source] == (all.n[source] <= max_n ? all.n[source] : 0));
      }
      CHECK(of.guard_is_whole());
    }
  };
  check(9);
  std::fill_n(all.n.begin() + 50, 40, 0xffffffffu);
  check(0xffffffff);
  for (unsigned& n : all.n) n = std::min(n, max_n);
  check(max_n);
}

TEST_CASE("Strategies leave out whole sources where there is no room on the host", "[expand]") {
  leaves_out_whole_sources<packed_prefix>(false);
  leaves_out_whole_sources<scanned>(true);
  leaves_out_whole_sources<append>(false, false);
  leaves_out_whole_sources<with_offset>(false);
  leaves_out_whole_sources<without_offset>(false);
  leaves_out_whole_sources<fixed<130>>(false, true, false);
}

TEST_CASE("scanned ends where the room does on the host", "[expand]") {
  ends_where_the_room_does();
  ends_within_a_large_block();
}

TEST_CASE("Strategies count required items in 64 bits on the host", "[expand]") {
  counts_in_64_bits<packed_prefix>();
  counts_in_64_bits<scanned>();
  counts_in_64_bits<append>();
  counts_in_64_bits<with_offset>();
  counts_in_64_bits<without_offset>();
}
