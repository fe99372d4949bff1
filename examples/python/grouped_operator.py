"""Products of groups of rows as a PyTorch operator: libheddle_grouped.so by ctypes, or compiled by PyTorch's loader."""

import ctypes
import pathlib
import tempfile

from headers import include, skip

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

try:
    import torch
except ImportError:
    skip("no torch")


def find_library(name="heddle_grouped"):
    """Returns the newest library of a name in the build folders."""
    found = sorted(ROOT.glob(f"build*/**/lib{name}.so"), key=lambda path: path.stat().st_mtime)
    if not found:
        skip(f"no lib{name}.so: cmake --build builds its target {name}")
    return found[-1]


def zeroed(known, key, size):
    """Returns a workspace for one launch at a time: that of a key, or in a graph a new one, which the graph zeroes."""
    if torch.cuda.is_current_stream_capturing():
        return torch.zeros(size, dtype=torch.uint8, device="cuda")
    if key not in known:
        known[key] = torch.zeros(size, dtype=torch.uint8, device="cuda")
    return known[key]


def compile_library():
    """Compiles the library by PyTorch's loader of extensions, and returns its path."""
    from torch.utils import cpp_extension
    if cpp_extension.CUDA_HOME is None:
        skip("no nvcc")
    if not cpp_extension.is_ninja_available():
        skip("no ninja")
    sources = [ROOT / "examples" / "grouped" / name for name in ("grouped.cu", "c_interface.cu")]
    folder = tempfile.mkdtemp(prefix="heddle_grouped_")
    # PyTorch turns off the conversions of half precision, which the kernel uses.
    undefined = [f"-U__CUDA_NO_{name}__" for name in ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS",
                                                     "BFLOAT16_CONVERSIONS")]
    cpp_extension.load(name="heddle_grouped", sources=[str(source) for source in sources], build_directory=folder,
                       extra_include_paths=[include(), str(ROOT / "examples")], is_python_module=False,
                       extra_cuda_cflags=["-std=c++20", "-O3", "-DNDEBUG", "-gencode=arch=compute_90a,code=sm_90a",
                                         *undefined])
    return pathlib.Path(folder) / "heddle_grouped.so"


NUMBER, POINTER = ctypes.c_longlong, ctypes.c_void_p


class Problem(ctypes.Structure):
    _fields_ = [("rows", NUMBER), *((name, ctypes.c_int) for name in ("groups", "n", "k", "element", "b_is_row_major",
                                                                       "is_gated")),
                ("a_rows", NUMBER), ("c_rows", NUMBER)]


class Operands(ctypes.Structure):
    _fields_ = [(name, POINTER) for name in ("a", "b", "ends", "c", "workspace", "rows_of_a", "rows_of_c", "weights")]


def is_packed(tensor, dtype, shape, device):
    return tensor.dtype == dtype and tuple(tensor.shape) == shape and tensor.is_contiguous() and tensor.device == device


def expect_packed(operator, name, tensor, dtype, shape, device):
    if not is_packed(tensor, dtype, shape, device):
        raise ValueError(f"{operator} takes {name} as {' x '.join(map(str, shape))} of {dtype} on {device}, packed, not "
                         f"{list(tensor.shape)} with strides {list(tensor.stride())} of {tensor.dtype} on {tensor.device}")


class Library:
    """The functions of examples/grouped/c_interface.h, with a plan per problem and a workspace per stream."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        for name, result, arguments in (
                ("make_plan", POINTER, [ctypes.POINTER(Problem)]),
                ("workspace_bytes", ctypes.c_size_t, [POINTER]),
                ("product", ctypes.c_int, [POINTER, ctypes.POINTER(Operands), POINTER]),
                ("error", ctypes.c_char_p, [])):
            function = getattr(self.c, "heddle_grouped_" + name)
            function.restype, function.argtypes = result, arguments
        self.plans, self.workspaces = {}, {}

    def error(self):
        return RuntimeError(self.c.heddle_grouped_error().decode())

    def plan(self, *problem):
        device = torch.cuda.current_device()
        if (device, problem) not in self.plans:
            plan = self.c.heddle_grouped_make_plan(Problem(*problem))
            if plan is None:
                raise self.error()
            self.plans[device, problem] = plan
        return self.plans[device, problem]

    def product(self, a, b, offs, rows_of_a=None, rows_of_c=None, weights=None, c_rows=None, gated=False):
        """Multiplies rows of group g, which end before offs[g], by b[g].

        Row i is row rows_of_a[i] of a, or zeros if there is none. It is stored as row rows_of_c[i] of c_rows, times
        weights[i], or nowhere if there is none; rows that nothing is stored in are zeros. If it is gated, b has 2 n
        columns: silu(a @ the first n) * (a @ the others).
        """
        element = {torch.bfloat16: 0, torch.float16: 1}.get(a.dtype)
        if element is None or b.dtype != a.dtype or a.dim() != 2 or b.dim() != 3 or a.shape[1] != b.shape[1]:
            raise ValueError(f"grouped_mm takes rows x k and groups x k x n of bfloat16 or float16, not "
                             f"{list(a.shape)} of {a.dtype} and {list(b.shape)} of {b.dtype}")
        by_columns = b.transpose(1, 2).is_contiguous()
        if not a.is_contiguous() or not (by_columns or b.is_contiguous()):
            raise ValueError("grouped_mm takes packed matrices: a row by row, b row by row or column by column")
        if a.device != b.device:
            raise ValueError(f"grouped_mm takes operands on one device, not on {a.device} and {b.device}")
        c = empty_c(a, b, rows_of_a, rows_of_c, c_rows, gated)
        rows = a.shape[0] if rows_of_a is None else rows_of_a.shape[0]
        expect_packed("grouped_mm", "offs", offs, torch.int32, (b.shape[0],), a.device)
        for name, tensor, dtype in (("rows_of_a", rows_of_a, torch.int32), ("rows_of_c", rows_of_c, torch.int32),
                                    ("weights", weights, torch.float32)):
            if tensor is not None:
                expect_packed("grouped_mm", name, tensor, dtype, (rows,), a.device)
        if a.shape[0] == 0 or c.shape[0] == 0:  # the plan takes 0 for as many rows as the groups have
            return c.zero_()
        with torch.cuda.device(a.device):
            plan = self.plan(rows, b.shape[0], c.shape[1], b.shape[1], element, int(not by_columns), int(gated),
                             a.shape[0], c.shape[0])
            stream = torch.cuda.current_stream().cuda_stream
            workspace = zeroed(self.workspaces, (plan, stream), self.c.heddle_grouped_workspace_bytes(plan))
            operands = Operands(*(None if tensor is None else tensor.data_ptr()
                                  for tensor in (a, b, offs, c, workspace, rows_of_a, rows_of_c, weights)))
            if self.c.heddle_grouped_product(plan, operands, stream) != 0:
                raise self.error()
        return c


def empty_c(a, b, rows_of_a, rows_of_c, c_rows, gated):
    """Returns C before the product."""
    if gated and b.shape[2] % 2 != 0:
        raise ValueError(f"grouped_mm takes b with two halves of columns where it is gated, not {b.shape[2]} columns")
    if (rows_of_c is None) != (c_rows is None):
        raise ValueError("grouped_mm takes rows_of_c and c_rows together")
    n = b.shape[2] // 2 if gated else b.shape[2]
    if rows_of_c is not None:
        return a.new_zeros(c_rows, n)
    return a.new_empty((a if rows_of_a is None else rows_of_a).shape[0], n)


def register(library):
    """Registers the operator torch.ops.heddle.grouped_mm. Keep what is returned."""
    operators = torch.library.Library("heddle", "DEF")
    operators.define("grouped_mm(Tensor a, Tensor b, Tensor offs, *, Tensor? rows_of_a=None, Tensor? rows_of_c=None, "
                     "Tensor? weights=None, int? c_rows=None, bool gated=False) -> Tensor")
    operators.impl("grouped_mm", library.product, "CUDA")
    operators.impl("grouped_mm", lambda a, b, offs, rows_of_a=None, rows_of_c=None, weights=None, c_rows=None,
                   gated=False: empty_c(a, b, rows_of_a, rows_of_c, c_rows, gated), "Meta")
    return operators
