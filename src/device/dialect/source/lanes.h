/* SPDX-License-Identifier: MIT
 *
 * What threads do together: barriers, votes, shuffles, fences and atomics. Those of simt_cuda are
 * called with the place of the call in front (src/device/cuda_words.c).
 */
#ifndef SIMTCHECK_KERNELS_SOURCE_LANES_H
#define SIMTCHECK_KERNELS_SOURCE_LANES_H

namespace simt_cuda
{

/* ---- Coordinates ---- */

inline dim3 block_extent()
{
    return dim3(simt_block_extent());
}

inline dim3 grid_extent()
{
    return dim3(simt_grid_extent());
}

/* ---- Barriers of a block ---- */

inline void syncthreads(const simt_site *site, const char *function = __builtin_FUNCTION())
{
    simt_syncthreads(site, function);
}

inline int syncthreads_count(const simt_site *site, int vote)
{
    return static_cast<int>(simt_count_votes(site, vote != 0));
}

inline int syncthreads_or(const simt_site *site, int vote)
{
    return simt_count_votes(site, vote != 0) != 0;
}

inline int syncthreads_and(const simt_site *site, int vote)
{
    return simt_count_votes(site, vote == 0) == 0;
}

/* ---- Lanes of a warp ---- */

inline void syncwarp(const simt_site *site, unsigned int mask = 0xffffffff)
{
    simt_collective(site, SIMT_SYNC, mask, 0, 0);
}

template <typename Value>
inline Value shfl_sync(const simt_site *site, unsigned int mask, Value value, int lane,
                       int width = 32)
{
    return simt_shuffle_any(site, mask, value, lane, width);
}

template <typename Value>
inline Value shfl_up_sync(const simt_site *site, unsigned int mask, Value value, unsigned int delta,
                          int width = 32)
{
    return simt_shuffle_up(site, mask, value, delta, width);
}

template <typename Value>
inline Value shfl_down_sync(const simt_site *site, unsigned int mask, Value value,
                            unsigned int delta, int width = 32)
{
    return simt_shuffle_down(site, mask, value, delta, width);
}

template <typename Value>
inline Value shfl_xor_sync(const simt_site *site, unsigned int mask, Value value, int bits,
                           int width = 32)
{
    return simt_shuffle_xor(site, mask, value, bits, width);
}

inline unsigned int ballot_sync(const simt_site *site, unsigned int mask, int vote)
{
    return simt_vote(site, SIMT_VOTE_ballot, mask, vote != 0);
}

inline int any_sync(const simt_site *site, unsigned int mask, int vote)
{
    return simt_vote(site, SIMT_VOTE_any, mask, vote != 0) != 0;
}

inline int all_sync(const simt_site *site, unsigned int mask, int vote)
{
    return simt_vote(site, SIMT_VOTE_all, mask, vote != 0) != 0;
}

template <typename Value>
inline unsigned int match_any_sync(const simt_site *site, unsigned int mask, Value value)
{
    return simt_match(site, SIMT_MATCH_any, mask, value);
}

template <typename Value>
inline unsigned int match_all_sync(const simt_site *site, unsigned int mask, Value value,
                                   int *all_have_it)
{
    unsigned int equal = simt_match(site, SIMT_MATCH_all, mask, value);

    *all_have_it = equal != 0;
    return equal;
}

inline unsigned int reduced(const simt_site *site, unsigned int mask, unsigned int value,
                            simt_reduce how)
{
    return static_cast<unsigned int>(simt_collective(site, SIMT_REDUCE, mask, value, how));
}

#define SIMT_SIGNED_REDUCTION(name)                                                                \
    inline unsigned int reduce_##name##_sync(const simt_site *site, unsigned int mask,             \
                                             unsigned int value)                                   \
    {                                                                                              \
        return reduced(site, mask, value, SIMT_REDUCE_##name);                                     \
    }                                                                                              \
    inline int reduce_##name##_sync(const simt_site *site, unsigned int mask, int value)           \
    {                                                                                              \
        return static_cast<int>(                                                                   \
            reduced(site, mask, static_cast<unsigned int>(value), SIMT_REDUCE_##name##_s));        \
    }
#define SIMT_REDUCTION(name)                                                                       \
    inline unsigned int reduce_##name##_sync(const simt_site *site, unsigned int mask,             \
                                             unsigned int value)                                   \
    {                                                                                              \
        return reduced(site, mask, value, SIMT_REDUCE_##name);                                     \
    }

SIMT_SIGNED_REDUCTION(add)
SIMT_SIGNED_REDUCTION(min)
SIMT_SIGNED_REDUCTION(max)
SIMT_REDUCTION(and)
SIMT_REDUCTION(or)
SIMT_REDUCTION(xor)
#undef SIMT_SIGNED_REDUCTION
#undef SIMT_REDUCTION

/* ---- Words of the C library that mean another thing in a kernel ---- */

template <typename... Values>
inline int print(const simt_site *site, const char *format, Values... values)
{
    return simt_printf(site, format, values...);
}

inline void assertion_failed(const simt_site *site, const char *assertion, const char *,
                             unsigned int, const char *)
{
    simt_assertion_failed(site, assertion);
}

inline void trap(const simt_site *site)
{
    simt_trapped(site);
}

inline clock_t clock()
{
    return static_cast<clock_t>(simt_ticks());
}

/* ---- Nested launches: kernel ->* launch(...)(arguments) ---- */

template <typename... Arguments>
struct launched {
    const simt_site *site;
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    std::tuple<Arguments...> arguments;
};

struct launch {
    const simt_site *site;
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;

    launch(const simt_site *site_, dim3 grid_, dim3 block_, size_t shared_bytes_ = 0,
           cudaStream_t stream_ = nullptr)
        : site(site_), grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_)
    {
    }

    template <typename... Arguments>
    launched<Arguments...> operator()(Arguments... arguments) const
    {
        return {site, grid, block, shared_bytes, stream, std::tuple<Arguments...>(arguments...)};
    }
};

template <typename... Parameters, typename... Arguments>
inline void operator->*(void (*kernel)(Parameters...), const launched<Arguments...> &child)
{
    std::apply(
        [&](auto... arguments) {
            simt_launcher_of(child.site, kernel, child.grid, child.block, child.shared_bytes,
                             child.stream)(arguments...);
        },
        child.arguments);
}

} // namespace simt_cuda

/* Its own lane, and no other that it could rely on: which of them go together is nowhere said. */
static inline unsigned int __activemask()
{
    return 1u << simt_lane();
}

static inline long long clock64()
{
    return static_cast<long long>(simt_ticks());
}

static inline void __nanosleep(unsigned int)
{
}

static inline void __threadfence_block()
{
    simt_fence(SIMT_BLOCK);
}

static inline void __threadfence()
{
    simt_fence(SIMT_DEVICE);
}

static inline void __threadfence_system()
{
    simt_fence(SIMT_SYSTEM);
}

/* ---- Loads by the cache: references, so that the load is where the call is ---- */

#define SIMT_LOAD(name)                                                                            \
    template <typename Value>                                                                      \
    static inline const Value &name(const Value *address)                                          \
    {                                                                                              \
        return *address;                                                                           \
    }

SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldlu)
SIMT_LOAD(__ldcv)
#undef SIMT_LOAD

/* ---- Atomics: a function of a kernel's own of such a name comes before these ---- */

#define SIMT_ATOMIC_SCOPED(name, operation, scope, takes)                                          \
    template <typename Word>                                                                       \
    __attribute__((always_inline)) inline Word name(                                               \
        Word *address, typename simt_as<Word>::type value, const char *file = __builtin_FILE(),    \
        int line = __builtin_LINE())                                                               \
    {                                                                                              \
        static_assert(takes<Word>, #name " of such a type is not there");                          \
        return simt_atomic_##operation(simt_site_at(file, line), scope, address, value);           \
    }
#define SIMT_ATOMICS(name, operation, takes)                                                       \
    SIMT_ATOMIC_SCOPED(name, operation, SIMT_DEVICE, takes)                                        \
    SIMT_ATOMIC_SCOPED(name##_block, operation, SIMT_BLOCK, takes)                                 \
    SIMT_ATOMIC_SCOPED(name##_system, operation, SIMT_SYSTEM, takes)
#define SIMT_CAS_SCOPED(name, scope)                                                               \
    template <typename Word>                                                                       \
    __attribute__((always_inline)) inline Word name(                                               \
        Word *address, typename simt_as<Word>::type compared, typename simt_as<Word>::type value,  \
        const char *file = __builtin_FILE(), int line = __builtin_LINE())                          \
    {                                                                                              \
        return simt_atomic_cas(simt_site_at(file, line), scope, address, compared, value);         \
    }

SIMT_ATOMICS(atomicAdd, add, std::is_arithmetic_v)
SIMT_ATOMICS(atomicSub, sub, std::is_integral_v)
SIMT_ATOMICS(atomicExch, exch, std::is_arithmetic_v)
SIMT_ATOMICS(atomicMin, min, std::is_integral_v)
SIMT_ATOMICS(atomicMax, max, std::is_integral_v)
SIMT_ATOMICS(atomicInc, inc, std::is_integral_v)
SIMT_ATOMICS(atomicDec, dec, std::is_integral_v)
SIMT_ATOMICS(atomicAnd, and, std::is_integral_v)
SIMT_ATOMICS(atomicOr, or, std::is_integral_v)
SIMT_ATOMICS(atomicXor, xor, std::is_integral_v)
SIMT_CAS_SCOPED(atomicCAS, SIMT_DEVICE)
SIMT_CAS_SCOPED(atomicCAS_block, SIMT_BLOCK)
SIMT_CAS_SCOPED(atomicCAS_system, SIMT_SYSTEM)
#undef SIMT_ATOMIC_SCOPED
#undef SIMT_ATOMICS
#undef SIMT_CAS_SCOPED

#endif
