"""A PyTorch extension with a kernel that takes its tiles in one of heddle's orders. load_inline compiles it by nvcc."""

import pathlib
import sys

from headers import include, skip


try:
    import torch
    from torch.utils.cpp_extension import CUDA_HOME, load_inline
except ImportError:
    skip("no torch")

binding = """
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

void launch_transpose(const float*, float*, long long rows, long long cols, long long width, cudaStream_t);

torch::Tensor transpose(torch::Tensor in, long long width) {
  TORCH_CHECK(in.is_cuda() && in.dim() == 2 && in.scalar_type() == torch::kFloat && in.is_contiguous());
  const c10::cuda::CUDAGuard guard(in.device());
  torch::Tensor out = torch::empty({in.size(1), in.size(0)}, in.options());
  launch_transpose(in.data_ptr<float>(), out.data_ptr<float>(), in.size(0), in.size(1), width,
                   c10::cuda::getCurrentCUDAStream());
  return out;
}
"""


def load():
    here = pathlib.Path(__file__).resolve().parent
    return load_inline(name="heddle_transpose", cpp_sources=binding, cuda_sources=(here / "transpose.cu").read_text(),
                       functions=["transpose"], extra_include_paths=[include()],
                       extra_cflags=["-std=c++20"], extra_cuda_cflags=["-std=c++20"])


if __name__ == "__main__":
    if not torch.cuda.is_available():
        skip("no GPU")
    if CUDA_HOME is None:
        skip("no nvcc")
    module = load()
    matrix = torch.rand(4001, 2999, device="cuda")
    for width in 1, 8, 1000:
        if not torch.equal(module.transpose(matrix, width), matrix.t()):
            sys.exit(f"wrong with bands {width} wide")
    try:
        module.transpose(matrix, 0)
        sys.exit("bands of no width were not refused")
    except RuntimeError as refusal:
        print(f"refused: {refusal}")
    print(f"{torch.cuda.get_device_name()}: 4001 x 2999 transposed in bands 1, 8 and 1000 wide: right")
