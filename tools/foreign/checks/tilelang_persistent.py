"""Prints the CUDA sources that TileLang makes of T.Persistent on twelve grids, with the grid and how many blocks it has, as JSON."""

import json

import tilelang
import tilelang.language as T


def flat(grid, blocks):
    @T.prim_func
    def visit(visits: T.Tensor(grid, T.int32)):
        with T.Kernel(blocks, threads=1) as block:
            for row, col in T.Persistent(list(grid), blocks, block):
                visits[row, col] += 1

    return visit


def deep(grid, blocks):
    @T.prim_func
    def visit(visits: T.Tensor(grid, T.int32)):
        with T.Kernel(blocks, threads=1) as block:
            for layer, row, col in T.Persistent(list(grid), blocks, block):
                visits[layer, row, col] += 1

    return visit


grids = [((4, cols), 3) for cols in (1, 2, 4, 8, 9, 10, 11, 12)] + [((4, 9), 36), ((7, 11), 5), ((3, 5, 10), 4), ((2, 3), 16)]
made = [(grid, blocks, tilelang.lower((deep if len(grid) == 3 else flat)(grid, blocks), target="cuda").kernel_source) for grid, blocks in grids]
print("\n" + json.dumps(made))
