#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks which rows of the catalogue each label selects, by `ctest -N -L LABEL`, and what ci/test builds for a test.

Arguments: the program ctest and a build folder. A label is a regular expression to CTest, so a label
must not be part of another one. Each tail and each nested form must be under exactly one of the
labels of its kind.
"""
import pathlib
import re
import subprocess
import sys

FORMS = ("original", "corrected")
TAILS = ("reduceUnrollWarps8", "reduceCompleteUnrollWarps8", "reduceCompleteUnroll",
         "reduceCompleteUnrollWarps8Float", "reduceNeighbored3")

# The corrected variant of a tail without synchronization has barriers.
EXPECTED = {
    "tail-volatile": {f"{kernel}.original" for kernel in TAILS},
    "tail-plain": {f"{kernel}Plain.original" for kernel in TAILS},
    "tail-syncwarp": {f"{kernel}Syncwarp.{form}" for kernel in TAILS for form in FORMS},
    "tail-syncthreads": {f"{kernel}.corrected" for kernel in TAILS}
    | {f"{kernel}Plain.corrected" for kernel in TAILS}
    | {f"reduceCompleteUnrollWarps8Sync.{form}" for form in FORMS},
    "nested-sync": {f"{kernel}.{form}" for kernel in ("nestedHelloWorldWait", "gpuRecursiveReduce")
                    for form in FORMS},
    "nested-nosync": {f"{kernel}.{form}"
                      for kernel in ("nestedHelloWorld", "nestedHelloWorldNew",
                                     "nestedHelloWorldLimited", "nestedHelloWorldTree",
                                     "gpuRecursiveReduceNosync", "gpuRecursiveReduce2")
                      for form in FORMS},
}
# What tests/targets.py prints for tests of that name.
TARGETS = {"^sim.unit.races$": "test_races", "^sim.quick.reduceNeighbored.corrected$": "test_kernel",
           "^sim.unit.(races|lanes)$": "test_lanes test_races", "^sim.unit.labels$": "all", "no such name": ""}
TEST = re.compile(r"Test +#\d+: (\w+)\.(\w+)\.([\w.]+)")


def selected(ctest, build, *options):
    """Returns the names of the tests that ctest lists, as (engine, kind, subject)."""
    listing = subprocess.run([ctest, "-N", "--test-dir", build, *options], check=True,
                             capture_output=True, text=True).stdout
    return TEST.findall(listing)


def main():
    ctest, build = sys.argv[1:]
    everything = selected(ctest, build)
    wrong = 0
    for label, rows in EXPECTED.items():
        tests = selected(ctest, build, "-L", label)
        for engine in sorted({engine for engine, _, _ in everything}):
            for kind in ("quick", "property", "nested"):
                got = {subject for e, k, subject in tests if (e, k) == (engine, kind)
                       and not subject.startswith("tails.")}
                there = {subject for e, k, subject in everything if (e, k) == (engine, kind)}
                if got != rows & there:
                    print(f"{label} on {engine}, {kind}: leaves out {sorted((rows & there) - got)}, "
                          f"selects too many: {sorted(got - rows)}")
                    wrong += 1
        found = {subject for _, kind, subject in tests if kind == "quick"}
        if found != rows:
            print(f"{label}: no quick test of {sorted(rows - found)}")
            wrong += 1
        print(f"{label}: {len(rows)} rows, {len(tests)} tests")
    for name, targets in TARGETS.items():
        program = pathlib.Path(__file__).parent.parent / "targets.py"
        got = subprocess.run([program, build, "-R", name], check=True, capture_output=True, text=True).stdout.strip()
        if got != targets:
            print(f"{name} needs '{targets}', and targets.py prints '{got}'")
            wrong += 1
    return 1 if wrong else 0


sys.exit(main())
