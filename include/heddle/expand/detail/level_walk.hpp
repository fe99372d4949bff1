#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/packed_counter.hpp>
#include <heddle/expand/item.hpp>

// One level of `levels`, as a warp sees it: a list of sources to visit, and a list of those of the next level.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// A source in a list, and the number of items before its own.
struct alignas(8) level_entry {
  unsigned source, begin;
};

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

#if defined(__CUDACC__)

/// The two lists that a warp works on. What a warp needs once in a while it reads from shared memory, to leave
/// registers to the user's code.
class level_lists {
 public:
  HEDDLE_DEVICE level_lists(const packed_counter& counter, level_totals* totals, word64 most_sources)
      : counter_(counter), totals_(totals), most_sources_(most_sources) {}

  HEDDLE_DEVICE level_entry* list(unsigned level) const {
    return reinterpret_cast<level_entry*>(totals_ + 1) + level % 2 * most_sources_;
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
      waiting = walk_run(shared, begin, left < run ? shared.items : begin + run, waiting, visit);
      if (left <= step) break;  // the sum might not fit in 32 bits
    }
    if (waiting > 0) write(shared, 0, waiting);
  }

 private:
  /// Each lane has one of 32 entries that follow one another; the last one only ends the others.
  template <class Visit>
  HEDDLE_DEVICE unsigned walk_run(level_storage& shared, unsigned begin, unsigned end, unsigned waiting,
                                  Visit& visit) const {
    for (unsigned first = source_of(shared, begin); begin < end; first += 31) {
      const unsigned at = first + warp::lane();
      const level_entry mine = at < shared.sources ? ptx::ld_cg(&from(shared)[at]) : level_entry{0, shared.items};
      const unsigned last = __shfl_sync(warp::all, mine.begin, 31), until = last < end ? last : end;
      for (; begin < until; begin += 32) {
        // An item's entry: those that begin up to the row's first item, and those that begin in the row up to the item.
        const bool begins_here = mine.begin > begin && mine.begin - begin < 32;
        const unsigned marks = ptx::redux_sync_or(warp::all, begins_here ? 1u << (mine.begin - begin) : 0u);
        const int before = __popc(__ballot_sync(warp::all, mine.begin <= begin));
        const int owner = before - 1 + __popc(marks & (ptx::lanemask_lt() * 2 + 1));
        const unsigned source = __shfl_sync(warp::all, mine.source, owner);
        const unsigned its_begin = __shfl_sync(warp::all, mine.begin, owner);
        spawned its{0, 0};
        if (warp::lane() < until - begin) its = visit(source, begin + warp::lane() - its_begin);
        waiting = add(shared, its, waiting);
      }
      begin = until;
    }
    return waiting;
  }

  /// Returns an index at most 30 before that of the source that has an item: of 32 ways one remains in each step.
  HEDDLE_DEVICE unsigned source_of(const level_storage& shared, unsigned item) const {
    unsigned first = 0, count = shared.sources;
    while (count > 31) {
      const unsigned step = (count - 1) / 32 + 1, ahead = warp::lane() * step;
      const bool before = ahead < count && ptx::ld_cg(&from(shared)[first + ahead]).begin <= item;
      const unsigned skipped = (static_cast<unsigned>(__popc(__ballot_sync(warp::all, before))) - 1) * step;
      count = count - skipped < step ? count - skipped : step;
      first += skipped;
    }
    return first;
  }

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
    word64 taken = 0;
    if (warp::lane() == 31) taken = counter_.take(totals_->of_list[at.next], sums.all, 32);
    taken = __shfl_sync(warp::all, taken, 31);
    const live all{__shfl_sync(warp::all, sums.all.word, 31)};
    if (mine.n == 0 || !counter_.has_room(taken, all)) return;
    const auto [source, item] = counter_.position_of(taken);
    list(at.level + 1)[source + sums.sources_before] = {mine.source, item + static_cast<unsigned>(sums.items_before)};
  }

  HEDDLE_DEVICE const level_entry* from(const level_storage& shared) const { return list(shared.place >> 4); }

  const packed_counter& counter_;
  level_totals* totals_;
  word64 most_sources_;
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand
