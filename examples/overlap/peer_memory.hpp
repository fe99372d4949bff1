#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "../common/cuda.hpp"
#include "peer_access.hpp"
#include "problem.hpp"

namespace overlap {

/// What a rank is a part of.
enum class kind { gathered, scattered };

/// What the other ranks must know of one: plain bytes.
struct address {
  std::uint64_t process;
  int device, rank;
  overlap::kind kind;
  void* memory;
  cudaIpcMemHandle_t handle;
  overlap::problem problem;
};

/// Returns a number of this process that no other has: processes in two containers may have the same id.
inline std::uint64_t this_process() {
  static const std::uint64_t number = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return number;
}

/// Memory of one rank on the current device, and that of others as this rank reaches it.
class peer_memory {
 public:
  explicit peer_memory(std::size_t bytes) : memory_(bytes) {}
  peer_memory(const peer_memory&) = delete;
  ~peer_memory() { close(); }

  char* data() const { return memory_.data(); }
  std::size_t bytes() const { return memory_.size(); }

  /// Returns what the other ranks must know.
  overlap::address address(const problem& problem, int rank, overlap::kind kind) const {
    overlap::address mine{this_process(), 0, rank, kind, memory_.data(), {}, problem};
    check(cudaGetDevice(&mine.device));
    check(cudaIpcGetMemHandle(&mine.handle, memory_.data()));
    return mine;
  }

  /// Makes the memory of another rank accessible, and returns it, or null where it cannot be reached.
  char* open(const overlap::address& other) {
    int device = 0;
    check(cudaGetDevice(&device));
    if (other.process == this_process()) {
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

  /// Closes what has been opened.
  void close() {
    for (void* const memory : opened_) cudaIpcCloseMemHandle(memory);
    opened_.clear();
  }

 private:
  device_array<char> memory_;
  std::vector<void*> opened_;  // memory of other processes
};

}  // namespace overlap
