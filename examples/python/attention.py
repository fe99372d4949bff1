"""Attention on Hopper as a PyTorch operator: checked against float32, and timed in turns with cuDNN and varlen_attn.

usage: attention.py [LIBRARY] [--quick] [--flash FLASH] [--rounds R] [--json FILE]

LIBRARY is libheddle_attention.so, by default the newest in the build folders. Nothing is compiled here. FLASH is the library of
FlashAttention-3 that tests/guests/check_flash builds.
"""

import argparse
import ctypes
import json
import math
import pathlib
import random
import statistics
import sys

from grouped_mm import burst, expect, expect_refusal
from grouped_operator import expect_packed, find_library, skip, torch, zeroed

UNLIMITED = 0x7FFFFFFF


class Problem(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_longlong) for name in ("sequences", "queries", "keys", "heads", "key_heads", "width")),
                ("scale", ctypes.c_float), *((name, ctypes.c_int) for name in ("left", "right", "element", "is_packed"))]


class Attention:
    """The functions of examples/attention/c_interface.h, with a plan and a workspace per problem and stream."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path.resolve()))
        pointer = ctypes.c_void_p
        for name, result, arguments in (("make_plan", pointer, [ctypes.POINTER(Problem), ctypes.c_longlong]),
                                        ("section", ctypes.c_longlong, [pointer]),
                                        ("workspace_bytes", ctypes.c_size_t, [pointer]),
                                        ("forward", ctypes.c_int, [pointer] * 10), ("error", ctypes.c_char_p, [])):
            function = getattr(self.c, "heddle_attention_" + name)
            function.restype, function.argtypes = result, arguments
        self.plans, self.workspaces = {}, {}

    def plan(self, section, *numbers):
        """Returns the plan of a problem."""
        key = (torch.cuda.current_device(), section, numbers)
        if key not in self.plans:
            plan = self.c.heddle_attention_make_plan(Problem(*numbers), section)
            if plan is None:
                raise RuntimeError(self.c.heddle_attention_error().decode())
            self.plans[key] = plan
        return self.plans[key]

    def forward(self, q, k, v, left=UNLIMITED, right=UNLIMITED, offsets=(None, None), section=0, logarithms=False):
        """Attends: q, k and v are sequences x tokens x heads x width, or with offsets tokens x heads x width."""
        element = {torch.bfloat16: 0, torch.float16: 1}.get(q.dtype)
        if element is None or not q.is_cuda:
            raise ValueError(f"attention takes q of bfloat16 or float16 on a GPU, not of {q.dtype} on {q.device}")
        has_offsets = [each is not None for each in offsets]
        if any(has_offsets) != all(has_offsets):
            raise ValueError("attention takes query_offsets and key_offsets together")
        sizes = ["tokens", "heads", "width"] if all(has_offsets) else ["sequences", "tokens", "heads", "width"]
        if any(each.dim() != len(sizes) for each in (q, k, v)):
            raise ValueError(f"attention takes q, k and v as {' x '.join(sizes)}, not "
                             f"{list(q.shape)}, {list(k.shape)} and {list(v.shape)}")
        of_keys = (*q.shape[:-3], *k.shape[-3:-1], q.shape[-1])
        for name, tensor, shape in ("q", q, tuple(q.shape)), ("k", k, of_keys), ("v", v, of_keys):
            expect_packed("attention", name, tensor, q.dtype, shape, q.device)
        sequences = q.shape[0]
        if all(has_offsets):
            sequences = max(offsets[0].numel() - 1, 0)
            for name, tensor in zip(("query_offsets", "key_offsets"), offsets):
                expect_packed("attention", name, tensor, torch.int32, (sequences + 1,), q.device)
        for name, edge in ("left", left), ("right", right):
            if not 0 <= edge <= UNLIMITED:  # ctypes would cut it to 32 bits
                raise ValueError(f"attention takes {name} from 0 to {UNLIMITED}, not {edge}")
        with torch.cuda.device(q.device):
            plan = self.plan(section, sequences, q.shape[-3], k.shape[-3], q.shape[-2], k.shape[-2], q.shape[-1],
                             max(q.shape[-1], 1) ** -0.5, left, right, element, int(all(has_offsets)))
            stream = torch.cuda.current_stream().cuda_stream
            workspace = zeroed(self.workspaces, (plan, stream), self.c.heddle_attention_workspace_bytes(plan))
            o = torch.empty_like(q)
            lse = None
            if logarithms:
                lse = q.new_empty((q.shape[-2], q.numel() // q.shape[-1] // q.shape[-2]), dtype=torch.float32)
            pointers = [None if each is None else each.data_ptr() for each in (q, k, v, o, lse, *offsets, workspace)]
            if self.c.heddle_attention_forward(plan, *pointers, stream) != 0:
                raise RuntimeError(self.c.heddle_attention_error().decode())
        return (o, lse) if logarithms else o


def in_float32(q, k, v, left, right):
    """Attention of one sequence in float32: tokens x heads x width."""
    groups = q.shape[1] // k.shape[1]
    q, k, v = (each.float().transpose(0, 1) for each in (q, k, v))
    k, v = k.repeat_interleave(groups, 0), v.repeat_interleave(groups, 0)
    before = torch.arange(q.shape[1], device="cuda")[:, None] + k.shape[1] - q.shape[1] - torch.arange(k.shape[1], device="cuda")
    scores = (q @ k.transpose(1, 2) * q.shape[-1] ** -0.5).masked_fill((before > left) | (-before > right), -math.inf)
    return torch.softmax(scores, -1).nan_to_num() @ v, torch.logsumexp(scores, -1)


def random_pass(shape, key_heads, dtype=torch.bfloat16):
    return [torch.randn(*shape[:-2], heads, shape[-1], dtype=dtype, device="cuda") for heads in (shape[-2], key_heads, key_heads)]


def offsets_of(lengths):
    return torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32).cuda()


def check(library):
    """Compares passes with float32."""
    for dtype, most in (torch.bfloat16, 2e-2), (torch.float16, 3e-3):
        for width in 64, 128:
            for left, right in (UNLIMITED, UNLIMITED), (UNLIMITED, 0), (100, 30):
                for lengths in [1, 64, 65, 129, 300], [0, 200, 0, 7], [513]:
                    q, k, v = random_pass((sum(lengths), 4, width), 2, dtype)
                    offsets = offsets_of(lengths)
                    found, lse = library.forward(q, k, v, left, right, (offsets, offsets), logarithms=True)
                    begin = 0
                    for length in lengths:
                        part = slice(begin, begin := begin + length)
                        if length == 0:
                            continue
                        right_o, right_lse = in_float32(q[part], k[part], v[part], left, right)
                        what = f"{dtype}, width {width}, window {left}, {right}, lengths {lengths}"
                        expect((found[part].transpose(0, 1).float() - right_o).abs().max() <= most, what)
                        expect((lse[:, part] - right_lse).abs().max() <= 1e-2, what + ", logarithms")
                        alone = library.forward(*(each[part][None] for each in (q, k, v)), left, right)
                        expect((alone[0].transpose(0, 1).float() - right_o).abs().max() <= most, what + ", alone")
    print("checked in bfloat16 and float16, packed and alone: right")


def check_refusals(library):
    """Expects the reasons in the errors."""
    q, k, v = random_pass((2, 64, 4, 64), 2)
    packed, ends = [each.flatten(0, 1) for each in (q, k, v)], offsets_of([64, 64])
    for operands, options, reason in (
            ((q.float(), k, v), {}, "q of bfloat16 or float16 on a GPU"), ((q.cpu(), k, v), {}, "on a GPU, not"),
            ((q[0], k, v), {}, "q, k and v as sequences x tokens x heads x width"),
            ((q, k, v), {"offsets": (ends, ends)}, "q, k and v as tokens x heads x width"),
            ((q.transpose(1, 2), k, v), {}, "q as 2 x 4 x 64 x 64"),
            ((q, k.half(), v), {}, "k as 2 x 64 x 2 x 64 of torch.bfloat16"),
            ((q, k.cpu(), v), {}, "k as 2 x 64 x 2 x 64"), ((q, k[:1], v), {}, "k as 2 x 64 x 2 x 64"),
            ((q, k[..., :32], v), {}, "k as 2 x 64 x 2 x 64"), ((q, k[0, 0, 0], v), {}, "q, k and v as sequences x"),
            ((q, k.transpose(1, 2), v), {}, "k as 2 x 2 x 64 x 64"),
            ((q, k, v.half()), {}, "v as 2 x 64 x 2 x 64 of torch.bfloat16"),
            ((q, k, v[:, :32]), {}, "v as 2 x 64 x 2 x 64"), ((q, k, v[:, :, :1]), {}, "v as 2 x 64 x 2 x 64"),
            (packed, {"offsets": (ends.long(), ends)}, "query_offsets as 3 of torch.int32"),
            (packed, {"offsets": (ends, ends.long())}, "key_offsets as 3 of torch.int32"),
            (packed, {"offsets": (ends, ends[:2])}, "key_offsets as 3"),
            (packed, {"offsets": (ends.cpu(), ends)}, "query_offsets as 3"),
            (packed, {"offsets": (ends[:0], ends)}, "query_offsets as 1"),
            (packed, {"offsets": (ends, None)}, "query_offsets and key_offsets together"),
            (packed, {"offsets": (None, ends)}, "query_offsets and key_offsets together"),
            ((q, k, v), {"left": -1}, "left from 0 to 2147483647"),
            ((q, k, v), {"right": 2**32}, "right from 0 to 2147483647"),
            ((q[:, :, :3].contiguous(), k, v), {}, "heads is 3; it must be a multiple of 2")):
        expect_refusal(reason, lambda: library.forward(*operands, **options))
    print("operands that cannot be right: refused")


def contest(works, flops, rounds):
    """Returns milliseconds and TFLOP/s of each, in turns."""
    times = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(burst(work, max(3, int(2e-3 / (flops / 600e12))), 0.02))
    row = {}
    for name, some in times.items():
        median = statistics.median(some)
        row |= {f"{name}_ms": float(f"{median:.4g}"), f"{name}_tflops": round(flops / median * 1e-9, 1)}
    return row


def by_flash(flash, q, k, v, is_causal):
    """Attends by FlashAttention-3 and its own scheduler."""
    o, (sequences, length, heads, _) = torch.empty_like(q), q.shape
    kind = b"causal" if is_causal else b"full_pair"
    pointers = [ctypes.c_void_p(each.data_ptr()) for each in (q, k, v, o)]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    expect(flash.heddle_flash_forward(kind, b"own", sequences, length, heads, *pointers, stream) == 0, "FlashAttention-3")
    return o


def same_lengths(library, rounds, flash=None, tokens=16384, heads=16):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    for width in 128, 64:
        for is_causal in True, False:
            for length in 1024, 2048, 4096, 8192, 16384:
                q, k, v = random_pass((tokens // length, length, heads, width), heads)
                rights = 0 if is_causal else UNLIMITED

                def by_cudnn(q=q.transpose(1, 2), k=k.transpose(1, 2), v=v.transpose(1, 2), is_causal=is_causal):
                    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
                by_heddle = lambda: library.forward(q, k, v, UNLIMITED, rights)
                found, other = by_heddle(), by_cudnn().transpose(1, 2)
                expect((found.float() - other.float()).abs().max() < 3e-2, f"beside cuDNN: {length}")
                errors = {}
                if length <= 4096:
                    right = in_float32(q[0], k[0], v[0], UNLIMITED, rights)[0].transpose(0, 1)
                    errors = {name + "_error": float(f"{((some[0] - right).norm() / right.norm()).item():.3g}")
                              for name, some in (("heddle", found), ("cudnn", other))}
                works = {"heddle": by_heddle, "cudnn": by_cudnn}
                if flash and width == 128:
                    works["flash"] = lambda: by_flash(flash, q, k, v, is_causal)
                    expect((found.float() - works["flash"]().float()).abs().max() < 3e-2, f"beside FlashAttention-3: {length}")
                flops = (2 if is_causal else 4) * tokens * length * heads * width
                yield {"width": width, "mask": "causal" if is_causal else "full", "length": length, **errors,
                       **contest(works, flops, rounds)}


def log_normal(count, least, most, seed=3):
    generator = random.Random(seed)
    return [min(most, max(least, int(generator.lognormvariate(math.log(1024), 1)))) for _ in range(count)]


def packed(library, rounds, flash=None, heads=16, width=128):
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        print("torch has no varlen_attn")
        return
    for name, lengths in ("64 sequences, log-normal", log_normal(64, 64, 16384)), ("8192 sequences of 34", [34] * 8192):
        q, k, v = random_pass((sum(lengths), heads, width), heads)
        offsets = offsets_of(lengths)
        works = {"heddle": lambda: library.forward(q, k, v, UNLIMITED, 0, (offsets, offsets))}
        for how in {"is_causal": True}, {"window_size": (-1, 0)}:
            by_torch = lambda how=how: varlen_attn(q, k, v, offsets, offsets, max(lengths), max(lengths), **how)
            try:
                found = by_torch()
            except TypeError:
                continue
            works["varlen_attn"] = by_torch
            expect((works["heddle"]().float() - found.float()).abs().max() < 3e-2, f"beside varlen_attn: {name}")
            break
        yield {"packed": name, "tokens": sum(lengths),
               **contest(works, 2 * sum(each**2 for each in lengths) * heads * width, rounds)}


def main():
    parser = argparse.ArgumentParser(description="Checks attention as a PyTorch operator, and times it.")
    parser.add_argument("library", nargs="?", type=pathlib.Path, help="libheddle_attention.so (default: the newest built)")
    parser.add_argument("--quick", action="store_true", help="check, and time nothing")
    parser.add_argument("--flash", type=pathlib.Path, help="libheddle_flash.so, which is timed, too")
    parser.add_argument("--rounds", type=int, default=7, help="bursts of each contender; medians are shown")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    chosen = parser.parse_args()
    if not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] != 9:
        skip("no GPU of compute capability 9.0")
    library = Attention(chosen.library or find_library("heddle_attention"))
    check(library)
    check_refusals(library)
    if chosen.quick:
        return
    flash = chosen.flash and ctypes.CDLL(str(chosen.flash.resolve()))
    context = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "rounds": chosen.rounds}
    print(context)
    members = [f'"context": {json.dumps(context)}']
    for name, rows in ("passes", same_lengths), ("packed", packed):
        lines = []
        for row in rows(library, chosen.rounds, flash):
            lines.append(json.dumps(row))
            print(lines[-1], flush=True)
        members.append(f'"{name}": [\n    ' + ",\n    ".join(lines) + "\n  ]")
    if chosen.json:
        chosen.json.write_text("{\n  " + ",\n  ".join(members) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
