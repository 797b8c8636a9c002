#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs/results/kernels.md has of the catalogue: test_counts.py ROOT SIMTCHECK [--write]

It is what `simtcheck list` says: the number of kernels, of those of each family, and what fails at the default limits.
--write corrects the page.
"""
import collections
import pathlib
import re
import subprocess
import sys


BEGIN, END = "<!-- default limits -->\n", "<!-- end of default limits -->\n"


def limits(listed):
    """Returns the table of what fails at the default limits, a row for each nested kernel."""
    found = {}
    for row in re.finditer(r"^(\w+) +(original|corrected) +nested_.*\n(?:  .*\n)*", listed, re.M):
        text = re.search(r"default limits: (.*)", row[0])
        found.setdefault(row[1], {})[row[2]] = text[1] if text else "nothing fails"
    lines = ["| kernel | variant | at the default limits |", "| --- | --- | --- |"]
    for kernel, texts in found.items():
        alike = len(set(texts.values())) == 1
        lines += [f"| {kernel} | {'both' if alike else variant} | {text} |"
                  for variant, text in list(texts.items())[:1 if alike else None]]
    return "\n" + "\n".join(lines) + "\n\n"


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
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    if table != limits(listed):
        text = before + BEGIN + limits(listed) + END + after
        if "--write" not in sys.argv:
            print(f"{page}: the table of default limits is not that of the catalogue: run "
                  "tests/scripts/test_counts.py . build/host/simtcheck --write")
            wrong += 1
    if "--write" in sys.argv:
        page.write_text(text, encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
