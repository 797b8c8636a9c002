#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the results of many commands to a folder:

    golden.py BUILD FOLDER [NAME ...]
    golden.py BUILD --check

BUILD is a build folder. Runs each command of commands.txt, or those with these names, and writes FOLDER/NAME.json. The
results hold no times, no paths and nothing about the machine or the build. So `diff -r` shows what differs between two
builds. Each row has a line. The exit status is 1 if a command could not do its work (another status than 0 and 1, or no
results), because equal errors say nothing.

--check compares with the results that the folder results/ has, and prints the first line that differs in each. They are
from the compilers that results/compilers.txt names: with others, the exit status is 77.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
MACHINE = {"build", "simtcheck", "environment", "samples", "pace", "copies"}


def varying_members():
    """The members that differ between runs of the same work, as the field tables mark them."""
    tables = "".join(path.read_text(encoding="utf-8") for folder in ("src/model", "tools")
                     for path in (ROOT / folder).rglob("record_*.c"))
    return MACHINE | set(re.findall(r"MEMBER\(\w+, struct \w+, (\w+),[^)]*FIELD_VARYING", tables))


def steady(value, varying, places):
    if isinstance(value, dict):
        return {name: steady(member, varying, places) for name, member in value.items() if name not in varying}
    if isinstance(value, list):
        return [steady(member, varying, places) for member in value]
    if isinstance(value, str):
        for place, name in places:
            value = value.replace(place, name)
    return value


def text_of(value, depth=0):
    """JSON with a line for each member of the document, and for each entry of its lists."""
    if depth < 2 and isinstance(value, dict) and value:
        inside = ",\n".join(f"{json.dumps(name)}: {text_of(member, depth + 1)}" for name, member in value.items())
        return f"{{\n{inside}\n}}"
    if depth < 2 and isinstance(value, list) and value:
        return "[\n" + ",\n".join(text_of(member, 2) for member in value) + "\n]"
    return value if depth == 0 and isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def result_of(build, command):
    """Returns whether the command could do its work, and its result as text."""
    with tempfile.TemporaryDirectory() as folder:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SIMTCHECK_")}
        environment = {**inherited, "PATH": f"{build}:{build}/tests:{os.environ['PATH']}", "OUT": folder,
                       "BUILD": str(build), "XDG_CACHE_HOME": f"{folder}/cache", "LC_ALL": "C"}
        ran = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True)
        path = pathlib.Path(folder, "json")
        if not path.exists():
            return False, f"exit status {ran.returncode}, and no results: {ran.stderr}\n"
        places = [(folder, "$OUT"), (str(build), "$BUILD"), (str(ROOT), "$ROOT")]
        documents = path.read_text(encoding="utf-8")
        try:
            values = [json.loads(documents)]
        except ValueError:  # an object for each line, or a text
            lines = documents.splitlines()
            values = [json.loads(line) for line in lines] if documents.startswith("{") else lines
        text = "".join(text_of(steady(value, varying_members(), places)) + "\n" for value in values)
        return ran.returncode in (0, 1) and text.strip() != "", f"exit status {ran.returncode}\n{text}"


def commands():
    """Yields (name, command)."""
    text = (HERE / "commands.txt").read_text(encoding="utf-8")
    for line in re.sub(r"\n +", " ", text).splitlines():
        if line and not line.startswith("#"):
            name, _, command = line.partition(" ")
            yield name, command


def compilers():
    """Returns the compilers of the kernels, a line each."""
    lines = []
    for program, pattern in (("nvcc", r"release .*"), ("clang++", r"clang version \d+\.\d+\.\d+")):
        try:
            said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        except OSError:
            said = ""
        found = re.search(pattern, said)
        lines.append(f"{program}: {found[0] if found else 'none'}\n")
    return "".join(lines)


def check(build, known, every):
    kept = HERE / "results"
    wanted = (kept / "compilers.txt").read_text(encoding="utf-8")
    if compilers() != wanted:
        print(f"the results are from\n{wanted}and not from\n{compilers()}")
        return 77
    wrong = 0
    paths = sorted(kept.glob("*.json"))[::every]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda path: result_of(build, known[path.stem])[1], paths)
        for path, result in zip(paths, results):
            old = path.read_text(encoding="utf-8").splitlines()
            for number, (was, now) in enumerate(itertools.zip_longest(old, result.splitlines()), 1):
                if was != now:
                    wrong += 1
                    print(f"{path.relative_to(ROOT)}:{number}: {known[path.stem]}\n  was {was}\n  now {now}")
                    break
    return 1 if wrong or not paths else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="with --check: every Nth result")
    options = parser.parse_args()
    known = dict(commands())
    if options.check:
        return check(options.build.resolve(), known, options.every)
    if options.folder is None:
        parser.error("give a folder, or --check")
    for name in options.names:
        if name not in known:
            parser.error(f"commands.txt has no command {name}")
    names = options.names or list(known)
    options.folder.mkdir(exist_ok=True)
    for name in names:
        (options.folder / f"{name}.json").unlink(missing_ok=True)  # of an earlier run
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda name: result_of(options.build.resolve(), known[name]), names)
        for name, (is_good, result) in zip(names, results):
            (options.folder / f"{name}.json").write_text(result, encoding="utf-8")
            if not is_good:
                failed += 1
                print(f"{name}: {result[:1000]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
