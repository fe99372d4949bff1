#include "grouped.hpp"

#include "refusal.hpp"

using namespace heddle_test;

namespace {

int rounds(int all) {
  return kernels_overlap() ? all : 2;  // under a tool that checks every access
}

/// Rows of groups at random: some empty, some of a few rows, some of many.
std::vector<int> random_rows(std::mt19937& random, int groups, int most) {
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  std::vector<int> rows;
  for (int group = 0; group < groups; ++group) {
    const int kind = below(4);
    rows.push_back(kind == 0 ? 0 : below(kind == 1 ? 8 : kind == 2 ? 140 : most));
  }
  return rows;
}

/// All ways to walk the tiles.
std::vector<::grouped::choice> choices() {
  std::vector<::grouped::choice> all;
  for (const auto& [width, axis] : {std::pair{1, heddle::axis::x}, {3, heddle::axis::y}, {100, heddle::axis::x}}) {
    for (const auto sequence : {heddle::group_sequence::as_numbered, heddle::group_sequence::heaviest_first}) {
      for (const bool draws : {false, true}) {
        for (const int cluster : {1, 2}) {
          for (const bool is_low : {false, true}) {
            all.push_back({{.order = heddle::recipe::thread_group_tiling,
                            .width = width,
                            .axis = axis,
                            .cluster = {1, cluster},
                            .sequence = sequence,
                            .schedule = draws ? heddle::recipe::late_ticket : heddle::recipe::strided},
                           is_low});
          }
        }
      }
    }
  }
  return all;
}

template <class Element>
void random_groups(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const std::vector<::grouped::choice> all = choices();
  for (int round = 0; round < rounds(100); ++round) {
    const int groups = 1 + below(40), most = kernels_overlap() ? 1 + below(500) : 150;
    const std::vector<int> rows = random_rows(random, groups, most);
    const auto extent = [&] { return 8 * (1 + below(kernels_overlap() ? 128 : 20)); };
    const ::grouped::problem p{.rows = sum_of(rows) + below(2) * below(300),
                               .groups = groups,
                               .n = extent(),
                               .k = extent(),
                               .element = element_of<Element>,
                               .b = layouts[below(2)]};
    products<Element> some(p, rows, random());
    if (below(2) == 0) {
      agrees(some, ::grouped::plan(p, here()));
    } else {
      agrees(some, ::grouped::plan(p, here(), all[static_cast<std::size_t>(below(static_cast<int>(all.size())))]));
    }
  }
}

template <class Element>
void ragged_groups() {
  for (const auto& [n, k] : {std::pair{8, 8}, {72, 136}, {136, 72}, {520, 1000}, {1000, 520}, {256, 64}, {512, 128}}) {
    for (const auto b : layouts) {
      const ::grouped::problem p{.rows = sum_of(ragged) + 17,
                                 .groups = static_cast<int>(ragged.size()),
                                 .n = n,
                                 .k = k,
                                 .element = element_of<Element>,
                                 .b = b};
      products<Element> some(p, ragged, 11);
      agrees(some, ::grouped::plan(p, here()));
    }
  }
}

/// Replays a graph whose sizes change on the device between replays, and checks every result there.
template <class Products, class Plan>
void replays_with_other_sizes(Products& some, const Plan& plan, const std::vector<std::vector<int>>& sizes) {
  struct turn {
    device_array<int> ends;
    right_c right;

    turn(Products& of, const std::vector<int>& rows) : ends(ends_of(rows)), right(of) {}
  };
  std::vector<std::unique_ptr<turn>> turns;
  for (const std::vector<int>& rows : sizes) {
    some.give_and_fill(rows);
    turns.push_back(std::make_unique<turn>(some, rows));
  }

  workspace_of workspace(plan);
  stream on;
  const captured_graph graph(on, [&] { check(enqueue_products(plan, some.operands(workspace.data()), on)); });
  device_array<int> wrong(1, 0);
  for (int replay = 0; replay < rounds(100); ++replay) {
    turn& now = *turns[static_cast<std::size_t>(replay) % turns.size()];
    some.poison_c(on);
    check(cudaMemcpyAsync(some.ends.data(), now.ends.data(), now.ends.bytes(), cudaMemcpyDeviceToDevice, on));
    graph.replay(on);
    some.enqueue_count(wrong, now.right, on);
  }
  finish(on);
  CHECK(wrong.read()[0] == 0);
  CHECK_FALSE(some.c.leaked());
}

template <class Products, class Plan>
void on_two_streams(Products& one, Products& other, const Plan& plan) {
  right_c right(one), right_of_other(other);
  workspace_of workspace(plan), workspace_of_other(plan);
  device_array<int> wrong(1, 0), wrong_of_other(1, 0);
  stream on, beside;
  for (int turn = 0; turn < rounds(50); ++turn) {
    one.poison_c(on);
    other.poison_c(beside);
    check(enqueue_products(plan, one.operands(workspace.data()), on));
    check(enqueue_products(plan, other.operands(workspace_of_other.data()), beside));
    one.enqueue_count(wrong, right, on);
    other.enqueue_count(wrong_of_other, right_of_other, beside);
  }
  finish(on);
  finish(beside);
  CHECK(wrong.read()[0] == 0);
  CHECK(wrong_of_other.read()[0] == 0);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

HOPPER_TEST("the reference of products of groups agrees with the host", "[grouped]") {
  const std::vector<int> rows{3, 0, 5};
  for (const auto layout : layouts) {
    const ::grouped::problem p{.rows = 10, .groups = 3, .n = 16, .k = 24, .b = layout};
    products<bf16> some(p, rows, 1);
    right_c right(some);
    const std::vector<double> values = right.values.read();
    const std::vector<int> terms = right.terms.read();
    const std::vector<unsigned short> a = some.a.words(), b = some.b.words();
    const auto value = [](unsigned short word) { return static_cast<double>(product<bf16>::value(word)); };
    for (int row = 0; row < 10; ++row) {
      const int group = row < 3 ? 0 : 2;
      for (int col = 0; col < p.n; ++col) {
        double sum = 0;
        for (int at = 0; at < p.k; ++at) {
          const int of_b =
              layout == gemm::layout::row_major ? (group * p.k + at) * p.n + col : (group * p.n + col) * p.k + at;
          sum += value(a[some.a.index(row, at)]) * value(b[some.b.index(0, of_b)]);
        }
        const auto i = static_cast<std::size_t>(row * p.n + col);
        REQUIRE(terms[i] == (row < 8 ? p.k : -1));
        if (row < 8) REQUIRE(std::fabs(values[i] - sum) < 1e-9);
      }
    }
  }
}

HOPPER_TEST("the reference of products by k agrees with the host", "[grouped]") {
  const std::vector<int> rows{3, 0, 5};
  const ::grouped::problem_by_k p{.rows = 10, .groups = 3, .m = 8, .n = 16};
  products_by_k<bf16> some(p, rows, 1);
  right_c right(some);
  const std::vector<double> values = right.values.read();
  const std::vector<int> terms = right.terms.read();
  const std::vector<unsigned short> a = some.a.words(), b = some.b.words();
  const auto value = [](unsigned short word) { return static_cast<double>(product<bf16>::value(word)); };
  std::size_t i = 0;
  for (int group = 0, begin = 0; group < 3; begin += rows[static_cast<std::size_t>(group++)]) {
    for (int row = 0; row < p.m; ++row) {
      for (int col = 0; col < p.n; ++col, ++i) {
        double sum = 0;
        for (int at = begin; at < begin + rows[static_cast<std::size_t>(group)]; ++at) {
          sum += value(a[some.a.index(at, row)]) * value(b[some.b.index(at, col)]);
        }
        REQUIRE(terms[i] == rows[static_cast<std::size_t>(group)]);
        REQUIRE(std::fabs(values[i] - sum) < 1e-9);
      }
    }
  }
}

HOPPER_TEST("products of random groups in bf16 and fp16 agree with double precision", "[grouped]") {
  random_groups<bf16>(1);
  random_groups<fp16>(2);
}

HOPPER_TEST("products of groups that end next to a tile agree with double precision in bf16 and fp16", "[grouped]") {
  ragged_groups<bf16>();
  ragged_groups<fp16>();
}

HOPPER_TEST("products of groups agree with double precision for every choice", "[grouped]") {
  for (const auto layout : layouts) {
    for (const int n : {8, 520, 776}) {  // 1, 3 and 4 tiles: the last cluster of two has one tile, or both
      const ::grouped::problem p{
          .rows = sum_of(ragged) + 200, .groups = static_cast<int>(ragged.size()), .n = n, .k = 136, .b = layout};
      for (const ::grouped::choice& each : choices()) {
        products<bf16> some(p, ragged, 12);
        agrees(some, ::grouped::plan(p, here(), each));
      }
    }
  }
}

HOPPER_TEST("products of groups agree if one has all rows, none has any, and with 1 and 4096 of them", "[grouped]") {
  const auto agree = [&](const std::vector<int>& rows, int slack, int n, int k) {
    for (const auto layout : layouts) {
      const ::grouped::problem p{
          .rows = sum_of(rows) + slack, .groups = static_cast<int>(rows.size()), .n = n, .k = k, .b = layout};
      products<bf16> some(p, rows, 13);
      agrees(some, ::grouped::plan(p, here()));
      agrees(some, ::grouped::plan(p, here(), told(2, true, heddle::group_sequence::heaviest_first)));
    }
  };
  std::vector<int> rows(64, 0);
  agree(rows, 0, 264, 72);     // no rows at all
  agree(rows, 1000, 264, 72);  // of those that were declared none are used
  for (const std::size_t group : {0u, 31u, 63u}) {
    rows.assign(64, 0);
    rows[group] = kernels_overlap() ? 5000 : 300;
    agree(rows, 0, 264, 72);
  }
  for (const int all : {0, 1, 64, 65, 128, 1000}) agree({all}, 3, 520, 136);
  std::mt19937 random(3);
  rows.assign(4096, 1);
  agree(rows, 0, 72, 40);
  agree(random_rows(random, 4096, 3), 7, 136, 24);
  agree({}, 100, 264, 72);
}

HOPPER_TEST("products of groups without columns do nothing", "[grouped]") {
  products<fp16> some({.rows = 300, .groups = 3, .n = 0, .k = 64, .element = gemm::element::fp16}, {130, 0, 65}, 14);
  agrees(some, ::grouped::plan(some.p, here()));
}

HOPPER_TEST("products of groups agree with double precision in the shapes of the benchmark", "[grouped]") {
  if (!kernels_overlap()) return skip("too many elements for a tool that checks every access");
  std::mt19937 random(4);
  for (const auto& [groups, n, k] : {std::array{128, 1536, 2048}, {8, 4096, 1024}, {16, 7168, 2048}}) {
    const std::vector<int> rows = random_rows(random, groups, 4096 / groups * 4);
    for (const auto layout : layouts) {
      const ::grouped::problem p{.rows = sum_of(rows), .groups = groups, .n = n, .k = k, .b = layout};
      products<bf16> some(p, rows, 15);
      agrees(some, ::grouped::plan(p, here()));
    }
  }
}

HOPPER_TEST("NaN and infinity stay in their group", "[grouped]") {
  const std::vector<int> rows{70, 1, 130, 64, 0, 200, 33};
  for (const auto layout : layouts) {
    const ::grouped::problem p{.rows = sum_of(rows) + 60, .groups = 7, .n = 328, .k = 200, .b = layout};
    for (const ::grouped::choice& each : choices()) {
      products<bf16> some(p, rows, 16);
      put(some.a.data() + 70 * p.k + 3, NAN);                      // group 1, its only row
      put(some.a.data() + 200 * p.k + p.k - 1, INFINITY);          // the last row of group 2, at the end of k
      put(some.b.data() + 5LL * p.k * p.n, INFINITY);              // group 5, the first element of B
      put(some.b.data() + 6LL * p.k * p.n - 1, NAN);               // group 5, the last one
      put(some.b.data() + 4LL * p.k * p.n + 17 * p.k + 100, NAN);  // group 4 has no rows
      agrees(some, ::grouped::plan(p, here(), each));
    }
  }
}

HOPPER_TEST("a group whose end falls or passes the declared rows is empty", "[grouped]") {
  const ::grouped::problem p{.rows = 600, .groups = 6, .n = 328, .k = 136};
  products<bf16> some(p, {100, 100, 0, 100, 0, 0}, 17);
  some.ends.copy_from({100, 200, 150, 300, 601, -5});  // the third falls, and the last two are out of bounds
  for (const int cluster : {1, 2}) {
    some.c.poison();
    agrees(some, ::grouped::plan(p, here(), told(cluster)));
  }
}

HOPPER_TEST("one workspace serves products of other sizes one after another", "[grouped]") {
  const ::grouped::problem p{.rows = 1200, .groups = 14, .n = 520, .k = 136};
  for (const ::grouped::choice& each : choices()) {
    const ::grouped::plan plan(p, here(), each);
    CAPTURE(plan.text());
    workspace_of workspace(plan);
    products<bf16> one(p, ragged, 18), other(p, std::vector<int>(14, 80), 19);
    right_c right(one), right_of_other(other);
    stream on;
    for (int turn = 0; turn < 3; ++turn) {
      check(enqueue_products(plan, one.operands(workspace.data()), on));
      check(enqueue_products(plan, other.operands(workspace.data()), on));
    }
    finish(on);
    CHECK(one.wrong(right) == 0);
    CHECK(other.wrong(right_of_other) == 0);
  }
}

HOPPER_TEST("a graph of products serves other sizes in each replay", "[grouped]") {
  std::mt19937 random(5);
  std::vector<std::vector<int>> sizes{ragged, std::vector<int>(14, 0), std::vector<int>(14, 200), {2800}};
  sizes.back().resize(14);
  for (int more = 0; more < 3; ++more) sizes.push_back(random_rows(random, 14, 200));
  for (const int cluster : {1, 2}) {
    for (const bool draws : {false, true}) {
      for (const auto sequence : {heddle::group_sequence::as_numbered, heddle::group_sequence::heaviest_first}) {
        const ::grouped::problem p{.rows = 2800, .groups = 14, .n = 520, .k = 264};
        const ::grouped::plan plan(p, here(), told(cluster, draws, sequence));
        CAPTURE(plan.text());
        products<bf16> some(p, ragged, 20);
        replays_with_other_sizes(some, plan, sizes);
      }
    }
  }
}

HOPPER_TEST("products of groups run on two streams at once", "[grouped]") {
  const ::grouped::problem p{.rows = 3000, .groups = 14, .n = 776, .k = 520};
  for (const int cluster : {1, 2}) {
    const ::grouped::plan plan(p, here(), told(cluster));
    CAPTURE(plan.text());
    products<bf16> one(p, ragged, 21), other(p, std::vector<int>(14, 210), 22);
    on_two_streams(one, other, plan);
  }
}

TEST_CASE("a plan draws tiles below two tiles of rows in the mean group, and has two heights below four", "[grouped]") {
  const gemm::device device{90, heddle::predict::h200()};
  for (const int groups : {1, 8, 100}) {
    for (const long long rows : {0, 1, 255, 256, 511, 512, 4096}) {
      CAPTURE(groups, rows);
      const ::grouped::problem p{.rows = groups * rows, .groups = groups, .n = 256, .k = 64};
      const ::grouped::choice by = ::grouped::plan(p, device).choice();
      CHECK((by.by.schedule == heddle::recipe::late_ticket) == (rows < 256));
      CHECK(by.is_low == (rows < 512));
      const std::vector<int> even(static_cast<std::size_t>(groups), static_cast<int>(rows));
      CHECK(::grouped::advised(p, device, even).is_low == (rows < 512));
    }
  }
}

HOPPER_TEST("products of groups refuse what cannot be right by name", "[grouped]") {
  const auto of_plan = [&](::grouped::problem p, ::grouped::choice by = {}) {
    return refusal([&] { ::grouped::plan(p, here(), by); });
  };
  const auto of_plan_by_k = [&](::grouped::problem_by_k p) {
    return refusal([&] { ::grouped::plan_by_k(p, here()); });
  };
  const ::grouped::problem p{.rows = 64, .groups = 2, .n = 32, .k = 16};
  const ::grouped::problem_by_k by_k{.rows = 64, .groups = 2, .m = 32, .n = 16};
  CHECK(of_plan({64, 2, 12, 16}) == "grouped: n is 12; it must be a multiple of 8");
  CHECK(of_plan({64, 2, 32, 20}) == "grouped: k is 20; it must be a multiple of 8");
  CHECK(of_plan({64, 2, -8, 16}) == "grouped: n is -8; it must be at least 0");
  CHECK(of_plan({64, 2, 32, -1}) == "grouped: k is -1; it must be at least 0");
  CHECK(of_plan({64, 2, 32, 0}) == "grouped: k is 0; it must be at least 8");
  CHECK(of_plan_by_k({64, 2, 12, 16}) == "grouped: m is 12; it must be a multiple of 8");
  CHECK(of_plan_by_k({64, 2, 32, 20}) == "grouped: n is 20; it must be a multiple of 8");
  CHECK(ends_with(of_plan({-1, 2, 32, 16}), "rows is -1; it must be at least 0"));
  CHECK(ends_with(of_plan({64, -2, 32, 16}), "groups is -2; it must be at least 0"));
  CHECK(ends_with(of_plan({1LL << 31, 2, 32, 16}), "rows is 2147483648; it must be at most 2147483647"));
  CHECK(ends_with(of_plan({0x7fffffff, 0x7fffffff, 1024, 16}), "it must be at most 2147483647"));
  CHECK(ends_with(of_plan_by_k({-1, 2, 32, 16}), "rows is -1; it must be at least 0"));
  CHECK(ends_with(of_plan_by_k({64, -2, 32, 16}), "groups is -2; it must be at least 0"));
  CHECK(ends_with(of_plan_by_k({64, 0x7fffffff, 1024, 1024}), "it must be at most 2147483647"));
  CHECK(ends_with(of_plan(p, {{.width = 0}}), "width is 0; it must be at least 1"));
  CHECK(of_plan(p, told(3)) == "grouped: cluster is 3; it must be at most 2");
  CHECK(of_plan(p, told(0)) == "grouped: cluster is 0; it must be at least 1");

  const ::grouped::plan plan(p, here());
  const ::grouped::plan_by_k plan_by_k(by_k, here());
  device_array<char> memory(4096, 0);
  char* const at = memory.data();
  const ::grouped::operands good{at, at, reinterpret_cast<int*>(at), at, at};
  const auto refused = [&](auto spoil) {
    ::grouped::operands operands = good;
    spoil(operands);
    const std::string text = refusal([&] { static_cast<void>(enqueue_products(plan, operands, nullptr)); });
    CHECK(refusal([&] { static_cast<void>(enqueue_products(plan_by_k, operands, nullptr)); }) == text);
    return text;
  };
  CHECK(refused([](auto& o) { o.a = nullptr; }) == "grouped: a is 0; it must be at least 1");
  CHECK(refused([](auto& o) { o.b = nullptr; }) == "grouped: b is 0; it must be at least 1");
  CHECK(refused([](auto& o) { o.c = nullptr; }) == "grouped: c is 0; it must be at least 1");
  CHECK(refused([](auto& o) { o.ends = nullptr; }) == "grouped: ends is 0; it must be at least 1");
  CHECK(refused([](auto& o) { o.workspace = nullptr; }) == "grouped: workspace is 0; it must be at least 1");
  CHECK(ends_with(refused([&](auto& o) { o.a = at + 8; }), "it must be a multiple of 16"));
  CHECK(ends_with(refused([&](auto& o) { o.b = at + 2; }), "it must be a multiple of 16"));
  CHECK(ends_with(refused([&](auto& o) { o.c = at + 8; }), "it must be a multiple of 16"));
  CHECK(ends_with(refused([&](auto& o) { o.ends = reinterpret_cast<int*>(at + 2); }), "it must be a multiple of 4"));
  CHECK(ends_with(refused([&](auto& o) { o.workspace = at + 16; }), "it must be a multiple of 256"));
}

HOPPER_TEST("products by k of groups agree with double precision", "[grouped]") {
  const std::vector<int> sizes{0, 1, 31, 32, 0, 33, 63, 64, 65, 1024, 0, 7};
  for (const auto& [m, n] : {std::pair{8, 8}, {72, 136}, {128, 256}, {200, 328}, {520, 264}, {264, 1000}}) {
    const ::grouped::problem_by_k p{
        .rows = sum_of(sizes) + 40, .groups = static_cast<int>(sizes.size()), .m = m, .n = n};
    products_by_k<bf16> in_bf16(p, sizes, 23);
    agrees(in_bf16, ::grouped::plan_by_k(p, here()));
    products_by_k<fp16> in_fp16({p.rows, p.groups, m, n, gemm::element::fp16}, sizes, 24);
    agrees(in_fp16, ::grouped::plan_by_k(in_fp16.p, here()));
  }
}

HOPPER_TEST("products by k of random groups agree with double precision", "[grouped]") {
  std::mt19937 random(6);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int round = 0; round < rounds(60); ++round) {
    const int groups = 1 + below(20);
    const std::vector<int> rows = random_rows(random, groups, kernels_overlap() ? 400 : 100);
    const ::grouped::problem_by_k p{.rows = sum_of(rows) + below(2) * below(300),
                                    .groups = groups,
                                    .m = 8 * (1 + below(60)),
                                    .n = 8 * (1 + below(60))};
    products_by_k<bf16> some(p, rows, random());
    agrees(some, ::grouped::plan_by_k(p, here()));
  }
}

HOPPER_TEST("products by k agree if one group has all rows, none has any, and with 1 and 4096 of them", "[grouped]") {
  const auto agree = [&](const std::vector<int>& rows, int slack, int m, int n) {
    const ::grouped::problem_by_k p{
        .rows = sum_of(rows) + slack, .groups = static_cast<int>(rows.size()), .m = m, .n = n};
    products_by_k<bf16> some(p, rows, 25);
    agrees(some, ::grouped::plan_by_k(p, here()));
  };
  agree(std::vector<int>(16, 0), 0, 136, 264);
  agree(std::vector<int>(16, 0), 100, 136, 264);
  std::vector<int> rows(16, 0);
  rows[9] = kernels_overlap() ? 5000 : 300;
  agree(rows, 0, 136, 264);
  for (const int all : {0, 1, 64, 100}) agree({all}, 3, 136, 264);
  agree(std::vector<int>(4096, 1), 0, 24, 40);
  agree({}, 100, 136, 264);
  agree({100, 0, 30}, 0, 0, 264);
  agree({100, 0, 30}, 0, 136, 0);
}

HOPPER_TEST("NaN and infinity stay in their group of a product by k", "[grouped]") {
  const std::vector<int> rows{33, 1, 0, 64, 31, 100};  // groups end within steps of k, next to rows of the next group
  const ::grouped::problem_by_k p{.rows = sum_of(rows) + 50, .groups = 6, .m = 136, .n = 328};
  for (const int row : {0, 32, 33, 34, 97, 98, 128, 129, 228}) {
    for (const float value : {NAN, INFINITY}) {
      CAPTURE(row, value);
      products_by_k<bf16> some(p, rows, 26);
      put(some.a.data() + static_cast<long long>(row) * p.m + 5, value);
      agrees(some, ::grouped::plan_by_k(p, here()));
      products_by_k<bf16> other(p, rows, 27);
      put(other.b.data() + static_cast<long long>(row) * p.n + 300, value);
      agrees(other, ::grouped::plan_by_k(p, here()));
    }
  }
}

HOPPER_TEST("a graph of products by k serves other sizes in each replay", "[grouped]") {
  std::mt19937 random(7);
  std::vector<std::vector<int>> sizes{std::vector<int>(14, 0), std::vector<int>(14, 100), {1400}};
  sizes.back().resize(14);
  for (int more = 0; more < 3; ++more) sizes.push_back(random_rows(random, 14, 100));
  const ::grouped::problem_by_k p{.rows = 1400 + 14 * 140, .groups = 14, .m = 136, .n = 264};
  products_by_k<bf16> some(p, sizes[0], 28);
  replays_with_other_sizes(some, ::grouped::plan_by_k(p, here()), sizes);
}

HOPPER_TEST("products by k run on two streams at once", "[grouped]") {
  const ::grouped::problem_by_k p{.rows = 2000, .groups = 14, .m = 328, .n = 264};
  products_by_k<bf16> one(p, ragged, 29), other(p, std::vector<int>(14, 140), 30);
  on_two_streams(one, other, ::grouped::plan_by_k(p, here()));
}
