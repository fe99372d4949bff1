#include <heddle/laws/check_taken.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "order.hpp"

namespace bound {
namespace {

/// Returns a tile as Python writes it.
std::string text_of(coord tile) {
  return "(" + std::to_string(tile.row) + ", " + std::to_string(tile.col) + ")";
}

/// Checks visits alone: a function of Python has no `index` that could be wrong.
laws::verdict check_mapping(const nb::callable& tile_of, long long rows, long long cols) {
  const extent grid(rows, cols);
  std::vector<int> first(static_cast<std::size_t>(grid.size()), -1);  // the index that visits a tile first
  laws::verdict found;
  for (int i = 0; i < grid.size() && found; ++i) {
    const nb::object given = tile_of(i);
    pair two;
    if (!nb::try_cast(given, two)) {
      const std::string what = std::string("tile_of(") + std::to_string(i) + ") is " + nb::repr(given).c_str();
      throw nb::type_error(
          ("heddle.check_order: " + what + "; it must be a row and a column, two of type int").c_str());
    }
    const coord tile{int_of("heddle::check_order: row", two.first), int_of("heddle::check_order: col", two.second)};
    if (!grid.contains(tile)) {
      found = laws::failed("tile_of(", i, ") is ", text_of(tile), ", outside the grid of ", grid);
    } else if (int& before = first[static_cast<std::size_t>(grid.number(tile))]; before < 0) {
      before = i;
    } else {
      found = laws::failed("tile ", text_of(tile), " is visited twice, by index ", before, " and ", i);
    }
  }
  return found;
}

laws::taken_report audit(const ints& tile, const ints& block, long long tiles) {
  heddle::detail::require_equal(static_cast<long long>(tile.size()), "heddle::audit: numbers of blocks",
                                static_cast<long long>(block.size()));
  std::vector<laws::taken_tile> log;
  for (int at = 0; at < static_cast<int>(tile.size()); ++at) log.push_back({tile(at), block(at)});
  return laws::check_taken(log, tiles);
}

laws::verdict check_schedule(const std::vector<std::vector<long long>>& taken, long long tiles) {
  return laws::check_taken(taken, tiles);
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
tile (0, 0) is visited twice, by index 0 and 2)");
  m.def("check_schedule", &check_schedule, "taken"_a, "tiles"_a,
        R"(Checks that the blocks of a launch took each tile once.

`taken` has for each block the numbers of the tiles that it took. A number outside the problem is padding, and no fault.

>>> heddle.check_schedule([[0, 2], [1, 3]], tiles=4)
holds)");
  nb::class_<laws::taken_report, laws::verdict>(
      m, "audit_report",
      R"(Says which tiles were missed, and which were done twice, by which blocks.

It is true if each tile was done once. Numbers outside the problem are padding: `outside` has their blocks, `wasted` counts them.

>>> nothing = numpy.array([], numpy.int32)
>>> heddle.audit(nothing, nothing, tiles=2).missed
[0, 1])")
      .def_ro("missed", &laws::taken_report::missed)
      .def_ro("repeated", &laws::taken_report::repeated)
      .def_ro("outside", &laws::taken_report::outside)
      .def_prop_ro("wasted", &laws::taken_report::wasted)
      .def("__repr__", &laws::taken_report::text);
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
