#pragma once

// Compiles a scheduler of another project for the host, so that its own code runs under the laws, on a CPU.
//
// Include this header first, then those on which the scheduler's header depends, and then that one, with __CUDA_ARCH__
// defined where its device code asks for it. simt::launch runs a kernel of yours that loops over the scheduler and
// notes each tile; laws::check_taken and laws::check_multicast judge the log. Blocks run one after another, or by
// simt::launch_together in any interleaving, for schedulers that draw. A block's number is simt::now->linear, its place
// in its cluster simt::now->place_in_cluster(). Named barriers are simt::bar_sync and bar_arrive, and simt::mbarrier is
// one in shared memory: where a project has inline PTX, define its function's name as one over these.
//
// It needs the headers of the CUDA toolkit and a host's compiler of C++20, with threads. It defines macros: include it
// in a program for a check alone.

#include <cuda_runtime.h>

#undef __device__
#undef __host__
#undef __global__
#undef __shared__
#undef __grid_constant__

#include "foreign/words.hpp"

#include <heddle/laws/check_multicast.hpp>
#include <heddle/laws/check_taken.hpp>

using std::max;  // those of device code
using std::min;

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// The log of a launch over the tiles of grids, of a batch or of groups, which are numbered one grid after the other.
class tile_log {
 public:
  explicit tile_log(const std::vector<extent>& grids) : grids_(grids), first_{0} {
    for (const extent grid : grids) first_.push_back(first_.back() + grid.size());
  }

  /// Notes that the block of the calling thread takes a tile. One outside its grid is waste.
  void take(long long grid, long long row, long long col) {
    const coord tile{static_cast<int>(row), static_cast<int>(col)};
    const bool is_inside = grid >= 0 && grid < std::ssize(grids_) && grids_[static_cast<unsigned>(grid)].contains(tile);
    const auto at = static_cast<std::size_t>(is_inside ? grid : 0);
    log_.push_back({is_inside ? first_[at] + grids_[at].number(tile) : -1, static_cast<int>(simt::now->linear)});
  }

  /// Returns what check_taken says of it.
  taken_report report() const { return check_taken(log_, first_.back()); }

 private:
  std::vector<extent> grids_;
  std::vector<long long> first_;  // the number of a grid's first tile
  std::vector<taken_tile> log_;
};

}}}  // namespace heddle::HEDDLE_ABI::laws
