#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""road.py PROGRAM CALLS: how often the functions of CALLS, as road.c writes them, are in another file than the last."""
import collections
import itertools
import subprocess
import sys


def main(program, path):
    with open(path, encoding="ascii") as lines:
        calls = lines.read().split()
    addresses = sorted(set(calls))
    shown = subprocess.run(["addr2line", "-e", program], input="\n".join(addresses), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    files = dict(zip(addresses, (line.rsplit(":", 1)[0] for line in shown)))
    road = [files[call] for call in calls]
    changes = sum(one != other for one, other in itertools.pairwise(road))
    print(f"{len(road)} calls in {len(set(road))} files; {changes} times in another file than the call before")
    for name, count in collections.Counter(road).most_common(10):
        print(f"{count:8} {name}")


main(*sys.argv[1:])
