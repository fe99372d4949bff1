"""The faults of docs/bugs_found.md, by mappings of our own with the same arithmetic, and by nothing else.

    python reproductions.py          prints what each leaves out, and exits with 1 if the page says something else

A mapping takes the number of a block and returns its tile. It is right if all blocks together have each tile once.
"""

import math
import struct
import sys


def missed(mapping, blocks, tiles):
    """Returns the tiles that no block has."""
    return sorted(set(tiles) - {mapping(block) for block in range(blocks)})


def grid(rows, cols):
    return [(row, col) for row in range(rows) for col in range(cols)]


def cutlass_3497(sizes, swizzle, blocks=132):
    """The host counts clusters of 1 x 1, the device rounds each group up to the swizzle: the last tiles lie past the count."""

    def padded(rows, cols):
        most = min(rows, cols)
        log = 3 if swizzle >= 8 and most >= 6 else 2 if swizzle >= 4 and most >= 3 else 1 if swizzle >= 2 and most >= 2 else 0
        return [-(-size >> log) << log for size in (rows, cols)] + [log]

    host, done, first = sum(rows * cols for rows, cols in sizes), set(), 0
    for group, (rows, cols) in enumerate(sizes):
        all_rows, all_cols, log = padded(rows, cols)
        for place in range(all_rows * all_cols):
            if first + place < host:
                strip, rest = divmod(place >> log, all_rows)
                done.add((group, rest, (strip << log) + place % (1 << log)))
        first += all_rows * all_cols
    return sorted({(group, *tile) for group, (rows, cols) in enumerate(sizes) for tile in grid(rows, cols)} - done)


def tilelang_2433(block, rows, cols, group=8):
    """Columns in groups of eight. The last group is walked as if it were whole, and the walk ends before its last rows."""
    group = min(group, cols)
    rest, col = divmod(block, group)
    strip, row = divmod(rest, rows)
    return row, strip * group + col


def hip_ep_207(block, rows, cols, group=4):
    """Columns in groups of four. A block past the last column takes another's tile."""
    group = min(group, cols)
    strip, place = divmod(block, group * rows)
    row, col = place // group, strip * group + place % group
    return (row, col) if col < cols else divmod(block, cols)


def flydsl_979(block, rows, cols, group=8):
    """Rows in groups of eight. The last group is taken to be as high as the others."""
    height = min(group, rows)
    strip, place = divmod(block, height * cols)
    return strip * height + place % height, place // height


def aiter_4315(block, rows, cols, group=4, chips=8):
    """Each of eight chips gets an eighth of the tiles, rounded down. What is left over comes twice, and others never."""
    tile = block % chips * (rows * cols // chips) + block // chips
    strip, place = divmod(tile, group * cols)
    height = min(rows - strip * group, group)
    return strip * group + place % height, place // height


def aiter_lean(heads, keys, programs=912, chips=8, keys_of_tile=64):
    """Tiles of keys, of which each of eight chips gets those of an eighth of the heads: of heads // 8 heads."""
    of_head = -(-keys // keys_of_tile)
    of_chip = of_head * (heads // chips)
    if of_chip <= programs:
        programs = min((of_chip + 1) // 2, -(-32 * of_chip // of_head))
    workers = programs // chips  # but a chip has one worker more where eight do not divide the programs
    most = -(-of_chip // workers)
    high, tall, upper = of_chip - (most - 1) * workers, programs % chips or chips, -(-programs // chips)
    done = set()
    for program in range(programs):
        chip, place = program % chips, program // chips
        number = chip * upper + place if chip < tall else tall * upper + (chip - tall) * (upper - 1) + place
        chip, place = divmod(number, upper)
        begin = most * place if place < high else (most - 1) * (place - high) + high * most
        for tile in range(begin, begin + (most if place < high else most - 1)):
            done.add((heads // chips * chip + tile // of_head, tile % of_head))
    return sorted({head for head, tile in grid(heads, of_head) if (head, tile) not in done})


def aiter_spatial(block, heads, blocks, chips=8):
    """Head h runs on chip h % 8. A block whose chip has no head left takes the tile of another block."""
    place, chip = block // chips, block % chips
    head, at = place // blocks * chips + chip, place % blocks
    return (head, at) if head < heads else (block % heads, block // heads % blocks)


def quack_triangle(block, rows, group=8):
    """A lower triangle in groups of rows, whose number is a root in 32 bits times a rounded reciprocal, rounded up."""

    def f32(x):
        return struct.unpack("f", struct.pack("f", x))[0]

    def row_of(number, factor):
        return math.ceil(f32(f32(f32(math.sqrt(f32(2 * number + 2.25))) - 0.5) * factor)) - 1

    strip = row_of(block, f32(1 / group))
    first = strip * group
    place = block - first * (first + 1) // 2
    height = group if strip < rows // group else rows % group or 1
    square, rest = divmod(place, height * group)
    if place >= height * group * strip:
        row = row_of(rest, 1)
        return first + row, square * group + rest - row * (row + 1) // 2
    return first + rest % height, square * group + rest // height


def triangle(rows):
    return [(row, col) for row in range(rows) for col in range(row + 1)]


def wrong_grids(mapping, rows, cols, **named):
    """Returns on how many grids up to rows x cols a mapping misses a tile, and of how many."""
    wrong = [size for size in grid(rows + 1, cols + 1) if 0 not in size
             and missed(lambda block: mapping(block, *size, **named), size[0] * size[1], grid(*size))]
    return len(wrong), rows * cols


def missed_of(mapping, rows, cols, **named):
    return missed(lambda block: mapping(block, rows, cols, **named), rows * cols, grid(rows, cols))


def missed_of_triangle(rows, group):
    return missed(lambda block: quack_triangle(block, rows, group), len(triangle(rows)), triangle(rows))


def all_of_them():
    """Yields what is reproduced, what is found, and what the page says."""
    groups = [(2, 3), (3, 3)]
    yield "CUTLASS 3497, groups of 2 x 3 and 3 x 3 tiles, swizzle 1", cutlass_3497(groups, 1), []
    yield "CUTLASS 3497, the same, swizzle 2", cutlass_3497(groups, 2), [(1, 0, 2), (1, 1, 2), (1, 2, 2)]
    yield "CUTLASS 3497, the same, swizzle 4", cutlass_3497(groups, 4), [(1, 2, 0), (1, 2, 1), (1, 2, 2)]
    yield "TileLang 2433, 4 x 12 tiles", missed_of(tilelang_2433, 4, 12), [(row, col) for row in (2, 3) for col in range(8, 12)]
    yield "hip-ep 207, 3 x 6 tiles", missed_of(hip_ep_207, 3, 6), [(2, 4), (2, 5)]
    of_widths = (wrong_grids(hip_ep_207, 8, 24, group=group)[0] for group in (2, 3, 4, 8, 16, 32))
    yield "hip-ep 207, wrong of 1152 grids", sum(of_widths), 390
    yield "FlyDSL 979, 9 x 2 tiles", missed_of(flydsl_979, 9, 2), [(8, 1)]
    yield "FlyDSL 979, wrong grids up to 32 x 16", wrong_grids(flydsl_979, 32, 16), (315, 512)
    yield "aiter 4315, wrong grids up to 32 x 16", wrong_grids(aiter_4315, 32, 16), (351, 512)
    for heads, keys, expected in ((64, 8192, []), (12, 8192, [8, 9, 10, 11]), (8, 1280, [5, 6, 7]), (16, 640, [11, 12, 13, 14, 15])):
        yield f"aiter, lean attention, {heads} heads, {keys} keys, heads with tiles missed", aiter_lean(heads, keys), expected
    for heads, expected in ((64, 0), (12, 8), (20, 12)):
        yield f"aiter, spatial, {heads} heads, 8 blocks, tiles missed", len(missed_of(aiter_spatial, heads, 8)), expected
    for rows, group in ((21, 7), (91, 13), (42, 14), (45, 15), (45, 8)):
        expected = [] if group == 8 else [(rows - 1, rows - 1)]
        yield f"QuACK, triangle of {rows} rows, groups of {group}", missed_of_triangle(rows, group), expected


if __name__ == "__main__":
    others = 0
    for what, found, expected in all_of_them():
        print(f"{what}: {found}" + ("" if found == expected else f", but the page says {expected}"))
        others += found != expected
    sys.exit(others != 0)
