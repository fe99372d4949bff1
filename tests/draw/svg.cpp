#include "draw/xml.hpp"

#include <heddle/draw/svg.hpp>
#include <heddle/draw/text.hpp>

#include <heddle/heddle.hpp>

#include "order/groups.hpp"
#include "order/groups_on_host.hpp"
#include "recipes.hpp"
#include "refusal.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

struct place {
  double x, y;
};

struct segment {
  place from, to;
};

/// The place of an element: the sum of its own translation and those of the elements around it.
place origin(const xml& document, const xml::element& e) {
  place sum{0, 0};
  for (const xml::element* at = &e;; at = &document.elements[static_cast<unsigned>(at->parent)]) {
    std::string transform = (*at)["transform"];
    if (!transform.empty()) {
      REQUIRE(transform.substr(0, 10) == "translate(");
      std::istringstream in(transform.substr(10));
      double x = 0, y = 0;
      in >> x >> y;
      sum = {sum.x + x, sum.y + y};
    }
    if (at->parent < 0) return sum;
  }
}

/// The lines of a path, in coordinates of the picture.
std::vector<segment> lines(const xml& document, const xml::element& path) {
  const auto [x0, y0] = origin(document, path);
  std::vector<segment> result;
  std::istringstream in(path["d"]);
  place at{0, 0};
  for (char command; in >> command;) {
    place to = at;
    if (command == 'M' || command == 'L') {
      in >> to.x >> to.y;
      to = {to.x + x0, to.y + y0};
    } else {
      double length = 0;
      in >> length;
      REQUIRE((command == 'h' || command == 'v'));
      (command == 'h' ? to.x : to.y) += length;
    }
    REQUIRE_FALSE(in.fail());
    if (command != 'M') result.push_back({at, to});
    at = to;
  }
  return result;
}

bool is_colour(const std::string& text) {
  return text.size() == 7 && text[0] == '#';
}

/// Rows and columns of the tiles of each colour: the dashes of thick lines. The margins are row and column -1.
std::map<std::string, std::vector<std::pair<int, int>>> tiles_by_colour(const xml& document, int size, int margin = 0) {
  const int gap = size >= 8 ? 1 : 0;
  std::map<std::string, std::vector<std::pair<int, int>>> tiles;
  for (const xml::element& path : document.all("path")) {
    if (!is_colour(path["stroke"]) || !path["stroke-opacity"].empty() || !path["transform"].empty()) continue;
    for (const auto& [from, to] : lines(document, path)) {
      CHECK(from.y == to.y);
      const double row = (from.y - (size - gap) / 2.0) / size, col = from.x / size, cols = (to.x - from.x) / size;
      CHECK(row == std::floor(row));
      CHECK(col == std::floor(col));
      CHECK(cols == std::floor(cols));
      for (int i = 0; i < static_cast<int>(cols); ++i) {
        tiles[path["stroke"]].push_back({static_cast<int>(row) - margin, static_cast<int>(col) + i - margin});
      }
    }
  }
  return tiles;
}

/// Steps as {row, col, row, col}, in the order in which they are drawn. Straight runs are taken apart.
std::vector<std::tuple<int, int, int, int>> drawn_steps(const xml& document, int size) {
  std::vector<std::tuple<int, int, int, int>> steps;
  const double middle = (size - (size >= 8 ? 1 : 0)) / 2.0;
  const auto cell = [&](double x) {
    const double n = (x - middle) / size;
    CHECK(n == std::floor(n));
    return static_cast<int>(n);
  };
  for (const xml::element& path : document.all("path")) {
    if (path["stroke-opacity"].empty() || !path["stroke"].empty()) continue;
    for (const auto& [from, to] : lines(document, path)) {
      int row = cell(from.y), col = cell(from.x);
      const int to_row = cell(to.y), to_col = cell(to.x);
      const bool straight = row == to_row || col == to_col;
      const bool is_run = straight && path["stroke-opacity"] == ".62";
      while (row != to_row || col != to_col) {
        const int next_row = is_run ? row + (to_row > row) - (to_row < row) : to_row;
        const int next_col = is_run ? col + (to_col > col) - (to_col < col) : to_col;
        steps.emplace_back(row, col, next_row, next_col);
        row = next_row;
        col = next_col;
      }
    }
  }
  return steps;
}

/// Rows and columns in the picture of a grid.
struct alone {
  coord operator()(coord tile) const { return tile; }
};

/// Rows and columns in the picture of a batch or of groups: from the corner of the plane or the group, which is below
/// its caption.
struct below_captions {
  std::vector<coord> corners;

  below_captions(const xml& document, int size, int planes, int margin = 0, const std::string& name = "plane ") {
    for (const xml::element& text : document.all("text")) {
      if (text.text.rfind(name, 0) != 0) continue;
      CHECK(text.text == name + std::to_string(corners.size()));
      const auto [x, y] = origin(document, text);
      const int left = static_cast<int>(x) + std::stoi(text["x"]), top = static_cast<int>(y) + std::stoi(text["y"]) + 7;
      CHECK((left % size == 0 && top % size == 0 && top >= 20));
      CHECK(left + 0.6 * 13 * static_cast<double>(text.text.size()) <= std::stoi(document.elements[0]["width"]) + 1);
      corners.push_back({top / size + margin, left / size + margin});
    }
    REQUIRE(corners.size() == static_cast<unsigned>(planes));
  }

  coord operator()(batch_coord tile) const {
    const coord corner = corners[static_cast<unsigned>(tile.batch)];
    return {corner.row + tile.row, corner.col + tile.col};
  }
  coord operator()(group_coord tile) const { return (*this)(batch_coord{tile.group, tile.row, tile.col}); }
};

template <class Order, class Place = alone>
std::vector<std::tuple<int, int, int, int>> steps_of(const Order& order, const Place& place = {}) {
  std::vector<std::tuple<int, int, int, int>> steps;
  for (int i = 1; i < order.size(); ++i) {
    const coord from = place(order(i - 1)), to = place(order(i));
    steps.emplace_back(from.row, from.col, to.row, to.col);
  }
  return steps;
}

bool is_number(const xml::element& text) {
  return text.text.find_first_not_of("0123456789") == std::string::npos;
}

/// The numbers of a picture with margins, by the row and the column of each.
std::map<std::pair<int, int>, int> counts_in(const xml& document) {
  std::map<std::pair<int, int>, int> counted;
  for (const xml::element& number : document.all("text")) {
    if (is_number(number))
      counted[{std::stoi(number["y"]) / 28 + 1, std::stoi(number["x"]) / 28 + 1}] = std::stoi(number.text);
  }
  return counted;
}

const draw::svg_options plain_waves_and_animated[] = {
    {.tile_size = 30}, {.wave = 5, .tile_size = 31}, {.wave = 7, .animated = true, .tile_size = 28}};

/// Every tile once, in its place and with its index, and every step.
template <class Order, class Place>
void check_tiles(const xml& document, const Order& order, int size, const Place& place) {
  const auto space = order.space();
  std::map<std::pair<int, int>, int> drawn, expected;
  for (const auto& [colour, tiles] : tiles_by_colour(document, size)) {
    for (const auto& tile : tiles) ++drawn[tile];
  }
  for (int n = 0; n < space.size(); ++n) {
    const coord at = place(space.tile(n));
    ++expected[{at.row, at.col}];
  }
  CHECK(expected.size() == static_cast<unsigned>(space.size()));
  CHECK(drawn == expected);

  const double wide = std::stod(document.elements[0]["width"]), high = std::stod(document.elements[0]["height"]);
  int inside = 0;
  for (const auto& [tile, times] : drawn) {
    inside +=
        0 <= tile.first && (tile.first + 1) * size <= high && 0 <= tile.second && (tile.second + 1) * size <= wide;
  }
  CHECK(inside == space.size());

  int right = 0;
  for (const xml::element& number : document.all("text")) {
    if (!is_number(number)) continue;
    const auto [x, y] = origin(document, number);
    const int col = static_cast<int>(x + std::stod(number["x"])) / size;
    const int row = static_cast<int>(y + std::stod(number["y"])) / size;
    right += place(order(std::stoi(number.text))) == coord{row, col};
  }
  CHECK(right == space.size());

  auto steps = drawn_steps(document, size), expected_steps = steps_of(order, place);
  std::sort(steps.begin(), steps.end());
  std::sort(expected_steps.begin(), expected_steps.end());
  CHECK(steps == expected_steps);
}

/// The picture of an order of a grid or of a triangle is as large as the grid.
template <class Order>
void check_picture(const Order& order, extent grid, draw::svg_options options) {
  const int size = options.tile_size;
  CAPTURE(grid.rows, grid.cols, size, options.wave, options.animated);
  options.path = true;
  const xml document(draw::svg(order, options));
  REQUIRE(document.error == "");
  CHECK(document.elements[0]["width"] == std::to_string(grid.cols * size));
  CHECK(document.elements[0]["height"] == std::to_string(grid.rows * size));
  check_tiles(document, order, size, alone{});
}
template <grid_order Order>
void check_picture(const Order& order, draw::svg_options options) {
  check_picture(order, order.space(), options);
}

/// The picture of an order of planes that are called `name`.
template <class Order>
void check_picture_of_planes(const Order& order, draw::svg_options options, const std::string& name) {
  const int count = order.space().count();
  CAPTURE(count, order.size(), options.tile_size, options.wave, options.animated);
  options.path = true;
  const xml document(draw::svg(order, options));
  REQUIRE(document.error == "");
  const below_captions place(document, options.tile_size, count, 0, name);
  check_tiles(document, order, options.tile_size, place);
  const bool in_one_column = place.corners.front().col == place.corners.back().col;
  CHECK((std::stoi(document.elements[0]["width"]) <= 900 || in_one_column));
}

template <class Order>
void check_picture_of_batch(const Order& order, draw::svg_options options) {
  CAPTURE(order.space().plane().size());
  check_picture_of_planes(order, options, "plane ");
}

/// The contrast of two colours as WCAG defines it.
double contrast(const std::string& a, const std::string& b) {
  const auto luminance = [](const std::string& colour) {
    const auto channel = [&](unsigned i) {
      const double c = std::stoi(colour.substr(i, 2), nullptr, 16) / 255.0;
      return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  };
  const double x = luminance(a), y = luminance(b);
  return ((std::max)(x, y) + 0.05) / ((std::min)(x, y) + 0.05);
}

/// The rules of a style sheet, by name.
std::map<std::string, std::string> rules(const xml& document) {
  std::map<std::string, std::string> result;
  for (const xml::element& style : document.all("style")) {
    std::istringstream in(style.text);
    for (std::string line; std::getline(in, line);) {
      if (!line.empty()) CHECK(result.emplace(line.substr(0, line.rfind('{', line.find("0%"))), line).second);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("A picture has every tile once with its index and every step of the order", "[draw]") {
  for (const extent grid : {extent{1, 1}, extent{1, 9}, extent{9, 1}, extent{7, 5}, extent{12, 16}}) {
    for (const draw::svg_options& options : plain_waves_and_animated) {
      for (const recipe& by : recipes) {
        with_recipe(by, grid, [&](const auto& order) { check_picture(order, options); });
      }
    }
  }
}

TEST_CASE("A picture of a triangle has its tiles, and none beside it", "[draw]") {
  for (const draw::svg_options& options : plain_waves_and_animated) {
    for (const side kept : {side::lower, side::upper}) {
      const triangle square(10, kept), wide{4, 9, 5, kept}, tall{9, 4, -2, kept};
      check_picture(triangular{thread_group_tiling{square.folded(), 2, axis::x}, square}, {10, 10}, options);
      for (const triangle& space : {square, wide, tall}) {
        const triangular order{cta_swizzle{space.folded(), 3, axis::y}, hilbert{space.full()}, space};
        check_picture(order, {space.rows(), space.cols()}, options);
        check_picture(transposed{reversed{order}}, {space.cols(), space.rows()}, options);
      }
    }
  }
  const triangle space{4};
  const xml animated(draw::svg(triangular{row_major{space.folded()}, space}, {.wave = 4, .animated = true}));
  CHECK(lines(animated, animated.all("path")[0]).size() == 4);  // the background: a line per row, as long as the row
  CHECK(lines(animated, animated.all("path")[0])[1].to.x == 2 * 28);
}

TEST_CASE("A picture of a batch has every plane once, below its name", "[draw]") {
  const triangle half{6};
  for (const draw::svg_options& options : plain_waves_and_animated) {
    for (const int count : {1, 2, 3, 7, 12, 101}) {
      for (const extent plane : {extent{1, 1}, extent{3, 5}, extent{1, 9}}) {
        check_picture_of_batch(batched{hilbert{plane}, count}, options);
        check_picture_of_batch(batched{column_major{plane}, count, 3}, options);
      }
    }
    check_picture_of_batch(batched{row_major{{2, 40}}, 3, 2}, options);  // wider than a page: one below the other
    check_picture_of_batch(batched{triangular{row_major{half.folded()}, half}, 5, 2}, options);
    const tile_table::entries entries = make_tile_table(batched{hilbert{{3, 5}}, 4});
    check_picture_of_batch(any_order{batch{4, extent{3, 5}}, entries.data()}, options);
  }
  // Small tiles have no numbers, but names.
  const xml small(draw::svg(batched{row_major{{64, 64}}, 9}, {.numbers = false, .tile_size = 2}));
  CHECK(small.all("text").size() == 9);
  below_captions(small, 2, 9);
}

TEST_CASE("A picture of groups has every group once, below its name, also one without rows", "[draw]") {
  const std::vector<std::vector<int>> sizes{{5}, {0, 7, 0}, {3, 0, 9, 1, 4}, std::vector<int>(40, 2)};
  for (const draw::svg_options& options : plain_waves_and_animated) {
    for (const std::vector<int>& rows : sizes) {
      for (const auto sequence : {group_sequence::as_numbered, group_sequence::heaviest_first}) {
        const std::vector<int> ends = ends_of(rows);
        const group_shape shape{.rows = ends.back(), .groups = std::ssize(rows), .tile_rows = 2, .cols = 3};
        const groups_on_host groups(shape, ends, 2, axis::y, sequence);
        check_picture_of_planes(groups.order(), options, "group ");
        check_picture_of_planes(reversed{groups.order()}, options, "group ");
      }
    }
  }
  const group_shape shape{.rows = 9, .groups = 3, .tile_rows = 2, .cols = 3};
  const groups_on_host none(shape, {0, 0, 0}, 2, axis::y, group_sequence::as_numbered);
  CHECK(xml(draw::svg(none.order(), {.path = true})).all("text").empty());
  CHECK(draw::text(none.order()) == "");
  alignas(16) char state[16];
  const grouped unprepared(shape, state);
  CHECK(refusal([&] { draw::svg(unprepared); }) ==
        "heddle::grouped: size() is known to the device alone; most_tiles(order) bounds it");
}

TEST_CASE("Each group has stripes of its own, and a group without rows has none", "[draw]") {
  const group_shape shape{.rows = 6, .groups = 3, .tile_rows = 2, .cols = 3};
  const groups_on_host groups(shape, {4, 4, 6}, 1, axis::y, group_sequence::as_numbered);
  const xml document(draw::svg(groups.order(), {.wave = 3, .first_touches = true, .numbers = false}));
  REQUIRE(document.error == "");
  const below_captions place(document, 28, 3, 1, "group ");
  std::map<std::pair<int, int>, int> counted = counts_in(document), expected;
  // A wave is a row of tiles: it needs the row once, and the three columns.
  const auto expect = [&](int group, int rows) {
    const auto at = [&](int row, int col) {
      const coord found = place(group_coord{group, row, col});
      return std::pair{found.row, found.col};
    };
    expected[at(-1, -1)] = 4 * rows;
    for (int row = 0; row < rows; ++row) expected[at(row, -1)] = 1;
    for (int col = 0; col < 3; ++col) expected[at(-1, col)] = rows;
  };
  expect(0, 2);
  expect(2, 1);
  CHECK(counted == expected);
}

TEST_CASE("Waves of a batch go on from plane to plane", "[draw]") {
  const batched order{cta_swizzle{{4, 5}, 2, axis::x}, 3, 2};
  const xml document(draw::svg(order, {.wave = 8}));
  const below_captions place(document, 28, 3);
  const auto colours = tiles_by_colour(document, 28);
  REQUIRE(colours.size() == 8);
  std::map<std::pair<int, int>, std::string> colour_of;
  for (const auto& [colour, tiles] : colours) {
    for (const auto& tile : tiles) colour_of[tile] = colour;
  }
  for (int i = 0; i < order.size(); ++i) {
    const coord at = place(order(i)), first = place(order(i / 8 * 8));
    CHECK(colour_of[{at.row, at.col}] == colour_of[{first.row, first.col}]);
  }
}

TEST_CASE("Each plane of a batch has stripes of its own", "[draw]") {
  const batched order{row_major{{3, 4}}, 2, 2};
  const xml both(draw::svg(order, {.wave = 8, .first_touches = true, .numbers = false}));
  REQUIRE(both.error == "");
  const below_captions place(both, 28, 2, 1);
  // A wave of eight, half of it from each plane, is a wave of four of either plane.
  const auto alone_drawn =
      tiles_by_colour(xml(draw::svg(row_major{{3, 4}}, {.wave = 4, .first_touches = true, .numbers = false})), 28, 1);
  std::map<std::string, std::set<std::pair<int, int>>> expected, drawn;
  for (const auto& [colour, tiles] : alone_drawn) {
    for (const auto& [row, col] : tiles) {
      for (const int plane : {0, 1}) {
        const coord at = place(batch_coord{plane, row, col});
        expected[colour].insert({at.row, at.col});
      }
    }
  }
  for (const auto& [colour, tiles] : tiles_by_colour(both, 28)) drawn[colour].insert(tiles.begin(), tiles.end());
  CHECK(drawn == expected);

  std::map<std::pair<int, int>, int> counted = counts_in(both);
  for (const int plane : {0, 1}) {
    const coord at = place(batch_coord{plane, -1, -1});
    CHECK(counted[{at.row, at.col}] == 3 + 3 * 4);  // a wave per row, which needs all columns
  }
  CHECK(counted.size() == 2 * (1 + 3 + 4));
}

TEST_CASE("The path of a picture visits tiles in order", "[draw]") {
  const hilbert curve{{8, 8}};
  CHECK(drawn_steps(xml(draw::svg(curve, {.path = true})), 28) == steps_of(curve));
  const reversed back{curve};
  const xml document(draw::svg(back, {.path = true}));
  CHECK(drawn_steps(document, 28) == steps_of(back));

  const auto start = document.all("circle");
  REQUIRE(start.size() == 1);
  CHECK(std::stoi(start[0]["cx"]) == back(0).col * 28);
  CHECK(std::stoi(start[0]["cy"]) == back(0).row * 28);
}

TEST_CASE("A picture of nothing is an empty picture", "[draw]") {
  for (const extent grid : {extent{0, 0}, extent{0, 5}, extent{5, 0}}) {
    for (const bool animated : {false, true}) {
      for (const bool first_touches : {false, true}) {
        const xml document(draw::svg(
            hilbert{grid},
            {.wave = 4, .animated = animated, .first_touches = first_touches, .path = true, .title = "nothing"}));
        CHECK(document.error == "");
        CHECK(document.all("path").size() + document.all("text").size() + document.all("style").size() == 0);
      }
    }
  }
}

TEST_CASE("A picture of no planes, and of planes of nothing, is an empty picture", "[draw]") {
  for (const auto& order : {batched{hilbert{{0, 5}}, 1'000'000'000}, batched{hilbert{{3, 4}}, 0}}) {
    for (const bool first_touches : {false, true}) {
      const xml document(draw::svg(order, {.wave = 4, .animated = true, .first_touches = first_touches, .path = true}));
      CHECK(document.error == "");
      CHECK(document.all("path").size() + document.all("text").size() + document.all("style").size() == 0);
      CHECK(draw::text(order) == "");
    }
  }
  const triangle none(5, 5, -5);
  CHECK(xml(draw::svg(triangular{row_major{none.folded()}, none}, {.path = true})).all("path").empty());
}

TEST_CASE("Each wave has a colour of its own", "[draw]") {
  const cta_swizzle order{{7, 9}, 4, axis::x};
  const xml document(draw::svg(order, {.wave = 10}));
  const auto colours = tiles_by_colour(document, 28);
  REQUIRE(colours.size() == 7);
  for (const auto& [colour, tiles] : colours) {
    const int wave = order.index({tiles[0].first, tiles[0].second}) / 10;
    CHECK(tiles.size() == (wave == 6 ? 3u : 10u));
    for (const auto& [row, col] : tiles) CHECK(order.index({row, col}) / 10 == wave);
  }
  CHECK(document.all("style").empty());
}

TEST_CASE("An animation has a turn for each wave, one after another", "[draw]") {
  const cta_swizzle order{{7, 9}, 4, axis::x};
  for (const int wave : {1, 10, 62, 63, 64, 1000}) {
    CAPTURE(wave);
    const int waves = (63 + wave - 1) / wave;
    const xml document(draw::svg(order, {.wave = wave, .animated = true, .path = true}));
    REQUIRE(document.error == "");
    const auto all = rules(document);
    CHECK(all.size() == static_cast<unsigned>(waves) + 1);

    double lit_before = 0;
    for (int w = 0; w < waves; ++w) {
      const std::string name = "heddle-" + std::to_string(w) + "-of-" + std::to_string(waves);
      REQUIRE(all.count("@keyframes " + name) == 1);
      std::string frames = all.at("@keyframes " + name);
      frames = frames.substr(frames.find('{') + 1);
      std::vector<double> percents;
      for (std::size_t at = 0; (at = frames.find_first_of("%", at)) != std::string::npos; ++at) {
        const std::size_t begin = frames.find_last_of("{},", at) + 1;
        percents.push_back(std::stod(frames.substr(begin, at - begin)));
      }
      REQUIRE(percents.size() == 8);
      for (std::size_t i = 1; i < percents.size(); ++i) CHECK(percents[i - 1] < percents[i]);
      CHECK(percents.back() < 100);
      CHECK(percents[4] > lit_before);
      lit_before = percents[4];

      int layers = 0;
      for (const xml::element& group : document.all("g")) layers += group["style"] == "animation-name:" + name;
      CHECK(layers == 3);  // tiles, path and numbers
    }
  }
}

TEST_CASE("First touches are the stripes that a wave fetches", "[draw]") {
  const auto check = [](const auto& order, int wave, bool animated) {
    const extent grid = order.space();
    CAPTURE(grid.rows, grid.cols, wave);
    const xml document(draw::svg(order, {.wave = wave, .animated = animated, .first_touches = true, .numbers = false}));
    REQUIRE(document.error == "");
    auto drawn = tiles_by_colour(document, 28, 1);

    std::map<std::string, std::vector<std::pair<int, int>>> expected;
    std::map<std::pair<int, int>, int> fetches;
    for (int i = 0; i < order.size(); ++i) {
      const int begin = i / wave * wave;
      bool row = true, col = true;
      for (int j = begin; j < i; ++j) {
        row = row && order(j).row != order(i).row;
        col = col && order(j).col != order(i).col;
      }
      expected[row && col ? "#f0a020"
               : row      ? "#62b6ee"
               : col      ? "#2fbd92"
                          : "#b1b8c0"]
          .push_back({order(i).row, order(i).col});
      fetches[{order(i).row, -1}] += row;
      fetches[{-1, order(i).col}] += col;
      fetches[{-1, -1}] += row + col;
    }
    expected["#f0a020"].push_back({-1, -1});
    for (int row = 0; row < grid.rows; ++row) expected["#62b6ee"].push_back({row, -1});
    for (int col = 0; col < grid.cols; ++col) expected["#2fbd92"].push_back({-1, col});
    for (auto& [colour, tiles] : expected) std::sort(tiles.begin(), tiles.end());
    for (auto& [colour, tiles] : drawn) std::sort(tiles.begin(), tiles.end());
    CHECK(drawn == expected);

    std::map<std::pair<int, int>, int> counted;
    for (const xml::element& number : document.all("text")) {
      counted[{std::stoi(number["y"]) / 28, std::stoi(number["x"]) / 28}] = std::stoi(number.text);
    }
    CHECK(counted == fetches);

    // A bar on the left of a tile that fetches its row, and one above a tile that fetches its column.
    std::map<bool, std::map<std::pair<int, int>, int>> bars, expected_bars;
    for (const xml::element& path : document.all("path")) {
      if (path["stroke"] != "#12181f" || path["transform"].empty()) continue;
      for (const auto& [from, to] : lines(document, path)) {
        const bool is_left = from.x == to.x;
        const int row = static_cast<int>(from.y) / 28, col = static_cast<int>(from.x) / 28;
        ++bars[is_left][{row - 1, col - 1}];
        CHECK((is_left ? from.x - 28 * col : from.y - 28 * row) < 28 / 4);
        CHECK((to.x - from.x + to.y - from.y > 28 / 2 && to.x < 28 * (col + 1) && to.y < 28 * (row + 1)));
      }
    }
    for (const auto& [colour, tiles] : expected) {
      for (const auto& tile : tiles) {
        if (tile.first < 0 || tile.second < 0) continue;
        if (colour == "#f0a020" || colour == "#62b6ee") ++expected_bars[true][tile];
        if (colour == "#f0a020" || colour == "#2fbd92") ++expected_bars[false][tile];
      }
    }
    CHECK(bars == expected_bars);
  };
  check(row_major{{8, 8}}, 20, false);
  check(hilbert{{7, 12}}, 11, false);
  check(hilbert{{7, 12}}, 11, true);
  check(cta_swizzle{{9, 5}, 2}, 1, true);
  check(column_major{{1, 6}}, 100, false);
}

TEST_CASE("Pictures can stand on one page", "[draw]") {
  std::map<std::string, std::string> seen;
  for (const int wave : {1, 3, 4, 12}) {
    for (const bool first_touches : {false, true}) {
      const std::string svg = draw::svg(
          hilbert{{3, 4}}, {.wave = wave, .animated = true, .first_touches = first_touches, .tile_size = 20 + wave});
      for (const auto& [name, rule] : rules(xml(svg))) CHECK(seen.emplace(name, rule).first->second == rule);
      for (const char* shared : {" id=", "<script", "href", "url(", "import"}) {
        CHECK(svg.find(shared) == std::string::npos);
      }
    }
  }
  CHECK(seen.size() == 4 + 12 + 4 + 3 + 1);
  for (const auto& [name, rule] : seen) CHECK(name.find("heddle-") != std::string::npos);
}

TEST_CASE("A picture without motion is whole", "[draw]") {
  for (const auto& [name, rule] : rules(xml(draw::svg(row_major{{3, 4}}, {.wave = 4, .animated = true})))) {
    // An animation does nothing without a duration, and only readers who accept motion get one.
    CHECK((rule.rfind("@keyframes ", 0) == 0 || rule.rfind("@media(prefers-reduced-motion:no-preference){", 0) == 0));
  }
}

TEST_CASE("A title says what a picture is", "[draw]") {
  const xml named(draw::svg(hilbert{{3, 4}}, {.title = "a < b & \"c\"\x01 > d"}));
  REQUIRE(named.error == "");
  CHECK(named.elements[1].name == "title");
  CHECK(named.elements[1].text == "a < b & \"c\"  > d");
  CHECK(named.elements[0]["role"] == "img");

  const xml nameless(draw::svg(hilbert{{3, 4}}));
  CHECK(nameless.all("title").empty());
  CHECK(nameless.elements[0]["aria-hidden"] == "true");
}

TEST_CASE("Numbers can be read on every colour, and every colour stands out from black and white", "[draw]") {
  std::set<std::string> colours;
  for (const std::string& svg : {draw::svg(row_major{{8, 8}}), draw::svg(row_major{{8, 8}}, {.first_touches = true}),
                                 draw::svg(row_major{{8, 8}}, {.wave = 9, .first_touches = true})}) {
    const xml document(svg);
    for (const auto& [colour, tiles] : tiles_by_colour(document, 28)) colours.insert(colour);
  }
  CHECK(colours.size() == 64 + 4);
  for (const std::string& colour : colours) {
    CAPTURE(colour);
    CHECK(contrast(colour, "#12181f") >= 4.5);
    CHECK(contrast(colour, "#000000") >= 4.5);
    CHECK(contrast(colour, "#ffffff") >= 1.5);
  }
}

TEST_CASE("Numbers and bars that do not fit are left out", "[draw]") {
  for (const int size : {2, 8, 9, 30}) {
    int bars = 0;
    for (const xml::element& path :
         xml(draw::svg(row_major{{3, 4}}, {.first_touches = true, .tile_size = size})).all("path")) {
      CHECK(path["stroke-width"] != "0");
      bars += path["stroke"] == "#12181f";
    }
    CHECK(bars == (size < 9 ? 0 : 2));
  }
  CHECK(xml(draw::svg(row_major{{10, 10}}, {.tile_size = 14})).all("text").size() == 100);
  CHECK(xml(draw::svg(row_major{{100, 101}}, {.tile_size = 14})).all("text").empty());
  CHECK(xml(draw::svg(row_major{{10, 10}}, {.first_touches = true, .tile_size = 4})).all("text").empty());
}

TEST_CASE("Pictures are small", "[draw]") {
  CHECK(draw::svg(hilbert{{16, 16}}).size() < 15000);
  CHECK(draw::svg(hilbert{{16, 16}}, {.numbers = false, .path = true}).size() < 6500);
  CHECK(draw::svg(hilbert{{64, 64}}, {.wave = 132, .animated = true, .numbers = false}).size() < 40000);
  CHECK(draw::svg(hilbert{{64, 64}}, {.wave = 132, .animated = true, .path = true}).size() < 250000);
  CHECK(draw::svg(hilbert{{512, 1024}}, {.wave = 1056, .numbers = false, .tile_size = 2}).size() < 600000);
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

namespace {

/// An order that is wrong: its last tile is outside the grid, and its indices have more digits than its size.
struct astray {
  extent space() const { return {2, 2}; }
  int size() const { return 4; }
  coord operator()(int i) const { return i == 3 ? coord{5'000'000, -7} : coord{i / 2, i % 2}; }
  int index(coord tile) const { return 100 * tile.row + tile.col; }
};

}  // namespace

TEST_CASE("An order that leaves its grid is refused where stripes are counted and else drawn as it is", "[draw]") {
  CHECK(refusal([] { draw::svg(astray{}, {.wave = 2, .first_touches = true}); }) ==
        "heddle::draw::svg: grid.contains(order(i)) is 0; it must be exactly 1");
  CHECK(xml(draw::svg(astray{}, {.path = true})).error == "");
  CHECK(draw::text(astray{}) == "0 1\n100 101\n");
}
