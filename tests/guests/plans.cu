// What the adapter builds of a problem, a cluster and a recipe, on the host.

#include <cutlass/gemm/group_array_problem_shape.hpp>
#include <heddle/guest/cutlass.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/recipe/with.hpp>
#include <heddle/schedule/numbered_ticket.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "refusal.hpp"
#include "test.hpp"

using namespace heddle;
using guest::cutlass_launch;
using guest::usual_bands;
using guest::usual_order;

namespace {

using cute::Int;
using cute::Shape;

constexpr int multiprocessors = 132;
alignas(16) unsigned long long state[16];

struct problem {
  int m, n, planes;
};

std::vector<recipe> recipes(extent clusters) {
  std::vector<recipe> all;
  for (const auto order : {recipe::row_major, recipe::column_major, recipe::thread_group_tiling, recipe::cta_swizzle,
                           recipe::hilbert, recipe::dilated}) {
    for (const int variant : {0, 1, 2, 3, 4}) {
      recipe by{.order = order};
      if (by.has_width()) by.width = 1 + 3 * variant;
      if (by.has_axis()) by.axis = variant % 2 == 0 ? axis::x : axis::y;
      if (by.has_step()) by.step = {1 + variant, 2};
      by.transposed = variant == 1;
      by.reversed = variant == 2;
      by.first = variant == 3 ? clusters.size() / 3 : 0;
      by.interleave = variant == 4 ? 2 : 1;
      by.schedule = variant == 0 ? recipe::strided : variant == 1 ? recipe::ticket : recipe::one_shot;
      all.push_back(by);
    }
  }
  return all;
}

/// The i-th cluster of a batch whose planes come `interleave` at a time, counted one by one.
std::vector<batch_coord> expected_order(const recipe& by, extent clusters, int planes) {
  std::vector<coord> plane;
  with_recipe(by, clusters, [&](const auto& order) {
    for (int i = 0; i < order.size(); ++i) plane.push_back(order(i));
    return 0;
  });
  std::vector<batch_coord> all;
  for (int begin = 0; begin < planes; begin += by.interleave) {
    for (const coord at : plane) {
      for (int one = begin; one < std::min(begin + by.interleave, planes); ++one) all.push_back({one, at.row, at.col});
    }
  }
  return all;
}

template <class Adapter, class Tile, class Cluster>
void is_as_expected(const problem& of, const cutlass_launch& by, const std::vector<batch_coord>& expected) {
  const cutlass::KernelHardwareInfo hardware{0, multiprocessors};
  const auto shape = cute::make_tuple(of.m, of.n, 64, of.planes);
  const auto params = Adapter::to_underlying_arguments(shape, Tile{}, Cluster{}, hardware, by, state);
  const auto& order = params.tiles.value.order();
  REQUIRE(order.size() == static_cast<int>(expected.size()));
  bool is_same = true;
  for (int i = 0; i < order.size(); ++i) is_same &= order(i) == expected[static_cast<std::size_t>(i)];
  CHECK(is_same);

  const dim3 grid = Adapter::get_grid_shape(params, shape, Tile{}, Cluster{}, hardware);
  constexpr unsigned rows = cute::size<0>(Cluster{}), cols = cute::size<1>(Cluster{});
  const unsigned workers = grid.x / rows;
  CHECK((grid.x % rows == 0 && grid.y == cols && grid.z == 1));
  CHECK((workers >= 1 && workers <= std::max<std::size_t>(1, expected.size()) &&
         workers * rows * cols <= multiprocessors));
  // Groups of 18 multiprocessors cut into clusters leave some over: CUTLASS launches 29 clusters of 2 x 2.
  const bool is_full = workers == expected.size() || (workers + 4) * rows * cols >= multiprocessors;
  CHECK((is_full || expected.empty()));
  CHECK(Adapter::can_implement(by));
}

int plans = 0;

template <class Tile, class Cluster>
void obeys_the_law(const problem& of) {
  constexpr extent in_cluster{cute::size<0>(Cluster{}), cute::size<1>(Cluster{})};
  const extent unit{cute::size<0>(Tile{}) * in_cluster.rows, cute::size<1>(Tile{}) * in_cluster.cols};
  const extent clusters = ceil_div(of.m, of.n, unit);
  using dealer = heddle::detail::guest::cutlass_tiles<heddle::detail::guest::of_planes, Cluster, strided>;
  using drawer = heddle::detail::guest::cutlass_tiles<heddle::detail::guest::of_planes, Cluster, ticket>;
  is_as_expected<dealer, Tile, Cluster>(of, {}, expected_order(usual_order(clusters), clusters, of.planes));
  for (recipe by : recipes(clusters)) {
    CAPTURE(of.m, of.n, of.planes, in_cluster.rows, in_cluster.cols, to_string(by));
    const auto table = make_tile_table(by, clusters);
    cutlass_launch launch{};
    launch.launch = by;
    launch.table = any_order<>::needs_table(by) ? table.data() : nullptr;
    const auto expected = expected_order(by, clusters, of.planes);
    CHECK(static_cast<long long>(expected.size()) == 1LL * clusters.size() * of.planes);
    is_as_expected<dealer, Tile, Cluster>(of, launch, expected);
    is_as_expected<drawer, Tile, Cluster>(of, launch, expected);
    ++plans;
  }
}

template <class Tile>
void in_each_cluster(const problem& of) {
  obeys_the_law<Tile, Shape<Int<1>, Int<1>, Int<1>>>(of);
  obeys_the_law<Tile, Shape<Int<2>, Int<1>, Int<1>>>(of);
  obeys_the_law<Tile, Shape<Int<1>, Int<2>, Int<1>>>(of);
  obeys_the_law<Tile, Shape<Int<2>, Int<2>, Int<1>>>(of);
}

using shapes = cutlass::gemm::GroupProblemShape<Shape<int, int, int>>;
template <class Cluster, template <class> class Scheduler>
using groups_in = heddle::detail::guest::cutlass_tiles<heddle::detail::guest::of_groups<shapes, 8>, Cluster, Scheduler>;

int group_plans = 0;

/// Counts what the blocks of all clusters take of random groups, empty ones among them.
template <class Tile, class Cluster, template <class> class Scheduler>
void takes_each_tile_of_groups_once(std::mt19937& random, int width, axis along, group_sequence sequence) {
  constexpr extent in_cluster{cute::size<0>(Cluster{}), cute::size<1>(Cluster{})};
  constexpr extent tile{cute::size<0>(Tile{}), cute::size<1>(Tile{})};
  const int n = static_cast<int>(1 + random() % 1200);
  std::vector<int> rows(1 + random() % 12), ends(rows.size());
  for (int& each : rows) each = random() % 3 == 0 ? 0 : static_cast<int>(1 + random() % 1500);
  std::partial_sum(rows.begin(), rows.end(), ends.begin());
  const group_shape shape{.rows = ends.back(),
                          .groups = static_cast<int>(rows.size()),
                          .tile_rows = tile.rows * in_cluster.rows,
                          .cols = ceil_div(1, n, {1, tile.cols * in_cluster.cols}).cols};
  std::vector<unsigned long long> memory(grouped::state_bytes(shape) / 8 + 1);
  guest::cutlass_groups launch{};
  launch.order = grouped{shape, memory.data(), width, along, sequence}.on_host(ends.data());

  using adapter = groups_in<Cluster, Scheduler>;
  const cutlass::KernelHardwareInfo hardware{0, multiprocessors};
  const shapes problem{static_cast<int>(rows.size())};
  const auto params = adapter::to_underlying_arguments(problem, Tile{}, Cluster{}, hardware, launch, state);
  const auto& order = params.tiles.value.order();
  std::map<std::tuple<int, int, int>, int> taken;
  for (int i = 0; i < order.size(); ++i) {
    const auto [group, row, col] = order(i);
    for (int block = 0; block < in_cluster.size(); ++block) {
      ++taken[{group, row * in_cluster.rows + block / in_cluster.cols,
               col * in_cluster.cols + block % in_cluster.cols}];
    }
  }
  std::size_t clusters = 0;
  bool is_once = true;
  for (int group = 0; group < shape.groups; ++group) {
    const extent all = ceil_div(rows[static_cast<std::size_t>(group)], n, tile);
    clusters += static_cast<std::size_t>(ceil_div(all, in_cluster).size());
    for (int i = 0; i < all.size(); ++i) is_once &= taken[{group, i / all.cols, i % all.cols}] == 1;
  }
  CHECK(is_once);
  CHECK(taken.size() == clusters * static_cast<std::size_t>(in_cluster.size()));  // and no cluster outside

  const dim3 grid = adapter::get_grid_shape(params, problem, Tile{}, Cluster{}, hardware);
  CHECK((grid.x % in_cluster.rows == 0 && grid.y == in_cluster.cols && grid.z == 1 && grid.x >= in_cluster.rows));
  CHECK(grid.x * grid.y <= multiprocessors);
  CHECK((grid.x * grid.y / in_cluster.size() >= clusters || (grid.x + 4) * grid.y + 16 >= multiprocessors));
  CHECK(adapter::can_implement(launch, hardware));
  ++group_plans;
}

template <class Cluster>
void in_each_order_of_groups() {
  std::mt19937 random(9);
  for (const int width : {1, 2, 4, 8}) {
    for (const axis along : {axis::x, axis::y}) {
      for (const auto sequence :
           {group_sequence::as_numbered, group_sequence::heaviest_first, group_sequence::lightest_first}) {
        CAPTURE(width, static_cast<int>(along), static_cast<int>(sequence));
        takes_each_tile_of_groups_once<Shape<Int<128>, Int<256>, Int<64>>, Cluster, strided>(random, width, along,
                                                                                             sequence);
        takes_each_tile_of_groups_once<Shape<Int<64>, Int<128>, Int<64>>, Cluster, numbered_ticket>(random, width,
                                                                                                    along, sequence);
      }
    }
  }
}

using large = Shape<Int<128>, Int<256>, Int<64>>;
using small = Shape<Int<64>, Int<128>, Int<64>>;
using one_by_two = Shape<Int<1>, Int<2>, Int<1>>;

}  // namespace

TEST_CASE("guests: the adapter's order is the recipe's, plane by plane, with no tile outside", "[guests]") {
  for (const problem& of : {problem{1, 1, 1},
                            {128, 256, 1},
                            {129, 256, 1},
                            {128, 257, 3},
                            {4096, 4096, 1},
                            {4352, 4352, 1},
                            {1000, 1368, 2},
                            {8, 9000, 1},
                            {9000, 8, 5},
                            {2304, 5120, 1},
                            {0, 512, 1},
                            {512, 0, 2},
                            {512, 512, 0}}) {
    in_each_cluster<large>(of);
  }
  for (const problem& of :
       {problem{64, 128, 1}, {65, 129, 7}, {2048, 2048, 2}, {520, 776, 3}, {1, 4000, 1}, {4000, 1, 1}}) {
    in_each_cluster<small>(of);
  }
  CHECK(plans == 2280);
}

TEST_CASE("guests: without a recipe bands of eight clusters go along the longer side", "[guests]") {
  static_assert(usual_order({32, 64}) == recipe{.order = recipe::cta_swizzle, .width = 8, .axis = axis::y});
  static_assert(usual_order({64, 32}) == recipe{.order = recipe::cta_swizzle, .width = 8, .axis = axis::x});
  static_assert(usual_bands(group_shape{9000, 3, 256, 7}).axis == axis::x);
  static_assert(usual_bands(group_shape{9000, 3, 256, 8}).axis == axis::y);
}

TEST_CASE("guests: what a kernel cannot follow is refused with a reason", "[guests]") {
  const auto says = [](recipe by, bool draws, const char* words) {
    cutlass_launch launch{};
    launch.launch = by;
    const char* const reason = launch.refusal({1, 2}, draws);
    CAPTURE(words);
    CHECK((reason != nullptr && std::string(reason).find(words) != std::string::npos));
    const bool is_taken =
        draws
            ? heddle::detail::guest::cutlass_tiles<heddle::detail::guest::of_planes, one_by_two, ticket>::can_implement(
                  launch)
            : heddle::detail::guest::cutlass_tiles<heddle::detail::guest::of_planes, one_by_two,
                                                   strided>::can_implement(launch);
    CHECK(!is_taken);
  };
  for (const bool draws : {false, true}) {
    for (const auto schedule :
         {recipe::chunked, recipe::sm_affine, recipe::work_stealing, recipe::cluster_launch, recipe::stream_k}) {
      says({.schedule = schedule}, draws, "the tag deals or draws");
    }
    says({.cluster = {2, 1}}, draws, "are not those of the kernel");
    says({.order = recipe::morton}, draws, "needs a table");
    says({.order = recipe::thread_group_tiling}, draws, "width");
    says({.interleave = 0}, draws, "interleave");
    says({.first = -1}, draws, "first");
  }
  says({.schedule = recipe::late_ticket}, false, "needs the tag drawn");
}

TEST_CASE("guests: what depends on the problem is refused where parameters are built", "[guests]") {
  using dealer = heddle::detail::guest::cutlass_tiles<heddle::detail::guest::of_planes, one_by_two, strided>;
  cutlass_launch launch{};
  launch.launch = recipe{.first = 5};
  const auto build = [&] {
    return dealer::to_underlying_arguments(cute::make_tuple(256, 1024, 64, 1), large{}, one_by_two{}, {}, launch);
  };
  CHECK(heddle_test::refusal(build).find("heddle::any_order: first") == 0);
}

TEST_CASE("guests: a query without a workspace builds no scheduler, and a launch without one is refused", "[guests]") {
  using drawer = heddle::detail::guest::cutlass_tiles<heddle::detail::guest::of_planes, one_by_two, ticket>;
  const auto params =
      drawer::to_underlying_arguments(cute::make_tuple(256, 1024, 64, 1), large{}, one_by_two{}, {}, {});
  CHECK((params.blocks.x == 2 && params.blocks.y == 4));
  CHECK((drawer::get_workspace_size<int, float>(0)) == ticket<>::state_bytes());
  CHECK((drawer::initialize_workspace<int, float>({}, nullptr, nullptr)) == cutlass::Status::kErrorWorkspaceNull);
}

TEST_CASE("guests: blocks take each tile of each group once, with empty groups and in every cluster", "[guests]") {
  in_each_order_of_groups<Shape<Int<1>, Int<1>, Int<1>>>();
  in_each_order_of_groups<Shape<Int<2>, Int<1>, Int<1>>>();
  in_each_order_of_groups<Shape<Int<1>, Int<2>, Int<1>>>();
  in_each_order_of_groups<Shape<Int<2>, Int<2>, Int<1>>>();
  CHECK(group_plans == 192);
}

TEST_CASE("guests: an order that is not of the groups is refused with a reason", "[guests]") {
  using adapter = groups_in<one_by_two, numbered_ticket>;
  guest::cutlass_groups launch{};
  CHECK(std::string(launch.refusal({1, 2}, true)).find("an order") != std::string::npos);
  CHECK(!adapter::can_implement(launch));
  CHECK(heddle_test::refusal([&] {
          return adapter::to_underlying_arguments(shapes{}, large{}, one_by_two{}, {}, launch, state);
        }).find("heddle::guest: groups need an order") == 0);
  launch.order = grouped{{.rows = 1000, .groups = 2, .tile_rows = 128, .cols = 3}, state};
  const auto refusal_of = [&](const shapes& problem) {
    return heddle_test::refusal(
        [&] { return adapter::to_underlying_arguments(problem, large{}, one_by_two{}, {}, launch, state); });
  };
  const Shape<int, int, int> of_three[]{{500, 1536, 64}, {500, 1025, 8}}, of_two[]{{500, 1536, 64}, {500, 1024, 8}};
  CHECK(refusal_of({2, nullptr, of_three}) == "not refused");
  CHECK(refusal_of({3}).find("heddle::guest: groups of the order is 2") == 0);
  CHECK(refusal_of({2, nullptr, of_two}).find("heddle::guest: columns of the order is 3") == 0);
}

TEST_CASE("guests: kernels for sm_100 are refused", "[guests]") {
  using scheduler = cutlass::gemm::kernel::detail::TileSchedulerSelector<guest::drawn, cutlass::arch::Sm100, large,
                                                                         one_by_two, 2>::Scheduler;
  scheduler::Arguments launch{};
  launch.launch = recipe{};
  CHECK(!scheduler::can_implement(launch));
}
