"""The charts of the results page. Bars, dots and strips are HTML, so that their text keeps its size in a narrow window;
lines are SVG. Colours are classes of the style sheet (`style`).

New figures are filled; committed ones are thin ticks of the same colour, or dashed lines. Each chart has its title, its
units and its legend.
"""

import math
from html import escape

record = "committed"  # what legends call the figures of record; plot.py names their GPU if it is another one

style = """
.chart{container-type:inline-size}
.chart h3{margin:0;font-size:1rem;line-height:1.4}
.unit{margin:0 0 .4rem;color:var(--soft);font-size:.85rem;line-height:1.35;max-width:none}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.2rem 0 .4rem;font-size:.85rem}
.key span{display:inline-flex;align-items:center;gap:.4rem}
.key .dot,.key .tick{position:static;transform:none}
.row{display:grid;grid-template-columns:minmax(7rem,36%) 1fr;gap:0 .8rem;align-items:center;padding:.13rem 0;
font-size:.88rem;line-height:1.25}
.row>:first-child{text-align:right;overflow-wrap:anywhere}
@container (max-width:25rem){.row{grid-template-columns:1fr;padding-block:.22rem}.row>:first-child{text-align:left}}
@container (max-width:38rem){.wordy.row{grid-template-columns:1fr;padding-block:.22rem}
.wordy.row>:first-child{text-align:left}.wordy small{display:inline;margin-left:.6em}}
.track{position:relative;height:1.15rem;margin:0 .6rem}
.track.wide{margin:0 4.2rem 0 0}
.track b{position:absolute;top:0;padding-left:.5rem;font-weight:400;white-space:nowrap;font-variant-numeric:tabular-nums}
.track u{position:absolute;inset-block:-.2rem;border-left:1px solid var(--line)}
.track u.one{border-left:1px dashed var(--soft)}
.bar{position:absolute;left:0;inset-block:.16rem;background:var(--c)}
.tick{position:absolute;inset-block:.02rem;display:inline-block;width:2px;height:1.1rem;background:var(--c);
transform:translateX(-50%)}
.ink{--c:var(--ink)}
.axis{height:1.1rem;color:var(--soft);font-size:.8rem;font-variant-numeric:tabular-nums}
.axis span{position:absolute;transform:translateX(-50%)}
.dot{position:absolute;top:50%;display:inline-block;width:.64rem;height:.64rem;background:var(--c);
transform:translate(-50%,-50%);flex:none}
.m0{border-radius:50%}
.m2{clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%);width:.8rem;height:.8rem}
.m3{clip-path:polygon(50% 0,100% 100%,0 100%);width:.75rem}
.m4{clip-path:polygon(50% 100%,100% 0,0 0);width:.75rem}
.m5{clip-path:polygon(20% 0,50% 30%,80% 0,100% 20%,70% 50%,100% 80%,80% 100%,50% 70%,20% 100%,0 80%,30% 50%,0 20%)}
.many{opacity:.5}
svg{display:block;width:100%;height:auto;font:12.5px system-ui,sans-serif}
svg text{fill:var(--soft)}
svg .grid{stroke:var(--line);fill:none}
svg .one{stroke:var(--soft);stroke-dasharray:5 4;fill:none}
svg .now{fill:var(--c);stroke:var(--c)}
svg .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
svg .old{stroke-width:1.4;stroke-dasharray:3 4}
.c0{--c:#2f7ed8}.c1{--c:#d9731a}.c2{--c:#1f9d6b}.c3{--c:#a35bd6}.c4{--c:#7d8792}.c5{--c:#d64f6b}
"""


def number(value):
    """A number with about four digits."""
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{1 if size >= 100 else 2 if size >= 10 else 3}f}" if size >= 1 else f"{value:#.3g}"


def short(tick):
    """A round value on an axis: 20k for 20000."""
    return f"{tick / 1000:.5g}k" if tick >= 1000 else f"{tick:.7g}"


class scale:
    """From values to pixels, or to per cent of a width."""

    def __init__(self, low, high, begin, end, log=False):
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - 1, high + 1)
        self.low, self.high, self.begin, self.end, self.log = low, high, begin, end, log

    def __call__(self, value):
        value = min(max(value, self.low), self.high)
        place = (lambda x: math.log(x)) if self.log else (lambda x: x)
        part = (place(value) - place(self.low)) / (place(self.high) - place(self.low))
        return round(self.begin + part * (self.end - self.begin), 1)

    def ticks(self, most=7):
        """At most `most` round values, as many as possible."""
        slack = 1e-9 * self.high
        if self.log and self.high / self.low > 2:
            for steps in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
                found = [step * 10.0**power for power in range(-9, 12) for step in steps
                         if self.low - slack <= step * 10.0**power <= self.high + slack]
                if len(found) <= most:
                    return found
            return found[::len(found) // most + 1]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 4))
        step *= next(of for of in (1, 2, 5, 10) if (self.high - self.low) / (of * step) <= most)
        first = math.ceil(self.low / step - 1e-9)
        return [tick for tick in (round((first + i) * step, 9) for i in range(20)) if tick <= self.high + slack]


def figure(title, unit, inner, key=""):
    return (f'<figure class="chart"><h3>{escape(title)}</h3><p class="unit">{escape(unit)}</p>\n{key}{inner}</figure>\n')


def legend(names, old=""):
    """The names of the series, and the mark of committed figures."""
    parts = [f'<span><i class="dot m{i % 6} c{i % 6}"></i>{escape(name)}</span>' for i, name in enumerate(names)]
    if old:
        parts.append(f'<span><i class="tick ink"></i>{escape(old)}</span>')
    return f'<p class="key">{"".join(parts)}</p>\n' if parts else ""


def rows_over(across, rows, line=None, wide=False, wordy=False):
    """Rows over one axis with grid lines. A row is the markup of its name, and that of the marks on its track."""
    ticks = across.ticks(6)
    grid = "".join(f'<u style="left:{across(tick)}%"></u>' for tick in ticks)
    grid += f'<u class="one" style="left:{across(line)}%"></u>' if line else ""
    track, row = "track wide" if wide else "track", "wordy row" if wordy else "row"
    parts = [f'<div class="{row}"><span>{name}</span><span class="{track}">{grid}{marks}</span></div>\n'
             for name, marks in rows]
    labels, last = "", -100
    for tick in ticks:  # names keep clear of each other, in the narrowest window too
        name = short(tick)
        if across(tick) - last >= 4 + 2.2 * len(name):
            labels += f'<span style="left:{across(tick)}%">{name}</span>'
            last = across(tick)
    return "".join(parts) + f'<div class="{row}"><span></span><span class="{track} axis">{labels}</span></div>\n'


def bars(title, unit, rows):
    """A bar for each of `rows`: name, value, and the committed value or None."""
    across = scale(0, max(max(value, then or 0) for _, value, then in rows), 0, 100)
    drawn = []
    for name, value, then in rows:
        end = max(across(value), 0 if then is None else across(then))
        marks = f'<i class="bar c0" style="width:{across(value)}%"></i>'
        if then is not None:
            marks += f'<i class="tick ink" style="left:{across(then)}%"></i>'
        drawn.append((escape(name), marks + f'<b style="left:{end}%">{number(value)}</b>'))
    key = legend([], record) if any(row[2] is not None for row in rows) else ""
    return figure(title, unit, rows_over(across, drawn, wide=True), key)


def dots(title, unit, names, rows, log=False, line=None):
    """A line of dots for each of `rows`: name, and by name of the series a pair of value and committed value."""
    values = [v for _, of in rows for pair in of.values() for v in pair if v is not None] + ([line] if line else [])
    low, high = min(values), max(values)
    low, high = (low / 1.08, high * 1.08) if log else (low - (high - low) * 0.04, high + (high - low) * 0.04)
    across = scale(low, high, 0, 100, log)
    drawn = []
    for name, of in rows:
        old = [f'<i class="tick c{names.index(series) % 6}" style="left:{across(pair[1])}%"></i>'
               for series, pair in of.items() if pair[1] is not None]
        new = [f'<i class="dot m{names.index(series) % 6} c{names.index(series) % 6}" style="left:{across(pair[0])}%"></i>'
               for series, pair in of.items() if pair[0] is not None]
        drawn.append((escape(name), "".join(old + new)))
    has_old = any(pair[1] is not None for _, of in rows for pair in of.values())
    return figure(title, unit, rows_over(across, drawn, line), legend(names, record if has_old else ""))


def strip(title, unit, rows):
    """Many dots for each of `rows`: name, values, a remark, their mean, and the committed mean or None."""
    values = [value for row in rows for value in row[1]]
    low, high = max(1 / 32, min(0.9, min(values))), min(32, max(1.1, max(values)))
    across = scale(low / 1.04, high * 1.04, 0, 100, True)
    drawn = []
    for name, all_of_them, says, mean, then in rows:
        kind = "many " if len(all_of_them) > 1 else ""
        marks = "".join(f'<i class="dot m0 {kind}c{2 if value > 1.01 else 1 if value < 0.99 else 4}" style="left:{across(value)}%"></i>'
                        for value in all_of_them)
        marks += f'<i class="tick c3" style="left:{across(then)}%"></i>' if then else ""
        marks += f'<i class="tick ink" style="left:{across(mean)}%"></i>' if len(all_of_them) > 1 else ""
        drawn.append((f"{escape(name)}<small>{escape(says)}</small>", marks))
    return figure(title, unit, rows_over(across, drawn, 1, wordy=True))


def text(x, y, what, anchor="start"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(what)}</text>'


def mark(series, x, y):
    """Each series has its own shape and colour."""
    r = 4.5
    shapes = (f'<circle cx="{x}" cy="{y}" r="{r}"/>',
              f'<path d="M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}z"/>',
              f'<path d="M{x} {y - r - 1.5}l{r + 1.5} {r + 1.5}l{-r - 1.5} {r + 1.5}l{-r - 1.5} {-r - 1.5}z"/>',
              f'<path d="M{x} {y - r - 1}l{r + 1} {2 * r}h{-2 * r - 2}z"/>',
              f'<path d="M{x} {y + r + 1}l{r + 1} {-2 * r}h{-2 * r - 2}z"/>',
              f'<path stroke-width="3" d="M{x - r} {y - r}l{2 * r} {2 * r}m0 {-2 * r}l{-2 * r} {2 * r}"/>')
    return f'<g class="now c{series % 6}">{shapes[series % 6]}</g>'


def lines(title, x_name, y_name, series, log=True, line=None):
    """A line for each of `series`: name, points and the committed points, from left to right."""
    everything = [point for _, now, then in series for point in now + then]
    if not everything:
        return ""
    xs, ys = [x for x, _ in everything], [y for _, y in everything] + ([line] if line else [])
    width, left, right, top, bottom, height = 400, 44, 378, 10, 240, 282
    spread = (max(ys) - min(ys)) * 0.06
    across = scale(min(xs), max(xs), left, right, log)
    down = (scale(min(ys) / 1.06, max(ys) * 1.06, bottom, top, True) if log
            else scale(min(ys) - spread, max(ys) + spread, bottom, top))
    at_x = sorted(set(xs))
    x_ticks = at_x if len(at_x) <= 9 else across.ticks()
    parts = [f'<path class="grid" d="M{across(tick)} {top}V{bottom}"/>' for tick in x_ticks]
    last = -100
    for tick in x_ticks:  # names keep clear of each other
        name = short(tick)
        if across(tick) - last >= 4 + 7 * len(name):
            parts.append(text(across(tick), bottom + 17, name, "middle"))
            last = across(tick)
    parts += [f'<path class="grid" d="M{left} {down(tick)}H{right}"/>'
              + text(left - 6, round(down(tick) + 4, 1), short(tick), "end") for tick in down.ticks()]
    if line:
        parts.append(f'<path class="one" d="M{left} {down(line)}H{right}"/>')
    for i, (_, now, then) in enumerate(series):
        for points, kind in ((then, "line old"), (now, "line")):
            if points:
                path = " ".join(f"{across(x)} {down(y)}" for x, y in points)
                parts.append(f'<path class="{kind} c{i % 6}" d="M{path}"/>')
        parts += [mark(i, across(x), down(y)) for x, y in now]
    parts.append(text((left + right) / 2, height - 6, x_name, "middle"))
    has_old = any(then for _, _, then in series)
    picture = (f'<svg viewBox="0 0 {width} {height}" role="img"><title>{escape(title)}</title>{"".join(parts)}</svg>\n')
    return figure(title, y_name + (f";  dashed: {record}" if has_old else ""), picture,
                  legend([name for name, _, _ in series]))
