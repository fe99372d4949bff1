#pragma once

#include <heddle/detail/gpu.hpp>
#include <heddle/trace/buffer.hpp>
#include <heddle/trace/detail/ptx.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace::detail {

/// The notes of a block in shared memory, so that a trace takes no registers of the threads that keep none. What each
/// tile needs comes first, in units of 16 bytes.
struct alignas(16) notes {
  log_slice* slices;      // of the block's log
  word64 start;           // of the tile at hand, in ticks
  unsigned next, room;    // the next slot of the log; the end of its slots
  unsigned count, wraps;  // slices of this launch; 1: after the last slot comes the first
  word64 grid;            // the number of the launch
  word64 state, before;   // of the header: its first word; slices of the launches before
  word64 begin_clock, begin_time;
  int followers, taken;  // in roles: 0 followers leave the notes to the leader; 1: a follower has taken them
};

#if defined(__CUDACC__)

namespace ptx = heddle::detail::ptx;

/// What a thread reads before its first tile is known: memory answers meanwhile.
struct opened {
  word64 state, slices;  // of the header: `writer` and `launches`; `slices`
  word64 clock, time;
};

HEDDLE_DEVICE inline bool has_log(const buffer& all) {
  return blockIdx.x < static_cast<unsigned>(all.room().blocks);
}

HEDDLE_DEVICE inline log_header* log_of_block(const buffer& all) {
  return reinterpret_cast<log_header*>(static_cast<char*>(all.memory()) + blockIdx.x * all.room().bytes_of_log());
}

HEDDLE_DEVICE inline log_launch* launches_of(log_header* header) {
  return reinterpret_cast<log_launch*>(header + 1);
}
HEDDLE_DEVICE inline log_slice* slices_of(log_header* header, int launches) {
  return reinterpret_cast<log_slice*>(launches_of(header) + launches);
}

HEDDLE_DEVICE inline opened open(const buffer& all) {
  const ptx::two_words header = ptx::ld_volatile_v2(&log_of_block(all)->state);
  return {header.first, header.second, ptx::clock64(), ptx::globaltimer()};
}

/// Begins the notes. Returns false if another launch has the log open.
HEDDLE_DEVICE inline bool begin(notes& mine, const buffer& all, const opened& found) {
  log_header& header = *log_of_block(all);
  if (writer_in(found.state) != 0) {
    ++header.refused;
    return false;
  }
  mine.grid = ptx::gridid();
  mine.state = found.state | writer_of(mine.grid);
  ptx::st_v2(&header.state, mine.state, found.slices);

  const room& has = all.room();
  const auto tiles = static_cast<unsigned>(has.tiles);
  const bool wraps = has.kept == keep::newest;
  mine.slices = slices_of(&header, has.launches);
  mine.room = tiles;
  mine.next = static_cast<unsigned>(wraps ? found.slices % tiles : found.slices < tiles ? found.slices : tiles);
  mine.wraps = wraps ? 1 : 0;
  mine.count = 0;
  mine.before = found.slices;
  mine.begin_clock = found.clock;
  mine.begin_time = found.time;
  return true;
}

HEDDLE_DEVICE inline void begin_tile(notes& mine) {
  mine.start = ptx::clock64();
}

HEDDLE_DEVICE inline void end_tile(notes& mine, int index) {
  const word64 now = ptx::clock64();
  const notes was = mine;  // all loads at once
  const unsigned following = was.next + 1;
  mine.count = was.count + 1;
  if (was.next >= was.room) return;
  mine.next = following == was.room && was.wraps != 0 ? 0 : following;
  const word64 taken = now - was.start, ticks = taken < 0xffffffff ? taken : 0xffffffff;
  ptx::st_v2(&was.slices[was.next].start, marked(was.start, was.grid), ticks << 32 | static_cast<unsigned>(index));
}

/// Writes the launch to the log, and closes it.
HEDDLE_DEVICE inline void close(const notes& mine, const buffer& all, unsigned rank, unsigned blocks_of_worker) {
  log_header& header = *log_of_block(all);
  const auto room = static_cast<unsigned>(all.room().launches);
  const unsigned launches = launches_in(mine.state);
  if (launches < room || mine.wraps != 0) {
    log_launch& mark = launches_of(&header)[launches % room];
    ptx::st_v2(&mark.begin_clock, marked(mine.begin_clock, mine.grid), mine.begin_time);
    ptx::st_v2(&mark.first, marked(mine.before, mine.grid), mine.grid);
    ptx::st_v2(&mark.shape, word64{mine.count} << 32 | gridDim.x,
               marked(ptx::smid() | word64{rank} << 16 | word64{blocks_of_worker} << 32, mine.grid));
    const word64 clock = ptx::clock64(), time = ptx::globaltimer();
    ptx::st_v2(&mark.end_clock, marked(clock, mine.grid), time);
  }
  ptx::st_v2(&header.state, word64{launches + 1} << 32, mine.before + mine.count);
}

#endif

}}}  // namespace heddle::HEDDLE_ABI::trace::detail
