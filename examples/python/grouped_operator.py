"""Products of groups of rows as a PyTorch operator: libheddle_grouped.so by ctypes, or compiled by PyTorch's loader."""

import ctypes
import pathlib
import sys
import tempfile

from headers import include

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


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


class Library:
    """The functions of examples/grouped/c_interface.h, with a plan per problem and a workspace per stream."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        number, pointer = ctypes.c_int, ctypes.c_void_p
        for name, result, arguments in (
                ("make_plan", pointer, [ctypes.c_longlong, number, number, number, number, number]),
                ("workspace_bytes", ctypes.c_size_t, [pointer]),
                ("product", number, [pointer] * 7),
                ("error", ctypes.c_char_p, [])):
            function = getattr(self.c, "heddle_grouped_" + name)
            function.restype, function.argtypes = result, arguments
        self.plans, self.workspaces = {}, {}

    def error(self):
        return RuntimeError(self.c.heddle_grouped_error().decode())

    def plan(self, *problem):
        device = torch.cuda.current_device()
        if (device, problem) not in self.plans:
            plan = self.c.heddle_grouped_make_plan(*problem)
            if plan is None:
                raise self.error()
            self.plans[device, problem] = plan
        return self.plans[device, problem]

    def workspace(self, plan, stream):
        """Returns the plan's workspace for a stream: zeroed once, and for one product at a time."""
        if (plan, stream) not in self.workspaces:
            size = self.c.heddle_grouped_workspace_bytes(plan)
            self.workspaces[plan, stream] = torch.zeros(size, dtype=torch.uint8, device="cuda")
        return self.workspaces[plan, stream]

    def product(self, a, b, offs):
        """Multiplies rows of group g of a, which end before offs[g], by b[g]."""
        element = {torch.bfloat16: 0, torch.float16: 1}.get(a.dtype)
        if element is None or b.dtype != a.dtype or a.dim() != 2 or b.dim() != 3 or a.shape[1] != b.shape[1]:
            raise ValueError(f"grouped_mm takes rows x k and groups x k x n of bfloat16 or float16, not "
                             f"{list(a.shape)} of {a.dtype} and {list(b.shape)} of {b.dtype}")
        by_columns = b.transpose(1, 2).is_contiguous()
        if not a.is_contiguous() or not (by_columns or b.is_contiguous()):
            raise ValueError("grouped_mm takes packed matrices: a row by row, b row by row or column by column")
        if offs.dtype != torch.int32 or list(offs.shape) != [b.shape[0]] or not offs.is_contiguous():
            raise ValueError(f"grouped_mm takes {b.shape[0]} ends as int32, not {list(offs.shape)} of {offs.dtype}")
        if not a.device == b.device == offs.device:
            raise ValueError(f"grouped_mm takes operands on one device, not on {a.device}, {b.device}, {offs.device}")
        with torch.cuda.device(a.device):
            c = a.new_empty(a.shape[0], b.shape[2])
            plan = self.plan(a.shape[0], b.shape[0], b.shape[2], b.shape[1], element, int(by_columns))
            stream = torch.cuda.current_stream().cuda_stream
            workspace = self.workspace(plan, stream)
            if self.c.heddle_grouped_product(plan, a.data_ptr(), b.data_ptr(), offs.data_ptr(), c.data_ptr(),
                                             workspace.data_ptr(), stream) != 0:
                raise self.error()
        return c


def register(library):
    """Registers the operator torch.ops.heddle.grouped_mm. Keep what is returned."""
    operators = torch.library.Library("heddle", "DEF")
    operators.define("grouped_mm(Tensor a, Tensor b, Tensor offs) -> Tensor")
    operators.impl("grouped_mm", library.product, "CUDA")
    operators.impl("grouped_mm", lambda a, b, offs: a.new_empty(a.shape[0], b.shape[2]), "Meta")
    return operators
