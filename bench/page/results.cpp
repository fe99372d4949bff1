#include "page/results.hpp"

#include <algorithm>
#include <cmath>

#include "page/page.hpp"

namespace heddle_bench {
namespace {

namespace fs = std::filesystem;

template <class Words>
std::string joined(const Words& all, const char* between) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : between) + each;
  return text;
}

/// The folders or files of a folder, sorted.
std::vector<fs::path> in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> all;
  for (const auto& each : fs::directory_iterator(folder, error)) all.push_back(each.path());
  std::sort(all.begin(), all.end());
  return all;
}

/// The benchmark that a file is of: the longest name that the file's is or begins with.
const benchmark* benchmark_of(const std::string& file) {
  const benchmark* found = nullptr;
  for (const benchmark& each : benchmarks()) {
    const bool is_one = file == each.name || file.rfind(each.name + "_", 0) == 0;
    if (is_one && (found == nullptr || found->name.size() < each.name.size())) found = &each;
  }
  return found;
}

/// What figures were measured on: fields of their context.
constexpr const char* facts[] = {"gpu",    "multiprocessors", "l2_bytes", "clock_mhz", "memory_clock_mhz",
                                 "driver", "toolkit",         "commit",   "date"};

double mean_of(const std::vector<double>& ratios) {
  double logs = 0;
  for (const double each : ratios) logs += std::log(each);
  return ratios.empty() ? NAN : std::exp(logs / static_cast<double>(ratios.size()));
}

/// What is shown of a benchmark: the cells of a view, new and of record.
struct shown {
  const view& of;
  cells now, then;
};

std::vector<shown> all_of(const benchmark& each, const figures& now, const figures& then) {
  std::vector<shown> all;
  const auto old = then.rows.find(each.name);
  for (const view& of : each.views) {
    const cells found = cells_of(of, now.rows.at(each.name));
    if (!found.rows.empty()) all.push_back({of, found, old == then.rows.end() ? cells() : cells_of(of, old->second)});
  }
  return all;
}

/// How many times as fast each new figure is as that of record.
std::vector<double> over_record(const std::vector<shown>& all) {
  std::vector<double> ratios;
  for (const auto& [of, now, then] : all) {
    for (std::size_t i = 0; i < now.columns.size(); ++i) {
      const meaning means = now.kinds[i].means;
      for (const std::string& row : now.rows) {
        const double is = now.number(row, now.columns[i]), was = then.number(row, now.columns[i]);
        if (means > meaning::rate || !(is > 0) || !(was > 0)) continue;
        ratios.push_back(means == meaning::rate ? is / was : was / is);
      }
    }
  }
  return ratios;
}

/// A row of many dots with their mean and that of record, which is of as many cases or none.
rows_of_values::row strip(const std::string& name, std::vector<double> values, const std::vector<double>& record) {
  std::sort(values.begin(), values.end());
  const double mean = mean_of(values);
  std::string remark = rounded(mean, 2) + "×";
  if (values.size() > 1) {
    remark += " in the mean of " + std::to_string(values.size()) + ", " + rounded(values.front(), 2) + " to " +
              rounded(values.back(), 2);
  }
  constexpr std::size_t most = 200;  // dots enough for a picture, evenly by rank
  std::vector<double> some;
  for (std::size_t i = 0; i < std::min(most, values.size()); ++i) {
    some.push_back(values[values.size() <= most ? i : i * (values.size() - 1) / (most - 1)]);
  }
  rows_of_values::row row{name, some, {mean}, remark};
  if (record.size() == values.size()) row.record.push_back(mean_of(record));
  return row;
}

std::vector<double> column_of(const cells& of, const std::string& name) {
  std::vector<double> all;
  for (const std::string& row : of.rows) {
    if (const double value = of.number(row, name); value > 0) all.push_back(value);
  }
  return all;
}

/// The columns that have a cell; of a chart those that are drawn.
std::vector<std::size_t> columns_of(const cells& of, bool are_of_chart) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < of.columns.size(); ++i) {
    const bool is_there = std::any_of(of.rows.begin(), of.rows.end(), [&](const std::string& row) {
      return of.all.count({row, of.columns[i]}) != 0;
    });
    if (is_there && (of.kinds[i].drawn || !are_of_chart)) found.push_back(i);
  }
  return found;
}

/// Bars of one column, the shortest first.
rows_of_values bars_of(const shown& some, std::size_t column, const std::string& record) {
  const std::string& name = some.now.columns[column];
  rows_of_values bars{.heading = some.of.heading + ": " + name, .unit = some.of.unit};
  for (const std::string& row : some.now.rows) {
    const double value = some.now.number(row, name), was = some.then.number(row, name);
    if (!(value >= 0)) continue;
    bars.rows.push_back({row, {value}, {was}});
    if (was >= 0) bars.record = record;
  }
  std::stable_sort(bars.rows.begin(), bars.rows.end(),
                   [](const auto& one, const auto& other) { return one.values[0] < other.values[0]; });
  return bars;
}

/// heddle beside the best baseline: a strip for each column of gains. What has none shows what its parts cost.
void add_overview(page& to, const benchmark& each, const std::vector<shown>& all, const std::string& record) {
  rows_of_values strips{.heading = each.title, .unit = "times as fast as " + each.baselines + "; more is better"};
  for (const auto& [of, now, then] : all) {
    for (std::size_t i = 0; i < now.columns.size(); ++i) {
      const std::vector<double> ratios = column_of(now, now.columns[i]);
      if (now.kinds[i].means != meaning::gain || ratios.empty()) continue;
      strips.rows.push_back(strip(now.columns[i], ratios, column_of(then, now.columns[i])));
    }
  }
  if (!strips.rows.empty()) return to.strips(strips);
  const std::vector<std::size_t> drawn = columns_of(all[0].now, true);
  if (all[0].of.as == draw_as::bars && !drawn.empty()) to.bars(bars_of(all[0], drawn[0], record));
}

void add_chart(page& to, const shown& some, const std::string& record) {
  const auto& [of, now, then] = some;
  if (of.as == draw_as::bars) {
    for (const std::size_t i : columns_of(now, true)) to.bars(bars_of(some, i, record));
  } else if (of.as == draw_as::dots) {
    rows_of_values dots{.heading = of.heading, .line = of.line, .unit = of.unit};
    for (const std::size_t i : columns_of(now, true)) dots.series.push_back(now.columns[i]);
    for (const std::string& row : now.rows) {
      rows_of_values::row next{row, {}};
      for (const std::string& name : dots.series) {
        next.values.push_back(now.number(row, name));
        next.record.push_back(then.number(row, name));
        if (next.record.back() > 0) dots.record = record;
      }
      if (std::any_of(next.values.begin(), next.values.end(), [](double value) { return value > 0; })) {
        dots.rows.push_back(next);
      }
    }
    if (!dots.rows.empty()) to.dots(dots);
  } else if (of.as != draw_as::nothing) {
    std::vector<series> lines = lines_of(of, now);
    const std::vector<series> of_record = lines_of(of, then);
    for (std::size_t i = 0, count = lines.size(); i < count && of.as == draw_as::lines; ++i) {
      for (series line : of_record) {
        if (line.name != lines[i].name || line.points.empty()) continue;
        line.twin = static_cast<int>(i);
        lines.push_back(line);
      }
    }
    to.lines(of.heading, lines, {.x = of.x_name, .y = of.unit, .line = of.line, .width = 430}, record);
  }
}

/// A figure, and below it that of record and how many times as fast this one is.
std::string cell_of(const cells::cell& now, const cells::cell& then, meaning means) {
  const bool is_whole = means == meaning::plain && !now.words.empty() && now.words.find('.') == std::string::npos;
  if (!std::isfinite(now.number) || is_whole) return now.words;
  const std::string text = number_text(now.number) + (means == meaning::gain ? "×" : "");
  if (means > meaning::rate || !(then.number > 0)) return text;
  const double ratio = means == meaning::rate ? now.number / then.number : then.number / now.number;
  const char* const sign = ratio >= 1.05 ? "▲ " : ratio <= 1 / 1.05 ? "▼ " : "";
  return text + "\n" + number_text(then.number) + ", " + sign + rounded(ratio, 2) + "×";
}

void add_table(page& to, const shown& some) {
  const auto& [of, now, then] = some;
  constexpr std::size_t few = 18;
  const bool is_long = now.rows.size() > few;
  words headers{is_long ? "" : of.heading};
  const std::vector<std::size_t> there = columns_of(now, false);
  for (const std::size_t i : there) headers.push_back(now.columns[i]);
  std::vector<words> rows;
  for (const std::string& row : now.rows) {
    rows.push_back({row});
    for (const std::size_t i : there) {
      rows.back().push_back(cell_of(now.at(row, now.columns[i]), then.at(row, now.columns[i]), now.kinds[i].means));
    }
  }
  to.wide_table(headers, rows, is_long ? of.heading + " (" + std::to_string(rows.size()) + " rows)" : "");
}

}  // namespace

figures::figures(const fs::path& folder) {
  if (!fs::is_directory(folder)) errors.push_back(folder.string() + " is no folder");
  for (const fs::path& path : in(folder)) {
    if (path.extension() != ".json") continue;
    const std::string file = path.filename().string();
    const benchmark* const of = benchmark_of(path.stem().string());
    if (of == nullptr) {
      errors.push_back(file + ": no benchmark has this name");
      continue;
    }
    const file_of_figures read(path);
    const bool is_shown = std::any_of(of->views.begin(), of->views.end(),
                                      [&](const view& each) { return !cells_of(each, read.rows).rows.empty(); });
    if (!is_shown) {
      errors.push_back(file + ": " + (read.error.empty() ? "it has no figures of " + of->name : read.error));
      continue;
    }
    std::vector<fields>& all = rows[of->name];
    all.insert(all.end(), read.rows.begin(), read.rows.end());
    files[of->name] += (files[of->name].empty() ? "" : ", ") + file;
    for (const char* fact : facts) {
      std::string value = read.context.word(fact);
      if (value.find('T') == 10) value.resize(10);  // the day of a date
      if (!value.empty()) context[fact].insert(value);
    }
  }
  if (context["gpu"].empty()) context["gpu"] = {"an unknown GPU"};
}

figures record_for(const figures& now, const fs::path& records) {
  std::vector<figures> all;
  for (const fs::path& folder : in(records)) {
    if (fs::is_directory(folder)) all.emplace_back(folder);
  }
  const figures* most = nullptr;
  for (const figures& each : all) {
    if (!each.rows.empty() && each.context.at("gpu") == now.context.at("gpu")) return each;
    if (most == nullptr || each.rows.size() > most->rows.size()) most = &each;
  }
  if (most == nullptr || most->rows.empty()) return figures(records);
  figures other = *most;
  other.name = "of " + joined(other.context.at("gpu"), " and ");
  return other;
}

std::string results_page(const figures& now, const figures& then) {
  page made("heddle: results");
  std::vector<words> rows;
  for (const char* fact : facts) {
    if (now.context.count(fact) + then.context.count(fact) == 0) continue;
    rows.push_back({fact});
    for (const figures* of : {&now, &then}) {
      const auto found = of->context.find(fact);
      rows.back().push_back(found == of->context.end() ? "" : joined(found->second, " / "));
    }
  }
  made.wide_table({"", "this run", then.name}, rows);
  for (const std::string& error : now.errors) made.note("Left out: " + error);
  for (const std::string& error : then.errors) made.note("Left out of what is committed: " + error);
  if (!then.rows.empty() && then.name != "committed") {
    made.note("There are no figures of record of " + joined(now.context.at("gpu"), " and ") +
              ". All figures of record here are " + then.name +
              ", another GPU: ratios to them compare GPUs, not versions.");
  }
  if (now.context.at("gpu").size() > 1) made.note("The figures of this run are of more than one GPU.");
  words missing, none_of_record;
  std::vector<std::pair<const benchmark*, std::vector<shown>>> there;
  for (const benchmark& each : benchmarks()) {
    if (now.rows.count(each.name) == 0) missing.push_back(each.name);
    if (then.rows.count(each.name) == 0) none_of_record.push_back(each.name);
    if (now.rows.count(each.name) != 0) there.emplace_back(&each, all_of(each, now, then));
  }
  if (!missing.empty()) made.note("No figures of " + joined(missing, ", ") + " in this run.");
  if (!none_of_record.empty()) made.note("No committed figures of " + joined(none_of_record, ", ") + ".");

  made.section(
      "heddle over the best baseline",
      "A dot is a case: green if heddle is more than 1 % faster, orange if it is more than 1 % slower, grey between. "
      "The tick in the colour of the text is the geometric mean of several cases, the violet one that of the "
      "figures of record.");
  made.in_columns();
  for (const auto& [each, all] : there) add_overview(made, *each, all, then.name);

  made.section("This run over the figures of record",
               "In the tables, the small figures below each figure are the one " + then.name +
                   " and how many times as fast this run is. ▲ and ▼ mark more than 5 %.");
  rows_of_values strips{.heading = "This run over the figures of record",
                        .unit = "times as fast as the figures " + then.name + ", more is better; tick: geometric mean"};
  for (const auto& [each, all] : there) {
    if (const auto ratios = over_record(all); !ratios.empty()) strips.rows.push_back(strip(each->title, ratios, {}));
  }
  strips.rows.empty() ? made.note("No figure is in both.") : made.strips(strips);

  for (const auto& [each, all] : there) {
    const auto record = then.files.find(each->name);
    made.section(each->title, each->text + " Figures: " + now.files.at(each->name) +
                                  "; of record: " + (record == then.files.end() ? "missing" : record->second) + ".");
    for (const shown& some : all) add_chart(made, some, then.name);
    for (const shown& some : all) {
      if (some.of.tabled) add_table(made, some);
    }
  }
  return made.str();
}

}  // namespace heddle_bench
