/* SPDX-License-Identifier: MIT
 *
 * Runs one row of the catalogue at large sizes on a GPU: 2^20, 2^24, 2^28 and 2^30 elements, with
 * and without odd tails. Argument: the row, ID.VARIANT. The oracle also runs on the GPU. It shares
 * nothing with the kernels: it computes each input from the seed, and adds up each segment.
 *
 * Exits with 77, and the figures, if memory for a size is missing; it still tries the other sizes.
 * It also exits with 77 if a kernel with a known defect is wrong: its race makes the result
 * undefined, which proves nothing. SIMTCHECK_SEED is the seed of the values.
 */
#include "cuda_call.h"
#include "input_values.h"
#include "kernel.h"
#include "launch_tree.h"
#include "rows.h"

#include <cuda_runtime.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { SKIPPED = 77, ORACLE_BLOCKS = 1024, ORACLE_THREADS = 256, MAX_CHILDREN = 2500000 };

/* What the oracle found: the outputs that differ, and the first of them. */
struct oracle_differences {
    unsigned long long wrong, first;
    double expected, got;
    unsigned long long expected_sum, sum; /* of all inputs, of all outputs; integers modulo 2^32 */
};

/* ---- On the GPU ---- */

__device__ static uint32_t value_bits(enum element element, struct values values, uint64_t i)
{
    return element == ELEMENT_F32 ? __float_as_uint(values_f32(values, i))
                                  : (uint32_t)values_i32(values, i);
}

__global__ static void fill(uint32_t *words, uint64_t count, uint64_t first, uint64_t padding,
                            enum element element, struct values values)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x)
        words[i] = i + padding < count ? value_bits(element, values, first + i) : 0;
}

/* Returns a whole number: here float kernels get whole floats only. */
__device__ static unsigned long long whole(enum element element, uint32_t bits)
{
    return element == ELEMENT_F32 ? (unsigned long long)__uint_as_float(bits) : bits;
}

__device__ static void report(oracle_differences *found, uint64_t place, double expected, double got)
{
    atomicAdd(&found->wrong, 1ull);
    if (place < atomicMin(&found->first, (unsigned long long)place)) {
        found->expected = expected;
        found->got = got;
    }
}

/* Checks that output b is the sum of its segment. An int must be equal modulo 2^32. A float may
 * have a relative error of `tolerance`. A block checks one output at a time. */
__global__ static void check_sums(const uint32_t *out, uint64_t outputs, uint64_t n,
                                  uint64_t segment, enum element element, struct values values,
                                  double tolerance, oracle_differences *found)
{
    __shared__ unsigned long long sum;

    for (uint64_t b = blockIdx.x; b < outputs; b += gridDim.x) {
        uint64_t first = b * segment < n ? b * segment : n,
                 last = (b + 1) * segment < n ? (b + 1) * segment : n;
        unsigned long long mine = 0;
        if (threadIdx.x == 0)
            sum = 0;
        __syncthreads();
        for (uint64_t i = first + threadIdx.x; i < last; i += blockDim.x)
            mine += whole(element, value_bits(element, values, i));
        atomicAdd(&sum, mine);
        __syncthreads();
        if (threadIdx.x == 0) {
            double expected = (double)sum, got;
            if (element == ELEMENT_F32) {
                got = (double)__uint_as_float(out[b]);
                if (!(fabs(got - expected) <= tolerance * expected))
                    report(found, b, expected, got);
            } else if (out[b] != (uint32_t)sum) {
                report(found, b, (double)(int32_t)sum, (double)(int32_t)out[b]);
            }
        }
        __syncthreads();
    }
}

/* An input that no output includes is missing in the sum of all. */
__global__ static void add_inputs(uint64_t n, enum element element, struct values values,
                                  unsigned long long *sum)
{
    unsigned long long mine = 0;

    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x)
        mine += whole(element, value_bits(element, values, i));
    atomicAdd(sum, mine);
}

__global__ static void add_outputs(const uint32_t *out, uint64_t outputs, enum element element,
                                   unsigned long long *sum)
{
    unsigned long long mine = 0;

    for (uint64_t b = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; b < outputs;
         b += (uint64_t)gridDim.x * blockDim.x)
        mine += whole(element, out[b]);
    atomicAdd(sum, mine);
}

/* C[i] = A[i] + B[i], where B's values follow those of A. */
__global__ static void check_matrix(const uint32_t *c, uint64_t n, enum element element,
                                    struct values values, oracle_differences *found)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t a = value_bits(element, values, i), b = value_bits(element, values, n + i);
        uint32_t expected = element == ELEMENT_F32
                                ? __float_as_uint(__uint_as_float(a) + __uint_as_float(b))
                                : a + b;
        if (c[i] == expected)
            continue;
        if (element == ELEMENT_F32)
            report(found, i, (double)__uint_as_float(expected), (double)__uint_as_float(c[i]));
        else
            report(found, i, (double)(int32_t)expected, (double)(int32_t)c[i]);
    }
}

/* ---- A case ---- */

struct large_case {
    const variant *row;
    struct shape shape;
    struct invocation invocation;
    struct values values;
    void *buffers[MAX_BUFFERS];
    float milliseconds;
};

static size_t bytes_of(const invocation &invocation)
{
    size_t bytes = 0;

    for (uint32_t b = 0; b < invocation.buffer_count; b++)
        bytes += buffer_room(&invocation.buffers[b]);
    return bytes;
}

static void allocate(large_case &test)
{
    for (uint32_t b = 0; b < test.invocation.buffer_count; b++) {
        const buffer &buffer = test.invocation.buffers[b];
        size_t room = buffer_room(&buffer) > 0 ? buffer_room(&buffer) : 8;
        CHECK(cudaMalloc(&test.buffers[b], room));
        if (buffer.role == ROLE_INPUT || buffer.role == ROLE_INOUT)
            fill<<<ORACLE_BLOCKS, ORACLE_THREADS>>>((uint32_t *)test.buffers[b], buffer.count,
                                                    buffer.first, buffer.padding, buffer.element,
                                                    test.values);
        else /* an unwritten output must not look right */
            CHECK(cudaMemset(test.buffers[b], buffer.role == ROLE_LOG ? 0 : 0xa5, room));
    }
    CHECK(cudaGetLastError());
}

static void release(large_case &test)
{
    for (uint32_t b = 0; b < test.invocation.buffer_count; b++)
        CHECK(cudaFree(test.buffers[b]));
}

static void launch(large_case &test)
{
    const invocation &what = test.invocation;
    const simt_kernel *kernel = simt_kernel_find(what.kernel);
    void *arguments[MAX_ARGUMENTS];
    cudaEvent_t start, end;

    for (uint32_t a = 0; a < what.argument_count; a++)
        arguments[a] = what.arguments[a].kind == argument::ARGUMENT_BUFFER
                           ? &test.buffers[what.arguments[a].value]
                           : (void *)&what.arguments[a].value;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start));
    CHECK(cudaLaunchKernel(kernel->function, dim3(what.grid.x, what.grid.y, what.grid.z),
                           dim3(what.block.x, what.block.y, what.block.z), arguments,
                           what.shared_bytes, nullptr));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&test.milliseconds, start, end));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
}

/* Each addition on an element's path may round by half a unit. Without rounding the tolerance is 0:
 * sums of up to 2^16 whole numbers up to 256 are exact. */
static double tolerance_of(const large_case &test)
{
    uint64_t segment = variant_segment(test.row, &test.shape);

    return test.row->element != ELEMENT_F32 || segment <= 1 << 16
               ? 0
               : std::ldexp((double)test.row->height(test.row, &test.shape), -24);
}

static oracle_differences check(const large_case &test)
{
    oracle_differences *found, result;
    uint64_t n = shape_elements(&test.shape);
    enum element element = test.row->element;
    uint32_t last = test.row->contract == CONTRACT_MATRIX_SUM ? 2 : 1;
    const uint32_t *out = (const uint32_t *)test.buffers[last];
    uint64_t outputs = test.invocation.buffers[last].count;

    CHECK(cudaMalloc(&found, sizeof *found));
    CHECK(cudaMemset(found, 0, sizeof *found));
    CHECK(cudaMemset(&found->first, 0xff, sizeof found->first));
    if (test.row->contract == CONTRACT_MATRIX_SUM) {
        check_matrix<<<ORACLE_BLOCKS, ORACLE_THREADS>>>(out, n, element, test.values, found);
    } else {
        uint64_t segment = test.row->adds_all ? n : variant_segment(test.row, &test.shape);
        unsigned int threads = outputs > 1 ? ORACLE_THREADS : 1024;
        check_sums<<<ORACLE_BLOCKS, threads>>>(out, outputs, n, segment, element, test.values,
                                               tolerance_of(test), found);
        add_inputs<<<ORACLE_BLOCKS, ORACLE_THREADS>>>(n, element, test.values,
                                                      &found->expected_sum);
        add_outputs<<<ORACLE_BLOCKS, ORACLE_THREADS>>>(out, outputs, element, &found->sum);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, found, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(found));
    return result;
}

static bool sums_agree(const large_case &test, const oracle_differences &found)
{
    if (test.row->contract == CONTRACT_MATRIX_SUM || tolerance_of(test) > 0)
        return true;
    return test.row->element == ELEMENT_F32 ? found.sum == found.expected_sum
                                            : (uint32_t)found.sum == (uint32_t)found.expected_sum;
}

/* ---- Requirements of a case ---- */

/* Sets the limit of pending launches of all threads, so that all of the case's fit. */
static void allow_children(const launch_tree &tree)
{
    size_t pending = 2048;

    while (pending < tree.children)
        pending *= 2;
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, pending));
}

static bool memory_is_there(const large_case &test, const char *name)
{
    size_t needed = bytes_of(test.invocation), available, all;

    CHECK(cudaMemGetInfo(&available, &all));
    if (needed < available)
        return true;
    printf("%s: %" PRIu64 " elements need %.2f GB of GPU memory, and %.2f of %.2f GB are free: "
           "skipped\n",
           name, shape_elements(&test.shape), (double)needed * 1e-9, (double)available * 1e-9,
           (double)all * 1e-9);
    return false;
}

/* A child grid takes about 7 microseconds. A single thread cannot hide the latency of loads. */
static bool is_too_slow(const large_case &test, const launch_tree &tree, const char *name)
{
    uint64_t n = shape_elements(&test.shape);
    bool alone = test.row->block_dimensions == 0 && n > 1 << 21, odd = (n & (n - 1)) != 0;

    if (!alone && tree.children <= (odd ? MAX_CHILDREN / 5 : MAX_CHILDREN))
        return false;
    if (alone)
        printf("%s: %" PRIu64 " elements are too many for one thread: not tried\n", name, n);
    else
        printf("%s: %" PRIu64 " elements take %" PRIu64 " child grids: not tried\n", name, n,
               tree.children);
    return true;
}

enum result { RIGHT, WRONG, DEFECT, NO_MEMORY, NOT_TRIED, RESULTS };

static enum result try_case(large_case &test, const char *name, uint64_t seed)
{
    launch_tree tree;
    oracle_differences found;
    enum result result;

    test.row->invoke(test.row, &test.shape, &test.invocation);
    oracle_launch_tree(test.row, &test.shape, &tree);
    if (is_too_slow(test, tree, name))
        return NOT_TRIED;
    if (!memory_is_there(test, name))
        return NO_MEMORY;
    if (test.row->launches != LAUNCHES_NOTHING)
        allow_children(tree);
    allocate(test);
    launch(test);
    found = check(test);
    result = found.wrong == 0 && sums_agree(test, found) ? RIGHT
             : test.row->known_defect != nullptr              ? DEFECT
                                                         : WRONG;
    printf("%s: %" PRIu64 " elements (%" PRIu64 " by %" PRIu64 "), block %u: %s, %.3f ms\n", name,
           shape_elements(&test.shape), test.shape.size[0], test.shape.size[1],
           test.shape.block.x * test.shape.block.y,
           result == RIGHT    ? "right"
           : result == DEFECT ? "wrong, by its known defect"
                              : "WRONG",
           (double)test.milliseconds);
    if (found.wrong > 0)
        printf("    %llu outputs are wrong; the first is [%llu]: expected %.17g, got %.17g\n",
               found.wrong, found.first, found.expected, found.got);
    else if (result == WRONG)
        printf("    each output is right, but they leave out some of the inputs\n");
    if (result == WRONG)
        printf("    SIMTCHECK_SEED=%" PRIu64 " %s %s repeats it\n", seed,
               program_invocation_short_name, name);
    release(test);
    return result;
}

/* ---- The program ---- */

static bool is_required()
{
    const char *engine = getenv("SIMTCHECK_REQUIRE");

    return engine != nullptr && strcmp(engine, "cuda") == 0;
}

static bool gpu_is_here()
{
    cudaError_t error = cudaFree(nullptr);

    if (error != cudaSuccess)
        fprintf(stderr, "there is no usable GPU: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess;
}

int main(int argc, char **argv)
{
    static const uint64_t tails[] = {0, 1, 12345};
    static const int powers[] = {20, 24, 28, 30};
    static large_case test;
    unsigned int counts[RESULTS] = {0};
    uint64_t seed;

    test.row = argc == 2 ? row_named(argv[1]) : nullptr;
    if (test.row == nullptr) {
        fprintf(stderr, "usage: %s ID.FORM, a row of the catalogue\n", argv[0]);
        return 2;
    }
    if (!seed_read(&seed))
        return 2;
    if (!gpu_is_here())
        return is_required() ? 3 : SKIPPED;
    test.values = {test.row->element == ELEMENT_F32 ? VALUES_WHOLE : VALUES_HASH, seed};
    for (int power : powers)
        for (uint64_t tail : tails) {
            if (!row_large_shape(test.row, UINT64_C(1) << power, tail, &test.shape))
                continue;
            test.row->invoke(test.row, &test.shape, &test.invocation);
            if (simt_kernel_find(test.invocation.kernel) == nullptr) {
                printf(
                    "%s: this toolkit cannot build the kernel: CUDA 12 and later have no wait on "
                    "the device, CUDA 11 has no tail launch\n",
                    argv[1]);
                return SKIPPED;
            }
            counts[try_case(test, argv[1], seed)]++;
        }
    printf(
        "%s: %u cases right, %u wrong, %u wrong by its known defect, %u without memory, %u not tried; "
        "seed %" PRIu64 "\n",
        argv[1], counts[RIGHT], counts[WRONG], counts[DEFECT], counts[NO_MEMORY], counts[NOT_TRIED],
        seed);
    return counts[WRONG] > 0 || counts[RIGHT] + counts[DEFECT] + counts[NO_MEMORY] == 0 ? 1
           : counts[NO_MEMORY] + counts[DEFECT] > 0                                     ? SKIPPED
                                                                                        : 0;
}
