"""How many times as fast heddle is as the best baseline: for each benchmark groups of cases, by name.

A baseline is what one would use without heddle: a library, a loop by hand, raster order, a block per tile. The best one of
each case counts. heddle's side is one strategy, whose name the group has, and the best of several only if the group says so.
"""

import math
import re

from page.charts import bars, strip
from page.sections import REORDER_KEY, firsts


def ratio(baselines, time):
    """Of the best baseline, if both were measured."""
    there = [each for each in baselines if each]
    return min(there) / time if there and time else None


def of_schedule(of):
    by_hand = {"strided": ("by_hand_strided",), "ticket": ("by_hand_atomic", "by_hand_atomic_ahead"),
               "one_shot": ("by_hand_one_shot",)}
    for form, what in (("full", "as many blocks as fit"), ("single", "a block per multiprocessor")):
        for name, baselines in by_hand.items():
            yield f"{name} over the loop by hand, {what}", [ratio([of.get((form, each)) for each in baselines],
                                                            of.get((form, name)))]
    for form, what in (("uneven", "uneven tiles"), ("beside", "beside another kernel")):
        yield f"ticket over a block per tile, {what}", [ratio([of.get((form, "one_shot"))], of.get((form, "ticket")))]


def of_gemm(of):
    for way, what in (("burst", "bursts"), ("sustained", "sustained")):
        for name in ("cublas", "cublaslt"):
            library = {"cublas": "cuBLAS", "cublaslt": "cublasLt's best of 32"}[name]
            yield f"heddle over {library}, {what}", [ratio([of.get((*key[:2], name))], time) for key, time in of.items()
                                                     if key[1:] == (way, "heddle")]


def of_gemm_few(of):
    yield "heddle over the better of both, bursts", [
        ratio([of.get((*key[:2], name)) for name in ("cublas", "cublaslt")], time) for key, time in of.items()
        if key[1:] == ("burst", "heddle")]


def of_gemm_beside(of):
    for name, what in (("sharing", "the plan that shares"), ("heddle", "the plan")):
        for situation in firsts(key[1:] for key in of):
            yield f"{what} over cuBLAS, {situation}", [ratio([of.get((*key[:3], "cublas"))], time)
                                                       for key, time in of.items()
                                                       if key[1] == situation and key[2] > 0 and key[3] == name]


def of_choose(of):
    for name, what in (("plan", "the plan"), ("tuned", "the tuned plan")):
        yield f"{what} over the best of all that was measured", [ratio([of.get((key[0], "best"))], time)
                                                                 for key, time in of.items() if key[1] == name]


def of_gemm_study(of):
    for name, what in (("row_major", "the best in raster order"), ("best", "the best of all that was measured")):
        yield f"what advise picks over {what}", [ratio([of.get((*key[:2], name))], time) for key, time in of.items()
                                                 if key[2] == "advised"]


def of_grouped(of):
    shapes = [shape for shape in firsts(of) if isinstance(shape, tuple)]
    for layout in ("column", "row"):
        yield f"in PyTorch, b by {layout}, over torch._grouped_mm", [
            ratio([of.get((shape, "torch, b by " + layout))], of.get((shape, "heddle, b by " + layout)))
            for shape in shapes]
    for name, is_even in (("even", True), ("skewed", False)):
        yield f"{name} groups over one dense product", [ratio([of.get((shape, "dense"))], of.get((shape, "grouped")))
                                                        for shape in shapes if (shape[4] == 0) == is_even]
    yield "what advise picks over the best of all that was measured", [
        ratio([of.get((shape, "best"))], of.get((shape, "advised"))) for shape in shapes]
    yield "by k over a loop of cuBLAS", [ratio([of.get(("by k", "cublas"))], of.get(("by k", "grouped")))]


def raster_of(of, row):
    """The name of raster in the tiles of the pass as it is usually written, which come first."""
    return next((name for found, name in of if found == row and name.endswith("row_major one_shot")), None)


def of_convolution(of):
    groups = {}
    for row in firsts(of):
        kind = ", ".join(part for part in row.split(", ")[:2] if not re.fullmatch(r"[0-9]+x[0-9]+", part))
        groups.setdefault(kind, []).append(ratio([of.get((row, raster_of(of, row)))], of.get((row, of.notes.get(row)))))
    for kind, ratios in groups.items():
        yield f"{kind}: advised over raster", ratios


def of_expand(of):
    done = {"store": "every item stored", "gather": "8 bytes read per item", "null": "nothing stored"}
    baselines = ("upper_bound", "run_length", "thrust", "loop")
    for consumer, what in done.items():
        for name in ("packed_prefix", "scanned"):
            yield (f"{name}, {what}",
                   [ratio([of.get((row, each, consumer, "warm")) for each in baselines],
                          of.get((row, name, consumer, "warm"))) for row in firsts(of)])


def of_reorder(of):
    cases = {}
    for key, time in of.items():
        if key[0] in ("switch", "state", "data") and not key[REORDER_KEY["together"]]:
            times = cases.setdefault((key[0], *key[1:7]), {})
            times[key[8]] = min(time, times.get(key[8], math.inf))
    for sweep in ("switch", "state", "data"):
        for name, what in (("reorder", "always"), ("gate", "with the gate")):
            found = [ratio([times.get("plain")], times.get(name)) for key, times in cases.items() if key[0] == sweep]
            yield f"{sweep}, {what}, over threads as they are", found
    ranks = {key[8]: time for key, time in of.items() if key[0] == "ranks"}
    yield "ranks over the best of CUB", [ratio([time for name, time in ranks.items() if name.startswith("cub::")],
                                              ranks.get("heddle::block_reorder"))]


def of_path_tracer(of):
    for name in ("block", "queues"):
        for scene in firsts(of):
            yield f"{scene}: {name} over threads as they are", [
                ratio([of.get((scene, "each")), of.get((scene, "persistent"))], of.get((scene, name)))]


def of_launch_box(of):
    library = "cub::DeviceMergeSort"
    for key in firsts(of):
        boxes = {name: time for (kind, name), time in of.items() if kind == key and name != library}
        yield f"{key}: the best box over CUB", [ratio([of.get((key, library))], min(boxes.values(), default=None))]
        yield f"{key}: the best box over 256x7", [ratio([boxes.get("256x7")], min(boxes.values(), default=None))]


# The groups, and the best baseline in words.
GROUPS = {
    "schedule": (of_schedule, "the loop by hand, or a block per tile"),
    "gemm": (of_gemm, "cuBLAS, and the best of 32 algorithms of cublasLt"),
    "gemm_few": (of_gemm_few, "the better of cuBLAS and the best of 32 algorithms of cublasLt"),
    "gemm_beside": (of_gemm_beside, "cuBLAS beside the same kernel"),
    "choose": (of_choose, "the best of all kernels, schedules and orders"),
    "gemm_study": (of_gemm_study, "raster order with its best kernel and schedule, and the best of all"),
    "grouped": (of_grouped, "torch._grouped_mm, one dense product of as many rows, and a loop of cuBLAS calls"),
    "convolution": (of_convolution, "raster order, a block per tile"),
    "expand": (of_expand, "the best of CUB's scan and a search, CUB's decoder of runs, Thrust, and a loop in each thread"),
    "reorder": (of_reorder, "threads as they are, in the best size of blocks"),
    "path_tracer": (of_path_tracer, "the faster of a thread per path and persistent threads"),
    "launch_box": (of_launch_box, "cub::DeviceMergeSort, and the same sort with 256 threads and 7 values per thread for every key"),
}


# Benchmarks without a baseline show what their parts cost: which figures, and their unit.
COSTS = {
    "order": ("throughput", "ps per tile, less is better;  index is the loop without an order"),
    "spaces": ("tiles", "ns per tile, less is better;  row_major is a grid"),
}


def groups_of(benchmark, of):
    """Ratios by group, of the cases that were measured."""
    found = {name: [each for each in ratios if each] for name, ratios in GROUPS[benchmark][0](of)}
    return {name: ratios for name, ratios in found.items() if ratios}


def mean_of(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def picture(benchmark, title, now, then):
    """heddle beside the best baseline; of orders and spaces, which have none, what they cost."""
    if benchmark in COSTS:
        measure, unit = COSTS[benchmark]
        rows = sorted(((key[1], time, then.get(key)) for key, time in now.items() if key[0] == measure),
                      key=lambda row: row[1])
        return bars(title, unit, rows) if rows else ""
    new, old = groups_of(benchmark, now), groups_of(benchmark, then)
    rows = []
    for name, ratios in new.items():
        mean = mean_of(ratios)
        says = f"{mean:.2f}×" if len(ratios) == 1 else (
            f"{mean:.2f}× in the mean of {len(ratios)}, {min(ratios):.2f} to {max(ratios):.2f}")
        then_ratios = old.get(name, [])  # means over other cases cannot be compared
        rows.append((name, ratios, says, mean, mean_of(then_ratios) if len(then_ratios) == len(ratios) else None))
    unit = f"times as fast as {GROUPS[benchmark][1]}; more is better"
    return strip(title, unit, rows) if rows else ""
