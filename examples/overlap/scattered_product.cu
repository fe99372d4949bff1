#include "scattered_product.hpp"

namespace overlap {
namespace {

using heddle::arrival_gate;

constexpr std::size_t state_bytes = 1024;  // of a gate
static_assert(arrival_gate::state_bytes() <= state_bytes);

/// Tells the rank before this one that its sums have been read, and waits until the next one has read those of this
/// one. It may start while the launch before it ends.
__global__ void begin_turn(const scattered_product::step_gates* gates, int count) {
  heddle::wait_for_launch_before();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) gates[i].own.end_turn(gates[i].of_sender, 0);
  for (int i = 0; i < count; ++i) {
    arrival_gate own = gates[i].own;
    own.begin_turn();
  }
  heddle::let_next_launch_start();  // only now: the product copies B at once, which would keep what is above waiting
}

gemm::problem of_shard(const problem& p) {
  return {.m = p.rows_of_shard(), .n = p.n, .k = p.k};
}

}  // namespace

scattered_product::scattered_product(const problem& problem, int rank, const options& options)
    : problem_(checked(problem, "overlap::scattered_product: rank", rank)),
      rank_(rank),
      limit_(options.limit),
      memory_(static_cast<unsigned>(problem.ranks) *
              (state_bytes +
               std::size_t{2} * static_cast<unsigned>(problem.rows_of_shard()) * static_cast<unsigned>(problem.n))),
      gates_on_device_(static_cast<unsigned>(problem.ranks - 1)),
      product_(
          of_shard(problem),
          [&](heddle::extent tile) {
            const int rows = problem.rows_of_shard();
            return order_of_clusters{
                heddle::cta_swizzle{heddle::ceil_div(rows, problem.n, tile),
                                    rows_of_band(rows / problem.pieces_of_shard, tile.rows), heddle::axis::y},
                0};
          },
          options.most_workers) {
  (void)gate_at(memory_.data(), 0);  // refuses a limit or pieces that no gate can have
  check(cudaMemset(memory_.data(), 0, memory_.bytes()));  // sums too, which the first copies read
  load(begin_turn);
  check(cudaDeviceSynchronize());  // zeroed before any rank begins
}

arrival_gate scattered_product::gate_at(char* memory, int step) const {
  const int rows = problem_.rows_of_shard();
  const arrival_gate gate({rows, rows / problem_.pieces_of_shard}, /*readers*/ 1, limit_,
                          memory + static_cast<unsigned>(step) * state_bytes);
  return step == 0 ? opened(gate) : gate;  // nothing comes in the first step
}

std::size_t scattered_product::bytes_of_piece() const {
  return std::size_t{2} * static_cast<unsigned>(problem_.rows_of_shard() / problem_.pieces_of_shard) *
         static_cast<unsigned>(problem_.n);
}

char* scattered_product::rows_at(char* memory, int step, int piece) const {
  return memory + static_cast<unsigned>(problem_.ranks) * state_bytes +
         static_cast<unsigned>(step * problem_.pieces_of_shard + piece) * bytes_of_piece();
}

bool scattered_product::connect(const std::vector<overlap::address>& of_all) {
  const int ranks = problem_.ranks;
  require_same(problem_, kind::scattered, of_all);
  disconnect();
  if (ranks == 1) return true;
  char* const next = memory_.open(of_all[static_cast<unsigned>((rank_ + 1) % ranks)]);
  char* const before = ranks == 2 ? next : memory_.open(of_all[static_cast<unsigned>((rank_ + ranks - 1) % ranks)]);
  if (next == nullptr || before == nullptr) return false;
  std::vector<step_gates> gates;
  for (int step = 1; step < ranks; ++step) gates.push_back({gate_at(memory_.data(), step), gate_at(before, step)});
  gates_on_device_.copy_from(gates);
  next_ = next;
  // The first copies: what they load would later wait for kernels that wait for them, where ranks share a GPU. After a
  // turn it is loaded, and the copies would overwrite what may be the result of the next rank.
  if (has_had_turn_) return true;
  for (int step = 0; step + 1 < ranks; ++step) pass_on(step, copies());
  check(cudaStreamSynchronize(copies()));
  return true;
}

void scattered_product::disconnect() {
  memory_.close();
  next_ = nullptr;
}

/// Sends the sums of a step to the next rank by the copy engines, each piece followed by the number of the turn.
void scattered_product::pass_on(int step, cudaStream_t stream) {
  sender_.wait_for(stream);
  const arrival_gate of_next = gate_at(next_, step + 1);
  const unsigned* const turn = gate_at(memory_.data(), step + 1).turn();
  for (int piece = 0; piece < problem_.pieces_of_shard; ++piece) {
    sender_.send(rows_at(next_, step + 1, piece), rows_at(memory_.data(), step, piece), bytes_of_piece(), turn, of_next,
                 piece);
  }
}

void scattered_product::enqueue(const void* a, const void* b, cudaStream_t stream) {
  const int ranks = problem_.ranks;
  require_connected(problem_, is_connected());
  if (ranks > 1) {
    product_.require_operand("overlap::scattered_product: a", a);
    product_.require_operand("overlap::scattered_product: b", b);
    has_had_turn_ = true;
    check(heddle::launch(grid_of(1, 32, product_.starts_early()), stream, begin_turn, gates_on_device_.data(),
                         ranks - 1));
  }
  for (int step = 0; step < ranks; ++step) {
    const int shard = (rank_ + 2 * ranks - 1 - step) % ranks;
    const gemm::operands operands{
        .a = static_cast<const char*>(a) + static_cast<unsigned>(shard) * problem_.bytes_of_shard(),
        .lda = problem_.k,
        .b = b,
        .ldb = problem_.k,
        .c = rows_at(memory_.data(), step, 0),
        .ldc = problem_.n,
        .beta = step == 0 ? 0.0f : 1.0f};
    if (ranks == 1) return product_.enqueue_without_gates(operands, stream);  // B may come from the launch before
    const arrival_gate gate = gate_at(memory_.data(), step);
    product_.enqueue(operands, {.a = opened(gate), .c = gate}, stream);
    if (step + 1 < ranks) pass_on(step, stream);
  }
  if (ranks > 1) sender_.join(stream);
}

heddle::result<report> scattered_product::report(cudaStream_t stream) const {
  overlap::report all{0, -1, -1};
  if (const cudaError_t error = cudaStreamSynchronize(stream); error != cudaSuccess) return {all, error};
  for (int step = 1; step < problem_.ranks; ++step) {
    const auto [found, error] = gate_at(memory_.data(), step).read(stream);
    if (error != cudaSuccess) return {all, error};
    if (all.late == 0 && found.late > 0) {
      const int sender = (rank_ + problem_.ranks - 1) % problem_.ranks, reader = (rank_ + 1) % problem_.ranks;
      all.rank = found.piece >= 0 ? sender : reader, all.piece = found.piece;
    }
    all.late += found.late;
  }
  return {all, cudaSuccess};
}

}  // namespace overlap
