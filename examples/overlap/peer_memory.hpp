#pragma once

#include <cuda_runtime.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include "../common/cuda.hpp"
#include "peer_access.hpp"
#include "problem.hpp"

namespace overlap {

/// What the other ranks must know of one: plain bytes.
struct address {
  int process, device;
  void* memory;
  cudaIpcMemHandle_t handle;
  overlap::problem problem;
};

/// Memory of one rank on the current device, and that of others as this rank reaches it.
class peer_memory {
 public:
  explicit peer_memory(std::size_t bytes) : memory_(bytes) {}
  peer_memory(const peer_memory&) = delete;
  ~peer_memory() {
    for (void* const memory : opened_) cudaIpcCloseMemHandle(memory);
  }

  char* data() const { return memory_.data(); }

  /// Returns what the other ranks must know.
  overlap::address address(const problem& problem) const {
    overlap::address mine{static_cast<int>(getpid()), 0, memory_.data(), {}, problem};
    check(cudaGetDevice(&mine.device));
    check(cudaIpcGetMemHandle(&mine.handle, memory_.data()));
    return mine;
  }

  /// Makes the memory of another rank accessible, and returns it, or null where it cannot be reached.
  char* open(const overlap::address& other) {
    int device = 0;
    check(cudaGetDevice(&device));
    if (other.process == static_cast<int>(getpid())) {
      return other.device == device || access_peer(other.device) ? static_cast<char*>(other.memory) : nullptr;
    }
    void* memory = nullptr;
    if (cudaIpcOpenMemHandle(&memory, other.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
      (void)cudaGetLastError();  // else the next launch would report it
      return nullptr;
    }
    opened_.push_back(memory);
    return static_cast<char*>(memory);
  }

 private:
  device_array<char> memory_;
  std::vector<void*> opened_;  // memory of other processes
};

}  // namespace overlap
