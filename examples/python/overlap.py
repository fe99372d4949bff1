"""Products of several GPUs, a process for each: checked against float32, and timed beside NCCL's and PyTorch's ways.

usage: overlap.py [LIBRARY] [--quick] [--rounds R] [--json FILE], also under torchrun

LIBRARY is libheddle_overlap.so, by default the newest in the build folders. Nothing is compiled here.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import sys

os.environ |= {"NCCL_NVLS_ENABLE": "0", "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1"}  # not by NVLink multicast

from grouped_mm import burst, error_of, expect
from grouped_operator import find_library, is_packed, skip, torch

try:
    import torch.distributed._symmetric_memory  # registers PyTorch's fused operators
except ImportError:
    pass

SECOND = 1_000_000_000  # nanoseconds


class Report(ctypes.Structure):
    _fields_ = [("late", ctypes.c_uint), ("rank", ctypes.c_int), ("piece", ctypes.c_int), ("at", ctypes.c_int)]


def load(path):
    """Returns the functions of examples/overlap/c_interface.h."""
    library = ctypes.CDLL(str(path.resolve()))
    number, pointer = ctypes.c_int, ctypes.c_void_p
    for name, result, arguments in (("gather", pointer, [number] * 5 + [ctypes.c_longlong]),
                                    ("scatter", pointer, [number] * 5 + [ctypes.c_longlong]),
                                    ("free", None, [pointer]),
                                    ("address_bytes", ctypes.c_size_t, []), ("address", number, [pointer] * 2),
                                    ("connect", number, [pointer] * 2), ("disconnect", number, [pointer]),
                                    ("own_rows", pointer, [pointer]),
                                    ("enqueue", number, [pointer] * 4), ("read", number, [pointer] * 3),
                                    ("error", ctypes.c_char_p, [])):
        function = getattr(library, "heddle_overlap_" + name)
        function.restype, function.argtypes = result, arguments
    return library


class Part:
    """This rank's part of a product that `kind` ("gather" or "scatter") makes. `own_rows` is a tensor."""

    def __init__(self, library, kind, m, n, k):
        self.c, ranks = library, torch.distributed.get_world_size()
        self.shapes = ((n, k), (m, n)) if kind == "gather" else ((m, k), (n, k))
        self.part = getattr(library, "heddle_overlap_" + kind)(m, n, k, ranks, torch.distributed.get_rank(),
                                                               20 * SECOND)
        self.expect(self.part is not None)
        mine = ctypes.create_string_buffer(library.heddle_overlap_address_bytes())
        self.expect(library.heddle_overlap_address(self.part, mine) == 0)
        of_all = [None] * ranks
        torch.distributed.all_gather_object(of_all, mine.raw)
        self.expect(library.heddle_overlap_connect(self.part, b"".join(of_all)) == 0)
        # As 16-bit integers: the interface has no name for bfloat16.
        self.__cuda_array_interface__ = {"shape": (m // ranks, k if kind == "gather" else n), "typestr": "<i2",
                                         "data": (library.heddle_overlap_own_rows(self.part), False), "version": 3}
        self.own_rows = torch.as_tensor(self, device="cuda").view(torch.bfloat16)

    def expect(self, is_right):
        if not is_right:
            raise RuntimeError(self.c.heddle_overlap_error().decode())

    def __call__(self, first, second):
        """Enqueues a turn: B and C of a product that gathers, or A and B of one that scatters. B is n x k."""
        for tensor, shape in zip((first, second), self.shapes):
            if not is_packed(tensor, torch.bfloat16, shape, self.own_rows.device):
                raise ValueError(f"this part takes packed {shape} of bfloat16 on {self.own_rows.device}, not "
                                 f"{tuple(tensor.shape)} of {tensor.dtype} on {tensor.device}")
        stream = torch.cuda.current_stream().cuda_stream
        self.expect(self.c.heddle_overlap_enqueue(self.part, first.data_ptr(), second.data_ptr(), stream) == 0)

    def report(self):
        found = Report()
        self.expect(self.c.heddle_overlap_read(self.part, torch.cuda.current_stream().cuda_stream,
                                               ctypes.byref(found)) == 0)
        return found

    def free(self):
        """Frees the part when no rank uses, or has open, another's memory. `own_rows` is gone then."""
        torch.cuda.synchronize()
        torch.distributed.barrier()
        self.expect(self.c.heddle_overlap_disconnect(self.part) == 0)
        torch.distributed.barrier()
        self.c.heddle_overlap_free(self.part)
        self.part = self.own_rows = None


def normal(*shape):
    return torch.randn(*shape, dtype=torch.bfloat16, device="cuda")


def gathered(shard):
    """The rows of all ranks."""
    rows = shard.new_empty(shard.shape[0] * torch.distributed.get_world_size(), shard.shape[1])
    torch.distributed.all_gather_into_tensor(rows, shard.contiguous())
    return rows


def check(library):
    """Compares some turns, and replays of a graph, with products in float32."""
    expect(library.heddle_overlap_enqueue(None, None, None, None) == -1, "a part that is null")
    expect(library.heddle_overlap_error() == b"overlap: part is null", library.heddle_overlap_error())
    ranks, rank = torch.distributed.get_world_size(), torch.distributed.get_rank()
    for rows, n, k in (128, 256, 128), (1024, 520, 2048), (37, 256, 136), (1, 64, 64), (47, 33, 31):
        m = rows * ranks
        gather, scatter = (Part(library, kind, m, n, k) for kind in ("gather", "scatter"))
        c, a, b = normal(m, n), normal(m, k), normal(n, k)

        def turn():
            gather(b, c)
            scatter(a, b)

        def check_turn(what):
            what = f"{what}, {m} x {n} x {k}, rank {rank}"
            expect(error_of(c, gathered(gather.own_rows).float() @ b.float().T) <= 0.02, "gathered, " + what)
            total = a.float() @ b.float().T
            torch.distributed.all_reduce(total)
            right = total[rank * rows:(rank + 1) * rows]
            expect(error_of(scatter.own_rows, right) <= 0.02, "scattered, " + what)
            expect(gather.report().late == 0 and scatter.report().late == 0, "late, " + what)

        for number in range(4):
            gather.own_rows.copy_(normal(rows, k)), a.copy_(normal(m, k)), b.copy_(normal(n, k))
            turn()
            check_turn(f"turn {number}")
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, capture_error_mode="relaxed"):
            turn()
        for number in range(4):
            gather.own_rows.copy_(normal(rows, k)), a.copy_(normal(m, k))
            graph.replay()
            check_turn(f"replay {number}")
        gather.free(), scatter.free()
    if rank == 0:
        print(f"checked on {ranks} GPUs, turns and replays: right", flush=True)


def measure(library, kind, m, n, k, rounds):
    """Times this product, NCCL beside torch.mm, and PyTorch's fused operator, next to torch.mm alone."""
    group, operators = torch.distributed.group.WORLD.group_name, torch.ops.symm_mem
    part, b = Part(library, kind, m, n, k), normal(n, k)
    if kind == "gather":
        part.own_rows.copy_(normal(*part.own_rows.shape))
        shard, c, a = part.own_rows.clone(), normal(m, n), normal(m, k)

        def by_nccl():
            torch.distributed.all_gather_into_tensor(a, shard)
            torch.mm(a, b.T, out=c)

        contenders = {"heddle": lambda: part(b, c), "NCCL": by_nccl,
                      "torch": lambda: operators.fused_all_gather_matmul(shard, [b.T], 0, group)}
    else:
        a, c, own = normal(m, k), normal(m, n), normal(*part.own_rows.shape)

        def by_nccl():
            torch.mm(a, b.T, out=c)
            torch.distributed.reduce_scatter_tensor(own, c)

        contenders = {"heddle": lambda: part(a, b), "NCCL": by_nccl,
                      "torch": lambda: operators.fused_matmul_reduce_scatter(a, b.T, "sum", 0, group)}
    contenders["alone"] = lambda: torch.mm(a, b.T, out=c)
    try:
        contenders["torch"]()
    except Exception as error:  # it is left out where it does not run
        del contenders["torch"]
        print(f"PyTorch's fused operator does not run here: {error}", flush=True)
    turns = 5 if m * n * k > 1e12 else 20
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            torch.distributed.barrier()  # all ranks begin together
            times[name].append(burst(work, turns, 0.02))
    slowest = torch.tensor([statistics.median(some) for some in times.values()], device="cuda")
    torch.distributed.all_reduce(slowest, op=torch.distributed.ReduceOp.MAX)
    expect(part.report().late == 0, f"late, {kind} of {m} x {n} x {k}")
    part.free()
    milliseconds = dict(zip(times, slowest.tolist()))
    row = {"what": kind, "m": m, "n": n, "k": k, "alone_ms": round(milliseconds.pop("alone"), 4)}
    return row | {f"{name}_over_alone": round(its / row["alone_ms"], 4) for name, its in milliseconds.items()}


def parse():
    parser = argparse.ArgumentParser(description="Checks products of several GPUs from PyTorch, and times them.")
    parser.add_argument("library", nargs="?", type=pathlib.Path,
                        help="libheddle_overlap.so (default: the newest in the build folders)")
    parser.add_argument("--quick", action="store_true", help="check, and time nothing")
    parser.add_argument("--rounds", type=int, default=7, help="bursts of each contender; medians are shown")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    return parser.parse_args()


def main():
    chosen = parse()
    if torch.cuda.device_count() < 2:
        skip(f"{torch.cuda.device_count()} GPUs")
    library = load(chosen.library or find_library("heddle_overlap"))
    if "RANK" not in os.environ:
        os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
                                  str(torch.cuda.device_count()), *sys.argv])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    check(library)
    if not chosen.quick:
        rows = []
        for kind in "gather", "scatter":
            for m, n, k in (8192, 7168, 4096), (16384, 14336, 8192), (2048, 8192, 8192):
                rows.append(measure(library, kind, m, n, k, chosen.rounds))
                if torch.distributed.get_rank() == 0:
                    print(json.dumps(rows[-1]), flush=True)
        if chosen.json and torch.distributed.get_rank() == 0:
            context = {"gpu": torch.cuda.get_device_name(), "gpus": torch.distributed.get_world_size(),
                       "torch": torch.__version__, "cuda": torch.version.cuda, "rounds": chosen.rounds}
            chosen.json.write_text(f'{{\n  "context": {json.dumps(context)},\n  "rows": [\n    ' +
                                   ",\n    ".join(map(json.dumps, rows)) + "\n  ]\n}\n", encoding="utf-8")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
