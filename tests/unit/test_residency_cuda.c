/* SPDX-License-Identifier: MIT
 *
 * Residency on this machine's GPU. Compares the oracle, with the GPU's own limits, with the
 * runtime's occupancy query, for kernels of the catalogue.
 */
#include "check.h"

#include "kernel.h"
#include "residency.h"

#include <cuda_runtime_api.h>

static struct sm_limits limits;

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0;
    assert_int_equal(cudaDeviceGetAttribute(&value, which, 0), cudaSuccess);
    return value;
}

static void read_limits(void)
{
    limits = (struct sm_limits){
        .major = attribute(cudaDevAttrComputeCapabilityMajor),
        .minor = attribute(cudaDevAttrComputeCapabilityMinor),
        .block_threads = (uint32_t)attribute(cudaDevAttrMaxThreadsPerBlock),
        .blocks = (uint32_t)attribute(cudaDevAttrMaxBlocksPerMultiprocessor),
        .threads = (uint32_t)attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
        .registers = (uint32_t)attribute(cudaDevAttrMaxRegistersPerMultiprocessor),
        .block_registers = (uint32_t)attribute(cudaDevAttrMaxRegistersPerBlock),
        .register_unit = 256,
        .partitions = 4,
        .shared = (uint32_t)attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
        .shared_reserved = (uint32_t)attribute(cudaDevAttrReservedSharedMemoryPerBlock),
        .block_shared = (uint32_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock),
    };
    limits.warps = limits.threads / 32;
    limits.shared_unit = limits.major >= 8 ? 128 : 256;
}

/* Compares the GPU with its column in the textbooks' table, if it has one. */
TEST(sm_limits_table_matches_the_device)
{
    const struct sm_limits *known = sm_limits_of(limits.major, limits.minor);
    print_message("compute capability %d.%d: %u blocks, %u warps, %u threads, %u registers, %u "
                  "bytes of shared memory an SM\n",
                  limits.major, limits.minor, limits.blocks, limits.warps, limits.threads,
                  limits.registers, limits.shared);
    if (known == NULL)
        return; /* newer than the textbooks */
    assert_int_equal(known->blocks, limits.blocks);
    assert_int_equal(known->threads, limits.threads);
    assert_int_equal(known->registers, limits.registers);
    assert_int_equal(known->shared, limits.shared);
}

TEST(residency_matches_the_occupancy_query)
{
    static const char *const kernels[] = {"reduceInterleaved", "reduceSharedDivergent",
                                          "reduceCompleteUnrollCorrected1024", "sumMat", "warpMap"};
    static const size_t shared[] = {0, 1, 1024, 4000, 16384, 40000};
    unsigned long compared = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const struct simt_kernel *kernel = simt_kernel_find(kernels[k]);
        struct cudaFuncAttributes function;
        assert_non_null(kernel);
        assert_int_equal(cudaFuncGetAttributes(&function, kernel->function), cudaSuccess);
        for (size_t s = 0; s < sizeof shared / sizeof *shared; s++)
            for (uint32_t block = 1; block <= limits.block_threads; block++, compared++) {
                int blocks = -1;
                struct residency expected =
                    oracle_residency(&limits, block, (uint32_t)function.numRegs,
                                     (uint32_t)(function.sharedSizeBytes + shared[s]));
                assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                     &blocks, kernel->function, (int)block, shared[s]),
                                 cudaSuccess);
                if (blocks != (int)expected.blocks)
                    print_error("%s, block %u, %d registers, %zu + %zu bytes\n", kernels[k], block,
                                function.numRegs, function.sharedSizeBytes, shared[s]);
                assert_int_equal(blocks, expected.blocks);
            }
    }
    print_message("%lu launches compared\n", compared);
}

int main(void)
{
    if (!engine_is_available("cuda"))
        return 77;
    read_limits();
    return tests_run("residency on the GPU", NULL, NULL);
}
