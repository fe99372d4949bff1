// Prints a program of every line that the page of the explorer can show, for nvcc: each order, each adapter over each
// order, and each schedule over every kind of space.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "explorer/lines.hpp"

namespace {

using explorer::question;

const std::string product = "problem=product\nm=1000\nn=700\nk=64\ntile_m=128\ntile_n=64\n";
const char* const orders[] = {"row_major", "column_major", "thread_group_tiling", "cta_swizzle", "hilbert", "morton",
                              "dilated",   "own"};
const char* const schedules[] = {"one_shot",  "strided",       "chunked",       "ticket",
                                 "sm_affine", "work_stealing", "cluster_launch"};

std::vector<std::string> kernels;
int functions = 0;

/// Prints the lines of a state in a function of their own, beside their kernel.
void print(const std::string& state) {
  const question q(state);
  std::string kernel = explorer::kernel_lines(q);
  kernel.erase(0, kernel.find("template"));  // the includes stand at the top
  const auto found = std::find(kernels.begin(), kernels.end(), kernel);
  std::printf("namespace space_%d {\n", static_cast<int>(found - kernels.begin()));
  if (found == kernels.end()) kernels.push_back(kernel), std::puts(kernel.c_str());
  std::printf("void lines_%d([[maybe_unused]] const int* ends, cudaStream_t stream) {\n%s}\n}\n", functions++,
              explorer::host_lines(q).c_str());
}

}  // namespace

int main() {
  std::puts("#include <heddle/order.hpp>\n#include <heddle/schedule.hpp>\n");
  const std::string any = "width=3\naxis=y\nstep_rows=2\nstep_cols=3\nrun=5\nrow=i / cols\ncol=i % cols\n";
  const auto adapted = [](int which) {
    return std::string(which & 1 ? "transposed=1\n" : "") + (which & 2 ? "reversed=1\n" : "") +
           (which & 4 ? "first=7\n" : "") + (which & 8 ? "cluster_rows=2\ncluster_cols=1\n" : "");
  };
  // Each order under all sixteen choices of adapters, the schedules in turn: each pair of an order and a schedule
  // twice or more, and each schedule under each choice. In batches some of these.
  const std::string size = "m=1000\nn=700\nk=64\ntile_m=128\ntile_n=64\n" + any;
  for (int order = 0; order < 8; ++order) {
    for (int which = 0; which < 16; ++which) {
      const auto by = [&](int turn) {
        return size + "order=" + orders[order] + "\nschedule=" + schedules[turn % 7] + "\n" + adapted(which);
      };
      print("problem=product\n" + by(order + which));
      if (which % 5 == 0) print("problem=batch\ncount=3\ninterleave=2\n" + by(order + which / 5));
    }
  }
  for (const char* schedule : schedules) {
    const std::string by = std::string("order=thread_group_tiling\nschedule=") + schedule + "\n" + any;
    print("problem=stencil\nrows=100\ncols=90\ntile_rows=16\ntile_cols=16\n" + by);
    print("problem=causal\nqueries=1000\nheads=8\ntile_queries=128\nreversed=1\n" + by);
    for (const char* sequence : {"as_numbered", "heaviest_first"}) {
      print("problem=groups\ngroup_rows=5 0 700\nn=256\nk=64\nsequence=" + std::string(sequence) + "\n" + by);
    }
  }
}
