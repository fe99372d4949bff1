#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <heddle/launch/launch_shape.hpp>
#include <heddle/launch/programmatic.hpp>

#include "../common/cuda.hpp"
#include "gated_kernel.hpp"
#include "gemm/checks.hpp"
#include "gemm/gemm.hpp"
#include "peer_memory.hpp"
#include "prediction.hpp"

// What the products of several GPUs share: what cannot be right, launches, and the product behind gates.

namespace overlap {

struct options {
  long long limit = 10'000'000'000;  // nanoseconds that a thread waits at most
  int most_workers = 0;              // clusters of blocks, so that several ranks fit on one GPU; 0: as many as fit
};

/// What was late in all turns so far, at any of the ranks that are connected: how many waits ended at the limit, the
/// rank that one of the first of them waited for, or -1 if none did, and the rank `at` which it was late: this one, or
/// the next one at which anything was. The piece is one of what the rank sends, or -1 if it had not read.
struct report {
  unsigned late = 0;
  int rank = -1, piece = -1, at = -1;
};

/// Returns the report of a rank that is connected, or of it alone, after it has waited for the stream. `gate_of(rank)`
/// is the gate of a rank, and `sender_of(rank, piece)` the rank of a piece that it waits for. A rank's readers are
/// counted from the next one on, and pieces have numbers by their sender.
template <class GateOf, class SenderOf>
heddle::result<report> report_of_all(const problem& p, int rank, bool is_connected, cudaStream_t stream,
                                     const GateOf& gate_of, const SenderOf& sender_of) {
  report all;
  for (int i = 0; i < (is_connected ? p.ranks : 1); ++i) {
    const int at = (rank + i) % p.ranks;
    const auto [found, error] = gate_of(at).read(stream);
    if (error != cudaSuccess) return {all, error};
    if (all.late == 0 && found.late > 0) {
      const bool is_piece = found.piece >= 0;
      all = {0, is_piece ? sender_of(at, found.piece) : (at + 1 + found.reader) % p.ranks,
             is_piece ? found.piece % p.pieces_of_shard : -1, at};
    }
    all.late += found.late;
  }
  return {all, cudaSuccess};
}

inline void require(bool is_right, const char* name, long long value, const char* relation, long long limit) {
  if (!is_right) throw heddle::invalid_argument(name, value, relation, limit);
}

/// Returns the problem with the flags that a shard has, unless it says how many. Refuses a problem or a rank that
/// cannot be right.
inline problem checked(problem p, const char* name_of_rank, int rank, kind kind) {
  require(p.m >= 1, "overlap::problem: m", p.m, "at least", 1);
  require(p.n >= 1, "overlap::problem: n", p.n, "at least", 1);
  require(p.k >= 1, "overlap::problem: k", p.k, "at least", 1);
  require(p.ranks >= 1, "overlap::problem: ranks", p.ranks, "at least", 1);
  require(p.m % p.ranks == 0, "overlap::problem: m", p.m, "a multiple of", p.ranks);
  require(p.pieces_of_shard >= 0, "overlap::problem: pieces_of_shard", p.pieces_of_shard, "at least", 0);
  if (p.pieces_of_shard == 0) p.pieces_of_shard = kind == kind::gathered ? most_pieces(p) : 8;
  require(kind == kind::scattered || p.rows_of_shard() % p.pieces_of_shard == 0, "overlap::problem: rows of a shard",
          p.rows_of_shard(), "a multiple of", p.pieces_of_shard);
  require(rank >= 0, name_of_rank, rank, "at least", 0);
  require(rank < p.ranks, name_of_rank, rank, "less than", p.ranks);
  return p;
}

/// Refuses addresses that are not those of all ranks, in their order, or of ranks whose problems do not fit: rows,
/// pieces and k are the same, and n where sums are scattered, whose pieces are tiles: these depend on all extents.
inline void require_same(const problem& mine, kind kind, const std::vector<address>& of_all) {
  require(static_cast<int>(of_all.size()) == mine.ranks, "overlap: addresses", static_cast<long long>(of_all.size()),
          "exactly", mine.ranks);
  for (int rank = 0; rank < mine.ranks; ++rank) {
    const address& each = of_all[static_cast<unsigned>(rank)];
    const problem& its = each.problem;
    require(each.kind == kind, "overlap: kind of another rank", static_cast<int>(each.kind), "exactly",
            static_cast<int>(kind));
    require(its.m == mine.m, "overlap: m of another rank", its.m, "exactly", mine.m);
    require(its.k == mine.k, "overlap: k of another rank", its.k, "exactly", mine.k);
    require(kind == kind::gathered || its.n == mine.n, "overlap: n of another rank", its.n, "exactly", mine.n);
    require(its.ranks == mine.ranks, "overlap: ranks of another rank", its.ranks, "exactly", mine.ranks);
    require(its.pieces_of_shard == mine.pieces_of_shard, "overlap: pieces_of_shard of another rank",
            its.pieces_of_shard, "exactly", mine.pieces_of_shard);
    require(each.rank == rank, "overlap: rank of an address", each.rank, "exactly", rank);
  }
}

/// Refuses to send to ranks whose memory is not open.
inline void require_connected(const problem& mine, bool is_connected) {
  require(is_connected || mine.ranks == 1, "overlap: connected ranks", 1, "exactly", mine.ranks);
}

/// Returns a launch that starts as the one before it ends, where the GPU can do that.
inline heddle::launch_config grid_of(dim3 blocks, unsigned threads, bool starts_early) {
  heddle::launch_config grid{.config = {}, .error = cudaSuccess};
  grid.config.gridDim = blocks, grid.config.blockDim = threads;
  return starts_early ? grid.with(heddle::programmatic_launch()) : grid;
}

/// Loads a kernel now. A kernel that waits for another rank must not keep one that is still needed from being loaded.
template <class... Params>
void load(void (*kernel)(Params...)) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel));
}

/// Waits for all pieces, for what has no gates.
static __global__ void wait_for_all(heddle::arrival_gate gate) {
  gate.wait({0, 0});
}

/// A product whose tiles wait at gates. The portable kernel has none: all rows are waited for before it.
class gated_product {
 public:
  /// `order_of(tile)` returns the order of tiles of so many elements of C. C may be stored in shards.
  gated_product(const gemm::problem& p, const std::function<bands(heddle::extent)>& order_of, int most_workers,
                int shards = 1)
      : problem_(p),
        plan_({.m = p.m / shards, .n = p.n, .k = p.k}, gemm::device::current()),
        ranked_(gemm::candidates(p, gemm::device::current())),
        kernel_(fastest_gated(p, ranked_, shards > 1)),
        workspace_(plan_.workspace_bytes(), 0),
        taken_(heddle::seats::state_bytes(), 0) {
    if (kernel_ != nullptr) {
      order_ = order_of(kernel_->tile_of_cluster());
      grid_ = kernel_->grid(p, *order_, most_workers);
      check(grid_.error);
      // Where ranks share a GPU, what starts early could take the room of what it waits for.
      starts_early_ = most_workers == 0;
      if (starts_early_) grid_ = grid_.with(heddle::programmatic_launch());
      // As the product alone has seats. One launch at a time takes them: a turn begins when the last has ended.
      if (ranked_.front().value.seats > 0) {
        seats_ = {gemm::device::current().map, kernel_->cluster.size(), 8, taken_.data()};
      }
    } else {
      load(wait_for_all);
      const device_array<char> c(std::size_t{2} * static_cast<unsigned>(p.m / shards) * static_cast<unsigned>(p.n));
      enqueue_without_gates({.a = nullptr, .lda = p.k, .b = nullptr, .ldb = p.k, .c = c.data(), .ldc = p.n, .alpha = 0},
                            nullptr);
    }
  }

  /// Whether the product, and what is launched beside it, may start while the launch before ends.
  bool starts_early() const { return starts_early_; }

  /// Returns what a prediction of a turn rests on, but for the link.
  overlap::conditions conditions() const {
    const double alone = ranked_.front().seconds;
    if (kernel_ == nullptr) return {alone, {problem_.m, problem_.n}, 1, 1e18, 0};
    return {alone, kernel_->tile_of_cluster(), static_cast<int>(grid_.config.gridDim.x) / kernel_->cluster.size(), 1e18,
            0};
  }

  /// Refuses operands of a caller that the product cannot take: before a turn begins, which all ranks must end.
  void require_operand(const char* name, const void* data) const {
    gemm::require_address(name, data, kernel_ != nullptr ? 16 : 2, true);
  }

  /// Returns the bytes of a tile for each block of a kernel with gates. Without one, C is not stored in shards.
  std::size_t bytes_of_rooms() const {
    return kernel_ == nullptr ? 0
                              : std::size_t{2} * grid_.config.gridDim.x * static_cast<unsigned>(kernel_->tile.size());
  }

  /// Enqueues C = A B of operands without a workspace. B is here before the launch before it starts.
  void enqueue(const gemm::operands& o, const gates& at, cudaStream_t stream) const {
    if (kernel_ != nullptr) {
      check(kernel_->enqueue(grid_, problem_, *order_, o, at, seats_, stream));
    } else {
      wait_for_all<<<1, 1, 0, stream>>>(at.a.for_tiles(problem_.m));
      check(cudaGetLastError());
      enqueue_without_gates(o, stream);
    }
  }

  /// Enqueues the same by the plan, with rows that are all here, or of one shard.
  void enqueue_without_gates(gemm::operands o, cudaStream_t stream) const {
    o.workspace = workspace_.data();
    check(gemm::gemm(plan_, o, stream));
  }

  /// Returns the kernel, in a line.
  std::string text(bool at_gates) const {
    if (!at_gates || kernel_ == nullptr) return plan_.text();
    const heddle::extent tile = kernel_->tile, cluster = kernel_->cluster;
    return "wgmma " + std::to_string(tile.rows) + "x" + std::to_string(tile.cols) + ", cluster " +
           std::to_string(cluster.rows) + "x" + std::to_string(cluster.cols) + ", at gates";
  }

 private:
  gemm::problem problem_;
  gemm::plan plan_;
  ranked_choices ranked_;       // of the product as one launch
  const gated_kernel* kernel_;  // or null
  std::optional<bands> order_;
  heddle::launch_config grid_{};
  bool starts_early_ = false;
  device_array<char> workspace_, taken_;
  heddle::seats seats_;
};

}  // namespace overlap
