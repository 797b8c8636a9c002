/* SPDX-License-Identifier: MIT
 *
 * What a kernel file includes, and the only thing it includes.
 *
 * Under nvcc this header adds two macros to CUDA C. Under a host compiler it also supplies the
 * CUDA C that the kernels use, so that the same file becomes host code: one call of the kernel
 * function is one GPU thread, run by engine/host/. What such code needs from whoever runs it stands
 * in simt.h.
 *
 * A kernel file may use: threadIdx, blockIdx, blockDim, gridDim, warpSize, __syncthreads(),
 * __syncwarp(), __shared__, volatile, templates, shuffles, votes and matches of a warp, fences,
 * atomics of 32 and 64 bits, each also _block and _system, and
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

#ifdef __CUDACC__

#include <cstdio>

#define LANE() simt_device_lane()

static __device__ inline unsigned int simt_device_lane()
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

/* What is translated for the host engine is counted there. */
#ifdef SIMT_TRANSLATED
#define LAUNCH(kernel, ...) kernel<<<__VA_ARGS__>>>

/* Kernels that launch are compiled as relocatable device code; engine/cuda/launches.cu has this. */
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

#if defined(__has_feature)
#define SIMT_INSTRUMENTED __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define SIMT_INSTRUMENTED 1
#else
#define SIMT_INSTRUMENTED 0
#endif
#if !SIMT_INSTRUMENTED
#error "a kernel as host code is compiled with -fsanitize=thread, or no access of it is checked"
#endif

#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline

/* Shared memory is the executable's thread-local storage: `thread_local` is the one storage class
 * that may stand at block scope and behind `extern` alike, and the linker lays all such objects
 * out in one segment, which the engine can bound, name, clear and swap for each block. `used`: the
 * compiler cannot know what it holds, nor that nobody reads it. */
#define __shared__ __attribute__((used)) thread_local

typedef struct extent uint3;

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
};

typedef struct simt_stream_handle *cudaStream_t;
#define cudaStreamTailLaunch ((cudaStream_t)SIMT_STREAM_TAIL)
#define cudaStreamFireAndForget ((cudaStream_t)SIMT_STREAM_FIRE_AND_FORGET)
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

/* ---- Atomics: the engine is told, then the access is made ---- */

#define __threadfence_block() simt_fence(SIMT_BLOCK)
#define __threadfence() simt_fence(SIMT_DEVICE)
#define __threadfence_system() simt_fence(SIMT_SYSTEM)

/* The type of the address alone decides, as in CUDA. */
template <typename Type>
struct simt_as {
    typedef Type type;
};

/* `other` is the new value of a compare-and-swap. */
#define SIMT_ATOMIC(name, result)                                                                  \
    template <typename Word>                                                                       \
    __attribute__((no_sanitize("thread"), noinline))                                               \
    Word simt_update_##name(Word *address, Word value, Word other)                                 \
    {                                                                                              \
        const Word before = *address;                                                              \
        (void)other;                                                                               \
        *address = static_cast<Word>(result);                                                      \
        return before;                                                                             \
    }                                                                                              \
    template <typename Word>                                                                       \
    __attribute__((always_inline)) inline Word simt_atomic_##name(                                 \
        const simt_site *site, simt_scope scope, Word *address,                                    \
        typename simt_as<Word>::type value, typename simt_as<Word>::type other = Word())           \
    {                                                                                              \
        simt_atomic(site, address, sizeof *address, scope);                                        \
        return simt_update_##name(address, value, other);                                          \
    }

SIMT_ATOMIC(add, before + value)
SIMT_ATOMIC(sub, before - value)
SIMT_ATOMIC(exch, value)
SIMT_ATOMIC(min, value < before ? value : before)
SIMT_ATOMIC(max, value > before ? value : before)
SIMT_ATOMIC(inc, before >= value ? 0 : before + 1)
SIMT_ATOMIC(dec, before == 0 || before > value ? value : before - 1)
SIMT_ATOMIC(and, before &value)
SIMT_ATOMIC(or, before | value)
SIMT_ATOMIC(xor, before ^ value)
SIMT_ATOMIC(cas, before == value ? other : before)
#undef SIMT_ATOMIC

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

/* ---- What the lanes of a warp do together ---- */

struct simt_warp_barrier {
    const simt_site *site;

    __attribute__((no_sanitize("thread"))) void operator()(unsigned int mask = 0xffffffff) const
    {
        simt_collective(site, SIMT_SYNC, mask, 0, 0);
    }
};

template <typename Value>
__attribute__((no_sanitize("thread"))) uint64_t simt_bits(Value value)
{
    uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits, "a lane hands on 32 or 64 bits");
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

/* `lane` is the source lane in the segment of `width` lanes; outside it, a lane keeps its own. */
template <typename Value>
__attribute__((no_sanitize("thread"))) Value simt_shuffle(const simt_site *site, unsigned int mask,
                                                          Value value, int lane, int width)
{
    int own = static_cast<int>(simt_lane()) % width, first = static_cast<int>(simt_lane()) - own;
    int from = lane >= 0 && lane < width ? lane : own;
    uint64_t bits = simt_collective(site, SIMT_SHUFFLE, mask, simt_bits(value),
                                    static_cast<unsigned int>(first + from));
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename Value>
Value simt_shuffle_any(const simt_site *site, unsigned int mask, Value value, int lane,
                       int width = 32)
{
    return simt_shuffle(site, mask, value, lane & (width - 1), width);
}

template <typename Value>
Value simt_shuffle_up(const simt_site *site, unsigned int mask, Value value, unsigned int delta,
                      int width = 32)
{
    return simt_shuffle(site, mask, value,
                        static_cast<int>(simt_lane()) % width - static_cast<int>(delta), width);
}

template <typename Value>
Value simt_shuffle_down(const simt_site *site, unsigned int mask, Value value, unsigned int delta,
                        int width = 32)
{
    return simt_shuffle(site, mask, value,
                        static_cast<int>(simt_lane()) % width + static_cast<int>(delta), width);
}

template <typename Value>
__attribute__((no_sanitize("thread"))) Value
simt_shuffle_xor(const simt_site *site, unsigned int mask, Value value, int bits, int width = 32)
{
    int own = static_cast<int>(simt_lane()), from = own ^ bits;
    uint64_t taken =
        simt_collective(site, SIMT_SHUFFLE, mask, simt_bits(value),
                        static_cast<unsigned int>(
                            from <= (own | (width - 1)) ? from : own)); /* earlier segments too */
    __builtin_memcpy(&value, &taken, sizeof value);
    return value;
}

__attribute__((no_sanitize("thread"))) inline unsigned int simt_ballot(const simt_site *site,
                                                                       unsigned int mask, bool vote)
{
    return static_cast<unsigned int>(simt_collective(site, SIMT_BALLOT, mask, vote, 0));
}

template <typename Value>
__attribute__((no_sanitize("thread"))) unsigned int simt_match(const simt_site *site,
                                                               unsigned int mask, Value value)
{
    return static_cast<unsigned int>(simt_collective(site, SIMT_MATCH, mask, simt_bits(value), 0));
}

#define __syncwarp                                                                                 \
    simt_warp_barrier                                                                              \
    {                                                                                              \
        SIMT_HERE()                                                                                \
    }
#define __shfl_sync(...) simt_shuffle_any(SIMT_HERE(), __VA_ARGS__)
#define __shfl_up_sync(...) simt_shuffle_up(SIMT_HERE(), __VA_ARGS__)
#define __shfl_down_sync(...) simt_shuffle_down(SIMT_HERE(), __VA_ARGS__)
#define __shfl_xor_sync(...) simt_shuffle_xor(SIMT_HERE(), __VA_ARGS__)
#define __ballot_sync(mask, vote) simt_ballot(SIMT_HERE(), mask, (vote) != 0)
#define __any_sync(mask, vote) (simt_ballot(SIMT_HERE(), mask, (vote) != 0) != 0)
#define __all_sync(mask, vote) (simt_ballot(SIMT_HERE(), mask, (vote) == 0) == 0)
#define __match_any_sync(mask, value) simt_match(SIMT_HERE(), mask, value)

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
        const extent blocks = {grid.x, grid.y, grid.z}, threads = {block.x, block.y, block.z};
        simt_launch(site, reinterpret_cast<void (*)(void)>(kernel),
                    simt_signature<Parameters...>::invoke, &blocks, &threads, shared_bytes,
                    static_cast<simt_stream>(reinterpret_cast<uintptr_t>(stream)), arguments, sizes,
                    sizeof...(Parameters));
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
#define SIMT_ENTRY(kernel)                                                                         \
    reinterpret_cast<const void *>(kernel), simt_invoke_of(kernel), simt_probe

static inline void simt_probe(int *word)
{
    *word = 1;
}

/* Copies and fills, the compiler's own of structs included, are calls of the engine's. */
__asm__(".set memcpy, simt_memcpy\n"
        ".set memmove, simt_memmove\n"
        ".set memset, simt_memset\n");
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset

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
