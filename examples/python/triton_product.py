"""A product in Triton whose tiles come in an order of heddle: checked, and timed beside groups of eight rows of tiles.

usage: triton_product.py [--quick] [--rounds R] [--json FILE]
"""

import math
import sys

from triton_order import (clock, function_of, heddle, milliseconds, options, report, tensor_device, this_card, torch,
                          triton)
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def in_groups(i, rows, cols, height: tl.constexpr):
    """Walks groups of `height` rows of tiles, each column after column: what Triton's tutorial of the product does."""
    first = i // (height * cols) * height
    here = min(rows - first, height)
    i = i % (height * cols)
    return first + i % here, i // here


@triton.jit(do_not_specialize=["rows", "cols", "depth"])
def product(a, b, c, rows, cols, depth, table, tile_of: tl.constexpr, by: tl.constexpr, tile_m: tl.constexpr,
            tile_n: tl.constexpr, step: tl.constexpr):
    """Multiplies for one tile of c. Its place comes `by` "groups", by a "table", or by the "source" of an order."""
    i = tl.program_id(0)
    if by == "groups":
        row, col = in_groups(i, rows, cols, 8)
    elif by == "table":
        number = tl.load(table + 2 * i)
        row, col = number // cols, number % cols
    else:
        row, col = tile_of(i)
    sums = tl.zeros((tile_m, tile_n), tl.float32)
    for k in range(0, depth, step):
        sums = tl.dot(a.load([row * tile_m, k]), b.load([k, col * tile_n]), sums)
    c.store([row * tile_m, col * tile_n], sums.to(c.dtype))


# The tiles of a product: m, n and a step of k; warps, steps in flight, and blocks per multiprocessor.
LARGE, FLAT = ((128, 256, 64), 8, 4, 1), ((64, 256, 32), 4, 4, 2)


class Product:
    """A product of two matrices, launched in any order."""

    def __init__(self, a, b, tile):
        (self.tile, self.warps, self.stages, self.blocks), (m, k), n = tile, a.shape, b.shape[1]
        tile_m, tile_n, step = self.tile
        self.c = a.new_empty(m, n)
        self.problem = heddle.gemm(m, n, k, tile=(tile_m, tile_n))
        self.operands = [TensorDescriptor.from_tensor(each, list(block)) for each, block in (
            (a, (tile_m, step)), (b, (step, tile_n)), (self.c, (tile_m, tile_n)))]

    def launch(self, by, order=None):
        """Returns a function that launches the product."""
        grid, k = self.problem.grid(), self.problem.k
        table = order.table(torch.int32, device=self.c.device) if by == "table" else None
        tile_of = function_of(order) if by == "source" else None

        def launch():
            product[(math.prod(grid),)](*self.operands, *grid, k, table, tile_of, by, *self.tile, num_warps=self.warps,
                                        num_stages=self.stages)
            return self.c

        return launch

    def orders(self, chip):
        """Returns what advice names, and bands of some widths, as candidates with the time that their bytes take."""
        grid = rows, cols = self.problem.grid()
        orders = [heddle.advise(self.problem, chip, self.blocks).order]
        orders += [heddle.cta_swizzle(grid, width, "y") for width in (8, 9, 12, 16) if width <= rows]
        orders += [heddle.cta_swizzle(grid, width, "x") for width in (8, 12) if width <= cols]
        bytes_of = lambda order: heddle.traffic(order, self.problem, chip, self.blocks).total.dram_bytes
        return [heddle.candidate(order, bytes_of(order) / chip.dram_bytes_per_second)
                for order in {repr(each): each for each in orders}.values()]

    def fastest(self, chip):
        """Returns the order of the fastest launch."""
        candidates = self.orders(chip)
        launches = {repr(each.value): self.launch("table", each.value) for each in candidates}
        return heddle.choose(candidates, lambda order: launches[repr(order)](), clock, most=len(candidates),
                             burst=0.008, rest=0.01, tie=0.002).value


def random_matrix(rows, cols, on):
    return torch.randn(rows, cols, dtype=torch.float16, device=on)


def check(on):
    """Compares products with sums in float32, in each order and each way, where tiles end beyond the matrix, too."""
    m, n, k = 1100, 1000, 136
    for tile in LARGE, FLAT:
        a, b = random_matrix(m, k, on), random_matrix(k, n, on)
        right, of = a.float() @ b.float(), Product(a, b, tile)
        grid = of.problem.grid()
        launches = [of.launch("groups")]
        for order in (heddle.cta_swizzle(grid, 3, "y"), heddle.reversed(heddle.hilbert(grid))):
            launches += [of.launch(by, order) for by in ("table", "source")]
        for launch in launches:
            of.c.fill_(math.nan)
            error = ((launch().float() - right).norm() / right.norm()).item()
            if not error < 1e-2:
                sys.exit(f"wrong: {m} x {n} x {k}, error {error}")
    print("each way and order, with tiles that end beyond the matrix: right")


# m, n, k. The last two have nine rows of tiles: a group of eight, and a group of one, which reads all of b once more.
SHAPES = ((8192, 8192, 8192, LARGE), (4096, 14336, 4096, LARGE), (8192, 28672, 8192, LARGE),
          (1152, 65536, 4096, LARGE), (576, 65536, 4096, FLAT))


def measure(m, n, k, tile, rounds, chip):
    of = Product(random_matrix(m, k, "cuda"), random_matrix(k, n, "cuda"), tile)
    order = of.fastest(chip)
    times = milliseconds({"groups": of.launch("groups"), "table": of.launch("table", order),
                          "source": of.launch("source", order)}, rounds)
    return {"m": m, "n": n, "k": k, "tiles": " x ".join(map(str, of.tile)), "order": repr(order)[len("heddle."):],
            **{f"{name}_ms": round(some, 5) for name, some in times.items()},
            "tflops": round(2e-9 * m * n * k / times["source"], 1),
            **{f"{name}_over_groups": round(times["groups"] / times[name], 4) for name in ("table", "source")}}


def main():
    chosen = options("Checks products in orders of heddle, and times them.")
    on = tensor_device()
    check(on)
    if on == "cuda" and not chosen.quick:
        report("products", (measure(*shape, chosen.rounds, this_card()) for shape in SHAPES),
               ("table_over_groups", "source_over_groups"), chosen)


if __name__ == "__main__":
    main()
