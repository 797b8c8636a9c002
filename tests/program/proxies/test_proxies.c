/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels with accesses in two proxies, and on scopes and barriers of clusters: right
 * ones are race-free, and each seeded bug is reported at its lines.
 */
#include "launch_rows.h"

#define STORES "<<<2, 64>>>(in int in[128], out int out[128])"
#define LOADS "<<<1, 64>>>(in int in[320], out int out[64])"
#define MULTICAST "<<<2, 64>>>(in int in[320], out int out[128])"
#define EXCHANGE "<<<4, 32>>>(in int in[128], out int out[128])"
#define SENDS                                                                                      \
    "<<<2, 32>>>(in int in[1], zeros unsigned flag[1], scratch int data[1], out int out[1])"

static struct launch_set set;

static const struct launch_row right[] = {
    {0, "PASS  race-free\n", "fenceOfWriters" STORES, NULL},
    {0, "PASS  race-free\n", "fenceOfAllKinds" STORES, NULL},
    {0, "PASS  race-free\n", "fenceOfIssuer" STORES, NULL},
    {0, "PASS  race-free\n", "twoLoads" LOADS, NULL},
    {0, "PASS  race-free\n", "pipeline" LOADS, NULL},
    {0, "PASS  race-free\n", "multicastPipeline" MULTICAST, NULL},
    {0, "PASS  race-free\n", "releasedBarrier" EXCHANGE, NULL},
    {0, "PASS  race-free\n", "fencedBarrier" EXCHANGE, NULL},
    {0, "PASS  race-free\n", "sendInCluster" SENDS, NULL},
};

TEST(right_kernels_are_race_free)
{
    expect_rows(&set, right);
}

#define SAYS_NO_FENCE                                                                              \
    "proxies.cu:45: error: data race on tile[0]\n|\n   20 | asynchronously|   note: the write is " \
    "in "                                                                                          \
    "the generic proxy and the read in the async proxy: "                                          \
    "fence.proxy.async is missing between them\n"
static const struct launch_row no_fence[] = {
    {1, SAYS_NO_FENCE, "noFence" STORES, NULL},
    {1, SAYS_NO_FENCE, "fenceTooEarly" STORES, NULL},
    {1, SAYS_NO_FENCE, "fenceOfGlobal" STORES, NULL},
    {1,
     "proxies.cu:107: error: data race on loaded[0]\n|\n  116 |fence.mbarrier_init or "
     "fence.proxy.async is missing after its initialization\n",
     "initWithoutFence" LOADS, NULL},
    {1,
     "proxies.cu:368: error: data race on tile[1]\n|thread 1 of block 0 writes |\n   20 | "
     "asynchronously|   note: an asynchronous operation makes the second access, and nothing "
     "orders "
     "the first before its issue: a barrier is needed, and fence.proxy.async after the write\n",
     "noBarrier" STORES, "--model lockstep"},
};

TEST(missing_proxy_fence_is_reported)
{
    expect_rows(&set, no_fence);
}

#define SAYS_NO_WAIT "nothing before the second waits until it is complete\n"
static const struct launch_row no_wait[] = {
    {1, "proxies.cu:20: error: data race on tile[0]\n|\n   62 | asynchronously|" SAYS_NO_WAIT,
     "noWait" STORES, NULL},
    {1, "proxies.cu:116: error: data race on tile[|\n  148 | asynchronously |" SAYS_NO_WAIT,
     "halfWaits" LOADS, NULL},
    {1, SAYS_NO_WAIT, "loadOverReads" LOADS, NULL},
};

TEST(missing_wait_for_a_copy_is_reported)
{
    expect_rows(&set, no_wait);
}

static const struct launch_row multicast[] = {
    {1,
     "proxies.cu:334: error: data race on stages[0]\n|\n  301 | of block 1 reads | asynchronously "
     "|nothing orders the first before its issue\n",
     "multicastOverReads" MULTICAST, NULL},
    {1,
     "proxies.cu:294: error: data race on empty[0]\n|\n  294 | updates it atomically with release "
     "semantics, scope block "
     ""
     "|   note: the scope of an atomic access does not include the other thread\n",
     "arrivalsOfBlockScope" MULTICAST, NULL},
    {1,
     "proxies.cu:292: error: data race on empty[0]\n| exits\n|a cluster barrier is missing before "
     "the end of the kernel\n",
     "noLastBarrier" MULTICAST, NULL},
};

TEST(seeded_bugs_of_a_multicast_pipeline_are_reported)
{
    expect_rows(&set, multicast);
}

static const struct launch_row wrong_scope[] = {
    {1,
     "proxies.cu:227: error: data race on own[31]\n|\n  231 |   note: no cluster barrier orders "
     "the two blocks",
     "relaxedBarrier" EXCHANGE, NULL},
    {1,
     "proxies.cu:276: error: data race on flag[0]\n|\n  276 |proxies.cu:276: error: data race on "
     "data[0]\n|   note: no cluster barrier orders the two blocks",
     "sendInBlock" SENDS, NULL},
};

TEST(wrong_scope_in_a_cluster_is_reported)
{
    expect_rows(&set, wrong_scope);
}

static struct launch_set set = {
    .file = PROXIES_FOLDER "/proxies.cu",
    .options = "--size 1 --only races --compiler nvcc -- -arch=compute_90",
    .groups = {ROWS(right), ROWS(no_fence), ROWS(no_wait), ROWS(multicast), ROWS(wrong_scope)},
};

int main(int argc, char **argv)
{
    (void)argv;
    if (argc != 1) {
        fprintf(stderr, "takes no argument\n");
        return 2;
    }
    return tests_run("proxies", NULL, NULL);
}
