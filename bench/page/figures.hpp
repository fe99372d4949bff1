#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <heddle/choose/detail/json_number.hpp>
#include <heddle/detail/json.hpp>

#include "page/scale.hpp"

// Reads the JSON that benchmarks write, and the figures of record. Their forms differ; what comes out is rows of
// fields.

namespace heddle_bench {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// A row of figures: fields by name, as text. `list` is the name of the list that it stands in.
struct fields {
  std::map<std::string, std::string> all;

  const std::string* find(const std::string& name) const {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
  }
  std::string word(const std::string& name) const {
    const std::string* const found = find(name);
    return found == nullptr ? "" : *found;
  }
  /// The number of this name, finite, or `no_number`.
  double number(const std::string& name) const {
    const std::string text = word(name);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value) ? value : no_number;
  }
  void set(const std::string& name, double value) {
    if (std::isfinite(value)) all[name] = heddle::detail::json_number(value);
  }
};

namespace reading {

using heddle::detail::json;

/// The text of a value that is one, so that 0.0 and 0 are the same name; of a list the texts with | between them.
inline std::optional<std::string> text_of(const json& value) {
  if (value.is == json::kind::array) {
    std::string all;
    for (const json& item : value.items) {
      if (item.is >= json::kind::array) return {};
      all += (all.empty() ? "" : "|") + *text_of(item);
    }
    return value.items.empty() ? std::optional<std::string>() : all;
  }
  if (value.is == json::kind::object) return {};
  const bool is_decimal = value.is == json::kind::number && value.text.find_first_of("eE") == std::string::npos;
  return is_decimal ? without_zeros(value.text) : value.text;
}

/// The fields of an object, without those of lists in it.
inline fields fields_of(const json& object) {
  fields found;
  for (std::size_t i = 0; i < object.items.size(); ++i) {
    if (const auto text = text_of(object.items[i])) found.all[object.names[i]] = *text;
  }
  return found;
}
inline fields fields_of(const std::string& line) {
  return fields_of(heddle::detail::json_reader(line).read().value_or(json{}));
}

/// Adds the rows of an object to `rows`. An object without further lists is a row, and has the fields of those around
/// it. Of an object of numbers, {"strided": 1.2, "ticket": [1.1, 1.3]}, each is a row: its `name` and its `value`.
inline void add_rows(const json& object, fields of, const std::string& list, std::vector<fields>& rows) {
  fields own = fields_of(object);
  own.all.merge(of.all);
  of = own;
  of.all["list"] = list;
  bool has_lists = false;
  for (std::size_t i = 0; i < object.items.size(); ++i) {
    const json& member = object.items[i];
    if (text_of(member)) continue;
    if (member.is == json::kind::array) {
      has_lists = true;
      for (const json& item : member.items) {
        if (item.is == json::kind::object) add_rows(item, of, object.names[i], rows);
      }
      continue;
    }
    const bool are_numbers = std::all_of(member.items.begin(), member.items.end(), [](const json& item) {
      return (item.is == json::kind::array && !item.items.empty() ? item.items[0] : item).is == json::kind::number;
    });
    if (!are_numbers) add_rows(member, of, object.names[i], rows);
    for (std::size_t k = 0; are_numbers && k < member.items.size(); ++k) {
      fields row = of;
      const std::string values = *text_of(member.items[k]);
      row.all["list"] = object.names[i];
      row.all["within"] = list;
      row.all["name"] = member.names[k];
      row.all["value"] = values.substr(0, values.find('|'));
      if (values.find('|') != std::string::npos) row.all["cold"] = values.substr(values.find('|') + 1);
      rows.push_back(row);
    }
  }
  if (!has_lists || list == "context") rows.push_back(of);
}

/// Adds the fields that follow from others: parts of names, and what charts are drawn over.
inline void complete(fields& row) {
  const auto number = [&](const char* name) { return row.number(name); };
  if (row.find("run_name") != nullptr) {  // of Google Benchmark: FORM/CASE/WAY
    std::string rest = row.word("run_name");
    for (const char* part : {"form", "case", "way"}) {
      row.all[part] = rest.substr(0, rest.find('/'));
      rest.erase(0, rest.find('/') == rest.npos ? rest.size() : rest.find('/') + 1);
    }
    row.set("added_us", number("with_us") - number("alone_us"));
  }
  row.set("gflop", 2e-9 * number("m") * number("n") * number("k"));
  for (const std::string plan : {"plan", "tuned"}) {  // less than an eighth of a percent is drawn as that
    const double behind = 100 * (row.number(plan + "_us") / number("best_us") - 1);
    if (!std::isnan(behind)) row.set(plan + "_behind", std::fmax(0.125, behind));
  }
  row.set("instructions", 14 * number("turns"));  // of a branch of the reordering
  row.set("mean", number("items") / number("sources"));
  row.set("of_source", number("value") / number("sources"));
  row.set("mb", 1e-6 * number("value"));
  row.set("mega_rays", 1e-3 * number("rays") / number("milliseconds"));
  row.set("law_ms", number("burst_ms") / number("law_ratio"));
  row.set("over_law_alone", number("alone_ratio") / number("law_ratio"));

  // Sweeps: the program writes a row for each order, figures of record the three that are shown.
  if (row.find("order") != nullptr && row.find("kernel") != nullptr) {
    const bool is_advised = row.word("advised") == "true" && row.word("table") != "true";
    if (row.word("order") == "row_major") row.all["row_major_ms"] = row.word("ms");
    if (is_advised) row.all["advised_ms"] = row.word("ms");
    row.all["best_ms"] = row.word("ms");
    row.all["best"] = row.all["advised"] = row.word("order") + ", " + row.word("schedule");
  }
  // Passes: the program writes a row for each composition, figures of record have an object of all.
  if (row.find("tile") != nullptr && row.find("order") != nullptr) {
    std::string name = (row.word("tile") == "0x0" ? "" : row.word("tile") + " ") + row.word("order");
    if (!row.word("schedule").empty()) name += " " + row.word("schedule");
    if (const std::size_t at = name.find(", axis x"); at != name.npos) name.erase(at, 8);
    row.all["name"] = name;
    row.all["value"] = row.word("ms");
    row.all["list"] = "ms";
    row.all["within"] = "sweep";
  } else if (row.word("list") == "ms") {  // the last that is advised has the tile that is
    const std::string advised = row.word("advised");
    row.all["advised"] = row.word("name") == advised.substr(advised.rfind('|') + 1) ? "true" : "false";
  }
  if (row.word("name").find("the advised of") == 0) row.all["advised"] = "true";
  static const std::regex size(", [0-9]+x[0-9]+.*"), step("(.*), step ([0-9]+)");
  const std::string pass = row.word("row");
  std::smatch parts;
  if (!pass.empty()) row.all["kind"] = std::regex_replace(pass, size, "");
  if (std::regex_match(pass, parts, step)) row.all["pass"] = parts[1], row.all["step"] = parts[2];
}

}  // namespace reading

/// What a file says: its rows, and the machine and the version that it is of.
struct file_of_figures {
  std::vector<fields> rows;
  fields context;
  std::string error;  // why there is nothing

  explicit file_of_figures(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    heddle::detail::json_reader reader(text);
    const std::optional<heddle::detail::json> found = reader.read();
    if (!found || found->is != reading::json::kind::object) {
      error = found ? "it is no JSON object" : "line " + std::to_string(reader.line()) + ": " + reader.why();
      return;
    }
    reading::add_rows(*found, {}, "", rows);
    context = reading::fields_of(*found);
    bool has_medians = false;
    for (const fields& row : rows) {
      if (row.word("list") == "context") context = row;
      has_medians = has_medians || row.word("aggregate_name") == "median";
    }
    std::erase_if(rows, [&](const fields& row) {  // Google Benchmark's deviations, and rows that failed
      return row.word("error_occurred") == "true" ||
             (row.find("run_name") != nullptr &&
              (has_medians ? row.word("aggregate_name") != "median" : row.word("run_type") != "iteration"));
    });
    std::vector<fields> floors;
    for (fields& row : rows) {
      reading::complete(row);
      if (row.word("list") != "store_us" || row.word("name") != "packed_prefix") continue;
      floors.push_back(row);  // the floor of an expansion, as one more contestant
      floors.back().all["name"] = "the store alone";
      floors.back().all["value"] = row.word("floor_us");
    }
    rows.insert(rows.end(), floors.begin(), floors.end());
  }
};

}  // namespace heddle_bench
