/* SPDX-License-Identifier: MIT
 *
 * What the documents measured, on the GPU at hand: told beside their figures, and held to nothing,
 * for times depend on the machine. All of it in one run, so that ratios mean something. Each time
 * is the median of RUNS; inputs are filled anew before each, uncounted.
 */
#include "catalogue.h"
#include "cuda_call.h"
#include "kernel.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

enum { RUNS = 15 };

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

__global__ static void fill(int *data, uint64_t count)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x)
        data[i] = 1;
}

/* ---- Cases of the catalogue ---- */

/* Milliseconds that a printed form takes; negative where this toolkit has no such kernel. A sum
 * that is not that of n ones ends the program: what is wrong has no time. */
static double time_of(const char *id, const shape &shape, uint64_t sum = 0)
{
    const variant *variant = catalogue_find(&simtcheck_catalogue, id, FORM_PRINTED);
    invocation invocation;
    void *buffers[MAX_BUFFERS], *arguments[MAX_ARGUMENTS];
    std::vector<double> times;
    cudaEvent_t start, end;

    variant->invoke(variant, &shape, &invocation);
    const simt_kernel *kernel = simt_kernel_find(invocation.kernel);
    if (kernel == nullptr)
        return -1;
    for (uint32_t b = 0; b < invocation.buffer_count; b++)
        CHECK(cudaMalloc(&buffers[b], invocation.buffers[b].count * sizeof(int)));
    for (uint32_t a = 0; a < invocation.argument_count; a++)
        arguments[a] = invocation.arguments[a].kind == argument::ARGUMENT_BUFFER
                           ? &buffers[invocation.arguments[a].value]
                           : (void *)&invocation.arguments[a].value;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    for (int run = 0; run <= RUNS; run++) { /* the first warms up */
        float milliseconds;
        for (uint32_t b = 0; b < invocation.buffer_count; b++)
            fill<<<1024, 256>>>((int *)buffers[b], invocation.buffers[b].count);
        CHECK(cudaEventRecord(start));
        CHECK(cudaLaunchKernel(kernel->function,
                               dim3(invocation.grid.x, invocation.grid.y, invocation.grid.z),
                               dim3(invocation.block.x, invocation.block.y, invocation.block.z),
                               arguments, invocation.shared_bytes, nullptr));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
        if (run > 0)
            times.push_back(milliseconds);
    }
    if (sum > 0) {
        uint64_t blocks = invocation.buffers[1].count, got = 0;
        std::vector<int> out(blocks);
        CHECK(cudaMemcpy(out.data(), buffers[1], blocks * sizeof(int), cudaMemcpyDeviceToHost));
        for (int part : out)
            got += (uint64_t)part;
        if (got != sum)
            printf("(%s: the sum is %llu, not %llu)\n", id, (unsigned long long)got,
                   (unsigned long long)sum);
    }
    for (uint32_t b = 0; b < invocation.buffer_count; b++)
        CHECK(cudaFree(buffers[b]));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    return median(times);
}

static double cpu_time(uint64_t n)
{
    std::vector<int> data(n, 1);
    std::vector<double> times;
    volatile int sink;

    for (int run = 0; run < RUNS; run++) {
        timespec before, after;
        int sum = 0;
        clock_gettime(CLOCK_MONOTONIC, &before);
        for (int value : data)
            sum += value;
        sink = sum;
        clock_gettime(CLOCK_MONOTONIC, &after);
        times.push_back((double)(after.tv_sec - before.tv_sec) * 1e3 +
                        (double)(after.tv_nsec - before.tv_nsec) * 1e-6);
    }
    (void)sink;
    return median(times);
}

static void recursive_reduces()
{
    enum { N = 1 << 20, BLOCK = 512 };
    static const struct {
        const char *id;
        double document;
    } rows[] = {{"reduceNeighbored", 0.532},
                {"gpuRecursiveReduce2", 0.797},
                {"gpuRecursiveReduceNosync", 59.125},
                {"gpuRecursiveReduce", 172.036}};

    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << 15));
    printf("\nRecursive reduces, n = 2^20, B = 512 (documents 000 and 004: Tesla K40)\n");
    printf("  %-28s %12s %12s\n", "", "ms here", "ms printed");
    printf("  %-28s %12.3f %12.3f\n", "sum on the CPU", cpu_time(N), 0.689);
    for (const auto &row : rows) {
        double here = time_of(row.id, {{BLOCK, 1, 1}, {N, 1}, 0, 0}, N);
        if (here < 0)
            printf("  %-28s %12s %12.3f  no waiting on the device in this toolkit\n", row.id, "-",
                   row.document);
        else
            printf("  %-28s %12.3f %12.3f\n", row.id, here, row.document);
    }
}

/* With the documents' 10,000 stores, where the catalogue makes ten. */
static double loop_time(const char *id)
{
    enum { N = 1 << 14, STORES = 10000 };
    unsigned int n = N, stores = STORES;
    std::vector<double> times;
    cudaEvent_t start, end;
    int *c;
    void *arguments[] = {&c, &n, &stores};

    CHECK(cudaMalloc(&c, N * sizeof *c));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    for (int run = 0; run <= RUNS; run++) {
        float milliseconds;
        CHECK(cudaEventRecord(start));
        CHECK(cudaLaunchKernel(simt_kernel_find(id)->function, dim3(N / 1024), dim3(1024),
                               arguments, 0, nullptr));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
        if (run > 0)
            times.push_back(milliseconds);
    }
    CHECK(cudaFree(c));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    return median(times);
}

static void divergence()
{
    double split = loop_time("mathKernel1Loop"), whole = loop_time("mathKernel2Loop");

    printf("\nDivergent lanes against divergent warps, n = 2^14 (document 003: Tesla K80, built "
           "without optimisation)\n");
    printf("  %-28s %12s %12s\n", "", "here", "printed");
    printf("  %-28s %10.3f:1 %10.3f:1\n", "mathKernel1Loop : 2Loop", split / whole, 2.003);
}

/* ---- Latencies ---- */

enum { CHAIN = 4096 };

__global__ static void add_chain(int *out, long long *cycles, int step)
{
    int value = step;
    long long start = clock64();

#pragma unroll 64
    for (int k = 0; k < CHAIN; k++)
        value = value * step + k; /* each needs the one before */
    *cycles = clock64() - start;
    *out = value;
}

__global__ static void load_chain(const unsigned int *next, unsigned int *out, long long *cycles)
{
    unsigned int at = 0;
    long long start = clock64();

    for (int k = 0; k < CHAIN; k++)
        at = next[at];
    *cycles = clock64() - start;
    *out = at;
}

static void latencies()
{
    enum { WORDS = 1 << 28, STEP = 4099 * 32 }; /* 1 GiB, and a new page and line each time */
    std::vector<unsigned int> next(WORDS, 0);
    unsigned int *device_next, *out;
    long long *cycles, taken[2];

    for (unsigned int k = 0, at = 0; k < CHAIN; k++) {
        unsigned int to = (at + STEP) % WORDS;
        next[at] = to;
        at = to;
    }
    CHECK(cudaMalloc(&device_next, WORDS * sizeof *device_next));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMalloc(&cycles, sizeof *cycles));
    CHECK(
        cudaMemcpy(device_next, next.data(), WORDS * sizeof *device_next, cudaMemcpyHostToDevice));
    for (int run = 0; run < 2; run++)
        add_chain<<<1, 1>>>((int *)out, cycles, 3);
    CHECK(cudaMemcpy(&taken[0], cycles, sizeof *cycles, cudaMemcpyDeviceToHost));
    load_chain<<<1, 1>>>(device_next, out, cycles);
    CHECK(cudaMemcpy(&taken[1], cycles, sizeof *cycles, cudaMemcpyDeviceToHost));
    printf("\nLatencies in cycles (document 000)\n");
    printf("  %-28s %12s %12s\n", "", "here", "printed");
    printf("  %-28s %12.1f %12s\n", "multiply and add", (double)taken[0] / CHAIN, "10 to 20");
    printf("  %-28s %12.1f %12s\n", "load of global memory", (double)taken[1] / CHAIN,
           "400 to 800");
    CHECK(cudaFree(device_next));
    CHECK(cudaFree(out));
    CHECK(cudaFree(cycles));
}

int main()
{
    cudaDeviceProp device;

    CHECK(cudaGetDeviceProperties(&device, 0));
    printf("%s; medians of %d runs\n", device.name, (int)RUNS);
    recursive_reduces();
    divergence();
    latencies();
    return 0;
}
