#pragma once

#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>

namespace heddle::inline HEDDLE_ABI::draw {

/// A page of pictures and tables: one self-contained HTML file, light or dark as the reader has it.
///
///   page gallery("heddle");
///   gallery.section("Orders", "…");
///   gallery.card("hilbert", "hilbert{grid}", "…", svg(hilbert{grid}));
///   std::ofstream("index.html") << gallery.str();
class page {
 public:
  explicit page(const std::string& title, const std::string& subtitle = "") : title_(title) {
    body_.add("<header><h1>", detail::escaped(title), "</h1><p>", detail::escaped(subtitle), "</p></header>\n");
  }

  void section(const std::string& heading, const std::string& text) {
    close_cards();
    body_.add("<h2>", detail::escaped(heading), "</h2>\n<p>", detail::escaped(text), "</p>\n");
  }

  /// The first column holds names, the others figures. `marked` is a row to stand out; -1 for none.
  void table(const std::vector<std::string>& headers, const std::vector<std::vector<std::string>>& rows,
             int marked = -1) {
    detail::require_at_least(-1, "heddle::draw::page: marked row", marked);
    detail::require_at_most(static_cast<long long>(rows.size()) - 1, "heddle::draw::page: marked row", marked);
    close_cards();
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
    body_.add("</tbody></table></div>\n");
  }

  /// A picture with its name, the code that makes it, and a sentence or two. `svg` goes in as it is; an
  /// animated one halts under the pointer.
  void card(const std::string& name, const std::string& code, const std::string& text, const std::string& svg) {
    if (!in_cards_) body_.add("<div class=\"cards\">\n");
    in_cards_ = true;
    body_.add("<figure>", svg, "<figcaption><h3>", detail::escaped(name), "</h3>");
    if (!code.empty()) body_.add("<code>", detail::escaped(code), "</code>");
    if (!text.empty()) body_.add("<p>", detail::escaped(text), "</p>");
    body_.add("</figcaption></figure>\n");
  }

  std::string str() const {
    detail::markup html;
    html.add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
             "<meta name=\"color-scheme\" content=\"light dark\"><title>", detail::escaped(title_),
             "</title>\n<style>\n", style, "</style></head><body><main>\n", body_.str(), in_cards_ ? "</div>\n" : "",
             "</main></body></html>\n");
    return html.str();
  }

 private:
  static constexpr const char* style = R"(:root{color-scheme:light dark;
--ink:#1c2128;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--paper:#fff;--mark:#fff3d6;--edge:#d9a02b}
@media(prefers-color-scheme:dark){:root{
--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#12171e;--paper:#0d1117;--mark:#2e2717}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:1180px;margin:0 auto;padding:2.6rem 1.5rem 4rem}
h1{font-size:2.6rem;line-height:1.1;margin:0;letter-spacing:-.03em}
header p{margin:.5rem 0 1.4rem;color:var(--soft)}
header::before,header::after{content:"";display:block;height:5px;background:
repeating-linear-gradient(90deg,#0000 0 14px,var(--paper) 14px 20px),linear-gradient(90deg,#8181d6,#2ea9e1,#00c9b9,#93d475,#faca4b)}
header::before{margin-bottom:2rem}
header::after{background-position:-10px 0,0 0}
h2{margin:3rem 0 .4rem;font-size:1.4rem;line-height:1.3;letter-spacing:-.01em}
h2+p{color:var(--soft);margin:0 0 1.1rem;max-width:72ch}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;min-width:40rem}
th,td{padding:.36rem 1rem;text-align:right;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
thead th{color:var(--soft);font-size:.86rem;border-bottom-width:2px}
th:first-child{text-align:left}
.marked>*{background:var(--mark);font-weight:600}
.marked>:first-child{box-shadow:inset 4px 0 var(--edge)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,310px),1fr));gap:1.3rem;margin-top:1.1rem}
figure{margin:0;padding:1.1rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
figure svg{display:block;width:100%;height:auto;max-height:24rem}
figure:hover svg *{animation-play-state:paused}
h3{margin:.9rem 0 .2rem;font-size:1.05rem}
figcaption p{margin:.45rem 0 0;color:var(--soft);font-size:.92rem}
code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
)";

  void close_cards() {
    if (in_cards_) body_.add("</div>\n");
    in_cards_ = false;
  }

  std::string title_;
  detail::markup body_;
  bool in_cards_ = false;
};

}  // namespace heddle::inline HEDDLE_ABI::draw
