#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the data races of a run by their definition, from the trace that record.c writes:
trace_judge.py FILE [PTX].

The rules are those of docs/races.md, which the comments quote, and of the memory consistency model of the PTX ISA. The
judge numbers the accesses and fences of a run. For each it computes the set of all that come before it, as the bits
of an integer. Then it compares each access with all earlier ones that overlap it. It forgets nothing.
"""
import bisect
import functools
import itertools
import re
import sys
from collections import defaultdict, namedtuple
from types import SimpleNamespace

WRITE, VOLATILE, ATOMIC, CONSTANT, ASYNC, EXIT, TEXTURE_BIT = 1, 2, 4, 64, 128, 256, 16  # as in outcome.h
INVALIDATES = 8
BLOCK, CLUSTER, DEVICE, SYSTEM = range(4)                                                # as in instructions.h
RELAXED, ACQUIRE, RELEASE, ACQ_REL = range(4)
COVERS_GLOBAL, COVERS_SHARED, COVERS_INIT = 1, 2, 4
LANES, MBARRIER_BYTES = 32, 8
MAX_COMPARED = 100000  # pairs after which those that are surely strong are left out

Run = namedtuple("Run", "model events")  # an event is a name and its words
Pair = namedtuple("Pair", "first second why")


def runs(lines):
    run = None
    for words in itertools.chain(map(str.split, lines), [["done"]]):
        if run and words in (["done"], ["run", "lockstep"], ["run", "independent"]):
            yield run
            run = None
        if words in (["run", "lockstep"], ["run", "independent"]):
            run = Run(words[1], [])
        elif run and words and FORMAT.get(words[0]) == len(words) - 1:
            run.events.append((words[0], words[1:]))


class Access:
    """An access or a fence. `actor` is the thread or the asynchronous operation that makes it. `index` is its number
    among the events of the trace, `bit` its number in the sets. Without a scope it is a plain access."""
    def __init__(self, index, bit, actor, block, thread, **more):
        self.__dict__.update(dict(kind=0, space="0", address=0, size=0, line=0, step=0, scope=None, order=RELAXED,
                                  is_mbarrier=False, is_arrival=False, is_signal=False), **more)
        self.index, self.bit, self.actor, self.block, self.thread = index, bit, actor, block, thread
        self.strong, self.writes = self.scope is not None, self.kind & (WRITE | ATOMIC | EXIT) != 0
        self.likeness = None  # accesses that are equal in this are morally strong
        if self.strong and self.scope >= DEVICE:
            self.likeness = self.space, self.address, self.size, self.kind & ASYNC
        self.acquires, self.releases = self.order in (ACQUIRE, ACQ_REL), self.order in (RELEASE, ACQ_REL)

    def __repr__(self):
        names = ((ATOMIC, "atomic "), (VOLATILE, "volatile "), (CONSTANT, "nc "), (ASYNC, "async "), (EXIT, "exit "))
        kind = "".join(name for bits, name in names if self.kind & bits) + ("write" if self.writes else "read")
        return (f"line {self.line} block {self.block} thread {self.thread} {kind} "
                f"{self.space}:{self.address}+{self.size} at {self.index}")


def bits_of(number):
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def forget(table, space, addresses):
    """Removes the bytes at these addresses from a table of bytes."""
    places = list(table) if len(table) < len(addresses) else [(space, address) for address in addresses]
    for place in places:
        if place[0] == space and place[1] in addresses:
            table.pop(place, None)


class Past:
    """What comes before the next event of an actor.

    seen: the events that program order and synchronization order before it.
    got: the strong writes whose values it has read. Of their threads, only these writes come before it.
    near: those of `seen` that program order and barriers alone order before it. "The fence and the strong access may
    be in different threads, with a barrier between them."
    old: strong reads of `near` that a later strong read of that word by their thread follows.
    met: the events that come before a match.any of a lane, after which another one comes before it.
    """
    def __init__(self, *others):
        self.seen = self.got = self.near = self.old = self.met = 0
        for other in others:
            self.join(other)

    def join(self, other):
        self.acquire(other)
        self.near |= other.near
        self.old |= other.old

    def acquire(self, other):
        self.seen |= other.seen
        self.got |= other.got
        self.met |= other.met

    def add(self, bit):
        self.seen |= 1 << bit
        self.near |= 1 << bit


class Grid:
    def __init__(self):
        self.start, self.end, self.events = Past(), Past(), 0  # start: what comes before its blocks
        self.children, self.parent, self.complete, self.stream = [], None, False, ""

    def total(self):
        # "the grid and its child grids come before the next launch in the stream"
        past = Past(self.end, *(child.total() for child in self.children))
        past.seen |= self.events
        past.near |= self.events
        return past


class Order:
    """The order of the events of a run. The strict one leaves out what the documentation does not promise."""
    def __init__(self, run, strict=False):
        self.strict = strict
        self.doubtful = False                           # whether the strict order may differ
        self.nodes, self.before, self.got, self.met = [], [], [], []  # accesses and fences, and what is before each
        self.chains = {}                              # of an atomic operation: all writes that it may pass on
        self.observed, self.sources = {}, {}          # of a strong read: writes that it observes, what releases to it
        self.readers, self.reads_of = defaultdict(list), defaultdict(int)  # of a strong write, of a thread and place
        self.released, self.acquired = {}, {}         # of a release: what it releases; of a thread: releases
        self.releases_at = defaultdict(int)           # of a thread and place: its releases there
        self.release_fences = self.useful_reads = 0
        self.writer, self.meetings = {}, {}           # of a byte: the last write
        self.steps, self.proxies = [], []             # what the comparison needs, in the order of the trace
        self.pasts, self.blocks, self.grids, self.operations = {}, {}, defaultdict(Grid), {}
        self.completions, self.inits, self.cluster_count = defaultdict(list), defaultdict(int), defaultdict(int)
        # The places of mbarriers: a plain write there is an mbarrier.init.
        self.mbarriers = ({(w[2], int(w[3])) for name, w in run.events if name == "strong" and int(w[5]) & VOLATILE}
                          | {(w[1], int(w[2])) for name, w in run.events if name == "signal"})
        for self.index, (name, words) in enumerate(run.events):
            getattr(self, "on_" + name.replace("-", "_"))(*words)

    def reaches(self, a, b):
        """Whether the scope of `a` includes the thread of `b`."""
        x, y = self.blocks[a.block], self.blocks[b.block]
        if b.is_signal and b.space == a.block:
            return True  # "`.cta` includes the signals of asynchronous operations at mbarriers of the block"
        same_cluster = x.cluster == y.cluster != "0" and x.grid is y.grid
        return a.scope >= (BLOCK if x is y else CLUSTER if same_cluster else DEVICE)

    def mutual(self, a, b):
        return self.reaches(a, b) and self.reaches(b, a)

    def morally_strong(self, a, b):
        # "Two strong accesses are morally strong if they have the same size, and each thread is in the scope of the
        # other access." In different proxies "they are not atomic together", but signals are made for mbarriers.
        return (a.strong and b.strong and (a.address, a.size) == (b.address, b.size) and self.mutual(a, b)
                and (a.kind & ASYNC == b.kind & ASYNC or a.is_mbarrier and b.is_mbarrier))

    def add_node(self, past, actor, block, thread, **more):
        node = Access(self.index, len(self.nodes), actor, block, int(thread), **more)
        self.nodes.append(node)
        self.before.append(past.seen)
        self.got.append(past.got)
        self.met.append(past.met)
        node.grid = self.blocks[block].grid
        node.grid.events |= 1 << node.bit
        return node

    def make_access(self, node, past):
        """Adds an access to what comes before the next event of its actor, with what its value orders."""
        self.steps.append(node)
        bit, key = 1 << node.bit, (node.actor, node.space, node.address)
        if node.strong and not node.kind & WRITE:
            self.observe(node)
            self.acquire(node, past, bit if node.acquires else 0)
            if not self.strict:
                # In PTX, what comes before a release comes before the acquire itself. See compare_strictly().
                self.doubtful |= past.seen != self.before[node.bit]
                self.before[node.bit], self.got[node.bit] = past.seen, past.got
            past.got |= self.observed[node.bit]  # "the write comes before everything after the read"
            past.old |= self.reads_of[key]
            self.doubtful |= node.is_mbarrier or self.reads_of[key] & self.useful_reads != 0
            self.reads_of[key] |= bit
        past.add(node.bit)
        if node.writes:
            if node.releases:
                self.releases_at[key] |= bit
                self.released[node.bit] = Past(past)
            # "A later strong write of the releasing thread to that word releases the same again."
            node.release = past.near & self.release_fences | self.releases_at[key]
            self.writer.update({(node.space, node.address + k): node for k in range(node.size)})

    def observe(self, node):
        """Finds the strong writes whose values a strong read reads, directly or through atomic operations."""
        observed, sources, every, chain = 0, 0, -1, 0
        writes = {self.writer.get((node.space, node.address + k)) for k in range(node.size)}
        for write in writes:
            values, passed = 0, self.chains.get(write.bit, 0) if write is not None else 0
            if write is not None and self.morally_strong(write, node):
                values, sources = 1 << write.bit, sources | write.release
                if len(writes) == 1:
                    self.readers[write.bit].append(node.bit)
                if write.kind & ATOMIC:
                    # "other atomic operations may change the word. The read still acquires from the release, and from
                    # those operations that release."
                    self.doubtful |= self.observed[write.bit] != 0
                    values, sources = values | self.observed[write.bit], sources | self.sources[write.bit]
            if not self.strict:  # "An atomic operation of a narrow scope, or of another size, may pass on ..."
                more = sum(1 << w for w in bits_of(passed & ~values) if self.morally_strong(self.nodes[w], node))
                self.doubtful |= more != 0
                values |= more
            chain |= passed | (1 << write.bit if write is not None and write.strong else 0)
            observed, every = observed | values, every & values
        self.chains[node.bit] = chain
        self.doubtful |= observed != every or len(writes) > 1 and sources != 0
        if self.strict:  # "A read has the value of a write if all of its bytes are from that write."
            observed, sources = every, sources if len(writes) == 1 else 0
        self.observed[node.bit], self.sources[node.bit] = observed, sources
        if observed and not node.is_arrival:  # "an arrival releases, a successful wait acquires"
            self.useful_reads |= 1 << node.bit

    def acquire(self, node, past, reads):
        """A fence, or an access that acquires: what was released to these reads comes before what follows it."""
        acquired, done = self.acquired.get(node.actor, (0, 0))
        for read in bits_of(reads & ~done):
            for source in bits_of(self.sources[read] & ~acquired):
                if self.mutual(self.nodes[source], node):
                    past.acquire(self.released[source])
                    acquired |= 1 << source
            if not self.sources[read] & ~acquired:
                done |= 1 << read
        self.acquired[node.actor] = acquired, done

    def on_access(self, block, thread, space, address, size, kind, line, step, **more):
        past, kind, size = self.pasts[block, thread], int(kind), int(size)
        if kind & VOLATILE and not more:
            more["scope"] = SYSTEM  # the scope of "volatile" in the table of scopes
        node = self.add_node(past, (block, thread), block, thread, kind=kind, space=space, address=int(address),
                             size=size, line=int(line), step=int(step), **more)
        if (space, node.address) in self.mbarriers and not more and kind == WRITE:
            self.inits[node.actor] |= 1 << node.bit
        self.make_access(node, past)

    def on_strong(self, block, thread, space, address, size, kind, line, step, scope, order):
        bits = int(kind) & (VOLATILE | ATOMIC)
        self.on_access(block, thread, space, address, size, kind, line, step, scope=int(scope), order=int(order),
                       is_mbarrier=bits & VOLATILE != 0, is_arrival=bits == VOLATILE | ATOMIC)

    def on_renew(self, space, address, size):
        self.steps.append([space, range(int(address), int(address) + int(size))])
        forget(self.writer, *self.steps[-1])

    def on_fence(self, block, thread, scope, order):
        past = self.pasts[block, thread]
        node = self.add_node(past, (block, thread), block, thread, scope=int(scope), order=int(order))
        if node.acquires:
            # "Of a thread's strong reads of a word, the last one counts."
            self.acquire(node, past, past.near & self.useful_reads & ~(past.old if self.strict else 0))
            self.before[node.bit] = past.seen
        past.add(node.bit)
        if node.releases:
            self.release_fences |= 1 << node.bit
            self.released[node.bit] = Past(past)

    def on_proxy(self, block, thread, covered):
        past = self.pasts[block, thread]
        node = self.add_node(past, (block, thread), block, thread, scope=CLUSTER)
        node.covered = int(covered)
        self.proxies.append(node)
        past.add(node.bit)
        if node.covered & COVERS_INIT:
            # "fence.mbarrier_init releases only initializations of its thread, not other writes."
            self.release_fences |= 1 << node.bit
            self.released[node.bit] = Past()
            self.released[node.bit].add(node.bit)
            self.released[node.bit].seen |= self.inits[node.actor]

    def on_barrier(self, block, lanes=None):
        threads = self.blocks[block].running  # "that have not exited"
        actors = [(block, thread) for thread in (threads if lanes is None else threads & lanes)]
        past = Past(*(self.pasts[actor] for actor in actors))
        self.pasts.update({actor: Past(past) for actor in actors})

    def on_warp(self, block, warp, lanes):
        self.on_barrier(block, {str(int(warp) * LANES + lane) for lane in bits_of(int(lanes, 16))})

    def on_match(self, block, warp, lanes):
        actors = [(block, str(int(warp) * LANES + lane)) for lane in bits_of(int(lanes, 16))]
        met = functools.reduce(int.__or__, (self.pasts[actor].seen | self.pasts[actor].met for actor in actors))
        for actor in actors:
            self.pasts[actor].met |= met

    def on_arrive(self, block, thread, number, count):
        """COUNT arrivals complete a meeting. The next arrival opens the next one."""
        meeting = self.meetings.setdefault((block, number), SimpleNamespace(past=Past(), arrived=0))
        meeting.past.join(self.pasts[block, thread])
        meeting.arrived += 1
        self.meetings[block, number, thread] = meeting
        if meeting.arrived == int(count):
            del self.meetings[block, number]

    def on_leave(self, block, thread, number):
        self.pasts[block, thread].join(self.meetings[block, number, thread].past)

    def cluster_meeting(self, block, thread, arrives):
        """Each thread waits before it arrives again, so its arrival K belongs to the meeting K of the cluster."""
        self.cluster_count[block, thread] += arrives
        b, count = self.blocks[block], self.cluster_count[block, thread]
        return self.meetings.setdefault((b.grid, b.cluster if b.cluster != "0" else block + " alone", count), Past())

    def on_cluster_arrive(self, block, thread, releases):
        past, meeting = self.pasts[block, thread], self.cluster_meeting(block, thread, 1)
        if releases == "1":
            meeting.join(past)
        for fence in bits_of(past.near & self.release_fences):
            # "After .arrive.relaxed this holds only for accesses before a fence of cluster scope."
            if self.nodes[fence].scope >= CLUSTER:
                meeting.acquire(self.released[fence])

    def on_cluster_leave(self, block, thread):
        self.pasts[block, thread].join(self.cluster_meeting(block, thread, 0))

    def on_issue(self, number, block, thread, proxy):
        self.on_issuers(number, block, int(thread) // LANES, f"{1 << int(thread) % LANES:x}", proxy)

    def on_issuers(self, number, block, warp, lanes, proxy):
        issuers = [(block, str(int(warp) * LANES + lane)) for lane in bits_of(int(lanes, 16))]
        past = Past(*(self.pasts[actor] for actor in issuers if actor in self.pasts))
        self.operations[number] = SimpleNamespace(number=int(number), block=block, issuers=issuers, proxy=int(proxy),
                                                  events=0, start=past)

    def operation_access(self, number, before, kind, space, address, size, line, **more):
        # "What comes before the instruction that issues it also comes before its accesses."
        operation, past = self.operations[number], Past()
        past.seen, past.got = operation.start.seen | before, operation.start.got
        node = self.add_node(past, ("operation", operation.number), operation.block, operation.issuers[0][1],
                             kind=int(kind) | operation.proxy, space=space, address=int(address), size=int(size),
                             line=int(line), issuers=operation.issuers, **more)
        self.make_access(node, past)
        operation.events |= 1 << node.bit
        return operation.number, past

    def on_operate(self, number, space, address, size, kind, line, scope, completion):
        self.completions[completion].append(self.operation_access(
            number, 0, kind, space, address, size, line, scope=int(scope) if int(kind) & ATOMIC else None))

    def on_signal(self, number, space, address, line):
        """An arrival after the accesses: "A wait also orders the asynchronous operations that the mbarrier counts"."""
        self.operation_access(number, self.operations[number].events, ATOMIC, space, address, MBARRIER_BYTES, line,
                              scope=DEVICE, order=RELEASE, is_mbarrier=True, is_arrival=True, is_signal=True)

    def on_waited(self, block, thread, completion, last):
        for past in [past for number, past in self.completions[completion] if number <= int(last)]:
            self.pasts[block, thread].acquire(past)

    def on_block(self, block, grid, cluster, count):
        threads = [str(thread) for thread in range(int(count))]
        self.blocks[block] = SimpleNamespace(grid=self.grids[grid], cluster=cluster, threads=threads,
                                             running=set(threads), last_exit=(0, 0), children=[])
        self.pasts.update({(block, thread): Past(self.grids[grid].start) for thread in threads})

    def on_exit(self, block, thread, line):
        self.blocks[block].running.discard(thread)
        self.blocks[block].last_exit = thread, line

    def on_end(self, block):
        b = self.blocks[block]
        past, (thread, line) = Past(*(self.pasts[block, t] for t in b.threads)), b.last_exit
        b.grid.end.join(past)
        self.steps.append(self.add_node(past, ("end", block), block, thread, kind=EXIT, space=block, line=int(line)))

    def on_launch(self, grid, block, thread, stream):
        child = self.grids[grid]
        child.start.join(self.pasts[block, thread])
        child.stream = stream
        for other in self.blocks[block].children:  # one that is not complete is followed later
            if stream == other.stream not in ("none", "tail") and other.complete:
                child.start.join(other.total())
        child.parent = self.blocks[block].grid
        child.parent.children.append(child)
        self.blocks[block].children.append(child)

    def on_first_tail(self, grid):
        # "when the parent grid and its other child grids are complete"
        self.grids[grid].start.join(self.grids[grid].parent.total())  # no other tail has started

    def on_complete(self, grid, following):
        self.grids[grid].complete = True
        if following != "0":
            self.on_follow(grid, following)

    def on_follow(self, grid, following):
        self.grids[following].start.join(self.grids[grid].total())

    def on_wait(self, block, thread):
        for child in [child for child in self.blocks[block].children if child.complete]:
            self.pasts[block, thread].join(child.total())


# The number of words after the name of an event.
FORMAT = {name[3:].replace("_", "-"): function.__code__.co_argcount - 1 - len(function.__defaults__ or ())
          for name, function in vars(Order).items() if name.startswith("on_")}

def proxy_fence_between(order, first, second):
    """Whether an ordered pair of a generic write and an async access or a signal has its proxy fence between."""
    if second.is_signal and (first.strong or first.actor in second.issuers):
        return True  # "Nothing, if the thread that initializes issues the operation"
    needed = COVERS_GLOBAL if first.space == "0" else COVERS_SHARED
    return any(fence.covered & needed or second.is_signal and fence.covered & COVERS_INIT and fence.actor == first.actor
               for fence in order.proxies if order.before[second.bit] >> fence.bit & 1
               and (order.before[fence.bit] | order.got[fence.bit]) >> first.bit & 1)


def after_last_read(order, strict, first, second):
    """Whether `second` comes after a read of the value of `first`, and that read is the last one of its thread. "the
    scope of both accesses" must include the other thread, even if atomic operations are between them."""
    if not order.reaches(first, second):
        return False  # "the checker may report the first one against threads outside of its scope"
    front, met = [first.bit], set()
    while front:
        for reader in order.readers[front.pop()]:
            node = order.nodes[reader]
            reads = order.reads_of[node.actor, node.space, node.address] & (1 << second.bit) - 1
            if reads >> reader == 1 and strict.before[second.bit] >> reader & 1 and order.mutual(first, node):
                return True
            if node.kind & ATOMIC and reader not in met:
                met.add(reader)
                front.append(reader)
    return False


class Comparison:
    """Compares each access with all earlier ones that overlap it in a byte. The sets select them quickly."""
    def __init__(self, run, text):
        self.races, self.may, self.unordered, self.added, self.compared = [], [], [], set(), 0
        self.differences = differences(run, text) if text is not None else []
        self.order, self.lockstep = Order(run), run.model == "lockstep"
        self.strict = Order(run, strict=True) if self.order.doubtful else self.order
        self.history, self.sets, self.ended = defaultdict(int), defaultdict(int), {}  # history: accesses of each byte
        for step in self.order.steps:
            if isinstance(step, list):
                forget(self.history, *step)
            elif step.kind & EXIT:
                self.compare_end(step)
            else:
                self.compare(step)
                self.remember(step)

    def remember(self, node):
        keys = [("actor", node.actor), node.grid, "mbarriers" if node.is_mbarrier else "data",
                "constants" if node.kind & CONSTANT else "others"]
        if node.writes:
            keys += ["writes", "async writes" if node.kind & ASYNC else "generic writes"]
        for key in keys + ([node.likeness] if node.likeness else []):
            self.sets[key] |= 1 << node.bit
        for k in range(node.size):
            self.history[node.space, node.address + k] |= 1 << node.bit

    def add(self, pairs, first, second, why):
        """Adds the first pair of two lines."""
        key = id(pairs), first.line, second.line
        if key not in self.added:
            self.added.add(key)
            pairs.append(Pair(first, second, why))

    def compare(self, node):
        order, nodes, conflicts = self.order, self.order.nodes, 0
        for k in range(node.size):
            conflicts |= self.history[node.space, node.address + k]
        conflicts &= -1 if node.writes else self.sets["writes"]
        if node.space in self.ended and (node.block != node.space or node.actor[0] == "operation"):
            self.add(self.races, self.ended[node.space], node, "shared memory exists until its block ends")
        forbidden = self.forbidden(node, conflicts)
        for bit in bits_of(forbidden):
            self.add(self.races, nodes[bit], node, "the grid writes what ld.global.nc or a texture reads")
        conflicts &= ~self.sets["actor", node.actor] & ~forbidden
        if node.kind & INVALIDATES:
            matched = order.met[node.bit] & self.sets["mbarriers"]
            for bit in bits_of(conflicts & matched & ~self.strict.met[node.bit]):
                self.compare_strictly(nodes[bit], node)
            conflicts &= ~matched
        before = order.before[node.bit] | order.got[node.bit]
        if node.kind & ASYNC or node.is_signal:
            for bit in bits_of(conflicts & before & self.sets["generic writes"]):
                if not proxy_fence_between(order, nodes[bit], node):
                    # For two atomic operations, one row of the table demands only synchronization: "they are not
                    # atomic together". But the first one is also a "write in the generic proxy".
                    pairs = self.may if nodes[bit].kind & node.kind & ATOMIC else self.races
                    self.add(pairs, nodes[bit], node, "a proxy fence is missing")
        alike = self.sets[node.likeness] if node.likeness else 0  # all morally strong
        if self.strict is not order:
            for bit in bits_of(conflicts & before & ~self.strict.before[node.bit] & ~alike):
                self.compare_strictly(nodes[bit], node)
        racing = []
        for bit in bits_of(conflicts & ~before & ~(alike if self.compared > MAX_COMPARED else 0)):
            self.compared += 1
            racing += [nodes[bit]] * self.compare_unordered(nodes[bit], node)
        # "If an access races with another one of its word, those that only a read orders may be reported, too."
        for bit in bits_of(conflicts & order.got[node.bit] & ~order.before[node.bit] & ~alike if racing else 0):
            if any(a.address < nodes[bit].address + nodes[bit].size and nodes[bit].address < a.address + a.size
                   for a in racing):
                self.add(self.may, nodes[bit], node, "only a read orders them, and the second one races")

    def forbidden(self, node, conflicts):
        # "ld.global.nc promises that the grid does not write its memory. Such a write is a race even if it is
        # ordered." "A texture or surface may not read what its grid has written before. It may read a place before the
        # grid writes it."
        conflicts &= self.sets[node.grid] & (-1 if node.kind & CONSTANT else self.sets["constants"])
        return sum(1 << bit for bit in bits_of(conflicts)
                   if node.kind & CONSTANT or not self.order.nodes[bit].kind & TEXTURE_BIT)

    def compare_strictly(self, first, second):
        """The pair is ordered, but not without what the documentation does not promise."""
        if (self.order.morally_strong(first, second) or self.steps_order(first, second)
                or self.order.got[second.bit] >> first.bit & 1 and not first.is_mbarrier
                and after_last_read(self.order, self.strict, first, second)):
            return
        # "Of a thread's strong reads of a word, the last one counts. Accesses that come only after an earlier one may
        # be reported." And: "accesses before the first fence come before accesses after the second": not before the
        # access that acquires. And for an mbarrier only: "an arrival releases, a successful wait acquires".
        self.add(self.may, first, second, "an earlier read of a word, or the access that acquires, orders them")

    def steps_order(self, a, b):
        # "volatile and atomic accesses of one step come before those of later steps. Plain accesses stay unordered"
        return (self.lockstep and a.strong and b.strong and "operation" not in (a.actor[0], b.actor[0])
                and a.block == b.block and a.thread // LANES == b.thread // LANES and a.step < b.step)

    def compare_unordered(self, a, b):
        """Returns whether they race."""
        if self.steps_order(a, b):
            return False
        if self.order.morally_strong(a, b):
            pairs, why = self.unordered, "both are strong"
        elif self.is_overwritten(a, self.order.got[b.bit]):
            # "Earlier strong writes of the same thread to the word may count as ordered, too".
            pairs, why = self.may, "the second comes after a later write of the first one's thread"
        elif not (a.strong and b.strong):
            pairs, why = self.races, "nothing orders a plain access and another one"
        elif self.lockstep and self.is_before_step(a, b):
            # The sentence above does not say whether what is before the earlier step is before the later one, too.
            pairs, why = self.may, "only a step of a warp orders them"
        else:
            pairs, why = self.races, "strong, but of different sizes or proxies, or with too narrow a scope"
        self.add(pairs, a, b, why)
        return pairs is self.races

    def is_overwritten(self, a, events):
        """Whether a later strong write there by the thread of `a` is one of the events."""
        return a.strong and a.writes and any(
            (c.actor, c.space, c.address, c.size) == (a.actor, a.space, a.address, a.size) and c.strong and c.writes
            for c in map(self.order.nodes.__getitem__, bits_of(events >> a.bit + 1 << a.bit + 1)))

    def is_before_step(self, a, b):
        """Whether it, or a later strong write there by its thread, comes before an access that a step orders."""
        for c in self.order.nodes[:b.bit]:
            if self.steps_order(c, b):
                events = self.order.before[c.bit] | self.order.got[c.bit] | self.order.observed.get(c.bit, 0)
                if events >> a.bit & 1 or self.is_overwritten(a, events):
                    return True
        return False

    def compare_end(self, node):
        # "An access of another block, or of an asynchronous operation, must come before the end of the block."
        self.ended[node.space] = node
        accesses = functools.reduce(int.__or__, (bits for (space, _), bits in self.history.items()
                                                 if space == node.space), 0)
        for bit in bits_of(accesses & ~self.strict.before[node.bit]):
            if self.order.before[node.bit] >> bit & 1:
                self.compare_strictly(self.order.nodes[bit], node)
            elif self.order.got[node.bit] >> bit & 1:  # "read, but not acquired, may be reported, too"
                self.add(self.may, self.order.nodes[bit], node, "only a read orders them")
            else:
                self.add(self.races, self.order.nodes[bit], node, "shared memory exists until its block ends")


def judge(run, text=None):
    """Returns the lists `races`, `may` and `unordered` of pairs, the first one of each two lines, and the sentences
    `differences`. text: what read_text() returned of the PTX."""
    return Comparison(run, text)

SCOPES = {"cta": BLOCK, "cluster": CLUSTER, "gpu": DEVICE, "gl": DEVICE, "sys": SYSTEM}
ORDERS = {"relaxed": RELAXED, "acquire": ACQUIRE, "release": RELEASE, "acq_rel": ACQ_REL}
JUMPS = {"label", "bra", "brx", "ret", "exit", "call"}


def disagreement(verdict, races, has_lines=True):
    """Returns a sentence if they disagree. `races`: (line, line, is_strong) of each one that the checker reports."""
    lines = {frozenset((pair.first.line, pair.second.line)) for pair in verdict.races}
    may = lines | {frozenset((pair.first.line, pair.second.line)) for pair in verdict.may}
    found = {frozenset((first, second)) for first, second, is_strong in races if not is_strong}
    if found - may and has_lines or found and not may:
        return f"the checker alone reports the lines {sorted(map(sorted, found - may))}"
    return f"the judge alone reports the lines {sorted(map(sorted, lines))}" if lines and not found else None


def read_text(lines):
    """Returns for each line of PTX the instructions that start there: a predicate or None, and the opcode as a list. A
    label is an instruction `label`. Also returns the lines with what matters to fences_differ()."""
    text = "\n".join(lines)
    text, found = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S), {}
    ends = [match.start() for match in re.finditer("\n", text)]
    for match in re.finditer(r"([\w$%]+):(?!:)|(@!?[\w$%]+\s+)?\b([a-z]\w*\.[\w:.]+|bra|ret|exit|call)\b[^;]*;", text):
        opcode = "label" if match.group(1) else match.group(3)
        found.setdefault(bisect.bisect_left(ends, match.start()) + 1, []).append((match.group(2), opcode.split(".")))
    marks = [line for line, instructions in sorted(found.items())
             if any(o[0] in JUMPS or o[0] in ("fence", "membar") or "tensormap" in ".".join(o)
                    for _, o in instructions)]
    return found, marks


def scope_and_order(words):
    return [next((table[word] for word in words if word in table), None) for table in (SCOPES, ORDERS)]


def fence_of(opcode):
    """The scope and the order of a fence, or None."""
    scope, order = scope_and_order(opcode)
    words = {word for word in opcode[1:] if not word.startswith("sync_restrict")}
    known = opcode[0] in ("membar", "fence") and words <= set(SCOPES) | set(ORDERS) | {"sc"}
    return (scope, ACQ_REL if order is None else order) if known and scope is not None else None


def expected(opcode):
    """The accesses of an instruction as the trace should have them, or None: not known."""
    name, *rest = opcode
    scope, order = scope_and_order(rest)
    if name in ("ld", "st") and not {"param", "local", "const", "async", "bulk", "mmio"} & set(rest):
        kind = (CONSTANT if "nc" in rest else VOLATILE if "volatile" in rest else 0) | (WRITE if name == "st" else 0)
        return [("access", kind)] if order is None else [("strong", kind, scope, order)]
    if name in ("atom", "red") and "async" not in rest:
        return [("strong", ATOMIC, DEVICE if scope is None else scope, order or RELAXED)]
    if name == "mbarrier" and rest[0] in ("init", "inval"):
        return [("access", WRITE if rest[0] == "init" else WRITE | INVALIDATES)]
    if name == "mbarrier" and rest[0] != "pending_count":
        scope = CLUSTER if scope is None else scope  # "An mbarrier instruction without a scope has cluster scope."
        kind = VOLATILE if rest[0].endswith("_wait") else VOLATILE | ATOMIC
        usual = {"test_wait": ACQUIRE, "try_wait": ACQUIRE, "arrive": RELEASE, "arrive_drop": RELEASE}
        orders = [usual.get(rest[0], RELAXED) if order is None else order]
        if kind == VOLATILE or "expect_tx" in rest:
            orders.append(RELAXED)  # a wait that does not succeed, or the first part of arrive.expect_tx
        return [("strong", kind, scope, order) for order in orders]
    if opcode[:2] == ["cp", "async"] and rest[1] in ("ca", "cg"):
        return [("access", 0), ("access", WRITE)]
    if opcode[:3] == ["cp", "async", "bulk"] and rest[2].startswith(("global", "shared")):
        return [("operate", 0), ("operate", WRITE)]
    return [("operate", 0), ("operate", ATOMIC)] if opcode[:4] == ["cp", "reduce", "async", "bulk"] else None


def differences(run, text):
    (lines, marks), found, done = text, {}, set()  # found: the keys are sentences. done: what was compared
    last = defaultdict(lambda: [0, []])  # the line of a thread's last access, and its fences since then
    for name, words in run.events:
        if name == "fence":
            last[tuple(words[:2])][1].append((int(words[2]), int(words[3])))
        if name not in ("access", "strong", "operate"):
            continue
        kind, line = map(int, words[4:6] if name == "operate" else words[5:7])
        got = (name, kind) + (tuple(map(int, words[8:])) if name == "strong" else ())
        wanted = [] if (line, got) in done else [expected(opcode) for _, opcode in lines.get(line, [])
                                                 if opcode[0] not in JUMPS]
        done.add((line, got))
        if wanted and None not in wanted and got not in sum(wanted, []):
            found[f"line {line}: the trace has {got}, but the text is one of {wanted[0]}"] = True
        if name != "operate" and not any(o[:2] == ["cp", "async"] for _, o in lines.get(line, [])):  # those come later
            start, fences = last.pop(tuple(words[:2]), [0, []])
            last[tuple(words[:2])][0] = line
            if (start, line, *fences) in done:
                continue
            done.add((start, line, *fences))
            between = marks[bisect.bisect(marks, start):bisect.bisect_left(marks, line)]
            if fences_differ(lines, between, start, line, fences):
                found[f"lines {start} to {line}: the trace has the fences {fences}, but the text has others"] = True
    return list(found)


def fences_differ(lines, marks, start, stop, fences):
    """Whether a thread that runs from one line to another one straight on has executed other fences."""
    between = [instruction for line in marks for instruction in lines[line]]
    if not 0 < start < stop or any(o[0] in JUMPS or o[0] == "fence" and o[1] not in ("proxy", "mbarrier_init")
                                   and not fence_of(o) or "tensormap" in ".".join(o) for _, o in between):
        return False
    possible = [(predicate, fence_of(opcode)) for predicate, opcode in between if fence_of(opcode)]
    for fence in fences:
        while possible and possible[0][0] and possible[0][1] != fence:
            possible.pop(0)  # its predicate was false
        if not possible or possible.pop(0)[1] != fence:
            return True
    return any(not predicate for predicate, _ in possible)


def main():
    texts = [open(path, encoding="utf-8").read().splitlines() for path in sys.argv[1:3]]
    for number, run in enumerate(runs(texts[0])):
        verdict = judge(run, *map(read_text, texts[1:]))
        for line in [f"race: {p.first} | {p.second} | {p.why}" for p in verdict.races] + verdict.differences + [
                f"{len(verdict.races)} races, {len(verdict.may)} permitted, {len(verdict.unordered)} unordered"]:
            print(f"run {number}: {line}")


if __name__ == "__main__":
    main()
