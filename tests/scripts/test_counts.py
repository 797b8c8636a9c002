#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers of the catalogue in docs/results/kernels.md: test_counts.py ROOT SIMTCHECK [--write]

They are those of `simtcheck list`: the kernels, and those of each family. --write corrects them.
"""
import collections
import pathlib
import re
import subprocess
import sys


def main():
    page = pathlib.Path(sys.argv[1]) / "docs/results/kernels.md"
    listed = subprocess.run([sys.argv[2], "list"], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^(\w+) +(?:original|corrected) +(\w+) +(?!.*no kernel)", listed, re.M)
    families = collections.Counter(family for _, family in set(rows))
    patterns = {r"Each of the (\d+) kernels has two variants": len({name for name, _ in rows})}
    patterns |= {rf"^\| {family} \| (\d+) \|": count for family, count in families.items()}
    text, wrong = page.read_text(encoding="utf-8"), 0
    for pattern, count in patterns.items():
        match = re.search(pattern, text, re.M)
        if match is None:
            print(f"{page}: nothing matches {pattern}: add it, with {count}")
            wrong += 1
        elif int(match[1]) != count:
            text = text[:match.start(1)] + str(count) + text[match.end(1):]
            if "--write" not in sys.argv:
                print(f"{page}: '{match[0]}', but the catalogue has {count}: run "
                      "tests/scripts/test_counts.py . build/host/simtcheck --write")
                wrong += 1
    if "--write" in sys.argv:
        page.write_text(text, encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
