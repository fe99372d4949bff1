#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include <heddle/schedule/arrival_gate.hpp>

#include "../common/cuda.hpp"
#include "peer_memory.hpp"
#include "problem.hpp"
#include "turn.cuh"

// C = A B summed over several GPUs of one host, of which each gets some rows: a layer whose weights are split by rows.
// Each has an A and a B of its own, m x k and k x n. What others own is made first, and stored in their memory; the
// tiles that are made last add what the others have stored.
//
//   overlap::scattered_product product({.m = m, .n = n, .k = k, .ranks = 2}, rank);
//   … product.address() to all other ranks, and theirs to this one …
//   product.connect(addresses);
//   product.enqueue(a, b, stream);  // each turn, or once into a graph
//   … product.own_rows() has this rank's rows of C …

namespace overlap {

/// The part of one rank. It belongs to the device that was current when it was built, and that is current in every
/// call.
///
/// A rank makes the shards of the others first, in bands that may reach over several, and its own at the end. The owner
/// of a shard adds the sums of the rank before it first, then those of the one before that: a result has the same bits
/// in every turn.
///
///   four ranks, shard 2      2 adds the sums of 1, then of 0, then of 3
///
/// Turns may be enqueued without waiting for the other ranks, which must enqueue them too. An error of CUDA is thrown
/// as std::runtime_error.
class scattered_product {
 public:
  /// Allocates the sums. Throws heddle::invalid_argument for a problem or a rank that cannot be right.
  scattered_product(const problem& problem, int rank, const options& options = {});
  scattered_product(const scattered_product&) = delete;

  int rank() const { return rank_; }
  /// Returns the rows of C that this rank owns: those of a turn from its end until the next one begins in the stream.
  void* own_rows() const { return sums_at(memory_.data(), problem_.ranks - 1); }

  /// Returns what the other ranks must know.
  overlap::address address() const { return memory_.address(problem_, rank_, kind::scattered); }
  /// Opens the memory of the other ranks. Returns false where that cannot be reached: then the
  /// caller multiplies, and has a library scatter the sums.
  [[nodiscard]] bool connect(const std::vector<overlap::address>& of_all);
  bool is_connected() const { return is_connected_; }
  /// Closes the memory of the other ranks, as all of them do before any is destroyed.
  void disconnect();

  /// Enqueues a turn, of ranks that are connected.
  void enqueue(const void* a, const void* b, cudaStream_t stream);

  /// Returns what was late in all turns so far, after it has waited for the stream. Of turns that all ranks have ended,
  /// each of them is told, also of what was late between two others.
  heddle::result<overlap::report> report(cudaStream_t stream) const;

  /// Returns the kernel, in a line.
  std::string text() const { return product_.text(problem_.ranks > 1); }

 private:
  heddle::arrival_gate gate_at(char* memory) const;
  char* sums_at(char* memory, int step) const;

  problem problem_;
  int rank_;
  long long limit_;
  peer_memory memory_;           // the state of the gate, what others store in each step, and the result
  std::vector<char*> memories_;  // by rank
  device_array<heddle::arrival_gate> gates_on_device_;
  device_array<unsigned> tiles_stored_;
  gated_product product_;
  device_array<char> rooms_;
  bool is_connected_ = false;
};

}  // namespace overlap
