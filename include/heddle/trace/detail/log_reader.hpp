#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <heddle/trace/detail/clock_line.hpp>
#include <heddle/trace/report.hpp>
#include <heddle/trace/room.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace::detail {

/// Reads logs into a report. It takes any bytes: what does not fit together is counted as damaged.
class log_reader {
 public:
  log_reader(const room& has, const char* logs) : has_(has), logs_(logs) {
    for (int log = 0; log < has.blocks; ++log) read_log(log);
    find_launches();
    put_on_one_clock();
    give_places();
  }

  report take() { return std::move(found_); }

 private:
  /// A launch as one log has it. Ticks count from the multiprocessor's reading at its begin.
  struct entry {
    int log = 0, launch = 0;
    unsigned number = 0;  // in its log
    log_launch as;
    std::vector<log_slice> slices;

    int sm() const { return static_cast<int>(as.where & 0xffff); }
    int rank() const { return static_cast<int>(as.where >> 16 & 0xffff); }
    int blocks_of_worker() const { return static_cast<int>(as.where >> 32 & 0xffff); }
    int blocks() const { return static_cast<int>(as.shape & 0x7fffffff); }
  };

  template <class Value>
  Value at(unsigned long long byte) const {
    Value value;
    std::memcpy(&value, logs_ + byte, sizeof value);
    return value;
  }

  static bool has_mark(word64 word, word64 grid) { return word >> mark_shift == (grid << mark_shift) >> mark_shift; }

  /// Sums of counts that no log can have reached saturate.
  static long long sum(long long one, word64 other) {
    return saturated(static_cast<word64>(one) + static_cast<word64>(saturated(other)));
  }

  void read_log(int log) {
    const unsigned long long begin = static_cast<unsigned>(log) * has_.bytes_of_log();
    const auto header = at<log_header>(begin);
    const bool newest = has_.kept == keep::newest;
    const auto room = static_cast<word64>(has_.launches), tiles = static_cast<word64>(has_.tiles);
    const word64 launches = launches_in(header.state), slices = header.slices & below_mark;
    found_.refused = sum(found_.refused, header.refused);
    found_.unfinished += writer_in(header.state) != 0;

    word64 read = 0;
    const word64 first_launch = newest && launches > room ? launches - room : 0;
    for (word64 n = first_launch; n < (std::min)(launches, first_launch + room); ++n) {
      entry next;
      next.log = log;
      next.number = static_cast<unsigned>(n);
      next.as = at<log_launch>(begin + sizeof(log_header) + n % room * sizeof(log_launch));
      const log_launch& as = next.as;
      if (!has_mark(as.begin_clock, as.grid) || !has_mark(as.end_clock, as.grid) || !has_mark(as.first, as.grid) ||
          !has_mark(as.where, as.grid)) {
        ++found_.damaged;
        continue;
      }
      const word64 first = as.first & below_mark, end = (std::min)(first + (as.shape >> 32), slices);
      const word64 kept = newest && slices > tiles ? slices - tiles : 0;
      for (word64 slice = (std::max)(first, kept); slice < (std::min)(end, kept + tiles); ++slice) {
        const auto was =
            at<log_slice>(begin + sizeof(log_header) + room * sizeof(log_launch) + slice % tiles * sizeof(log_slice));
        ++read;
        const bool is_index = (was.what & 0xffffffff) >> 31 == 0;  // no order has one of 2^31 and more
        if (has_mark(was.start, as.grid) && is_index) {
          next.slices.push_back(was);
        } else {
          ++found_.damaged;
        }
      }
      entries_.push_back(std::move(next));
    }
    if (slices > read) found_.left_out = sum(found_.left_out, slices - read);
  }

  /// Blocks of one grid with one number are of one launch. Replays of a graph may share the number, but do not overlap:
  /// there a block that comes again begins the next launch.
  void find_launches() {
    std::sort(entries_.begin(), entries_.end(), [](const entry& one, const entry& other) {
      return std::pair(one.as.begin_time, one.number) < std::pair(other.as.begin_time, other.number);
    });
    std::map<word64, int> latest;        // launch, by the number of its grid
    std::vector<std::set<int>> members;  // logs of each launch
    for (entry& each : entries_) {
      const auto [at, is_new] = latest.try_emplace(each.as.grid, 0);
      if (is_new || members[static_cast<std::size_t>(at->second)].count(each.log) != 0) {
        at->second = static_cast<int>(members.size());
        members.emplace_back();
        found_.launches.push_back({each.as.grid, each.blocks(), each.blocks_of_worker(), 0, 0, 0, 0});
      }
      each.launch = at->second;
      members[static_cast<std::size_t>(at->second)].insert(each.log);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const int logs = (std::min)(found_.launches[i].blocks, has_.blocks);
      found_.launches[i].missing = (std::max)(0, logs - static_cast<int>(members[i].size()));
    }
    std::sort(entries_.begin(), entries_.end(), [](const entry& one, const entry& other) {
      return std::pair(one.launch, one.log) < std::pair(other.launch, other.log);
    });
  }

  /// Ticks since a reading of the same clock, of which the log has the lower bits.
  static long long ticks_between(word64 from, word64 to) {
    return static_cast<long long>((to - from) << (64 - mark_shift)) >> (64 - mark_shift);
  }

  void put_on_one_clock() {
    if (entries_.empty()) return;
    found_.origin = ~0ull;
    for (const entry& each : entries_) found_.origin = (std::min)(found_.origin, each.as.begin_time);

    std::vector<std::vector<anchor>> of_launch(found_.launches.size());
    std::vector<std::map<int, word64>> zero(found_.launches.size());  // by multiprocessor: the reading with 0 ticks
    std::vector<anchor> all;
    for (const entry& each : entries_) {
      const auto launch = static_cast<std::size_t>(each.launch);
      const word64 from = zero[launch].try_emplace(each.sm(), each.as.begin_clock).first->second;
      of_launch[launch].push_back({each.sm(), ticks_between(from, each.as.begin_clock), each.as.begin_time});
      of_launch[launch].push_back({each.sm(), ticks_between(from, each.as.end_clock), each.as.end_time});
      all.insert(all.end(), of_launch[launch].end() - 2, of_launch[launch].end());
    }
    found_.step = timer_step(all);
    const std::vector<clock_lines> lines = lines_of_launches(of_launch, found_.origin, found_.step);

    for (const entry& each : entries_) {
      const auto number = static_cast<std::size_t>(each.launch);
      const word64 from = zero[number].at(each.sm());
      const auto time_of = [&](word64 clock, word64 later = 0) {
        return lines[number].time_of(each.sm(),
                                     static_cast<double>(ticks_between(from, clock)) + static_cast<double>(later));
      };
      report::block block{each.launch,
                          each.log,
                          each.sm(),
                          0,
                          each.rank(),
                          time_of(each.as.begin_clock),
                          time_of(each.as.end_clock),
                          found_.slices.size(),
                          each.slices.size()};
      for (const log_slice& was : each.slices) {
        found_.slices.push_back({each.launch, each.log, each.sm(), 0, static_cast<int>(was.what & 0xffffffff),
                                 each.rank(), time_of(was.start), time_of(was.start, was.what >> 32)});
      }
      report::launch& launch = found_.launches[number];
      const bool is_first = launch.begin == 0 && launch.end == 0;
      launch.begin = is_first ? block.begin : (std::min)(launch.begin, block.begin);
      launch.end = is_first ? block.end : (std::max)(launch.end, block.end);
      launch.skew = lines[number].skew();
      found_.blocks.push_back(block);
    }
  }

  /// Gives each block a place in its multiprocessor that no other block has at the time.
  void give_places() {
    std::vector<std::size_t> by_begin(found_.blocks.size());
    for (std::size_t i = 0; i < by_begin.size(); ++i) by_begin[i] = i;
    std::sort(by_begin.begin(), by_begin.end(), [&](std::size_t one, std::size_t other) {
      return std::pair(found_.blocks[one].begin, one) < std::pair(found_.blocks[other].begin, other);
    });
    struct place {
      double until;
      int launch;
    };
    std::map<int, std::vector<place>> of_sm;
    for (const std::size_t i : by_begin) {
      report::block& block = found_.blocks[i];
      std::vector<place>& places = of_sm[block.sm];
      const double skew = found_.launches[static_cast<std::size_t>(block.launch)].skew;
      const auto free = std::find_if(places.begin(), places.end(), [&](const place& each) {
        return each.until <= block.begin + (each.launch == block.launch ? 0 : skew);
      });
      block.place = static_cast<int>(free - places.begin());
      if (free == places.end()) places.push_back({});
      places[static_cast<std::size_t>(block.place)] = {block.end, block.launch};
      for (std::size_t slice = block.first; slice < block.first + block.count; ++slice) {
        found_.slices[slice].place = block.place;
      }
    }
  }

  const room& has_;
  const char* logs_;
  report found_;
  std::vector<entry> entries_;
};

}}}  // namespace heddle::HEDDLE_ABI::trace::detail
