#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/entry_rows.hpp>
#include <heddle/expand/detail/level_base.hpp>
#include <heddle/expand/detail/packed_counter.hpp>
#include <heddle/expand/item.hpp>

// One level of `levels`, as a warp sees it: a list of sources to visit, and a list of those of the next level.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// Where the blocks are: the number of a level and, of three sets of counters, those of its list and of the next one.
struct level_place {
  unsigned level, here, next;

  HEDDLE_FN unsigned spare() const { return 3 - here - next; }
  HEDDLE_FN unsigned word() const { return level << 4 | here << 2 | next; }
  HEDDLE_FN static level_place of(unsigned word) { return {word >> 4, word >> 2 & 3, word & 3}; }
};

/// What a turn has visited: of one level, and of all.
struct level_counts {
  word64 most_sources, most_items, items;
  unsigned levels;
};

/// The counters of one turn.
struct alignas(16) level_totals {
  unsigned arrived;    // blocks that have come to a barrier, of all barriers
  unsigned places[2];  // after even and after odd barriers
  level_counts visited;
  packed_totals of_list[3];
};

/// Shared memory of a block: which level it visits, and for each warp the sources that it has not yet written.
struct level_storage {
  spawned kept[32][64];
  unsigned sources, items, place;  // of the level; 0 items at the end
  level_counts visited;

  /// Goes to a level of the sources and items in `needed`. It has 0 items if it is empty or does not fit.
  HEDDLE_FN void read(level_place at, expansion needed, expansion capacity) {
    const bool fits = needed.sources <= capacity.sources && needed.items <= capacity.items;
    place = at.word();
    sources = static_cast<unsigned>(needed.sources);
    items = fits ? static_cast<unsigned>(needed.items) : 0;
    if (needed.sources > visited.most_sources) visited.most_sources = needed.sources;
    if (needed.items > visited.most_items) visited.most_items = needed.items;
  }
};

/// The two lists that a warp works on. What a warp needs once in a while it reads from shared memory, to leave
/// registers to the user's code.
class level_lists : public level_base<level_totals, expansion> {
 protected:
  HEDDLE_HOST level_lists(expansion capacity, void* device_state)
      : level_base("heddle::levels: state", capacity, device_state),
        counter_("heddle::levels: sources", "heddle::levels: items", capacity) {}

#if defined(__CUDACC__)
  HEDDLE_DEVICE level_entry* list(unsigned level) const {
    return reinterpret_cast<level_entry*>(totals_ + 1) + level % 2 * capacity_.sources;
  }

  /// Visits some runs of equal length of the items of a level, as one of `warps` warps: calls `visit(source, rank)` for
  /// each item, and adds what it returns to the next level.
  template <class Visit>
  HEDDLE_DEVICE void walk(level_storage& shared, unsigned number, unsigned warps, Visit visit) const {
    constexpr unsigned most_in_run = 1024;  // items: enough to hide the search for the first source
    const unsigned of_warp = (shared.items - 1) / warps + 1, rounds = (of_warp - 1) / most_in_run + 1;
    const unsigned run = of_warp < 32 ? 32 : (of_warp - 1) / rounds + 1, step = run * warps;
    unsigned waiting = 0;  // sources in shared memory
    for (unsigned begin = run * number; begin < shared.items; begin += step) {
      const unsigned left = shared.items - begin;
      for_rows_of_list(here{*this, shared}, begin, left < run ? shared.items : begin + run,
                       [&](unsigned source, unsigned rank, bool is_item) {
                         waiting = add(shared, is_item ? visit(source, rank) : spawned{0, 0}, waiting);
                       });
      if (left <= step) break;  // the sum might not fit in 32 bits
    }
    if (waiting > 0) write(shared, 0, waiting);
  }

 private:
  /// The list of the level, whose size is read from shared memory.
  struct here {
    const level_lists& lists;
    const level_storage& shared;

    HEDDLE_DEVICE unsigned sources() const { return shared.sources; }
    HEDDLE_DEVICE unsigned items() const { return shared.items; }
    HEDDLE_DEVICE level_entry at(unsigned i) const { return ptx::ld_cg(&lists.list(shared.place >> 4)[i]); }
  };

  /// Adds one source per lane; n may be 0. As soon as 32 wait, they are written with one atomic addition.
  HEDDLE_DEVICE unsigned add(level_storage& shared, spawned each, unsigned waiting) const {
    const unsigned spawning = __ballot_sync(warp::all, each.n > 0);
    if (spawning == 0) return waiting;
    const auto place = waiting + static_cast<unsigned>(__popc(spawning & ptx::lanemask_lt()));
    if (each.n > 0) shared.kept[warp::thread() / 32][place] = each;
    waiting += static_cast<unsigned>(__popc(spawning));
    __syncwarp();
    if (waiting < 32) return waiting;
    write(shared, waiting - 32, 32);
    return waiting - 32;
  }

  /// Writes `count` sources that wait. Those of a level that has no room are only counted.
  HEDDLE_DEVICE void write(level_storage& shared, unsigned first, unsigned count) const {
    spawned mine{0, 0};
    if (warp::lane() < count) mine = shared.kept[warp::thread() / 32][first + warp::lane()];
    const level_place at = level_place::of(shared.place);
    const pushed sums(mine.n);
    const word64 taken =
        warp::by_one(warp::all, 31, [&] { return counter_.take(totals_->of_list[at.next], sums.all, 32); });
    const live all{__shfl_sync(warp::all, sums.all.word, 31)};
    if (mine.n == 0 || !counter_.has_room(taken, all)) return;
    const auto [source, item] = counter_.position_of(taken);
    list(at.level + 1)[source + sums.sources_before] = {mine.source, item + static_cast<unsigned>(sums.items_before)};
  }
#endif

 protected:
  packed_counter counter_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand
