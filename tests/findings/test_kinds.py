#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_kinds.py SIMTCHECK [COMPILER ...] [--write]: the whole text of each kind of finding.

kinds.cu has one defect in each kernel. What check prints is compared with kinds.txt, but for times and versions.
Without COMPILER, all that are installed check. --write records the text.
"""
import difflib
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
EXPECTED = FOLDER / "kinds.txt"
MASKED = [(r"\d+\.\d s$", "T s"), (r"(nvcc|clang) \d[\d.]*", r"\1 V")]


def main(simtcheck, *words):
    command = [pathlib.Path(simtcheck).resolve(), "check", "kinds.cu", "kinds.launches", "--engine", "sim", "--color", "never"]
    for compiler in words:
        command += ["--compiler", compiler] if compiler != "--write" else []
    ended = subprocess.run(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    text = ended.stdout
    for pattern, name in MASKED:
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    if "--write" in words:
        EXPECTED.write_text(text, encoding="utf-8")
    expected = EXPECTED.read_text(encoding="utf-8")
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), "kinds.txt", "printed"))
    return ended.returncode != 1 or text != expected


sys.exit(main(*sys.argv[1:]))
