"""Which piece of work do a GPU's warps take next? The answers of heddle, a C++ library of policies, and its headers.

An *order* maps an index to a tile, a *schedule* says which block takes which index, and *advice* says which of them suits a
problem on a card, and whether it matters:

>>> best = heddle.advise(heddle.gemm(8192, 8192, 8192), device="h200")
>>> best.matters, best.order(1)
(True, (1, 0))

Names, values and refusals are those of C++ (docs/python.md in the repository).
"""

import pathlib as _pathlib

from . import _heddle
from ._guard import guard
from ._heddle import *
from ._heddle import __version__


def _two(of: str, name: str, given) -> "tuple[int, int]":
    try:
        first, second = given
    except (TypeError, ValueError):
        raise TypeError(f"heddle.{of}: {name} is {given!r}, of type {type(given).__name__}; it must be two of type int") from None
    return first, second


def gemm(m: int, n: int, k: int, tile: "tuple[int, int]" = (128, 128), **members) -> gemm_problem:
    """Describes a matrix product in tiles of `tile` elements of C: a `gemm_problem`.

    >>> heddle.gemm(8192, 8192, 8192, tile=(128, 256)).grid()
    (64, 32)
    """
    tile_m, tile_n = _two("gemm", "tile", tile)
    return gemm_problem(m, n, k, **{"tile_m": tile_m, "tile_n": tile_n, **members})


def batched_gemm(count: int, m: int, n: int, k: int, tile: "tuple[int, int]" = (128, 128), planes_per_a: int = 1, planes_per_b: int = 1, **members) -> batched_problem:
    """Describes `count` products of one shape, of which some may share A or B: a `batched_problem`.

    >>> heddle.batched_gemm(64, 512, 4096, 4096, planes_per_b=64).compulsory_bytes()
    301989888
    """
    return batched_problem(gemm(m, n, k, tile, **members), count, planes_per_a, planes_per_b)


def grouped_gemm(rows: "list[int]", n: int, k: int, tile: "tuple[int, int]" = (128, 128), **members) -> grouped_problem:
    """Describes a product of groups, each of its own number of rows: a `grouped_problem`.

    >>> heddle.grouped_gemm([700, 0, 90, 2300], 2048, 4096).compulsory_bytes()
    75644928
    """
    tile_m, tile_n = _two("grouped_gemm", "tile", tile)
    return grouped_problem(rows, n, k, **{"tile_m": tile_m, "tile_n": tile_n, **members})


def causal(queries: int, keys: int, heads: int, tile: "tuple[int, int]" = (128, 128), **members) -> causal_problem:
    """Describes causal attention in tiles of queries x keys: a `causal_problem`.

    >>> heddle.causal(16384, 16384, heads=32, key_heads=8).grid()
    (128, 32)
    """
    tile_queries, tile_keys = _two("causal", "tile", tile)
    return causal_problem(queries, keys, heads, **{"tile_queries": tile_queries, "tile_keys": tile_keys, **members})


def stencil(rows: int, cols: int, bytes_per_pixel: int, tile: "tuple[int, int]" = (16, 16), radius: "tuple[int, int]" = (0, 0), **members) -> stencil_problem:
    """Describes a pass that reads up to `radius` rows and columns of taps around each pixel: a `stencil_problem`.

    >>> heddle.stencil(8192, 16384, bytes_per_pixel=32, radius=(2, 2), step=64).grid()
    (512, 1024)
    """
    tile_rows, tile_cols = _two("stencil", "tile", tile)
    rows_radius, cols_radius = _two("stencil", "radius", radius)
    own = {"tile_rows": tile_rows, "tile_cols": tile_cols, "rows_radius": rows_radius, "cols_radius": cols_radius}
    return stencil_problem(rows, cols, bytes_per_pixel, **{**own, **members})


def include() -> str:
    """Returns the folder of heddle's headers, for `-I` of nvcc, NVRTC or a C++ compiler.

    >>> import pathlib
    >>> (pathlib.Path(heddle.include()) / "heddle" / "order.hpp").exists()
    True
    """
    return str(_pathlib.Path(__file__).parent / "include")


def _short(value):
    """A member's text: of a long list the first few, and how many there are."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list) and len(value) > 4:
        return f"[{', '.join(map(repr, value[:3]))}, … {len(value)} in all]"
    return repr(value)


def _members(self):
    names = [name for name, of in vars(type(self)).items() if isinstance(of, property)]
    return f"heddle.{type(self).__name__}({', '.join(f'{name}={_short(getattr(self, name))}' for name in names)})"


# What `help` lists, under the names by which it is called. Values that only hold members print them.
__all__ = [name for name in dir() if not name.startswith("_")]
for _each in map(globals().get, __all__):
    if isinstance(_each, type):
        _each.__module__ = "heddle"
        if _each.__repr__ is object.__repr__ and any(isinstance(of, property) for of in vars(_each).values()):
            _each.__repr__ = _members
