// The means on the page on other people's kernels are of its own table.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "docs/lines.hpp"

using namespace heddle_test;

namespace {

std::string rounded(const char* form, double value) {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

lines cells_of(const std::string& row) {
  lines all;
  for (std::size_t begin = 2, end = 0; (end = row.find(" |", begin)) != row.npos; begin = end + 3) {
    all.push_back(row.substr(begin, end - begin));
  }
  return all;
}

/// Returns the lines of a section of the page that begin with a bar: the heading of a table, and its rows.
lines table_of(const std::string& section) {
  lines found;
  bool is_inside = false;
  for (const std::string& line : read(source / "docs/in_the_wild.md")) {
    if (line.compare(0, 3, "## ") == 0) is_inside = line == "## " + section;
    if (is_inside && line.compare(0, 2, "| ") == 0) found.push_back(line);
  }
  REQUIRE(found.size() > 1);
  return found;
}

/// Returns what a column of a table says.
std::vector<double> numbers_of(const lines& table, std::size_t column) {
  std::vector<double> all;
  for (const std::string& row : table) all.push_back(std::strtod(cells_of(row).at(column).c_str(), nullptr));
  return all;
}

double mean_of(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(std::min(ratio, 3.0));
  return std::exp(sum / static_cast<double>(ratios.size()));
}

}  // namespace

TEST_CASE("The page on other people's kernels has the means of its table, in which no kernel loses", "[docs]") {
  lines table = table_of("The kernels");
  const lines heading = cells_of(table.front());
  table.erase(table.begin());
  CHECK(table.size() >= 14);
  std::string page;
  for (const std::string& line : read(source / "docs/in_the_wild.md")) page += line + "\n";
  int gpus = 0;
  for (std::size_t column = 0; column < heading.size(); ++column) {
    const std::string& gpu = heading[column];
    if (gpu != "H200" && gpu != "H100") continue;
    ++gpus;
    std::vector<double> ratios = numbers_of(table, column);
    CHECK(*std::min_element(ratios.begin(), ratios.end()) >= 0.99);
    const double all = mean_of(ratios);
    ratios.erase(std::max_element(ratios.begin(), ratios.end()));
    const double others = mean_of(ratios);
    CHECK(all >= 1.3);
    CHECK(others >= 1.2);
    const std::string wanted = "| " + gpu + " | " + rounded("%.2f", all) + " | " + rounded("%.2f", others) + " |";
    INFO(wanted);
    CHECK(page.find(wanted) != page.npos);
  }
  CHECK(gpus > 0);
}
