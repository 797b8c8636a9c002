#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_versions.py SIMTCHECK PROGRAM...: runs fake_program.c, built for CUDA 11, 12, 13 and 14, by `simtcheck exec`.

The stand-in must have the version, and write as many bytes of properties. 14 is unknown.
"""
import subprocess
import sys

CANNOT_RUN = "contains the CUDA runtime, which exec could not replace: the file is stripped, or the runtime is not of "


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    simtcheck, *programs = sys.argv[1:]
    failed = False
    for version, program in zip((11, 12, 13, 14), programs):
        known = version < 14
        ended = run(simtcheck, "exec", "--", program)
        # Nothing was launched, so even a known version is not checked.
        right = (ended.returncode == (3 if known else 2) and (CANNOT_RUN in ended.stderr) != known and
                 ended.stdout == (f"0 {version} 1 2\n" if known else "-1 14 0 2\n"))
        unknown = run(simtcheck, "exec", "--", program, "future")
        right = right and ("does not support cudaFuture()" in unknown.stderr) == known
        if not right:
            print(f"{version}: {ended.returncode}\n{ended.stdout}{ended.stderr}\n{unknown.stderr}")
            failed = True
    return failed


sys.exit(main())
