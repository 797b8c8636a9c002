/* SPDX-License-Identifier: MIT
 *
 * The operations of atomic instructions on the value in memory: PTX ISA, atom.
 */
#include "arithmetic.h"
#include "code.h"

#include <string.h>

#define ATOMIC(name, type, expression)                                                             \
    static void name##_##type(void *memory, const void *b_, const void *c_, bool shared)           \
    {                                                                                              \
        ptx_##type a, b, c;                                                                        \
        memcpy(&a, memory, sizeof a);                                                              \
        memcpy(&b, b_, sizeof b);                                                                  \
        memcpy(&c, c_, sizeof c);                                                                  \
        (void)shared;                                                                              \
        (void)a;                                                                                   \
        (void)c;                                                                                   \
        a = (ptx_##type)(expression);                                                              \
        memcpy(memory, &a, sizeof a);                                                              \
    }
#define ORDERED(type)                                                                              \
    ATOMIC(add, type, a + b)                                                                       \
    ATOMIC(min, type, b < a ? b : a)                                                               \
    ATOMIC(max, type, b > a ? b : a)
#define OF_BITS(type)                                                                              \
    ATOMIC(and, type, a &b)                                                                        \
    ATOMIC(or, type, a | b)                                                                        \
    ATOMIC(xor, type, a ^ b)
#define EXTREMES(type)                                                                             \
    ATOMIC(min, type, ptx_extreme_half(PTX_##type, a, b, false, 0, 0, 0))                          \
    ATOMIC(max, type, ptx_extreme_half(PTX_##type, a, b, true, 0, 0, 0))
#define SWAPS(type)                                                                                \
    ATOMIC(exch, type, b)                                                                          \
    ATOMIC(cas, type, a == b ? c : a)

ORDERED(u32)
ORDERED(s32)
ORDERED(u64)
ORDERED(s64)
OF_BITS(b32)
OF_BITS(b64)
SWAPS(b16)
SWAPS(b32)
SWAPS(b64)
SWAPS(b128)
ATOMIC(inc, u32, a >= b ? 0 : a + 1)
ATOMIC(dec, u32, a == 0 || a > b ? b : a - 1)
/* Subnormal numbers are kept in shared memory, and flushed to zero in other memory. */
ATOMIC(add, f32, ptx_add_f32(a, b, PTX_rn, !shared, false))
ATOMIC(add, f64, ptx_compute_f64(PTX_ADD, a, b, 0, PTX_rn))
ATOMIC(add, f16, ptx_add_half(PTX_f16, a, b, 0, 0))
ATOMIC(add, f16x2, ptx_add_half(PTX_f16x2, a, b, 0, 0))
ATOMIC(add, bf16, ptx_add_half(PTX_bf16, a, b, 0, 0))
ATOMIC(add, bf16x2, ptx_add_half(PTX_bf16x2, a, b, 0, 0))
EXTREMES(f16)
EXTREMES(f16x2)
EXTREMES(bf16)
EXTREMES(bf16x2)

#define ROW(name, type) {#name, #type, name##_##type},
#define ORDERED_ROWS(type) ROW(add, type) ROW(min, type) ROW(max, type)
#define EXTREMES_ROWS(type) ROW(min, type) ROW(max, type)
#define OF_BITS_ROWS(type) ROW(and, type) ROW(or, type) ROW(xor, type)
#define SWAPS_ROWS(type) ROW(exch, type) ROW(cas, type)

atomic_function *atomic_operation(const char *operation, const char *type)
{
    static const struct {
        const char *operation, *type;
        atomic_function *function;
    } rows[] = {ORDERED_ROWS(u32) ORDERED_ROWS(s32) ORDERED_ROWS(u64) ORDERED_ROWS(s64)
                    OF_BITS_ROWS(b32) OF_BITS_ROWS(b64) SWAPS_ROWS(b16) SWAPS_ROWS(b32)
                        SWAPS_ROWS(b64) SWAPS_ROWS(b128) ROW(inc, u32) ROW(dec, u32) ROW(add, f32)
                            ROW(add, f64) ROW(add, f16) ROW(add, f16x2) ROW(add, bf16)
                                ROW(add, bf16x2) EXTREMES_ROWS(f16) EXTREMES_ROWS(f16x2)
                                    EXTREMES_ROWS(bf16) EXTREMES_ROWS(bf16x2)};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (strcmp(rows[r].operation, operation) == 0 && strcmp(rows[r].type, type) == 0)
            return rows[r].function;
    return NULL;
}

uint8_t atomic_commuting(size_t atomic, const char *type, uint32_t bytes)
{
    enum { MIN = 1, MAX, XOR = 5, SIGNED, SUM = SIGNED + 2 };
    bool is_float = strchr(type, 'f') != NULL;
    size_t kind = is_float                                           ? SUM
                  : *type == 's' && (atomic == MIN || atomic == MAX) ? SIGNED + atomic - MIN
                                                                     : atomic;

    return is_float || atomic <= XOR ? (uint8_t)(3 * kind + (uint32_t)__builtin_ctz(bytes)) : 0;
}
