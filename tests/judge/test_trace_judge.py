#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests trace_judge.py on traces written by hand. Each rule has an ordered case, and cases where one thing lacks.

A case has the events of record.c, some of them abbreviated, and pairs of accesses, named by the lines of the PTX:
`10-20` is a race, `10~20` a pair that may be reported, `10=20` an unordered pair of strong accesses.
"""
import re
import sys
import unittest
from types import SimpleNamespace

sys.dont_write_bytecode = True
import trace_judge

NAMES = {
    "ONE": "block 1 0 0 64", "TWO": "block 1 0 0 2; block 2 0 0 2",  # one or two blocks
    "PAIR": "block 1 0 1 2; block 2 0 1 2", "OTHER": "block 1 0 1 2; block 2 0 2 2",  # of one cluster, of two
    "put": "access 1 0 0 0 4 1 10 0", r"get (\d+ \d+)": r"access \1 0 0 4 0 20 0",  # plain accesses of the word 0
    # strong accesses of the word 8 with scope and order
    r"set (. .)": r"strong 1 0 0 8 4 1 30 0 \1", r"seen (\d+ \d+) (. .)": r"strong \1 0 8 4 0 40 0 \2",
    r"store (. .) (\d+) (. .)": r"strong \1 0 8 4 1 \2 0 \3", r"atom (. .) (\d+) (. .)": r"strong \1 0 8 4 4 \2 0 \3",
    r"mbarrier (\d+ \d+ )(.) (\d+) (. .)": r"strong \g<1>1 64 8 \2 \3 0 \4",
    r"inval (\d+ \d+)": r"access \1 1 64 8 9 50 0", r"USE (\d+)": r"mbarrier 1 \1 6 30 1 2",
    # kind, line, and the word if it is not 0
    r"plain (\d+ \d+) (\d+) (\d+)": r"access \1 0 0 4 \2 \3 0",
    r"plain (\d+ \d+) (\d+) (\d+) (\d+)": r"access \1 \4 0 4 \2 \3 0",
    r"plain (\d+ \d+) (\d+) (\d+) (\d+ \d+)": r"access \1 \4 4 \2 \3 0",
    r"plain (\d+ \d+) (\d+) (\d+) (\d+ \d+ \d+)": r"access \1 \4 \2 \3 0",
    # bulk copies, from or to a place of 16 bytes
    "fill": "access 1 0 1 0 4 1 10 0", "clear": "access 1 1 1 0 4 1 30 0", "ISSUERS": "issuers 1 1 0 3 128",
    r"copy (\d \d \d) (.)": r"operate \1 16 \2 20 2 e", "COPY": "copy 1 1 0 1; copy 1 1 0 1",
    "ISSUE": "issue 1 1 0 128", "OVER": "COPY; waited 1 1 e 1; clear", "INIT": "access 1 0 1 64 8 1 10 0",
    r"SIGNAL (. .+)": r"barrier 1; issue 1 1 \1; COPY; signal 1 1 64 20",
    "WAIT": "mbarrier 1 2 2 30 1 1; plain 1 2 0 40 1",
    # whole messages from block 1 to block 2
    r"fences (. .) (. .) (. .) (. .)": r"TWO; put; fence 1 0 \1; set \2; seen 2 0 \3; fence 2 0 \4; get 2 0",
    r"message (. .) (. .)": r"TWO; put; set \1; seen 2 0 \2; get 2 0",
    "FENCED": "TWO; put; fence 1 0 2 3", "ACQUIRED": "fence 2 0 2 3; get 2 0", "RELEASED": "TWO; put; set 2 2",
    "ARRIVED": "ONE; put; mbarrier 1 0 6 30 1 2", "GRIDS": "block 1 0 0 2; put; end 1; follow 0 1; block 2 1 0 2",
    "MEET": "cluster-arrive 1 0 1; cluster-arrive 2 0 1; cluster-leave 2 0",
    "RELAXED": "cluster-arrive 1 0 0; cluster-arrive 2 0 1; cluster-leave 2 0",
    "END": "exit 1 0 50; exit 1 1 51; end 1", r"CHILD (\d)": r"block 2 1 0 1; plain 2 0 1 10; end 2; complete 1 \1",
}
CASES = """
# program order
ONE; put; get 1 0 => | ONE; put; get 1 1 => 10-20 | ONE; get 1 1; get 1 0 => | ONE; put; plain 1 1 1 20 0 3 1 => 10-20
ONE; put; plain 1 1 1 20 0 4 1; plain 1 1 1 21 1 0 1 =>
# syncthreads
ONE; put; barrier 1; get 1 33 => | TWO; put; barrier 1; barrier 2; get 2 0 => 10-20
ONE; put; exit 1 0 50; barrier 1; get 1 33 => 10-20 | ONE; put; barrier 1; exit 1 0 50; barrier 1; get 1 33 =>
# numbered barriers
ONE; put; arrive 1 0 3 2; arrive 1 33 3 2; leave 1 33 3; get 1 33 =>
ONE; put; arrive 1 0 3 2; arrive 1 33 3 2; get 1 33 => 10-20
ONE; put; arrive 1 0 3 2; arrive 1 33 4 1; leave 1 33 4; get 1 33 => 10-20
# - thread 0 arrives at the next meeting before thread 33 leaves this one
ONE; arrive 1 0 3 2; arrive 1 33 3 2; put; arrive 1 0 3 2; leave 1 33 3; get 1 33 => 10-20
# syncwarp
ONE; put; warp 1 0 3; get 1 1 => | ONE; put; warp 1 0 2; get 1 1 => 10-20 | ONE; put; warp 1 1 3; get 1 1 => 10-20
ONE; put; warp 1 1 3; get 1 33 => 10-20 | ONE; put; exit 1 0 50; warp 1 0 3; get 1 1 => 10-20
# fences
fences 2 3 2 0 2 0 2 3 => | TWO; put; set 2 0; seen 2 0 2 0; ACQUIRED => 10-20
FENCED; set 2 0; seen 2 0 2 0; get 2 0 => 10-20 | fences 0 3 2 0 2 0 2 3 => 10-20 | fences 2 3 2 0 2 0 0 3 => 10-20
fences 2 1 2 0 2 0 2 3 => 10-20 | fences 2 3 2 0 2 0 2 2 => 10-20 | fences 2 2 2 0 2 0 2 1 =>
fences 2 3 0 0 2 0 2 3 => 10-20 30-40 | fences 2 3 2 0 0 0 2 3 => 10-20 30-40
PAIR; put; fence 1 0 1 3; set 1 0; seen 2 0 1 0; fence 2 0 1 3; get 2 0 =>
block 1 0 1 2; block 2 1 1 2; put; fence 1 0 1 3; set 1 0; seen 2 0 1 0; fence 2 0 1 3; get 2 0 => 10-20 30-40
OTHER; put; fence 1 0 1 3; set 1 0; seen 2 0 1 0; fence 2 0 1 3; get 2 0 => 10-20 30-40
fences 1 3 1 0 1 0 1 3 => 10-20 30-40 | ONE; put; fence 1 0 0 3; set 0 0; seen 1 33 0 0; fence 1 33 0 3; get 1 33 =>
# - the read reads another value, or some bytes of this one
FENCED; set 2 0; plain 1 0 1 31 0 8; seen 2 0 2 0; ACQUIRED => 10-20 31-40
FENCED; set 2 0; strong 1 0 0 8 2 1 31 0 2 0; seen 2 0 2 0; ACQUIRED => 10~20 31-40
FENCED; plain 1 0 3 30 0 8; plain 2 0 2 40 0 8; ACQUIRED =>
FENCED; plain 1 0 1 30 0 8; seen 2 0 2 0; ACQUIRED => 10-20 30-40
TWO; fence 1 0 2 3; put; set 2 0; seen 2 0 2 0; ACQUIRED => 10-20
# a barrier between fence and strong write, then between strong read and fence
FENCED; barrier 1; store 1 1 30 2 0; seen 2 0 2 1; get 2 0 =>
TWO; put; barrier 1; store 1 1 30 2 0; seen 2 0 2 1; get 2 0 => 10-20
TWO; put; barrier 1; fence 1 0 2 3; store 1 1 30 2 0; seen 2 0 2 1; get 2 0 => 10-20
RELEASED; seen 2 0 2 0; barrier 2; fence 2 1 2 3; get 2 1 => | RELEASED; seen 2 0 2 0; fence 2 1 2 3; get 2 1 => 10-20
RELEASED; seen 2 0 2 0; strong 2 0 0 12 4 1 50 0 2 2; strong 2 1 0 12 4 0 60 0 2 1; fence 2 1 2 3; get 2 1 => 10-20
# - a release and an acquire are no barrier, so the fence does not work for the write of block 2
block 3 0 0 1; FENCED; set 2 2; seen 2 0 2 1; strong 2 0 0 12 4 1 50 0 2 0; strong 3 0 0 12 4 0 60 0 2 1; get 3 0 =>
    10-20
# release and acquire
message 2 2 2 1 => | message 2 0 2 1 => 10-20 | message 2 2 2 0 => 10-20 | message 0 2 2 1 => 10-20 30-40
TWO; put; atom 1 0 30 2 3; atom 2 0 40 2 3; get 2 0 =>
# - between release and acquire: atomic operations and stores
RELEASED; atom 1 1 50 2 0; seen 2 0 2 1; get 2 0 => | RELEASED; store 1 1 50 2 0; seen 2 0 2 1; get 2 0 => 10-20
RELEASED; store 1 0 50 2 0; seen 2 0 2 1; get 2 0 =>
RELEASED; atom 2 1 50 0 0; seen 2 0 2 1; get 2 0 => 10-20 30-50
# - what comes before a release may be ordered with the access that acquires, or not
TWO; plain 1 0 1 10 0 8; set 2 2; seen 2 0 2 1 => 10~40
# a strong write and a read of its value
TWO; set 2 0; seen 2 0 2 0; plain 2 0 1 50 0 8 => | TWO; set 2 0; plain 2 0 1 50 0 8 => 30-50
TWO; set 2 0; seen 2 0 2 0; plain 2 1 1 50 0 8 => 30-50 40-50
TWO; set 0 0; seen 2 0 2 0; plain 2 0 1 50 0 8 => 30-40 30-50
TWO; set 2 0; seen 2 0 2 0; barrier 2; plain 2 1 1 50 0 8 =>
TWO; set 2 0; atom 2 0 31 2 0; seen 2 1 0 0; plain 2 1 1 50 0 8 => 30-40 30~50
TWO; set 2 0; store 1 0 31 2 0; seen 2 0 2 0; plain 2 0 1 50 0 8 => 30~50
TWO; set 2 0; atom 1 0 31 2 0; seen 2 0 2 0; plain 2 0 1 50 0 8 =>
# the last read counts
FENCED; set 2 0; seen 2 0 2 0; store 2 1 50 2 0; seen 2 0 2 0; ACQUIRED => 10~20
FENCED; set 2 0; seen 2 0 2 0; fence 2 0 2 3; store 2 1 50 2 0; seen 2 0 2 0; ACQUIRED =>
FENCED; set 2 0; seen 2 1 2 0; store 1 1 50 2 0; seen 2 1 2 0; barrier 2; seen 2 0 2 0; ACQUIRED => 10~20
TWO; set 2 0; seen 2 0 2 0; store 2 1 50 2 0; seen 2 0 2 0; plain 2 0 0 60 0 8 => 30~60
# mbarrier
ARRIVED; mbarrier 1 33 2 40 1 1; get 1 33 =>
ONE; put; mbarrier 1 0 6 30 1 0; mbarrier 1 33 2 40 1 1; get 1 33 => 10-20
ARRIVED; mbarrier 1 33 2 40 1 0; get 1 33 => 10-20 | ARRIVED; mbarrier 1 33 6 40 1 0; fence 1 33 2 3; get 1 33 => 10-20
ARRIVED; mbarrier 1 33 2 40 1 0; fence 1 33 2 3; get 1 33 =>
PAIR; put; mbarrier 1 0 6 30 1 2; mbarrier 2 0 2 40 1 1; get 2 0 =>
PAIR; put; mbarrier 1 0 6 30 1 2; mbarrier 2 0 2 40 0 1; get 2 0 => 10-20 30-40
ONE; mbarrier 1 0 6 30 1 0; mbarrier 1 33 2 40 1 0; plain 1 33 1 50 1 64 8 => 30~50
ONE; INIT; mbarrier 1 1 6 30 1 2 => 10-30
# - match.any orders it before mbarrier.inval, and nothing else
ONE; USE 1; match 1 0 3; inval 1 0 => | ONE; USE 1; inval 1 0 => 30-50 | ONE; match 1 0 3; USE 1; inval 1 0 => 30-50
ONE; USE 2; match 1 0 3; inval 1 0 => 30-50 | ONE; USE 33; match 1 0 3; inval 1 0 => 30-50
ONE; USE 33; match 1 1 3; inval 1 32 => | ONE; mbarrier 1 1 2 30 1 1; match 1 0 3; inval 1 0 =>
ONE; USE 1; match 1 0 3; inval 1 2 => 30-50 | ONE; USE 1; match 1 0 3; warp 1 0 5; inval 1 2 =>
ONE; USE 1; warp 1 0 5; match 1 0 3; inval 1 2 => 30-50 | ONE; USE 1; warp 1 0 6; match 1 0 5; inval 1 0 =>
ONE; USE 1; match 1 0 3; match 1 0 5; inval 1 2 => | ONE; USE 2; USE 1; match 1 0 3; inval 1 0 => 30-50
ONE; USE 33; mbarrier 1 1 2 40 1 1; match 1 0 3; inval 1 0 =>
ONE; USE 33; mbarrier 1 1 2 40 1 0; match 1 0 3; inval 1 0 => 30-50
ONE; USE 1; match 1 0 3; plain 1 0 1 50 1 64 8 => 30-50 | ONE; put; match 1 0 3; get 1 1 => 10-20
ONE; plain 1 1 0 30 1 64 8; match 1 0 3; inval 1 0 => 30-50
ONE; strong 1 1 1 64 8 4 30 0 2 3; match 1 0 3; inval 1 0 => 30-50
# cluster barrier
PAIR; put; MEET; get 2 0 => | PAIR; put; cluster-arrive 1 0 1; cluster-arrive 2 0 1; get 2 0 => 10-20
OTHER; put; MEET; get 2 0 => 10-20 | TWO; put; MEET; get 2 0 => 10-20 | PAIR; put; RELAXED; get 2 0 => 10-20
PAIR; put; fence 1 0 1 3; RELAXED; get 2 0 => | PAIR; put; fence 1 0 0 3; RELAXED; get 2 0 => 10-20
PAIR; put; fence 1 0 1 1; RELAXED; get 2 0 => 10-20 | PAIR; fence 1 0 1 3; put; RELAXED; get 2 0 => 10-20
PAIR; cluster-arrive 1 0 1; cluster-leave 1 0; put; MEET; get 2 0 => 10-20
# the end of a grid
GRIDS; get 2 0 => | block 1 0 0 2; put; end 1; block 2 1 0 2; get 2 0 => 10-20
GRIDS; end 2; follow 1 2; block 3 2 0 2; get 3 0 =>
block 1 0 0 2; ISSUE; operate 1 0 0 4 1 10 2 e; end 1; follow 0 1; block 2 1 0 2; get 2 0 =>
block 1 0 0 2; launch 1 1 0 0; CHILD 0; end 1; follow 0 2; block 3 2 0 1; get 3 0 =>
# nested launches, and a wait on the device
ONE; put; launch 1 1 0 0; block 2 1 0 1; get 2 0 => | ONE; put; launch 1 1 1 0; block 2 1 0 1; get 2 0 => 10-20
ONE; launch 1 1 0 0; put; block 2 1 0 1; get 2 0 => 10-20
ONE; launch 1 1 0 0; launch 2 1 0 0; CHILD 2; block 3 2 0 1; get 3 0 =>
ONE; launch 1 1 0 0; launch 2 1 0 none; CHILD 0; block 3 2 0 1; get 3 0 => 10-20
ONE; launch 1 1 1 tail; put; end 1; first-tail 1; block 2 1 0 1; get 2 0 =>
ONE; launch 1 1 1 tail; put; end 1; block 2 1 0 1; get 2 0 => 10-20
ONE; launch 2 1 1 tail; launch 1 1 0 0; CHILD 0; end 1; first-tail 2; block 3 2 0 1; get 3 0 =>
ONE; launch 1 1 0 0; CHILD 0; wait 1 1; get 1 1 => | ONE; launch 1 1 0 0; CHILD 0; wait 1 0; get 1 1 => 10-20
# morally strong, constants and textures, renewed memory
TWO; set 2 0; atom 2 0 40 2 0 => 30=40 | TWO; strong 1 0 0 8 8 1 30 0 2 0; atom 2 0 40 2 0 => 30-40
TWO; set 2 0; plain 2 0 2 40 0 8 => 30=40 | ONE; set 0 0; atom 1 1 40 0 0 => 30=40
ONE; put; barrier 1; plain 1 1 64 20 => 10-20 | ONE; put; plain 1 0 64 20 => 10-20
ONE; plain 1 1 64 20; barrier 1; put => 20-10
block 1 0 0 2; put; end 1; follow 0 1; block 2 1 0 1; plain 2 0 64 20 =>
ONE; put; barrier 1; plain 1 1 80 20 => 10-20 | ONE; plain 1 1 80 20; barrier 1; put =>
ONE; plain 1 1 80 20; put => 20-10
ONE; put; renew 0 0 4; get 1 1 => | ONE; put; renew 0 4 4; get 1 1 => 10-20
ONE; put; set 2 2; renew 0 8 4; seen 1 1 2 1; get 1 1 => 10-20
# asynchronous operations
ONE; fill; proxy 1 0 3; ISSUE; OVER => | ONE; fill; proxy 1 0 3; ISSUE; COPY; waited 1 1 e 0; clear => 10-30 20-30
ONE; fill; proxy 1 0 3; ISSUE; COPY; waited 1 1 f 1; clear => 10-30 20-30 | ONE; fill; ISSUE; OVER => 10-20
ONE; fill; ISSUE; copy 1 1 0 0; copy 1 1 0 0; waited 1 1 e 1; clear => 10-20
ONE; fill; ISSUE; copy 1 1 0 0; copy 1 1 0 0; waited 1 1 e 1; plain 1 1 0 30 1 => 10-20
ONE; plain 1 0 0 10 1; ISSUE; OVER => | ONE; fill; issue 1 1 0 0; OVER =>
ONE; fill; proxy 1 0 4; ISSUE; OVER => 10-20
# - a thread between the writer and the thread that issues the copy has the fence
TWO; set 2 0; atom 2 0 40 2 0; proxy 2 0 3; issue 1 2 0 128; operate 1 0 8 4 1 20 2 e =>
ONE; fill; proxy 1 0 2; ISSUE; OVER => | ONE; fill; proxy 1 0 1; ISSUE; OVER => 10-20
ONE; put; proxy 1 0 2; ISSUE; copy 1 0 0 1; copy 1 0 0 1; waited 1 1 e 1; plain 1 1 1 30 => 10-20
ONE; proxy 1 0 3; fill; ISSUE; copy 1 1 0 1 => 10-20 | ONE; plain 1 1 0 10 1; ISSUE; copy 1 1 0 1 => 10-20
ONE; plain 1 1 1 10 1; barrier 1; ISSUERS; proxy 1 0 3; copy 1 1 0 0 => 10-20
ONE; plain 1 1 0 10 1; ISSUERS; copy 1 1 0 1 =>
ONE; ISSUE; copy 1 1 0 1; copy 1 1 0 1; issue 2 1 0 128; operate 2 1 0 16 0 21 2 e; waited 1 1 e 2; clear => 20-21
ONE; ISSUE; copy 1 1 0 1; operate 1 1 0 16 0 21 2 e =>
ONE; strong 1 0 0 0 4 4 10 0 2 0; ISSUE; operate 1 0 0 4 4 20 2 e => 10~20
ONE; strong 1 0 0 0 4 4 10 0 2 0; proxy 1 0 3; ISSUE; operate 1 0 0 4 4 20 2 e =>
ONE; strong 1 1 0 0 4 4 10 0 2 0; ISSUE; operate 1 0 0 4 4 20 2 e => 10-20
ONE; issue 2 1 1 128; operate 2 0 0 4 4 10 2 e; ISSUE; operate 1 0 0 4 4 20 2 e => 10=20
# signals
ONE; INIT; proxy 1 0 4; SIGNAL 1 128; WAIT => | ONE; INIT; proxy 1 0 3; SIGNAL 1 128; WAIT =>
ONE; INIT; SIGNAL 1 128; WAIT => 10-20 | ONE; INIT; proxy 1 1 4; SIGNAL 1 128; WAIT => 10-20
ONE; INIT; proxy 1 0 1; SIGNAL 1 128; WAIT => 10-20 | ONE; INIT; SIGNAL 0 128; WAIT =>
ONE; INIT; barrier 1; proxy 1 1 4; SIGNAL 1 128; WAIT => 10-20
ONE; INIT; barrier 1; proxy 1 1 3; SIGNAL 1 128; WAIT => | ONE; INIT; SIGNAL 1 0; WAIT => 10-20
ONE; INIT; proxy 1 0 4; mbarrier 1 0 6 50 1 2; SIGNAL 1 128; WAIT =>
PAIR; INIT; proxy 1 0 4; RELAXED; issue 1 2 0 128; signal 1 1 64 20 =>
ONE; INIT; SIGNAL 0 128; mbarrier 1 2 2 30 1 0; plain 1 2 0 40 1 => 20-40
ONE; INIT; SIGNAL 0 128; mbarrier 1 3 6 50 1 2; WAIT =>
# - fence.mbarrier_init releases the initialization, and no other write
PAIR; put; plain 1 0 1 11 1 64 8; proxy 1 0 4; RELAXED; mbarrier 2 0 6 30 1 2; get 2 0 => 10-20
PAIR; plain 1 0 1 11 1 64 8; RELAXED; mbarrier 2 0 6 30 1 2 => 11-30
# the end of a block
PAIR; plain 2 0 0 10 1; END => 10-51
PAIR; plain 2 0 0 10 1; cluster-arrive 2 0 1; cluster-arrive 1 0 1; cluster-leave 1 0; END =>
PAIR; plain 1 0 0 10 1; END => | PAIR; END; plain 2 0 0 10 1 => 51-10 | ONE; ISSUE; end 1; copy 1 1 0 0 => 0-20
PAIR; strong 2 0 1 0 4 4 10 0 2 0; strong 1 0 1 0 4 0 20 0 2 0; end 1 => 10~0 | PAIR; ISSUE; copy 1 1 0 0; END => 20-51
PAIR; ISSUE; copy 1 1 0 0; waited 1 0 e 1; END =>
"""
TEXT = """// a comment
ld.param.u64 %rd1, [p];
L: @%p ld.acquire.gpu.u32 %r1, [%rd1];
atom.global.add.u32 %r1, [%rd1], 1;
ld.volatile.u32 %r1, [%rd1]; /* a
comment */ fence.acq_rel.cta;
@%p membar.gl;
st.relaxed.sys.u32 [%rd1],
    %r1;
mbarrier.try_wait.parity.shared::cta.b64 %p, [%rd1], 0;
mbarrier.arrive.release.cta.shared::cta.b64 %rd2, [%rd1];""".splitlines()


def events_of(text):
    for event in [event.strip() for event in text.split(";")]:
        name = next((name for name in NAMES if re.fullmatch(name, event)), None)
        yield from events_of(re.sub(name, NAMES[name], event)) if name else [event]


def pairs_of(text, model="independent"):
    lines = [f"run {model}", "something else", *events_of(text), "done"]
    verdict = trace_judge.judge(next(trace_judge.runs(lines)))
    races, may, unordered = ({f"{p.first.line}{sign}{p.second.line}" for p in pairs} for sign, pairs in zip(
        "-~=", (verdict.races, verdict.may, verdict.unordered)))
    return races | may, unordered


class Judge(unittest.TestCase):
    def test_cases(self):
        for case in re.split(r"\n(?!    )|\|", re.sub(r"#.*\n", "", CASES).strip()):
            with self.subTest(case):
                text, expected = case.split("=>")
                found, unordered = pairs_of(" ".join(text.split()))
                self.assertEqual(found | (unordered if "=" in expected else set()), set(expected.split()))

    def test_lockstep(self):
        def warp(a, b, lane=1):
            return f"ONE; access 1 0 0 0 4 {a} 10 1; access 1 {lane} 0 0 4 {b} 20 2"
        self.assertEqual(pairs_of(warp(3, 2), "lockstep"), (set(), set()))
        self.assertEqual(pairs_of(warp(3, 2)), (set(), {"10=20"}))
        self.assertEqual(pairs_of(warp(3, 2, 32), "lockstep"), (set(), {"10=20"}))
        self.assertEqual(pairs_of(warp(3, 2)[:-1] + "1", "lockstep"), (set(), {"10=20"}))
        two_blocks = "TWO; access 1 0 0 0 4 3 10 1; access 2 1 0 0 4 2 20 2"
        self.assertEqual(pairs_of(two_blocks, "lockstep"), (set(), {"10=20"}))
        operation = "ONE; issue 1 1 0 128; operate 1 0 0 4 4 10 2 e; strong 1 1 0 0 4 4 20 5 2 0"
        self.assertEqual(pairs_of(operation, "lockstep"), ({"10-20"}, set()))
        # Thread 0 of block 2 acquires from block 1, then thread 1 reads by an access of a narrow scope.
        text = "block 1 0 0 2; block 2 0 0 64; set 2 2; strong 2 0 0 8 4 4 40 1 2 1; strong 2 {} 0 8 4 0 50 2 0 0"
        for thread, model, sign in ((1, "lockstep", "~"), (33, "lockstep", "-"), (1, "independent", "-")):
            self.assertEqual(pairs_of(text.format(thread), model)[0], {f"30{sign}50"})
        for other in (2, 0):
            self.assertEqual(pairs_of(warp(1, other), "lockstep"), ({"10-20"}, set()))

    def test_text(self):
        def sentences(*events):
            run = next(trace_judge.runs(["run independent", NAMES["ONE"], *events]))
            return len(trace_judge.judge(run, trace_judge.read_text(TEXT)).differences)
        acquire, volatile, store = "strong 1 0 0 0 4 0 3 0 2 1", "access 1 0 0 0 4 2 5 0", "strong 1 0 0 0 4 1 8 0 3 0"
        self.assertEqual(sentences(acquire, "strong 1 0 0 0 4 4 4 0 2 0", volatile, "fence 1 0 0 3", store), 0)
        self.assertEqual(sentences(volatile, "fence 1 0 0 3", "fence 1 0 2 3", store), 0)
        for events in ([acquire[:-1] + "0"], ["strong 1 0 0 0 4 4 4 0 3 0"], ["access 1 0 0 0 4 0 5 0"],
                       [volatile, store], [volatile, "fence 1 0 2 3", store], [volatile, "fence 1 0 0 1", store],
                       ["strong 1 0 1 0 8 2 10 0 0 1"], ["strong 1 0 1 0 8 6 11 0 1 2"]):
            self.assertEqual(sentences(*events), 1, events)
        self.assertEqual(sentences("strong 1 0 1 0 8 2 10 0 1 0", "strong 1 0 1 0 8 6 11 0 0 2"), 0)

    def test_disagreement(self):
        def says(lines, races, **more):
            pairs = [trace_judge.Pair(*(SimpleNamespace(line=line) for line in pair), "") for pair in lines]
            verdict = SimpleNamespace(races=pairs, may=[])
            return trace_judge.disagreement(verdict, races, **more) is not None
        for lines, races, more, expected in (
                ([], [], {}, False), ([(1, 2)], [(2, 1, 0)], {}, False), ([(1, 2)], [], {}, True),
                ([], [(1, 2, 0)], {}, True), ([], [(1, 2, 1)], {}, False), ([(1, 2)], [(1, 3, 0)], {}, True),
                ([(1, 2)], [(0, 0, 0)], {}, True), ([(1, 2)], [(0, 0, 0)], {"has_lines": False}, False),
                ([], [(0, 0, 0)], {"has_lines": False}, True)):
            self.assertEqual(says(lines, races, **more), expected, (lines, races, more))


if __name__ == "__main__":
    unittest.main()
