"""Tests of the installed module `heddle`. Run in an environment that has the wheel:

    python law.py NATIVE CXX DOCS [TEST ...]

NATIVE prints questions and the library's answers (tests/explorer/native.cpp), CXX is a C++20 compiler, DOCS the page of the module.
"""

import decimal
import doctest
import fractions
import gc
import importlib.util
import inspect
import os
import pathlib
import pydoc
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

import numpy

import heddle

NATIVE, CXX, DOCS = sys.argv[1:4]


def orders(grid, roll):
    """Each order and adapter that has arithmetic, over one grid."""
    rows, cols = grid
    turned = (cols, rows)
    width, axis, step = roll(1, 9), "xy"[roll(0, 1)], (roll(1, 5), roll(1, 5))
    yield heddle.row_major(grid)
    yield heddle.column_major(grid)
    yield heddle.thread_group_tiling(grid, width, axis)
    yield heddle.cta_swizzle(grid, width, axis)
    yield heddle.hilbert(grid)
    yield heddle.morton(grid)
    yield heddle.dilated(grid, step, width)
    yield heddle.reversed(heddle.morton(grid))
    yield heddle.transposed(heddle.dilated(turned, step, width))
    yield heddle.transposed(heddle.hilbert(turned))
    yield heddle.rotated(heddle.cta_swizzle(grid, width, axis), roll(0, rows * cols))
    yield heddle.rotated(heddle.reversed(heddle.column_major(grid)), roll(0, rows * cols))


def compiled(source, least=min):
    """Runs the text of `order.source("triton")` or "cute" with the integers of this interpreter, or with NumPy's arrays."""
    known = {"min": least, "cutlass": type("cutlass", (), {"min": least})}
    exec(re.sub("^@.*", "", source), known)
    return known["tile_of"]


class Word(int):
    """A 32-bit integer that refuses to overflow, and divides as C++ does numbers that are not negative."""

    def checked(value):
        assert -(2**31) <= value < 2**31, value
        return Word(value)

    for name in "add", "sub", "mul":
        for side in "", "r":
            exec(f"def __{side}{name}__(a, b, f=int.__{side}{name}__): return Word.checked(f(a, b))")
    for name in "floordiv", "mod":
        exec(f"def __{name}__(a, b, f=int.__{name}__):\n    assert a >= 0 < b\n    return Word(f(a, b))")


def large_grid(roll):
    rows = 2 ** roll(0, 30) + roll(-1, 1) or 1
    return rows, max(1, (2**31 - 1) // rows - roll(0, 1) * roll(0, 1000))


class Sources(unittest.TestCase):
    def test_every_grid_up_to_32_x_32(self):
        """Each grid with a third of the orders: those of its neighbours are others."""
        compared = 0
        roll = random.Random(1).randint
        for rows in range(1, 33):
            for cols in range(1, 33):
                for order in list(orders((rows, cols), roll))[(rows + cols) % 3 :: 3]:
                    language = ("triton", "cute")[roll(0, 1)]
                    numbers = order.table()[:, 0]
                    if "hilbert" in repr(order):  # branches, so it takes one index at a time
                        probes = [roll(0, rows * cols - 1) for _ in range(30)]
                        found = [row * cols + col for row, col in map(compiled(order.source(language)), probes)]
                        numbers = numbers[probes]
                    else:
                        row, col = compiled(order.source(language), numpy.minimum)(numpy.arange(rows * cols))
                        found = row * cols + col
                    self.assertTrue(numpy.array_equal(found, numbers), f"{order}\n{order.source(language)}")
                    compared += 1
        self.assertEqual(compared, 4096)

    def test_random_grids_up_to_2_31_tiles_without_an_overflow(self):
        roll = random.Random(2).randint
        for turn in range(60):
            grid = large_grid(roll)
            for order in orders(grid, roll):
                tile_of = compiled(order.source("triton"))
                for i in [0, len(order) - 1] + [roll(0, len(order) - 1) for _ in range(4)]:
                    self.assertEqual(tile_of(Word(i)), order(i), f"{order}({i})\n{order.source('triton')}")

    def test_batches(self):
        roll = random.Random(3).randint
        for turn in range(300):
            plane = list(orders((roll(1, 9), roll(1, 9)), roll))[turn % 12]
            order = heddle.batched(plane, roll(1, 7), roll(1, 9))
            tile_of = compiled(order.source("cute"))
            self.assertEqual([tile_of(i) for i in range(len(order))], [order(i) for i in range(len(order))], repr(order))

    def test_as_cpp(self):
        """One program with the functions of many orders, by the compiler, with its overflow checks."""
        roll = random.Random(4).randint
        parts, calls, expected = [], [], []
        grids = [(rows, cols) for rows in (1, 7, 32) for cols in (1, 31)] + [large_grid(roll) for _ in range(3)]
        for grid in grids:
            for order in orders(grid, roll):
                probes = range(len(order)) if len(order) < 100 else [0, len(order) - 1] + [roll(0, len(order) - 1) for _ in range(20)]
                parts.append(f"namespace of_{len(parts)} {{\n{order.source('cuda')}}}\n")
                for i in probes:
                    calls.append(f"    {{of_{len(parts) - 1}::tile_of({i}).row, of_{len(parts) - 1}::tile_of({i}).col}},\n")
                    expected.append(order(i))
        program = (
            "#include <algorithm>\n#include <cstdio>\n#define __host__\n#define __device__\nusing std::min;\n"
            + "".join(parts)
            + "int main() {\n  const int all[][2] = {\n"
            + "".join(calls)
            + '  };\n  for (const auto& [row, col] : all) std::printf("%d %d\\n", row, col);\n}\n'
        )
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "orders.cpp")
            source.write_text(program)
            subprocess.run([CXX, "-std=c++17", "-Wall", "-Werror", "-ftrapv", source, "-o", source.with_suffix("")], check=True)
            printed = subprocess.run([source.with_suffix("")], capture_output=True, text=True, check=True).stdout
        self.assertEqual([tuple(map(int, line.split())) for line in printed.splitlines()], expected)


def module_of(text, folder, name):
    """Imports a text from a file, since Triton and CuTe DSL read the sources of their functions."""
    path = pathlib.Path(folder, f"{name}.py")
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def torch_with_gpu():
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


class Kernels(unittest.TestCase):
    """The texts compile in kernels, without a GPU, and on a GPU Triton's have the tiles of the table there."""

    def test_triton(self):
        try:
            import triton
            from triton.backends.compiler import GPUTarget
        except ImportError:
            self.skipTest("no Triton")
        gpu = torch_with_gpu()
        body = "    row, col = tile_of(tl.program_id(0))\n    tl.store(out + tl.program_id(0), row * 70 + col)\n"
        body = f"@triton.jit\ndef kernel(out):\n{body}"
        with tempfile.TemporaryDirectory() as folder:
            for number, order in enumerate(orders((45, 70), random.Random(6).randint)):
                text = f"import triton\nimport triton.language as tl\n\n\n{order.source('triton')}\n\n{body}"
                kernel = module_of(text, folder, f"triton_{number}").kernel
                source = triton.compiler.ASTSource(fn=kernel, signature={"out": "*i32"}, constexprs={})
                self.assertIn("st.global", triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"])
                if gpu is not None:
                    numbers = order.table(gpu.int32, device="cuda")[:, 0]
                    found = gpu.empty_like(numbers.contiguous())
                    kernel[(len(order),)](found)
                    self.assertTrue(gpu.equal(found, numbers), repr(order))

    def test_cute(self):
        os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")
        try:
            import cutlass
            from cutlass import cute
        except ImportError:
            self.skipTest("no CuTe DSL")
        body = "    kernel(out).launch(grid=[3150, 1, 1], block=[1, 1, 1])\n"
        body = f"@cute.jit\ndef launch(out: cute.Tensor):\n{body}"
        body = f"    row, col = tile_of(cute.arch.block_idx()[0])\n    out[0] = row + col\n\n\n{body}"
        body = f"@cute.kernel\ndef kernel(out: cute.Tensor):\n{body}"
        out = cute.runtime.make_fake_compact_tensor(cutlass.Int32, (1,))
        with tempfile.TemporaryDirectory() as folder:
            for number, order in enumerate(orders((45, 70), random.Random(7).randint)):
                text = f"import cutlass\nimport cutlass.cute as cute\n\n\n{order.source('cute')}\n\n{body}"
                cute.compile(module_of(text, folder, f"cute_{number}").launch, out)


def problem_of(q):
    """The problem of a question of NATIVE, and how many blocks a multiprocessor has."""
    have = lambda *names: {name: int(q[name]) for name in names if name in q}
    product = lambda: heddle.gemm_problem(**have("m", "n", "k", "tile_m", "tile_n", "element_bytes"))
    kind = q["problem"]
    if kind == "product":
        return product()
    if kind == "batch":
        return heddle.batched_problem(product(), **have("count", "planes_per_a", "planes_per_b"))
    if kind == "causal":
        return heddle.causal_problem(**have("queries", "keys", "heads", "key_heads"))
    if kind == "groups":
        return heddle.grouped_problem([int(rows) for rows in q["group_rows"].split()], **have("n", "k"))
    if kind == "pairs":
        return heddle.pairs_problem(**have("things", "elements", "tile_things", "step_elements", "pair_bytes"))
    taken = inspect.getdoc(heddle.stencil_problem.__init__)
    return heddle.stencil_problem(**{name: int(value) for name, value in q.items() if f"{name}: int" in taken})


def order_of(q, problem):
    if q["problem"] == "groups":
        return heddle.grouped(problem.rows, 128, -(-problem.n // 128), int(q["width"]), q["axis"], q["sequence"])
    kind_of = q["problem"]
    grid = problem.plane.grid() if kind_of == "batch" else problem.space().folded() if kind_of == "pairs" else problem.grid()
    of = grid[::-1] if "transposed" in q else grid
    kind, width, axis = q["order"], int(q["width"]), q["axis"]
    order = (
        heddle.dilated(of, (int(q["step_rows"]), int(q["step_cols"])), width)
        if kind == "dilated"
        else getattr(heddle, kind)(of, width, axis)
        if kind in ("thread_group_tiling", "cta_swizzle")
        else getattr(heddle, kind)(of)
    )
    if "transposed" in q:
        order = heddle.transposed(order)
    if "reversed" in q:
        order = heddle.reversed(order)
    if "first" in q:
        order = heddle.rotated(order, int(q["first"]))
    if kind_of == "pairs":
        return heddle.triangular(order, problem.space())
    return heddle.batched(order, problem.count, int(q["interleave"])) if kind_of == "batch" else order


def answers_of(q):
    """What the module says to a question, under the names of NATIVE."""
    own = {name: float(q[name]) if "." in q[name] else int(q[name]) for name in ("multiprocessors", "l2_bytes", "dram_bytes_per_second") if name in q}
    problem = problem_of(q)
    chip = heddle.device(q["card"], **own)
    blocks = int(q["blocks_per_multiprocessor"])
    best = heddle.advise(problem, chip, blocks, float(q["measured_seconds"]))
    launch = best if best.matters or not best.to_measure else best.to_measure[0]
    yield "advice", repr(launch).splitlines()[0]
    yield "reason", best.reason
    yield "advised_bytes", best.predicted_bytes
    yield "plain_bytes", best.plain_bytes
    yield "replayed", best.replayed
    yield "advised_seconds", best.predicted_seconds
    yield "plain_seconds", best.plain_seconds
    yield "error", best.error
    order = order_of(q, problem)
    by = dict(schedule=q["schedule"], run=int(q["run"]))
    moved = heddle.traffic(order, problem, chip, blocks, **by)
    yield "dram_bytes", moved.total.dram_bytes
    yield "written_bytes", moved.total.written_bytes
    yield "waves", len(moved.waves)
    if q["problem"] == "stencil":
        near = heddle.l1_traffic(order, problem, chip, blocks, **by)
        yield "l2_bytes", near.l2_bytes if chip.l1_bytes > 0 else near.requested_bytes
    else:
        yield "l2_bytes", moved.total.requested_bytes
    costs = problem if q["problem"] in ("causal", "groups") else numpy.ones(len(order))
    ends = heddle.makespan(order, costs, chip.multiprocessors * blocks, together=blocks, **by)
    yield "end", ends.end
    yield "idle", ends.idle_share()


class Answers(unittest.TestCase):
    def test_300_random_questions_have_the_answers_of_the_library_bit_for_bit(self):
        printed = subprocess.run([NATIVE, "300", "54"], capture_output=True, text=True, check=True).stdout
        questions = printed.split("===\n")[:-1]
        refused = 0
        for text in questions:
            fields, expected = (dict(line.split("=", 1) for line in part.splitlines()) for part in text.split("---\n"))
            found = {}
            try:
                for name, value in answers_of(fields):
                    found[name] = format(value, ".17g") if isinstance(value, float) else str(value)
            except ValueError as error:
                # A problem and a card are refused where Python makes them, before advice is asked for.
                found["refused"] = str(error)
                refused += 1
            self.assertEqual(found, expected, text)
        self.assertGreater(len(questions), 200)
        self.assertGreater(refused, 3)

    def test_groups_come_as_numbered_or_by_weight(self):
        roll = random.Random(8).randint
        for turn in range(50):
            rows = [roll(0, 5) * 64 + roll(0, 1) for _ in range(roll(1, 9))]
            numbered = [group for group in range(len(rows)) if rows[group]]
            heaviest = sorted(numbered, key=lambda group: -rows[group])
            for sequence, expected in ("as_numbered", numbered), ("heaviest_first", heaviest), ("lightest_first", heaviest[::-1]):
                order = heddle.grouped(rows, 64, 3, roll(1, 9), "xy"[roll(0, 1)], sequence)
                found = [order(i)[0] for i in range(len(order))]
                self.assertEqual(list(dict.fromkeys(found)), expected, (rows, sequence))

    def test_refusals_have_the_librarys_text(self):
        product = heddle.gemm(256, 256, 256)
        for call, text in (
            (lambda: heddle.cta_swizzle((2, 2), 0), "heddle::cta_swizzle: width is 0; it must be at least 1"),
            (lambda: heddle.row_major((65536, 65536)), "heddle::extent: rows x cols is 4294967296; it must be at most 2147483647"),
            (lambda: heddle.gemm(-1, 2, 3), "heddle::predict::gemm_problem: m is -1; it must be at least 0"),
            (lambda: heddle.gemm(2**31, 2, 3), "m is 2147483648; it must be at most 2147483647"),
            (lambda: heddle.rotated(heddle.row_major((2, 2)), 5), "heddle::rotated: first is 5; it must be at most 4"),
            (lambda: heddle.advise(product, "h200", 65), "blocks_per_multiprocessor is 65; it must be at most 64"),
            (lambda: heddle.advise(product, "h300"), '"h300" is none of h200'),
            (lambda: heddle.row_major((2, 2))(4), "heddle::order: i is 4; it must be at most 3"),
            (lambda: heddle.row_major((2, 2)).index((2, 0)), "outside the space"),
            (lambda: heddle.traffic(heddle.batched(heddle.row_major((2, 2)), 2), product, "h200"), "are not those of the problem"),
            (lambda: heddle.traffic(heddle.row_major((3, 3)), product, "h200"), "order.space().rows is 3; it must be exactly 2"),
            (lambda: heddle.makespan(heddle.row_major((2, 2)), numpy.ones(3), 1), "costs is 3; it must be exactly 4"),
            (lambda: heddle.makespan(heddle.row_major((2, 2)), numpy.ones(4), 1, "dealt"), '"dealt" is no word of a recipe'),
            (lambda: heddle.tile_table((2, 2), numpy.full((4, 2), 4, numpy.int32)), "an entry is 4; it must be at most 3"),
            (lambda: heddle.tile_table((2, 2), numpy.zeros((4, 2), numpy.int32)), "the index of an entry's tile is 0; it must be exactly 1"),
            (lambda: heddle.choose([], lambda value: None), "candidates is 0; it must be at least 1"),
            (lambda: heddle.grouped([1], 1, 1, sequence="heaviest"), '"heaviest"; it must be as_numbered, heaviest_first or lightest_first'),
            (lambda: heddle.read_device("/nowhere.json"), "/nowhere.json"),
            (lambda: heddle.by_cost(heddle.row_major((1, 1)), numpy.array([numpy.nan])), "not a number"),
            (lambda: heddle.tile_table((1, 1), numpy.zeros((1, 2), numpy.int32)).source("cuda"), "load `table()`"),
            (lambda: heddle.device("h200", multiprocessors=2**40), "multiprocessors is 1099511627776; it must be at most 2147483647"),
            (lambda: heddle.advise(product, "h200", 2**40), "blocks_per_multiprocessor is 1099511627776"),
            (lambda: heddle.traffic(heddle.row_major((2, 2)), product, "h200", 2**32 + 1), "blocks_per_multiprocessor is 4294967297"),
            (lambda: heddle.makespan(heddle.row_major((2, 2)), product, 2**32 + 1), "workers is 4294967297"),
            (lambda: heddle.makespan(heddle.row_major((2, 2)), product, 1, "sm_affine", 2**32 + 1), "run is 4294967297"),
            (lambda: heddle.makespan(heddle.row_major((2, 2)), product, 1, together=2**32 + 1), "together is 4294967297"),
            (lambda: heddle.row_major((2, 2)).index((2**32, 0)), "a number of the tile is 4294967296"),
            (lambda: heddle.row_major((2, 2)).svg(wave=2**32), "wave is 4294967296"),
            (lambda: heddle.grouped([2**32], 1, 1), "rows of a group is 4294967296"),
            (lambda: heddle.grouped_problem([2**32], 1, 1), "rows is 4294967296"),
            (lambda: heddle.clustered(heddle.row_major((1, 1)), (2, 2), (2, 2)).tile(0, 4), "block_in_cluster is 4; it must be at most 3"),
            (lambda: heddle.clustered(heddle.row_major((1, 1)), (2, 2), (2, 2)).contains((2**32, 0)), "row is 4294967296"),
            (lambda: heddle.check_order(lambda i: (2**32, 0), 1, 1), "row is 4294967296"),
            (lambda: heddle.choose([1], lambda value: None, most=2**32 + 1), "most is 4294967297"),
        ):
            with self.assertRaises(ValueError) as raised:
                call()
            self.assertIn(text, str(raised.exception))

    def test_values_of_another_type_are_type_errors_that_name_both(self):
        for call, text in (
            (lambda: heddle.check_order(lambda i: i, 2, 2), "tile_of(0) is 0; it must be a row and a column"),
            (lambda: heddle.choose([1, 2], lambda value: None, lambda launches, launch: "soon"), "returns no number of seconds"),
            (lambda: heddle.gemm(1, 2, "3"), "heddle.gemm_problem: k is '3', of type str; it must be of type int"),
            (lambda: heddle.gemm(1, 2, 3, tile=128), "heddle.gemm: tile is 128, of type int; it must be two of type int"),
            (lambda: heddle.stencil(1, 2, 4, radius=(1,)), "heddle.stencil: radius is (1,), of type tuple"),
            (lambda: heddle.gemm_problem(1, 2), "heddle.gemm_problem: k is missing"),
            (lambda: heddle.gemm_problem(1, 2, 3, m=1), "heddle.gemm_problem: m is given twice"),
            (lambda: heddle.gemm_problem(1, 2, 3, tile=1), "heddle.gemm_problem: tile is no member; they are m, n, k, tile_m"),
            (lambda: heddle.batched_problem(*range(9)), "more values are given than its members, plane, count"),
            (lambda: heddle.batched_problem(1, 2), "plane is 1, of type int; it must be of type gemm_problem"),
            (lambda: heddle.grouped_problem(1, 2, 3), "rows is 1, of type int; it must be of type list[int]"),
            (lambda: heddle.device("h200", l2=1), "heddle.device: l2 is no member; they are multiprocessors, l2_bytes"),
            (lambda: heddle.device("h200", multiprocessors="x"), "heddle.device: multiprocessors is 'x', of type str"),
            (lambda: heddle.row_major((2, 2))["x"], "an index must be of type int or slice"),
            (lambda: heddle.audit(*numpy.array([[0, 2**32], [0, 1]]), 2), ""),  # not cut to 32 bits
            (lambda: heddle.tile_table((1, 2), numpy.array([[0, 0], [2**32 + 1, 1]])), ""),
        ):
            with self.assertRaises(TypeError) as raised:
                call()
            self.assertIn(text, str(raised.exception))

    def test_values_print_their_members(self):
        product = heddle.gemm(4096, 4096, 4096)
        printed = "m=4096, n=4096, k=4096, tile_m=128, tile_n=128, tile_k=64, element_bytes=2, output_bytes=2, whole_lines=True, operations_per_second=0.0, blocks_per_tile=1"
        self.assertEqual(repr(product), f"heddle.gemm_problem({printed})")
        self.assertEqual(repr(eval(repr(product))), repr(product))
        moved = heddle.traffic(heddle.row_major(product.grid()), product, "h200")
        self.assertRegex(repr(moved), r"^heddle.traffic_report\(total=heddle.wave_traffic\(requested_bytes=\d+, .* … 8 in all\], compulsory_bytes=\d+\)$")
        ends = heddle.makespan(heddle.row_major((1, 3)), numpy.array([1.0, 2.0, 3.0]), 2, "ticket")
        self.assertIn("end=4.0, work=6.0, longest=3.0, workers=2, worker=[0, 1, 0]", repr(ends))
        for name, value in vars(heddle).items():
            if inspect.isclass(value) and name not in ("wisdom", "guard", "triangle", "clustered"):
                self.assertIsNot(value.__repr__, object.__repr__, name)

    def test_siblings_describe_what_the_members_do(self):
        for one, other in (
            (heddle.gemm(5, 6, 7, tile=(64, 256), tile_k=32), heddle.gemm_problem(5, 6, 7, 64, 256, 32)),
            (heddle.gemm(5, 6, 7, tile_n=256), heddle.gemm_problem(5, 6, 7, tile_n=256)),
            (heddle.batched_gemm(4, 5, 6, 7, (64, 256), planes_per_b=4), heddle.batched_problem(heddle.gemm_problem(5, 6, 7, 64, 256), 4, 1, 4)),
            (heddle.grouped_gemm([5, 0, 9], 6, 7, tile=(64, 256)), heddle.grouped_problem([5, 0, 9], 6, 7, 64, 256)),
            (heddle.causal(512, 768, 4, tile=(64, 32), key_heads=2), heddle.causal_problem(512, 768, 4, 2, tile_queries=64, tile_keys=32)),
            (heddle.stencil(50, 60, 4, tile=(8, 32), radius=(1, 2)), heddle.stencil_problem(50, 60, 4, tile_rows=8, tile_cols=32, rows_radius=1, cols_radius=2)),
        ):
            self.assertEqual(repr(one), repr(other))

    def test_orders_are_sequences_and_equal_if_they_are_the_same_map(self):
        roll = random.Random(10).randint
        for turn in range(200):
            grid = roll(1, 6), roll(1, 6)
            made = list(orders(grid, roll))
            for one in made:
                tiles = [one(i) for i in range(len(one))]
                begin, end, step = roll(-40, 40), roll(-40, 40), roll(1, 5) * (-1) ** roll(0, 1)
                self.assertEqual((list(one), one[begin:end:step], one[-1]), (tiles, tiles[begin:end:step], tiles[-1]))
                copy = heddle.tile_table(grid, one.table())
                self.assertTrue(one == copy and not one != copy and hash(one) == hash(copy), repr(one))
                other = made[roll(0, len(made) - 1)]
                self.assertEqual(one == other, tiles == list(other), (one, other))
        plane = heddle.row_major((2, 3))
        self.assertEqual(heddle.batched(plane, 1), heddle.batched(plane, 1))
        self.assertNotEqual(heddle.row_major((2, 3)), heddle.row_major((3, 2)))
        self.assertNotEqual(heddle.batched(plane, 1), plane)
        self.assertNotEqual(plane, 5)
        self.assertEqual(heddle.row_major((2**15, 2**15)), heddle.row_major((2**15, 2**15)))  # in no time
        for at in 6, -7:
            self.assertRaises(IndexError, plane.__getitem__, at)

    def test_a_card_is_found_in_letters_of_either_case_and_in_its_file(self):
        self.assertEqual(repr(heddle.device("H200")), repr(heddle.device("h200")))
        self.assertEqual(heddle.advise(heddle.gemm(512, 512, 512), "RTX_4090").reason, heddle.advise(heddle.gemm(512, 512, 512), "rtx_4090").reason)
        own = heddle.device("h200", multiprocessors=66, l2_bytes=30 << 20)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "own.json")
            heddle.write_device(path, own)
            self.assertEqual(repr(heddle.read_device(path)), repr(own))
            printed = subprocess.run([sys.executable, "-m", "heddle", "gemm", "4096", "4096", "4096", "--device", path], capture_output=True, text=True, check=True).stdout
            self.assertEqual(printed, f"{heddle.advise(heddle.gemm(4096, 4096, 4096), own)}\n")
            self.assertRaisesRegex(ValueError, "not writable", heddle.write_device, os.path.join(folder, "none", "own.json"), own)

    def test_an_order_of_a_table_stays_what_it_was_when_it_was_built(self):
        def answers(order):
            yield [order(i) for i in range(1200)]
            yield [order.index(order(i)) for i in range(1200)]
            yield heddle.makespan(order, numpy.arange(1200.0), workers=7, schedule="ticket").tile_end.tolist()
            yield heddle.by_cost(order, numpy.arange(1200.0), section=7).tolist()
            yield heddle.traffic(order, heddle.gemm(30 * 128, 40 * 128, 64), "h200").total.dram_bytes

        right, table = heddle.hilbert((30, 40)), heddle.hilbert((30, 40)).table()
        order = heddle.tile_table((30, 40), table)
        self.assertEqual(list(answers(order)), list(answers(right)))
        table[:] = 2**31 - 1  # of which no order may read an entry
        self.assertEqual(list(answers(order)), list(answers(right)))

    def test_a_table_that_is_no_order_is_refused(self):
        roll = random.Random(9).randint
        for turn in range(500):
            grid = roll(1, 5), roll(1, 5)
            tiles = grid[0] * grid[1]
            table = list(orders(grid, roll))[turn % 12].table()
            heddle.tile_table(grid, table)
            at, column, value = roll(0, tiles - 1), roll(0, 1), roll(-2, tiles + 1)
            is_right = table[at, column] == value
            table[at, column] = value
            if not is_right:
                self.assertRaises(ValueError, heddle.tile_table, grid, table)
        self.assertRaises(ValueError, heddle.tile_table, (2, 2), numpy.zeros((4, 2), numpy.int32))

    def test_arrays_are_views(self):
        order = heddle.hilbert((30, 40))
        table = order.table()
        del order
        gc.collect()
        again = heddle.tile_table((30, 40), table)
        report = heddle.makespan(again, numpy.ones((30, 40)), workers=7, schedule="ticket")
        ends = report.tile_end
        self.assertTrue(numpy.shares_memory(ends, report.tile_end))
        del report, again
        gc.collect()
        self.assertEqual(ends[-1], 172.0)
        try:
            import torch
        except ImportError:
            return
        self.assertEqual(heddle.row_major((2, 2)).table(torch.int32).tolist(), [[0, 0], [1, 1], [2, 2], [3, 3]])


def truncated_groups(rows, cols):
    """Eight columns at a time, of which there are cols / 8, rounded down: the arithmetic of tilelang's T.Persistent (#2433)."""
    return lambda i: (i // 8 % rows, i // (8 * rows) % (cols // 8) * 8 + i % 8)


def rounded_groups(groups, most_swizzle):
    """What blocks take if the host counts a group's tiles as they are, and the device rounds them up to its swizzle: the
    arithmetic of CUTLASS's scheduler of groups (#3497)."""
    swizzles = [max(s for s in (1, 2, 4) if s <= min(most_swizzle, rows, cols)) for rows, cols in groups]
    up = lambda value, to: -(-value // to) * to
    places = [(g, r, c) for g, (rows, cols) in enumerate(groups) for r in range(up(rows, swizzles[g])) for c in range(up(cols, swizzles[g]))]
    launched = places[: sum(rows * cols for rows, cols in groups)]
    first = [sum(rows * cols for rows, cols in groups[:g]) for g in range(len(groups))]
    return [[first[g] + r * groups[g][1] + c] if r < groups[g][0] and c < groups[g][1] else [] for g, r, c in launched]


class Laws(unittest.TestCase):
    def test_a_public_bug_that_drops_columns(self):
        self.assertTrue(heddle.check_order(truncated_groups(3, 16), 3, 16))
        verdict = heddle.check_order(truncated_groups(3, 20), 3, 20)
        self.assertFalse(verdict)
        self.assertEqual(verdict.failure, "tile (0, 0) is visited twice, by index 0 and 48")

    def test_a_public_bug_that_drops_tiles_of_groups(self):
        groups = [(3, 3), (2, 2)]
        self.assertTrue(heddle.check_schedule(rounded_groups(groups, most_swizzle=1), tiles=13))
        verdict = heddle.check_schedule(rounded_groups(groups, most_swizzle=2), tiles=13)
        self.assertEqual(verdict.failure, "tile 9 is missed\ntile 10 is missed\ntile 11 is missed\ntile 12 is missed\n4 faults")

    def test_an_audit_names_tiles_and_blocks(self):
        self.assertFalse(heddle.check_schedule([[2**32]], 1))  # not cut to 32 bits
        roll = random.Random(5).randint
        for turn in range(200):
            tiles = roll(1, 50)
            log = [(number, roll(0, 9)) for number in range(tiles)]
            self.assertTrue(heddle.audit(*numpy.array(log, numpy.int32).T, tiles))
            log = [(number + (roll(0, 20) == 0) * roll(-3, 3), block) for number, block in log]
            random.Random(turn).shuffle(log)
            report = heddle.audit(*numpy.array(log, numpy.int32).T, tiles)  # columns of one array
            by = {}
            for number, block in log:
                by.setdefault(number, []).append(block)
            self.assertEqual(report.missed, [number for number in range(tiles) if number not in by])
            self.assertEqual(report.repeated, {n: blocks for n, blocks in by.items() if 0 <= n < tiles and len(blocks) > 1})
            self.assertEqual(report.outside, {n: blocks for n, blocks in by.items() if not 0 <= n < tiles})
            self.assertEqual(report.wasted, sum(not 0 <= n < tiles for n, _ in log))
            self.assertEqual(bool(report), not report.missed and not report.repeated)
            self.assertEqual(bool(heddle.check_schedule([[n for n, _ in log]], tiles)), bool(report))


class Choice(unittest.TestCase):
    def test_the_fastest_is_chosen_once_and_remembered(self):
        seconds, launched = {"a": 3e-3, "b": 1e-3, "c": 2e-3}, []

        def clock(launches, launch):
            launch()
            return launches * seconds[launched[-1]]

        with tempfile.TemporaryDirectory() as folder:
            ask = lambda: heddle.choose(list("abc"), launched.append, clock, key=["product", 8192, 0.5], wisdom=f"{folder}/w.json")
            first, times = ask(), len(launched)
            again = ask()
            self.assertEqual((first.value, first.index, first.remembered), ("b", 1, False))
            self.assertEqual((again.value, again.seconds, again.remembered, len(launched)), ("b", first.seconds, True, times))
            self.assertEqual(len(heddle.wisdom(f"{folder}/w.json")), 1)

    def test_a_launch_that_raises_is_left_out(self):
        def launch(value):
            if value == 1:
                raise OSError("no card")

        found = heddle.choose([1, 2], launch, lambda launches, launch: launch() or 1e-3 * launches)
        self.assertEqual((found.value, [each.index for each in found.failed]), (2, [0]))
        self.assertIn("no card", found.failed[0].error)
        with self.assertRaises(KeyboardInterrupt):
            heddle.choose([1, 2], lambda value: (_ for _ in ()).throw(KeyboardInterrupt()))

    def test_each_number_of_a_key_is_a_question_of_its_own_or_refused(self):
        parts = [2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 2, 2**63 + 3, 2**64 - 1, -(2**63), 2**200, 0.1, 0.5]
        parts += [numpy.uint64(2**63 + 4), numpy.uint64(2**63 + 5), numpy.float32(0.1), numpy.float64(0.3), numpy.float64(0.7), "0.1", "a\0", "a", "\udc80", "\\udc80"]
        with tempfile.TemporaryDirectory() as folder:
            for is_known in False, True:
                for part in parts:
                    found = heddle.choose([1, 2], lambda value: None, lambda launches, launch: 1e-3 * launches, key=[part], wisdom=f"{folder}/w.json")
                    self.assertEqual(found.remembered, is_known, repr(part))
            self.assertEqual(len(heddle.wisdom(f"{folder}/w.json")), len(parts))
        wisdom = heddle.wisdom("/nowhere/w.json")
        for part in 2**64 + 1, -(2**63) - 1, 2**1100, fractions.Fraction(1, 3), decimal.Decimal("0.1"), 1j, float("inf"), float("nan"):
            with self.assertRaises(ValueError, msg=repr(part)):
                heddle.choose([1, 2], lambda value: None, key=[part], wisdom=wisdom)
        for part in None, b"1", [1]:
            with self.assertRaises(TypeError, msg=repr(part)):
                heddle.choose([1, 2], lambda value: None, key=[part], wisdom=wisdom)

    def test_any_text_is_an_error_and_a_name(self):
        def launch(value):
            raise OSError(value)

        for text in "\udc80", "a\0b", "\U0001f9f5", "a\ud800\udfff":
            found = heddle.choose([text, text + "2"], launch)
            self.assertIn(f"OSError: {text}\n", found.failed[0].error)
            self.assertEqual(found.error, found.failed[0].error)
            self.assertEqual(heddle.candidate(text).name, text)
            self.assertEqual(heddle.candidate(1, name=text).name, text)
        with tempfile.TemporaryDirectory() as folder:
            for names in ["a\0b", "a\0c"], ["a\0c", "\udc80"], ["\udc80", "\\udc80"]:
                launched = []

                def clock(launches, launch):
                    launch()
                    return launches * (2e-3 if launched[-1] == names[0] else 1e-3)

                for is_known in False, True:
                    found = heddle.choose(names, launched.append, clock, key=[ascii(names)], wisdom=f"{folder}/w.json")
                    self.assertEqual((found.value, found.remembered), (names[1], is_known))
        self.assertRaises(ZeroDivisionError, heddle.candidate, type("", (), {"__str__": lambda self: 1 / 0})())

    def test_a_launch_is_refused_after_its_burst(self):
        kept, launched = [], []

        def clock(launches, launch):
            kept.append(launch)
            if len(kept) > 1:
                self.assertRaisesRegex(RuntimeError, "burst is over", kept[-2])
            for _ in range(launches):
                launch()
            return 1e-3 * launches

        heddle.choose(list("ab"), launched.append, clock)
        before = len(launched)
        for launch in kept:
            self.assertRaisesRegex(RuntimeError, "burst is over", launch)
        heddle.choose(list("cd"), launched.append, lambda launches, launch: self.assertRaises(RuntimeError, kept[0]) or 1e-3)
        self.assertEqual(len(launched), before)
        kept.clear()

        def stop(launches, launch):
            kept.append(launch)
            raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, heddle.choose, list("ab"), launched.append, stop)
        self.assertRaisesRegex(RuntimeError, "burst is over", kept[0])
        self.assertEqual(len(launched), before)

    def test_a_launch_that_another_thread_ends_after_the_burst_owns_what_it_launches(self):
        goes_on, threads, ended = threading.Event(), [], []

        def launch(value):
            goes_on.wait()
            ended.append(value)
            raise OSError("too late")

        def clock(launches, launch):
            threads.append(threading.Thread(target=launch))
            threads[-1].start()
            return 1e-3 * launches

        heddle.choose([["a"], ["b"]], launch, clock)
        del launch
        gc.collect()
        goes_on.set()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(ended), [["a"]] * (len(threads) // 2) + [["b"]] * (len(threads) // 2))

    def test_other_threads_run_meanwhile(self):
        for wait in (
            lambda: heddle.choose([1, 2], lambda value: None, lambda launches, launch: 0.01, rest=0.1, budget=0.2, tie=0.0),
            lambda: [heddle.advise(heddle.gemm(4096 + i, 4104, 4096), "h200") for i in range(6)],
        ):
            turns, ends = [0], threading.Event()

            def count():
                while not ends.is_set():
                    turns[0] += 1
                    time.sleep(1e-4)

            other = threading.Thread(target=count)
            interval = sys.getswitchinterval()
            sys.setswitchinterval(100)  # only a thread that gives up the lock lets another run
            other.start()
            before = turns[0]
            wait()
            after = turns[0]
            ends.set()
            other.join()
            sys.setswitchinterval(interval)
            self.assertGreater(after - before, 3)


class FakeTorch:
    """The part of PyTorch that a guard uses, over a card whose launches take the time that they say."""

    def __init__(self, in_flight=3):
        self.cuda, self.in_flight = self, in_flight
        self.now, self.launches, self.stream, self.device, self.capturing, self.records = 0.0, 0, 0, 0, False, 0

    def Event(self, enable_timing):
        card = self

        class Event:
            def record(self):
                self.at, self.launch, card.records = card.now, card.launches, card.records + 1

            def query(self):
                return card.launches >= self.launch + card.in_flight

            def elapsed_time(self, end):
                return 1e3 * (end.at - self.at)

        return Event()

    def is_current_stream_capturing(self):
        return self.capturing

    def current_device(self):
        return self.device

    def current_stream(self):
        return types.SimpleNamespace(cuda_stream=self.stream)

    def launch(self, seconds):
        self.now, self.launches = self.now + seconds, self.launches + 1
        return seconds


class Guard(unittest.TestCase):
    def setUp(self):
        self.card = FakeTorch()
        before = sys.modules.get("torch")
        sys.modules["torch"] = self.card
        self.addCleanup(lambda: sys.modules.pop("torch") if before is None else sys.modules.update(torch=before))

    def run_guard(self, guard, key, seconds, calls):
        launched = []
        for _ in range(calls):
            guard(key, lambda which: launched.append(which) or self.card.launch(seconds[which]))
        return launched

    def test_each_key_gets_its_fastest_candidate(self):
        for scale in 1e-6, 1e-3:
            guard = heddle.guard(3)
            one = self.run_guard(guard, "one", [10 * scale, 5 * scale, 400 * scale], 400)
            other = self.run_guard(guard, ("other", 2), [10 * scale, 50 * scale, 20 * scale], 400)
            self.assertEqual((guard.decision("one"), guard.decision(("other", 2)), guard.decision(3)), (1, 0, None))
            self.assertEqual((one[0], one.count(2)), (0, 1))
            self.assertLess(other.count(1), 3)
            self.assertEqual(guard("one", lambda which: "what the launch returns"), "what the launch returns")
            before = self.card.records
            self.run_guard(guard, "one", [10 * scale, 5 * scale, 400 * scale], 600)
            self.assertLess(self.card.records - before, 150)

    def test_the_bound_holds_at_every_call(self):
        for seed in range(60):
            roll = random.Random(seed)
            self.card = sys.modules["torch"] = FakeTorch(in_flight=roll.randint(0, 15))
            guard, keys = heddle.guard(3), [[1e-4, *(1e-4 * 50 ** roll.uniform(-1, 1) for _ in range(2))] for _ in range(2)]
            over = [-2 * sum(seconds) for seconds in keys]  # by which a key is above its bound
            for _ in range(1500):
                key = roll.randint(0, 1)
                which = guard(key, lambda which: self.card.launch(keys[key][which] * roll.uniform(0.9, 1.1)) and which)
                self.card.now += 1e-3 * roll.randint(0, 1)  # other work of the stream
                over[key] += keys[key][which] - 1.01 * keys[key][0]
                self.assertLessEqual(over[key], 0, seed)
            for key, seconds in enumerate(keys):
                self.assertLess(seconds[guard.decision(key) or 0], 1.1 * min(seconds), seed)

    def test_capture_times_nothing_and_runs_what_is_decided(self):
        guard = heddle.guard(2)
        self.card.capturing = True
        self.assertEqual(set(self.run_guard(guard, 1, [1e-3, 5e-4], 50)), {0})
        self.card.capturing = False
        self.run_guard(guard, 1, [1e-3, 5e-4], 200)
        self.card.capturing, before = True, self.card.records
        self.assertEqual(set(self.run_guard(guard, 1, [1e-3, 5e-4], 50)), {1})
        self.assertEqual(self.card.records, before)

    def test_a_candidate_that_raises_is_dropped_and_number_0_stays(self):
        guard, raised = heddle.guard(3), []

        def launch(which):
            if which == 1:
                raise RuntimeError("no such tile")
            return self.card.launch([1e-3, 0, 5e-4][which])

        for call in range(400):
            try:
                guard(call // 8 % 2, launch)
            except RuntimeError as error:
                raised.append(str(error))
        self.assertEqual((raised, guard.decision(0), guard.decision(1)), (["no such tile"], 2, 2))
        for _ in range(5):
            self.assertRaises(ValueError, guard, "new", lambda which: int("none") if which == 0 else which)
        self.assertRaisesRegex(ValueError, "candidates is 65; it must be from 1 to 64", heddle.guard, 65)

    def test_a_wisdom_keeps_what_is_decided(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "guard.json"
            takes = {(8, "bf16"): [1e-3, 5e-4], ((8, 8), 2): [1e-3, 3e-3]}
            guard = heddle.guard(2, wisdom=path, question=["matmul"], version="1")
            for key, seconds in takes.items():
                self.run_guard(guard, key, seconds, 300)
            self.run_guard(guard, "young", [1e-3, 5e-4], 2)
            self.assertFalse(path.exists())
            guard.remember()
            known = heddle.wisdom(str(path))
            self.assertEqual((len(known), known.message()), (2, ""))
            again = heddle.guard(2, wisdom=known, question=["matmul"], version="1")
            for key, seconds in takes.items():
                best = seconds.index(min(seconds))
                self.assertEqual(set(self.run_guard(again, key, seconds, 40)), {best})
                self.assertEqual(again.decision(key), best)
            # Another key, bracket or version is another question.
            for key, version in ((8, 8, 2), "1"), ((8, "bf16"), "2"):
                other = heddle.guard(2, wisdom=known, question=["matmul"], version=version)
                self.assertEqual(self.run_guard(other, key, [1e-3, 5e-4], 4)[0], 0)
                self.assertIsNone(other.decision(key))
            self.assertRaises(TypeError, again, object(), lambda which: which)

    def test_threads_and_streams_share_a_guard(self):
        guard = heddle.guard(2)

        def work(thread):
            for call in range(500):
                self.card.stream = thread
                guard(call % 3, lambda which: self.card.launch([1e-3, 5e-4][which]))

        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(self.card.launches, 2000)
        self.run_guard(guard, 0, [1e-3, 5e-4], 300)
        self.assertEqual(guard.decision(0), 1)


class Module(unittest.TestCase):
    def test_every_docstring_has_examples_that_run(self):
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
        known = {"heddle": heddle, "numpy": numpy, "pathlib": pathlib}
        examples = {"heddle": heddle.__doc__}
        for name, value in vars(heddle).items():
            if name.startswith("_") or inspect.ismodule(value):
                continue
            examples[name] = value.__doc__ or ""
            self.assertNotEqual(examples[name], "", name)
            self.assertTrue(">>>" in examples[name] or name == "read_device", name)
            self.assertIn(name, heddle.__all__)
            if inspect.isclass(value):
                self.assertEqual(value.__module__, "heddle", name)
            for member, of_class in vars(value).items() if inspect.isclass(value) else ():
                examples[f"{name}.{member}"] = getattr(of_class, "__doc__", None) or ""
        self.assertGreater(len(examples), 40)
        for name, text in examples.items():
            runner.run(parser.get_doctest(inspect.cleandoc(text), dict(known), name, None, 0))
        self.assertEqual(runner.summarize().failed, 0)

    def test_help_lists_every_name(self):
        listed = pydoc.render_doc(heddle, renderer=pydoc.plaintext)
        for name in heddle.__all__:
            self.assertRegex(listed, rf"(?m)^ +(class )?{name}[ (]", name)

    def test_the_page_says_what_the_module_says(self):
        self.assertEqual(doctest.testfile(DOCS, module_relative=False).failed, 0)

    def test_as_a_command(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "out.svg")
            command = [sys.executable, "-m", "heddle", "gemm", "8192", "8192", "8192", "--device", "h200", "--draw", picture]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            self.assertEqual(printed, f"{heddle.advise(heddle.gemm(8192, 8192, 8192), 'h200')}\n")
            self.assertIn("</svg>", pathlib.Path(picture).read_text())
        for members in (["stencil", "rows=1024", "cols=1024", "bytes_per_pixel=4", "rows_radius=2", "--blocks", "8"], ["grouped", "700,0,90", "2048", "4096"],
                        ["stencil", "512", "512", "4", "tile=16,32", "radius=2,0", "--blocks", "8"], ["batched", "4", "512", "512", "512"], ["causal", "512", "512", "4"], ["pairs", "5000", "64"]):
            subprocess.run([sys.executable, "-m", "heddle", *members], capture_output=True, check=True)
        wrong = subprocess.run([sys.executable, "-m", "heddle", "stencil", "64", "64", "4"], capture_output=True, text=True)
        self.assertEqual((wrong.returncode, wrong.stdout), (1, ""))
        self.assertIn("blocks_per_multiprocessor of this problem is not given", wrong.stderr)

    def checked(self, text, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "mapping.py")
            path.write_text(text)
            done = subprocess.run([sys.executable, "-m", "heddle", "check", f"{path}:tile_of", *words], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_check_runs_functions_of_python_and_of_cute_on_every_grid(self):
        right = "def tile_of(i, rows, cols):\n    return i // cols, i % cols\n"
        cute = "import cutlass\nimport cutlass.cute as cute\n\n\n@cute.jit\n" + right.replace("(i,", "(i: cutlass.Int32,")
        for text in right, cute, right.replace("i // cols, i % cols", "i"):
            self.assertEqual(self.checked(text, "--grid", "1..9x1..12"), (0, "holds on 108 grids\n"))
        self.assertEqual(self.checked(right, "--grid", "3x0..4", "--call", "cols=cols, rows=rows, i=i"), (0, "holds on 4 grids\n"))
        wrong = right.replace("i % cols", "i % cols // 2")
        said = "2 x 3: tile (0, 0) is visited twice, by index 0 and 1\n"
        self.assertEqual(self.checked(wrong, "--grid", "1..2x1..3")[0], 1)
        self.assertEqual(self.checked(wrong, "--grid", "2x3"), (1, said + "1 of 1 grids fail\n"))
        self.assertEqual(self.checked(wrong, "--grid", "2")[0], 2)
        source = heddle.cta_swizzle((5, 7), 3).source("cute")
        self.assertEqual(self.checked(f"import cutlass\nimport cutlass.cute as cute\n\n\n{source}", "--grid", "5x7", "--call", "i"),
                         (0, "holds on 1 grids\n"))

    def test_check_runs_functions_of_triton_with_and_without_a_branch(self):
        if importlib.util.find_spec("triton") is None:
            self.skipTest("there is no Triton")
        text = """import triton, triton.language as tl
@triton.jit
def grouped(i, rows, cols, GROUP: tl.constexpr):
    first = i // (GROUP * cols) * GROUP
    height = min(rows - first, GROUP)
    return first + i % (GROUP * cols) % height, i % (GROUP * cols) // height
@triton.jit
def tile_of(i, rows, cols):
    return grouped(i, rows, cols, 3)
"""
        self.assertEqual(self.checked(text, "--grid", "1..9x1..5"), (0, "holds on 45 grids\n"))
        self.assertEqual(self.checked(text.replace("min(rows - first, GROUP)", "GROUP"), "--grid", "1..9x2")[1].splitlines()[-1], "6 of 9 grids fail")
        branch = text.replace("    return grouped", "    if i == 0:\n        i = i + 0\n    return grouped")
        self.assertEqual(self.checked(branch, "--grid", "2..4x3"), (0, "holds on 3 grids\n"))

    def test_the_wheel_has_the_headers_and_the_stub(self):
        folder = pathlib.Path(heddle.__file__).parent
        text = pathlib.Path(heddle.include(), "heddle", "version.hpp").read_text()
        self.assertIn(f'version_string[] = "{heddle.__version__}"', text)
        subprocess.run([CXX, "-std=c++20", "-E", "-o", os.devnull, f"-I{heddle.include()}", "-x", "c++", "-"],
                       input='#include <heddle/order.hpp>\n#include <heddle/predict.hpp>\n', text=True, check=True)
        stub = (folder / "_heddle.pyi").read_text()
        for name in "advise", "order", "choose", "gemm_problem":
            self.assertRegex(stub, f"(def|class) {name}\\b")
        self.assertNotRegex(stub, r"\btuple(?!\[)")
        self.assertTrue((folder / "py.typed").exists())

    def test_a_notebook_draws_advice(self):
        best = heddle.advise(heddle.gemm(4096, 8192, 4096), "h200")
        self.assertTrue(best._repr_html_().endswith("</svg>\n"))
        self.assertIsNone(heddle.row_major((1024, 1024))._repr_svg_())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
