// The law of expansion, in the kernels' own code on the host: every pair of a source and a rank below its n, once.

#include "simt.hpp"

#include <heddle/expand/append.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>

#include "expand/laws.hpp"
#include "expand/state.hpp"
#include "sources.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// The kernels' own code on the host.
struct machine {
  static constexpr bool is_fast = false;
  static constexpr unsigned several = 3, large_n = 130, block_sizes[] = {256, 32, 100, 64, 8};

  template <class Work>
  using state = heddle_test::state<Work>;

  bool warps_take(const sources& all) const { return all.size() < 500; }
  std::vector<std::pair<unsigned, unsigned>> shapes(const sources& all, granularity of) const {
    if (of == granularity::block && all.items() > 2000) return {{32, 1}, {64, 3}};
    return {{32, 1}, {64, 3}, {96, 40}};
  }

  template <class Work>
  void push(state<Work>& to, const sources& all, unsigned threads) const {
    launch<1>(to, all, blocks_of(all.size(), threads), threads);
  }
  template <class Work>
  void push_several(state<Work>& to, const sources& all, unsigned threads) const {
    launch<several>(to, all, blocks_of(all.size(), several * threads), threads);
  }
  template <class Work>
  void push_some(state<Work>& to, const sources& all) const {
    to.begin();
    simt::launch(3, 96, [&] {
      for (unsigned source = blockIdx.x * blockDim.x + threadIdx.x; source < all.size();
           source += gridDim.x * blockDim.x) {
        if (source % 3 != 0 || all.n[source] > 0) to.work().push_some(source, all.n[source]);
      }
    });
  }
  template <class Work>
  void push_in_turns(state<Work>& to, const sources& all) const {
    to.begin();
    simt::launch(2, 72, [&] {
      __shared__ typename Work::push_storage smem;
      for (unsigned first = blockIdx.x * blockDim.x; first < all.size(); first += gridDim.x * blockDim.x) {
        push_sources<1>(to.work(), smem, all, [&](unsigned) { return first + threadIdx.x; });
      }
    });
  }

  template <granularity Granularity, class Work>
  visited visits(const Work& work, const sources& all, unsigned threads = 64, unsigned blocks = 3) const {
    visited found{std::vector<int>(all.items()), std::vector<int>(all.items())};
    const std::vector<unsigned> begin = all.begins();
    simt::launch(blocks, threads, [&] {
      __shared__ typename Work::storage smem;
      for (auto place = work.template items<Granularity>(smem); place; ++place) {
        const auto [source, rank] = *place;
        if (source >= all.size() || rank >= all.n[source]) {
          ++found.wrong;
          continue;
        }
        ++found.items[begin[source] + rank];
        unsigned slot = begin[source] + rank;
        if constexpr (requires { place.slot(); }) slot = place.slot();
        slot < found.slots.size() ? ++found.slots[slot] : ++found.wrong;
        if constexpr (Granularity == granularity::block) __syncthreads();
      }
    });
    return found;
  }

 private:
  template <unsigned Count, class Work>
  static void launch(state<Work>& to, const sources& all, unsigned blocks, unsigned threads) {
    to.begin();
    simt::launch(blocks, threads, [&] {
      __shared__ typename Work::push_storage smem;
      push_sources<Count>(to.work(), smem, all, [](unsigned i) { return source_in_rows(Count, i); });
    });
  }
};

constexpr machine host;
constexpr unsigned several = machine::several;

/// One block, and room that ends anywhere: the sources before that are there, and nothing else.
void ends_where_the_room_does() {
  for (const bool begin_with_more : {false, true}) {  // true: item 75 is not in entry 75
    const sources all =
        drawn("few", 75, [=](unsigned i) { return begin_with_more && i < 25 ? 3u : 1 + i % 2 * (i < 25); });
    const std::vector<unsigned> begin = all.begins();
    for (unsigned room = 0; room <= all.items(); ++room) {
      state<scanned> of({96, room});
      host.push(of, all, 96);
      const visited found = host.visits<granularity::thread>(of.work(), all);
      CHECK(found.wrong == 0);
      for (unsigned source = 0; source < all.size(); ++source) {
        const int expected = begin[source] + all.n[source] <= room ? 1 : 0;
        REQUIRE(found.items[begin[source]] == expected);
        REQUIRE(found.items[begin[source] + all.n[source] - 1] == expected);
      }
    }
  }
}

/// The same for a block of several pages, with more items than 32 bits count.
void ends_within_a_large_block() {
  constexpr unsigned threads = 800, of_each = 10'000'000, small = 50;
  const sources all = drawn("large", 2 * threads, [](unsigned i) { return i < small ? 100u : of_each; });
  state<scanned> of({all.size(), 100 * small + 1000});
  host.push(of, all, threads);
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
    host.push(of, all, 256);
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
            const unsigned which = source_in_warps(several, i);
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
  state<Work> of(room_for(all, threads));
  host.push(of, all, threads);
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
      state<Work> of(room_for(all, 256));
      host.push(of, all, 256);
      for (const auto& [blocks, threads] : {std::pair{7u, 32u}, {24u, 64u}}) {
        CAPTURE(huge);
        every_item_once<granularity::thread>(host, of.work(), all, threads, blocks);
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
    state<Work> of(room_for(all, 256));
    host.push(of, all, 256);
    every_item_once<granularity::thread>(host, of.work(), all, 64, blocks);
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
      host.push_several(of, all, 64);
      CHECK(of.items_pushed() == all.items());
      every_item_once<granularity::thread>(host, of.work(), all, 64, 1 + odd % 2 * 2);
      host.push(of, all, 192);
      every_item_once<granularity::thread>(host, of.work(), all, 64, 3 - odd % 2 * 2);
      CHECK(of.guard_is_whole());
    }
  }
}

/// One item of each source, in pages that are full, or have one entry more or less.
template <class Work>
void takes_pages_of_ones() {
  for (const unsigned size : {1023u, 1024u, 1025u, 3071u, 3072u, 3073u}) {
    const sources all = drawn("ones", size, [](unsigned) { return 1u; });
    state<Work> of(room_for(all, 256));
    host.push(of, all, 256);
    for (const unsigned blocks : {1u, 3u, 4u}) every_item_once<granularity::thread>(host, of.work(), all, 96, blocks);
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
  leaves_out_ones<packed_prefix>(host, false);
  leaves_out_ones<scanned>(host, true);
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
  obeys_the_law<packed_prefix>(host);
  takes_some<packed_prefix>(host);
}

TEST_CASE("scanned visits every item of every source once on the host", "[expand]") {
  obeys_the_law<scanned>(host);
}

TEST_CASE("append visits every item of every source once on the host", "[expand]") {
  obeys_the_law<append>(host);
  takes_some<append>(host);
}

TEST_CASE("power_of_two visits every item of every source once on the host", "[expand]") {
  obeys_the_law<power_of_two>(host);
  takes_some<power_of_two>(host);
}

TEST_CASE("Strategies take several sources of each thread at once on the host", "[expand]") {
  takes_several<packed_prefix>(host);
  takes_several<scanned>(host);
  takes_several<append>(host);
  takes_several<power_of_two>(host);
  takes_several<fixed<32>>(host, 32);
}

TEST_CASE("fixed visits every item of every source once on the host", "[expand]") {
  obeys_the_law<fixed<32>>(host, 32);
  obeys_the_law<fixed<5>>(host, 5);
  takes_some<fixed<1>>(host, 1);
  takes_some<fixed<100>>(host, 100);
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
      some ? host.push_some(of, all) : host.push_in_turns(of, all);
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
  leaves_out_whole_sources<packed_prefix>(host, false);
  leaves_out_whole_sources<scanned>(host, true);
  leaves_out_whole_sources<append>(host, false, false);
  leaves_out_whole_sources<power_of_two>(host, false);
  leaves_out_whole_sources<fixed<130>>(host, false, true, false);
}

TEST_CASE("scanned ends where the room does on the host", "[expand]") {
  ends_where_the_room_does();
  ends_within_a_large_block();
}

TEST_CASE("Strategies count required items in 64 bits on the host", "[expand]") {
  counts_in_64_bits<packed_prefix>();
  counts_in_64_bits<scanned>();
  counts_in_64_bits<append>();
  counts_in_64_bits<power_of_two>();
}
