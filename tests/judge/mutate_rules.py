#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes the rules of the race checker, and counts how many changes the judge finds:

    mutate_rules.py FOLDER COUNT SEED [PROGRAMS]

FOLDER is a copy of the tree with a build in build/host, which this program changes. COUNT mutants are drawn. Each must
disagree with a judge within PROGRAMS programs (20,000 unless told). Prints a line for each mutant.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

# The files, and the functions in them: all, if none is named.
RULES = {"race/quick.c": "", "race/races.c": "", "race/shadow.c": "", "race/order.c": "", "race/synchronization.c": "",
         "race/access_order.c": "", "race/releases.c": "", "race/happens_before.c": "", "race/operations.c": "",
         "race/detector.c": "",
         "warp/paths.c": "", "jobs.c": "may_be_decided|decide", "modules.c": "spread_order",
         "decode/decode_control.c": "decode_barrier",
         "decode/decode_memory.c": "scope_of|order_of|note_access|atomic_op|decode_atomic|decode_fence"}
# Not mutated: what a report says of a race beyond its lines, and what happens at the end of the process.
LEFT_OUT = r"report|expect_second|word_at|race_settle|\w+_(close|open|forget)"
OPERATORS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "),
             (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r" \+ ", " - "), (r" & ", " | "),
             (r"\breturn true;", "return false;"), (r"\breturn false;", "return true;"),
             (r"\bif \(", "if (!!0 && "), (r"= true;", "= false;"),
             (r"= false;", "= true;")]
STATEMENT = re.compile(r"^ +[\w.\->\[\]*]+(\(.*\)| [+|&]?= .*|\+\+);$")


def mutants(folder):
    """Yields (file, line number, new line) for each mutant."""
    for name, functions in RULES.items():
        path, function = pathlib.Path(folder, "src/engine/sim", name), ""
        for number, line in enumerate(path.read_text().splitlines()):
            start = re.match(r"[a-z].*?(\w+)\(", line)
            function = start[1] if start else function
            is_code = line.startswith(" ") and not line.lstrip().startswith(("*", "/*", "#", "static const", "for ("))
            if (not is_code or re.search("decode_fail|out_of_memory", line)
                    or not re.fullmatch(functions or ".*", function) or re.fullmatch(LEFT_OUT, function)):
                continue
            for pattern, replacement in OPERATORS:
                for match in re.finditer(pattern, line):
                    yield path, number, line[:match.start()] + replacement + line[match.end():]
            if STATEMENT.match(line) and "free(" not in line:
                yield path, number, ";"


def verdict(folder, programs):
    """Returns how the judge finds the mutant, or "survived"."""
    for seed, count in (("1", min(programs, 400)), ("2", programs)):
        judge = subprocess.Popen([f"{folder}/tests/judge/judge.py", f"{folder}/build/host/judge_run", "--programs",
                                  str(count), "--seed", seed, "--stop", "--most", "1"], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            said = judge.communicate(timeout=60 + count / 20)[0]
        except subprocess.TimeoutExpired:
            os.killpg(judge.pid, signal.SIGKILL)
            return "hangs"
        if judge.returncode != 0:
            return said.partition("\n")[0]
    return "survived"


def main():
    folder, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    programs = int(sys.argv[4]) if len(sys.argv) > 4 else 20000
    chosen = random.Random(seed).sample(list(mutants(folder)), count)
    found = compiled = 0
    for path, number, new in chosen:
        lines, started = path.read_text().splitlines(), time.monotonic()
        old, lines[number] = lines[number], new
        before = path.read_text()
        path.write_text("\n".join(lines) + "\n")
        build = subprocess.run(["cmake", "--build", f"{folder}/build/host", "--target", "judge_run"],
                               capture_output=True)
        answer = verdict(folder, programs) if build.returncode == 0 else "does not compile"
        path.write_text(before)
        compiled += build.returncode == 0
        found += build.returncode == 0 and answer != "survived"
        print(f"{path.name}:{number + 1}: `{old.strip()}` -> `{new.strip()}`: {answer[:100]} "
              f"({time.monotonic() - started:.0f} s)", flush=True)
    print(f"{found} of {compiled} found")


if __name__ == "__main__":
    main()
