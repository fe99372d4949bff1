#pragma once

#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>

namespace heddle::inline v0::draw {

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
  void table(const std::vector<std::string>& headers, const std::vector<std::vector<std::string>>& rows, int marked) {
    close_cards();
    body_.add("<div class=\"scroll\"><table><thead><tr>");
    for (const std::string& header : headers) body_.add("<th scope=\"col\">", detail::escaped(header), "</th>");
    body_.add("</tr></thead><tbody>\n");
    for (unsigned row = 0; row < rows.size(); ++row) {
      body_.add(static_cast<int>(row) == marked ? "<tr class=\"marked\">" : "<tr>");
      for (const std::string& cell : rows[row]) body_.add("<td>", detail::escaped(cell), "</td>");
      body_.add("</tr>\n");
    }
    body_.add("</tbody></table></div>\n");
  }

  /// A picture with its name, the code that makes it, and a sentence. `svg` goes in as it is.
  void card(const std::string& name, const std::string& code, const std::string& text, const std::string& svg) {
    if (!in_cards_) body_.add("<div class=\"cards\">\n");
    in_cards_ = true;
    body_.add("<figure>", svg, "<figcaption><h3>", detail::escaped(name), "</h3><code>", detail::escaped(code),
              "</code><p>", detail::escaped(text), "</p></figcaption></figure>\n");
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
  static constexpr const char* style =
      ":root{color-scheme:light dark;--ink:#1c2128;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--paper:#fff;--mark:#fff3d6}\n"
      "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#161b22;--paper:#0d1117;"
      "--mark:#3a2f12}}\n"
      "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}\n"
      "main{max-width:1180px;margin:0 auto;padding:2.5rem 1.5rem 4rem}\n"
      "header{border-bottom:1px solid var(--line);margin-bottom:2rem}\n"
      "h1{font-size:2.4rem;margin:0;letter-spacing:-.02em}header p{margin:.2rem 0 1.2rem;color:var(--soft)}\n"
      "h2{margin:2.6rem 0 .3rem;font-size:1.4rem}h2+p{color:var(--soft);margin-top:0;max-width:70ch}\n"
      ".scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;min-width:34rem}\n"
      "th,td{padding:.34rem .9rem;text-align:right;border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:600}\n"
      "th:first-child,td:first-child{text-align:left;padding-left:.6rem}tr.marked td{background:var(--mark);font-weight:600}\n"
      ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(310px,1fr));gap:1.3rem;margin-top:1rem}\n"
      "figure{margin:0;padding:1.1rem;background:var(--card);border:1px solid var(--line);border-radius:12px}\n"
      "figure svg{display:block;width:100%;height:auto}h3{margin:.9rem 0 .2rem;font-size:1.05rem}\n"
      "figcaption p{margin:.4rem 0 0;color:var(--soft);font-size:.92rem}code{font:13px ui-monospace,Menlo,Consolas,monospace}\n";

  void close_cards() {
    if (in_cards_) body_.add("</div>\n");
    in_cards_ = false;
  }

  std::string title_;
  detail::markup body_;
  bool in_cards_ = false;
};

}  // namespace heddle::inline v0::draw
