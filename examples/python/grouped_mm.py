"""Products of groups of rows as a PyTorch operator: checked against torch._grouped_mm, and timed in turns with it.

usage: grouped_mm.py [LIBRARY] [--quick] [--extension] [--b LAYOUT] [--rounds R] [--json FILE]

LIBRARY is libheddle_grouped.so, by default the newest in the build folders. Nothing is compiled here, except by
--extension: then PyTorch's own loader compiles the library with nvcc.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys
import time

from grouped_operator import Library, compile_library, find_library, register, skip, torch


def ends_of(rows):
    return torch.tensor(rows, dtype=torch.int32).cumsum(0, dtype=torch.int32).cuda()


def random_b(groups, k, n, layout, dtype=torch.bfloat16):
    if layout == "row":
        return torch.randn(groups, k, n, dtype=dtype, device="cuda")
    return torch.randn(groups, n, k, dtype=dtype, device="cuda").transpose(1, 2)


def error_of(found, right):
    """The largest error of an element, over the largest element."""
    if right.numel() == 0:
        return 0.0
    return ((found.float() - right.float()).abs().max() / right.float().abs().max().clamp(min=1e-30)).item()


def in_float32(a, b, rows):
    """The products one after another in float32."""
    parts = a.float().split([*rows, a.shape[0] - sum(rows)])
    return torch.cat([part @ matrix.float() for part, matrix in zip(parts, b)])


def expect(is_right, what):
    if not is_right:
        sys.exit(f"wrong: {what}")


def expect_refusal(reason, call):
    try:
        call()
    except (RuntimeError, ValueError) as refusal:
        expect(reason in str(refusal), f"'{refusal}' does not say '{reason}'")
    else:
        expect(False, f"not refused: {reason}")


def check():
    """Compares the operator with torch._grouped_mm and with products in float32."""
    product = torch.ops.heddle.grouped_mm
    for dtype, most in (torch.bfloat16, 1e-2), (torch.float16, 2e-3):
        for layout in "row", "column":
            for rows in [0, 1, 63, 64, 65, 127, 128, 129], [0, 0, 0], [1000], [7] * 40, [0, 3000, 0, 200]:
                for k, n in (128, 256), (136, 520), (1000, 776):
                    used = sum(rows)
                    a = torch.randn(used + 16, k, dtype=dtype, device="cuda")
                    b, ends = random_b(len(rows), k, n, layout, dtype), ends_of(rows)
                    found, right = product(a, b, ends)[:used], in_float32(a, b, rows)
                    what = f"{dtype}, b by {layout}, rows {rows}, k {k}, n {n}"
                    expect(error_of(found, right) <= most, what)
                    if dtype == torch.bfloat16 and used > 0:
                        expect(error_of(found, torch._grouped_mm(a, b, offs=ends)[:used]) <= most,
                               what + ", next to torch._grouped_mm")
    print("checked in bfloat16 and float16, in both layouts of b: right")


def check_fused():
    """Compares products that gather, scatter and gate with steps of PyTorch in float32."""
    product = torch.ops.heddle.grouped_mm
    for dtype, most in (torch.bfloat16, 1e-2), (torch.float16, 2e-3):
        for layout in "row", "column":
            for rows in [0, 1, 63, 64, 65, 127, 128, 129], [7] * 40, [0, 900, 0, 200]:
                k, n, tokens, used = 136, 264, 300, sum(rows)
                a = torch.randn(tokens, k, dtype=dtype, device="cuda")
                b, ends = random_b(len(rows), k, 2 * n, layout, dtype), ends_of(rows)
                taken = torch.randint(-20, tokens + 20, (used + 16,), dtype=torch.int32, device="cuda")
                place = torch.randperm(used + 16, dtype=torch.int32, device="cuda") - 9  # some are nowhere
                weights = torch.randn(used + 16, device="cuda")
                is_row = (taken >= 0) & (taken < tokens)
                ordered = a[taken.clamp(0, tokens - 1).long()] * is_row[:, None]
                plain = in_float32(ordered, b, rows)
                gated = torch.nn.functional.silu(plain[:, :n]) * plain[:, n:]
                for is_gated, right in (False, plain), (True, gated):
                    what = f"{dtype}, b by {layout}, rows {rows}, gated: {is_gated}"
                    found = product(a, b, ends, rows_of_a=taken, gated=is_gated)[:used]
                    expect(error_of(found, right) <= most, "gathered, " + what)
                    found = product(ordered, b, ends, gated=is_gated)[:used]
                    expect(error_of(found, right) <= most, what)
                    scattered = right.new_zeros(used, right.shape[1])
                    is_stored = (place[:used] >= 0) & (place[:used] < used)
                    scattered[place[:used][is_stored].long()] = (right * weights[:used, None])[is_stored]
                    found = product(a, b, ends, rows_of_a=taken, rows_of_c=place, weights=weights, c_rows=used,
                                    gated=is_gated)
                    expect(error_of(found, scattered) <= most, "gathered and scattered, " + what)
    print("rows that are gathered, scattered and weighed, and gates: right")


def check_graph():
    """Captures the operator once, and replays it with other sizes."""
    a, b = torch.randn(1000, 136, dtype=torch.bfloat16, device="cuda"), random_b(5, 136, 264, "column")
    ends = ends_of([0] * 5)
    torch.ops.heddle.grouped_mm(a, b, ends)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = torch.ops.heddle.grouped_mm(a, b, ends)
    for rows in [200] * 5, [0, 999, 0, 1, 0], [0] * 5, [64, 65, 66, 67, 68]:
        ends.copy_(ends_of(rows))
        graph.replay()
        expect(error_of(found[:sum(rows)], in_float32(a, b, rows)) <= 1e-2, f"a replay with rows {rows}")
    print("a captured graph, replayed with other sizes: right")


def check_refusals():
    """Expects the reasons in the errors."""
    a, b, ends = torch.randn(64, 16, dtype=torch.bfloat16, device="cuda"), random_b(2, 16, 12, "row"), ends_of([1, 2])
    wide, index = random_b(2, 16, 24, "row"), torch.zeros(64, dtype=torch.int32, device="cuda")
    for of_b, offs, options, reason in (
            (b, ends, {}, "n is 12; it must be a multiple of 8"), (b[:, :, :8], ends, {}, "packed"),
            (b, ends.long(), {}, "int32"), (b, ends_of([1, 2, 3]), {}, "offs as 2"),
            (wide, ends, {"rows_of_c": index}, "c_rows together"),
            (wide, ends, {"rows_of_a": index.long()}, "rows_of_a as 64"),
            (wide, ends, {"weights": index}, "weights as 64"),
            (wide, ends, {"rows_of_a": index[:9], "weights": index}, "as 9"),
            (wide, ends, {"gated": True}, "n is 12; it must be a multiple of 8")):
        expect_refusal(reason, lambda: torch.ops.heddle.grouped_mm(a, of_b, offs, **options))
    print("operands that cannot be right: refused")


# Experts, n, k, tokens: as in bench/grouped. The geometric mean is over the rows with a star: experts, n, exponent.
SHAPES = ((128, 1536, 2048, 32768), (32, 4096, 7168, 32768), (32, 7168, 2048, 32768), (8, 14336, 4096, 16384),
          (64, 4096, 7168, 2048))
IN_MEAN = {(128, 1536, 0), (128, 1536, 1), (128, 1536, 1.4), (32, 4096, 0), (32, 4096, 1), (32, 7168, 1), (8, 14336, 0),
           (8, 14336, 1)}


def exponents_of(shape):
    """Exponents of Zipf's law; 0 is even."""
    return (0, 1, 1.4) if shape == SHAPES[0] else (0, 1)


def rows_of(groups, tokens, exponent):
    """Shares tokens out by Zipf's law, with the popular groups anywhere among the others."""
    weights = [(rank + 1) ** -exponent for rank in range(groups)]
    rows = [math.floor(tokens * weight / sum(weights)) for weight in weights]
    for rank in range(tokens - sum(rows)):
        rows[rank] += 1
    return [rows[(37 * group + 11) % groups] for group in range(groups)]


def burst(work, times, rest):
    """Returns the milliseconds of each of some runs one right after another, after a rest."""
    torch.cuda.synchronize()
    time.sleep(rest)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    work()
    begin.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def measure(shape, exponent, layout, rounds):
    """Times the operator and torch._grouped_mm in turns."""
    groups, n, k, tokens = shape
    rows = rows_of(groups, tokens, exponent)
    a, b = torch.randn(tokens, k, dtype=torch.bfloat16, device="cuda"), random_b(groups, k, n, layout)
    ends = ends_of(rows)
    contenders = {"heddle": lambda: torch.ops.heddle.grouped_mm(a, b, ends),
                  "torch": lambda: torch._grouped_mm(a, b, offs=ends)}
    found, right = [work() for work in contenders.values()]
    expect(error_of(found, right) <= 1e-2, f"{shape}, Zipf({exponent}), b by {layout}")
    del found, right
    seconds = 2 * tokens * n * k / 600e12
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            times[name].append(burst(work, 3 if seconds > 1e-3 else 10, 0.03 if seconds > 1e-3 else 0.008))
    row = {"experts": groups, "n": n, "k": k, "tokens": tokens, "zipf": exponent, "b": layout,
           "in_mean": (groups, n, exponent) in IN_MEAN}
    for name, some in times.items():
        median = statistics.median(some)
        row |= {f"{name}_ms": round(median, 5), f"{name}_tflops": round(2e-9 * tokens * n * k / median, 1),
                f"{name}_spread": round((max(some) - min(some)) / median, 3)}
    row["over_torch"] = round(row["torch_ms"] / row["heddle_ms"], 4)
    return row


def geometric_mean(rows):
    return math.exp(statistics.fmean(math.log(row["over_torch"]) for row in rows)) if rows else math.nan


def show(row):
    spread = f"Zipf({row['zipf']})" if row["zipf"] else "even"
    star = "*" if row["in_mean"] else " "
    name = f"{row['experts']} x {row['n']} x {row['k']}, {row['tokens']}, {spread}, b by {row['b']}"
    of_both = "   ".join(f"{of} {row[of + '_ms']:8.4f} ms {row[of + '_tflops']:6.1f} TFLOP/s"
                         for of in ("heddle", "torch"))
    print(f"{star} {name:52} {of_both} {row['over_torch']:6.3f}", flush=True)


def parse():
    parser = argparse.ArgumentParser(description="Checks products of groups as a PyTorch operator, and times them.")
    parser.add_argument("library", nargs="?", type=pathlib.Path,
                        help="libheddle_grouped.so (default: the newest in the build folders)")
    parser.add_argument("--quick", action="store_true", help="check, and time nothing")
    parser.add_argument("--extension", action="store_true", help="compile the library by torch.utils.cpp_extension")
    parser.add_argument("--b", choices=("row", "column", "both"), default="column",
                        help="the layout of b that is timed")
    parser.add_argument("--rounds", type=int, default=7, help="bursts of each contender; medians are shown")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    chosen = parser.parse_args()
    if chosen.rounds < 1:
        parser.error(f"--rounds is {chosen.rounds}; it must be at least 1")
    return chosen


def main():
    chosen = parse()
    if not torch.cuda.is_available():
        skip("no GPU")
    if torch.cuda.get_device_capability()[0] != 9:
        skip("this GPU is not of compute capability 9.0")
    if not hasattr(torch, "_grouped_mm"):
        skip(f"torch {torch.__version__} has no _grouped_mm")
    operators = register(Library(compile_library() if chosen.extension else chosen.library or find_library()))
    check()
    check_fused()
    check_graph()
    check_refusals()
    if chosen.quick:
        return
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}. Medians of {chosen.rounds} bursts, in turns.")
    layouts = ("column", "row") if chosen.b == "both" else (chosen.b,)
    rows = []
    for shape in SHAPES:
        for exponent in exponents_of(shape):
            for layout in layouts:
                rows.append(measure(shape, exponent, layout, chosen.rounds))
                show(rows[-1])
                torch.cuda.empty_cache()
    means = {}
    for layout in layouts:
        some = [row for row in rows if row["in_mean"] and row["b"] == layout]
        means[layout] = {"all": round(geometric_mean(some), 4),
                         "skewed": round(geometric_mean([row for row in some if row["zipf"]]), 4)}
        print(f"over torch._grouped_mm, b by {layout}: {means[layout]['all']:.3f} in the geometric mean of the rows "
              f"with a star, {means[layout]['skewed']:.3f} of those with skewed sizes")
    if chosen.json:
        context = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
                   "rounds": chosen.rounds, "extension": chosen.extension}
        members = [f'"context": {json.dumps(context)}', f'"means": {json.dumps(means)}',
                   '"rows": [\n    ' + ",\n    ".join(json.dumps(row) for row in rows) + "\n  ]"]
        chosen.json.write_text("{\n  " + ",\n  ".join(members) + "\n}\n", encoding="utf-8")
    del operators  # the operator exists as long as they do


if __name__ == "__main__":
    main()
