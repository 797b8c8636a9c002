# SPDX-License-Identifier: MIT
"""Makes a program smaller while it still shows a disagreement, and prints it."""
import dataclasses

from program import LANES, Who

PLAIN = {"branch": False, "called": False, "shared": False, "type": "u32", "order": "", "scope": "gpu", "by_lane": 0,
         "modulo": 0, "by_warp": 0, "by_block": 0, "value": 1}


def smaller(program):
    """Yields programs that are simpler in one respect."""
    for number, launch in enumerate(program.launches):
        others = program.launches[:number] + program.launches[number + 1:]
        if others:
            yield program.replace(launches=others)
        for k in range(len(launch)):
            yield with_launch(program, number, launch[:k] + launch[k + 1:])
    for blocks in range(1, program.blocks):
        yield program.replace(blocks=blocks)
    for threads in (1, 2, 3, LANES, LANES + 1):
        if threads < program.threads:
            yield program.replace(threads=threads)
    if program.idle:
        yield program.replace(idle=0)
    for number, launch in enumerate(program.launches):
        for k, statement in enumerate(launch):
            changes = [{name: value} for name, value in PLAIN.items() if getattr(statement, name) != value]
            changes += [{"at": at} for at in (0, 4) if at < statement.at]
            changes += [{"who": who} for who in (Who(0, 0, 0, 1), Who(0, 0, 1, 2), Who(1, 0, 0, 1), Who(0, 1, 0, 1))
                        if who != statement.who and statement.kind not in ("barrier", "syncwarp")
                        and (statement.who.high - statement.who.low > 1 or None in (statement.who.block,
                                                                                     statement.who.warp))]
            for change in changes:
                yield with_launch(program, number, launch[:k] + (dataclasses.replace(statement, **change),)
                                  + launch[k + 1:])


def with_launch(program, number, launch):
    return program.replace(launches=program.launches[:number] + (launch,) + program.launches[number + 1:])


def reduce(program, fails, most=300):
    program = program.replace(label=None, fault=program.fault and None)
    if not fails(program):
        return program
    again = True
    while again and most > 0:
        again = False
        for other in smaller(program):
            most -= 1
            if most <= 0:
                break
            if other.size and fails(other):
                program, again = other, True
                break
    return program


def describe(statement):
    default = {field.name: field.default for field in dataclasses.fields(statement) if field.name != "kind"}
    words = [f"{name}={getattr(statement, name)}" for name, value in default.items()
             if name != "who" and getattr(statement, name) != value]
    who = statement.who
    threads = "" if who == Who() else f"block {who.block} warp {who.warp} lanes {who.low}-{who.high - 1}: "
    return f"{threads}{statement.kind} {' '.join(words)}"


def table(program):
    lines = [f"    {program.blocks} blocks of {program.threads} threads"]
    for number, launch in enumerate(program.launches):
        lines += [f"    {f'launch {number}: ' if len(program.launches) > 1 else ''}{describe(s)}" for s in launch]
    lines += [f"    child {k}: {describe(s)}" for k, child in enumerate(program.children) for s in child]
    return "\n".join(lines)
