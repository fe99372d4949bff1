#include "draw/xml.hpp"

#include <heddle/draw/page.hpp>

#include <string>

#include <heddle/draw/svg.hpp>
#include <heddle/heddle.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

draw::page example() {
  draw::page page("one & two", "a <subtitle>");
  page.section("tables", "first");
  page.table({"name", "figure"}, {{"a", "1"}, {"<b>", "2"}}, 1);
  page.card("hilbert", "hilbert{grid}", "a curve", draw::svg(hilbert{{3, 4}}, {.title = "hilbert"}));
  page.card("morton", "morton{grid}", "a Z", draw::svg(morton{{3, 4}}, {.wave = 2, .animated = true}));
  page.section("more", "");
  page.card("row_major", "", "", draw::svg(row_major{{1, 1}}));
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
  for (const char* from_elsewhere : {"http", "src=", "href=", "url(", "@import", "<script", "<link"}) {
    CHECK(html.find(from_elsewhere) == std::string::npos);
  }
}

TEST_CASE("A page shows what was put on it, in order", "[draw]") {
  const draw::page page = example();
  const xml document(page.str(), true);
  CHECK(document.all("title")[0].text == "one & two");
  CHECK(document.all("h1")[0].text == "one & two");
  CHECK(document.all("p")[0].text == "a <subtitle>");
  CHECK(document.all("h2").size() == 2);
  CHECK(document.all("figure").size() == 3);
  CHECK(classes(document, "cards") == 2);
  const auto names = document.all("h3");
  REQUIRE(names.size() == 3);
  CHECK((names[0].text == "hilbert" && names[1].text == "morton" && names[2].text == "row_major"));
  CHECK(document.all("code").size() == 2);
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
    std::string refusal;
    try {
      page.table({"name"}, {{"a"}}, row);
    } catch (const invalid_argument& error) {
      refusal = error.what();
    }
    CHECK(refusal == message);
  }
}
