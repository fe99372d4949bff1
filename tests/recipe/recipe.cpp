#include <heddle/order.hpp>
#include <heddle/recipe.hpp>

#include "recipes.hpp"
#include "refusal.hpp"

using namespace heddle;
using detail::all_schedules;
using heddle_test::refusal;

namespace {

std::mt19937 dice(7);

int roll(int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(dice);
}

/// Calls `f` with a recipe under every adapter, and with the order that the library's types make of it.
template <class F, class Make>
void for_each_arrangement(extent grid, recipe by, const F& f, const Make& make) {
  const auto arrange = [&](const auto& order) {
    for (const int first : {0, 1, order.size() / 2, order.size()}) {
      if (first > order.size()) continue;
      by.first = first, by.reversed = false;
      f(by, rotated{order, first});
      by.reversed = true;
      f(by, rotated{reversed{order}, first});
    }
  };
  arrange(make(grid));
  by.transposed = true;
  arrange(transposed{make(grid.transposed())});
}

/// Calls `f` with every recipe over a grid.
template <class F>
void for_each_recipe(extent grid, const F& f) {
  const auto add = [&]<class Order>(std::type_identity<Order>, const recipe& by, auto... numbers) {
    for_each_arrangement(grid, by, f, [=](extent e) { return Order{e, numbers...}; });
  };
  add(std::type_identity<row_major>(), {recipe::row_major});
  add(std::type_identity<column_major>(), {recipe::column_major});
  add(std::type_identity<hilbert>(), {recipe::hilbert});
  add(std::type_identity<morton>(), {recipe::morton});
  for (const int width : {1, 2, 3, 5, 100}) {
    for (const axis along : {axis::x, axis::y}) {
      add(std::type_identity<thread_group_tiling>(), {recipe::thread_group_tiling, width, along}, width, along);
      add(std::type_identity<cta_swizzle>(), {recipe::cta_swizzle, width, along}, width, along);
    }
    for (const extent step : {extent{1, 2}, extent{3, 2}}) {
      add(std::type_identity<dilated>(), {recipe::dilated, width, axis::x, step}, step, width);
    }
  }
}

/// Returns how often two orders of a grid differ, in tiles and in indices.
template <class One, class Other>
int differences(const One& one, const Other& other) {
  int count = one.space() == other.space() && one.size() == other.size() ? 0 : 1;
  for (int i = 0; i < other.size(); ++i) count += !(one(i) == other(i)) + (one.index(other(i)) != i);
  return count;
}

recipe any_recipe() {
  recipe by;
  const auto some = [](int usual, int least, int most) { return roll(0, 1) == 0 ? usual : roll(least, most); };
  by.order = static_cast<recipe::order_kind>(roll(0, 7));
  by.width = some(0, -5, 2'000'000'000), by.axis = roll(0, 1) == 0 ? axis::x : axis::y;
  by.step = extent{some(1, 0, 40'000), some(1, 0, 40'000)};
  by.transposed = roll(0, 1) == 1, by.reversed = roll(0, 1) == 1, by.first = some(0, -1, 0x7fffffff);
  by.cluster = extent{some(1, 0, 16), some(1, 0, 16)};
  by.interleave = some(1, -3, 1 << 30), by.sequence = static_cast<group_sequence>(roll(0, 2));
  by.schedule = static_cast<recipe::schedule_kind>(roll(0, 8));
  by.run = some(1, -9, 0x7fffffff), by.sharers = some(0, 0, 132);
  return by;
}

}  // namespace

TEST_CASE("A recipe is the order that the library's types make of it, computed or by table") {
  int wrong = 0;
  for (int rows = 0; rows <= 7; ++rows) {
    for (int cols = 0; cols <= 7; ++cols) {
      const extent grid{rows, cols};
      for_each_recipe(grid, [&](const recipe& by, const auto& order) {
        const tile_table::entries entries = make_tile_table(by, grid);
        wrong += differences(any_order{by, grid, entries.data()}, order);
        wrong += differences(any_order{grid, entries.data()}, order);
        with_recipe(by, grid, [&](const auto& typed) { wrong += differences(typed, order); });
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("A recipe of 2^31 - 1 tiles is computed without leaving an int") {
  for (const extent grid : {extent{1, 0x7fffffff}, extent{0x7fffffff, 1}, extent{46340, 46340}}) {
    const int all = grid.size();
    for (const bool is_reversed : {false, true}) {
      for (const int first : {0, 1, all - 1, all}) {
        const recipe by{.order = recipe::cta_swizzle, .width = 3, .reversed = is_reversed, .first = first};
        const any_order order{by, grid};
        const rotated forwards{cta_swizzle{grid, 3}, first};
        const rotated backwards{reversed{cta_swizzle{grid, 3}}, first};
        for (const int i : {0, 1, all / 3, all - 2, all - 1}) {
          CHECK(order(i) == (is_reversed ? backwards(i) : forwards(i)));
          CHECK(order.index(order(i)) == i);
        }
      }
    }
  }
}

TEST_CASE("A curve is one of the types of with_recipe") {
  const extent grid{4, 7};
  const recipe curve{recipe::hilbert};
  const int first = with_recipe(curve, grid, [&](const auto& order) { return grid.number(order(0)); });
  CHECK(first == 0);
}

TEST_CASE("An order of the user's own is its table, arranged as the recipe says") {
  const extent grid{4, 7};
  const hilbert mine{grid.transposed()};
  const tile_table::entries own = make_tile_table(mine);
  const recipe by{.order = recipe::own, .transposed = true, .reversed = true, .first = 9};
  const rotated expected{reversed{transposed{mine}}, 9};
  const tile_table::entries entries = make_tile_table(by, grid, own.data());
  const any_order order{by, grid, entries.data()};
  CHECK(differences(order, expected) == 0);
  with_recipe(
      by, grid, [&](const auto& typed) { CHECK(differences(typed, expected) == 0); }, own.data());
}

TEST_CASE("The text of a recipe is what it says, and gives it back") {
  const recipe by{.order = recipe::cta_swizzle, .width = 8, .schedule = recipe::ticket};
  CHECK(to_string(by) == "cta_swizzle, width 8, axis x, ticket");
  CHECK(from_string("hilbert, reversed, ticket") ==
        recipe{.order = recipe::hilbert, .reversed = true, .schedule = recipe::ticket});
  CHECK(to_string(recipe{}) == "row_major");
  CHECK(to_string(recipe{
            .order = recipe::dilated, .width = 2, .step = extent{4, 4}, .schedule = recipe::sm_affine, .run = 16}) ==
        "dilated, step 4x4, width 2, sm_affine, run 16");
  CHECK(to_string(recipe{.order = recipe::thread_group_tiling,
                         .width = 4,
                         .reversed = true,
                         .interleave = 3,
                         .sequence = group_sequence::heaviest_first}) ==
        "thread_group_tiling, width 4, axis x, interleave 3, heaviest first, reversed");
  CHECK(from_string("  run 4 ,sm_affine") == recipe{.schedule = recipe::sm_affine, .run = 4});
  for (int i = 0; i < 10'000; ++i) {
    const recipe any = any_recipe();
    INFO(to_string(any));
    REQUIRE(from_string(to_string(any)) == any);
  }
}

TEST_CASE("A wrong text is refused with the word that is wrong") {
  const auto refused = [](const char* text) { return refusal([=] { (void)from_string(text); }); };
  for (const auto& [text, word] : {std::pair{"cta_swizle, ticket", "cta_swizle"},
                                   {"cta_swizzle, width", "width"},
                                   {"cta_swizzle, width 8x", "width 8x"},
                                   {"cta_swizzle, width 99999999999", "width 99999999999"},
                                   {"cta_swizzle, axis z", "axis z"},
                                   {"dilated, step 4", "step 4"},
                                   {"dilated, step 4x", "step 4x"},
                                   {"dilated, step x4", "step x4"},
                                   {"hilbert, turned", "turned"},
                                   {"hilbert,, ticket", ""},
                                   {"", ""},
                                   {"hilbert reversed", "hilbert reversed"}}) {
    CHECK(refused(text) == "heddle::from_string: \"" + std::string(word) + "\" is no word of a recipe");
  }
  CHECK(refused("hilbert, morton") == "heddle::from_string: \"morton\" is one word too many");
  CHECK(refused("run 3, reversed, run 3") == "heddle::from_string: \"run 3\" is one word too many");
  CHECK(refused("step -1x3") == "heddle::extent: rows is -1; it must be at least 0");
}

TEST_CASE("A recipe that cannot be followed is refused by name") {
  const extent grid{3, 5};
  const auto refused = [&](const recipe& by) { return refusal([&] { (void)any_order{by, grid}; }); };
  CHECK(refused({.order = recipe::hilbert}) == "heddle::any_order: table is null; it must point to device memory");
  CHECK(refused({.order = recipe::own}) == "heddle::any_order: table is null; it must point to device memory");
  CHECK(refused({.order = recipe::cta_swizzle}) == "heddle::any_order: width is 0; it must be at least 1");
  CHECK(refused({.first = 16}) == "heddle::any_order: first is 16; it must be at most 15");
  CHECK(refused({.first = -1}) == "heddle::any_order: first is -1; it must be at least 0");
  CHECK(refusal([&] {
          (void)any_order(batch{2, grid}, nullptr);
        }) == "heddle::any_order: table is null; it must point to device memory");
  CHECK(refusal([&] { (void)make_tile_table({.order = recipe::own}, grid); }) ==
        "heddle::tile_table: entries is null; it must point to device memory");
  CHECK(refusal([&] { (void)make_tile_table({.order = recipe::hilbert, .first = 16}, grid); }) ==
        "heddle::rotated: first is 16; it must be at most 15");
  CHECK(any_order<>({.order = recipe::hilbert}, extent{0, 5}).size() == 0);
}

TEST_CASE("A scheduler that is not listed is refused, and a state is as large as that of any on the list") {
  using two = recipe::schedules<recipe::strided, recipe::ticket>;
  std::vector<long long> state(two::state_bytes() / 8 + 1);
  const extent grid{6, 7};
  for (int kind = 0; kind < recipe::stream_k; ++kind) {
    const recipe by{.order = recipe::hilbert, .schedule = static_cast<recipe::schedule_kind>(kind)};
    const auto of_two = [&] {
      return with_recipe<two>(by, grid, state.data(), [](const auto& scheduler) { return scheduler.order().size(); });
    };
    if (by.schedule == recipe::strided || by.schedule == recipe::ticket) {
      CHECK(of_two() == 42);
    } else {
      CHECK(refusal(of_two) == "heddle::with_recipe: the scheduler is not on the list of the call");
    }
  }
  CHECK(two::state_bytes() == ticket<>::state_bytes());
  CHECK(all_schedules::state_bytes() >= sm_affine<>::state_bytes());
  CHECK(all_schedules::state_bytes() >= work_stealing<>::state_bytes());
  CHECK(recipe::schedules<recipe::one_shot>::state_bytes() == 0);
}

TEST_CASE("A recipe is a constant") {
  constexpr recipe by{.order = recipe::cta_swizzle, .width = 2, .axis = axis::y, .reversed = true};
  constexpr any_order order{by, {3, 4}};
  static_assert(order.index(order(5)) == 5 && order(0) == coord{2, 0});
  CHECK(order(11) == coord{0, 0});
}
