#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_versions.py SIMTCHECK PROGRAM...: runs fake_program.c, built for CUDA 11, 12, 13 and 14, by `simtcheck exec`.

The stand-in must have the version, and write as many bytes of properties. 14 is unknown. Without local symbols, some
functions could be missing, so none is replaced.
"""
import os
import shutil
import subprocess
import sys
import tempfile

CANNOT_RUN = "contains the CUDA runtime, which exec could not replace: the file is stripped, or the runtime is not of "


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    simtcheck, *programs = sys.argv[1:]
    failed = False
    folder = tempfile.mkdtemp()
    half = os.path.join(folder, "half")
    subprocess.run(["strip", "-x", "-o", half, programs[2]], check=True)
    for version, program in zip((11, 12, 13, 14, 13), [*programs, half]):
        known = version < 14 and program != half
        ended = run(simtcheck, "exec", "--", program)
        # Nothing was launched, so even a known version is not checked.
        right = (ended.returncode == (3 if known else 2) and (CANNOT_RUN in ended.stderr) != known and
                 ended.stdout == (f"0 {version} 1 2\n" if known else f"-1 {version} 0 2\n"))
        unknown = run(simtcheck, "exec", "--", program, "future")
        right = right and ("does not support cudaFuture()" in unknown.stderr) == known
        if not right:
            print(f"{version}: {ended.returncode}\n{ended.stdout}{ended.stderr}\n{unknown.stderr}")
            failed = True
    shutil.rmtree(folder)
    return failed


sys.exit(main())
