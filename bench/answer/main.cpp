// Judges `advise` by the figures of record: how far its picks are from the best launch that was timed, and from what it
// predicts.

#include <cstdio>

#include "answer/rows.hpp"
#include "common/options.hpp"

namespace {

using namespace heddle_bench;

constexpr const char* about =
    R"(usage: bench_answer [--rows] [FOLDER]...

Asks `advise` about each problem of the figures of record, and of those in FOLDER. --rows prints each row, too.

  untimed   picks that were not timed: only worse and measure count them
  regret    what a pick takes beyond the best launch that was timed, mean and worst, in percent; plain: the plain launch
  losses    picks that are slower than the plain launch by over 0.5 %
  picks     those that are not the plain launch, and near: the gain predicted is within a third of that measured, or the
            time within 5 %
  p10, …    of these: predicted over measured time, both over that of the plain launch
  worse     answers that take longer than the plain launch, or move more in no less time, by their own figures
  measure   answers that name launches to time
)";

/// Sums up the answers for a kind of problem.
struct tally {
  int rows = 0, untimed = 0, losses = 0, picks = 0, near = 0, worse = 0, to_measure = 0;
  double regret = 0, worst = 0, of_plain = 0;
  std::vector<double> ratios = {};

  /// Adds the answer for a row, and prints it if asked.
  void add(const row_of_record& row, bool prints) {
    const answer said = row.ask();
    const timed_launch *const pick = row.find(said.pick), &plain = *row.find(row.plain), &best = row.best();
    const double seconds = said.of.predicted_seconds, plain_seconds = said.plain_seconds(plain.by);
    const bool is_worse =
        seconds > plain_seconds || (said.of.predicted_bytes > said.of.plain_bytes && seconds >= plain_seconds);
    const bool is_to_measure = !said.of.to_measure.empty();
    ++rows, worse += is_worse, to_measure += is_to_measure;
    const std::string name = row.kind + ", " + row.name + "\n  pick " + to_string(said.pick);
    if (pick == nullptr) {
      ++untimed;
      if (prints) std::printf("%s: not timed\n", name.c_str());
      return;
    }
    const double behind = pick->ms / best.ms - 1, measured = pick->ms / plain.ms;
    const double predicted = plain_seconds > 0 ? seconds / plain_seconds : NAN;
    const bool is_loss = measured > 1.005;
    losses += is_loss, regret += behind, worst = std::max(worst, behind), of_plain += plain.ms / best.ms - 1;
    if (pick != &plain) {
      const double gain = 1 / measured - 1;
      ++picks;
      near += std::abs(predicted / measured - 1) <= 0.05 || std::abs(1 / predicted - 1 - gain) <= std::abs(gain) / 3;
      if (predicted > 0) ratios.push_back(predicted / measured);
    }
    if (!prints) return;
    std::printf("%s: %.4f ms, %.3f of plain, predicted %.3f%s%s%s\n  best %s: %.4f ms, regret %.1f %%\n", name.c_str(),
                pick->ms, measured, predicted, is_loss ? ", LOSS" : "", is_worse ? ", WORSE" : "",
                is_to_measure ? ", measure" : "", to_string(best.by).c_str(), best.ms, 100 * behind);
  }

  void print(const std::string& kind) {
    std::sort(ratios.begin(), ratios.end());
    const auto at = [&](double share) {
      return ratios.empty() ? NAN
                            : ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1) + 0.5)];
    };
    const double percent = 100.0 / std::max(1, rows - untimed);
    std::printf("%-22s%5d%8d%8.2f%7.1f%7.1f%7d%6d%6d%7.2f%7.2f%6.2f%6d%8d\n", kind.c_str(), rows, untimed,
                percent * regret, 100 * worst, percent * of_plain, losses, picks, near, at(0.1), at(0.5), at(0.9),
                worse, to_measure);
  }
};

void judge(const std::string& folder, bool prints_rows) {
  const rows_of_record rows(folder);
  std::map<std::string, tally> kinds;
  for (const row_of_record& row : rows.all) kinds[row.kind].add(row, prints_rows);
  std::printf(
      "\n%s, %s\n%-23srows untimed  regret  worst  plain losses picks  near    p10 median   p90 worse measure\n",
      rows.gpu.c_str(), folder.c_str(), "");
  for (auto& [kind, all] : kinds) all.print(kind);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "--help") return std::fputs(about, stdout), 0;
  std::vector<std::string> folders{HEDDLE_SOURCE_DIR "/bench/results/h200", HEDDLE_SOURCE_DIR "/bench/results/h100"};
  folders.insert(folders.end(), arguments + 1, arguments + count);
  const bool prints_rows = std::erase(folders, "--rows") > 0;
  if (std::any_of(folders.begin(), folders.end(), [](const std::string& each) { return each.starts_with("-"); })) {
    return std::fputs(about, stderr), 2;
  }
  for (const std::string& folder : folders) judge(folder, prints_rows);
  return 0;
}
