// Makes a page of the benchmarks' figures: heddle over the best baseline of each, charts, tables, and a comparison with
// the figures of record of the same GPU. One file that needs no network and no scripts.

#include <cstdio>
#include <fstream>
#include <string>

#include "page/results.hpp"

int main(int count, char** arguments) {
  if (count < 2 || count > 3 || arguments[1][0] == '-') {
    std::puts(
        "usage: bench_page FOLDER [FILE]\n\nFOLDER has JSON files as run_bench writes them. FILE is the page, results.html "
        "there by default.\nFiles that cannot be read are named, and the exit status is 1.");
    return count < 2 ? 1 : std::string(arguments[1]) != "--help";
  }
  const std::string folder = arguments[1], out = count > 2 ? arguments[2] : folder + "/results.html";
  const heddle_bench::figures now(folder);
  const heddle_bench::figures then = heddle_bench::record_for(now, HEDDLE_SOURCE_DIR "/bench/results");
  for (const auto* figures : {&now, &then}) {
    for (const std::string& error : figures->errors) std::fprintf(stderr, "bench_page: %s\n", error.c_str());
  }
  if (now.rows.empty()) {
    std::fprintf(stderr, "bench_page: %s has no figures; `cmake --workflow --preset bench` makes some\n",
                 folder.c_str());
    return 1;
  }
  std::ofstream file(out);
  file << heddle_bench::results_page(now, then);
  if (!file.flush().good()) {
    std::fprintf(stderr, "bench_page: %s cannot be written\n", out.c_str());
    return 1;
  }
  std::printf("Page: %s\n", out.c_str());
  return now.errors.empty() && then.errors.empty() ? 0 : 1;
}
