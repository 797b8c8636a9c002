/* SPDX-License-Identifier: MIT
 *
 * What a kernel file includes, and the only thing it includes.
 *
 * Under nvcc this header adds two macros to CUDA C. Under a host compiler it also supplies the
 * CUDA C that the kernels use, so that the same file becomes host code: one call of the kernel
 * function is one GPU thread, run by src/engine/sim/. What such code needs from whoever runs it
 * stands in simt.h.
 *
 * A kernel file may use: threadIdx, blockIdx, blockDim, gridDim, warpSize, __syncthreads(),
 * __syncwarp(), __shared__, volatile, templates, vector types such as int4, shuffles, votes and
 * matches of a warp, fences, atomics of 32 and 64 bits, each also _block and _system, and
 *
 *     EXPORT_KERNEL(name)                        make the kernel callable under its name
 *     EXPORT_KERNEL_AS(name, template<int>)      likewise an instance of a template
 *     LAUNCH(kernel, grid, block)(arguments);    a nested launch: kernel<<<grid, block>>>(...)
 *     LAUNCH(kernel, grid, block, shared_bytes, stream)(arguments);
 *     LANE()                                     the thread's lane, as the machine has it
 *
 * besides cudaGetLastError() after a launch, and, where HAVE_DEVICE_WAIT or
 * HAVE_TAIL_LAUNCH is defined, cudaDeviceSynchronize() or cudaStreamTailLaunch and
 * cudaStreamFireAndForget. A nested launch is counted, and one that fails is a fault of its case.
 */
#ifndef SIMTCHECK_KERNELS_DIALECT_H
#define SIMTCHECK_KERNELS_DIALECT_H

#include "simt.h"

#if defined(SIMT_SOURCE) /* the file is compiled as anybody's: cuda_source.h has all of CUDA C */

#define HAVE_TAIL_LAUNCH
#define HAVE_DEVICE_WAIT
#define LANE() simt_lane()
#define LAUNCH(kernel, ...) kernel<<<__VA_ARGS__>>>
#define SIMT_ENTRY(kernel) reinterpret_cast<const void *>(kernel), simt_invoke_of(kernel)

#elif defined(__CUDACC__)

#include <cstdio>

#define LANE() simt_device_lane()

static __device__ inline unsigned int simt_device_lane()
{
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* CUDA 11 has device-side waiting. CUDA 12 has tail launches and fire-and-forget instead, or, below
 * sm_90 and with this macro (SIMTCHECK_CDP1), device-side waiting. */
#if CUDART_VERSION >= 12000 && !defined(CUDA_FORCE_CDP1_IF_SUPPORTED)
#define HAVE_TAIL_LAUNCH
#else
#define HAVE_DEVICE_WAIT
#endif

/* What is translated for the host engine is counted there. */
#if defined(SIMT_TRANSLATED) && defined(__clang__) /* src/device/clang/launch.h */
#define LAUNCH(kernel, ...) simt_launcher<decltype(&kernel), &kernel>(__VA_ARGS__)
#elif defined(SIMT_TRANSLATED)
#define LAUNCH(kernel, ...) kernel<<<__VA_ARGS__>>>

/* Kernels that launch are compiled as relocatable device code; src/engine/cuda/launches.cu has
 * this. */
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

#define SIMT_ENTRY(kernel) ((const void *)(kernel)), nullptr, nullptr

#else /* host compiler */

#include "dialect_host.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline

/* Shared memory is the executable's thread-local storage: `thread_local` is the one storage class
 * that may stand at block scope and behind `extern` alike, and the linker lays all such objects
 * out in one segment, which the engine can bound, name, clear and swap for each block. `used`: the
 * compiler cannot know what it holds, nor that nobody reads it. */
#define __shared__ __attribute__((used)) thread_local

#define HAVE_TAIL_LAUNCH
#define HAVE_DEVICE_WAIT

#define threadIdx simt_thread_index()
#define blockIdx simt_block_index()
#define blockDim simt_block_extent()
#define gridDim simt_grid_extent()
#define warpSize 32
#define LANE() simt_lane()

/* The place of the macro that uses it. */
#define SIMT_HERE()                                                                                \
    [] {                                                                                           \
        static constexpr simt_site simt_here = {__FILE__, __LINE__, nullptr, 0};                   \
        return &simt_here;                                                                         \
    }()

#define printf(...) simt_printf(SIMT_HERE(), __VA_ARGS__)
#define __syncthreads() simt_syncthreads(SIMT_HERE(), __func__)
#define cudaDeviceSynchronize() simt_device_wait(SIMT_HERE())
#define cudaGetLastError() simt_last_error()

#define __threadfence_block() simt_fence(SIMT_BLOCK)
#define __threadfence() simt_fence(SIMT_DEVICE)
#define __threadfence_system() simt_fence(SIMT_SYSTEM)

#define atomicAdd(...) simt_atomic_add(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicAdd_block(...) simt_atomic_add(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicAdd_system(...) simt_atomic_add(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicSub(...) simt_atomic_sub(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicSub_block(...) simt_atomic_sub(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicSub_system(...) simt_atomic_sub(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicExch(...) simt_atomic_exch(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicExch_block(...) simt_atomic_exch(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicExch_system(...) simt_atomic_exch(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicMin(...) simt_atomic_min(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicMin_block(...) simt_atomic_min(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicMin_system(...) simt_atomic_min(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicMax(...) simt_atomic_max(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicMax_block(...) simt_atomic_max(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicMax_system(...) simt_atomic_max(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicInc(...) simt_atomic_inc(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicInc_block(...) simt_atomic_inc(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicInc_system(...) simt_atomic_inc(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicDec(...) simt_atomic_dec(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicDec_block(...) simt_atomic_dec(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicDec_system(...) simt_atomic_dec(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicAnd(...) simt_atomic_and(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicAnd_block(...) simt_atomic_and(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicAnd_system(...) simt_atomic_and(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicOr(...) simt_atomic_or(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicOr_block(...) simt_atomic_or(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicOr_system(...) simt_atomic_or(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicXor(...) simt_atomic_xor(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicXor_block(...) simt_atomic_xor(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicXor_system(...) simt_atomic_xor(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)
#define atomicCAS(...) simt_atomic_cas(SIMT_HERE(), SIMT_DEVICE, __VA_ARGS__)
#define atomicCAS_block(...) simt_atomic_cas(SIMT_HERE(), SIMT_BLOCK, __VA_ARGS__)
#define atomicCAS_system(...) simt_atomic_cas(SIMT_HERE(), SIMT_SYSTEM, __VA_ARGS__)

#define __syncwarp                                                                                 \
    simt_warp_barrier                                                                              \
    {                                                                                              \
        SIMT_HERE()                                                                                \
    }
#define __shfl_sync(...) simt_shuffle_any(SIMT_HERE(), __VA_ARGS__)
#define __shfl_up_sync(...) simt_shuffle_up(SIMT_HERE(), __VA_ARGS__)
#define __shfl_down_sync(...) simt_shuffle_down(SIMT_HERE(), __VA_ARGS__)
#define __shfl_xor_sync(...) simt_shuffle_xor(SIMT_HERE(), __VA_ARGS__)
#define __ballot_sync(mask, vote) simt_vote(SIMT_HERE(), SIMT_VOTE_ballot, mask, (vote) != 0)
#define __any_sync(mask, vote) (simt_vote(SIMT_HERE(), SIMT_VOTE_any, mask, (vote) != 0) != 0)
#define __all_sync(mask, vote) (simt_vote(SIMT_HERE(), SIMT_VOTE_all, mask, (vote) != 0) != 0)
#define __match_any_sync(mask, value) simt_match(SIMT_HERE(), SIMT_MATCH_any, mask, value)

#define LAUNCH(kernel, ...) simt_launcher_of(SIMT_HERE(), kernel, __VA_ARGS__)
#define SIMT_ENTRY(kernel)                                                                         \
    reinterpret_cast<const void *>(kernel), simt_invoke_of(kernel), simt_probe

static inline void simt_probe(int *word)
{
    *word = 1;
}

/* A thread that has returned is missed at no barrier, one that passes by it is; the ends of both
 * look alike to a compiler, so a `return` says that it is one. */
#define return                                                                                     \
    for (__builtin_is_constant_evaluated() ? (void)0 : simt_return(__func__, __LINE__);;)          \
    return

#endif

/* Enters the kernel in the table that simt_kernel_find() reads: a section of pointers, for the
 * compiler may pad larger objects. */
#define EXPORT_KERNEL(name) EXPORT_KERNEL_AS(name, name)

/* The same for an instance of a template: EXPORT_KERNEL_AS(sumOfTwo, sum<int, 2>). */
#if defined(SIMT_TRANSLATED) && defined(__CUDA_ARCH__)
#define EXPORT_KERNEL_AS(name, ...)                                                                \
    extern "C" {                                                                                   \
    __device__ __attribute__((used)) const void *simt_entry_##name = (const void *)(__VA_ARGS__);  \
    }
#else
#define EXPORT_KERNEL_AS(name, ...)                                                                \
    static const struct simt_kernel simt_export_##name = {#name, SIMT_ENTRY((__VA_ARGS__))};       \
    __attribute__((section("simt_kernels"),                                                        \
                   used)) static const struct simt_kernel *const simt_exported_##name =            \
        &simt_export_##name
#endif

#endif
