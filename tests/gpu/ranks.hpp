#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <common/card.hpp>
#include <common/cuda.hpp>
#include <overlap/peer_memory.hpp>
#include <overlap/turn.cuh>

#include <deque>

#include "gpu.hpp"

// What the tests of products of several ranks share. Ranks share the GPUs that there are, and one GPU is enough.

namespace ranks {

using heddle_test::kernels_overlap;
using heddle_test::pass;

/// A device has eight queues unless this variable says more when CUDA starts. Streams that share one wait for each
/// other, and so would ranks on one GPU, which have two streams each.
inline const bool has_queues = setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0) == 0;
/// And has CUDA load all kernels before the first one runs: what it loads later can keep a rank waiting until another
/// one on its GPU has ended, which waits for it.
inline const bool loads_all = setenv("CUDA_MODULE_LOADING", "EAGER", 0) == 0;

/// Makes the device of a rank the current one.
inline int use_gpu_of(int rank) {
  const int device = rank % count_gpus();
  check(cudaSetDevice(device));
  return device;
}

static __global__ void next_turn(unsigned* turn) {
  ++*turn;
}

/// Returns the limit of waits that end.
inline long long patience() {
  return kernels_overlap() ? 5'000'000'000 : 120'000'000'000;
}

/// Whether so many ranks can wait for one another: those that share a GPU need kernels that run concurrently.
inline bool can_meet(int ranks) {
  return ranks <= count_gpus() || kernels_overlap();
}

/// Loads kernels: later a rank may wait while the device loads.
template <class... Kernels>
void load_kernels(Kernels*... kernels) {
  cudaFuncAttributes attributes;
  (check(cudaFuncGetAttributes(&attributes, kernels)), ...);
}

/// Columns of B that pick: a product has A[row][col % k].
static __global__ void fill_b(__nv_bfloat16* b, int n, int k) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n * k;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    b[i] = __float2bfloat16(i % k == i / k % k ? 1.0f : 0.0f);
  }
}

/// What a rank has whatever its product: a B that picks, its stream, the number of its turn, and how much was wrong.
struct rank_base {
  overlap::problem problem;
  int rank, device;
  device_array<__nv_bfloat16> b;
  device_array<unsigned> turn{1}, wrong{1};
  const ::stream stream;

  rank_base(const overlap::problem& p, int number)
      : problem(p),
        rank(number),
        device(use_gpu_of(number)),
        b(static_cast<std::size_t>(p.n) * static_cast<unsigned>(p.k)) {
    turn.fill(0);
    wrong.fill(0);
    fill_b<<<8, 256>>>(b.data(), p.n, p.k);
    load_kernels(next_turn, pass);
    check(cudaDeviceSynchronize());
  }
};

/// Ranks that are connected. A member has a `product`, and enqueues a turn.
template <class Member>
struct team {
  std::vector<std::unique_ptr<Member>> members;

  /// Ranks with a GPU each take all of it, and start early.
  explicit team(const overlap::problem& problem, long long limit = patience()) {
    (void)kernels_overlap();  // asks before any rank is late
    const int most_workers = problem.ranks <= count_gpus() ? 0 : 12;
    for (int rank = 0; rank < problem.ranks; ++rank) {
      use_gpu_of(rank);
      members.push_back(std::make_unique<Member>(problem, rank, overlap::options{limit, most_workers}));
    }
    connect();
  }
  ~team() {
    each([](Member&) { check(cudaDeviceSynchronize()); });
  }

  template <class Work>
  void each(const Work& work) {
    for (const auto& one : members) {
      use_gpu_of(one->rank);
      work(*one);
    }
  }

  void connect() {
    std::vector<overlap::address> addresses;
    each([&](Member& one) { addresses.push_back(one.product.address()); });
    each([&](Member& one) { CHECK(one.product.connect(addresses)); });
  }

  /// Connects `from` with another part in place of that of `to`, so that nothing of the one comes to the other.
  void cut(int from, int to, const overlap::address& elsewhere) {
    std::vector<overlap::address> addresses;
    each([&](Member& one) { addresses.push_back(one.product.address()); });
    addresses[static_cast<unsigned>(to)] = elsewhere;
    use_gpu_of(from);
    Member& one = *members[static_cast<unsigned>(from)];
    one.product.disconnect();
    CHECK(one.product.connect(addresses));
  }

  /// Waits until all ranks have ended their turns.
  void finish() {
    each([](Member& one) { check(cudaStreamSynchronize(one.stream)); });
  }

  /// Disconnects ranks that have ended their turns, and connects them again.
  void connect_again() {
    finish();
    each([](Member& one) { one.product.disconnect(); });
    connect();
  }

  /// Enqueues work of each rank: by a thread for each under a tool, which may have the host wait for a copy, and this
  /// for another rank.
  template <class Work>
  void enqueue(const Work& work) {
    if (kernels_overlap()) return each(work);
    std::vector<std::thread> threads;
    for (const auto& one : members) {
      threads.emplace_back([&work, &one] {
        use_gpu_of(one->rank);
        work(*one);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// Enqueues a turn of each rank.
  void enqueue_turn() {
    enqueue([](Member& one) { one.enqueue_turn(); });
  }

  /// Keeps a rank late, and checks after `work` has enqueued that it still is.
  template <class Work>
  void with_late(int rank, long long nanoseconds, const Work& work) {
    const cudaStream_t stream = members[static_cast<unsigned>(rank)]->stream;
    use_gpu_of(rank);
    pass<<<1, 1, 0, stream>>>(nanoseconds);
    work();
    use_gpu_of(rank);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  }

  /// Runs turns of ranks that are late by chance, and so are their copies; few turns under a tool.
  void run_late(int turns, unsigned most_delay) {
    if (!kernels_overlap()) turns = std::min(turns, 10);
    std::mt19937 random(5);
    for (int turn = 0; turn < turns; ++turn) {
      each([&](Member& one) {
        if (random() % 3 == 0) pass<<<1, 1, 0, one.stream>>>(random() % most_delay);
        if constexpr (requires { one.product.copies(); }) {
          if (random() % 3 == 0) pass<<<1, 1, 0, one.product.copies()>>>(random() % most_delay);
        }
      });
      enqueue_turn();
    }
    check_results(static_cast<unsigned>(turns));
  }

  /// Runs a turn, captures another in a graph of each rank, and replays it; a few times under a tool.
  void replay(unsigned times) {
    enqueue_turn();                     // loads the kernels
    std::deque<captured_graph> graphs;  // by rank
    each([&](Member& one) {
      check(cudaStreamSynchronize(one.stream));
      graphs.emplace_back(
          one.stream, [&] { one.enqueue_turn(); }, cudaStreamCaptureModeRelaxed);
    });
    if (!kernels_overlap()) times = std::min(times, 10u);
    for (unsigned turn = 0; turn < times; ++turn) {
      enqueue([&](Member& one) { graphs[static_cast<unsigned>(one.rank)].replay(one.stream); });
    }
    check_results(times + 1);
  }

  void check_results(unsigned turns) {
    finish();
    each([&](Member& one) {
      CAPTURE(one.rank, one.product.text());
      const auto [report, error] = one.product.report(one.stream);
      check(error);
      CHECK(report.late == 0);
      CHECK(one.wrong.read().front() == 0);
      CHECK(one.turn.read().front() == turns);
    });
    use_gpu_of(0);
  }
};

}  // namespace ranks
