#include "gathered_product.hpp"

#include <unistd.h>

#include <utility>

#include <heddle/launch/launch_config.hpp>
#include <heddle/launch/programmatic.hpp>

#include "peer_access.hpp"

namespace overlap {
namespace {

using heddle::arrival_gate;

// What a turn enqueues beside the product. Each kernel may start while the one before it ends.

__global__ void begin_turn(arrival_gate gate) {
  heddle::let_next_launch_start();
  heddle::wait_for_launch_before();
  gate.begin_turn();
}

/// Stores a shard at the other GPUs: at one of them by each row of the grid. The last block of a row tells that all is
/// there.
__global__ void store_shard(const peer* peers, int rank, int ranks, int pieces_of_shard, std::size_t offset,
                            std::size_t count, unsigned* blocks_that_sent) {
  heddle::let_next_launch_start();
  heddle::wait_for_launch_before();
  const int receiver = (rank + ranks - 1 - static_cast<int>(blockIdx.y)) % ranks;
  const auto* const from = reinterpret_cast<const uint4*>(peers[rank].rows + offset);
  auto* const to = reinterpret_cast<uint4*>(peers[receiver].rows + offset);
  const std::size_t stride = std::size_t{blockDim.x} * gridDim.x;
#pragma unroll 4
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) to[i] = from[i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (atomicInc(&blocks_that_sent[blockIdx.y], gridDim.x - 1) != gridDim.x - 1) return;
  __threadfence_system();
  for (int piece = 0; piece < pieces_of_shard; ++piece) {
    peers[rank].gate.deliver(peers[receiver].gate, rank * pieces_of_shard + piece);
  }
}

/// Waits for all rows, for a product without a gate.
__global__ void wait_for_all(arrival_gate gate) {
  gate.wait({0, 0});
}

/// Tells the senders that their rows have been read. A rank's readers are counted from the next rank on.
__global__ void end_turn(const peer* peers, int rank, int ranks) {
  heddle::let_next_launch_start();
  heddle::wait_for_launch_before();
  const int sender = (rank + 1 + static_cast<int>(threadIdx.x)) % ranks;
  peers[rank].gate.end_turn(peers[sender].gate, ranks - 2 - static_cast<int>(threadIdx.x));
}

/// Returns a launch that starts as the one before it ends, where the GPU can do that.
heddle::launch_config grid_of(dim3 blocks, unsigned threads, bool starts_early) {
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

void require(bool is_right, const char* name, long long value, const char* relation, long long limit) {
  if (!is_right) throw heddle::invalid_argument(name, value, relation, limit);
}

/// Returns the problem with what the caller left open, or refuses it.
problem checked(problem p, int rank) {
  require(p.m >= 1, "overlap::problem: m", p.m, "at least", 1);
  require(p.n >= 1, "overlap::problem: n", p.n, "at least", 1);
  require(p.k >= 1, "overlap::problem: k", p.k, "at least", 1);
  require(p.ranks >= 1, "overlap::problem: ranks", p.ranks, "at least", 1);
  require(p.m % p.ranks == 0, "overlap::problem: m", p.m, "a multiple of", p.ranks);
  require(p.pieces_of_shard >= 1, "overlap::problem: pieces_of_shard", p.pieces_of_shard, "at least", 1);
  require(p.rows_of_shard() % p.pieces_of_shard == 0, "overlap::problem: rows of a shard", p.rows_of_shard(),
          "a multiple of", p.pieces_of_shard);
  require(rank >= 0, "overlap::gathered_product: rank", rank, "at least", 0);
  require(rank < p.ranks, "overlap::gathered_product: rank", rank, "less than", p.ranks);
  return p;
}

constexpr std::size_t rows_offset = 1024;     // of A behind the state
constexpr std::size_t most_stored = 1 << 20;  // bytes of a shard

}  // namespace

gathered_product::gathered_product(const problem& problem, int rank, const options& options)
    : problem_(checked(problem, rank)),
      rank_(rank),
      limit_(options.limit),
      plan_({.m = problem.m, .n = problem.n, .k = problem.k}, gemm::device::current()),
      kernel_(fastest_gated(plan_.problem(), gemm::device::current())),
      memory_(rows_offset + static_cast<unsigned>(problem.ranks) * problem.bytes_of_shard()),
      workspace_(plan_.workspace_bytes()),
      gate_(peer_at(memory_.data()).gate.with_here(rank * problem.pieces_of_shard, problem.pieces_of_shard)),
      peers_(static_cast<unsigned>(problem.ranks), peer{gate_, rows_at(0)}),
      peers_on_device_(static_cast<unsigned>(problem.ranks)),
      blocks_that_stored_(static_cast<unsigned>(problem.ranks)) {
  static_assert(arrival_gate::state_bytes() <= rows_offset);
  check(cudaMemset(memory_.data(), 0, rows_offset));
  workspace_.fill(0);
  blocks_that_stored_.fill(0);
  load(begin_turn), load(store_shard), load(wait_for_all), load(end_turn);
  if (kernel_ != nullptr) {
    grid_ = kernel_->grid(plan_.problem(), order_of(problem_, kernel_->tile_of_cluster(), rank_), gate_,
                          options.most_workers);
    check(grid_.error);
  } else {
    const device_array<char> c(std::size_t{2} * static_cast<unsigned>(problem.m) * static_cast<unsigned>(problem.n));
    check(gemm::gemm(plan_, operands_of(nullptr, c.data(), 0), nullptr));
  }
  check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking));
  for (cudaEvent_t* event : {&begun_, &sent_}) check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  check(cudaDeviceSynchronize());  // zeroed before any rank begins
}

gathered_product::~gathered_product() {
  for (void* const memory : opened_) cudaIpcCloseMemHandle(memory);
  for (const cudaEvent_t event : {begun_, sent_}) cudaEventDestroy(event);
  cudaStreamDestroy(copies_);
}

peer gathered_product::peer_at(char* memory) const {
  const int rows_of_piece = problem_.rows_of_shard() / problem_.pieces_of_shard;
  return {arrival_gate({problem_.m, rows_of_piece}, problem_.ranks - 1, limit_, memory), memory + rows_offset};
}

char* gathered_product::rows_at(int piece) const {
  return memory_.data() + rows_offset +
         problem_.bytes_of_shard() / static_cast<unsigned>(problem_.pieces_of_shard) * static_cast<unsigned>(piece);
}

address gathered_product::address() const {
  overlap::address mine{static_cast<int>(getpid()), 0, memory_.data(), {}};
  check(cudaGetDevice(&mine.device));
  check(cudaIpcGetMemHandle(&mine.handle, memory_.data()));
  return mine;
}

/// Makes the memory of another rank accessible, and returns whether that succeeded.
bool gathered_product::open(const overlap::address& other, char*& memory) {
  memory = static_cast<char*>(other.memory);
  int device = 0;
  check(cudaGetDevice(&device));
  if (other.process != static_cast<int>(getpid())) {
    void* opened = nullptr;
    if (cudaIpcOpenMemHandle(&opened, other.handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess) {
      opened_.push_back(opened);
      memory = static_cast<char*>(opened);
      return true;
    }
  } else if (other.device == device) {
    return true;
  } else {
    return access_peer(other.device);
  }
  (void)cudaGetLastError();
  return false;
}

bool gathered_product::connect(const std::vector<overlap::address>& of_all) {
  require(of_all.size() == peers_.size(), "overlap::gathered_product: addresses", static_cast<long long>(of_all.size()),
          "exactly", problem_.ranks);
  for (int rank = 0; rank < problem_.ranks; ++rank) {
    if (rank == rank_) continue;
    char* memory = nullptr;
    if (!open(of_all[static_cast<unsigned>(rank)], memory)) return false;
    peers_[static_cast<unsigned>(rank)] = peer_at(memory);
  }
  peers_on_device_.copy_from(peers_);
  send_by(problem_.bytes_of_shard() <= most_stored && problem_.bytes_of_shard() % 16 == 0 ? transport::stores
                                                                                          : transport::copies);
  return true;
}

void gathered_product::send_by(transport how) {
  if (how == transport::stores) {
    const auto bytes = static_cast<long long>(problem_.bytes_of_shard());
    require(bytes % 16 == 0, "overlap::gathered_product: bytes of a shard that is stored", bytes, "a multiple of", 16);
  }
  how_ = how;
}

/// Sends the shard by the copy engines, first to the rank before this one, which needs it first.
void gathered_product::enqueue_copies(cudaStream_t stream) {
  check(cudaEventRecord(begun_, stream));
  check(cudaStreamWaitEvent(copies_, begun_));
  const std::size_t bytes = problem_.bytes_of_shard() / static_cast<unsigned>(problem_.pieces_of_shard);
  for (int back = 1; back < problem_.ranks; ++back) {
    const peer& receiver = peers_[static_cast<unsigned>((rank_ + problem_.ranks - back) % problem_.ranks)];
    for (int piece = rank_ * problem_.pieces_of_shard; piece < (rank_ + 1) * problem_.pieces_of_shard; ++piece) {
      const char* const from = rows_at(piece);
      check(cudaMemcpyAsync(receiver.rows + (from - rows_at(0)), from, bytes, cudaMemcpyDefault, copies_));
      check(cudaMemcpyAsync(receiver.gate.arrived(piece), gate_.turn(), 4, cudaMemcpyDefault, copies_));
    }
  }
  check(cudaEventRecord(sent_, copies_));
}

gemm::operands gathered_product::operands_of(const void* b, void* c, float alpha) const {
  return {.a = all_rows(),
          .lda = problem_.k,
          .b = b,
          .ldb = problem_.k,
          .c = c,
          .ldc = problem_.n,
          .alpha = alpha,
          .workspace = workspace_.data()};
}

void gathered_product::enqueue(const void* b, void* c, cudaStream_t stream) {
  const gemm::operands operands = operands_of(b, c, 1);
  if (problem_.ranks == 1 || how_ == transport::callers) {
    check(gemm::gemm(plan_, operands, stream));
    return;
  }
  const auto others = static_cast<unsigned>(problem_.ranks - 1);
  const bool starts_early = kernel_ != nullptr;
  check(heddle::launch(grid_of(1, 32, starts_early), stream, begin_turn, gate_));
  if (how_ == transport::copies) {
    enqueue_copies(stream);
  } else {
    check(heddle::launch(grid_of({16, others}, 512, starts_early), stream, store_shard, peers_on_device_.data(), rank_,
                         problem_.ranks, problem_.pieces_of_shard,
                         static_cast<std::size_t>(static_cast<char*>(own_rows()) - rows_at(0)),
                         problem_.bytes_of_shard() / 16, blocks_that_stored_.data()));
  }
  if (kernel_ != nullptr) {
    const auto order = order_of(problem_, kernel_->tile_of_cluster(), rank_);
    check(kernel_->enqueue(grid_, plan_.problem(), order, operands, gate_, stream));
  } else {
    wait_for_all<<<1, 1, 0, stream>>>(gate_.for_tiles(problem_.m));
    check(cudaGetLastError());
    check(gemm::gemm(plan_, operands, stream));
  }
  check(heddle::launch(grid_of(1, others, starts_early), stream, end_turn, peers_on_device_.data(), rank_,
                       problem_.ranks));
  if (how_ == transport::copies) check(cudaStreamWaitEvent(stream, sent_));
}

std::string gathered_product::text() const {
  if (problem_.ranks == 1 || how_ == transport::callers || kernel_ == nullptr) return plan_.text();
  const heddle::extent tile = kernel_->tile, cluster = kernel_->cluster;
  return "wgmma " + std::to_string(tile.rows) + "x" + std::to_string(tile.cols) + ", cluster " +
         std::to_string(cluster.rows) + "x" + std::to_string(cluster.cols) + ", at a gate";
}

}  // namespace overlap
