#!/usr/bin/env python3
"""Compares what ncu counted of the launches of `bench_gemm_study --once` with what heddle's predict expected.

usage: study.py ONCE.json COUNTERS.csv [--times TIMES.json ...] [--json FILE]

Prints the counters of every row, and how well the predicted bytes rank the orders of each kernel (Spearman's rank
correlation, ties by their mean rank): for each schedule, and for the mean over the schedules. --json writes all of it to
FILE, with the rows of --times: how far what is advised is from the best is on the page of results.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import ncu

COUNTERS = {
    "dram__bytes_read.sum": "read_bytes",
    "dram__bytes_write.sum": "written_bytes",
    "lts__t_sectors.sum": "l2_sectors",
    "lts__t_sector_hit_rate.pct": "l2_hit_percent",
    "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": "long_scoreboard_percent",
    "smsp__warp_issue_stalled_mio_throttle_per_warp_active.pct": "mio_throttle_percent",
}


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for place in order[begin:end]:
            result[place] = (begin + end - 1) / 2
        begin = end
    return result


def rank_correlation(some, others):
    x, y = ranks(some), ranks(others)
    mean = (len(x) - 1) / 2
    products = sum((a - mean) * (b - mean) for a, b in zip(x, y))
    squares = sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y)
    return products / squares**0.5 if squares > 0 else float("nan")


def key(row):
    return tuple(row[name] for name in ("m", "n", "k", "kernel", "order", "table", "schedule"))


def correlations(rows):
    """Correlations by kernel and schedule. Bands by value and by table are one order."""
    result = []
    for shape_and_kernel in dict.fromkeys(key(row)[:4] for row in rows):
        reads, predicted = {}, {}
        for row in rows:
            if key(row)[:4] == shape_and_kernel and not (row["table"] and row["order"].startswith("cta_swizzle")):
                reads.setdefault(row["schedule"], {})[row["order"]] = row["read_bytes"]
                predicted[row["order"]] = row["predicted_read_bytes"]
        common = [order for order in predicted if all(order in of for of in reads.values())]
        reads["all"] = {order: sum(of[order] for of in reads.values()) for order in common}
        for schedule, of in reads.items():
            if schedule == "all" and len(reads) == 2:
                continue
            found = rank_correlation([predicted[order] for order in of], list(of.values()))
            m, n, k, kernel = shape_and_kernel
            result.append({"m": m, "n": n, "k": k, "kernel": kernel, "schedule": schedule, "orders": len(of),
                           "rank_correlation": round(found, 3)})
    return result


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("once")
    parser.add_argument("counters")
    parser.add_argument("--times", nargs="+", default=[])
    parser.add_argument("--json")
    chosen = parser.parse_args()

    with open(chosen.once) as file:
        once = json.load(file)
    rows, counted = once["rows"], ncu.launches(chosen.counters, COUNTERS)
    if len(rows) != len(counted):
        sys.exit(f"study.py: {chosen.once} has {len(rows)} rows, but {chosen.counters} {len(counted)} launches")
    for row, counters in zip(rows, counted):
        row.update(counters)
    found = correlations(rows)

    for row in rows:
        print(f"{row['m']} x {row['n']} x {row['k']}, {row['kernel']}, {row['order']}{', table' * row['table']}, "
              f"{row['schedule']}: predicted {row['predicted_read_bytes'] / 1e9:.2f} GB, "
              + ", ".join(f"{name} {row[name]:.4g}" for name in COUNTERS.values() if name in row))
    print()
    for each in found:
        print(f"{each['m']} x {each['n']} x {each['k']}, {each['kernel']}, {each['schedule']}: "
              f"rank correlation {each['rank_correlation']:.2f} over {each['orders']} orders")

    timed = [row for path in chosen.times for row in json.loads(pathlib.Path(path).read_text())["rows"]]
    if chosen.json:
        counted = {key(row): row for row in rows}
        rows = [{**counted.get(key(row), {}), **row} for row in timed] or rows
        with open(chosen.json, "w") as file:
            file.write('{\n "context": ' + json.dumps(once["context"]))
            for name, lines in (("rank_correlations", found), ("rows", rows)):
                file.write(f',\n "{name}": [\n  ' + ",\n  ".join(json.dumps(line) for line in lines) + "\n ]")
            file.write("\n}\n")


if __name__ == "__main__":
    main()
