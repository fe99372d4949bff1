#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include <heddle/recipe/recipe.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

inline constexpr const char* axis_names[] = {"x", "y"};
inline constexpr const char* sequence_names[] = {"as numbered", "heaviest first", "lightest first"};

/// What a recipe says in words, one after the other, to a `reader` or a `writer` of text: each word with its value, and
/// whether it is said even where the value is the default.
template <class Recipe, class Voice>
void say(Recipe& by, Voice& voice) {
  voice.name(by.order, recipe::order_names, true);
  voice.value("step", by.step, extent{1, 1}, by.has_step());
  voice.value("width", by.width, 0, by.has_width());
  voice.value("axis", by.axis, axis::x, by.has_axis());
  voice.flag("transposed", by.transposed);
  voice.value("interleave", by.interleave, 1, false);
  voice.name(by.sequence, sequence_names, false);
  voice.flag("reversed", by.reversed);
  voice.value("first", by.first, 0, false);
  voice.value("cluster", by.cluster, extent{1, 1}, false);
  voice.name(by.schedule, recipe::schedule_names, false);
  voice.value("run", by.run, 1, by.schedule == recipe::sm_affine);
  voice.value("sharers", by.sharers, 0, by.schedule == recipe::stream_k);
}

class recipe_writer {
 public:
  template <class Name, std::size_t Count>
  void name(Name is, const char* const (&names)[Count], bool always) {
    if (always || is != Name{}) add(names[static_cast<int>(is)]);
  }
  template <class Value>
  void value(const char* word, Value is, Value usual, bool always) {
    if (always || !(is == usual)) add(word + (" " + text(is)));
  }
  void flag(const char* word, bool is) {
    if (is) add(word);
  }
  const std::string& said() const { return said_; }

 private:
  static std::string text(int number) { return std::to_string(number); }
  static std::string text(extent pair) { return std::to_string(pair.rows) + "x" + std::to_string(pair.cols); }
  static std::string text(axis along) { return axis_names[static_cast<int>(along)]; }
  void add(const std::string& more) { said_ += (said_.empty() ? "" : ", ") + more; }

  std::string said_;
};

/// Tries a piece of a text, such as "width 16", on every word.
class recipe_reader {
 public:
  explicit recipe_reader(std::string_view piece) : piece_(piece) {}

  template <class Name, std::size_t Count>
  void name(Name& is, const char* const (&names)[Count], bool) {
    const auto found = std::find(names, names + Count, piece_);
    if (reads(found != names + Count)) is = static_cast<Name>(found - names);
  }
  template <class Value>
  void value(std::string_view word, Value& is, Value, bool) {
    const bool is_word = piece_.starts_with(word) && piece_.substr(word.size()).starts_with(' ');
    reads(is_word && read(piece_.substr(word.size() + 1), is));
  }
  void flag(std::string_view word, bool& is) {
    if (reads(piece_ == word)) is = true;
  }
  /// Returns the word that the piece said, as a bit; 0 if it said none.
  unsigned word() const { return word_; }

 private:
  bool reads(bool is_word) {
    if (is_word) word_ = bit_;
    bit_ *= 2;
    return is_word;
  }
  static bool read(std::string_view text, int& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  }
  static bool read(std::string_view text, extent& pair) {
    const std::size_t at = text.find('x');
    int rows = 0, cols = 0;
    if (at == text.npos || !read(text.substr(0, at), rows) || !read(text.substr(at + 1), cols)) return false;
    pair = extent{rows, cols};
    return true;
  }
  static bool read(std::string_view text, axis& along) {
    if (text != "x" && text != "y") return false;
    along = text == "x" ? axis::x : axis::y;
    return true;
  }

  std::string_view piece_;
  unsigned bit_ = 1, word_ = 0;
};

}  // namespace detail

/// Returns the name of an order or of a scheduler, such as "ticket".
inline std::string to_string(recipe::order_kind order) {
  return recipe::order_names[order];
}
inline std::string to_string(recipe::schedule_kind schedule) {
  return recipe::schedule_names[schedule];
}

/// Returns a recipe in a line: "cta_swizzle, width 16, axis x, ticket". What its order or its scheduler uses is said,
/// and whatever else is not the default; one_shot is.
///
/// **Example** (tests/recipe/recipe.cpp):
///
///     const recipe by{.order = recipe::cta_swizzle, .width = 8, .schedule = recipe::ticket};
///     CHECK(to_string(by) == "cta_swizzle, width 8, axis x, ticket");
inline std::string to_string(const recipe& by) {
  detail::recipe_writer writer;
  detail::say(by, writer);
  return writer.said();
}

/// Returns the recipe of a text: pieces as `to_string` writes them between commas, in any order. Members that the text
/// does not say have their defaults. A piece that says nothing, or what another one has said, is refused by an
/// `invalid_argument` that has it.
///
/// **Example** (tests/recipe/recipe.cpp):
///
///     CHECK(from_string("hilbert, reversed, ticket") ==
///           recipe{.order = recipe::hilbert, .reversed = true, .schedule = recipe::ticket});
inline recipe from_string(const std::string& text) {
  recipe by;
  unsigned all = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = (std::min)(text.find(',', at), text.size());
    std::string_view piece(text.data() + at, end - at);
    while (piece.starts_with(' ')) piece.remove_prefix(1);
    while (piece.ends_with(' ')) piece.remove_suffix(1);
    detail::recipe_reader reader(piece);
    detail::say(by, reader);
    if (reader.word() == 0 || (all & reader.word()) != 0) {
      const char* const why = reader.word() == 0 ? "is no word of a recipe" : "is one word too many";
      detail::refuse("heddle::from_string: \"", (std::string(piece) + "\" " + why).c_str());
    }
    all |= reader.word();
    at = end + 1;
  }
  return by;
}

}}  // namespace heddle::HEDDLE_ABI
