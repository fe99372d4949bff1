"""Makes the source archive, builds the wheel of it, installs it in a fresh virtual environment, and runs law.py there.

    python fresh.py SOURCE WORK NATIVE CXX [FLAG ...]

The wheel is compiled with FLAGs, as one unit: not for speed, but quickly. Where something is missing it says what, and exits with 77.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


source, work, native, cxx = map(pathlib.Path, sys.argv[1:5])
if sys.version_info < (3, 9):
    skip("this Python is older than 3.9")
if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
    skip("there are no headers of Python (python3-dev)")
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
python = work / "venv" / "bin" / "python"
pip = [sys.executable, "-m", "pip", "--python", python]  # so that the environment needs no copy
can_serve = subprocess.run([*pip[:-1], sys.executable, "--version"], capture_output=True).returncode == 0
if subprocess.run([sys.executable, "-m", "venv", *["--without-pip"] * can_serve, work / "venv"], stdout=sys.stderr).returncode != 0:
    skip("there is no module venv (python3-venv)")
if not can_serve:
    pip = [python, "-m", "pip"]
pip += ["--disable-pip-version-check", "--quiet"]
get = [*pip, "install", "--no-compile", "--retries", "0", "--timeout", "5", "scikit-build-core", "nanobind", "numpy"]
with subprocess.Popen(get, cwd=work, start_new_session=True) as getting:
    try:
        got = getting.wait(60) == 0
    except subprocess.TimeoutExpired:
        os.killpg(getting.pid, signal.SIGKILL)  # also what pip started
        got = False
if not got:
    skip("no registry has scikit-build-core, nanobind and numpy within a minute")

make_archive = f"import os, scikit_build_core.build as build; os.chdir({str(source)!r}); build.build_sdist({str(work)!r})"
subprocess.run([python, "-c", make_archive], cwd=work, check=True)
(archive,) = work.glob("heddle-*.tar.gz")
quickly = {"SKBUILD_CMAKE_BUILD_TYPE": "None", "SKBUILD_CMAKE_DEFINE": "CMAKE_UNITY_BUILD=ON"}  # pip 23.0 has no option -C
environment = {**os.environ, **quickly, "CXX": str(cxx), "CXXFLAGS": " ".join(sys.argv[5:])}
wheel = [*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", work, archive]
subprocess.run(wheel, cwd=work, env=environment, check=True)
(wheel,) = work.glob("heddle-*.whl")
print(f"{wheel.name}: {wheel.stat().st_size} bytes")
if wheel.stat().st_size > 3_000_000:
    sys.exit("the wheel has more than 3 MB")
# It needs no more of the registry: numpy is here.
subprocess.run([*pip, "install", "--no-compile", "--no-index", wheel], cwd=work, check=True)
law = [python, source / "tests" / "python" / "law.py", native, cxx, source / "docs" / "python.md"]
sys.exit(subprocess.run(law, cwd=work).returncode)
