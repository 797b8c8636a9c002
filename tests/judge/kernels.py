#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the races of kernels: kernels.py [--law LAW] COMMAND ...

Runs the command, which writes traces (record.c), such as `traced races --block 32`, `traced check FILE LAUNCH` or a
test. Compares what the race checker has found in each run with what the trace judge finds. The exit status is 1 if they
differ in a run, or if the command could not do its work: a test is killed, another command ends with another status
than 0 or 1, or there is no run to judge. Tests may fail, for a trace makes each case run as requested.

With a law of edit_ptx.py, runs the command twice, with its PTX as it is and edited. Compares the races of each run.
"""
import itertools
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import edit_ptx
import laws
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


def judge_part(folder, part, parts):
    """Judges each run whose number is `part`, modulo `parts`. Returns the numbers of runs that it has judged, that race
    and that are too long, and the sentences of disagreement."""
    counts, sentences, number = [0, 0, 0], [], 0
    for path in sorted(pathlib.Path(folder).iterdir()):
        with path.open(encoding="utf-8") as trace:
            for events, races in runs_with_races(trace):
                number += 1
                if number % parts != part:
                    continue
                if events[-1] == "long\n":
                    counts[2] += 1
                    continue
                counts[0] += 1
                counts[1] += any(not is_strong for _, _, is_strong in races)
                verdict = trace_judge.judge(next(trace_judge.runs(events)))
                sentence = trace_judge.disagreement(verdict, races, has_lines=(0, 0, 0) not in races)
                sentences += [f"run {number}: {sentence}"] if sentence else []
    return counts, sentences


def traced(command, folder, law):
    """Runs the command. Returns whether it could do its work."""
    edit = {"SIMTCHECK_EDIT": f"{pathlib.Path(__file__).parent}/edit_ptx.py {law}"} if law else {}
    pathlib.Path(folder).mkdir(exist_ok=True)
    status = subprocess.run(command, env={**os.environ, "SIMTCHECK_TRACE": folder, **edit},
                            stdout=subprocess.DEVNULL).returncode
    return status >= 0 if "/test_" in command[0] else status in (0, 1)


def judge_all(command):
    parts = os.cpu_count()
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool() as pool:
        good = traced(command, folder, "")
        answers = pool.starmap(judge_part, [(folder, part, parts) for part in range(parts)])
    judged, racing, long = (sum(counts[k] for counts, _ in answers) for k in range(3))
    wrong = [sentence for _, sentences in answers for sentence in sentences]
    return good and judged > 0, wrong, f"{judged} runs judged, {racing} race, {long} too long"


def is_whole(events):
    """Returns whether all blocks came to their end. A fault may hide a race."""
    names = [event.partition(" ")[0] for event in events]
    return names[-1].strip() == "long" or names.count("block") == names.count("end")


def without_repetitions(runs):
    """Leaves out runs that repeat an earlier one: a command repeats a case whose race it describes. A repetition with
    another verdict stays, and then the numbers of runs differ."""
    seen = set()
    for events, races in runs:
        run = "".join(events), any(not is_strong for _, _, is_strong in races)
        if run not in seen:
            seen.add(run)
            yield events, races


def compare_with_law(command, law):
    """The runs must be the same ones, so the command may have one worker only."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        good = all([traced(command, f"{folder}/{edit or 'as_it_is'}", edit) for edit in ("", law)])
        good = good and pathlib.Path(folder, "edited").exists()  # a law that changes nothing says nothing
        for edit in ("", law):
            paths = sorted(path for path in pathlib.Path(folder, edit or "as_it_is").iterdir())
            lines = itertools.chain(*(path.open(encoding="utf-8") for path in paths))
            found.append([any(not is_strong for _, _, is_strong in races) if is_whole(events) else None
                          for events, races in without_repetitions(runs_with_races(lines))])
    wrong = [f"run {number}: races before and after: {pair}" for number, pair in enumerate(zip(*found))
             if None not in pair and laws.is_broken(edit_ptx.LAWS[law][0], *pair)]
    compared = [before for before, after in zip(*found) if None not in (before, after)]
    if len(found[0]) != len(found[1]):
        wrong.append(f"there are {len(found[0])} and {len(found[1])} runs")
    return good and compared != [], wrong, f"{law}: {len(compared)} runs compared, {sum(compared)} race"


def main():
    if sys.argv[1] == "--law":
        command = sys.argv[3:]
        good, wrong, summary = compare_with_law(command, sys.argv[2])
    else:
        command = sys.argv[1:]
        good, wrong, summary = judge_all(command)
    for sentence in wrong[:5]:
        print(sentence)
    print(f"{' '.join(command)}: {summary}, {len(wrong)} disagreements{'' if good else ', but it failed'}", flush=True)
    return 1 if wrong or not good else 0


if __name__ == "__main__":
    sys.exit(main())
