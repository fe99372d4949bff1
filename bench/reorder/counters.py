#!/usr/bin/env python3
"""Adds the counters that ncu read from `bench_reorder --once` to the figures of record.

usage: counters.py ONCE.json COUNTERS.csv FIGURES.json

ONCE.json lists the launches, in order; `bench_reorder --help` has the command for COUNTERS.csv. FIGURES.json, as
`bench_reorder --json` wrote it, gets the counters as a second list; its other lines do not change.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import ncu

COUNTERS = {
    "smsp__thread_inst_executed_per_inst_executed.ratio": "threads_per_instruction",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "issue_active_percent",
    "smsp__inst_executed.sum": "instructions",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": "sectors_per_load",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "bank_conflicts_of_loads",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "bank_conflicts_of_stores",
}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        launches = json.load(file)["rows"]
    counters = ncu.launches(sys.argv[2], COUNTERS)
    if len(launches) != len(counters):
        sys.exit(f"{len(launches)} launches, but {len(counters)} were counted")
    with open(sys.argv[3]) as file:
        figures = file.read()
    lines = ",\n".join(json.dumps({**launch, **counter}) for launch, counter in zip(launches, counters))
    head = figures[: figures.rindex("]") + 1]
    with open(sys.argv[3], "w") as file:
        file.write(f'{head},\n"counters": [\n{lines}\n]\n}}\n')


main()
