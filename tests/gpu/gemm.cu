#include "gemm.hpp"

#include "gemm/tune.hpp"
#include "gemm/variant.hpp"
#include "refusal.hpp"

using namespace heddle_test;

namespace {

int shapes() {
  return kernels_overlap() ? 220 : 6;  // under a tool that checks every access
}

gemm::choice in_bands(const gemm::variant* variant, int width, heddle::axis axis = heddle::axis::y, int sharers = 0,
                      int seats = 0) {
  gemm::choice told{.variant = variant, .seats = seats};
  told.by.width = width, told.by.axis = axis, told.by.sharers = sharers;
  return told;
}

template <class Element>
void random_shapes(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int round = 0; round < shapes() / 2; ++round) {
    const auto extent = [&] { return 1 + below(kernels_overlap() ? (below(2) == 0 ? 3000 : 300) : 200); };
    gemm::problem p{.m = extent(),
                    .n = extent(),
                    .k = extent(),
                    .element = element_of<Element>,
                    .a = layouts[below(2)],
                    .b = layouts[below(2)]};
    if (below(2) == 0) p.m = (p.m + 7) / 8 * 8, p.n = (p.n + 7) / 8 * 8, p.k = (p.k + 7) / 8 * 8;  // aligned
    const float factors[] = {1, 0, -0.75f};
    const auto pad = [&] { return below(2) == 0 ? 8 * below(4) : below(9); };
    product<Element> one(p, factors[below(8) == 0 ? 1 : below(2) * 2], factors[below(3)], pad(), pad(), pad(),
                         below(3) == 0 ? 1 + below(7) : 0, random());
    if (below(2) == 0) {
      agrees(one, gemm::plan(p, here()));
    } else {
      const auto all = gemm::variants(p, here());
      const gemm::variant* const variant = all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
      const auto axis = below(2) == 0 ? heddle::axis::x : heddle::axis::y;
      const int sharers = below(2) == 0 || variant->draws() ? 0 : 1 + below(132);
      const gemm::choice told = in_bands(variant, 1 + below(12), axis, sharers);
      agrees(one, gemm::plan(p, here(), told));
    }
  }
}

}  // namespace

HOPPER_TEST("gemm in bf16 and fp16 agrees with double precision in every layout over random shapes", "[gemm]") {
  random_shapes<bf16>(1);
  random_shapes<fp16>(2);
}

HOPPER_TEST("gemm agrees with double precision with every built-in kernel in every layout", "[gemm]") {
  for (const auto a : layouts) {
    for (const auto b : layouts) {
      gemm::problem p{.m = 712, .n = 808, .k = 1032, .a = a, .b = b};
      if (!kernels_overlap()) p.m = 328, p.n = 296, p.k = 136;
      for (const gemm::variant* variant : gemm::variants(p, here())) {
        for (const int sharers : {0, 7, 132}) {
          if (sharers > 0 && variant->draws()) continue;
          for (const float beta : {0.0f, 1.0f}) {
            product<bf16> one(p, 1, beta, 0, 0, 0, 0, 3);
            agrees(one, gemm::plan(p, here(), in_bands(variant, 3, heddle::axis::x, sharers)));
          }
        }
        const auto entries = make_tile_table(heddle::hilbert{gemm::places_of(p, {variant})});
        device_array table(static_cast<std::size_t>(entries.size()), entries.data());
        product<bf16> by_table(p, 1, 0, 0, 0, 0, 0, 3);
        agrees(by_table, gemm::plan(p, here(), {variant, {heddle::recipe::hilbert}, 0, table.data()}));
        if (!variant->is_wgmma() || variant->is_along_k()) continue;
        product<bf16> seated(p, 1, 0, 0, 0, 0, 0, 3);
        agrees(seated, gemm::plan(p, here(), in_bands(variant, 3, heddle::axis::x, 0, 3)));
      }
    }
  }
}

// Tiles of few steps are stored while the next are multiplied, and the warps of a warpgroup drift apart.
HOPPER_TEST("gemm agrees with double precision in many tiles of few steps", "[gemm]") {
  const int scale = kernels_overlap() ? 1 : 4;
  for (const auto& [m, n, k] : {std::array{1706, 7880, 72}, {1000, 3528, 264}, {4000, 3000, 8}}) {
    const gemm::problem p{.m = m / scale, .n = n / scale / 8 * 8, .k = k};
    for (const gemm::variant* variant : gemm::variants(p, here())) {
      product<bf16> one(p, 1, 0, 0, 0, 0, 0, 10);
      for (int turn = 0; turn < 3; ++turn) agrees(one, gemm::plan(p, here(), in_bands(variant, 8)), turn, 3);
    }
  }
}

HOPPER_TEST("gemm agrees with double precision in the shapes of the benchmark", "[gemm]") {
  if (!kernels_overlap()) return skip("too many elements for a tool that checks every access");
  for (const auto& [m, n, k] : {std::array{8192, 8192, 8192},
                                {5000, 5000, 5000},
                                {4224, 8448, 4096},
                                {16, 8192, 8192},
                                {128, 8192, 8192},
                                {1024, 8192, 8192},
                                {3000, 3000, 3000},
                                {8192, 8192, 512},
                                {4096, 4096, 14336}}) {
    const gemm::problem p{.m = m, .n = n, .k = k};
    product<bf16> one(p, 1, 0, 0, 0, 0, 0, 4);
    agrees(one, gemm::plan(p, here()), m / 3, std::max(1, m / 5));
  }
}

namespace {

/// Counts elements that are not those of A, of which B picks columns, and overwrites C.
__global__ void count_wrong(bf16* c, long long m, long long n, const bf16* a, int k, unsigned* wrong) {
  const auto stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < m * n; i += stride) {
    if (__bfloat162float(c[i]) != __bfloat162float(a[i / n * k + i % n % k])) atomicAdd(wrong, 1u);
    c[i] = __float2bfloat16(NAN);
  }
}

}  // namespace

HOPPER_TEST("gemm takes a C of more than 2^31 elements with every built-in kernel", "[gemm]") {
  if (!kernels_overlap()) return skip("too many elements for a tool that checks every access");
  const gemm::problem p{.m = 46344, .n = 46352, .k = 64, .b = gemm::layout::column_major};
  matrix<bf16> a(p.m, p.k, p.k);
  a.fill_at_random(1);
  std::vector<bf16> picks(static_cast<std::size_t>(p.n) * static_cast<std::size_t>(p.k), __float2bfloat16(0));
  for (std::size_t col = 0; col < static_cast<std::size_t>(p.n); ++col)
    picks[col * 64 + col % 64] = __float2bfloat16(1);
  device_array<bf16> b(picks), c(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n), 0);
  device_array<unsigned> wrong(1, 0);
  const auto is_right = [&](const gemm::plan& plan) {
    CAPTURE(plan.text());
    device_array<char> workspace(plan.workspace_bytes(), 0);
    stream on;
    check(gemm::gemm(plan, {a.data(), p.k, b.data(), p.k, c.data(), p.n, 1, 0, workspace.data()}, on));
    count_wrong<<<1024, 256, 0, on>>>(c.data(), p.m, p.n, a.data(), p.k, wrong.data());
    check(cudaGetLastError());
    finish(on);
    CHECK(wrong.read().front() == 0);
  };
  is_right(gemm::plan(p, here()));
  for (const gemm::variant* variant : gemm::variants(p, here())) {
    is_right(gemm::plan(p, here(), in_bands(variant, 8)));
  }
}

HOPPER_TEST("gemm of no extent does nothing, and of no steps scales C", "[gemm]") {
  for (const auto& [m, n, k] : {std::array{0, 8, 8}, {8, 0, 8}, {0, 0, 0}, {300, 200, 0}, {1, 1, 1}, {1, 777, 1}}) {
    for (const float beta : {0.0f, 1.0f, 0.5f}) {
      product<fp16> one({.m = m, .n = n, .k = k, .element = gemm::element::fp16}, 1, beta, 0, 0, 0, 0, 5);
      agrees(one, gemm::plan(one.p, here()));
    }
  }
  product<bf16> one({.m = 65, .n = 264, .k = 512}, 0, 0.5f, 0, 0, 0, 0, 6);
  const std::vector<double> expected = one.expected();
  gemm::operands operands = one.operands(nullptr);
  operands.a = operands.b = nullptr;  // alpha is 0: they are not read
  const gemm::plan plan(one.p, here());
  device_array<char> workspace(plan.workspace_bytes(), 0);
  operands.workspace = workspace.data();
  check(gemm::gemm(plan, operands, nullptr));
  check(cudaDeviceSynchronize());
  CHECK(one.error(expected) <= 1e-2);
}

HOPPER_TEST("gemm lets NaN and infinity pass through", "[gemm]") {
  const gemm::problem p{.m = 200, .n = 328, .k = 264};
  for (const gemm::variant* variant : gemm::variants(p, here())) {
    product<bf16> one(p, 1, 0, 0, 0, 0, 0, 7);
    const auto put = [](bf16* at, float value) {
      const bf16 element = __float2bfloat16(value);
      to_device(at, &element, sizeof element);
    };
    put(one.a.data() + 17 * one.a.pitch() + 100, NAN);
    put(one.a.data() + 150 * one.a.pitch() + 3, INFINITY);
    const gemm::plan plan(p, here(), in_bands(variant, 8, heddle::axis::y, variant->draws() ? 0 : 5));
    device_array<char> workspace(plan.workspace_bytes(), 0);
    check(gemm::gemm(plan, one.operands(workspace.data()), nullptr));
    check(cudaDeviceSynchronize());
    const std::vector<unsigned short> words = one.c.words();
    int wrong = 0;
    for (int row = 0; row < p.m; ++row) {
      for (int col = 0; col < p.n; ++col) {
        const float value = product<bf16>::value(words[one.c.index(row, col)]);
        wrong += row == 17 ? !std::isnan(value) : row == 150 ? !std::isinf(value) : !std::isfinite(value);
      }
    }
    CAPTURE(plan.text());
    CHECK(wrong == 0);
  }
}

HOPPER_TEST("gemm gives the same from a graph again and again and on two streams at once", "[gemm]") {
  const gemm::problem p{.m = 1000, .n = 1096, .k = 2056};
  for (const gemm::variant* variant : gemm::variants(p, here())) {
    const bool has_seats = variant->is_wgmma() && !variant->is_along_k();
    const gemm::plan plan(p, here(),
                          in_bands(variant, 4, heddle::axis::y, variant->draws() ? 0 : 132, has_seats ? 4 : 0));
    CAPTURE(plan.text());
    product<bf16> one(p, 1, 0, 0, 0, 0, 0, 8), other(p, 1, 0, 0, 0, 0, 0, 8);
    device_array<char> workspace(plan.workspace_bytes(), 0), other_workspace(plan.workspace_bytes(), 0);
    stream on, beside;
    check(gemm::gemm(plan, one.operands(workspace.data()), on));
    finish(on);
    const std::vector<unsigned short> words = one.c.words();
    one.c.poison();
    const captured_graph graph(on, [&] { check(gemm::gemm(plan, one.operands(workspace.data()), on)); });
    for (int turn = 0; turn < (kernels_overlap() ? 100 : 2); ++turn) {
      graph.replay(on);
      check(gemm::gemm(plan, other.operands(other_workspace.data()), beside));
    }
    finish(on);
    finish(beside);
    CHECK(one.c.words() == words);
    CHECK(other.c.words() == words);
  }
}

// A kernel starts while the one before it ends, which writes what this one reads, and reads what this one writes.
HOPPER_TEST("gemm multiplies what the product before it in the stream stores", "[gemm]") {
  const gemm::problem p{.m = 200, .n = 264, .k = 264};
  for (const gemm::variant* variant : gemm::variants(p, here())) {
    const gemm::plan plan(p, here(), in_bands(variant, 4));
    CAPTURE(plan.text());
    product<bf16> one(p, 0.06f, 0, 0, 0, 0, 0, 12), other(p, 0.06f, 0, 0, 0, 0, 0, 12);
    device_array<char> workspace(plan.workspace_bytes(), 0);
    const gemm::operands first = one.operands(workspace.data());
    gemm::operands there = first, back = first;
    there.a = one.c.data(), there.c = other.c.data();
    back.a = other.c.data(), back.c = one.c.data();
    const auto chain = [&](bool waits) {
      stream on;
      check(gemm::gemm(plan, first, on));
      for (int turn = 0; turn < (kernels_overlap() ? 50 : 2); ++turn) {
        for (const gemm::operands& next : {there, back}) {
          if (waits) finish(on);
          check(gemm::gemm(plan, next, on));
        }
      }
      finish(on);
      return one.c.words();
    };
    const std::vector<unsigned short> expected = chain(true);
    CHECK(chain(false) == expected);
  }
}

// Few tiles and many steps: clusters share tiles, in parts of any length down to one step.
HOPPER_TEST("gemm agrees with double precision along k, with as many parts as a cluster has blocks", "[gemm]") {
  for (const auto& [m, n, k] :
       {std::array{1, 8, 8}, {200, 136, 64}, {129, 264, 520}, {64, 65 * 8, 8 * 64}, {257, 72, 3000}}) {
    const gemm::problem p{.m = m, .n = n, .k = k};
    for (const gemm::variant* variant : gemm::variants(p, here())) {
      if (!variant->is_along_k()) continue;
      const int tiles = gemm::places_of(p, {variant}).size();
      for (int parts = 1; parts <= 9; ++parts) {
        for (const float beta : {0.0f, -0.5f}) {
          product<bf16> one(p, 1, beta, 0, 0, 0, 0, 11);
          agrees(one, gemm::plan(p, here(), in_bands(variant, 2, heddle::axis::x, tiles * parts)));
        }
      }
    }
  }
}

HOPPER_TEST("gemm that shares the GPU is right beside a kernel that holds multiprocessors", "[gemm]") {
  if (!kernels_overlap()) return skip("kernels do not overlap under this tool");
  const gemm::problem p{.m = 3000, .n = 4104, .k = 520, .sharing = true};
  for (const auto& each : gemm::candidates(p, here())) {
    CHECK(each.value.variant->draws());
    const gemm::plan plan(p, here(), each.value);
    CAPTURE(plan.text());
    product<bf16> one(p, 1, 0, 0, 0, 0, 0, 12);
    const std::vector<double> expected = one.expected(3, 7);
    device_array<char> workspace(plan.workspace_bytes(), 0);
    stream on;
    check(gemm::gemm(plan, one.operands(workspace.data()), on));  // loads the kernel
    finish(on);
    for (const int processors : {1, 24, 100}) {
      one.c.poison();
      check(cudaDeviceSynchronize());
      const held others(processors);
      for (int turn = 0; turn < 3; ++turn) check(gemm::gemm(plan, one.operands(workspace.data()), on));
      finish(on);
      CHECK(others.still_holds());
      CHECK(one.error(expected, 3, 7) <= product<bf16>::tolerance());
    }
  }
}

HOPPER_TEST("gemm has candidates in order of time, and each agrees with double precision", "[gemm]") {
  for (const auto& [m, n, k] : {std::array{192, 64, 2048}, {1000, 1528, 264}, {2300, 520, 72}, {0, 8, 8}, {8, 8, 0}}) {
    const gemm::problem p{.m = m, .n = n, .k = k};
    const auto all = gemm::candidates(p, here());
    std::set<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK((i == 0 || all[i - 1].seconds <= all[i].seconds));
      CHECK(names.insert(all[i].name).second);
      const gemm::plan plan(p, here(), all[i].value);
      CHECK(plan.text() == all[i].name);
      CHECK(plan.workspace_bytes() <= gemm::tuning_workspace_bytes(p, here()));
      product<bf16> one(p, 1, 0, 0, 0, 0, 0, 8);
      agrees(one, plan);
    }
    CHECK(gemm::plan(p, here()).text() == all.front().name);
  }
}

HOPPER_TEST("gemm is tuned to a candidate that is no slower, in one workspace for all, and remembers it", "[gemm]") {
  const std::string path = (std::filesystem::temp_directory_path() / "heddle_test_gpu_gemm.json").string();
  std::filesystem::remove(path);
  heddle::wisdom known(path);
  const heddle_test::stream stream;
  int different = 0;
  for (const int pad : {0, 1}) {  // a pitch that Hopper's copies refuse: the portable kernels are tuned
    product<bf16> one({.m = 704, .n = 64, .k = 2048}, 1, 0, pad, 0, 0, 0, 9);
    device_array<char> workspace(gemm::tuning_workspace_bytes(one.p, here()), 0);
    const auto found = gemm::tune(one.p, here(), one.operands(workspace.data()), known, stream, {.budget = 0.1});
    check(found.error);
    CHECK((!found.remembered && found.timed.size() > 1 && found.seconds <= found.timed.front().seconds));
    CHECK((found.value.choice().variant->is_wgmma()) == (pad == 0));
    CHECK(known.message() == "");
    CHECK(one.error(one.expected()) <= 1e-2);  // what the last of the candidates left
    agrees(one, found.value);
    const auto again = gemm::tune(one.p, here(), one.operands(workspace.data()), known, stream);
    CHECK((again.remembered && again.value.text() == found.value.text()));
    different += found.index > 0 ? 1 : 0;
  }
  CHECK(known.size() == 2);
  std::printf("%d of 2 tuned to another choice than the plan's\n", different);
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".lock");
}

HOPPER_TEST("gemm refuses what cannot be right by name", "[gemm]") {
  CHECK(refusal([&] { gemm::plan({.m = -1, .n = 1, .k = 1}, here()); }) ==
        "gemm::problem: m is -1; it must be at least 0");
  CHECK(refusal([&] { gemm::plan({.m = 1, .n = 1, .k = -7}, here()); }) ==
        "gemm::problem: k is -7; it must be at least 0");
  CHECK(refusal([&] { gemm::plan({.m = 1, .n = 0x7fffffff, .k = 1}, here()); }) ==
        "gemm::problem: n is 2147483647; it must be at most 2147483136");
  CHECK(refusal([&] { gemm::plan({.m = 1, .n = 1, .k = 0x7fffffff}, here()); }) ==
        "gemm::problem: k is 2147483647; it must be at most 134217696");
  CHECK(refusal([&] { gemm::plan({.m = 1, .n = 1, .k = 1}, here(), gemm::choice{}); }) ==
        "gemm::choice: variant is 0; it must be at least 1");
  const gemm::variant* const portable = gemm::variants({.m = 1, .n = 1, .k = 1}, here()).back();
  CHECK(refusal([&] { gemm::plan({.m = 1, .n = 1, .k = 1}, here(), in_bands(portable, 8, heddle::axis::x, 0, 4)); }) ==
        "gemm::choice: seats is 4; it must be at most 0");
  for (const gemm::variant* each : gemm::variants({.m = 1, .n = 8, .k = 8}, here())) {
    if (!each->draws()) continue;
    CHECK(refusal([&] { gemm::plan({.m = 1, .n = 8, .k = 8}, here(), in_bands(each, 8, heddle::axis::x, 1)); }) ==
          "gemm::choice: sharers is 1; it must be at most 0");
  }
  const gemm::plan plan({.m = 64, .n = 32, .k = 16}, here());
  alignas(16) static char memory[64];
  const gemm::operands good{memory, 16, memory, 16, memory, 32, 1, 0, memory};
  const auto refused = [&](auto spoil) {
    gemm::operands operands = good;
    spoil(operands);
    return refusal([&] { static_cast<void>(gemm::gemm(plan, operands, nullptr)); });
  };
  CHECK(refused([](auto& o) { o.a = nullptr; }) == "gemm::operands: a is 0; it must be at least 1");
  CHECK(refused([](auto& o) { o.c = nullptr; }) == "gemm::operands: c is 0; it must be at least 1");
  CHECK(refused([](auto& o) { o.lda = 15; }) == "gemm::operands: lda is 15; it must be at least 16");
  CHECK(refused([](auto& o) { o.ldb = 0; }) == "gemm::operands: ldb is 0; it must be at least 16");
  CHECK(refused([](auto& o) { o.ldc = -32; }) == "gemm::operands: ldc is -32; it must be at least 32");
  CHECK(refused([](auto& o) { o.b = memory + 1; }).find("gemm::operands: b is") == 0);
  CHECK(refused([](auto& o) { o.b = memory + 1; }).find("it must be a multiple of 2") != std::string::npos);
  CHECK(refused([](auto& o) { o.workspace = memory + 8; }).find("it must be a multiple of 16") != std::string::npos);
}
