"""Where the examples of this folder find heddle's headers, and how they say what they lack."""

import pathlib
import sys


def include():
    """Returns the folder of the headers: the wheel's if it is installed, or that of the repository."""
    try:
        import heddle
    except ImportError:
        return str(pathlib.Path(__file__).resolve().parent.parent.parent / "include")
    return heddle.include()


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)
