// The lines that the explorer pastes have numbers and names that it read, and nothing else of a question's text. A
// question that it cannot read is refused, in the words of the field, and pastes nothing.

#include <explorer/lines.hpp>
#include <explorer/order.hpp>

#include "../test.hpp"

namespace {

using explorer::question;

/// A value that opens a comment, ends a statement and begins another.
const std::string code = "1}; system(\"x\"); /*";

/// Fields that a test may change, by their keys.
struct state {
  std::vector<std::pair<std::string, std::string>> fields;

  state with(const std::string& key, const std::string& value) const {
    state changed = *this;
    for (auto& [name, old] : changed.fields) {
      if (name == key) return old = value, changed;
    }
    changed.fields.push_back({key, value});
    return changed;
  }
  std::string text() const {
    std::string all;
    for (const auto& [key, value] : fields) all += key + "=" + value + "\n";
    return all;
  }
};

const state any = {{{"width", "3"},
                    {"axis", "y"},
                    {"step_rows", "2"},
                    {"step_cols", "3"},
                    {"first", "7"},
                    {"cluster_rows", "2"},
                    {"cluster_cols", "1"},
                    {"transposed", "1"},
                    {"reversed", "1"},
                    {"run", "5"},
                    {"schedule", "sm_affine"},
                    {"row", "i / cols"},
                    {"col", "i % cols"}}};

state with_all(state of, const state& more) {
  of.fields.insert(of.fields.end(), more.fields.begin(), more.fields.end());
  return of;
}

/// A question of each problem. Of all but the groups there are far too many tiles to draw.
std::vector<state> problems() {
  const state product = {{{"m", "4000001"}, {"n", "1000000"}, {"k", "64"}, {"tile_m", "128"}, {"tile_n", "64"}}};
  return {
      with_all({{{"problem", "product"}}}, with_all(product, any)),
      with_all({{{"problem", "batch"}, {"count", "3"}, {"interleave", "2"}}}, with_all(product, any)),
      with_all(
          {{{"problem", "stencil"}, {"rows", "100000"}, {"cols", "90000"}, {"tile_rows", "16"}, {"tile_cols", "8"}}},
          any),
      with_all(
          {{{"problem", "causal"}, {"queries", "1000000"}, {"keys", "9"}, {"heads", "800"}, {"tile_queries", "128"}}},
          any),
      with_all({{{"problem", "groups"},
                 {"group_rows", "5 0 700"},
                 {"n", "256"},
                 {"k", "64"},
                 {"tile_m", "128"},
                 {"tile_n", "128"},
                 {"sequence", "heaviest_first"},
                 {"order", "thread_group_tiling"}}},
               any),
      with_all({{{"problem", "pairs"}, {"things", "4000001"}, {"elements", "64"}, {"tile_things", "128"}}}, any)
          .with("cluster_rows", "1")};
}

std::vector<state> questions() {
  std::vector<state> all;
  for (const state& problem : problems()) {
    if (problem.fields[0].second == "groups") {
      all.push_back(problem);
      continue;
    }
    for (const char* order : heddle::recipe::order_names) all.push_back(problem.with("order", order));
  }
  return all;
}

/// Returns all that a question pastes, in each language; nothing if it is refused.
std::optional<std::string> pasted(const state& of) {
  try {
    const question q(of.text());
    return explorer::one_line(q) + explorer::kernel_lines(q) + explorer::host_lines(q) +
           explorer::python_lines(question(of.text() + "language=triton\n")) +
           explorer::python_lines(question(of.text() + "language=tilelang\n")) +
           explorer::python_lines(question(of.text() + "language=cute\n"));
  } catch (const heddle::invalid_argument&) {
    return std::nullopt;
  }
}

/// Returns the words with which the lines of a question are refused.
std::string refusal_of_lines(const state& of) {
  try {
    explorer::host_lines(question(of.text()));
  } catch (const heddle::invalid_argument& refused) {
    return refused.what();
  }
  return "not refused";
}

const std::string names[] = {"problem", "order", "axis", "sequence", "schedule", "transposed", "reversed"};

bool is_name(const std::string& key) {
  return std::find(std::begin(names), std::end(names), key) != std::end(names);
}
bool is_text(const std::string& key) {
  return key == "row" || key == "col" || key == "group_rows";
}

}  // namespace

TEST_CASE("No text of a question's values is pasted", "[explorer]") {
  for (const state& of : questions()) {
    REQUIRE(pasted(of));
    for (const auto& [key, value] : of.fields) {
      CAPTURE(of.text(), key);
      for (const std::string& wrong : {code, value + code, value + "\t//", value + "0x", std::string("w")}) {
        const auto lines = pasted(of.with(key, wrong));
        CHECK((!lines || lines == pasted(of)));  // another order does not read it
      }
    }
  }
}

TEST_CASE("A number is pasted as it was read, however it is spelt", "[explorer]") {
  for (const state& of : questions()) {
    for (const auto& [key, value] : of.fields) {
      if (is_name(key) || is_text(key)) continue;
      for (const std::string& spelt : {"0" + value, value + ".0", "+" + value, value + "e0"}) {
        CAPTURE(of.text(), key, spelt);
        CHECK(pasted(of.with(key, spelt)) == pasted(of));
      }
    }
  }
}

TEST_CASE("An order with too many tiles to draw has lines within the limits of its constructors", "[explorer]") {
  const state product = problems()[0].with("order", "cta_swizzle"), batch = problems()[1].with("order", "morton");
  const auto refuses = [](const state& of, const char* words) {
    CAPTURE(of.text());
    CHECK(refusal_of_lines(of).find(words) != std::string::npos);
    CHECK(!pasted(of));
  };
  refuses(product.with("first", "-1"), "heddle::rotated: first is -1; it must be at least 0");
  refuses(product.with("first", "2000000000"), "heddle::rotated: first is 2000000000; it must be at most 244");
  refuses(product.with("width", "0"), "heddle::cta_swizzle: width is 0; it must be at least 1");
  refuses(product.with("cluster_rows", "0"), "cluster_rows is \"0\"; it must be at least 1");
  refuses(product.with("cluster_rows", "1e9"), "cluster_rows is \"1e9\"; it must be at most 16");
  refuses(product.with("cluster_rows", "4").with("cluster_cols", "5"), "cluster_cols is \"5\"; it must be at most 4");
  refuses(product.with("run", "0"), "run is \"0\"; it must be at least 1");
  refuses(product.with("tile_m", "0"), "heddle::predict::gemm_problem: tile_m is 0; it must be at least 1");
  refuses(product.with("m", ""), "m is \"\"; it must be a number");
  refuses(batch.with("interleave", "0"), "heddle::batched: interleave is 0; it must be at least 1");
  refuses(problems()[4].with("width", "0"), "width is 0; it must be at least 1");
  refuses(problems()[5].with("cluster_rows", "2"), "cluster_rows, cluster_cols is 2; it must be exactly 1");
}

TEST_CASE("One line is pasted first where it has the order of the question, and nowhere else", "[explorer]") {
  const auto pasted_for = [](const state& of) { return explorer::one_line(question(of.text())); };
  const auto has = [](const std::string& text, const char* words) { return text.find(words) != text.npos; };
  const state stencil =
      problems()[2].with("order", "thread_group_tiling").with("schedule", "one_shot").with("first", "0");
  const state plain = stencil.with("transposed", "0").with("reversed", "0").with("cluster_rows", "1");
  CHECK(has(pasted_for(plain), "  const auto blockIdx = heddle::in_bands<3, heddle::axis::y>();\n"));
  CHECK(has(pasted_for(stencil), "heddle::in_bands({.width = 3, .reversed = true});"));
  CHECK(pasted_for(plain.with("schedule", "ticket")) == "");
  CHECK(pasted_for(plain.with("order", "hilbert")) == "");
  CHECK(pasted_for(plain.with("first", "3")) == "");
  const state batch = problems()[1].with("order", "cta_swizzle").with("schedule", "one_shot").with("first", "0");
  CHECK(pasted_for(batch) == "");  // planes in turn
  CHECK(has(pasted_for(batch.with("interleave", "1")), "<<<dim3(cols, rows, planes), threads>>>"));
  CHECK(pasted_for(problems()[4].with("schedule", "one_shot")) == "");
  const state pairs = problems()[5].with("order", "thread_group_tiling").with("schedule", "one_shot");
  CHECK(pasted_for(pairs.with("first", "0")) == "");
}

TEST_CASE("A name that the explorer does not know is refused with those that it knows", "[explorer]") {
  const auto refusal = [](const char* key, const char* value) {
    return refusal_of_lines(problems()[0].with(key, value));
  };
  CHECK(refusal("problem", "xyz") == "problem: \"xyz\" is none of product, stencil, batch, causal, groups, pairs");
  CHECK(refusal("order", "cta_swizzl") ==
        "order: \"cta_swizzl\" is none of row_major, column_major, thread_group_tiling, cta_swizzle, hilbert, morton, "
        "dilated, own");
  CHECK(refusal("schedule", "foo") ==
        "schedule: \"foo\" is none of one_shot, strided, chunked, ticket, late_ticket, sm_affine, work_stealing, "
        "cluster_launch");
  CHECK(refusal("axis", "z") == "axis: \"z\" is none of x, y");
  CHECK(refusal("transposed", "yes") == "transposed: \"yes\" is none of 0, 1");
  CHECK(refusal("reversed", "") == "reversed: \"\" is none of 0, 1");
  CHECK(refusal_of_lines(problems()[4].with("sequence", "heaviest")) ==
        "sequence: \"heaviest\" is none of as_numbered, heaviest_first");
  CHECK(refusal_of_lines(problems()[4].with("order", "hilbert")) ==
        "order: \"hilbert\" is none of thread_group_tiling");
  // A long value leaves room for the names.
  const std::string longest = refusal("order", std::string(200, 'x').c_str());
  CHECK(longest.substr(longest.size() - 3) == "own");
}

TEST_CASE("A card or a number of it that the explorer cannot read is refused", "[explorer]") {
  const auto refusal = [](const char* text) -> std::string {
    try {
      explorer::device_of(question(text));
    } catch (const heddle::invalid_argument& refused) {
      return refused.what();
    }
    return "not refused";
  };
  CHECK(refusal("card=xyz\n") == "heddle::predict::device: card: \"xyz\" is none of h200, h100, a100, rtx_4090, b200");
  CHECK(refusal("launch_seconds=nan\n") == "launch_seconds is \"nan\"; it must be a number");
  CHECK(refusal("l2_bytes=inf\n") == "l2_bytes is \"inf\"; it must be a number");
  CHECK(refusal("l2_bytes=1.5\n") == "l2_bytes is \"1.5\"; it must be a whole number");
  CHECK(refusal("multiprocessors=3000000000\n") == "multiprocessors is \"3000000000\"; it must be at most 2147483647");
  CHECK(refusal("card=a100\nl2_bytes=3e7\n") == "not refused");
}

TEST_CASE("TileLang has a line for serpentine bands of a block per tile, and none for other launches", "[explorer]") {
  const auto lines = [](const std::string& by) {
    return explorer::python_lines(question("m=1024\nn=1024\nk=64\nwidth=8\nlanguage=tilelang\n" + by));
  };
  CHECK(lines("order=cta_swizzle\n").find("    T.use_swizzle(panel_size=8, order=\"column\")\n") != std::string::npos);
  for (const char* other :
       {"order=hilbert\n", "order=cta_swizzle\nschedule=ticket\n", "order=cta_swizzle\nreversed=1\n"})
    CHECK(lines(other) == "");
}

TEST_CASE("Rows of groups are whole numbers between separators, at least those of one group", "[explorer]") {
  using rows = std::vector<int>;
  const auto rows_of = [](const char* text) { return explorer::numbers_in<int>("group_rows", text, 1 << 16); };
  CHECK(rows_of("[700, 0,90]; 5\t7 (1e3)") == rows{700, 0, 90, 5, 7, 1000});
  for (const char* wrong : {"", " , ", "700 -5", "1.5", "700 x 9", "9999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(rows_of(wrong), heddle::invalid_argument);
  }
}

TEST_CASE("Blocks per multiprocessor are refused before they overflow the workers", "[explorer]") {
  for (const char* wrong : {"65", "65075263", "0", "-1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(explorer::blocks_of(question("blocks_per_multiprocessor=" + std::string(wrong) + "\n")),
                    heddle::invalid_argument);
  }
  CHECK(explorer::blocks_of(question("blocks_per_multiprocessor=64\n")) == 64);
}

TEST_CASE("Groups without an axis have bands of rows, drawn and pasted", "[explorer]") {
  state groups = problems()[4];
  std::erase_if(groups.fields, [](const auto& field) { return field.first == "axis"; });
  CHECK(pasted(groups) == pasted(groups.with("axis", "y")));
  CHECK(pasted(groups) != pasted(groups.with("axis", "x")));
}

TEST_CASE("An expression is pasted as it was read", "[explorer]") {
  using explorer::expression;
  const auto as_read = [](const char* text) { return expression("row", text).code(); };
  CHECK(as_read("010+i") == "10 + i");
  CHECK(as_read("--i") == "-(-i)");
  CHECK(as_read("i- -i") == "i - -i");
  CHECK(as_read("((i))/(cols)%(2)") == "i / cols % 2");
  CHECK(as_read("i-(cols-1)") == "i - (cols - 1)");
  CHECK(as_read("(i?1:2)?3:i?4:5") == "(i ? 1 : 2) ? 3 : i ? 4 : 5");

  // Any expression: what is pasted is read as the same values, and pasted as the same text.
  std::mt19937 bits(1);
  const auto any_expression = [&](const auto& self, int depth) -> std::string {
    const char* const leaves[] = {"i", "rows", "cols", "7", "003"};
    const char* const operators[] = {
        "||", "&&", "|", "^", "&", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%"};
    if (depth == 0 || bits() % 8 == 0) return leaves[bits() % 5];
    switch (bits() % 6) {
      case 0:
        return std::string(&"-!~"[bits() % 3], 1) + self(self, depth - 1);
      case 1:
        return "(" + self(self, depth - 1) + ")";
      case 2:
        return self(self, depth - 1) + "?" + self(self, depth - 1) + ":" + self(self, depth - 1);
      default:
        return self(self, depth - 1) + operators[bits() % 18] + self(self, depth - 1);
    }
  };
  const auto values = [](const expression& of) {
    std::vector<long long> all;
    for (int i = 0; i < 12; ++i) {
      try {
        all.push_back(of(i, {3, 4}));
      } catch (const heddle::invalid_argument&) {
        all.push_back(1LL << 40);  // divides by 0, or overflows
      }
    }
    return all;
  };
  for (int turn = 0; turn < 2000; ++turn) {
    const std::string text = any_expression(any_expression, 4);
    if (text.size() > 150) continue;
    CAPTURE(text);
    const expression read("row", text), again("row", read.code());
    CHECK(again.code() == read.code());
    CHECK(values(again) == values(read));
  }
}

TEST_CASE("An expression that leaves the grid is refused by its own name", "[explorer]") {
  const auto refusal = [](const char* row, const char* col) -> std::string {
    try {
      explorer::typed_table(explorer::expression("row", row), explorer::expression("col", col), {2, 3});
    } catch (const heddle::invalid_argument& refused) {
      return refused.what();
    }
    return "not refused";
  };
  CHECK(refusal("i / cols", "i % cols") == "not refused");
  CHECK(refusal("i / cols", "i") == "col of tile i = 3 is 3; it must be at most 2");
  CHECK(refusal("i / cols", "i % cols - 1") == "col of tile i = 0 is -1; it must be at least 0");
  CHECK(refusal("i", "i % cols") == "row of tile i = 2 is 2; it must be at most 1");
  CHECK(refusal("0", "i % cols") == "laws::check_order: order(0) is {0, 0}, but index({0, 0}) is 3");
}
