#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/detail/json.hpp>
#include <heddle/detail/utf_8.hpp>
#include <heddle/trace/detail/tile_text.hpp>
#include <heddle/trace/report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace {

/// Gathers reports, and writes them in Chrome's trace format: ui.perfetto.dev and chrome://tracing open the file.
///
/// A multiprocessor is a process, and each of the blocks that it runs at once a thread of it. A block is a slice, and
/// its tiles are slices within, each with its place in the order, its launch and its block.
///
/// **Example** (examples/trace/trace.cu):
///
///     heddle::trace::chrome_trace file;
///     file.add(name, report, order);
///     const std::string path = folder + "/trace_" + name;
///     if (const std::string failure = file.write(path + ".json"); !failure.empty()) throw std::runtime_error(failure);
class chrome_trace {
 public:
  /// Adds a report under a name, such as that of its stream. Tiles have the names of their indices. Bytes of a name
  /// that are no UTF-8 become U+FFFD.
  void add(const std::string& name, const report& added) {
    add_named(name, added, [](const report::slice& slice) { return "tile " + std::to_string(slice.index); });
  }

  /// Adds a report whose tiles are those of an order that the host can read. An index that the order does not have is
  /// refused.
  template <tile_order Order>
  void add(const std::string& name, const report& added, const Order& order) {
    add_named(name, added,
              [&](const report::slice& slice) { return detail::tile_text(order, slice.index, slice.rank); });
  }

  /// Returns the text of the file.
  std::string str() const {
    std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tiles left out\":\"" + std::to_string(left_out_) +
                       "\",\"nanoseconds between clocks\":\"" + std::to_string(std::llround(skew_)) +
                       "\"},\"traceEvents\":[\n";
    for (std::size_t i = 0; i < names_.size(); ++i) text += (i == 0 ? "" : ",\n") + names_[i];
    for (const event& each : events_) {
      const unsigned long long since = each.origin - first_;
      text += ",\n{\"ph\":\"X\",\"name\":" + each.name + ",\"pid\":" + std::to_string(each.process) +
              ",\"tid\":" + std::to_string(each.thread) + ",\"ts\":" + microseconds(since, each.begin) +
              ",\"dur\":" + microseconds(0, each.end - each.begin) + ",\"args\":{" + each.arguments + "}}";
    }
    return text + "\n]}\n";
  }

  /// Writes the file, and returns what went wrong, in words: nothing if the text is empty.
  [[nodiscard]] std::string write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file << str();
    file.close();
    return file ? "" : path + ": the file is not writable";
  }

 private:
  /// Times are whole nanoseconds since the origin of a report, so that slices within each other stay so.
  struct event {
    int process, thread;
    unsigned long long origin;
    long long begin, end;
    std::string name, arguments;
  };

  static std::string microseconds(unsigned long long since, long long nanoseconds) {
    const unsigned long long all = since + static_cast<unsigned long long>((std::max)(0LL, nanoseconds));
    return std::to_string(all / 1000) + "." + std::to_string(1000 + all % 1000).substr(1);
  }

  static std::string quoted(const std::string& text) { return heddle::detail::json_text(heddle::detail::utf_8(text)); }

  void name(const char* what, int process, int thread, const std::string& text) {
    names_.push_back("{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\",\"pid\":" + std::to_string(process) +
                     ",\"tid\":" + std::to_string(thread) + ",\"args\":{\"name\":" + quoted(text) + "}}");
  }

  template <class Name>
  void add_named(const std::string& name_of_report, const report& added, Name name_of) {
    const int before = reports_++ * most_processes;
    left_out_ += static_cast<unsigned long long>(added.left_out);
    for (const report::launch& each : added.launches) skew_ = (std::max)(skew_, each.skew);
    if (!added.blocks.empty()) first_ = (std::min)(first_, added.origin);

    std::set<std::pair<int, int>> places;
    for (const report::block& each : added.blocks) places.insert({each.sm, each.place});
    int last = -1;
    for (const auto& [sm, place] : places) {
      const int process = before + 1 + sm;
      if (sm != last) name("process_name", process, 0, name_of_report + ", multiprocessor " + std::to_string(sm));
      name("thread_name", process, place + 1, "block at place " + std::to_string(place));
      last = sm;
    }

    std::vector<const report::block*> by_begin;
    for (const report::block& each : added.blocks) by_begin.push_back(&each);
    std::stable_sort(by_begin.begin(), by_begin.end(),
                     [](const auto* one, const auto* other) { return one->begin < other->begin; });
    std::map<std::pair<int, int>, long long> until;  // launches have clocks of their own: keeps them apart
    for (const report::block* block : by_begin) {
      const int process = before + 1 + block->sm, thread = block->place + 1;
      long long& done = until.try_emplace({process, thread}, 0).first->second;
      const auto time = [&](double at) { return (std::max)(std::llround(at), done); };
      const std::string of_launch = "\"launch\":" + std::to_string(block->launch);
      events_.push_back({process, thread, added.origin, time(block->begin), time(block->end),
                         quoted("block " + std::to_string(block->number)), of_launch});
      for (std::size_t i = block->first; i < block->first + block->count; ++i) {
        const report::slice& slice = added.slices[i];
        events_.push_back({process, thread, added.origin, time(slice.begin), time(slice.end), quoted(name_of(slice)),
                           of_launch + ",\"block\":" + std::to_string(slice.block) +
                               ",\"place in the order\":" + std::to_string(slice.index)});
      }
      done = time(block->end);
    }
  }

  static constexpr int most_processes = 1 << 16;  // of a report: as many numbers as multiprocessors may have

  std::vector<std::string> names_;
  std::vector<event> events_;
  unsigned long long first_ = ~0ull;  // the earliest origin
  double skew_ = 0;
  unsigned long long left_out_ = 0;
  int reports_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::trace
