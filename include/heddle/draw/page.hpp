#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/page_style.hpp>
#include <heddle/draw/detail/page_text.hpp>

namespace heddle::inline HEDDLE_ABI::draw {

/// A link below the heading of a section of a `page`. Nothing is fetched before a reader follows it.
struct page_link {
  std::string text;     // what the reader sees
  std::string address;  // a URL, or a path relative to the page
};

/// Bars of a `page`, in rows that have one bar for each series.
///
///   {.heading = "DRAM read, GB", .rows = {{"row_major", {4.36}}, {"cta_swizzle", {1.67}}}, .marked = 1}
///
/// They are HTML, not SVG: the text keeps its size in a narrow window.
struct page_bars {
  /// A name, and a value for each series.
  struct row {
    std::string name;            // beside the bars, or above them in a narrow window
    std::vector<double> values;  // finite, and at least 0
  };
  std::string heading = "";              // above the bars; names the unit
  std::vector<std::string> series = {};  // names of the bars of a row: a legend where there are two to four
  std::vector<row> rows = {};            // from the top down
  int decimals = 2;                      // of the values beside the bars: 0 to 9
  double line = 0;                       // where a dashed line crosses the bars; 0 is none
  int marked = -1;                       // the row that stands out; -1 is none
};

/// Builds a page of pictures, bars and tables: one self-contained HTML file that fetches nothing, follows the reader's
/// light or dark colour scheme, and fits windows from 360 pixels of width.
///
///   title, subtitle
///   links to sections
///   section   pictures in as many columns as fit, bars and tables side by side where both fit
///   section   …
///
/// Text is escaped; what is between two backquotes in it becomes code.
///
/// **Effects**: parts appear in the order of the calls.
///
/// **Example** (tests/draw/page.cpp):
///
///     draw::page page("one & two", "a <subtitle>");
///     page.section("tables", "first");
///     page.table({"name", "figure"}, {{"a", "1"}, {"<b>", "2"}}, 1);
///     page.card("hilbert", "hilbert{grid}", "a curve", draw::svg(hilbert{{3, 4}}, {.title = "hilbert"}));
class page {
 public:
  /// Begins a page. The title is the browser's, too.
  explicit page(const std::string& title, const std::string& subtitle = "") : title_(title), subtitle_(subtitle) {}

  /// Begins a section. Its heading is also the text of a link at the top of the page.
  void section(const std::string& heading, const std::string& text, const std::vector<page_link>& links = {}) {
    open("");
    std::string id = detail::name_of_anchor(heading);
    while (std::find(ids_.begin(), ids_.end(), id) != ids_.end()) id += "-again";
    ids_.push_back(id);
    nav_.add("<a href=\"#", id, "\">", detail::escaped(heading), "</a>\n");
    body_.add("<h2 id=\"", id, "\">", detail::escaped(heading), "</h2>\n<p>", detail::prose(text), "</p>\n");
    if (links.empty()) return;
    body_.add("<p class=\"links\">");
    for (const page_link& each : links) {
      body_.add("<a href=\"", detail::escaped(each.address), "\">", detail::escaped(each.text), "</a>\n");
    }
    body_.add("</p>\n");
  }

  /// Adds a paragraph that stands out.
  void note(const std::string& text) {
    open("");
    body_.add("<p class=\"note\">", detail::prose(text), "</p>\n");
  }

  /// Adds a picture with its name, the code that makes it, and a sentence or two. `svg` goes in unchanged; an animated
  /// one halts under the pointer.
  void card(const std::string& name, const std::string& code, const std::string& text, const std::string& svg) {
    open("cards");
    body_.add("<figure>", svg, "<figcaption><h3>", detail::escaped(name), "</h3>");
    if (!code.empty()) body_.add("<code>", detail::escaped(code), "</code>");
    if (!text.empty()) body_.add("<p>", detail::prose(text), "</p>");
    body_.add("</figcaption></figure>\n");
  }

  /// Adds bars, the longest as wide as there is room.
  void bars(const page_bars& all) {
    const long long rows = static_cast<long long>(all.rows.size());
    detail::require_marked(all.marked, rows);
    detail::require_at_least(0, "heddle::draw::page: decimals", all.decimals);
    detail::require_at_most(9, "heddle::draw::page: decimals", all.decimals);
    double most = detail::require_finite("heddle::draw::page: isfinite(line)", all.line);
    for (const page_bars::row& row : all.rows) {
      for (const double value : row.values) {
        detail::require_finite("heddle::draw::page: isfinite(value)", value);
        detail::require_equal(1, "heddle::draw::page: (value >= 0)", value >= 0);
        most = (std::max)(most, value);
      }
    }
    open("side");
    body_.add("<figure class=\"bars\"><figcaption><h3>", detail::escaped(all.heading), "</h3>");
    if (all.series.size() > 1) {
      body_.add("<p class=\"key\">");
      for (std::size_t i = 0; i < all.series.size(); ++i) {
        body_.add("<span><i class=\"s", i % 4, "\"></i>", detail::escaped(all.series[i]), "</span>");
      }
      body_.add("</p>");
    }
    body_.add("</figcaption>\n");
    for (long long i = 0; i < rows; ++i) {
      const page_bars::row& row = all.rows[static_cast<std::size_t>(i)];
      body_.add(i == all.marked ? "<div class=\"row marked\"><span>" : "<div class=\"row\"><span>",
                detail::escaped(row.name), "</span><span>");
      for (std::size_t series = 0; series < row.values.size(); ++series) {
        body_.add("<span class=\"track\"><i class=\"s", series % 4,
                  "\" style=\"width:", detail::percent_of(row.values[series], most), "%\"></i>");
        if (all.line > 0) {
          body_.add("<u style=\"left:calc((100% - 4.6rem)*", detail::percent_of(all.line, most), "/100)\"></u>");
        }
        body_.add("<b>", detail::rounded(row.values[series], all.decimals), "</b></span>");
      }
      body_.add("</span></div>\n");
    }
    body_.add("</figure>\n");
  }

  /// Adds a table. The first column has names, the others figures. `marked` is a row that stands out; -1 is none. A
  /// table that is wider than a narrow window scrolls; its heading and its text do not.
  void table(const std::vector<std::string>& headers, const std::vector<std::vector<std::string>>& rows,
             int marked = -1, const std::string& heading = "", const std::string& text = "") {
    detail::require_marked(marked, static_cast<long long>(rows.size()));
    open("side");
    body_.add("<div class=\"table\">");
    if (!heading.empty()) body_.add("<h3>", detail::escaped(heading), "</h3>\n");
    if (!text.empty()) body_.add("<p>", detail::prose(text), "</p>\n");
    body_.add("<div class=\"scroll\"><table><thead><tr>");
    for (const std::string& header : headers) body_.add("<th scope=\"col\">", detail::escaped(header), "</th>");
    body_.add("</tr></thead><tbody>\n");
    for (std::size_t row = 0; row < rows.size(); ++row) {
      body_.add(static_cast<long long>(row) == marked ? "<tr class=\"marked\" aria-current=\"true\">" : "<tr>");
      for (std::size_t col = 0; col < rows[row].size(); ++col) {
        body_.add(col == 0 ? "<th scope=\"row\">" : "<td>", detail::escaped(rows[row][col]),
                  col == 0 ? "</th>" : "</td>");
      }
      body_.add("</tr>\n");
    }
    body_.add("</tbody></table></div></div>\n");
  }

  /// Returns the file so far. More can be added afterwards.
  std::string str() const {
    detail::markup html;
    html.add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
             "<meta name=\"color-scheme\" content=\"light dark\"><title>", detail::escaped(title_),
             "</title>\n<style>\n", detail::page_style, "</style></head><body>\n<header><h1>", detail::escaped(title_),
             "</h1><p>", detail::prose(subtitle_), "</p></header>\n");
    if (ids_.size() > 1) html.add("<nav>", nav_.str(), "</nav>\n");
    html.add("<main>\n", body_.str(), container_.empty() ? "" : "</div>\n", "</main></body></html>\n");
    return html.str();
  }

 private:
  /// Neighbours of one kind share a container: "cards" of pictures, or bars and tables side by side; "" is none.
  void open(const std::string& container) {
    if (container == container_) return;
    if (!container_.empty()) body_.add("</div>\n");
    if (!container.empty()) body_.add("<div class=\"", container, "\">\n");
    container_ = container;
  }

  std::string title_, subtitle_, container_;
  std::vector<std::string> ids_;  // of sections
  detail::markup nav_, body_;
};

}  // namespace heddle::inline HEDDLE_ABI::draw
