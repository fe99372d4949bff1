// What the adapter builds of a problem, a cluster and a recipe, on the host.

#include <heddle/guest/detail/cutlass_tiles.hpp>
#include <heddle/recipe/text.hpp>
#include <heddle/recipe/with.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <map>
#include <tuple>
#include <vector>

#include "refusal.hpp"
#include "test.hpp"

using namespace heddle;
using guest::cutlass_launch;
using guest::usual_order;

namespace {

using cute::Int;
using cute::Shape;

constexpr int multiprocessors = 132;
unsigned long long state[16];

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
  using dealer = heddle::detail::guest::cutlass_tiles<Cluster, strided>;
  using drawer = heddle::detail::guest::cutlass_tiles<Cluster, ticket>;
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
}

TEST_CASE("guests: what a kernel cannot follow is refused with a reason", "[guests]") {
  const auto says = [](recipe by, bool draws, const char* words) {
    cutlass_launch launch{};
    launch.launch = by;
    const char* const reason = launch.refusal({1, 2}, draws);
    CAPTURE(words);
    CHECK((reason != nullptr && std::string(reason).find(words) != std::string::npos));
    const bool is_taken = draws ? heddle::detail::guest::cutlass_tiles<one_by_two, ticket>::can_implement(launch)
                                : heddle::detail::guest::cutlass_tiles<one_by_two, strided>::can_implement(launch);
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
  using dealer = heddle::detail::guest::cutlass_tiles<one_by_two, strided>;
  cutlass_launch launch{};
  launch.launch = recipe{.first = 5};
  const auto build = [&] {
    return dealer::to_underlying_arguments(cute::make_tuple(256, 1024, 64, 1), large{}, one_by_two{}, {}, launch);
  };
  CHECK(heddle_test::refusal(build).find("heddle::any_order: first") == 0);
}

TEST_CASE("guests: a query without a workspace builds no scheduler, and a launch without one is refused", "[guests]") {
  using drawer = heddle::detail::guest::cutlass_tiles<one_by_two, ticket>;
  const auto params =
      drawer::to_underlying_arguments(cute::make_tuple(256, 1024, 64, 1), large{}, one_by_two{}, {}, {});
  CHECK((params.blocks.x == 2 && params.blocks.y == 4));
  CHECK((drawer::get_workspace_size<int, float>(0)) == ticket<>::state_bytes());
  CHECK((drawer::initialize_workspace<int, float>({}, nullptr, nullptr)) == cutlass::Status::kErrorWorkspaceNull);
}
