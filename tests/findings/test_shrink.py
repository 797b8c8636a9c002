#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_shrink.py SIMTCHECK COMPILER: a wrong result against other code shrinks to the smallest size.

Each bug of shrink.cu has one. With --size it is the smallest of the given sizes, and with --shrink free any size.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
LAUNCH = "shrink<<<(n + 63) / 64, 64>>>(in int in[n], out int out[n], n)"
# The smallest size that shows each bug, and a size of 32, 64, 100, 129 and 200.
SIZES = [(7, 32), (3, None), (37, 64), (100, 100), (65, 100), (9, 129), (65, 100), (70, 100), (16, 32), (1, 32)]
GIVEN = "200,129,64,100,32"


def smallest(simtcheck, compiler, bug, options):
    """Returns the size of the smallest case that fails, or None if all pass."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "check.json")
        command = [simtcheck, "check", str(HERE / "shrink.cu"), LAUNCH, "--against", str(HERE / "shrink_right.cu"),
                   "--only", "run", "--compiler", compiler, f"-DBUG={bug}", *options, "--json", path]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if ended.returncode > 1:
            sys.exit(f"bug {bug}: exit status {ended.returncode}\n{ended.stdout}")
        with open(path, encoding="utf-8") as text:
            findings = json.load(text)["launches"][0]["findings"]
    if len(findings) != ended.returncode:
        sys.exit(f"bug {bug}: {len(findings)} findings, exit status {ended.returncode}")
    return int(findings[0]["case"].split(":")[7]) if findings else None


def main(simtcheck, compiler):
    jobs = []
    for bug, (free, given) in enumerate(SIZES):
        jobs += [(bug, ["--size", "0-130", "--shrink", "free"], free), (bug, ["--size", GIVEN], given)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda job: smallest(simtcheck, compiler, *job[:2]), jobs)
        for (bug, options, expected), size in zip(jobs, found):
            if size != expected:
                wrong += 1
                print(f"bug {bug}, {options}: size {size}, not {expected}")
    return wrong != 0


sys.exit(main(*sys.argv[1:]))
