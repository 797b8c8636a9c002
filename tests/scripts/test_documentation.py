#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of README.md, CONTRIBUTING.md and docs/*.md, and follows the links of all pages:
test_documentation.py SOURCE SIMTCHECK [PAGE ...]. With pages, only their commands run.

An indented block is read as follows:

- "$ COMMAND" is run by bash, in a folder for each page that has the files of docs/examples. A backslash or an open
  quote continues a command on the next line.
- The lines after a command must occur in what it prints, in this order. "..." stands for any text. The folder of a
  file, versions such as 1.2.3, times such as 0.8 s and the amount of white space may differ.
- A command without such lines must not end with a status above 1: options and launches in it are valid.
- A block whose first line is "// FILE" or "# FILE" is the contents of a file.

Commands that NOT_RUN names are not run. A name there that fits no command is an error.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NOT_RUN = {
    "git clone": "needs a network",
    "ci/install": "tests/package/test_package.sh builds and installs",
    "ci/toolkits": "needs a network",
    "ci/stress": "needs a GPU",
    "cmake": "tests/package/test_package.sh builds and installs",
    "ctest": "tests/package/test_package.sh runs the examples' tests",
    "cp -r /usr/": "the test has its own copy of the examples",
    "genhtml": "lcov may be missing",
    "pip install": "tests/python/test_wheel.sh installs the wheel",
    "pytest": "tests/python/test_simtcheck.py runs it",
    "simtcheck capture": "needs a GPU",
    "simtcheck exec": "needs a program of the user",
    "simtcheck compare old.json new.json": "needs two snapshots; docs/results.md has others",
    "simtcheck compilers": "takes minutes",
    "simtcheck cross-check": "needs a GPU",
    "simtcheck gate": "needs a git history with an edit",
    "simtcheck merge shard1.json": "needs the files of two shards; docs/results.md has others",
    "simtcheck mutate --": "takes minutes",
    "simtcheck package snapshot.json soak.json": "needs a GPU",
    "simtcheck snapshot --require cuda": "needs a GPU",
    "simtcheck soak": "needs a GPU",
}

NEEDS = {"--compiler clang": "clang++", "--compiler nvcc": "nvcc", "simtcheck bisect": "nvcc", "nvcc -g": "nvcc"}


def blocks(page):
    """Returns the indented blocks of a page, each as (line number of the first line, lines without the indentation)."""
    block, start = [], 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines() + ["end"], 1):
        if line.startswith("    ") or (block and not line):
            start = start if block else number
            block.append(line[4:])
        elif block:
            yield start, block
            block = []


def is_open(command):
    return command.endswith("\\") or command.count("'") % 2 == 1


def commands(block):
    """Returns the commands of a block, each as (line in the block, command, lines that follow it)."""
    found = []
    for number, line in enumerate(block):
        if line.startswith("$ "):
            found.append([number, line[2:], []])
        elif found and is_open(found[-1][1]) and not found[-1][2]:
            found[-1][1] += "\n" + line
        elif found and line.strip():
            found[-1][2].append(line)
    return found


def plain(text):
    text = re.sub(r"[\w./-]*/(\w+\.cu)\b", r"\1", text)
    text = re.sub(r"\b\d+\.\d s\b", "TIME", text)
    return " ".join(re.sub(r"\b\d+\.\d+\.\d+\b", "VERSION", text).split())


def missing(expected, printed):
    """Returns the first expected line that is not in the output at its place; None if all are."""
    printed, at = plain(printed), 0
    for line in expected:
        pattern = ".*?".join(re.escape(plain(part)) for part in line.split("..."))
        match = re.compile(pattern, re.S).search(printed, at)
        if match is None:
            return line
        at = match.end()
    return None


def reason_not_to_run(command, used):
    for name, reason in NOT_RUN.items():
        if command.startswith(name):
            used.add(name)
            return reason
    for words, program in NEEDS.items():
        if words in command and shutil.which(program) is None:
            return f"needs {program}"
    return None


def run_page(page, source, environment, used):
    """Runs the page's commands. Returns how many ran, and how many are wrong."""
    ran = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(source / "docs" / "examples", folder, dirs_exist_ok=True)
        for start, block in blocks(page):
            name = re.fullmatch(r"(?://|#) (\w+\.\w+)", block[0])
            if name:
                pathlib.Path(folder, name[1]).write_text("\n".join(block) + "\n", encoding="utf-8")
            for number, command, expected in commands(block):
                if reason_not_to_run(command, used):
                    continue
                ended = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                ran += 1
                line = missing(expected, ended.stdout)
                if line is not None:
                    problem = f"does not print, or not in this order: {line.strip()}"
                elif ended.returncode > 1:
                    problem = f"ends with status {ended.returncode}"
                else:
                    continue
                wrong += 1
                print(f"{page}:{start + number}: {command}\n    {problem}\n{ended.stdout}", file=sys.stderr)
    return ran, wrong


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found, text = set(), re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for heading in re.findall(r"^#+ (.*)", text, flags=re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        copies = sum(re.sub(r"-\d+$", "", other) == name for other in found)
        found.add(name if copies == 0 else f"{name}-{copies}")
    return found


def dead_links(page):
    """Prints the links to files or headings that do not exist; returns their number."""
    dead = 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for link in re.findall(r"\]\(([^)\s]+)\)", line):
            name, _, anchor = link.partition("#")
            target = page.parent / name if name else page
            if "://" in link or (target.exists() and (not anchor or anchor in anchors(target))):
                continue
            dead += 1
            print(f"{page}:{number}: the link leads nowhere: {link}", file=sys.stderr)
    return dead


def main():
    source, simtcheck = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    environment = os.environ | {"PATH": f"{simtcheck.parent}:{os.environ['PATH']}", "CUDA_VISIBLE_DEVICES": "-1",
                                "SIMTCHECK_TODAY": "2027-01-01"}
    used, ran, wrong = set(), 0, 0
    pages = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md"))]
    chosen = [source / name for name in sys.argv[3:]]
    for page in [*pages, source / "CHANGELOG.md", *sorted((source / "docs" / "results").glob("*.md"))]:
        wrong += dead_links(page)
    for page in chosen or pages:
        counts = run_page(page, source, environment, used)
        ran, wrong = ran + counts[0], wrong + counts[1]
    for name in NOT_RUN.keys() - used if not chosen else ():
        print(f"no page has a command that starts with '{name}'", file=sys.stderr)
        wrong += 1
    print(f"{ran} commands ran, {wrong} are wrong")
    return 0 if wrong == 0 and ran > 0 else 1


sys.exit(main())
