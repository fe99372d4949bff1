"""Reads the JSON that the benchmarks write, and the figures of record: the forms differ, the results are alike."""


class figures(dict):
    """Times by key; less is better in all of them. `notes` has further cells of the tables."""

    def __init__(self, values=(), notes=()):
        super().__init__(values)
        self.notes = dict(notes)

    def join(self, other):
        self.update(other)
        self.notes.update(other.notes)


def of_google_benchmark(data):
    """Name and row of each median, or of each run if there are no medians."""
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


def read_spaces(data):
    """Tiles by form and order; of preparations the times of a replay without and with them, by groups and sequence."""
    found = figures()
    for (form, name), row in of_google_benchmark(data):
        if form == "prepare":
            key = int(name), row["run_name"].split("/")[2]
            found.update({("alone", *key): row["alone_us"], ("with", *key): row["with_us"]})
        else:
            found[form, name] = row["ns_per_tile"]
    return found


def read_launch_box(data):
    found = figures()
    for study in data["studies"]:
        for box in [*study["boxes"], study["cub"]]:
            found[study["key"], box["name"]] = box["median_ms"]
            found.notes[study["key"], box["name"]] = (box["threads"], box["values"], box["min_blocks"])
    return found


def read_expand(data):
    """A row has for each use of the items the times of each contestant, [warm, cold]."""
    found = figures()
    for row in data["rows"]:
        for consumer in ("store", "gather", "null"):
            for contestant, times in row.get(consumer + "_us", {}).items():
                for which, time in zip(("warm", "cold"), times):
                    found[row["row"], contestant, consumer, which] = time
        found.notes[row["row"]] = (row["sources"], row["items"], row["floor_us"])
    return found


def read_reorder(data):
    names = ("sweep", "keys", "together", "turns", "longest", "skew", "state", "threads", "contestant")
    return figures({tuple(row[name] for name in names): row["us"] for row in data["rows"]})


def read_convolution(data):
    """The figures of record have a line per pass, the program writes a line per composition."""
    found = figures()
    for row in data["sweep"] if "sweep" in data else data["rows"]:
        if "ms" in row and isinstance(row["ms"], dict):
            found.update({(row["row"], name): value for name, value in row["ms"].items()})
            advised = row.get("advised", ())
        else:
            tile = "" if row["tile"] == "0x0" else row["tile"]
            name = " ".join(f"{tile} {row['order']} {row['schedule']}".replace(", axis x", "").split())
            found[row["row"], name] = row["ms"]
            advised = [name] if row.get("advised") else ()
        advised = advised or [name for of, name in found if of == row["row"] and "the advised of" in name]
        for name in advised:  # the last one has the tile that is advised
            found.notes[row["row"]] = name
    return found


def read_gemm(data):
    found = figures()
    for row in data["products"]:
        if row["contender"] == "kernel":
            continue  # written with --kernels
        shape = (row["m"], row["n"], row["k"])
        for way in ("burst", "sustained"):
            if way + "_ms" in row:
                found[shape, way, row["contender"]] = row[way + "_ms"]
        found.notes[shape, row["contender"]] = row["kernel"]
        if "floor_share" in row:
            found.notes[shape, row["contender"], "floor_share"] = row["floor_share"]
    return found


def read_gemm_beside(data):
    """By shape, situation, multiprocessors held and contender; of the law the notes have time and resident workers."""
    found = figures()
    for row in data["beside"]:
        key = (row["m"], row["n"], row["k"]), row["situation"], row["held"], row["contender"]
        found[key] = row["burst_ms"]
        found.notes[key] = (row["burst_ms"] / row["law_ratio"], row["resident"])
    return found


def read_choose(data):
    """By shape: the plan, the tuned plan, and the best of all; the notes say what they are."""
    found = figures()
    for row in data["products"]:
        for name in ("plan", "tuned", "tuned_again", "best"):
            key = (row["m"], row["n"], row["k"]), name
            found[key] = row[name + "_us"] * 1e-3
            found.notes[key] = row[name]
    return found


def read_gemm_study(data):
    """Raster, the advised and the best of each sweep. The program writes all rows, the figures of record also these."""
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


def read_grouped(data):
    """By shape: products of groups, one dense product, PyTorch's; and of an ablation the plan's, the advised and the best.

    A shape is experts, n, k, rows and the exponent of Zipf's law; of products by k there is one.
    """
    found = figures()
    if "empty_replay_us" in data.get("context", {}):
        found["empty replay", "grouped"] = data["context"]["empty_replay_us"] * 1e-3
    for row in data.get("products", ()):
        found[(*[row[name] for name in ("experts", "n", "k", "rows", "zipf")],), row["contender"]] = row["ms"]
    for row in data.get("products_by_k", ()):
        found["by k", row["contender"]] = row["ms"]
        found.notes["by k"] = "m {m}, n {n}, {groups} groups with {rows} rows".format(**row)
    for row in data.get("rows", ()):  # of examples/python/grouped_mm.py
        shape = (*[row[name] for name in ("experts", "n", "k", "tokens", "zipf")],)
        found.update({(shape, of + ", b by " + row["b"]): row[of + "_ms"] for of in ("heddle", "torch")})
    ablation = {}
    for row in data.get("ablation", ()):
        shape = (*[row[name] for name in ("experts", "n", "k", "rows", "zipf")],)
        ablation.setdefault(shape, []).append(row)
    for shape, rows in ablation.items():
        for name, some in (("plan", [row for row in rows if row["contender"] == "the plan's"]),
                           ("advised", [row for row in rows if row["contender"] == "advised"]),
                           ("plain", [row for row in rows if row["contender"] == "plain"]), ("best", rows)):
            row = min(some, key=lambda row: row["ms"])
            found[shape, name] = row["ms"]
            found.notes[shape, name] = f"{row['contender']}; {row['plan']}" if name == "best" else row["plan"]
    return found


def read_path_tracer(data):
    found = figures()
    for scene in data.get("scenes") or [data]:
        for row in scene["modes"]:
            found[scene["scene"], row["mode"]] = row["milliseconds"]
            found.notes[scene["scene"]] = "{width} x {height}, {passes} paths through each pixel".format(**scene)
            found.notes[scene["scene"], row["mode"]] = row["rays"]
    return found


CONTEXT = ("GPU", "multiprocessors", "L2", "clocks", "driver", "toolkit", "commit", "date")


def context_of(data):
    """The machine and the version that figures were measured on, by the names of CONTEXT."""
    if not isinstance(data, dict):
        return {}
    given = {**data, **data.get("context", {})}
    toolkit = given.get("toolkit") or given.get("cuda") or given.get("cuda_runtime")
    if isinstance(toolkit, int):
        toolkit = f"{toolkit // 1000}.{toolkit % 1000 // 10}"
    l2 = f"{int(given['l2_bytes']) / 2**20:.0f} MiB" if "l2_bytes" in given else ""
    clocks = "up to {clock_mhz} MHz, memory {memory_clock_mhz} MHz".format(**given) if "clock_mhz" in given else ""
    found = (given.get("gpu"), given.get("multiprocessors"), l2, clocks, given.get("driver"), toolkit,
             given.get("commit"), given.get("date", "")[:10])
    return {name: str(value) for name, value in zip(CONTEXT, found) if value}
