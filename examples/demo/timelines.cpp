#include "timelines.hpp"

#include <heddle/draw/timeline.hpp>
#include <heddle/order.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/schedule.hpp>

using namespace heddle;
using demo::numbered;

namespace {

/// A launch of a scheduler over tiles that take `cost` each, a lane per place. A piece has the number `number(index)`.
template <class Scheduler, class Cost, class Number>
std::vector<draw::lane> played(const Scheduler& scheduler, const Cost& cost, std::vector<draw::lane> lanes,
                               const Number& number, int together = 1) {
  const predict::places on{static_cast<int>(lanes.size()), together};
  for (const auto& [index, worker, begin, end] : predict::makespan(scheduler, cost, on).stretches) {
    lanes[static_cast<std::size_t>(worker)].stretches.push_back(
        {static_cast<int>(begin), static_cast<int>(end), number(index)});
  }
  return lanes;
}

/// stream_k: each block's parts, one after another; a step along k is a tick.
std::vector<draw::lane> split(const stream_k<row_major>& scheduler, std::vector<draw::lane> lanes) {
  for (unsigned block = 0; block < lanes.size(); ++block) {
    const one_at_a_time on{0, static_cast<unsigned>(lanes.size()), block};
    const stream_k<row_major>::draws<one_at_a_time> parts(scheduler, on);
    int time = 0;
    for (unsigned number = parts.first(); number < parts.size(); number = parts.next(number)) {
      const auto part = parts.at(number);
      const int end = time + part.end - part.begin;
      lanes[block].stretches.push_back({time, end, scheduler.order().index(part.tile)});
      time = end;
    }
  }
  return lanes;
}

template <class Scheduler>
struct zeroed {
  alignas(16) unsigned char bytes[Scheduler::state_bytes()] = {};
};

}  // namespace

std::vector<heddle::draw::lane> demo::numbered(const std::string& what, int count) {
  std::vector<draw::lane> lanes;
  for (int i = 0; i < count; ++i) lanes.push_back({i == 0 ? what + " 0" : std::to_string(i), {}});
  return lanes;
}

std::vector<demo::picture> demo::timelines_of_schedulers() {
  // Forty tiles, some of them long.
  std::vector<int> ticks;
  for (int tile = 0; tile < 40; ++tile) ticks.push_back(tile * tile * 10 % 13 < 4 ? 6 : 2 + tile % 2);
  const row_major tiles{{1, static_cast<int>(ticks.size())}};
  const std::vector<draw::lane> blocks = numbered("block", 8);
  const std::vector<draw::lane> multiprocessors{{"SM 0: 0", {}}, {"1", {}}, {"SM 1: 2", {}}, {"3", {}},
                                                {"SM 2: 4", {}}, {"5", {}}, {"SM 3: 6", {}}, {"7", {}}};
  std::vector<picture> all;
  const auto add = [&](const char* name, const char* code, const char* text, const std::vector<draw::lane>& lanes,
                       const char* heading, const char* file) {
    all.push_back(
        {file, name, code, text, draw::timeline(lanes, {.title = name, .heading = heading, .end = 27, .tick = 10})});
  };
  const auto in_lanes = [&](const auto& scheduler, const std::vector<draw::lane>& lanes, int together = 1) {
    const auto cost = [&](coord tile) { return 1.0 * ticks[static_cast<std::size_t>(tile.col)]; };
    return played(
        scheduler, cost, lanes, [](int index) { return index; }, together);
  };
  zeroed<ticket<>> tickets;
  zeroed<sm_affine<>> runs;
  add("one_shot", "one_shot{order}", "One block per tile, as in a kernel without a scheduler.",
      in_lanes(one_shot{tiles}, numbered("place", 8)), "one_shot: one block per tile", "");
  add("strided", "strided{order}",
      "Persistent: each block knows its tiles in advance. Some blocks end late. Use it for even tiles.",
      in_lanes(strided{tiles}, blocks), "strided: dealt in advance", "schedule_strided");
  add("chunked", "chunked{order}", "Persistent: each block takes a contiguous run of the order.",
      in_lanes(chunked{tiles}, blocks), "chunked: a contiguous run per block", "");
  add("ticket", "ticket{order, state}",
      "Persistent: a block that is free takes the next tile from one counter. Use it for uneven tiles.",
      in_lanes(ticket{tiles, tickets.bytes}, blocks), "ticket: a free block takes the next tile", "schedule_ticket");
  add("sm_affine", "sm_affine{order, state, run}",
      "Persistent: blocks of one multiprocessor work on neighbouring tiles and share its L1.",
      in_lanes(sm_affine{tiles, runs.bytes, 5}, multiprocessors, 2), "sm_affine: each SM has a run of its own",
      "schedule_sm_affine");

  zeroed<stream_k<row_major>> tallies;
  const stream_k<row_major> shared{row_major{{1, 20}}, 24, 8, tallies.bytes};
  all.push_back(
      {"", "stream_k", "stream_k{order, k_steps, sharers, state}",
       "Persistent: twenty even tiles of a product. Those that do not fill a wave of blocks are split along k "
       "and come first; the two parts of a tile have its number. All blocks end together.",
       draw::timeline(
           split(shared, blocks),
           {.title = "stream_k", .heading = "stream_k: tiles are split to fill waves", .end = 68, .tick = 4})});
  return all;
}

std::vector<demo::picture> demo::timelines_of_costs() {
  // Six heads of a causal attention: a tile of queries sees the keys of its own tile and of all before it.
  const extent grid{8, 6};
  const int heads_that_fit = 3;
  const auto cost = [](coord tile) { return tile.row + 1.0; };
  const thread_group_tiling in_order{grid, heads_that_fit, axis::x};
  const reversed heaviest_first{in_order};
  const auto drawn = [&](const auto& order, const char* title, const char* heading) {
    const auto lanes = played(one_shot{order}, cost, numbered("block", 8), [&](int index) { return order(index).row; });
    return draw::timeline(lanes, {.title = title, .heading = heading, .end = 31, .tick = 12});
  };
  return {
      {"causal_in_order", "A causal pass in order", "thread_group_tiling{grid, 3, axis::x}",
       "Six heads of eight tiles of queries, three heads at a time; the numbers are tiles of queries, and a tile "
       "takes longer the more keys it sees. The longest tiles come last, and most blocks wait for them.",
       drawn(in_order, "A causal pass in order: blocks wait for the last, long tiles",
             "in order: the long tiles come last")},
      {"causal_heaviest_first", "The longest tiles first", "reversed{thread_group_tiling{grid, 3, axis::x}}",
       "The same tiles from the end: each three heads begin with their longest tiles, and the last tiles are short.",
       drawn(heaviest_first, "A causal pass from its end: the last tiles are short, and blocks end together",
             "heaviest first: blocks end together")}};
}

namespace {

/// A search of a graph from vertex 0: the edges of each level, dealt to eight threads, and a barrier behind them.
std::vector<draw::lane> levels_of_a_graph() {
  const std::vector<std::vector<int>> edges{{1, 2, 3},      {4, 5, 0},  {6, 0, 1, 7}, {8, 9, 10, 5, 0, 2, 11},
                                            {1, 5, 12},     {3, 4, 1},  {2, 13, 7},   {2, 6},
                                            {3, 9, 12, 13}, {3, 8, 10}, {9, 3},       {3, 12},
                                            {4, 8, 11},     {6, 8, 14}, {13}};
  std::vector<draw::lane> lanes = numbered("thread", 8);
  std::vector<bool> reached(edges.size());
  reached[0] = true;
  int begin = 0;
  for (std::vector<int> here{0}, next; !here.empty(); here.swap(next), next.clear()) {
    int item = 0;
    for (const int vertex : here) {
      for (const int to : edges[static_cast<std::size_t>(vertex)]) {
        const int at = begin + item / 8;
        lanes[static_cast<std::size_t>(item++ % 8)].stretches.push_back({at, at + 1, vertex});
        if (reached[static_cast<std::size_t>(to)]) continue;
        reached[static_cast<std::size_t>(to)] = true;
        next.push_back(to);
      }
    }
    begin += (item - 1) / 8 + 1;
    if (next.empty()) continue;
    for (draw::lane& each : lanes) each.stretches.push_back({begin, begin + 1, -1});
    ++begin;
  }
  return lanes;
}

}  // namespace

std::vector<demo::picture> demo::timelines_of_expansion() {
  // Eight sources and their items: each by a thread of its own, and after a push dealt to all threads.
  const std::vector<int> spawned{4, 0, 12, 1, 2, 16, 0, 5};
  std::vector<draw::lane> loops = numbered("thread", 8), dealt = loops;
  for (draw::lane& each : dealt) each.stretches.push_back({0, 1, -1});
  int item = 0;
  for (int source = 0; source < 8; ++source) {
    const auto all = static_cast<std::size_t>(source);
    for (int rank = 0; rank < spawned[all]; ++rank, ++item) {
      loops[all].stretches.push_back({rank, rank + 1, source});
      dealt[static_cast<std::size_t>(item % 8)].stretches.push_back({1 + item / 8, 2 + item / 8, source});
    }
  }
  const auto drawn = [](const std::vector<draw::lane>& lanes, const char* title, const char* heading) {
    return draw::timeline(lanes, {.title = title, .heading = heading, .end = 16, .tick = 18});
  };
  return {
      {"expand_loops", "A loop in each thread", "for (rank = 0; rank < n; ++rank)",
       "Eight sources of 0 to 16 items; the numbers are sources. All threads wait for the longest loop.",
       drawn(loops, "A loop in each thread", "a loop in each thread")},
      {"expand_dealt", "Expansion in two passes", "work.push(smem, source, n); … for (auto [source, rank] : …)",
       "The first pass pushes each source with its count, the second deals the items to all threads.",
       drawn(dealt, "Expansion in two passes", "push (grey), then items dealt out")},
      {"expand_levels", "Levels in one launch", "work.run(smem, [&](unsigned source, unsigned rank, unsigned level) …)",
       "A search of a small graph from vertex 0; the numbers are vertices, and a piece is one of their edges. Each level "
       "is dealt to all threads, and begins when the one before it has ended.",
       drawn(levels_of_a_graph(), "Levels in one launch", "a level begins when the one before has ended")}};
}
