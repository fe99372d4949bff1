"""A CuPy kernel that takes its tiles in one of heddle's orders. NVRTC compiles it, without nvcc or a C++ compiler."""

import pathlib
import sys

from headers import include, skip


try:
    import cupy as cp
except ImportError:
    skip("no cupy")
if not cp.cuda.is_available():
    skip("no GPU")

here = pathlib.Path(__file__).resolve().parent
module = cp.RawModule(code=(here / "transpose.cu").read_text(), options=("-std=c++20", f"-I{include()}"))


def cta_swizzle(rows, cols, width):
    """Returns the bytes of an order over a matrix's tiles. The device builds it once, for any number of launches."""
    if rows < 0 or cols < 0 or width < 1:  # on the device this would trap, and the process would lose the GPU
        raise ValueError(f"no order over {rows} x {cols} in bands {width} wide")
    order = cp.empty(64, cp.uint8)
    module.get_function("build")((1,), (1,), (order, rows, cols, width))
    return order.get().view("V64")  # of size one: CuPy passes it by value


def transpose(matrix, order):
    rows, cols = matrix.shape
    out = cp.empty((cols, rows), cp.float32)
    tiles = -(-rows // 32) * -(-cols // 32)
    module.get_function("transpose")((tiles,), (32, 32), (order, matrix, out, rows, cols))
    return out


matrix = cp.random.default_rng(0).random((4001, 2999), dtype=cp.float32)
for width in 1, 8, 1000:
    if not (transpose(matrix, cta_swizzle(*matrix.shape, width)) == matrix.T).all():
        sys.exit(f"wrong with bands {width} wide")
gpu = cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)["name"].decode()
print(f"{gpu}: 4001 x 2999 transposed in bands 1, 8 and 1000 wide: right")
