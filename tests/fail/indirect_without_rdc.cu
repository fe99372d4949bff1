// expect: compile with -rdc=true, link cudadevrt
#include <heddle/expand/indirect.hpp>
#include <heddle/expand/packed_prefix.hpp>

__global__ void second_pass(heddle::packed_prefix) {}

cudaError_t capture(heddle::packed_prefix work, cudaStream_t stream) {
  return heddle::launch_indirect(work.grid(second_pass, 128), stream, second_pass, work);
}
