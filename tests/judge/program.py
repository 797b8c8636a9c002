# SPDX-License-Identifier: MIT
"""Small concurrent programs, their PTX, and what can be said of their races without running them.

A program is a list of launches. Each is a list of statements, which all threads execute in order. A statement has the
threads that take part; the others skip it. Each statement has a line of PTX of its own.
"""
import dataclasses
import functools
import itertools
from dataclasses import dataclass

WORDS = 256  # 32-bit words of each of the two arrays, one in global and one in shared memory
LANES = 32
BYTES = {"u8": 1, "u16": 2, "u32": 4, "f32": 4, "u64": 8, "v2.u32": 8, "v4.u32": 16}


@dataclass(frozen=True)
class Who:
    """Threads: of one block or all, of one warp or all, and lanes from `low` on, without `high`."""
    block: int | None = None
    warp: int | None = None
    low: int = 0
    high: int = LANES

    def has(self, block, thread):
        return (self.block in (None, block) and self.warp in (None, thread // LANES)
                and self.low <= thread % LANES < self.high)

    @functools.lru_cache(maxsize=4096)
    def threads_of(self, blocks, threads):
        return [(block, thread) for block in range(blocks) for thread in range(threads) if self.has(block, thread)]


SIGNED = ("MIN", "MAX")  # the extremes of signed integers


@dataclass(frozen=True)
class Statement:
    """`kind` is one of ONE_INSTRUCTION, or a method of Writer without `write_`. The other members are what it needs."""
    kind: str
    who: Who = Who()
    branch: bool = False  # the other threads branch around it; otherwise it has a predicate
    called: bool = False  # it is in a function; not for shared memory
    # accesses
    shared: bool = False
    type: str = "u32"
    order: str = ""  # "", volatile, relaxed, acquire, release, acq_rel, sc
    scope: str = "gpu"
    function: str = ""  # of an atomic operation
    at: int = 0  # bytes from the start of the array, for thread 0
    by_lane: int = 0  # bytes from one lane to the next
    modulo: int = 0  # the lane's number counts modulo this
    by_warp: int = 0
    by_block: int = 0
    value: int = 1
    peer: int | None = None  # shared memory of that block of the cluster; None: of the own one
    # barriers
    number: int = 0
    count: int = 0
    mask: int = 0xffffffff
    aligned: bool = True
    # `times` polls until the word is `value`. A skip leaves out so many statements if the last value read was another
    # one, and a pass leaves them out always.
    times: int = 0

    def offset(self, block, thread):
        lane = thread % LANES
        return (self.at + (lane % self.modulo if self.modulo else lane) * self.by_lane
                + thread // LANES * self.by_warp + block * self.by_block)

    @property
    def operand(self):
        """What it stores or takes. Signed extremes take a negative number, modulo 2 to its number of bits."""
        return self.value if self.function not in SIGNED else (1 << 8 * self.bytes) - 1 - self.value

    @property
    def bytes(self):
        return BYTES[self.type]

    @property
    def element(self):
        """A strong access to a vector is an access to each of its elements."""
        return BYTES[self.type.partition(".")[2] or self.type]

    @property
    def reads(self):
        return self.kind in ("ld", "atom", "red", "poll", "look", "rounds")

    @property
    def writes(self):
        return self.kind in ("st", "atom", "red")

    @property
    def has_address(self):
        return self.reads or self.writes or self.kind in ("copy", "hoist", "bulkload", "bulkstore", "bulksend")

    @property
    def is_strong(self):
        return self.kind in ("atom", "red", "poll", "look") or self.order != ""


@dataclass(frozen=True)
class Program:
    launches: tuple  # of tuples of statements
    blocks: int = 1
    threads: int = 2
    cluster: int = 1
    idle: int = 0  # further threads of each block, which exit at once
    children: tuple = ()  # like launches: what statements of the kind `launch` start, one block each
    together: bool = False  # all launches run at the same time
    ways: tuple = ()  # further pairs of a model and a schedule under which it runs
    label: bool | None = None  # whether it races; None: unknown
    fault: bool | None = False  # whether a barrier is a fault; None: unknown
    family: str = ""

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)

    @property
    def size(self):
        return sum(len(launch) for launch in self.launches)

    @property
    def results(self):
        """The number of threads that leave what they have read: those of all launches that may run at the same time."""
        started = max(sum(s.kind == "launch" for s in launch) for launch in (*self.launches, ()))
        return self.blocks * self.threads * (len(self.launches) if self.together else 1) + self.threads * started


# ---- PTX ----

HEAD = """.version 8.7\n.target sm_90\n.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],
    .param .align 4 .b8 t[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
"""
REGISTERS = ".reg .b64 %m<4>, %a<4>, %d<4>;\n.reg .f32 %f<2>;\n.reg .b16 %h<2>;\n" \
            ".reg .b32 %tid, %lane, %warp, %block, %got, %x<8>;\n.reg .pred %p<4>;\n"
START = [f".shared .align 128 .b8 s[{4 * WORDS}];", ".shared .align 8 .b64 b[4];",
         "ld.param.u64 %m0, [m];", "ld.param.u64 %m1, [r];", "mov.u64 %m2, s;", "mov.u64 %m3, b;",
         "mov.u32 %tid, %tid.x;", "mov.u32 %block, %ctaid.x;", "and.b32 %lane, %tid, 31;", "shr.u32 %warp, %tid, 5;",
         "mov.u32 %got, 0;"]
REGISTER = {"u8": "%h0", "u16": "%h0", "u32": "%x0", "u64": "%d0", "f32": "%f0", "v2.u32": "{%x0, %x1}",
            "v4.u32": "{%x0, %x1, %x2, %x3}"}
LOADED = {"%h0": "cvt.u32.u16 %x0, %h0;", "%d0": "cvt.u32.u64 %x0, %d0;", "%f0": "mov.b32 %x0, %f0;"}
# Fences that only acquire or release. Their scope is the cluster.
RESTRICTED = {"acquire": "sync_restrict::shared::cluster.cluster", "release": "sync_restrict::shared::cta.cluster"}
ONE_INSTRUCTION = {  # of statement s
    "fence": lambda s: f"fence.{s.order}.{RESTRICTED.get(s.order, s.scope)}",
    "proxyfence": lambda s: "fence.proxy.async",
    "barrier": lambda s: f"barrier.sync{aligned(s)} {s.number}" + (f", {s.count}" if s.count else ""),
    "arrive": lambda s: f"barrier.arrive{aligned(s)} {s.number}, {s.count}",
    "syncwarp": lambda s: f"bar.warp.sync {s.mask:#x}",
    "clusterarrive": lambda s: "barrier.cluster.arrive" + (f".{s.order}" if s.order else "") + aligned(s),
    "clusterwait": lambda s: f"barrier.cluster.wait{aligned(s)}",
    "mbarinit": lambda s: f"mbarrier.init.shared.b64 [%m3], {s.count}",
    "mbararrive": lambda s: f"mbarrier.arrive{qualifiers(s)}.shared.b64 %d3, [%m3]",
    "mbarinval": lambda s: "mbarrier.inval.shared.b64 [%m3]",
    "match": lambda s: f"match.any.sync.b32 %x5, %tid, {s.mask:#x}",
    "mbarexpect": lambda s: f"mbarrier.arrive.expect_tx.shared.b64 %d3, [%m3], {s.count}",
    "commit": lambda s: "cp.async.commit_group",
    "wait": lambda s: f"cp.async.wait_group {s.times}",
    "bulkcommit": lambda s: "cp.async.bulk.commit_group",
    "bulkwait": lambda s: f"cp.async.bulk.wait_group{s.order} {s.times}",
    "exit": lambda s: "ret"}
# Several instructions, or one without a predicate.
UNPREDICATED = ("fence", "proxyfence", "mbarwait", "poll", "launch", "hoist", "look", "rounds")


def aligned(statement):
    return ".aligned" if statement.aligned else ""


def qualifiers(statement):
    if statement.order in ("", "volatile"):
        return f".{statement.order}" if statement.order else ""
    return f".{statement.order}.{statement.scope}"


class Writer:
    """Writes one launch as an entry function. Its threads leave what they have read from element `results` on."""

    def __init__(self, name, program, statements, results=0):
        self.program, self.name, self.started, self.functions = program, name, 0, []
        self.text = [f".visible .entry {name}(.param .u64 m, .param .u64 r)", "{", *REGISTERS.splitlines(), *START]
        if results:
            self.text.append(f"add.u64 %m1, %m1, {4 * results};")
        self.labels = 0
        self.ends = []  # of skips: (statements left, label)
        if program.idle:
            self.text += [f"setp.ge.u32 %p0, %tid, {program.threads};", "@%p0 ret;"]
        self.write_zeros(program, statements)
        for statement in statements:
            self.write(statement)
        for _, label in self.ends:
            self.text.append(f"{label}:")
        # Each thread leaves what it has read.
        self.text += [f"mad.lo.u32 %x7, %block, {program.threads}, %tid;", "mul.wide.u32 %a0, %x7, 4;",
                      "add.u64 %a0, %a0, %m1;", "ld.global.u32 %x6, [%a0];", "mad.lo.u32 %got, %x6, 31, %got;",
                      "st.global.u32 [%a0], %got;", "ret;", "}"]
        self.text = [*itertools.chain(*self.functions), *self.text]

    def write(self, statement):
        guard = self.write_guard(statement.who)
        label = None
        if guard and (statement.branch or statement.called or statement.kind in UNPREDICATED):
            label = self.new_label()
            self.text.append(f"@!{guard} bra {label};")
            guard = ""
        if statement.called:
            self.write_call(statement)
        else:
            self.write_what(statement, f"@{guard} " if guard else "")
        if label:
            self.text.append(f"{label}:")
        ended = [label for left, label in self.ends if left == 0]
        self.ends = [(left - 1, label) for left, label in self.ends if left > 0]
        self.text += [f"{label}:" for label in ended]

    def write_what(self, statement, guard):
        if statement.kind in ONE_INSTRUCTION:
            self.text.append(f"{guard}{ONE_INSTRUCTION[statement.kind](statement)};")
        else:
            getattr(self, f"write_{statement.kind}")(statement, guard)

    def write_call(self, statement):
        """Calls a function that has the statement. What it reads is lost."""
        name, outside = f"{self.name}_f{len(self.functions)}", self.text
        self.text = [f".func {name}(.param .u64 m, .param .u64 r)", "{", *REGISTERS.splitlines(),
                     *[line for line in START if "shared" not in line and "%m2" not in line and "%m3" not in line]]
        self.write_what(statement, "")
        self.functions.append([*self.text, "ret;", "}"])
        self.text = [*outside, "{", ".param .u64 q0;", ".param .u64 q1;", "st.param.u64 [q0], %m0;",
                     "st.param.u64 [q1], %m1;", f"call {name}, (q0, q1);", "}"]

    def write_zeros(self, program, statements):
        """The first thread of each block writes zeros to what the launch uses of shared memory."""
        used = {byte // 16 for statement in statements if statement.shared
                for block, thread in statement.who.threads_of(program.blocks, program.threads)
                for byte in (statement.offset(block, thread), statement.offset(block, thread) + statement.bytes - 1)}
        if used and not any(statement.kind in ("bulkload", "bulksend") for statement in statements):
            self.text += ["setp.eq.u32 %p0, %tid, 0;", "mov.u32 %x0, 0;"]
            self.text += [f"@%p0 st.shared.v4.u32 [s+{16 * chunk}], {{%x0, %x0, %x0, %x0}};" for chunk in sorted(used)]
            self.text.append("bar.sync 0;")

    def new_label(self):
        self.labels += 1
        return f"L{self.labels}"

    def write_guard(self, who):
        """Computes in %p0 whether the thread takes part. Returns "" if all do."""
        parts = []
        if who.block is not None:
            parts.append(f"setp.eq{{}}.u32 %p0, %block, {who.block}{{}};")
        if who.warp is not None:
            parts.append(f"setp.eq{{}}.u32 %p0, %warp, {who.warp}{{}};")
        if who.low > 0:
            parts.append(f"setp.ge{{}}.u32 %p0, %lane, {who.low}{{}};")
        if who.high < LANES:
            parts.append(f"setp.lt{{}}.u32 %p0, %lane, {who.high}{{}};")
        for i, part in enumerate(parts):
            self.text.append(part.format(".and" if i else "", ", %p0" if i else ""))
        return "%p0" if parts else ""

    def write_address(self, statement):
        """Returns the address, and where it is."""
        base, space = ("%m2", ".shared") if statement.shared else ("%m0", ".global")
        if statement.peer is not None:
            self.text.append(f"mapa.shared::cluster.u64 %a1, s, {statement.peer};")
            base, space = "%a1", ".shared::cluster"
        if not (statement.by_lane or statement.by_warp or statement.by_block):
            return f"[{base}+{statement.at}]", space
        self.text.append(f"mov.u32 %x7, {statement.at};")
        for register, step in (("%lane", statement.by_lane), ("%warp", statement.by_warp),
                               ("%block", statement.by_block)):
            if step and register == "%lane" and statement.modulo:
                self.text.append(f"rem.u32 %x6, %lane, {statement.modulo};")
                register = "%x6"
            if step:
                self.text.append(f"mad.lo.u32 %x7, {register}, {step}, %x7;")
        self.text += ["cvt.u64.u32 %a0, %x7;", f"add.u64 %a0, %a0, {base};"]
        return "[%a0]", space

    def write_value(self, statement):
        register, value = REGISTER[statement.type], statement.operand
        if register == "%h0":
            self.text.append(f"mov.u16 %h0, {value};")
        elif register == "%f0":
            self.text.append(f"mov.f32 %f0, {float(value)};")
        elif register == "%d0":
            self.text.append(f"mov.u64 %d0, {value};")
        else:
            self.text += [f"mov.u32 %x{i}, {value};" for i in range(4)]
        return register

    def take(self, guard, register):
        """Mixes the value that was read into what the thread has read."""
        if register in LOADED:
            self.text.append(guard + LOADED[register])
        self.text.append(f"{guard}mad.lo.u32 %got, %got, 5, %x0;")

    def write_ld(self, statement, guard):
        address, space = self.write_address(statement)
        register = REGISTER[statement.type]
        self.text.append(f"{guard}ld{qualifiers(statement)}{space}.{statement.type} {register}, {address};")
        self.take(guard, register)

    def write_st(self, statement, guard):
        address, space = self.write_address(statement)
        register = self.write_value(statement)
        self.text.append(f"{guard}st{qualifiers(statement)}{space}.{statement.type} {address}, {register};")

    @staticmethod
    def atomic_type(statement):
        bitwise = statement.function in ("and", "or", "xor", "exch", "cas")
        letter = "b" if bitwise else "s" if statement.function in SIGNED else "u"
        return statement.type.replace("u", letter)

    def write_red(self, statement, guard):
        self.write_atomic(statement, guard, False)

    def write_atom(self, statement, guard):
        self.take(guard, self.write_atomic(statement, guard, True))

    def write_atomic(self, statement, guard, returns):
        address, space = self.write_address(statement)
        register = self.write_value(statement)
        order = f".{statement.order}" if statement.order else ""
        operands = f"0, {register}" if statement.function == "cas" else register
        self.text.append(f"{guard}{statement.kind}{order}.{statement.scope}{space}.{statement.function.lower()}."
                         f"{self.atomic_type(statement)} {f'{register}, ' if returns else ''}{address}, {operands};")
        return register

    def write_bit(self, predicate, mask):
        """Computes whether the lane is in the mask."""
        self.text += [f"mov.u32 %x7, {mask:#x};", "shr.u32 %x7, %x7, %lane;", "and.b32 %x7, %x7, 1;",
                      f"setp.ne.and.u32 {predicate}, %x7, 0, %e;"]

    def write_hoist(self, statement, guard):
        """The lanes of `value` load, and the others have a constant. Then selp takes that in the lanes of `mask`, and
        another constant in the others. `number`: 0: all lanes load, 1: some branch to the load, 2: the predicate also
        has another value, 3: a loop, where selp first drops the value, and uses it in its second round."""
        address, space = self.write_address(statement)
        again, load, meet = self.new_label(), self.new_label(), self.new_label()
        self.text += ["{", ".reg .b32 %c, %n;", ".reg .pred %q, %l, %e;", "mov.u32 %n, 0;",
                      *["mov.u32 %c, 5;"] * (statement.number == 3), f"{again}:",
                      f"setp.eq.u32 %e, %n, {statement.number == 3:d};"]
        if statement.number == 2:
            self.text.append("setp.ne.u32 %q, %n, 0;")
        else:
            self.write_bit("%q", statement.mask)
        self.text.append("setp.eq.u32 %e, %n, 0;")
        if statement.number > 0:
            self.write_bit("%l", statement.value)
            self.text += [f"@%l bra {load};", *["mov.u32 %c, 5;"] * (statement.number < 3), f"bra {meet};", f"{load}:"]
        self.text += [f"ld{space}.u32 %c, {address};", f"{meet}:"]
        if statement.number == 2:
            self.write_bit("%q", statement.mask)
        self.text += ["selp.b32 %x0, %c, 3, %q;", "add.u32 %n, %n, 1;"]
        if statement.number == 3:
            self.text += ["setp.lt.u32 %e, %n, 2;", f"@%e bra {again};"]
        self.text.append("}")
        self.take("", "%x0")

    def write_shuffle(self, statement, guard):
        self.text.append(f"{guard}shfl.sync.bfly.b32 %x5, %got, 1, 31, {statement.mask:#x};")
        self.text.append(f"{guard}add.u32 %got, %got, %x5;")

    def write_vote(self, statement, guard):
        self.text.append("setp.ne.u32 %p3, %got, 0;")
        self.text.append(f"{guard}vote.sync.ballot.b32 %x5, %p3, {statement.mask:#x};")
        self.text.append(f"{guard}mad.lo.u32 %got, %got, 3, %x5;")

    def write_mbarwait(self, statement, guard):
        """Waits for the end of the first phase."""
        again = self.new_label()
        self.text += [f"{again}:", "nanosleep.u32 32;"]
        self.text.append(f"mbarrier.test_wait.parity{qualifiers(statement)}.shared.b64 %p1, [%m3], 0;")
        self.text.append(f"@!%p1 bra {again};")

    def write_bulkstore(self, statement, guard):
        """A bulk copy from shared to global memory, at the same place."""
        self.text += [f"add.u64 %a2, %m0, {statement.at};", f"add.u64 %a3, %m2, {statement.at};"]
        self.text.append(f"{guard}cp.async.bulk.global.shared::cta.bulk_group [%a2], [%a3], {statement.count};")

    def write_bulkload(self, statement, guard):
        """A bulk copy from global to shared memory, at the same place, which signals the mbarrier."""
        self.text += [f"add.u64 %a2, %m2, {statement.at};", f"add.u64 %a3, %m0, {statement.at};"]
        self.text.append(f"{guard}cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a2], [%a3], "
                         f"{statement.count}, [%m3];")

    def write_bulksend(self, statement, guard):
        """A bulk copy to the shared memory of a peer, at the same place, which signals the mbarrier there."""
        self.text += [f"add.u64 %a3, %m2, {statement.at};", f"mapa.shared::cluster.u64 %a2, %a3, {statement.peer};",
                      f"mapa.shared::cluster.u64 %a1, %m3, {statement.peer};"]
        self.text.append(f"{guard}cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%a2], [%a3], "
                         f"{statement.count}, [%a1];")

    def write_poll(self, statement, guard):
        """Reads until it reads the value, at most `times` times."""
        address, space = self.write_address(statement)
        out, again = self.new_label(), self.new_label()
        self.text += [f"mov.u32 %x4, {statement.times};", f"{again}:", "nanosleep.u32 32;"]
        self.text.append(f"ld{qualifiers(statement)}{space}.{statement.type} %x0, {address};")
        self.text += [f"setp.eq.u32 %p1, %x0, {statement.value};", f"@%p1 bra {out};", "sub.u32 %x4, %x4, 1;",
                      "setp.ne.u32 %p1, %x4, 0;", f"@%p1 bra {again};", f"{out}:"]

    def write_look(self, statement, guard):
        """Reads until it reads the value, and gives up after `times` times, or never (0). `number`: what counts: 0: a
        register, 1: a word of global memory, 2: of shared memory, 3: of local memory, 4: a register of the caller of
        the function that reads. A further register counts modulo `count`."""
        address, space = self.write_address(statement)
        out, again = self.new_label(), self.new_label()
        load = f"ld{qualifiers(statement)}{space}.u32 %x0, "
        self.text += ["{", ".reg .b32 %n, %c;", ".local .align 4 .b32 own;", ".shared .align 4 .b32 owns[128];"]
        place = {1: ".global.u32 {}[%a2]", 2: ".shared.u32 {}[%a2]", 3: ".local.u32 {}[own]"}.get(statement.number)
        self.text += [f"mad.lo.u32 %x7, %block, {self.program.threads}, %tid;", "mul.wide.u32 %a2, %x7, 4;",
                      f"add.u64 %a2, %a2, {'%m0' if statement.number == 1 else 'owns'};",
                      *["add.u64 %a2, %a2, 768;"] * (statement.number == 1), "mov.u32 %c, 0;", "mov.u32 %n, 0;"]
        if place:
            self.text.append(f"st{place.format('')}, %n;")
        self.text.append(f"{again}:")
        if statement.number == 4:
            name, outside = f"{self.name}_f{len(self.functions)}", self.text
            self.functions.append([f".func (.param .b32 v) {name}(.param .u64 a)", "{", *REGISTERS.splitlines(),
                                   "ld.param.u64 %a0, [a];", f"{load.replace(space, '')}[%a0];",
                                   "st.param.b32 [v], %x0;", "ret;", "}"])
            self.text = [*outside, "{", ".param .u64 q0;", ".param .b32 q1;", f"add.u64 %a3, %m0, {statement.at};",
                         "st.param.b64 [q0], %a3;", f"call (q1), {name}, (q0);", "ld.param.b32 %x0, [q1];", "}"]
        else:
            self.text.append(f"{load}{address};")
        self.text += [f"setp.eq.u32 %p1, %x0, {statement.value};", f"@%p1 bra {out};"]
        if statement.count:
            self.text += ["add.u32 %c, %c, 1;", f"rem.u32 %c, %c, {statement.count};"]
        if statement.times:
            self.text += [*([f"ld{place.format('%n, ')};"] if place else []), "add.u32 %n, %n, 1;",
                          *([f"st{place.format('')}, %n;"] if place else []),
                          f"setp.lt.u32 %p1, %n, {statement.times};", *["mov.u32 %n, 0;"] * bool(place),
                          f"@%p1 bra {again};"]
        else:
            self.text.append(f"bra {again};")
        self.text += [f"{out}:", "}"]

    def write_rounds(self, statement, guard):
        """All threads read a word, and thread `count` reads it again by the same instruction. After the barrier of each
        round, thread `number` adds to it. `value`: 1 if another barrier ends the round."""
        address, space = self.write_address(statement)
        again = self.new_label()
        self.text += ["{", ".reg .b32 %n;", ".reg .pred %e;", "mov.u32 %n, 0;", f"{again}:",
                      f"setp.eq.u32 %e, %tid, {statement.count};", "setp.eq.or.u32 %e, %n, 0, %e;",
                      f"@%e ld{qualifiers(statement)}{space}.u32 %x0, {address};", "barrier.sync 0;",
                      f"setp.eq.u32 %e, %tid, {statement.number};",
                      f"@%e red.relaxed.{statement.scope}{space}.add.u32 {address}, 1;",
                      *["barrier.sync 0;"] * statement.value, "add.u32 %n, %n, 1;", "setp.lt.u32 %e, %n, 2;",
                      f"@%e bra {again};", "}"]
        self.take("", "%x0")

    def write_skip(self, statement, guard):
        """Threads whose last value read was not `value` leave out the next statements."""
        label = self.new_label()
        self.text.append(f"setp.ne.u32 %p2, %x0, {statement.value};")
        if guard:
            self.text.append(f"and.pred %p2, %p2, {guard[1:-1]};")
        self.text.append(f"@%p2 bra {label};")
        self.ends.append((statement.times, label))

    def write_pass(self, statement, guard):
        self.ends.append((statement.times, self.new_label()))
        self.text.append(f"{guard}bra {self.ends[-1][1]};")

    def write_copy(self, statement, guard):
        """cp.async from the array in global memory to that in shared memory, at the same place."""
        address, _ = self.write_address(dataclasses.replace(statement, shared=True))
        base, _, offset = address[1:-1].partition("+")
        self.text += [f"add.u64 %a2, {base}, {offset or 0};", "sub.u64 %a3, %a2, %m2;", "add.u64 %a3, %a3, %m0;"]
        self.text.append(f"{guard}cp.async.ca.shared.global [%a2], [%a3], {statement.bytes};")

    def write_launch(self, statement, guard):
        """Launches the child `value` in the stream `number`: 0, 3 (tail) or 4 (fire and forget)."""
        at = 4 * self.program.threads * (self.program.blocks + self.started)
        self.started += 1
        self.text += ["{", ".param .b64 f;", ".param .align 4 .b8 g[12];", ".param .align 4 .b8 t[12];",
                      ".param .b32 s;", ".param .b64 p;", ".param .b64 q;", ".param .b32 r;",
                      f"mov.u64 %a2, {self.name.partition('_')[0]}_c{statement.value};", "st.param.b64 [f], %a2;",
                      "mov.u32 %x6, 1;", f"mov.u32 %x7, {self.program.threads};"]
        self.text += [f"st.param.b32 [{array}+{byte}], {'%x7' if array == 't' and byte == 0 else '%x6'};"
                      for array in "gt" for byte in (0, 4, 8)]
        self.text += ["mov.u32 %x6, 0;", "st.param.b32 [s], %x6;",
                      "call (p), __cudaCDP2GetParameterBufferV2, (f, g, t, s);", "ld.param.b64 %a2, [p];",
                      "st.u64 [%a2], %m0;", f"add.u64 %a3, %m1, {at};", "st.u64 [%a2+8], %a3;",
                      "st.param.b64 [p], %a2;", f"mov.u64 %a3, {statement.number};", "st.param.b64 [q], %a3;",
                      "call (r), __cudaCDP2LaunchDeviceV2, (p, q);", "}"]


def write_module(programs):
    """Returns the PTX of all programs, as lines. Launch l of program p is the entry p<p>_<l>, its child c p<p>_c<c>."""
    text = HEAD.splitlines()
    for p, program in enumerate(programs):
        for number, child in enumerate(program.children):
            text += Writer(f"p{p}_c{number}", program.replace(blocks=1), child).text
        for number, launch in enumerate(program.launches):
            first = number * program.blocks * program.threads if program.together else 0
            text += Writer(f"p{p}_{number}", program, launch, first).text
    return text


def name_of(p, program):
    return ("," if program.together else "+").join(f"p{p}_{number}" for number in range(len(program.launches)))


# ---- Races of programs whose threads are ordered by barriers only ----

def meets(statement, block, thread, other):
    """Returns whether the statement orders what two threads of a block do before and after it. They have not exited."""
    if statement.kind == "barrier":
        return True
    return (statement.kind == "syncwarp" and thread // LANES == other // LANES
            and statement.mask >> thread % LANES & 1 and statement.mask >> other % LANES & 1
            and statement.who.has(block, thread) and statement.who.has(block, other))


def includes(scope, program, block, other):
    return (block == other or scope in ("gpu", "sys")
            or (scope == "cluster" and program.cluster > 1 and block // program.cluster == other // program.cluster))


def are_morally_strong(program, a, b, block, other):
    scopes = ["sys" if statement.order == "volatile" else statement.scope for statement in (a, b)]
    return (a.is_strong and b.is_strong and a.element == b.element
            and all(includes(scope, program, block, other) for scope in scopes))


class Order:
    """Finds the races of a program by definition while it grows: conflicting accesses of different threads that no
    barrier, __syncwarp() or end of a grid orders, and that are not morally strong. For programs whose threads are
    synchronized by nothing else. Accesses are aligned to their size, and no access is smaller than `granule`."""

    def __init__(self, program, granule=1):
        self.program, self.launch, self.by_byte, self.granule = program, [], {}, granule
        self.exits = []  # (statement number, threads)

    def end_launch(self):
        self.launch, self.by_byte, self.exits = [], {}, []

    def has_exited(self, block, thread, before):
        return any(number < before and who.has(block, thread) for number, who in self.exits)

    def accesses(self, statement):
        return [(block, thread, statement.offset(block, thread))
                for block, thread in statement.who.threads_of(self.program.blocks, self.program.threads)
                if not self.has_exited(block, thread, len(self.launch))]

    def races_with(self, statement):
        """Returns the races that the statement has with earlier ones and with itself, as statement numbers."""
        found, number = set(), len(self.launch)
        if not (statement.reads or statement.writes):
            return found
        by_byte, accesses = self.by_byte, self.accesses(statement)
        self.add(statement)
        for other in range(number + 1):
            if self.launch[other].writes or statement.writes:
                if not self.are_all_strong(self.launch[other], statement) and any(
                        self.is_race(before, other, number, block, thread)
                        for block, thread, first in accesses
                        for byte in range(first, first + statement.bytes, self.granule)
                        for before in by_byte[block if statement.shared else None, byte].get(other, ())):
                    found.add((other, number))
        self.remove(statement)
        return found

    def are_all_strong(self, a, b):
        """Returns whether all accesses of two statements to the same bytes are morally strong."""
        return self.program.blocks == 1 and are_morally_strong(self.program, a, b, 0, 0) or \
            are_morally_strong(self.program, a, b, 0, self.program.blocks - 1)

    def is_race(self, before, number2, number, block, thread):
        block2, thread2 = before
        if (block, thread) == (block2, thread2):
            return False
        if block == block2 and any(meets(self.launch[k], block, thread, thread2)
                                   and not self.has_exited(block, thread2, k) for k in range(number2 + 1, number)):
            return False
        if block == block2 and self.has_exited(block, thread2, number) and self.hears(before, number2, number, thread):
            return False
        return not are_morally_strong(self.program, self.launch[number2], self.launch[number], block, block2)

    def hears(self, before, number2, number, thread):
        """Returns whether another thread of the block met the earlier one before it exited, and the later one then."""
        block, informed = before[0], {before[1]}
        for k in range(number2 + 1, number):
            informed |= {t for t in range(self.program.threads) if not self.has_exited(block, t, k)
                         for known in informed if not self.has_exited(block, known, k)
                         and meets(self.launch[k], block, t, known)}
        return thread in informed

    def add(self, statement):
        if statement.kind == "exit":
            self.exits.append((len(self.launch), statement.who))
        if statement.reads or statement.writes:
            for block, thread, first in self.accesses(statement):
                for byte in range(first, first + statement.bytes, self.granule):
                    cell = self.by_byte.setdefault((block if statement.shared else None, byte), {})
                    cell.setdefault(len(self.launch), []).append((block, thread))
        self.launch.append(statement)

    def remove(self, statement):
        self.launch.pop()
        for block, thread, first in self.accesses(statement):
            for byte in range(first, first + statement.bytes, self.granule):
                self.by_byte[block if statement.shared else None, byte].pop(len(self.launch), None)


def barrier_races(program):
    """Returns the races of a program as pairs of (launch, statement number)."""
    sizes = [statement.bytes for launch in program.launches for statement in launch]
    order, found = Order(program, min(sizes)), set()
    for launch, statements in enumerate(program.launches):
        for statement in statements:
            found |= {((launch, a), (launch, b)) for a, b in order.races_with(statement)}
            order.add(statement)
        order.end_launch()
    return found
