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
    {0, "race-free", "fenceOfWriters" STORES, NULL},
    {0, "race-free", "fenceOfAllKinds" STORES, NULL},
    {0, "race-free", "fenceOfIssuer" STORES, NULL},
    {0, "race-free", "twoLoads" LOADS, NULL},
    {0, "race-free", "pipeline" LOADS, NULL},
    {0, "race-free", "multicastPipeline" MULTICAST, NULL},
    {0, "race-free", "releasedBarrier" EXCHANGE, NULL},
    {0, "race-free", "fencedBarrier" EXCHANGE, NULL},
    {0, "race-free", "sendInCluster" SENDS, NULL},
};

TEST(right_kernels_are_race_free)
{
    expect_rows(&set, right);
}

#define SAYS_NO_FENCE                                                                              \
    "tile[0]|proxies.cu:45|asynchronously|proxies.cu:20|the write is in "                          \
    "the generic proxy and the read in the async proxy: "                                          \
    "fence.proxy.async is missing between them"
static const struct launch_row no_fence[] = {
    {1, SAYS_NO_FENCE, "noFence" STORES, NULL},
    {1, SAYS_NO_FENCE, "fenceTooEarly" STORES, NULL},
    {1, SAYS_NO_FENCE, "fenceOfGlobal" STORES, NULL},
    {1,
     "loaded[0]|proxies.cu:107|proxies.cu:116|fence.mbarrier_init or fence.proxy.async is "
     "missing after its initialization",
     "initWithoutFence" LOADS, NULL},
};

TEST(missing_proxy_fence_is_reported)
{
    expect_rows(&set, no_fence);
}

#define SAYS_NO_WAIT "nothing before the second waits until it is complete"
static const struct launch_row no_wait[] = {
    {1,
     "asynchronously|proxies.cu:20|proxies.cu:62|nothing before the second waits until it "
     "is complete",
     "noWait" STORES, NULL},
    {1,
     "asynchronously|proxies.cu:116|proxies.cu:148|nothing before the second waits until "
     "it is complete",
     "halfWaits" LOADS, NULL},
    {1, SAYS_NO_WAIT, "loadOverReads" LOADS, NULL},
};

TEST(missing_wait_for_a_copy_is_reported)
{
    expect_rows(&set, no_wait);
}

static const struct launch_row multicast[] = {
    {1,
     "block (1,0,0) reads|proxies.cu:334|asynchronously|proxies.cu:301|nothing orders the "
     "first before its issue",
     "multicastOverReads" MULTICAST, NULL},
    {1,
     "empty[0]|atomically, scope block|proxies.cu:294|the scope of an atomic access does not "
     "include the other thread",
     "arrivalsOfBlockScope" MULTICAST, NULL},
    {1, "empty[0]|proxies.cu:292|exits|a cluster barrier is missing before the end of the kernel",
     "noLastBarrier" MULTICAST, NULL},
};

TEST(seeded_bugs_of_a_multicast_pipeline_are_reported)
{
    expect_rows(&set, multicast);
}

static const struct launch_row wrong_scope[] = {
    {1, "own[31]|proxies.cu:227|proxies.cu:231|no cluster barrier orders blocks",
     "relaxedBarrier" EXCHANGE, NULL},
    {1, "flag[0]|proxies.cu:276|data[0]|proxies.cu:276|no cluster barrier orders blocks",
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
