#pragma once

#include <heddle/invalid_argument.hpp>
#include <heddle/laws/check_order.hpp>
#include <heddle/order/tile_table.hpp>

#include <cctype>
#include <string>
#include <vector>

namespace explorer {

using namespace heddle;

/// An expression of C++ over ints: `i`, `rows`, `cols`, numbers, and the operators of C++ without assignments.
class expression {
 public:
  expression(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    if (text_.size() > 400) throw invalid_argument(name_.c_str(), " has more than 400 characters");
    root_ = conditional();
    if (next() != 0) fail("ends before here");
  }

  /// Returns its value for a tile.
  long long operator()(int i, extent grid) const { return value(root_, {i, grid.rows, grid.cols}); }

  /// Returns its value for a tile as a row or a column of `count`.
  int place(int i, extent grid, int count) const {
    const long long found = (*this)(i, grid);
    const auto refuse = [&](const char* relation, int limit) {
      throw invalid_argument((name_ + " of tile i = " + std::to_string(i)).c_str(), found, relation, limit);
    };
    if (found < 0) refuse("at least", 0);
    if (found >= count) refuse("at most", count - 1);
    return static_cast<int>(found);
  }

  /// Returns it in C++, from what was read: a text in which `010` and `- -i` mean what they mean here.
  std::string code() const { return code(root_, of_choice); }

 private:
  struct node {
    int kind;  // an operator's number, or one of those below
    int left = 0, right = 0, third = 0;
    long long number = 0;
  };
  struct known {
    long long values[3];
  };
  enum : int { is_number = 100, is_name, is_minus, is_not, is_inverse, is_choice };
  enum : int { of_choice = -1, of_unary = 10, of_leaf };  // levels beside those of the operators
  static constexpr const char* operators[] = {
      "||", "&&", "|", "^", "&", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%"};
  static constexpr int levels[] = {0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 6, 6, 8, 8, 9, 9, 9};

  [[noreturn]] void fail(const char* what) const {
    const std::string at = text_.substr(at_, 12);
    throw invalid_argument(name_.c_str(),
                           (" " + std::string(what) + (at.empty() ? ": at its end" : ": at \"" + at + "\"")).c_str());
  }
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool takes(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  int add(const node& n) {
    nodes_.push_back(n);
    return static_cast<int>(nodes_.size()) - 1;
  }

  int conditional() {
    const int test = binary(0);
    if (!takes('?')) return test;
    const int yes = conditional();
    if (!takes(':')) fail("needs a colon");
    return add({is_choice, test, yes, conditional()});
  }
  int binary(int level) {
    if (level == 10) return unary();
    for (int left = binary(level + 1);;) {
      next();
      int found = -1;
      for (int op = 0; op < 18 && found < 0; ++op) {
        if (text_.compare(at_, std::char_traits<char>::length(operators[op]), operators[op]) == 0) found = op;
      }
      if (found < 0 || levels[found] != level) return left;
      at_ += std::char_traits<char>::length(operators[found]);
      left = add({found, left, binary(level + 1)});
    }
  }
  int unary() {
    if (takes('-')) return add({is_minus, unary()});
    if (takes('!')) return add({is_not, unary()});
    if (takes('~')) return add({is_inverse, unary()});
    if (takes('(')) {
      const int inside = conditional();
      if (!takes(')')) fail("needs a closing parenthesis");
      return inside;
    }
    const std::size_t begin = at_;
    long long number = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      number = number * 10 + (text_[at_++] - '0');
      if (number > 0x7fffffff) fail("has a number above 2147483647");
    }
    if (at_ > begin) return add({is_number, 0, 0, 0, number});
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word == "i") return add({is_name, 0});
    if (word == "rows") return add({is_name, 1});
    if (word == "cols") return add({is_name, 2});
    at_ = begin;
    fail(word.empty() ? "needs a number, i, rows or cols" : "knows i, rows and cols alone");
  }

  long long value(int at, const known& of) const {
    const node& n = nodes_[static_cast<std::size_t>(at)];
    switch (n.kind) {
      case is_number:
        return n.number;
      case is_name:
        return of.values[n.left];
      case is_minus:
        return -value(n.left, of);
      case is_not:
        return value(n.left, of) == 0;
      case is_inverse:
        return ~value(n.left, of);
      case is_choice:
        return value(n.left, of) != 0 ? value(n.right, of) : value(n.third, of);
      case 0:
        return value(n.left, of) != 0 || value(n.right, of) != 0;
      case 1:
        return value(n.left, of) != 0 && value(n.right, of) != 0;
    }
    const long long a = value(n.left, of), b = value(n.right, of);
    if ((n.kind == 16 || n.kind == 17) && b == 0) {
      throw invalid_argument(name_.c_str(), (" divides by 0 for i = " + std::to_string(of.values[0])).c_str());
    }
    if ((n.kind == 9 || n.kind == 10) && (b < 0 || b > 31)) {
      throw invalid_argument((name_ + ": bits to shift").c_str(), b, b < 0 ? "at least" : "at most", b < 0 ? 0 : 31);
    }
    const long long result = n.kind == 2    ? a | b
                             : n.kind == 3  ? a ^ b
                             : n.kind == 4  ? a & b
                             : n.kind == 5  ? a == b
                             : n.kind == 6  ? a != b
                             : n.kind == 7  ? a <= b
                             : n.kind == 8  ? a >= b
                             : n.kind == 9  ? a * (1LL << b)
                             : n.kind == 10 ? a >> b
                             : n.kind == 11 ? a < b
                             : n.kind == 12 ? a > b
                             : n.kind == 13 ? a + b
                             : n.kind == 14 ? a - b
                             : n.kind == 15 ? a * b
                             : n.kind == 16 ? a / b
                                            : a % b;
    if (result > 0x7fffffff || result < -0x7fffffff) {
      throw invalid_argument(name_.c_str(), (" overflows an int for i = " + std::to_string(of.values[0])).c_str());
    }
    return result;
  }

  /// Returns the C++ of a node, in parentheses if it binds less than this level.
  std::string code(int at, int least) const {
    constexpr const char* names[] = {"i", "rows", "cols"};
    const node& n = nodes_[static_cast<std::size_t>(at)];
    const auto unary = [&](const char* sign) { return sign + code(n.left, of_leaf); };
    std::string text;
    int level = of_unary;
    switch (n.kind) {
      case is_number:
        return std::to_string(n.number);
      case is_name:
        return names[n.left];
      case is_minus:
        text = unary("-");
        break;
      case is_not:
        text = unary("!");
        break;
      case is_inverse:
        text = unary("~");
        break;
      case is_choice:
        level = of_choice;
        text = code(n.left, 0) + " ? " + code(n.right, of_choice) + " : " + code(n.third, of_choice);
        break;
      default:
        level = levels[n.kind];
        text = code(n.left, level) + " " + operators[n.kind] + " " + code(n.right, level + 1);
    }
    return level < least ? "(" + text + ")" : text;
  }

  std::string name_, text_;
  std::size_t at_ = 0;
  std::vector<node> nodes_;
  int root_ = 0;
};

/// Evaluates two expressions for each tile, and checks the law of orders. Returns the table; refuses with the law's
/// words.
inline tile_table::entries typed_table(const expression& row, const expression& col, extent grid) {
  tile_table::entries table(grid.size());
  for (int i = 0; i < table.size(); ++i) {
    const int number = grid.number({row.place(i, grid, grid.rows), col.place(i, grid, grid.cols)});
    table.data()[i].tile = number;
    table.data()[number].index = i;  // the last one, if there are several
  }
  if (const laws::verdict found = laws::check_order(tile_table{grid, table.data()}); !found) {
    throw invalid_argument("laws::check_order: ", found.failure.c_str());
  }
  return table;
}

}  // namespace explorer
