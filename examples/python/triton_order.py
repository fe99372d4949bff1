"""What the two examples in Triton share: an order as a function of Triton, and times taken in turns."""

import argparse
import importlib.util
import json
import math
import pathlib
import statistics
import tempfile
import time

from headers import skip

try:
    import heddle
except ImportError:
    skip("no heddle: pip install . in the repository")
try:
    import torch
    import triton
except ImportError as missing:
    skip(f"no {missing.name}")


def function_of(order):
    """Returns the order as a function that a kernel calls. Triton reads sources from files, so it is written to one."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="heddle_"), "tile_of.py")
    path.write_text("import triton\nimport triton.language as tl\n\n\n" + order.source("triton"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("tile_of", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tile_of


def tensor_device():
    """Returns where tensors are: on the host if TRITON_INTERPRET=1 asks for Triton's interpreter."""
    if triton.knobs.runtime.interpret:
        return "cpu"
    if not torch.cuda.is_available():
        skip("no GPU")
    return "cuda"


def this_card():
    """Returns what heddle knows of this card, or of the nearest that it knows."""
    return heddle.device("h200" if "H200" in torch.cuda.get_device_name() else "h100")


def clock(launches, launch):
    """Returns the seconds of some launches, one right after another."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(launches):
        launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def captured(launch, times):
    """Returns a function that launches so many times by a graph, which takes no time of the host."""
    launch()  # compiles
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            launch()
    return graph.replay


def milliseconds(contenders, rounds):
    """Times each of some launches by the median of bursts of about 8 ms, there and back in turns, after a rest each."""
    bursts, times = {}, {name: [] for name in contenders}
    for name, launch in contenders.items():
        launch()
        bursts[name] = max(3, round(8e-3 / clock(3, launch) * 3))
    graphs = {name: captured(launch, bursts[name]) for name, launch in contenders.items()}
    for turn in range(rounds):
        for name in list(contenders)[:: (-1) ** turn]:
            torch.cuda.synchronize()
            time.sleep(0.02)
            contenders[name]()
            times[name].append(1e3 * clock(1, graphs[name]) / bursts[name])
    return {name: statistics.median(some) for name, some in times.items()}


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="check, and time nothing")
    parser.add_argument("--rounds", type=int, default=7, help="bursts of each contender; medians are shown")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    return parser.parse_args()


def report(name, rows, ratios, chosen):
    """Prints rows as they are measured, and the geometric means of some ratios, and writes them to a file by a name."""
    measured = []
    for row in rows:
        measured.append(row)
        print(json.dumps(row), flush=True)
    means = {name: round(math.exp(statistics.fmean(math.log(row[name]) for row in measured)), 4) for name in ratios}
    print(json.dumps({"geometric_means": means}))
    if chosen.json:
        context = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__,
                   "rounds": chosen.rounds}
        members = [f'"context": {json.dumps(context)}', f'"geometric_means": {json.dumps(means)}',
                   f'"{name}": [\n    ' + ",\n    ".join(json.dumps(row) for row in measured) + "\n  ]"]
        chosen.json.write_text("{\n  " + ",\n  ".join(members) + "\n}\n", encoding="utf-8")
