# SPDX-License-Identifier: MIT
"""Changes of programs whose effect on the verdict is known, without a judge."""
import dataclasses

from program import LANES, WORDS, Program, Statement, Who

SAME, FEWER, MORE = "as before", "no race that was not there", "every race that was there"


def edit(program, change):
    """Replaces each statement by those that change(statement) returns."""
    return program.replace(**{name: tuple(tuple(new for statement in launch for new in change(statement))
                                          for launch in getattr(program, name)) for name in ("launches", "children")})


def is_barrier_program(program):
    """The order of its threads does not depend on what they read."""
    return program.family.startswith("barriers")


def add_access(program, choose):
    number = choose(range(len(program.launches)))
    launch = program.launches[number]
    end = len(launch)
    if any(s.kind in ("skip", "pass") for s in launch):  # not between what decides about it and its end
        end = next((k for k, s in enumerate(launch) if s.kind in ("poll", "atom", "pass")), 0)
        if program.family == "wild":
            return None
    where = choose(range(end + 1))
    access = Statement(choose(["ld", "st"]), Who(choose(range(program.blocks)), 0, 0, 1), at=4 * WORDS - 64)
    if launch and choose([False, True]):  # or a read of what others access
        accesses = [statement for statement in launch if statement.reads or statement.writes]
        access = dataclasses.replace(access, kind="ld", at=choose(accesses).at // 4 * 4) if accesses else access
    launches = list(program.launches)
    launches[number] = launch[:where] + (access,) + launch[where:]
    return program.replace(launches=tuple(launches)), MORE


def add_barrier(program, choose):
    if not is_barrier_program(program) or any(s.kind == "exit" for launch in program.launches for s in launch):
        return None
    number = choose(range(len(program.launches)))
    launch = program.launches[number]
    where = choose(range(len(launch) + 1))
    launches = list(program.launches)
    launches[number] = launch[:where] + (Statement("barrier"),) + launch[where:]
    return program.replace(launches=tuple(launches)), FEWER


def widen_scopes(program, choose):
    wide = edit(program, lambda s: [dataclasses.replace(s, scope="cluster" if s.kind.startswith("mbar") else "sys")])
    return (wide, FEWER) if wide != program else None


def split_vectors(program, choose):
    def split(statement):
        if "." not in statement.type:
            return [statement]
        part = statement.type.partition(".")[2]
        bytes = int(part[1:]) // 8
        return [dataclasses.replace(statement, type=part, at=statement.at + at)
                for at in range(0, statement.bytes, bytes)]
    if any(s.kind in ("skip", "pass") for launch in program.launches for s in launch):  # they count statements
        return None
    after = edit(program, split)
    return (after, SAME) if after != program else None


def swap_blocks(program, choose):
    last = program.blocks - 1
    if last == 0 or not is_barrier_program(program):
        return None

    def swap(s):
        who = s.who if s.who.block is None else dataclasses.replace(s.who, block=last - s.who.block)
        return [dataclasses.replace(s, who=who, at=s.at + last * s.by_block, by_block=-s.by_block)]
    return edit(program, swap), SAME


def exchange(program, choose):
    """Neighbouring accesses of different threads, the other way round."""
    if not is_barrier_program(program):
        return None
    launches = []
    for launch in program.launches:
        for k in range(len(launch) - 1):
            a, b = launch[k:k + 2]
            threads = [set(s.who.threads_of(program.blocks, program.threads)) for s in (a, b)]
            if a.has_address and b.has_address and not threads[0] & threads[1] and choose([True, False]):
                launch = launch[:k] + (b, a) + launch[k + 2:]
        launches.append(launch)
    after = program.replace(launches=tuple(launches))
    return (after, SAME) if after != program else None


def rename_words(program, choose):
    return edit(program, lambda s: [dataclasses.replace(s, at=s.at + 128) if s.has_address else s]), SAME


def add_warp(program, choose):
    return program.replace(idle=LANES), SAME


def repeat(program, choose):
    if program.together or any(s.kind in ("skip", "poll") for launch in program.launches for s in launch):
        return None  # what it does depends on what is in memory
    return program.replace(launches=program.launches * 2), SAME


LAWS = [add_access, add_barrier, widen_scopes, split_vectors, swap_blocks, exchange, rename_words, add_warp, repeat]


def is_broken(effect, before, after):
    """before, after: whether the programs race."""
    return before != after if effect == SAME else after and not before if effect == FEWER else before and not after


def apply(program: Program, choose):
    """Yields (name, changed program, effect) of some laws that apply, or of all if the program is small. What a thread
    sees before it gives up depends on the schedule, so no law has an effect on that."""
    gives_up = any(s.kind == "look" for launch in program.launches for s in launch)
    laws, most = [] if gives_up else LAWS[:], 2 if program.size > 5 else len(LAWS)
    while laws and most > 0:
        law = choose(laws)
        laws.remove(law)
        changed = law(program, choose)
        if changed is not None:
            most -= 1
            yield law.__name__, *changed
