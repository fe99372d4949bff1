#!/usr/bin/env python3
"""Makes heddle in one file each for a compiler explorer, or for a project that copies one header:

  tools/one_file.py FOLDER   writes heddle_host.hpp (orders, laws, predictions, pictures) and heddle_device.hpp (one line,
                             orders, schedulers)

Both may be included together, but not beside headers of heddle, which have the comments that say what each name does.
"""
import pathlib, re, sys

include = pathlib.Path(__file__).resolve().parent.parent / "include"
files = {
    "heddle_host.hpp": ["heddle/order.hpp", "heddle/laws.hpp", "heddle/predict.hpp", "heddle/draw.hpp"],
    "heddle_device.hpp": ["heddle/order/in_bands.hpp", "heddle/order.hpp", "heddle/schedule.hpp"],
}


def lines_of(header, written):
    """Yields a header and what it includes, each within a guard: one that is included under a condition comes again."""
    guard = "HEDDLE_ONE_FILE_" + re.sub(r"\W", "_", header.removeprefix("heddle/").removesuffix(".hpp")).upper()
    yield f"#if !defined({guard})  // {header}\n#define {guard}\n"
    conditions = 0
    for line in (include / header).read_text().splitlines(keepends=True):
        conditions += line.startswith("#if") - line.startswith("#endif")
        found = re.match(r"#include <(heddle/[^>]*)>", line)
        if found and found[1] not in written:
            within = set(written)
            yield from lines_of(found[1], within)
            if conditions == 0:
                written |= within | {found[1]}
        elif not found and line != "#pragma once\n" and not line.lstrip().startswith("///"):
            yield line
    yield f"#endif  // {header}\n"


def main(folder):
    version = re.search(r'version_string\[\] = "(.*)"', (include / "heddle/version.hpp").read_text())[1]
    licence = (include.parent / "LICENSE").read_text().strip()
    for name, headers in files.items():
        written, text = set(), f"// heddle {version}: {', '.join(headers)}, in one file.\n//\n"
        text += "".join(f"// {line}".rstrip() + "\n" for line in licence.splitlines()) + "\n#pragma once\n\n"
        for header in headers:
            if header not in written:
                text += "".join(lines_of(header, written))
                written.add(header)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


main(pathlib.Path(sys.argv[1]))
