#include "draw/xml.hpp"

#include <heddle/draw/timeline.hpp>

#include "refusal.hpp"

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

TEST_CASE("Names take as much room as they have characters, not bytes", "[draw]") {
  const auto begin_of_work = [](const char* name) {
    return number(xml(draw::timeline({{name, {{0, 1, 0}}}})).all("rect").back()["x"]);
  };
  CHECK(begin_of_work("8192³") == begin_of_work("81923"));
  CHECK(begin_of_work("à-trous") == begin_of_work("a-trous"));
  CHECK(begin_of_work("a-trous 2") > begin_of_work("a-trous"));
}

TEST_CASE("Any finite number is written with its digits", "[draw]") {
  using draw::detail::rounded;
  CHECK(rounded(8e14, 6) == "800000000000000.000000");
  CHECK(rounded(-8e14, 6) == "-800000000000000.000000");
  CHECK(rounded(9007199254740993.0, 0) == "9007199254740992");
  CHECK(rounded(1e22, 0) == "10000000000000000000000");
  CHECK(rounded(2251799813685249.5, 9) == "2251799813685249.500000000");
  CHECK(rounded(1e300, 9).size() == 311);
  CHECK(rounded(5e-324, 9) == "0.000000000");
  CHECK(rounded(-0.004, 2) == "0.00");
  CHECK(rounded(-0.006, 2) == "-0.01");
}
