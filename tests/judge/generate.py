# SPDX-License-Identifier: MIT
"""Makes small concurrent programs. Program `number` of a seed is always the same. The seed `small` has each of the
SMALL_PROGRAMS smallest ones.

Each random program uses a random part of the features (swarm testing), so that rare combinations occur. Programs of the
family `barriers` are synchronized by barriers, __syncwarp() and ends of grids only. Most are ordered by construction;
half of these then lose one edge of that order. So their label is known.
"""
import dataclasses
import random

from patterns import PATTERNS, pattern
from program import BYTES, LANES, RESTRICTED, WORDS, Order, Program, Statement, Who, barrier_races

SHAPES = [(1, 2), (1, 3), (2, 1), (2, 2), (3, 2), (1, 4), (2, 4)] * 2 + [(1, 32), (1, 33), (1, 64), (2, 32), (2, 33),
                                                                        (1, 96)]
COMMUTING = ["add", "min", "max", "MIN", "MAX", "and", "or", "xor"]


# ---- Random statements ----

class Features:
    """What one random program may use."""

    def __init__(self, choose, quick):
        self.spaces = choose([[False], [True], [False, True]])
        self.types = choose([["u32"], ["u32"], ["u32", "u64"], ["u32", "u64", "v4.u32"], ["u32", "f32", "v2.u32"],
                             ["u8"], ["u16"], ["u8", "u32"], ["u16", "u32", "u64"]])
        self.functions = choose([[], ["add"], ["add", "max"], ["min", "MIN"], COMMUTING]) if quick else \
            choose([[], ["add"], COMMUTING + ["exch", "cas", "inc"]])
        self.returns = False if quick else choose([False, True])
        self.rows = choose([False, True])
        self.calls = choose([False, False, True])
        self.exits = choose([False, False, True])
        self.warps = choose([False, True])
        self.orders = [""] if quick else choose([[""], ["", "volatile"], ["", "relaxed", "release", "acquire"],
                                                 ["volatile", "relaxed"]])
        self.scopes = ["gpu"] if quick else choose([["gpu"], ["gpu", "cta"], ["cta", "cluster", "gpu", "sys"]])
        self.fences = False if quick else choose([False, True])
        self.places = [choose([0, 4, 8, 12, 16, 32, 64]) for _ in range(choose([1, 1, 2, 2, 3]))]


def random_who(choose, program, features):
    warps = (program.threads + LANES - 1) // LANES
    block = choose([None] + list(range(program.blocks)) * 2)
    warp = choose([None] + list(range(warps)) * 2)
    kind = choose(["lane"] * 3 + ["warp"] + (["warp", "half"] if features.rows else []))
    lanes = min(LANES, program.threads)
    if kind == "lane":
        lane = choose([0, 0, 1, lanes - 1])
        return Who(block, warp, lane, lane + 1)
    if kind == "half":
        return Who(block, warp, *choose([(0, lanes // 2), (lanes // 2, lanes), (1, lanes)]))
    return Who(block, warp)


def fit(statement):
    """The statement, with an order, a function and a type that its instruction has."""
    kind, type, order, function = statement.kind, statement.type, statement.order, ""
    if kind in ("red", "atom"):
        order = "" if order == "volatile" else order
        function = statement.function or "add"
        if kind == "red" and function in ("exch", "cas"):  # they return a value
            function = "add"
        if type not in ("u32", "u64") or function == "inc":
            type = "u32"
    if kind in ("st", "red") and order in ("acquire", "acq_rel"):
        order = "release" if kind == "red" else "relaxed"
    if kind in ("ld", "poll", "rounds") and order in ("release", "acq_rel"):
        order = "relaxed"
    if kind in ("poll", "copy", "rounds") and type != "u32":
        type = "u32"
    return dataclasses.replace(statement, type=type, order=order, function=function)


def random_access(choose, program, features):
    kind = choose(["ld", "ld", "st", "st"] + (["red"] if features.functions else [])
                  + (["atom"] if features.functions and features.returns else []))
    who, shared = random_who(choose, program, features), choose(features.spaces)
    if kind in ("red", "atom"):
        order = choose(["", "", "relaxed", "acquire", "release", "acq_rel"]) if len(features.orders) > 2 else ""
    else:
        order = choose(features.orders)
    function = choose(features.functions or [""])
    fitting = fit(Statement(kind, type=choose(features.types), order=order, function=function))
    type, order, function, scope = fitting.type, fitting.order, fitting.function, choose(features.scopes)
    bytes = BYTES[type]
    by_lane = bytes * choose([0, 0, 1, 1, 2]) if who.high - who.low > 1 else 0
    if by_lane * (LANES - 1) + bytes > 2 * WORDS:  # the array is too small for all lanes
        by_lane = bytes if bytes < 16 else 0
    at = choose(features.places) // bytes * bytes
    if bytes < 4:
        at += choose([0, bytes])
    called = features.calls and not shared and kind in ("st", "red") and choose([False, True])
    return Statement(kind, who, choose([False, True]), called, shared, type, order, scope, function, at, by_lane,
                     choose([0, 0, 2, 8]) if by_lane else 0,
                     choose([0, 128]) if who.warp is None and program.threads > LANES and not by_lane else 0,
                     choose([0, 128]) if who.block is None and program.blocks > 1 else 0, choose([0, 1, 2, 3]))


def random_synchronization(choose, program, features):
    kinds = ["barrier"] * (program.threads > 1) + ["syncwarp"] * (1 + features.warps)
    kind = choose(kinds)
    if kind == "barrier":
        return Statement("barrier", aligned=choose([True, True, False]))
    lanes = min(LANES, program.threads)
    whole = (1 << lanes) - 1
    if program.threads % LANES and program.threads > LANES:  # the last warp has few lanes
        warp = choose(range(program.threads // LANES))
        return Statement("syncwarp", Who(choose([None, 0]), warp), mask=0xffffffff)
    # Lanes that exit after an operation with a smaller mask would be missing in the next whole one, which is a fault.
    mask = choose([whole, whole, whole if features.exits else 3])
    high = LANES if mask == whole else 2
    return Statement("syncwarp", Who(None, choose([None, 0]), 0, high), mask=mask)


# ---- Families ----

def barriers(choose, chance):
    """A program that is ordered by barriers, or that has lost one edge, or any."""
    blocks, threads = choose(SHAPES)
    program = Program((), blocks, threads)
    features = Features(choose, True)
    wanted = choose(["ordered", "ordered", "ordered", "cut", "cut", "any"])
    launches, order = [], Order(program, min(BYTES[type] for type in features.types))
    for _ in range(choose([1, 1, 1, 2])):
        for _ in range(choose([3, 4, 5, 6, 8])):
            if chance() < 0.3:
                order.add(random_synchronization(choose, program, features))
                continue
            if features.exits and chance() < 0.15:
                order.add(Statement("exit", random_who(choose, program, features), choose([False, True])))
                continue
            for _ in range(6):
                access = random_access(choose, program, features)
                if wanted == "any" or not order.races_with(access):
                    order.add(access)
                    break
        launches.append(tuple(order.launch))
        order.end_launch()
    program = program.replace(launches=tuple(launches), family="barriers-" + wanted)
    if wanted == "cut":
        program = cut(choose, program)
    return program.replace(label=label_of(program))


def label_of(program):
    """A thread that reads the value of a strong write is ordered after it. So a race of a strong write may show under
    some schedules only, unless nothing reads before the plain access."""
    races = barrier_races(program)
    for (launch, a), (_, b) in races:
        statements = program.launches[launch]
        plain = [k for k in (a, b) if not statements[k].is_strong]
        if len(plain) == 2 or plain and not any(s.is_strong and s.reads for s in statements[:plain[0]]):
            return True
    return None if races else False


def cut(choose, program):
    """Takes away one edge such that the program races, if one edge suffices."""
    ways = []
    for number, launch in enumerate(program.launches):
        for k, statement in enumerate(launch):
            changed = []
            if statement.kind in ("barrier", "syncwarp"):
                changed.append(())
            if statement.kind == "barrier":
                changed.append((Statement("syncwarp", mask=(1 << min(LANES, program.threads)) - 1),)
                               if program.threads <= LANES or program.threads % LANES == 0 else ())
            if statement.kind in ("ld", "st", "red"):
                changed.append((dataclasses.replace(statement, kind="st", function="", order=""),))
                changed.append((dataclasses.replace(statement, who=Who()),))
            ways += [(number, k, with_) for with_ in changed]
    for _ in range(min(4, len(ways))):
        number, k, with_ = choose(ways)
        launches = list(program.launches)
        launches[number] = launches[number][:k] + with_ + launches[number][k + 1:]
        after = program.replace(launches=tuple(launches))
        if barrier_races(after):
            return after
    return program


def tight(choose, chance):
    """Two or three threads and one word: the rules of the quick check."""
    first, second = Who(0, 0, 0, 1), Who(0, 0, 1, 2)
    blocks, threads, actors = choose([(1, 2, [first, second]), (1, 33, [first, Who(0, 1, 0, 1)]),
                                      (2, 1, [Who(0), Who(1)]), (2, 2, [first, second, Who(1, 0, 0, 1)])])
    shared = choose([False, False, blocks == 1])
    access = [("ld", "u32", ""), ("st", "u32", ""), ("red", "u32", "add"), ("red", "u32", "add"),
              choose([("red", "u32", "max"), ("red", "u64", "add"), ("ld", "u64", ""), ("st", "u64", ""),
                      ("st", "u16", "")])]
    statements = []
    for _ in range(choose([3, 3, 4, 5])):
        if chance() < 0.2:
            mask = (1 << min(LANES, threads)) - 1
            statements.append(choose([Statement("barrier"), Statement("syncwarp", Who(None, 0), mask=mask)]))
            continue
        kind, type, function = choose(access)
        statements.append(Statement(kind, choose(actors), shared=shared, type=type, function=function, at=8))
    program = Program((tuple(statements),) * choose([1, 1, 1, 2]), blocks, threads, family="barriers-tight")
    return program.replace(label=label_of(program))


def strong(choose, chance):
    """Any program with strong accesses and fences."""
    blocks, threads = choose([(1, 2), (2, 1), (2, 2), (3, 1), (1, 33), (1, 3), (2, 32)])
    program = Program((), blocks, threads)
    features = Features(choose, False)
    statements = []
    for _ in range(choose([4, 6, 8, 10])):
        draw = chance()
        if draw < 0.15 and features.fences:
            who = random_who(choose, program, features)
            order = choose(["acq_rel", "acq_rel", "sc", "acquire", "release"])
            scope = "cluster" if order in RESTRICTED else choose(features.scopes)
            statements.append(Statement("fence", who, order=order, scope=scope))
        elif draw < 0.25:
            statements.append(random_synchronization(choose, program, features))
        else:
            statements.append(random_access(choose, program, features))
    return program.replace(launches=(tuple(statements),), family="strong")


def skipped_barrier(choose, chance):
    """Whole barriers in branches. It is a fault if some threads of a block skip one and others wait there."""
    blocks, threads = choose([(1, 2), (1, 33), (2, 2), (1, 64), (2, 3)])
    program, features = Program((), blocks, threads), Features(choose, True)
    statements = []
    for _ in range(choose([1, 2, 3, 4])):
        if choose([True, False]):
            at = 2 * WORDS
            statements.append(Statement("st", random_who(choose, program, features), choose([True, False]), at=at))
            continue
        who = choose([Who(), Who(choose(range(blocks))), random_who(choose, program, features)])
        statements.append(Statement("barrier", who, choose([True, False]), aligned=choose([True, False])))
    for _ in range(choose([0, 1, 1, 2])):
        statements.insert(choose(range(len(statements))),
                          Statement("pass", random_who(choose, program, features), times=choose([1, 2, 3])))
    end = -1  # No pass ends after the pass around it. Otherwise it is not clear where their paths meet.
    for k, statement in enumerate(statements):
        if statement.kind == "pass":
            times = min(statement.times, end - k) if k <= end else statement.times
            statements[k] = dataclasses.replace(statement, times=times)
            end = k + times if k > end else end
    return program.replace(launches=(tuple(statements),), fault=skips(program, statements), family="skipped_barrier")


def skips(program, statements):
    """Returns whether some threads of a block skip a barrier at which others wait. None: PTX may permit it."""
    everyone = Who().threads_of(program.blocks, program.threads)
    passed, there = {}, []  # there: the threads that execute each statement
    for k, statement in enumerate(statements):
        there.append({thread for thread in everyone if statement.who.has(*thread) and passed.get(thread, 0) <= k})
        if statement.kind == "pass":
            passed.update({thread: k + 1 + statement.times for thread in there[k]})
    for k, statement in enumerate(statements):
        blocks = {block for block, _ in there[k]}
        others = {thread for thread in everyone if thread[0] in blocks} - there[k]
        if statement.kind == "barrier" and others:
            # PTX permits that threads which have done nothing else wait at another barrier, if it is not aligned.
            after = next((n for n in range(k + 1, len(statements))
                          if statements[n].kind != "pass" and there[n] & others), None)
            if after is None:
                return True
            # After a pass, the two barriers may be in the two branches of a condition.
            together = others if passed else set(everyone)
            permitted = not statement.aligned and statements[after].kind == "barrier" and together <= there[after]
            return None if permitted else True
    return False


def wild(choose, chance):
    """A pattern, or one that is cut, after a few random changes. It may hang or be a fault."""
    program, statements, cuts = choose(PATTERNS)(choose)
    statements = choose([statements, *cuts])
    if isinstance(statements, Program):
        program, statements = statements, statements.launches[0]
    statements, features = list(statements), Features(choose, False)
    for _ in range(choose([1, 1, 2, 3])):
        k, other = choose(range(len(statements))), choose(range(len(statements)))
        what = choose(["drop", "move", "add", "add", "change", "change", "change", "change"])
        if what == "drop" and len(statements) > 1:
            del statements[k]
        elif what == "move":
            statements.insert(other, statements.pop(k))
        elif what == "add":
            near = dataclasses.replace(random_access(choose, program, features), at=choose(
                [s.at for s in statements if s.has_address] or [0]) // 16 * 16 + choose([0, 0, 4]), type="u32")
            poll = Statement("poll", random_who(choose, program, features), order="acquire", times=3)
            fence = Statement("fence", near.who, order=choose(["acq_rel", "sc"]), scope=choose(["cta", "gpu"]))
            statements.insert(k, fit(choose([near, near, near, poll, fence, random_synchronization(
                choose, program, features), Statement("exit", random_who(choose, program, features))])))
        else:
            s = statements[k]
            changes = [{"who": random_who(choose, program, features)}, {"branch": not s.branch},
                       {"aligned": not s.aligned}]
            if s.reads or s.writes:
                changes += [{"order": choose(["", "volatile", "relaxed", "acquire", "release"])},
                            {"kind": choose(["ld", "st", "red", "atom"]), "times": 0},
                            {"shared": choose([True, False]), "peer": None, "called": False},
                            {"type": choose(["u32", "u64", "v2.u32"])},
                            {"scope": choose(["cta", "cluster", "gpu", "sys"])}]
                if program.cluster > 1:
                    changes += [{"shared": True, "peer": choose([0, 1]), "called": False}] * 3
            statements[k] = fit(dataclasses.replace(s, **choose(changes)))
    launches = (tuple(statements), *program.launches[1:])
    return program.replace(launches=launches, fault=None, family="wild")


# ---- The smallest programs ----

ONE = Who(0, 0, 0, 1)
PLACEMENTS = [(1, 2, 1, Who(0, 0, 1, 2)), (1, 33, 1, Who(0, 1, 0, 1)), (2, 1, 1, Who(1, 0, 0, 1)),
              (2, 1, 2, Who(1, 0, 0, 1))]  # blocks, threads, size of a cluster, where the second thread is
ACCESSES = [Statement(kind, order=order, function=function)
            for kind, order, function in (("ld", "", ""), ("st", "", ""), ("ld", "volatile", ""),
                                          ("st", "volatile", ""), ("red", "", "add"), ("atom", "", "add"),
                                          ("ld", "acquire", ""), ("st", "release", ""))]
OTHERS = [Statement("fence", order="acq_rel"), Statement("barrier")]
BOTH_WORDS = [dataclasses.replace(access, at=at) for access in ACCESSES for at in (0, 4)]
SMALL = [PLACEMENTS, ACCESSES, [True, False], BOTH_WORDS + OTHERS, BOTH_WORDS]
SMALL_PROGRAMS = 4 * 8 * 2 * 18 * 16


def small(number):
    """Three operations of two threads on two words. The first thread makes the first one, and maybe the second one."""
    parts = []
    for choices in SMALL:
        parts.append(choices[number % len(choices)])
        number //= len(choices)
    (blocks, threads, cluster, second), first, is_first, middle, last = parts
    if middle.kind != "barrier":
        middle = dataclasses.replace(middle, who=ONE if is_first else second)
    statements = dataclasses.replace(first, who=ONE), middle, dataclasses.replace(last, who=second)
    return Program((statements,), blocks, threads, cluster, family="small")


FAMILIES = [(barriers, 4.5), (tight, 4.5), (strong, 1.2), (pattern, 1.6), (wild, 1.5), (skipped_barrier, 1),
            (lambda choose, _: small(choose(range(SMALL_PROGRAMS))), 1)]


def random_program(seed, number):
    if seed == "small":
        return small(number)
    draw = random.Random(f"{seed} {number}")
    family = draw.choices([family for family, _ in FAMILIES], [weight for _, weight in FAMILIES])[0]
    return family(draw.choice, draw.random)
