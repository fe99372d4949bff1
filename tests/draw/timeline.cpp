#include "draw/xml.hpp"

#include <heddle/draw/bars.hpp>
#include <heddle/draw/timeline.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

int number(const std::string& text) {
  return std::stoi(text);
}

bool shows(const xml& document, const std::string& text) {
  const std::vector<xml::element> texts = document.all("text");
  return std::any_of(texts.begin(), texts.end(), [&](const xml::element& e) { return e.text == text; });
}

}  // namespace

TEST_CASE("A timeline has a box for each piece of work, as long as it takes, in its lane", "[draw]") {
  const std::vector<draw::lane> lanes{{"one & only", {{0, 3, 0}, {5, 6, 12}}}, {"other", {{0, 1, -1}, {1, 9, 7}}}};
  const xml document(draw::timeline(lanes, {.title = "A \"timeline\"", .heading = "who", .end = 12, .tick = 10}));
  REQUIRE(document.error == "");
  const std::vector<xml::element> boxes = document.all("rect");
  REQUIRE(boxes.size() == 4);
  CHECK(number(boxes[1]["x"]) - number(boxes[0]["x"]) == 50);
  CHECK(number(boxes[0]["width"]) == 3 * number(boxes[1]["width"]) + 2);  // one pixel is left between boxes
  CHECK(boxes[0]["y"] == boxes[1]["y"]);
  CHECK(number(boxes[2]["y"]) > number(boxes[0]["y"]));
  CHECK(boxes[2]["x"] == boxes[0]["x"]);
  const int right = number(boxes[3]["x"]) + number(boxes[3]["width"]);
  CHECK(number(document.elements[0]["width"]) - right >= 30);  // up to `end`
  for (const char* text : {"one & only", "other", "who", "0", "7"}) CHECK(shows(document, text));
  CHECK(!shows(document, "12"));  // there is no room for it
  CHECK(!shows(document, "-1"));
  CHECK(boxes[0]["fill"] != boxes[3]["fill"]);
}

TEST_CASE("A timeline of nothing is a picture, and work that begins before the last has ended is refused", "[draw]") {
  CHECK(xml(draw::timeline({})).error == "");
  CHECK(xml(draw::timeline({{"idle", {}}, {"short", {{2, 2, 0}}}})).error == "");
  CHECK(refusal([] {
          draw::timeline({{"", {{0, 4, 0}, {3, 5, 1}}}});
        }) == "heddle::draw::timeline: begin is 3; it must be at least 4");
  CHECK(refusal([] {
          draw::timeline({{"", {{0, -1, 0}}}});
        }) == "heddle::draw::timeline: end is -1; it must be at least 0");
}

TEST_CASE("A timeline of ticks and lanes beyond 32 bits has coordinates that are right", "[draw]") {
  const std::vector<draw::lane> lanes{{"a", {{0x3fffffff, 0x7fffffff, 0x7fffffff}}}, {"b", {}}, {"c", {{0, 1, 0}}}};
  const xml document(draw::timeline(lanes, {.tick = 0x7fffffff, .lane_height = 0x7fffffff}));
  REQUIRE(document.error == "");
  const std::vector<xml::element> boxes = document.all("rect");
  REQUIRE(boxes.size() == 2);
  const long long left = std::stoll(boxes[1]["x"]);
  CHECK(std::stoll(boxes[0]["x"]) == left + 0x3fffffffLL * 0x7fffffff);
  CHECK(std::stoll(boxes[0]["width"]) == 0x40000000LL * 0x7fffffff - 1);
  CHECK(std::stoll(boxes[1]["y"]) - std::stoll(boxes[0]["y"]) == 2LL * 0x7fffffff);
  const xml usual(draw::timeline({{"", {{0, 300'000'000, 0}}}}));
  CHECK(usual.all("rect")[0]["width"] == "2399999999");
}

TEST_CASE("Bars are as long as their values are far from the line, and on the side where they lie", "[draw]") {
  const xml document(draw::bars({{"8192³", 1.5}, {"<b>", 0.75}, {"same", 1}},
                                {.title = "t", .heading = "speed", .from = 1, .decimals = 3, .width = 300}));
  REQUIRE(document.error == "");
  const std::vector<xml::element> boxes = document.all("rect");
  REQUIRE(boxes.size() == 3);
  CHECK(number(boxes[0]["width"]) == 200);
  CHECK(number(boxes[1]["width"]) == 100);
  CHECK(number(boxes[2]["width"]) == 0);
  CHECK(number(boxes[0]["x"]) == number(boxes[1]["x"]) + 100);
  CHECK(boxes[0]["fill"] != boxes[1]["fill"]);
  for (const char* text : {"8192³", "<b>", "speed", "1.500", "0.750", "1.000"}) CHECK(shows(document, text));
}

TEST_CASE("Names take as much room as they have characters, not bytes", "[draw]") {
  const auto begin_of_bars = [](const char* name) {
    return number(xml(draw::bars({{name, 1}})).all("rect").back()["x"]);
  };
  CHECK(begin_of_bars("8192³") == begin_of_bars("81923"));
  CHECK(begin_of_bars("à-trous") == begin_of_bars("a-trous"));
  CHECK(begin_of_bars("a-trous 2") > begin_of_bars("a-trous"));
}

TEST_CASE("Bars of any finite number have its digits and their length, and others are refused", "[draw]") {
  const auto digits = [](double value, int decimals) {
    const xml document(draw::bars({{"name", value}}, {.decimals = decimals}));
    REQUIRE(document.error == "");
    return document.all("text").back().text;
  };
  CHECK(digits(8e14, 6) == "800000000000000.000000");
  CHECK(digits(-8e14, 6) == "-800000000000000.000000");
  CHECK(digits(9007199254740993.0, 0) == "9007199254740992");
  CHECK(digits(1e22, 0) == "10000000000000000000000");
  CHECK(digits(2251799813685249.5, 9) == "2251799813685249.500000000");
  CHECK(digits(1e300, 9).size() == 311);
  CHECK(digits(5e-324, 9) == "0.000000000");
  CHECK(digits(-0.004, 2) == "0.00");
  CHECK(digits(-0.006, 2) == "-0.01");

  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const double size : {most, least, 1.0, 1e18}) {
    const xml document(draw::bars({{"up", size}, {"down", -size}}, {.width = 100}));
    REQUIRE(document.error == "");
    const std::vector<xml::element> boxes = document.all("rect");
    REQUIRE(boxes.size() == 2);
    CHECK(number(boxes[0]["width"]) == 50);
    CHECK(number(boxes[1]["width"]) == 50);
    CHECK(number(boxes[0]["x"]) == number(boxes[1]["x"]) + 50);
  }

  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double none : {infinity, -infinity, nan}) {
    CHECK(refusal([&] {
            draw::bars({{"", 1}, {"", none}});
          }) == "heddle::draw::bars: isfinite(value) is 0; it must be exactly 1");
    CHECK(refusal([&] {
            draw::bars({{"", 1}}, {.from = none});
          }) == "heddle::draw::bars: isfinite(from) is 0; it must be exactly 1");
  }
  CHECK(refusal([] { draw::bars({}, {.width = 0x7fffffff}); }) ==
        "heddle::draw::bars: width is 2147483647; it must be at most 65536");
}

TEST_CASE("Bars of nothing, or of what equals the line, are a picture, and values are rounded", "[draw]") {
  CHECK(xml(draw::bars({})).error == "");
  CHECK(xml(draw::bars({{"same", 0}})).error == "");
  const xml document(draw::bars({{"a", -0.25}, {"b", 12.06}, {"c", 0.96}}, {.decimals = 1}));
  for (const char* text : {"-0.3", "12.1", "1.0"}) CHECK(shows(document, text));
  CHECK(shows(xml(draw::bars({{"a", 41.7}}, {.decimals = 0})), "42"));
  CHECK(refusal([] { draw::bars({}, {.decimals = 10}); }) ==
        "heddle::draw::bars: decimals is 10; it must be at most 9");
}
