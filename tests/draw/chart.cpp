#include "draw/xml.hpp"

#include <heddle/draw/chart.hpp>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

struct place {
  int x, y;
};

/// The corners of a line of the chart.
std::vector<place> corners(const xml::element& path) {
  std::istringstream in(path["d"].substr(1));
  std::vector<place> all;
  for (place next{}; in >> next.x >> next.y;) all.push_back(next);
  return all;
}

}  // namespace

TEST_CASE("A chart rises where its lines rise, and equal factors are equal steps", "[draw]") {
  const draw::series one{"one & <other>", {{1, 1}, {2, 2}, {4, 4}, {16, 16}}}, flat{"flat", {{1, 3}, {16, 3}}};
  const xml document(draw::chart({one, flat}, {.title = "A \"chart\"", .x = "clocks", .y = "times"}));
  REQUIRE(document.error == "");
  std::vector<std::vector<place>> lines;
  for (const xml::element& path : document.all("path")) {
    if (path["stroke-width"] == "2") lines.push_back(corners(path));
  }
  REQUIRE(lines.size() == 2);
  REQUIRE(lines[0].size() == 4);
  const auto close = [](int some, int other) { return some - other <= 1 && other - some <= 1; };
  const int step = lines[0][1].x - lines[0][0].x, rise = lines[0][0].y - lines[0][1].y;
  CHECK(step > 0);
  CHECK(rise > 0);
  CHECK(close(lines[0][2].x - lines[0][1].x, step));
  CHECK(close(lines[0][3].x - lines[0][2].x, 2 * step));
  CHECK(close(lines[0][2].y - lines[0][3].y, 2 * rise));
  CHECK(lines[1][0].y == lines[1][1].y);
  CHECK((lines[1][0].y < lines[0][1].y && lines[1][0].y > lines[0][2].y));  // 3 is between 2 and 4
  const std::vector<xml::element> texts = document.all("text");
  for (const char* text : {"1", "2", "4", "8", "16", "clocks", "times", "flat"}) {
    CHECK(std::count_if(texts.begin(), texts.end(), [&](const xml::element& e) { return e.text == text; }) >= 1);
  }
}

TEST_CASE("The names of lines that end together stand apart, each within the picture", "[draw]") {
  std::vector<draw::series> together;
  for (int i = 0; i < 12; ++i) together.push_back({"line " + std::to_string(i), {{1, 1}, {1024, i < 6 ? 1 : 1.0 + i}}});
  together.push_back({"early", {{1, 3}, {2, 3}}});
  const xml document(draw::chart(together, {.line = 0}));
  REQUIRE(document.error == "");
  std::vector<int> places;
  for (const xml::element& name : document.all("text")) {
    if (name.text.rfind("line ", 0) != 0) continue;
    places.push_back(std::stoi(name["y"]));
    CHECK(std::stoi(name["x"]) > 430);  // right of the last point
  }
  REQUIRE(places.size() == 12);
  std::sort(places.begin(), places.end());
  CHECK((places.front() > 0 && places.back() < 320));
  for (std::size_t i = 1; i < places.size(); ++i) CHECK(places[i] - places[i - 1] >= 15);
}

TEST_CASE("A chart that has no room for what it shows is refused", "[draw]") {
  const std::vector<draw::series> one{{"one", {{1, 1}, {2, 2}}}};
  CHECK(xml(draw::chart(one, {.width = 290, .height = 182})).error == "");
  REQUIRE_THROWS_WITH(draw::chart(one, {.width = 289}), "heddle::draw::chart: width is 289; it must be at least 290");
  REQUIRE_THROWS_WITH(draw::chart(one, {.height = 0}), "heddle::draw::chart: height is 0; it must be at least 182");
}

TEST_CASE("A chart has dashed lines on request, and a line across unless it is 0", "[draw]") {
  const auto dashed = [](const std::string& chart) {
    int count = 0;
    for (const xml::element& path : xml(chart).all("path")) count += !path["stroke-dasharray"].empty();
    return count;
  };
  const draw::series plain{"plain", {{1, 2}, {2, 2}}}, other{"other", {{1, 2}, {2, 4}}, true};
  CHECK(dashed(draw::chart({plain, other}, {.line = 0})) == 1);
  CHECK(dashed(draw::chart({plain, other}, {})) == 2);
  CHECK(dashed(draw::chart({plain}, {.line = 0})) == 0);
}

TEST_CASE("Points of a chart that are not joined are dots where its lines have their corners", "[draw]") {
  draw::series line{"line", {{1, 1}, {2, 2}, {4, 16}}}, dots = line;
  dots.joined = false;
  const xml document(draw::chart({line, dots}, {}));
  REQUIRE(document.error == "");
  std::string expected;
  for (const xml::element& path : document.all("path")) {
    if (path["stroke-width"] != "2") continue;
    for (const auto& [x, y] : corners(path)) expected += "M" + std::to_string(x) + " " + std::to_string(y) + "h0";
  }
  const std::vector<xml::element> paths = document.all("path");
  CHECK(std::count_if(paths.begin(), paths.end(), [&](const xml::element& path) {
          return path["stroke-linecap"] == "round" && path["d"] == expected;
        }) == 1);
}

TEST_CASE("Axes of a chart over many powers of two name some of them, in letters where they are large", "[draw]") {
  const xml document(draw::chart({{"all", {{1.0 / 8, 1}, {1ll << 40, 1 << 20}}}}, {}));
  REQUIRE(document.error == "");
  const std::vector<xml::element> texts = document.all("text");
  CHECK(texts.size() < 30);
  for (const char* text : {"1/8", "16K", "1M"}) {
    CHECK(std::count_if(texts.begin(), texts.end(), [&](const xml::element& e) { return e.text == text; }) >= 1);
  }
}

TEST_CASE("A chart of nothing, or of one point, is a picture, and one of what is not above 0 is refused", "[draw]") {
  CHECK(xml(draw::chart({}, {})).error == "");
  CHECK(xml(draw::chart({{"none", {}}, {"one", {{5, 0.25}}}}, {.line = 0.5})).error == "");
  CHECK(refusal([] {
          draw::chart({{"below", {{1, 0}}}}, {});
        }) == "heddle::draw::chart: thousandths of a coordinate is 0; it must be at least 1");
}

TEST_CASE("A chart shows coordinates from thousandths to 10^18 and refuses all others", "[draw]") {
  const auto of = [](double x, double y) { return draw::chart({{"", {{x, y}}}}, {}); };
  const xml document(draw::chart({{"all", {{0.001, 0.001}, {1e18, 1e18}}}}, {}));
  CHECK(document.error == "");
  CHECK(document.all("path").back()["d"].find("-") == std::string::npos);
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double none : {infinity, -infinity, nan}) {
    const std::string refused = "heddle::draw::chart: isfinite(coordinate) is 0; it must be exactly 1";
    CHECK(refusal([&] { of(none, 1); }) == refused);
    CHECK(refusal([&] { of(1, none); }) == refused);
    CHECK(refusal([&] { draw::chart({}, {.line = none}); }) ==
          "heddle::draw::chart: isfinite(line) is 0; it must be exactly 1");
  }
  const std::string at_most = "; it must be at most 1000000000000000000";
  CHECK(refusal([&] { of(2e18, 1); }) == "heddle::draw::chart: coordinate is 2000000000000000000" + at_most);
  CHECK(refusal([&] { of(1, 1e300); }) == "heddle::draw::chart: coordinate is 9000000000000000000" + at_most);
  CHECK(refusal([&] { of(-1e300, 1); }) ==
        "heddle::draw::chart: thousandths of a coordinate is -9000000000000000000; it must be at least 1");
  CHECK(refusal([&] { draw::chart({}, {.width = 0x7fffffff}); }) ==
        "heddle::draw::chart: width is 2147483647; it must be at most 65536");
  CHECK(refusal([&] { draw::chart({}, {.height = 65537}); }) ==
        "heddle::draw::chart: height is 65537; it must be at most 65536");
}
