/* SPDX-License-Identifier: MIT
 *
 * Wrong asynchronous copies, mbarrier objects and clusters in PTX: the fault of each, and its line.
 */
#include "check.h"

#include "copy_run.h"
#include "fault_members.h"

#define TX ".mbarrier::complete_tx::bytes "
#define LOAD "cp.async.bulk.shared::cluster.global" TX
#define STORE "cp.async.bulk.global.shared::cta.bulk_group "
#define LOAD_BOX "cp.async.bulk.tensor.2d.shared::cluster.global.tile" TX
#define STORE_BOX "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
#define HERE "; // here\n"
#define START COPY_IN INITIALIZE FENCE SYNC ONE_THREAD EXPECT("64")

struct wrong {
    struct fault fault;
    const char *body;
};

static void expect_faults(const struct wrong *all, size_t count, uint32_t blocks,
                          const struct tensor_map *map)
{
    fill_arrays();
    for (size_t k = 0; k < count; k++) {
        const struct copy_run run = {.body = all[k].body, .grid = {blocks, 1, 1}, .map = map};
        expect_fault(&run, &all[k].fault);
    }
}

#define EXPECT_FAULTS(all, blocks, map) expect_faults(all, sizeof all / sizeof *all, blocks, map)

static const struct tensor_map map = {.type = TENSOR_F32,
                                      .rank = 2,
                                      .sizes = {64, 1000},
                                      .strides = {256},
                                      .box = {16, 2},
                                      .steps = {1, 1}};

TEST(bulk_copies)
{
    static const struct wrong copies[] = {
        {FAULT(MISALIGNED, COPY_TO_MISALIGNED, .numbers = {16}),
         START LOAD "[%tile+8], [%in], 64, [%full]" HERE END},
        {FAULT(MISALIGNED, COPY_FROM_MISALIGNED, .numbers = {16}),
         START STORE "[%out], [%tile+4], 64" HERE END},
        {FAULT(INVALID_ASYNC, COPY_SIZE, .bytes = 24, .numbers = {16}),
         START LOAD "[%tile], [%in], 24, [%full]" HERE END},
        {FAULT(INVALID_ASYNC, COPY_SIZE, .bytes = 8),
         ONE_THREAD "cp.async.bulk.prefetch.L2.global [%in], 8" HERE END},
        {FAULT(OUT_OF_BOUNDS_READ, OUTSIDE_ELEMENTS, .bytes = 16),
         START LOAD "[%tile], [%in+65504], 64, [%full]" HERE END},
        {FAULT(OUT_OF_BOUNDS_WRITE, OUTSIDE_ELEMENTS, .bytes = 16),
         START STORE "[%out+65504], [%tile], 64" HERE END},
        {FAULT(READ_ONLY, WRITES_INPUT, .element = {.array = "in"}),
         START STORE "[%in], [%tile], 64" HERE END},
        {FAULT(INVALID_ASYNC, MBARRIER_NO_INIT, .object = "full[8]"),
         START LOAD "[%tile], [%in], 64, [%full+8]" HERE END},
        {FAULT(INVALID_ASYNC, LOAD_INCOMPLETE), START LOAD "[%tile], [%in], 64, [%full]" HERE END},
        {FAULT(INVALID_ASYNC, STORE_INCOMPLETE), START STORE "[%out], [%tile], 64" HERE END},
        {FAULT(UNINITIALIZED_READ, USES_UNDEFINED, .reason = "makes a bulk copy with a value"),
         START LOAD "[%tile], [%in], %r9, [%full]" HERE END},
    };

    EXPECT_FAULTS(copies, 1, NULL);
}

TEST(tensor_copies)
{
    static const struct wrong boxes[] = {
        {FAULT(INVALID_ASYNC, NO_TENSOR_MAP),
         START LOAD_BOX "[%tile], [%in, {0, 0}], [%full]" HERE END},
        {FAULT(INVALID_ASYNC, BOX_DIMENSIONS, .numbers = {1, 2}),
         START "cp.async.bulk.tensor.1d.shared::cluster.global" TX
               "[%tile], [%map, {0}], [%full]" HERE END},
        {FAULT(INVALID_ASYNC, BOX_FIRST, .numbers = {2, 4}),
         START LOAD_BOX "[%tile], [%map, {2, 0}], [%full]" HERE END},
        {FAULT(INVALID_ASYNC, STORE_NEGATIVE, .numbers = {-1}),
         START STORE_BOX "[%map, {0, -1}], [%tile]" HERE END},
        {FAULT(MISALIGNED, BOX_MISALIGNED, .numbers = {128}),
         START LOAD_BOX "[%tile+64], [%map, {0, 0}], [%full]" HERE END},
        {FAULT(OUT_OF_BOUNDS_READ, OUTSIDE_ELEMENTS),
         START LOAD_BOX "[%tile], [%map, {0, 900}], [%full]" HERE END},
        {FAULT(UNINITIALIZED_READ, USES_UNDEFINED, .reason = "makes a bulk copy with a coordinate"),
         START LOAD_BOX "[%tile], [%map, {0, %r9}], [%full]" HERE END},
    };

    static const struct wrong reductions[] = {
        {FAULT(INVALID_ASYNC, REDUCTION_TYPE, .object = "inc", .reason = "f32"),
         START "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group "
               "[%map, {0, 0}], [%tile]" HERE WAIT_GROUP END},
    };
    struct tensor_map output = map;

    EXPECT_FAULTS(boxes, 1, &map);
    output.buffer = 1;
    EXPECT_FAULTS(reductions, 1, &output);
}

TEST(mbarrier_objects)
{
    static const struct wrong objects[] = {
        {FAULT(INVALID_ASYNC, MBARRIER_NOT_SHARED),
         ONE_THREAD "cvta.global.u64 %d0, %out;\nmbarrier.arrive.b64 %d1, [%d0]" HERE END},
        {FAULT(INVALID_ASYNC, MBARRIER_COUNT),
         ONE_THREAD "mbarrier.init.shared::cta.b64 [%full], 0" HERE END},
        {FAULT(INVALID_ASYNC, MBARRIER_OVERWRITTEN, .object = "full"),
         INITIALIZE ONE_THREAD "st.shared.b64 [%full], 1;\n"
                               "mbarrier.arrive.shared::cta.b64 %d1, [%full]" HERE END},
        {FAULT(INVALID_ASYNC, MBARRIER_AGAIN, .object = "full"),
         INITIALIZE ONE_THREAD "mbarrier.init.shared::cta.b64 [%full], 1" HERE END},
        {FAULT(INVALID_ASYNC, MBARRIER_ARRIVALS, .object = "full", .numbers = {2, 1, 1}),
         INITIALIZE ONE_THREAD "mbarrier.arrive.shared::cta.b64 %d1, [%full], 2" HERE END},
        {FAULT(INVALID_ASYNC, MBARRIER_COMPLETES, .object = "full"), INITIALIZE ONE_THREAD
         "mbarrier.arrive.noComplete.shared::cta.b64 %d1, [%full], 1" HERE END},
        {FAULT(INVALID_ASYNC, MBARRIER_BYTES, .numbers = {1048576, 1048575}),
         INITIALIZE ONE_THREAD "mbarrier.expect_tx.shared::cta.b64 [%full], 1048576" HERE END},
        {FAULT(DEADLOCK, WAITS_FOREVER, .reason = "lacks 0 of 1 arrivals and 16 bytes"),
         INITIALIZE FENCE SYNC ONE_THREAD EXPECT("80") LOAD
         "[%tile], [%in], 64, [%full];\n" END
         "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p0, [%full], 0" HERE
         "@!%p0 bra WAIT;\n"},
        {FAULT(DEADLOCK, WAITS_FOREVER, .reason = "and 16 bytes too many have come"),
         INITIALIZE FENCE SYNC ONE_THREAD EXPECT("48") LOAD
         "[%tile], [%in], 64, [%full];\n" END
         "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p0, [%full], 0" HERE
         "@!%p0 bra WAIT;\n"},
    };

    EXPECT_FAULTS(objects, 1, NULL);
}

TEST(other_blocks)
{
    static const struct wrong blocks[] = {
        {FAULT(INVALID_ASYNC, COPY_TO_NO_BLOCK, .numbers = {2}),
         START "mov.b16 %h0, 4;\ncp.async.bulk.shared::cluster.global"
               ".mbarrier::complete_tx::bytes.multicast::cluster "
               "[%tile], [%in], 64, [%full], %h0" HERE END},
        {FAULT(UNINITIALIZED_READ, REDUCES_UNWRITTEN),
         COPY_IN INITIALIZE FENCE CLUSTER_SYNC FIND_OTHER ONE_THREAD EXPECT(
             "16") "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes."
                   "add.u32 "
                   "[%r4+16], [%tile], 16, [%r4]" HERE END WAIT},
        {FAULT(INVALID_ASYNC, STORE_TWO_BLOCKS), INITIALIZE CLUSTER_SYNC FIND_OTHER ONE_THREAD
         "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r3], %r2, [%full]" HERE END},
        {FAULT(MISALIGNED, NOT_ALIGNED, .bytes = 8), INITIALIZE ONE_THREAD
         "mov.b64 %d0, 0;\nst.async.shared::cluster"
         ".mbarrier::complete_tx::bytes.b64 [%tile+4], %d0, [%full]" HERE END},
        {FAULT(INVALID_ASYNC, STORE_NOT_SHARED), INITIALIZE ONE_THREAD
         "cvta.global.u64 %d0, %out;\ncvt.u64.u32 %d1, %full;\ncvta.shared.u64 %d1, %d1;\n"
         "st.async.mbarrier::complete_tx::bytes.b32 [%d0], %t, [%d1]" HERE END},
        {FAULT(OUT_OF_BOUNDS_WRITE, NO_SUCH_RANK, .numbers = {5, 2}),
         CLUSTER_SYNC ONE_THREAD "mapa.shared::cluster.u32 %r3, %tile, 5;\n"
                                 "st.shared::cluster.b32 [%r3], %t" HERE END},
        {FAULT(OUT_OF_BOUNDS_WRITE, NO_SUCH_RANK, .numbers = {5, 2}), INITIALIZE ONE_THREAD
         "mapa.shared::cluster.u32 %r3, %tile, 5;\n"
         "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r3], %t, [%full]" HERE END},
        {FAULT(OUT_OF_BOUNDS_READ, NEEDS_CLUSTER_SPACE, .bytes = 4),
         COPY_IN CLUSTER_SYNC FIND_OTHER "ld.shared.b32 %r4, [%r3]" HERE CLUSTER_SYNC},
        {FAULT(INVALID_ASYNC, LOAD_INCOMPLETE),
         "setp.ne.u32 %p1, %rank, 0;\n@%p1 bra OTHER;\n" COPY_IN FENCE CLUSTER_SYNC FIND_OTHER
             ONE_THREAD "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
         "[%r3], [%tile], 512, [%r4]" HERE END "ret;\nOTHER:\n" INITIALIZE ONE_THREAD EXPECT("512")
             END CLUSTER_SYNC WAIT},
        {FAULT(DIVERGENT_BARRIER, CLUSTER_NO_ARRIVAL), "barrier.cluster.wait" HERE},
        {FAULT(DIVERGENT_BARRIER, CLUSTER_AGAIN),
         "barrier.cluster.arrive;\nbarrier.cluster.arrive" HERE},
        {FAULT(DIVERGENT_BARRIER, CLUSTER_MIXED),
         "setp.ne.u32 %p1, %t, 0;\n@%p1 bra OTHER;\nbarrier.cluster.arrive;\n"
         "barrier.cluster.wait;\nret;\nOTHER:\nbarrier.cluster.arrive.aligned;\n"
         "barrier.cluster.wait;\n"},
    };

    EXPECT_FAULTS(blocks, 2, NULL);
}

/* A copy of bytes that nothing has written is no fault, but their use is. */
TEST(unwritten_bytes)
{
    static const struct wrong uses[] = {
        {FAULT(UNINITIALIZED_READ, USES_UNDEFINED),
         INITIALIZE FENCE SYNC ONE_THREAD EXPECT(
             "4") "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%tile], %r9, "
                  "[%full];\n" END WAIT
                  "ld.shared.b32 %r2, [%tile];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra NEXT" HERE
                  "NEXT:\n"},
    };
    static const struct fault unwritten = FAULT(
        UNINITIALIZED_READ, STORED_UNDEFINED, .origin = FROM_SHARED, .element = {.array = "tile"});
    const struct copy_run run = {
        .writes_out = true, .body = ONE_THREAD STORE "[%out], [%tile], 16" HERE WAIT_GROUP END};

    EXPECT_FAULTS(uses, 1, NULL);
    expect_fault(&run, &unwritten);
}

TEST_MAIN("faults of asynchronous copies", engine_set_up, copy_tear_down)
