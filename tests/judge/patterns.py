# SPDX-License-Identifier: MIT
"""Programs that are ordered by construction, and ways to take away one edge of that order.

A pattern returns a program without statements, its statements, and cuts: other lists of statements, which lack one
edge. It may also return a program instead of each list. After a cut the program races, in a schedule in which the
reader comes after the writer.
"""
import dataclasses

from program import Program, Statement, Who

DATA, FLAG, PARTS, NOISE = 0, 4, 32, 512  # bytes


def change(statements, k, *replacement):
    return [*statements[:k], *replacement, *statements[k + 1:]]


def weaken(statements, k, **changes):
    return change(statements, k, dataclasses.replace(statements[k], **changes))


def one(block, warp, lane):
    return Who(block, warp, lane, lane + 1)


def message(choose):
    """Writes data, then a flag. Another thread polls the flag, then reads or writes the data."""
    blocks, threads, writer, reader, across = choose(
        [(1, 2, one(0, 0, 0), one(0, 0, 1), False), (1, 33, one(0, 0, 0), one(0, 1, 0), False),
         (2, 1, one(0, 0, 0), one(1, 0, 0), True), (2, 2, one(0, 0, 1), one(1, 0, 0), True)])
    scope = choose(["gpu", "sys"]) if across else choose(["cta", "gpu", "sys"])
    releases, acquires = choose([True, False]), choose([True, False])
    kind, function = choose([("st", ""), ("atom", "add"), ("atom", "exch"), ("atom", "or"), ("red", "add")])
    data = Statement("st", writer, choose([True, False]), type=choose(["u32", "f32"]), at=DATA)
    statements = [data]
    if not releases:
        statements.append(Statement("fence", writer, order=choose(["acq_rel", "sc"]), scope=scope))
    statements.append(Statement(kind, writer, order="release" if releases else "relaxed", scope=scope, at=FLAG,
                                function=function))
    statements.append(Statement("poll", reader, order="acquire" if acquires else "relaxed", scope=scope, at=FLAG,
                                times=3))
    statements.append(Statement("skip", reader, times=1 if acquires else 2))
    if not acquires:
        statements.append(Statement("fence", reader, order=choose(["acq_rel", "sc"]), scope=scope))
    statements.append(dataclasses.replace(data, who=reader, kind=choose(["ld", "st"])))
    flag, poll = (1, 2) if releases else (2, 3)
    cuts = [weaken(statements, flag, order="relaxed") if releases else change(statements, 1),
            weaken(statements, poll, order="relaxed") if acquires else
            weaken(change(statements, poll + 2), poll + 1, times=1),
            [data, Statement("fence", writer, order="acq_rel", scope=scope),
             Statement("ld", writer, order="relaxed", scope=scope, at=FLAG),  # what it reads, it does not publish
             Statement("ld", reader, order="acquire", scope=scope, at=FLAG), statements[-1]]]
    cuts += [weaken(statements, 1, order="acquire", scope="cluster")] * (not releases)
    cuts += [weaken(statements, poll + 2, order="release", scope="cluster")] * (not acquires)
    if releases:
        cuts.append([data, statements[1],  # a read of another size acquires nothing
                     Statement("ld", reader, order="acquire", scope=scope, at=FLAG, type="u16"), statements[-1]])
    if across:
        cuts += [weaken(statements, k, scope="cta") for k, statement in enumerate(statements)
                 if statement.kind not in ("ld", "st", "skip") or statement.order]
    return Program((), blocks, threads), statements, cuts


def last_adds(choose):
    """Each block writes its part, and counts. The last one reads all parts."""
    blocks, who, scope = choose([2, 3]), one(None, 0, 0), choose(["gpu", "sys"])
    fences = choose([True, False])
    fence = [Statement("fence", who, order=choose(["acq_rel", "sc"]), scope=scope)] * fences
    count = Statement("atom", who, order="" if fences else "acq_rel", scope=scope, at=FLAG, function="add")
    statements = [Statement("st", who, at=PARTS, by_block=4), *fence, count,
                  Statement("skip", who, times=blocks + fences, value=blocks - 1), *fence,
                  *[Statement("ld", who, at=PARTS + 4 * block) for block in range(blocks)]]
    at = statements.index(count)
    cuts = [weaken(statements, at, scope="cta")]
    if fences:
        cuts += [change(statements, at - 1), weaken(statements, at - 1, scope="cta"),
                 weaken(change(statements, at + 2), at + 1, times=blocks), weaken(statements, at + 2, scope="cta")]
    else:
        cuts += [weaken(statements, at, order=order) for order in ("relaxed", "acquire", "release")]
    return Program((), blocks, choose([1, 2])), statements, cuts


def named_barrier(choose):
    """A warp arrives at a barrier with a number, and another one waits there."""
    number, aligned = choose([0, 1, 15]), choose([True, False])
    arrives, waits = Who(None, 0), Who(None, 1)
    arrive = Statement(choose(["arrive", "barrier"]), arrives, number=number, count=64, aligned=aligned)
    wait = Statement("barrier", waits, number=number, count=64, aligned=aligned)
    write = Statement("st", arrives, at=DATA, by_lane=4, by_block=128)
    read = Statement("ld", waits, at=DATA, by_lane=4, by_block=128, modulo=choose([0, 8]))
    cuts = [[arrive, write, wait, read], [write, arrive, read, wait]]
    if arrive.kind == "arrive":
        cuts.append([write, arrive, wait, read, write])
    return Program((), choose([1, 2]), 64), [write, arrive, wait, read], cuts


def warp_barrier(choose):
    """Lanes exchange words, with __syncwarp() between the write and the read."""
    high = choose([16, 32])
    who, mask, shared = Who(choose([None, 0]), 0, 0, high), (1 << high) - 1, choose([True, False])
    write = Statement("st", who, shared=shared, at=DATA, by_lane=4)
    read = Statement("ld", who, shared=shared, at=DATA, by_lane=4, modulo=choose([8, 3]))
    cuts = [[write, *between, read] for between in ([], [Statement("shuffle", who, mask=mask)],
                                                    [Statement("vote", who, mask=mask)],
                                                    [Statement("syncwarp", one(None, 0, 0), mask=1)])]
    return Program((), 1, choose([32, 64])), [write, Statement("syncwarp", who, mask=mask), read], cuts


def exited_lane(choose):
    """A lane writes and exits. A barrier tells another warp what the lanes that are left know of it."""
    lane, shared = choose([0, 1, 31]), choose([True, False])
    write = Statement("st", one(None, 0, lane), shared=shared, at=DATA, by_block=4)
    sync, leave = Statement("syncwarp", Who(None, 0)), Statement("exit", one(None, 0, lane))
    read = Statement(choose(["ld", "st"]), one(None, 1, 0), shared=shared, at=DATA, by_block=4)
    barrier = Statement("barrier", aligned=choose([True, False]))
    others = Statement("syncwarp", Who(None, 0, 0, 16), mask=0xffff)
    statements = [write, sync, leave, barrier, read]
    cuts = [[write, leave, barrier, read], [sync, write, leave, barrier, read], [write, sync, leave, read, barrier],
            [write, leave, sync, barrier, read]]
    if lane == 31:
        cuts.append([write, others, leave, barrier, read])
    return Program((), choose([1, 2]), 64), statements, cuts


def many_readers(choose):
    """So many threads read a word that the checker groups them by their instruction. Then one writes it."""
    shared = choose([True, False])
    reads = [dataclasses.replace(choose([Statement("ld"), Statement("ld", order="volatile"),
                                         Statement("atom", function=choose(["add", "max", "exch"]))]),
                                 shared=shared, at=choose([DATA, DATA, FLAG])) for _ in range(choose([1, 2, 3]))]
    reads[0] = dataclasses.replace(reads[0], at=DATA)
    write, barrier = Statement("st", one(0, choose([0, 4]), 1), shared=shared, at=DATA), Statement("barrier")
    if len({s.kind == "atom" or s.order for s in reads}) > 1:
        reads = [reads[0]] * len(reads)
    cuts = [[*reads, write], [write, *reads], [barrier, *reads, write], [*reads, barrier, write, reads[0]],
            [*reads[:-1], barrier, dataclasses.replace(reads[-1], at=DATA), write]]
    if choose([False, False, True]):  # a narrow scope, and an atomic operation of another block
        narrow = Statement("atom", Who(0), function="add", scope="cta", at=DATA)
        other = Statement("atom", one(1, 0, 0), function="add", at=DATA)
        return Program((), 2, 140), [dataclasses.replace(narrow, scope="gpu"), other], [[narrow, other]]
    return Program((), 1, choose([140, 160])), [*reads, barrier, write], cuts


def async_copy(choose):
    """A cp.async, the wait for it, a barrier, and a read by other threads."""
    who = choose([Who(None, 0, 0, 8), Who(None, 0)])
    copy = Statement("copy", who, shared=True, at=DATA, by_lane=4)
    commit, wait, barrier = Statement("commit", who), Statement("wait", who, times=0), Statement("barrier")
    read = Statement("ld", Who(None, choose([0, 1])), shared=True, at=DATA, by_lane=4, modulo=choose([8, 3]))
    cuts = [[copy, commit, barrier, read], [copy, commit, wait, read], [copy, commit, barrier, wait, read],
            [copy, commit, dataclasses.replace(wait, times=1), barrier, read]]
    return Program((), 1, 64), [copy, commit, wait, barrier, read], cuts


def cluster_barrier(choose):
    """A block writes to the shared memory of the other block of its cluster, which reads it after their barrier."""
    writes, reads = Who(0, 0), Who(1, 0)
    aligned = choose([True, False])
    arrive, wait = Statement("clusterarrive", aligned=aligned), Statement("clusterwait", aligned=aligned)
    write = Statement("st", writes, shared=True, at=DATA, by_lane=4, peer=1)
    read = Statement("ld", reads, shared=True, at=DATA, by_lane=4, modulo=choose([0, 8]))
    relaxed = dataclasses.replace(arrive, order="relaxed")
    fence = Statement("fence", order="acq_rel", scope=choose(["cluster", "gpu"]))
    start = [arrive, wait]  # both blocks have started
    statements = choose([[*start, write, arrive, wait, read], [*start, write, fence, relaxed, wait, read]])
    cuts = [[*start, write, relaxed, wait, read], [*start, arrive, write, wait, read],
            [*start, write, arrive, read, wait],
            [*start, write, dataclasses.replace(fence, scope="cta"), relaxed, wait, read], [*start, write, read],
            [*start, arrive, wait, dataclasses.replace(write, kind="ld"), dataclasses.replace(read, kind="st")]]
    return Program((), 2, choose([32, 64]), cluster=2), statements, cuts


def cluster_end(choose):
    """Threads use the shared memory of another block, which exits after their barrier."""
    arrive, wait = Statement("clusterarrive"), Statement("clusterwait")
    who = Who(1, 0, 0, choose([1, 2, 32]))
    use = Statement(choose(["ld", "st", "red"]), who, shared=True, function="add", at=DATA, peer=0,
                    by_lane=choose([0, 4]))
    use = dataclasses.replace(use, kind="ld") if use.kind == "st" and not use.by_lane else use
    statements = [arrive, wait, use, arrive, wait]
    cuts = [[arrive, wait, use], [arrive, wait, use, dataclasses.replace(arrive, order="relaxed"), wait],
            [arrive, wait, arrive, use, wait]]
    return Program((), 2, 32, cluster=2), statements, cuts


def mbarrier(choose):
    """Two threads write and arrive at an mbarrier. Others wait for it and read."""
    writes, waits = Who(None, 0, 0, 2), Who(None, 1, 0, choose([1, 2]))
    start = [Statement("mbarinit", one(None, 0, 0), count=2), Statement("barrier")]
    arrive = Statement("mbararrive", writes, order=choose(["", "release"]), scope="cta")
    wait = Statement("mbarwait", waits, order=choose(["", "acquire"]), scope="cta")
    shared = choose([True, False])
    write = Statement("st", writes, shared=shared, at=DATA, by_lane=4)
    read = Statement(choose(["ld", "st"]), waits, shared=shared, at=DATA, by_lane=4)
    cuts = [[*start, write, dataclasses.replace(arrive, order="relaxed"), wait, read],
            [*start, write, arrive, dataclasses.replace(wait, order="relaxed"), read],
            [*start, arrive, write, wait, read], [*start, write, arrive, read, wait], [*start, write, arrive, read],
            [start[0], write, arrive, wait, read]]
    return Program((), 1, 34), [*start, write, arrive, wait, read], cuts


def invalidated(choose):
    """Lanes arrive at an mbarrier and meet at a match.any. One of them, or one that it meets, invalidates it."""
    high = choose([3, 5])
    lanes, last = Who(None, 0, 1, high), one(None, 0, choose([0, 1]))
    start = [Statement("mbarinit", one(None, 0, 0), count=9), Statement("barrier")]
    arrive = Statement("mbararrive", lanes, order=choose(["", "relaxed"]), scope="cta")
    match = Statement("match", lanes, mask=(1 << high) - 2)
    met = Statement("syncwarp", Who(None, 0, 0, 2), mask=3) if last.low == 0 else None
    after = [*([met] if met else []), Statement("mbarinval", last)]
    fewer = dataclasses.replace(match, who=Who(None, 0, 1, high - 1), mask=(1 << high - 1) - 2)
    write = Statement("st", lanes, shared=True, at=DATA, by_lane=4)
    cuts = [[*start, arrive, *after], [*start, match, arrive, *after], [*start, arrive, fewer, *after],
            [*start, dataclasses.replace(arrive, who=Who(None, 1, 0, 1)), match, *after],
            [*start, write, arrive, match, *after, dataclasses.replace(write, who=last, by_lane=0, at=DATA + 8)]]
    cuts += [[*start, arrive, met, match, after[-1]]] if met else []
    return Program((), 1, 34), [*start, arrive, match, *after], cuts


def bulk_store(choose):
    """Threads write a tile. One issues a bulk copy of it to global memory, waits, and reads there."""
    writes, issues = choose([Who(None, 0, 0, 8), Who(None, 0)]), choose([one(None, 0, 0), one(None, 0, 3)])
    by_writers = choose([True, False])
    write = Statement("st", writes, shared=True, at=PARTS, by_lane=4)
    fence, barrier = Statement("proxyfence", writes if by_writers else issues), Statement("barrier")
    copy = Statement("bulkstore", issues, at=PARTS, count=choose([16, 32]))
    commit = Statement("bulkcommit", issues)
    wait = Statement("bulkwait", issues, times=0)
    read = Statement("ld", issues, at=PARTS)
    ready = [write, fence, barrier] if by_writers else [write, barrier, fence]
    end = [copy, commit, wait, read]
    cuts = [[write, barrier, *end], [*ready, copy, commit, read], [*ready, copy, wait, read],
            [*ready, copy, commit, dataclasses.replace(wait, order=".read"), read],
            [*ready, copy, commit, dataclasses.replace(wait, times=1), read],
            [*ready, copy, commit, write, wait], [fence, write, barrier, *end]]
    return Program((), 1, 32), [*ready, *end], cuts


def bulk_load(choose):
    """One thread loads a tile by a bulk copy. Some wait for its mbarrier and read it."""
    issues, readers = one(None, 0, 0), choose([Who(None, 0, 0, 2), Who(None, 1, 0, 1)])
    init = Statement("mbarinit", issues, count=1)
    expect = Statement("mbarexpect", issues, count=32)
    load = Statement("bulkload", issues, at=PARTS, count=32)
    wait, read = Statement("mbarwait", readers), Statement("ld", readers, shared=True, at=PARTS, by_lane=4)
    start = [init, Statement("barrier")]
    cuts = [[*start, expect, load, dataclasses.replace(wait, order="relaxed", scope="cta"), read],
            [*start, expect, load, dataclasses.replace(read, kind="st"), wait],
            [*start, expect, load, dataclasses.replace(read, kind="st", shared=False), wait]]
    return Program((), 1, 34), [*start, expect, load, wait, read], cuts


def bulk_send(choose):
    """A block writes a tile and sends it to the shared memory of the other block, which waits for its mbarrier."""
    writes, sends = Who(0, 0, 0, 8), one(0, 0, choose([0, 3]))
    owner, readers = one(1, 0, 0), Who(1, 0, 0, choose([1, 2]))
    init, expect = Statement("mbarinit", owner, count=1), Statement("mbarexpect", owner, count=32)
    shown = Statement("proxyfence", owner)
    meet = [Statement("clusterarrive"), Statement("clusterwait")]
    write = Statement("st", writes, shared=True, at=PARTS, by_lane=4)
    fence = Statement("proxyfence", writes)
    send = Statement("bulksend", sends, at=PARTS, count=32, peer=1)
    wait, read = Statement("mbarwait", readers), Statement("ld", readers, shared=True, at=PARTS, by_lane=4)
    start = [init, shown, expect, write, fence, *meet]
    cuts = [[init, expect, write, fence, *meet, send, wait, read, *meet],
            [init, shown, expect, write, *meet, send, wait, read, *meet], [*start, send, write, wait, read, *meet],
            [*start, send, dataclasses.replace(wait, order="relaxed", scope="cta"), read, *meet],
            [*start, send, dataclasses.replace(read, kind="st"), wait, *meet],
            [*start, dataclasses.replace(read, kind="st"), send, wait, *meet]]
    return Program((), 2, 32, cluster=2), [*start, send, wait, choose([read, dataclasses.replace(read, kind="st")]),
                                           *meet], cuts


def hoisted_load(choose):
    """Lanes load a word that another lane writes. A selp drops the value in those lanes."""
    lane, shared = choose([0, 1, 31]), choose([True, False])
    write = Statement("st", one(0, 0, lane), shared=shared, at=DATA)
    load = Statement("hoist", Who(0, 0), shared=shared, at=DATA, number=choose([0, 1, 1]), mask=1 << lane,
                     value=choose([0xffffffff, 0xffffffff ^ 1 << lane]))
    used = weaken([load], 0, mask=choose([0xffffffff, 1 << lane | 4]))
    loads = [*used, *[weaken(used, 0, number=number)[0] for number in (1, 2, 3)]]
    cuts = [order for hoist in loads for order in ([write, hoist], [hoist, write])]
    return Program((), 1, choose([32, 64])), choose([[write, load], [load, write]]), cuts


def strong_vector(choose):
    """One thread reads a vector, and another one writes one of its elements. Both are strong, so this is no race."""
    blocks, threads, writer, reader = choose([(1, 2, one(0, 0, 0), one(0, 0, 1)), (2, 1, one(0, 0, 0), one(1, 0, 0))])
    read = Statement("ld", reader, type=choose(["v2.u32", "v4.u32"]), order=choose(["volatile", "relaxed"]), at=16)
    write = Statement("st", writer, order=choose(["volatile", "relaxed"]), at=choose([16, 20]))
    cuts = [[dataclasses.replace(read, order=""), write], [read, dataclasses.replace(write, order="")],
            [read, dataclasses.replace(write, type="u64", at=16)]]
    return Program((), blocks, threads), [read, write], cuts


def streams(choose):
    """One launch writes, the next one reads. The host starts the second one at the same time, or after the first."""
    shape = Program((), choose([1, 2]), choose([1, 2, 33]))
    write = Statement(choose(["st", "red"]), Who(None, 0, 0, 1), function="add", at=DATA, by_block=4)
    read = Statement(choose(["ld", "st"]), choose([Who(0, 0, 0, 1), Who()]), at=DATA)
    launches = choose([((write,), (read,)), ((read,), (write,)), ((write,), (read,), (read,))])
    if read.kind == "st" and (read.who == Who() or len(launches) == 3):
        read = dataclasses.replace(read, kind="ld")
        launches = ((write,), (read,))
    return shape, shape.replace(launches=launches), [shape.replace(launches=launches[:2], together=True)]


TAIL, FIRE_AND_FORGET = 3, 4  # streams; 0: the usual one of the block


def nested(choose):
    """A thread launches child grids. They come after what it has done, and after each other in a stream."""
    first, stream = one(0, 0, 0), choose([0, TAIL, FIRE_AND_FORGET])
    shape = Program((), 1, choose([2, 33]))
    write, read = Statement("st", first, at=DATA), Statement("ld", first, at=DATA)
    by_other = dataclasses.replace(write, who=one(0, 0, 1))

    def of(children, *launches):
        return shape.replace(children=tuple((child,) for child in children), launches=launches)

    def start(child, stream):
        return Statement("launch", first, value=child, number=stream)
    soon, late, last = start(0, choose([0, FIRE_AND_FORGET])), start(0, stream), start(1, TAIL)
    ordered = [of([read], (write, late)), of([read], (by_other, Statement("barrier"), late)),
               of([write], (late,), (read,)), of([write, read], (soon, last))]
    if stream != FIRE_AND_FORGET:
        ordered.append(of([write, read], (late, start(1, stream)), (read,)))
    if stream == TAIL:
        ordered += [of([read], (late, write)), of([read], (late, by_other))]
    cuts = [of([read], (soon, write)), of([read], (by_other, soon)),
            of([write, read], (start(0, 0), start(1, FIRE_AND_FORGET))),
            of([write, read], (start(0, FIRE_AND_FORGET), start(1, 0)))]
    return shape, choose(ordered), cuts


def given_up(choose):
    """A thread writes data, then a flag. Another one looks at the flag some times, then gives up. A delay of the writer
    is over when it has."""
    shape, writer, reader = choose([(Program((), 1, 2), one(0, 0, 0), one(0, 0, 1)),
                                    (Program((), 1, 33), one(0, 0, 0), one(0, 1, 0)),
                                    (Program((), 1, 36), one(0, 0, 0), Who(0, 1, 0, 4)),
                                    (Program((), 2, 1), one(0, 0, 0), one(1, 0, 0))])
    data = Statement("st", writer, at=DATA)
    look = Statement("look", reader, order="acquire", at=FLAG, times=choose([1, 2, 30, 200, 400]),
                     number=choose([0, 1, 2, 3, 4]), count=choose([0, 0, 2, 3]))
    read = dataclasses.replace(data, who=reader, kind="ld")
    if reader.high == 4:  # others wait until it is set; a delay is over after 2048 turns of them all
        look = dataclasses.replace(look, times=min(look.times, 200))
    statements = [data, Statement("st", writer, order="release", at=FLAG), look, read]
    if reader.high == 4:
        never = dataclasses.replace(look, who=Who(0, 1, 4), times=0, number=0)
        shape, statements = shape.replace(threads=choose([38, 40])), change(statements, 2, never, look)
    shape = shape.replace(ways=tuple(("independent", f"delay-{point}") for point in (1, 2)))
    return shape, [*statements[:-1], Statement("skip", reader, times=1), read], [statements]


def late_flag(choose):
    """Threads look at a flag until another one has given up looking at a word, and sets it. If it does not, they wait
    for ever."""
    threads = choose([2, 3, 5])
    late, others = choose([(one(0, 0, 0), Who(0, 0, 1)), (one(0, 0, threads - 1), Who(0, 0, 0, threads - 1))])
    data, flag = Statement("st", late, at=DATA), Statement("st", late, order="release", at=FLAG)
    statements = [Statement("look", late, order=choose(["acquire", "volatile"]), at=PARTS,
                            times=choose([100, 400, 700, 1000]), number=choose([0, 1, 2, 3, 4]),
                            count=choose([0, 0, 2, 7])), data, flag,
                  Statement("look", others, order="acquire", at=FLAG, count=choose([0, 2, 7])),
                  dataclasses.replace(data, who=others, kind="ld")]
    never = weaken(weaken(statements, 2, value=2), 3, count=choose([0, 2]))
    return Program((), 1, threads), statements, [never]


def rounds(choose):
    """A thread reads a word again, after another one has added to it."""
    threads = choose([3, 33, 64])
    read = Statement("rounds", shared=choose([True, False]), order=choose(["", "volatile", "relaxed"]), at=DATA,
                     number=choose([0, 1]), count=threads - 1, value=1)
    return Program((), 1, threads), [read], [[dataclasses.replace(read, value=0, order="")]]


PATTERNS = [streams, nested, strong_vector, cluster_barrier, cluster_end, mbarrier, invalidated, bulk_store, bulk_load,
            bulk_send, message, last_adds, named_barrier, warp_barrier, exited_lane, async_copy,
            hoisted_load] * 2 + [many_readers, rounds]
WAITS = [given_up, late_flag] * 2  # whose random changes would take too long


def pattern(choose, chance):
    make = choose(PATTERNS + WAITS)
    program, statements, cuts = make(choose)
    is_cut = choose([True, False])
    if is_cut:
        statements = choose(cuts)
    if not isinstance(statements, Program):
        statements = program.replace(launches=(tuple(with_noise(choose, statements)),))
    if make is late_flag:  # without the flag, it ends in a deadlock
        return statements.replace(label=False, fault=is_cut, family=f"late_flag-{'cut' if is_cut else 'ordered'}")
    return statements.replace(label=is_cut, fault=None if is_cut else False,
                              family=f"{make.__name__}-{'cut' if is_cut else 'ordered'}")


def with_noise(choose, statements):
    """Adds accesses of threads to words of their own, in front of what decides about a skip."""
    noise = Statement(choose(["ld", "st"]), Who(choose([None, 0]), 0), at=NOISE, by_lane=4, by_block=128)
    end = next((k for k, statement in enumerate(statements) if statement.kind in ("atom", "poll", "look")),
               len(statements))
    for _ in range(choose([0, 1, 2])):
        where = choose(range(end + 1))
        statements = [*statements[:where], noise, *statements[where:]]
        end += 1
    return statements
