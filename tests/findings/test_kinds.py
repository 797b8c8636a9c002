#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_kinds.py SIMTCHECK [COMPILER] [--write]: the whole text of each kind of finding.

kinds.cu has one defect in each kernel. What check prints is compared with kinds.txt, but for times and versions.
With COMPILER, only that one compiles, and nothing is said of the other one. --write records the text.
"""
import difflib
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
EXPECTED = FOLDER / "kinds.txt"
MASKED = [(r"\d+\.\d s$", "T s"), (r"(nvcc|clang) \d[\d.]*", r"\1")]
OF_BOTH = [(" until it failed", ""),
           (" and clang,", ","), ("   note: only in the code of nvcc\n", ""), (r"\d+ of (\d+ cases)", r"\1")]


def replaced(text, pairs):
    for pattern, other in pairs:
        text = re.sub(pattern, other, text, flags=re.MULTILINE)
    return text


def main(simtcheck, *words):
    compilers = [word for word in words if word != "--write"]
    command = [pathlib.Path(simtcheck).resolve(), "check", "kinds.cu", "kinds.launches", "--engine", "sim",
               "--color", "never", *(option for name in compilers for option in ("--compiler", name))]
    ended = subprocess.run(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           check=False)
    text = replaced(ended.stdout, MASKED)
    if "--write" in words:
        EXPECTED.write_text(text, encoding="utf-8")
    text, expected = [replaced(whole, OF_BOTH if compilers else [])
                      for whole in (text, EXPECTED.read_text(encoding="utf-8"))]
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                               "kinds.txt", "printed"))
    return ended.returncode != 1 or text != expected


sys.exit(main(*sys.argv[1:]))
