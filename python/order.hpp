#pragma once

#include <heddle/order.hpp>
#include <heddle/predict.hpp>
#include <heddle/recipe.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bound {

using namespace heddle;
namespace nb = nanobind;
using namespace nb::literals;

using pair = std::pair<long long, long long>;                       // how Python gives a grid, a step or a tile
using ints = nb::ndarray<const int, nb::ndim<1>, nb::device::cpu>;  // at any distance; taken without a conversion
using numbers_of_tiles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// Any order of a space as one type: what is a template over orders is compiled once for each space.
template <class Space>
class view {
 public:
  using tile_type = decltype(std::declval<const Space&>().tile(0));

  template <class Order>
  explicit view(const Order& of)
      : space_(of.space()),
        order_(&of),
        tile_at_([](const void* at, int i) { return (*static_cast<const Order*>(at))(i); }),
        index_of_([](const void* at, tile_type tile) { return static_cast<const Order*>(at)->index(tile); }) {}

  const Space& space() const { return space_; }
  int size() const { return space_.size(); }
  tile_type operator()(int i) const { return tile_at_(order_, i); }
  int index(tile_type tile) const { return index_of_(order_, tile); }

 private:
  Space space_;
  const void* order_;
  tile_type (*tile_at_)(const void*, int);
  int (*index_of_)(const void*, tile_type);
};

/// Holds what an order refers to. Pointers to it are of one type, for few instantiations.
struct keeper {
  keeper() = default;
  keeper(const keeper&) = delete;
  virtual ~keeper() = default;
};

template <class Value>
struct kept_value {
  Value* value;
  std::shared_ptr<const keeper> keeps;
};

/// Keeps a value, and what it refers to.
template <class Value>
kept_value<Value> keep(Value value, std::shared_ptr<const keeper> inner = {}) {
  struct both : keeper {
    both(Value&& own, std::shared_ptr<const keeper>&& other) : value(std::move(own)), inner(std::move(other)) {}
    Value value;
    std::shared_ptr<const keeper> inner;
  };
  auto* const made = new both(std::move(value), std::move(inner));
  return {&made->value, std::shared_ptr<const keeper>(static_cast<const keeper*>(made))};
}

using lines_of = std::function<std::string(const heddle::detail::tile_names&)>;

/// The order of Python: of one of four spaces, with how Python writes it, and the lines that compute it, if there are
/// any.
struct order {
  std::variant<view<extent>, view<batch<extent>>, view<groups>, view<triangle>> of;
  std::shared_ptr<const keeper> keeps;
  std::string text;
  lines_of lines;

  int size() const {
    return std::visit([](const auto& tiles) { return tiles.size(); }, of);
  }
};

/// Keeps an order, and what it refers to.
template <class Order>
order kept(const Order& made, std::string text, lines_of lines, std::shared_ptr<const keeper> inner = {}) {
  auto [value, keeps] = keep(made, std::move(inner));
  return {view<heddle::space_of<std::decay_t<decltype(made)>>>(*value), std::move(keeps), std::move(text),
          std::move(lines)};
}

/// Returns an order of a grid, or refuses one of another space.
inline const view<extent>& of_grid(const order& any, const char* name) {
  if (const auto* found = std::get_if<view<extent>>(&any.of)) return *found;
  throw invalid_argument(name, ": the order inside is not one of a grid");
}

/// Returns a number of Python as an int, or refuses it by its name.
inline int int_of(const char* name, long long given) {
  heddle::detail::require_at_least(-0x7fffffffLL, name, given);
  return heddle::detail::require_at_most(0x7fffffffLL, name, given);
}

inline std::vector<int> ints_of(const char* name, const std::vector<long long>& given) {
  std::vector<int> all;
  for (const long long each : given) all.push_back(int_of(name, each));
  return all;
}

inline axis axis_of(const std::string& name) {
  if (name != "x" && name != "y")
    throw invalid_argument("heddle::axis", (" is \"" + name + "\"; it must be x or y").c_str());
  return name == "x" ? axis::x : axis::y;
}

using two_ints = nb::typed<nb::tuple, int, int>;

inline two_ints tuple_of(extent e) {
  return nb::make_tuple(e.rows, e.cols);
}
inline two_ints tuple_of(coord tile) {
  return nb::make_tuple(tile.row, tile.col);
}
template <class Tile>
nb::tuple tuple_of(const Tile& tile) {
  const auto [plane, row, col] = tile;
  return nb::make_tuple(plane, row, col);
}

constexpr std::array<const char*, 3> group_sequences{"as_numbered", "heaviest_first", "lightest_first"};

inline group_sequence sequence_of(const std::string& name) {
  for (std::size_t i = 0; i < group_sequences.size(); ++i) {
    if (name == group_sequences[i]) return static_cast<group_sequence>(i);
  }
  throw invalid_argument("heddle::group_sequence",
                         (" is \"" + name + "\"; it must be as_numbered, heaviest_first or lightest_first").c_str());
}

/// Returns an array of numbers that `owner` has, without a copy.
template <class Number>
nb::ndarray<nb::numpy, Number> array_of(Number* first, std::size_t size, nb::handle owner,
                                        std::size_t bytes_apart = sizeof(Number)) {
  const auto apart = static_cast<std::int64_t>(bytes_apart / sizeof(Number));
  return {first, {size}, owner, {apart}};
}

order make_reversed(const order& inner);
order make_batched(const order& inner, long long count, long long interleave);
order make_grouped(const std::vector<int>& rows, long long tile_rows, long long cols, long long width, axis along,
                   group_sequence sequence);
order make_triangular(const order& inner, const triangle& space, const std::optional<order>& full);
order order_of(const recipe& by, extent grid);

void bind_orders(nb::module_& m);
void bind_laws(nb::module_& m);
void bind_predictions(nb::module_& m);
void bind_choice(nb::module_& m);
void bind_guard(nb::module_& m);

}  // namespace bound
