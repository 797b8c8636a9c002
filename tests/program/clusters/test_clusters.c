/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels for clusters of blocks: right ones conform, and each seeded bug is reported at
 * its line. Arguments: "nvcc" or "clang". clang runs only the groups of cooperative_groups.h,
 * because older ones know no compute capability 9.0.
 */
#include "check.h"

static bool by_clang;

#define HISTOGRAM "<<<8, 64>>>(in int in[n] = uniform(-9, 300), n, zeros int bins[256])"
#define ADDS "<<<16, 32>>>(in int in[512], zeros int out[2])"
#define EXCHANGE "<<<8, 32>>>(in int in[256], out int out[256])"
#define REGISTERS "<<<dim3(4, 2), 1>>>(out unsigned out[80])"
#define REFERENCE "--against " CLUSTERS_FOLDER "/reference.cu"

static void expect(int status, const char *says, const char *launch, const char *options)
{
    if (by_clang)
        skip();
    expect_run(status, says,
               "check %s/clusters.cu '%s' --size 300 %s --compiler nvcc -- -arch=compute_90",
               CLUSTERS_FOLDER, launch, options);
}

TEST(right_kernels_conform)
{
    expect(0, "conforms|race-free|bit-identical", "cluster(4) histogram" HISTOGRAM, REFERENCE);
    expect(0, "conforms|race-free", "histogramOfTwo" HISTOGRAM, REFERENCE);
    expect(0, "conforms|race-free", "cluster(8) sum" ADDS, REFERENCE);
    expect(0, "conforms|race-free", "cluster(4) ring" EXCHANGE, REFERENCE);
    expect(0, "conforms|race-free", "cluster(4) oneReturns<<<8, 64>>>(out int out[2])", REFERENCE);
    expect(0, "conforms|race-free", "cooperative cluster(n / 75) ring" EXCHANGE, REFERENCE);
}

TEST(asynchronous_stores_conform)
{
    static const char *const launches[] = {
        "cluster(4) asyncRing" EXCHANGE,
        "cluster(4) asyncSum<<<8, 32>>>(in int in[256], out int out[4])",
        "cluster(4) collect<<<8, 32>>>(in int4 in[8], out int4 out[8])",
        "cluster(4) handsOn" EXCHANGE,
    };

    for (size_t k = 0; k < sizeof launches / sizeof *launches; k++) {
        expect(0, "conforms", launches[k], "--only run " REFERENCE);
        expect(0, "race-free", launches[k], "--only races --model independent");
    }
}

TEST(scopes_must_reach_the_cluster)
{
    expect(0, "conforms|race-free", "cluster(2) signals<<<4, 1>>>(out int out[2])", "");
    expect(1, "race|data|clusters.cu:377|clusters.cu:390|flag|clusters.cu:382|clusters.cu:388",
           "cluster(2) signalsOwnBlock<<<4, 1>>>(out int out[2])", "--only races");
}

TEST(bugs_of_asynchronous_stores_are_reported)
{
    expect(1, "race|got[0]|clusters.cu:242|clusters.cu:270", "cluster(4) noWait" EXCHANGE,
           "--only races");
    expect(1,
           "deadlock: |phase 0 of the mbarrier barriers[0] of block (0,0,0) |0 of 1 arrivals and 4 "
           "bytes|clusters.cu:234",
           "cluster(2) wrongBytes<<<2, 32>>>(in int in[64], out int out[64])",
           "--only run --model lockstep");
    expect(1,
           "invalid-async: thread (0,0,0) of block (3,0,0) stores to the shared memory of block 0 "
           "of its cluster, and completes on an mbarrier of block 3: both must be in one block "
           "(|clusters.cu:242",
           "cluster(4) otherBarrier" EXCHANGE, "--only run");
    expect(
        1,
        "uses barriers[0] as an mbarrier, but no mbarrier.init has initialized it|clusters.cu:242",
        "cluster(4) noSyncAfterInit" EXCHANGE, "--only run");
}

TEST(special_registers_and_windows_depend_on_the_launch)
{
    expect(0, "conforms", "cluster(2, 2) registers" REGISTERS, REFERENCE);
    expect(0, "conforms", "registersOfAGrid" REGISTERS, REFERENCE);
}

TEST(bugs_are_reported_at_their_lines)
{
    expect(1, "uninitialized-read: |own[|which was never written (|clusters.cu:27",
           "cluster(4) noFirstSync" HISTOGRAM, "");
    expect(1, "of the shared memory of block |of its cluster, which has exited|clusters.cu:27",
           "cluster(4) noLastSync" HISTOGRAM, "");
    expect(1, "of the shared memory of block 4 of its cluster, which has 4 blocks (|clusters.cu:27",
           "cluster(4) wrongRank" HISTOGRAM, "");
    expect(1, "of its cluster, which has exited|clusters.cu:107",
           "cluster(4) ringWithoutEnd" EXCHANGE, "");
    expect(1, "of its cluster, which has exited|clusters.cu:93", "cluster(8) sumWithoutEnd" ADDS,
           "");
}

static void expect_pointer(int status, const char *says, const char *launch)
{
    if (by_clang)
        skip();
    expect_run(status, says,
               "check %s/pointers.cu '%s' --size 1 --only run --compiler nvcc -- -arch=compute_90",
               CLUSTERS_FOLDER, launch);
}

TEST(pointers_to_shared_memory_are_valid_in_its_block_only)
{
    static const struct {
        const char *says;
        int use, line;
    } uses[] = {
        {"read: |reads 4 bytes of the shared memory of block (0,0,0)", 0, 43},
        {"write: |writes 4 bytes of the shared memory of block (0,0,0)", 1, 45},
        {"reads 4 bytes of the shared memory of block (0,0,0)", 2, 47},
        {"which is not in the shared memory of its block", 3, 49},
        {"reads 4 bytes of the shared memory of block (0,0,0)", 4, 51},
        {"which is not in the shared memory of its block", 5, 55},
        {"reads 8 bytes of the shared memory of block (0,0,0)", 6, 58},
    };
    char launch[64], says[160];

    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        snprintf(launch, sizeof launch, "leak<%d><<<2, 1>>>(out int out[8])", uses[k].use);
        snprintf(says, sizeof says, "of block (1,0,0)|%s|pointers.cu:%d", uses[k].says,
                 uses[k].line);
        expect_pointer(1, says, launch);
    }
    expect_pointer(1, "out-of-bounds-read|pointers.cu:76",
                   "keep<<<1, 1>>>(); use<<<1, 1>>>(out int out[1])");
}

TEST(pointers_to_shared_memory_are_valid_in_its_cluster)
{
    expect_pointer(
        1,
        "reads 4 bytes of the shared memory of block (0,0,0): a pointer to shared memory "
        "is valid only in the block that made it, and in its cluster",
        "cluster(2) leak<0><<<4, 1>>>(out int out[4])");
    expect_pointer(0, "conforms", "cluster(2) leak<0><<<2, 1>>>(out int out[2])");
    expect_pointer(0, "conforms", "cluster(2) hand<false, 0><<<4, 1>>>(out int out[4])");
    expect_pointer(0, "conforms", "cluster(2) hand<true, 0><<<4, 1>>>(out int out[4])");
    expect_pointer(0, "conforms", "cluster(2) hand<true, 1><<<4, 1>>>(out int out[4])");
}

TEST(barriers_need_all_threads)
{
    expect(1,
           "divergent-barrier: thread (0,0,0) of block (0,0,0) waits at the barrier of its cluster "
           "without having arrived there (|clusters.cu:125",
           "cluster(4) waitsOnly<<<8, 64>>>(out int out[8])", "--only run");
    expect(1,
           "arrives at the barrier of its cluster again, without a wait since it arrived on line "
           "131 (|clusters.cu:132",
           "cluster(4) arrivesTwice<<<8, 64>>>(out int out[8])", "--only run");
    expect(1,
           "waits at the barrier of its cluster for threads that do not arrive: 255 of 256 have "
           "arrived, and thread 5 of block 1 of the cluster has not (|clusters.cu:143",
           "cluster(4) oneStays<<<8, 64>>>(zeros int flag[1], out int out[8])", "--only run");
}

TEST(bad_launches_fail_as_on_a_gpu)
{
    expect(1,
           "launch-error: invalid cluster size: the grid of 8x1x1 blocks is no multiple of "
           "the cluster of 3x1x1",
           "cluster(3) ring" EXCHANGE, "--only run");
    expect(1, "the grid of 7x1x1 blocks is no multiple of the cluster of 2x1x1",
           "histogramOfTwo<<<7, 64>>>(in int in[n], n, zeros int bins[128])", "--only run");
    expect(1, "launch-error: invalid cluster size: more than 8 blocks, without",
           "cluster(16) ring<<<16, 32>>>(in int in[512], out int out[512])", "--only run");
    expect(0, "conforms",
           "nonportable cluster(16) ring<<<16, 32>>>(in int in[512], out int out[512])",
           "--only run");
    expect(1, "launch-error: invalid cluster size: a cluster has 1 to 8 blocks",
           "nonportable cluster(17) ring<<<17, 32>>>(in int in[544], out int out[544])",
           "--only run");
    expect(1, "launch-error: invalid cluster size: a cluster has 1 to 8 blocks",
           "cluster(0) ring" EXCHANGE, "--only run");
    expect(1, "launch-error: invalid cluster size: the kernel was compiled for other clusters",
           "cluster(4) histogramOfTwo" HISTOGRAM, "--only run");
    expect(2, "expected ')' here", "cluster(1, 2, 3, 4) ring" EXCHANGE, "--only run");
}

TEST(groups_have_their_members)
{
    static const char command[] =
        "check %s/groups.cu '%s' --size 1 --against %s/groups_reference.cu --compiler %s";
    const char *compiler = by_clang ? "clang" : "nvcc -- -arch=compute_90";

    expect_run(0, "conforms|race-free", command, CLUSTERS_FOLDER, "cluster(4) ring" EXCHANGE,
               CLUSTERS_FOLDER, compiler);
    expect_run(0, "conforms|race-free", command, CLUSTERS_FOLDER,
               "cluster(2) members<<<4, 4>>>(out unsigned out[128])", CLUSTERS_FOLDER, compiler);
}

TEST(nested_launches_have_the_clusters_of_the_kernel)
{
    static const char command[] =
        "check %s/nested.cu 'launches<<<1, 1>>>(out int out[%d], %d)' --size 1 --only run "
        "--compiler nvcc -- -arch=compute_90 -rdc=true";

    if (by_clang)
        skip();
    expect_run(0, "conforms", command, CLUSTERS_FOLDER, 4, 4);
    expect_run(1, "child-launch-error|cudaErrorInvalidClusterSize (912)|nested.cu:22", command,
               CLUSTERS_FOLDER, 3, 3);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s nvcc|clang\n", argv[0]);
        return 2;
    }
    by_clang = strcmp(argv[1], "clang") == 0;
    return tests_run("clusters", NULL, NULL);
}
