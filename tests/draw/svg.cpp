#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include <heddle/draw/page.hpp>
#include <heddle/draw/svg.hpp>
#include <heddle/heddle.hpp>

#include "test.hpp"

using namespace heddle;

namespace {

/// Strict enough for what we write: tags balance, attributes are quoted and come once, text is escaped.
/// Empty where the document is well-formed.
std::string malformed(const std::string& xml, bool html = false) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '>') return "a bare > at " + std::to_string(i);
    if (xml[i] == '&' && !std::regex_search(xml.substr(i, 8), std::regex("^&(amp|lt|gt|quot);"))) return "a bare &";
    if (xml[i] != '<') continue;
    const std::size_t end = xml.find('>', i);
    if (end == std::string::npos) return "an open tag";
    const std::string tag = xml.substr(i + 1, end - i - 1);
    i = end;
    if (html && (tag[0] == '!' || tag.rfind("meta", 0) == 0)) continue;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
      open.pop_back();
      continue;
    }
    std::smatch match;
    static const std::regex shape(R"(^([a-z][a-zA-Z0-9]*)((?: [a-zA-Z:-]+="[^"<>]*")*)(/?)$)");
    if (!std::regex_match(tag, match, shape)) return "<" + tag + ">";
    std::map<std::string, int> attributes;
    const std::string all = match[2];
    static const std::regex name(R"( ([a-zA-Z:-]+)=)");
    for (std::sregex_iterator a(all.begin(), all.end(), name), none; a != none; ++a) {
      if (++attributes[(*a)[1]] > 1) return "twice in <" + tag + ">";
    }
    if (match[3].length() == 0) open.push_back(match[1]);
    if (html && match[1] == "style") i = xml.find("</style", i) - 1;
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

/// Tiles of each colour, out of the rectangles of the filled paths. Sizes from 8 up, where none are merged.
std::map<std::string, std::vector<std::pair<int, int>>> tiles_by_colour(const std::string& svg, int size) {
  std::map<std::string, std::vector<std::pair<int, int>>> tiles;
  static const std::regex path("<path fill=\"(#[0-9a-f]{6})\" d=\"([^\"]*)\"/>"),
      rectangle("M(\\d+) (\\d+)h\\d+v\\d+h-\\d+z");
  for (std::sregex_iterator p(svg.begin(), svg.end(), path), none; p != none; ++p) {
    const std::string d = (*p)[2];
    for (std::sregex_iterator r(d.begin(), d.end(), rectangle); r != none; ++r) {
      tiles[(*p)[1]].push_back({std::stoi((*r)[2]) / size, std::stoi((*r)[1]) / size});
    }
  }
  return tiles;
}

/// Every step that the lines of a picture make, as {row, col, row, col} of its ends.
std::vector<std::tuple<int, int, int, int>> drawn_steps(const std::string& svg, int size) {
  std::vector<std::tuple<int, int, int, int>> steps;
  static const std::regex path("<path fill=\"none\"[^>]* d=\"([^\"]*)\"/>"), point("([ML])(\\d+) (\\d+)");
  for (std::sregex_iterator p(svg.begin(), svg.end(), path), none; p != none; ++p) {
    const std::string d = (*p)[1];
    int row = 0, col = 0;
    for (std::sregex_iterator at(d.begin(), d.end(), point); at != none; ++at) {
      const int to_row = std::stoi((*at)[3]) / size, to_col = std::stoi((*at)[2]) / size;
      if ((*at)[1] == "L") steps.emplace_back(row, col, to_row, to_col);
      row = to_row;
      col = to_col;
    }
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

template <class Order>
void check_picture(const Order& order) {
  const extent grid = order.grid();
  CAPTURE(grid.rows, grid.cols);
  const std::string svg = draw::svg(order, {.path = true, .tile_size = 20});
  CHECK(malformed(svg) == "");

  std::map<std::pair<int, int>, int> drawn;
  for (const auto& [colour, tiles] : tiles_by_colour(svg, 20)) {
    for (const auto& tile : tiles) ++drawn[tile];
  }
  int once = 0;
  for (const auto& [tile, times] : drawn) once += times == 1 && grid.contains({tile.first, tile.second});
  CHECK(once == grid.size());

  static const std::regex number("<text x=\"(\\d+)\" y=\"(\\d+)\">(\\d+)</text>");
  int right = 0;
  for (std::sregex_iterator n(svg.begin(), svg.end(), number), none; n != none; ++n) {
    right += order(std::stoi((*n)[3])) == coord{std::stoi((*n)[2]) / 20, std::stoi((*n)[1]) / 20};
  }
  CHECK(right == grid.size());

  std::vector<std::tuple<int, int, int, int>> steps;
  for (int i = 1; i < order.size(); ++i) {
    steps.emplace_back(order(i - 1).row, order(i - 1).col, order(i).row, order(i).col);
  }
  std::sort(steps.begin(), steps.end());
  CHECK(drawn_steps(svg, 20) == steps);
}

template <class Build>
std::string refusal(Build build) {
  try {
    build();
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("A picture has every tile once with its index and every step of the order", "[draw]") {
  for (const extent grid : {extent{1, 1}, extent{1, 9}, extent{9, 1}, extent{7, 5}, extent{12, 16}}) {
    check_picture(row_major{grid});
    check_picture(thread_group_tiling{grid, 3, axis::x});
    check_picture(cta_swizzle{grid, 3, axis::y});
    check_picture(hilbert{grid});
    check_picture(dilated{grid, {2, 3}, 2});
    check_picture(reversed{morton{grid}});
    check_picture(transposed{hilbert{grid}});
  }
}

TEST_CASE("A picture of nothing is an empty picture", "[draw]") {
  for (const extent grid : {extent{0, 0}, extent{0, 5}, extent{5, 0}}) {
    for (const bool animated : {false, true}) {
      const std::string svg =
          draw::svg(hilbert{grid}, {.wave = 4, .animated = animated, .path = true, .title = "nothing"});
      CHECK(malformed(svg) == "");
      CHECK(count(svg, "<path") + count(svg, "<text") + count(svg, "<g opacity") == 0);
    }
  }
}

TEST_CASE("Waves have a colour each and an animation has a turn for each", "[draw]") {
  const cta_swizzle order{{7, 9}, 4, axis::x};
  const std::string still = draw::svg(order, {.wave = 10, .tile_size = 20});
  const auto colours = tiles_by_colour(still, 20);
  REQUIRE(colours.size() == 7);
  for (const auto& [colour, tiles] : colours) {
    const int wave = order.index({tiles[0].first, tiles[0].second}) / 10;
    CHECK(tiles.size() == (wave == 6 ? 3u : 10u));
    for (const auto& [row, col] : tiles) CHECK(order.index({row, col}) / 10 == wave);
  }
  CHECK(count(still, "<animate") == 0);

  const std::string moving = draw::svg(order, {.wave = 10, .animated = true});
  CHECK(malformed(moving) == "");
  CHECK(count(moving, "<animate") == 7);
  double last = -1;
  static const std::regex turn("keyTimes=\"0;([0-9.]+);([0-9.]+)\"");
  for (std::sregex_iterator t(moving.begin(), moving.end(), turn), none; t != none; ++t) {
    const double begin = std::stod((*t)[1]), end = std::stod((*t)[2]);
    CHECK(begin > last);
    CHECK(end > begin);
    CHECK(end < 1);
    last = begin;
  }
}

TEST_CASE("First touches are the stripes that a wave fetches", "[draw]") {
  // 8 x 8 in raster, waves of 20: 3 rows and 8 columns, then 3 and 8, then 3 and 8, then 1 and 4.
  const std::string svg = draw::svg(row_major{{8, 8}}, {.wave = 20, .first_touches = true, .tile_size = 20});
  auto tiles = tiles_by_colour(svg, 20);
  const auto both = tiles["#f08c3a"].size(), rows = tiles["#5b9cf0"].size(), cols = tiles["#4fb477"].size();
  CHECK(both == 5);  // the second wave begins amid a row, and its next row brings a column too
  CHECK(both + rows == 3 + 3 + 3 + 1);
  CHECK(both + cols == 8 + 8 + 8 + 4);
  CHECK(both + rows + cols + tiles["#b4bac2"].size() == 64);
}

TEST_CASE("Pictures can stand on one page and say what they are", "[draw]") {
  const std::string svg = draw::svg(hilbert{{3, 4}}, {.wave = 4, .animated = true, .title = "a < b & \"c\""});
  CHECK(malformed(svg) == "");
  CHECK(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>") != std::string::npos);
  for (const char* shared : {" id=", " class=", "<style", "<script", "href", "url("})
    CHECK(svg.find(shared) == std::string::npos);
}

TEST_CASE("Pictures are small", "[draw]") {
  CHECK(draw::svg(hilbert{{16, 16}}).size() < 25000);
  CHECK(draw::svg(hilbert{{64, 64}}, {.wave = 132, .animated = true, .numbers = false}).size() < 120000);
  CHECK(draw::svg(hilbert{{512, 1024}}, {.wave = 1056, .numbers = false, .tile_size = 2}).size() < 3000000);
}

TEST_CASE("A picture is refused for sizes that make none", "[draw]") {
  const row_major order{{3, 4}};
  CHECK(refusal([&] { draw::svg(order, {.wave = -1}); }) == "heddle::draw::svg: wave is -1; it must be at least 0");
  CHECK(refusal([&] { draw::svg(order, {.animated = true}); }) ==
        "heddle::draw::svg: wave of an animation is 0; it must be at least 1");
  CHECK(refusal([&] { draw::svg(order, {.tile_size = 1}); }) ==
        "heddle::draw::svg: tile_size is 1; it must be at least 2");
  CHECK(refusal([&] { draw::svg(order, {.tile_size = 1001}); }) ==
        "heddle::draw::svg: tile_size is 1001; it must be at most 1000");
}

TEST_CASE("A page is one well-formed file that fetches nothing", "[draw]") {
  draw::page page("one & two", "a <subtitle>");
  page.section("tables", "first");
  page.table({"name", "figure"}, {{"a", "1"}, {"<b>", "2"}}, 1);
  page.card("hilbert", "hilbert{grid}", "a curve", draw::svg(hilbert{{3, 4}}));
  page.card("morton", "morton{grid}", "a Z", draw::svg(morton{{3, 4}}, {.wave = 2, .animated = true}));
  page.section("more", "");
  page.card("row_major", "", "", draw::svg(row_major{{1, 1}}));
  const std::string html = page.str();
  CHECK(malformed(html, true) == "");
  CHECK(count(html, "<figure>") == 3);
  CHECK(count(html, "<div class=\"cards\">") == 2);
  CHECK(count(html, "<tr class=\"marked\"><td>&lt;b&gt;</td>") == 1);
  CHECK(html.find("<title>one &amp; two</title>") != std::string::npos);
  std::string rest = html;
  for (std::size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != std::string::npos;) rest.erase(at, 26);
  CHECK(rest.find("http") == std::string::npos);
  CHECK(page.str() == html);
}
