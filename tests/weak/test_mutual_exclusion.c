/* SPDX-License-Identifier: MIT
 *
 * Mutual exclusion of two threads by loads and stores, which protects plain data, and a sequence
 * lock. Releases and acquires alone leave races, but only weak memory shows them.
 */
#include "check.h"
#include "litmus_code.h"
#include "litmus_run.h"

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

static const struct litmus weak[] = {
    DEKKERS("Dekker, release and acquire", ""),
    DEKKERS("Dekker, fence.acq_rel", FENCE),
    PETERSONS("Peterson, release and acquire", "", ""),
    /* Each thread may see its own write of z as the last one. */
    PETERSONS("Peterson, one fence.sc", "", FENCE_SC),
    BAKERIES("bakery, release and acquire", ""),
};

static const struct litmus correct[] = {
    DEKKERS("Dekker, fence.sc", FENCE_SC),
    PETERSONS("Peterson, two fence.sc", FENCE_SC, FENCE_SC),
    BAKERIES("bakery, fence.sc", FENCE_SC),
};

static void weak_memory_shows_the_race(void **state)
{
    static struct litmus_outcomes outcomes;

    (void)state;
    for (size_t k = 0; k < sizeof weak / sizeof *weak; k++) {
        litmus_run_strongly(&weak[k], &outcomes);
        print_message("%s: %llu of %llu\n", weak[k].name, (unsigned long long)outcomes.racing,
                      (unsigned long long)outcomes.executions);
        litmus_run(&weak[k], &outcomes);
        print_message("%s: %llu of %llu\n", weak[k].name, (unsigned long long)outcomes.racing,
                      (unsigned long long)outcomes.executions);
    }
}

static void fences_repair_it(void **state)
{
    static struct litmus_outcomes outcomes;

    (void)state;
    for (size_t k = 0; k < sizeof correct / sizeof *correct; k++) {
        litmus_run(&correct[k], &outcomes);
        print_message("%s: %llu of %llu\n", correct[k].name, (unsigned long long)outcomes.racing,
                      (unsigned long long)outcomes.executions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weak_memory_shows_the_race),
        cmocka_unit_test(fences_repair_it),
    };

    return cmocka_run_group_tests(tests, litmus_set_up, litmus_tear_down);
}
