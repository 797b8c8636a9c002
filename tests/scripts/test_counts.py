#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the pages say about the catalogue's kernels: test_counts.py ROOT SIMTCHECK [--write]

The numbers are those of `simtcheck list`. The table of differences from print in
docs/results/kernels.md has the words of the comments at the kernels, and its table of default limits the words of
`simtcheck list`. The totals in
docs/results/figures.md are the sums of its tables. --write corrects these. The rows of that page
and of docs/results/sentences.md name a text and a place.

Each original that a text has needs one such paragraph in a comment of its family's file. It begins
with "Print, NAME: " or, if no text prints the code, with "Reconstruction, NAME: ". It may name
several kernels, and ends with the comment or with the next paragraph of this kind.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

PARAGRAPH = re.compile(r"\n \* (Print|Reconstruction), ([\w, ]+): (.*?)(?=\n \* (?:Print|Reconstruction), | \*/)", re.S)
TABLE = re.compile(r"(?<=\| kernel \| text \| the original beside the text \|\n\| --- \| --- \| --- \|\n)(?:\|.*\n)*")
LIMITS = re.compile(r"(?<=\| kernel \| variant \| at the default limits \|\n\| --- \| --- \| --- \|\n)(?:\|.*\n)*")


def kind_of(source):
    if source.startswith(("ours", "end of the benchmark")):
        return "ours"
    return "derived" if source.endswith((", without volatile", ", with __syncwarp()")) else "text"


def disclosures(root):
    """Returns the comments' paragraphs: (family, kernel): (kind, words)."""
    found = collections.defaultdict(list)
    for path in sorted((root / "kernels").glob("*.cu")):
        for kind, names, words in PARAGRAPH.findall(path.read_text(encoding="utf-8")):
            for name in names.split(", "):
                found[path.stem, name].append((kind, re.sub(r"\n \* ", " ", words).rstrip(".")))
    return found


def differences(originals, found):
    """Returns the lines of the table of differences, and what the comments lack."""
    lines, lacking = [], []
    for row in originals:
        paragraphs = found.pop((row["family"], row["id"]), [])
        if len(paragraphs) != 1:
            lacking.append(f"kernels/{row['family']}.cu: {len(paragraphs)} paragraphs 'Print, {row['id']}: ' "
                           f"or 'Reconstruction, {row['id']}: ', not one")
            continue
        kind, words = paragraphs[0]
        said = f"**reconstruction**: {words}" if kind == "Reconstruction" else words
        lines.append(f"| {row['id']} | {row['source']} | {said} |\n")
    lacking += [f"kernels/{family}.cu: a paragraph about {name}, which is no original of a text"
                for family, name in found]
    return lines, lacking


def counted(rows, found):
    """Returns the numbers: page: {pattern with one group: number}."""
    originals = [row for row in rows if row["variant"] == "original"]
    corrected = [row["kernel"] for row in rows if row["variant"] == "corrected"]
    kinds = collections.Counter(kind_of(row["source"]) for row in originals)
    rebuilt = sum(kind == "Reconstruction" for paragraphs in found.values() for kind, _ in paragraphs)
    shared = sum(kernel in {row["kernel"] for row in originals} for kernel in corrected)
    families = collections.Counter(row["family"] for row in originals)
    printed, kernels = kinds["text"] - rebuilt, len(originals)
    page = {rf"^\| {family} \| (\d+) \|": count for family, count in families.items()}
    page |= {r"Each of the (\d+) kernels has two variants": kernels,
             r"^\| original, printed by a text \| (\d+) \|": printed,
             r"^\| original, reconstructed .* \| (\d+) \|": rebuilt,
             r"^\| original, derived .* \| (\d+) \|": kinds["derived"],
             r"^\| original, ours .* \| (\d+) \|": kinds["ours"],
             r"^\| corrected, a kernel of its own \| (\d+) \|": len(set(corrected)) - shared,
             r"^\| corrected, the kernel of another .* \| (\d+) \|": len(corrected) - len(set(corrected)),
             r"^\| corrected, the kernel of its original.* \| (\d+) \|": shared}
    readme = {r"It\s+has\s+(\d+)\s+\[kernels": kernels, r"each\s+in\s+two\s+variants,\s+(\d+)\s+rows": len(rows),
              r"(\d+)\s+that\s+teaching\s+material\s+prints": printed, r"(\d+)\s+reconstructions": rebuilt,
              r"(\d+)\s+derived\s+from\s+those": kinds["derived"], r"and\s+(\d+)\s+of\s+ours": kinds["ours"]}
    return {"README.md": readme, "docs/results/kernels.md": page}


TEXT = "(?:book|warp notes|mapping notes|K80 profiles|nested notes)"
TEXTS = f"{TEXT}(?:, {TEXT})*"
# "text, exercise 1 | figures", "text | place: figures", "worked out: text | figures"
FIGURES = re.compile(rf"{TEXTS}(, exercise \d \| | \| [^|:]+: )|worked out: {TEXTS}(, exercise \d)? \| ")
# "text, exercise 1", "text: place"
SENTENCE = re.compile(rf"ours|{TEXTS}(, exercise \d|: [^|:]+)")


def figures(text):
    """Returns the totals of the page of figures, {pattern with one group: number}, and its wrong rows."""
    sums, wrong = collections.Counter(), []
    for heading, section in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        for source, place, values in re.findall(r"^\| ([^|]+) \| ([^|]+) \| (\d+) \|", section, re.M):
            sums[heading, source.startswith("worked out: ")] += int(values)
            if not FIGURES.match(f"{source} | {place}"):
                wrong.append(f"docs/results/figures.md: '{source} | {place}' does not name a text and a place")
    asserted, measured = sums["Asserted", False], sums["Measured", False]
    return {r"^\| printed, and asserted by a test \| (\d+) \|": asserted,
            r"^\| printed, and measured .* \| (\d+) \|": measured,
            r"^\| printed, neither .* \| (\d+) \|": sums["Neither", False],
            r"^\| worked out .* \| (\d+) \|": sums["Asserted", True],
            r"^Total: (\d+) printed": asserted, r"^Total: .* (\d+) worked out": sums["Asserted", True],
            r"## Measured\n(?:.*\n)*?Total: (\d+)$": measured,
            r"## Neither\n(?:.*\n)*?Total: (\d+)$": sums["Neither", False]}, wrong


def limits(listed):
    """Returns the table of what fails at the default limits, a row for each nested kernel."""
    found = {}
    for row in re.finditer(r"^(\w+) +(original|corrected) +nested_.*\n(?:  .*\n)*", listed, re.M):
        text = re.search(r"default limits: (.*)", row[0])
        found.setdefault(row[1], {})[row[2]] = text[1] if text else "nothing fails"
    lines = []
    for kernel, texts in found.items():
        alike = len(set(texts.values())) == 1
        lines += [f"| {kernel} | {'both' if alike else variant} | {text} |"
                  for variant, text in list(texts.items())[:1 if alike else None]]
    return "".join(f"{line}\n" for line in lines)


def main():
    root, write = pathlib.Path(sys.argv[1]), "--write" in sys.argv
    listed, text = (subprocess.run([sys.argv[2], "list", *options], capture_output=True, text=True, check=True).stdout
                    for options in (["--json"], []))
    rows = [row for row in json.loads(listed) if row["kernel"] is not None]
    tables = {TABLE: "", LIMITS: limits(text)}
    found = disclosures(root)
    numbers = counted(rows, found)
    lines, lacking = differences([row for row in rows if row["variant"] == "original"
                                  and kind_of(row["source"]) == "text"], found)
    tables[TABLE] = "".join(lines)
    numbers["docs/results/figures.md"], unnamed = figures(
        (root / "docs/results/figures.md").read_text(encoding="utf-8"))
    lacking += unnamed
    sentences = re.findall(r"^\| ([^|]+) \| [^|]+ \| (?:holds|\*\*fails\*\*|-) \|",
                           (root / "docs/results/sentences.md").read_text(encoding="utf-8"), re.M)
    lacking += [f"docs/results/sentences.md: '{source}' does not name a text and a place"
                for source in sentences if not SENTENCE.fullmatch(source)]
    for name, patterns in numbers.items():
        page, changed = root / name, []
        before = text = page.read_text(encoding="utf-8")
        for pattern, count in patterns.items():
            match = re.search(pattern, text, re.M)
            if match is None:
                lacking.append(f"{page}: nothing matches {pattern}: add it, with {count}")
            elif int(match[1]) != count:
                changed.append(f"{match[1]} matches {pattern}, but {count} is right")
                text = text[:match.start(1)] + str(count) + text[match.end(1):]
        for table, right in tables.items() if name.endswith("kernels.md") else ():
            if table.search(text) is None:
                lacking.append(f"{page}: nothing matches {table.pattern}")
            elif table.search(text)[0] != right:
                changed.append(f"a table is not {right}")
                text = table.sub(lambda _, right=right: right, text)
        if write and text != before:
            page.write_text(text, encoding="utf-8")
        elif changed:
            lacking += [f"{page}: {what}: run tests/scripts/test_counts.py . build/host/simtcheck --write"
                        for what in changed]
    lacking.append("") if lacking else print(f"{len(rows)} variants, {len(sentences)} sentences")
    print("\n".join(lacking), end="")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
