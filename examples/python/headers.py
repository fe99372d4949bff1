"""Where the examples of this folder find heddle's headers."""

import pathlib


def include():
    """Returns the folder of the headers: the wheel's if it is installed, or that of the repository."""
    try:
        import heddle
    except ImportError:
        return str(pathlib.Path(__file__).resolve().parent.parent.parent / "include")
    return heddle.include()
