/* SPDX-License-Identifier: MIT
 *
 * Copies of bytes in PTX: cp.async, cp.async.bulk in every direction, its reductions, and the
 * orders that they need.
 */
#include "check.h"

#include "copy_run.h"
#include "reductions.h"

static unsigned char expected[ARRAY_BYTES];

static const struct extent pair = {2, 1, 1};
#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define LOAD_OWN "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
#define STORE "cp.async.bulk.global.shared::cta.bulk_group "
#define SEND "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "

static void set_up_arrays(void)
{
    fill_arrays();
    memset(expected, 0, sizeof expected);
}

/* ---- Copies of threads ---- */

/* Each thread copies 16 bytes, of which it reads only some. The rest become zeros. */
TEST(copies_of_threads)
{
    static const struct {
        const char *instruction, *end;
        uint32_t bytes, read;
    } copies[] = {
        {"cp.async.ca.shared.global", ", 4", 4, 4},
        {"cp.async.ca.shared::cta.global.L2::128B", ", 8", 8, 8},
        {"cp.async.cg.shared.global", ", 16", 16, 16},
        {"cp.async.ca.shared.global", ", 4, 1", 4, 1},
        {"cp.async.ca.shared.global", ", 8, %n0", 8, 5},
        {"cp.async.cg.shared.global.L2::cache_hint", ", 16, %n0, %d5", 16, 5},
        {"cp.async.cg.shared.global", ", 16, 0", 16, 0},
        {"cp.async.cg.shared.global", ", 16, %p1", 16, 0},
        {"cp.async.cg.shared.global", ", 16, %p2", 16, 16},
    };
    char body[4096];

    for (size_t k = 0; k < sizeof copies / sizeof *copies; k++) {
        snprintf(body, sizeof body, "%s%s [%%r1], [%%d0]%s;\n%s",
                 COPY_IN "createpolicy.fractional.L2::evict_first.b64 %d5, 1.0;\n"
                         "setp.eq.u32 %p1, %n0, 5;\nsetp.ne.u32 %p2, %n0, 5;\n"
                         "mul.lo.u32 %r0, %t, 16;\nadd.u32 %r1, %r0, %tile;\n"
                         "cvt.u64.u32 %d0, %r0;\nadd.u64 %d0, %d0, %in;\n"
                         "add.u64 %d0, %d0, 16384;\n",
                 copies[k].instruction, copies[k].end,
                 k % 2 == 0 ? "cp.async.wait_all;\n" SYNC COPY_OUT
                            : "cp.async.commit_group;\ncp.async.wait_group 0;\n" SYNC COPY_OUT);
        set_up_arrays();
        memcpy(expected, array_in, TILE_BYTES);
        for (uint32_t t = 0; t < COPY_THREADS; t++) {
            memset(expected + 16 * t, 0, copies[k].bytes);
            memcpy(expected + 16 * t, array_in + 16384 + 16 * t, copies[k].read);
        }
        expect_bytes(&(struct copy_run){.body = body, .numbers = {5}}, expected);
    }
}

/* ---- One block ---- */

TEST(load_to_shared_memory)
{
    static const char *const bodies[] = {
        COPY_IN INITIALIZE FENCE SYNC ONE_THREAD EXPECT("512") LOAD
        "[%tile+256], [%in+1024], 512, [%full];\n" END WAIT COPY_OUT,
        COPY_IN INITIALIZE FENCE SYNC ONE_THREAD EXPECT(
            "512") "createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;\n"
                   "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                   "[%tile+256], [%in+1024], 512, [%full], %d0;\n" END WAIT COPY_OUT,
        /* two copies to one phase, and the next phase */
        COPY_IN INITIALIZE FENCE SYNC ONE_THREAD EXPECT("256") LOAD_OWN
        "[%tile+256], [%in+1024], 240, [%full];\n" LOAD_OWN
        "[%tile+496], [%in+1264], 16, [%full];\n" END WAIT SYNC ONE_THREAD EXPECT("256") LOAD_OWN
        "[%tile+512], [%in+1280], 256, [%full];\n" END WAIT_FOR("1") COPY_OUT,
    };

    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        set_up_arrays();
        memcpy(expected, array_in, TILE_BYTES);
        memcpy(expected + 256, array_in + 1024, 512);
        expect_bytes(&(struct copy_run){.body = bodies[k]}, expected);
    }
}

TEST(store_to_global_memory)
{
    static const char *const bodies[] = {
        COPY_IN FENCE SYNC ONE_THREAD STORE "[%out+32], [%tile+64], 512;\n" WAIT_GROUP END,
        /* waits for the reads only: the writes are complete when the grid ends */
        COPY_IN FENCE SYNC ONE_THREAD STORE
        "[%out+32], [%tile+64], 512;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n" END,
        /* the first group is complete, and the second one is not needed until the end */
        COPY_IN FENCE SYNC ONE_THREAD STORE
        "[%out+32], [%tile+64], 256;\n"
        "cp.async.bulk.commit_group;\n" STORE "[%out+288], [%tile+320], 256;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 1;\n"
        "ld.global.b32 %r2, [%out+32];\nst.global.b32 [%out+32], %r2;\n"
        "cp.async.bulk.wait_group.read 0;\n" END,
    };

    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        set_up_arrays();
        memcpy(expected + 32, array_in + 64, 512);
        expect_bytes(&(struct copy_run){.body = bodies[k]}, expected);
    }
}

TEST(prefetch_changes_nothing)
{
    set_up_arrays();
    expect_bytes(
        &(struct copy_run){.body = ONE_THREAD "cp.async.bulk.prefetch.L2.global [%in], 64;\n" END},
        expected);
}

/* ---- Blocks of a cluster ---- */

TEST(copy_to_another_block)
{
    const struct copy_run run = {
        .grid = pair,
        .body = OWN_IN OWN_OUT COPY_IN INITIALIZE FENCE CLUSTER_SYNC FIND_OTHER ONE_THREAD EXPECT(
            "512") SEND "[%r3+4096], [%tile], 512, [%r4];\n" END WAIT COPY_OUT CLUSTER_SYNC};

    set_up_arrays();
    memcpy(expected, array_in, 2 * TILE_BYTES);
    memcpy(expected + 4096, array_in + TILE_BYTES, 512);
    memcpy(expected + TILE_BYTES + 4096, array_in, 512);
    expect_bytes(&run, expected);
}

/* Block 0 copies to blocks 0, 1 and 3 of four. */
TEST(multicast)
{
    const struct copy_run run = {
        .grid = {4, 1, 1},
        .body = OWN_OUT COPY_IN INITIALIZE FENCE CLUSTER_SYNC
        "setp.eq.u32 %p1, %rank, 2;\n@%p1 bra SKIP;\n" ONE_THREAD EXPECT(
            "512") "setp.ne.u32 %p1, %rank, 0;\n@%p1 bra DONE;\nmov.b16 %h0, 11;\n"
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                   "cluster "
                   "[%tile+256], [%in+1024], 512, [%full], %h0;\n" END WAIT
                   "SKIP:\n" COPY_OUT CLUSTER_SYNC};

    set_up_arrays();
    for (uint32_t rank = 0; rank < 4; rank++) {
        memcpy(expected + rank * TILE_BYTES, array_in, TILE_BYTES);
        if (rank != 2)
            memcpy(expected + rank * TILE_BYTES + 256, array_in + 1024, 512);
    }
    expect_bytes(&run, expected);
}

/* ---- Reductions ---- */

static const struct reduction to_global[] = {
    {"and", "b32"},  {"or", "b32"},  {"xor", "b32"}, {"and", "b64"}, {"or", "b64"},  {"xor", "b64"},
    {"add", "s32"},  {"add", "u32"}, {"add", "u64"}, {"add", "f32"}, {"add", "f64"}, {"add", "f16"},
    {"add", "bf16"}, {"min", "s32"}, {"min", "u32"}, {"min", "s64"}, {"min", "u64"}, {"min", "f16"},
    {"min", "bf16"}, {"max", "s32"}, {"max", "u32"}, {"max", "s64"}, {"max", "u64"}, {"max", "f16"},
    {"max", "bf16"}, {"inc", "u32"}, {"dec", "u32"},
};

static void fill_for(const struct reduction *reduction)
{
    size_t count = ARRAY_BYTES / reduction_bytes(reduction->type);

    reduction_fill(reduction->type, array_in, count);
    reduction_fill(reduction->type, array_out, count);
}

TEST(reduction_in_global_memory)
{
    char body[4096];

    for (size_t k = 0; k < sizeof to_global / sizeof *to_global; k++) {
        const struct reduction *r = &to_global[k];
        bool is_half = strstr(r->type, "f16") != NULL && strcmp(r->operation, "add") == 0;
        snprintf(body, sizeof body,
                 "%scp.reduce.async.bulk.global.shared::cta.bulk_group.%s%s.%s%s",
                 COPY_IN FENCE SYNC ONE_THREAD, r->operation, is_half ? ".noftz" : "", r->type,
                 " [%out+16], [%tile+32], 512;\n" WAIT_GROUP END);
        fill_for(r);
        memcpy(expected, array_out, sizeof expected);
        reduction_apply(r, expected + 16, array_in + 32, 512 / reduction_bytes(r->type));
        expect_bytes(&(struct copy_run){.body = body}, expected);
    }
}

static const struct reduction to_shared[] = {
    {"and", "b32"}, {"or", "b32"},  {"xor", "b32"}, {"add", "s32"}, {"add", "u32"}, {"add", "u64"},
    {"min", "s32"}, {"min", "u32"}, {"max", "s32"}, {"max", "u32"}, {"inc", "u32"}, {"dec", "u32"},
};

TEST(reduction_in_another_block)
{
    char body[4096];

    for (size_t k = 0; k < sizeof to_shared / sizeof *to_shared; k++) {
        const struct reduction *r = &to_shared[k];
        snprintf(body, sizeof body,
                 "%scp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                 ".%s.%s%s",
                 OWN_IN OWN_OUT COPY_IN INITIALIZE FENCE CLUSTER_SYNC FIND_OTHER ONE_THREAD EXPECT(
                     "512"),
                 r->operation, r->type,
                 " [%r3+4096], [%tile], 512, [%r4];\n" END WAIT COPY_OUT CLUSTER_SYNC);
        fill_for(r);
        memcpy(expected, array_out, sizeof expected);
        memcpy(expected, array_in, 2 * TILE_BYTES);
        reduction_apply(r, expected + 4096, array_in + TILE_BYTES, 512 / reduction_bytes(r->type));
        reduction_apply(r, expected + TILE_BYTES + 4096, array_in, 512 / reduction_bytes(r->type));
        expect_bytes(&(struct copy_run){.grid = pair, .body = body}, expected);
    }
}

/* ---- Races ---- */

TEST(missing_orders_are_races)
{
    static const struct {
        enum fault_sentence lacks;
        const char *body;
    } races[] = {
        {SAYS_READ_UNFENCED,
         COPY_IN SYNC ONE_THREAD STORE "[%out], [%tile], 512;\n" WAIT_GROUP END},
        {SAYS_WRITE_UNFENCED, COPY_IN INITIALIZE SYNC ONE_THREAD EXPECT("512") LOAD
         "[%tile], [%in], 512, [%full];\n" END WAIT COPY_OUT},
        {SAYS_OPERATION_FIRST,
         COPY_IN FENCE SYNC ONE_THREAD STORE "[%out], [%tile], 512;\n"
                                             "st.shared.b32 [%tile+16], %t;\n" WAIT_GROUP END},
        {SAYS_OPERATION_FIRST, COPY_IN FENCE SYNC ONE_THREAD STORE
         "[%out], [%tile], 512;\n"
         "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n"
         "st.global.b32 [%out+16], %t;\n" END},
        {SAYS_OPERATION_FIRST, COPY_IN INITIALIZE FENCE SYNC ONE_THREAD EXPECT("512") LOAD
         "[%tile], [%in], 512, [%full];\n" END COPY_OUT WAIT},
    };

    set_up_arrays();
    for (size_t k = 0; k < sizeof races / sizeof *races; k++)
        expect_race(&(struct copy_run){.body = races[k].body}, races[k].lacks);
}

TEST_MAIN("bulk copies", engine_set_up, copy_tear_down)
