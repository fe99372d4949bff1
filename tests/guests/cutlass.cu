// Kernels of CUTLASS by heddle's schedulers give the bits that they give by CUTLASS's own, in every order, and in every
// kind of launch. Compiled once per shape of a cluster: HEDDLE_CLUSTER_ROWS, HEDDLE_CLUSTER_COLS.

#include <cstdio>
#include <cstring>
#include <heddle/recipe/text.hpp>
#include <heddle/recipe/with.hpp>
#include <memory>
#include <string>
#include <vector>

#include "../../examples/common/stream.hpp"
#include "expect.hpp"
#include "guests/product.cuh"

namespace {

using namespace guests;
using heddle::axis;
using heddle::recipe;
using heddle::tile_table;
using heddle::guest::cutlass_launch;

/// The recipes of a problem, with their tables where they need one.
struct launches {
  std::vector<cutlass_launch> all;
  std::vector<std::string> names;
  std::vector<std::unique_ptr<device_array<tile_table::entry>>> tables;

  void add(recipe by, extent clusters) {
    cutlass_launch one{};
    one.launch = by;
    if (heddle::any_order<>::needs_table(by)) {
      const auto entries = heddle::make_tile_table(by, clusters);
      tables.push_back(std::make_unique<device_array<tile_table::entry>>(entries.size()));
      tables.back()->copy_from(entries.data(), entries.size());
      one.table = tables.back()->data();
    }
    all.push_back(one);
    names.push_back(to_string(by));
  }
};

launches launches_of(extent clusters, int planes, bool draws, bool is_short) {
  launches some;
  some.all.push_back({});
  some.names.push_back("no recipe");
  const auto in_each_schedule = [&](recipe by) {
    by.schedule = draws ? recipe::ticket : recipe::strided;
    some.add(by, clusters);
    by.schedule = recipe::late_ticket;
    if (draws) some.add(by, clusters);
  };
  in_each_schedule({.order = recipe::cta_swizzle, .width = 3, .axis = axis::x, .cluster = in_cluster});
  if (is_short) return some;
  in_each_schedule({.order = recipe::row_major});
  in_each_schedule({.order = recipe::column_major, .first = clusters.size() / 2});
  in_each_schedule({.order = recipe::thread_group_tiling, .width = 8, .axis = axis::y, .reversed = true});
  in_each_schedule({.order = recipe::cta_swizzle, .width = 1, .axis = axis::y, .transposed = true});
  in_each_schedule({.order = recipe::hilbert});
  in_each_schedule({.order = recipe::dilated, .width = 2, .step = {2, 3}});
  if (planes > 1) in_each_schedule({.order = recipe::cta_swizzle, .width = 2, .interleave = 2});
  return some;
}

template <class Kind, class Scheduler>
struct contest {
  using own = product<Kind, cluster, cutlass::gemm::PersistentScheduler>;
  using guest = product<Kind, cluster, Scheduler>;
  static constexpr bool draws = std::is_same_v<Scheduler, heddle::guest::drawn>;

  problem of;
  float beta;
  std::string name;
  device_array<element> a, b, c, d, expected;

  contest(problem of_, float beta_)
      : of(of_), beta(beta_), a(of.a()), b(of.b()), c(of.c()), d(of.c()), expected(of.c()) {
    name = std::string(Kind::name) + (draws ? ", drawn, " : ", dealt, ") + std::to_string(of.m) + " x " +
           std::to_string(of.n) + " x " + std::to_string(of.k) + " x " + std::to_string(of.planes) +
           (beta != 0 ? " with C" : "");
    fill(a, 1), fill(b, 2), fill(c, 3);
    expected.set_bytes(0x7f);
    own product(of, a.data(), b.data(), c.data(), expected.data(), beta);
    expect(product.can_run() && product.prepare() == cutlass::Status::kSuccess &&
               product.launch() == cutlass::Status::kSuccess && cudaDeviceSynchronize() == cudaSuccess,
           name + ": by CUTLASS");
  }

  extent clusters() const {
    using tile = typename Kind::tile;
    return ceil_div(heddle::ceil_div(of.m, of.n, {cute::size<0>(tile{}), cute::size<1>(tile{})}), in_cluster);
  }

  void clear() const { d.set_bytes(0x7f); }

  void is_right(const std::string& where) {
    const cudaError_t error = cudaDeviceSynchronize();
    expect(error == cudaSuccess && are_equal(d, expected), name + ", " + where + ": " + cudaGetErrorName(error));
    check(error);
  }

  guest product_by(const cutlass_launch& by) const {
    return guest(of, a.data(), b.data(), c.data(), d.data(), beta, by);
  }

  /// Three launches over one state, for each recipe.
  void in_every_order(bool is_short) {
    const launches some = launches_of(clusters(), of.planes, draws, is_short);
    for (std::size_t i = 0; i < some.all.size(); ++i) {
      guest product = product_by(some.all[i]);
      expect(product.can_run() && product.prepare() == cutlass::Status::kSuccess, name + ", " + some.names[i]);
      for (int launch = 1; launch <= 3; ++launch) {
        clear();
        expect(product.launch() == cutlass::Status::kSuccess, name + ", " + some.names[i]);
        is_right(some.names[i] + ", launch " + std::to_string(launch));
      }
    }
  }

  /// A graph of two launches that is replayed, launches that begin while the last one runs, and two streams.
  void in_every_launch() {
    guest one = product_by({}), other = product_by({});
    check(one.prepare() == cutlass::Status::kSuccess ? cudaSuccess : cudaErrorUnknown);
    check(other.prepare() == cutlass::Status::kSuccess ? cudaSuccess : cudaErrorUnknown);
    const stream streams[2];
    check(cudaDeviceSynchronize());

    const captured_graph graph(
        streams[0], [&] { one.launch(streams[0]), one.launch(streams[0]); }, cudaStreamCaptureModeRelaxed);
    for (int replay = 0; replay < 3; ++replay) {
      clear();
      check(cudaDeviceSynchronize());
      graph.replay(streams[0]);
      is_right("graph, replay " + std::to_string(replay));
    }

    for (int burst = 0; burst < 3; ++burst) {
      clear();
      check(cudaDeviceSynchronize());
      for (int i = 0; i < 5; ++i) one.launch(streams[0], true);
      is_right("programmatic launches");
    }

    clear();
    check(cudaDeviceSynchronize());
    for (int i = 0; i < 8; ++i) one.launch(streams[0]), other.launch(streams[1]);
    is_right("two streams");
  }

  /// A product without tiles leaves D and the state alone.
  void is_empty_without(int member) {
    problem none = of;
    (member == 0 ? none.m : member == 1 ? none.n : none.planes) = 0;
    guest nothing(none, a.data(), b.data(), c.data(), d.data(), beta);
    clear();
    const device_array<element> before(of.c());
    before.set_bytes(0x7f);
    bool is_launched = nothing.prepare() == cutlass::Status::kSuccess;
    for (int launch = 0; launch < 3; ++launch) is_launched &= nothing.launch() == cutlass::Status::kSuccess;
    const cudaError_t error = cudaDeviceSynchronize();
    expect(is_launched && error == cudaSuccess && are_equal(d, before),
           name + ", empty, member " + std::to_string(member) + ": " + cudaGetErrorName(error));
    check(error);
  }
};

template <class Kind, class Scheduler>
void refuses_what_it_does_not_serve() {
  using scheduler = typename product<Kind, cluster, Scheduler>::kernel::TileScheduler;
  const auto says = [](recipe by, const char* words) {
    cutlass_launch arguments{};
    arguments.launch = by;
    const char* const reason = arguments.refusal(in_cluster, scheduler::draws);
    expect(reason != nullptr && std::strstr(reason, words) != nullptr && !scheduler::can_implement(arguments),
           std::string("a refusal that says ") + words);
  };
  says({.schedule = recipe::stream_k}, "the tag deals or draws");
  says({.schedule = recipe::sm_affine}, "the tag deals or draws");
  says({.cluster = {3, 1}}, "clusters");
  says({.order = recipe::hilbert}, "table");
  says({.order = recipe::cta_swizzle}, "width");
  says({.interleave = 0}, "interleave");
  if (std::is_same_v<Scheduler, heddle::guest::dealt>) says({.schedule = recipe::late_ticket}, "drawn");
}

template <class Kind, class Scheduler>
void serves() {
  refuses_what_it_does_not_serve<Kind, Scheduler>();
  const problem of_one_tile{64, 64, 64}, ragged{1000, 1368, 520}, wide{264, 9000, 256}, tall{9000, 264, 256},
      planes{520, 776, 200, 3}, short_tiles{4096, 5120, 64, 2}, large{4352, 4352, 1024};
  for (const float beta : {0.0f, 0.5f}) {
    contest<Kind, Scheduler>(of_one_tile, beta).in_every_order(true);
    contest<Kind, Scheduler>(ragged, beta).in_every_order(false);
    contest<Kind, Scheduler>(planes, beta).in_every_order(false);
    contest<Kind, Scheduler>(short_tiles, beta).in_every_order(false);
  }
  contest<Kind, Scheduler>(wide, 0).in_every_order(true);
  contest<Kind, Scheduler>(tall, 0).in_every_order(true);
  contest<Kind, Scheduler>(large, 0).in_every_order(false);
  for (const problem& each : {of_one_tile, ragged, planes, short_tiles}) {
    contest<Kind, Scheduler>(each, 0.5f).in_every_launch();
  }
  std::printf("%s, %s: %d checks pass, %d fail\n", Kind::name,
              std::is_same_v<Scheduler, heddle::guest::dealt> ? "dealt" : "drawn", passed, failed);
  std::fflush(stdout);
}

template <class Kind, class Scheduler>
void serves_nothing() {
  contest<Kind, Scheduler> some({256, 512, 128, 2}, 0);
  for (int member = 0; member < 3; ++member) some.is_empty_without(member);
  some.in_every_order(true);
}

}  // namespace

int main() {
  if (!has_gpu("test_cutlass", hopper_only)) return skipped;
  serves<cooperative, heddle::guest::dealt>();
  serves<cooperative, heddle::guest::drawn>();
  serves<pingpong, heddle::guest::dealt>();
  serves<pingpong, heddle::guest::drawn>();
  serves_nothing<cooperative, heddle::guest::dealt>();  // last: CUTLASS makes descriptors of empty tensors for them
  serves_nothing<cooperative, heddle::guest::drawn>();
  serves_nothing<pingpong, heddle::guest::drawn>();
  std::printf("clusters of %d x %d: %d checks pass, %d fail\n", in_cluster.rows, in_cluster.cols, passed, failed);
  return failed > 0;
}
