#pragma once

#include <map>
#include <string>
#include <vector>

/// Reads a document as strictly as the library's own output allows: tags balance, attributes are quoted and occur once,
/// text is escaped, and there is one root. `error` is empty if the document is well-formed.
struct xml {
  struct element {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string text;
    int parent = -1;

    std::string operator[](const std::string& attribute) const {
      const auto found = attributes.find(attribute);
      return found == attributes.end() ? "" : found->second;
    }
  };

  std::string error;
  std::vector<element> elements;

  explicit xml(const std::string& document, bool html = false) : text_(document), html_(html) { read(); }

  std::vector<element> all(const std::string& name) const {
    std::vector<element> found;
    for (const element& e : elements) {
      if (e.name == name) found.push_back(e);
    }
    return found;
  }

 private:
  static bool is_name(char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-';
  }

  bool fail(const std::string& what) {
    error = what + " at " + std::to_string(at_);
    return false;
  }

  bool take(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  std::string take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Takes characters up to one of `ends`, and resolves references.
  bool take_text(const std::string& ends, std::string& result) {
    while (at_ < text_.size() && ends.find(text_[at_]) == std::string::npos) {
      const char c = text_[at_];
      if (c == '<' || c == '>') return fail("a bare bracket");
      if (static_cast<unsigned char>(c) < ' ' && c != '\n') return fail("a control character");
      if (take("&amp;")) {
        result += '&';
      } else if (take("&lt;")) {
        result += '<';
      } else if (take("&gt;")) {
        result += '>';
      } else if (take("&quot;")) {
        result += '"';
      } else if (c == '&') {
        return fail("a bare &");
      } else {
        result += c;
        ++at_;
      }
    }
    return at_ < text_.size() || fail("the end amid text");
  }

  bool take_tag(int& open) {
    if (take("/")) {
      if (open < 0 || take_name() != elements[static_cast<unsigned>(open)].name) return fail("a wrong end tag");
      open = elements[static_cast<unsigned>(open)].parent;
      return take(">") || fail("an end tag that does not end");
    }
    if (open < 0 && !elements.empty()) return fail("a second root");
    element e;
    e.parent = open;
    e.name = take_name();
    if (e.name.empty()) return fail("a tag without a name");
    while (take(" ")) {
      const std::string name = take_name();
      std::string value;
      if (name.empty() || !take("=\"")) return fail("an attribute without a quoted value");
      if (!take_text("\"", value)) return false;
      ++at_;
      if (!e.attributes.emplace(name, value).second) return fail("an attribute that comes twice");
    }
    const bool closed = take("/") || (html_ && e.name == "meta");
    if (!take(">")) return fail("a tag that does not end");
    elements.push_back(e);
    if (closed) return true;
    open = static_cast<int>(elements.size()) - 1;
    if (html_ && e.name == "style") {  // raw text
      const std::size_t end = text_.find("</style>", at_);
      if (end == std::string::npos) return fail("an endless style sheet");
      elements.back().text = text_.substr(at_, end - at_);
      at_ = end;
    }
    return true;
  }

  bool read() {
    int open = -1;
    if (html_ && !take("<!DOCTYPE html>\n")) return fail("no doctype");
    while (at_ < text_.size()) {
      if (take("<")) {
        if (!take_tag(open)) return false;
      } else if (open >= 0) {
        if (!take_text("<", elements[static_cast<unsigned>(open)].text)) return false;
      } else if (!take("\n")) {
        return fail("text outside of the root");
      }
    }
    return open < 0 && !elements.empty() ? true : fail("no end of the root");
  }

  const std::string text_;
  bool html_;
  std::size_t at_ = 0;
};
