#pragma once

#include <nccl.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/measure.hpp"
#include "gathered_product.hpp"

// The ranks of this process, one for each of its GPUs, and what they do together: by NCCL they tell each other where
// their memory is, and gather where it cannot be reached.

inline void check(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(result));
}

namespace overlap {

/// A rank of this process.
struct member {
  int rank, device;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
};

template <class Value>
class team_array;

class team {
 public:
  /// Begins a team of one process for the first `ranks` GPUs.
  explicit team(int ranks) : ranks_(ranks) {
    std::vector<ncclComm_t> communicators(static_cast<unsigned>(ranks));
    check(ncclCommInitAll(communicators.data(), ranks, nullptr));
    for (int rank = 0; rank < ranks; ++rank) add({rank, rank, communicators[static_cast<unsigned>(rank)]});
  }

  /// Joins a team of one process a GPU.
  team(int ranks, int rank, const ncclUniqueId& id) : ranks_(ranks) {
    check(cudaSetDevice(rank));
    ncclComm_t communicator = nullptr;
    check(ncclCommInitRank(&communicator, ranks, id, rank));
    add({rank, rank, communicator});
  }
  team(const team&) = delete;
  ~team() {
    for (const member& one : members_) {
      cudaSetDevice(one.device);
      cudaStreamDestroy(one.stream);
      ncclCommDestroy(one.communicator);
    }
  }

  int ranks() const { return ranks_; }
  int first_rank() const { return members_.front().rank; }  // of this process
  bool has_first_rank() const { return first_rank() == 0; }

  /// Does something for each rank of this process, on its device.
  template <class Work>
  void each(const Work& work) const {
    for (const member& one : members_) {
      check(cudaSetDevice(one.device));
      work(one);
    }
  }

  /// Enqueues the all-gather of a shard of each rank, which lies in its place in `all`.
  static void all_gather(const void* shard, void* all, std::size_t bytes, const member& one, cudaStream_t stream) {
    check(ncclAllGather(shard, all, bytes, ncclChar, one.communicator, stream));
  }

  /// Returns the values of all ranks, to all of them. The values are plain bytes.
  template <class Value>
  std::vector<Value> of_all(const std::function<Value(const member&)>& value) const {
    const team_array<Value> all(*this, static_cast<unsigned>(ranks_));
    each([&](const member& one) {
      const Value mine = value(one);
      check(cudaMemcpyAsync(all.of(one).data() + one.rank, &mine, sizeof mine, cudaMemcpyHostToDevice, one.stream));
    });
    check(ncclGroupStart());
    each([&](const member& one) {
      Value* const values = all.of(one).data();
      all_gather(values + one.rank, values, sizeof(Value), one, one.stream);
    });
    check(ncclGroupEnd());
    each([](const member& one) { check(cudaStreamSynchronize(one.stream)); });
    return all.of(members_.front()).read();
  }

  /// Returns the largest of the values of all ranks. No rank returns before all have called it.
  double most(const std::function<double(const member&)>& value) const {
    const std::vector<double> all = of_all<double>(value);
    return *std::max_element(all.begin(), all.end());
  }

 private:
  void add(member one) {
    check(cudaSetDevice(one.device));
    check(cudaStreamCreateWithFlags(&one.stream, cudaStreamNonBlocking));
    members_.push_back(one);
  }

  int ranks_;
  std::vector<member> members_;
};

/// An array on the device of each rank of this process.
template <class Value>
class team_array {
 public:
  team_array(const team& team, std::size_t size) : first_rank_(team.first_rank()) {
    team.each([&](const member&) { arrays_.push_back(std::make_unique<device_array<Value>>(size)); });
  }

  const device_array<Value>& of(const member& one) const {
    return *arrays_[static_cast<unsigned>(one.rank - first_rank_)];
  }

 private:
  int first_rank_;
  std::vector<std::unique_ptr<device_array<Value>>> arrays_;
};

/// The products of a team, one for each rank of this process.
template <class Product>
class products_of_team {
 public:
  /// Connects the ranks, if each can reach the memory of those that it must.
  products_of_team(const team& team, const problem& problem, const options& options = {}) : team_(team) {
    team.each([&](const member& one) { products_.push_back(std::make_unique<Product>(problem, one.rank, options)); });
    const auto addresses = team.of_all<address>([this](const member& one) { return of(one).address(); });
    are_connected_ = team.most([&](const member& one) { return of(one).connect(addresses) ? 0 : 1; }) == 0;
  }

  bool are_connected() const { return are_connected_; }

  /// Disconnects all ranks, before any of them frees what another has open.
  void disconnect() const {
    team_.each([this](const member& one) { of(one).disconnect(); });
    team_.most([](const member&) { return 0.0; });
  }

  /// Returns the product of a rank of this process.
  Product& of(const member& one) const {
    return *products_[static_cast<unsigned>(one.rank - products_.front()->rank())];
  }

 protected:
  const team& team_;
  std::vector<std::unique_ptr<Product>> products_;

 private:
  bool are_connected_;
};

/// The gathered products of a team. NCCL gathers where a rank cannot reach another's memory.
class team_product : public products_of_team<gathered_product> {
 public:
  team_product(const team& team, const problem& problem, const options& options = {})
      : products_of_team(team, problem, options) {
    if (!are_connected()) send_by(transport::callers);
  }

  void send_by(transport how) const {
    team_.each([&](const member& one) { of(one).send_by(how); });
  }

  /// Enqueues an all-gather by NCCL, for all ranks of this process.
  void all_gather() const {
    check(ncclGroupStart());
    team_.each([&](const member& one) {
      const gathered_product& its = of(one);
      team::all_gather(its.own_rows(), its.all_rows(), its.bytes_of_shard(), one, one.stream);
    });
    check(ncclGroupEnd());
  }

  /// Enqueues a turn, for all ranks of this process.
  template <class Element>
  void enqueue(const team_array<Element>& b, const team_array<Element>& c) const {
    if (products_.front()->how() == transport::callers && team_.ranks() > 1) all_gather();
    team_.each([&](const member& one) { of(one).enqueue(b.of(one).data(), c.of(one).data(), one.stream); });
  }
};

/// Returns the seconds of a turn, of the slowest rank, over so many turns one right after another, each of which every
/// rank enqueues. What `before` enqueues in other streams runs beside them.
inline double seconds_of_turn(
    const team& team, int turns, const std::function<void(const member&)>& enqueue,
    const std::function<void()>& before = [] {}) {
  std::deque<stopwatch> watches;
  team.each([&](const member& one) {
    watches.emplace_back();
    check(cudaStreamSynchronize(one.stream));
  });
  team.most([](const member&) { return 0.0; });  // all begin together
  before();
  for (int turn = 0; turn < turns; ++turn) {
    auto watch = watches.begin();
    team.each([&](const member& one) {
      if (turn == 0) watch->start(one.stream);
      enqueue(one);
      if (turn + 1 == turns) watch->stop(one.stream);
      ++watch;
    });
  }
  auto watch = watches.begin();
  return team.most([&](const member&) { return static_cast<double>((watch++)->milliseconds()) * 1e-3 / turns; });
}

/// A turn of all ranks as a graph of each, which is captured once and launched often.
class team_graph {
 public:
  /// Runs a turn, which loads its kernels, and captures another.
  team_graph(const team& team, const std::function<void()>& enqueue) : team_(team) {
    enqueue();
    team.each([](const member& one) { check(cudaStreamSynchronize(one.stream)); });
    team.each([](const member& one) { check(cudaStreamBeginCapture(one.stream, cudaStreamCaptureModeRelaxed)); });
    enqueue();
    team.each([this](const member& one) {
      cudaGraph_t graph = nullptr;
      check(cudaStreamEndCapture(one.stream, &graph));
      check(cudaGraphInstantiate(&graphs_.emplace_back(), graph, 0));
      check(cudaGraphDestroy(graph));
      check(cudaGraphUpload(graphs_.back(), one.stream));
    });
  }
  team_graph(const team_graph&) = delete;
  ~team_graph() {
    for (const cudaGraphExec_t graph : graphs_) cudaGraphExecDestroy(graph);
  }

  /// Returns the seconds of a turn, of the slowest rank, over so many turns one right after another.
  double seconds(int turns) const {
    return seconds_of_turn(team_, turns, [this](const member& one) {
      check(cudaGraphLaunch(graphs_[static_cast<unsigned>(one.rank - team_.first_rank())], one.stream));
    });
  }

 private:
  const team& team_;
  std::vector<cudaGraphExec_t> graphs_;
};

}  // namespace overlap
