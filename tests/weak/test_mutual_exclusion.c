/* SPDX-License-Identifier: MIT
 *
 * Mutual exclusion of two threads by loads and stores, which protects plain data, and a sequence
 * lock. Releases and acquires alone leave races, but only weak memory shows them.
 */
#include "mutual_exclusion.h"

#include "check.h"
#include "weak_run.h"

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

    return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
