// A strategy that cannot be right is refused when it is built, and the bytes of a state are known before.

#include <heddle/expand.hpp>

#include "refusal.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

alignas(16) unsigned char state[64];  // shorter than a state: nothing is written on the host

template <class Work>
std::string refused(unsigned long long sources, unsigned long long items) {
  return refusal([=] { Work({sources, items}, state); });
}

}  // namespace

TEST_CASE("A state that is null or misaligned is refused by every strategy by name", "[expand]") {
  const std::string null = ": state is null; it must point to device memory";
  CHECK(refusal([] { packed_prefix({1, 1}, nullptr); }) == "heddle::packed_prefix" + null);
  CHECK(refusal([] { scanned({1, 1}, nullptr); }) == "heddle::scanned" + null);
  CHECK(refusal([] { append({1, 1}, nullptr); }) == "heddle::append" + null);
  CHECK(refusal([] { fixed<4>({1, 1}, nullptr); }) == "heddle::fixed" + null);
  CHECK(refusal([] { power_of_two({1, 1}, nullptr); }) == "heddle::power_of_two" + null);
  CHECK(refusal([] { levels({1, 1}, nullptr); }) == "heddle::levels" + null);
  CHECK(refusal([] { ordered_levels<>(1, nullptr); }) == "heddle::ordered_levels" + null);
  CHECK(refusal([] { warp_dealt(1, 1, nullptr); }) == "heddle::warp_dealt" + null);
  CHECK(refusal([] { scanned({1, 1}, state + 8); }).find("it must be a multiple of 16") != std::string::npos);
}

TEST_CASE("More items than 32 bits number are refused by every strategy", "[expand]") {
  CHECK(refused<packed_prefix>(1, 0xffffffc1) ==
        "heddle::packed_prefix: items is 4294967233; it must be at most 4294967232");
  CHECK(refused<scanned>(1, 0xffffffc1) == "heddle::scanned: items is 4294967233; it must be at most 4294967232");
  CHECK(refused<append>(1, ~0ull) == "heddle::append: items is 9223372036854775807; it must be at most 4294967232");
  CHECK(refused<power_of_two>(1, 0xffffffc1) ==
        "heddle::power_of_two: items is 4294967233; it must be at most 4294967232");
  CHECK(refused<power_of_two>(1, 0xffffffc0) == "not refused");
  CHECK(refused<fixed<4>>(0x3ffffff1, 1) == "heddle::fixed: sources is 1073741809; it must be at most 1073741808");
  CHECK(refused<fixed<4>>(~0ull, 1) == "heddle::fixed: sources is 9223372036854775807; it must be at most 1073741808");
  CHECK(refused<fixed<4>>(0x3ffffff0, ~0ull) == "not refused");
  CHECK(refused<packed_prefix>(1, 0xffffffc0) == "not refused");
  CHECK(refused<scanned>(1, 0xffffffc0) == "not refused");
  CHECK(refused<append>(1, 0xffffffc0) == "not refused");
  CHECK(refused<levels>(1, 0xffffffc1) == "heddle::levels: items is 4294967233; it must be at most 4294967232");
  CHECK(refused<levels>(1, 0xffffffc0) == "not refused");
  CHECK(refused<levels>(0xffffffff, 1) == "heddle::levels: sources is 4294967295; it must be at most 4227858431");
}

TEST_CASE("ordered_levels refuse more than 2^31 items", "[expand]") {
  CHECK(refusal([] { ordered_levels<>((1ull << 31) + 1, state); }) ==
        "heddle::ordered_levels: items is 2147483649; it must be at most 2147483648");
  CHECK(refusal([] { ordered_levels<item>(1ull << 31, state); }) == "not refused");
}

TEST_CASE("warp_dealt refuses more than 2^28 sources, all or listed", "[expand]") {
  CHECK(refusal([] { warp_dealt(268'435'457, 1, state); }) ==
        "heddle::warp_dealt: sources is 268435457; it must be at most 268435456");
  CHECK(refusal([] { warp_dealt(1, ~0ull, state); }) ==
        "heddle::warp_dealt: listed is 9223372036854775807; it must be at most 268435456");
  CHECK(refusal([] { warp_dealt(1 << 28, 1 << 28, state); }) == "not refused");
}

TEST_CASE("packed_prefix refuses a capacity with which the packed sum could carry", "[expand]") {
  // 2^24 sources and the 2^26 past the capacity take 27 bits. The largest capacity below takes 31: 33 bits are left,
  // and 3 of them are for items past the capacity.
  CHECK(refused<packed_prefix>(1 << 24, 0xffffffc0) == "not refused");
  CHECK(refused<packed_prefix>(0x7c000000 - 1, 1 << 30) == "not refused");
  CHECK(refused<packed_prefix>(0x7c000000 - 1, (1 << 30) + 1) ==
        "heddle::packed_prefix: items is 1073741825; it must be at most 1073741824");
  CHECK(refused<packed_prefix>(0xffffffff, 1) ==
        "heddle::packed_prefix: sources is 4294967295; it must be at most 4227858431");
}

TEST_CASE("power_of_two refuses a capacity with which the packed sum could carry", "[expand]") {
  CHECK(refused<power_of_two>(0x7c000000 - 1, 1 << 30) == "not refused");
  CHECK(refused<power_of_two>(0x7c000000 - 1, (1 << 30) + 1) ==
        "heddle::power_of_two: items is 1073741825; it must be at most 1073741824");
  CHECK(refused<power_of_two>(0xffffffff, 1) ==
        "heddle::power_of_two: sources is 4294967295; it must be at most 4227858431");
}

TEST_CASE("power_of_two numbers its runs in 32 bits wherever a capacity is not refused", "[expand]") {
  // The most sources that leave this many bits to the items, and the most items that these bits allow.
  for (int bits = 27; bits < 32; ++bits) {
    const unsigned long long sources = (1ull << bits) - 0x4000001, items = 1ull << std::min(61 - bits, 32);
    const expansion most{sources, std::min(items, 0xffffffc0ull)};
    CAPTURE(bits, most.sources, most.items);
    CHECK(refused<power_of_two>(most.sources, most.items) == "not refused");
    CHECK((power_of_two::state_bytes(most) - power_of_two::state_bytes({0, 0})) / 8 < 1ull << 32);
  }
}

TEST_CASE("Runs of a source begin behind those of the higher bits of its n", "[expand]") {
  static_assert(detail::expand::rank_of_run(11, 3) == 0 && detail::expand::rank_of_run(11, 1) == 8 &&
                detail::expand::rank_of_run(11, 0) == 10);
  static_assert(detail::expand::rank_of_run(0xffffffff, 31) == 0 &&
                detail::expand::rank_of_run(0xffffffff, 0) == 0xfffffffe);
  for (unsigned n : {1u, 77u, 4096u, 123'456'789u, 0xffffffffu}) {
    unsigned long long end = 0;
    for (int bucket = 31; bucket >= 0; --bucket) {
      if ((n >> bucket & 1) == 0) continue;
      CHECK(detail::expand::rank_of_run(n, bucket) == end);
      end += 1ull << bucket;
    }
    CHECK(end == n);
  }
}

TEST_CASE("scanned refuses more sources than its sums reach", "[expand]") {
  CHECK(refused<scanned>(1 << 30, 1) == "not refused");
  CHECK(refused<scanned>((1 << 30) + 1, 1) == "heddle::scanned: sources is 1073741825; it must be at most 1073741824");
}

TEST_CASE("The bytes of a state follow from its capacity alone", "[expand]") {
  static_assert(packed_prefix::state_bytes({0, 0}) == packed_prefix::state_bytes({0, 1'000'000}));
  static_assert(packed_prefix::state_bytes({1000, 0}) - packed_prefix::state_bytes({0, 0}) == 8 * 1000);
  static_assert(append::state_bytes({5, 1000}) - append::state_bytes({0, 0}) == 8 * 1000);
  static_assert(append::state_bytes({5, 1000}) == append::state_bytes({1'000'000, 1000}));
  static_assert(fixed<64>::state_bytes({1000, 0}) == fixed<1>::state_bytes({1000, 1'000'000}));
  static_assert(fixed<64>::state_bytes({1000, 0}) - fixed<64>::state_bytes({0, 0}) == 8 * 1000);
  static_assert(levels::state_bytes({1000, 7}) - levels::state_bytes({0, 0}) == 16 * 1000);
  static_assert(levels::bytes_to_clear({1000, 7}) == levels::state_bytes({0, 0}));
  static_assert(ordered_levels<item>::state_bytes(1000) - ordered_levels<item>::state_bytes(0) == 20 * 1000);
  // 1000, 1000, 1000 (of 1024), 512 … 1 runs for 4096 items of at most 1000 sources.
  static_assert(power_of_two::state_bytes({1000, 4096}) - power_of_two::state_bytes({0, 0}) == 8 * (3 * 1000 + 1023));
  static_assert(power_of_two::bytes_to_clear({1000, 4096}) == power_of_two::state_bytes({0, 0}));
  // 8 bytes per source, 16 per slab of 32 places, and the sums.
  static_assert(scanned::state_bytes({1 << 20, 0}) > 8 * (1 << 20) + 16 * (1 << 15));
  static_assert(scanned::state_bytes({1 << 20, 0}) < 8 * (1 << 20) + 17 * (1 << 15));
  CHECK(scanned::bytes_to_clear({1 << 20, 0}) < 16 * 1024);
}

TEST_CASE("The room of a launch has an even number of places for each block, and at least 32", "[expand]") {
  CHECK(room_for_launch(10, 256, 1, 7).sources == 2560);
  CHECK(room_for_launch(10, 33, 1, 7).sources == 340);
  CHECK(room_for_launch(10, 8, 1, 7).sources == 320);
  CHECK(room_for_launch(10, 33, 3, 7).sources == 1000);
  CHECK(room_for_launch(0, 33, 3, 7).sources == 0);
  CHECK(room_for_launch(1 << 22, 1024, 2, 7).sources == 1ull << 33);
  CHECK(room_for_launch(10, 256, 1, 7).items == 7);
}
