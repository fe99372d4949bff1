#include "grouped.hpp"

#include <utility>

#include <heddle/order/batched.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/grouped_problem.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>

#include "grouped.cuh"
#include "hopper/kernel.cuh"
#include "hopper/tensor_map.cuh"

namespace grouped {

namespace {

constexpr int tile_m = shape<1>::tile_m, tile_n = shape<1>::tile_n, tile_k = shape<1>::tile_k;

long long tiles_along(long long size, int tile) {
  return (size + tile - 1) / tile;
}

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// The workspace has two parts: the state of ticket, and that of the groups.
std::size_t groups_at() {
  return rounded_up(heddle::ticket<>::state_bytes());
}

long long cols_of_b(const problem& p) {
  return p.is_gated ? 2LL * p.n : p.n;
}

heddle::group_shape shape_of(const problem& p, int cluster) {
  const long long cols = tiles_along(cols_of_b(p), tile_n);
  return {.rows = p.rows, .groups = p.groups, .tile_rows = tile_m, .cols = tiles_along(cols, cluster)};
}

void require(bool is_right, const char* name, long long value, const char* rule, long long limit) {
  if (!is_right) throw heddle::invalid_argument(name, value, rule, limit);
}

void check_extent(const char* name, int value) {
  require(value >= 0, name, value, "at least", 0);
  require(value % 8 == 0, name, value, "a multiple of", 8);
}

void check_pointer(const char* name, const void* pointer, bool is_needed, long long alignment) {
  if (!is_needed) return;
  const auto address = static_cast<long long>(reinterpret_cast<std::uintptr_t>(pointer));
  require(address != 0, name, 0, "at least", 1);
  require(address % alignment == 0, name, address, "a multiple of", alignment);
}

void check_operands(const operands& o, bool reads_a, bool reads_b, bool writes_c, bool has_groups) {
  check_pointer("grouped: a", o.a, reads_a, 16);
  check_pointer("grouped: b", o.b, reads_b, 16);
  check_pointer("grouped: c", o.c, writes_c, 16);
  check_pointer("grouped: ends", o.ends, has_groups, 4);
  check_pointer("grouped: workspace", o.workspace, true, 256);
}

/// Draws tiles when they are needed: the copies of a tile go on while the next one is drawn.
template <class Order>
auto drawn(const Order& tiles, void* workspace) {
  return heddle::draws_late{heddle::ticket{tiles, workspace}};
}

template <class Shape, class Element, class Operands, class Scheduler>
cudaError_t launch(const Scheduler& scheduler, const arguments& arguments, cudaStream_t stream) {
  const hopper::kernel kernel{multiply<Shape, Element, Operands, Scheduler>, Shape::threads,
                              sizeof(smem<Shape, Scheduler>)};
  return kernel.launch(kernel.grid(scheduler).with(heddle::programmatic_launch()), stream, scheduler, arguments);
}

template <int Cluster, bool IsGated, class Element, major B>
cudaError_t enqueue(const plan& plan, const operands& o, cudaStream_t stream) {
  const problem& p = plan.problem();
  const choice& by = plan.choice();
  const heddle::grouped order{shape_of(p, Cluster), static_cast<char*>(o.workspace) + groups_at(), by.by.width,
                              by.by.axis, by.by.sequence};
  if (const cudaError_t error = order.prepare_async(o.ends, stream); error != cudaSuccess) return error;
  if (order.most_tiles() == 0) return cudaSuccess;

  const long long b_cols = cols_of_b(p);
  const auto of_a = hopper::make_tensor_map<Element>(o.a, {p.rows, p.k, p.k}, {shape<Cluster>::a_box, 64});
  const auto of_b =
      B == major::k ? hopper::make_tensor_map<Element>(o.b, {b_cols, p.k, p.k, p.groups}, {IsGated ? 64 : tile_n, 64})
                    : hopper::make_tensor_map<Element>(o.b, {p.k, b_cols, b_cols, p.groups}, {tile_k, 64});
  for (const hopper::tensor_map& map : {of_a, of_b}) {
    if (map.error != cudaSuccess) return map.error;
  }
  const arguments arguments{.a = of_a.map,
                            .b = of_b.map,
                            .low_m = by.is_low ? 64 : 0,
                            .n = p.n,
                            .k = p.k,
                            .matrix_c = o.c,
                            .rows_of_a = o.rows_of_a,
                            .matrix_a = o.a,
                            .a_rows = static_cast<int>(p.a_rows > 0 ? p.a_rows : p.rows),
                            .rows_of_c = o.rows_of_c,
                            .c_rows = static_cast<int>(p.c_rows > 0 ? p.c_rows : p.rows),
                            .weights = o.weights};

  const auto by_schedule = [&](const auto& tiles) {
    using operands_of = by_rows<shape<Cluster>, B, IsGated>;
    if (by.by.schedule == heddle::recipe::late_ticket) {
      return launch<shape<Cluster>, Element, operands_of>(drawn(tiles, o.workspace), arguments, stream);
    }
    return launch<shape<Cluster>, Element, operands_of>(heddle::strided{tiles}, arguments, stream);
  };
  if constexpr (Cluster == 1) {
    return by_schedule(order);
  } else {
    return by_schedule(heddle::clustered{order, {1, Cluster}, order.space().with_cols(tiles_along(b_cols, tile_n))});
  }
}

template <int Cluster, bool IsGated = false>
cudaError_t enqueue(const plan& plan, const operands& o, cudaStream_t stream) {
  const bool b_k = plan.problem().b == layout::column_major;
  if (plan.problem().element == element::bf16) {
    return b_k ? enqueue<Cluster, IsGated, __nv_bfloat16, major::k>(plan, o, stream)
               : enqueue<Cluster, IsGated, __nv_bfloat16, major::mn>(plan, o, stream);
  }
  return b_k ? enqueue<Cluster, IsGated, __half, major::k>(plan, o, stream)
             : enqueue<Cluster, IsGated, __half, major::mn>(plan, o, stream);
}

template <class Element>
cudaError_t enqueue(const plan_by_k& plan, const operands& o, cudaStream_t stream) {
  const auto& [rows, groups, m, n, element] = plan.problem();
  const auto of_a = hopper::make_tensor_map<Element>(o.a, {rows, m, m}, {tile_k, 64});
  const auto of_b = hopper::make_tensor_map<Element>(o.b, {rows, n, n}, {tile_k, 64});
  for (const hopper::tensor_map& map : {of_a, of_b}) {
    if (map.error != cudaSuccess) return map.error;
  }
  const heddle::extent grid = heddle::ceil_div(m, n, {tile_m, tile_n});
  const heddle::batched order{heddle::thread_group_tiling{grid, /*width*/ 8, heddle::axis::y}, groups};
  const arguments arguments{.a = of_a.map,
                            .b = of_b.map,
                            .low_m = 64,
                            .n = n,
                            .k = static_cast<int>(rows),
                            .matrix_c = o.c,
                            .m = m,
                            .ends = o.ends};
  return launch<shape<1>, Element, by_k<shape<1>>>(drawn(order, o.workspace), arguments, stream);
}

void check_hopper(const gemm::device& device) {
  require(device.compute_capability / 10 == 9, "grouped: compute capability", device.compute_capability, "exactly", 90);
}

/// Whether a lower body for the last rows of groups saves more than it costs. It saves up to half a tile of a group,
/// but its tiles take another time than the others: those are to be drawn, and fall out of step.
bool has_low_tiles(const problem& p) {
  return p.rows < 4LL * tile_m * p.groups;
}

/// Deals tiles out where the mean group has two tiles of rows: blocks in step find each other's operands in L2. H200,
/// 128 x 1536 x 2048: even rows take 6 % less time than drawn ones, Zipf(1) 1 % more and Zipf(1.4) 1 % less; 64 x 4096
/// x 7168 with 32 rows each takes 0.4 % more, Zipf(1) 1.4 % (bench_grouped --ablation).
choice usual(const problem& p) {
  choice told{.is_low = has_low_tiles(p)};
  if (p.rows >= 2LL * tile_m * p.groups) told.by.schedule = heddle::recipe::strided;
  return told;
}

}  // namespace

choice advised(const problem& p, const gemm::device& device, const std::vector<int>& rows, int cluster) {
  heddle::predict::device workers = device.chip;
  workers.multiprocessors /= cluster;
  const heddle::predict::grouped_problem tiles{.rows = rows,
                                               .n = static_cast<int>(cols_of_b(p)),
                                               .k = p.k,
                                               .tile_m = tile_m,
                                               .tile_n = tile_n * cluster,
                                               .step_rows = 64,
                                               .blocks_per_tile = cluster};
  const heddle::predict::advice best = advise(tiles, workers);
  choice told = usual(p);
  const bool draws = told.is_low && best.schedule != heddle::recipe::strided;  // two heights, and uneven groups
  told.by.schedule = draws ? heddle::recipe::late_ticket : heddle::recipe::strided;
  told.by.sequence = best.sequence, told.by.cluster = {1, cluster};
  told.by.width = best.width > 0 ? best.width : tiles.n;  // without bands: row by row
  told.by.axis = best.width > 0 ? best.axis : heddle::axis::x;
  return told;
}

plan::plan(const grouped::problem& problem, const gemm::device& device) : plan(problem, device, usual(problem)) {}

plan::plan(const grouped::problem& problem, const gemm::device& device, const grouped::choice& told)
    : problem_(problem), choice_(told) {
  check_hopper(device);
  check_extent("grouped: n", problem.n);
  check_extent("grouped: k", problem.k);
  require(problem.k > 0, "grouped: k", problem.k, "at least", 8);
  require(cols_of_b(problem) <= 0x7fffffff, "grouped: columns of B", cols_of_b(problem), "at most", 0x7fffffff);
  for (const auto& [name, rows] : {std::pair{"grouped: a_rows", problem.a_rows}, {"grouped: c_rows", problem.c_rows}}) {
    require(rows >= 0, name, rows, "at least", 0);
    require(rows <= 0x7fffffff, name, rows, "at most", 0x7fffffff);
  }
  const auto [rows, cols] = told.by.cluster;
  require(rows == 1, "grouped: rows of a cluster", rows, "exactly", 1);
  require(cols >= 1, "grouped: cluster", cols, "at least", 1);
  const int most = problem.is_gated ? 1 : 2;
  require(cols <= most, "grouped: cluster", cols, "at most", most);
  require(told.by.width >= 1, "grouped: width", told.by.width, "at least", 1);
  shape_of(problem, cols).check();
}

std::size_t plan::workspace_bytes() const {
  return groups_at() + heddle::grouped::state_bytes(shape_of(problem_, choice_.by.cluster.cols));
}

std::string plan::text() const {
  return "128x256, " + to_string(choice_.by) + (choice_.is_low ? "" : ", one height");
}

cudaError_t product(const plan& plan, const operands& o, cudaStream_t stream) {
  const problem& p = plan.problem();
  const bool has_rows = p.rows > 0 && p.groups > 0 && p.n > 0;
  check_operands(o, has_rows && p.k > 0, has_rows && p.k > 0, has_rows, p.groups > 0);
  check_pointer("grouped: rows_of_a", o.rows_of_a, o.rows_of_a != nullptr, 4);
  check_pointer("grouped: rows_of_c", o.rows_of_c, o.rows_of_c != nullptr, 4);
  check_pointer("grouped: weights", o.weights, o.weights != nullptr, 4);
  const int cluster = plan.choice().by.cluster.cols;
  require(o.rows_of_a == nullptr || cluster == 1, "grouped: cluster of a product that gathers", cluster, "exactly", 1);
  if (p.is_gated) return enqueue<1, true>(plan, o, stream);
  return cluster == 1 ? enqueue<1>(plan, o, stream) : enqueue<2>(plan, o, stream);
}

plan_by_k::plan_by_k(const grouped::problem_by_k& problem, const gemm::device& device) : problem_(problem) {
  check_hopper(device);
  check_extent("grouped: m", problem.m);
  check_extent("grouped: n", problem.n);
  require(problem.rows >= 0, "grouped: rows", problem.rows, "at least", 0);
  require(problem.rows <= 0x7fffffff, "grouped: rows", problem.rows, "at most", 0x7fffffff);
  require(problem.groups >= 0, "grouped: groups", problem.groups, "at least", 0);
  const long long all_m = 1LL * problem.groups * problem.m;
  require(all_m <= 0x7fffffff, "grouped: groups x m", all_m, "at most", 0x7fffffff);
}

std::size_t plan_by_k::workspace_bytes() const {
  return groups_at();
}

cudaError_t product_by_k(const plan_by_k& plan, const operands& o, cudaStream_t stream) {
  const problem_by_k& p = plan.problem();
  const bool has_c = p.groups > 0 && p.m > 0 && p.n > 0;
  if (!has_c) return cudaSuccess;
  check_operands(o, p.rows > 0, p.rows > 0, true, true);
  for (const void* const none : {static_cast<const void*>(o.rows_of_a), static_cast<const void*>(o.rows_of_c),
                                 static_cast<const void*>(o.weights)}) {
    if (none != nullptr) throw heddle::invalid_argument("grouped: products by k", " take no index and no weights");
  }
  if (p.rows == 0) return cudaMemsetAsync(o.c, 0, 2ULL * p.groups * p.m * p.n, stream);
  return p.element == element::bf16 ? enqueue<__nv_bfloat16>(plan, o, stream) : enqueue<__half>(plan, o, stream);
}

}  // namespace grouped
