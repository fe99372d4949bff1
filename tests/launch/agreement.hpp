#pragma once

/// The answers of host and device about one kernel.
struct agreement {
  int error = 0;             // a cudaError_t
  int host = 0, device = 0;  // the code of the architecture
  int host_threads = 0, device_threads = 0;
  int ptx_version = 0;  // by cudaFuncAttributes
  char why[256] = {};
};
