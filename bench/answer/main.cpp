// Judges `advise` by the figures of record: how far each launch that it picks is from the best that was timed, and from
// what it predicts.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "answer/rows.hpp"

namespace {

using namespace heddle_bench;

constexpr const char* about =
    R"(usage: bench_answer [--rows] [FOLDER]...

Asks `advise` about each problem of the figures of record, and of those in FOLDER, and finds its pick among the launches
that were timed. Times are over that of the plain launch.

  untimed   picks that were not timed: no other column has them
  regret    what the pick takes beyond the best launch that was timed, in percent
  plain     the mean regret of the plain launch
  losses    picks slower than the plain launch by over 0.5 %
  picks     those that are not the plain launch
  near      of these: the gain is within a third of the one predicted, or the time within 5 %
  predicted over measured time of these picks: a tenth is below p10
  worse     answers that take longer than the plain launch, or move more in no less time, by their own figures
  measure   answers that name launches to time

  --rows    print each row, too
)";

/// An answer beside what was timed.
struct verdict {
  const row_of_record* row;
  answer said;
  const timed_launch *pick, *plain, *best;

  double regret() const { return pick->ms / best->ms - 1; }
  bool is_loss() const { return pick->ms > 1.005 * plain->ms; }
  bool is_plain() const { return pick == plain; }
  double measured() const { return pick->ms / plain->ms; }
  /// The predicted time over that of the plain launch, or 0 if it is unknown.
  double predicted() const { return said.plain_seconds > 0 ? said.seconds / said.plain_seconds : 0; }
  double over_measured() const { return predicted() / measured(); }
  bool is_near() const {
    const double gain = 1 / measured() - 1, predicted_gain = 1 / predicted() - 1;
    return std::abs(over_measured() - 1) <= 0.05 || std::abs(predicted_gain - gain) <= std::abs(gain) / 3;
  }
  bool is_worse() const {
    return said.seconds > said.plain_seconds || (said.bytes > said.plain_bytes && said.seconds >= said.plain_seconds);
  }
};

verdict verdict_of(const row_of_record& row) {
  const auto is_faster = [](const timed_launch& one, const timed_launch& other) { return one.ms < other.ms; };
  const answer said = row.ask();
  return {&row, said, row.find(said.pick), row.find(row.plain),
          &*std::min_element(row.timed.begin(), row.timed.end(), is_faster)};
}

void print(const verdict& one) {
  std::printf("%s, %s\n  pick %s", one.row->kind.c_str(), one.row->name.c_str(), to_string(one.said.pick).c_str());
  if (one.pick == nullptr) {
    std::printf(": not timed\n");
    return;
  }
  std::printf(": %.4f ms, %.3f of plain", one.pick->ms, one.measured());
  if (one.predicted() > 0) std::printf(", predicted %.3f", one.predicted());
  std::printf("%s%s%s\n  best %s: %.4f ms, regret %.1f %%\n", one.is_loss() ? ", LOSS" : "",
              one.is_worse() ? ", WORSE" : "", one.said.is_to_measure ? ", measure" : "",
              to_string(one.best->by).c_str(), one.best->ms, 100 * one.regret());
}

/// Prints a line of the table: all answers of a kind of problem.
void print(const std::string& kind, const std::vector<verdict>& all) {
  std::vector<verdict> timed;
  std::vector<double> ratios;
  for (const verdict& one : all) {
    if (one.pick != nullptr) timed.push_back(one);
    if (one.pick != nullptr && !one.is_plain() && one.predicted() > 0) ratios.push_back(one.over_measured());
  }
  const auto count = [](const std::vector<verdict>& some, auto is) {
    return std::count_if(some.begin(), some.end(), is);
  };
  const auto rank = [&](double share) {
    return ratios.empty() ? NAN
                          : ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1) + 0.5)];
  };
  std::sort(ratios.begin(), ratios.end());
  double regrets = 0, worst = 0, of_plain = 0;
  for (const verdict& one : timed) {
    regrets += one.regret(), worst = std::max(worst, one.regret()), of_plain += one.plain->ms / one.best->ms - 1;
  }
  const double percent = 100 / std::max(1.0, static_cast<double>(timed.size()));
  std::printf("%-22s%5zu%8zu%8.2f%7.1f%7.1f%7td%6td%6td%7.2f%7.2f%6.2f%6td%8td\n", kind.c_str(), all.size(),
              all.size() - timed.size(), percent * regrets, 100 * worst, percent * of_plain,
              count(timed, [](const verdict& one) { return one.is_loss(); }),
              count(timed, [](const verdict& one) { return !one.is_plain(); }),
              count(timed, [](const verdict& one) { return !one.is_plain() && one.predicted() > 0 && one.is_near(); }),
              rank(0.1), rank(0.5), rank(0.9), count(all, [](const verdict& one) { return one.is_worse(); }),
              count(all, [](const verdict& one) { return one.said.is_to_measure; }));
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> folders{HEDDLE_SOURCE_DIR "/bench/results/h200", HEDDLE_SOURCE_DIR "/bench/results/h100"};
  bool prints_rows = false;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--rows") {
      prints_rows = true;
    } else if (argument[0] != '-') {
      folders.push_back(argument);
    } else {
      std::fputs(about, stdout);
      return argument == "--help" ? 0 : 2;
    }
  }
  bool is_read = true;
  for (const std::string& folder : folders) {
    const rows_of_record rows(folder);
    std::map<std::string, std::vector<verdict>> kinds;
    for (const row_of_record& row : rows.all()) {
      kinds[row.kind].push_back(verdict_of(row));
      if (prints_rows) print(kinds[row.kind].back());
    }
    std::printf(
        "\n%s, %s\n%-22s rows untimed  regret  worst  plain losses picks  near    p10 median   p90 worse measure\n",
        rows.gpu().c_str(), folder.c_str(), "");
    for (const auto& [kind, all] : kinds) print(kind, all);
  }
  return is_read ? 0 : 1;
}
