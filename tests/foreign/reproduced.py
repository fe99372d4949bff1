"""Each fault of docs/bugs_found.md, by the mappings of tools/foreign/reproductions.py, leaves out what the page says."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "foreign"))
from reproductions import *


def missed_of(mapping, rows, cols, **named):
    return missed(lambda block: mapping(block, rows, cols, **named), rows * cols, grid(rows, cols))


assert cutlass_3497([(2, 3), (3, 3)], 1) == []
assert cutlass_3497([(2, 3), (3, 3)], 2) == [(1, 0, 2), (1, 1, 2), (1, 2, 2)]
assert cutlass_3497([(2, 3), (3, 3)], 4) == [(1, 2, 0), (1, 2, 1), (1, 2, 2)]
assert missed_of(tilelang_2433, 4, 16) == [] and missed_of(tilelang_2433, 4, 12) == grid(4, 12)[32:36] + grid(4, 12)[44:48]
assert missed_of(hip_ep_207, 4, 8) == [] and missed_of(hip_ep_207, 3, 6) == [(2, 4), (2, 5)]
assert sum(wrong_grids(hip_ep_207, 8, 24, group=group)[0] for group in (2, 3, 4, 8, 16, 32)) == 390
assert missed_of(flydsl_979, 8, 2) == [] and missed_of(flydsl_979, 9, 2) == [(8, 1)]
assert wrong_grids(flydsl_979, 32, 16) == (315, 512)
assert missed_of(aiter_4315, 2, 4) == [] and wrong_grids(aiter_4315, 32, 16) == (351, 512)
assert [aiter_lean(heads, keys) for heads, keys in ((64, 8192), (12, 8192), (8, 1280))] == [[], [8, 9, 10, 11], [5, 6, 7]]
assert missed_of(aiter_spatial, 64, 8) == [] and len(missed_of(aiter_spatial, 12, 8)) == 8
for group, rows in ((7, 21), (13, 91), (14, 42), (15, 45), (8, 45)):
    left_out = missed(lambda block: quack_triangle(block, rows, group), len(triangle(rows)), triangle(rows))
    assert left_out == ([] if group == 8 else [(rows - 1, rows - 1)]), (group, left_out)
