// Prints the context of figures as JSON. Exits with 77 without a device.

#include <cstdio>

#include "context.hpp"

int main() {
  std::printf("%s\n", heddle_bench::context_json().text().c_str());
  return heddle_bench::context().front().name == "gpu" ? 0 : 77;
}
