/* SPDX-License-Identifier: MIT
 *
 * Building blocks of the generated functions (generate.c). A register is 32 consecutive lanes. A
 * predicate is a word with a bit for each lane.
 */
#ifndef SIMTCHECK_SIM_LANES_H
#define SIMTCHECK_SIM_LANES_H

#include "arithmetic.h"
#include "code.h"

#define SLOT(name) typedef ptx_##name slot_##name __attribute__((may_alias, unused));
SLOT(u8)
SLOT(s8)
SLOT(b8)
SLOT(u16)
SLOT(s16)
SLOT(b16)
SLOT(u32)
SLOT(s32)
SLOT(b32)
SLOT(u64)
SLOT(s64)
SLOT(b64)
SLOT(f32)
SLOT(f64)
SLOT(f16)
SLOT(bf16)
SLOT(f16x2)
SLOT(bf16x2)
SLOT(u16x2)
SLOT(s16x2)
SLOT(tf32)
SLOT(e4m3x2)
SLOT(e5m2x2)

#define SOURCE_lanes(type, x) const slot_##type *const x##_lanes = (const void *)(frame + op->x);
#define SOURCE_pred(type, x)                                                                       \
    const uint32_t x##_bits = *(const uint32_t *)(const void *)(frame + op->x) ^ op->flip_##x;
#define RESULT(type) slot_##type *const D = (void *)(frame + op->d);
#define LANE(type, x)                                                                              \
    const ptx_##type x = x##_lanes[l];                                                             \
    (void)x;
#define BIT(type, x) const bool x = x##_bits >> l & 1;

/* Each lane reads and writes only its own values, so the loop can be vectorized. */
#if defined(__clang__)
#define NO_LOOP_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define NO_LOOP_DEPENDENCE _Pragma("GCC ivdep")
#endif

#define EACH_LANE(...)                                                                             \
    if (mask == UINT32_MAX) {                                                                      \
        NO_LOOP_DEPENDENCE                                                                         \
        for (uint32_t l = 0; l < 32; l++) {                                                        \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    } else {                                                                                       \
        for (uint32_t left = mask; left != 0; left &= left - 1) {                                  \
            const uint32_t l = (uint32_t)__builtin_ctz(left);                                      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static inline void write_bits(char *frame, uint32_t slot, uint32_t mask, uint32_t bits)
{
    uint32_t *to = (uint32_t *)(void *)(frame + slot);

    *to = (*to & ~mask) | (bits & mask);
}

static inline void finish_predicate(char *frame, const struct op *op, uint32_t mask, uint32_t bits)
{
    write_bits(frame, op->d, mask, bits);
}

/* Combines a comparison with a predicate for set and setp: PTX ISA 9.7.6.1 and 9.7.6.2. */
static inline uint32_t combined(const char *frame, const struct op *op, uint32_t bits)
{
    uint32_t with = *(const uint32_t *)(const void *)(frame + op->c) ^ op->flip_c;

    return op->combine == COMBINE_AND  ? bits & with
           : op->combine == COMBINE_OR ? bits | with
                                       : bits ^ with;
}

/* Stores the result of set: `truth`, or 0. A packed value gets the half of it for each
 * comparison. */
static inline void write_truth(char *frame, const struct op *op, uint32_t mask, uint32_t low,
                               uint32_t high)
{
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        uint32_t value = low >> l & 1 ? op->truth : 0;
        if (op->finish == FINISH_SET_PAIR)
            value = (low >> l & 1 ? op->truth & 0xffff : 0) |
                    (high >> l & 1 ? op->truth & 0xffff0000 : 0);
        if (op->finish == FINISH_SET_16)
            ((slot_u16 *)(void *)(frame + op->d))[l] = (uint16_t)value;
        else
            ((slot_u32 *)(void *)(frame + op->d))[l] = value;
    }
}

static inline void finish_comparison(char *frame, const struct op *op, uint32_t mask, uint32_t low,
                                     uint32_t high)
{
    if (op->combine != COMBINE_NOT) {
        low = combined(frame, op, low);
        high = combined(frame, op, high);
    }
    if (op->finish != FINISH_SETP) {
        write_truth(frame, op, mask, low, high);
        return;
    }
    write_bits(frame, op->d, mask, low);
    if (op->d2 != 0)
        write_bits(frame, op->d2, mask, high);
}

#endif
