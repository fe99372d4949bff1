#pragma once

#include <stdlib.h>
#include <unistd.h>

#include "test.hpp"

namespace heddle_test {

/// A folder that lives as long as this object.
class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  folder(const folder&) = delete;
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace heddle_test
