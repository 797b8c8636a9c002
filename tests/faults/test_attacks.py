#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_attacks.py SIMTCHECK NVCC [ci | open]: kernels, programs and inputs that were made to get a wrong verdict.

Each row of attacks/attacks.tsv has these columns:

    round    the round of attacks that it is from
    when     `ci`: also in CI; `nightly`; `open`: simtcheck is still wrong here. The last argument selects rows;
             without it, all run but the open ones
    command  `check`: FILE, LAUNCH and options; `exec`: the program of programs.cu that LAUNCH names; `sh`: the shell
             runs LAUNCH in a new folder with ok.cu. It has $S (simtcheck), $E (the program), $G (a right launch), $W (a
             wrong one) and $Q (options that make a check short)
    file, launch, options
    status   the right exit status
    word     what the output must contain
    reason   what is wrong in it, or `right: ...`

Rows run with the simulator and nvcc, unless their options name a compiler.
"""
import concurrent.futures
import csv
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

ATTACKS = pathlib.Path(__file__).parent / "attacks"
COLUMNS = ["round", "when", "command", "file", "launch", "options", "status", "word", "reason"]
LIMIT = 300
OK = """__global__ void ok(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = x[i];
}
__global__ void bad(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        o[i] = x[i];
}
"""
ARRAYS = "<<<(n + 63) / 64, 64>>>(in int x[n], out int o[n], n)"


def command_of(row, simtcheck, program):
    if row["command"] == "check":
        before, dashes, flags = row["options"].partition("-- ")
        options = shlex.split(before)
        if "--compiler" not in options:
            options += ["--compiler", "nvcc"]
        return [simtcheck, "check", row["file"], row["launch"], "--engine", "sim", *options,
                *([dashes.strip()] if dashes else []), *shlex.split(flags)]
    if row["command"] == "exec":
        return [simtcheck, "exec", *shlex.split(row["options"]), "--", program, row["launch"]]
    return ["bash", "-c", row["launch"]]


def run(row, simtcheck, program):
    """Returns what is wrong with a row, or an empty text, and its seconds."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "ok.cu").write_text(OK, encoding="utf-8")
        variables = {"S": simtcheck, "E": program, "G": "ok" + ARRAYS, "W": "bad" + ARRAYS,
                     "Q": "--engine sim --compiler nvcc --size 1,5 --model independent"}
        try:
            ended = subprocess.run(command_of(row, simtcheck, program), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False,
                                   env=os.environ | variables, cwd=folder if row["command"] == "sh" else ATTACKS)
        except subprocess.TimeoutExpired:
            return f"runs longer than {LIMIT} s", time.monotonic() - start
    output = ended.stdout.decode(errors="replace")
    wrong = [] if str(ended.returncode) == row["status"] else [f"exit status {ended.returncode}, not {row['status']}"]
    wrong += [] if row["word"] in output else [f"the output lacks '{row['word']}'"]
    return "; ".join(wrong) + ("\n" + output if wrong else ""), time.monotonic() - start


def main():
    simtcheck, nvcc, which = os.path.abspath(sys.argv[1]), sys.argv[2], (sys.argv + [""])[3]
    with open(ATTACKS / "attacks.tsv", encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    if not rows or any(list(row) != COLUMNS or None in row.values() for row in rows):
        sys.exit(f"attacks.tsv: each row has the columns {', '.join(COLUMNS)}")
    rows = [row for row in rows if (row["when"] == which if which else row["when"] != "open")]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "programs")
        if any(row["command"] == "exec" or "$E" in row["launch"] for row in rows):
            subprocess.run([nvcc, "-std=c++17", "-g", "-lineinfo", "-cudart", "shared", "-arch=compute_90",
                            "-code=compute_90", "-o", program, ATTACKS / "programs.cu"], check=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda row: run(row, simtcheck, program), rows))
    failed = 0
    for row, (wrong, seconds) in zip(rows, results):
        if os.environ.get("ATTACKS_TIMES"):
            print(f"{seconds:.1f} s: {row['file']} {row['launch']} {row['options']}")
        if wrong:
            failed += 1
            print(f"{row['command']} {row['file']} '{row['launch']}' {row['options']} ({row['reason']}): {wrong}")
    print(f"{len(rows)} rows, {failed} wrong")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
