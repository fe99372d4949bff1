#!/usr/bin/env python3
"""Makes a page of the benchmarks' figures: tables, plots, and a comparison with the figures of record.

usage: plot.py FIGURES [--committed FOLDER] [--out FILE]

FIGURES is a folder of JSON files as `run_bench` writes them; a file's name begins with its benchmark's (gemm.json,
gemm_headline.json). FOLDER is bench/results unless told otherwise, FILE results.html in FIGURES. The page is one file
that needs nothing else: no network, no scripts.

It takes Python 3.9 or newer and nothing but its standard library: there are no packages to install.

What is missing is named on the page. A file that cannot be read is left out, named, and the exit status is 1.
"""

import argparse
import json
import math
import sys
from html import escape
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
from charts import bars, dots, lines, number, strip, style  # noqa: E402

# Figures are times, by key: less is better in all of them. Notes are what else the tables say.


class figures(dict):
    def __init__(self, values=(), notes=()):
        super().__init__(values)
        self.notes = dict(notes)

    def join(self, other):
        self.update(other)
        self.notes.update(other.notes)


def of_google_benchmark(data):
    """Name and row of each: the medians, or where there are none the runs."""
    rows = [row for row in data["benchmarks"] if not row.get("error_occurred")]
    medians = [row for row in rows if row.get("aggregate_name") == "median"]
    for row in medians or [row for row in rows if row["run_type"] == "iteration"]:
        yield row["run_name"].split("/")[:2], row


def read_order(data):
    found = figures()
    for (where, name), row in of_google_benchmark(data):
        if where == "host":
            found["host", name] = row["real_time"]
        elif where == "gpu":
            found["throughput", name] = row["ps_per_tile"]
            found.notes[name] = row["registers"]
        else:
            found["latency", name] = row["cycles_per_tile"]
    return found


def read_schedule(data):
    return figures({(form, name): row.get("ns_per_tile", row["real_time"])
                    for (form, name), row in of_google_benchmark(data)})


def read_launch_box(data):
    found = figures()
    for study in data["studies"]:
        for box in [*study["boxes"], study["cub"]]:
            found[study["key"], box["name"]] = box["median_ms"]
            found.notes[study["key"], box["name"]] = (box["threads"], box["values"], box["min_blocks"])
    return found


def read_expand(data):
    found = figures()
    for row in data["rows"] if isinstance(data, dict) else data:
        for which in ("warm", "cold"):
            found[row["row"], row["contestant"], which] = row[which + "_us"]
        found.notes[row["row"]] = (row["sources"], row["items"], row["floor_us"])
    return found


def read_reorder(data):
    names = ("sweep", "keys", "together", "turns", "longest", "skew", "state", "threads", "contestant")
    return figures({tuple(row[name] for name in names): row["us"] for row in data["rows"]})


def read_convolution(data):
    """The figures of record have a line for each pass, and the program writes one for each composition."""
    found = figures()
    for row in data.get("sweep", ()) if "sweep" in data else data["rows"]:
        if "ms" in row and isinstance(row["ms"], dict):
            found.update({(row["row"], name): value for name, value in row["ms"].items()})
            advised = row.get("advised", ())
        else:
            tile = "" if row["tile"] == "0x0" else row["tile"]
            name = " ".join(f"{tile} {row['order']} {row['schedule']}".replace(", axis x", "").split())
            found[row["row"], name] = row["ms"]
            advised = [name] if row.get("advised") else ()
        advised = advised or [name for of, name in found if of == row["row"] and "the advised of" in name]
        for name in advised:  # the last is of the tile that is advised for
            found.notes[row["row"]] = name
    return found


def read_gemm(data):
    found = figures()
    for row in data["products"]:
        if row["contender"] == "kernel":
            continue  # of --kernels
        shape = (row["m"], row["n"], row["k"])
        for way in ("burst", "sustained"):
            if way + "_ms" in row:
                found[shape, way, row["contender"]] = row[way + "_ms"]
        found.notes[shape, row["contender"]] = row["kernel"]
    return found


def read_gemm_study(data):
    """Of each sweep raster, the advised and the best; the program writes all rows, the figures of record these too."""
    found = figures()
    sweeps = {}
    for row in () if "sweeps" in data else data["rows"]:
        sweeps.setdefault((row["m"], row["n"], row["k"], row["kernel"]), []).append(row)
    for (m, n, k, kernel), rows in sweeps.items():
        advised = [row for row in rows if row["advised"]]
        for name, some in (("row_major", [row for row in rows if row["order"] == "row_major"]),
                           ("advised", [row for row in advised if not row["table"]] or advised), ("best", rows)):
            row = min(some, key=lambda row: row["ms"])
            found[(m, n, k), kernel, name] = row["ms"]
            found.notes[(m, n, k), kernel, name] = f"{row['order']}, {row['schedule']}"
    for row in data.get("sweeps", ()):
        for name in ("row_major", "advised", "best"):
            key = (row["m"], row["n"], row["k"]), row["kernel"], name
            found[key] = row[name + "_ms"]
            found.notes[key] = row.get(name, name)
    return found


def read_path_tracer(data):
    found = figures()
    for scene in data.get("scenes") or [data]:
        for row in scene["modes"]:
            found[scene["scene"], row["mode"]] = row["milliseconds"]
            found.notes[scene["scene"]] = "{width} x {height}, {passes} paths through each pixel".format(**scene)
            found.notes[scene["scene"], row["mode"]] = row["rays"]
    return found


# The page.


def cell(now, then, show=lambda time: time, unit=""):
    """A figure, and below it what is committed and how many times as fast this is."""
    if now is None:
        return "" if then is None else f"–<small>{number(show(then))}</small>"
    if then is None:
        return number(show(now)) + unit
    ratio = then / now
    kind, sign = ("better", "▲ ") if ratio >= 1.05 else ("worse", "▼ ") if ratio <= 1 / 1.05 else ("", "")
    return f'{number(show(now))}{unit}<small>{number(show(then))}, <b class="{kind}">{sign}{ratio:.2f}×</b></small>'


def table(headers, rows):
    """The cells of `rows` are markup, but for the first of each. A column with words in it stands to the left."""
    words = [any(row[i][:1].isalpha() for row in rows) for i in range(len(headers))]
    kinds = [' class="words"' if each else "" for each in words]
    head = "".join(f'<th scope="col"{kind}>{escape(header)}</th>' for kind, header in zip(kinds, headers))
    body = "".join(f'<tr><th scope="row">{escape(row[0])}</th>'
                   + "".join(f"<td{kind}>{each}</td>" for kind, each in zip(kinds[1:], row[1:])) + "</tr>\n" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n'


def folded(title, markup):
    return f"<details><summary>{escape(title)}</summary>{markup}</details>\n"


def plots(*all_of_them):
    return '<div class="plots">' + "".join(f"<figure>{each}</figure>" for each in all_of_them if each) + "</div>\n"


def ordered(now, then, part):
    """The keys' parts in the order in which they come."""
    return list(dict.fromkeys(part(key) for key in [*now, *then]))


def show_order(now, then):
    names = sorted(ordered(now, then, lambda key: key[1]), key=lambda name: now.get(("throughput", name), 0))
    measures = (("throughput", "throughput, ps"), ("latency", "latency, cycles"), ("host", "host, ns"))
    rows = [[name, *[cell(now.get((of, name)), then.get((of, name))) for of, _ in measures],
             f"{now.notes[name]:g}" if name in now.notes else ""] for name in names]
    charts = [bars(f"What an order costs: {of}", unit, sorted(rows_of, key=lambda row: row[1]), 560) for of, unit in
              (("throughput", "ps a tile where the whole chip maps tiles, less is better"),
               ("latency", "cycles until a thread has its tile, less is better"))
              if (rows_of := [(name, now[of, name], then.get((of, name))) for name in names if (of, name) in now])]
    return plots(*charts) + table(["order", *[name for _, name in measures], "registers"], rows)


def show_schedule(now, then):
    forms = {"full": "ns a tile: as many blocks as the GPU holds", "single": "ns a tile: one block a multiprocessor",
             "roles": "ns a tile: a warp leads, another follows", "uneven": "µs: one tile in 64 takes 30 times as long",
             "beside": "µs: another kernel holds a sixth of the chip"}
    names = ordered(now, then, lambda key: key[1])
    charts = [bars(f"What a scheduler costs: {form}", unit + ", less is better", rows, 560) for form, unit in forms.items()
              if (rows := [(name, now[form, name], then.get((form, name)))
                           for name in sorted(names, key=lambda name: now.get((form, name), 0)) if (form, name) in now])]
    rows = [[name, *[cell(now.get((form, name)), then.get((form, name))) for form in forms]] for name in names]
    return plots(*charts) + table(["scheduler", *[f"{form}, {unit[:2]}" for form, unit in forms.items()]], rows)


def show_launch_box(now, then):
    charts, rows, all_rows = [], [], []
    for key in ordered(now, then, lambda key: key[0]):
        def points(of, threads):
            plain = [(of.notes[at][1], of[at]) for at in of if at[0] == key and of.notes[at][::2] == (threads, 0)]
            return sorted(point for point in plain if point[0] > 0)
        cub = now.get((key, "cub::DeviceMergeSort"))
        series = [(f"{threads} threads", points(now, threads), points(then, threads)) for threads in (128, 256, 512)]
        charts.append(lines(f"A merge sort of {key} by its launch box", "values a thread",
                            "ms, less is better;  the line across: cub::DeviceMergeSort", series, False, cub, 560))
        boxes = {name: time for (of, name), time in now.items() if of == key}
        best = min((name for name in boxes if not name.startswith("cub")), key=boxes.get)
        fixed, library = "256x7", "cub::DeviceMergeSort"
        rows.append([f"{key}, best: {best}", *[cell(now.get((key, name)), then.get((key, name))) for name in (best, fixed, library)],
                     number(boxes[fixed] / boxes[best]) + "×", number(boxes[library] / boxes[best]) + "×"])
        all_rows += [[f"{key}, {name}", cell(time, then.get((key, name)))] for name, time in sorted(boxes.items(), key=lambda b: b[1])]
    return (plots(*charts) + table(["keys", "best, ms", "256x7, ms", "CUB, ms", "best over 256x7", "best over CUB"], rows)
            + folded("Every box", table(["box", "ms"], all_rows)))


def show_expand(now, then):
    rows = ordered(now, then, lambda key: key[0])
    names = ordered(now, then, lambda key: key[1])
    drawn = [name for name in ("packed_prefix", "scanned", "run_length", "upper_bound", "thrust", "loop") if name in names]
    sizes = [size for size in ("2^22 x 16 ", "2^18 x 16 ", "") if any(row.startswith(size) for row in now_rows(now))]
    shown = [row for row in now_rows(now) if row.startswith(sizes[0])][:10]
    chart = dots(f"Expansion of 2^22 sources, 16 items each in the mean" if sizes[0] == "2^22 x 16 " else "Expansion",
                 "µs for both passes, every item stored, warm, less is better", drawn,
                 [(row, {name: (now.get((row, name, "warm")), then.get((row, name, "warm"))) for name in drawn})
                  for row in shown], log=True)

    def tabled(which):
        return table(["sources x mean n", "items", "floor, µs", *names],
                     [[row, f"{now.notes[row][1]:,}", number(now.notes[row][2]),
                       *[cell(now.get((row, name, which)), then.get((row, name, which))) for name in names]]
                      for row in rows if row in now.notes])
    return plots(chart) + folded("Every row, µs, one launch after another", tabled("warm")) + \
        folded("Every row, µs, after L2 was filled with something else", tabled("cold"))


def now_rows(now):
    return list(dict.fromkeys(key[0] for key in now))


def show_reorder(now, then):
    def best(of, sweep, contestant, **where):
        """The best of all sizes of blocks."""
        places = {"keys": 1, "together": 2, "turns": 3, "state": 6}
        return min((time for key, time in of.items() if key[0] == sweep and key[8] == contestant
                    and all(key[places[name]] == value for name, value in where.items())), default=None)

    def gain(of, sweep, contestant="reorder", **where):
        plain, other = (best(of, sweep, name, together=0, **where) for name in ("plain", contestant))
        return plain / other if plain and other else None

    def chart(title, sweep, series, name, x, factor, x_name):
        where = {"keys": 1, "turns": 3, "state": 6}
        values = {part: sorted({key[where[part]] for key in now if key[0] == sweep}) for part in (series, x)}
        if not values[x]:
            return ""
        all_lines = [(f"{of} {name}", *[[(at * factor, found) for at in values[x]
                                         if (found := gain(each, sweep, **{series: of, x: at}))] for each in (now, then)])
                     for of in values[series]]
        return lines(title, x_name, "times as fast as without, more is better", all_lines, True, 1, 560)

    charts = [chart("When reordering pays: branches", "switch", "keys", "branches", "turns", 14, "instructions of a branch"),
              chart("When reordering pays: live state", "state", "turns", "turns", "state", 1, "bytes of live state"),
              chart("When reordering pays: data", "data", "keys", "places", "turns", 1, "loads of a round")]
    ranks = [(key[8], time, then.get(key)) for key, time in now.items() if key[0] == "ranks"]
    if ranks:
        charts.append(bars("Ranks of 3 bits in blocks of 512", "µs, less is better", ranks, 560))
    rows = []
    for keys in sorted({key[1] for key in now if key[0] == "switch"}):
        for turns in sorted({key[3] for key in now if key[0] == "switch"}):
            cells = [cell(best(now, "switch", name, together=0, keys=keys, turns=turns),
                          best(then, "switch", name, together=0, keys=keys, turns=turns)) for name in ("plain", "reorder", "gate")]
            gains = [gain(now, "switch", name, keys=keys, turns=turns) for name in ("reorder", "gate")]
            rows.append([f"{keys} branches of {turns} turns", *cells, *[number(each) + "×" if each else "" for each in gains]])
    names = ("{}, {} keys, {} turns, at most {}, {:g} of one key, {} bytes, {} threads, {}")
    every = [[names.format(key[0], key[1], key[3], key[4], key[5], key[6], key[7], key[8]) + (", keys together" if key[2] else ""),
              cell(time, then.get(key))] for key, time in now.items()]
    return plots(*charts) + table(["switch", "plain, µs", "reordered, µs", "with the gate, µs", "gain", "gain with the gate"], rows) \
        + folded("Every row", table(["row", "µs"], every))


def show_convolution(now, then):
    def raster(row):
        """In the tiles of the pass as everybody writes it, which come first."""
        return next((name for of, name in [*now, *then] if of == row and name.endswith("row_major one_shot")), None)

    def gain(of, row):
        found = [of.get((row, name)) for name in (raster(row), of.notes.get(row))]
        return found[0] / found[1] if all(found) else None

    charts = []
    rows = now_rows(now)
    for kind in dict.fromkeys(row.rsplit(", ", 2)[0] for row in rows if row.startswith("atrous")):
        parts = [row.rsplit(", ", 2)[1:] for row in rows if row.rsplit(", ", 2)[0] == kind]
        steps = list(dict.fromkeys(step for _, step in parts))
        series = [(size, *[[(int(step[5:]), found) for step in steps if (found := gain(of, f"{kind}, {size}, {step}"))]
                           for of in (now, then)]) for size in dict.fromkeys(size for size, _ in parts)]
        charts.append(lines(f"The advised composition: {kind}", "step between taps, pixels",
                            "times as fast as raster, more is better", series, True, 1, 560))
    others = [row for row in rows if (not row.startswith(("atrous", "filter")) or "five" in row) and gain(now, row)]
    if others:
        charts.append(dots("The other passes: the advised composition", "times as fast as raster, more is better", ["advised"],
                           [(row.replace(", float4", "").replace(", radius 32", ""), {"advised": (gain(now, row), gain(then, row))})
                            for row in others], line=1))

    lines_of_table = []
    for row in rows:
        times = {name: time for (of, name), time in now.items() if of == row}
        best, plain, advised = min(times, key=times.get), raster(row), now.notes.get(row)
        # Another version may advise something else: what it advised is what is compared.
        lines_of_table.append([row, cell(times.get(plain), then.get((row, plain))),
                               cell(times.get(advised), then.get((row, then.notes.get(row)))), escape(advised or ""),
                               cell(times[best], then.get((row, best))), escape(best),
                               number(gain(now, row)) + "×" if gain(now, row) else ""])
    return plots(*charts) + folded("Every pass: raster, what is advised, and the best", table(
        ["pass", "raster, ms", "advised, ms", "what is advised", "best, ms", "what is best", "advised over raster"], lines_of_table))


def show_gemm(now, then):
    names = [("cublas", "cuBLAS"), ("cublaslt", "cublasLt's best"), ("heddle", "heddle"), ("portable", "portable")]
    rows, drawn = [], []
    for shape, way in ordered(now, then, lambda key: key[:2]):
        name = " × ".join(map(str, shape)) + (", sustained" if way == "sustained" else "")

        def rate(time, of=shape):
            return 2e-9 * of[0] * of[1] * of[2] / time

        times = [(now.get((shape, way, of)), then.get((shape, way, of))) for of, _ in names]
        over = [[pairs[0][i] / pair[i] if pairs[0][i] and pair[i] else None for pair in pairs]
                for i, pairs in ((0, times), (1, times))]
        rows.append([name, *[cell(*pair, rate) for pair in times], number(over[0][2]) + "×" if over[0][2] else "",
                     escape(now.notes.get((shape, "heddle"), ""))])
        if over[0][2]:
            drawn.append((name, {"heddle": (over[0][2], over[1][2]), "cublasLt's best of 32": (over[0][1], over[1][1])}))
    chart = dots("A matrix product in bf16, beside cuBLAS", "times as fast as cuBLAS, more is better",
                 ["heddle", "cublasLt's best of 32"], drawn, line=1) if drawn else ""
    return plots(chart) + table(["m × n × k", *[f"{name}, TFLOP/s" for _, name in names], "over cuBLAS", "heddle's plan"], rows)


def show_gemm_study(now, then):
    names = ["best", "advised", "row_major"]
    drawn, rows = {}, []
    for shape, kernel in ordered(now, then, lambda key: key[:2]):
        pairs = {name: (now.get((shape, kernel, name)), then.get((shape, kernel, name))) for name in names}
        product = " × ".join(map(str, shape))
        rows.append([f"{product}, {kernel}", *[cell(*pairs[name]) for name in names],
                     escape(now.notes.get((shape, kernel, "advised"), "")), escape(now.notes.get((shape, kernel, "best"), "")),
                     f"{100 * (pairs['advised'][0] / pairs['best'][0] - 1):.1f} %" if pairs["best"][0] else ""])
        if pairs["best"][0]:
            drawn.setdefault(product, []).append((kernel, {shown: tuple(
                time / best if time and best else None for time, best in zip(pairs[name], pairs["best"]))
                for name, shown in (("advised", "advised"), ("row_major", "the best in raster order"))}))
    return plots(*[dots(f"What advise picks for {product}", "times as long as the best that was measured, less is better",
                         ["advised", "the best in raster order"], kernels, line=1)
                   for product, kernels in drawn.items()]) + folded("Every sweep", table(
        ["product and kernel", *[f"{name}, ms" for name in names], "what is advised", "what is best", "advised is slower by"], rows))


def show_path_tracer(now, then):
    charts, rows = [], []
    for scene in now_rows(now):
        modes = [mode for of, mode in now if of == scene]
        charts.append(bars(f"The path tracer: {scene}, {now.notes[scene]}", "ms, less is better",
                           [(mode, now[scene, mode], then.get((scene, mode))) for mode in modes], 560))
        none = min(now[scene, mode] for mode in ("each", "persistent") if mode in modes)
        rows += [[f"{scene}, {mode}", cell(now[scene, mode], then.get((scene, mode))),
                  number(now.notes[scene, mode] / now[scene, mode] / 1e3), number(none / now[scene, mode]) + "×"] for mode in modes]
    return plots(*charts) + table(["mode", "ms", "million rays/s", "over none"], rows)


BENCHMARKS = {
    "order": ("What an order costs", read_order, show_order,
              "For one tile, without the kernel around it. `index` is the loop without an order."),
    "schedule": ("What a scheduler costs", read_schedule, show_schedule,
                 "`by_hand` are loops without the library."),
    "gemm": ("A matrix product", read_gemm, show_gemm,
             "Bursts with rests between them, in alternation; portable is the kernel for any GPU since Ampere."),
    "gemm_study": ("Orders and schedules of a matrix product", read_gemm_study, show_gemm_study,
                   "What `advise` picks without a measurement, between the best of all that were measured and the best in "
                   "raster order."),
    "convolution": ("Full-screen passes", read_convolution, show_convolution,
                    "Raster is row_major by one_shot, in the tiles of the pass as everybody writes it."),
    "expand": ("Work expansion", read_expand, show_expand,
             "Up to `from_n` and `fixed<32>` they are heddle's, and then what else one would do: CUB's scan and a search, its "
               "decoder of runs, Thrust's idiom, and a thread a source. The floor is to store the items alone."),
    "reorder": ("Reordering threads", read_reorder, show_reorder,
                "Keys are drawn and equally likely; the best of three sizes of blocks counts on either side."),
    "path_tracer": ("A path tracer", read_path_tracer, show_path_tracer,
                    "Every mode renders the same picture. `none` is the quicker of each and persistent."),
    "launch_box": ("Launch boxes", read_launch_box, show_launch_box,
                   "A merge sort by its block size and its values a thread."),
}


def context_of(data):
    """What it was measured on, by the names that the page has for it."""
    if not isinstance(data, dict):
        return {}
    given = {**data, **data.get("context", {})}

    def version(of):
        return f"{of // 1000}.{of % 1000 // 10}" if isinstance(of, int) else of
    found = {"GPU": given.get("gpu"), "multiprocessors": given.get("multiprocessors"),
             "L2": f"{int(given['l2_bytes']) / 2**20:.0f} MiB" if "l2_bytes" in given else None,
             "clocks": "up to {clock_mhz} MHz, memory {memory_clock_mhz} MHz".format(**given) if "clock_mhz" in given else None,
             "driver": given.get("driver"), "toolkit": given.get("toolkit") or version(given.get("cuda_runtime")) or given.get("cuda"),
             "heddle": given.get("commit"), "date": given["date"][:10] if "date" in given else None}
    return {name: str(value) for name, value in found.items() if value}


class source:
    """All figures of a folder, by benchmark, and what is wrong with it."""

    def __init__(self, folder):
        self.found, self.files, self.errors, self.context = {}, {}, [], {}
        if not folder.is_dir():
            self.errors.append(f"{folder} is no folder")
        for path in sorted(folder.glob("*.json")):
            kind = max((name for name in BENCHMARKS if path.stem == name or path.stem.startswith(name + "_")), key=len, default=None)
            if kind is None:
                self.errors.append(f"{path.name}: no benchmark of this name; its first part is one of {', '.join(BENCHMARKS)}")
                continue
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
                read = BENCHMARKS[kind][1](data)
            except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
                why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                self.errors.append(f"{path.name}: not what the benchmark {kind} writes: {why}")
                continue
            if not read:
                self.errors.append(f"{path.name}: there are no figures in it")
                continue
            self.found.setdefault(kind, figures()).join(read)
            self.files.setdefault(kind, []).append(path.name)
            for name, value in context_of(data).items():
                if value not in self.context.setdefault(name, []):
                    self.context[name].append(value)


def ratios_of(now, then):
    return [then[key] / now[key] for key in now if now[key] > 0 and then.get(key, 0) > 0]


def compare(new, committed):
    """A line for each benchmark: how many times as fast as what is committed."""
    rows = []
    for kind in BENCHMARKS:
        ratios = ratios_of(new.found.get(kind, {}), committed.found.get(kind, {}))
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            rows.append((kind, ratios, mean, f"{mean:.3f}× over {len(ratios)}"))
    if not rows:
        return "<p>No figure is in both.</p>\n"
    return plots(strip("This run beside what is committed", "times as fast as committed, more is better;  bar: geometric mean", rows)) + \
        folded("In figures", table(["benchmark", "figures in both", "geometric mean", "least", "most"],
                                   [[kind, str(len(all_of_them)), f"{mean:.3f}×", f"{min(all_of_them):.3f}×", f"{max(all_of_them):.3f}×"]
                                    for kind, all_of_them, mean, _ in rows]))


def marked_up(what):
    """Names between back quotes are code."""
    parts = escape(what).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def page_of(new, committed):
    names = list(dict.fromkeys([*new.context, *committed.context]))
    facts = table(["", "this run", "committed"], [[name, *[escape(" / ".join(of.context.get(name, ["–"]))) for of in (new, committed)]]
                                                  for name in names])
    notes = [*[f"Left out: {error}" for error in new.errors], *[f"Left out of what is committed: {error}" for error in committed.errors]]
    for of, what in ((new, "No figures of {} in this run."), (committed, "No committed figures of {}.")):
        missing = [kind for kind in BENCHMARKS if kind not in of.found]
        if missing:
            notes.append(what.format(", ".join(missing)))
    notes = "".join(f"<li>{escape(note)}</li>" for note in notes)
    sections = []
    for kind, (title, _, show, text) in BENCHMARKS.items():
        if kind in new.found:
            files = ", ".join(new.files[kind])
            beside = f", beside {', '.join(committed.files[kind])}" if kind in committed.files else ", with nothing committed"
            sections.append(f'<section id="{kind}"><h2>{escape(title)}</h2>\n<p>{marked_up(text)} <span>{escape(files + beside)}.</span></p>\n'
                            + show(new.found[kind], committed.found.get(kind, figures())) + "</section>\n")
    links = " ".join(f'<a href="#{kind}">{escape(BENCHMARKS[kind][0])}</a>' for kind in BENCHMARKS if kind in new.found)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"/><meta name="color-scheme" content="light dark"/><title>heddle: results</title>\n<style>{STYLE}{style}</style>'
            f"</head><body><main><h1>heddle: results</h1>\n{facts}<nav>{links}</nav>\n{f'<ul>{notes}</ul>' if notes else ''}"
            f"<section><h2>Against the figures of record</h2>\n<p>Below each figure stand the committed one and how many times as fast "
            f"this run is. ▲ and ▼ mark more than 5 %.</p>\n{compare(new, committed)}</section>\n{''.join(sections)}</main></body></html>\n")


STYLE = """:root{color-scheme:light dark;
--ink:#1c2128;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--paper:#fff;--good:#1a7f37;--bad:#c62f3e}
@media(prefers-color-scheme:dark){:root{
--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#12171e;--paper:#0d1117;--good:#4ac26b;--bad:#ff7b83}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:2rem 1.5rem 4rem}
h1{margin:0 0 1rem;font-size:2.2rem;letter-spacing:-.02em}
h2{margin:2.6rem 0 .3rem;font-size:1.4rem}
h2+p{margin:0 0 1rem;color:var(--soft);max-width:80ch}
h2+p span{white-space:nowrap}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:1rem 0}
a{color:inherit}
ul{padding:.7rem 1rem .7rem 2rem;border:1px solid var(--line);border-radius:8px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .9rem .3rem 0;text-align:right;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
thead th{color:var(--soft);border-bottom-width:2px}
th:first-child{text-align:left;padding-right:1.4rem}
.words{text-align:left}
small{display:block;color:var(--soft);font-size:12px}
small b{font-weight:400}.better{color:var(--good)}.worse{color:var(--bad)}
.plots{display:flex;flex-wrap:wrap;gap:1rem;margin:0 0 1rem;align-items:flex-start}
figure{margin:0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:10px;max-width:100%;box-sizing:border-box}
summary{cursor:pointer;margin:.4rem 0}
code{font:14px ui-monospace,monospace}
"""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--committed", type=Path, default=Path(__file__).resolve().parent / "results")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    out = chosen.out or chosen.figures / "results.html"

    new, committed = source(chosen.figures), source(chosen.committed)
    for error in new.errors + committed.errors:
        print(f"plot.py: {error}", file=sys.stderr)
    if not new.found:
        sys.exit(f"plot.py: {chosen.figures} has no figures; `cmake --workflow --preset bench` makes some")
    try:
        out.write_text(page_of(new, committed), encoding="utf-8")
    except OSError as error:
        sys.exit(f"plot.py: {error}")
    print(f"Page: {out}")
    return 1 if new.errors or committed.errors else 0


if __name__ == "__main__":
    sys.exit(main())
