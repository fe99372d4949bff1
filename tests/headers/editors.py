#!/usr/bin/env python3
"""Do editors find the library's names? Asks the Universal Ctags named first for ten of them, in the headers named second."""
import subprocess, sys

names = {"cta_swizzle", "ticket", "packed_prefix", "block_reorder", "launch_shape", "advise", "check_order", "choose", "traced", "makespan"}
ctags, headers = sys.argv[1:]
if "Universal" not in subprocess.run([ctags, "--version"], capture_output=True, text=True).stdout:
    sys.exit("skipped: not Universal Ctags")
tags = subprocess.run([ctags, "-R", "-f", "-", headers], capture_output=True, text=True, check=True).stdout
found = {name for name, file, *_ in (line.split("\t") for line in tags.splitlines()) if f"/{name}.hpp" in file}
sys.exit(f"not found: {', '.join(sorted(names - found))}" if names - found else 0)
