#pragma once

#include <heddle/predict.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace explorer {

using namespace heddle;

/// Returns a value as a message quotes it, which has room for 159 characters: its beginning, if it is long.
inline std::string quoted(const std::string& value) {
  return "\"" + (value.size() > 24 ? value.substr(0, 24) + "…" : value) + "\"";
}

/// Returns which of some names a value is. The refusal of any other lists them.
template <std::size_t Count>
int one_of(const char* what, const std::string& value, const char* const (&names)[Count]) {
  std::string known;
  for (std::size_t i = 0; i < Count; ++i) {
    if (value == names[i]) return static_cast<int>(i);
    known += (i > 0 ? ", " : "") + std::string(names[i]);
  }
  throw invalid_argument(what, (": " + quoted(value) + " is none of " + known).c_str());
}

constexpr double any_number = std::numeric_limits<double>::max();

/// Returns the number that a value spells, from `least` to `most`. Any other value is refused.
inline double number_in(const char* what, const std::string& value, double least, double most, bool is_whole) {
  const auto refuse = [&](const std::string& wanted) {
    throw invalid_argument((what + (" is " + quoted(value))).c_str(), ("; it must be " + wanted).c_str());
  };
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || *end != '\0' || !std::isfinite(number)) refuse("a number");
  if (number < least) refuse("at least " + std::to_string(static_cast<long long>(least)));
  if (number > most) refuse("at most " + std::to_string(static_cast<long long>(most)));
  if (is_whole && number != std::floor(number)) refuse("a whole number");
  return number;
}

/// A state of the page: a line "key=value" for each of its fields. The keys are names of members of the library, so
/// that a refusal names the field. A missing field has its default; an empty one is no number and no name.
class question {
 public:
  explicit question(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at), stop = end == std::string::npos ? text.size() : end;
      const std::size_t equals = text.find('=', at);
      if (equals < stop) fields_.push_back({text.substr(at, equals - at), text.substr(equals + 1, stop - equals - 1)});
      at = stop + 1;
    }
  }

  /// Returns a field's text, for those that are neither a number nor a name.
  std::string text(const char* key, const char* missing = "") const {
    const std::string* value = find(key);
    return value == nullptr ? missing : *value;
  }

  /// Returns which of some names a field has.
  template <std::size_t Count>
  int name(const char* key, const char* const (&names)[Count], int missing = 0) const {
    const std::string* value = find(key);
    return value == nullptr ? missing : one_of(key, *value, names);
  }
  bool flag(const char* key) const {
    constexpr const char* names[] = {"0", "1"};
    return name(key, names) == 1;
  }

  /// Returns a number.
  double rate(const char* key, double missing, double least = -any_number, double most = any_number) const {
    const std::string* value = find(key);
    return value == nullptr ? missing : number_in(key, *value, least, most, false);
  }
  long long count(const char* key, long long missing) const {
    const std::string* value = find(key);  // up to where a double has all whole numbers
    return value == nullptr ? missing : static_cast<long long>(number_in(key, *value, -0x1p53, 0x1p53, true));
  }
  int number(const char* key, int missing, int least = -0x7fffffff, int most = 0x7fffffff) const {
    const std::string* value = find(key);
    return value == nullptr ? missing : static_cast<int>(number_in(key, *value, least, most, true));
  }

 private:
  const std::string* find(const char* key) const {
    for (const auto& [name, value] : fields_) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Returns the card of a question, with the numbers that the question changes.
inline predict::device device_of(const question& q) {
  predict::device chip = predict::device_named(q.text("card", "h200"));
  detail::for_each_member(chip, [&](const char* name, auto& member, const auto&) {
    using type = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_same_v<type, int>) {
      member = q.number(name, member);
    } else if constexpr (std::is_same_v<type, long long>) {
      member = q.count(name, member);
    } else if constexpr (std::is_same_v<type, double>) {
      member = q.rate(name, member);
    }
  });
  return chip;
}

/// Returns the blocks per multiprocessor of a question, within the library's limits.
inline int blocks_of(const question& q) {
  return q.number("blocks_per_multiprocessor", 1, 1, 64);
}

inline predict::gemm_problem product_of(const question& q) {
  predict::gemm_problem product{.m = q.number("m", 0),
                                .n = q.number("n", 0),
                                .k = q.number("k", 0),
                                .tile_m = q.number("tile_m", 128),
                                .tile_n = q.number("tile_n", 128),
                                .tile_k = q.number("tile_k", 64),
                                .element_bytes = q.number("element_bytes", 2)};
  product.output_bytes = q.number("output_bytes", product.element_bytes);
  return product;
}

/// Returns the numbers of a text, at least 0 and whole if their type is, with blanks, commas or brackets between them.
template <class Number>
std::vector<Number> numbers_in(const char* what, const std::string& text, std::size_t most) {
  constexpr const char* between = " \t,;()[]{}";
  std::vector<Number> numbers;
  for (std::size_t at = text.find_first_not_of(between); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    if (numbers.size() == most)
      throw invalid_argument(what,
                             (" has more than " + std::to_string(most) + " numbers, the most of this page").c_str());
    const double number = number_in(what, text.substr(at, end - at), 0, 0x7fffffff, std::is_integral_v<Number>);
    numbers.push_back(static_cast<Number>(number));
    at = text.find_first_not_of(between, end);
  }
  if (numbers.empty()) throw invalid_argument(what, " is empty; it must have at least one number");
  return numbers;
}

constexpr const char* problem_names[] = {"product", "stencil", "batch", "causal", "groups", "pairs"};

/// Calls `f` with the problem of a question, and returns what `f` returns.
template <class F>
auto with_problem(const question& q, const F& f) {
  const std::string kind = problem_names[q.name("problem", problem_names)];
  if (kind == "stencil") {
    return f(predict::stencil_problem{.rows = q.number("rows", 0),
                                      .cols = q.number("cols", 0),
                                      .tile_rows = q.number("tile_rows", 16),
                                      .tile_cols = q.number("tile_cols", 16),
                                      .bytes_per_pixel = q.number("bytes_per_pixel", 4),
                                      .rows_radius = q.number("rows_radius", 0),
                                      .cols_radius = q.number("cols_radius", 0),
                                      .step = q.number("step", 1),
                                      .written_bytes_per_pixel = q.number("written_bytes_per_pixel", 0),
                                      .requested_bytes_per_pixel = q.number("requested_bytes_per_pixel", 0),
                                      .instructions_per_pixel = q.number("instructions_per_pixel", 0)});
  }
  if (kind == "batch") {
    return f(predict::batched_problem{.plane = product_of(q),
                                      .count = q.number("count", 1),
                                      .planes_per_a = q.number("planes_per_a", 1),
                                      .planes_per_b = q.number("planes_per_b", 1)});
  }
  if (kind == "causal") {
    predict::causal_problem pass{.queries = q.number("queries", 0),
                                 .keys = q.number("keys", 0),
                                 .heads = q.number("heads", 1),
                                 .width = q.number("head_width", 128),
                                 .tile_queries = q.number("tile_queries", 128),
                                 .tile_keys = q.number("tile_keys", 128),
                                 .element_bytes = q.number("element_bytes", 2)};
    pass.key_heads = q.number("key_heads", pass.heads);
    return f(pass);
  }
  if (kind == "groups") {
    predict::grouped_problem experts{.rows = numbers_in<int>("group_rows", q.text("group_rows"), 1 << 16),
                                     .n = q.number("n", 0),
                                     .k = q.number("k", 0),
                                     .tile_m = q.number("tile_m", 128),
                                     .tile_n = q.number("tile_n", 128),
                                     .tile_k = q.number("tile_k", 64),
                                     .element_bytes = q.number("element_bytes", 2)};
    experts.output_bytes = experts.element_bytes;
    experts.step_rows = experts.tile_m;
    return f(experts);
  }
  if (kind == "pairs") {
    return f(predict::pairs_problem{.things = q.number("things", 0),
                                    .elements = q.number("elements", 0),
                                    .tile_things = q.number("tile_things", 64),
                                    .step_elements = q.number("step_elements", 32),
                                    .element_bytes = q.number("element_bytes", 4),
                                    .pair_bytes = q.number("pair_bytes", 4)});
  }
  return f(product_of(q));
}

}  // namespace explorer
