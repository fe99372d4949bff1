#include "draw/xml.hpp"

#include <heddle/draw/page.hpp>

#include <limits>
#include <string>
#include <vector>

#include <heddle/draw/svg.hpp>
#include <heddle/heddle.hpp>

#include "refusal.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::refusal;

namespace {

draw::page example() {
  draw::page page("one & two", "a <subtitle>");
  page.section("tables", "first");
  page.table({"name", "figure"}, {{"a", "1"}, {"<b>", "2"}}, 1);
  page.card("hilbert", "hilbert{grid}", "a curve", draw::svg(hilbert{{3, 4}}, {.title = "hilbert"}));
  page.card("morton", "morton{grid}", "a Z", draw::svg(morton{{3, 4}}, {.wave = 2, .animated = true}));
  page.section("More & more", "with `a < b` in code", {{"a page", "../docs/a page.md"}});
  page.card("row_major", "", "", draw::svg(row_major{{1, 1}}));
  page.note("a `note");
  page.bars({.heading = "bars", .series = {"x", "y"}, .rows = {{"one", {1, 2}}, {"<b>", {4, 0}}}, .line = 1});
  page.table({"name"}, {}, -1, "a <table>", "`c`");
  return page;
}

int classes(const xml& document, const std::string& name) {
  int n = 0;
  for (const xml::element& e : document.elements) n += e["class"] == name;
  return n;
}

}  // namespace

TEST_CASE("A page is one well-formed file that fetches nothing", "[draw]") {
  std::string html = example().str();
  CHECK(xml(html, true).error == "");
  for (std::size_t at; (at = html.find("http://www.w3.org/2000/svg")) != std::string::npos;) html.erase(at, 26);
  for (const char* from_elsewhere : {"http", "src=", "url(", "@import", "<script", "<link"}) {
    CHECK(html.find(from_elsewhere) == std::string::npos);
  }
  for (const xml::element& e : xml(example().str(), true).elements) {
    if (e.name != "a") CHECK(e["href"].empty());  // a link alone fetches nothing
  }
}

TEST_CASE("A page links to its sections, and a section to what it is given", "[draw]") {
  draw::page page = example();
  page.section("more & more", "");
  page.section("", "");
  const xml document(page.str(), true);
  REQUIRE(document.error == "");
  std::vector<std::string> addresses, ids;
  for (const xml::element& link : document.all("a")) addresses.push_back(link["href"]);
  for (const xml::element& heading : document.all("h2")) ids.push_back(heading["id"]);
  CHECK(ids == std::vector<std::string>{"tables", "more---more", "more---more-again", "section"});
  CHECK(addresses ==
        std::vector<std::string>{"#tables", "#more---more", "#more---more-again", "#section", "../docs/a page.md"});

  draw::page short_page("one section");
  short_page.section("one", "");
  CHECK(xml(short_page.str(), true).all("a").empty());
}

TEST_CASE("What is between two backquotes is code, and one backquote alone is itself", "[draw]") {
  const xml document(example().str(), true);
  const auto codes = document.all("code");
  REQUIRE(codes.size() == 4);
  CHECK((codes[2].text == "a < b" && codes[3].text == "c"));
  CHECK(example().str().find("<p class=\"note\">a `note</p>") != std::string::npos);
}

TEST_CASE("Bars of a page are as wide as their values, and the line is at its own", "[draw]") {
  const xml document(example().str(), true);
  std::vector<std::string> widths, lines, values;
  for (const xml::element& e : document.elements) {
    if (e.name == "i" && !e["style"].empty()) widths.push_back(e["style"]);
    if (e.name == "u") lines.push_back(e["style"]);
    if (e.name == "b") values.push_back(e.text);
  }
  CHECK(widths == std::vector<std::string>{"width:25.0%", "width:50.0%", "width:100.0%", "width:0.0%"});
  CHECK(lines == std::vector<std::string>(4, "left:calc((100% - 4.6rem)*25.0/100)"));
  CHECK(values == std::vector<std::string>{"1.00", "2.00", "4.00", "0.00"});
  CHECK(classes(document, "key") == 1);

  draw::page page("bars");
  page.bars({});
  page.bars({.heading = "one", .series = {"one"}, .rows = {{"zero", {0}}, {"none", {}}}, .marked = 1});
  const xml other(page.str(), true);
  CHECK(other.error == "");
  CHECK(classes(other, "key") == 0);
  CHECK(classes(other, "row marked") == 1);
  CHECK(other.all("u").empty());
}

TEST_CASE("Bars of a page refuse what has no length", "[draw]") {
  draw::page page("bars");
  const auto refused = [&](const draw::page_bars& all) { return refusal([&] { page.bars(all); }); };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(refused({.rows = {{"a", {infinity}}}}) == "heddle::draw::page: isfinite(value) is 0; it must be exactly 1");
  CHECK(refused({.rows = {{"a", {-1}}}}) == "heddle::draw::page: (value >= 0) is 0; it must be exactly 1");
  CHECK(refused({.line = infinity}) == "heddle::draw::page: isfinite(line) is 0; it must be exactly 1");
  CHECK(refused({.decimals = 10}) == "heddle::draw::page: decimals is 10; it must be at most 9");
  CHECK(refused({.marked = 0}) == "heddle::draw::page: marked row is 0; it must be at most -1");
}

TEST_CASE("A page shows what was put on it, in order", "[draw]") {
  const draw::page page = example();
  const xml document(page.str(), true);
  CHECK(document.all("title")[0].text == "one & two");
  CHECK(document.all("h1")[0].text == "one & two");
  CHECK(document.all("p")[0].text == "a <subtitle>");
  CHECK(document.all("h2").size() == 2);
  CHECK(document.all("figure").size() == 4);
  CHECK(classes(document, "cards") == 2);
  CHECK(classes(document, "side") == 2);
  std::vector<std::string> names;
  for (const xml::element& name : document.all("h3")) names.push_back(name.text);
  CHECK(names == std::vector<std::string>{"hilbert", "morton", "row_major", "bars", "a <table>"});
  CHECK(page.str() == page.str());
  CHECK(xml(draw::page("empty").str(), true).error == "");
}

TEST_CASE("A table marks one row, or none", "[draw]") {
  const xml document(example().str(), true);
  CHECK(classes(document, "marked") == 1);
  for (std::size_t i = 0; i < document.elements.size(); ++i) {
    if (document.elements[i]["class"] == "marked") CHECK(document.elements[i + 1].text == "<b>");
  }
  draw::page page("tables");
  page.table({"name"}, {{"a"}});
  page.table({"name"}, {});
  CHECK(classes(xml(page.str(), true), "marked") == 0);

  for (const auto& [row, message] : {std::pair{-2, "heddle::draw::page: marked row is -2; it must be at least -1"},
                                     std::pair{1, "heddle::draw::page: marked row is 1; it must be at most 0"}}) {
    CHECK(refusal([&, marked = row] { page.table({"name"}, {{"a"}}, marked); }) == message);
  }
}
