"""CuTe DSL for schedulers on the host: what they ask of a block and of its warp. Values are Python's own."""

import contextlib
import math
import sys
import threading
import types

import heddle._check

lanes = 4  # of a warp: the schedulers ask for their number
here = threading.local()
barrier = threading.Barrier(lanes)
brought = [0] * lanes
now = types.SimpleNamespace(block=(0, 0, 0), grid=(1, 1, 1), cluster=1, processors=1)


def meet(value, lane):
    """Returns what a lane brings to a meeting of all, or the caller's own value if there is no such lane."""
    brought[here.lane] = value
    barrier.wait()
    found = list(brought)
    barrier.wait()
    return found if lane is None else found[lane] if 0 <= lane < lanes else value


def by_warp(function):
    """Calls a function by each lane of a warp, and returns what the first gets."""

    def run(lane):
        here.lane = lane
        results[lane] = function()

    results = [None] * lanes
    threads = [threading.Thread(target=run, args=(lane,)) for lane in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results[0]


class work_tile:
    def __init__(self, tile_idx, is_valid_tile):
        self.tile_idx, self.is_valid_tile = tile_idx, is_valid_tile


def install():
    sys.meta_path.insert(0, heddle._check._dsl_finder)
    import cutlass
    import cutlass._mlir
    import cutlass.cute as cute
    import cutlass.utils
    import cutlass.utils.hardware_info as hardware

    cutlass._mlir.ir = types.SimpleNamespace(Value=int)
    cutlass.utils.WorkTileInfo = work_tile
    hardware.HardwareInfo = lambda: types.SimpleNamespace(get_device_multiprocessor_count=lambda: now.processors)
    cutlass.utils.HardwareInfo = hardware.HardwareInfo
    cute.size = lambda shape: math.prod(shape) if isinstance(shape, tuple) else shape
    cute.round_up = lambda count, by: -(-count // by) * by
    cute.arch = types.SimpleNamespace(
        WARP_SIZE=lanes, lane_idx=lambda: here.lane, block_idx=lambda: now.block, grid_dim=lambda: now.grid,
        block_in_cluster_idx=lambda: (now.block[0] % now.cluster, 0, 0), popc=lambda word: bin(word).count("1"), elect_one=contextlib.nullcontext,
        shuffle_sync=meet, shuffle_sync_down=lambda value, offset: meet(value, here.lane + offset),
        shuffle_sync_up=lambda value, offset, mask_and_clamp: meet(value, here.lane - offset),
        vote_ballot_sync=lambda holds: sum(1 << lane for lane, its in enumerate(meet(holds, None)) if its))
    return cutlass
