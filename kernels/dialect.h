/* SPDX-License-Identifier: MIT
 *
 * What a kernel file includes, and the only thing it includes.
 *
 * Under nvcc this header adds two macros to CUDA C. Under a host compiler it also supplies the
 * CUDA C that the kernels use, so that the same file becomes host code: one call of the kernel
 * function is one GPU thread, run by engine/host/. Everything declared `extern "C"` below is what
 * a kernel needs from whoever runs it; an engine provides it.
 *
 * A kernel file may use: threadIdx, blockIdx, blockDim, gridDim, warpSize, __syncthreads(),
 * __shared__, volatile, templates, and
 *
 *     EXPORT_KERNEL(name)                        make the kernel callable under its name
 *     EXPORT_KERNEL_AS(name, template<int>)      likewise an instance of a template
 *     LAUNCH(kernel, grid, block)(arguments);    a nested launch: kernel<<<grid, block>>>(...)
 *     LAUNCH(kernel, grid, block, shared_bytes, stream)(arguments);
 *     LANE()                                     the thread's lane, as the machine has it
 *
 * besides atomicAdd(), cudaGetLastError() after a launch, and, where HAVE_DEVICE_WAIT or
 * HAVE_TAIL_LAUNCH is defined, cudaDeviceSynchronize() or cudaStreamTailLaunch and
 * cudaStreamFireAndForget. A nested launch is counted, and one that fails is a fault of its case.
 */
#ifndef SIMTCHECK_KERNELS_DIALECT_H
#define SIMTCHECK_KERNELS_DIALECT_H

#include "kernel.h"

#ifdef __CUDACC__

#include <cstdio>

#define LANE() simt_lane()

static __device__ inline unsigned int simt_lane()
{
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Device-side waiting went with CUDA 12; tail launches and fire-and-forget came with it. */
#if CUDART_VERSION >= 12000
#define HAVE_TAIL_LAUNCH
#else
#define HAVE_DEVICE_WAIT
#endif

/* Kernels that launch are compiled as relocatable device code; engine/cuda/launches.cu has this. */
#ifdef __CUDACC_RDC__
struct simt_launch_count {
    unsigned int children, failed;
    unsigned long long threads; /* of all children */
    int error;                  /* of the first that failed */
};
extern __device__ struct simt_launch_count simt_launches;

template <typename... Parameters>
struct simt_launcher {
    void (*kernel)(Parameters...);
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;

    __device__ void operator()(Parameters... parameters) const
    {
        kernel<<<grid, block, shared_bytes, stream>>>(parameters...);
        cudaError_t error = cudaPeekAtLastError();
        if (error == cudaSuccess) {
            atomicAdd(&simt_launches.children, 1u);
            atomicAdd(&simt_launches.threads,
                      1ull * grid.x * grid.y * grid.z * block.x * block.y * block.z);
        } else {
            atomicAdd(&simt_launches.failed, 1u);
            atomicCAS(&simt_launches.error, 0, static_cast<int>(error));
        }
    }
};

template <typename... Parameters>
__device__ simt_launcher<Parameters...> simt_launcher_of(void (*kernel)(Parameters...), dim3 grid,
                                                         dim3 block, size_t shared_bytes = 0,
                                                         cudaStream_t stream = 0)
{
    return {kernel, grid, block, shared_bytes, stream};
}

#define LAUNCH(kernel, ...) simt_launcher_of(kernel, __VA_ARGS__)
#endif

#define SIMT_ENTRY(kernel) ((const void *)(kernel)), nullptr

#else /* host compiler */

#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline

/* Shared memory is the executable's thread-local storage: `thread_local` is the one storage class
 * that may stand at block scope and behind `extern` alike, and the linker lays all such objects
 * out in one segment, which the engine can bound, name, clear and swap for each block. */
#define __shared__ thread_local

struct uint3 {
    unsigned int x, y, z;
};

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
};

/* Where a barrier or a launch stands in the source: identity for the engine, text for its reports.
 */
struct simt_site {
    const char *file;
    int line;
};

typedef struct simt_stream *cudaStream_t;
#define cudaStreamTailLaunch ((cudaStream_t)1)
#define cudaStreamFireAndForget ((cudaStream_t)2)
#define HAVE_TAIL_LAUNCH
#define HAVE_DEVICE_WAIT

extern "C" {
/* Coordinates of the calling GPU thread. Constant for the thread's whole life, so a compiler may
 * ask once: hence `const`. Returned by value, for a load from memory would look like the kernel's
 * own access to the engine. */
__attribute__((const)) uint3 simt_thread_index(void);
__attribute__((const)) uint3 simt_block_index(void);
__attribute__((const)) uint3 simt_block_extent(void);
__attribute__((const)) uint3 simt_grid_extent(void);
__attribute__((const)) unsigned int simt_lane(void);
void simt_syncthreads(const struct simt_site *site);
int simt_device_wait(const struct simt_site *site);
int simt_last_error(void);
/* A launch from a kernel; arguments as for cudaLaunchKernel, valid during the call only. */
void simt_launch(const struct simt_site *site, void (*function)(void), simt_invoke invoke,
                 const dim3 *grid, const dim3 *block, size_t shared_bytes, cudaStream_t stream,
                 void *const *arguments, const size_t *argument_sizes, unsigned int argument_count);
}

#define threadIdx simt_thread_index()
#define blockIdx simt_block_index()
#define blockDim simt_block_extent()
#define gridDim simt_grid_extent()
#define warpSize 32
#define LANE() simt_lane()

/* The place of the macro that uses it. */
#define SIMT_HERE()                                                                                \
    [] {                                                                                           \
        static constexpr simt_site simt_here = {__FILE__, __LINE__};                               \
        return &simt_here;                                                                         \
    }()

#define __syncthreads() simt_syncthreads(SIMT_HERE())
#define cudaDeviceSynchronize() simt_device_wait(SIMT_HERE())
#define cudaGetLastError() simt_last_error()

/* The compiler turns it into a callback, as it does with every access. */
template <typename Word>
Word atomicAdd(Word *address, Word value)
{
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

/* Calls a kernel of any signature with arguments given by address, as cudaLaunchKernel does.
 * Reading the arguments is no access of the kernel's. */
template <typename... Parameters>
struct simt_signature {
    template <size_t... Index>
    __attribute__((no_sanitize("thread"))) static void
    spread(void (*function)(Parameters...), void *const *arguments, std::index_sequence<Index...>)
    {
        (void)arguments; /* a kernel may take none */
        function(*static_cast<std::remove_reference_t<Parameters> *>(arguments[Index])...);
    }

    __attribute__((no_sanitize("thread"))) static void invoke(void (*function)(void),
                                                              void *const *arguments)
    {
        spread(reinterpret_cast<void (*)(Parameters...)>(function), arguments,
               std::index_sequence_for<Parameters...>());
    }
};

template <typename... Parameters>
constexpr simt_invoke simt_invoke_of(void (*)(Parameters...))
{
    return simt_signature<Parameters...>::invoke;
}

template <typename... Parameters>
struct simt_launcher {
    const simt_site *site;
    void (*kernel)(Parameters...);
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;

    /* What is put on the stack here is no access of the kernel's. */
    __attribute__((no_sanitize("thread"))) void operator()(Parameters... parameters) const
    {
        void *const arguments[] = {static_cast<void *>(&parameters)..., nullptr};
        const size_t sizes[] = {sizeof parameters..., 0};
        simt_launch(site, reinterpret_cast<void (*)(void)>(kernel),
                    simt_signature<Parameters...>::invoke, &grid, &block, shared_bytes, stream,
                    arguments, sizes, sizeof...(Parameters));
    }
};

template <typename... Parameters>
__attribute__((no_sanitize("thread"))) simt_launcher<Parameters...>
simt_launcher_of(const simt_site *site, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                 size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return {site, kernel, grid, block, shared_bytes, stream};
}

#define LAUNCH(kernel, ...) simt_launcher_of(SIMT_HERE(), kernel, __VA_ARGS__)
#define SIMT_ENTRY(kernel) reinterpret_cast<const void *>(kernel), simt_invoke_of(kernel)

#endif

/* Enters the kernel in the table that simt_kernel_find() reads: a section of pointers, for the
 * compiler may pad larger objects. */
#define EXPORT_KERNEL(name) EXPORT_KERNEL_AS(name, name)

/* The same for an instance of a template: EXPORT_KERNEL_AS(sumOfTwo, sum<int, 2>). */
#define EXPORT_KERNEL_AS(name, ...)                                                                \
    static const struct simt_kernel simt_export_##name = {#name, SIMT_ENTRY((__VA_ARGS__))};       \
    __attribute__((section("simt_kernels"),                                                        \
                   used)) static const struct simt_kernel *const simt_exported_##name =            \
        &simt_export_##name

#endif
