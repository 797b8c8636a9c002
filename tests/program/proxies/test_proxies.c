/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels with accesses in two proxies, and on scopes and barriers of clusters: right
 * ones are race-free, and each seeded bug is reported at its lines.
 */
#include "check.h"

#define STORES "<<<2, 64>>>(in int in[128], out int out[128])"
#define LOADS "<<<1, 64>>>(in int in[320], out int out[64])"
#define MULTICAST "<<<2, 64>>>(in int in[320], out int out[128])"
#define EXCHANGE "<<<4, 32>>>(in int in[128], out int out[128])"
#define SENDS                                                                                      \
    "<<<2, 32>>>(in int in[1], zeros unsigned flag[1], scratch int data[1], out int out[1])"

static void expect(int status, const char *says, const char *launch)
{
    expect_run(status, says,
               "check %s/proxies.cu '%s' --size 1 --only races --compiler nvcc -- "
               "-arch=compute_90",
               PROXIES_FOLDER, launch);
}

TEST(right_kernels_are_race_free)
{
    expect(0, "race-free", "fenceOfWriters" STORES);
    expect(0, "race-free", "fenceOfAllKinds" STORES);
    expect(0, "race-free", "fenceOfIssuer" STORES);
    expect(0, "race-free", "twoLoads" LOADS);
    expect(0, "race-free", "pipeline" LOADS);
    expect(0, "race-free", "multicastPipeline" MULTICAST);
    expect(0, "race-free", "releasedBarrier" EXCHANGE);
    expect(0, "race-free", "fencedBarrier" EXCHANGE);
    expect(0, "race-free", "sendInCluster" SENDS);
}

TEST(missing_proxy_fence_is_reported)
{
    static const char says[] = "tile[0]|proxies.cu:45|asynchronously|proxies.cu:20|the write is in "
                               "the generic proxy and the read in the async proxy: "
                               "fence.proxy.async is missing between them";

    expect(1, says, "noFence" STORES);
    expect(1, says, "fenceTooEarly" STORES);
    expect(1, says, "fenceOfGlobal" STORES);
    expect(1,
           "loaded[0]|proxies.cu:107|proxies.cu:116|fence.mbarrier_init or fence.proxy.async is "
           "missing after its initialization",
           "initWithoutFence" LOADS);
}

TEST(missing_wait_for_a_copy_is_reported)
{
    static const char says[] = "nothing before the second waits until it is complete";

    expect(1,
           "asynchronously|proxies.cu:20|proxies.cu:62|nothing before the second waits until it "
           "is complete",
           "noWait" STORES);
    expect(1,
           "asynchronously|proxies.cu:116|proxies.cu:148|nothing before the second waits until "
           "it is complete",
           "halfWaits" LOADS);
    expect(1, says, "loadOverReads" LOADS);
}

TEST(seeded_bugs_of_a_multicast_pipeline_are_reported)
{
    expect(1,
           "block (1,0,0) reads|proxies.cu:334|asynchronously|proxies.cu:301|nothing orders the "
           "first before its issue",
           "multicastOverReads" MULTICAST);
    expect(1,
           "empty[0]|atomically, scope block|proxies.cu:294|the scope of an atomic access does not "
           "include the other thread",
           "arrivalsOfBlockScope" MULTICAST);
    expect(
        1,
        "empty[0]|proxies.cu:292|exits|a cluster barrier is missing before the end of the kernel",
        "noLastBarrier" MULTICAST);
}

TEST(wrong_scope_in_a_cluster_is_reported)
{
    expect(1, "own[31]|proxies.cu:227|proxies.cu:231|no cluster barrier orders blocks",
           "relaxedBarrier" EXCHANGE);
    expect(1, "flag[0]|proxies.cu:276|data[0]|proxies.cu:276|no cluster barrier orders blocks",
           "sendInBlock" SENDS);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc != 1) {
        fprintf(stderr, "takes no argument\n");
        return 2;
    }
    return tests_run("proxies", NULL, NULL);
}
