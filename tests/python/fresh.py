"""Makes the source archive, builds the wheel of it, installs it in a fresh virtual environment, and runs law.py there.

    python fresh.py SOURCE WORK NATIVE CXX [FLAG ...]

The wheel is compiled with FLAGs, as one unit: not for speed, but quickly.
"""

import os
import pathlib
import shutil
import subprocess
import sys

source, work, native, cxx = map(pathlib.Path, sys.argv[1:5])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
python = work / "venv" / "bin" / "python"
pip = [sys.executable, "-m", "pip", "--python", python]  # so that the environment needs no copy
can_serve = subprocess.run([*pip[:-1], sys.executable, "--version"], capture_output=True).returncode == 0
subprocess.run([sys.executable, "-m", "venv", *["--without-pip"] * can_serve, work / "venv"], check=True)
if not can_serve:
    pip = [python, "-m", "pip"]
pip += ["--disable-pip-version-check", "--quiet"]
needed = ["scikit-build-core", "nanobind", "numpy"]
if subprocess.run([*pip, "install", "--no-compile", "--retries", "1", *needed], cwd=work).returncode != 0:
    print("skipped: no registry of Python packages")
    sys.exit(77)

make_archive = f"import os, scikit_build_core.build as build; os.chdir({str(source)!r}); build.build_sdist({str(work)!r})"
subprocess.run([python, "-c", make_archive], cwd=work, check=True)
(archive,) = work.glob("heddle-*.tar.gz")
environment = {**os.environ, "CXX": str(cxx), "CXXFLAGS": " ".join(sys.argv[5:])}
quickly = ["-Ccmake.build-type=None", "-Ccmake.define.CMAKE_UNITY_BUILD=ON"]
wheel = [*pip, "wheel", "--no-build-isolation", "--no-deps", *quickly, "--wheel-dir", work, archive]
subprocess.run(wheel, cwd=work, env=environment, check=True)
(wheel,) = work.glob("heddle-*.whl")
print(f"{wheel.name}: {wheel.stat().st_size} bytes")
if wheel.stat().st_size > 3_000_000:
    sys.exit("the wheel has more than 3 MB")
subprocess.run([*pip, "install", "--no-compile", wheel], cwd=work, check=True)
law = [python, source / "tests" / "python" / "law.py", native, cxx, source / "docs" / "python.md"]
sys.exit(subprocess.run(law, cwd=work).returncode)
