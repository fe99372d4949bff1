// Prints a program of every line that the page of the explorer can show, for nvcc: each order under each choice of
// adapters, and each schedule over each of them, in a plane and in a batch. A launch costs the compiler ten times what
// the other lines cost, so that batches, whose kernel is one more per schedule, are launched by the schedules in turn.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "explorer/lines.hpp"

namespace {

using explorer::question;
using heddle::recipe;

std::vector<std::string> kernels;
std::string in_one_line;
int functions = 0;

/// Prints the lines of a state with each schedule: those of the order once, in a function, and each schedule's in a
/// scope of their own. The kernel stands beside the first function of its kind of space.
void print(const std::string& state, bool launches_all = true) {
  std::string kernel = explorer::kernel_lines(question(state));
  kernel.erase(0, kernel.find("template"));  // the includes stand at the top
  const auto found = std::find(kernels.begin(), kernels.end(), kernel);
  std::printf("namespace space_%d {\n", static_cast<int>(found - kernels.begin()));
  if (found == kernels.end()) kernels.push_back(kernel), std::puts(kernel.c_str());
  std::printf("void lines_%d([[maybe_unused]] const int* ends, cudaStream_t stream) {\n", functions++);
  std::string of_order;
  for (int i = 0; i < recipe::stream_k; ++i) {
    const question asked(state + "schedule=" + recipe::schedule_names[i] + "\n");
    std::string lines = explorer::host_lines(asked);
    if (const std::string line = explorer::one_line(asked); !line.empty()) {
      in_one_line +=
          "namespace line_" + std::to_string(functions) + " {\n" + line.substr(line.find("__global__")) + "}\n";
    }
    if (i == 0) of_order = lines.substr(0, lines.find("const auto scheduler")), std::printf("%s", of_order.c_str());
    if (!lines.starts_with(of_order)) std::exit(1);
    if (!launches_all && functions % recipe::stream_k != i) lines.erase(lines.find("if (heddle::launch"));
    std::printf("{\n%s}\n", lines.substr(of_order.size()).c_str());
  }
  std::puts("}\n}");
}

}  // namespace

int main() {
  std::puts("#include <heddle/order.hpp>\n#include <heddle/schedule.hpp>\n");
  const std::string any = "width=3\naxis=y\nstep_rows=2\nstep_cols=3\nrun=5\nrow=i / cols\ncol=i % cols\n";
  const auto adapted = [](int which) {
    return std::string(which & 1 ? "transposed=1\n" : "") + (which & 2 ? "reversed=1\n" : "") +
           (which & 4 ? "first=7\n" : "") + (which & 8 ? "cluster_rows=2\ncluster_cols=1\n" : "");
  };
  const std::string size = "m=1000\nn=700\nk=64\ntile_m=128\ntile_n=64\n" + any;
  for (const char* order : recipe::order_names) {
    for (int which = 0; which < 16; ++which) {
      const std::string by = size + "order=" + order + "\n" + adapted(which);
      print("problem=product\n" + by);
      print("problem=batch\ncount=3\ninterleave=2\n" + by, false);
    }
  }
  const std::string by = "order=thread_group_tiling\n" + any;
  print("problem=stencil\nrows=100\ncols=90\ntile_rows=16\ntile_cols=16\n" + by);
  print("problem=causal\nqueries=1000\nheads=8\ntile_queries=128\nreversed=1\n" + by);
  for (const char* order : recipe::order_names) {
    for (int which = 0; which < 8; ++which) {
      print("problem=pairs\nthings=5000\nelements=64\n" + any + "order=" + order + "\n" + adapted(which), false);
    }
  }
  for (const char* sequence : {"as_numbered", "heaviest_first"}) {
    print("problem=groups\ngroup_rows=5 0 700\nn=256\nk=64\nsequence=" + std::string(sequence) + "\n" + by);
  }
  std::printf("%s", in_one_line.c_str());
}
