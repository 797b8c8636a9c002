#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the verdicts of the simulator with those of judges, for generated programs:

    judge.py JUDGE_RUN [--programs N] [--seed S] [--minutes M] [--only NUMBER] [--most N]
             [--stop] [--opinion WORD]

Program NUMBER of a seed is always the same. The seed `small` has all programs of three operations. Prints what the
programs were decided by, and the first N disagreements (5 unless told), with reduced programs. With --stop, ends after
a disagreement, and does not reduce it. --opinion ignores all but one: trace, generator, law or executions. The exit
status is 1 if there was a disagreement.
"""
import argparse
import collections
import random
import sys
import time

import executions
import generate
import laws
import trace_judge
from program import name_of, write_module
from reduce import reduce, table
from runner import Engine

BATCH = 200
WAYS = [("independent", "sequential"), ("lockstep", "sequential"), ("independent", "reverse")]
MOST_EXECUTIONS = 300
DELAYS = [(1,), (2,), (4,), (1, 3), (2, 5)]
# The least shares of all programs, so that no change of the generator leaves out a path in silence. Of those that
# neither race nor are a fault, one run decides at least half.
QUOTAS = {"decided": 0.2, "race": 0.3, "exact": 0.15, "fault": 0.02, "law": 1.0, "executions": 0.2}


class Judge:
    def __init__(self, path, opinion):
        self.opinion = opinion
        self.default, self.exact = Engine(path, False), Engine(path, True)
        self.counts = collections.Counter()

    def close(self):
        self.default.close()
        self.exact.close()

    def load(self, programs):
        text = write_module(programs)
        self.default.load(text)
        self.exact.load(text)
        return text

    # ---- One batch ----

    def judge(self, programs):
        """Yields (program number, sentence) for each disagreement."""
        text = trace_judge.read_text(self.load(programs))
        names = [name_of(p, program) for p, program in enumerate(programs)]
        first = list(self.default.run([(name, program, *WAYS[0], False) for name, program in zip(names, programs)]))
        wanted = [WAYS if p % 4 == 0 or not laws.is_barrier_program(program) else WAYS[:2]
                  for p, program in enumerate(programs)]
        wanted = [[*ways, *program.ways] for ways, program in zip(wanted, programs)]
        traced = self.exact.run([(name, program, *way, True) for name, program, ways in zip(names, programs, wanted)
                                 for way in ways])
        for p, program in enumerate(programs):
            runs = [(way, next(traced)) for way in wanted[p]]
            for sentence in self.opinions(text, program, first[p], runs):
                yield p, sentence

    def opinions(self, text, program, first, runs):
        faults = [answer.fault for _, answer in runs]
        if first.fault != faults[0]:
            yield f"trace: the fault differs with and without the quick check: {first.fault}, {faults[0]}"
        if program.fault is not None and any(bool(fault) != program.fault for fault in faults):
            yield f"generator: fault: {faults}"
        if any(faults) or any("long" in answer.trace[-1:] for _, answer in runs):
            self.counts[program.family, "fault" if any(faults) else "long"] += 1
            return
        judged = []
        for way, answer in runs:
            verdict = self.of_trace(answer, text)
            judged.append(bool(verdict.races))
            yield from self.compare(way, answer, verdict)
        self.counts[program.family, "decided" if first.decided else "race" if first.race_count else "exact"] += 1
        if first.decided and any(judged):
            yield "trace: one run decides, and the trace races"
        if first.decided and any(answer.memory != first.memory for _, answer in runs):
            yield "trace: one run decides, and the results differ"
        if not first.decided and first.race_count != runs[0][1].race_count:
            yield "trace: the exact check differs with and without the quick one"
        found = [answer.race_count > 0 for _, answer in runs]
        if program.label is True and (first.decided or not any(found)):
            yield "generator: it must race"
        if program.label is False and (any(found) or first.race_count):
            yield "generator: it must not race"

    @staticmethod
    def of_trace(answer, text):
        verdicts = [trace_judge.judge(run, text) for run in trace_judge.runs(answer.trace)]
        both = verdicts[0]
        for verdict in verdicts[1:]:
            for mine, other in ((both.races, verdict.races), (both.may, verdict.may),
                                (both.differences, verdict.differences)):
                mine += other
        return both

    @staticmethod
    def compare(way, answer, verdict):
        for difference in verdict.differences[:1]:
            yield f"trace: {' '.join(way)}: {difference}"
        sentence = trace_judge.disagreement(verdict, [(race[0], race[2], race[4]) for race in answer.races])
        if sentence:
            yield f"trace: {' '.join(way)}: {sentence}"

    # ---- Laws, and small programs ----

    def judge_laws(self, programs, draw):
        changed = [(p, *law) for p, program in enumerate(programs) for law in laws.apply(program, draw.choice)]
        everything = [*programs, *[after for _, _, after, _ in changed]]
        self.load(everything)
        answers = list(self.default.run([(name_of(p, program), program, "independent", schedule, False)
                                         for p, program in enumerate(everything)
                                         for schedule in ("sequential", "reverse")]))
        both = [answers[2 * p:2 * p + 2] for p in range(len(everything))]
        races = [any(answer.race_count or answer.fault for answer in pair) for pair in both]
        for k, (p, name, _, effect) in enumerate(changed):
            self.counts["law", name] += 1
            if not both[p][0].fault and laws.is_broken(effect, races[p], races[len(programs) + k]):
                yield p, f"law: {name}: must have {effect}"

    def judge_executions(self, programs):
        small = [(p, program) for p, program in enumerate(programs) if executions.is_small(program)
                 and program.blocks * program.threads <= 3 and program.size <= 6]
        if not small:
            return
        self.load([program for _, program in small])
        answers = list(self.default.run([(name_of(k, program), program, "independent", "sequential", False)
                                         for k, (_, program) in enumerate(small)]))
        yield from self.judge_delays(small)
        for (p, program), answer in zip(small, answers):
            if answer.fault:
                continue
            try:
                states = list(executions.executions(program, MOST_EXECUTIONS))
            except OverflowError:
                self.counts["executions", "too many"] += 1
                continue
            self.counts["executions", "decided" if answer.decided else "exact"] += 1
            racing = any(verdict.races for state in states
                         for verdict in map(trace_judge.judge, trace_judge.runs([*state.trace, "done\n"])))
            if answer.race_count and not racing:
                yield p, "executions: none races"
            if answer.decided and racing:
                yield p, "executions: one run decides, and an execution races"
            if answer.decided and {state.result() for state in states} != {answer.memory}:
                yield p, "executions: one run decides, and they have other results"

    def judge_delays(self, small):
        """Each schedule with delays has the results that it has by the interpreter. Shared memory has a prologue, which
        the interpreter does not know."""
        asked = [(p, name_of(k, program), program, delays) for k, (p, program) in enumerate(small)
                 if not any(statement.shared for statement in program.launches[0]) for delays in DELAYS]
        answers = self.exact.run([(name, program, "independent", "-".join(map(str, ("delay", *delays))), False)
                                  for _, name, program, delays in asked])
        for (p, _, program, delays), answer in zip(asked, answers):
            self.counts["executions", "delayed"] += 1
            if not answer.fault and answer.memory != executions.run(program, delays).result():
                yield p, f"executions: other results with the delays {delays}"

    def all(self, programs, draw):
        for opinions in (self.judge(programs), self.judge_laws(programs, draw), self.judge_executions(programs)):
            for p, sentence in opinions:
                if sentence.startswith(self.opinion):
                    yield p, sentence

    def says(self, sentence, program):
        """Returns whether it says something similar of another program. Its lines are other ones."""
        def kind(of):
            return of.split(":")[-1][:24]
        try:
            return any(kind(other) == kind(sentence) for _, other in self.all([program], random.Random(1)))
        except RuntimeError:  # the simulator does not take it
            return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("judge_run")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--only", type=int)
    parser.add_argument("--most", type=int, default=5)
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--opinion", default="", help="only trace, generator, law or executions")
    options = parser.parse_args()
    judge, started, wrong = Judge(options.judge_run, options.opinion), time.monotonic(), 0
    numbers = [options.only] if options.only is not None else range(options.programs)
    done = 0
    for start in range(0, len(numbers), BATCH):
        if options.minutes and time.monotonic() - started > 60 * options.minutes or options.stop and wrong:
            break
        batch = numbers[start:start + BATCH]
        programs = [generate.random_program(options.seed, number) for number in batch]
        disagreements = {}
        for p, sentence in judge.all(programs, random.Random(f"{options.seed} laws {start}")):
            disagreements.setdefault(p, []).append(sentence)
        done += len(batch)
        for p, sentences in disagreements.items():
            wrong += 1
            if wrong <= options.most:
                print(f"program {batch[p]} of seed {options.seed}: {'; '.join(sentences)}")
                print(table(programs[p] if options.stop else
                            reduce(programs[p], lambda program: judge.says(sentences[0], program))))
    judge.close()
    counts = collections.Counter()
    for (family, found), number in judge.counts.items():
        counts[family if family in QUOTAS else found] += number
    if done >= BATCH and options.seed != "small":
        missed = [way for way, share in QUOTAS.items() if counts[way] < share * done]
        missed += ["decided"] * (counts["decided"] < counts["exact"])
        wrong += len(missed)
        print("".join(f"too few: {way}, {counts[way]}\n" for way in missed), end="")
    print(f"{done} programs, {wrong} disagreements, {time.monotonic() - started:.1f} s")
    for key, count in sorted(judge.counts.items(), key=str):
        print(f"  {count:7} {' '.join(key)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
