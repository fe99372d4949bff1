// Compares the entry that `box_match` takes with lists of preference written by hand, for every subset of entries.

#include <heddle/launch/launch_box.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

arch named(const std::string& name) {
  const bool suffixed = name.back() == 'a' || name.back() == 'f';
  return {std::stoi(name), suffixed ? name.back() : '\0'};
}

struct params {
  int threads, min_blocks;
};

// Per architecture: the entries that it may take, the preferred one first. No GPU has 130 or 199 yet.
const std::map<std::string, std::vector<std::string>> preferences{
    {"80", {"80"}},
    {"86", {"86", "80"}},
    {"89", {"86", "80"}},
    {"90", {"90", "86", "80"}},
    {"90a", {"90a", "90", "86", "80"}},
    {"100", {"100", "90", "86", "80"}},
    {"100f", {"100f", "100", "90", "86", "80"}},
    {"100a", {"100a", "100f", "100", "90", "86", "80"}},
    {"101a", {"100", "90", "86", "80"}},
    {"103", {"103", "100", "90", "86", "80"}},
    {"103f", {"100f", "103", "100", "90", "86", "80"}},
    {"103a", {"103a", "100f", "103", "100", "90", "86", "80"}},
    {"110a", {"103", "100", "90", "86", "80"}},
    {"120", {"120", "103", "100", "90", "86", "80"}},
    {"120a", {"120f", "120", "103", "100", "90", "86", "80"}},
    {"121f", {"120f", "120", "103", "100", "90", "86", "80"}},
    {"130", {"120", "103", "100", "90", "86", "80"}},
    {"199a", {"120", "103", "100", "90", "86", "80"}},
};
const std::vector<std::string> all{"80", "86", "90", "90a", "100", "100f", "100a", "103", "103a", "120", "120f"};

}  // namespace

TEST_CASE("Every architecture takes the entry it should of every subset of entries", "[launch]") {
  int refused = 0;
  for (const auto& [target, preferred] : preferences) {
    for (unsigned subset = 1; subset < 1u << all.size(); ++subset) {
      // Entries outside the subset are for an architecture that no target is.
      box_entry<params> entries[11] = {{{255, 'a'}, {}}, {{255, 'a'}, {}}, {{255, 'a'}, {}}, {{255, 'a'}, {}},
                                       {{255, 'a'}, {}}, {{255, 'a'}, {}}, {{255, 'a'}, {}}, {{255, 'a'}, {}},
                                       {{255, 'a'}, {}}, {{255, 'a'}, {}}, {{255, 'a'}, {}}};
      const auto in_subset = [&](const std::string& name) {
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (all[i] == name) return (subset >> i & 1) != 0;
        }
        return false;
      };
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((subset >> i & 1) != 0) entries[i] = {named(all[i]), {static_cast<int>(i), 0}};
      }
      std::string expected;
      for (auto name = preferred.rbegin(); name != preferred.rend(); ++name) {
        if (in_subset(*name)) expected = *name;
      }
      std::string taken;
      try {
        taken = all[static_cast<std::size_t>(box_match<params>(named(target), entries).threads)];
      } catch (const invalid_argument&) {
        ++refused;
      }
      if (taken != expected) {
        CAPTURE(target, subset, taken, expected);
        REQUIRE(false);
      }
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("The order of entries does not matter", "[launch]") {
  constexpr params one = box_match<params>({90, 'a'}, {{80, {1, 0}}, {{90, 'a'}, {2, 0}}, {90, {3, 0}}});
  constexpr params other = box_match<params>({90, 'a'}, {{{90, 'a'}, {2, 0}}, {90, {3, 0}}, {80, {1, 0}}});
  static_assert(one.threads == 2 && other.threads == 2);
  CHECK(box_match<params>(90, {{90, {3, 0}}, {80, {1, 0}}}).threads == 3);
}

TEST_CASE("An architecture older than every entry is refused with the oldest", "[launch]") {
  std::string text;
  try {
    (void)box_match<params>(75, {{{80}, {1, 0}}, {{90, 'a'}, {2, 0}}, {90, {3, 0}}});
  } catch (const invalid_argument& error) {
    text = error.what();
  }
  CHECK(text == "heddle::box_match: the architecture is 75; it must be at least 80");
}

TEST_CASE("Architectures are ordered by capability and then by what their suffix opens", "[launch]") {
  const std::vector<std::string> ascending{"75", "80", "86", "90", "90a", "100", "100f", "100a", "103", "120", "120f"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      const arch left = named(ascending[i]), right = named(ascending[j]);
      CAPTURE(ascending[i], ascending[j]);
      CHECK((left < right) == (i < j));
      CHECK((left <= right) == (i <= j));
      CHECK((left > right) == (i > j));
      CHECK((left >= right) == (i >= j));
      CHECK((left == right) == (i == j));
    }
    CHECK(arch::of_code(named(ascending[i]).code()) == named(ascending[i]));
    CHECK(named(ascending[i]).code() <= 1024);
  }
  CHECK(arch{255, 'a'}.code() <= 1024);
  CHECK_THROWS_AS(arch(256), invalid_argument);
  CHECK_THROWS_AS(arch(-90), invalid_argument);
  CHECK_THROWS_AS(arch(90, 'b'), invalid_argument);
}

namespace {

struct no_threads {
  int min_blocks;
};
struct gives_no_threads {
  constexpr no_threads operator()(arch) const { return {0}; }
};
struct gives_params {
  constexpr params operator()(arch) const { return {128, 0}; }
};

static_assert(launch_box<gives_params> && !launch_box<gives_no_threads> && !launch_box<params>);

}  // namespace
