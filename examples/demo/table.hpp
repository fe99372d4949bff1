#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "page/page.hpp"

// What the demo shows: parts, each a section of the page, with tables that are printed, too.

namespace demo {

/// Figures that are printed. The page shows them with their bars.
struct table {
  std::string heading, text;
  std::vector<std::string> headers;
  heddle_bench::rows_of_values bars = {};  // none if it has no rows
  std::vector<std::vector<std::string>> rows = {};
  int marked = -1;  // the row that is advised
};

/// A picture on the page. One with a file name is in the docs, too.
struct picture {
  std::string file, name, code, text, svg;
  bool is_wide = false;  // half of the page, else a fifth
};

/// A file that the demo writes beside the page.
struct saved_file {
  std::string name, what, text;
};

/// A section of the page. The addresses of links are those of pages in docs/.
struct part {
  std::string heading, text;
  std::vector<heddle_bench::page_link> docs;
  std::vector<picture> pictures = {};
  std::vector<table> tables = {};
  std::string why_not = "";  // why there are no measured figures; empty if there are, or if there is nothing to measure
  std::vector<saved_file> files = {};
};

inline std::string formatted(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// The parts, in the order of the page.
part orders();
part waves();
part paths();
part spaces();
part schedulers();
part traces();
part expansion();
part reordering();
part launch_boxes();
part product_advice();
part group_advice();
part pass_advice();

}  // namespace demo
