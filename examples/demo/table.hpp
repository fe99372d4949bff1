#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace demo {

/// What is printed and goes into the page; with no rows a text that is printed.
struct table {
  std::string heading, text;
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;
  int marked = -1;
};

inline std::string formatted(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Instead of what was not measured.
inline table not_measured(const std::string& why) {
  return {"", "Not measured: " + why + ".", {}, {}, -1};
}

/// What is predicted, and beside it what the GPU at hand says; or why it says nothing.
std::vector<table> expansion();
std::vector<table> reordering();

}  // namespace demo
