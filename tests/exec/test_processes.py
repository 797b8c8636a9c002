#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_processes.py SIMTCHECK PROGRAM [python]: runs the modes of processes.c by `simtcheck exec`.

With `python`, also a program in Python that loads the driver.
"""
import json
import os
import subprocess
import sys
import tempfile

BAD = ["out-of-bounds-write"]

# mode: exit status of exec, exit status of the program, rules of the findings
MODES = {
    "good": (0, 0, []),
    "bad": (1, 1, BAD),
    "fork-first": (1, 700 % 256, BAD),
    "fork-unused": (0, 0, []),
    "fork-used": (1, 3, ["invalid-call"]),
    "spawn": (1, 1, BAD),
    "system": (1, 1, BAD),
    "destructor": (0, 0, []),
    "thread": (7, 7, []),
    "host-function": (7, 7, []),
    "signal": (143, 143, []),
    "abort": (134, 134, []),
    "abort-after": (1, 134, BAD),
    "become": (3, 0, []),
    "orphan": (0, 0, []),
    "daemon": (1, 0, BAD),
    "left": (3, 0, []),
    "clear-environment": (1, 0, BAD),
    "descriptors": (1, 0, BAD),
    "other-files": (1, 0, BAD),
    "file-size": (3, 0, []),
    "file-size-for-a-time": (1, 0, BAD),
}
# mode: why not all was checked
SAYS = {
    "become": "processes' was killed, called _exit() or execve(), or could not write its report",
    "left": "a process that the program started still runs",
    "file-size": "processes' was killed, called _exit() or execve(), or could not write its report",
}

# A function by its name, from a library whose symbols are not global. It is missing.
BY_NAME = """
import ctypes
library = ctypes.CDLL("libcuda.so.1")
found = ctypes.c_void_p()
assert library.cuInit(0) == 0
assert library.cuGetProcAddress_v2(b"cuNoSuchFunction", ctypes.byref(found), 13000, ctypes.c_uint64(0), None) == 500
assert library.cuGetProcAddress_v2(b"cuIpcGetMemHandle", ctypes.byref(found), 13000, ctypes.c_uint64(0), None) == 0
assert ctypes.CFUNCTYPE(ctypes.c_int)(found.value)() == 801
assert library.cuMemCreate() == 801
"""


# A command of a shell, the options of exec, what standard error must say and how often. $0 is the program.
TWICE = "$0 bad; $0 bad; exit 3"
TEXTS = [
    (TWICE, [], {"error: out-of-bounds write": 1, "found 2 times": 1,
                 "sh  FAIL  1 out-of-bounds write, exit status 3 of the program": 1}),
    (TWICE, ["--quiet"], {"\n": 1, "sh  FAIL  1 out-of-bounds write": 1}),
    (TWICE, ["--color", "always"], {"\033[1;31merror: ": 1, "\033[1;31mFAIL": 1}),
    ("exec $0 bad", [], {"error: out-of-bounds write": 1, "found": 0, "launched by use_gpu at ": 1, "\033": 0}),
    ("exec $0 bad", ["--quiet"], {"\n": 1, "sh  FAIL  1 out-of-bounds write, exit status 1": 1}),
    ("exec $0 bad", ["--color", "always"], {"\033[1;31merror: ": 1, "\033[1;31mFAIL": 1}),
    ("exec $0 bad 2>/dev/null", [], {"error: out-of-bounds write": 1}),
    ("exec $0 bad 2>&1", [], {"error: out-of-bounds write": 1}),
    ("$0 file-size; true", [], {"error: out-of-bounds write": 1}),
    ("$0 bad & wait", [], {"error: out-of-bounds write": 1}),
    ("strip -g -o program $0; exec ./program bad", [], {"note: in store, launched by use_gpu\n": 1}),
    ("strip -o program $0; exec ./program bad", [], {"note: in store, launched by the program\n": 1}),
    ("strip -g -o program $0; exec ./program fork-used", [], {"note: called by use_gpu; compile with -g": 1}),
    ("$0 abort-idle; $0 good", [], {"sh  PASS  no finding\n": 1, "    1 launch, simulator": 1}),
    ("exec $0 abort-after", [], {"    2 launches, simulator": 1}),
    ("exec $0 good", ["--quiet"], {"sh  PASS  no finding\n": 1, "\n": 1}),
    ("exec $0 good", ["--json", "/dev/full"], {"sh  PASS  no finding\n": 1, "exec  PARTIAL\n": 1}),
]

# exit status of the program: that of exec, its verdict
STATUSES = {0: (0, "PASS"), 1: (1, "FAIL"), 2: (1, "FAIL"), 3: (1, "FAIL"), 4: (4, "FAIL"), 77: (77, "SKIPPED")}


def wrong_statuses(simtcheck, program):
    wrong = False
    for own, (status, verdict) in STATUSES.items():
        for mode, expected in (("good", (status, verdict)), ("bad", (1, "FAIL"))):
            ended = subprocess.run([simtcheck, "exec", "--", "sh", "-c", f"$0 {mode}; exit {own}", program], text=True,
                                   capture_output=True, check=False)
            if (ended.returncode, f"sh  {expected[1]}" in ended.stderr) != (expected[0], True):
                print(f"{mode}, {own}: {ended.returncode}\n{ended.stderr}")
                wrong = True
    return wrong


def wrong_texts(simtcheck, program):
    wrong = False
    for command, options, texts in TEXTS:
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run([simtcheck, "exec", *options, "--", "sh", "-c", command, program], text=True,
                                   capture_output=True, check=False, cwd=folder)
        for text, count in texts.items():
            if ended.stderr.count(text) != count or ended.stdout != "":
                print(f"{command} {options}: not {count} times {text!r}:\n{ended.stderr}{ended.stdout}")
                wrong = True
    return wrong


def run(simtcheck, command):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "json")
        ended = subprocess.run([simtcheck, "exec", "--json", path, "--", *command], capture_output=True, text=True,
                               check=False)
        with open(path, encoding="utf-8") as text:
            findings = json.load(text)["launches"][0]["findings"]
    return ended, findings


def main():
    simtcheck, program = sys.argv[1:3]
    failed = wrong_texts(simtcheck, program)
    failed = wrong_statuses(simtcheck, program) or failed
    for mode, (status, own, rules) in MODES.items():
        ended, findings = run(simtcheck, [program, mode])
        found = [finding["rule"] for finding in findings]
        says = [f"exit status {own} of the program" if own else "", SAYS.get(mode, "")]
        if ((ended.returncode, found, ended.stdout) != (status, rules, "") or
                any(text not in ended.stderr for text in says)):
            print(f"{mode}: status {ended.returncode}, {found}, {ended.stdout}\n{ended.stderr}")
            failed = True
    if "python" not in sys.argv[3:]:  # It cannot load a library with AddressSanitizer.
        return failed
    ended, findings = run(simtcheck, [sys.executable, "-c", BY_NAME])
    found = [finding["message"].split("; ")[0] for finding in findings]
    if found != [f"simtcheck exec does not support {name}()" for name in ("cuIpcGetMemHandle", "cuMemCreate")]:
        print(f"by name: {found}\n{ended.stderr}")
        failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
