#pragma once

/// What host and device say of one kernel.
struct agreement {
  int error = 0;             // a cudaError_t
  int host = 0, device = 0;  // the code of the architecture
  int host_threads = 0, device_threads = 0;
  int ptx_version = 0;  // what cudaFuncAttributes says
  char why[256] = {};
};
