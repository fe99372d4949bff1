#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif

#include <cstddef>
#include <fstream>
#include <string>

#include <heddle/predict/detail/device_text.hpp>
#include <heddle/predict/device.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Holds a description that was read from a file, or why there is none.
///
/// **Example** (tests/predict/device.cpp):
///
///     if (const stored_device stored = read_device(path)) {
///       const advice best = advise(product, stored.chip);
struct [[nodiscard]] stored_device {
  device chip{};      // as written; of no use after an error
  std::string error;  // names the file and what is wrong with it; empty if nothing is

  /// Returns whether the file has a description.
  explicit operator bool() const { return error.empty(); }
};

/// Writes a description to a file, and returns what went wrong, in words: nothing if the text is empty. The file is
/// JSON, one member per line, and reads back as exactly the same values.
///
/// **Preconditions**: the description passes its `check()`, else it is refused.
/// **Effects**: replaces the file. A reader at the same time may find half of it, which `read_device` refuses.
/// **Example** (tests/predict/device.cpp):
///
///     const std::string error = write_device(path, h200());
[[nodiscard]] inline std::string write_device(const std::string& path, const device& described) {
  described.check();
  std::ofstream file(path, std::ios::binary);
  file << detail::text_of(described);
  file.close();
  return file ? "" : path + ": the file is not writable";
}

/// Reads a description from a file: one of `write_device`, or one by hand. Members that have a default may be missing.
///
/// **Effects**: none but reading. Whatever the file has, the result is a description that passes its `check()`, or an
/// error.
inline stored_device read_device(const std::string& path) {
  constexpr std::size_t most = 1 << 16;  // bytes of the file, many times what a description has
  bool is_file = true;
#if defined(__unix__) || defined(__APPLE__)
  struct stat facts;
  is_file = ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);  // an open of a pipe would wait for its writer
#endif
  std::ifstream file(is_file ? path : "", std::ios::binary);
  if (!file) return {{}, path + ": there is no such file, or it is not readable"};
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return {{}, path + ": the file is not readable"};
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most) return {{}, path + ": this is no description of a device: it has more than 65536 bytes"};
  const detail::device_reader read(text);
  return {read.found, read.error.empty() ? "" : path + ", " + read.error};
}

}}}  // namespace heddle::HEDDLE_ABI::predict
