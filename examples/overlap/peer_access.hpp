#pragma once

#include <cuda_runtime.h>

#include <map>
#include <mutex>
#include <utility>

#include "../common/cuda.hpp"

namespace overlap {

/// Lets the current device access the memory of another. Returns whether it can. CUDA is asked once per pair of
/// devices: a second request is an error to it, as tools report, although nothing is wrong. Access that something else
/// has enabled is as good.
inline bool access_peer(int other) {
  static std::mutex one_at_a_time;
  static std::map<std::pair<int, int>, bool> known;
  int device = 0, can_access = 0;
  check(cudaGetDevice(&device));
  const std::lock_guard lock(one_at_a_time);
  const auto [at, is_new] = known.try_emplace({device, other}, false);
  if (!is_new) return at->second;
  check(cudaDeviceCanAccessPeer(&can_access, device, other));
  if (can_access == 0) return false;
  const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
  if (error != cudaSuccess) (void)cudaGetLastError();  // else the next launch would report it
  return at->second = error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
}

}  // namespace overlap
