#include <heddle/draw/trace_timeline.hpp>

#include "draw/xml.hpp"
#include "refusal.hpp"
#include "trace/made.hpp"
#include "utf_8.hpp"

using namespace heddle;
using heddle_test::made_report;
using heddle_test::refusal;

namespace {

/// A stretch of a path: from x to the right, in the lane at y.
struct stretch {
  double x, y, wide;
  std::string colour;
};

/// All stretches of the picture's tiles, in the order of the paths.
std::vector<stretch> stretches(const xml& document) {
  std::vector<stretch> all;
  for (const xml::element& path : document.all("path")) {
    if (path["stroke"].empty() || path["stroke"] == "#848d97") continue;  // the lanes, and the ends of launches
    std::istringstream text(path["d"]);
    char move = 0, right = 0;
    stretch next;
    while (text >> move >> next.x >> next.y >> right >> next.wide) {
      next.colour = path["stroke"];
      all.push_back(next);
    }
  }
  return all;
}

std::size_t dashed(const xml& document) {
  const std::vector<xml::element> paths = document.all("path");
  return static_cast<std::size_t>(
      std::count_if(paths.begin(), paths.end(), [](const xml::element& e) { return !e["stroke-dasharray"].empty(); }));
}

}  // namespace

TEST_CASE("The timeline of a trace has each slice where and as long as it ran", "[draw]") {
  const trace::report report = made_report(3, 2, 5, 2, 6);
  const xml document(draw::timeline(report, {.title = "a & b", .heading = "<c>", .width = 2000}));
  REQUIRE(document.error == "");
  std::vector<stretch> found = stretches(document);
  REQUIRE(found.size() == report.slices.size());
  const double begin = report.blocks.front().begin;
  double end = 0, first = report.blocks.front().begin;
  for (const auto& block : report.blocks) {
    end = std::max(end, block.end);
    first = std::min(first, block.begin);
  }
  CHECK(begin >= first);
  for (const auto& slice : report.slices) {
    const double x = 60 + (slice.begin - first) * 2000 / (end - first),
                 wide = (slice.end - slice.begin) * 2000 / (end - first);
    const double y = 26 + (720.0 / 30 > 24 ? 24 : 720.0 / 30) * (2 * slice.sm + slice.place + 0.5);
    const auto at = std::find_if(found.begin(), found.end(), [&](const stretch& each) {
      return std::abs(each.x - x) < 0.02 && std::abs(each.y - y) < 0.02 && std::abs(each.wide - wide) < 0.52;
    });
    REQUIRE(at != found.end());
    found.erase(at);
  }
  CHECK(dashed(document) == 2);
}

TEST_CASE("Tiles of a trace are coloured by their place in the order", "[draw]") {
  trace::report report = made_report(1, 1, 1, 1, 500);
  const std::vector<stretch> found = stretches(xml(draw::timeline(report)));
  REQUIRE(found.size() == 500);
  // Places go up with time here, and paths go through the colours: so x rises from the first stretch to the last.
  for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i - 1].x <= found[i].x);
  std::set<std::string> colours;
  for (const stretch& each : found) colours.insert(each.colour);
  CHECK(colours.size() == 64);
}

TEST_CASE("A timeline shows one launch of a trace and thousands of tiles stay small", "[draw]") {
  const trace::report report = made_report(2, 3, 132, 2, 40);
  const std::string one = draw::timeline(report, {.launch = 1});
  const xml document(one);
  REQUIRE(document.error == "");
  CHECK(stretches(document).size() == 132 * 2 * 40);
  CHECK(dashed(document) == 1);
  CHECK(one.size() < 25 * 132 * 2 * 40);
  std::vector<double> labels;
  for (const xml::element& text : document.all("text")) {
    if (text.text.find("SM ") == 0) labels.push_back(std::stod(text["y"]));
  }
  REQUIRE(labels.size() > 20);
  for (std::size_t i = 1; i < labels.size(); ++i) CHECK(labels[i] - labels[i - 1] >= 13);
  CHECK(std::stod(document.elements[0]["height"]) < 800);
}

TEST_CASE("A picture is UTF-8 and XML whatever bytes its names have", "[draw]") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = {static_cast<char>(byte), static_cast<char>(0xff - byte), 'a'};
    const std::string picture =
        draw::timeline(heddle_test::made_report(1, 1, 1, 1, 3), {.title = name, .heading = "ü" + name});
    CHECK(heddle_test::is_utf_8(picture));
    CHECK(xml(picture).error == "");
  }
}

TEST_CASE("A timeline of an empty trace is a picture and sizes and launches that it cannot have are refused",
          "[draw]") {
  CHECK(xml(draw::timeline(trace::report{})).error == "");
  trace::report idle;
  idle.launches = {{9, 1, 1, 0, 0, 0, 32}};
  idle.blocks = {{0, 0, 0, 0, 0, 0, 0, 0, 0}};
  CHECK(xml(draw::timeline(idle)).error == "");
  CHECK(refusal([] { draw::timeline(trace::report{}, {.launch = 0}); }) ==
        "heddle::draw::timeline: launch is 0; it must be at most -1");
  trace::report made = heddle_test::made_report(1, 1, 1, 1, 3);
  made.slices[1].index = -5;
  CHECK(refusal([&] { draw::timeline(made); }) ==
        "heddle::draw::timeline: the index of a slice is -5; it must be at least 0");
  CHECK(refusal([] { draw::timeline(trace::report{}, {.width = 99}); }) ==
        "heddle::draw::timeline: width is 99; it must be at least 100");
  CHECK(refusal([] { draw::timeline(trace::report{}, {.height = 70000}); }) ==
        "heddle::draw::timeline: height is 70000; it must be at most 65536");
  CHECK(refusal([] { draw::timeline(trace::report{}, {.width = 70000}); }) ==
        "heddle::draw::timeline: width is 70000; it must be at most 65536");
  CHECK(refusal([] { draw::timeline(trace::report{}, {.height = 99}); }) ==
        "heddle::draw::timeline: height is 99; it must be at least 100");
}
