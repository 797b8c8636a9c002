/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels with matrix instructions: right ones conform, and each seeded bug is reported
 * at its line. Arguments: "nvcc" or "clang".
 */
#include "check.h"

static const char *compiler;

#define PRODUCT                                                                                    \
    "<<<dim3(n / 8, n / 16), 32>>>(in half a[n][n] = uniform(0, 4), "                              \
    "in half b[n][n] = uniform(0, 4), out float c[n][n], n)"
#define SIZES "--size n=16,48"
#define REFERENCE "--against " MATRIX_FOLDER "/reference.cu"

static void expect(int status, const char *says, const char *launch, const char *options)
{
    expect_run(status, says, "check %s/matrix.cu '%s' %s --compiler %s", MATRIX_FOLDER, launch,
               options, compiler);
}

TEST(right_kernels_conform)
{
    expect(0, "conforms|race-free|bit-identical", "right" PRODUCT, SIZES " " REFERENCE);
    expect(0, "conforms|race-free", "leavesUnwritten<<<1, 32>>>(out float y[32])", REFERENCE);
    expect(0, "conforms|race-free", "storesTransposed<<<1, 32>>>(out unsigned y[32])", REFERENCE);
    expect(0, "conforms|race-free", "inEachWarp<<<2, 96>>>(out float y[192])", "");
}

TEST(bugs_are_reported_at_their_lines)
{
    expect(1, "uninitialized-read: |ta[0] in shared memory|matrix.cu:70|matrix.cu:42",
           "noWait" PRODUCT, SIZES);
    expect(1, "race|ta[|matrix.cu:70|matrix.cu:42", "noBarrier" PRODUCT, SIZES);
    expect(1, "race|ta[|matrix.cu:70|matrix.cu:42", "earlyCopy" PRODUCT, SIZES);
    expect(1, "wrong", "wrongRow" PRODUCT, SIZES " " REFERENCE);
    expect(1, "wrong", "notTransposed" PRODUCT, SIZES " " REFERENCE);
    expect(1, "race|tile[|matrix.cu:174|matrix.cu:175",
           "readsTooEarly<<<1, 32>>>(out unsigned y[32])", "");
}

TEST(undefined_values_follow_their_row)
{
    expect(1,
           "uninitialized-read: the value stored in y[12] depends on |tile[24]|in shared memory, "
           "which no thread of the block has written, read at |matrix.cu:122",
           "usesUnwritten<<<1, 32>>>(out float y[32])", "");
}

TEST(the_whole_warp_takes_part)
{
    expect(1,
           "divergent-barrier: thread (0,0,0) of block (0,0,0) executes mma.sync.aligned|but lane "
           "1 of its warp has exited: it needs all 32 lanes|matrix.cu:144",
           "inABranch<<<1, 32>>>(out float y[32])", "");
    expect(1,
           "thread (32,0,0) of block (0,0,0) executes mma.sync.aligned|but lane 16 of its warp "
           "does not exist: it needs all 32 lanes",
           "inEachWarp<<<1, 48>>>(out float y[48])", "");
}

/* Analyses of the code must see what matrix instructions read and do. */
TEST(operands_and_effects_are_seen)
{
    expect(1, "order-dependent", "ordersAtoms<<<1, 32>>>(zeros int count[1], out float y[32])",
           "--only races");
    expect(1, "skips the barrier at which thread 0 of its block waits",
           "skipsTheBarrier<<<1, 64>>>(out unsigned y[32])", "--only run");
}

TEST(exact_floats_cannot_express_them)
{
    expect(1, "depends on a matrix instruction on floats, which --floats exact cannot express",
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
    expect_group(0, "conforms|race-free|race-free|bit-identical", "groupRight" GROUPS("16", "128"),
                 "--size n=64,128 " REFERENCE);
    expect_group(0, "conforms|race-free|race-free", "groupRight" GROUPS("32", "256"),
                 "--size n=128 " REFERENCE);
}

TEST(asynchronous_reads_race)
{
    expect_group(1, "race|t|group.cu:81|exits|does not wait for this access",
                 "groupNoWait" GROUPS("16", "128"), "--size n=64 --only races");
    expect_group(1,
                 "race|ta[0]|group.cu:6|group.cu:81|the write is in the generic proxy and the "
                 "read in the async proxy: fence.proxy.async is missing between them",
                 "noProxyFence" GROUPS("16", "128"), "--size n=64 --only races");
    expect_group(1, "race|group.cu:81|group.cu:6", "groupNoBarrier" GROUPS("16", "128"),
                 "--size n=64 --only races");
    expect_group(1,
                 "race|ta[0]|group.cu:81|thread 5 of block (0,0,0) writes 0|group.cu:85|nothing "
                 "before the second waits until it is complete",
                 "overwritten" GROUPS("16", "128"), "--size n=64 --only races");
}

TEST(registers_belong_to_the_product)
{
    expect_group(1,
                 "uninitialized-read: the value stored in c[0] depends on a result of wgmma before "
                 "its wgmma.wait_group, at |group.cu:81",
                 "groupNoWait" GROUPS("16", "128"), "--size n=64 --only run");
    expect_group(1,
                 "depends on a result of wgmma without a wgmma.fence after its registers were last "
                 "written, at |group.cu:81",
                 "noFence" GROUPS("16", "128"), "--size n=64 --only run");
    expect_group(1,
                 "depends on a result of wgmma without a wgmma.fence after its registers were last "
                 "written, at |group.cu:81",
                 "fenceTooEarly" GROUPS("16", "128"), "--size n=128 --only run");
}

TEST(descriptors_are_followed)
{
    expect_group(1, "wrong", "wrongSwizzle" GROUPS("16", "128"),
                 "--size n=64 --only run " REFERENCE);
    expect_group(1, "wrong", "wrongStride" GROUPS("16", "128"),
                 "--size n=64 --only run " REFERENCE);
    expect_group(1,
                 "reads b of wgmma at offset 14336 of shared memory, outside every array: its "
                 "descriptor has start 10240, leading byte offset 16, stride byte offset 4096, "
                 "swizzle 32 bytes|group.cu:81",
                 "outside" GROUPS("16", "128"), "--size n=64 --only run");
}

TEST(the_whole_group_takes_part)
{
    expect_group(1,
                 "divergent-barrier: |waits for other wgmma.mma_async, or others with other "
                 "descriptors, than warp 3 of its warpgroup|group.cu:87",
                 "oneWarpMissing" GROUPS("16", "128"), "--size n=64 --only run");
    expect_group(1, "divergent-barrier: |but a thread of warp 3 does not exist|group.cu:81",
                 "groupRight" GROUPS("16", "96"), "--size n=64 --only run");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s nvcc|clang\n", argv[0]);
        return 2;
    }
    compiler = argv[1];
    return tests_run("matrix instructions", NULL, NULL);
}
