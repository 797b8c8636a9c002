/* SPDX-License-Identifier: MIT
 *
 * Mutual exclusion of two threads by loads and stores, which protects plain data, and a sequence
 * lock. Releases and acquires alone leave races, but only weak memory shows them.
 */
#include "check.h"
#include "weak_code.h"
#include "weak_run.h"

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

/* Without a repair, and with ones that do not suffice. With one fence, each thread of Peterson's
 * algorithm may see its own write of z as the first of the two. */
static const struct litmus wrong[] = {
    DEKKERS("Dekker", ""),         DEKKERS("Dekker, fence.acq_rel", FENCE),
    PETERSONS("Peterson", "", ""), PETERSONS("Peterson, one fence.sc", "", FENCE_SC),
    BAKERIES("bakery", ""),        BAKERIES("bakery, fence.acq_rel", FENCE),
};

/* The number of executions of Dekker's algorithm is too large to run them all. */
static const struct litmus dekker = DEKKERS("Dekker, fence.sc", FENCE_SC);

static const struct litmus correct[] = {
    PETERSONS("Peterson, two fence.sc", FENCE_SC, FENCE_SC),
    BAKERIES("bakery, fence.sc", FENCE_SC),
};

enum { STRONG_SEEDS = 200, WEAK_SEEDS = 2000, CORRECT_SEEDS = 20000 };

static struct litmus_outcomes outcomes;

static void only_weak_memory_shows_the_race(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        litmus_run_some(&wrong[k], SCHEDULE_RANDOM, STRONG_SEEDS, &outcomes);
        if (outcomes.racing > 0)
            fail_msg("%s: a race without weak memory", wrong[k].name);
        litmus_run_some(&wrong[k], SCHEDULE_WEAK, WEAK_SEEDS, &outcomes);
        if (outcomes.racing == 0)
            fail_msg("%s: no race under weak memory", wrong[k].name);
    }
}

static void fences_repair_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof correct / sizeof *correct; k++) {
        litmus_run(&correct[k], &outcomes);
        if (outcomes.racing > 0)
            fail_msg("%s: a race", correct[k].name);
    }
    litmus_run_some(&dekker, SCHEDULE_WEAK, CORRECT_SEEDS, &outcomes);
    assert_int_equal(outcomes.racing, 0);
}

/* ---- A sequence lock ---- */

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

static bool is_torn(void)
{
    return litmus_reaches(&outcomes, "??11") || litmus_reaches(&outcomes, "??21");
}

static void a_sequence_lock_needs_both_fences(void **state)
{
    static const struct litmus correct_lock =
        ALGORITHM("sequence lock", WRITER(FENCE, WRITE), READER(FENCE, READ));
    static const struct litmus wrong_locks[] = {
        ALGORITHM("no fence of the writer", WRITER("", WRITE), READER(FENCE, READ)),
        ALGORITHM("no fence of the reader", WRITER(FENCE, WRITE), READER("", READ)),
    };

    (void)state;
    litmus_run(&correct_lock, &outcomes);
    assert_false(is_torn());
    assert_true(litmus_reaches(&outcomes, "??01"));
    assert_true(litmus_reaches(&outcomes, "??31"));
    assert_int_equal(outcomes.racing, 0);
    for (size_t k = 0; k < sizeof wrong_locks / sizeof *wrong_locks; k++) {
        litmus_run(&wrong_locks[k], &outcomes);
        if (!is_torn())
            fail_msg("%s: no reader accepts halves of two versions", wrong_locks[k].name);
        litmus_run_some(&wrong_locks[k], SCHEDULE_RANDOM, STRONG_SEEDS, &outcomes);
        assert_false(is_torn());
    }
}

static void a_sequence_lock_of_plain_data_races(void **state)
{
    static const struct litmus lock =
        ALGORITHM("plain data", WRITER(FENCE, PLAIN_WRITE), READER(FENCE, PLAIN_READ));

    (void)state;
    litmus_run(&lock, &outcomes);
    assert_true(outcomes.racing > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_weak_memory_shows_the_race),
        cmocka_unit_test(fences_repair_it),
        cmocka_unit_test(a_sequence_lock_needs_both_fences),
        cmocka_unit_test(a_sequence_lock_of_plain_data_races),
    };

    return cmocka_run_group_tests(tests, litmus_set_up, litmus_tear_down);
}
