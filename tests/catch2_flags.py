"""Where Catch2 is, for the scripts that build tests without CMake."""
import pathlib, re, sys

root = pathlib.Path(__file__).resolve().parent.parent


def catch2_flags(build):
    """The folder with Catch2's headers, and its library where it has one."""
    for folder in [build] if build else [root / "build" / name for name in ("host", "test")]:
        cache = folder / "CMakeCache.txt"
        found = re.search(r"^Catch2_DIR:PATH=(.+)$", cache.read_text(), re.M) if cache.exists() else None
        for prefix in pathlib.Path(found[1]).parents if found else []:
            if (prefix / "include" / "catch2").exists():
                return ["-isystem", prefix / "include"], list(prefix.glob("lib*/**/libCatch2.a"))
    sys.exit("no build folder tells where Catch2 is: cmake --preset host, or --build FOLDER")
