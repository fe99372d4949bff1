"""The sections of the results page, one for each benchmark: plots first, then tables. Long tables are folded."""

from html import escape

from page.charts import bars, dots, lines, number


def cell(now, then, show=lambda time: time):
    """A time, and below it the committed one and how many times as fast this is. `show` turns times into rates."""
    if now is None:
        return "" if then is None else f"–<small>{number(show(then))}</small>"
    if then is None:
        return number(show(now))
    ratio = then / now
    kind, sign = ("better", "▲ ") if ratio >= 1.05 else ("worse", "▼ ") if ratio <= 1 / 1.05 else ("", "")
    return f'{number(show(now))}<small>{number(show(then))}, <b class="{kind}">{sign}{ratio:.2f}×</b></small>'


def times(ratio):
    return number(ratio) + "×" if ratio else ""


def table(headers, rows):
    """The cells of `rows` are markup, except the first of each. A column of words is flush left."""
    words = [any(row[i][:1].isalpha() or "_" in row[i] for row in rows) for i in range(len(headers))]
    kinds = [' class="words"' if each else "" for each in words]
    head = "".join(f'<th scope="col"{kind}>{escape(header)}</th>' for kind, header in zip(kinds, headers))
    body = ""
    for name, *cells in rows:
        columns = "".join(f"<td{kind}>{each}</td>" for kind, each in zip(kinds[1:], cells))
        body += f'<tr><th scope="row">{escape(name)}</th>{columns}</tr>\n'
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n'


def folded(title, markup):
    return f"<details><summary>{escape(title)}</summary>{markup}</details>\n"


def plots(*pictures):
    return '<div class="plots">' + "".join(each for each in pictures if each) + "</div>\n"


def firsts(keys, length=1):
    """The first parts of keys, each once, in their order."""
    return list(dict.fromkeys(key[:length] if length > 1 else key[0] for key in keys))


def show_order(now, then):
    names = list(dict.fromkeys(name for _, name in now))
    names.sort(key=lambda name: now.get(("throughput", name), 0))
    charts = []
    for measure, unit in (("throughput", "ps per tile if the whole chip maps tiles, less is better"),
                          ("latency", "cycles until a thread has its tile, less is better")):
        rows = [(name, now[measure, name], then.get((measure, name))) for name in names if (measure, name) in now]
        if rows:
            charts.append(bars(f"What an order costs: {measure}", unit, sorted(rows, key=lambda row: row[1])))
    rows = []
    for name in names:
        cells = [cell(now.get((measure, name)), then.get((measure, name)))
                 for measure in ("throughput", "latency", "host")]
        rows.append([name, *cells, f"{now.notes[name]:g}" if name in now.notes else ""])
    return plots(*charts) + table(["order", "throughput, ps", "latency, cycles", "host, ns", "registers"], rows)


def show_schedule(now, then):
    forms = {"full": "ns per tile: as many blocks as the GPU holds",
             "single": "ns per tile: one block per multiprocessor",
             "roles": "ns per tile: one warp leads, another follows",
             "uneven": "µs: one tile in 64 takes 30 times as long",
             "beside": "µs: another kernel holds a sixth of the chip"}
    charts = []
    for form, unit in forms.items():
        rows = [(name, time, then.get((form, name))) for (of, name), time in now.items() if of == form]
        if rows:
            rows.sort(key=lambda row: row[1])
            charts.append(bars(f"What a scheduler costs: {form}", unit + ", less is better", rows))
    rows = []
    for name in sorted({name for _, name in now}):
        rows.append([name, *[cell(now.get((form, name)), then.get((form, name))) for form in forms]])
    return plots(*charts) + table(["scheduler", *[f"{form}, {unit[:2]}" for form, unit in forms.items()]], rows)


def show_spaces(now, then):
    forms = {"tiles": "ns per tile: as many blocks as the GPU holds",
             "single": "ns per tile: one block per multiprocessor",
             "blocks": "ns per tile: one block per tile"}
    of_tiles = [key for key in now if len(key) == 2]
    charts = []
    for form, unit in forms.items():
        rows = [(name, now[of, name], then.get((of, name))) for of, name in of_tiles if of == form]
        if rows:
            rows.sort(key=lambda row: row[1])
            charts.append(bars(f"What a space costs: {form}", unit + ", less is better", rows))
    tiles = [[name, *[cell(now.get((form, name)), then.get((form, name))) for form in forms]]
             for name in dict.fromkeys(name for _, name in of_tiles)]

    def added(of, *key):
        alone, both = of.get(("alone", *key)), of.get(("with", *key))
        return both - alone if alone and both else None

    prepared = [key[1:] for key in now if key[0] == "with"]
    series = []
    for way in dict.fromkeys(way for _, way in prepared):
        points = [[(number, added(of, number, way)) for number, name in prepared if name == way] for of in (now, then)]
        series.append((way, *[[point for point in some if (point[1] or 0) > 0] for some in points]))
    charts.append(lines("What a preparation adds to a replay", "groups", "µs, less is better", series))
    rows = []
    for key in prepared:
        more = added(now, *key)
        rows.append([f"{key[0]} groups, {key[1]}", f"{more:.2f}" if more is not None else "",
                     *[cell(*[of.get((what, *key)) for of in (now, then)]) for what in ("alone", "with")]])
    headers = ["preparation", "added, µs", "replay without it, µs", "replay with it, µs"]
    return (plots(*charts) + (table(["order", *[f"{form}, ns" for form in forms]], tiles) if tiles else "")
            + (folded("Every preparation", table(headers, rows)) if rows else ""))


def show_launch_box(now, then):
    fixed, library = "256x7", "cub::DeviceMergeSort"
    charts, rows, every = [], [], []

    def points(of, key, threads):
        """Values per thread and time, of boxes without a least number of blocks."""
        found = [(*of.notes[at], time) for at, time in of.items() if at[0] == key]
        return sorted((values, time) for of_box, values, blocks, time in found if (of_box, blocks) == (threads, 0))

    for key in firsts(now):
        boxes = {name: time for (of, name), time in now.items() if of == key}
        series = [(f"{threads} threads", points(now, key, threads), points(then, key, threads))
                  for threads in (128, 256, 512)]
        charts.append(lines(f"A merge sort of {key} by its launch box", "values per thread",
                            f"ms, less is better;  the line across: {library}", series, False, boxes.get(library)))
        best = min((name for name in boxes if name != library), key=boxes.get)
        cells = [cell(boxes.get(name), then.get((key, name))) for name in (best, fixed, library)]
        rows.append([f"{key}, best: {best}", *cells,
                     *[times(boxes[name] / boxes[best] if name in boxes else None) for name in (fixed, library)]])
        for name in sorted(boxes, key=boxes.get):
            every.append([f"{key}, {name}", cell(boxes[name], then.get((key, name)))])
    headers = ["keys", "best, ms", "256x7, ms", "CUB, ms", "best over 256x7", "best over CUB"]
    return plots(*charts) + table(headers, rows) + folded("Every box", table(["box", "ms"], every))


def show_expand(now, then):
    contestants = list(dict.fromkeys(key[1] for key in now))
    consumers = list(dict.fromkeys(key[2] for key in now))
    some = ("packed_prefix", "scanned", "run_length", "upper_bound", "thrust", "loop")
    drawn = [name for name in some if name in contestants]
    rows = firsts(now)
    size = "2^22 x 16 "
    shown = [row for row in rows if row.startswith(size)] or rows[:10]
    done = {"store": "every item stored", "gather": "8 bytes read for every item, and stored", "null": "nothing stored"}
    charts, tables = [], []
    for consumer in consumers:
        pairs = [(row, {name: tuple(of.get((row, name, consumer, "warm")) for of in (now, then)) for name in drawn})
                 for row in shown]
        what = "2^22 sources, 16 items each in the mean" if shown[0].startswith(size) else "expansion"
        charts.append(dots(f"{what}: {done[consumer]}", "µs for both passes, launches back to back, less is better",
                           drawn, pairs, log=True))
        for which, when in (("warm", "launches back to back"), ("cold", "L2 filled with other data before each")):
            found = []
            for row in rows:
                _, items, floor = now.notes[row]
                cells = [cell(*[of.get((row, name, consumer, which)) for of in (now, then)]) for name in contestants]
                found.append([row, f"{items:,}", number(floor), *cells])
            headers = ["sources x mean n", "items", "floor, µs", *contestants]
            tables.append(folded(f"Every row, {done[consumer]}, µs, {when}", table(headers, found)))
    return plots(*charts) + "".join(tables)


REORDER_KEY = {"sweep": 0, "keys": 1, "together": 2, "turns": 3, "state": 6, "contestant": 8}


def show_reorder(now, then):
    def best(of, **where):
        """The best of all block sizes."""
        return min((time for key, time in of.items()
                    if all(key[REORDER_KEY[name]] == value for name, value in where.items())), default=None)

    def gain(of, contestant="reorder", **where):
        plain, other = (best(of, contestant=name, together=0, **where) for name in ("plain", contestant))
        return plain / other if plain and other else None

    def values(sweep, name):
        return sorted({key[REORDER_KEY[name]] for key in now if key[0] == sweep})

    def chart(sweep, by, name, x, factor, x_name):
        """A line for each value of `by`, over `x`."""
        def points(of, value):
            found = [(at * factor, gain(of, sweep=sweep, **{by: value, x: at})) for at in values(sweep, x)]
            return [point for point in found if point[1]]
        series = [(f"{value} {name}", points(now, value), points(then, value)) for value in values(sweep, by)]
        return lines(f"When reordering pays: {sweep}", x_name, "times as fast as without reordering, more is better", series,
                     True, 1)

    instructions_of_turn = 14
    charts = [chart("switch", "keys", "branches", "turns", instructions_of_turn, "instructions of a branch"),
              chart("state", "turns", "turns", "state", 1, "bytes of live state"),
              chart("data", "keys", "places", "turns", 1, "loads of a round")]
    ranks = [(key[8], time, then.get(key)) for key, time in now.items() if key[0] == "ranks"]
    if ranks:
        charts.append(bars("Ranks of 3 bits in blocks of 512", "µs, less is better", ranks))

    rows, every = [], []
    for keys in values("switch", "keys"):
        for turns in values("switch", "turns"):
            where = {"sweep": "switch", "keys": keys, "turns": turns}
            cells = [cell(*[best(of, contestant=name, together=0, **where) for of in (now, then)])
                     for name in ("plain", "reorder", "gate")]
            gains = [times(gain(now, name, **where)) for name in ("reorder", "gate")]
            rows.append([f"{keys} branches of {turns} turns", *cells, *gains])
    for key, time in now.items():
        sweep, keys, together, turns, longest, skew, state, threads, contestant = key
        name = f"{sweep}, {keys} keys{' together' if together else ''}, {turns} to {longest} turns, {skew:g} of one key"
        every.append([f"{name}, {state} bytes, {threads} threads, {contestant}", cell(time, then.get(key))])
    headers = ["switch", "plain, µs", "reordered, µs", "with the gate, µs", "gain", "gain with the gate"]
    return plots(*charts) + table(headers, rows) + folded("Every row", table(["row", "µs"], every))


def show_convolution(now, then):
    rows = firsts(now)

    def raster(row):
        """In the tiles in which the pass is usually written, which come first."""
        return next((name for of, name in [*now, *then] if of == row and name.endswith("row_major one_shot")), None)

    def gain(of, row):
        plain, advised = (of.get((row, name)) for name in (raster(row), of.notes.get(row)))
        return plain / advised if plain and advised else None

    levels = {}  # kind, size, step
    for row in rows:
        if row.startswith("atrous"):
            kind, size, step = row.rsplit(", ", 2)
            levels.setdefault(kind, {}).setdefault(size, []).append((int(step[len("step "):]), row))
    charts = []
    for kind, sizes in levels.items():
        series = []
        for size, steps in sizes.items():
            found = [[(step, gain(of, row)) for step, row in steps] for of in (now, then)]
            series.append((size, *[[point for point in points if point[1]] for points in found]))
        charts.append(lines(f"The advised composition: {kind}", "step between taps, pixels",
                            "times as fast as raster, more is better", series, True, 1))
    others = [row for row in rows if not row.startswith("atrous") and ", step" not in row and gain(now, row)]
    if others:
        pairs = [(row.replace(", radius 32", ""), {"advised": (gain(now, row), gain(then, row))}) for row in others]
        charts.append(dots("The other passes: the advised composition", "times as fast as raster, more is better",
                           ["advised"], pairs, line=1))

    every = []
    for row in rows:
        of_row = {name: time for (of, name), time in now.items() if of == row}
        best, plain, advised = min(of_row, key=of_row.get), raster(row), now.notes.get(row)
        # The committed version may have advised another composition: each has the time of its own advice.
        every.append([row, cell(of_row.get(plain), then.get((row, plain))),
                      cell(of_row.get(advised), then.get((row, then.notes.get(row)))), escape(advised or ""),
                      cell(of_row[best], then.get((row, best))), escape(best), times(gain(now, row))])
    headers = ["pass", "raster, ms", "advised, ms", "what is advised", "best, ms", "what is best",
               "advised over raster"]
    return plots(*charts) + folded("Every pass: raster, the advised composition, and the best", table(headers, every))


def show_gemm(now, then):
    rows, drawn = [], []
    for shape, way in firsts([*now, *then], 2):
        name = " × ".join(map(str, shape)) + (", sustained" if way == "sustained" else "")

        def rate(time, of=shape):
            return 2e-9 * of[0] * of[1] * of[2] / time

        def over(contender, at=(shape, way)):
            """How many times as fast as cuBLAS, in this run and committed."""
            pairs = [(of.get((*at, "cublas")), of.get((*at, contender))) for of in (now, then)]
            return tuple(plain / other if plain and other else None for plain, other in pairs)

        cells = [cell(now.get((shape, way, of)), then.get((shape, way, of)), rate)
                 for of in ("cublas", "cublaslt", "heddle", "portable")]
        rows.append([name, *cells, times(over("heddle")[0]), escape(now.notes.get((shape, "heddle"), ""))])
        if over("heddle")[0]:
            drawn.append((name, {"heddle": over("heddle"), "cublasLt's best of 32": over("cublaslt")}))
    chart = dots("A matrix product in bf16, over cuBLAS", "times as fast as cuBLAS, more is better",
                 ["heddle", "cublasLt's best of 32"], drawn, line=1) if drawn else ""
    headers = ["m × n × k", "cuBLAS, TFLOP/s", "cublasLt's best, TFLOP/s", "heddle, TFLOP/s", "portable, TFLOP/s",
               "over cuBLAS", "heddle's plan"]
    return plots(chart) + table(headers, rows)


def show_gemm_few(now, then):
    rows, drawn = [], []
    for shape in dict.fromkeys(key[0] for key in [*now, *then]):

        def both(contender, at=shape):
            return now.get((at, "burst", contender)), then.get((at, "burst", contender))

        def over_best(of, at=shape):
            libraries = [of[at, "burst", name] for name in ("cublas", "cublaslt") if (at, "burst", name) in of]
            time = of.get((at, "burst", "heddle"))
            return min(libraries) / time if libraries and time else None

        name = " × ".join(map(str, shape))
        floor = now.notes.get((shape, "heddle", "floor_share"))
        rows.append([name, *[cell(*(time and 1e3 * time for time in both(of))) for of in ("cublas", "cublaslt", "heddle")],
                     times(over_best(now)), f"{100 * floor:.0f} %" if floor else "",
                     escape(now.notes.get((shape, "heddle"), ""))])
        if over_best(now):
            drawn.append((name, {"heddle": (over_best(now), over_best(then))}))
    chart = dots("Products with little work, over the better of cuBLAS and cublasLt",
                 "times as fast, more is better", ["heddle"], drawn, line=1) if drawn else ""
    headers = ["m × n × k", "cuBLAS, µs", "cublasLt's best, µs", "heddle, µs", "over_best", "the floor's share of heddle's time",
               "heddle's plan"]
    return plots(chart) + table(headers, rows)


def show_gemm_beside(now, then):
    names = {"cublas": "cuBLAS", "heddle": "the plan", "sharing": "the plan, sharing"}
    charts, rows = [], []
    for shape in dict.fromkeys(key[0] for key in now):
        product = " × ".join(map(str, shape))

        def points(of, contender, at=shape):
            return sorted((key[2], time) for key, time in of.items()
                          if key[0] == at and key[1] == "held" and key[3] == contender)

        def law(of, at=shape):
            return sorted((key[2], of.notes[key][0]) for key in of
                          if key[0] == at and key[1] == "held" and key[3] == "heddle")

        series = [(says, points(now, name), points(then, name)) for name, says in names.items()]
        charts.append(lines(f"{product} beside a kernel that holds multiprocessors", "multiprocessors held",
                            "ms, less is better", [*series, ("the law", law(now), law(then))], log=False))
        for situation, held in dict.fromkeys(key[1:3] for key in now if key[0] == shape):
            at = shape, situation, held
            of_law, resident = now.notes.get((*at, "heddle"), (None, ""))
            over = [times(now[(*at, name)] / now.notes[(*at, name)][0]) if (*at, name) in now else "" for name in names]
            rows.append([f"{product}, {held} held" + ("" if situation == "held" else f", {situation}"), str(resident),
                         number(of_law) if of_law else "", *[cell(now.get((*at, name)), then.get((*at, name))) for name in names],
                         *over])
    headers = ["product", "resident workers", "the law, ms", *[f"{says}, ms" for says in names.values()],
               *[f"{says}, over the law" for says in names.values()]]
    return plots(*charts) + table(headers, rows)


def show_choose(now, then):
    def over(shape, name):
        """The speed of a plan over the best of all, in this run and committed."""
        pairs = [(of.get((shape, "best")), of.get((shape, name))) for of in (now, then)]
        return tuple(best / time if best and time else None for best, time in pairs)

    shapes = [shape for shape in firsts([*now, *then]) if (shape, "best") in now]
    series = {"plan": "the plan", "tuned": "tuned"}
    worst = sorted(shapes, key=lambda shape: over(shape, "plan")[0])[:16]
    drawn = [(" × ".join(map(str, shape)), {says: over(shape, name) for name, says in series.items()}) for shape in worst]
    chart = dots("Where the plan is furthest behind the best", "speed over the best of all, more is better",
                 list(series.values()), drawn, line=1) if drawn else ""
    rows = [[" × ".join(map(str, shape)),
             *[cell(now.get((shape, name)), then.get((shape, name))) for name in ("best", "plan", "tuned")],
             times(over(shape, "plan")[0]), times(over(shape, "tuned")[0]),
             "yes" if now.notes[shape, "tuned"] == now.notes[shape, "tuned_again"] else "no",
             *[escape(now.notes[shape, name]) for name in ("plan", "best")]] for shape in shapes]
    headers = ["m × n × k", "best, ms", "plan, ms", "tuned, ms", "plan over best", "tuned over best", "two tunings agree",
               "the plan", "the best"]
    return plots(chart) + folded("Every product", table(headers, rows))


def show_gemm_study(now, then):
    drawn, rows = {}, []
    series = {"advised": "advised", "row_major": "the best in raster order"}
    for shape, kernel in firsts([*now, *then], 2):
        product = " × ".join(map(str, shape))
        pairs = {name: (now.get((shape, kernel, name)), then.get((shape, kernel, name)))
                 for name in ("best", "advised", "row_major")}
        over = {shown: tuple(time / best if time and best else None for time, best in zip(pairs[name], pairs["best"]))
                for name, shown in series.items()}
        slower = over["advised"][0]
        rows.append([f"{product}, {kernel}", *[cell(*pair) for pair in pairs.values()],
                     *[escape(now.notes.get((shape, kernel, name), "")) for name in ("advised", "best")],
                     f"{100 * (slower - 1):.1f} %" if slower else ""])
        if slower:
            drawn.setdefault(product, []).append((kernel, over))
    charts = [dots(f"What advise picks for {product}", "time over the best that was measured, less is better",
                   list(series.values()), kernels, line=1) for product, kernels in drawn.items()]
    headers = ["product and kernel", "best, ms", "advised, ms", "row_major, ms", "what is advised", "what is best",
               "advised is slower by"]
    return plots(*charts) + folded("Every sweep", table(headers, rows))


def show_grouped(now, then):
    def name_of(shape):
        experts, n, k, rows, exponent = shape
        return f"{experts} × {n} × {k}, {rows} rows, " + (f"Zipf({exponent:g})" if exponent else "even")

    def both(shape, of):
        return now.get((shape, of)), then.get((shape, of))

    def over(shape, one, other):
        """How many times as fast `one` is, in this run and committed."""
        return tuple(plain / time if plain and time else None
                     for plain, time in zip(both(shape, other), both(shape, one)))

    shapes = [shape for shape in firsts([*now, *then]) if isinstance(shape, tuple)]
    drawn, rows, ablated = [], [], []
    columns = {"one dense product of as many rows": ("grouped", "dense"),
               "torch._grouped_mm": ("heddle, b by column", "torch, b by column")}
    for shape in shapes:

        def rate(time, of=shape):
            return 2e-9 * of[3] * of[1] * of[2] / time

        of_shape = {name: over(shape, *pair) for name, pair in columns.items() if any(over(shape, *pair))}
        if of_shape:
            drawn.append((name_of(shape), of_shape))
            cells = [cell(*both(shape, of), rate) for pair in columns.values() for of in pair]
            rows.append([name_of(shape), *cells, *[times(over(shape, *pair)[0]) for pair in columns.values()]])
        if (shape, "best") in now:
            cells = [cell(*both(shape, of)) for of in ("best", "advised", "plan", "plain")]
            words = [escape(now.notes[shape, of]) for of in ("best", "advised")]
            ablated.append([name_of(shape), *cells, times(over(shape, "advised", "best")[0]), *words])
    chart = dots("Products of groups", "times as fast, more is better", list(columns), drawn, line=1) if drawn else ""
    headers = ["experts × n × k", "grouped, TFLOP/s", "dense, TFLOP/s", "in PyTorch, TFLOP/s", "torch._grouped_mm, TFLOP/s",
               "over dense", "over torch"]
    others = []
    if ("by k", "grouped") in now:
        others.append([f"by k: {now.notes['by k']}, ms", cell(*both("by k", "grouped")), cell(*both("by k", "cublas"))])
    if ("empty replay", "grouped") in now:
        others.append(["a replay with 256 groups without rows, µs",
                       cell(*both("empty replay", "grouped"), lambda time: 1e3 * time), ""])
    return (plots(chart) + (table(headers, rows) if rows else "")
            + (table(["", "grouped", "a loop of cuBLAS"], others) if others else "")
            + (folded("Orders and schedules", table(["experts × n × k", "best, ms", "advised, ms", "the plan's, ms",
                                                     "best plain, ms", "advised over best", "what is best",
                                                     "what is advised"], ablated)) if ablated else ""))


def show_path_tracer(now, then):
    charts, rows = [], []
    for scene in firsts(now):
        of_scene = {mode: time for (of, mode), time in now.items() if of == scene}
        charts.append(bars(f"The path tracer: {scene}, {now.notes[scene]}", "ms, less is better",
                           [(mode, time, then.get((scene, mode))) for mode, time in of_scene.items()]))
        none = min((time for mode, time in of_scene.items() if mode in ("each", "persistent")), default=None)
        for mode, time in of_scene.items():
            rays = now.notes[scene, mode]
            rows.append([f"{scene}, {mode}", cell(time, then.get((scene, mode))), number(rays / time / 1e3),
                         times(none / time if none else None)])
    return plots(*charts) + table(["mode", "ms", "million rays/s", "over none"], rows)
