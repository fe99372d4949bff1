"""Which piece of work do a GPU's warps take next? The answers of heddle, a C++ library of policies, and its headers.

An *order* maps an index to a tile, a *schedule* says which block takes which index, and *advice* says which of them suits a
problem on a card, and whether it matters:

>>> best = heddle.advise(heddle.gemm(8192, 8192, 8192), device="h200")
>>> best.matters, best.order(1)
(True, (1, 0))

Names, values and refusals are those of C++ (docs/python.md in the repository).
"""

import pathlib

from ._guard import guard
from ._heddle import *
from ._heddle import __version__


def gemm(m: int, n: int, k: int, tile: "tuple[int, int]" = (128, 128), **members) -> gemm_problem:
    """Describes a matrix product in tiles of `tile` elements of C: a `gemm_problem`.

    >>> heddle.gemm(8192, 8192, 8192, tile=(128, 256)).grid()
    (64, 32)
    """
    tile_m, tile_n = tile
    return gemm_problem(m, n, k, tile_m=tile_m, tile_n=tile_n, **members)


def include() -> str:
    """Returns the folder of heddle's headers, for `-I` of nvcc, NVRTC or a C++ compiler.

    >>> (pathlib.Path(heddle.include()) / "heddle" / "order.hpp").exists()
    True
    """
    return str(pathlib.Path(__file__).parent / "include")
