#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include <heddle/schedule/arrival_gate.hpp>

#include "../common/cuda.hpp"
#include "peer_memory.hpp"
#include "problem.hpp"
#include "sender.hpp"
#include "turn.cuh"

// C = A B summed over several GPUs of one host, of which each gets some rows: a layer whose weights are split by rows.
// Each has an A and a B of its own, m x k and k x n. What others own is made first and passed on while the product goes
// on; its last tiles wait for the sums of the others.
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
/// A shard of C goes around, from the rank behind its owner to the owner itself, and each rank adds its product: so the
/// order of the sums is fixed, and a result has the same bits in every turn. A rank makes shard `rank - 1` first, then
/// that before it, and its own at the end.
///
///   four ranks, shard 2      3 begins, then 0, 1, and 2, which keeps it
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
  void* own_rows() const { return rows_at(memory_.data(), problem_.ranks - 1, 0); }

  /// Returns what the other ranks must know.
  overlap::address address() const { return memory_.address(problem_, rank_, kind::scattered); }
  /// Opens the memory of the ranks before and behind this one. Returns false where that cannot be reached: then the
  /// caller multiplies, and has a library scatter the sums.
  [[nodiscard]] bool connect(const std::vector<overlap::address>& of_all);
  bool is_connected() const { return next_ != nullptr; }
  /// Closes the memory of the other ranks, as all of them do before any is destroyed.
  void disconnect();

  /// Enqueues a turn, of ranks that are connected.
  void enqueue(const void* a, const void* b, cudaStream_t stream);

  /// Returns what was late in all turns so far, after it has waited for the stream.
  heddle::result<overlap::report> report(cudaStream_t stream) const;

  /// Returns the stream of the copies.
  cudaStream_t copies() const { return sender_.stream(); }
  /// Returns the kernel, in a line.
  std::string text() const { return product_.text(problem_.ranks > 1); }

  /// The gate of what comes in a step, and that of the rank before this one, which sends it.
  struct step_gates {
    heddle::arrival_gate own, of_sender;
  };

 private:
  heddle::arrival_gate gate_at(char* memory, int step) const;
  char* rows_at(char* memory, int step, int piece) const;
  std::size_t bytes_of_piece() const;
  void pass_on(int step, cudaStream_t stream);

  problem problem_;
  int rank_;
  long long limit_;
  peer_memory memory_;                        // the states of the gates, then the sums of each step
  device_array<step_gates> gates_on_device_;  // of step 1 and those behind it
  gated_product product_;                     // of a shard
  char* next_ = nullptr;                      // memory of the next rank
  bool has_had_turn_ = false;                 // so its copies are loaded, and rows hold results
  sender sender_;
};

}  // namespace overlap
