#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_seeds.py SIMTCHECK COMPILER: one defect is one finding, in all parts of a check.

The kernels are those of tests/seeded/ that a launch line can describe, and the wrong examples of docs/.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEEDED = ROOT / "tests/seeded/seeded.cu"
EXAMPLES = ROOT / "docs/examples"
LAUNCH = "<<<(n + 63) / 64, 64>>>({} int in[n], out int out[(n + 63) / 64], n)"
# Kernel: the rules of its findings, one for each defect. Those with two have two defects.
SEEDS = {
    "seededMissingBarrier": ["race"],
    "seededHarmlessRace": ["race"],
    "seededStrayRead": ["out-of-bounds-read"],
    "seededStrayWrite": ["out-of-bounds-write"],
    "seededUnwrittenOutput": ["unwritten-output"],
    "seededUnwrittenRead": ["uninitialized-read"],
    "seededWritesInput": ["write-to-input"],
    "seededEndlessLoop": ["race", "step-limit"],
    "seededEndlessBarriers": ["step-limit"],
    "seededDivergentBarrier": ["divergent-barrier"],
    "seededTrap": ["trap"],
    "seededWildRead": ["out-of-bounds-read"],
    "seededSharedStray": ["out-of-bounds-write"],
    "seededSharedUnwritten": ["uninitialized-read"],
    "seededDeepStack": ["stack-overflow"],
    "seededReadTooEarly": ["race"],
    "seededFarWrite": ["out-of-bounds-write"],
    "seededPrints": [],
    "seededRaceThenStray": ["out-of-bounds-read", "race"],
    "sharedSum": [],
}
# Of these examples, each launch has one finding, but for one missing barrier between three stores and a load.
# scan_wrong is left out: its plain flag races, and so does what it announces, and compilers read the flag only once.
EXAMPLE_NAMES = ["saxpy_wrong", "histogram_wrong", "stencil_wrong", "wave_wrong"]
SEVERAL = {"stencilNoBarrier": ["race", "race", "race"]}


def check(simtcheck, compiler, words):
    """Returns the rules of the findings of each launch."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "check.json")
        ended = subprocess.run([simtcheck, "check", "--engine", "sim", *words, "--compiler", compiler, "--json", path],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if ended.returncode > 1:
            sys.exit(f"{words}: exit status {ended.returncode}\n{ended.stdout}")
        with open(path, encoding="utf-8") as text:
            launches = json.load(text)["launches"]
    return [(launch["launch"].partition("<<<")[0], sorted(finding["rule"] for finding in launch["findings"]))
            for launch in launches]


def main(simtcheck, compiler):
    jobs = []
    for kernel in SEEDS:
        launch = kernel + LAUNCH.format("in" if kernel == "seededWritesInput" else "inout")
        steps = ["--steps", "100000"] if "Endless" in kernel else []
        jobs.append([str(SEEDED), launch, "--size", "1,7,64,65,200", *steps, f"-I{ROOT}/include"])
    for name in EXAMPLE_NAMES:
        jobs.append([str(EXAMPLES / f"{name}.cu"), str(EXAMPLES / f"{name}.launches"), "--size", "1,33,64,200"])
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda words: check(simtcheck, compiler, words), jobs):
            for kernel, rules in found:
                expected = SEEDS.get(kernel, SEVERAL.get(kernel))
                if (len(rules) != 1) if expected is None else rules != sorted(expected):
                    wrong += 1
                    print(f"{kernel}: {rules}, and not {expected or 'one finding'}")
    return wrong != 0


sys.exit(main(*sys.argv[1:]))
