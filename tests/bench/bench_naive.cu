/* SPDX-License-Identifier: MIT
 *
 * The naive way to run cases on a GPU: copy the input in, launch, copy the result out, one case
 * after the other; allocation and the making of the input are not counted. Prints cases a second,
 * to be held against those of `simtcheck run --engine cuda` over the same cases.
 */
#include "catalogue.h"
#include "input_values.h"
#include "kernel.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

static double now()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "bench_naive: %s: %s\n", call, cudaGetErrorString(error));
    exit(error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice ? 77 : 3);
}

#define CHECK(call) check(call, #call)

static const uint64_t sizes[] = {0, 1, 2, 3, 7, 31, 33, 1000, 1023, 1025, 4097};
enum { LARGEST = 4097 };

/* One case; `in` and `out` are pageable host memory. */
static void run_case(const variant &variant, const shape &shape, int *device_in, int *device_out,
                     const int *in, int *out)
{
    invocation invocation;
    variant.invoke(&variant, &shape, &invocation);
    uint32_t n = (uint32_t)shape.size[0];
    void *arguments[] = {&device_in, &device_out, &n};

    if (n > 0)
        CHECK(cudaMemcpy(device_in, in, n * sizeof *in, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchKernel(simt_kernel_find(invocation.kernel)->function, dim3(invocation.grid.x),
                           dim3(invocation.block.x), arguments, 0, nullptr));
    CHECK(cudaMemcpy(out, device_out, invocation.buffers[1].count * sizeof *out,
                     cudaMemcpyDeviceToHost));
}

int main()
{
    static int in[LARGEST], out[LARGEST];
    int *device_in, *device_out;
    uint64_t cases = 0;

    CHECK(cudaMalloc(&device_in, sizeof in));
    CHECK(cudaMalloc(&device_out, sizeof out));
    for (int i = 0; i < LARGEST; i++)
        in[i] = values_i32({VALUES_HASH, 1}, (uint64_t)i);
    double start = now();
    for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
        const variant &variant = simtcheck_catalogue.variants[v];
        if (variant.form != FORM_TOTAL || variant.elements_per_thread != 1 ||
            variant.contract != CONTRACT_SUM || variant.launches != LAUNCHES_NOTHING ||
            variant.element != ELEMENT_I32)
            continue;
        for (uint32_t block = 1; block <= 1024; block++)
            for (uint64_t size : sizes) {
                shape shape = {{block, 1, 1}, {size, 1}};
                run_case(variant, shape, device_in, device_out, in, out);
                cases++;
            }
    }
    double seconds = now() - start;
    printf("naive: %llu cases in %.2f s, %.0f cases/s\n", (unsigned long long)cases, seconds,
           (double)cases / seconds);
    return 0;
}
