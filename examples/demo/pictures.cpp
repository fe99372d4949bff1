// Draws the pictures of the README and the docs: pictures FOLDER

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <heddle/draw/svg.hpp>
#include <heddle/draw/timeline.hpp>
#include <heddle/heddle.hpp>

using namespace heddle;

namespace {

/// What a scheduler's decisions ask of a GPU, for one block at a time.
struct machine {
  unsigned block, blocks;

  unsigned worker() const { return block; }
  unsigned workers() const { return blocks; }
  unsigned sm() const { return block / 2; }
  unsigned launch() const { return 0; }
  void pause() const {}

  template <class Word>
  Word exchange(Word* word, Word value) const {
    const Word before = *word;
    *word = value;
    return before;
  }
  template <class Word>
  Word add(Word* word, Word value) const {
    return exchange(word, *word + value);
  }
  template <class Word>
  Word bit_or(Word* word, Word value) const {
    return exchange(word, *word | value);
  }
  template <class Word>
  Word load(const Word* word) const {
    return *word;
  }
  template <class Word>
  void store(Word* word, Word value) const {
    *word = value;
  }
};

/// Who takes which tile when: the scheduler's own decisions, over tiles that take so many ticks, by a block for each
/// name.
template <class Scheduler>
std::vector<draw::lane> played(const Scheduler& scheduler, const std::vector<int>& ticks,
                               const std::vector<std::string>& names) {
  struct block {
    typename Scheduler::template draws<machine> draws;
    unsigned tile;
    int time;
  };
  typename Scheduler::storage shared{};
  std::vector<block> blocks;
  std::vector<draw::lane> lanes;
  for (const std::string& name : names) {
    const machine on{static_cast<unsigned>(lanes.size()), static_cast<unsigned>(names.size())};
    blocks.push_back({{scheduler, on, shared}, 0, 0});
    blocks.back().tile = blocks.back().draws.first();
    lanes.push_back({name, {}});
  }
  while (true) {
    std::size_t next = blocks.size();  // who is free first
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const bool has_tile = blocks[b].tile < ticks.size();
      if (has_tile && (next == blocks.size() || blocks[b].time < blocks[next].time)) next = b;
    }
    if (next == blocks.size()) return lanes;
    block& one = blocks[next];
    const int end = one.time + ticks[one.tile];
    lanes[next].stretches.push_back({one.time, end, static_cast<int>(one.tile)});
    if constexpr (requires { one.draws.ask(); }) one.draws.ask();
    one.time = end;
    one.tile = one.draws.next(one.tile);
  }
}

template <class Scheduler>
struct zeroed {
  alignas(16) unsigned char bytes[Scheduler::state_bytes()] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  bool written = true;
  const auto write_file = [&](const std::string& name, const std::string& picture) {
    std::ofstream file(folder + "/" + name + ".svg");
    file << picture;
    written = written && file.flush().good();
  };
  const auto write = [&](const std::string& name, const auto& order, draw::svg_options options) {
    options.title = name;
    write_file(name, draw::svg(order, options));
  };

  const extent screen{12, 24};
  const draw::svg_options waves{.wave = 32, .animated = true, .numbers = false, .tile_size = 16};
  write("waves_row_major", row_major{screen}, waves);
  write("waves_thread_group_tiling", thread_group_tiling{screen, 8, axis::x}, waves);

  const extent grid{8, 10};
  const draw::svg_options path{.numbers = false, .path = true, .tile_size = 20};
  write("row_major", row_major{grid}, path);
  write("thread_group_tiling", thread_group_tiling{grid, 4, axis::x}, path);
  write("cta_swizzle", cta_swizzle{grid, 4, axis::x}, path);
  write("hilbert", hilbert{grid}, path);
  write("morton", morton{grid}, path);
  write("dilated", dilated{grid, {2, 2}, 3}, path);

  // What a prediction counts: how often the stripes of A and B are fetched.
  const extent product{8, 16};
  const draw::svg_options fetches{.wave = 16, .first_touches = true, .numbers = false, .tile_size = 22};
  write("fetches_row_major", row_major{product}, fetches);
  write("fetches_cta_swizzle", cta_swizzle{product, 4, axis::x}, fetches);

  // Forty tiles, some of them long.
  std::vector<int> ticks;
  for (int tile = 0; tile < 40; ++tile) ticks.push_back(tile * tile * 10 % 13 < 4 ? 6 : 2 + tile % 2);
  const row_major tiles{{1, static_cast<int>(ticks.size())}};
  const std::vector<std::string> blocks{"block 0", "1", "2", "3", "4", "5", "6", "7"};
  const std::vector<std::string> multiprocessors{"SM 0: 0", "1", "SM 1: 2", "3", "SM 2: 4", "5", "SM 3: 6", "7"};
  const auto write_schedule = [&](const std::string& name, const std::vector<draw::lane>& lanes,
                                  const std::string& heading) {
    write_file("schedule_" + name, draw::timeline(lanes, {.title = name, .heading = heading, .end = 27, .tick = 10}));
  };
  zeroed<ticket<>> tickets;
  zeroed<sm_affine<>> runs;
  write_schedule("strided", played(strided{tiles}, ticks, blocks), "strided: dealt in advance");
  write_schedule("ticket", played(ticket{tiles, tickets.bytes}, ticks, blocks), "ticket: who is done draws the next");
  write_schedule("sm_affine", played(sm_affine{tiles, runs.bytes, 5}, ticks, multiprocessors),
                 "sm_affine: an SM has a run of its own");

  // Eight sources and what they spawn: each by a thread of its own, and after a push dealt to all threads.
  const std::vector<int> spawned{4, 0, 12, 1, 2, 16, 0, 5};
  std::vector<draw::lane> loops, dealt;
  int item = 0;
  for (int thread = 0; thread < 8; ++thread) {
    const std::string name = thread == 0 ? "thread 0" : std::to_string(thread);
    loops.push_back({name, {}});
    dealt.push_back({name, {{0, 1, -1}}});
  }
  for (int source = 0; source < 8; ++source) {
    const auto all = static_cast<std::size_t>(source);
    for (int rank = 0; rank < spawned[all]; ++rank, ++item) {
      loops[all].stretches.push_back({rank, rank + 1, source});
      dealt[static_cast<std::size_t>(item % 8)].stretches.push_back({1 + item / 8, 2 + item / 8, source});
    }
  }
  write_file("expand_loops",
             draw::timeline(
                 loops, {.title = "A loop in each thread", .heading = "a loop in each thread", .end = 16, .tick = 18}));
  write_file("expand_dealt", draw::timeline(dealt, {.title = "Expansion in two passes",
                                                    .heading = "push (grey), then items dealt out",
                                                    .end = 16,
                                                    .tick = 18}));

  if (!written) std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
  return written ? 0 : 1;
}
