#include "context.hpp"

#include <cuda_runtime.h>

#include <fstream>
#include <sstream>

#include "heddle_commit.hpp"

namespace heddle_bench {

namespace {

/// CUDA's version number as text: 13010 is 13.1.
std::string version(int number) {
  std::ostringstream text;
  text << number / 1000 << '.' << number % 1000 / 10;
  return text.str();
}

/// The driver's version by its kernel module, if that can be read: the runtime tells only which CUDA the driver is for.
std::string driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word, line;
  std::getline(file, line);
  for (std::istringstream words(line); words >> word;) {
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos) return word;
  }
  return "unknown";
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : 0;
}

}  // namespace

std::vector<fact> context() {
  std::vector<fact> all;
  const auto add = [&](const char* name, int value) { all.push_back({name, std::to_string(value), true}); };
  int devices = 0, of_driver = 0, of_runtime = 0;
  cudaDeviceProp device;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 &&
      cudaGetDeviceProperties(&device, 0) == cudaSuccess && cudaDriverGetVersion(&of_driver) == cudaSuccess) {
    all.push_back({"gpu", device.name});
    add("multiprocessors", device.multiProcessorCount);
    add("l2_bytes", device.l2CacheSize);
    add("clock_mhz", attribute(cudaDevAttrClockRate) / 1000);
    add("memory_clock_mhz", attribute(cudaDevAttrMemoryClockRate) / 1000);
    all.push_back({"driver", driver().append(", for CUDA ").append(version(of_driver))});
  }
  if (cudaRuntimeGetVersion(&of_runtime) == cudaSuccess) all.push_back({"toolkit", version(of_runtime)});
  all.push_back({"commit", HEDDLE_COMMIT});
  return all;
}

json_object context_json() {
  json_object all;
  for (const fact& each : context()) {
    if (each.is_number) {
      all.add(each.name, std::stoi(each.value));
    } else {
      all.add(each.name, each.value);
    }
  }
  return all;
}

}  // namespace heddle_bench
