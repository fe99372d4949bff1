// What bench_choose draws, keeps and says.

#include "choose/random_shapes.hpp"
#include "choose/summary.hpp"
#include "test.hpp"

using namespace choose_bench;

TEST_CASE("bench_choose draws the products that it says it draws", "[bench]") {
  for (const unsigned seed : {0u, 1u, 77u}) {
    const auto all = random_shapes(300, seed);
    REQUIRE(all.size() == 300);
    int small = 0, aligned = 0;
    for (const auto& [m, n, k] : all) {
      const double operations = 2.0 * m * n * k;
      CHECK((operations >= 1e8 && operations <= 3e12));
      CHECK((n % 8 == 0 && k % 8 == 0 && m > 0));
      small += m < 1024 || n < 1024 || k < 1024 ? 1 : 0;
      aligned += m % 64 == 0 && n % 64 == 0 && k % 64 == 0 ? 1 : 0;
    }
    CHECK(small == 150);
    CHECK((aligned >= 200 && aligned < 206));
    const auto fewer = random_shapes(40, seed);  // the same seed begins the same
    for (std::size_t i = 0; i < fewer.size(); ++i) {
      CHECK((fewer[i].m == all[i].m && fewer[i].n == all[i].n && fewer[i].k == all[i].k));
    }
  }
  CHECK(random_shapes(1, 1)[0].k != random_shapes(1, 2)[0].k);
}

TEST_CASE("bench_choose keeps the complete rows of a run that was cut off", "[bench]") {
  const std::string name = "bench_choose_cut_off.json";
  const std::string first =
      R"({"m": 8, "n": 16, "k": 24, "plan": "a", "plan_us": 2.000, "best": "b", "best_us": 1.000, "tuned": "b", "tuned_us": 1.000, "tuned_again": "a", "tuned_again_us": 2.000})";
  const std::string second =
      R"({"m": 16, "n": 16, "k": 24, "plan": "a", "plan_us": 4.000, "best": "a", "best_us": 4.000, "tuned": "a", "tuned_us": 4.000, "tuned_again": "a", "tuned_again_us": 4.000})";
  std::ofstream(name) << "{\n  \"context\": {\"gpu\": \"any\"},\n  \"products\": [\n    " << first << ",\n    "
                      << second << ",\n    {\"m\": 32, \"n\": 16, \"k\": 24, \"plan\": \"a";
  const auto rows = rows_in(name);
  REQUIRE(rows.size() == 2);
  CHECK((rows[0].text == first && rows[1].text == second));
  CHECK((is_of(rows[0], {8, 16, 24}) && !is_of(rows[0], {16, 16, 24}) && is_of(rows[1], {16, 16, 24})));
  CHECK(summary(rows) ==
        "plan   over the best that is built in: 0.7071 in the geometric mean, 0.500 at worst\n"
        "tuned  over the best that is built in: 1.0000 in the geometric mean, 1.000 at worst\n"
        "Two tunings agree in 1 of 2; the others are within 100.0 %\n");
  CHECK(rows_in("no such file").empty());
  CHECK(summary({}).empty());
  (void)std::remove(name.c_str());
}
