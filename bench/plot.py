#!/usr/bin/env python3
"""Makes a page of the benchmarks' figures: heddle over the best baseline of each, plots, tables, and a comparison with the
figures of record of the same GPU.

usage: plot.py FIGURES [--committed FOLDER] [--out FILE]

FIGURES is a folder of JSON files as `run_bench` writes them. A file's name begins with that of its benchmark (gemm.json,
gemm_headline.json). FOLDER, bench/results by default, has a folder of such files for each GPU, which its files name. FILE is
results.html in FIGURES. The page is one file that needs no network and no scripts.

Needs Python 3.9 or newer, and no packages.

Without figures of record of the same GPU the page shows those of another one, and says of which. It names figures that are
missing. A file that cannot be read is left out and named, and the exit status is 1.
"""

import argparse
import json
import sys
from html import escape
from pathlib import Path

sys.dont_write_bytecode = True  # no files in the source tree
from page import baselines, charts, figures, sections  # noqa: E402

# In the order of the page: title, functions that read and show the figures, and how they were measured.
BENCHMARKS = {
    "order": ("What an order costs", figures.read_order, sections.show_order,
              "Per tile, without a kernel around it. `index` is the loop without an order."),
    "schedule": ("What a scheduler costs", figures.read_schedule, sections.show_schedule,
                 "`by_hand` are loops without heddle."),
    "spaces": ("What a space costs", figures.read_spaces, sections.show_spaces,
               "Empty tiles by `ticket`, by the items of an expansion, and by a block per tile. A preparation finds the tiles of "
               "groups whose sizes only the device knows; the first pass of an expansion does so too."),
    "gemm": ("A matrix product", figures.read_gemm, sections.show_gemm,
             "Bursts with rests between them, contestants in turns; portable is the kernel for any GPU since Ampere."),
    "gemm_few": ("Matrix products with little work", figures.read_gemm, sections.show_gemm_few,
                 "Fewer tiles than multiprocessors, few rows or columns, or ragged edges; bursts with rests between them, "
                 "contestants in turns. The floor is the time to read the larger operand from DRAM; one that L2 keeps is read "
                 "faster."),
    "gemm_beside": ("A matrix product beside another kernel", figures.read_gemm_beside, sections.show_gemm_beside,
                    "The other kernel holds multiprocessors. The law is the time of the plan alone, times how many more waves the "
                    "workers make that are resident; a product that keeps to it loses only what is held. The other kernel is "
                    "there all the time, or `arrives` or `leaves` in the middle of the first of several products in a row."),
    "choose": ("The product's plan at random shapes", figures.read_choose, sections.show_choose,
               "The plan as it is, and tuned afresh with at most four candidates timed, beside the best of all kernels, schedules "
               "and orders; bursts with rests between them, contestants in turns."),
    "gemm_study": ("Orders and schedules of a matrix product", figures.read_gemm_study, sections.show_gemm_study,
                   "What `advise` picks without a measurement, the best of all that was measured, and the best in raster "
                   "order."),
    "grouped": ("Products of groups", figures.read_grouped, sections.show_grouped,
                "Preparation and products of groups of rows whose sizes only the device knows; bursts with rests between them, "
                "contestants in turns."),
    "convolution": ("Full-screen passes", figures.read_convolution, sections.show_convolution,
                    "Raster is row_major by one_shot, in the tiles in which the pass is usually written."),
    "expand": ("Work expansion", figures.read_expand, sections.show_expand,
               "heddle's strategies and the baselines: CUB's scan and a search (`upper_bound`), CUB's decoder of runs "
               "(`run_length`), Thrust's idiom, and a loop in the thread of each source (`loop`). The floor is the time to "
               "store the items alone."),
    "reorder": ("Reordering threads", figures.read_reorder, sections.show_reorder,
                "Keys are random and equally likely; the best of three block sizes counts on either side."),
    "path_tracer": ("A path tracer", figures.read_path_tracer, sections.show_path_tracer,
                    "Every mode renders the same picture. `none` is the faster of `each` and `persistent`."),
    "launch_box": ("Launch boxes", figures.read_launch_box, sections.show_launch_box,
                   "A merge sort by its threads per block and its values per thread."),
}


class source:
    """All figures of a folder, by benchmark, and its errors."""

    def __init__(self, folder):
        self.found, self.files, self.errors, self.context = {}, {}, [], {}
        self.says = "committed"
        if not folder.is_dir():
            self.errors.append(f"{folder} is no folder")
        for path in sorted(folder.glob("*.json")):
            names = [name for name in BENCHMARKS if path.stem == name or path.stem.startswith(name + "_")]
            if not names:
                self.errors.append(f"{path.name}: no benchmark of this name; there are {', '.join(BENCHMARKS)}")
                continue
            self.read(path, max(names, key=len))

    def gpus(self):
        """The names of the GPUs that the figures are of."""
        return sorted(self.context.get("GPU", ["an unknown GPU"]))

    def read(self, path, benchmark):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            found = BENCHMARKS[benchmark][1](data)
            context = figures.context_of(data)
        except (AttributeError, IndexError, KeyError, OSError, TypeError, ValueError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else error
            self.errors.append(f"{path.name}: not what the benchmark {benchmark} writes: {why}")
            return
        if not found:
            self.errors.append(f"{path.name}: there are no figures in it")
            return
        self.found.setdefault(benchmark, figures.figures()).join(found)
        self.files.setdefault(benchmark, []).append(path.name)
        for name, value in context.items():
            if value not in self.context.setdefault(name, []):
                self.context[name].append(value)


def record_for(new, folder):
    """The figures of record of the GPU that the new ones are of, or else of another one, which `says` names."""
    folders = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    records = [source(path) for path in folders]
    gpus = new.gpus()
    for record in records:
        if record.found and record.gpus() == gpus:
            return record
    others = [record for record in records if record.found]
    if not others:
        return source(folder)
    record = max(others, key=lambda each: len(each.found))
    record.says = "of " + " and ".join(record.gpus())
    return record


def facts(new, committed):
    """The machine and the version that both were measured on."""
    rows = [[name, *[escape(" / ".join(of.context.get(name, ["–"]))) for of in (new, committed)]]
            for name in figures.CONTEXT if name in new.context or name in committed.context]
    return f'<div class="facts">{sections.table(["", "this run", committed.says], rows)}</div>'


def notes(new, committed):
    """What is missing, and what was left out."""
    all_of_them = [f"Left out: {error}" for error in new.errors]
    all_of_them += [f"Left out of what is committed: {error}" for error in committed.errors]
    if committed.found and committed.says != "committed":
        all_of_them.append(f"There are no figures of record of {' and '.join(new.gpus())}. All figures of record here are "
                           f"{committed.says}, another GPU: ratios to them compare GPUs, not versions.")
    if len(new.gpus()) > 1:
        all_of_them.append("The figures of this run are of more than one GPU.")
    for of, what in ((new, "No figures of {} in this run."), (committed, "No committed figures of {}.")):
        missing = [benchmark for benchmark in BENCHMARKS if benchmark not in of.found]
        if missing:
            all_of_them.append(what.format(", ".join(missing)))
    return "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in all_of_them) + "</ul>\n" if all_of_them else ""


def overview(new, committed):
    """A picture for each benchmark: heddle beside the best baseline."""
    pictures = [baselines.picture(benchmark, BENCHMARKS[benchmark][0], new.found[benchmark],
                                  committed.found.get(benchmark, figures.figures()))
                for benchmark in BENCHMARKS if benchmark in new.found]
    return sections.plots(*pictures)


def comparison(new, committed):
    """A line for each benchmark: how many times as fast as the committed figures."""
    drawn, rows = [], []
    for benchmark in BENCHMARKS:
        now, then = (of.found.get(benchmark, {}) for of in (new, committed))
        ratios = [then[key] / time for key, time in now.items() if time > 0 and then.get(key, 0) > 0]
        if not ratios:
            continue
        mean = baselines.mean_of(ratios)
        drawn.append((benchmark, few_of(ratios), f"{mean:.3f}× in the mean of {len(ratios)}", mean, None))
        rows.append([benchmark, str(len(ratios)), *[f"{each:.3f}×" for each in (mean, min(ratios), max(ratios))]])
    if not rows:
        return "<p>No figure is in both.</p>\n"
    chart = charts.strip("This run over the figures of record",
                         f"times as fast as the figures {charts.record}, more is better;  tick: geometric mean", drawn)
    headers = ["benchmark", "figures in both", "geometric mean", "least", "most"]
    return sections.plots(chart) + sections.folded("In figures", sections.table(headers, rows))


def few_of(values, most=200):
    """At most `most` of them, evenly by rank, with the least and the most: dots enough for a picture."""
    values = sorted(values)
    last = len(values) - 1
    return values if last < most else [values[round(i * last / (most - 1))] for i in range(most)]


def section(benchmark, new, committed):
    title, _, show, text = BENCHMARKS[benchmark]
    words = escape(text).split("`")  # every other one is code
    text = "".join(f"<code>{word}</code>" if i % 2 else word for i, word in enumerate(words))
    files = ", ".join(new.files[benchmark])
    files += f"; of record: {', '.join(committed.files[benchmark]) if benchmark in committed.found else 'missing'}"
    shown = show(new.found[benchmark], committed.found.get(benchmark, figures.figures()))
    return (f'<section id="{benchmark}"><h2>{escape(title)}</h2>\n<p>{text} <span>Figures: {escape(files)}.</span></p>\n'
            f"{shown}</section>\n")


def page_of(new, committed):
    there = [benchmark for benchmark in BENCHMARKS if benchmark in new.found]
    links = '<a href="#baselines">Best baselines</a> <a href="#record">Figures of record</a> '
    links += " ".join(f'<a href="#{benchmark}">{escape(BENCHMARKS[benchmark][0])}</a>' for benchmark in there)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/>
<title>heddle: results</title>
<style>{STYLE}{charts.style}</style></head><body><main>
<h1>heddle: results</h1>
<nav>{links}</nav>
{facts(new, committed)}{notes(new, committed)}<section id="baselines"><h2>heddle over the best baseline</h2>
<p>A dot is a case: green if heddle is more than 1 % faster, orange if it is more than 1 % slower, grey between. The tick in the
colour of the text is the geometric mean of several cases, the violet one that of the figures of record.</p>
{overview(new, committed)}</section>
<section id="record"><h2>This run over the figures of record</h2>
<p>In the tables, the small figures below each figure are the one {escape(committed.says)} and how many times as fast this
run is. ▲ and ▼ mark more than 5 %.</p>
{comparison(new, committed)}</section>
{"".join(section(benchmark, new, committed) for benchmark in there)}</main></body></html>
"""


STYLE = """
:root{color-scheme:light dark;
--ink:#1c2128;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--paper:#fff;--good:#1a7f37;--bad:#c62f3e}
@media(prefers-color-scheme:dark){:root{
--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#12171e;--paper:#0d1117;--good:#4ac26b;--bad:#ff7b83}}
*{box-sizing:border-box}
html{scroll-padding-top:3.2rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{padding:1.6rem clamp(.9rem,2.5vw,3rem) 4rem}
h1{margin:0 0 .4rem;font-size:2.2rem;letter-spacing:-.02em}
h2{margin:2.6rem 0 .3rem;font-size:1.4rem;line-height:1.3}
h2+p{margin:0 0 1rem;color:var(--soft);max-width:90ch}
nav{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:0 0 1rem;padding:.5rem 0;background:var(--paper);
border-bottom:1px solid var(--line)}
nav a{text-decoration:none}
a{color:inherit}
a:hover{text-decoration:underline}
ul{padding:.7rem 1rem .7rem 2rem;border:1px solid var(--line);border-radius:8px;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:.3rem 1.1rem .3rem 0;text-align:right;vertical-align:top;font-weight:400;white-space:nowrap;
border-bottom:1px solid var(--line)}
thead th{color:var(--soft);border-bottom-width:2px}
th:first-child,.words{text-align:left}
th:first-child{padding-right:1.2rem;position:sticky;left:0;background:var(--paper);white-space:normal;min-width:6.5rem;
overflow-wrap:anywhere}
.facts td{white-space:normal}
.facts th:first-child{min-width:8.2rem}
small{display:block;color:var(--soft);font-size:12px}
small b{font-weight:400}
.better{color:var(--good)}
.worse{color:var(--bad)}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:1rem;margin:0 0 1rem;
align-items:start}
#baselines .plots{display:block;columns:27rem;column-gap:1rem}
#baselines figure{break-inside:avoid;margin-bottom:1rem}
figure{margin:0;padding:.9rem;background:var(--card);border:1px solid var(--line);border-radius:10px}
summary{cursor:pointer;margin:.4rem 0}
code{font:14px ui-monospace,monospace}
@media(min-width:70rem){nav{position:sticky;top:0;z-index:2}}
@media(max-width:70rem){html{scroll-padding-top:0}}
@media(max-width:40rem){figure{padding:.65rem}h1{font-size:1.9rem}table{font-size:13px}
th,td{padding-right:.7rem}}
"""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--committed", type=Path, default=Path(__file__).resolve().parent / "results")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    out = chosen.out or chosen.figures / "results.html"

    new = source(chosen.figures)
    committed = record_for(new, chosen.committed)
    charts.record = committed.says
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
