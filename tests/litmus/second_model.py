#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the outcomes of `simtcheck litmus --model` with those of a second, slower model, for random tests:
second_model.py SIMTCHECK COUNT SEED.

The second model is written with sets of pairs, and tries each total order of the writes and of the fences.
"""
import itertools
import random
import re
import subprocess
import sys
import tempfile

SCOPES = ["cta", "gpu", "sys"]


# ---- Random tests: each thread is a list of instructions, each a tuple ----

def random_instruction(choose, number, variables):
    scope, variable, constant = choose(SCOPES), choose(variables), choose([1, 2])
    kind = choose(["ld"] * 5 + ["st"] * 5 + ["atom", "red", "fence", "fence"])
    if kind == "ld":
        return kind, choose(["weak", "relaxed", "acquire"]), scope, variable, f"r{number}"
    if kind == "st":
        return kind, choose(["weak", "relaxed", "release"]), scope, variable, constant
    if kind == "atom":
        order = choose(["relaxed", "acquire", "release", "acq_rel"])
        return kind, order, scope, variable, f"r{number}", choose(["add", "exch", "cas"]), constant
    if kind == "red":
        return kind, choose(["relaxed", "release"]), scope, variable
    return kind, choose(["sc", "sc", "acq_rel"]), scope


def random_test(choose):
    threads = choose([2, 2, 3])
    rows = 2 if threads == 3 else choose([2, 3])
    variables = choose([["x"], ["x", "y"], ["x", "y", "z"]])
    program = [[random_instruction(choose, k, variables) for k in range(rows)] for _ in range(threads)]
    return variables, [choose([0, 1]) for _ in range(threads)], program


def instruction_text(instruction):
    kind, order, scope, *rest = instruction
    opcode = f"{kind}.{order}" + ("" if order == "weak" else f".{scope}")
    if kind == "ld":
        return f"{opcode} {rest[1]}, {rest[0]}"
    if kind == "st":
        return f"{opcode} {rest[0]}, {rest[1]}"
    if kind == "atom":
        operands = f"0, {rest[3]}" if rest[2] == "cas" else rest[3]
        return f"{opcode}.{rest[2]} {rest[1]}, {rest[0]}, {operands}"
    return f"{opcode}.add {rest[0]}, 1" if kind == "red" else opcode


def terms_of(variables, program):
    registers = [f"P{t}:{i[4]}" for t, thread in enumerate(program) for i in thread if i[0] in ("ld", "atom")]
    return registers + variables


def test_text(number, variables, blocks, program):
    head = " | ".join(f"P{t}@cta {block}" for t, block in enumerate(blocks))
    rows = "".join(" " + " | ".join(instruction_text(thread[k]) for thread in program) + " ;\n"
                   for k in range(len(program[0])))
    condition = " /\\ ".join(f"{term} == 0" for term in terms_of(variables, program))
    return (f"PTX R{number}\n{{ {' '.join(f'{v} = 0;' for v in variables)} }}\n {head} ;\n{rows}"
            f"exists ({condition})\n")


# ---- Relations ----

def closure(relation):
    relation = set(relation)
    while True:
        more = {(a, d) for a, b in relation for c, d in relation if b == c} - relation
        if not more:
            return relation
        relation |= more


def then(first, second):
    return {(a, d) for a, b in first for c, d in second if b == c}


def reflexive(relation):
    return any(a == b for a, b in relation)


# ---- The model: chapter 8 of the PTX ISA ----

class Event:
    def __init__(self, thread, kind, order, scope, variable, **more):
        self.thread, self.kind, self.order, self.scope, self.variable = thread, kind, order, scope, variable
        self.value = more.get("value")      # of a write of a constant
        self.compute = more.get("compute")  # of a write that needs the value that `read` has read
        self.read = more.get("read")
        self.compare = more.get("compare")  # of a cas: whether it succeeds
        self.is_reduction = more.get("is_reduction", False)
        self.strong = thread >= 0 and order != "weak"
        self.releases = self.strong and (kind == "F" or kind == "W" and order in ("release", "acq_rel"))
        self.acquires = self.strong and (kind == "F" or kind == "R" and order in ("acquire", "acq_rel"))


def events_of(variables, program, successes):
    """Returns the events, the read of each register, and the pairs of read-modify-writes."""
    events = [Event(-1, "W", "weak", None, v, value=0) for v in variables]
    registers, atomic, successes = {}, set(), iter(successes)
    for t, thread in enumerate(program):
        for kind, order, scope, *rest in thread:
            if kind == "fence":
                events.append(Event(t, "F", order, scope, None))
            elif kind == "st":
                events.append(Event(t, "W", order, scope, rest[0], value=rest[1]))
            else:
                operation = rest[2] if kind == "atom" else "add" if kind == "red" else "ld"
                read = len(events)
                compare = next(successes) if operation == "cas" else None
                events.append(Event(t, "R", order, scope, rest[0], compare=compare, is_reduction=kind == "red"))
                if kind != "red":
                    registers[f"P{t}:{rest[1]}"] = read
                if operation == "ld" or compare is False:
                    continue
                constant = rest[3] if kind == "atom" else 1
                compute = {"add": lambda old, c=constant: old + c, "cas": lambda old, c=constant: c}.get(operation)
                atomic.add((read, len(events)))
                events.append(Event(t, "W", order, scope, rest[0], read=read, compute=compute,
                                    value=constant if operation == "exch" else None))
    return events, registers, atomic


def orders_of(items, related):
    """Returns the orders of the related pairs that total orders of the items give."""
    return {frozenset((a, b) for a, b in itertools.combinations(order, 2) if (a, b) in related)
            for order in itertools.permutations(items)}


def outcomes_for(variables, blocks, program, successes):
    events, registers, atomic = events_of(variables, program, successes)
    numbers = range(len(events))
    pairs = [(a, b) for a in numbers for b in numbers if a != b]
    starts = {(a, b) for a, b in pairs if events[a].thread < 0 <= events[b].thread}
    program_order = {(a, b) for a, b in pairs if events[a].thread == events[b].thread >= 0 and a < b}
    same = {(a, b) for a, b in pairs if events[a].variable and events[a].variable == events[b].variable}
    writes = [a for a in numbers if events[a].kind == "W"]
    reads = [a for a in numbers if events[a].kind == "R"]

    def in_scope(a, b):
        return events[a].scope != "cta" or blocks[events[a].thread] == blocks[events[b].thread]

    strong = {(a, b) for a, b in pairs
              if min(events[a].thread, events[b].thread) >= 0
              and ((a, b) in same or not events[a].variable or not events[b].variable)
              and (events[a].thread == events[b].thread
                   or events[a].strong and events[b].strong and in_scope(a, b) and in_scope(b, a))}
    one = {(a, a) for a in numbers}
    release = {(a, b) for a, b in program_order | one
               if events[a].releases and events[b].kind == "W" and events[b].strong
               and (events[a].kind == "F" or events[a].variable == events[b].variable)}
    acquire = {(a, b) for a, b in program_order | one
               if events[b].acquires and events[a].kind == "R" and events[a].strong and not events[a].is_reduction
               and (events[b].kind == "F" or events[a].variable == events[b].variable)}
    depends = {(r, w) for r, w in atomic if events[w].compute}
    fences = [a for a in numbers if events[a].kind == "F" and events[a].order == "sc"]
    found = set()
    for sources in itertools.product(*[[w for w in writes if (w, r) in same and (r, w) not in atomic] for r in reads]):
        source = dict(zip(reads, sources))
        reads_from = {(w, r) for r, w in source.items()}
        if reflexive(closure(reads_from | depends)):
            continue  # out of thin air

        def written(w):
            return events[w].value if events[w].value is not None else events[w].compute(value(events[w].read))

        def value(r):
            return written(source[r])

        if any(events[r].compare is not None and events[r].compare != (value(r) == 0) for r in reads):
            continue
        observed = strong & reads_from
        observation = observed | then(observed, closure(then(atomic, observed)))
        synchronizes = strong & then(then(release, observation), acquire)
        for fence_order in orders_of(fences, strong):
            base = closure(program_order | starts | synchronizes | fence_order)
            preserved = base & same
            causality = preserved | then(observation, preserved)
            related = strong | causality | {(b, a) for a, b in causality}
            if any((b, a) in base for a, b in fence_order):
                continue  # Fence-SC
            choices = [orders_of([w for w in writes if events[w].variable == v], related) for v in variables]
            for orders in itertools.product(*choices):
                coherence = closure(set().union(*orders) | {(a, b) for a, b in starts & same if b in writes})
                from_read = {(r, b) for w, r in reads_from for a, b in coherence if a == w}
                communication = strong & (reads_from | coherence | from_read)
                if (reflexive(coherence)
                        or any(a in writes and b in writes and (a, b) not in coherence for a, b in causality)
                        or then(strong & from_read, strong & coherence) & atomic
                        or reflexive(closure(communication | program_order & same))
                        or reflexive(then(reads_from | from_read, causality))):
                    continue
                ends = [w for w in writes if not any(a == w for a, b in coherence)]
                last = [[written(w) for w in ends if events[w].variable == v] for v in variables]
                for final in itertools.product(*last):
                    found.add(tuple(value(registers[t]) if t in registers else final[variables.index(t)]
                                    for t in terms_of(variables, program)))
    return found


def outcomes_of(variables, blocks, program):
    count = sum(i[0] == "atom" and i[5] == "cas" for thread in program for i in thread)
    return set().union(*[outcomes_for(variables, blocks, program, successes)
                         for successes in itertools.product([False, True], repeat=count)])


# ---- Comparison ----

def outcomes_of_simtcheck(program, text):
    """Returns the outcomes of each test."""
    with tempfile.NamedTemporaryFile("w", suffix=".litmus") as file:
        file.write(text)
        file.flush()
        output = subprocess.run([program, "litmus", "--model", file.name], capture_output=True, text=True, check=True)
    found = {}
    for line in output.stdout.splitlines():
        if re.match(r"R\d+ ", line):
            found[line.split()[0]] = outcomes = set()
        elif line.startswith("    "):
            outcomes.add(tuple(int(value) for value in re.findall(r"=(\d+)", line)))
    return found


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tests = [random_test(random.Random(f"{seed} {k}").choice) for k in range(count)]
    texts = [test_text(k, *test) for k, test in enumerate(tests)]
    found = outcomes_of_simtcheck(program, "".join(texts))
    differ = 0
    for k, test in enumerate(tests):
        expected = outcomes_of(*test)
        if found[f"R{k}"] != expected:
            differ += 1
            print(texts[k], "only simtcheck:", sorted(found[f"R{k}"] - expected),
                  "only the second model:", sorted(expected - found[f"R{k}"]))
    print(f"{count} tests, {sum(len(outcomes) for outcomes in found.values())} outcomes, {differ} tests differ")
    return differ != 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
