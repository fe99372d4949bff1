#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>

#include "page/chart.hpp"
#include "page/scale.hpp"
#include "page/style.hpp"

// Pages of pictures, charts and tables: those of the demo, and of the figures of benchmarks.

namespace heddle_bench {

using heddle::draw::detail::escaped;
using heddle::draw::detail::markup;
using heddle::draw::detail::rounded;
using words = std::vector<std::string>;

/// Text with what is between two backquotes as code. A single backquote is left as it is.
inline std::string prose(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = text.find('`', at), end = begin < text.size() ? text.find('`', begin + 1) : begin;
    if (end == std::string::npos) return result + escaped(text.substr(at));
    result +=
        escaped(text.substr(at, begin - at)) + "<code>" + escaped(text.substr(begin + 1, end - begin - 1)) + "</code>";
    at = end + 1;
  }
}

/// A link below the heading of a section. Nothing is fetched before a reader follows it.
struct page_link {
  std::string text;     // what the reader sees
  std::string address;  // a URL, or a path relative to the page
};

/// Values by name: as bars, as dots of one line for each name, or as many dots for each name with their mean.
struct rows_of_values {
  struct row {
    std::string name;
    std::vector<double> values;       // for each series; NaN is none
    std::vector<double> record = {};  // the figures of record, or the mean of values and that of the record
    std::string remark = "";          // small, beside the name
  };
  std::string heading = "";              // above; names the unit
  std::vector<std::string> series = {};  // a legend where there are two and more
  std::vector<row> rows = {};            // from the top down
  int decimals = -1;                     // of values beside bars; -1 are three or four digits
  double line = 0;                       // where a dashed line crosses; 0 is none
  int marked = -1;                       // the row that stands out; -1 is none
  std::string unit = "";
  std::string record = "";  // what the figures of record are called
};

/// Builds a page: one self-contained HTML file that fetches nothing, follows the reader's light or dark colour scheme,
/// and fits windows from 360 pixels of width. Text is escaped, and has code between backquotes.
///
///   title, subtitle
///   links to sections
///   section   pictures in as many columns as fit, charts and tables side by side where both fit
///   section   …
class page {
 public:
  /// Begins a page. The title is the browser's, too.
  explicit page(const std::string& title, const std::string& subtitle = "") : title_(title), subtitle_(subtitle) {}

  /// Begins a section. Its heading is also the text of a link at the top of the page. Narrow sections stand side by
  /// side where there is room.
  void section(const std::string& heading, const std::string& text, const std::vector<page_link>& links = {},
               bool is_narrow = false) {
    open("");
    end_narrow();
    if (is_narrow) body_.add("<section class=\"narrow\">\n");
    is_narrow_ = is_narrow;
    const std::string id = "section-" + std::to_string(++sections_);
    nav_.add("<a href=\"#", id, "\">", escaped(heading), "</a>\n");
    body_.add("<h2 id=\"", id, "\">", escaped(heading), "</h2>\n<p>", prose(text));
    if (!links.empty()) body_.add(" <span class=\"links\">");
    for (const auto& [name, address] : links) {
      body_.add("<a href=\"", escaped(address), "\">", escaped(name), "</a>\n");
    }
    body_.add(links.empty() ? "</p>\n" : "</span></p>\n");
  }

  /// Adds a paragraph that stands out.
  void note(const std::string& text) {
    open("");
    body_.add("<p class=\"note\">", prose(text), "</p>\n");
  }

  /// Adds a picture with its name, the code that makes it, and a sentence or two. `svg` goes in unchanged; an animated
  /// one halts under the pointer. A wide one has half of the window.
  void card(const std::string& name, const std::string& code, const std::string& text, const std::string& svg,
            bool is_wide = false) {
    open(is_wide ? "cards wide" : "cards");
    body_.add("<figure>", svg, "<figcaption><h3>", escaped(name), "</h3>");
    if (!code.empty()) body_.add("<code>", escaped(code), "</code>");
    if (!text.empty()) body_.add("<p>", prose(text), "</p>");
    body_.add("</figcaption></figure>\n");
  }

  /// Charts that follow stand in columns, whatever their heights, until something else follows.
  void in_columns() { open("columns"); }

  /// Adds bars from 0, the longest as wide as there is room. Values are at least 0; those of record are ticks.
  void bars(const rows_of_values& all) {
    double most = all.line;
    for (const auto& row : all.rows) {
      for (const double value : row.values) most = std::fmax(most, value);
      for (const double value : row.record) most = std::fmax(most, value);
    }
    const auto part = [&](double value) { return rounded(most > 0 ? 100 * value / most : 0, 1) + "%"; };
    begin_chart(all, "bar");
    body_.add("<div class=\"wide\">\n");
    const std::string line = all.line > 0 ? "<u class=\"at\" style=\"left:" + part(all.line) + "\"></u>" : "";
    for (const auto& row : all.rows) {
      begin_row(all, row);
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        const double value = row.values[i], record = i < row.record.size() ? row.record[i] : NAN;
        if (std::isnan(value)) continue;
        body_.add("<span class=\"track\"><i class=\"bar c", i % 6, "\" style=\"width:", part(value), "\"></i>", line);
        if (record >= 0) body_.add("<i class=\"tick ink\" style=\"left:", part(record), "\"></i>");
        body_.add("<b style=\"left:", part(std::fmax(value, record)), "\">",
                  all.decimals < 0 ? number_text(value) : rounded(value, all.decimals), "</b></span>");
      }
      body_.add("</span></div>\n");
    }
    body_.add("</div></figure>\n");
  }

  /// Adds a dot for each value, by the colour and the shape of its series. Those of record are ticks.
  void dots(const rows_of_values& all) { add_dots(all, false); }

  /// Adds for each row a dot for each of its values, green above 1 and orange below, and their mean and that of record,
  /// which are `record` of the row.
  void strips(const rows_of_values& all) { add_dots(all, true); }

  /// Adds a chart of lines. Those of record, which are twins of others, are dotted.
  void lines(const std::string& heading, const std::vector<series>& all, chart_options options,
             const std::string& record) {
    begin_chart({.heading = heading, .unit = options.y}, "");
    body_.add("<p class=\"key\">");
    std::size_t count = 0;  // of those that are no twins, which come first
    while (count < all.size() && all[count].twin < 0) ++count;
    for (std::size_t i = 0; i < count; ++i) {
      if (all[i].points.empty()) continue;
      body_.add("<span><i class=\"bar\" style=\"--c:", colour_of(i, count, false), "\"></i>", escaped(all[i].name),
                "</span>");
    }
    if (count < all.size()) body_.add("<span>dotted: ", escaped(record), "</span>");
    options.y = "";
    options.named = false;
    options.title = heading;
    body_.add("</p>\n", chart(all, options), "</figure>\n");
  }

  /// Adds a table beside the charts before it. The first column has names, the others figures. `marked` is a row that
  /// stands out; -1 is none. A table that is wider than a narrow window scrolls; its heading and its text do not.
  void table(const words& headers, const std::vector<words>& rows, int marked = -1, const std::string& heading = "",
             const std::string& text = "") {
    open("side");
    body_.add("<div class=\"table\">");
    if (!heading.empty()) body_.add("<h3>", escaped(heading), "</h3>\n");
    if (!text.empty()) body_.add("<p>", prose(text), "</p>\n");
    add_table(headers, rows, marked);
    body_.add("</div>\n");
  }

  /// Adds a table below what is before it; with a summary, one that a reader opens. What follows a line break in a cell
  /// is small, and from ▲ or ▼ on better or worse.
  void wide_table(const words& headers, const std::vector<words>& rows, const std::string& summary = "") {
    open("");
    if (!summary.empty()) body_.add("<details><summary>", escaped(summary), "</summary>");
    add_table(headers, rows, -1);
    if (!summary.empty()) body_.add("</details>\n");
  }

  /// Returns the file so far. More can be added afterwards.
  std::string str() const {
    markup html;
    html.add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
             "<meta name=\"color-scheme\" content=\"light dark\"><title>", escaped(title_), "</title>\n<style>\n",
             page_style, "</style></head><body>\n<header><h1>", escaped(title_), "</h1><p>", prose(subtitle_),
             "</p></header>\n");
    if (sections_ > 1) html.add("<nav>", nav_.str(), "</nav>\n");
    html.add("<main>\n", body_.str(), container_.empty() ? "" : "</div>\n", is_narrow_ ? "</section>\n" : "",
             "</main></body></html>\n");
    return html.str();
  }

 private:
  /// Neighbours of one kind share a container; "" is none.
  void open(const std::string& container) {
    if (container == container_) return;
    if (!container_.empty()) body_.add("</div>\n");
    if (!container.empty()) body_.add("<div class=\"", container, "\">\n");
    container_ = container;
  }

  void end_narrow() {
    if (is_narrow_) body_.add("</section>\n");
    is_narrow_ = false;
  }

  static std::string percent(const scale& across, double value) { return rounded(100 * across(value), 1) + "%"; }

  /// The axis of dots: logarithmic, a little wider than their values.
  static scale around(const rows_of_values& all) {
    double low = all.line > 0 ? all.line : HUGE_VAL, high = all.line;
    for (const auto& row : all.rows) {
      for (const auto* values : {&row.values, &row.record}) {
        for (const double value : *values) {
          if (value > 0) low = std::fmin(low, value), high = std::fmax(high, value);
        }
      }
    }
    if (low > high) low = high = 1;
    return {low / 1.05, high * 1.05};
  }

  void add_mark(const std::string& kind, const scale& across, double value) {
    if (value > 0) body_.add("<i class=\"", kind, "\" style=\"left:", percent(across, value), "\"></i>");
  }

  void add_dots(const rows_of_values& all, bool are_strips) {
    const scale across = around(all);
    begin_chart(all, are_strips ? "" : "dot m");
    body_.add(are_strips ? "<div class=\"wordy\">\n" : "<div>\n");
    std::string grid;
    for (const double tick : across.ticks(6)) grid += "<u style=\"left:" + percent(across, tick) + "\"></u>";
    const double line = are_strips ? 1 : all.line;
    if (line > 0) grid += "<u class=\"at\" style=\"left:" + percent(across, line) + "\"></u>";
    for (const auto& row : all.rows) {
      const bool are_many = are_strips && row.values.size() > 1;
      const auto kind = [&](std::size_t i) { return "m" + std::to_string(i % 6) + " c" + std::to_string(i % 6); };
      begin_row(all, row);
      body_.add("<span class=\"track\">", grid);
      for (std::size_t i = 0; i < row.record.size() && !are_strips; ++i)
        add_mark("tick " + kind(i), across, row.record[i]);
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        const double value = row.values[i];
        const char* const side = value > 1.01 ? "m0 c2" : value < 0.99 ? "m0 c1" : "m0 c4";
        add_mark((are_many ? "many dot " : "dot ") + (are_strips ? side : kind(i)), across, value);
      }
      if (are_strips && row.record.size() > 1) add_mark("tick c3", across, row.record[1]);
      if (are_many) add_mark("tick ink", across, row.record[0]);
      body_.add("</span></span></div>\n");
    }
    body_.add("<div class=\"row\"><span></span><span class=\"track axis\">");
    double last = -100;
    for (const double tick : across.ticks(6)) {  // names keep clear of each other, in the narrowest window too
      const std::string name = short_number(tick);
      if (100 * across(tick) - last < 4 + 2.2 * static_cast<double>(name.size())) continue;
      body_.add("<span style=\"left:", percent(across, tick), "\">", name, "</span>");
      last = 100 * across(tick);
    }
    body_.add("</span></div>\n</div></figure>\n");
  }

  /// Heading, unit and legend. `mark` is the class of the marks of the legend.
  void begin_chart(const rows_of_values& all, const std::string& mark) {
    if (container_ != "columns") open("side");
    body_.add("<figure class=\"chart\"><figcaption><h3>", escaped(all.heading), "</h3>");
    if (!all.unit.empty()) body_.add("<p>", prose(all.unit), "</p>");
    body_.add("</figcaption>\n");
    const bool has_record = !all.record.empty() && !mark.empty();
    if (all.series.size() < 2 && !has_record) return;
    body_.add("<p class=\"key\">");
    for (std::size_t i = 0; i < all.series.size() && all.series.size() > 1; ++i) {
      body_.add("<span><i class=\"", mark, mark == "bar" ? "" : std::to_string(i % 6), " c", i % 6, "\"></i>",
                escaped(all.series[i]), "</span>");
    }
    if (has_record) body_.add("<span><i class=\"tick ink\"></i>", escaped(all.record), "</span>");
    body_.add("</p>\n");
  }

  void begin_row(const rows_of_values& all, const rows_of_values::row& row) {
    const bool is_marked = all.marked >= 0 && &row == &all.rows[static_cast<std::size_t>(all.marked)];
    body_.add(is_marked ? "<div class=\"row marked\"><span>" : "<div class=\"row\"><span>", escaped(row.name));
    if (!row.remark.empty()) body_.add("<small>", escaped(row.remark), "</small>");
    body_.add("</span><span>");
  }

  void add_table(const words& headers, const std::vector<words>& rows, int marked) {
    const auto is_letter = [](char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); };
    const auto is_words = [&](const std::string& cell) {  // and not 1.67 GB
      const bool has_parts = cell.find(", ") != std::string::npos;
      return std::any_of(cell.begin(), has_parts || cell.empty() ? cell.end() : cell.begin() + 1, is_letter);
    };
    std::vector<const char*> kinds(headers.size(), "");  // a column of words is flush left
    for (std::size_t col = 1; col < headers.size(); ++col) {
      for (const words& row : rows) {
        if (col < row.size() && is_words(row[col])) kinds[col] = " class=\"words\"";
      }
    }
    body_.add("<div class=\"scroll\"><table><thead><tr>");
    for (std::size_t i = 0; i < headers.size(); ++i) {
      body_.add("<th scope=\"col\"", kinds[i], ">", escaped(headers[i]), "</th>");
    }
    body_.add("</tr></thead><tbody>\n");
    for (std::size_t row = 0; row < rows.size(); ++row) {
      body_.add(static_cast<long long>(row) == marked ? "<tr class=\"marked\" aria-current=\"true\">" : "<tr>");
      for (std::size_t col = 0; col < rows[row].size(); ++col) {
        const std::string& cell = rows[row][col];
        const std::size_t end = std::min(cell.find('\n'), cell.size());
        body_.add(col == 0 ? "<th scope=\"row\"" : "<td", kinds[col], ">", escaped(cell.substr(0, end)));
        if (end < cell.size()) {
          const std::string small = cell.substr(end + 1);
          const std::size_t sign = std::min({small.find("▲"), small.find("▼"), small.size()});
          body_.add("<small>", escaped(small.substr(0, sign)));
          if (sign < small.size()) {
            body_.add(small.compare(sign, 3, "▲") == 0 ? "<span class=\"better\">" : "<span class=\"worse\">",
                      escaped(small.substr(sign)), "</span>");
          }
          body_.add("</small>");
        }
        body_.add(col == 0 ? "</th>" : "</td>");
      }
      body_.add("</tr>\n");
    }
    body_.add("</tbody></table></div>\n");
  }

  std::string title_, subtitle_, container_;
  int sections_ = 0;
  bool is_narrow_ = false;
  markup nav_, body_;
};

}  // namespace heddle_bench
