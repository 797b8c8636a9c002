/* SPDX-License-Identifier: MIT */
#include "values.h"

#include "access.h"
#include "bounded_operations.h"
#include "cluster.h"
#include "limits.h"
#include "policy.h"

#include <string.h>

/* Returns the origin of an undefined result: that of an undefined source. */
static uint32_t __attribute__((noinline))
find_origin(char *frame, const struct op *op, uint32_t lanes)
{
    const uint32_t sources[] = {op->a, op->b, op->c, op->e};
    uint32_t origin = 0;

    for (int k = 0; k < 4; k++)
        if (head_of(frame, sources[k])->undefined & lanes)
            origin = head_of(frame, sources[k])->origin;
    return undefined_settled(origin);
}

/* Reads an integer of that many bytes; the next function writes one. */
static uint64_t integer_at(const char *at, uint32_t bytes, bool is_signed)
{
    uint64_t value = 0;
    uint32_t unused = 64 - 8 * bytes;

    copy_bytes(&value, at, bytes);
    if (is_signed && unused > 0)
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    return value;
}

/* Sets the undefined bytes of a source to all zeros or all ones, and saves the old value in
 * `kept`. */
static void disturb(char *frame, uint32_t slot, uint32_t width, uint32_t lanes, bool ones,
                    char kept[LANES * 16])
{
    const struct head *head = head_of(frame, slot);
    uint32_t undefined = head->undefined & lanes;

    memcpy(kept, frame + slot, width == 0 ? sizeof lanes : LANES * (size_t)width);
    if (width == 0) {
        uint32_t *bits = (uint32_t *)(void *)(frame + slot);
        *bits = ones ? *bits | undefined : *bits & ~undefined;
        return;
    }
    for (; undefined != 0; undefined &= undefined - 1)
        for (uint32_t i = 0, l = (uint32_t)__builtin_ctz(undefined); i < width; i++)
            if (undefined_bytes(head, l) >> i & 1)
                frame[slot + l * width + i] = (char)-ones;
}

/* Finds the undefined bytes of the result. A byte is defined if it is the same whether the
 * undefined bytes of the sources are zeros or ones. */
static void __attribute__((noinline))
compute_bytes(char *frame, const struct op *op, uint32_t lanes, uint32_t undefined, uint32_t origin)
{
    const uint32_t sources[3] = {op->a, op->b, op->c};
    uint32_t size = op->bytes == 0 ? (uint32_t)sizeof lanes : (uint32_t)LANES * op->bytes;
    struct head result = {.undefined = 0, .origin = origin};
    char kept[3][LANES * 16], first[LANES * 16], differs[LANES * 16] = {0};

    for (unsigned int ones = 0; ones < 8; ones++) {
        for (int k = 0; k < 3; k++) {
            int same = 0; /* one register used as two sources has one value */
            while (sources[same] != sources[k])
                same++;
            disturb(frame, sources[k], op->widths[k], undefined, (ones >> same & 1) != 0, kept[k]);
        }
        op->run(frame, op, undefined);
        if (ones == 0)
            memcpy(first, frame + op->d, size);
        for (uint32_t i = 0; i < size; i++)
            differs[i] = (char)(differs[i] | (first[i] ^ frame[op->d + i]));
        for (int k = 2; k >= 0; k--)
            memcpy(frame + sources[k], kept[k],
                   op->widths[k] == 0 ? sizeof lanes : LANES * (size_t)op->widths[k]);
    }
    op->run(frame, op, lanes);
    if (op->bytes == 0) {
        memcpy(&result.undefined, differs, sizeof result.undefined);
        result.undefined &= undefined;
        result.bytes = 1;
    }
    for (uint32_t left = op->bytes != 0 ? undefined : 0; left != 0; left &= left - 1)
        for (uint32_t i = 0, l = (uint32_t)__builtin_ctz(left); i < op->bytes; i++)
            if (differs[l * op->bytes + i] != 0) {
                result.undefined |= UINT32_C(1) << l;
                result.bytes |= UINT32_C(1) << i;
            }
    note_undefined(frame, op->d, lanes, &result);
}

/* Returns true if all undefined sources are ones that the instruction processes byte by byte. */
static bool goes_by_bytes(char *frame, const struct op *op, uint32_t lanes)
{
    const uint32_t sources[4] = {op->a, op->b, op->c, op->e};

    for (int k = 0; k < 4; k++)
        if ((head_of(frame, sources[k])->undefined & lanes) && !(op->by_bytes >> k & 1))
            return false;
    return true;
}

void compute_undefined(char *frame, const struct op *op, uint32_t lanes, uint32_t undefined)
{
    struct head result = {
        .undefined = undefined, .bytes = ALL_BYTES, .origin = find_origin(frame, op, lanes)};

    if (goes_by_bytes(frame, op, lanes)) {
        compute_bytes(frame, op, lanes, undefined, result.origin);
        return;
    }
    op->run(frame, op, lanes);
    note_undefined(frame, op->d, lanes, &result);
    if (op->d2 != 0)
        note_undefined(frame, op->d2, lanes, &result);
}

/* 9.7.1.8: the result of a division by zero is unspecified. It is an error only if it is used,
 * because compilers move divisions ahead of the check. */
void compute_quotient(char *frame, const struct op *op, uint32_t lanes)
{
    struct head result = {.undefined = 0, .bytes = ALL_BYTES};

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        if (unlikely(integer_at(frame + op->b + l * op->widths[1], op->widths[1], false) == 0))
            result.undefined |= UINT32_C(1) << l;
    }
    compute(frame, op, lanes);
    if (likely(result.undefined == 0))
        return;
    result.origin = undefined_quotient(op->place);
    note_undefined(frame, op->d, result.undefined, &result);
}

/* A result that cannot be expressed is an error only if it is used, because compilers
 * move computations ahead of the condition that guards them. */
void compute_exactly(char *frame, const struct op *op, uint32_t lanes)
{
    struct head result = {.bytes = ALL_BYTES};

    compute(frame, op, lanes);
    result.undefined = exact_refusal.lanes & lanes & ~head_of(frame, op->d)->undefined;
    if (result.undefined == 0)
        return;
    result.origin = undefined_inexact(op->place, exact_refusal.what);
    if (op->d2 != 0)
        note_undefined(frame, op->d2, result.undefined, &result);
    note_undefined(frame, op->d, result.undefined, &result);
}

/* selp: the value that is not chosen does not count as used. Where rounding errors may change the
 * choice of a float, the error bound of the result covers both. */
void select_value(char *frame, const struct op *op, uint32_t lanes)
{
    uint32_t chosen = *(const uint32_t *)(const void *)(frame + op->c) ^ op->flip_c;
    struct head a = *head_of(frame, op->a), b = *head_of(frame, op->b), c = *head_of(frame, op->c);
    uint32_t unusable = a.undefined | b.undefined;

    if (unlikely(op->exact != NULL && (lanes & c.undefined & ~unusable) != 0 &&
                 undefined_reason(c.origin) == unknown_comparison)) {
        uint32_t either = lanes & c.undefined & ~unusable;
        machine.floats->select(frame, op, either);
        head_of(frame, op->d)->undefined &= ~either;
        lanes &= ~either;
    }
    op->run(frame, op, lanes);
    a.undefined &= chosen;
    b.undefined &= ~chosen;
    c.bytes = ALL_BYTES;
    note_undefined(frame, op->d, lanes & ~c.undefined & chosen, &a);
    note_undefined(frame, op->d, lanes & ~c.undefined & ~chosen, &b);
    note_undefined(frame, op->d, lanes & c.undefined, &c);
}

void copy_value(char *frame, const struct op *op, uint32_t lanes)
{
    const struct head from = *head_of(frame, op->a);
    const char *a = frame + op->a;
    char *d = frame + op->d;

    if (op->bytes == 0) {
        uint32_t *to = (uint32_t *)(void *)d;
        *to = (*to & ~lanes) | ((*(const uint32_t *)(const void *)a ^ op->flip_a) & lanes);
    } else if (lanes == UINT32_MAX) {
        memmove(d, a, (size_t)LANES * op->bytes);
    } else {
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            uint32_t at = (uint32_t)__builtin_ctz(left) * op->bytes;
            copy_bytes(d + at, a + at, op->bytes);
        }
    }
    note_undefined(frame, op->d, lanes, &from);
}

void resize_value(char *frame, const struct op *op, uint32_t lanes)
{
    struct head from = *head_of(frame, op->a);

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint64_t value =
            integer_at(frame + op->a + l * op->bytes, op->bytes > 8 ? 8 : op->bytes, op->is_signed);
        copy_bytes(frame + op->d + l * op->to_bytes, &value, op->to_bytes > 8 ? 8 : op->to_bytes);
    }
    from.bytes = undefined_resized(from.bytes, op->bytes, op->to_bytes, op->is_signed);
    note_undefined(frame, op->d, lanes, &from);
}

void pack_value(char *frame, const struct op *op, uint32_t lanes)
{
    uint32_t part = op->bytes / op->count;
    struct head whole = {.undefined = 0};

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        char value[16];
        for (uint32_t k = 0; k < op->count; k++)
            memcpy(value + k * part, frame + op->parts[k] + l * part, part);
        memcpy(frame + op->d + l * op->bytes, value, op->bytes);
    }
    for (uint32_t k = 0; k < op->count; k++) {
        const struct head *from = head_of(frame, op->parts[k]);
        if (from->undefined & lanes) {
            for (uint32_t left = from->undefined & lanes; left != 0; left &= left - 1)
                whole.bytes |=
                    undefined_resized(undefined_bytes(from, (uint32_t)__builtin_ctz(left)), part,
                                      part, false)
                    << k * part;
            whole.undefined |= from->undefined;
            whole.origin = from->origin;
        }
    }
    note_undefined(frame, op->d, lanes, &whole);
}

void unpack_value(char *frame, const struct op *op, uint32_t lanes)
{
    const struct head from = *head_of(frame, op->a);
    uint32_t part = op->bytes / op->count;

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        char value[16];
        memcpy(value, frame + op->a + l * op->bytes, op->bytes);
        for (uint32_t k = 0; k < op->count; k++)
            memcpy(frame + op->parts[k] + l * part, value + k * part, part);
    }
    for (uint32_t k = 0; k < op->count; k++) {
        struct head of_part = from;
        of_part.bytes = undefined_resized(from.bytes >> k * part, part, part, false);
        note_undefined(frame, op->parts[k], lanes, &of_part);
    }
}

void write_value(char *frame, const struct op *op, uint32_t lanes, uint64_t value)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        copy_bytes(frame + op->d + (uint32_t)__builtin_ctz(left) * op->bytes, &value, op->bytes);
    note_defined(frame, op->d, lanes);
}

/* Returns %warpid, or %smid if the offset of the op is 1. A block may run on any multiprocessor,
 * and its warps may have any numbers that differ. */
static uint64_t placement(const struct warp *warp, const struct op *op)
{
    const struct extent *at = &warp->block->index, *grid = &warp->block->grid->extent;
    uint64_t any =
        schedule_poison(at->x + grid->x * (at->y + grid->y * at->z)) + machine.other_clocks;

    return op->offset == 1 ? any % MULTIPROCESSORS : (any + warp->number) % MAX_WARPS;
}

/* The low bits of a time depend on the schedule. Time still grows, because two reads are at least
 * 32 apart. With other clocks, all bytes of a time differ, and so do those of the difference of two
 * times. */
void read_clock(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes)
{
    uint64_t clock = machine.clock ^ (schedule_poison((uint32_t)machine.clock) & 31);

    if (machine.other_clocks)
        clock = (clock + 1) * UINT64_C(0x9e3779b97f4a7c15);

    if (machine.clock_read == NULL || op->place < machine.clock_read)
        machine.clock_read = op->place;
    write_value(frame, op, lanes,
                op->what == SPECIAL_CLOCK        ? clock
                : op->what == SPECIAL_CLOCK_HIGH ? clock >> 32
                                                 : placement(warp, op));
}

void take_local_address(const struct warp *warp, const struct frame *frame, const struct op *op,
                        uint32_t lanes)
{
    uint64_t *d = (uint64_t *)(void *)(frame->slots + op->d);
    uint64_t offset = frame->local + (uint64_t)op->offset;

    for (uint32_t left = lanes; left != 0; left &= left - 1)
        d[__builtin_ctz(left)] = local_window(warp, (uint32_t)__builtin_ctz(left)) + offset;
    note_defined(frame->slots, op->d, lanes);
}

/* Converts between a generic address and an address in one space. */
void convert_address(const struct block *block, char *frame, const struct op *op, uint32_t lanes)
{
    const uint64_t *a = (const uint64_t *)(const void *)(frame + op->a);
    uint64_t *d = (uint64_t *)(void *)(frame + op->d);
    struct head from = *head_of(frame, op->a);

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        d[l] = op->kind == OP_TO_GENERIC ? block->window + (uint32_t)a[l]
                                         : cluster_to_shared(block, a[l]);
    }
    from.bytes = ALL_BYTES;
    note_undefined(frame, op->d, lanes, &from);
}

/* .global includes .const and the parameters of the kernel. */
static bool is_in_space(const struct block *block, enum space space, uint64_t address)
{
    bool is_shared = is_shared_address(address);
    bool is_local = address >> 40 == LOCAL_WINDOW_BASE >> 40;

    return space == SPACE_SHARED  ? is_shared
           : space == SPACE_LOCAL ? is_local
           : space == SPACE_PARAM ? address >> 40 == PARAMETER_WINDOW_BASE >> 40
           : space == SPACE_CONST ? is_constant(block, address)
                                  : !is_shared && !is_local;
}

void test_space(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes)
{
    const uint64_t *a = (const uint64_t *)(const void *)(frame + op->a);
    uint32_t *d = (uint32_t *)(void *)(frame + op->d);

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        bool is_own = op->in_cluster || op->space != SPACE_SHARED ||
                      cluster_owner(warp->block, a[l]) == warp->block;
        bool is = is_in_space(warp->block, (enum space)op->space, a[l]) && is_own;
        *d = (*d & ~(UINT32_C(1) << l)) | (uint32_t)is << l;
    }
    note_undefined(frame, op->d, lanes, head_of(frame, op->a));
}

/* ---- Parameters ---- */

void load_parameter(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes)
{
    const unsigned char *from = warp->block->grid->parameters + op->offset;

    for (uint32_t k = 0; k < op->count; k++) {
        uint64_t value[2] = {0};
        char *to = frame + op->parts[k];
        if (op->bytes <= 8)
            value[0] = integer_at((const char *)from + k * op->bytes, op->bytes, op->is_signed);
        else
            memcpy(value, from + k * op->bytes, sizeof value);
        if (lanes == UINT32_MAX && op->to_bytes == sizeof(uint32_t))
            for (uint32_t l = 0; l < LANES; l++)
                ((uint32_t *)(void *)to)[l] = (uint32_t)value[0];
        else if (lanes == UINT32_MAX && op->to_bytes == sizeof(uint64_t))
            for (uint32_t l = 0; l < LANES; l++)
                ((uint64_t *)(void *)to)[l] = value[0];
        else
            for (uint32_t left = lanes; left != 0; left &= left - 1)
                copy_bytes(to + (uint32_t)__builtin_ctz(left) * op->to_bytes, value, op->to_bytes);
        note_defined(frame, op->parts[k], lanes);
    }
}

/* ---- Variables: bit 31 of their undefined bytes represents byte 31 and all later ones ---- */

static uint32_t undefined_from(uint32_t bytes, uint64_t offset)
{
    return (uint32_t)((int32_t)bytes >> (offset < LANES ? offset : LANES - 1));
}

static uint32_t undefined_at(uint32_t bytes, uint64_t offset)
{
    uint64_t all = (uint64_t)bytes << (offset < LANES ? offset : LANES - 1);

    return (uint32_t)all | (all >> (LANES - 1) != 0 ? UINT32_C(1) << (LANES - 1) : 0);
}

/* `truth` is the variable's size. The values of its lanes are adjacent. */
void load_variable(char *frame, const struct op *op, uint32_t lanes)
{
    const struct head from = *head_of(frame, op->a);

    for (uint32_t k = 0; k < op->count; k++) {
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            const char *at = frame + op->a + l * op->truth + op->offset + k * op->bytes;
            char *to = frame + op->parts[k] + l * op->to_bytes;
            uint64_t value;
            if (op->bytes > 8) {
                copy_bytes(to, at, op->bytes);
                continue;
            }
            value = integer_at(at, op->bytes, op->is_signed);
            copy_bytes(to, &value, op->to_bytes > 8 ? 8 : op->to_bytes);
        }
        struct head of_part = from;
        of_part.bytes =
            undefined_resized(undefined_from(from.bytes, (uint64_t)op->offset + k * op->bytes),
                              op->bytes, op->to_bytes, op->is_signed);
        note_undefined(frame, op->parts[k], lanes, &of_part);
    }
}

void store_variable(char *frame, const struct op *op, uint32_t lanes)
{
    struct head *to = head_of(frame, op->a);

    for (uint32_t k = 0; k < op->count; k++) {
        const struct head *from = head_of(frame, op->parts[k]);
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            copy_bytes(frame + op->a + l * op->truth + op->offset + k * op->bytes,
                       frame + op->parts[k] + l * op->bytes, op->bytes);
        }
        if (op->offset == 0 && k == 0)
            to->undefined &= ~lanes;
        if (from->undefined & lanes) {
            uint32_t bytes = 0;
            for (uint32_t left = from->undefined & lanes; left != 0; left &= left - 1)
                bytes |= undefined_resized(undefined_bytes(from, (uint32_t)__builtin_ctz(left)),
                                           op->bytes, op->bytes, false);
            to->bytes = (to->undefined != 0 ? to->bytes : 0) |
                        undefined_at(bytes, (uint64_t)op->offset + k * op->bytes);
            to->undefined |= from->undefined & lanes;
            to->whole &= ~lanes;
            to->origin = undefined_origin_of(from);
        }
    }
}

void copy_variable(struct warp *warp, struct frame *to_frame, const struct call_variable *to,
                   const struct frame *from_frame, const struct call_variable *from, uint32_t lanes)
{
    const struct head *head = from->is_local ? NULL : head_of(from_frame->slots, from->slot);
    struct head result = {.undefined = 0};

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        const uint8_t *written = warp->local[l].written + from_frame->local + from->slot;
        const char *source = from->is_local ? warp->local[l].bytes + from_frame->local + from->slot
                                            : from_frame->slots + from->slot + l * from->bytes;
        char *target = to->is_local ? warp->local[l].bytes + to_frame->local + to->slot
                                    : to_frame->slots + to->slot + l * to->bytes;
        copy_bytes(target, source, to->bytes);
        if (!to->is_local && head != NULL && !(head->undefined & lanes))
            continue;
        for (uint32_t i = 0; i < to->bytes; i++) {
            bool defined = from->is_local ? written[i] != 0
                                          : !(undefined_from(undefined_bytes(head, l), i) & 1);
            if (to->is_local) {
                warp->local[l].written[to_frame->local + to->slot + i] = defined;
            } else if (!defined) {
                result.bytes |= undefined_at(1, i);
                result.undefined |= UINT32_C(1) << l;
            }
        }
    }
    if (to->is_local)
        return;
    if (head != NULL)
        result.origin = head->origin;
    note_undefined(to_frame->slots, to->slot, lanes, &result);
}
