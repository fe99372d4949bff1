#pragma once

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <heddle/choose/choose.hpp>
#include <heddle/choose/detail/shared_file.hpp>
#include <heddle/choose/detail/wisdom_text.hpp>
#include <heddle/choose/event_clock.hpp>
#include <heddle/choose/wisdom_entry.hpp>
#include <heddle/choose/wisdom_key.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Remembers what `choose` found, in a file of JSON that any number of processes share.
///
/// A question that was answered before is answered at once. Whatever is wrong with the file, every question is
/// answered: `message()` says what it is, and answers are then kept in this object alone.
///
/// **Preconditions**: one thread at a time uses an object. Several objects may share a file.
///
/// **Effects**: a write takes a lock (flock on `<path>.lock`), reads the file again and adds what it has, writes
/// `<path>.new`, and renames it: no process loses what another wrote, and no reader sees half a file. A file that is
/// damaged, or not of a wisdom, gives no answers; the next write renames it to `<path>.damaged`. A file of a newer form
/// is left as it is, and so is one that is write-protected. A symbolic link stays: its target is read and written. On
/// systems without flock one process at a time may write.
///
/// **Cost**: the file is read once; a question takes some 2 µs; a write takes milliseconds and grows with the file.
///
/// **Example** (examples/08_choose/threads.cu):
///
///     heddle::wisdom known("08_choose.json");
///     const auto again = known.choose(key, candidates, launch, stream, {.most = 5});
class wisdom {
 public:
  /// Reads a file, which need not be there yet. Its folder must be.
  explicit wisdom(std::string path) : path_(detail::target_of(std::move(path))) {
    auto [entries, trouble] = read();
    entries_ = std::move(entries);
    message_ = trouble != trouble_of_file::none ? said(trouble) : "";
  }

  /// Returns what is wrong with the file since the last read or write, in words, or an empty text.
  const std::string& message() const { return message_; }

  /// Returns the number of answers.
  std::size_t size() const { return entries_.size(); }

  /// Returns the answer to a question, or null. It stays valid until the next `remember` or `choose`.
  const wisdom_entry* find(const wisdom_key& key) const {
    const auto at = entries_.find(key.text());
    return at != entries_.end() ? &at->second : nullptr;
  }

  /// Adds an answer, in place of one to the same question, and writes the file. Returns `message()`. Times that are not
  /// finite are refused.
  const std::string& remember(const wisdom_key& key, wisdom_entry entry) {
    require_finite(entry.seconds);
    require_finite(entry.noise);
    for (const remembered_times& each : entry.timed) {
      require_finite(each.seconds);
      for (const double burst : each.bursts) require_finite(burst);
    }
    entries_.insert_or_assign(key.text(), std::move(entry));
    return message_ = write(key.text());
  }

  /// Returns the answer to a question at once if it is known and its candidate is among these; else asks
  /// `heddle::choose`, with a stream or a clock, and remembers what was timed.
  ///
  /// **Preconditions**: those of `heddle::choose`; each candidate has a name, and no two have the same. Others are
  /// refused when they are timed.
  template <class Value, class Launch, class StreamOrClock>
  auto choose(const wisdom_key& key, const std::vector<candidate<Value>>& candidates, const Launch& launch,
              StreamOrClock&& on, const choose_options& options = {}) {
    using result = decltype(heddle::choose(candidates, launch, on, options));
    if (const wisdom_entry* const known = find(key); known != nullptr) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].name != known->chosen) continue;
        return result{.value = candidates[i].value,
                      .index = i,
                      .seconds = known->seconds,
                      .noise = known->noise,
                      .remembered = true,
                      .timed = {},
                      .failed = {}};
      }
    }
    require_names(candidates);
    result found = heddle::choose(candidates, launch, on, options);
    if (found.timed.empty()) return found;
    wisdom_entry entry{candidates[found.index].name, found.seconds, found.noise, {}};
    for (const auto& each : found.timed) {
      entry.timed.push_back({candidates[each.index].name, each.seconds, each.bursts});
    }
    (void)remember(key, std::move(entry));
    return found;
  }

 private:
  /// What is wrong with a file as it was read.
  enum class trouble_of_file { none, no_folder, unreadable, newer, damaged, foreign };
  struct read_entries {
    detail::wisdom_map entries;
    trouble_of_file trouble = trouble_of_file::none;
  };

  read_entries read() {
    const auto [text, error] = detail::read_file(path_);
    error_ = error;
    if (error == ENOENT) {
      error_ = detail::folder_error(detail::folder_of(path_));
      return {{}, error_ != 0 ? trouble_of_file::no_folder : trouble_of_file::none};
    }
    if (error != 0) return {{}, trouble_of_file::unreadable};
    auto [is, entries] = detail::read_wisdom(text);
    using kind = detail::wisdom_text::kind;
    return {std::move(entries), is == kind::ours      ? trouble_of_file::none
                                : is == kind::newer   ? trouble_of_file::newer
                                : is == kind::damaged ? trouble_of_file::damaged
                                                      : trouble_of_file::foreign};
  }

  std::string said(trouble_of_file trouble) const {
    const char* const here = "; answers are kept in this process alone";
    const std::string aside = "; the next answer starts it afresh, and renames this one to " + path_ + ".damaged";
    const std::string file = "heddle::wisdom: " + path_;
    switch (trouble) {
      case trouble_of_file::no_folder:
        return file + ": its folder cannot be written to: " + reason(error_) + here;
      case trouble_of_file::unreadable:
        return file + " cannot be read: " + reason(error_) + here;
      case trouble_of_file::newer:
        return file + " is of a newer heddle, and is left as it is" + here;
      case trouble_of_file::damaged:
        return file + " is damaged" + aside;
      case trouble_of_file::foreign:
        return file + " is not a file of a wisdom" + aside;
      case trouble_of_file::none:
        break;
    }
    return "";
  }

  /// Writes all entries, with those that others wrote meanwhile. For a key that both have, the file is right, but for
  /// the one that was added last.
  std::string write(const std::string& added) {
    path_ = detail::target_of(path_);  // it may be a link by now
    const std::string file = "heddle::wisdom: " + path_;
    if (const int error = detail::folder_error(detail::folder_of(path_)); error != 0) {
      error_ = error;
      return said(trouble_of_file::no_folder);
    }
    const detail::file_lock lock(path_);
    if (lock.error() != 0) return file + ".lock cannot be locked, so nothing is written: " + reason(lock.error());
    auto [entries, trouble] = read();
    if (trouble == trouble_of_file::damaged || trouble == trouble_of_file::foreign) {
      const std::string aside = path_ + ".damaged";
      const int error = std::rename(path_.c_str(), aside.c_str()) == 0 ? 0 : errno;
      if (error != 0) return file + " cannot be renamed: " + reason(error);
    } else if (trouble != trouble_of_file::none) {
      return said(trouble);
    }
    for (auto& [key, entry] : entries) {
      if (key != added) entries_.insert_or_assign(key, std::move(entry));
    }
    const int error = detail::replace_file(path_, detail::text_of(entries_));
    return error == 0 ? "" : file + " cannot be written: " + reason(error);
  }

  static std::string reason(int error) { return std::generic_category().message(error); }

  static void require_finite(double value) {
    if (!std::isfinite(value)) detail::refuse("heddle::wisdom: a time", " is not finite");
  }

  template <class Value>
  static void require_names(const std::vector<candidate<Value>>& candidates) {
    std::unordered_set<std::string> names;
    for (const auto& each : candidates) {
      if (each.name.empty()) detail::refuse("heddle::wisdom: a candidate", " has no name");
      if (!names.insert(each.name).second) detail::refuse("heddle::wisdom: two candidates", " have the same name");
    }
  }

  std::string path_, message_;
  detail::wisdom_map entries_;
  int error_ = 0;  // of the last read
};

}}  // namespace heddle::HEDDLE_ABI
