/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels with matrix instructions: right ones conform, and each seeded bug is reported
 * at its line. Arguments: "nvcc" or "clang".
 */
#include "launch_rows.h"

static const char *compiler;

#define PRODUCT                                                                                    \
    "<<<dim3(n / 8, n / 16), 32>>>(in half a[n][n] = uniform(0, 4), "                              \
    "in half b[n][n] = uniform(0, 4), out float c[n][n], n)"
#define SIZES "--size n=16,48"
#define REFERENCE "--against " MATRIX_FOLDER "/reference.cu"

/* Expects the result of each launch of a file of this folder. */
static void expect_each(const char *file, struct launch_group group, const char *options)
{
    char path[512], all[512];

    snprintf(path, sizeof path, "%s/%s", MATRIX_FOLDER, file);
    snprintf(all, sizeof all, "%s --compiler %s", options, compiler);
    expect_launches(path, all, group);
}

#define EACH(file, rows, options) expect_each(file, GROUP(rows), options)

static void expect(int status, const char *says, const char *launch, const char *options)
{
    expect_run(status, says, "check %s/matrix.cu '%s' %s --compiler %s", MATRIX_FOLDER, launch,
               options, compiler);
}

/* Right and wrong ones, against the reference. */
TEST(right_kernels_conform)
{
    static const struct launch_row products[] = {
        {0, "PASS  in bounds, initialized, race-free, deterministic", "right" PRODUCT, NULL},
        {1, "error: wrong result\n|     c[", "wrongRow" PRODUCT, NULL},
        {1, "error: wrong result\n|     c[", "notTransposed" PRODUCT, NULL},
    };
    static const struct launch_row others[] = {
        {0, "PASS  in bounds, initialized, race-free, deterministic",
         "leavesUnwritten<<<1, 32>>>(out float y[32])", NULL},
        {0, "PASS  in bounds, initialized, race-free, deterministic",
         "storesTransposed<<<1, 32>>>(out unsigned y[32])", NULL},
    };

    EACH("matrix.cu", products, SIZES " " REFERENCE);
    EACH("matrix.cu", others, REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic",
           "inEachWarp<<<2, 96>>>(out float y[192])", "");
}

TEST(bugs_are_reported_at_their_lines)
{
    static const struct launch_row products[] = {
        {1,
         "error: uninitialized read\n| depends on ta[0][0][0] in shared memory|\n   70 ||\n   42 ",
         "noWait" PRODUCT, NULL},
        {1, "matrix.cu:70: error: data race on ta[|\n   42 ", "noBarrier" PRODUCT, NULL},
        {1, "matrix.cu:70: error: data race on ta[|\n   42 ", "earlyCopy" PRODUCT, NULL},
    };

    EACH("matrix.cu", products, SIZES);
    expect(1, "matrix.cu:174: error: data race on tile[|\n  175 ",
           "readsTooEarly<<<1, 32>>>(out unsigned y[32])", "");
}

TEST(undefined_values_follow_their_row)
{
    expect(1,
           "error: uninitialized read\n|     the value stored in y[12] depends on |tile[3][0]|in "
           "shared memory, which no thread of the block has written\n  122 |",
           "usesUnwritten<<<1, 32>>>(out float y[32])", "");
}

TEST(the_whole_warp_takes_part)
{
    static const struct launch_row rows[] = {
        {1,
         "matrix.cu:144: error: divergent barrier\n|     thread 0 of block 0 executes "
         "mma.sync.aligned|but lane 1 of its warp has exited: it needs all 32 lanes\n",
         "inABranch<<<1, 32>>>(out float y[32])", NULL},
        {1,
         "     thread 32 of block 0 executes mma.sync.aligned|but lane 16 of its warp "
         "does not exist: it needs all 32 lanes",
         "inEachWarp<<<1, 48>>>(out float y[48])", NULL},
    };

    EACH("matrix.cu", rows, "");
}

/* Analyses of the code must see what matrix instructions read and do. */
TEST(operands_and_effects_are_seen)
{
    expect(1, "error: order-dependent result\n",
           "ordersAtoms<<<1, 32>>>(zeros int count[1], out float y[32])", "--only races");
    expect(1, "skips the barrier at which thread 0 of its block waits",
           "skipsTheBarrier<<<1, 64>>>(out unsigned y[32])", "--only run");
}

TEST(exact_floats_cannot_express_them)
{
    expect(3, "depends on a matrix instruction on floats, which --floats exact cannot express",
           "inEachWarp<<<1, 32>>>(out float y[32])", "--floats exact");
}

/* ---- Warpgroups: group.cu ---- */

#define GROUPS(columns, threads)                                                                   \
    "<<<dim3(n / " columns ", n / 64), " threads ">>>(in half a[n][n] = uniform(0, 4), "           \
    "in half b[n][n] = uniform(0, 4), out float c[n][n], n)"

static void expect_group(int status, const char *says, const char *launch, const char *options)
{
    expect_run(status, says, "check %s/group.cu '%s' %s --compiler %s", MATRIX_FOLDER, launch,
               options, compiler);
}

TEST(right_groups_conform)
{
    expect_group(0, "PASS  in bounds, initialized, race-free, deterministic",
                 "groupRight" GROUPS("16", "128"), "--size n=64 " REFERENCE);
    expect_group(0, "PASS  in bounds, initialized, race-free, deterministic",
                 "groupRight" GROUPS("32", "256"), "--size n=128 " REFERENCE);
}

TEST(asynchronous_reads_race)
{
    static const struct launch_row rows[] = {
        {1, "group.cu:81: error: data race on t| exits\n|does not wait for this access",
         "groupNoWait" GROUPS("16", "128"), NULL},
        {1,
         "group.cu:6|: error: data race on ta[0][0]\n|\n   81 |   note: the write is in the generic "
         "proxy and the read in the async proxy: fence.proxy.async is missing between them\n",
         "noProxyFence" GROUPS("16", "128"), NULL},
        {1, "group.cu:81: error: data race on t|\n   6", "groupNoBarrier" GROUPS("16", "128"),
         NULL},
        {1,
         "group.cu:81: error: data race on ta[0][0]\n|\n   85 |thread 5 of block 0 writes 0 over "
         "|nothing "
         "before the second waits until it is complete",
         "overwritten" GROUPS("16", "128"), NULL},
    };

    EACH("group.cu", rows, "--size n=64 --only races");
}

TEST(faults_of_groups_are_reported)
{
    static const struct launch_row rows[] = {
        {1,
         "error: uninitialized read\n|     the value stored in c[0] depends on a result of wgmma "
         "before its wgmma.wait_group\n|\n   81 |",
         "groupNoWait" GROUPS("16", "128"), NULL},
        {1,
         "depends on a result of wgmma without a wgmma.fence after its registers were last "
         "written\n|\n   81 |",
         "noFence" GROUPS("16", "128"), NULL},
        {1,
         "group.cu:81: error: out-of-bounds read\n| reads b of wgmma at offset 14336 of shared "
         "memory, outside every array: its "
         "descriptor has start 10240, leading byte offset 16, stride byte offset 4096, "
         "swizzle 32 bytes\n",
         "outside" GROUPS("16", "128"), NULL},
        {1,
         "group.cu:87: error: divergent barrier\n| waits for other wgmma.mma_async, or others with "
         "other descriptors, than warp 3 of its warpgroup\n",
         "oneWarpMissing" GROUPS("16", "128"), NULL},
        {1, "group.cu:81: error: divergent barrier\n| but a thread of warp 3 does not exist",
         "groupRight" GROUPS("16", "96"), NULL},
    };

    EACH("group.cu", rows, "--size n=64 --only run");
}

TEST(registers_belong_to_the_product)
{
    expect_group(1,
                 "depends on a result of wgmma without a wgmma.fence after its registers were last "
                 "written\n|\n   81 |",
                 "fenceTooEarly" GROUPS("16", "128"), "--size n=128 --only run");
}

TEST(descriptors_are_followed)
{
    static const struct launch_row rows[] = {
        {1, "error: wrong result\n|     c[", "wrongSwizzle" GROUPS("16", "128"), NULL},
        {1, "error: wrong result\n|     c[", "wrongStride" GROUPS("16", "128"), NULL},
    };

    EACH("group.cu", rows, "--size n=64 --only run " REFERENCE);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s nvcc|clang\n", argv[0]);
        return 2;
    }
    compiler = argv[1];
    return tests_run("matrix instructions", folder_make, folder_remove);
}
