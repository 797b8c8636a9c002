/* SPDX-License-Identifier: MIT
 *
 * The one header that a kernel file includes, and the only one.
 *
 * It adds macros to CUDA C++. With nvcc or clang, the same file becomes code for a GPU, and PTX for
 * the simulator (SIMT_SIMULATED).
 *
 * A kernel file may use:
 *
 *     Variables: threadIdx, blockIdx, blockDim, gridDim, warpSize.
 *     Synchronization: __syncthreads(), __syncwarp(), fences.
 *     Language: __shared__, volatile, templates, vector types such as int4.
 *     Warp functions: shuffles, votes, matches.
 *     Atomics: of 32 and 64 bits, each also _block and _system.
 *     Launches: cudaGetLastError() after a launch.
 *     If HAVE_DEVICE_WAIT is defined: cudaDeviceSynchronize().
 *     If HAVE_TAIL_LAUNCH is defined: cudaStreamTailLaunch, cudaStreamFireAndForget.
 *
 * It may also use these macros:
 *
 *     EXPORT_KERNEL(name)                        The kernel becomes callable under its name.
 *     EXPORT_KERNEL_AS(name, template<int>)      The same for an instance of a template.
 *     LAUNCH(kernel, grid, block)(arguments);    A nested launch: kernel<<<grid, block>>>(...).
 *     LAUNCH(kernel, grid, block, shared_bytes, stream)(arguments);
 *     LANE()                                     The thread's lane, from the hardware register.
 *
 * Nested launches are counted, and one that fails is a fault of its case.
 */
#ifndef SIMTCHECK_KERNELS_DIALECT_H
#define SIMTCHECK_KERNELS_DIALECT_H

#include "simt.h"

#include <cstdio>

#define LANE() simt_device_lane()

static __device__ inline unsigned int simt_device_lane()
{
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* CUDA 11 has device-side waiting. CUDA 12 has tail launches and fire-and-forget launches instead.
 * Below sm_90 and with this macro (SIMTCHECK_CDP1), CUDA 12 has device-side waiting. */
#if CUDART_VERSION >= 12000 && !defined(CUDA_FORCE_CDP1_IF_SUPPORTED)
#define HAVE_TAIL_LAUNCH
#else
#define HAVE_DEVICE_WAIT
#endif

/* The simulator has both. In PTX, a wait is a call of a function that nvcc knows by this name. */
#if defined(SIMT_SIMULATED) && !defined(HAVE_DEVICE_WAIT)
#define HAVE_DEVICE_WAIT
#ifndef __clang__
#define cudaDeviceSynchronize __cudaDeviceSynchronizeDeprecationAvoidance
#endif
#endif

/* The simulator counts launches itself. */
#if defined(SIMT_SIMULATED) && defined(__clang__) /* src/device/clang/launch.h */
#define LAUNCH(kernel, ...) simt_launcher<decltype(&kernel), &kernel>(__VA_ARGS__)
#elif defined(SIMT_SIMULATED)
#define LAUNCH(kernel, ...) kernel<<<__VA_ARGS__>>>

/* Kernels that launch are compiled as relocatable device code. src/engine/cuda/launches.cu defines
 * this variable. */
#elif defined(__CUDACC_RDC__)
extern __device__ struct simt_launch_count simt_launches;

template <typename... Parameters>
struct simt_launcher {
    void (*kernel)(Parameters...);
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;

    __device__ void operator()(Parameters... parameters) const
    {
        if (simt_launches.most != 0 && simt_launches.children >= simt_launches.most) {
            atomicAdd(&simt_launches.failed, 1u);
            return;
        }
        kernel<<<grid, block, shared_bytes, stream>>>(parameters...);
        cudaError_t error = cudaPeekAtLastError();
        if (error == cudaSuccess) {
            atomicAdd(&simt_launches.children, 1u);
            atomicAdd(&simt_launches.blocks, 1ull * grid.x * grid.y * grid.z);
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

/* Adds the kernel to the table that simt_kernel_find() reads. The table is a section of pointers,
 * because the compiler may pad larger objects. */
#define EXPORT_KERNEL(name) EXPORT_KERNEL_AS(name, name)

/* The same for an instance of a template: EXPORT_KERNEL_AS(sumOfTwo, sum<int, 2>). */
#if defined(SIMT_SIMULATED) && defined(__CUDA_ARCH__)
#define EXPORT_KERNEL_AS(name, ...)                                                                \
    extern "C" {                                                                                   \
    __device__ __attribute__((used)) const void *simt_entry_##name = (const void *)(__VA_ARGS__);  \
    }
#else
#define EXPORT_KERNEL_AS(name, ...)                                                                \
    static const struct simt_kernel simt_export_##name = {#name, (const void *)(__VA_ARGS__)};       \
    __attribute__((section("simt_kernels"),                                                        \
                   used)) static const struct simt_kernel *const simt_exported_##name =            \
        &simt_export_##name
#endif

#endif
