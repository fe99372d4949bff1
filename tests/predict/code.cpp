// The lines that `code_of` writes, compiled here as they are, are the order and the schedule that they name.

#include <string>

#include <heddle/order.hpp>
#include <heddle/predict.hpp>
#include <heddle/schedule.hpp>

#include "../test.hpp"

namespace {

using namespace heddle::predict;

/// Text without comments and blanks, as the preprocessor keeps hardly any of either.
std::string bare(std::string text) {
  for (auto at = text.find("/*"); at != std::string::npos; at = text.find("/*"))
    text.erase(at, text.find("*/") + 2 - at);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

/// Checks that the text is that of the choice, and that what it builds visits the tiles of the choice.
template <class Built>
void check_order(const order_choice& choice, const std::string& text, heddle::extent grid, const Built& built) {
  CAPTURE(text);
  CHECK(bare(code_of(choice, "grid")) == bare(text));
  with_order(choice, grid, [&](const auto& order) {
    bool same = built.size() == order.size();
    for (int i = 0; same && i < order.size(); ++i) same = built(i) == order(i);
    CHECK(same);
  });
}

// Compiles what it also passes as text.
#define PASTED(...) #__VA_ARGS__, grid, __VA_ARGS__
#define PASTED_SCHEDULE(...) #__VA_ARGS__, __VA_ARGS__

/// Checks that the text is that of the choice, and that the choice builds the same type over the same order.
template <class Order, class Built>
void check_schedule(const schedule_choice& choice, const Order& order, void* state, const std::string& text,
                    const Built&) {
  CAPTURE(text);
  CHECK(bare(code_of(choice, "order", "state")) == bare(text));
  CHECK(with_schedule(choice, order, state,
                      [](const auto& by) { return std::is_same_v<std::decay_t<decltype(by)>, Built>; }));
}

}  // namespace

TEST_CASE("code_of writes the lines that build an order", "[predict]") {
  const heddle::extent grid{7, 10};
  using enum order_kind;
  check_order({}, PASTED(heddle::row_major{grid}));
  check_order({thread_group_tiling, 3, heddle::axis::y}, PASTED(heddle::thread_group_tiling{grid, 3, heddle::axis::y}));
  check_order({thread_group_tiling, 4, heddle::axis::x}, PASTED(heddle::thread_group_tiling{grid, 4, heddle::axis::x}));
  check_order({cta_swizzle, 5, heddle::axis::x}, PASTED(heddle::cta_swizzle{grid, 5, heddle::axis::x}));
  check_order({cta_swizzle, 2, heddle::axis::y}, PASTED(heddle::cta_swizzle{grid, 2, heddle::axis::y}));
  check_order({hilbert}, PASTED(heddle::hilbert{grid}));
  check_order({dilated, 2, heddle::axis::x, {3, 4}}, PASTED(heddle::dilated{grid, {3, 4}, 2}));
}

TEST_CASE("code_of writes the lines that build a schedule", "[predict]") {
  const heddle::row_major order{{7, 10}};
  alignas(16) static char memory[1 << 14];
  void* const state = memory;
  using enum schedule_kind;
  check_schedule(one_shot, order, state, PASTED_SCHEDULE(heddle::one_shot{order}));
  check_schedule(strided, order, state, PASTED_SCHEDULE(heddle::strided{order}));
  check_schedule(chunked, order, state, PASTED_SCHEDULE(heddle::chunked{order}));
  check_schedule(ticket, order, state, PASTED_SCHEDULE(heddle::ticket{order, state}));
  check_schedule(work_stealing, order, state, PASTED_SCHEDULE(heddle::work_stealing{order, state}));
  check_schedule(cluster_launch, order, state, PASTED_SCHEDULE(heddle::cluster_launch{order}));
  check_schedule({sm_affine, 12}, order, state, PASTED_SCHEDULE(heddle::sm_affine{order, state, 12}));
}
