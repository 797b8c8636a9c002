#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums up how long stages and tests took.

    tests/times.py BUILD            prints the stages of BUILD/../stages.txt, the sums by label and the 40 longest tests
    tests/times.py BUILD --keep     writes tests/costs.txt instead

BUILD/times.txt has a line for each test that ran: its name, and its seconds of wall, user and system time. stages.txt
has the same for each stage of a script. costs.txt lists tests of at least 5 seconds, the longest first; CTest starts
them in this order.
"""
import collections
import json
import pathlib
import subprocess
import sys

LONGEST = 40
KEPT_SECONDS = 5.0


def read(path):
    """Returns {name: (wall seconds, processor seconds)}, the sums if a name has several lines."""
    times = {}
    if not path.exists(): # GNU time is not installed
        return times
    for line in path.read_text().splitlines():
        name, wall, user, system = line.rsplit(maxsplit=3)
        before = times.get(name, (0, 0))
        times[name] = (before[0] + float(wall), before[1] + float(user) + float(system))
    return times


def labels(build):
    """Returns {test: its labels}."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True,
                             text=True).stdout
    return {test["name"]: label["value"] for test in json.loads(listing)["tests"]
            for label in test["properties"] if label["name"] == "LABELS"}


def table(title, rows):
    print(f"{title:<58} {'wall, s':>9} {'processor, s':>13}")
    for name, (wall, processor) in rows:
        print(f"{name:<58} {wall:9.1f} {processor:13.1f}")
    print()


def keep(times, path):
    """Tests that did not run, such as those of a GPU, keep their line."""
    before = {name: float(wall) for wall, name in map(str.split, path.read_text().splitlines())}
    for name, (wall, _) in times.items():
        if wall >= 0.1: # it was not skipped
            before[name] = wall
    longest = sorted(((wall, name) for name, wall in before.items() if wall >= KEPT_SECONDS), reverse=True)
    path.write_text("".join(f"{wall:.0f} {name}\n" for wall, name in longest))


def main():
    build = pathlib.Path(sys.argv[1])
    times = read(build / "times.txt")
    if sys.argv[2:] == ["--keep"]:
        keep(times, pathlib.Path(__file__).with_name("costs.txt"))
        return
    table("stage", read(build.parent / "stages.txt").items())
    sums = collections.defaultdict(lambda: [0, 0.0, 0.0])
    of_test = labels(build)
    for name, (wall, processor) in times.items():
        for label in of_test.get(name, []):
            entry = sums[label]
            entry[0] += 1
            entry[1] += wall
            entry[2] += processor
    table("label", [(f"{label}, {count} tests", (wall, processor)) for label, (count, wall, processor)
                    in sorted(sums.items(), key=lambda item: -item[1][2])])
    table("test", sorted(times.items(), key=lambda item: -item[1][0])[:LONGEST])


if __name__ == "__main__":
    main()
