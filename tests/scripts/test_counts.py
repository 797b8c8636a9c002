#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers of the catalogue in the pages: test_counts.py ROOT SIMTCHECK [--write]

Each sentence of SENTENCES has the number that `simtcheck list` gives. --write corrects them.
"""
import pathlib
import re
import subprocess
import sys

SENTENCES = [
    ("README.md", r"It has (\d+) variants of kernels", "rows"),
    ("README.md", r"\(Nine of the (\d+) rows\.\)", "rows"),
    ("docs/results/kernels.md", r"Each of the (\d+) kernels has two variants", "kernels"),
    ("docs/soak.md", r"\[kernels of the catalogue\]\(#kernels-of-the-catalogue\) \| (\d+)", "soaked"),
    ("docs/package.md", r"(\d+) tests of level 1, seed 1", "tests"),
]


def counts(root, simtcheck):
    listed = subprocess.run([simtcheck, "list"], capture_output=True, text=True, check=True).stdout
    rows = [line.split()[:2] for line in listed.splitlines()
            if re.match(r"\w+ +(original|corrected)\b", line) and "no kernel" not in line]
    table = (root / "kernels/catalogue/rows.c").read_text(encoding="utf-8")
    return {"soaked": table.count(".soak = SOAK_"), "rows": len(rows), "kernels": len({row[0] for row in rows}),
            "tests": 3 * len(rows)}  # results, and races under two models


def main():
    root = pathlib.Path(sys.argv[1])
    number = counts(root, sys.argv[2])
    wrong = 0
    for name, pattern, what in SENTENCES:
        path = root / name
        text = path.read_text(encoding="utf-8")
        found = list(re.finditer(pattern, text))
        if not found:
            print(f"{name}: no sentence matches {pattern}")
            wrong += 1
        for match in reversed(found):
            if int(match[1]) == number[what]:
                continue
            text = text[:match.start(1)] + str(number[what]) + text[match.end(1):]
            if "--write" not in sys.argv:
                print(f"{name}: '{match[0]}', but the catalogue has {number[what]} {what}: run "
                      "tests/scripts/test_counts.py . build/host/simtcheck --write")
                wrong += 1
        if "--write" in sys.argv:
            path.write_text(text, encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
