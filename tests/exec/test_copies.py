#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_copies.py SIMTCHECK NVCC SOURCE: programs and libraries that contain the CUDA runtime, as nvcc links it.

Builds SOURCE, copies.cu, in several ways, and runs its modes by `simtcheck exec`.
"""
import os
import re
import subprocess
import sys
import tempfile

LIBRARY = ["-DLIBRARY", "-shared", "-Xcompiler", "-fPIC,-fvisibility=hidden", "-Xlinker", "--exclude-libs,ALL"]
# file: options of nvcc. The runtime's symbols are global in the programs, and hidden in the library.
BUILDS = {
    "copies": ["-ldl"],
    "libwork.so": LIBRARY,
    "linked": ["-DLINKED", "-L.", "-lwork", "-Xlinker", "-rpath,.", "-ldl"],
}
# program and mode: exit status of exec
RUNS = {
    "copies version": 0,
    "copies pages": 0,
    "copies races": 1,
    "copies fork": 1,
    "copies become": 1,
    "copies open ./libwork.so": 1,
    "copies bind ./libwork.so": 1,
    "linked linked": 1,
}


def build(nvcc, source):
    for name, options in BUILDS.items():
        subprocess.run([nvcc, "-g", "-lineinfo", "-arch=sm_90", source, "-o", name, *options], check=True)


def main():
    simtcheck, nvcc, source = (os.path.abspath(path) for path in sys.argv[1:])
    version = re.search(r"release (\d+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True,
                                                         check=True).stdout)[1]
    with open(source, encoding="utf-8") as text:
        line = [number for number, line in enumerate(text, 1) if "/* finding: race */" in line][0]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        build(nvcc, source)
        for command, status in RUNS.items():
            program, *words = command.split()
            ended = subprocess.run([simtcheck, "exec", "--", "./" + program, *words], capture_output=True, text=True,
                                   check=False)
            right = (ended.returncode == status and ended.stderr.count("error: ") == status and
                     ended.stdout == (version + "\n" if words == ["version"] else ""))
            if status == 1:
                right = right and f"copies.cu:{line}: error: data race on element 0 of " in ended.stderr
            if not right:
                print(f"{command}: status {ended.returncode}\n{ended.stdout}{ended.stderr}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
