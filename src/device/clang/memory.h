/* SPDX-License-Identifier: MIT
 *
 * Atomic functions, loads and stores with cache hints, and fences: CUDA C++ Programming Guide. The
 * atomics are relaxed, as in CUDA. In some versions, clang's builtins for them also become fences.
 */
#ifndef SIMTCHECK_CLANG_MEMORY_H
#define SIMTCHECK_CLANG_MEMORY_H

/* ---- Atomics ---- */

#define SIMT_ATOMIC_SCOPED(type, name, instruction, letter, scope)                                 \
    SIMT_ON_DEVICE type name(type *address, type value)                                            \
    {                                                                                              \
        type old;                                                                                  \
        __asm__ volatile("atom" scope "." instruction " %0, [%1], %2;"                             \
                         : "=" letter(old)                                                         \
                         : "l"(address), letter(value)                                             \
                         : "memory");                                                              \
        return old;                                                                                \
    }
#define SIMT_ATOMIC(type, name, instruction, letter)                                               \
    SIMT_ATOMIC_SCOPED(type, name, instruction, letter, "")                                        \
    SIMT_ATOMIC_SCOPED(type, name##_block, instruction, letter, ".cta")                            \
    SIMT_ATOMIC_SCOPED(type, name##_system, instruction, letter, ".sys")

SIMT_ATOMIC(int, atomicAdd, "add.s32", "r")
SIMT_ATOMIC(unsigned int, atomicAdd, "add.u32", "r")
SIMT_ATOMIC(unsigned long long, atomicAdd, "add.u64", "l")
SIMT_ATOMIC(float, atomicAdd, "add.f32", "f")
SIMT_ATOMIC(double, atomicAdd, "add.f64", "d")
SIMT_ATOMIC(int, atomicExch, "exch.b32", "r")
SIMT_ATOMIC(unsigned int, atomicExch, "exch.b32", "r")
SIMT_ATOMIC(unsigned long long, atomicExch, "exch.b64", "l")
SIMT_ATOMIC(float, atomicExch, "exch.b32", "f")
SIMT_ATOMIC(int, atomicMin, "min.s32", "r")
SIMT_ATOMIC(unsigned int, atomicMin, "min.u32", "r")
SIMT_ATOMIC(long long, atomicMin, "min.s64", "l")
SIMT_ATOMIC(unsigned long long, atomicMin, "min.u64", "l")
SIMT_ATOMIC(int, atomicMax, "max.s32", "r")
SIMT_ATOMIC(unsigned int, atomicMax, "max.u32", "r")
SIMT_ATOMIC(long long, atomicMax, "max.s64", "l")
SIMT_ATOMIC(unsigned long long, atomicMax, "max.u64", "l")
SIMT_ATOMIC(unsigned int, atomicInc, "inc.u32", "r")
SIMT_ATOMIC(unsigned int, atomicDec, "dec.u32", "r")
SIMT_ATOMIC(int, atomicAnd, "and.b32", "r")
SIMT_ATOMIC(unsigned int, atomicAnd, "and.b32", "r")
SIMT_ATOMIC(unsigned long long, atomicAnd, "and.b64", "l")
SIMT_ATOMIC(int, atomicOr, "or.b32", "r")
SIMT_ATOMIC(unsigned int, atomicOr, "or.b32", "r")
SIMT_ATOMIC(unsigned long long, atomicOr, "or.b64", "l")
SIMT_ATOMIC(int, atomicXor, "xor.b32", "r")
SIMT_ATOMIC(unsigned int, atomicXor, "xor.b32", "r")
SIMT_ATOMIC(unsigned long long, atomicXor, "xor.b64", "l")

#define SIMT_SUBTRACT(type, suffix)                                                                \
    SIMT_ON_DEVICE type atomicSub##suffix(type *address, type value)                               \
    {                                                                                              \
        return atomicAdd##suffix(address,                                                          \
                                 static_cast<type>(0u - static_cast<unsigned int>(value)));        \
    }
#define SIMT_SUBTRACTS(type)                                                                       \
    SIMT_SUBTRACT(type, )                                                                          \
    SIMT_SUBTRACT(type, _block)                                                                    \
    SIMT_SUBTRACT(type, _system)
SIMT_SUBTRACTS(int)
SIMT_SUBTRACTS(unsigned int)
#undef SIMT_SUBTRACT
#undef SIMT_SUBTRACTS

#define SIMT_CAS_SCOPED(type, name, bits, letter, scope)                                           \
    SIMT_ON_DEVICE type name(type *address, type compared, type value)                             \
    {                                                                                              \
        type old;                                                                                  \
        __asm__ volatile("atom" scope ".cas." bits " %0, [%1], %2, %3;"                            \
                         : "=" letter(old)                                                         \
                         : "l"(address), letter(compared), letter(value)                           \
                         : "memory");                                                              \
        return old;                                                                                \
    }
#define SIMT_CAS(type, bits, letter)                                                               \
    SIMT_CAS_SCOPED(type, atomicCAS, bits, letter, "")                                             \
    SIMT_CAS_SCOPED(type, atomicCAS_block, bits, letter, ".cta")                                   \
    SIMT_CAS_SCOPED(type, atomicCAS_system, bits, letter, ".sys")
SIMT_CAS(unsigned short, "b16", "h")
SIMT_CAS(int, "b32", "r")
SIMT_CAS(unsigned int, "b32", "r")
SIMT_CAS(unsigned long long, "b64", "l")
#undef SIMT_CAS
#undef SIMT_CAS_SCOPED

/* ---- Loads and stores with cache hints: of numbers, and of vectors of up to 16 bytes ---- */

struct simt_words {
    unsigned int x, y, z, w;
};

#define SIMT_LOAD(name, instruction)                                                               \
    template <typename Type>                                                                       \
    SIMT_ON_DEVICE Type name(const Type *address)                                                  \
    {                                                                                              \
        if constexpr (sizeof(Type) == 1) {                                                         \
            unsigned short word;                                                                   \
            __asm__ volatile(instruction ".u8 %0, [%1];" : "=h"(word) : "l"(address) : "memory");  \
            return __builtin_bit_cast(Type, static_cast<unsigned char>(word));                     \
        } else if constexpr (sizeof(Type) == 2) {                                                  \
            unsigned short word;                                                                   \
            __asm__ volatile(instruction ".u16 %0, [%1];" : "=h"(word) : "l"(address) : "memory"); \
            return __builtin_bit_cast(Type, word);                                                 \
        } else if constexpr (sizeof(Type) == 4) {                                                  \
            unsigned int word;                                                                     \
            __asm__ volatile(instruction ".u32 %0, [%1];" : "=r"(word) : "l"(address) : "memory"); \
            return __builtin_bit_cast(Type, word);                                                 \
        } else if constexpr (sizeof(Type) == 8) {                                                  \
            unsigned long long word;                                                               \
            __asm__ volatile(instruction ".u64 %0, [%1];" : "=l"(word) : "l"(address) : "memory"); \
            return __builtin_bit_cast(Type, word);                                                 \
        } else {                                                                                   \
            static_assert(sizeof(Type) == 16, #name " takes a number or a vector type");           \
            simt_words words;                                                                      \
            __asm__ volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];"                         \
                             : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)          \
                             : "l"(address)                                                        \
                             : "memory");                                                          \
            return __builtin_bit_cast(Type, words);                                                \
        }                                                                                          \
    }

SIMT_LOAD(__ldg, "ld.global.nc")
SIMT_LOAD(__ldca, "ld.global.ca")
SIMT_LOAD(__ldcg, "ld.global.cg")
SIMT_LOAD(__ldcs, "ld.global.cs")
SIMT_LOAD(__ldlu, "ld.global.lu")
SIMT_LOAD(__ldcv, "ld.global.cv")
#undef SIMT_LOAD

/* The type itself, for a parameter from which a template must not deduce it. */
template <typename Type>
struct simt_same {
    typedef Type type;
};

#define SIMT_STORE(name, instruction)                                                              \
    template <typename Type>                                                                       \
    SIMT_ON_DEVICE void name(Type *address, typename simt_same<Type>::type value)                  \
    {                                                                                              \
        if constexpr (sizeof(Type) == 1)                                                           \
            __asm__ volatile(                                                                      \
                instruction ".u8 [%0], %1;" ::"l"(address),                                        \
                "h"(static_cast<unsigned short>(__builtin_bit_cast(unsigned char, value)))         \
                : "memory");                                                                       \
        else if constexpr (sizeof(Type) == 2)                                                      \
            __asm__ volatile(instruction ".u16 [%0], %1;" ::"l"(address),                          \
                             "h"(__builtin_bit_cast(unsigned short, value))                        \
                             : "memory");                                                          \
        else if constexpr (sizeof(Type) == 4)                                                      \
            __asm__ volatile(instruction ".u32 [%0], %1;" ::"l"(address),                          \
                             "r"(__builtin_bit_cast(unsigned int, value))                          \
                             : "memory");                                                          \
        else if constexpr (sizeof(Type) == 8)                                                      \
            __asm__ volatile(instruction ".u64 [%0], %1;" ::"l"(address),                          \
                             "l"(__builtin_bit_cast(unsigned long long, value))                    \
                             : "memory");                                                          \
        else {                                                                                     \
            static_assert(sizeof(Type) == 16, #name " takes a number or a vector type");           \
            simt_words words = __builtin_bit_cast(simt_words, value);                              \
            __asm__ volatile(instruction ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address),         \
                             "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w)                \
                             : "memory");                                                          \
        }                                                                                          \
    }

SIMT_STORE(__stwb, "st.global.wb")
SIMT_STORE(__stcg, "st.global.cg")
SIMT_STORE(__stcs, "st.global.cs")
SIMT_STORE(__stwt, "st.global.wt")
#undef SIMT_STORE

/* ---- Fences and kinds of addresses ---- */

#define SIMT_STATEMENT(name, instruction)                                                          \
    SIMT_ON_DEVICE void name()                                                                     \
    {                                                                                              \
        __asm__ volatile(instruction ";" ::: "memory");                                            \
    }

SIMT_STATEMENT(__threadfence_block, "membar.cta")
SIMT_STATEMENT(__threadfence, "membar.gl")
SIMT_STATEMENT(__threadfence_system, "membar.sys")
SIMT_STATEMENT(__trap, "trap")
SIMT_STATEMENT(__brkpt, "brkpt")
#undef SIMT_STATEMENT

#define SIMT_SPACE(test, space)                                                                    \
    SIMT_ON_DEVICE unsigned int test(const void *address)                                          \
    {                                                                                              \
        unsigned int result;                                                                       \
        __asm__("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }"                \
                : "=r"(result)                                                                     \
                : "l"(address));                                                                   \
        return result;                                                                             \
    }
SIMT_SPACE(__isGlobal, "global")
SIMT_SPACE(__isShared, "shared")
SIMT_SPACE(__isLocal, "local")
SIMT_SPACE(__isConstant, "const")
#undef SIMT_SPACE

#define SIMT_TO_SPACE(space)                                                                       \
    SIMT_ON_DEVICE size_t __cvta_generic_to_##space(const void *address)                           \
    {                                                                                              \
        size_t result;                                                                             \
        __asm__("cvta.to." #space ".u64 %0, %1;" : "=l"(result) : "l"(address));                   \
        return result;                                                                             \
    }                                                                                              \
    SIMT_ON_DEVICE void *__cvta_##space##_to_generic(size_t address)                               \
    {                                                                                              \
        void *result;                                                                              \
        __asm__("cvta." #space ".u64 %0, %1;" : "=l"(result) : "l"(address));                      \
        return result;                                                                             \
    }
SIMT_TO_SPACE(global)
SIMT_TO_SPACE(shared)
SIMT_TO_SPACE(local)
#undef SIMT_TO_SPACE

#endif
