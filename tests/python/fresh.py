"""Makes the source archive, builds the wheel of it, installs it in a fresh virtual environment, and runs law.py there.

    python fresh.py SOURCE WORK NATIVE CXX
"""

import os
import pathlib
import shutil
import subprocess
import sys

source, work, native, cxx = map(pathlib.Path, sys.argv[1:])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
python = work / "venv" / "bin" / "python"
pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
if subprocess.run([*pip, "install", "--retries", "1", "scikit-build-core", "nanobind", "numpy"], cwd=work).returncode != 0:
    print("skipped: no registry of Python packages")
    sys.exit(77)

make_archive = f"import os, scikit_build_core.build as build; os.chdir({str(source)!r}); build.build_sdist({str(work)!r})"
subprocess.run([python, "-c", make_archive], cwd=work, check=True)
(archive,) = work.glob("heddle-*.tar.gz")
environment = {**os.environ, "CXX": str(cxx)}
wheel = [*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", work, archive]
subprocess.run(wheel, cwd=work, env=environment, check=True)
(wheel,) = work.glob("heddle-*.whl")
print(f"{wheel.name}: {wheel.stat().st_size} bytes")
if wheel.stat().st_size > 3_000_000:
    sys.exit("the wheel has more than 3 MB")
subprocess.run([*pip, "install", wheel], cwd=work, check=True)
law = [python, source / "tests" / "python" / "law.py", native, cxx, source / "docs" / "python.md"]
sys.exit(subprocess.run(law, cwd=work).returncode)
