#include "scattered_product.hpp"

#include <cuda_bf16.h>

namespace overlap {
namespace {

using heddle::arrival_gate;

constexpr std::size_t state_bytes = 1024;  // of the gate
static_assert(arrival_gate::state_bytes() <= state_bytes);

/// Tells the other ranks that their sums have been read, and waits until they have read those of this one. It may start
/// while the launch before it ends. A rank's readers are counted from the next rank on.
__global__ void begin_turn(const arrival_gate* gates, int rank, int ranks) {
  heddle::wait_for_launch_before();
  arrival_gate own = gates[rank];
  for (int i = static_cast<int>(threadIdx.x); i < ranks - 1; i += 32) {
    own.end_turn(gates[(rank + 1 + i) % ranks], ranks - 2 - i);
  }
  own.begin_turn();
  heddle::let_next_launch_start();  // only now: the product copies B at once, which would keep what is above waiting
}

/// Ends a turn without gates: tells the other ranks that all their sums are there, and adds what they have stored.
__global__ void add_others(const arrival_gate* gates, int rank, int ranks, int pieces, __nv_bfloat16* c,
                           const __nv_bfloat16* added, std::size_t size) {
  arrival_gate own = gates[rank];
  const int flags = (ranks - 1) * pieces, thread = static_cast<int>(threadIdx.x),
            threads = static_cast<int>(blockDim.x);
  for (int i = thread; blockIdx.x == 0 && i < flags; i += threads) {
    gates[(rank + 1 + i / pieces) % ranks].deliver(i, *own.turn());
  }
  for (int i = thread; i < flags; i += threads) own.wait({i, 0});
  __syncthreads();
  for (std::size_t i = std::size_t{blockDim.x} * blockIdx.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
    float sum = __bfloat162float(c[i]);
    for (int step = 0; step < ranks - 1; ++step) sum += __bfloat162float(added[static_cast<unsigned>(step) * size + i]);
    c[i] = __float2bfloat16(sum);
  }
}

std::size_t elements_of_shard(const problem& p) {
  return static_cast<std::size_t>(p.rows_of_shard()) * static_cast<unsigned>(p.n);
}

}  // namespace

scattered_product::scattered_product(const problem& problem, int rank, const options& options)
    : problem_(checked(problem, "overlap::scattered_product: rank", rank, kind::scattered)),
      rank_(rank),
      limit_(options.limit),
      memory_(state_bytes + static_cast<unsigned>(problem.ranks) * elements_of_shard(problem) * 2),
      memories_(static_cast<unsigned>(problem.ranks), memory_.data()),
      gates_on_device_(static_cast<unsigned>(problem.ranks)),
      tiles_stored_(arrival_gate::most_flags),
      product_(
          {.m = problem.m, .n = problem.n, .k = problem.k},
          [&](heddle::extent tile) { return order_of_sums(problem_, tile); }, options.most_workers, problem.ranks),
      rooms_(product_.bytes_of_rooms()) {
  (void)gate_at(memory_.data());  // refuses a limit or pieces that no gate can have
  require(problem.ranks <= shards::most, "overlap::scattered_product: ranks", problem.ranks, "at most", shards::most);
  check(cudaMemset(memory_.data(), 0, state_bytes));
  tiles_stored_.fill(0);
  load(begin_turn), load(add_others);
  check(cudaDeviceSynchronize());  // zeroed before any rank begins
}

/// Returns the gate of a rank: the pieces of its shard that others store, by step.
arrival_gate scattered_product::gate_at(char* memory) const {
  const int others = problem_.ranks - 1;
  return arrival_gate({(std::max)(others, 1) * problem_.pieces_of_shard, 1}, others, limit_, memory);
}

char* scattered_product::sums_at(char* memory, int step) const {
  return memory + state_bytes + static_cast<unsigned>(step) * elements_of_shard(problem_) * 2;
}

bool scattered_product::connect(const std::vector<overlap::address>& of_all) {
  require_same(problem_, kind::scattered, of_all);
  disconnect();
  std::vector<arrival_gate> gates;
  for (int rank = 0; rank < problem_.ranks; ++rank) {
    char*& memory = memories_[static_cast<unsigned>(rank)];
    memory = rank == rank_ ? memory_.data() : memory_.open(of_all[static_cast<unsigned>(rank)]);
    if (memory == nullptr) return false;
    gates.push_back(gate_at(memory));
  }
  gates_on_device_.copy_from(gates);
  is_connected_ = true;
  return true;
}

void scattered_product::disconnect() {
  memory_.close();
  is_connected_ = false;
}

void scattered_product::enqueue(const void* a, const void* b, cudaStream_t stream) {
  const int ranks = problem_.ranks;
  require_connected(problem_, is_connected_);
  gemm::operands operands{.a = a, .lda = problem_.k, .b = b, .ldb = problem_.k, .c = own_rows(), .ldc = problem_.n};
  if (ranks == 1) return product_.enqueue_without_gates(operands, stream);  // B may come from the launch before
  product_.require_operand("overlap::scattered_product: a", a);
  product_.require_operand("overlap::scattered_product: b", b);
  const arrival_gate* const gates = gates_on_device_.data();
  check(heddle::launch(grid_of(1, 32, product_.starts_early()), stream, begin_turn, gates, rank_, ranks));
  const arrival_gate own = gate_at(memory_.data());
  shards c{problem_, rank_, own, gates, tiles_stored_.data(), rooms_.data(), {}, sums_at(memory_.data(), 0)};
  for (int step = 0; step < ranks; ++step) {
    const int owner = (rank_ + 1 + step) % ranks;
    c.at[owner] = sums_at(memories_[static_cast<unsigned>(owner)], step);
    if (rooms_.size() > 0) continue;
    operands.a = static_cast<const char*>(a) + static_cast<unsigned>(owner) * problem_.bytes_of_shard();
    operands.c = c.at[owner];
    product_.enqueue_without_gates(operands, stream);
  }
  if (rooms_.size() > 0) return product_.enqueue(operands, {.a = own, .c = &c}, stream);
  add_others<<<32, 256, 0, stream>>>(gates, rank_, ranks, problem_.pieces_of_shard,
                                     static_cast<__nv_bfloat16*>(own_rows()),
                                     static_cast<const __nv_bfloat16*>(c.added), elements_of_shard(problem_));
  check(cudaGetLastError());
}

heddle::result<report> scattered_product::report(cudaStream_t stream) const {
  return report_of_all(
      problem_, rank_, is_connected_, stream, [&](int rank) { return gate_at(memories_[static_cast<unsigned>(rank)]); },
      [&](int at, int piece) {
        return (at + 2 * problem_.ranks - 1 - piece / problem_.pieces_of_shard) % problem_.ranks;
      });
}

}  // namespace overlap
