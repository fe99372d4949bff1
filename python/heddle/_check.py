import argparse
import ast
import importlib.machinery
import importlib.util
import inspect
import os
import re
import sys
import tempfile
import textwrap
import types

import heddle

described = """Checks that a function of an index gives each tile of every grid once.

    python -m heddle check kernel.py:tile_of --grid 1..64x1..64
    python -m heddle check kernel.py:swizzle --call "rows, cols, i, group=8"
    python -m heddle check kernel.py:remap --call "i, rows * cols, 8"

FUNCTION returns the row and the column of a tile, or its number. It may be plain Python, a function of Triton, which runs in
Triton's interpreter, or one of CuTe DSL, which runs as plain Python. The exit code is 1 if a grid fails.
"""


class _as_is:
    """What CuTe DSL adds to Python: decorators, casts and types, all of which leave values as they are."""

    def __new__(cls, value=None, *_, **__):
        return cls if value is None else value

    def __class_getitem__(cls, _):
        return cls


class _dsl(types.ModuleType):
    __path__ = []
    known = {"min": min, "max": max, "range": range, "range_constexpr": range, "ceil_div": lambda n, by: -(-n // by)}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.known.get(name, _as_is)


class _dsl_finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, _dsl_finder) if name.split(".")[0] == "cutlass" else None

    @staticmethod
    def create_module(spec):
        return _dsl(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def _loaded(path):
    spec = importlib.util.spec_from_file_location("_checked", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["_checked"] = module
    spec.loader.exec_module(module)
    return module


def _parts(tile):
    return tile if isinstance(tile, (tuple, list)) else getattr(tile, "values", (tile,))


def _branches(function, seen):
    """Returns whether a function of Triton, or one that it calls, may do other things for other indices."""
    seen.append(function)
    names = function.fn.__globals__
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function.fn)))):
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.For, ast.BoolOp, ast.Not)):
            return True
        called = names.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = getattr(names.get(node.value.id), node.attr, None)
        if hasattr(called, "fn") and called not in seen and _branches(called, seen):
            return True
    return False


def _by_triton(function, call):
    """Returns what gives all tiles of a grid: a kernel in the interpreter that calls the function.

    It does so with all indices at once. The interpreter would take a branch for all of them alike: a function with one gets a
    program for each index, as does one whose source is not there.
    """
    import triton.language as tl

    try:
        at_once, seen = True, []
        at_once = not _branches(function, seen)
        for each in seen:  # those of Python decide by comparing
            each.fn.__globals__.setdefault("min", lambda a, b: tl.minimum(a, b))
            each.fn.__globals__.setdefault("max", lambda a, b: tl.maximum(a, b))
    except (OSError, TypeError):
        at_once = False
    text = f"""import triton, triton.language as tl
@triton.jit
def kernel(rows, cols, padded: tl.constexpr):
    i = {"tl.minimum(tl.arange(0, padded), rows * cols - 1)" if at_once else "tl.program_id(0)"}
    note(function({call}))
"""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.py")
        with open(path, "w") as file:
            file.write(text)
        module = _loaded(path)
        module.function, module.note = function, found.append
        module.kernel[(1,)](1, 1, 1)  # it reads its source while that is there

    def numbers(part, count):
        data = part.handle.data.ravel().tolist() if hasattr(part, "handle") else [getattr(part, "value", part)]
        return (data * count if len(data) == 1 else data)[:count]

    def tiles(rows, cols):
        found.clear()
        size = rows * cols
        module.kernel[(1 if at_once else size,)](rows, cols, 1 << (size - 1).bit_length())
        return [tile for each in found for tile in zip(*(numbers(part, size if at_once else 1) for part in _parts(each)))]

    return tiles


def _by_python(function, call):
    code = compile(f"function({call})", "--call", "eval")

    def tiles(rows, cols):
        return [_parts(eval(code, {"function": function, "i": i, "rows": rows, "cols": cols})) for i in range(rows * cols)]

    return tiles


def failures(function, grids, call="i, rows, cols"):
    """Yields the grids on which a function breaks the law of orders, and what is wrong there."""
    is_triton = type(function).__module__.startswith("triton.")
    tiles = (_by_triton if is_triton else _by_python)(function, call)
    for rows, cols in grids:
        of = [tuple(map(int, tile)) for tile in tiles(rows, cols)]
        of = [divmod(*tile, cols) if len(tile) == 1 else tile for tile in of]
        verdict = heddle.check_order(of.__getitem__, rows, cols)
        if not verdict:
            yield (rows, cols), verdict.failure


def main(words):
    parser = argparse.ArgumentParser("python -m heddle check", description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("function", metavar="FILE.py:FUNCTION")
    parser.add_argument("--grid", default="1..64x1..64", metavar="ROWSxCOLS", help="tiles, or ranges of them (1..64x1..64)")
    parser.add_argument("--call", default="i, rows, cols", metavar="ARGUMENTS", help='the arguments of the function ("i, rows, cols")')
    asked = parser.parse_args(words)
    path, _, name = asked.function.rpartition(":")
    size = r"(\d+)(?:\.\.(\d+))?"
    grid = re.fullmatch(f"{size}x{size}", asked.grid)
    if not path or not grid:
        parser.error(f"FILE.py:FUNCTION is {asked.function}, ROWSxCOLS is {asked.grid}")
    first_row, last_row, first_col, last_col = (int(each) if each else None for each in grid.groups())
    grids = [(rows, cols) for rows in range(first_row, (last_row or first_row) + 1) for cols in range(first_col, (last_col or first_col) + 1)
             if rows * cols > 0]
    os.environ.setdefault("TRITON_INTERPRET", "1")
    sys.meta_path.insert(0, _dsl_finder)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    wrong = list(failures(getattr(_loaded(path), name), grids, asked.call))
    for (rows, cols), failure in wrong[:3]:
        print(f"{rows} x {cols}: {failure}")
    print(f"{len(wrong)} of {len(grids)} grids fail" if wrong else f"holds on {len(grids)} grids")
    return 1 if wrong else 0
