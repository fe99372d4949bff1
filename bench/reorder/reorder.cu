// Reordering threads by key: a switch of K branches that are equally likely and equally long, and the ranks alone
// beside CUB's. All contestants of a row take turns in one process; each must give every thread's result, bit for bit.
//
//   plain     each thread stays where it is
//   reorder   24 bytes of state change places before every switch
//   gate      the same where `coherence::pays` says so
//   coherent  of keys that are already together: what the gate costs there
//
//   bench_reorder [--rounds <7>] [--json <file>]

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <functional>
#include <string>
#include <vector>

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

using namespace heddle;

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_reorder: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// What a thread carries: 24 bytes.
struct state {
  float x, y, z;
  unsigned seed, number, sum;
};

constexpr int switches = 8;

__device__ unsigned mix(unsigned seed) {
  seed = (seed ^ seed >> 16) * 0x7feb352du;
  seed = (seed ^ seed >> 15) * 0x846ca68bu;
  return seed ^ seed >> 16;
}

/// `turns` dependent steps, in code that no other branch has.
template <int Branch>
__device__ float walk(float x, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    x = fmaf(x, 0.5f + 0.03f * Branch, 0.25f);
    asm volatile("// branch %1" : "+f"(x) : "n"(Branch));
  }
  return x;
}

template <int Keys, int Branch = 0>
__device__ float branch(unsigned key, float x, int turns) {
  if constexpr (Branch + 1 < Keys) {
    return key == Branch ? walk<Branch>(x, turns) : branch<Keys, Branch + 1>(key, x, turns);
  } else {
    return walk<Branch>(x, turns);
  }
}

enum class mode { plain, reorder, gate };

__host__ __device__ constexpr int bits_of(int keys) {
  return keys <= 2 ? 1 : 1 + bits_of(keys / 2);
}

template <mode Mode, int Keys, int Threads>
__global__ void __launch_bounds__(Threads) run(state* all, int turns, bool coherent) {
  using order = block_reorder<Threads, bits_of(Keys)>;
  using exchange = block_exchange<state, Threads, 24 * Threads>;
  __shared__ typename order::storage ranks;
  __shared__ typename exchange::storage states;
  order by_key(ranks);
  state mine = all[blockIdx.x * Threads + threadIdx.x];
  for (int round = 0; round < switches; ++round) {
    const unsigned key = (coherent ? mix(mine.number / 32 + static_cast<unsigned>(round)) : mine.seed) % Keys;
    unsigned mine_now = key;
    if constexpr (Mode != mode::plain) {
      const auto [rank, active, how] = by_key.rank(key);
      if (Mode == mode::reorder || how.pays(4.0f * static_cast<float>(turns), exchange::words)) {
        mine = exchange(states).to(mine, rank);
        mine_now = (coherent ? mix(mine.number / 32 + static_cast<unsigned>(round)) : mine.seed) % Keys;
      }
    }
    mine.x = branch<Keys>(mine_now, mine.x + mine.y, turns);
    mine.seed = mix(mine.seed + __float_as_uint(mine.x));
    mine.sum += mine.seed;
  }
  all[mine.number] = mine;
}

__global__ void fill(state* all, unsigned count) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number < count) all[number] = {0.5f, 0.25f, 0.125f, mix(number + 1), number, 0};
}

__global__ void add_up(const state* all, unsigned count, unsigned long long* sum) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number < count) atomicAdd(sum, (number + 1ull) * all[number].sum);
}

// Ranks alone, over and over.

constexpr int rank_threads = 512, rank_bits = 3, rank_calls = 256;

__global__ void __launch_bounds__(rank_threads) rank_by_heddle(unsigned* out) {
  __shared__ block_reorder<rank_threads, rank_bits>::storage smem;
  block_reorder<rank_threads, rank_bits> order(smem);
  unsigned key = mix(blockIdx.x * rank_threads + threadIdx.x);
  for (int call = 0; call < rank_calls; ++call) key = mix(key + order.rank(key).rank);
  out[blockIdx.x * rank_threads + threadIdx.x] = key;
}

__global__ void __launch_bounds__(rank_threads) rank_by_cub(unsigned* out) {
  using order = cub::BlockRadixRank<rank_threads, rank_bits, false>;
  __shared__ typename order::TempStorage smem;
  unsigned key = mix(blockIdx.x * rank_threads + threadIdx.x);
  for (int call = 0; call < rank_calls; ++call) {
    unsigned keys[1] = {key};
    int ranks[1];
    __syncthreads();
    order(smem).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned>(0, rank_bits));
    key = mix(key + static_cast<unsigned>(ranks[0]));
  }
  out[blockIdx.x * rank_threads + threadIdx.x] = key;
}

/// The sort gives each thread the number of the one that comes to its place: who wants the rank must store it.
__global__ void __launch_bounds__(rank_threads) sort_by_cub(unsigned* out) {
  using order = cub::BlockRadixSort<unsigned, rank_threads, 1, unsigned>;
  __shared__ typename order::TempStorage smem;
  __shared__ unsigned ranks[rank_threads];
  unsigned key = mix(blockIdx.x * rank_threads + threadIdx.x);
  for (int call = 0; call < rank_calls; ++call) {
    unsigned keys[1] = {key}, threads[1] = {threadIdx.x};
    __syncthreads();
    order(smem).Sort(keys, threads, 0, rank_bits);
    ranks[threads[0]] = threadIdx.x;
    __syncthreads();
    key = mix(key + ranks[threadIdx.x]);
  }
  out[blockIdx.x * rank_threads + threadIdx.x] = key;
}

struct contestant {
  std::string name;
  std::function<void()> run;
  std::vector<float> times{};

  float median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
};

class bench {
 public:
  bench(int rounds, std::FILE* json) : rounds_(rounds), json_(json) {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
    check(cudaMalloc(&states_, sizeof(state) * count));
    check(cudaMalloc(&sum_, sizeof *sum_));
    check(cudaMalloc(&out_, sizeof(unsigned) * count));
  }
  bench(const bench&) = delete;
  ~bench() {
    cudaFree(out_);
    cudaFree(sum_);
    cudaFree(states_);
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
  }

  template <int Keys>
  void switch_of(int turns) {
    for (const bool coherent : {false, true}) {
      std::vector<contestant> all;
      add<Keys, 256>(all, turns, coherent);
      add<Keys, 512>(all, turns, coherent);
      add<Keys, 1024>(all, turns, coherent);
      unsigned long long expected = 0;
      for (contestant& each : all) {
        fill<<<count / 256, 256>>>(states_, count);
        check(cudaMemset(sum_, 0, sizeof *sum_));
        each.run();
        add_up<<<count / 256, 256>>>(states_, count, sum_);
        unsigned long long found = 0;
        check(cudaMemcpy(&found, sum_, sizeof found, cudaMemcpyDeviceToHost));
        if (&each == &all[0]) expected = found;
        if (found == expected) continue;
        std::fprintf(stderr, "bench_reorder: %s of %d keys is not the same\n", each.name.c_str(), Keys);
        std::exit(1);
      }
      show("K=" + std::to_string(Keys) + ", L=" + std::to_string(turns) + (coherent ? ", coherent" : ""), all,
           [&] { fill<<<count / 256, 256>>>(states_, count); });
    }
  }

  void ranks() {
    constexpr int blocks = count / rank_threads / 8;
    std::vector<contestant> all{{"heddle", [this] { rank_by_heddle<<<blocks, rank_threads>>>(out_); }},
                                {"cub::BlockRadixRank", [this] { rank_by_cub<<<blocks, rank_threads>>>(out_); }},
                                {"cub::BlockRadixSort", [this] { sort_by_cub<<<blocks, rank_threads>>>(out_); }}};
    std::vector<unsigned> expected;
    for (contestant& each : all) {
      each.run();
      std::vector<unsigned> found(blocks * rank_threads);
      check(cudaMemcpy(found.data(), out_, sizeof(unsigned) * found.size(), cudaMemcpyDeviceToHost));
      if (expected.empty()) expected = found;
      if (found == expected) continue;
      std::fprintf(stderr, "bench_reorder: %s ranks otherwise\n", each.name.c_str());
      std::exit(1);
    }
    show("ranks, 3 bits, 512 threads", all, [] {});
  }

 private:
  static constexpr unsigned count = 1 << 21;

  template <int Keys, int Threads>
  void add(std::vector<contestant>& all, int turns, bool coherent) {
    const std::string threads = ", " + std::to_string(Threads);
    all.push_back({"plain" + threads, [=, this] {
                     run<mode::plain, Keys, Threads><<<count / Threads, Threads>>>(states_, turns, coherent);
                   }});
    all.push_back({"reorder" + threads, [=, this] {
                     run<mode::reorder, Keys, Threads><<<count / Threads, Threads>>>(states_, turns, coherent);
                   }});
    all.push_back({"gate" + threads, [=, this] {
                     run<mode::gate, Keys, Threads><<<count / Threads, Threads>>>(states_, turns, coherent);
                   }});
  }

  void show(const std::string& row, std::vector<contestant>& all, const std::function<void()>& before) {
    for (int round = 0; round < rounds_; ++round) {
      for (contestant& each : all) {
        before();
        check(cudaEventRecord(begin_));
        each.run();
        check(cudaGetLastError());
        check(cudaEventRecord(end_));
        check(cudaEventSynchronize(end_));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin_, end_));
        each.times.push_back(milliseconds * 1000);
      }
    }
    const auto best_of = [&](const char* kind) {
      float best = 1e30f;
      for (contestant& each : all) {
        if (each.name.rfind(kind, 0) == 0) best = std::min(best, each.median());
      }
      return best;
    };
    std::printf("%-28s", row.c_str());
    const float plain = best_of("plain");
    if (plain < 1e29f) {
      std::printf(" plain %9.1f us  reorder %6.3f  gate %6.3f\n", plain, plain / best_of("reorder"),
                  plain / best_of("gate"));
    } else {
      for (contestant& each : all) std::printf("  %s %.1f us", each.name.c_str(), each.median());
      std::printf("\n");
    }
    if (json_ == nullptr) return;
    for (contestant& each : all) {
      std::fprintf(json_, "%s  {\"row\": \"%s\", \"contestant\": \"%s\", \"us\": %.2f}", is_first_ ? "" : ",\n",
                   row.c_str(), each.name.c_str(), each.median());
      is_first_ = false;
    }
  }

  int rounds_;
  std::FILE* json_;
  bool is_first_ = true;
  cudaEvent_t begin_, end_;
  state* states_ = nullptr;
  unsigned long long* sum_ = nullptr;
  unsigned* out_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  int rounds = 7;
  std::FILE* json = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--rounds" && std::atoi(value.c_str()) > 0) {
      rounds = std::atoi(value.c_str());
    } else if (option == "--json" && !value.empty()) {
      json = std::fopen(value.c_str(), "w");
      if (json == nullptr) {
        std::fprintf(stderr, "bench_reorder: %s cannot be written\n", value.c_str());
        return 1;
      }
    } else {
      std::fprintf(stderr, "bench_reorder: unknown or incomplete: %s %s\n", option.c_str(), value.c_str());
      return 2;
    }
    ++i;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("bench_reorder: no CUDA device: skipped\n");
    return 77;
  }
  if (json != nullptr) std::fprintf(json, "[\n");
  {
    bench all(rounds, json);
    for (const int turns : {4, 16, 64, 256}) {
      all.switch_of<2>(turns);
      all.switch_of<4>(turns);
      all.switch_of<8>(turns);
      all.switch_of<16>(turns);
    }
    all.ranks();
  }
  if (json != nullptr) {
    std::fprintf(json, "\n]\n");
    std::fclose(json);
  }
  return 0;
}
