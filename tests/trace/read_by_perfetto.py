"""Has Perfetto's trace processor read a file: read_by_perfetto.py PROGRAM FILE, where PROGRAM writes FILE.

Skips, by 77, where the Python package `perfetto` is not installed or does not bring the trace processor along: it would
download it.
"""

import pathlib
import subprocess
import sys


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def processor_of_package():
    try:
        import perfetto
    except ImportError:
        skip("the Python package perfetto is not installed")
    for folder in perfetto.__path__:
        for path in sorted(pathlib.Path(folder).rglob("trace_processor*")):
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
                return path
    skip("the Python package perfetto brings no trace processor along")


def main():
    program, file = sys.argv[1:]
    processor = processor_of_package()
    subprocess.run([program, file], check=True)

    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    with TraceProcessor(trace=file, config=TraceProcessorConfig(bin_path=str(processor))) as reader:
        slices = list(reader.query("select s.name, s.depth, s.dur, p.name as process from slice s"
                                   " join thread_track t on s.track_id = t.id join thread using (utid)"
                                   " join process p using (upid)"))
        errors = list(reader.query("select name, value from stats where severity = 'error' and value > 0"))
    blocks = [each for each in slices if each.depth == 0]
    tiles = [each for each in slices if each.depth == 1]
    expected = (3 * 4 * 2 + 2, 3 * 4 * 2 * 5 + 2 * 3)
    print(len(blocks), "blocks and", len(tiles), "tiles;", "errors:", [(each.name, each.value) for each in errors])
    if (len(blocks), len(tiles)) != expected or errors:
        sys.exit(1)
    if any(each.process is None or "multiprocessor" not in each.process for each in slices):
        sys.exit("a slice without its multiprocessor")


main()
