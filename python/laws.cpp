#include <heddle/laws/check_order.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "order.hpp"

namespace bound {
namespace {

/// What a function of Python says of a grid, order or not: tiles by index, and the last index of each tile.
struct mapping {
  extent tiles;
  const coord* tile_at;
  const int* index_of;

  extent space() const { return tiles; }
  int size() const { return tiles.size(); }
  coord operator()(int i) const { return tile_at[i]; }
  int index(coord tile) const { return index_of[tiles.number(tile)]; }
};

laws::verdict check_mapping(const nb::callable& tile_of, long long rows, long long cols) {
  const extent grid(rows, cols);
  std::vector<coord> tile_at;
  std::vector<int> index_of(static_cast<std::size_t>(grid.size()), -1);
  for (int i = 0; i < grid.size(); ++i) {
    pair tile;
    if (!nb::try_cast(tile_of(i), tile)) throw nb::type_error("heddle.check_order: a tile is no pair of integers");
    tile_at.push_back(
        {int_of("heddle::check_order: row", tile.first), int_of("heddle::check_order: col", tile.second)});
    if (grid.contains(tile_at.back())) index_of[static_cast<std::size_t>(grid.number(tile_at.back()))] = i;
  }
  return laws::check_order(mapping{grid, tile_at.data(), index_of.data()});
}

/// What a launch's log says of its tiles.
struct audit_report {
  std::vector<int> missed;                   // tiles that no block took
  std::map<int, std::vector<int>> repeated;  // tiles that were taken more than once, and the blocks that took them
  std::map<int, std::vector<int>> unknown;   // numbers that are no tiles, and the blocks that took them

  bool is_right() const { return missed.empty() && repeated.empty() && unknown.empty(); }

  /// Returns a line for each of the first eight faults, and how many there are.
  std::string text() const {
    if (is_right()) return "each tile once";
    std::string all;
    std::size_t lines = 0;
    const auto add = [&](const std::string& line) {
      if (lines++ < 8) all += line + "\n";
    };
    const auto by = [](const std::vector<int>& blocks) {
      std::string text;
      for (const int block : blocks) text += (text.empty() ? " by block " : ", ") + std::to_string(block);
      return text;
    };
    for (const auto& [tile, blocks] : repeated) {
      add("tile " + std::to_string(tile) + " is done " + std::to_string(blocks.size()) + " times," + by(blocks));
    }
    for (const int tile : missed) add("tile " + std::to_string(tile) + " is missed");
    for (const auto& [tile, blocks] : unknown) add(std::to_string(tile) + " is no tile, but done" + by(blocks));
    return all + std::to_string(lines) + (lines == 1 ? " fault" : " faults");
  }
};

audit_report audit(const ints& tile, const ints& block, long long tiles) {
  heddle::detail::require_int_at_least(0, "heddle::audit: tiles", tiles);
  heddle::detail::require_equal(static_cast<long long>(tile.size()), "heddle::audit: numbers of blocks",
                                static_cast<long long>(block.size()));
  audit_report found;
  constexpr int none = -1;
  std::vector<int> first(static_cast<std::size_t>(tiles), none);  // the entry of the log that has a tile first
  for (int at = 0; at < static_cast<int>(tile.size()); ++at) {
    const int number = tile(at), by = block(at);
    if (number < 0 || number >= tiles) {
      found.unknown[number].push_back(by);
    } else if (int& before = first[static_cast<std::size_t>(number)]; before == none) {
      before = at;
    } else {
      std::vector<int>& blocks = found.repeated[number];
      if (blocks.empty()) blocks.push_back(block(before));
      blocks.push_back(by);
    }
  }
  for (int number = 0; number < static_cast<int>(tiles); ++number) {
    if (first[static_cast<std::size_t>(number)] == none) found.missed.push_back(number);
  }
  return found;
}

laws::verdict check_taken(const std::vector<std::vector<long long>>& taken, long long tiles) {
  std::vector<int> tile, block;
  for (std::size_t b = 0; b < taken.size(); ++b) {
    for (const int number : ints_of("heddle::check_schedule: a tile", taken[b])) {
      tile.push_back(number), block.push_back(static_cast<int>(b));
    }
  }
  const auto as_ints = [](const std::vector<int>& all) { return ints(all.data(), {all.size()}, nb::handle()); };
  const audit_report found = audit(as_ints(tile), as_ints(block), tiles);
  return {found.is_right() ? "" : found.text()};
}

}  // namespace

void bind_laws(nb::module_& m) {
  nb::class_<laws::verdict>(m, "verdict",
                            R"(Holds what a checker found: true if the law holds, else what fails, in words.

>>> verdict = heddle.check_schedule([[0], [0]], tiles=1)
>>> bool(verdict), verdict.failure.splitlines()[0]
(False, 'tile 0 is done 2 times, by block 0, 1'))")
      .def_ro("failure", &laws::verdict::failure)
      .def("__bool__", [](const laws::verdict& v) { return static_cast<bool>(v); })
      .def("__repr__", [](const laws::verdict& v) { return v ? std::string("holds") : v.failure; });
  m.def("check_order", &check_mapping, "tile_of"_a, "rows"_a, "cols"_a,
        R"(Checks that a function visits each tile of a grid once.

`tile_of(i)` returns the row and the column of the i-th tile: a mapping of your own, or a function of Triton in its interpreter.

>>> heddle.check_order(lambda i: (i // 3, i % 3), rows=2, cols=3)
holds
>>> heddle.check_order(lambda i: (i // 3, i % 2), rows=2, cols=3)
order(0) is {0, 0}, but index({0, 0}) is 2)");
  m.def("check_schedule", &check_taken, "taken"_a, "tiles"_a, R"(Checks that the blocks of a launch took each tile once.

`taken` has for each block the numbers of the tiles that it took.

>>> heddle.check_schedule([[0, 2], [1, 3]], tiles=4)
holds)");
  nb::class_<audit_report>(m, "audit_report",
                           R"(Says which tiles were missed, and which were done twice, by which blocks.

>>> nothing = numpy.array([], numpy.int32)
>>> heddle.audit(nothing, nothing, tiles=2).missed
[0, 1])")
      .def_ro("missed", &audit_report::missed)
      .def_ro("repeated", &audit_report::repeated)
      .def_ro("unknown", &audit_report::unknown)
      .def("__bool__", &audit_report::is_right)
      .def("__repr__", &audit_report::text);
  m.def("audit", &audit, "tile"_a.noconvert(), "block"_a.noconvert(), "tiles"_a,
        nb::call_guard<nb::gil_scoped_release>(),
        R"(Finds in a launch's log which tiles were missed, and which were done twice, by which blocks.

The log has an entry per tile that a block took: `tile` and `block` are int32 arrays of the same length, also columns of one array.

>>> log = numpy.array([[0, 0], [1, 1], [1, 2]], numpy.int32)
>>> heddle.audit(log[:, 0], log[:, 1], tiles=3)
tile 1 is done 2 times, by block 1, 2
tile 2 is missed
2 faults)");
}

}  // namespace bound
