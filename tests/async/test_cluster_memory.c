/* SPDX-License-Identifier: MIT
 *
 * Clusters in PTX: their registers, their barrier, addresses of other blocks, st.async and
 * red.async.
 */
#include "check.h"

#include "copy_run.h"
#include "reductions.h"

static unsigned char expected[ARRAY_BYTES];

static const struct extent pair = {2, 1, 1};

/* ---- Registers ---- */

static const char *const registers[] = {
    "clusterid.x",     "clusterid.y",      "clusterid.z",      "nclusterid.x",
    "nclusterid.y",    "nclusterid.z",     "cluster_ctaid.x",  "cluster_ctaid.y",
    "cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z",
    "cluster_ctarank", "cluster_nctarank",
};
enum { REGISTERS = sizeof registers / sizeof *registers };

/* Each block writes its registers to a row of 16 words. */
static const char *registers_body(void)
{
    static char body[4096];
    size_t used = (size_t)snprintf(body, sizeof body, "%s",
                                   "mov.u32 %r0, %ctaid.z;\nmov.u32 %r1, %nctaid.y;\n"
                                   "mov.u32 %r2, %ctaid.y;\nmad.lo.u32 %r0, %r0, %r1, %r2;\n"
                                   "mov.u32 %r1, %nctaid.x;\nmov.u32 %r2, %ctaid.x;\n"
                                   "mad.lo.u32 %r0, %r0, %r1, %r2;\n"
                                   "mad.wide.u32 %out, %r0, 64, %out;\n" ONE_THREAD);

    for (uint32_t k = 0; k < REGISTERS; k++)
        used += (size_t)snprintf(body + used, sizeof body - used,
                                 "mov.u32 %%r3, %%%s;\nst.global.b32 [%%out+%u], %%r3;\n",
                                 registers[k], 4 * k);
    snprintf(body + used, sizeof body - used, "%s",
             "mov.pred %p1, %is_explicit_cluster;\nselp.b32 %r3, 1, 0, %p1;\n"
             "st.global.b32 [%out+60], %r3;\n" END);
    return body;
}

TEST(registers_of_blocks)
{
    static const struct extent clusters[] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 1, 2}, {2, 3, 1}};
    const struct extent grid = {4, 6, 2};

    fill_arrays();
    for (size_t k = 0; k < sizeof clusters / sizeof *clusters; k++) {
        const struct extent c = clusters[k];
        uint32_t *row = (uint32_t *)(void *)expected;
        memset(expected, 0, sizeof expected);
        for (uint32_t z = 0; z < grid.z; z++)
            for (uint32_t y = 0; y < grid.y; y++)
                for (uint32_t x = 0; x < grid.x; x++, row += 16) {
                    const uint32_t values[16] = {x / c.x,
                                                 y / c.y,
                                                 z / c.z,
                                                 grid.x / c.x,
                                                 grid.y / c.y,
                                                 grid.z / c.z,
                                                 x % c.x,
                                                 y % c.y,
                                                 z % c.z,
                                                 c.x,
                                                 c.y,
                                                 c.z,
                                                 x % c.x + c.x * (y % c.y + c.y * (z % c.z)),
                                                 c.x * c.y * c.z,
                                                 0,
                                                 1};
                    memcpy(row, values, sizeof values);
                }
        expect_bytes(&(struct copy_run){.body = registers_body(), .grid = grid, .cluster = c},
                     expected);
    }
}

/* mapa and getctarank, by shared and by generic addresses. */
TEST(addresses_know_their_block)
{
    const struct copy_run run = {
        .grid = {4, 1, 1},
        .body = "mad.wide.u32 %out, %rank, 64, %out;\n" ONE_THREAD
                "add.u32 %r2, %rank, 1;\nand.b32 %r2, %r2, 3;\n"
                "mapa.shared::cluster.u32 %r3, %tile, %r2;\n"
                "getctarank.shared::cluster.u32 %r4, %r3;\nst.global.b32 [%out], %r4;\n"
                "getctarank.shared::cluster.u32 %r4, %tile;\nst.global.b32 [%out+4], %r4;\n"
                "cvt.u64.u32 %d0, %tile;\nmapa.shared::cluster.u64 %d1, %d0, %r2;\n"
                "getctarank.shared::cluster.u64 %r4, %d1;\nst.global.b32 [%out+8], %r4;\n"
                "cvta.shared.u64 %d0, %d0;\nmapa.u64 %d1, %d0, %r2;\ngetctarank.u64 %r4, %d1;\n"
                "st.global.b32 [%out+12], %r4;\n"
                /* an address in the own block stays what it is */
                "mapa.u64 %d1, %d0, %rank;\nsetp.eq.u64 %p1, %d0, %d1;\n"
                "selp.b32 %r4, 1, 0, %p1;\nst.global.b32 [%out+16], %r4;\n" END};
    uint32_t *row = (uint32_t *)(void *)expected;

    fill_arrays();
    memset(expected, 0, sizeof expected);
    for (uint32_t rank = 0; rank < 4; rank++, row += 16) {
        const uint32_t next = (rank + 1) % 4, values[5] = {next, rank, next, next, 1};
        memcpy(row, values, sizeof values);
    }
    expect_bytes(&run, expected);
}

/* ---- Accesses ---- */

/* Each block reads, writes and adds to words of the other one. */
TEST(accesses_to_another_block)
{
    static const char *const barriers[] = {
        CLUSTER_SYNC, "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n",
        ("bar.warp.sync 0xffffffff;\nbarrier.cluster.arrive.aligned;\n"
         "barrier.cluster.wait.aligned;\n"),
        "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n"};
    char body[8192];

    for (size_t k = 0; k < sizeof barriers / sizeof *barriers; k++) {
        const char *barrier = barriers[k];
        snprintf(body, sizeof body, "%s%s%s%s%s%s%s", OWN_IN OWN_OUT COPY_IN, barrier,
                 "xor.b32 %r2, %rank, 1;\nmapa.shared::cluster.u32 %r3, %tile, %r2;\n"
                 "mad.lo.u32 %r3, %t, 4, %r3;\nld.shared::cluster.b32 %r4, [%r3];\n"
                 "st.shared::cluster.b32 [%r3+1024], %r4;\n"
                 "red.relaxed.cluster.shared::cluster.add.u32 [%r3+2048], %r4;\n"
                 "cvt.u64.u32 %d0, %tile;\ncvta.shared.u64 %d0, %d0;\nmapa.u64 %d0, %d0, %r2;\n"
                 "mad.wide.u32 %d0, %t, 4, %d0;\nld.b32 %r4, [%d0+256];\nst.b32 [%d0+3072], %r4;\n",
                 barrier, COPY_OUT, barrier, "");
        fill_arrays();
        memset(expected, 0, sizeof expected);
        memcpy(expected, array_in, 2 * TILE_BYTES);
        for (uint32_t rank = 0; rank < 2; rank++) {
            unsigned char *tile = expected + rank * TILE_BYTES;
            const struct reduction add = {"add", "u32"};
            memcpy(tile + 1024, tile, 4 * COPY_THREADS);
            reduction_apply(&add, tile + 2048, tile, COPY_THREADS);
            memcpy(tile + 3072, tile + 256, 4 * COPY_THREADS);
        }
        expect_bytes(&(struct copy_run){.grid = pair, .body = body}, expected);
    }
}

/* ---- st.async and red.async ---- */

/* Thread t of each block sends bytes that it has read from `in`, after 4096 bytes, to the tile of
 * the other block. The mbarrier expects the bytes of all threads. */
#define SEND_START                                                                                 \
    OWN_IN OWN_OUT COPY_IN INITIALIZE CLUSTER_SYNC ONE_THREAD EXPECT("%n0") END FIND_OTHER         \
        "mad.lo.u32 %r3, %t, %n1, %r3;\n"                                                          \
        "mad.wide.u32 %d0, %t, %n1, %in;\nadd.u64 %d0, %d0, 4096;\n"
#define SEND_END WAIT COPY_OUT CLUSTER_SYNC

static void send(const char *load, const char *instruction, const char *values, uint32_t bytes,
                 const struct reduction *reduction)
{
    char body[8192];
    struct copy_run run = {.grid = pair, .body = body, .numbers = {bytes * COPY_THREADS, bytes}};

    snprintf(body, sizeof body, "%sld.global%s %s, [%%d0];\n%s [%%r3], %s, [%%r4];\n%s", SEND_START,
             load, values, instruction, values, SEND_END);
    memset(expected, 0, sizeof expected);
    memcpy(expected, array_out, sizeof expected);
    memcpy(expected, array_in, 2 * TILE_BYTES);
    for (uint32_t rank = 0; rank < 2; rank++) {
        unsigned char *to = expected + rank * TILE_BYTES;
        const unsigned char *from = array_in + (1 - rank) * TILE_BYTES + 4096;
        if (reduction == NULL)
            memcpy(to, from, bytes * COPY_THREADS);
        else
            reduction_apply(reduction, to, from, COPY_THREADS);
    }
    expect_bytes(&run, expected);
}

TEST(st_async)
{
    static const struct {
        const char *load, *instruction, *values;
        uint32_t bytes;
    } stores[] = {
        {".b32", "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32", "%r5", 4},
        {".b64", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64", "%d3", 8},
        {".v2.b32", "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32", "{%r5, %r6}",
         8},
        {".v2.b64", "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64", "{%d3, %d4}",
         16},
        {".v4.b32", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32",
         "{%r5, %r6, %r7, %r8}", 16},
    };

    fill_arrays();
    for (size_t k = 0; k < sizeof stores / sizeof *stores; k++)
        send(stores[k].load, stores[k].instruction, stores[k].values, stores[k].bytes, NULL);
}

/* By generic addresses, to the own block. */
TEST(st_async_by_generic_addresses)
{
    const struct copy_run run = {
        .grid = pair,
        .body = OWN_OUT COPY_IN INITIALIZE SYNC
        "cvt.u64.u32 %d0, %tile;\ncvta.shared.u64 %d0, %d0;\n"
        "cvt.u64.u32 %d1, %full;\ncvta.shared.u64 %d1, %d1;\n" ONE_THREAD EXPECT(
            "4") "mov.u32 %r5, 77;\nst.async.mbarrier::complete_tx::bytes.b32 [%d0], %r5, "
                 "[%d1];\n" END WAIT COPY_OUT};

    fill_arrays();
    memset(expected, 0, sizeof expected);
    for (uint32_t rank = 0; rank < 2; rank++) {
        memcpy(expected + rank * TILE_BYTES, array_in, TILE_BYTES);
        memcpy(expected + rank * TILE_BYTES, &(uint32_t){77}, 4);
    }
    expect_bytes(&run, expected);
}

TEST(red_async)
{
    static const struct reduction reductions[] = {
        {"add", "u32"}, {"add", "s32"}, {"add", "u64"}, {"add", "s64"}, {"min", "u32"},
        {"min", "s32"}, {"max", "u32"}, {"max", "s32"}, {"inc", "u32"}, {"dec", "u32"},
        {"and", "b32"}, {"or", "b32"},  {"xor", "b32"}};
    char instruction[128];

    fill_arrays();
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++) {
        const struct reduction *r = &reductions[k];
        uint32_t bytes = reduction_bytes(r->type);
        snprintf(instruction, sizeof instruction,
                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s.%s",
                 r->operation, r->type);
        send(bytes == 8 ? ".b64" : ".b32", instruction, bytes == 8 ? "%d3" : "%r5", bytes, r);
    }
}

TEST_MAIN("clusters", engine_set_up, copy_tear_down)
