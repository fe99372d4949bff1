// A product of several ranks: every element of C is of this turn, however late the ranks and their copies are. Ranks
// share the GPUs that there are, and one GPU is enough.

#include <overlap/gathered_product.hpp>
#include <overlap/peer_access.hpp>
#include <overlap/scattered_product.hpp>

#include <cuda_bf16.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "gpu.hpp"
#include "ranks.hpp"
#include "refusal.hpp"

using namespace heddle_test;
using namespace ranks;

namespace {

using element = __nv_bfloat16;

/// An element of A, which differs from turn to turn.
__device__ float element_of_a(int row, int x, unsigned turn) {
  return static_cast<float>((static_cast<unsigned>(row) * 3 + static_cast<unsigned>(x) + turn * 5) % 61);
}

__global__ void fill_own_rows(element* rows, int first_row, int count, int k, const unsigned* turn) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count * k;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    rows[i] = __float2bfloat16(element_of_a(first_row + i / k, i % k, *turn));
  }
}

__global__ void count_wrong(element* c, int m, int n, int k, const unsigned* turn, unsigned* wrong) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < m * n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    if (__bfloat162float(c[i]) != element_of_a(i / n, i % n % k, *turn)) atomicAdd(wrong, 1u);
    c[i] = __float2bfloat16(-1.0f);
  }
}

/// A rank with its product and its result.
struct member : rank_base {
  overlap::gathered_product product;
  device_array<element> c;

  member(const overlap::problem& p, int number, const overlap::options& options)
      : rank_base(p, number),
        product(p, number, options),
        c(static_cast<std::size_t>(p.m) * static_cast<unsigned>(p.n)) {
    c.fill(0xff);
    check(cudaMemset(product.all_rows(), 0xff, static_cast<unsigned>(p.ranks) * p.bytes_of_shard()));
    load_kernels(fill_own_rows, count_wrong);
    check(cudaDeviceSynchronize());
  }

  void enqueue_turn() {
    const int rows = problem.rows_of_shard();
    fill_own_rows<<<4, 256, 0, stream>>>(static_cast<element*>(product.own_rows()), rank * rows, rows, problem.k,
                                         turn.data());
    product.enqueue(b.data(), c.data(), stream);
    count_wrong<<<4, 256, 0, stream>>>(c.data(), problem.m, problem.n, problem.k, turn.data(), wrong.data());
    next_turn<<<1, 1, 0, stream>>>(turn.data());
    check(cudaGetLastError());
  }

  overlap::report report() const {
    const auto [found, error] = product.report(stream);
    check(error);
    return found;
  }
};

using gathering = team<member>;

void send_by(gathering& all, overlap::transport how) {
  all.each([&](member& one) { one.product.send_by(how); });
}

/// Returns the numbers of ranks that can meet here, each with the ways to send.
std::vector<std::pair<int, overlap::transport>> each_way() {
  std::vector<std::pair<int, overlap::transport>> all;
  for (const int ranks : {2, 3, 4}) {
    if (no_gpu() || !can_meet(ranks)) break;
    for (const auto how : {overlap::transport::copies, overlap::transport::stores}) all.emplace_back(ranks, how);
  }
  return all;
}

/// Runs turns of ranks that are late by chance, and so are their copies.
void agrees(const overlap::problem& problem, overlap::transport how, int turns, unsigned most_delay) {
  CAPTURE(problem.m, problem.n, problem.k, problem.ranks, problem.pieces_of_shard, static_cast<int>(how));
  if (!can_meet(problem.ranks)) return;
  gathering all(problem);
  if (problem.ranks > 1) send_by(all, how);
  all.run_late(turns, most_delay);
}

}  // namespace

GPU_TEST("A gathered product is right in 1000 turns that the host does not wait for", "[overlap]") {
  agrees({.m = 512, .n = 256, .k = 128, .ranks = 2}, overlap::transport::copies, 1000, 30000);
  agrees({.m = 512, .n = 256, .k = 128, .ranks = 2}, overlap::transport::stores, 1000, 30000);
}

GPU_TEST("A gathered product is right for any number of ranks and pieces", "[overlap]") {
  for (const auto how : {overlap::transport::copies, overlap::transport::stores}) {
    agrees({.m = 768, .n = 520, .k = 256, .ranks = 3}, how, 40, 100000);
    agrees({.m = 1024, .n = 256, .k = 256, .ranks = 4, .pieces_of_shard = 4}, how, 40, 100000);
    agrees({.m = 16, .n = 512, .k = 264, .ranks = 2, .pieces_of_shard = 2}, how, 40, 50000);
    agrees({.m = 5 * 37, .n = 256, .k = 128, .ranks = 5}, how, 40, 50000);  // shards that end in the middle of a tile
    agrees({.m = 1, .n = 64, .k = 64}, how, 3, 1000);
  }
  agrees({.m = 94, .n = 33, .k = 31, .ranks = 2}, overlap::transport::copies, 20, 50000);  // by the portable kernel
  agrees({.m = 8192, .n = 8192, .k = 6144, .ranks = 2}, overlap::transport::copies, 3, 50000);  // long: takes seats
}

TEST_CASE("A graph of a gathered product can be replayed", "[gpu][overlap]") {
  if (no_gpu() || !can_meet(2)) return;
  for (const auto how : {overlap::transport::copies, overlap::transport::stores}) {
    gathering all({.m = 512, .n = 256, .k = 128, .ranks = 2});
    send_by(all, how);
    all.replay(100);
  }
}

GPU_TEST("A rank that never sends ends the turn of the others at their limit, and is named", "[overlap]") {
  gathering all({.m = 512, .n = 256, .k = 128, .ranks = 2, .pieces_of_shard = 2}, 50'000'000);
  member& first = *all.members.front();
  use_gpu_of(0);
  first.enqueue_turn();
  const auto never_sent = first.report();
  CHECK(never_sent.late > 0);
  CHECK(never_sent.rank == 1);
  CHECK((never_sent.piece == 0 || never_sent.piece == 1));
}

TEST_CASE("A rank that is later than the limit is named, and turns are right again when it has come",
          "[gpu][overlap]") {
  for (const auto& [ranks, how] : each_way()) {
    CAPTURE(ranks, static_cast<int>(how));
    gathering all({.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks}, 100'000'000);
    send_by(all, how);
    all.with_late(1, 300'000'000, [&] { all.enqueue_turn(); });
    all.finish();
    unsigned wrong[4], late = 0;
    all.each([&](member& one) {
      const auto report = one.report();
      CHECK(report.rank == 1);
      CHECK(report.late > 0);
      CHECK((report.at == one.rank) == (one.rank != 1));
      late = report.late, wrong[one.rank] = one.wrong.read().front();
      CHECK((wrong[one.rank] > 0) == (one.rank != 1));
    });
    for (int turn = 0; turn < 3; ++turn) all.enqueue_turn();
    all.finish();
    all.each([&](member& one) {
      CHECK(one.report().late == late);
      CHECK(one.wrong.read().front() == wrong[one.rank]);
    });
  }
}

TEST_CASE("A rank that the others went on without is late itself", "[gpu][overlap]") {
  for (const auto& [ranks, how] : each_way()) {
    CAPTURE(ranks, static_cast<int>(how));
    gathering all({.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks}, 50'000'000);
    send_by(all, how);
    all.with_late(1, 600'000'000, [&] {
      for (int turn = 0; turn < 3; ++turn) all.enqueue_turn();
    });
    all.finish();
    all.each([&](member& one) {
      const auto report = one.report();
      CHECK(report.late > 0);
      CHECK(report.at == one.rank);
      CHECK((report.rank == 1) == (one.rank != 1));
    });
  }
}

TEST_CASE("Ranks are told of a fault between two others", "[gpu][overlap]") {
  for (const auto& [ranks, how] : each_way()) {
    CAPTURE(ranks, static_cast<int>(how));
    const overlap::problem problem{.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks};
    use_gpu_of(0);
    const overlap::gathered_product elsewhere(problem, 0);
    gathering all(problem, 100'000'000);
    all.cut(1, 0, elsewhere.address());
    send_by(all, how);
    all.enqueue_turn();
    all.finish();
    all.each([&](member& one) {
      const auto report = one.report();
      if (one.rank == 1) return;  // takes the other part for rank 0
      CHECK(report.late > 0);
      CHECK(report.rank == 1);
      CHECK(report.piece == 0);
      CHECK(report.at == 0);
      CHECK((one.wrong.read().front() > 0) == (one.rank == 0));
    });
  }
}

TEST_CASE("A rank that falls out is named as one that has not read", "[gpu][overlap]") {
  for (const int ranks : {2, 3, 4}) {
    if (no_gpu() || !can_meet(ranks)) break;
    CAPTURE(ranks);
    gathering all({.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks}, 50'000'000);
    all.enqueue_turn();
    all.check_results(1);
    const int gone = ranks - 1;  // and its rows with it
    const auto each_left = [&](const auto& work) {
      for (int rank = 0; rank < gone; ++rank) {
        use_gpu_of(rank);
        work(*all.members[static_cast<unsigned>(rank)]);
      }
    };
    each_left([](member& one) { one.enqueue_turn(); });
    each_left([](member& one) { check(cudaStreamSynchronize(one.stream)); });
    each_left([&](member& one) {
      const auto report = one.report();
      CHECK(report.rank == gone);
      CHECK(report.piece == -1);
      CHECK(report.late > 1);  // its rows did not come either
    });
  }
}

namespace {

/// The ranks of a team of which the last one is another process. The two tell each other by pipes where memory is.
struct process {
  std::vector<std::unique_ptr<member>> members;

  process(int ranks, int first, int count, int from, int to) {
    const int most_workers = count <= count_gpus() ? 0 : 12;
    std::vector<overlap::address> mine;
    for (int rank = first; rank < first + count; ++rank) {
      use_gpu_of(rank);
      members.push_back(
          std::make_unique<member>(overlap::problem{.m = 256 * ranks, .n = 256, .k = 128, .ranks = ranks}, rank,
                                   overlap::options{.limit = 3'000'000'000, .most_workers = most_workers}));
      mine.push_back(members.back()->product.address());
    }
    std::vector<overlap::address> of_all(static_cast<unsigned>(ranks) - mine.size());
    const auto bytes_of = [](const auto& some) { return static_cast<ssize_t>(some.size() * sizeof(overlap::address)); };
    CHECK(write(to, mine.data(), static_cast<std::size_t>(bytes_of(mine))) == bytes_of(mine));
    CHECK(read(from, of_all.data(), static_cast<std::size_t>(bytes_of(of_all))) == bytes_of(of_all));
    of_all.insert(first == 0 ? of_all.begin() : of_all.end(), mine.begin(), mine.end());
    each([&](member& one) { CHECK(one.product.connect(of_all)); });
  }

  template <class Work>
  void each(const Work& work) {
    for (const auto& one : members) {
      use_gpu_of(one->rank);
      work(*one);
    }
  }
  void enqueue_turn() {
    each([](member& one) { one.enqueue_turn(); });
  }
  void finish() {
    each([](member& one) { check(cudaStreamSynchronize(one.stream)); });
  }
};

constexpr int turns_before_death = 5;

/// Takes turns as the last rank, and dies in one of them.
void die_in_a_turn(const char* pipes) {
  int ranks = 0, from = 0, to = 0;
  REQUIRE(std::sscanf(pipes, "%d %d %d", &ranks, &from, &to) == 3);
  process child(ranks, ranks - 1, 1, from, to);
  for (int turn = 0; turn < turns_before_death; ++turn) child.enqueue_turn();
  child.finish();
  pass<<<1, 1, 0, child.members.front()->stream>>>(4'000'000'000);  // longer than the others' limit
  child.enqueue_turn();
  std::raise(SIGKILL);
}

/// Begins a team of so many ranks, of which the last one is another process, which dies.
void go_on_without_the_last_of(int ranks) {
  CAPTURE(ranks);
  int to_child[2], from_child[2];
  REQUIRE(pipe(to_child) == 0);
  REQUIRE(pipe(from_child) == 0);
  const std::string told =
      std::to_string(ranks) + " " + std::to_string(to_child[0]) + " " + std::to_string(from_child[1]);
  setenv("HEDDLE_PIPES", told.c_str(), 1);
  std::string self = "/proc/self/exe", name = "A rank whose process dies*";  // this case, in another process
  char* const arguments[] = {self.data(), name.data(), nullptr};
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) == 0);
  unsetenv("HEDDLE_PIPES");
  for (const int end : {to_child[0], from_child[1]}) close(end);  // a read ends if the child does
  {
    process parent(ranks, 0, ranks - 1, from_child[0], to_child[1]);
    for (int turn = 0; turn < turns_before_death; ++turn) parent.enqueue_turn();
    parent.finish();
    parent.each([](member& one) {
      CHECK(one.report().late == 0);
      CHECK(one.wrong.read().front() == 0);
    });
    parent.enqueue_turn();
    parent.finish();
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    parent.each([&](member& one) {
      const auto report = one.report();
      CHECK(report.late > 0);
      CHECK(report.rank == ranks - 1);
    });
  }
  const int left = (std::max)(ranks - 1, 2);
  gathering all({.m = 256 * left, .n = 256, .k = 128, .ranks = left});
  all.enqueue_turn();
  all.check_results(1);
  for (const int end : {to_child[1], from_child[0]}) close(end);
}

}  // namespace

TEST_CASE("A rank whose process dies in a turn is named, and the others go on in another team", "[gpu][overlap]") {
  if (const char* const pipes = std::getenv("HEDDLE_PIPES")) return die_in_a_turn(pipes);
  if (no_gpu()) return;
  if (!kernels_overlap()) return skip("a tool would follow the process that dies");
  go_on_without_the_last_of(2);
  for (const int ranks : {3, 4}) {
    if (ranks <= count_gpus()) go_on_without_the_last_of(ranks);
  }
}

GPU_TEST("A rank of another shape is refused", "[overlap]") {
  const overlap::problem problem{.m = 16, .n = 8, .k = 8, .ranks = 2};
  overlap::gathered_product one(problem, 0);
  const auto refused = [&](const overlap::problem& of_other) {
    const overlap::gathered_product other(of_other, of_other.ranks - 1);
    return refusal([&] { (void)one.connect({one.address(), other.address()}); });
  };
  CHECK(refused({.m = 32, .n = 8, .k = 8, .ranks = 2}) == "overlap: m of another rank is 32; it must be exactly 16");
  CHECK(refused({.m = 16, .n = 8, .k = 16, .ranks = 2}) == "overlap: k of another rank is 16; it must be exactly 8");
  CHECK(refused({.m = 16, .n = 8, .k = 8, .ranks = 4}) == "overlap: ranks of another rank is 4; it must be exactly 2");
  CHECK(refused({.m = 16, .n = 8, .k = 8, .ranks = 2, .pieces_of_shard = 2}) ==
        "overlap: pieces_of_shard of another rank is 2; it must be exactly 1");
  CHECK(refused({.m = 16, .n = 24, .k = 8, .ranks = 2}) == "not refused");
}

GPU_TEST("Any rank of another shape, or in the place of another, is refused by two, three and four", "[overlap]") {
  for (const int ranks : {2, 3, 4}) {
    const overlap::problem right{.m = 8 * ranks, .n = 8, .k = 8, .ranks = ranks};
    std::vector<std::unique_ptr<overlap::gathered_product>> parts;
    std::vector<overlap::address> addresses;
    for (int rank = 0; rank < ranks; ++rank) {
      use_gpu_of(rank);
      parts.push_back(std::make_unique<overlap::gathered_product>(right, rank));
      addresses.push_back(parts.back()->address());
    }
    for (int rank = 1; rank < ranks; ++rank) {
      CAPTURE(ranks, rank);
      const auto refused = [&](const overlap::address& in_its_place) {
        auto of_all = addresses;
        of_all[static_cast<unsigned>(rank)] = in_its_place;
        use_gpu_of(0);
        return refusal([&] { (void)parts.front()->connect(of_all); });
      };
      overlap::problem wider = right;
      wider.k = 16;
      use_gpu_of(rank);
      const overlap::gathered_product wrong(wider, rank);
      CHECK(refused(wrong.address()) == "overlap: k of another rank is 16; it must be exactly 8");
      CHECK(refused(addresses.front()) ==
            "overlap: rank of an address is 0; it must be exactly " + std::to_string(rank));
    }
  }
}

GPU_TEST("A part of another kind, ranks in another order, and ranks that are not connected are refused", "[overlap]") {
  const overlap::problem problem{.m = 16, .n = 8, .k = 8, .ranks = 2};
  overlap::gathered_product first(problem, 0), second(problem, 1);
  const overlap::scattered_product scattered(problem, 1);
  const auto refused = [&](const std::vector<overlap::address>& addresses) {
    return refusal([&] { (void)first.connect(addresses); });
  };
  CHECK(refused({second.address(), first.address()}) == "overlap: rank of an address is 1; it must be exactly 0");
  CHECK(refused({first.address(), scattered.address()}) == "overlap: kind of another rank is 1; it must be exactly 0");
  const auto sends = [&] { return refusal([&] { first.send_by(overlap::transport::copies); }); };
  const std::string not_connected = "overlap: connected ranks is 1; it must be exactly 2";
  CHECK(sends() == not_connected);
  CHECK(first.connect({first.address(), second.address()}));
  CHECK(sends() == "not refused");
  CHECK(refusal([&] { first.enqueue(nullptr, nullptr, nullptr); }) ==
        "overlap::gathered_product: b is 0; it must be at least 1");
  first.disconnect();
  CHECK(sends() == not_connected);
}

TEST_CASE("Ranks that are connected again take turns that are right", "[gpu][overlap]") {
  if (no_gpu() || !can_meet(2)) return;
  gathering all({.m = 512, .n = 256, .k = 128, .ranks = 2});
  for (unsigned turn = 1; turn <= 3; ++turn) {
    all.enqueue_turn();
    all.connect_again();
    all.check_results(turn);
  }
}

GPU_TEST("A rank that cannot reach another one is not connected as it was before", "[overlap]") {
  if (!kernels_overlap()) return skip("a tool reports the error that this test makes");
  const overlap::problem problem{.m = 16, .n = 8, .k = 8, .ranks = 2};
  overlap::gathered_product gathers(problem, 0), next_gathers(problem, 1);
  overlap::scattered_product scatters(problem, 0), next_scatters(problem, 1);
  const auto loses_next = [](auto& product, const auto& next) {
    overlap::address elsewhere = next.address();
    CHECK(product.connect({product.address(), elsewhere}));
    ++elsewhere.process, elsewhere.handle = {};  // of a process that is gone
    CHECK(!product.connect({product.address(), elsewhere}));
    CHECK(!product.is_connected());
  };
  loses_next(gathers, next_gathers);
  loses_next(scatters, next_scatters);
  CHECK(gathers.how() == overlap::transport::callers);
}

GPU_TEST("A gathered product takes the caller's transport", "[overlap]") {
  gathering all({.m = 512, .n = 256, .k = 128, .ranks = 2});
  send_by(all, overlap::transport::callers);
  all.each([](member& one) {
    fill_own_rows<<<4, 256, 0, one.stream>>>(static_cast<element*>(one.product.own_rows()), one.rank * 256, 256, 128,
                                             one.turn.data());
    check(cudaStreamSynchronize(one.stream));
  });
  all.each([&](member& one) {
    const overlap::gathered_product& other = all.members[static_cast<unsigned>(1 - one.rank)]->product;
    const auto offset = static_cast<char*>(other.own_rows()) - static_cast<char*>(other.all_rows());
    check(cudaMemcpyAsync(static_cast<char*>(one.product.all_rows()) + offset, other.own_rows(),
                          one.problem.bytes_of_shard(), cudaMemcpyDefault, one.stream));
  });
  all.enqueue_turn();
  all.check_results(1);
}

GPU_TEST("Devices that something else has connected are connected, and no error is left", "[overlap]") {
  const int devices = count_gpus();
  int can_access = 0;
  if (devices > 1) check(cudaDeviceCanAccessPeer(&can_access, 0, devices - 1));
  if (can_access == 0) return skip("no two devices that access each other");
  if (!kernels_overlap()) return skip("a tool reports the error that this test makes");
  check(cudaSetDevice(0));
  const int other = devices - 1;
  const bool was_disabled = cudaDeviceEnablePeerAccess(other, 0) == cudaSuccess;  // this test may run after others
  (void)cudaGetLastError();
  CAPTURE(was_disabled);
  for (int time = 0; time < 3; ++time) {
    CHECK(overlap::access_peer(other));
    CHECK(cudaPeekAtLastError() == cudaSuccess);
  }
}

TEST_CASE("A gathered product refuses what cannot be right", "[overlap]") {
  const auto refused = [](const overlap::problem& problem, int rank) {
    return refusal([&] { overlap::gathered_product(problem, rank); });
  };
  CHECK(refused({.m = 0, .n = 8, .k = 8}, 0) == "overlap::problem: m is 0; it must be at least 1");
  CHECK(refused({.m = 8, .n = 0, .k = 8}, 0) == "overlap::problem: n is 0; it must be at least 1");
  CHECK(refused({.m = 8, .n = 8, .k = -1}, 0) == "overlap::problem: k is -1; it must be at least 1");
  CHECK(refused({.m = 8, .n = 8, .k = 8, .ranks = 0}, 0) == "overlap::problem: ranks is 0; it must be at least 1");
  CHECK(refused({.m = 9, .n = 8, .k = 8, .ranks = 2}, 0) == "overlap::problem: m is 9; it must be a multiple of 2");
  CHECK(refused({.m = 8, .n = 8, .k = 8, .ranks = 2}, 2) ==
        "overlap::gathered_product: rank is 2; it must be less than 2");
  CHECK(refused({.m = 8, .n = 8, .k = 8, .ranks = 2}, -1) ==
        "overlap::gathered_product: rank is -1; it must be at least 0");
  CHECK(refused({.m = 8, .n = 8, .k = 8, .ranks = 2, .pieces_of_shard = 3}, 0) ==
        "overlap::problem: rows of a shard is 4; it must be a multiple of 3");
}
