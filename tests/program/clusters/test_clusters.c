/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels for clusters of blocks: right ones conform, and each seeded bug is reported at
 * its line. Arguments: "nvcc" or "clang". clang runs only the groups of cooperative_groups.h,
 * because older ones know no compute capability 9.0.
 */
#include "launch_rows.h"

static bool by_clang;

#define HISTOGRAM "<<<8, 64>>>(in int in[n] = uniform(-9, 300), n, zeros int bins[256])"
#define ADDS "<<<16, 32>>>(in int in[512], zeros int out[2])"
#define EXCHANGE "<<<8, 32>>>(in int in[256], out int out[256])"
#define REGISTERS "<<<dim3(4, 2), 1>>>(out unsigned out[80])"
#define SIZE "--size 300 "
#define REFERENCE SIZE "--against " CLUSTERS_FOLDER "/reference.cu"
#define FLAGS "--compiler nvcc -- -arch=compute_90"

/* The launches of a set are compiled together, those of the reference, too. */
static struct launch_set compared, clusters, pointers, groups;

static void expect(struct launch_set *set, const struct launch_row rows[])
{
    if (by_clang && set != &groups)
        skip();
    expect_rows(set, rows);
}

static const struct launch_row right[] = {
    {0, "PASS  in bounds, initialized, race-free, deterministic", "cluster(4) histogram" HISTOGRAM,
     REFERENCE},
    {0, "PASS  in bounds, initialized, race-free, deterministic", "histogramOfTwo" HISTOGRAM,
     REFERENCE},
    {0, "PASS  in bounds, initialized, race-free, deterministic", "cluster(8) sum" ADDS, REFERENCE},
    {0, "PASS  in bounds, initialized, race-free, deterministic", "cluster(4) ring" EXCHANGE,
     REFERENCE},
    {0, "PASS  in bounds, initialized, race-free, deterministic",
     "cluster(4) oneReturns<<<8, 64>>>(out int out[2])", REFERENCE},
    {0, "PASS  in bounds, initialized, race-free, deterministic",
     "cooperative cluster(n / 75) ring" EXCHANGE, REFERENCE},
};

TEST(right_kernels_conform)
{
    expect(&compared, right);
}

#define RUN REFERENCE " --only run"
#define RACES SIZE "--only races --model independent"
static const char sum[] = "cluster(4) asyncSum<<<8, 32>>>(in int in[256], out int out[4])",
                  collect[] = "cluster(4) collect<<<8, 32>>>(in int4 in[8], out int4 out[8])";
static const struct launch_row right_stores[] = {
    {0, "PASS  in bounds, initialized", "cluster(4) asyncRing" EXCHANGE, RUN},
    {0, "PASS  race-free", "cluster(4) asyncRing" EXCHANGE, RACES},
    {0, "PASS  in bounds, initialized", sum, RUN},
    {0, "PASS  race-free", sum, RACES},
    {0, "PASS  in bounds, initialized", collect, RUN},
    {0, "PASS  race-free", collect, RACES},
    {0, "PASS  in bounds, initialized", "cluster(4) handsOn" EXCHANGE, RUN},
    {0, "PASS  race-free", "cluster(4) handsOn" EXCHANGE, RACES},
};

TEST(asynchronous_stores_conform)
{
    expect(&compared, right_stores);
}

static const struct launch_row scopes[] = {
    {0, "PASS  in bounds, initialized, race-free, deterministic",
     "cluster(2) signals<<<4, 1>>>(out int out[2])", SIZE},
    {1,
     "clusters.cu:377: error: data race on data\n|\n  390 |clusters.cu:382: error: data race on "
     "flag\n|\n  388 ",
     "cluster(2) signalsOwnBlock<<<4, 1>>>(out int out[2])", SIZE "--only races"},
};

TEST(scopes_must_reach_the_cluster)
{
    expect(&clusters, scopes);
}

static const struct launch_row wrong_stores[] = {
    {1, "clusters.cu:242: error: data race on got[0]|\n  270 ", "cluster(4) noWait" EXCHANGE,
     SIZE "--only races"},
    {1,
     "clusters.cu:234: error: deadlock\n|phase 0 of the mbarrier barriers[0] of block (0,0,0) |0 "
     "of 1 arrivals and 4 bytes",
     "cluster(2) wrongBytes<<<2, 32>>>(in int in[64], out int out[64])",
     "--size 0 --only run --model lockstep"},
    {1,
     "clusters.cu:242: error: invalid asynchronous operation\n|     thread 0 of block 3 stores to "
     "the shared memory "
     "of block 0 of its cluster, and completes on an mbarrier of block 3: both must be in one "
     "block\n",
     "cluster(4) otherBarrier" EXCHANGE, SIZE "--only run"},
    {1,
     "clusters.cu:242: error: invalid asynchronous operation\n| uses barriers[0] as an mbarrier, "
     "but no "
     "mbarrier.init has initialized it\n",
     "cluster(4) noSyncAfterInit" EXCHANGE, SIZE "--only run"},
};

TEST(bugs_of_asynchronous_stores_are_reported)
{
    expect(&clusters, wrong_stores);
}

static const struct launch_row registers[] = {
    {0, "PASS  in bounds, initialized, race-free, deterministic",
     "cluster(2, 2) registers" REGISTERS, REFERENCE},
    {0, "PASS  in bounds, initialized, race-free, deterministic", "registersOfAGrid" REGISTERS,
     REFERENCE},
};

TEST(special_registers_and_windows_depend_on_the_launch)
{
    expect(&compared, registers);
}

static const struct launch_row wrong[] = {
    {1,
     "clusters.cu:27: error: data race on own[|it explains this uninitialized read: reads own[|, "
     "which "
     "was never written\n",
     "cluster(4) noFirstSync" HISTOGRAM, SIZE},
    {1,
     "clusters.cu:27: error: out-of-bounds read\n| of the shared memory of block |of its cluster, "
     "which has exited",
     "cluster(4) noLastSync" HISTOGRAM, SIZE},
    {1,
     "clusters.cu:27: error: out-of-bounds read\n| of the shared memory of block 4 of its cluster, "
     "which has 4 blocks\n",
     "cluster(4) wrongRank" HISTOGRAM, SIZE},
    {1, "clusters.cu:107: error: out-of-bounds read\n| of its cluster, which has exited",
     "cluster(4) ringWithoutEnd" EXCHANGE, SIZE},
    {1, "clusters.cu:93: error: out-of-bounds read\n| of its cluster, which has exited",
     "cluster(8) sumWithoutEnd" ADDS, SIZE},
};

TEST(bugs_are_reported_at_their_lines)
{
    expect(&clusters, wrong);
}

#define ONCE "--size 1 --only run"

#define LEAK(use) "leak<" use "><<<2, 1>>>(out int out[8])"
#define BY_BLOCK "     thread 0 of block 1 |"
static const struct launch_row of_block[] = {
    {1,
     BY_BLOCK "pointers.cu:43: error: out-of-bounds read\n| reads 4 bytes of the shared memory of "
              "block (0,0,0)",
     LEAK("0"), ONCE},
    {1,
     BY_BLOCK "pointers.cu:45: error: out-of-bounds write\n| writes 4 bytes of the shared memory "
              "of block (0,0,0)",
     LEAK("1"), ONCE},
    {1,
     BY_BLOCK "pointers.cu:47: error: out-of-bounds read\n| reads 4 bytes of the shared memory of "
              "block (0,0,0)",
     LEAK("2"), ONCE},
    {1,
     BY_BLOCK
     "pointers.cu:49: error: out-of-bounds read\n| which is not in the shared memory of its block",
     LEAK("3"), ONCE},
    {1,
     BY_BLOCK "pointers.cu:51: error: out-of-bounds read\n| reads 4 bytes of the shared memory of "
              "block (0,0,0)",
     LEAK("4"), ONCE},
    {1,
     BY_BLOCK
     "pointers.cu:55: error: out-of-bounds read\n| which is not in the shared memory of its block",
     LEAK("5"), ONCE},
    {1,
     BY_BLOCK "pointers.cu:58: error: out-of-bounds read\n| reads 8 bytes of the shared memory of "
              "block (0,0,0)",
     LEAK("6"), ONCE},
    {1, "pointers.cu:76: error: out-of-bounds read\n",
     "keep<<<1, 1>>>(); use<<<1, 1>>>(out int out[1])", ONCE},
};

TEST(pointers_to_shared_memory_are_valid_in_its_block_only)
{
    expect(&pointers, of_block);
}

static const struct launch_row of_cluster[] = {
    {1,
     "reads 4 bytes of the shared memory of block (0,0,0): a pointer to shared memory "
     "is valid only in the block that made it, and in its cluster",
     "cluster(2) leak<0><<<4, 1>>>(out int out[4])", ONCE},
    {0, "PASS  in bounds, initialized", "cluster(2) leak<0><<<2, 1>>>(out int out[2])", ONCE},
    {0, "PASS  in bounds, initialized", "cluster(2) hand<false, 0><<<4, 1>>>(out int out[4])",
     ONCE},
    {0, "PASS  in bounds, initialized", "cluster(2) hand<true, 0><<<4, 1>>>(out int out[4])", ONCE},
    {0, "PASS  in bounds, initialized", "cluster(2) hand<true, 1><<<4, 1>>>(out int out[4])", ONCE},
};

TEST(pointers_to_shared_memory_are_valid_in_its_cluster)
{
    expect(&pointers, of_cluster);
}

static const struct launch_row barriers[] = {
    {1,
     "clusters.cu:125: error: divergent barrier\n|     thread 0 of block 0 waits at the barrier of "
     "its cluster without having arrived there\n",
     "cluster(4) waitsOnly<<<8, 64>>>(out int out[8])", SIZE "--only run"},
    {1,
     "clusters.cu:132: error: divergent barrier\n| arrives at the barrier of its cluster again, "
     "without a wait since it arrived on line 131\n",
     "cluster(4) arrivesTwice<<<8, 64>>>(out int out[8])", SIZE "--only run"},
    {1,
     "clusters.cu:143: error: divergent barrier\n| waits at the barrier of its cluster for threads "
     "that do not arrive: 255 of 256 have arrived, and thread 5 of block 1 of the cluster has "
     "not\n",
     "cluster(4) oneStays<<<8, 64>>>(zeros int flag[1], out int out[8])", SIZE "--only run"},
};

TEST(barriers_need_all_threads)
{
    expect(&clusters, barriers);
}

static const struct launch_row bad_launches[] = {
    {1,
     "error: launch error\n|     invalid cluster size: the grid of 8x1x1 blocks is no multiple of "
     "the cluster of 3x1x1",
     "cluster(3) ring" EXCHANGE, SIZE "--only run"},
    {1, "error: launch error\n| the grid of 7x1x1 blocks is no multiple of the cluster of 2x1x1",
     "histogramOfTwo<<<7, 64>>>(in int in[n], n, zeros int bins[128])", SIZE "--only run"},
    {1, "error: launch error\n|     invalid cluster size: more than 8 blocks, without",
     "cluster(16) ring<<<16, 32>>>(in int in[512], out int out[512])", SIZE "--only run"},
    {0, "PASS  in bounds, initialized",
     "nonportable cluster(16) ring<<<16, 32>>>(in int in[512], out int out[512])",
     SIZE "--only run"},
    {1, "error: launch error\n|     invalid cluster size: a cluster has 1 to 8 blocks",
     "nonportable cluster(17) ring<<<17, 32>>>(in int in[544], out int out[544])",
     SIZE "--only run"},
    {1, "error: launch error\n|     invalid cluster size: a cluster has 1 to 8 blocks",
     "cluster(0) ring" EXCHANGE, SIZE "--only run"},
    {1,
     "error: launch error\n|     invalid cluster size: the kernel was compiled for other clusters",
     "cluster(4) histogramOfTwo" HISTOGRAM, SIZE "--only run"},
};

TEST(bad_launches_fail_as_on_a_gpu)
{
    expect(&clusters, bad_launches);
    expect_run(2, "expected ')' here",
               "check " CLUSTERS_FOLDER "/clusters.cu 'cluster(1, 2, 3, 4) ring" EXCHANGE "' " SIZE
               "--only run " FLAGS);
}

#define BOTH "--size 1 --against " CLUSTERS_FOLDER "/groups_reference.cu"
static const struct launch_row members[] = {
    {0, "PASS  in bounds, initialized, race-free, deterministic", "cluster(4) ring" EXCHANGE, BOTH},
    {0, "PASS  in bounds, initialized, race-free, deterministic",
     "cluster(2) members<<<4, 4>>>(out unsigned out[128])", BOTH},
};

TEST(groups_have_their_members)
{
    expect(&groups, members);
}

TEST(nested_launches_have_the_clusters_of_the_kernel)
{
    static const char command[] =
        "check %s/nested.cu 'launches<<<1, 1>>>(out int out[%d], %d)' --size 1 --only run "
        "--compiler nvcc -- -arch=compute_90 -rdc=true";

    if (by_clang)
        skip();
    expect_run(0, "PASS  in bounds, initialized", command, CLUSTERS_FOLDER, 4, 4);
    expect_run(1, "nested.cu:22: error: child launch error\n|cudaErrorInvalidClusterSize (912)",
               command, CLUSTERS_FOLDER, 3, 3);
}

static struct launch_set compared = {
    .file = CLUSTERS_FOLDER "/clusters.cu",
    .options = FLAGS,
    .groups = {ROWS(right), ROWS(right_stores), ROWS(registers)},
};
static struct launch_set clusters = {
    .file = CLUSTERS_FOLDER "/clusters.cu",
    .options = FLAGS,
    .groups = {ROWS(scopes), ROWS(wrong_stores), ROWS(wrong), ROWS(barriers), ROWS(bad_launches)},
};
static struct launch_set pointers = {
    .file = CLUSTERS_FOLDER "/pointers.cu",
    .options = FLAGS,
    .groups = {ROWS(of_block), ROWS(of_cluster)},
};
static struct launch_set groups = {
    .file = CLUSTERS_FOLDER "/groups.cu",
    .options = FLAGS,
    .groups = {ROWS(members)},
};

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s nvcc|clang\n", argv[0]);
        return 2;
    }
    by_clang = strcmp(argv[1], "clang") == 0;
    if (by_clang)
        groups.options = "--compiler clang";
    return tests_run("clusters", NULL, NULL);
}
