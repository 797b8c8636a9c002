/* SPDX-License-Identifier: MIT
 *
 * What generated code includes: the engine's interface, and meanings that are more than arithmetic.
 */
#ifndef SIMTCHECK_PTX_RUN_H
#define SIMTCHECK_PTX_RUN_H

#include "arithmetic.h"
#include "simt_ptx.h"
#include "types.h"

/* Memory holds whatever was written last, of whatever type. */
#define PTX_MAY(type) typedef ptx_##type ptx_may_##type __attribute__((may_alias, unused));
PTX_MAY(b8)
PTX_MAY(b16)
PTX_MAY(b32)
PTX_MAY(b64)
PTX_MAY(b128)
PTX_MAY(u8)
PTX_MAY(u16)
PTX_MAY(u32)
PTX_MAY(u64)
PTX_MAY(s8)
PTX_MAY(s16)
PTX_MAY(s32)
PTX_MAY(s64)
PTX_MAY(f16)
PTX_MAY(f16x2)
PTX_MAY(bf16)
PTX_MAY(bf16x2)
PTX_MAY(f32)
PTX_MAY(f64)

/* ---- Local memory ---- */

/* When its function is left. */
static inline void ptx_leave(struct simt_frame *frame)
{
    simt_leave_frame(frame);
}

/* An access of .local: nearly always of the function's own array. */
static inline void ptx_check_local(const struct simt_place *place, uintptr_t at, size_t bytes,
                                   bool writes, const uint8_t *array, size_t array_bytes)
{
    if (__builtin_expect(bytes > array_bytes || at - (uintptr_t)array > array_bytes - bytes, 0))
        simt_check_private(place, at, bytes, writes);
}

/* ---- Atomic operations: what is written where `a` was (PTX ISA, atom) ---- */

#define PTX_ATOM(name, type, expression)                                                           \
    static inline ptx_##type ptx_atom_##name##_##type(ptx_##type a, ptx_##type b)                  \
    {                                                                                              \
        return (ptx_##type)(expression);                                                           \
    }
#define PTX_ATOM_ORDERED(type)                                                                     \
    PTX_ATOM(add, type, a + b)                                                                     \
    PTX_ATOM(min, type, b < a ? b : a)                                                             \
    PTX_ATOM(max, type, b > a ? b : a)
#define PTX_ATOM_BITS(type)                                                                        \
    PTX_ATOM(and, type, a &b)                                                                      \
    PTX_ATOM(or, type, a | b)                                                                      \
    PTX_ATOM(xor, type, a ^ b)
#define PTX_ATOM_SWAPS(type)                                                                       \
    PTX_ATOM(exch, type, ((void)a, b))                                                             \
    static inline ptx_##type ptx_atom_cas_##type(ptx_##type a, ptx_##type b, ptx_##type c)         \
    {                                                                                              \
        return a == b ? c : a;                                                                     \
    }
PTX_ATOM_ORDERED(u32)
PTX_ATOM_ORDERED(s32)
PTX_ATOM_ORDERED(u64)
PTX_ATOM_ORDERED(s64)
PTX_ATOM_BITS(b32)
PTX_ATOM_BITS(b64)
PTX_ATOM_SWAPS(b16)
PTX_ATOM_SWAPS(b32)
PTX_ATOM_SWAPS(b64)
PTX_ATOM_SWAPS(b128)
PTX_ATOM(inc, u32, a >= b ? 0 : a + 1)
PTX_ATOM(dec, u32, a == 0 || a > b ? b : a - 1)
PTX_ATOM(add, f64, ptx_compute_f64(PTX_ADD, a, b, 0, PTX_rn))
PTX_ATOM(add, f16, ptx_add_half(PTX_f16, a, b, 0, 0))
PTX_ATOM(add, f16x2, ptx_add_half(PTX_f16x2, a, b, 0, 0))
PTX_ATOM(add, bf16, ptx_add_half(PTX_bf16, a, b, 0, 0))
PTX_ATOM(add, bf16x2, ptx_add_half(PTX_bf16x2, a, b, 0, 0))

/* Subnormal numbers are kept in shared memory, and flushed to zero elsewhere. */
static inline ptx_f32 ptx_atom_add_f32(ptx_f32 a, ptx_f32 b, bool shared)
{
    return ptx_add_f32(a, b, PTX_rn, !shared, false);
}

/* ---- Shuffles: PTX ISA, shfl.sync ---- */

/* `clamp`: the segment's mask in bits 8 to 12, the clamp in bits 0 to 4. *valid: the source lane is
 * in range; else a lane takes its own value. */
static inline uint32_t ptx_shuffle(const struct simt_site *site, enum simt_collective mode,
                                   uint32_t value, uint32_t by, uint32_t clamp, uint32_t mask,
                                   bool *valid)
{
    uint32_t lane = simt_lane(), segment = clamp >> 8 & 31, limit = clamp & 31, source = 0;
    uint32_t highest = (lane & segment) | (limit & ~segment), lowest = lane & segment;

    by &= 31;
    switch (mode) {
    case SIMT_SHUFFLE_up:
        source = lane - by;
        *valid = (int32_t)source >= (int32_t)highest;
        break;
    case SIMT_SHUFFLE_down:
        source = lane + by;
        *valid = source <= highest;
        break;
    case SIMT_SHUFFLE_bfly:
        source = lane ^ by;
        *valid = source <= highest;
        break;
    default:
        source = lowest | (by & ~segment);
        *valid = source <= highest;
        break;
    }
    return (uint32_t)simt_collective(site, mode, mask, value, *valid ? source : lane);
}

/* The leader is the lowest lane of the mask: PTX ISA leaves it open which. */
static inline uint32_t ptx_elect(const struct simt_site *site, uint32_t mask)
{
    uint32_t here = (uint32_t)simt_collective(site, SIMT_ELECT, mask, 1, 0);

    return (uint32_t)__builtin_ctz(here);
}

/* ---- mbarrier: PTX ISA, mbarrier objects ---- */

/* The object, which PTX leaves opaque: the phase in bit 63; from bit 0 on the arrivals that its
 * phase still waits for, from bit 20 on those that each phase waits for. */
enum { PTX_ARRIVALS = (1 << 20) - 1, PTX_EXPECTED_SHIFT = 20, PTX_PHASE_SHIFT = 63 };

static inline void ptx_mbarrier_init(const struct simt_place *place, uintptr_t at, uint32_t count)
{
    simt_write_w8(place, at);
    *(volatile ptx_may_u64 *)at =
        (uint64_t)(count & PTX_ARRIVALS) << PTX_EXPECTED_SHIFT | (count & PTX_ARRIVALS);
}

/* Arrives so many times; the state before. `drop`: later phases wait for so many fewer. */
static inline uint64_t ptx_mbarrier_arrive(const struct simt_place *place, uintptr_t at,
                                           uint32_t count, bool drop)
{
    uint64_t state, pending, expected, phase;

    simt_atomic_access(place, at, 8, SIMT_BLOCK, SIMT_RELEASE);
    state = *(const volatile ptx_may_u64 *)at;
    phase = state >> PTX_PHASE_SHIFT;
    expected = (state >> PTX_EXPECTED_SHIFT & PTX_ARRIVALS) - (drop ? count : 0);
    pending = ((state & PTX_ARRIVALS) - count) & PTX_ARRIVALS;
    if (pending == 0 && count > 0) {
        phase ^= 1;
        pending = expected;
    }
    *(volatile ptx_may_u64 *)at =
        phase << PTX_PHASE_SHIFT | expected << PTX_EXPECTED_SHIFT | pending;
    return state;
}

static inline uint32_t ptx_mbarrier_pending(uint64_t state)
{
    return state & PTX_ARRIVALS;
}

/* Is the phase of that parity complete? Who finds that it is not has acquired nothing. */
static inline bool ptx_mbarrier_parity(const struct simt_place *place, uintptr_t at,
                                       uint32_t parity)
{
    simt_strong_read(place, at, 8, SIMT_BLOCK, SIMT_RELAXED);
    if (*(const volatile ptx_may_u64 *)at >> PTX_PHASE_SHIFT == (parity & 1))
        return false;
    simt_strong_read(place, at, 8, SIMT_BLOCK, SIMT_ACQUIRE);
    return true;
}

/* Is the phase of that state complete? */
static inline bool ptx_mbarrier_wait(const struct simt_place *place, uintptr_t at, uint64_t state)
{
    return ptx_mbarrier_parity(place, at, (uint32_t)(state >> PTX_PHASE_SHIFT));
}

/* ---- Nested launches ---- */

static inline uint64_t ptx_child(const struct simt_place *place, struct simt_child *child,
                                 uint64_t function, struct extent grid, struct extent block,
                                 uint32_t shared_bytes)
{
    (void)place;
    child->function = function;
    child->grid = grid;
    child->block = block;
    child->shared_bytes = shared_bytes;
    return (uint64_t)(uintptr_t)child->parameters;
}

static inline uint32_t ptx_peek_error(const struct simt_place *place)
{
    (void)place;
    return (uint32_t)simt_peek_error();
}

static inline uint32_t ptx_last_error(const struct simt_place *place)
{
    (void)place;
    return (uint32_t)simt_last_error();
}

#endif
