/* SPDX-License-Identifier: MIT
 *
 * mbarrier objects in PTX: phases, arrivals and bytes.
 */
#include "check.h"

#include "copy_run.h"

static unsigned char expected[ARRAY_BYTES];

#define INIT(count) "mbarrier.init.shared::cta.b64 [%full], " count ";\n"
#define ARRIVE "mbarrier.arrive.shared::cta.b64 %d0, [%full];\n"

/* Stores results, one word after the other. */
#define STORE(register) "st.global.b32 [%out], " register ";\nadd.u64 %out, %out, 4;\n"
#define STORE_BIT "selp.b32 %r9, 1, 0, %p1;\n" STORE("%r9")
#define TEST_PARITY(parity)                                                                        \
    "mbarrier.test_wait.parity.shared::cta.b64 %p1, [%full], " parity ";\n" STORE_BIT
#define TEST_STATE(state) "mbarrier.test_wait.shared::cta.b64 %p1, [%full], " state ";\n" STORE_BIT
#define PENDING(state) "mbarrier.pending_count.b64 %r8, " state ";\n" STORE("%r8")

/* One thread stores these words. */
static void expect_words(const char *body, const uint32_t *words, size_t count)
{
    char whole[8192];

    fill_arrays();
    memset(expected, 0, sizeof expected);
    memcpy(expected, words, count * sizeof *words);
    snprintf(whole, sizeof whole, "%s%s%s", ONE_THREAD, body, END);
    expect_bytes(&(struct copy_run){.body = whole}, expected);
}

#define EXPECT_WORDS(body, ...)                                                                    \
    expect_words(body, (const uint32_t[]){__VA_ARGS__},                                            \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

TEST(phases_end_when_all_have_arrived)
{
    EXPECT_WORDS(INIT("2") TEST_PARITY("0") TEST_PARITY("1") ARRIVE PENDING("%d0") TEST_STATE("%d0")
                     ARRIVE PENDING("%d0") TEST_STATE("%d0") TEST_PARITY("0") TEST_PARITY("1"),
                 0, 1, 2, 0, 1, 1, 1, 0);
    /* the second phase has the other parity */
    EXPECT_WORDS(INIT("1") ARRIVE ARRIVE TEST_STATE("%d0") TEST_PARITY("1") TEST_PARITY("0"), 1, 1,
                 0);
}

TEST(arrivals_may_count_more_than_one)
{
    EXPECT_WORDS(
        INIT("5") "mbarrier.arrive.release.cta.shared::cta.b64 %d0, [%full], 3;\n" PENDING(
            "%d0") "mbarrier.arrive.noComplete.shared::cta.b64 %d0, [%full], 1;\n" PENDING("%d0")
            TEST_PARITY("0") ARRIVE PENDING("%d0") TEST_PARITY("0"),
        5, 2, 0, 1, 1);
}

/* arrive_drop lowers the count of later phases. */
TEST(arrivals_may_drop)
{
    EXPECT_WORDS(
        INIT("3") "mbarrier.arrive_drop.shared::cta.b64 %d0, [%full], 2;\n" TEST_PARITY("0")
            ARRIVE TEST_PARITY("0") TEST_PARITY("1") ARRIVE PENDING("%d0") TEST_PARITY("1"),
        0, 1, 0, 1, 1);
}

TEST(bytes_keep_a_phase_open)
{
    EXPECT_WORDS(INIT("1") "mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%full], "
                           "24;\n" TEST_PARITY("0") "mbarrier.complete_tx.relaxed.cta.shared::cta."
                                                    "b64 [%full], 16;\n" TEST_PARITY(
                                                        "0") "mbarrier.complete_tx.shared::cta.b64 "
                                                             "[%full], 8;\n" TEST_PARITY("0"),
                 0, 0, 1);
    /* bytes may come before the thread that expects them */
    EXPECT_WORDS(
        INIT("1") "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%full], 16;\n"
                  "mbarrier.complete_tx.shared::cta.b64 [%full], 32;\n" TEST_PARITY("0")
                      ARRIVE TEST_PARITY(
                          "0") "mbarrier.expect_tx.shared::cta.b64 [%full], 16;\n" TEST_PARITY("0"),
        0, 0, 1);
}

TEST(objects_can_be_initialized_again)
{
    EXPECT_WORDS(INIT("2") ARRIVE "mbarrier.inval.shared::cta.b64 [%full];\n" INIT("1")
                     TEST_PARITY("0") ARRIVE TEST_PARITY("0"),
                 0, 1);
}

/* cp.async.mbarrier.arrive arrives when the copies of the thread are complete. Without .noinc it
 * also adds an arrival to those that the phase waits for. */
TEST(copies_of_threads_arrive)
{
    static const char *const bodies[] = {
        ONE_THREAD INIT("64") END SYNC
        "mul.lo.u32 %r0, %t, 16;\nadd.u32 %r1, %r0, %tile;\n"
        "mad.wide.u32 %d0, %t, 16, %in;\ncp.async.cg.shared.global [%r1], [%d0], 16;\n"
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%full];\n" WAIT,
        ONE_THREAD INIT("64") END SYNC
        "mul.lo.u32 %r0, %t, 16;\nadd.u32 %r1, %r0, %tile;\n"
        "mad.wide.u32 %d0, %t, 16, %in;\ncp.async.cg.shared.global [%r1], [%d0], 16;\n"
        "cp.async.mbarrier.arrive.shared::cta.b64 [%full];\n" ARRIVE WAIT,
    };
    char body[8192];

    fill_arrays();
    memset(expected, 0, sizeof expected);
    memcpy(expected, array_in, 16 * COPY_THREADS);
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        snprintf(body, sizeof body, "%s%s", bodies[k],
                 "xor.b32 %r1, %r0, 16;\nadd.u32 %r2, %r1, %tile;\n"
                 "ld.shared.v2.b64 {%d1, %d2}, [%r2];\ncvt.u64.u32 %d0, %r1;\n"
                 "add.u64 %d0, %d0, %out;\nst.global.v2.b64 [%d0], {%d1, %d2};\n");
        expect_bytes(&(struct copy_run){.body = body}, expected);
    }
}

TEST_MAIN("mbarrier objects", engine_set_up, copy_tear_down)
