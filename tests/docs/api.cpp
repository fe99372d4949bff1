// docs/api.md is made from the headers: every public name, with its signature and the first sentence of its comment.
//
//   ctest -R "page of all names"     writes build/…/api.md if docs/api.md differs from it: copy it there

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "docs/lines.hpp"

using namespace heddle_test;

namespace {

bool begins(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::size_t indent(const std::string& line) {
  return line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' ');
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// A declaration: its comment, its text with the body, and what stands behind it in its last line.
struct declaration {
  lines comment, text;
  std::string trailing;
  bool is_detail = false;
};

/// The code of a line, and the comment behind it.
std::pair<std::string, std::string> parted(const std::string& line) {
  bool in_text = false;
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    if (line[at] == '"' && (at == 0 || line[at - 1] != '\\')) in_text = !in_text;
    if (in_text || line[at] != '/' || line[at + 1] != '/') continue;
    const std::string code = line.substr(0, at);
    return {trimmed(code).empty() ? "" : code.substr(0, code.find_last_not_of(' ') + 1), trimmed(line.substr(at + 2))};
  }
  return {line, ""};
}

/// The declarations at an indentation, in lines that clang-format has formatted. A comma ends an enumerator, and
/// nothing else: the list of a type's bases may go on after it.
std::vector<declaration> declarations(const lines& text, std::size_t level, bool of_enum = false) {
  std::vector<declaration> all;
  lines comment;
  int detail = 0;
  bool is_public = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string& line = text[i];
    const std::string bare = trimmed(line);
    if (begins(bare, "///")) {
      if (indent(line) == level) comment.push_back(bare.size() > 4 ? bare.substr(4) : "");
      continue;
    }
    if (level == 0 && begins(bare, "#define HEDDLE_") && !comment.empty()) {
      all.push_back({comment, {bare}, "", detail > 0});
      comment.clear();
    }
    if (bare.empty()) comment.clear();
    if (bare.empty() || bare[0] == '#' || begins(bare, "//")) continue;
    if (level > 0 && indent(line) == level - 1 && bare.back() == ':') {
      is_public = bare == "public:";
      continue;
    }
    if (begins(bare, "namespace ") && bare.back() == '{') {
      detail += detail > 0 || has(bare, "detail") ? 1 : 0;
      continue;
    }
    if (bare[0] == '}') {
      detail -= detail > 0 ? 1 : 0;
      continue;
    }
    declaration found{comment, {}, "", detail > 0 || !is_public};
    comment.clear();
    int depth = 0, parens = 0;
    for (bool is_over = false; !is_over && i < text.size(); ++i) {
      const auto [code, behind] = parted(text[i]);
      if (begins(trimmed(text[i]), "#")) continue;
      for (const char letter : code) depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
      for (const char letter : code) parens += letter == '(' ? 1 : letter == ')' ? -1 : 0;
      const bool ends_enumerator =
          of_enum && !code.empty() && (code.back() == ',' || (i + 1 < text.size() && trimmed(text[i + 1]) == "};"));
      is_over =
          depth == 0 && parens == 0 && !code.empty() && (code.back() == ';' || code.back() == '}' || ends_enumerator);
      found.text.push_back(text[i]);
      if (is_over) found.trailing = behind;
    }
    --i;
    all.push_back(found);
  }
  return all;
}

/// A declaration without its body, in one line.
std::string head_of(const declaration& what) {
  std::string all;
  for (const std::string& line : what.text) {
    const std::string code = trimmed(parted(line).first);
    if (!code.empty() && code[0] != '#') all += (all.empty() ? "" : " ") + code;
  }
  int parens = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char letter = all[i];
    parens += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (parens > 0) continue;
    if (letter == '{' || letter == ';' || (letter == ':' && all[i + 1] == ' ' && all[i - 1] != ':')) {
      all = trimmed(all.substr(0, i));
      return all.size() > 2 && all.substr(all.size() - 2) == " =" ? trimmed(all.substr(0, all.size() - 2)) : all;
    }
  }
  return trimmed(all.back() == ',' ? all.substr(0, all.size() - 1) : all);
}

/// The first sentence of a comment.
std::string sentence(const lines& comment) {
  std::string all;
  for (const std::string& line : comment) {
    if (line.empty() || begins(line, "  ") || begins(line, "**")) break;
    all += (all.empty() ? "" : " ") + line;
  }
  bool in_code = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == '`') in_code = !in_code;
    if (!in_code && all[i] == '.' && (i + 1 == all.size() || all[i + 1] == ' ')) return all.substr(0, i);
  }
  if (!all.empty() && all.back() == ':') all.pop_back();
  return all;
}

const lines annotations{"alignas(8) ", "alignas(16) ", "HEDDLE_FN ", "HEDDLE_HOST ",  "HEDDLE_DEVICE ",
                        "constexpr ",  "inline ",      "explicit ",  "[[nodiscard]] "};

/// A signature as a reader writes a call to it. What has no public name is `auto`.
std::string signature(std::string head, const std::string& type = "") {
  for (const std::string& word : annotations) head = replaced(head, word, "");
  head = replaced(head, "decltype(sizeof 0)", "size_t");
  std::size_t begin = 0;
  if (begins(head, "template <")) {
    int angles = 0;
    do {
      angles += head[begin] == '<' ? 1 : head[begin] == '>' ? -1 : 0;
    } while (head[begin++] != '>' || angles > 0);
    ++begin;
  }
  std::string parameters = replaced(head.substr(0, begin), "detail::", ""), rest = head.substr(begin);
  if (begins(rest, "using ")) {
    const std::size_t last = rest.rfind("::");
    if (has(rest, " =") || last == std::string::npos) return parameters + rest.substr(0, rest.find(" ="));
    const std::string name = rest.substr(last + 2);  // of a base
    const bool is_constructor = has(rest, name + "<") || has(rest, name + "::" + name);
    return is_constructor ? type + "(…)" : name;
  }
  const std::size_t hidden = rest.find("detail::"), call = rest.find('(');
  if (call != std::string::npos && hidden < call) {
    std::size_t name = call;
    while (name > 0 && is_of_name(rest[name - 1])) --name;
    if (name > 0) rest = (begins(rest, "static ") ? "static auto " : "auto ") + rest.substr(name);
  }
  return parameters + replaced(rest, "detail::", "");
}

std::string where(const std::string& head) {
  if (!has(head, "(") || has(head, "HEDDLE_FN ") || has(head, "concept ") || begins(head, "using ")) return "";
  return has(head, "HEDDLE_DEVICE ") ? "device" : "host";
}

/// What a declaration declares: the kind, and the name.
struct named {
  std::string kind, name;
};
named name_of(std::string head) {
  for (const std::string word : {"[[nodiscard]] ", "alignas(8) ", "alignas(16) "}) head = replaced(head, word, "");
  if (begins(head, "enum class ")) return {"enum", head.substr(11, head.find(' ', 11) - 11)};
  for (const std::string kind : {"class", "struct", "concept"}) {
    std::istringstream words(head);
    std::string word, last;
    int angles = 0;
    while (words >> word) {
      if (angles == 0 && last == kind && word != "class") {
        std::size_t length = 0;
        while (length < word.size() && is_of_name(word[length])) ++length;
        return {kind, length < word.size() && word[length] == '<' ? "" : word.substr(0, length)};
      }
      for (const char letter : word) angles += letter == '<' ? 1 : letter == '>' ? -1 : 0;
      if (angles == 0 && (word == kind || (last == kind && word != "class"))) last = kind;
      if (angles == 0 && word == "requires") return {"", ""};
    }
  }
  const std::size_t call = head.find('('), op = head.find("operator");
  if (op != std::string::npos) {
    return {"operator", head.substr(op, head.find('(', op + 10) - op)};
  }
  std::size_t end = call != std::string::npos               ? call
                    : head.find(" = ") != std::string::npos ? head.find(" = ")
                                                            : head.size();
  if (begins(head, "using ")) return {"using", head.substr(6, head.find(' ', 6) - 6)};
  if (call == std::string::npos && head.find('[') < end) end = head.find('[');
  std::size_t begin = end;
  while (begin > 0 && is_of_name(head[begin - 1])) --begin;
  return {call == std::string::npos ? "value" : "function", head.substr(begin, end - begin)};
}

bool is_listed(const declaration& what, const std::string& head) {
  for (const std::string word :
       {"static_assert", "friend ", "= delete", "~", "= default", "->", "private:", "extern "}) {
    if (has(head, word)) return false;
  }
  return !what.is_detail && !head.empty();
}

std::string row(const std::string& text, const std::string& runs, const std::string& line) {
  return "| `" + replaced(text, "|", "\\|") + "` | " + runs + " | " + replaced(line, "|", "\\|") + " |\n";
}

/// The members that a type's comment offers, of a base that is private: one per line, or in a sentence.
std::string offers_of(const lines& comment) {
  std::string text, rows;
  for (std::size_t i = 0; i < comment.size(); ++i) {
    if (!begins(comment[i], "**Offers**")) continue;
    for (; i < comment.size() && !comment[i].empty(); ++i) {
      const std::size_t gap = comment[i].find("  ", 2);
      if (begins(comment[i], "  ") && gap != std::string::npos) {
        rows += row(trimmed(comment[i].substr(0, gap)), "", trimmed(comment[i].substr(gap)));
      } else {
        text += (text.empty() ? "" : " ") + trimmed(comment[i]);
      }
    }
  }
  return rows.empty() ? (text.empty() ? "" : "\n" + text + "\n") : "\n| Offers | runs on | |\n|---|---|---|\n" + rows;
}

/// What the page says of a header, and what has no comment there.
struct section {
  std::string text;
  lines without_comment;
};

std::string table(const std::string& rows) {
  return rows.empty() ? "" : "\n| | runs on | |\n|---|---|---|\n" + rows;
}

section members_of(const std::string& type, const declaration& of) {
  auto first = of.text.begin();
  while (first != of.text.end() && !has(parted(*first).first, "{")) ++first;
  lines body(first == of.text.end() ? first : first + 1, of.text.end());
  const std::string kind = name_of(head_of(of)).kind;
  if (kind == "class") body.insert(body.begin(), " private:");
  section found;
  std::string rows, last;
  for (const declaration& member : declarations(body, 2, kind == "enum")) {
    const std::string head = head_of(member);
    if (!is_listed(member, head)) continue;
    const std::string name = kind == "enum" ? head : name_of(head).name;
    if (name.empty() || name.back() == '_') continue;
    if (begins(name, "operator") && !begins(name, "operator()") && !begins(name, "operator[]")) continue;
    const std::string line = member.trailing.empty() ? sentence(member.comment) : member.trailing;
    if (line.empty() && name != last) found.without_comment.push_back(type + "::" + name);
    last = name;
    rows += row(signature(head, type), where(head), line);
  }
  found.text = table(rows);
  return found;
}

section section_of(const std::string& header) {
  section all;
  std::string functions, last;
  std::set<std::string> names;  // that other branches of an #if declare again
  for (const declaration& found : declarations(read(source / "include/heddle" / header), 0)) {
    const std::string head = head_of(found), line = sentence(found.comment);
    if (!is_listed(found, head)) continue;
    const bool is_macro = begins(head, "#define ");
    const auto [kind, name] =
        is_macro ? named{"macro", head.substr(8, head.find_first_of(" (", 8) - 8)} : name_of(head);
    const bool is_type = kind == "class" || kind == "struct" || kind == "enum";
    if (name.empty() || kind == "operator" || (kind != "function" && !names.insert(name).second)) continue;
    if (is_type && !has(found.text.back(), "}")) continue;  // declared, and defined elsewhere
    if (line.empty() && name != last) all.without_comment.push_back(name);
    last = name;
    if (is_type) {
      const std::string bare = signature(head.substr(0, head.find(" : ")));
      const section members = members_of(name, found);
      all.text += "\n`" + bare + "`: " + line + ".\n" + offers_of(found.comment) + members.text;
      all.without_comment.insert(all.without_comment.end(), members.without_comment.begin(),
                                 members.without_comment.end());
    } else {
      functions +=
          row(is_macro ? name
                       : signature(kind == "concept" ? head.substr(0, head.find(" =", head.find("concept "))) : head),
              is_macro ? "" : where(head), line);
    }
  }
  all.text += table(functions);
  return all;
}

/// A part of the page: a folder, what it is for, and the page about it.
struct part {
  std::string folder, title, about;
};
const std::vector<part> parts{
    {"", "heddle", "Contracts, coordinates and macros: [your own](your_own.md), [embedding](embedding.md)."},
    {"order", "order", "A map from launch index to tile and back: [order.md](order.md)."},
    {"schedule", "schedule", "Which block takes which tile: [schedule.md](schedule.md)."},
    {"expand", "expand", "Work that spawns work, in two passes: [expand.md](expand.md)."},
    {"reorder", "reorder", "Threads by what they will do: [reorder.md](reorder.md)."},
    {"launch", "launch", "Launches, and parameters by architecture: [launch_box.md](launch_box.md)."},
    {"laws", "laws", "Checkers for the host, in `heddle::laws`: [your own](your_own.md)."},
    {"predict", "predict", "Predictions for the host, in `heddle::predict`: [predict.md](predict.md)."},
    {"choose", "choose", "The fastest of your own candidates, by timing a few: [choose.md](choose.md)."},
    {"trace", "trace", "What ran where and when, from a launch: [trace.md](trace.md)."},
    {"draw", "draw", "Pictures, for the host, in `heddle::draw`: the pictures of these pages."},
    {"device", "device", "The card at hand, for predictions, by a CUDA compiler: [device.md](device.md)."}};

/// The headers of a folder, which have names of their own.
lines headers_of(const std::string& folder) {
  lines all;
  for (const auto& entry : fs::directory_iterator(source / "include/heddle" / folder)) {
    if (entry.is_regular_file()) all.push_back(fs::relative(entry.path(), source / "include/heddle").generic_string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("The page of all names has every public member with its signature and a line", "[docs]") {
  std::string page =
      "# Every public name\n\n"
      "By part and header, with its signature and what it does. A member runs on the host, on the device, or on both where the\n"
      "column is empty. Names in a folder or namespace `detail` are not public. The least architecture of each part is on\n"
      "[another page](embedding.md#the-least-architecture-of-each-part). This page is made from the headers.\n";
  for (const part& part : parts) {
    page += "\n## " + part.title + "\n\n" + part.about + "\n";
    for (const std::string& header : headers_of(part.folder)) {
      const section found = section_of(header);
      for (const std::string& name : found.without_comment) {
        INFO(header << ": " << name << " has no comment above it");
        CHECK(false);
      }
      if (!found.text.empty()) page += "\n### [" + header + "](../include/heddle/" + header + ")\n" + found.text;
    }
  }
  std::string committed;
  for (const std::string& line : read(source / "docs/api.md")) committed += line + "\n";
  if (committed != page) std::ofstream("api.md") << page;
  INFO("docs/api.md differs from the headers: copy " << fs::absolute("api.md"));
  CHECK((committed == page));
}

TEST_CASE("Each page about a part links to the names of that part", "[docs]") {
  for (const auto& [name, part] : {std::pair<std::string, std::string>{"order", "order"},
                                   {"schedule", "schedule"},
                                   {"expand", "expand"},
                                   {"reorder", "reorder"},
                                   {"launch_box", "launch"},
                                   {"your_own", "laws"},
                                   {"predict", "predict"},
                                   {"choose", "choose"},
                                   {"trace", "trace"}}) {
    bool is_linked = false;
    for (const std::string& line : read(source / "docs" / (name + ".md")))
      is_linked |= has(line, "(api.md#" + part + ")");
    INFO(name);
    CHECK(is_linked);
  }
}
