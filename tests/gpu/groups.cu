// Groups whose sizes only the device knows: every scheduler in every form over them, with other sizes in each replay of
// a graph.

#include <heddle/laws/check_costs.hpp>
#include <heddle/laws/check_order.hpp>
#include <heddle/order/grouped.hpp>

#include "schedule.hpp"

using namespace heddle_test;

namespace {

constexpr int group_count = 40, rows_in_all = 3000, sets = 7;
constexpr group_shape shape{.rows = rows_in_all, .groups = group_count, .tile_rows = 16, .cols = 3};

/// Sizes of the groups for each turn: with empty groups, one huge one, all empty, and as many rows as are declared.
std::vector<int> ends_of_turns() {
  std::mt19937 random(17);
  std::vector<int> all;
  for (int set = 0; set < sets; ++set) {
    std::vector<int> rows(group_count);
    for (int& each : rows) each = random() % 3 == 0 || set == 1 ? 0 : static_cast<int>(random() % 60);
    if (set == 2) rows[30] = 1000;
    if (set == 3) rows[0] = rows_in_all - std::accumulate(rows.begin() + 1, rows.end(), 0);
    int end = 0;
    for (const int each : rows) all.push_back(end += each);
  }
  return all;
}

/// The next turn's sizes.
__global__ void next_turn(const int* of_turns, int* turn, int* ends) {
  const int set = *turn % sets;
  __syncthreads();
  if (threadIdx.x < group_count) ends[threadIdx.x] = of_turns[set * group_count + threadIdx.x];
  if (threadIdx.x == 0) ++*turn;
}

/// Counts tiles of the groups that were not visited `expected` times, by the ends alone, and forgets the visits.
__global__ void check_visits(const int* ends, int* visits, int expected, int most, int* errors) {
  int tiles = 0;
  for (int group = 0; group < group_count; ++group) {
    const int rows = ends[group] - (group == 0 ? 0 : ends[group - 1]);
    tiles += (rows + 15) / 16 * 3;
  }
  for (int i = threadIdx.x; i < most; i += blockDim.x) {
    if (visits[i] != (i < tiles ? expected : 0)) atomicAdd(errors, 1);
    visits[i] = 0;
  }
}

/// What the turns of one order need on the device.
struct turns {
  device_array<char> state{grouped::state_bytes(shape), 0xa5};
  device_array<int> of_turns{ends_of_turns()}, turn{1, 0}, ends{group_count, 0xff}, errors{1, 0}, visits;

  explicit turns(int most) : visits(static_cast<std::size_t>(most), 0) {}
};

/// Enqueues one turn: sizes, preparation, the kernel, and the check.
template <class Scheduler, class Kernel>
void enqueue_turn(cudaStream_t on, turns& of, const grouped& order, const Scheduler& scheduler, Kernel kernel,
                  int counted, int patience) {
  next_turn<<<1, 64, 0, on>>>(of.of_turns.data(), of.turn.data(), of.ends.data());
  check(order.prepare_async(of.ends.data(), on));
  enqueue(on, scheduler, kernel, of.visits.data(), patience);
  const int most = static_cast<int>(of.visits.bytes() / sizeof(int));
  if (patience < 0) {
    check_visits<<<1, 256, 0, on>>>(of.ends.data(), of.visits.data(), counted, most, of.errors.data());
  } else {
    check(cudaMemsetAsync(of.visits.data(), 0, of.visits.bytes(), on));
  }
  check(cudaGetLastError());
}

/// Checks a scheduler over an order of groups in both forms: one launch at a time, leaving early, and replays of a
/// graph.
template <class Scheduler>
void obeys_over_groups(turns& of, const grouped& order, const Scheduler& scheduler) {
  CAPTURE(typeid(Scheduler).name());
  stream on;
  const auto in_form = [&](const char* form, auto kernel, int counted) {
    CAPTURE(form);
    for (int turn = 0; turn < sets; ++turn)
      enqueue_turn(on, of, order, scheduler, kernel, counted, turn % 3 == 1 ? 1 : -1);
    finish(on);
    const int times = kernels_overlap() ? 100 : sets;
    replay(times, on, [&] { enqueue_turn(on, of, order, scheduler, kernel, counted, -1); });
    CHECK(of.errors.read()[0] == 0);
  };
  in_form("in a loop", in_a_loop<Scheduler>, everyone);
  in_form("in roles", in_roles<Scheduler>, everyone_of_roles);
}

}  // namespace

GPU_TEST("Every scheduler visits each tile of groups of other sizes in each replay once on the GPU", "[schedule]") {
  for_each_scheduler(all_schedules{}, [](const auto& over) {
    for (const auto sequence :
         {group_sequence::as_numbered, group_sequence::heaviest_first, group_sequence::lightest_first}) {
      turns of(shape.most_row_tiles() * 3);
      const grouped order{shape, of.state.data(), /*width*/ 2, axis::y, sequence};
      over(order, [&](const auto& scheduler) { obeys_over_groups(of, order, scheduler); });
    }
  });
}

CLUSTER_TEST("Every scheduler visits each tile of clusters of groups once on the GPU", "[schedule]") {
  for_each_scheduler(all_schedules{}, [](const auto& over) {
    turns of(shape.most_row_tiles() * 3);
    group_shape of_clusters = shape;
    of_clusters.cols = 2;  // the second cluster of each row has one tile
    const grouped rows_of_clusters{of_clusters, of.state.data(), /*width*/ 2, axis::y, group_sequence::heaviest_first};
    const clustered order{rows_of_clusters, {1, 2}, rows_of_clusters.space().with_cols(3)};
    over(order, [&](const auto& scheduler) { obeys_over_groups(of, rows_of_clusters, scheduler); });
  });
}

GPU_TEST("ticket visits each tile of groups in reverse once on the GPU", "[schedule]") {
  device_array<char> state(ticket<>::state_bytes(), 0);
  turns of(shape.most_row_tiles() * 3);
  const grouped order{shape, of.state.data()};
  obeys_over_groups(of, order, ticket{reversed{order}, state.data()});
}

GPU_TEST("Two streams prepare and visit groups of other sizes at the same time on the GPU", "[schedule]") {
  turns of[2] = {turns(shape.most_row_tiles() * 3), turns(shape.most_row_tiles() * 3)};
  device_array<char> states[2] = {{ticket<>::state_bytes(), 0}, {ticket<>::state_bytes(), 0}};
  stream on[2];
  for (int turn = 0; turn < 50; ++turn) {
    for (int side = 0; side < 2; ++side) {
      const grouped order{shape, of[side].state.data(), 4, axis::x};
      const ticket scheduler{order, states[side].data()};
      enqueue_turn(on[side], of[side], order, scheduler, in_a_loop<ticket<grouped>>, everyone, -1);
    }
  }
  for (int side = 0; side < 2; ++side) {
    finish(on[side]);
    CHECK(of[side].errors.read()[0] == 0);
  }
}

GPU_TEST("A preparation finds many groups and wrong ends on the GPU", "[order]") {
  std::mt19937 random(19);
  for (const int count : {1, 255, 1024, 1025, 16384}) {
    CAPTURE(count);
    std::vector<int> ends, tiles, bounds{0};
    std::vector<std::int64_t> all_lengths;
    int end = 0, wrong = 0, last = 0;
    for (int group = 0; group < count; ++group) {
      end += random() % 4 == 0 ? 0 : static_cast<int>(random() % 9);
      if (group == count / 2) end += 5000;
      const bool is_wrong = group % 100 == 50;
      ends.push_back(is_wrong ? -7 : end);
      if (!is_wrong) last = end;
      wrong += is_wrong;
      all_lengths.push_back(is_wrong ? -1 : last - bounds.back());
      bounds.push_back(last);
      tiles.push_back((bounds[static_cast<unsigned>(group) + 1] - bounds[static_cast<unsigned>(group)] + 3) / 4);
    }
    const group_shape many{.rows = end, .groups = count, .tile_rows = 4, .cols = 2};
    device_array<char> state(grouped::state_bytes(many), 0xa5);
    device_array on_device(ends), offsets(bounds);
    device_array lengths(all_lengths);
    stream on;
    for (const auto sequence :
         {group_sequence::as_numbered, group_sequence::heaviest_first, group_sequence::lightest_first}) {
      const grouped order{many, state.data(), 3, axis::y, sequence};
      check(order.prepare_async(on_device.data(), on));
      if (sequence == group_sequence::lightest_first) {  // rows x rows: the same sequence
        check(order.prepare_async(on_device.data(), on, group_rows::offsets(offsets.data())));
      }
      if (count % 2 == 0) {  // the same rows by their lengths; one that is wrong is negative
        check(order.prepare_async(group_rows::lengths(lengths.data()), on));
      }
      finish(on);
      // The state is read back and walked by the order's own code on the host.
      std::vector<char> memory(state.bytes() + 16);
      void* const copy = memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16;
      check(cudaMemcpy(copy, state.data(), state.bytes(), cudaMemcpyDeviceToHost));
      const prepared_groups found = *static_cast<const prepared_groups*>(copy);
      const int all = std::accumulate(tiles.begin(), tiles.end(), 0);
      CHECK(found.row_tiles == all);
      CHECK(found.tiles == 2 * all);
      CHECK(found.wrong == wrong);
      CHECK(found.last_end == last);
      const grouped here = grouped{many, copy, 3, axis::y, sequence}.on_host();
      CHECK(laws::check_order(here).failure == "");
      const auto weight = [&](group_coord tile) {
        const auto group = static_cast<unsigned>(tile.group);
        const double rows = bounds[group + 1] - bounds[group];
        return sequence == group_sequence::as_numbered ? -1.0 * tile.group
                                                       : rows * (sequence == group_sequence::heaviest_first ? 1 : -1);
      };
      CHECK(laws::check_costs(here, weight, 0x7fffffff).failure == "");
    }
  }
}
