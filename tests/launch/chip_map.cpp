// A chip map is made from what blocks saw, for any numbers of the multiprocessors.

#include <heddle/launch/chip_map.hpp>

#include "test.hpp"

using namespace heddle;

TEST_CASE("A chip map joins multiprocessors that lie together and knows numbers that have none", "[launch]") {
  detail::seen_multiprocessors seen;
  CHECK(seen.map().multiprocessors == 0);
  seen.see(3, 3);
  seen.see(9, 5);
  seen.see(200, 9);
  seen.see(256, 3);  // beyond any map
  seen.see(3, 0xffffffff);
  const chip_map map = seen.map();
  CHECK(map.multiprocessors == 201);
  CHECK(map.group[5] == map.group[9]);
  CHECK(map.group[5] == map.group[200]);
  CHECK(map.group[3] != map.group[5]);
  CHECK(std::ranges::count(map.group, chip_map::nowhere) == chip_map::most - 4);
}

TEST_CASE("A chip map joins groups in whatever order they touch", "[launch]") {
  std::vector<std::pair<unsigned, unsigned>> together{{1, 2}, {1, 3}, {4, 2}, {5, 4}};
  do {
    detail::seen_multiprocessors seen;
    for (const auto& [one, other] : together) seen.see(one, other);
    const chip_map map = seen.map();
    for (const unsigned number : {1u, 2u, 3u, 4u, 5u}) CHECK(map.group[number] == 0);
  } while (std::ranges::next_permutation(together).found);
}

TEST_CASE("A chip map finds the groups of any numbers with gaps", "[launch]") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    // Each number is in a random group or in none. Within a group each member touches a random earlier one.
    const unsigned groups = 1 + static_cast<unsigned>(random() % 12);
    std::vector<std::vector<unsigned>> members(groups);
    for (unsigned number = 0; number < chip_map::most; ++number) {
      if (random() % 3 == 0) members[random() % groups].push_back(number);
    }
    detail::seen_multiprocessors seen;
    for (auto& each : members) {
      std::shuffle(each.begin(), each.end(), random);
      for (std::size_t i = 0; i < each.size(); ++i) seen.see(each[i], each[i / 2]);
    }
    const chip_map map = seen.map();
    std::vector<int> expected(chip_map::most, chip_map::nowhere);
    for (const auto& each : members) {
      for (const unsigned number : each) expected[number] = map.group[each[0]];
    }
    CHECK(std::equal(expected.begin(), expected.end(), map.group));
    std::vector<int> names;
    for (const auto& each : members) {
      if (!each.empty()) names.push_back(map.group[each[0]]);
    }
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  }
}
