// Advice about lists, beside rows that bench_lists measured on an H200, and by laws over counts at random.

#include <heddle/predict/advise_list.hpp>

#include "../test.hpp"
#include "refusal.hpp"

using namespace heddle;
using namespace heddle::predict;
using heddle_test::refusal;

namespace {

/// A row of bench_lists: microseconds by each method, 0 if it was not measured.
struct measured {
  const char* name;
  bool is_scanned;
  unsigned long long sources, spawning, items, turns, longest;
  double by[5];

  list_counts counts() const { return {sources, spawning, items, turns, longest, is_scanned}; }
  double best() const {
    double least = by[0];
    for (const double each : by) least = each > 0 ? std::min(least, each) : least;
    return least;
  }
};

const measured rows[] = {
    {"1 each", true, 16384, 16384, 16384, 512, 1, {4.8, 0.0, 4.8, 11.3, 10.8}},
    {"8 each", false, 16384, 16384, 131072, 4096, 8, {4.6, 0.0, 4.5, 11.9, 13.7}},
    {"uniform 0 to 2", false, 16384, 10897, 16284, 1024, 2, {4.1, 0.0, 4.2, 11.1, 12.7}},
    {"one of 6 has one", true, 16384, 2725, 2725, 511, 1, {4.5, 0.0, 4.2, 9.8, 11.8}},
    {"one of 100 spawns, to 200", false, 16384, 153, 15654, 14309, 199, {35.0, 0.0, 6.1, 12.8, 13.4}},
    {"geometric, mean 1", false, 16384, 8223, 16377, 2698, 13, {4.8, 0.0, 4.7, 11.1, 12.5}},
    {"power law to 4096", true, 16384, 16384, 139295, 80654, 4096, {37.9, 5.0, 7.6, 13.9, 14.8}},
    {"power law to 65536, sorted", false, 16384, 8192, 75108, 9639, 8192, {1315.4, 0.0, 10.5, 14.6, 15.0}},
    {"1, but one of 4096 has 4096", false, 16384, 16384, 36859, 20987, 4096, {57.0, 0.0, 6.0, 13.3, 13.7}},
    {"2 each", true, 262144, 262144, 524288, 16384, 2, {4.8, 0.0, 5.2, 13.4, 14.1}},
    {"16 each", false, 262144, 262144, 4194304, 131072, 16, {85.3, 85.1, 86.3, 96.2, 97.5}},
    {"uniform 0 to 8", false, 262144, 232895, 1045345, 65319, 8, {12.5, 0.0, 13.7, 22.1, 24.3}},
    {"one of 10 spawns, to 20", true, 262144, 24917, 264158, 117735, 20, {5.6, 0.0, 5.1, 12.3, 13.7}},
    {"one of 100 spawns, to 1600", false, 262144, 2480, 1997657, 1804614, 1599, {599.9, 0.0, 50.9, 54.1, 57.1}},
    {"geometric, mean 6", false, 262144, 224859, 1575500, 212601, 75, {18.0, 0.0, 20.6, 27.1, 29.4}},
    {"power law to 65536", true, 262144, 262144, 3151578, 2199262, 65536, {580.8, 34.7, 18.7, 19.6, 20.6}},
    {"one of 65536, others 0 or 1", false, 262144, 130824, 196359, 73727, 65536, {10874.5, 0.0, 7.4, 15.4, 17.2}},
    {"8 each", true, 2097152, 2097152, 16777216, 524288, 8, {183.3, 0.0, 47.8, 59.9, 57.1}},
    {"uniform 0 to 2", false, 2097152, 1397588, 2096639, 131073, 3, {46.5, 0.0, 47.4, 66.9, 67.8}},
    {"uniform 0 to 32", false, 2097152, 2033634, 33550377, 2059281, 32, {325.6, 326.8, 330.8, 344.2, 346.9}},
    {"one of 100 spawns, to 200", true, 2097152, 20898, 2104054, 1904914, 200, {30.9, 0.0, 25.3, 19.2, 23.3}},
    {"geometric, mean 1", false, 2097152, 1048729, 2096918, 351364, 23, {55.5, 0.0, 49.2, 65.1, 67.2}},
    {"power law to 64", false, 2097152, 2097152, 9944697, 2826188, 64, {101.3, 0.0, 102.3, 116.6, 117.9}},
    {"power law to 65536, sorted", true, 2097152, 1048576, 12201971, 409650, 65536, {3963.2, 0.0, 56.1, 49.0, 59.7}},
    {"1, but one of 4096 has 4096", false, 2097152, 2097152, 4177412, 2145796, 4096, {1430.2, 0.0, 91.4, 121.8, 117.3}},
    {"1 each", false, 16777216, 16777216, 16777216, 524288, 1, {170.6, 0.0, 173.2, 237.2, 217.9}},
    {"16 each", true, 16777216, 16777216, 268435456, 8388608, 16, {5590.9, 2183.5, 670.8, 691.4, 630.4}},
    {"uniform 0 to 8", false, 16777216, 14914957, 67118257, 4181922, 9, {1303.0, 0.0, 1316.2, 1392.1, 1377.1}},
    {"one of 6 has one", false, 16777216, 2796516, 2796516, 522797, 1, {48.3, 0.0, 48.3, 80.2, 101.5}},
    {"one of 100 spawns, to 1600",
     true,
     16777216,
     167460,
     134198269,
     121394675,
     1601,
     {1542.6, 0.0, 555.6, 313.1, 343.1}},
    {"geometric, mean 6", false, 16777216, 14380749, 100643420, 13535285, 112, {1966.3, 0.0, 1954.6, 2027.8, 2017.6}},
    {"power law to 4096",
     false,
     16777216,
     16777216,
     148925738,
     88214854,
     4096,
     {2231.6, 1495.1, 1654.4, 1547.4, 1522.4}},
    {"one of 65536, others 0 or 1", true, 16777216, 8386845, 8452380, 589823, 65536, {607.0, 0.0, 66.6, 91.6, 116.3}},
};

/// Draws the counts of sources, and adds them up.
list_counts drawn(std::mt19937& random, unsigned sources, unsigned most) {
  list_counts counted{.sources = sources};
  for (unsigned first = 0; first < sources; first += 32) {
    unsigned long long longest = 0;
    for (unsigned i = first; i < std::min(first + 32, sources); ++i) {
      const unsigned n = random() % 3 == 0 ? 0 : static_cast<unsigned>(random() % (most + 1));
      counted.spawning += n > 0;
      counted.items += n;
      longest = std::max<unsigned long long>(longest, n);
    }
    counted.turns += longest;
    counted.longest = std::max(counted.longest, longest);
  }
  return counted;
}

}  // namespace

TEST_CASE("What advise_list says of measured rows is hardly slower than the loop, and mostly the best", "[predict]") {
  double product = 1;
  for (const measured& row : rows) {
    const list_advice found = advise_list(row.counts(), h200(), row.by[0] * 1e-6);
    const double taken = row.by[static_cast<int>(found.method)];
    CAPTURE(row.name, row.sources, row.is_scanned, found.reason, taken, row.by[0]);
    REQUIRE(taken > 0);
    CHECK(row.by[0] / taken >= (row.by[0] < 30 ? 0.93 : 0.97));
    product *= row.best() / taken;
  }
  CHECK(std::pow(product, 1.0 / static_cast<double>(std::size(rows))) >= 0.92);
}

TEST_CASE("advise_list leaves one item each alone, and lists a long tail", "[predict]") {
  const list_counts ones{.sources = 1 << 20, .spawning = 1 << 20, .items = 1 << 20, .turns = 1 << 15, .longest = 1};
  const list_advice left = advise_list(ones, h200(), 12.7e-6);
  CHECK(left.method == list_method::loop);
  CHECK(left.reason.find("leave it") != std::string::npos);

  // 2^22 sources by a power law to 65536.
  const list_counts counts{.sources = 4194304,
                           .spawning = 3600000,
                           .items = 75000000,
                           .turns = 51000000,
                           .longest = 65536,
                           .is_scanned = true};
  const list_advice found = advise_list(counts, h200(), 3.63e-3);
  CHECK(std::string(name_of(found.method)) == "scanned");
  CHECK(found.seconds < 0.3e-3);
}

TEST_CASE("An advice about a list never speaks against its own figures", "[predict]") {
  std::mt19937 random(71);
  for (int turn = 0; turn < 400; ++turn) {
    list_counts counts = drawn(random, 1 + static_cast<unsigned>(random() % 5000), 1u << random() % 12);
    counts.is_scanned = turn % 2 == 0;
    const double seconds = 1e-6 * std::pow(10, static_cast<double>(random() % 400) / 100);
    const list_advice found = advise_list(counts, turn % 3 == 0 ? a100() : h200(), seconds);
    CAPTURE(turn, found.reason, seconds);
    CHECK(found.loop_seconds == seconds);
    CHECK(std::ranges::is_sorted(found.ranked, {}, &candidate<list_method>::seconds));
    CHECK(std::ranges::count(found.ranked, list_method::loop, &candidate<list_method>::value) == 1);
    CHECK((found.method == list_method::loop ? found.seconds == seconds : found.seconds < 0.88 * seconds));
    CHECK((found.method == list_method::loop || found.ranked[0].value == found.method));
    CHECK((seconds >= 4.4e-6 || found.method == list_method::loop));
    for (const auto& each : found.ranked) CHECK((each.seconds > 0 && std::isfinite(each.seconds)));
  }
}

TEST_CASE("advise_list refuses counts and times that cannot be", "[predict]") {
  const list_counts good{.sources = 64, .spawning = 64, .items = 64, .turns = 2, .longest = 1};
  const auto refused = [](const list_counts& counts, double seconds) {
    return refusal([=] { (void)advise_list(counts, h200(), seconds); });
  };
  CHECK(refused(good, 1e-5) == "not refused");
  CHECK(refused({}, 1e-5) == "not refused");
  CHECK(refused(good, 0) == "heddle::predict::advise_list: measured_seconds is 0");
  CHECK(refused(good, -1) == "heddle::predict::advise_list: measured_seconds is -1; it must be at least 0");
  const std::string of_none = "heddle::predict::advise_list: counts are of no sources: fill them by list_probe";
  for (unsigned long long list_counts::*member : {&list_counts::spawning, &list_counts::longest, &list_counts::items}) {
    list_counts bad = good;
    bad.*member = 65 * 32;
    CHECK(refused(bad, 1e-5) == of_none);
  }
}
