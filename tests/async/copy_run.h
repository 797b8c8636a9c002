/* SPDX-License-Identifier: MIT
 *
 * Runs kernels that a test writes in PTX, with arrays, a tile of shared memory, mbarrier objects,
 * and a tensor map.
 */
#ifndef SIMTCHECK_TESTS_COPY_RUN_H
#define SIMTCHECK_TESTS_COPY_RUN_H

#include "engine_run.h"

enum { ARRAY_BYTES = 65536, TILE_BYTES = 8192, COPY_THREADS = 64, NUMBERS = 10 };

/* A kernel. Its body finds in registers:
 *
 *     %in, %out       the arrays, .b64. `in` must not be written
 *     %map            the address of the tensor map, .b64
 *     %n0 to %n9      `numbers`, .b32
 *     %tile, %full    shared addresses, .b32: of TILE_BYTES bytes, and of four mbarrier objects
 *     %t, %rank       the thread in its block, and the block in its cluster, .b32
 *
 * Free registers are %p0 to %p3, %r0 to %r9, %d0 to %d9, %h0 to %h9 (.b16). */
struct copy_run {
    const char *body;
    struct extent grid, cluster;  /* 0, 0, 0: one block; the grid */
    bool writes_out;              /* the kernel must write all of `out`, which is unwritten */
    const struct tensor_map *map; /* of buffer 0, `in`, or 1, `out`; null: none */
    uint32_t numbers[NUMBERS];
};

/* The contents of the arrays when the kernel starts. */
extern unsigned char array_in[ARRAY_BYTES], array_out[ARRAY_BYTES];

/* Parts of bodies. */
#define ONE_THREAD "{\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra DONE;\n"
#define END "DONE:\n}\n"
#define SYNC "bar.sync 0;\n"
#define CLUSTER_SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
#define FENCE "fence.proxy.async;\n"
/* Each thread copies its part of `in` to the tile, or of the tile to `out`. */
#define COPY_IN                                                                                    \
    "{\nmul.lo.u32 %r0, %t, 16;\nLOOP:\ncvt.u64.u32 %d0, %r0;\nadd.u64 %d0, %d0, %in;\n"           \
    "ld.global.v2.b64 {%d1, %d2}, [%d0];\nadd.u32 %r1, %r0, %tile;\n"                              \
    "st.shared.v2.b64 [%r1], {%d1, %d2};\nadd.u32 %r0, %r0, 1024;\n"                               \
    "setp.lt.u32 %p0, %r0, 8192;\n@%p0 bra LOOP;\n}\n"
#define COPY_OUT                                                                                   \
    "{\nmul.lo.u32 %r0, %t, 16;\nLOOP:\nadd.u32 %r1, %r0, %tile;\n"                                \
    "ld.shared.v2.b64 {%d1, %d2}, [%r1];\ncvt.u64.u32 %d0, %r0;\nadd.u64 %d0, %d0, %out;\n"        \
    "st.global.v2.b64 [%d0], {%d1, %d2};\nadd.u32 %r0, %r0, 1024;\n"                               \
    "setp.lt.u32 %p0, %r0, 8192;\n@%p0 bra LOOP;\n}\n"
/* One thread initializes the mbarrier for one arrival. */
#define INITIALIZE                                                                                 \
    ONE_THREAD "mbarrier.init.shared::cta.b64 [%full], 1;\n"                                       \
               "fence.mbarrier_init.release.cluster;\n" END
#define WAIT_FOR(phase)                                                                            \
    "{\nWAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [%full], " phase      \
    ";\n@!%p0 bra WAIT;\n}\n"
#define WAIT WAIT_FOR("0")
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], " bytes ";\n"
#define WAIT_GROUP "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"

/* Each block of a cluster gets its own part of the arrays. */
#define OWN_IN "mad.wide.u32 %in, %rank, 8192, %in;\n"
#define OWN_OUT "mad.wide.u32 %out, %rank, 8192, %out;\n"
/* %r3 and %r4 become the tile and the mbarrier of the other one of two blocks. */
#define FIND_OTHER                                                                                 \
    "xor.b32 %r2, %rank, 1;\nmapa.shared::cluster.u32 %r3, %tile, %r2;\n"                          \
    "mapa.shared::cluster.u32 %r4, %full, %r2;\n"

/* Runs the kernel under each model and several schedules, with and without a search for races.
 * Fails the test after a fault or a race, and if `out` is not as expected. */
void expect_bytes(const struct copy_run *run, const void *expected);

/* The kernel ends with that fault, as fault_has() compares, under each model and schedule. It names
 * the line that ends with "// here", if there is one. */
void expect_fault(const struct copy_run *run, const struct fault *expected);

/* The kernel has races under each model, and the first one lacks that order. */
void expect_race(const struct copy_run *run, enum fault_sentence lacks);

/* Fills `array_in` with random bytes, and `array_out` with zeros. */
void fill_arrays(void);

int copy_tear_down(void **state);

#endif
