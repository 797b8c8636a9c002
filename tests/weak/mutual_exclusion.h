/* SPDX-License-Identifier: MIT
 *
 * Algorithms of two threads as litmus tests: mutual exclusion by loads and stores, which protects
 * plain data, and a sequence lock.
 */
#ifndef SIMTCHECK_TESTS_MUTUAL_EXCLUSION_H
#define SIMTCHECK_TESTS_MUTUAL_EXCLUSION_H

#include "weak_code.h"

/* Increments the data, which only one thread at a time may do. */
#define CRITICAL "ld.global.u32 %r0, [%d];\nadd.u32 %r0, %r0, 1;\nst.global.u32 [%d], %r0;\n"
#define BRANCH_IF(compare, a, b, to) "setp." compare ".u32 %p0, " a ", " b ";\n@%p0 bra " to ";\n"

/* Dekker: x and y are the flags, z is the turn. `me` and `other` are the numbers 0 and 1. */
#define DEKKER(me, mine, other, theirs, fence)                                                     \
    RELEASE(mine, "1")                                                                             \
    fence "TRY" me ":\n" ACQUIRE("r2", theirs) BRANCH_IF("eq", "%r2", "0", "ENTER" me)             \
        ACQUIRE("r3", "z") BRANCH_IF("eq", "%r3", me, "TRY" me)                                    \
            RELEASE(mine, "0") "TURN" me ":\n" ACQUIRE("r3", "z")                                  \
                BRANCH_IF("ne", "%r3", me, "TURN" me) RELEASE(mine, "1") fence                     \
        "bra TRY" me ";\nENTER" me ":\n" CRITICAL RELEASE("z", other) RELEASE(mine, "0")

/* Peterson: x and y are the flags, z is who waits. */
#define PETERSON(me, mine, other, theirs, first, second)                                           \
    RELEASE(mine, "1")                                                                             \
    first RELEASE("z", other) second "TRY" me ":\n" ACQUIRE("r2", theirs)                          \
        BRANCH_IF("eq", "%r2", "0", "ENTER" me) ACQUIRE("r3", "z")                                 \
            BRANCH_IF("eq", "%r3", other, "TRY" me) "ENTER" me ":\n" CRITICAL                      \
            RELEASE(mine, "0")

/* Lamport's bakery: x and y say who chooses, z and w are the numbers. The thread with the lower
 * number goes first, and of equal ones thread 0. */
#define BAKERY(me, chooses, number, their_choice, their_number, comes_first, fence)                \
    RELEASE(chooses, "1")                                                                          \
    fence ACQUIRE("r2", their_number) "add.u32 %r2, %r2, 1;\n" RELEASE(number, "%r2")              \
        RELEASE(chooses, "0") fence "CHOICE" me ":\n" ACQUIRE("r3", their_choice)                  \
            BRANCH_IF("ne", "%r3", "0", "CHOICE" me) "WAIT" me ":\n" ACQUIRE("r3", their_number)   \
                BRANCH_IF("eq", "%r3", "0", "ENTER" me)                                            \
                    BRANCH_IF(comes_first, "%r3", "%r2", "WAIT" me) "ENTER" me ":\n" CRITICAL      \
                    RELEASE(number, "0")

#define ALGORITHM(called, first, second)                                                           \
    {                                                                                              \
        .name = called, .threads = { first, second }                                               \
    }
#define DEKKERS(called, fence)                                                                     \
    ALGORITHM(called, DEKKER("0", "x", "1", "y", fence), DEKKER("1", "y", "0", "x", fence))
#define PETERSONS(called, a, b)                                                                    \
    ALGORITHM(called, PETERSON("0", "x", "1", "y", a, b), PETERSON("1", "y", "0", "x", a, b))
#define BAKERIES(called, fence)                                                                    \
    ALGORITHM(called, BAKERY("0", "x", "z", "y", "w", "lt", fence),                                \
              BAKERY("1", "y", "w", "x", "z", "le", fence))

/* z is the sequence number, x and y are the data. The reader leaves 2x + y in %r0, and in %r1
 * whether it accepts them. */
#define WRITER(fence, write) WRITE("z", "1") fence write("x", "1") write("y", "1") RELEASE("z", "2")
#define READER(fence, read)                                                                        \
    ACQUIRE("r2", "z")                                                                             \
    read("r3", "x") read("r4", "y") fence READ("r5", "z") "mad.lo.u32 %r0, %r3, 2, %r4;\n"         \
                                                          "setp.eq.u32 %p0, %r2, %r5;\n"           \
                                                          "selp.u32 %r1, 1, 0, %p0;\n"             \
                                                          "and.b32 %r2, %r2, 1;\n"                 \
                                                          "setp.eq.u32 %p0, %r2, 1;\n"             \
                                                          "@%p0 mov.u32 %r1, 0;\n"
#define PLAIN_WRITE(place, value) "st.global.u32 [%" place "], " value ";\n"
#define PLAIN_READ(to, place) "ld.global.u32 %" to ", [%" place "];\n"

#endif
