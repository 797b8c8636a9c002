/* SPDX-License-Identifier: MIT
 *
 * Cooperation of the threads of a block and the lanes of a warp: CUDA C++ Programming Guide,
 * synchronization functions, warp vote, match, reduce and shuffle functions.
 */
#ifndef SIMTCHECK_CLANG_LANES_H
#define SIMTCHECK_CLANG_LANES_H

/* ---- Barriers ---- */

/* clang has a builtin of this name, but clang 14 moves loads from shared variables across it. Its
 * analysis of global variables does not know that other threads write them at a barrier. It assumes
 * nothing about an asm statement. This is a macro because a builtin cannot be redefined. */
#define __syncthreads() simt_syncthreads()

SIMT_ON_DEVICE void simt_syncthreads()
{
    __asm__ volatile("bar.sync 0;" ::: "memory");
}

/* A toolkit's cooperative groups call it with 0. */
SIMT_ON_DEVICE void __barrier_sync(unsigned int barrier)
{
    __asm__ volatile("barrier.sync %0;" ::"r"(barrier) : "memory");
}

SIMT_ON_DEVICE int __syncthreads_count(int vote)
{
    int result;
    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                     : "=r"(result)
                     : "r"(vote)
                     : "memory");
    return result;
}

#define SIMT_BARRIER_VOTE(name, operation)                                                         \
    SIMT_ON_DEVICE int name(int vote)                                                              \
    {                                                                                              \
        int result;                                                                                \
        __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." operation             \
                         ".pred q, 0, p; selp.s32 %0, 1, 0, q; }"                                  \
                         : "=r"(result)                                                            \
                         : "r"(vote)                                                               \
                         : "memory");                                                              \
        return result;                                                                             \
    }
SIMT_BARRIER_VOTE(__syncthreads_and, "and")
SIMT_BARRIER_VOTE(__syncthreads_or, "or")
#undef SIMT_BARRIER_VOTE

SIMT_ON_DEVICE void __syncwarp(unsigned int mask = 0xffffffff)
{
    __asm__ volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

/* ---- Votes and matches ---- */

SIMT_ON_DEVICE unsigned int __activemask()
{
    unsigned int result;
    __asm__ volatile("activemask.b32 %0;" : "=r"(result));
    return result;
}

SIMT_ON_DEVICE unsigned int __ballot_sync(unsigned int mask, int vote)
{
    unsigned int result;
    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                     : "=r"(result)
                     : "r"(vote), "r"(mask)
                     : "memory");
    return result;
}

#define SIMT_VOTE(name, operation)                                                                 \
    SIMT_ON_DEVICE int name(unsigned int mask, int vote)                                           \
    {                                                                                              \
        int result;                                                                                \
        __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." operation           \
                         ".pred q, p, %2; selp.s32 %0, 1, 0, q; }"                                 \
                         : "=r"(result)                                                            \
                         : "r"(vote), "r"(mask)                                                    \
                         : "memory");                                                              \
        return result;                                                                             \
    }
SIMT_VOTE(__all_sync, "all")
SIMT_VOTE(__any_sync, "any")
SIMT_VOTE(__uni_sync, "uni")
#undef SIMT_VOTE

#define SIMT_MATCH(type, bits, letter)                                                             \
    SIMT_ON_DEVICE unsigned int __match_any_sync(unsigned int mask, type value)                    \
    {                                                                                              \
        unsigned int result;                                                                       \
        __asm__ volatile("match.any.sync." bits " %0, %1, %2;"                                     \
                         : "=r"(result)                                                            \
                         : letter(value), "r"(mask)                                                \
                         : "memory");                                                              \
        return result;                                                                             \
    }                                                                                              \
    SIMT_ON_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *same)         \
    {                                                                                              \
        unsigned int result;                                                                       \
        int is_same;                                                                               \
        __asm__ volatile("{ .reg .pred p; match.all.sync." bits                                    \
                         " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"                                  \
                         : "=r"(result), "=r"(is_same)                                             \
                         : letter(value), "r"(mask)                                                \
                         : "memory");                                                              \
        *same = is_same;                                                                           \
        return result;                                                                             \
    }
SIMT_MATCH(int, "b32", "r")
SIMT_MATCH(unsigned int, "b32", "r")
SIMT_MATCH(float, "b32", "f")
SIMT_MATCH(long, "b64", "l")
SIMT_MATCH(unsigned long, "b64", "l")
SIMT_MATCH(long long, "b64", "l")
SIMT_MATCH(unsigned long long, "b64", "l")
SIMT_MATCH(double, "b64", "d")
#undef SIMT_MATCH

#define SIMT_REDUCE(type, name, instruction)                                                       \
    SIMT_ON_DEVICE type name(unsigned int mask, type value)                                        \
    {                                                                                              \
        type result;                                                                               \
        __asm__ volatile("redux.sync." instruction " %0, %1, %2;"                                  \
                         : "=r"(result)                                                            \
                         : "r"(value), "r"(mask)                                                   \
                         : "memory");                                                              \
        return result;                                                                             \
    }
SIMT_REDUCE(int, __reduce_add_sync, "add.s32")
SIMT_REDUCE(unsigned int, __reduce_add_sync, "add.u32")
SIMT_REDUCE(int, __reduce_min_sync, "min.s32")
SIMT_REDUCE(unsigned int, __reduce_min_sync, "min.u32")
SIMT_REDUCE(int, __reduce_max_sync, "max.s32")
SIMT_REDUCE(unsigned int, __reduce_max_sync, "max.u32")
SIMT_REDUCE(unsigned int, __reduce_and_sync, "and.b32")
SIMT_REDUCE(unsigned int, __reduce_or_sync, "or.b32")
SIMT_REDUCE(unsigned int, __reduce_xor_sync, "xor.b32")
#undef SIMT_REDUCE

/* ---- Shuffles ---- */

/* The last operand of the instruction. For a segment of `width` lanes, bits 8 to 12 are its mask.
 * Bits 0 to 4 are the last lane, or the first lane for shuffles up. */
#define SIMT_SHUFFLE_WORD(name, mode, from, last)                                                  \
    SIMT_ON_DEVICE unsigned int name##_word(unsigned int mask, unsigned int value, from source,    \
                                            int width)                                             \
    {                                                                                              \
        unsigned int result, segment = static_cast<unsigned int>(32 - width) << 8 | last;          \
        __asm__ volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                              \
                         : "=r"(result)                                                            \
                         : "r"(value), "r"(source), "r"(segment), "r"(mask)                        \
                         : "memory");                                                              \
        return result;                                                                             \
    }
#define SIMT_SHUFFLE_4(name, type, from)                                                           \
    SIMT_ON_DEVICE type name(unsigned int mask, type value, from source, int width = 32)           \
    {                                                                                              \
        return __builtin_bit_cast(                                                                 \
            type, name##_word(mask, __builtin_bit_cast(unsigned int, value), source, width));      \
    }
/* A shuffle of 8 bytes: two words. */
#define SIMT_SHUFFLE_8(name, type, from)                                                           \
    SIMT_ON_DEVICE type name(unsigned int mask, type value, from source, int width = 32)           \
    {                                                                                              \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                   \
        unsigned long long low =                                                                   \
            name##_word(mask, static_cast<unsigned int>(bits), source, width);                     \
        unsigned long long high =                                                                  \
            name##_word(mask, static_cast<unsigned int>(bits >> 32), source, width);               \
        return __builtin_bit_cast(type, high << 32 | low);                                         \
    }
#define SIMT_SHUFFLE(name, mode, from, last)                                                       \
    SIMT_SHUFFLE_WORD(name, mode, from, last)                                                      \
    SIMT_SHUFFLE_4(name, int, from)                                                                \
    SIMT_SHUFFLE_4(name, unsigned int, from)                                                       \
    SIMT_SHUFFLE_8(name, long, from)                                                               \
    SIMT_SHUFFLE_8(name, unsigned long, from)                                                      \
    SIMT_SHUFFLE_8(name, long long, from)                                                          \
    SIMT_SHUFFLE_8(name, unsigned long long, from)                                                 \
    SIMT_SHUFFLE_4(name, float, from)                                                              \
    SIMT_SHUFFLE_8(name, double, from)

SIMT_SHUFFLE(__shfl_sync, "idx", int, 31)
SIMT_SHUFFLE(__shfl_up_sync, "up", unsigned int, 0)
SIMT_SHUFFLE(__shfl_down_sync, "down", unsigned int, 31)
SIMT_SHUFFLE(__shfl_xor_sync, "bfly", int, 31)
#undef SIMT_SHUFFLE
#undef SIMT_SHUFFLE_4
#undef SIMT_SHUFFLE_8
#undef SIMT_SHUFFLE_WORD

/* ---- Time ---- */

SIMT_ON_DEVICE clock_t clock()
{
    int result;
    __asm__ volatile("mov.u32 %0, %%clock;" : "=r"(result)::"memory");
    return result;
}

SIMT_ON_DEVICE long long clock64()
{
    long long result;
    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(result)::"memory");
    return result;
}

SIMT_ON_DEVICE void __nanosleep(unsigned int nanoseconds)
{
    __asm__ volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}

#endif
