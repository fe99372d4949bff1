"""The charts of the results page, as SVG that stands in an HTML page: colours are classes of its style sheet (`style`).

Python's standard library is all that is needed. What is new is filled, and what is committed is hollow, dashed or a
tick, so that every chart compares the two. Each has its title, its units and its legend within the picture.
"""

import math
from html import escape

WIDTH = 700
CHARACTER = 7.4  # the width of one, at most, at 13 pixels

style = """
svg{display:block;max-width:100%;height:auto;font:13px system-ui,sans-serif}
svg text{fill:var(--ink)}
svg .soft{fill:var(--soft)}
svg .title{font-weight:600;font-size:14px}
svg .grid{stroke:var(--line);fill:none}
svg .one{stroke:var(--soft);stroke-dasharray:5 4;fill:none}
svg .tick{stroke:var(--ink);stroke-width:2;fill:none}
svg .now{fill:var(--c);stroke:var(--c)}
svg .then{fill:none;stroke:var(--c);stroke-width:1.6}
svg .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
svg .leader{stroke-width:1;stroke-opacity:.5}
svg .old{stroke-width:1.4;stroke-dasharray:3 4}
svg .name{fill:var(--c);font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:4px}
svg .many{fill:var(--c);fill-opacity:.3}
.c0{--c:#2f7ed8}.c1{--c:#d9731a}.c2{--c:#1f9d6b}.c3{--c:#a35bd6}.c4{--c:#7d8792}.c5{--c:#d64f6b}
"""


def number(value):
    """About four digits of it."""
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{1 if size >= 100 else 2 if size >= 10 else 3}f}" if size >= 1 else f"{value:#.3g}"


class scale:
    """From values to pixels."""

    def __init__(self, low, high, begin, end, log=False):
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - 1, high + 1)
        self.low, self.high, self.begin, self.end, self.log = low, high, begin, end, log

    def __call__(self, value):
        value = min(max(value, self.low), self.high)
        place = (lambda x: math.log(x)) if self.log else (lambda x: x)
        part = (place(value) - place(self.low)) / (place(self.high) - place(self.low))
        return round(self.begin + part * (self.end - self.begin), 1)

    def ticks(self):
        if self.log and self.high / self.low > 2:
            span = self.high / self.low
            steps = (1, 1.5, 2, 3, 5, 7) if span < 10 else (1, 2, 5) if span < 300 else (1,)
            all_of_them = [step * 10.0**power for power in range(-9, 12) for step in steps]
        else:
            step = 10 ** math.floor(math.log10((self.high - self.low) / 4))
            step *= next(of for of in (1, 2, 5, 10) if (self.high - self.low) / (of * step) <= 8)
            first = math.ceil(self.low / step - 1e-9)
            all_of_them = [round((first + i) * step, 9) for i in range(20)]
        slack = 1e-9 * self.high
        return [tick for tick in all_of_them if self.low - slack <= tick <= self.high + slack]


def text(x, y, what, kind="", anchor="start"):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(what)}</text>'


def mark(series, x, y, kind):
    """Each series has a shape of its own beside its colour."""
    r = 5
    shapes = (f'<circle cx="{x}" cy="{y}" r="{r}"/>',
              f'<path d="M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}z"/>',
              f'<path d="M{x} {y - r - 1.5}l{r + 1.5} {r + 1.5}l{-r - 1.5} {r + 1.5}l{-r - 1.5} {-r - 1.5}z"/>',
              f'<path d="M{x} {y - r - 1}l{r + 1} {2 * r}h{-2 * r - 2}z"/>',
              f'<path d="M{x} {y + r + 1}l{r + 1} {-2 * r}h{-2 * r - 2}z"/>',
              f'<path stroke-width="3" d="M{x - r} {y - r}l{2 * r} {2 * r}m0 {-2 * r}l{-2 * r} {2 * r}"/>')
    return f'<g class="{kind} c{series % 6}">{shapes[series % 6]}</g>'


def svg(width, height, title, parts):
    return (f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
            f"<title>{escape(title)}</title>{text(0, 15, title, 'title')}{''.join(parts)}</svg>\n")


def legend(names, x, y, old=""):
    """What the series are, in one line and more if need be."""
    parts, at = [], x
    for series, name in [*enumerate(names), *([(-1, old)] if old else [])]:
        size = 26 + len(name) * CHARACTER
        if at + size > WIDTH and at > x:
            at, y = x, y + 20
        parts.append(mark(max(series, 0), round(at + 6, 1), y - 4, "then" if series < 0 else "now"))
        parts.append(text(round(at + 16, 1), y, name))
        at += size
    return parts, y


def left_of(names):
    return round(max(len(name) for name in names) * CHARACTER + 14)


def bars(title, unit, rows, width=WIDTH):
    """A bar for each of `rows`: name, value, what is committed or None."""
    left, right, top, step = left_of([row[0] for row in rows]), 64, 30, 24
    bottom = top + step * len(rows)
    across = scale(0, max(max(value, then or 0) for _, value, then in rows), left, width - right)
    parts = [f'<path class="grid" d="M{across(tick)} {top}V{bottom}"/>'
             + text(across(tick), bottom + 17, f"{tick:,.7g}", "soft", "middle") for tick in across.ticks()]
    for i, (name, value, then) in enumerate(rows):
        y = top + i * step
        parts.append(text(left - 8, y + 16, name, anchor="end"))
        parts.append(f'<path class="now c0" stroke="none" d="M{left} {y + 5}H{across(value)}v14H{left}z"/>')
        end = across(value)
        if then is not None:
            parts.append(f'<path class="tick" d="M{across(then)} {y + 2}v20"/>')
            end = max(end, across(then))
        parts.append(text(round(end + 7, 1), y + 17, number(value)))
    parts.append(text((left + width - right) / 2, bottom + 37, unit, "soft", "middle"))
    if any(row[2] is not None for row in rows):
        parts.append(f'<path class="tick" d="M4 {bottom + 25}v16"/>' + text(12, bottom + 37, "committed", "soft"))
    return svg(width, bottom + 46, title, parts)


def dots(title, unit, names, rows, log=False, line=None, width=WIDTH):
    """A line of dots for each of `rows`: name, and by the series' names a pair of value and what is committed."""
    values = [v for _, of in rows for pair in of.values() for v in pair if v is not None] + ([line] if line else [])
    low, high = min(values), max(values)
    low, high = (low / 1.08, high * 1.08) if log else (low - (high - low) * 0.04, high + (high - low) * 0.04)
    has_old = any(pair[1] is not None for _, of in rows for pair in of.values())
    key, under = legend(names, 0, 38, "hollow: committed" if has_old else "")
    left, right, top, step = left_of([row[0] for row in rows]), 24, under + 14, 24
    bottom = top + step * len(rows)
    across = scale(low, high, left, width - right, log)
    parts = key + [f'<path class="grid" d="M{across(tick)} {top}V{bottom}"/>'
                   + text(across(tick), bottom + 17, f"{tick:,.7g}", "soft", "middle") for tick in across.ticks()]
    if line:
        parts.append(f'<path class="one" d="M{across(line)} {top}V{bottom}"/>')
    for i, (name, of) in enumerate(rows):
        y = top + i * step + step // 2
        parts.append(f'<path class="grid" d="M{left} {y}H{width - right}"/>')
        parts.append(text(left - 10, y + 4, name, anchor="end"))
        for kind, which in (("then", 1), ("now", 0)):
            parts += [mark(names.index(series), across(pair[which]), y, kind)
                      for series, pair in of.items() if pair[which] is not None]
    parts.append(text((left + width - right) / 2, bottom + 37, unit, "soft", "middle"))
    return svg(width, bottom + 46, title, parts)


def lines(title, x_name, y_name, series, log=True, line=None, width=WIDTH):
    """A line for each of `series`: name, points and the committed points, from left to right."""
    everything = [point for _, now, then in series for point in now + then]
    if not everything:
        return ""
    xs, ys = [x for x, _ in everything], [y for _, y in everything] + ([line] if line else [])
    left, top, bottom, height = 56, 56, 330, 378
    right = round(max(len(name) for name, _, _ in series) * 8.4 + 22)
    spread = (max(ys) - min(ys)) * 0.06
    across = scale(min(xs), max(xs), left, width - right, log)
    down = (scale(min(ys) / 1.06, max(ys) * 1.06, bottom, top, True) if log
            else scale(min(ys) - spread, max(ys) + spread, bottom, top))
    at_x = sorted(set(xs))
    x_ticks = at_x if len(at_x) <= 9 else across.ticks()
    parts = [f'<path class="grid" d="M{across(tick)} {top}V{bottom}"/>'
             + text(across(tick), bottom + 18, f"{tick:,.7g}", "soft", "middle") for tick in x_ticks]
    parts += [f'<path class="grid" d="M{left} {down(tick)}H{width - right}"/>'
              + text(left - 8, down(tick) + 4, f"{tick:,.7g}", "soft", "end") for tick in down.ticks()]
    if line:
        parts.append(f'<path class="one" d="M{left} {down(line)}H{width - right}"/>')
    has_old = any(then for _, _, then in series)
    ends = []
    for i, (name, now, then) in enumerate(series):
        for points, kind in ((then, "line old"), (now, "line")):
            if points:
                path = " ".join(f"{across(x)} {down(y)}" for x, y in points)
                parts.append(f'<path class="{kind} c{i % 6}" d="M{path}"/>')
        parts += [mark(i, across(x), down(y), "now") for x, y in now]
        if now or then:
            x, y = (now or then)[-1]
            if across(x) < width - right:  # it ends early: so that its name is found
                parts.append(f'<path class="line leader c{i % 6}" d="M{across(x)} {down(y)}H{width - right + 8}"/>')
            ends.append([down(y), i, name])
    ends.sort()
    for above, here in zip(ends, ends[1:]):  # names keep clear of each other
        here[0] = max(here[0], above[0] + 16)
    for y, i, name in ends:
        parts.append(f'<g class="c{i % 6}">{text(width - right + 11, round(y + 4, 1), name, "name")}</g>')
    parts.append(text((left + width - right) / 2, height - 6, x_name, "soft", "middle"))
    parts.append(text(0, 38, y_name + (";  dashed: committed" if has_old else ""), "soft"))
    return svg(width, height, title, parts)


def strip(title, unit, rows):
    """Many faint dots for each of `rows`: name, values, the one that stands for them, and what to say of them."""
    values = [value for _, all_of_them, _, _ in rows for value in all_of_them]
    low, high = max(0.25, min(0.8, min(values))), min(4, max(1.25, max(values)))
    left, right, top, step = left_of([row[0] for row in rows]), 150, 34, 28
    bottom = top + step * len(rows)
    across = scale(low / 1.02, high * 1.02, left, WIDTH - right, True)
    parts = [f'<path class="grid" d="M{across(tick)} {top}V{bottom}"/>'
             + text(across(tick), bottom + 17, f"{tick:,.7g}", "soft", "middle") for tick in across.ticks()]
    parts.append(f'<path class="one" d="M{across(1)} {top}V{bottom}"/>')
    for i, (name, all_of_them, middle, says) in enumerate(rows):
        y = top + i * step + step // 2
        parts.append(text(left - 10, y + 4, name, anchor="end"))
        parts += [f'<circle class="many c0" cx="{across(value)}" cy="{y}" r="4"/>' for value in all_of_them]
        parts.append(f'<path class="tick" d="M{across(middle)} {y - 11}v22"/>')
        parts.append(text(WIDTH - right + 12, y + 4, says))
    parts.append(text((left + WIDTH - right) / 2, bottom + 37, unit, "soft", "middle"))
    return svg(WIDTH, bottom + 46, title, parts)
