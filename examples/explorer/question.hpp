#pragma once

#include <heddle/predict.hpp>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace explorer {

using namespace heddle;

/// A state of the page: a line "key=value" for each of its fields. The keys are names of members of the library, so
/// that a refusal names the field.
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

  /// Returns a field, or nothing.
  std::string text(const char* key) const {
    for (const auto& [name, value] : fields_) {
      if (name == key) return value;
    }
    return "";
  }
  bool has(const char* key) const { return !text(key).empty(); }
  bool is(const char* key, const char* value) const { return text(key) == value; }

  /// Returns a number, or the default if the field is missing.
  double rate(const char* key, double missing) const {
    const std::string value = text(key);
    if (value.empty()) return missing;
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (*end != '\0')
      throw invalid_argument((std::string(key) + " is \"" + value + "\"").c_str(), "; it must be a number");
    return number;
  }
  long long count(const char* key, long long missing) const {
    const double number = rate(key, static_cast<double>(missing));
    if (!(number >= -9e15 && number <= 9e15) || number != static_cast<double>(static_cast<long long>(number))) {
      throw invalid_argument((std::string(key) + " is " + text(key)).c_str(), "; it must be a whole number");
    }
    return static_cast<long long>(number);
  }
  int number(const char* key, int missing) const {
    const long long value = count(key, missing);
    if (value > 0x7fffffff) throw invalid_argument(key, value, "at most", 0x7fffffff);
    if (value < -0x7fffffff) throw invalid_argument(key, value, "at least", -0x7fffffff);
    return static_cast<int>(value);
  }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Calls `f(name, member)` for each number of a device.
template <class Device, class F>
void for_each_number(Device& chip, const F& f) {
  f("multiprocessors", chip.multiprocessors);
  f("l2_bytes", chip.l2_bytes);
  f("l2_copies", chip.l2_copies);
  f("l2_kept_bytes", chip.l2_kept_bytes);
  f("dram_bytes_per_second", chip.dram_bytes_per_second);
  f("l2_bytes_per_second", chip.l2_bytes_per_second);
  f("matrix_operations_per_second", chip.matrix_operations_per_second);
  f("l1_bytes", chip.l1_bytes);
  f("l1_bytes_per_second", chip.l1_bytes_per_second);
  f("instructions_per_second", chip.instructions_per_second);
  f("launch_seconds", chip.launch_seconds);
  f("atomic_seconds", chip.atomic_seconds);
  f("atomics_per_second", chip.atomics_per_second);
  f("matrix_operations_per_line", chip.matrix_operations_per_line);
  f("band_rows", chip.band_rows);
  f("overlap_of_l1_and_l2", chip.overlap_of_l1_and_l2);
  f("overlap_of_units", chip.overlap_of_units);
  f("drawing_instructions", chip.drawing_instructions);
}

/// Returns a card of the library by its name: an H100 by none.
inline predict::device card_of(const std::string& name) {
  if (name == "h200") return predict::h200();
  if (name == "a100") return predict::a100();
  if (name == "rtx_4090") return predict::rtx_4090();
  if (name == "b200") return predict::b200();
  if (name == "h100" || name.empty()) return predict::h100();
  throw invalid_argument("heddle::predict::device",
                         (": \"" + name + "\" is none of h200, h100, a100, rtx_4090, b200").c_str());
}

/// Returns the card of a question, with the numbers that the question changes.
inline predict::device device_of(const question& q) {
  predict::device chip = card_of(q.text("card"));
  for_each_number(chip, [&](const char* name, auto& number) {
    using type = std::remove_reference_t<decltype(number)>;
    if constexpr (std::is_same_v<type, int>) {
      number = q.number(name, number);
    } else if constexpr (std::is_same_v<type, long long>) {
      number = q.count(name, number);
    } else {
      number = q.rate(name, number);
    }
  });
  return chip;
}

inline int blocks_of(const question& q) {
  return q.number("blocks_per_multiprocessor", 1);
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

/// Returns the rows of groups: numbers with anything between them.
inline std::vector<int> rows_of(const std::string& text) {
  std::vector<int> rows;
  for (const char* at = text.c_str(); *at != '\0';) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    char* end = nullptr;
    const long long of_group = std::strtoll(at, &end, 10);
    if (of_group > 0x7fffffff) throw invalid_argument("rows of a group", of_group, "at most", 0x7fffffff);
    if (rows.size() == 1 << 16)
      throw invalid_argument("group_rows", " has more than 65536 groups, the most of this page");
    rows.push_back(static_cast<int>(of_group));
    at = end;
  }
  return rows;
}

/// Calls `f` with the problem of a question, and returns what `f` returns.
template <class F>
auto with_problem(const question& q, const F& f) {
  const std::string kind = q.text("problem");
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
    predict::grouped_problem experts{.rows = rows_of(q.text("group_rows")),
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
  return f(product_of(q));
}

/// The names of `predict::order_kind`.
constexpr const char* order_kinds[] = {"row_major", "thread_group_tiling", "cta_swizzle", "hilbert", "dilated"};

/// Returns the order of a question, if advice could name it.
inline predict::order_choice choice_of(const question& q) {
  using predict::order_kind;
  const std::string kind = q.text("order");
  predict::order_choice order;
  for (int i = 0; i <= static_cast<int>(order_kind::dilated); ++i) {
    if (kind == order_kinds[i]) order.kind = static_cast<order_kind>(i);
  }
  order.width = q.number("width", 8);
  order.axis = q.is("axis", "y") ? axis::y : axis::x;
  if (order.kind == order_kind::dilated) {
    order.step = {q.number("step_rows", 1), q.number("step_cols", 1)};
  }
  return order;
}

inline predict::schedule_choice schedule_of(const question& q) {
  for (const predict::schedule_kind kind : predict::all_schedules) {
    if (q.text("schedule") == name_of(kind)) return {kind, q.number("run", 1)};
  }
  return predict::schedule_kind::one_shot;
}

/// Returns the cluster of a question: 1 x 1 without one.
inline extent cluster_of(const question& q) {
  const extent cluster{q.number("cluster_rows", 1), q.number("cluster_cols", 1)};
  if (cluster.rows < 1) throw invalid_argument("heddle::clustered: cluster_rows", cluster.rows, "at least", 1);
  if (cluster.cols < 1) throw invalid_argument("heddle::clustered: cluster_cols", cluster.cols, "at least", 1);
  return cluster;
}

}  // namespace explorer
