// Schedulers with values that cannot be right are refused where they are built.

#include <heddle/order.hpp>
#include <heddle/schedule.hpp>

#include "refusal.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

const row_major order{{3, 4}};
alignas(16) unsigned char state[8192];

}  // namespace

TEST_CASE("A state that is null or crooked and a run of no tiles are refused by name", "[schedule]") {
  const std::string null = ": state is null; it must point to device memory";
  CHECK(refusal([] { ticket{order, nullptr}; }) == "heddle::ticket" + null);
  CHECK(refusal([] { sm_affine{order, nullptr, 4}; }) == "heddle::sm_affine" + null);
  CHECK(refusal([] { work_stealing{order, nullptr}; }) == "heddle::work_stealing" + null);
  CHECK(refusal([] { work_stealing{order, state + 4}; }).find("it must be a multiple of 8") != std::string::npos);
  CHECK(refusal([] { ticket{order, state + 4}; }).find("it must be a multiple of 8") != std::string::npos);
  CHECK(refusal([] { sm_affine{order, state, 0}; }) == "heddle::sm_affine: run is 0; it must be at least 1");
  CHECK(refusal([] { sm_affine{order, state, -7}; }) == "heddle::sm_affine: run is -7; it must be at least 1");
  CHECK(refusal([] { sm_affine(order, state, (1LL << 32) + 4); }) ==
        "heddle::sm_affine: run is 4294967300; it must be at most 2147483647");
  CHECK(refusal([] { ticket{order, state}; }) == "not refused");
  CHECK(refusal([] { work_stealing{order, state}; }) == "not refused");
  CHECK(refusal([] { sm_affine{order, state, 0x7fffffff}; }) == "not refused");
}

TEST_CASE("stream_k refuses steps and sharers that it cannot count and a state that it needs and has not",
          "[schedule]") {
  const auto refused = [](auto steps, auto sharers, void* at) {
    return refusal([=] { stream_k(order, steps, sharers, at); });
  };
  CHECK(refused(-1, 0, nullptr) == "heddle::stream_k: k_steps is -1; it must be at least 0");
  CHECK(refused(4194304, 0, nullptr) == "heddle::stream_k: k_steps is 4194304; it must be at most 4194303");
  CHECK(refused((1LL << 32) + 8, 0, nullptr) == "heddle::stream_k: k_steps is 4294967304; it must be at most 4194303");
  CHECK(refused(8, (1LL << 32) + 1, state) == "heddle::stream_k: sharers is 4294967297; it must be at most 1024");
  CHECK(refused(8, -2, state) == "heddle::stream_k: sharers is -2; it must be at least 0");
  CHECK(refused(8, 1025, state) == "heddle::stream_k: sharers is 1025; it must be at most 1024");
  CHECK(refused(8, 1, nullptr) == "heddle::stream_k: state is null; it must point to device memory");
  CHECK(refused(4194303, 1024, state) == "not refused");
  CHECK(refused(0, 0, nullptr) == "not refused");
}

TEST_CASE("Seats of no chip, no run or no state are refused by name", "[schedule]") {
  const chip_map map{.multiprocessors = 8};
  CHECK(refusal([&] { seats(map, 1, 4, nullptr); }) == "heddle::seats: state is null; it must point to device memory");
  CHECK(refusal([&] { seats(chip_map{}, 1, 4, state); }) ==
        "heddle::seats: multiprocessors is 0; it must be at least 1");
  CHECK(refusal([&] { seats(map, 0, 4, state); }) == "heddle::seats: blocks_in_worker is 0; it must be at least 1");
  CHECK(refusal([&] { seats(map, 1, -1, state); }) == "heddle::seats: run is -1; it must be at least 1");
  CHECK(refusal([&] { seats(map, 1, 257, state); }).find("run is 257; it must be at most 256") != std::string::npos);
  CHECK(refusal([&] { static_cast<void>(seats().with_state(state + 4)); }).find("a multiple of 8") !=
        std::string::npos);
  CHECK(refusal([&] { seats(map, 1, (1LL << 32) + 1, state); }) ==
        "heddle::seats: run is 4294967297; it must be at most 256");
  CHECK(refusal([&] { seats(map, (1LL << 32) + 1, 1, state); }) ==
        "heddle::seats: blocks_in_worker is 4294967297; it must be at most 256");
  CHECK(refusal([&] { seats(map, 2, 256, state); }) == "not refused");
}

TEST_CASE("Gates of no rows, too many pieces, no time or no state are refused by name", "[schedule]") {
  const auto gate = [](arrival_gate::input what, int readers, long long limit, void* at) {
    return refusal([=] { arrival_gate(what, readers, limit, at); });
  };
  CHECK(gate({100, 10}, 1, 5, nullptr) == "heddle::arrival_gate: state is null; it must point to device memory");
  CHECK(gate({100, 10}, 1, 5, state + 2).find("a multiple of 4") != std::string::npos);
  CHECK(gate({0, 10}, 1, 5, state) == "heddle::arrival_gate: rows is 0; it must be at least 1");
  CHECK(gate({100, 0}, 1, 5, state) == "heddle::arrival_gate: rows_of_piece is 0; it must be at least 1");
  CHECK(gate({100, 10}, -1, 5, state) == "heddle::arrival_gate: readers is -1; it must be at least 0");
  CHECK(gate({100, 10}, 65, 5, state) == "heddle::arrival_gate: readers is 65; it must be at most 64");
  CHECK(gate({570, 10}, 8, 5, state) == "heddle::arrival_gate: pieces is 57; it must be at most 56");
  CHECK(gate({100, 10}, 1, 0, state) == "heddle::arrival_gate: limit is 0; it must be at least 1");
  CHECK(refusal([] {
          static_cast<void>(arrival_gate({100, 10}, 1, 5, state).for_tiles(0));
        }) == "heddle::arrival_gate: rows of a tile is 0; it must be at least 1");
  CHECK(gate({560, 10}, 8, 5, state) == "not refused");
  const arrival_gate ten_pieces({100, 10}, 0, 5, state);
  CHECK(refusal([&] { static_cast<void>(ten_pieces.with_here(-1, 1)); }) ==
        "heddle::arrival_gate: first piece that is here is -1; it must be at least 0");
  CHECK(refusal([&] { static_cast<void>(ten_pieces.with_here(3, -1)); }) ==
        "heddle::arrival_gate: pieces that are here is -1; it must be at least 0");
  CHECK(refusal([&] { static_cast<void>(ten_pieces.with_here(3, 8)); }) ==
        "heddle::arrival_gate: pieces that are here is 8; it must be at most 7");
  CHECK(refusal([&] { static_cast<void>(ten_pieces.with_here(10, 0)); }) == "not refused");
}

TEST_CASE("A tile at a gate reads the pieces of its rows", "[schedule]") {
  for (int rows = 1; rows <= 40; ++rows) {
    for (int rows_of_piece = 1; rows_of_piece <= 12; ++rows_of_piece) {
      for (int rows_of_tile = 1; rows_of_tile <= 12; ++rows_of_tile) {
        const arrival_gate gate = arrival_gate({rows, rows_of_piece}, 0, 1, state).for_tiles(rows_of_tile);
        for (int row = 0; row < rows; ++row) {  // every row of the input is in a piece of its tile
          const coord tile{row / rows_of_tile, 5};
          const int piece = row / rows_of_piece;
          const bool is_first = row % rows_of_tile == 0, is_last = (row + 1) % rows_of_tile == 0 || row + 1 == rows;
          REQUIRE(piece < gate.pieces());
          REQUIRE((is_first ? gate.first_piece(tile) == piece : gate.first_piece(tile) <= piece));
          REQUIRE((is_last ? gate.last_piece(tile) == piece : gate.last_piece(tile) >= piece));
        }
      }
    }
  }
  const arrival_gate large = arrival_gate({2147483647, 100000000}, 0, 1, state).for_tiles(2147483647);
  CHECK(large.first_piece({1, 0}) == 21);  // outside: 64-bit rows
  CHECK(large.last_piece({0, 0}) == 21);
}

TEST_CASE("The bytes of a state do not depend on the order", "[schedule]") {
  static_assert(ticket<>::state_bytes() == ticket<hilbert>::state_bytes());
  static_assert(sm_affine<>::state_bytes() == sm_affine<clustered<cta_swizzle>>::state_bytes());
  static_assert(work_stealing<>::state_bytes() == work_stealing<clustered<hilbert>>::state_bytes());
  CHECK(ticket<>::state_bytes() <= sizeof state);
  CHECK(sm_affine<>::state_bytes() <= sizeof state);
  CHECK(work_stealing<>::state_bytes() == 2088);  // docs/schedule.md
}

TEST_CASE("Schedulers are as large as what they decide from", "[schedule]") {
  static_assert(sizeof(strided<cta_swizzle>) == sizeof(cta_swizzle));
  static_assert(sizeof(one_shot<row_major>) == sizeof(row_major));
  CHECK(strided{order}.order().size() == 12);
}

namespace {

template <class Policy>
constexpr bool is_copied_by_deduction(const Policy& policy, auto deduce) {
  return std::is_same_v<decltype(deduce(policy)), Policy>;
}

}  // namespace

TEST_CASE("A scheduler built from a scheduler is its copy, and an adapter of an adapter is none", "[schedule]") {
  CHECK(is_copied_by_deduction(one_shot{order}, [](const auto& from) { return one_shot{from}; }));
  CHECK(is_copied_by_deduction(strided{order}, [](const auto& from) { return strided{from}; }));
  CHECK(is_copied_by_deduction(chunked{order}, [](const auto& from) { return chunked{from}; }));
  CHECK(is_copied_by_deduction(cluster_launch{order}, [](const auto& from) { return cluster_launch{from}; }));
  CHECK(is_copied_by_deduction(stream_k{order, 8, 0, nullptr}, [](const auto& from) { return stream_k{from}; }));
  CHECK(!is_copied_by_deduction(reversed{order}, [](const auto& from) { return reversed{from}; }));
  CHECK(!is_copied_by_deduction(transposed{order}, [](const auto& from) { return transposed{from}; }));
}
