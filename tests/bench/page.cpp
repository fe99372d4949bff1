// The pages and charts of the demo and of benchmarks.

#include "page/page.hpp"

#include <heddle/draw/svg.hpp>
#include <heddle/order.hpp>

#include "draw/xml.hpp"
#include "test.hpp"

using namespace heddle_bench;

namespace {

page example() {
  page made("one & two", "a <subtitle>");
  made.section("tables", "first");
  made.table({"name", "figure"}, {{"a", "1"}, {"<b>", "2"}}, 1);
  made.card("hilbert", "hilbert{grid}", "a curve", heddle::draw::svg(heddle::hilbert{{3, 4}}, {.title = "hilbert"}));
  made.section("More & more", "with `a < b` in code", {{"a page", "../docs/a page.md"}});
  made.card("row_major", "", "", heddle::draw::svg(heddle::row_major{{1, 1}}));
  made.note("a `note");
  made.bars({.heading = "bars", .series = {"x", "y"}, .rows = {{"one", {1, 2}}, {"<b>", {4, NAN}}}, .line = 1});
  made.dots({.heading = "dots", .series = {"x", "y"}, .rows = {{"one", {1, 4}, {2, NAN}}}, .record = "as it was"});
  made.strips({.heading = "strips", .rows = {{"one", {0.5, 1, 2}, {1, 1.5}, "a <remark>"}}});
  made.lines("lines", {{"<l>", {{1, 2}, {2, 3}}}, {"<l>", {{1, 3}, {2, 2}}, false, true, 0}}, {.x = "x", .y = "<y>"},
             "then");
  made.table({"name"}, {}, -1, "a <table>", "`c`");
  made.wide_table({"name", "time", "what"}, {{"a", "1\n2, ▲ 2.00×", "words"}, {"b", "3\n2, ▼ 0.67×", ""}}, "more");
  return made;
}

std::vector<xml::element> of_class(const xml& document, const std::string& name) {
  std::vector<xml::element> found;
  for (const xml::element& e : document.elements) {
    if (e["class"] == name) found.push_back(e);
  }
  return found;
}

/// Per cent from the left, of a mark.
double place(const xml::element& mark) {
  const std::string style = mark["style"];
  return std::stod(style.substr(style.find(':') + 1));
}

/// The corners of the lines of a chart.
std::vector<std::vector<std::pair<int, int>>> corners(const std::string& chart) {
  std::vector<std::vector<std::pair<int, int>>> lines;
  for (const xml::element& path : xml(chart).all("path")) {
    if (path["stroke-width"] != "2") continue;
    lines.emplace_back();
    std::istringstream in(path["d"].substr(1));
    for (std::pair<int, int> next; in >> next.first >> next.second;) lines.back().push_back(next);
  }
  return lines;
}

bool shows(const xml& document, const std::string& text) {
  const std::vector<xml::element> texts = document.all("text");
  return std::any_of(texts.begin(), texts.end(), [&](const xml::element& e) { return e.text == text; });
}

}  // namespace

TEST_CASE("A page is one well-formed file that fetches nothing", "[bench]") {
  std::string html = example().str();
  CHECK(xml(html, true).error == "");
  CHECK(xml(page("empty").str(), true).error == "");
  for (std::size_t at; (at = html.find("http://www.w3.org/2000/svg")) != std::string::npos;) html.erase(at, 26);
  for (const char* from_elsewhere : {"http", "src=", "url(", "@import", "<script", "<link"}) {
    CHECK(html.find(from_elsewhere) == std::string::npos);
  }
}

TEST_CASE("A page shows what was put on it, in order, and links to its sections", "[bench]") {
  const xml document(example().str(), true);
  REQUIRE(document.error == "");
  CHECK(document.all("title")[0].text == "one & two");
  CHECK(document.all("p")[0].text == "a <subtitle>");
  std::vector<std::string> names, addresses, ids, codes;
  for (const xml::element& name : document.all("h3")) names.push_back(name.text);
  for (const xml::element& link : document.all("a")) addresses.push_back(link["href"]);
  for (const xml::element& heading : document.all("h2")) ids.push_back("#" + heading["id"]);
  for (const xml::element& code : document.all("code")) codes.push_back(code.text);
  CHECK(names == std::vector<std::string>{"hilbert", "row_major", "bars", "dots", "strips", "lines", "a <table>"});
  REQUIRE(ids.size() == 2);
  CHECK(addresses == std::vector<std::string>{ids[0], ids[1], "../docs/a page.md"});
  CHECK(codes == std::vector<std::string>{"hilbert{grid}", "a < b", "c"});
  CHECK(of_class(document, "note")[0].text == "a `note");
}

TEST_CASE("A table marks one row, and a cell has its small part below it", "[bench]") {
  const xml document(example().str(), true);
  REQUIRE(of_class(document, "marked").size() == 1);
  for (std::size_t i = 0; i < document.elements.size(); ++i) {
    if (document.elements[i]["class"] == "marked") CHECK(document.elements[i + 1].text == "<b>");
  }
  CHECK(of_class(document, "better")[0].text == "▲ 2.00×");
  CHECK(of_class(document, "worse")[0].text == "▼ 0.67×");
  CHECK(of_class(document, "words").size() == 3);  // a column, with its header
}

TEST_CASE("Bars are as wide as their values, and dots of equal factors stand equally apart", "[bench]") {
  const xml document(example().str(), true);
  std::vector<double> bars, dots;
  std::vector<std::string> values;
  for (const xml::element& e : document.elements) {
    if (e["style"].rfind("width:", 0) == 0) bars.push_back(place(e));
    if (e.name == "b") values.push_back(e.text);
  }
  CHECK(bars == std::vector<double>{25, 50, 100});
  CHECK(values == std::vector<std::string>{"1.000", "2.000", "4.000"});
  CHECK(place(of_class(document, "at")[0]) == 25);
  for (const char* kind : {"dot m0 c0", "tick m0 c0", "dot m1 c1"}) {
    for (const xml::element& e : of_class(document, kind)) {
      if (!e["style"].empty()) dots.push_back(place(e));
    }
  }
  REQUIRE(dots.size() == 3);  // 1, 2 and 4
  CHECK(std::abs(dots[2] - dots[1] - (dots[1] - dots[0])) < 0.3);
  CHECK(dots[1] > dots[0] + 10);
  for (const char* side : {"many dot m0 c1", "many dot m0 c4", "many dot m0 c2"})
    CHECK(of_class(document, side).size() == 1);
  CHECK(place(of_class(document, "many dot m0 c4")[0]) == place(of_class(document, "tick ink").back()));
}

TEST_CASE("A chart rises where its lines rise, and equal factors are equal steps", "[bench]") {
  const series one{"one & <other>", {{1, 1}, {2, 2}, {4, 4}, {16, 16}}}, flat{"flat", {{1, 3}, {16, 3}}};
  const std::string drawn = chart({one, flat}, {.title = "A \"chart\"", .x = "clocks", .y = "times", .line = 1});
  const xml document(drawn);
  REQUIRE(document.error == "");
  const auto lines = corners(drawn);
  REQUIRE((lines.size() == 2 && lines[0].size() == 4));
  const int step = lines[0][1].first - lines[0][0].first, rise = lines[0][0].second - lines[0][1].second;
  CHECK((step > 0 && rise > 0));
  CHECK(std::abs(lines[0][2].first - lines[0][1].first - step) <= 1);
  CHECK(std::abs(lines[0][3].first - lines[0][2].first - 2 * step) <= 2);
  CHECK(std::abs(lines[0][2].second - lines[0][3].second - 2 * rise) <= 2);
  CHECK(lines[1][0].second == lines[1][1].second);
  CHECK((lines[1][0].second < lines[0][1].second && lines[1][0].second > lines[0][2].second));  // 3 is between 2 and 4
  for (const char* text : {"1", "2", "4", "16", "clocks", "times", "flat", "one & <other>"})
    CHECK(shows(document, text));
  CHECK(!shows(xml(chart({one, flat}, {.named = false})), "flat"));
}

TEST_CASE("The names of lines that end together stand apart, each within the picture", "[bench]") {
  std::vector<series> together;
  for (int i = 0; i < 12; ++i) together.push_back({"line " + std::to_string(i), {{1, 1}, {1024, i < 6 ? 1 : 1.0 + i}}});
  together.push_back({"early", {{1, 3}, {2, 3}}});
  const xml document(chart(together, {}));
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

TEST_CASE("A chart has dashes, dots, twins and a line across where it is told to", "[bench]") {
  const auto count = [](const std::vector<series>& all, double line, const char* attribute, const char* value) {
    int found = 0;
    for (const xml::element& path : xml(chart(all, {.line = line})).all("path")) found += path[attribute] == value;
    return found;
  };
  const series plain{"plain", {{1, 2}, {2, 2}}}, dashed{"other", {{1, 2}, {2, 4}}, true},
      dots{"dots", {{1, 2}, {2, 4}}, false, false}, twin{"", {{1, 2}, {2, 4}}, false, true, 0};
  for (const double line : {0.0, 3.0}) CHECK(count({plain, dashed}, line, "stroke-dasharray", "6 4") == (line > 0));
  CHECK(count({plain, dashed}, 0, "stroke-dasharray", "7 4") == 1);
  CHECK(count({plain, twin}, 0, "stroke-dasharray", "2 3") == 1);
  CHECK((count({plain, dots}, 0, "stroke-linecap", "round") == 1 && count({dots}, 0, "stroke-width", "2") == 0));
  CHECK(xml(chart({}, {})).error == "");
  CHECK(xml(chart({{"none", {}}, {"one", {{5, 0.25}}}}, {.line = 0.5})).error == "");
}

TEST_CASE("The ticks of a scale are round, within it, at most as many as asked for, and rise", "[bench]") {
  for (const double low : {0.003, 0.97, 1.0, 13.0, 8192.0}) {
    for (const double factor : {1.0, 1.02, 1.9, 2.5, 40.0, 1e6, 1e9}) {
      const scale axis(low, low * factor);
      const std::vector<double> ticks = axis.ticks(7);
      CAPTURE(low, factor);
      CHECK((ticks.size() >= 2 && ticks.size() <= 7));
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        CHECK((axis(ticks[i]) >= -1e-6 && axis(ticks[i]) <= 1 + 1e-6));
        if (i > 0) CHECK(ticks[i] > ticks[i - 1]);
        const double digits = ticks[i] / std::pow(10, std::floor(std::log10(ticks[i])) - 3);
        CHECK(std::abs(digits - std::round(digits)) < 1e-3);
      }
    }
  }
  CHECK(std::abs(scale(1, 4)(2) - 0.5) < 1e-9);
}

TEST_CASE("Numbers have three or four digits, and those of axes few", "[bench]") {
  std::string numbers, ticks;
  for (const double value : {0.0, 0.00563, 0.5, 1.0351, 12.345, 999.94, 1234.4, -1234567.0}) {
    numbers += number_text(value) + " ";
  }
  for (const double value : {0.25, 0.0, 100.0, 9000.0, 20000.0, 1.5e6, 3e9}) ticks += short_number(value) + " ";
  CHECK(numbers == "0.000 0.00563 0.500 1.035 12.35 999.9 1,234 -1,234,567 ");
  CHECK(ticks == "0.25 0 100 9000 20K 1.5M 3G ");
}
