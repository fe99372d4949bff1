#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include <heddle/launch/launch_shape.hpp>
#include <heddle/schedule/arrival_gate.hpp>

#include "../common/cuda.hpp"
#include "peer_memory.hpp"
#include "problem.hpp"
#include "sender.hpp"
#include "turn.cuh"

// C = A B on several GPUs of one host. Each has some rows of A, all of them need all rows, and each has a B of its own:
// a layer whose weights are split by columns. The product begins with the rows that are here, and its other tiles wait
// for the others while these arrive.
//
//   overlap::gathered_product product({.m = m, .n = n, .k = k, .ranks = 2}, rank);
//   … product.address() to all other ranks, and theirs to this one …
//   product.connect(addresses);
//   … own rows of A to product.own_rows() …
//   product.enqueue(b, c, stream);  // each turn, or once into a graph
//   … all ranks have ended their turns …
//   product.disconnect();
//   … all ranks are disconnected: one may be destroyed …

namespace overlap {

/// How rows come here: by a kernel that stores them at the other GPUs, by the copy engines, or by an all-gather of
/// `own_rows` into `all_rows` that the caller enqueues before the product, in the same stream.
enum class transport { stores, copies, callers };

/// What the kernels of one rank must know of another.
struct peer {
  heddle::arrival_gate gate;
  char* rows;  // of A
};

/// The part of one rank. It belongs to the device that was current when it was built, and that is current in every
/// call.
///
/// Turns may be enqueued without waiting for the other ranks, which must enqueue them too. An error of CUDA is thrown
/// as std::runtime_error.
class gathered_product {
 public:
  /// Allocates A, with the rows of all ranks. Throws heddle::invalid_argument for a problem or a rank that cannot be
  /// right. If the problem has no number of pieces, this rank measures its way to the next one as they are connected,
  /// and sends in as many as are predicted to be best.
  gathered_product(const problem& problem, int rank, const options& options = {});
  gathered_product(const gathered_product&) = delete;

  int rank() const { return rank_; }
  std::size_t bytes_of_shard() const { return problem_.bytes_of_shard(); }
  /// Returns the rows of A that the caller fills in before a turn.
  void* own_rows() const { return rows_at(rank_ * problem_.pieces_of_shard); }
  /// Returns all rows of A: after a turn, those of this turn.
  void* all_rows() const { return rows_at(0); }

  /// Returns what the other ranks must know.
  overlap::address address() const { return memory_.address(problem_, rank_, kind::gathered); }
  /// Opens the memory of the other ranks. Returns false where that cannot be reached: then all
  /// ranks `send_by` the caller's transport.
  [[nodiscard]] bool connect(const std::vector<overlap::address>& of_all);
  bool is_connected() const { return is_connected_; }
  /// Closes the memory of the other ranks, as all of them do before any is destroyed.
  void disconnect();
  /// Sends by something else than what the size of a shard suggests. Ranks that are not connected have the caller's
  /// transport alone.
  void send_by(transport how);
  transport how() const { return how_; }
  /// Returns in how many pieces this rank sends its shard.
  int pieces() const { return pieces_; }

  /// Enqueues a turn: C = A B, with the rows of A that the ranks have then.
  void enqueue(const void* b, void* c, cudaStream_t stream);

  /// Returns what was late in all turns so far, after it has waited for the stream. Of turns that all ranks have ended,
  /// each of them is told, also of what was late between two others.
  heddle::result<overlap::report> report(cudaStream_t stream) const;

  /// Returns the stream of the copies.
  cudaStream_t copies() const { return sender_.copies(); }
  /// Returns the kernel, in a line.
  std::string text() const { return product_.text(has_turns()); }

 private:
  peer peer_at(char* memory) const;
  char* rows_at(int piece) const;
  /// Returns the number of the turn on the device, as often as a shard has flags.
  unsigned* turns() const;
  bool has_turns() const { return problem_.ranks > 1 && how_ != transport::callers; }
  void enqueue_copies(cudaStream_t stream);

  problem problem_;
  int rank_;
  int pieces_;  // that are sent: each may be several with flags of their own; 0 until that is chosen
  long long limit_;
  peer_memory memory_;  // the state of the gate, then A
  heddle::arrival_gate gate_;
  std::vector<peer> peers_;  // by rank, as on the device
  device_array<peer> peers_on_device_;
  device_array<unsigned> blocks_that_stored_;
  gated_product product_;
  transport how_ = transport::callers;
  bool is_connected_ = false;
  sender sender_;
};

}  // namespace overlap
