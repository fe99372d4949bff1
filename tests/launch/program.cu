// Checks the answers of the code that it is linked with. That code was compiled for the architectures of the codes
// OLDEST and NEWEST; the newer one that the device runs is expected. With two shared libraries, each is asked.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>

#include <heddle/launch/arch.hpp>

#include "agreement.hpp"

agreement ask();
agreement ask_something_else();
agreement ask_while_capturing();
int ask_at_once();
#if defined(OTHER_ARCHITECTURE)
agreement ask_under_one_name();
agreement ask_other();
agreement ask_with_equal_threads();
agreement ask_other_under_one_name();
agreement ask_other_with_equal_threads();
#endif

namespace {

int failures = 0;

void expect(bool right, const char* what) {
  std::printf("%s: %s\n", right ? "ok" : "FAILED", what);
  failures += !right;
}

void expect_agreement(const agreement& answer, int expected) {
  std::printf("host %d with %d threads, device %d with %d, expected %d, ptxVersion %d\n", answer.host,
              answer.host_threads, answer.device, answer.device_threads, expected, answer.ptx_version);
  expect(answer.error == 0, "no error");
  expect(answer.host == expected && answer.device == expected, "host and device know what was compiled");
  expect(answer.host_threads == answer.device_threads, "host and device have the same parameters");
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return 1;
  const int capability = 10 * device.major + device.minor;
  int expected = 0;
  for (const int code : {OLDEST, NEWEST}) {
    const heddle::arch target = heddle::arch::of_code(code);
    const bool runs = target.suffix == '\0' ? target.capability <= capability : target.capability == capability;
    if (runs && code > expected) expected = code;
  }
  const agreement captured = ask_while_capturing(), answer = ask();
  if (expected == 0) {
    std::printf("skipped: compute capability %d does not run this code (%s)\n", capability, answer.why);
    return 77;
  }
  std::printf("first, while a stream is captured: ");
  expect_agreement(captured, expected);
  expect_agreement(answer, expected);
  expect(ask_at_once() == 0, "8 threads at once are told the same");
#if defined(PTX_VERSION_IS_WRONG)
  expect(answer.ptx_version != expected / 4, "ptxVersion is wrong here, so heddle does not use it");
#endif

  const agreement other = ask_something_else();
  std::printf("%s\n", other.why);
  const std::string compiled_for = "sm_" + std::to_string(expected / 4) + (expected % 4 == 2 ? "a" : "");
  expect(other.error == cudaErrorInvalidKernelImage, "a kernel with other bounds is an error");
  expect(other.host_threads == 0, "with parameters that launch nothing");
  expect(std::strstr(other.why, compiled_for.c_str()) != nullptr, "which names what the host was built for");
  expect(std::strstr(other.why, "96, as sm_") != nullptr && std::strstr(other.why, "from compute_") != nullptr,
         "and what the kernel was built for");

#if defined(OTHER_ARCHITECTURE)
  expect_agreement(ask_other(), OTHER_ARCHITECTURE);
  for (const agreement& same_name : {ask_under_one_name(), ask_other_under_one_name()}) {
    std::printf("under one name: host %d, device %d: %s\n", same_name.host, same_name.device, same_name.why);
    expect(same_name.error != 0 || same_name.host_threads == same_name.device_threads,
           "kernels of one name in two libraries agree or are an error");
  }
  for (const agreement& same_threads : {ask_with_equal_threads(), ask_other_with_equal_threads()}) {
    std::printf("with equal threads: host %d, device %d: %s\n", same_threads.host, same_threads.device,
                same_threads.why);
    expect(same_threads.error != 0 || same_threads.host == same_threads.device,
           "kernels of one name and as many threads in two libraries agree or are an error");
  }
#endif
  return failures == 0 ? 0 : 1;
}
