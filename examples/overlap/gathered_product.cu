#include "gathered_product.hpp"

#include <tuple>

namespace overlap {
namespace {

using heddle::arrival_gate;

/// What is stored at the other GPUs as a turn begins: 16 bytes at a time, or nothing.
struct stores {
  std::size_t offset, count;
  unsigned* blocks_that_stored;
};

/// Begins a turn: tells the senders that their rows have been read, waits until those of this rank have been, and
/// stores them at the other GPUs. The last block begins the turn, and tells that all is there. A rank's readers are
/// counted from the next rank on.
__global__ void begin_turn(const peer* peers, int rank, int ranks, int pieces, unsigned* turns, stores stored) {
  heddle::wait_for_launch_before();
  arrival_gate own = peers[rank].gate;
  const int thread = static_cast<int>(threadIdx.x), others = ranks - 1;
  unsigned turn = 0;
  if (thread < 32) {
    for (int i = thread; blockIdx.x == 0 && i < others; i += 32) {
      own.end_turn(peers[(rank + 1 + i) % ranks].gate, others - 1 - i);
    }
    turn = own.wait_for_readers();
  }
  __syncthreads();
  const auto* const from = reinterpret_cast<const uint4*>(peers[rank].rows + stored.offset);
  const std::size_t first = std::size_t{blockDim.x} * blockIdx.x + threadIdx.x,
                    stride = std::size_t{blockDim.x} * gridDim.x;
  for (int back = 1; back < ranks; ++back) {  // first to the rank before this one, which needs it first
    auto* const to = reinterpret_cast<uint4*>(peers[(rank + ranks - back) % ranks].rows + stored.offset);
#pragma unroll 4
    for (std::size_t i = first; i < stored.count; i += stride) to[i] = from[i];
  }
  __syncthreads();
  heddle::let_next_launch_start();  // only now: the product copies B at once, which keeps what is above waiting
  if (thread != 0) return;
  if (stored.count > 0) {
    __threadfence_system();
    if (atomicInc(stored.blocks_that_stored, gridDim.x - 1) != gridDim.x - 1) return;
    __threadfence_system();  // once for all flags: each of them released alone would wait again
    for (int i = 0; i < others * pieces; ++i) {
      const auto& receiver = peers[(rank + 1 + i / pieces) % ranks].gate;
      *static_cast<volatile unsigned*>(receiver.arrived(rank * pieces + i % pieces)) = turn;
    }
  }
  for (int i = 0; i < pieces; ++i) turns[i] = turn;
  own.raise(turn);
}

constexpr std::size_t turns_offset = 512, rows_offset = 1024;  // behind the state
static_assert(arrival_gate::state_bytes() <= turns_offset);
constexpr std::size_t most_blocks = 16;  // that store

}  // namespace

gathered_product::gathered_product(const problem& problem, int rank, const options& options)
    : problem_(checked(problem, "overlap::gathered_product: rank", rank, kind::gathered)),
      rank_(rank),
      pieces_(problem.pieces_of_shard > 0 || problem_.pieces_of_shard == 1 ? problem_.pieces_of_shard : 0),
      limit_(options.limit),
      memory_(rows_offset + static_cast<unsigned>(problem.ranks) * problem.bytes_of_shard()),
      gate_(peer_at(memory_.data()).gate.with_here(rank * problem_.pieces_of_shard, problem_.pieces_of_shard)),
      peers_(static_cast<unsigned>(problem.ranks), peer{gate_, rows_at(0)}),
      peers_on_device_(static_cast<unsigned>(problem.ranks)),
      blocks_that_stored_(1),
      product_(
          {.m = problem.m, .n = problem.n, .k = problem.k},
          [&](heddle::extent tile) { return order_of(problem_, tile, rank_); }, options.most_workers) {
  check(cudaMemset(memory_.data(), 0, rows_offset));
  blocks_that_stored_.fill(0);
  load(begin_turn);
  check(cudaDeviceSynchronize());  // zeroed before any rank begins
}

peer gathered_product::peer_at(char* memory) const {
  const int rows_of_piece = problem_.rows_of_shard() / problem_.pieces_of_shard;
  return {arrival_gate({problem_.m, rows_of_piece}, problem_.ranks - 1, limit_, memory), memory + rows_offset};
}

unsigned* gathered_product::turns() const {
  return reinterpret_cast<unsigned*>(memory_.data() + turns_offset);
}

char* gathered_product::rows_at(int piece) const {
  return memory_.data() + rows_offset +
         problem_.bytes_of_shard() / static_cast<unsigned>(problem_.pieces_of_shard) * static_cast<unsigned>(piece);
}

bool gathered_product::connect(const std::vector<overlap::address>& of_all) {
  require_same(problem_, kind::gathered, of_all);
  disconnect();
  for (int rank = 0; rank < problem_.ranks; ++rank) {
    if (rank == rank_) continue;
    char* const memory = memory_.open(of_all[static_cast<unsigned>(rank)]);
    if (memory == nullptr) return false;
    peers_[static_cast<unsigned>(rank)] = peer_at(memory);
  }
  peers_on_device_.copy_from(peers_);
  if (pieces_ == 0 && problem_.ranks > 1) {
    const peer& next = peers_[static_cast<unsigned>((rank_ + 1) % problem_.ranks)];
    conditions on = product_.conditions();
    std::tie(on.bytes_per_second, on.seconds_of_copy) = sender_.measured(
        next.rows + (rows_at(rank_ * problem_.pieces_of_shard) - rows_at(0)), own_rows(), problem_.bytes_of_shard());
    pieces_ = best_pieces(problem_, on, rank_);
  }
  is_connected_ = true;
  send_by(problem_.bytes_of_shard() <= most_stored && problem_.bytes_of_shard() % 16 == 0 ? transport::stores
                                                                                          : transport::copies);
  return true;
}

void gathered_product::disconnect() {
  memory_.close();
  is_connected_ = false;
  how_ = transport::callers;
}

void gathered_product::send_by(transport how) {
  if (how != transport::callers) require_connected(problem_, is_connected_);
  if (how == transport::stores) {
    const auto bytes = static_cast<long long>(problem_.bytes_of_shard());
    require(bytes % 16 == 0, "overlap::gathered_product: bytes of a shard that is stored", bytes, "a multiple of", 16);
  }
  how_ = how;
}

/// Sends the shard by the copy engines, first to the rank before this one, which needs it first.
void gathered_product::enqueue_copies(cudaStream_t stream) {
  sender_.wait_for(stream);
  const std::size_t bytes = problem_.bytes_of_shard() / static_cast<unsigned>(pieces_);
  const int of_shard = problem_.pieces_of_shard, at_once = of_shard / pieces_;
  for (int back = 1; back < problem_.ranks; ++back) {
    const peer& receiver = peers_[static_cast<unsigned>((rank_ + problem_.ranks - back) % problem_.ranks)];
    for (int piece = rank_ * of_shard; piece < (rank_ + 1) * of_shard; piece += at_once) {
      const char* const from = rows_at(piece);
      sender_.send(receiver.rows + (from - rows_at(0)), from, bytes, turns(), receiver.gate, piece, at_once);
    }
  }
}

void gathered_product::enqueue(const void* b, void* c, cudaStream_t stream) {
  const gemm::operands operands{
      .a = all_rows(), .lda = problem_.k, .b = b, .ldb = problem_.k, .c = c, .ldc = problem_.n};
  if (!has_turns()) return product_.enqueue_without_gates(operands, stream);
  product_.require_operand("overlap::gathered_product: b", b);
  product_.require_operand("overlap::gathered_product: c", c);
  stores stored{0, 0, blocks_that_stored_.data()};
  dim3 blocks = 1;
  unsigned threads = 32;
  if (how_ == transport::stores) {
    stored.offset = static_cast<std::size_t>(static_cast<char*>(own_rows()) - rows_at(0));
    stored.count = problem_.bytes_of_shard() / 16;
    threads = 512;
    blocks = static_cast<unsigned>((std::min)((stored.count - 1) / (4 * threads) + 1, most_blocks));
  }
  check(heddle::launch(grid_of(blocks, threads, product_.starts_early()), stream, begin_turn, peers_on_device_.data(),
                       rank_, problem_.ranks, problem_.pieces_of_shard, turns(), stored));
  if (how_ == transport::copies) enqueue_copies(stream);
  product_.enqueue(operands, {.a = gate_}, stream);
  if (how_ == transport::copies) sender_.join(stream);
}

heddle::result<report> gathered_product::report(cudaStream_t stream) const {
  return report_of_all(
      problem_, rank_, is_connected_, stream, [&](int rank) { return peers_[static_cast<unsigned>(rank)].gate; },
      [&](int, int piece) { return piece / problem_.pieces_of_shard; });
}

}  // namespace overlap
