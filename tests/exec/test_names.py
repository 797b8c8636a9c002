#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_names.py FOLDER TOOLKIT: compares the functions of the stand-ins in FOLDER with those of the CUDA Toolkit.

Each function of the toolkit's libcudart, and each function that cuda.h declares, must exist.
"""
import glob
import pathlib
import re
import subprocess
import sys


def exported(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {(line.split()[2].split("@")[0], "@" in line) for line in listed.splitlines() if line.split()[1] in "TW"}


def main():
    folder, toolkit = sys.argv[1:]
    missing, compared = set(), 0
    for stand_in in glob.glob(f"{folder}/libcudart.so.*"):
        for library in glob.glob(f"{toolkit}/lib*/{pathlib.Path(stand_in).name}"):
            own = exported(stand_in)
            theirs = {name for name in exported(library) if re.match("(__)?cuda", name[0])}
            missing |= {f"{name} in {library}" for name, _ in theirs - own}
            compared += len(theirs)
    header = pathlib.Path(f"{toolkit}/include/cuda.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"CUDAAPI\s+(cu[A-Z]\w+)\s*\(", header))
    missing |= {f"{name} in cuda.h" for name in declared - {name for name, _ in exported(f"{folder}/libcuda.so.1")}}
    compared += len(declared)
    print(f"{compared} functions compared")
    for name in sorted(missing):
        print("missing:", name)
    return 1 if missing else 0 if compared else 77


sys.exit(main())
