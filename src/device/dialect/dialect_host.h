/* SPDX-License-Identifier: MIT
 *
 * CUDA C as a host compiler takes it, as far as kernels of the catalogue and kernels of anybody's
 * have it in common: dialect.h and cuda_source.h give it the names that CUDA has.
 */
#ifndef SIMTCHECK_KERNELS_DIALECT_HOST_H
#define SIMTCHECK_KERNELS_DIALECT_HOST_H

#include <simtcheck/simt.h>

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

typedef struct extent uint3;

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    constexpr dim3(uint3 extent) : x(extent.x), y(extent.y), z(extent.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

#include "source/vectors.h"

typedef struct simt_stream_handle *cudaStream_t;
#define cudaStreamTailLaunch ((cudaStream_t)SIMT_STREAM_TAIL)
#define cudaStreamFireAndForget ((cudaStream_t)SIMT_STREAM_FIRE_AND_FORGET)

/* ---- Atomics: the engine is told, then the access is made ---- */

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
__attribute__((no_sanitize("thread"))) Value
simt_shuffle(const simt_site *site, enum simt_collective how, unsigned int mask, Value value,
             int lane, int width)
{
    int own = static_cast<int>(simt_lane()) % width, first = static_cast<int>(simt_lane()) - own;
    int from = lane >= 0 && lane < width ? lane : own;
    uint64_t bits =
        simt_collective(site, how, mask, simt_bits(value), static_cast<unsigned int>(first + from));
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename Value>
Value simt_shuffle_any(const simt_site *site, unsigned int mask, Value value, int lane,
                       int width = 32)
{
    return simt_shuffle(site, SIMT_SHUFFLE_idx, mask, value, lane & (width - 1), width);
}

template <typename Value>
Value simt_shuffle_up(const simt_site *site, unsigned int mask, Value value, unsigned int delta,
                      int width = 32)
{
    return simt_shuffle(site, SIMT_SHUFFLE_up, mask, value,
                        static_cast<int>(simt_lane()) % width - static_cast<int>(delta), width);
}

template <typename Value>
Value simt_shuffle_down(const simt_site *site, unsigned int mask, Value value, unsigned int delta,
                        int width = 32)
{
    return simt_shuffle(site, SIMT_SHUFFLE_down, mask, value,
                        static_cast<int>(simt_lane()) % width + static_cast<int>(delta), width);
}

template <typename Value>
__attribute__((no_sanitize("thread"))) Value
simt_shuffle_xor(const simt_site *site, unsigned int mask, Value value, int bits, int width = 32)
{
    int own = static_cast<int>(simt_lane()), from = own ^ bits;
    uint64_t taken =
        simt_collective(site, SIMT_SHUFFLE_bfly, mask, simt_bits(value),
                        static_cast<unsigned int>(
                            from <= (own | (width - 1)) ? from : own)); /* earlier segments too */
    __builtin_memcpy(&value, &taken, sizeof value);
    return value;
}

__attribute__((no_sanitize("thread"))) inline unsigned int
simt_vote(const simt_site *site, enum simt_collective how, unsigned int mask, bool vote)
{
    return static_cast<unsigned int>(simt_collective(site, how, mask, vote, 0));
}

template <typename Value>
__attribute__((no_sanitize("thread"))) unsigned int
simt_match(const simt_site *site, enum simt_collective how, unsigned int mask, Value value)
{
    return static_cast<unsigned int>(simt_collective(site, how, mask, simt_bits(value), 0));
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

/* Copies and fills, the compiler's own of structs included, are calls of the engine's. */
__asm__(".set memcpy, simt_memcpy\n"
        ".set memmove, simt_memmove\n"
        ".set memset, simt_memset\n");
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset

#endif
