#include <heddle/draw.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "order.hpp"

namespace bound {
namespace {

std::string text_of(extent e) {
  return "(" + std::to_string(e.rows) + ", " + std::to_string(e.cols) + ")";
}

/// Returns the order of a recipe without adapters.
order make_plain(const recipe& by, extent grid) {
  std::string text = to_string(by.order) + "(" + text_of(grid);
  if (by.has_step()) text += ", step=" + text_of(by.step);
  if (by.has_width()) text += ", width=" + std::to_string(by.width);
  if (by.has_axis()) text += by.axis == axis::x ? ", axis='x'" : ", axis='y'";
  const auto lines = [=](const auto& to) { return heddle::detail::index_lines(by, grid, 0, to); };
  return with_recipe(by, grid, [&](const auto& made) { return kept(made, text + ")", lines); });
}

/// Returns an order of what `build` makes of another one. `before` has the lines that change its index.
template <class Build>
order adapted(const char* name, const order& inner, const std::string& arguments, const Build& build,
              const std::string& before, bool is_turned = false) {
  const std::string text = std::string(name) + "(" + inner.text + arguments + ")";
  lines_of lines;
  if (inner.lines) {
    lines = [before, is_turned, inside = inner.lines](const heddle::detail::tile_names& to) {
      return before + inside(is_turned ? to.turned() : to);
    };
  }
  return std::visit([&](const auto& of) { return build(of, text, lines); }, inner.of);
}
}  // namespace

order make_reversed(const order& inner) {
  return adapted(
      "reversed", inner, "",
      [&](const auto& of, const auto& text, const auto& lines) { return kept(reversed{of}, text, lines, inner.keeps); },
      heddle::detail::reversed_lines(inner.size()));
}
namespace {

order make_transposed(const order& inner) {
  return adapted(
      "transposed", inner, "",
      [&](const auto& of, const auto& text, const auto& lines) -> order {
        if constexpr (heddle::detail::turns<std::decay_t<decltype(of.space())>>) {
          return kept(transposed{of}, text, lines, inner.keeps);
        } else {
          throw invalid_argument("heddle::transposed", ": tiles of this order's space have no row and column to swap");
        }
      },
      "", true);
}
order make_rotated(const order& inner, long long first) {
  heddle::detail::require_int_at_least(0, "heddle::rotated: first", first);
  const std::string before =
      first <= inner.size() ? heddle::detail::rotated_lines(static_cast<int>(first), inner.size()) : std::string();
  return adapted(
      "rotated", inner, ", first=" + std::to_string(first),
      [&](const auto& of, const auto& text, const auto& lines) {
        return kept(rotated{of, first}, text, lines, inner.keeps);
      },
      before);
}
}  // namespace

order make_batched(const order& inner, long long count, long long interleave) {
  const view<extent>& plane = of_grid(inner, "heddle::batched");
  const std::string text = "batched(" + inner.text + ", count=" + std::to_string(count) +
                           (interleave != 1 ? ", interleave=" + std::to_string(interleave) : "") + ")";
  const batched made{plane, count, interleave};
  lines_of lines;
  if (inner.lines) {
    lines = [=, tiles = plane.size(), inside = inner.lines](const heddle::detail::tile_names& to) {
      return heddle::detail::plane_lines(static_cast<int>(count), static_cast<int>((std::min)(interleave, count)),
                                         tiles) +
             inside(to);
    };
  }
  return kept(made, text, lines, inner.keeps);
}
order make_grouped(const std::vector<int>& rows, long long tile_rows, long long cols, long long width, axis along,
                   group_sequence sequence) {
  std::vector<int> ends;
  long long all = 0;
  for (const int of_group : rows) {
    all += heddle::detail::require_at_least(0, "heddle::grouped: rows of a group", of_group);
    ends.push_back(heddle::detail::require_at_most(0x7fffffff, "heddle::grouped: rows of all groups", all));
  }
  const group_shape shape{
      .rows = all, .groups = static_cast<long long>(rows.size()), .tile_rows = tile_rows, .cols = cols};
  const auto [state, keeps] = keep(std::vector<long long>(grouped::state_bytes(shape) / 8 + 2));
  const grouped made(shape, state->data(), width, along, sequence);
  const std::string text =
      std::string("grouped(…, width=") + std::to_string(width) + (along == axis::x ? ", axis='x'" : ", axis='y'") +
      (sequence == group_sequence::as_numbered
           ? ")"
           : std::string(", sequence='") + group_sequences[static_cast<std::size_t>(sequence)] + "')");
  return kept(made.on_host(ends.data()), text, {}, keeps);
}

order make_triangular(const order& inner, const triangle& space, const std::optional<order>& full) {
  const view<extent>& folded = of_grid(inner, "heddle::triangular");
  if (!full) return kept(triangular{folded, space}, "triangular(" + inner.text + ", …)", {}, inner.keeps);
  return kept(triangular{folded, of_grid(*full, "heddle::triangular"), space},
              "triangular(" + inner.text + ", …, " + full->text + ")", {},
              keep(std::pair(inner.keeps, full->keeps)).keeps);
}

namespace {

using table = nb::ndarray<nb::numpy, const int, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

/// Copies the table: one of Python may change, and an order that is none reads out of bounds.
order make_tile_table_order(extent grid, const table& given) {
  heddle::detail::require_equal(grid.size(), "heddle::tile_table: entries", static_cast<long long>(given.shape(0)));
  const auto* const first = reinterpret_cast<const tile_table::entry*>(given.data());
  const auto [entries, keeps] = keep(std::vector<tile_table::entry>(first, first + grid.size()));
  for (const tile_table::entry& each : *entries) {
    for (const int number : {each.tile, each.index}) {
      heddle::detail::require_at_least(0, "heddle::tile_table: an entry", number);
      heddle::detail::require_at_most(grid.size() - 1LL, "heddle::tile_table: an entry", number);
    }
  }
  for (int i = 0; i < grid.size(); ++i) {
    const auto tile = static_cast<std::size_t>((*entries)[static_cast<std::size_t>(i)].tile);
    heddle::detail::require_equal(i, "heddle::tile_table: the index of an entry's tile", (*entries)[tile].index);
  }
  return kept(tile_table{grid, entries->data()}, "tile_table(" + text_of(grid) + ", …)", {}, keeps);
}

using new_table = nb::ndarray<nb::numpy, int, nb::shape<-1, 2>>;

/// Returns a table that Python owns: the numbers that `make_tile_table` and `by_cost` fill.
new_table owned(tile_table::entries&& made) {
  auto* const entries = new tile_table::entries(std::move(made));
  const nb::capsule owner(entries, [](void* at) noexcept { delete static_cast<tile_table::entries*>(at); });
  return {&entries->data()->tile, {static_cast<std::size_t>(entries->size()), 2}, owner};
}
new_table table_of(const order& any) {
  return owned(std::visit([](const auto& of) { return make_tile_table(of); }, any.of));
}
nb::object tensor_of(const order& any, nb::handle dtype, nb::handle device) {
  if (dtype.is_none() && device.is_none()) return nb::cast(table_of(any));
  return nb::module_::import_("torch")
      .attr("from_numpy")(table_of(any))
      .attr("to")("dtype"_a = dtype, "device"_a = device);
}

using tile_text = std::variant<std::tuple<long long, long long>, std::tuple<long long, long long, long long>>;

template <class Tile>
Tile tile_of_python(const tile_text& given) {
  const auto number = [](long long of_tile) { return int_of("heddle::order: a number of the tile", of_tile); };
  if constexpr (std::is_same_v<Tile, coord>) {
    if (const auto* two = std::get_if<0>(&given)) return {number(std::get<0>(*two)), number(std::get<1>(*two))};
    throw invalid_argument("heddle::order: a tile", " of this order is (row, col)");
  } else {
    if (const auto* three = std::get_if<1>(&given))
      return {number(std::get<0>(*three)), number(std::get<1>(*three)), number(std::get<2>(*three))};
    throw invalid_argument("heddle::order: a tile", " of this order is (batch, row, col), or (group, row, col)");
  }
}

nb::tuple tile_at(const order& any, long long i) {
  heddle::detail::require_at_least(0, "heddle::order: i", i);
  heddle::detail::require_at_most(any.size() - 1LL, "heddle::order: i", i);
  return std::visit([&](const auto& of) -> nb::tuple { return tuple_of(of(static_cast<int>(i))); }, any.of);
}

/// Returns a tile or, of a slice, a list of them.
nb::object tiles_at(const order& any, nb::handle at) {
  const auto tile = [&](long long i) {
    return std::visit([&](const auto& of) -> nb::tuple { return tuple_of(of(static_cast<int>(i))); }, any.of);
  };
  if (nb::isinstance<nb::slice>(at)) {
    auto [i, stop, step, count] = nb::cast<nb::slice>(at).compute(static_cast<std::size_t>(any.size()));
    nb::list all;
    for (; count > 0; --count, i += step) all.append(tile(i));
    return all;
  }
  long long i = 0;
  if (!nb::try_cast(at, i)) throw nb::type_error("heddle.order: an index must be of type int or slice");
  if (i < 0) i += any.size();
  if (i < 0 || i >= any.size()) throw nb::index_error("heddle.order: the index is out of range");
  return tile(i);
}

/// Returns whether two orders have the same tiles of one space at each index.
bool are_equal(const order& one, const order& other) {
  if (one.lines && other.lines && one.text == other.text) return true;
  return std::visit(
      [](const auto& a, const auto& b) {
        if constexpr (std::is_same_v<decltype(a), decltype(b)>) {
          if (a.size() != b.size()) return false;
          if constexpr (requires { a.space() == b.space(); }) {
            if (!(a.space() == b.space())) return false;
          }
          for (int i = 0; i < a.size(); ++i) {
            if (!(a(i) == b(i))) return false;
          }
          return true;
        } else {
          return false;
        }
      },
      one.of, other.of);
}

int index_of(const order& any, const tile_text& given) {
  return std::visit(
      [&](const auto& of) {
        const auto tile = tile_of_python<tile_of<std::decay_t<decltype(of)>>>(given);
        if (!of.space().contains(tile))
          throw invalid_argument("heddle::order: the tile", " lies outside the space of this order");
        return of.index(tile);
      },
      any.of);
}

std::string source_of(const order& any, const std::string& language) {
  if (!any.lines) {
    throw invalid_argument("heddle::order: this order",
                           " is a table or knows its tiles by tables: load `table()` in the kernel");
  }
  return heddle::detail::function_of(language, any.lines({}), any.of.index() == 1,
                                     (language == "cuda" ? "heddle::" : "heddle.") + any.text);
}

std::string picture_of(const order& any, long long wave, bool animated, bool first_touches, bool numbers, bool path,
                       long long tile_size, const std::string& title) {
  const draw::svg_options options{.wave = int_of("heddle::draw::svg: wave", wave),
                                  .animated = animated,
                                  .first_touches = first_touches,
                                  .numbers = numbers,
                                  .path = path,
                                  .tile_size = int_of("heddle::draw::svg: tile_size", tile_size),
                                  .title = title};
  return std::visit([&](const auto& of) { return draw::svg(of, options); }, any.of);
}

/// An order of clusters, and the order of the clusters inside.
struct clusters {
  clustered<view<extent>> of;
  std::shared_ptr<const keeper> keeps;
};

}  // namespace

order order_of(const recipe& by, extent grid) {
  recipe plain = by.order_alone();
  plain.transposed = plain.reversed = false, plain.first = 0;
  order made = make_plain(plain, by.transposed ? grid.transposed() : grid);
  if (by.transposed) made = make_transposed(made);
  if (by.reversed) made = make_reversed(made);
  return by.first > 0 ? make_rotated(made, by.first) : made;
}

namespace {

/// Binds an order of grids under its name, with an example of itself.
void bind_order(nb::module_& m, recipe::order_kind kind) {
  const std::string name = to_string(kind);
  const auto made = [=](pair grid, pair step, long long width, const std::string& along) {
    return make_plain({.order = kind,
                       .width = int_of(("heddle::" + name + ": width").c_str(), width),
                       .axis = axis_of(along),
                       .step = extent(step.first, step.second)},
                      extent(grid.first, grid.second));
  };
  const recipe by{.order = kind};
  const std::string step = by.has_step() ? ", step=(2, 2)" : "", width = by.has_width() ? ", width=2" : "";
  const auto [row, col] = std::get<view<extent>>(made({3, 5}, {2, 2}, 2, "x").of)(7);
  const std::string text = "Walks a grid as `heddle::" + name + "` does.\n\n>>> heddle." + name + "((3, 5)" + step +
                           width + ")(7)\n(" + std::to_string(row) + ", " + std::to_string(col) + ")";
  if (by.has_step()) {
    m.def(
        name.c_str(), [=](pair grid, pair apart, long long wide) { return made(grid, apart, wide, "x"); }, "grid"_a,
        "step"_a, "width"_a, text.c_str());
  } else if (by.has_width()) {
    m.def(
        name.c_str(),
        [=](pair grid, long long wide, const std::string& axis) {
          return made(grid, {1, 1}, wide, axis);
        },
        "grid"_a, "width"_a, "axis"_a = "x", text.c_str());
  } else {
    m.def(
        name.c_str(),
        [=](pair grid) {
          return made(grid, {1, 1}, 1, "x");
        },
        "grid"_a, text.c_str());
  }
}

}  // namespace

void bind_orders(nb::module_& m) {
  const auto grid_of = [](pair grid) { return extent(grid.first, grid.second); };

  nb::class_<order>(m, "order", R"(Maps each index to a tile, each tile once.

>>> order = heddle.thread_group_tiling((4, 4), width=2)
>>> order(2), order.index((1, 0)), len(order)
((1, 0), 2, 16))")
      .def("__call__", &tile_at, "i"_a, nb::sig("def __call__(self, i: int) -> tuple[int, ...]"),
           "Returns the i-th tile.\n\n>>> heddle.row_major((2, 3))(4)\n(1, 1)")
      .def("index", &index_of, "tile"_a,
           "Returns the index of a tile: the inverse of the call.\n\n>>> heddle.row_major((2, 3)).index((1, 1))\n4")
      .def("__len__", &order::size)
      .def("__getitem__", &tiles_at, "at"_a,
           "Returns a tile, or the list of tiles of a slice.\n\n>>> heddle.row_major((2, 3))[-2:]\n[(1, 1), (1, 2)]")
      .def(
          "__iter__",
          [](nb::handle self) {
            const nb::module_ builtins = nb::module_::import_("builtins");
            return builtins.attr("map")(self, builtins.attr("range")(nb::len(self)));
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[tuple[int, ...]]"),
          "Walks all tiles.\n\n>>> list(heddle.row_major((1, 2)))\n[(0, 0), (0, 1)]")
      .def(
          "__eq__", &are_equal, "other"_a, nb::is_operator(), nb::call_guard<nb::gil_scoped_release>(),
          "Returns whether both have the same tile at each index.\n\n>>> heddle.row_major((1, 4)) == heddle.morton((1, 4))\nTrue")
      .def("__hash__",
           [](const order& any) {
             const int size = any.size();
             return nb::hash(
                 size == 0 ? nb::make_tuple(size)
                           : nb::make_tuple(size, tile_at(any, 0), tile_at(any, size / 3), tile_at(any, size - 1)));
           })
      .def("table", &table_of)
      .def("table", &tensor_of, "dtype"_a = nb::none(), "device"_a = nb::none(),
           R"(Returns the order as an int32 array of two columns.

Row i has the number of the i-th tile, counted row after row, and the index of tile number i. With a `dtype` or a `device` of
PyTorch it is a tensor, which on the host and as torch.int32 shares the array's memory.

>>> heddle.column_major((2, 2)).table()[:, 0].tolist()
[0, 2, 1, 3])")
      .def("source", &source_of, "language"_a,
           R"(Returns a function that computes the order in a kernel, of the grid's sizes as they are.

`language` is "triton", "cute" or "cuda".

>>> print(heddle.row_major((2, 3)).source("triton"))
@triton.jit
def tile_of(i):  # heddle.row_major((2, 3))
    row = i // 3
    col = i % 3
    return row, col
<BLANKLINE>)")
      .def("svg", &picture_of, "wave"_a = 0, "animated"_a = false, "first_touches"_a = false, "numbers"_a = true,
           "path"_a = false, "tile_size"_a = 28, "title"_a = "", nb::call_guard<nb::gil_scoped_release>(),
           R"(Draws the order, as SVG.

>>> heddle.hilbert((4, 4)).svg(path=True)[:4]
'<svg')")
      .def("_repr_svg_",
           [](const order& any) -> nb::object {
             if (any.size() > 1 << 14) return nb::none();
             return nb::cast(picture_of(any, 0, false, false, true, false, 28, ""));
           })
      .def("__repr__", [](const order& any) { return "heddle." + any.text; });

  for (int kind = 0; kind < recipe::own; ++kind) bind_order(m, static_cast<recipe::order_kind>(kind));
  m.def(
      "tile_table", [=](pair grid, const table& entries) { return make_tile_table_order(grid_of(grid), entries); },
      "grid"_a, "entries"_a.noconvert(),
      R"(Is the order that a table has, of which it keeps a copy: of `order.table()` or `by_cost`.

>>> heddle.tile_table((2, 2), heddle.column_major((2, 2)).table())(1)
(1, 0))");
  m.def("reversed", &make_reversed, "order"_a,
        "Walks another order from its end.\n\n>>> heddle.reversed(heddle.row_major((2, 3)))(0)\n(1, 2)");
  m.def("transposed", &make_transposed, "order"_a,
        "Swaps rows and columns.\n\n>>> heddle.transposed(heddle.row_major((2, 3)))(1)\n(1, 0)");
  m.def("rotated", &make_rotated, "order"_a, "first"_a,
        "Begins another order at a later tile.\n\n>>> heddle.rotated(heddle.row_major((2, 3)), first=4)(0)\n(1, 1)");
  m.def("batched", &make_batched, "order"_a, "count"_a, "interleave"_a = 1,
        R"(Repeats an order in each of several planes, one after another or some in turn.

>>> heddle.batched(heddle.row_major((2, 2)), count=3, interleave=2)(1)
(1, 0, 0))");
  nb::class_<triangle>(
      m, "triangle",
      R"(Is the part of a grid of tiles on one side of a diagonal, which meets row r in column r + `diagonal`.

Without `cols` the grid is a square. The `side` is "lower" or "upper".

>>> heddle.triangle(4).folded()
(2, 5)
>>> len(heddle.triangle(2, cols=4, diagonal=1))
5)")
      .def(
          "__init__",
          [](triangle* self, long long rows, std::optional<long long> cols, long long diagonal,
             const std::string& kept) {
            if (kept != "lower" && kept != "upper")
              throw invalid_argument("heddle::side", (" is \"" + kept + "\"; it must be lower or upper").c_str());
            new (self) triangle(rows, cols.value_or(rows), diagonal, kept == "lower" ? side::lower : side::upper);
          },
          "rows"_a, "cols"_a = nb::none(), "diagonal"_a = 0, "side"_a = "lower")
      .def("__len__", &triangle::size)
      .def(
          "folded", [](const triangle& space) { return tuple_of(space.folded()); },
          "Returns the grid that has its growing rows.")
      .def(
          "full", [](const triangle& space) { return tuple_of(space.full()); }, "Returns the grid of its full rows.");
  m.def("triangular", &make_triangular, "order"_a, "space"_a, "full"_a = nb::none(),
        R"(Folds an order of a rectangle onto a triangle.

>>> space = heddle.triangle(4)
>>> heddle.triangular(heddle.row_major(space.folded()), space)(9)
(0, 0))");
  m.def(
      "grouped",
      [](const std::vector<long long>& rows, long long tile_rows, long long cols, long long width,
         const std::string& axis, const std::string& sequence) {
        return make_grouped(ints_of("heddle::grouped: rows of a group", rows), tile_rows, cols, width, axis_of(axis),
                            sequence_of(sequence));
      },
      "rows"_a, "tile_rows"_a, "cols"_a, "width"_a = 8, "axis"_a = "y", "sequence"_a = "as_numbered",
      R"(Walks groups of rows one after another, each in bands; `cols` counts tiles.

The `sequence` says which group comes first: "as_numbered", "heaviest_first" or "lightest_first".

>>> heddle.grouped([130, 0, 64], tile_rows=64, cols=2, width=1)(6)
(2, 0, 0)
>>> heddle.grouped([130, 0, 64], tile_rows=64, cols=2, width=1, sequence="lightest_first")(0)
(2, 0, 0))");
  m.def(
      "by_cost",
      [](const order& any, const numbers_of_tiles& costs, long long section) {
        return std::visit(
            [&](const auto& of) {
              heddle::detail::require_equal(of.size(), "heddle::by_cost: costs", static_cast<long long>(costs.size()));
              const auto space = of.space();
              return owned(by_cost(
                  of, [&](const auto& tile) { return costs.data()[space.number(tile)]; }, section));
            },
            any.of);
      },
      "order"_a, "costs"_a, "section"_a = 0x7fffffff,
      R"(Returns a table in which costly tiles come first; `costs` has one number per tile, row after row.

>>> costs = numpy.array([[1.0, 2.0], [4.0, 3.0]])
>>> heddle.tile_table((2, 2), heddle.by_cost(heddle.row_major((2, 2)), costs))(0)
(1, 0))");

  nb::class_<clusters>(m, "clustered",
                       R"(Orders clusters of thread blocks; blocks of a cluster take its tiles row by row.

>>> order = heddle.clustered(heddle.row_major((2, 2)), cluster=(2, 2), grid=(3, 4))
>>> order.tile(1, 2), order.contains(order.tile(2, 2))
((1, 2), False))")
      .def(
          "__init__",
          [=](clusters* self, const order& inner, pair cluster, pair grid) {
            new (self) clusters{{of_grid(inner, "heddle::clustered"), grid_of(cluster), grid_of(grid)}, inner.keeps};
          },
          "order"_a, "cluster"_a, "grid"_a)
      .def("__len__", [](const clusters& c) { return c.of.size(); })
      .def(
          "blocks_in_cluster", [](const clusters& c) { return c.of.blocks_in_cluster(); },
          "Returns the blocks of a cluster.")
      .def(
          "tile",
          [](const clusters& c, long long cluster, long long block) {
            heddle::detail::require_at_least(0, "heddle::clustered: cluster", cluster);
            heddle::detail::require_at_least(0, "heddle::clustered: block_in_cluster", block);
            return tuple_of(
                c.of.tile(heddle::detail::require_at_most(c.of.size() - 1LL, "heddle::clustered: cluster", cluster),
                          heddle::detail::require_at_most(c.of.blocks_in_cluster() - 1LL,
                                                          "heddle::clustered: block_in_cluster", block)));
          },
          "cluster"_a, "block_in_cluster"_a, "Returns the tile of a block, which may lie outside the grid.")
      .def(
          "contains",
          [](const clusters& c, pair tile) {
            return c.of.contains(
                {int_of("heddle::clustered: row", tile.first), int_of("heddle::clustered: col", tile.second)});
          },
          "tile"_a, "Returns whether a tile lies on the grid.");
}

}  // namespace bound
