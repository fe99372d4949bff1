// The page's own program: what it asks the library, as WebAssembly. A question and an answer are text, a line
// "key=value" per field; what is drawn lies in memory until the next question. A refusal leaves by `refuse`, and never
// returns.

#include <heddle/laws.hpp>
#include <heddle/predict.hpp>
#include <heddle/version.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "lines.hpp"
#include "order.hpp"
#include "picture.hpp"

using namespace explorer;

namespace {

/// Lines of an answer.
class answer {
 public:
  void add(const char* key, const std::string& value) { text_.append(key).append("=").append(value).append("\n"); }
  void add(const char* key, long long value) { add(key, std::to_string(value)); }
  void add(const char* key, int value) { add(key, std::to_string(value)); }
  void add(const char* key, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    add(key, std::string(digits));
  }
  /// Memory that the page reads.
  template <class Type>
  void add(const char* key, const std::vector<Type>& values) {
    add(key, std::to_string(reinterpret_cast<std::size_t>(values.data())) + " " + std::to_string(values.size()));
  }
  const char* keep() const {
    static std::string kept;
    kept = text_;
    return kept.c_str();
  }

 private:
  std::string text_;
};

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end);
}

/// Returns the launch that the page shows for an advice: the first to measure, if nothing is sure to gain.
const recipe& launch_of(const predict::advice& found) {
  return found.matters || found.to_measure.empty() ? found : found.to_measure.front();
}

/// What a tile takes beside the other tiles, which differ in causal passes and in groups.
template <class Problem, class Tile>
double cost_of(const Problem& problem, const Tile& tile) {
  constexpr bool differ = requires {
    problem.queries;
  }
  || requires {
    problem.ends();
  };
  return differ ? problem.cost(tile) : 1;
}

}  // namespace

extern "C" {

[[noreturn]] __attribute__((import_module("page"), import_name("refuse"))) void refuse(const char* what);

// Without flags for exceptions a throw is a call of these two: the page throws in place of them.
void* __cxa_allocate_exception(std::size_t bytes) {
  return std::malloc(bytes);
}
[[noreturn]] void __cxa_throw(void* thrown, void*, void (*)(void*)) {
  refuse(static_cast<std::exception*>(thrown)->what());
}

__attribute__((export_name("room"))) char* room(int bytes) {
  return static_cast<char*>(std::malloc(static_cast<std::size_t>(bytes)));
}

__attribute__((export_name("version"))) const char* version(const char*) {
  return version_string;
}

/// The numbers of a card.
__attribute__((export_name("card"))) const char* card(const char* text) {
  answer a;
  const predict::device chip = device_of(question(text));
  a.add("name", std::string(chip.name.c_str()));
  detail::for_each_member(chip, [&](const char* name, const auto& member, const auto&) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(member)>>) a.add(name, member);
  });
  return a.keep();
}

/// The advice, with the fields of the state that has it.
__attribute__((export_name("advise"))) const char* advise(const char* text) {
  const question q(text);
  answer a;
  with_problem(q, [&](const auto& problem) {
    const predict::advice found = predict::advise(problem, device_of(q), blocks_of(q), q.rate("measured_seconds", 0));
    const recipe& by = launch_of(found);
    a.add("order", to_string(by.order));
    a.add("schedule", to_string(by.schedule));
    // Where they are not the defaults:
    if (by.width > 0) a.add("width", by.width);
    if (by.order == recipe::dilated) {
      a.add("step_rows", by.step.rows), a.add("step_cols", by.step.cols);
    } else if (by.width > 0) {
      a.add("axis", std::string(by.axis == axis::x ? "x" : "y"));
    }
    if (by.interleave > 1) a.add("interleave", by.interleave);
    if (by.reversed) a.add("reversed", 1);
    if (by.sequence == group_sequence::heaviest_first) a.add("sequence", "heaviest_first");
    if (by.schedule == recipe::sm_affine) a.add("run", by.run);
    a.add("advised_bytes", found.predicted_bytes);
    a.add("plain_bytes", found.plain_bytes);
    a.add("replayed", found.replayed);
    a.add("advised_seconds", found.predicted_seconds);
    a.add("plain_seconds", found.plain_seconds);
    a.add("error", found.error);
    a.add("advice", to_string(by));
    a.add("reason", found.reason);
    a.add("verdict", found.matters ? "use it" : first_sentence(found.reason));
  });
  return a.keep();
}

/// What the order of a state looks like, wave by wave.
__attribute__((export_name("picture"))) const char* picture_of(const char* text) {
  static picture drawn;
  answer a;
  with_launch(question(text),
              [&](const auto& problem, const predict::device& chip, int blocks, const auto& order, const recipe& by) {
                drawn = explorer::picture_of(problem, order, chip.multiprocessors * blocks, by, blocks);
                a.add("tiles", order.size());
              });
  a.add("width", drawn.width);
  a.add("height", drawn.height);
  a.add("has_colours", drawn.has_colours ? 1 : 0);
  a.add("place", drawn.place);
  a.add("colour", drawn.colour);
  a.add("wave_begin", drawn.wave_begin);
  a.add("first", drawn.first);
  a.add("second", drawn.second);
  return a.keep();
}

/// What the order of a state moves.
__attribute__((export_name("figures"))) const char* figures(const char* text) {
  answer a;
  with_launch(question(text),
              [&](const auto& problem, const predict::device& chip, int blocks, const auto& order, const recipe& by) {
                const auto moved = predict::traffic(order, problem, chip, blocks, by);
                a.add("dram_bytes", moved.total.dram_bytes);
                a.add("written_bytes", moved.total.written_bytes);
                a.add("least_bytes", moved.compulsory_bytes + moved.total.written_bytes);
                if constexpr (requires { problem.rows_radius; }) {
                  const auto near = predict::l1_traffic(order, problem, chip, blocks, by);
                  a.add("l2_bytes", chip.l1_bytes > 0 ? near.l2_bytes : near.requested_bytes);
                  a.add("least_l2_bytes", problem.compulsory_bytes());
                } else {
                  a.add("l2_bytes", moved.total.requested_bytes);
                  a.add("least_l2_bytes", moved.total.requested_bytes);
                }
                a.add("waves", static_cast<long long>(moved.waves.size()));
              });
  return a.keep();
}

/// When each tile of a state runs, and where.
__attribute__((export_name("timeline"))) const char* timeline(const char* text) {
  static std::vector<float> begin, end;
  static std::vector<int> worker;
  const question q(text);
  answer a;
  const double uneven = q.rate("uneven", 0, 0, 100) / 100;
  with_launch(q, [&](const auto& problem, const predict::device& chip, int blocks, const auto& order,
                     const recipe& by) {
    const auto cost = [&](const auto& tile) {
      const double of_tile = cost_of(problem, tile);
      if (uneven == 0) return of_tile;
      unsigned mixed = static_cast<unsigned>(tile.row) * 2654435761u ^ static_cast<unsigned>(tile.col) * 2246822519u;
      mixed = (mixed ^ mixed >> 15) * 2246822519u;
      mixed = (mixed ^ mixed >> 13) * 3266489917u;
      return of_tile * (1 + uneven * (mixed >> 8) / 16777216.0);
    };
    const auto report = predict::makespan(order, cost, {chip.multiprocessors * blocks, blocks}, by);
    begin.clear(), end.clear(), worker.clear();
    for (const auto& each : report.stretches) {
      begin.push_back(static_cast<float>(each.begin));
      end.push_back(static_cast<float>(each.end));
      worker.push_back(each.worker);
    }
    a.add("end", report.end);
    a.add("work", report.work);
    a.add("longest", report.longest);
    a.add("workers", report.workers);
    a.add("idle_share", report.idle_share());
  });
  a.add("begin", begin);
  a.add("ends", end);
  a.add("worker", worker);
  return a.keep();
}

/// When a launch ends whose tiles, in the sequence of its order, take what a trace says, by the schedule of a state.
__attribute__((export_name("replayed"))) const char* replayed(const char* text) {
  const question q(text);
  const auto times = numbers_in<double>("times", q.text("times"), 1 << 24);
  const auto cost = [&](coord tile) { return times[static_cast<std::size_t>(tile.col)]; };
  const row_major tiles{extent(1, static_cast<int>(times.size()))};
  const recipe by = recipe_of(q, recipe::order_names, axis::x);
  answer a;
  a.add("end", predict::makespan(tiles, cost, {q.number("workers", 1, 1), q.number("resident", 1, 1)}, by).end);
  return a.keep();
}

/// The lines to paste, in C++ or in the language of the question.
__attribute__((export_name("lines"))) const char* lines(const char* text) {
  static std::string kept;
  const question q(text);
  if (!q.text("language").empty()) return (kept = python_lines(q)).c_str();
  kept = one_line(q);
  if (!kept.empty()) kept += "\n// Or by any order and schedule, as an argument:\n\n";
  kept += kernel_lines(q) + "\n" + host_lines(q);
  return kept.c_str();
}
}
