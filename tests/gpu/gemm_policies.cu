// Both kernels with every order, every scheduler and every shape of cluster, and with epilogues.

#include "gemm.hpp"

#include "gemm/on_any.cuh"
#include "gemm/on_hopper.cuh"

using namespace heddle_test;

namespace {

constexpr gemm::problem ragged{.m = 456, .n = 408, .k = 520};  // no multiple of any tile or cluster of tiles

struct policies {
  product<bf16> one{ragged, 1, 0, 0, 0, 0, 0, 9};
  std::vector<double> expected = one.expected();
  static constexpr int sharers = 66;
  device_array<char> workspace{gemm::state_bytes() + 4ull * 128 * 128 * stream_k<>::slots(sharers, 2), 0};

  void check_result(cudaError_t launched);

  /// `over(order, k_steps, use)` calls `use` with a scheduler.
  template <int ClusterM, int ClusterN, bool InTurn = false, class Over>
  void wgmma(const Over& over) {
    const gemm::on_hopper<gemm::wgmma_shape<64, 64, ClusterM, ClusterN, InTurn>, bf16> by;
    CAPTURE(ClusterM, ClusterN, InTurn);
    const extent cluster{ClusterM, ClusterN}, grid = ceil_div(extent{ragged.m, ragged.n}, extent{64, 64});
    workspace.fill(0);
    for (const recipe& each : recipes) {
      CAPTURE(to_string(each));
      order_on_device placed(each, ceil_div(grid, cluster));
      over(clustered{placed.order(), cluster, grid}, (ragged.k + 63) / 64, [&](const auto& scheduler) {
        check_result(by.launch(by.grid(scheduler), scheduler, ragged, one.operands(workspace.data()), nullptr));
      });
    }
  }

  template <class Over>
  void everywhere(const Over& over) {
    const gemm::on_any<bf16> by;
    const extent grid = ceil_div(extent{ragged.m, ragged.n}, extent{128, 128});
    workspace.fill(0);
    for (const recipe& each : recipes) {
      CAPTURE(to_string(each));
      order_on_device placed(each, grid);
      over(placed.order(), (ragged.k + 31) / 32, [&](const auto& scheduler) {
        check_result(by.launch(by.grid(scheduler), scheduler, ragged, one.operands(workspace.data()), nullptr));
      });
    }
    wgmma<1, 1>(over);
    wgmma<2, 1>(over);
    wgmma<1, 2>(over);
  }

  auto split() {
    return [this](const auto& order, int k_steps, const auto& use) {
      use(stream_k{order, k_steps, sharers, workspace.data()});
    };
  }
};

/// Defined outside of the class: inside, nvcc 13.0 with g++ 13 and 14 does not finish compiling a CHECK.
void policies::check_result(cudaError_t launched) {
  check(launched);
  check(cudaDeviceSynchronize());
  CHECK(one.error(expected) <= product<bf16>::tolerance());
  CHECK_FALSE(one.c.leaked());
  one.c.poison();
}

struct bias_relu {
  const float* bias;  // one per column
  __device__ float operator()(float value, int, int col) const { return fmaxf(value + bias[col], 0); }
};

struct gelu {
  __device__ float operator()(float value, int, int) const { return 0.5f * value * (1 + erff(value * 0.70710678f)); }
};

/// Checks C with an epilogue, by either kernel, against the plain product with the same function on the host.
template <class Epilogue, class OnHost>
void epilogue_agrees(Epilogue epilogue, OnHost on_host) {
  using gemm::major;
  policies all;
  for (double& value : all.expected) {
    const auto col = static_cast<int>(&value - all.expected.data()) % ragged.n;
    value = on_host(value, col);
  }
  const extent grid = ceil_div(extent{ragged.m, ragged.n}, extent{128, 128});
  const stream_k tiles{cta_swizzle{grid, 2, axis::x}, (ragged.k + 31) / 32, 66, all.workspace.data()};
  const gemm::on_any<bf16, major::k, major::k, Epilogue> portable{epilogue};
  const gemm::on_hopper<gemm::wgmma_shape<128, 128, 2, 1>, bf16, major::k, major::k, Epilogue> hopper{epilogue};
  const gemm::operands operands = all.one.operands(all.workspace.data());
  all.check_result(portable.launch(portable.grid(tiles), tiles, ragged, operands, nullptr));
  const clustered clusters{cta_swizzle{ceil_div(grid, {2, 1}), 2, axis::x}, {2, 1}, grid};
  const strided scheduler{clusters};
  all.check_result(hopper.launch(hopper.grid(scheduler), scheduler, ragged, operands, nullptr));
}

__global__ void begin_turn(arrival_gate gate) {
  gate.begin_turn();
}

/// Multiplies while A arrives, the last piece first. The order begins in the middle.
template <class Shape>
void agrees_at_a_gate(int rows_of_tile) {
  using gemm::major;
  product<bf16> one{ragged, 1, 0, 0, 0, 0, 0, 9};
  const std::vector<double> expected = one.expected();
  const std::size_t row_bytes = static_cast<std::size_t>(one.a.pitch()) * sizeof(bf16);
  device_array<char> sent(row_bytes * ragged.m, 0), state(arrival_gate::state_bytes(), 0);
  check(cudaMemcpy(sent.data(), one.a.data(), sent.bytes(), cudaMemcpyDeviceToDevice));
  set_bytes(one.a.data(), 0xff, sent.bytes());  // NaN
  const arrival_gate gate = arrival_gate({ragged.m, 100}, 0, 2'000'000'000, state.data()).for_tiles(rows_of_tile);
  const extent cluster{Shape::cluster_m, Shape::cluster_n}, tile{rows_of_tile, 64};
  const extent grid = ceil_div(extent{ragged.m, ragged.n}, tile), clusters = ceil_div(grid, cluster);
  const strided scheduler{clustered{rotated{row_major{clusters}, clusters.size() / 2}, cluster, grid}};
  const gemm::on_hopper<Shape, bf16, major::k, major::k, gemm::identity, arrival_gate> by{{}, gate, gate};
  const auto launch = by.grid(scheduler);
  check(launch.error);
  stream work, copies;
  begin_turn<<<1, 32, 0, work>>>(gate);
  check(cudaStreamSynchronize(work));
  check(by.launch(launch, scheduler, ragged, one.operands(nullptr), work));
  for (int piece = gate.pieces() - 1; piece >= 0; --piece) {
    const std::size_t begin = row_bytes * static_cast<std::size_t>(piece) * 100;
    const std::size_t bytes = (std::min)(row_bytes * 100, sent.bytes() - begin);
    check(cudaMemcpyAsync(reinterpret_cast<char*>(one.a.data()) + begin, sent.data() + begin, bytes,
                          cudaMemcpyDeviceToDevice, copies));
    check(cudaMemcpyAsync(gate.arrived(piece), gate.turn(), 4, cudaMemcpyDeviceToDevice, copies));
    check(cudaStreamSynchronize(copies));
    CHECK((piece == 0 || cudaStreamQuery(work) == cudaErrorNotReady));
  }
  const auto [report, error] = gate.read(work);
  check(error);
  CHECK(report.late == 0);
  CHECK(one.error(expected) <= product<bf16>::tolerance());
  CHECK_FALSE(one.c.leaked());
}

/// Checks the boxes of the last tile for every number of rows that can be left.
template <int Rows, int Sharers>
void boxes_cover_what_is_left() {
  const auto box_rows = [](int left) { return hopper::rows_of_box<gemm::major::k, Rows, Sharers>(left); };
  for (const int left : {-Rows, -1, 0, Rows, Rows + 1, 10 * Rows}) CHECK(box_rows(left) == Rows / Sharers);
  for (int left = 1; left < Rows; ++left) {
    CAPTURE(Rows, Sharers, left);
    const int box = box_rows(left), boxes = (left + box - 1) / box;
    CHECK(boxes <= Sharers);
    CHECK(boxes * box <= Rows);
    CHECK(boxes * box - left < (Sharers == 1 ? 1 : 8 * Sharers));
    if (Sharers > 1) CHECK(box % 8 == 0);
  }
}

}  // namespace

TEST_CASE("gemm loads what is left of a matrix, and few rows more", "[gemm]") {
  boxes_cover_what_is_left<16, 1>();
  boxes_cover_what_is_left<256, 1>();
  boxes_cover_what_is_left<128, 2>();
  boxes_cover_what_is_left<176, 2>();
  boxes_cover_what_is_left<192, 4>();
}

HOPPER_TEST("gemm at a gate multiplies rows of A that arrive while it runs", "[gemm]") {
  agrees_at_a_gate<gemm::wgmma_shape<64, 64, 2, 1>>(64);
  agrees_at_a_gate<gemm::wgmma_shape<64, 16, 1, 1>>(16);
}

HOPPER_TEST("gemm agrees with double precision over every order with every scheduler", "[gemm]") {
  for_each_scheduler(all_schedules{}, [](const auto& over) {
    policies().everywhere([&](const auto& order, int, const auto& use) { over(order, use); });
  });
  policies all;
  all.everywhere(all.split());
}

HOPPER_TEST("gemm agrees with double precision over every order with tiles in turn", "[gemm]") {
  policies all;
  all.wgmma<2, 1, true>(all.split());
  device_array<char> state(ticket<>::state_bytes(), 0);
  all.wgmma<2, 1, true>([&](const auto& order, int, const auto& use) { use(ticket{order, state.data()}); });
}

HOPPER_TEST("gemm adds a bias and clips in its epilogue", "[gemm]") {
  std::vector<float> bias(ragged.n);
  for (int col = 0; col < ragged.n; ++col) bias[static_cast<std::size_t>(col)] = static_cast<float>(col % 13 - 6);
  device_array on_device(bias);
  epilogue_agrees(bias_relu{on_device.data()}, [&](double value, int col) {
    return std::max(0.0, value + static_cast<double>(bias[static_cast<std::size_t>(col)]));
  });
}

HOPPER_TEST("gemm applies GELU in its epilogue", "[gemm]") {
  epilogue_agrees(gelu{}, [](double value, int) { return 0.5 * value * (1 + std::erf(value / std::sqrt(2.0))); });
}
