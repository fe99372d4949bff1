// Replaces gpu.cu in a build without CUDA or without a GPU.

#include "render.hpp"

namespace path_tracer {

std::string gpu() {
  return {};
}

rendered render_on_gpu(const world&, const settings&) {
  rendered none;
  none.error = "this program was built without CUDA, or on a machine without a GPU";
  return none;
}

}  // namespace path_tracer
