# SPDX-License-Identifier: MIT
"""All executions of small programs: an interpreter of programs, without PTX, and a search of all interleavings.

Two interleavings that differ only in the order of neighbouring steps that do not conflict have the same order of
accesses, so only one of them is tried (sleep sets: Godefroid, Partial-Order Methods, 1996).
"""
from program import LANES, WORDS, Statement, Who

KINDS = {"ld": 0, "poll": 0, "st": 1, "red": 4, "atom": 4}  # as in outcome.h
VOLATILE = 2
SCOPE_NUMBERS = {"cta": 0, "cluster": 1, "gpu": 2, "sys": 3}
ORDER_NUMBERS = {"": 0, "relaxed": 0, "volatile": 0, "acquire": 1, "release": 2, "acq_rel": 3, "sc": 3}
MASK = 0xffffffff
RESULT = (Statement("result"),) * 2  # in the end, each thread adds to what it has left: a load and a store


def is_small(program):
    """Returns whether the interpreter knows all that the program does."""
    known = ("ld", "st", "red", "atom", "fence", "barrier", "syncwarp", "exit")
    return (len(program.launches) == 1 and program.cluster == 1
            and all(s.kind in known and s.type in ("u8", "u16", "u32", "u64")
                    and (s.kind != "barrier" or s.who == Who()) for s in program.launches[0]))


def atomic(function, old, value, bytes):
    most, sign = (1 << 8 * bytes) - 1, 1 << 8 * bytes - 1
    return {"add": lambda: old + value & most, "min": lambda: min(old, value), "max": lambda: max(old, value),
            "MIN": lambda: min(old ^ sign, value ^ sign) ^ sign, "MAX": lambda: max(old ^ sign, value ^ sign) ^ sign,
            "and": lambda: old & value, "or": lambda: old | value, "xor": lambda: old ^ value,
            "exch": lambda: value, "cas": lambda: value if old == 0 else old,
            "inc": lambda: 0 if old >= value else old + 1}[function]()


class State:
    """An execution so far. A thread is (block, number in its block)."""

    def __init__(self, program):
        self.program, self.statements = program, program.launches[0]
        self.threads = [(b, t) for b in range(program.blocks) for t in range(program.threads)]
        self.at = {thread: 0 for thread in self.threads}  # number of its next statement
        self.got = {thread: 0 for thread in self.threads}
        self.waits = {}  # thread: what it waits at
        self.exited = set()
        self.memory = {None: bytearray(4 * WORDS), **{b: bytearray(4 * WORDS) for b in range(program.blocks)}}
        self.trace = ["run independent\n"] + [f"block {b + 1} 0 0 {program.threads}\n" for b in range(program.blocks)]
        for thread in self.threads:
            self.skip_others(thread)

    def copy(self):
        new = object.__new__(State)
        new.__dict__.update(self.__dict__)
        new.at, new.got, new.waits = dict(self.at), dict(self.got), dict(self.waits)
        new.exited, new.trace = set(self.exited), list(self.trace)
        new.memory = {key: bytearray(value) for key, value in self.memory.items()}
        return new

    def skip_others(self, thread):
        """Goes on to the next statement in which the thread takes part. After the last one, the thread exits."""
        while self.at[thread] < len(self.statements) and not self.statements[self.at[thread]].who.has(*thread):
            self.at[thread] += 1
        if self.at[thread] == len(self.statements) + len(RESULT):
            self.exit(thread)

    def exit(self, thread):
        self.exited.add(thread)
        self.trace.append(f"exit {thread[0] + 1} {thread[1]} 0\n")
        for waiting in list(self.waits):
            if waiting[0] == thread[0] and waiting in self.waits:
                self.pass_if_met(self.statements[self.waits[waiting]], waiting)

    def can_run(self):
        return [thread for thread in self.threads if thread not in self.exited and thread not in self.waits]

    def next(self, thread):
        return (*self.statements, *RESULT)[self.at[thread]]

    def step(self, thread):
        statement = self.next(thread)
        if statement.kind == "exit":
            self.got[thread] = 0  # it does not leave it
            self.exit(thread)
            return
        if statement.kind in ("barrier", "syncwarp"):
            self.waits[thread] = self.at[thread]
            self.pass_if_met(statement, thread)
            return
        if statement.kind == "result":
            pass
        elif statement.kind == "fence":
            self.trace.append(f"fence {thread[0] + 1} {thread[1]} {SCOPE_NUMBERS[statement.scope]} "
                              f"{ORDER_NUMBERS[statement.order]}\n")
        else:
            self.access(statement, thread)
        self.at[thread] += 1
        self.skip_others(thread)

    def pass_if_met(self, statement, thread):
        block = thread[0]
        if statement.kind == "barrier":
            needed = [other for other in self.threads if other[0] == block and other not in self.exited]
            line = f"barrier {block + 1}\n"
        else:
            warp = thread[1] // LANES
            needed = [(block, t) for b, t in self.threads if b == block and t // LANES == warp
                      and statement.mask >> t % LANES & 1 and (b, t) not in self.exited]
            lanes = sum(1 << t % LANES for _, t in needed)
            line = f"warp {block + 1} {warp} {lanes:x}\n"
        if not all(other in self.waits and self.statements[self.waits[other]] == statement for other in needed):
            return
        self.trace.append(line)
        for other in needed:
            del self.waits[other]
            self.at[other] += 1
        for other in needed:
            self.skip_others(other)

    def access(self, statement, thread):
        block, number = thread
        space, first = (block if statement.shared else None), statement.offset(block, number)
        memory = self.memory[space]
        is_volatile = statement.order == "volatile"
        kind = KINDS[statement.kind] | VOLATILE * is_volatile
        line = (f"{block + 1} {number} {block + 1 if statement.shared else 0} {first} {statement.bytes} {kind} "
                f"{self.at[thread] + 1} 0")
        if statement.is_strong and not is_volatile:
            self.trace.append(f"strong {line} {SCOPE_NUMBERS[statement.scope]} {ORDER_NUMBERS[statement.order]}\n")
        else:
            self.trace.append(f"access {line}\n")
        old = int.from_bytes(memory[first:first + statement.bytes], "little")
        new = statement.operand
        if statement.kind in ("red", "atom"):
            new = atomic(statement.function, old, statement.operand, statement.bytes)
        if statement.writes:
            memory[first:first + statement.bytes] = new.to_bytes(statement.bytes, "little")
        if statement.kind in ("ld", "atom"):
            self.got[thread] = self.got[thread] * 5 + old & MASK

    def result(self):
        """Returns memory as judge_run writes it."""
        words = [int.from_bytes(self.memory[None][4 * k:4 * k + 4], "little") for k in range(WORDS)]
        return " ".join([f"m{k}={word:x}" for k, word in enumerate(words) if word]
                        + [f"r{k}={self.got[thread]:x}" for k, thread in enumerate(self.threads) if self.got[thread]])


def conflict(a, thread, b, other):
    """Returns whether the order of two steps of different threads can matter."""
    if not all(s.reads or s.writes for s in (a, b)) or not (a.writes or b.writes):
        return False
    if a.shared != b.shared or a.shared and thread[0] != other[0]:
        return False
    first, second = a.offset(*thread), b.offset(*other)
    return first < second + b.bytes and second < first + a.bytes


def executions(program, most):
    """Yields the final state of an execution of each class. Raises OverflowError after `most`."""
    count, stack = 0, [(State(program), frozenset())]
    while stack:
        state, asleep = stack.pop()
        ready = state.can_run()
        if not ready:
            count += 1
            if count > most:
                raise OverflowError
            yield state
            continue
        done = set()
        for thread in ready:
            if thread in asleep:
                continue
            statement = state.next(thread)
            after = state.copy()
            after.step(thread)
            stack.append((after, frozenset(other for other in asleep | done
                                           if not conflict(statement, thread, state.next(other), other))))
            done.add(thread)


def run(program, delays=()):
    """Runs as the schedules `sequential` and `delay-N` do: the lowest thread runs until it must wait, and the thread
    that reaches a point of `delays` waits until no other can run. Returns the final state."""
    state, point, held = State(program), 0, []
    counted = set()
    while True:
        ready = state.can_run()
        free = [thread for thread in ready if thread not in held]
        if not ready:
            return state
        if not free:
            held.clear()
            continue
        thread = free[0]
        while thread in state.can_run() and thread not in held:
            statement: Statement = state.next(thread)
            if statement.kind not in ("fence", "exit") and (thread, state.at[thread]) not in counted:
                point += 1
                counted.add((thread, state.at[thread]))
                if point in delays:
                    held.append(thread)
                    break
            state.step(thread)
            if statement.kind in ("barrier", "syncwarp"):
                break
