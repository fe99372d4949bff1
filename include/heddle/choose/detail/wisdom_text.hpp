#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heddle/choose/detail/joined.hpp>
#include <heddle/choose/detail/json_number.hpp>
#include <heddle/choose/wisdom_entry.hpp>
#include <heddle/choose/wisdom_key.hpp>
#include <heddle/detail/json.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Entries by the text of their keys.
using wisdom_map = std::unordered_map<std::string, wisdom_entry>;

/// The version of the file's form. A file of a newer one begins in the same way, whatever follows.
inline constexpr int wisdom_form = 1;
inline constexpr std::string_view wisdom_head = "{\"heddle_wisdom\": ";

/// What is in the text of a file.
struct wisdom_text {
  enum class kind { ours, newer, damaged, foreign };
  kind is;
  wisdom_map entries;  // empty but in ours
};

/// Returns a hash of a text, FNV-1a of 64 bits, in hexadecimal. Texts of one length that differ in one byte differ in
/// it.
inline std::string check_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  std::string digits(16, '0');
  for (auto at = digits.rbegin(); at != digits.rend(); ++at, hash /= 16) *at = "0123456789abcdef"[hash % 16];
  return digits;
}

/// Returns the end of a line that begins so.
inline std::string check_end(std::string_view line) {
  return joined(", \"check\": \"", check_of(line), "\"}");
}

/// Returns an entry as a line of JSON. It ends in a hash of what stands before, so that no damage passes for an answer.
inline std::string line_of(const std::string& key, const wisdom_entry& entry) {
  std::string line = joined("{\"key\": ", key, ", \"chosen\": ", json_text(entry.chosen),
                            ", \"seconds\": ", json_number(entry.seconds), ", \"noise\": ", json_number(entry.noise),
                            ", \"timed\": [");
  const char* between = "";
  for (const remembered_times& each : entry.timed) {
    line += joined(std::exchange(between, ", "), "{\"name\": ", json_text(each.name),
                   ", \"seconds\": ", json_number(each.seconds), ", \"bursts\": [");
    const char* comma = "";
    for (const double seconds : each.bursts) line.append(std::exchange(comma, ", ")).append(json_number(seconds));
    line += "]}";
  }
  line += "]";
  return line += check_end(line);
}

/// Returns all entries as the text of a file, in the order of their keys.
inline std::string text_of(const wisdom_map& entries) {
  std::map<std::string_view, const wisdom_entry*> sorted;
  for (const auto& [key, entry] : entries) sorted[key] = &entry;
  std::string text = joined(wisdom_head, std::to_string(wisdom_form), ", \"entries\": [");
  const char* between = "\n";
  for (const auto& [key, entry] : sorted) {
    text.append(std::exchange(between, ",\n")).append(line_of(std::string(key), *entry));
  }
  return text += "\n]}\n";
}

/// Returns the text of a key, or nothing if it is none. A key has four texts, and then texts and numbers.
inline std::optional<std::string> key_of(const json& array) {
  std::string key;
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    const json& item = array.items[i];
    if (item.is != json::kind::text && (i < 4 || item.is != json::kind::number)) return {};
    key.append(i == 0 ? "[" : ", ").append(item.is == json::kind::text ? json_text(item.text) : item.text);
  }
  if (array.items.size() < 4) return {};
  return key += "]";
}

/// Returns a number's value; none if it is no number, or too large for one.
inline std::optional<double> number_of(const json& value) {
  double number = 0;
  const char* const last = value.text.data() + value.text.size();
  const auto [end, error] = std::from_chars(value.text.data(), last, number);
  if (value.is != json::kind::number || error != std::errc{} || end != last) return {};
  return number;
}

inline std::optional<double> number_of(const json& object, std::string_view name) {
  const json* const found = object.find(name, json::kind::number);
  return found != nullptr ? number_of(*found) : std::nullopt;
}

/// Reads an entry with its key. Returns nothing if it lacks a part.
inline std::optional<std::pair<std::string, wisdom_entry>> entry_of(const json& object) {
  using kind = json::kind;
  const json *const key = object.find("key", kind::array), *const chosen = object.find("chosen", kind::text),
                    *const timed = object.find("timed", kind::array);
  const std::optional<double> seconds = number_of(object, "seconds"), noise = number_of(object, "noise");
  if (!key || !chosen || !timed || !seconds || !noise) return {};
  wisdom_entry entry{chosen->text, *seconds, *noise, {}};
  for (const json& each : timed->items) {
    const json *const name = each.find("name", kind::text), *const bursts = each.find("bursts", kind::array);
    const std::optional<double> of_each = number_of(each, "seconds");
    if (!name || !bursts || !of_each) return {};
    entry.timed.push_back({name->text, *of_each, {}});
    for (const json& burst : bursts->items) {
      const std::optional<double> value = number_of(burst);
      if (!value) return {};
      entry.timed.back().bursts.push_back(*value);
    }
  }
  std::optional<std::string> text = key_of(*key);
  if (!text) return {};
  return std::pair{std::move(*text), std::move(entry)};
}

/// Reads what follows the form's number: all entries, or nothing if a byte of them is not as `text_of` writes it. Only
/// a line that its hash confirms is read as JSON, so that a damaged file takes no more memory than its text.
inline std::optional<wisdom_map> entries_of(std::string_view text) {
  constexpr std::string_view begin = ", \"entries\": [\n", end = "\n]}\n";
  if (!text.starts_with(begin) || !text.ends_with(end) || text.size() < begin.size() + end.size()) return {};
  text = text.substr(begin.size(), text.size() - begin.size() - end.size());
  wisdom_map found;
  for (std::size_t next = 0; next <= text.size();) {
    std::string_view line = text.substr(next, text.find('\n', next) - next);
    next += line.size() + 1;
    if (next <= text.size()) {  // another one follows
      if (!line.ends_with(',')) return {};
      line.remove_suffix(1);
    }
    const std::size_t size = line.size() - (std::min)(line.size(), check_end("").size());
    if (line.substr(size) != check_end(line.substr(0, size))) return {};
    const std::optional<json> object = json_reader(line).read();
    auto entry = object ? entry_of(*object) : std::nullopt;
    if (!entry) return {};
    found.insert_or_assign(std::move(entry->first), std::move(entry->second));
  }
  return found;
}

/// Reads the text of a file: all entries, or none if any of them is damaged.
inline wisdom_text read_wisdom(std::string_view text) {
  using kind = wisdom_text::kind;
  if (text.substr(0, wisdom_head.size()) != wisdom_head) return {kind::foreign, {}};
  int form = 0;
  const char* const begin = text.data() + wisdom_head.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), form);
  const bool is_newer = error == std::errc::result_out_of_range || form > wisdom_form;
  if (!is_newer && form != wisdom_form) return {kind::damaged, {}};
  std::optional<wisdom_map> entries = entries_of(std::string_view(end, text.data() + text.size()));
  // Entries of this form below another number: the number is damaged. A newer form writes lines that this one refuses.
  if (is_newer) return {entries ? kind::damaged : kind::newer, {}};
  if (!entries) return {kind::damaged, {}};
  return {kind::ours, std::move(*entries)};
}

}}}  // namespace heddle::HEDDLE_ABI::detail
