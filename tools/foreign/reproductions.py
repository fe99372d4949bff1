"""The faults of docs/bugs_found.md, by mappings of our own with the same arithmetic, and by nothing else.

    python reproductions.py          prints what each leaves out

A mapping takes the number of a block and returns its tile. It is right if all blocks together have each tile once.
"""

import math
import struct


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


def main():
    print("CUTLASS 3497, groups of 2 x 3 and 3 x 3 tiles, swizzle 2:", cutlass_3497([(2, 3), (3, 3)], 2))
    print("TileLang 2433, 4 x 12 tiles:", missed(lambda block: tilelang_2433(block, 4, 12), 48, grid(4, 12)))
    print("hip-ep 207, grids up to 8 x 24, groups of 2, 3, 4, 8, 16, 32:",
          sum(wrong_grids(hip_ep_207, 8, 24, group=group)[0] for group in (2, 3, 4, 8, 16, 32)), "of 1152 wrong")
    print("FlyDSL 979, grids up to 32 x 16: %d of %d wrong" % wrong_grids(flydsl_979, 32, 16))
    print("aiter 4315, grids up to 32 x 16: %d of %d wrong" % wrong_grids(aiter_4315, 32, 16))
    print("aiter, lean attention, heads with tiles never done:",
          {f"{heads} heads, {keys} keys": aiter_lean(heads, keys) for heads, keys in ((64, 8192), (12, 8192), (8, 1280), (16, 640))})
    print("aiter, spatial, tiles missed:",
          {f"{heads} heads, {blocks} blocks": len(missed(lambda block: aiter_spatial(block, heads, blocks), heads * blocks, grid(heads, blocks)))
           for heads, blocks in ((64, 8), (40, 8), (12, 8), (20, 8))})
    print("QuACK, tiles missed of a triangle:",
          {f"{rows} rows, groups of {group}": missed(lambda block: quack_triangle(block, rows, group), len(triangle(rows)), triangle(rows))
           for rows, group in ((21, 7), (91, 13), (42, 14), (45, 15), (45, 8))})


if __name__ == "__main__":
    main()
