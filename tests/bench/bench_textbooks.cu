/* SPDX-License-Identifier: MIT
 *
 * Measures what the textbooks measured, on this GPU, and prints it next to their figures. Nothing
 * checks the times: they depend on the machine. One run makes all measurements, so that ratios are
 * meaningful. Each time is the median of RUNS. Inputs are refilled before each run, untimed. With
 * --profile each kernel runs once, untimed, for ci/bench and Nsight Compute.
 */
#include "catalogue.h"
#include "cuda_call.h"
#include "kernel.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

enum { RUNS = 15 };

static int runs = RUNS; /* 0: launch once, untimed */

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

/* Returns the milliseconds that a launch takes. */
template <typename Launch>
static double launch_time(Launch launch)
{
    std::vector<double> times;
    cudaEvent_t start, end;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    for (int run = 0; run <= RUNS; run++) {
        float milliseconds;
        CHECK(cudaEventRecord(start));
        launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
        if (run > 0)
            times.push_back(milliseconds);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    return median(times);
}

/* ---- Cases of the catalogue ---- */

/* Returns the milliseconds of an original variant, or a negative number if this toolkit does not
 * have the kernel. A sum that is not that of n ones ends the program. */
static double time_of(const char *id, const shape &shape, uint64_t sum = 0)
{
    const variant *variant = catalogue_find(&simtcheck_catalogue, id, VARIANT_ORIGINAL);
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
    for (int run = 0; run <= runs; run++) { /* the first one warms up */
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
    return times.empty() ? 0 : median(times);
}

/* The book's sum on the CPU. The upper half is added to the lower, until one element is left. */
static int recursive_reduce(int *data, int size)
{
    int stride = size / 2;

    if (size == 1)
        return data[0];
    for (int k = 0; k < stride; k++)
        data[k] += data[k + stride];
    return recursive_reduce(data, stride);
}

static double cpu_time(int n)
{
    std::vector<double> times;
    volatile int sink;

    for (int run = 0; run < RUNS; run++) {
        std::vector<int> data(n, 1);
        timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        sink = recursive_reduce(data.data(), n);
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
        double published;
    } rows[] = {{"reduceNeighbored", 0.532},
                {"gpuRecursiveReduce2", 0.797},
                {"gpuRecursiveReduceNosync", 59.125},
                {"gpuRecursiveReduce", 172.036}};

    size_t before, after, all;

    CHECK(cudaFree(nullptr)); /* creates the context, which uses memory, too */
    CHECK(cudaMemGetInfo(&before, &all));
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << 15));
    printf("\nRecursive reduces, n = 2^20, B = 512 (the book and the nested notes: Tesla K40)\n");
    printf("  %-28s %12s %12s\n", "", "ms here", "ms printed");
    printf("  %-28s %12.3f %12.3f\n", "recursiveReduce on the CPU", cpu_time(N), 0.689);
    for (const auto &row : rows) {
        double here = time_of(row.id, {{BLOCK, 1, 1}, {N, 1}, 0, 0}, N);
        if (here < 0)
            printf("  %-28s %12s %12.3f  no waiting on the device in this toolkit\n", row.id, "-",
                   row.published);
        else
            printf("  %-28s %12.3f %12.3f\n", row.id, here, row.published);
    }
    CHECK(cudaMemGetInfo(&after, &all));
    printf(
        "  memory that nested launches have reserved: %.1f MiB, 8 levels deep (the book and "
        "the nested notes: each level reserves some)\n",
        ((double)before - (double)after) / (1 << 20));
}

/* ---- Reductions ---- */

/* The book: 1.69 and 1.34 times as fast. Unrolling8 gains most, Unrolling16 little more. */
static void unrolling_steps()
{
    enum { N = 1 << 24, BLOCK = 512 };
    static const char *const ids[] = {
        "reduceNeighbored", "reduceNeighboredLess", "reduceInterleaved", "reduceUnrolling2",
        "reduceUnrolling4", "reduceUnrolling8",     "reduceUnrolling16"};
    double times[7];

    printf("\nSteps of the benchmark, n = 2^24, B = 512 (the book)\n");
    printf("  %-28s %12s %12s\n", "", "ms here", "gain");
    for (int k = 0; k < 7; k++) {
        times[k] = time_of(ids[k], {{BLOCK, 1, 1}, {N, 1}, 0, 0}, N);
        printf("  %-28s %12.4f %10.2f:1\n", ids[k], times[k], k == 0 ? 1 : times[k - 1] / times[k]);
    }
    printf("  %-28s %10.2f:1 %10.2f:1 printed\n", "Neighbored : Interleaved", times[0] / times[2],
           1.69);
    printf("  %-28s %10.2f:1 %10.2f:1 printed\n", "NeighboredLess : Interleaved",
           times[1] / times[2], 1.34);
}

/* The book, exercise 6: the same time on many GPUs. */
static void int_and_float()
{
    enum { N = 1 << 24, BLOCK = 512 };
    static const char *const pairs[][2] = {
        {"reduceInterleaved", "reduceInterleavedFloat"},
        {"reduceCompleteUnrollWarps8", "reduceCompleteUnrollWarps8Float"}};

    printf("\nint against float, n = 2^24, B = 512 (the book: as fast)\n");
    for (const auto &pair : pairs) {
        double ints = time_of(pair[0], {{BLOCK, 1, 1}, {N, 1}, 0, 0}, N),
               floats = time_of(pair[1], {{BLOCK, 1, 1}, {N, 1}, 0, 0});
        printf("  %-28s %12.4f ms %9.4f ms\n", pair[0], ints, floats);
    }
}

/* The book: a block should have at least 128 or 256 threads. */
static void sizes_of_blocks()
{
    enum { N = 1 << 24 };

    printf("\nreduceInterleaved by size of blocks, n = 2^24 (the book: at least 128 or 256)\n");
    for (uint32_t block = 32; block <= 1024; block *= 2)
        printf("  %-28u %12.4f ms\n", block,
               time_of("reduceInterleaved", {{block, 1, 1}, {N, 1}, 0, 0}, N));
}

/* The book: the fastest has neither the highest occupancy nor the highest load throughput. */
static void matrix_blocks()
{
    enum { SIDE = 1 << 14 };
    static const uint32_t blocks[][2] = {{32, 32}, {32, 16}, {16, 32}, {16, 16}};

    for (const char *id : {"sumMatrixOnGPU2D", "sumMat"}) {
        printf("\n%s, 2^14 by 2^14 (the book, the K80 profiles)\n", id);
        for (const auto &block : blocks)
            printf("  %ux%-25u %12.4f ms\n", block[0], block[1],
                   time_of(id, {{block[0], block[1], 1}, {SIDE, SIDE}, 0, 0}));
    }
}

/* The K80 profiles: each step is slower with few blocks, and faster with many. */
static void unrolling_by_size()
{
    enum { SMALL = 1 << 14, LARGE = 1 << 30, BLOCK = 1024 };
    static const struct {
        const char *id;
        double microseconds, rate;
    } rows[] = {{"reduceInterleaved1", 31.9, 4.1},
                {"reduceInterleaved2", 31.7, 7.7},
                {"reduceInterleaved4", 34.7, 13.9},
                {"reduceInterleaved8", 39.1, 24.0}};

    printf("\nUnrolling, B = 1024 (the K80 profiles: Tesla K80)\n");
    printf("  %-28s %12s %12s %14s %12s\n", "", "us at 2^14", "printed", "GB/s at 2^30", "printed");
    for (const auto &row : rows) {
        double small = time_of(row.id, {{BLOCK, 1, 1}, {SMALL, 1}, 0, 0}, SMALL),
               large = time_of(row.id, {{BLOCK, 1, 1}, {LARGE, 1}, 0, 0}, LARGE);
        if (runs > 0)
            printf("  %-28s %12.2f %12.1f %14.1f %12.1f\n", row.id, small * 1e3, row.microseconds,
                   (double)LARGE * sizeof(int) / large * 1e-6, row.rate);
    }
}

/* Uses the textbooks' 10,000 stores instead of the catalogue's ten. */
static double loop_time(const char *id)
{
    enum { N = 1 << 14, STORES = 10000 };
    unsigned int n = N, stores = STORES;
    int *c;
    void *arguments[] = {&c, &n, &stores};
    double time;

    CHECK(cudaMalloc(&c, N * sizeof *c));
    time = launch_time([&] {
        CHECK(cudaLaunchKernel(simt_kernel_find(id)->function, dim3(N / 1024), dim3(1024),
                               arguments, 0, nullptr));
    });
    CHECK(cudaFree(c));
    return time;
}

static void divergence()
{
    double split = loop_time("mathKernel1Loop"), whole = loop_time("mathKernel2Loop");

    printf("\nDivergent lanes against divergent warps, n = 2^14 (the K80 profiles: Tesla K80, built "
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
        value = value * step + k; /* depends on the previous one */
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
    enum { WORDS = 1 << 28, STEP = 4099 * 32 }; /* 1 GiB, with a new page and line each time */
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
    printf("\nLatencies in cycles (the book)\n");
    printf("  %-28s %12s %12s\n", "", "here", "printed");
    printf("  %-28s %12.1f %12s\n", "multiply and add", (double)taken[0] / CHAIN, "10 to 20");
    printf("  %-28s %12.1f %12s\n", "load of global memory", (double)taken[1] / CHAIN,
           "400 to 800");
    CHECK(cudaFree(device_next));
    CHECK(cudaFree(out));
    CHECK(cudaFree(cycles));
}

/* ---- Multiprocessors ---- */

/* Pieces of work of equal duration, distributed over the blocks. */
__global__ static void work(float *out, int pieces)
{
    float value = (float)threadIdx.x;

    for (int piece = (int)blockIdx.x; piece < pieces; piece += (int)gridDim.x)
        for (int k = 0; k < 4096; k++)
            value = value * 1.0001f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void multiprocessors(int count)
{
    enum { WORDS = 1 << 26, THREADS = 256, PIECES = 16 };
    int *words;

    CHECK(cudaMalloc(&words, WORDS * sizeof *words));
    printf(
        "\nBlocks for each of %d SMs, GB/s written (the book: many more blocks than SMs)\n",
        count);
    for (int halves = 1; halves <= 64; halves *= 2) {
        double time = launch_time([=] { fill<<<count * halves / 2, THREADS>>>(words, WORDS); });
        printf("  %-28.1f %12.1f\n", halves / 2.0, WORDS * sizeof *words / time * 1e-6);
    }
    double half = launch_time([=] { work<<<count / 2, 1024>>>((float *)words, PIECES * count); }),
           all = launch_time([=] { work<<<count, 1024>>>((float *)words, PIECES * count); });
    printf("The same work on half of the SMs and on all of them: %.2f:1 (the book and the mapping notes: "
           "2:1)\n",
           half / all);
    CHECK(cudaFree(words));
}

/* Counts how many of these kernels run at once, each in its own stream. */
__global__ static void meet(unsigned int *now, unsigned int *most)
{
    atomicMax(most, atomicAdd(now, 1u) + 1);
    for (int k = 0; k < 20; k++)
        __nanosleep(1000000);
    atomicSub(now, 1u);
}

static void hardware_queues()
{
    enum { STREAMS = 256 };
    cudaStream_t streams[STREAMS];
    unsigned int *counts, most;

    CHECK(cudaMalloc(&counts, 2 * sizeof *counts));
    CHECK(cudaMemset(counts, 0, 2 * sizeof *counts));
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    for (cudaStream_t stream : streams)
        meet<<<1, 1, 0, stream>>>(counts, counts + 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&most, counts + 1, sizeof most, cudaMemcpyDeviceToHost));
    printf(
        "Kernels of %d streams at work at once: %u (the book: 32 hardware queues)\n",
        (int)STREAMS, most);
    for (cudaStream_t stream : streams)
        CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(counts));
}

int main(int argc, char **argv)
{
    cudaDeviceProp device;

    CHECK(cudaGetDeviceProperties(&device, 0));
    if (argc == 2 && strcmp(argv[1], "--profile") == 0) {
        runs = 0;
        unrolling_by_size();
        matrix_blocks();
        latencies();
        return 0;
    }
    printf("%s; medians of %d runs\n", device.name, (int)RUNS);
    recursive_reduces();
    unrolling_steps();
    unrolling_by_size();
    sizes_of_blocks();
    int_and_float();
    matrix_blocks();
    divergence();
    latencies();
    multiprocessors(device.multiProcessorCount);
    hardware_queues();
    return 0;
}
