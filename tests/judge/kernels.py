#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the races of kernels: kernels.py COMMAND ...

Runs the command, which writes traces (record.c), such as `traced races --block 32`, `traced check FILE LAUNCH` or a
test. Compares what the race checker has found in each run with what the trace judge finds. The exit status is 1 if they
differ in a run, or if the command could not do its work: a test is killed, another command ends with another status
than 0 or 1, or there is no run to judge. Tests may fail, for a trace makes each case run as requested.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import trace_judge


def runs_with_races(lines):
    """Yields (run, races that the checker has found in it) of the lines of a trace."""
    events, races = [], []
    for line in lines:
        if line.startswith("run ") and events:
            yield events, races
            events, races = [], []
        if line.startswith("found "):
            races.append(tuple(map(int, line.split()[1:])))
        else:
            events.append(line)
    if events:
        yield events, races


def disagreement(run, races):
    """Returns a sentence, or None."""
    verdict = trace_judge.judge(run)
    lines = {frozenset((pair.first.line, pair.second.line)) for pair in verdict.races}
    may = lines | {frozenset((pair.first.line, pair.second.line)) for pair in verdict.may}
    found = {frozenset((first, second)) for first, second, is_strong in races if not is_strong}
    if found - may:
        return f"the checker alone reports the lines {sorted(map(sorted, found - may))}"
    return f"the judge alone reports the lines {sorted(map(sorted, lines))}" if lines and not found else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        command = subprocess.run(sys.argv[1:], env={**os.environ, "SIMTCHECK_TRACE": folder}, stdout=subprocess.DEVNULL)
        judged = racing = long = wrong = 0
        for path in sorted(pathlib.Path(folder).iterdir()):
            with path.open(encoding="utf-8") as trace:
                for events, races in runs_with_races(trace):
                    if events[-1] == "long\n":
                        long += 1
                        continue
                    judged += 1
                    racing += any(not is_strong for _, _, is_strong in races)
                    sentence = disagreement(next(trace_judge.runs(events)), races)
                    if sentence is not None:
                        wrong += 1
                        print(f"run {judged + long}: {sentence}")
    print(f"{' '.join(sys.argv[1:])}: exit status {command.returncode}, {judged} runs judged, {racing} race, "
          f"{long} too long, {wrong} disagreements")
    good = command.returncode >= 0 if "/test_" in sys.argv[1] else command.returncode in (0, 1)
    return 1 if wrong or judged == 0 or not good else 0


if __name__ == "__main__":
    sys.exit(main())
