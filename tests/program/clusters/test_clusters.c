/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels for clusters of blocks: right ones conform, and each seeded bug is reported at
 * its line.
 */
#include "check.h"

#define HISTOGRAM "<<<8, 64>>>(in int in[n] = uniform(-9, 300), n, zeros int bins[256])"
#define ADDS "<<<16, 32>>>(in int in[512], zeros int out[2])"
#define EXCHANGE "<<<8, 32>>>(in int in[256], out int out[256])"
#define REGISTERS "<<<dim3(4, 2), 1>>>(out unsigned out[80])"
#define REFERENCE "--against " CLUSTERS_FOLDER "/reference.cu"

static void expect(int status, const char *says, const char *launch, const char *options)
{
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

int main(int argc, char **argv)
{
    (void)argv;
    if (argc != 1) {
        fprintf(stderr, "takes no argument\n");
        return 2;
    }
    return tests_run("clusters", NULL, NULL);
}
