"""Causal attention in Triton with its longest tiles first: checked, and timed beside the order of blocks.

usage: triton_attention.py [--quick] [--rounds R] [--json FILE]
"""

import sys

from triton_order import function_of, heddle, milliseconds, options, report, tensor_device, this_card, torch, triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

# Queries of a tile, keys of a step, elements of each; warps, steps in flight, and blocks per multiprocessor.
TILE_QUERIES, TILE_KEYS, WIDTH = 128, 128, 128
WARPS, STAGES, BLOCKS = 8, 2, 1


@triton.jit(do_not_specialize=["tiles", "heads"])
def attend(queries, keys, values, sums, scale, tiles, heads, table, tile_of: tl.constexpr, by: tl.constexpr,
           tile_queries: tl.constexpr, tile_keys: tl.constexpr, width: tl.constexpr):
    """Goes through the keys of one tile of queries. Its place comes by "blocks", by a "table", or by a "source"."""
    i = tl.program_id(0)
    if by == "blocks":
        tile, head = i % tiles, i // tiles
    elif by == "table":
        number = tl.load(table + 2 * i)
        tile, head = number // heads, number % heads
    else:
        tile, head = tile_of(i)
    first = tile * tile_queries  # of its head, whose rows begin at `start`
    start = head * tiles * tile_queries
    query = queries.load([start + first, 0])
    rows = first + tl.arange(0, tile_queries)
    most = tl.full((tile_queries,), float("-inf"), tl.float32)
    total = tl.zeros((tile_queries,), tl.float32)
    own = tl.zeros((tile_queries, width), tl.float32)
    # The diagonal first: behind a loop that may have no step, ptxas serialises the matrix unit's instructions.
    for key in range(first, first + tile_queries, tile_keys):
        scores = tl.dot(query, keys.load([start + key, 0]).T) * scale
        seen = rows[:, None] >= key + tl.arange(0, tile_keys)[None, :]
        own, most, total = add(own, most, total, tl.where(seen, scores, float("-inf")), values.load([start + key, 0]))
    for key in range(0, first, tile_keys):
        scores = tl.dot(query, keys.load([start + key, 0]).T) * scale
        own, most, total = add(own, most, total, scores, values.load([start + key, 0]))
    sums.store([start + first, 0], (own / total[:, None]).to(sums.dtype))


@triton.jit
def add(own, most, total, scores, value):
    """Adds values by the weights 2^score, of which the largest so far is kept at 1."""
    now = tl.maximum(most, tl.max(scores, 1))
    less, weights = tl.exp2(most - now), tl.exp2(scores - now[:, None])
    return tl.dot(weights.to(value.dtype), value, own * less[:, None]), now, total * less + tl.sum(weights, 1)


class Attention:
    """Causal attention over heads of equal length, launched in any order."""

    def __init__(self, q, k, v):
        heads, length, width = q.shape
        if length % TILE_QUERIES != 0 or width != WIDTH:
            raise ValueError(f"a head has {length} x {width}; it must have a multiple of {TILE_QUERIES} x {WIDTH}")
        self.sums = torch.empty_like(q)
        self.problem = heddle.causal_problem(length, length, heads, width=WIDTH, tile_queries=TILE_QUERIES,
                                             tile_keys=TILE_KEYS)
        blocks = TILE_QUERIES, TILE_KEYS, TILE_KEYS, TILE_QUERIES
        self.operands = [TensorDescriptor.from_tensor(each.view(heads * length, WIDTH), [some, WIDTH])
                         for each, some in zip((q, k, v, self.sums), blocks)]

    def launch(self, by, order=None):
        """Returns a function that launches it."""
        tiles, heads = self.problem.grid()
        table = order.table(torch.int32, device=self.sums.device) if by == "table" else None
        tile_of = function_of(order) if by == "source" else None
        scale = WIDTH**-0.5 * 1.4426950408889634  # the scores are exponents of 2

        def launch():
            attend[(tiles * heads,)](*self.operands, scale, tiles, heads, table, tile_of, by, TILE_QUERIES, TILE_KEYS,
                                     WIDTH, num_warps=WARPS, num_stages=STAGES)
            return self.sums

        return launch


def random_heads(heads, length, on):
    return [torch.randn(heads, length, WIDTH, dtype=torch.float16, device=on) for _ in range(3)]


def check(on):
    """Compares each way with softmax in float32."""
    for heads, tiles in (1, 1), (3, 5):
        q, k, v = random_heads(heads, tiles * TILE_QUERIES, on)
        scores = q.float() @ k.float().transpose(1, 2) * WIDTH**-0.5
        hidden = torch.ones_like(scores[0], dtype=torch.bool).triu(1)
        right = scores.masked_fill(hidden, float("-inf")).softmax(2) @ v.float()
        of = Attention(q, k, v)
        order = heddle.reversed(heddle.thread_group_tiling(of.problem.grid(), 2))
        for by in "blocks", "table", "source":
            of.sums.fill_(float("nan"))
            error = ((of.launch(by, order)().float() - right).norm() / right.norm()).item()
            if not error < 1e-2:
                sys.exit(f"wrong: {heads} heads of {tiles} tiles, by {by}, error {error}")
    print("each way: right")


# The length of a head, and how many there are: of 4096 tokens with 32 heads, and of four sequences with 32 heads.
SHAPES = (1024, 128), (2048, 64), (4096, 32), (2048, 128), (4096, 128)


def measure(length, heads, rounds, chip):
    of = Attention(*random_heads(heads, length, "cuda"))
    order = heddle.advise(of.problem, chip, BLOCKS).order
    times = milliseconds({"blocks": of.launch("blocks"), "table": of.launch("table", order),
                          "source": of.launch("source", order)}, rounds)
    ends = [heddle.makespan(some, of.problem, chip.multiprocessors * BLOCKS, together=BLOCKS).end
            for some in (heddle.column_major(of.problem.grid()), order)]
    return {"length": length, "heads": heads, "order": repr(order)[len("heddle."):],
            **{f"{name}_ms": round(some, 5) for name, some in times.items()},
            "tflops": round(2e-9 * heads * length * length * WIDTH / times["source"], 1),
            "predicted_over_blocks": round(ends[0] / ends[1], 4),
            **{f"{name}_over_blocks": round(times["blocks"] / times[name], 4) for name in ("table", "source")}}


def main():
    chosen = options("Checks causal attention in an order of heddle, and times it.")
    on = tensor_device()
    check(on)
    if on == "cuda" and not chosen.quick:
        report("passes", (measure(*shape, chosen.rounds, this_card()) for shape in SHAPES),
               ("table_over_blocks", "source_over_blocks"), chosen)


if __name__ == "__main__":
    main()
