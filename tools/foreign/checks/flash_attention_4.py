"""FlashAttention-4's schedulers of CuTe DSL, as plain Python: each tile of each head, sequence and split once."""

import itertools
import random
import types

import heddle
import numpy
from cute_dsl import by_warp, now


def holds(scheduler, args, blocks, cluster):
    """Returns whether a launch takes each tile once. A sequence has blocks[sequence] rows of tiles."""
    params = scheduler.to_underlying_arguments(args)
    (cols, rows, depth), taken, first = scheduler.get_grid_shape(params), [], [0, *itertools.accumulate(blocks)]
    now.grid, now.cluster = (cols, rows, depth), cluster
    nothing, call = (lambda: None), by_warp if hasattr(params, "decoder") else lambda step: step()
    info = types.SimpleNamespace(producer_acquire=nothing, producer_commit=nothing, advance_producer_state=nothing, consumer_wait=nothing, consumer_release=nothing)
    info.write_work_info = lambda *tile: setattr(info, "_work_info", tile)
    for number in range(cols * rows * depth):
        now.block = number % cols, number // cols % rows, number // cols // rows
        its = scheduler.create(params, info) if "Dynamic" in scheduler.__name__ else scheduler.create(params)
        work = call(its.initial_work_tile_info)
        while work.is_valid_tile:
            row, head, sequence, split = work.tile_idx
            taken.append((((first[sequence] + row) * args.num_head + head) * args.num_splits + split if row < blocks[sequence] else -1, number))
            call(its.prefetch_next_work)
            work = call(its.advance_to_next_work)
    log = numpy.array(taken, numpy.int32).reshape(-1, 2)
    return bool(heddle.audit(log[:, 0], log[:, 1], first[-1] * args.num_head * args.num_splits))


def wrong(module, name, rounds=30):
    """Returns how many launches of random sizes a scheduler does wrong."""
    count, of = 0, random.Random(1).randint
    for _ in range(rounds):
        varies, cluster = "Varlen" in name, of(1, 2) if name in ("SingleTileScheduler", "SingleTileLPTBwdScheduler") else 1
        heads, batch, group, splits = of(1, 4), of(1, 20), of(1, 2), 1 if "Static" in name or "Bwd" in name or "SingleTileVarlen" in name else of(1, 3)
        lengths = [of(0, 1) * of(1, 300) for _ in range(batch)] if varies else [of(1, 600)] * batch
        blocks, begin = [-(-length * group // 64) for length in lengths], [0, *itertools.accumulate(lengths)]
        now.processors = of(1, 16)
        known = {"mCuSeqlensQ": begin} if of(0, 1) else {"mSeqUsedQ": lengths}
        args = module.TileSchedulerArguments(max(blocks), heads, batch, splits, 10 ** of(3, 6), 128, 128, group * begin[-1], (64, 128), (cluster, 1), **known,
                                             qhead_per_kvhead_packgqa=group, lpt=of(0, 1) > 0, head_swizzle=of(0, 1) > 0, is_split_kv=splits > 1, tile_count_semaphore=[0])
        count += not holds(getattr(module, name), args, blocks, cluster)
    return count
