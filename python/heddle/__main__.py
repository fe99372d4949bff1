"""Prints what heddle advises for a problem, or checks a function of yours.

    python -m heddle gemm 8192 8192 8192 --device h200 --draw out.svg
    python -m heddle grouped rows=700,0,90,2300 n=2048 k=4096
    python -m heddle stencil 2039 65521 16 tile=16,128 radius=32,0 --blocks 6
    python -m heddle check kernel.py:tile_of --grid 1..64x1..64
"""

import argparse
import sys

import heddle
from heddle import _check

describe = {"gemm": heddle.gemm, "batched": heddle.batched_gemm, "grouped": heddle.grouped_gemm, "causal": heddle.causal, "stencil": heddle.stencil, "pairs": heddle.pairs_problem}


def number(text):
    if "," in text:
        return [int(part) for part in text.split(",")]
    try:
        return int(text)
    except ValueError:
        return float(text)


def main():
    if sys.argv[1:2] == ["check"]:
        sys.exit(_check.main(sys.argv[2:]))
    parser = argparse.ArgumentParser("python -m heddle", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=describe)
    parser.add_argument("members", nargs="*", help="values of the problem's members, or name=value")
    parser.add_argument("--device", default="h200", help="h200, h100, a100, rtx_4090, b200, or a file of write_device")
    parser.add_argument("--blocks", type=int, help="blocks per multiprocessor: a stencil needs it")
    parser.add_argument("--draw", metavar="SVG", help="a file for a picture of the advised order")
    asked = parser.parse_args()
    try:
        values = [number(each) for each in asked.members if "=" not in each]
        named = {name: number(value) for name, _, value in (each.partition("=") for each in asked.members if "=" in each)}
        problem = describe[asked.problem](*values, **named)
        device = heddle.read_device(asked.device) if "." in asked.device else heddle.device(asked.device)
        best = heddle.advise(problem, device, asked.blocks)
    except (TypeError, ValueError) as refused:
        sys.exit(f"python -m heddle: {refused}")
    print(best)
    if asked.draw:
        with open(asked.draw, "w") as file:
            file.write(best.order.svg())


if __name__ == "__main__":
    main()
