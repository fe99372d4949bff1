// C = A B on all GPUs of this machine, each of which has some rows of A: a product that begins with the rows that are
// here, compared with one that follows an all-gather by NCCL. By one process, or by one process a GPU.

#include <spawn.h>
#include <sys/wait.h>

#include <cuda_bf16.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../common/command_line.hpp"
#include "team.hpp"

extern char** environ;

namespace {

using namespace overlap;
using element = __nv_bfloat16;

struct choices {
  std::optional<int> gpus, rank;
  int m = 8192, n = 7168, k = 4096, turns = 50;
  bool in_processes = false;
  std::string id;
};

choices parse(int count, char** arguments) {
  using namespace command_line;
  choices chosen;
  parse_options(count, arguments, "Multiplies A and B on several GPUs.\n",
                {{"--gpus", "N", "how many; without it all", number(chosen.gpus, 1, 32)},
                 {"--processes", "", "a process per GPU instead of one", flag(chosen.in_processes)},
                 {"--size", "MxN", "rows of A and columns of B", size(chosen.m, chosen.n, 1 << 20)},
                 {"--k", "K", "columns of A and rows of B", number(chosen.k, 1, 1 << 20)},
                 {"--turns", "T", "of each measurement", number(chosen.turns, 1, 100'000)},
                 {"--rank", "R", "of a process that --processes starts", number(chosen.rank, 0, 31)},
                 {"--id", "ID", "of NCCL, for such a process", text(chosen.id)}});
  return chosen;
}

/// Whole numbers from -4 to 4, with which sums are exact: by row and column of A, or by column and row of B.
__device__ float value(std::size_t row, std::size_t col) {
  return static_cast<float>((row * 7 + col * 5 + row * col % 11) % 9) - 4;
}

__global__ void fill(element* data, std::size_t first_row, std::size_t rows, std::size_t cols) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < rows * cols;
       i += gridDim.x * blockDim.x) {
    data[i] = __float2bfloat16(value(first_row + i / cols, i % cols));
  }
}

/// Counts elements of two results that differ.
__global__ void count_different(const element* one, const element* other, std::size_t count, unsigned* different) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    if (!(__bfloat162float(one[i]) == __bfloat162float(other[i]))) atomicAdd(different, 1u);
  }
}

int run(const team& team, const choices& chosen) {
  const problem problem{.m = chosen.m, .n = chosen.n, .k = chosen.k, .ranks = team.ranks()};
  const auto m = static_cast<std::size_t>(chosen.m), n = static_cast<std::size_t>(chosen.n),
             k = static_cast<std::size_t>(chosen.k);
  const team_product product(team, problem), by_nccl(team, problem);
  by_nccl.send_by(transport::callers);
  const team_array<element> b(team, n * k), c(team, m * n), expected(team, m * n);
  const team_array<unsigned> different(team, 1);
  team.each([&](const member& one) {
    different.of(one).fill(0);
    c.of(one).fill(0xff);
    fill<<<512, 256>>>(b.of(one).data(), 0, n, k);
    for (const team_product* const each : {&product, &by_nccl}) {
      const std::size_t rows = static_cast<std::size_t>(problem.rows_of_shard());
      fill<<<512, 256>>>(static_cast<element*>(each->of(one).own_rows()), static_cast<std::size_t>(one.rank) * rows,
                         rows, k);
    }
    check(cudaDeviceSynchronize());
  });

  by_nccl.enqueue(b, expected);
  product.enqueue(b, c);
  const double wrong = team.most([&](const member& one) {
    check(cudaStreamSynchronize(one.stream));
    count_different<<<512, 256>>>(c.of(one).data(), expected.of(one).data(), m * n, different.of(one).data());
    const auto [late, error] = product.of(one).report(one.stream);
    check(error);
    return static_cast<double>(different.of(one).read().front()) + late.late;
  });

  // The product alone multiplies what by_nccl has gathered.
  const team_graph alone(team, [&] {
    team.each([&](const member& one) { by_nccl.of(one).enqueue(b.of(one).data(), c.of(one).data(), one.stream); });
  });
  const team_graph after(team, [&] { by_nccl.enqueue(b, c); }), at_gate(team, [&] { product.enqueue(b, c); });
  const double base = alone.seconds(chosen.turns), nccl = after.seconds(chosen.turns),
               gate = at_gate.seconds(chosen.turns);
  for (const team_product* const each : {&product, &by_nccl}) each->disconnect();
  if (!team.has_first_rank()) return wrong > 0;
  const gathered_product& first = product.of({.rank = 0, .device = 0});
  std::printf("%d x %d x %d on %d GPUs: %s\n", chosen.m, chosen.n, chosen.k, team.ranks(), first.text().c_str());
  std::printf("  product alone             %8.1f us\n", base * 1e6);
  std::printf("  NCCL, then the product    %8.1f us  %.3f\n", nccl * 1e6, nccl / base);
  std::printf("  as the rows arrive        %8.1f us  %.3f\n", gate * 1e6, gate / base);
  if (wrong > 0) std::printf("overlap: %.0f elements are wrong\n", wrong);
  return wrong > 0;
}

std::string hexadecimal(const ncclUniqueId& id) {
  std::string text;
  for (const char each : id.internal) {
    text += "0123456789abcdef"[static_cast<unsigned char>(each) / 16];
    text += "0123456789abcdef"[static_cast<unsigned char>(each) % 16];
  }
  return text;
}

ncclUniqueId id_of(const std::string& text) {
  ncclUniqueId id;
  if (text.size() != 2 * sizeof id.internal) command_line::refuse("--id: not one of NCCL");
  for (std::size_t i = 0; i < sizeof id.internal; ++i) {
    id.internal[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return id;
}

/// Starts a process for each GPU, and returns the first exit code that is not 0.
int run_in_processes(int count, char** arguments, int gpus) {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  std::vector<pid_t> processes;
  for (int rank = 0; rank < gpus; ++rank) {
    std::vector<std::string> words(arguments, arguments + count);
    for (const std::string& word : {std::string("--gpus"), std::to_string(gpus), std::string("--rank"),
                                    std::to_string(rank), std::string("--id"), hexadecimal(id)}) {
      words.push_back(word);
    }
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (posix_spawn(&processes.emplace_back(), "/proc/self/exe", nullptr, nullptr, pointers.data(), environ) != 0) {
      throw std::runtime_error("a process could not be started");
    }
  }
  int result = 0;
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    if (result == 0) result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  return result;
}

}  // namespace

int main(int count, char** arguments) try {
  const choices chosen = parse(count, arguments);
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  const int devices = count_gpus(), gpus = chosen.gpus.value_or(devices);
  if (chosen.rank) return run(team(gpus, *chosen.rank, id_of(chosen.id)), chosen);
  if (!has_gpu("overlap")) return skipped;
  if (gpus > devices) command_line::refuse("--gpus: there are " + std::to_string(devices));
  if (chosen.in_processes) return run_in_processes(count, arguments, gpus);
  return run(team(gpus), chosen);
} catch (const std::exception& error) {
  return failed("overlap", error);
}
