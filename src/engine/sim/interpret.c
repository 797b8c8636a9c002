/* SPDX-License-Identifier: MIT */
#include "bounded_operations.h"
#include "machine.h"

#include "cluster.h"
#include "matrix_steps.h"
#include "modules.h"
#include "races.h"
#include "schedule.h"
#include "textures.h"
#include "weak.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct machine machine;

/* ---- Frames and parties ---- */

static void fill_word(char *slots, uint32_t slot, uint32_t value)
{
    uint32_t *to = (uint32_t *)(void *)(slots + slot);

    for (uint32_t l = 0; l < LANES; l++)
        to[l] = value;
}

/* Fills special registers that do not change during the life of the thread. */
static void fill_special(const struct warp *warp, char *slots, const struct special_slot *special)
{
    const struct block *block = warp->block;
    const struct extent *b = &block->grid->block, *g = &block->grid->extent;
    uint32_t *to = (uint32_t *)(void *)(slots + special->slot);
    const uint32_t uniform[] = {
        [SPECIAL_NTID_X] = b->x,
        [SPECIAL_NTID_Y] = b->y,
        [SPECIAL_NTID_Z] = b->z,
        [SPECIAL_CTAID_X] = block->index.x,
        [SPECIAL_CTAID_Y] = block->index.y,
        [SPECIAL_CTAID_Z] = block->index.z,
        [SPECIAL_NCTAID_X] = g->x,
        [SPECIAL_NCTAID_Y] = g->y,
        [SPECIAL_NCTAID_Z] = g->z,
        [SPECIAL_WARPID] = warp->number,
        [SPECIAL_DYNAMIC_SHARED] = block->grid->shared_bytes,
        [SPECIAL_TOTAL_SHARED] = block->grid->code->shared_bytes + block->grid->shared_bytes,
        [SPECIAL_ALL_SHARED] =
            block->grid->code->shared_bytes + block->grid->shared_bytes + RESERVED_SHARED,
        [SPECIAL_WORKSPACE_LOW] = (uint32_t)block->grid->workspace,
        [SPECIAL_WORKSPACE_HIGH] = (uint32_t)(block->grid->workspace >> 32),
        [SPECIAL_GROUP_BARRIER] = BARRIERS + warp->number / GROUP_WARPS,
    };

    if (special->special == SPECIAL_DYNAMIC_ADDRESS) {
        uint32_t base = DYNAMIC_WINDOW << SHARED_SHIFT | block->grid->code->dynamic_start;
        uint64_t *wide = (uint64_t *)(void *)to;
        for (uint32_t l = 0; l < LANES; l++)
            wide[l] = base + (uint64_t)special->offset;
        return;
    }
    if (special->special == SPECIAL_WORKSPACE_LOW)
        block->grid->wants_workspace = true;
    if (special->special >= SPECIAL_CLUSTERID_X &&
        special->special <= SPECIAL_IS_EXPLICIT_CLUSTER) {
        fill_word(slots, special->slot, cluster_special(block, special->special));
        return;
    }

    if (special->special <= SPECIAL_TID_Z) {
        uint32_t thread = warp->number * LANES;
        struct extent at = {thread % b->x, thread / b->x % b->y, thread / b->x / b->y};
        for (uint32_t l = 0; l < LANES; l++) {
            to[l] = special->special == SPECIAL_TID_X   ? at.x
                    : special->special == SPECIAL_TID_Y ? at.y
                                                        : at.z;
            if (++at.x < b->x)
                continue;
            at.x = 0;
            if (++at.y < b->y)
                continue;
            at.y = 0;
            at.z++;
        }
        return;
    }
    if (special->special < SPECIAL_LANEID || special->special == SPECIAL_WARPID ||
        special->special > SPECIAL_LANEMASK_GE) {
        fill_word(slots, special->slot, uniform[special->special]);
        return;
    }
    for (uint32_t l = 0; l < LANES; l++)
        to[l] = special->special == SPECIAL_LANEID        ? l
                : special->special == SPECIAL_LANEMASK_EQ ? UINT32_C(1) << l
                : special->special == SPECIAL_LANEMASK_LT ? (UINT32_C(1) << l) - 1
                : special->special == SPECIAL_LANEMASK_LE ? (UINT32_C(2) << l) - 1
                : special->special == SPECIAL_LANEMASK_GT ? ~((UINT32_C(2) << l) - 1)
                                                          : ~((UINT32_C(1) << l) - 1);
}

void free_frames(struct function_code *code)
{
    while (code->free_frames != NULL) {
        struct frame *frame = code->free_frames;
        code->free_frames = frame->outer;
        free(frame->slots);
        free(frame);
    }
}

void free_warp(struct warp *warp)
{
    for (uint32_t l = 0; l < LANES; l++) {
        free(warp->local[l].bytes);
        free(warp->local[l].written);
        free(warp->children[l]);
    }
}

static _Noreturn void run_out_of_memory(void)
{
    raise_fault(FAULT_CRASH, 0, "cannot continue: the simulator is out of memory");
}

struct frame *push_frame(struct warp *warp, const struct function_code *code, struct frame *outer,
                         uint32_t lanes)
{
    struct frame **free_frame = &((struct function_code *)(uintptr_t)code)->free_frames;
    struct frame *frame = *free_frame;

    if (frame != NULL) {
        *free_frame = frame->outer;
        for (uint32_t r = 0; r < code->register_count; r++) {
            struct head *head = head_of(frame->slots, code->registers[r]);
            head->undefined = UINT32_MAX;
            head->origin = 0;
        }
    } else {
        frame = calloc(1, sizeof *frame);
        if (frame == NULL || posix_memalign((void **)&frame->slots, 64, code->frame_bytes + 64))
            run_out_of_memory();
        memcpy(frame->slots, code->frame, code->frame_bytes);
    }
    frame->outer = outer;
    frame->code = code;
    frame->lanes = lanes;
    frame->depth = outer != NULL ? outer->depth + 1 : 0;
    frame->local = outer != NULL ? outer->local + (outer->code->local_bytes + 15) / 16 * 16 : 0;
    frame->call = NULL;
    for (uint32_t s = 0; s < code->special_count; s++)
        fill_special(warp, frame->slots, &code->specials[s]);
    for (uint32_t l = 0; code->local_bytes > 0 && l < LANES; l++) {
        struct lane_memory *memory = &warp->local[l];
        uint32_t end = frame->local + code->local_bytes;
        if (!(lanes >> l & 1))
            continue;
        if (end > memory->size) {
            char *bytes = realloc(memory->bytes, 2 * end);
            uint8_t *written;
            memory->bytes = bytes != NULL ? bytes : memory->bytes;
            written = bytes != NULL ? realloc(memory->written, 2 * end) : NULL;
            if (written == NULL)
                run_out_of_memory();
            memory->written = written;
            memory->size = 2 * end;
        }
        memset(memory->written + frame->local, 0, code->local_bytes);
    }
    return frame;
}

static void leave_frame(struct frame *frame, uint32_t lanes)
{
    struct function_code *code = (struct function_code *)(uintptr_t)frame->code;

    frame->lanes &= ~lanes;
    if (frame->lanes != 0)
        return;
    frame->outer = code->free_frames;
    code->free_frames = frame;
}

struct party *add_party(struct warp *warp, uint32_t lanes, const struct op *op, struct frame *frame)
{
    struct party *party = &warp->parties[warp->party_count];

    *party = (struct party){.lanes = lanes, .op = op, .frame = frame};
    warp->party_of[__builtin_ctz(lanes)] = (uint8_t)warp->party_count++;
    return party;
}

void remove_party(struct warp *warp, struct party *party)
{
    *party = warp->parties[--warp->party_count];
    if (party->lanes != 0)
        warp->party_of[__builtin_ctz(party->lanes)] = (uint8_t)(party - warp->parties);
}

void start_warp(struct warp *warp, struct block *block, uint32_t number)
{
    uint32_t left = block->threads - number * LANES;
    struct frame *frame;

    warp->block = block;
    warp->number = number;
    warp->alive = warp->lanes = left >= LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    warp->party_count = 0;
    warp->steps = 1; /* because the times of race.h start at 1 */
    memset(warp->errors, 0, sizeof warp->errors);
    memset(warp->allocations, 0, sizeof warp->allocations);
    warp->looks = 0;
    memset(warp->kept, 0, sizeof warp->kept);
    warp->is_delayed = false;
    warp->counted_in = 0;
    warp->gone = warp->epoch = warp->meeting = 0;
    warp->cluster_arrived = warp->cluster_complete = 0;
    memset(warp->paths, 0, sizeof warp->paths);
    frame = push_frame(warp, block->grid->code, NULL, warp->alive);
    if (!machine.by_lane)
        add_party(warp, warp->alive, block->grid->code->ops, frame);
    for (uint32_t l = 0; machine.by_lane && l < LANES; l++)
        if (warp->alive >> l & 1)
            add_party(warp, UINT32_C(1) << l, block->grid->code->ops, frame);
}

void end_warp(struct warp *warp)
{
    for (uint32_t p = 0; p < warp->party_count; p++)
        for (struct frame *frame = warp->parties[p].frame, *outer; frame != NULL; frame = outer) {
            outer = frame->outer;
            leave_frame(frame, warp->parties[p].lanes);
        }
    warp->party_count = 0;
    for (uint32_t l = 0; warp->has_async && l < LANES; l++)
        async_forget(warp, l);
    warp->has_async = false;
    group_forget(warp);
}

/* ---- Instructions ---- */

/* Returns the origin of an undefined value that the current instruction copies or computes with. A
 * variable that was never written has none yet. */
static uint32_t origin_of(const struct head *from)
{
    return from->origin != 0    ? from->origin
           : machine.op != NULL ? undefined_variable(machine.op->place)
                                : 0;
}

void note_undefined(char *frame, uint32_t slot, uint32_t lanes, const struct head *from)
{
    struct head *head = head_of(frame, slot);
    uint32_t undefined = from->undefined & lanes;
    uint32_t whole = from->bytes == ALL_BYTES ? undefined : undefined & from->whole;
    uint32_t part = from->bytes != 0 ? undefined & ~whole : 0;

    head->undefined &= ~lanes;
    head->whole &= ~lanes;
    if ((whole | part) == 0)
        return;
    if (part != 0)
        head->bytes = (head->undefined & ~head->whole ? head->bytes : 0) | from->bytes;
    head->undefined |= whole | part;
    head->whole |= whole;
    head->origin = origin_of(from);
}

static void note_defined(char *frame, uint32_t slot, uint32_t lanes)
{
    head_of(frame, slot)->undefined &= ~lanes;
}

/* Returns the undefined bytes of a value that is converted from `from` to `to` bytes. */
uint32_t undefined_resized(uint32_t bytes, uint32_t from, uint32_t to, bool is_signed)
{
    if (is_signed && to > from && (bytes >> (from - 1) & 1) != 0)
        bytes |= ~((UINT32_C(2) << (from - 1)) - 1);
    return to >= LANES ? bytes : bytes & ((UINT32_C(1) << to) - 1);
}

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

static inline void compute(char *frame, const struct op *op, uint32_t lanes)
{
    uint32_t undefined = (head_of(frame, op->a)->undefined | head_of(frame, op->b)->undefined |
                          head_of(frame, op->c)->undefined | head_of(frame, op->e)->undefined) &
                         lanes;
    struct head result = {.undefined = undefined, .bytes = ALL_BYTES};

    if (unlikely(undefined != 0)) {
        result.origin = find_origin(frame, op, lanes);
        if (goes_by_bytes(frame, op, lanes)) {
            compute_bytes(frame, op, lanes, undefined, result.origin);
            return;
        }
    }
    op->run(frame, op, lanes);
    head_of(frame, op->d)->undefined &= ~lanes;
    if (unlikely(undefined != 0))
        note_undefined(frame, op->d, lanes, &result);
    if (unlikely(op->d2 != 0))
        note_undefined(frame, op->d2, lanes, &result);
}

/* 9.7.1.8: the result of a division by zero is unspecified. It is an error only if it is used,
 * because compilers move divisions ahead of the check. */
static void divide(char *frame, const struct op *op, uint32_t lanes)
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
static void compute_exactly(char *frame, const struct op *op, uint32_t lanes)
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
static void select_value(char *frame, const struct op *op, uint32_t lanes)
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

static void copy_value(char *frame, const struct op *op, uint32_t lanes)
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

static void resize(char *frame, const struct op *op, uint32_t lanes)
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

static void pack(char *frame, const struct op *op, uint32_t lanes)
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

static void unpack(char *frame, const struct op *op, uint32_t lanes)
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

static void write_each(char *frame, const struct op *op, uint32_t lanes, uint64_t value)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        copy_bytes(frame + op->d + (uint32_t)__builtin_ctz(left) * op->bytes, &value, op->bytes);
    note_defined(frame, op->d, lanes);
}

/* With other clocks, all bytes of a time differ, and so do those of the difference of two times. */
static void read_special(char *frame, const struct op *op, uint32_t lanes)
{
    uint64_t clock =
        machine.other_clocks ? (machine.clock + 1) * UINT64_C(0x9e3779b97f4a7c15) : machine.clock;

    if (machine.clock_read == NULL || op->place < machine.clock_read)
        machine.clock_read = op->place;
    write_each(frame, op, lanes, op->what == SPECIAL_CLOCK_HIGH ? clock >> 32 : clock);
}

static void local_address(const struct warp *warp, const struct frame *frame, const struct op *op,
                          uint32_t lanes)
{
    uint64_t *d = (uint64_t *)(void *)(frame->slots + op->d);
    uint64_t offset = frame->local + (uint64_t)op->offset;

    for (uint32_t left = lanes; left != 0; left &= left - 1)
        d[__builtin_ctz(left)] = local_window(warp, (uint32_t)__builtin_ctz(left)) + offset;
    note_defined(frame->slots, op->d, lanes);
}

/* Converts between a generic address and an address in one space. */
static void convert_address(const struct block *block, char *frame, const struct op *op,
                            uint32_t lanes)
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

static void is_space(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes)
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

static void entry_load(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes)
{
    const unsigned char *from = warp->block->grid->parameters + op->offset;

    for (uint32_t k = 0; k < op->count; k++) {
        uint64_t value[2] = {0};
        char *to = frame + op->parts[k];
        if (op->bytes <= 8)
            value[0] = integer_at((const char *)from + k * op->bytes, op->bytes, op->is_signed);
        else
            memcpy(value, from + k * op->bytes, sizeof value);
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
static void variable_load(char *frame, const struct op *op, uint32_t lanes)
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

static void variable_store(char *frame, const struct op *op, uint32_t lanes)
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
            to->origin = origin_of(from);
        }
    }
}

/* ---- Calls ---- */

static void copy_variable(struct warp *warp, struct frame *to_frame, const struct call_variable *to,
                          const struct frame *from_frame, const struct call_variable *from,
                          uint32_t lanes)
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
        memcpy(target, source, to->bytes);
        for (uint32_t i = 0; i < to->bytes; i++) {
            bool defined = from->is_local ? written[i] != 0
                                          : !(undefined_from(undefined_bytes(head, l), i) & 1);
            if (to->is_local)
                warp->local[l].written[to_frame->local + to->slot + i] = defined;
            else if (!defined)
                result.bytes |= undefined_at(1, i);
        }
        if (!to->is_local && (from->is_local || (head->undefined >> l & 1)))
            result.undefined |= UINT32_C(1) << l;
    }
    if (to->is_local)
        return;
    if (head != NULL)
        result.origin = head->origin;
    note_undefined(to_frame->slots, to->slot, lanes, &result);
}

/* Returns true if the first `count` variables of both have the same sizes. */
static bool are_alike(const struct call_variable *a, const struct call_variable *b, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (a[k].bytes != b[k].bytes)
            return false;
    return true;
}

/* Returns true if the function accepts the call's arguments. A call by address, or of a function in
 * another module, may not match. */
static bool takes(const struct function_code *callee, const struct call_code *call)
{
    return callee->parameter_count == call->parameter_count &&
           callee->result_count >= call->result_count &&
           are_alike(callee->parameters, call->parameters, call->parameter_count) &&
           are_alike(callee->results, call->results, call->result_count);
}

enum { MAX_CALLS = 1 << 12 };

/* Lets the party's lanes enter a function. */
static void enter(struct warp *warp, struct party *party, const struct op *op,
                  const struct function_code *callee, uint32_t lanes)
{
    struct frame *outer = party->frame, *frame;
    const struct call_code *call = op->call;

    if (callee->ops == NULL)
        raise_fault(FAULT_UNSUPPORTED, (uint32_t)__builtin_ctz(lanes),
                    "calls `%.80s`, which has no code", callee->name);
    if (outer->depth >= MAX_CALLS)
        raise_fault(FAULT_STACK, (uint32_t)__builtin_ctz(lanes), "nests more than %d calls",
                    MAX_CALLS);
    if (!takes(callee, call))
        raise_fault(FAULT_TRAP, (uint32_t)__builtin_ctz(lanes),
                    "calls a function whose parameters differ from those of the call");
    frame = push_frame(warp, callee, outer, lanes);
    frame->call = op;
    for (uint32_t p = 0; p < call->parameter_count; p++)
        copy_variable(warp, frame, &callee->parameters[p], outer, &call->parameters[p], lanes);
    party->frame = frame;
    party->op = callee->ops;
}

static void leave(struct warp *warp, struct party *party, uint32_t lanes)
{
    struct frame *frame = party->frame, *outer = frame->outer;
    const struct call_code *call = frame->call->call;

    for (uint32_t r = 0; r < call->result_count; r++)
        copy_variable(warp, outer, &call->results[r], frame, &frame->code->results[r], lanes);
    party->frame = outer;
    party->op = frame->call + 1;
    leave_frame(frame, lanes);
}

/* Splits the lanes that take another path from their party. They become a new party at that op, and
 * the old one keeps the other lanes. */
struct party *part_party(struct warp *warp, struct party *party, uint32_t lanes,
                         const struct op *op)
{
    struct party *parted = add_party(warp, lanes, op, party->frame);

    party->lanes &= ~lanes;
    parted->slice = party->slice;
    parted->looks = party->looks;
    parted->progress = party->progress;
    parted->looked = party->looked;
    return parted;
}

/* Executes a call. The lanes may call different functions. Returns false if the party was split. */
static bool call(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes)
{
    const struct function_code *callee = op->callee;
    uint32_t others = 0, first = (uint32_t)__builtin_ctz(lanes);

    if (callee == NULL) {
        const uint64_t *to = (const uint64_t *)(const void *)(party->frame->slots + op->a);
        use_undefined(party->frame->slots, op->a, lanes, "calls a function at an address");
        callee = modules_function_at(to[first]);
        if (callee == NULL)
            raise_fault(FAULT_TRAP, first, "calls address 0x%llx, which is not a function",
                        (unsigned long long)to[first]);
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (to[__builtin_ctz(left)] != to[first])
                others |= left & -left;
    }
    if (party->lanes != lanes) { /* by a guard */
        part_party(warp, party, lanes & ~others, op);
        if (others != 0)
            part_party(warp, party, others, op);
        party->op = op + 1;
        return false;
    }
    if (others != 0)
        part_party(warp, party, others, op);
    enter(warp, party, op, callee, lanes & ~others);
    return others == 0;
}

static void end_party(struct warp *warp, struct party *party, uint32_t lanes)
{
    struct frame *frame = party->frame;

    /* A copy may fault. The party then still has its frames, which end_warp() leaves. */
    for (uint32_t l = 0; warp->has_async && l < LANES; l++)
        if (warp->async[l] != NULL && (lanes >> l & 1))
            async_exit(warp, l);
    while (frame != NULL) {
        struct frame *outer = frame->outer;
        leave_frame(frame, lanes);
        frame = outer;
    }
    party->lanes &= ~lanes;
    party->op++;
    if (party->lanes == 0)
        remove_party(warp, party);
    exit_lanes(warp, lanes);
}

/* ---- The loop ---- */

/* Returns the lowest instruction of another ready party, at which this party may have to stop. */
static const struct op *stop_at(const struct warp *warp, const struct party *party)
{
    const struct op *stop = (const struct op *)UINTPTR_MAX;

    if (machine.by_lane || party->waits)
        return stop;
    for (uint32_t p = 0; p < warp->party_count; p++) {
        const struct party *other = &warp->parties[p];
        if (other == party || other->state != PARTY_READY || other->waits ||
            other->frame->depth < party->frame->depth)
            continue;
        if (other->frame->depth > party->frame->depth)
            return NULL;
        if (other->op < stop)
            stop = other->op;
    }
    return stop;
}

enum { STEPS_BETWEEN_LOOKS = 1 << 22 };

static struct timespec deadline;
static double deadline_seconds;

void start_deadline(double seconds)
{
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &deadline);
    deadline_seconds = seconds;
    deadline.tv_sec += (time_t)seconds;
    deadline.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    machine.look_at = STEPS_BETWEEN_LOOKS;
}

static void look_at_limits(uint32_t lanes)
{
    struct timespec now;

    if (machine.steps > machine.step_limit)
        raise_fault(FAULT_STEP_LIMIT, (uint32_t)__builtin_ctz(lanes),
                    "is running when the launch exceeds its limit of %llu steps (--steps)",
                    (unsigned long long)machine.step_limit);
    machine.look_at = machine.steps + STEPS_BETWEEN_LOOKS;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    if (now.tv_sec > deadline.tv_sec ||
        (now.tv_sec == deadline.tv_sec && now.tv_nsec > deadline.tv_nsec))
        raise_fault(FAULT_TIMEOUT, (uint32_t)__builtin_ctz(lanes),
                    "is still running at the deadline of %g s (--deadline)", deadline_seconds);
}

static void take_steps(uint64_t count, uint32_t lanes)
{
    machine.clock += count;
    machine.steps += count * count_lanes(lanes);
    if (unlikely(machine.steps > machine.look_at || machine.steps > machine.step_limit))
        look_at_limits(lanes);
}

/* brx.idx: splits the lanes by target. */
static void branch_by_index(struct warp *warp, struct party *party, const struct op *op,
                            uint32_t lanes)
{
    const uint32_t *index = (const uint32_t *)(const void *)(party->frame->slots + op->a);

    use_undefined(party->frame->slots, op->a, lanes, "takes a branch");
    if (party->lanes != lanes)
        part_party(warp, party, party->lanes & ~lanes, op + 1);
    for (uint32_t left = lanes; left != 0;) {
        uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;
        const struct op *to;
        for (uint32_t others = left; others != 0; others &= others - 1)
            if (index[__builtin_ctz(others)] == index[first])
                same |= others & -others;
        if (index[first] >= op->targets->count)
            raise_fault(FAULT_TRAP, first, "branches to target %u of a table of %u", index[first],
                        op->targets->count);
        to = party->frame->code->ops + op->targets->targets[index[first]];
        left &= ~same;
        if (left != 0)
            part_party(warp, party, same, to);
        else
            party->op = to;
    }
}

void run_party(struct warp *warp, struct party *party)
{
    const bool is_weak = weak_on; /* then each party is one lane */
    struct frame *frame = party->frame;
    char *slots = frame->slots;
    const struct op *op = party->op, *stop = stop_at(warp, party);

    for (;;) {
        uint32_t lanes = party->lanes;
        if (unlikely(is_weak) && weak_stops(warp, party, op)) {
            party->op = op;
            return;
        }
        if (op->guard != 0) {
            uint32_t guard = *(const uint32_t *)(const void *)(slots + op->guard) ^ op->guard_flip;
            if (unlikely((head_of(slots, op->guard)->undefined & lanes) != 0)) {
                machine.op = op;
                use_undefined(slots, op->guard, lanes, "executes an instruction under a condition");
            }
            if (unlikely(machine.counters != NULL) && op->kind == OP_BRANCH)
                count_branch(warp, lanes, lanes & guard);
            op->mark[0] |= lanes & guard;
            op->mark[1] |= lanes & ~guard;
            lanes &= guard;
            if (lanes == 0) {
                op++;
                continue;
            }
        }
        machine.op = op;
        switch ((enum op_kind)op->kind) {
        case OP_DIVIDE:
            divide(slots, op, lanes);
            break;
        case OP_COMPUTE:
            compute(slots, op, lanes);
            break;
        case OP_EXACT:
            compute_exactly(slots, op, lanes);
            break;
        case OP_SELECT:
            select_value(slots, op, lanes);
            if (unlikely(op->target != 0))
                check_chosen(warp, frame, op, lanes);
            break;
        case OP_COPY:
            copy_value(slots, op, lanes);
            break;
        case OP_LOAD:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (unlikely(is_weak) && weak_defers(warp, party, op))
                break;
            if (unlikely(is_weak))
                weak_begin();
            load(warp, frame, op, lanes);
            if (unlikely(is_weak))
                weak_end(party);
            if (unlikely(op->is_strong || (op->access & ACCESS_VOLATILE) != 0))
                party->looked = op->place;
            break;
        case OP_STORE:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (unlikely(is_weak))
                weak_begin();
            store(warp, frame, op, lanes);
            if (unlikely(is_weak))
                weak_end(party);
            break;
        case OP_LOAD_ROWS:
        case OP_STORE_ROWS:
            lanes &= op->truth;
            if (lanes == 0)
                break;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (op->kind == OP_LOAD_ROWS)
                load(warp, frame, op, lanes);
            else
                store(warp, frame, op, lanes);
            break;
        case OP_MATRIX_ADDRESS:
            matrix_address(slots, op, lanes);
            break;
        case OP_TEXTURE:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            use_texture(warp, frame, op, lanes);
            break;
        case OP_TEXTURE_QUERY:
            query_texture(slots, op, lanes);
            break;
        case OP_BLOCK:
            if (unlikely(op >= stop)) {
                party->op = op;
                return;
            }
            take_steps(op->block->count, lanes);
            party->slice -= (int32_t)op->block->count;
            if (unlikely(party->slice < 0) && schedule_slice(warp, party)) {
                party->op = op;
                return;
            }
            if (unlikely(machine.counters != NULL))
                count_block(warp, op->block, lanes);
            *op->mark = 1;
            break;
        case OP_BRANCH: {
            const struct op *to = frame->code->ops + op->target;
            if (lanes == party->lanes) {
                op = to;
                continue;
            }
            part_party(warp, party, lanes, to);
            party->op = op + 1;
            return;
        }
        case OP_SWITCH:
            branch_by_index(warp, party, op, lanes);
            return;
        case OP_RESIZE:
            resize(slots, op, lanes);
            break;
        case OP_PACK:
            pack(slots, op, lanes);
            break;
        case OP_UNPACK:
            unpack(slots, op, lanes);
            break;
        case OP_SPECIAL:
            if (quick_races.is_on)
                leave_undecided();
            machine.clock += 32; /* so that loops that wait for the clock end soon */
            read_special(slots, op, lanes);
            break;
        case OP_ATOMIC:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (unlikely(is_weak) && weak_defers(warp, party, op))
                break;
            if (unlikely(is_weak))
                weak_begin();
            atomic(warp, frame, op, lanes);
            if (unlikely(is_weak))
                weak_end(party);
            party->looked = op->place;
            break;
        case OP_ENTRY_LOAD:
            entry_load(warp, slots, op, lanes);
            break;
        case OP_VARIABLE_LOAD:
            variable_load(slots, op, lanes);
            break;
        case OP_VARIABLE_STORE:
            variable_store(slots, op, lanes);
            break;
        case OP_LOCAL_ADDRESS:
            local_address(warp, frame, op, lanes);
            break;
        case OP_TO_GENERIC:
        case OP_TO_SPACE:
            convert_address(warp->block, slots, op, lanes);
            break;
        case OP_IS_SPACE:
            is_space(warp, slots, op, lanes);
            break;
        case OP_MAP_ADDRESS:
            cluster_map_address(warp, slots, op, lanes);
            break;
        case OP_GET_RANK:
            cluster_get_rank(warp, slots, op, lanes);
            break;
        case OP_CLUSTER_BARRIER:
            party->op = op;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party))
                return;
            if (op->arrives)
                cluster_arrive(warp, op, lanes);
            else if (cluster_wait(warp, party, op, lanes))
                return;
            break;
        case OP_CALL:
            if (!call(warp, party, op, lanes))
                return;
            frame = party->frame;
            slots = frame->slots;
            op = party->op;
            stop = stop_at(warp, party);
            continue;
        case OP_RETURN:
            if (lanes != party->lanes) {
                part_party(warp, party, lanes, op);
                party->op = op + 1;
                return;
            }
            leave(warp, party, lanes);
            return;
        case OP_EXIT:
            party->op = op;
            end_party(warp, party, lanes);
            return;
        case OP_TRAP:
            raise_fault(
                FAULT_TRAP, (uint32_t)__builtin_ctz(lanes),
                warp->block->grid->wants_workspace && warp->block->grid->workspace == 0
                    ? "executes a trap, as grid_group::sync() does in a launch that is not "
                      "cooperative: use cudaLaunchCooperativeKernel(), or 'cooperative' before the "
                      "kernel of a launch line. A GPU may not trap after a cooperative launch of "
                      "the same program"
                    : "executes a trap, which compilers also generate for a write to a "
                      "constant or for undefined behaviour");
        case OP_COLLECTIVE:
            party->op = op;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party))
                return;
            if (meet(warp, party, op, lanes))
                return;
            break;
        case OP_BARRIER:
            party->op = op;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party))
                return;
            if (come_to_barrier(warp, party, op, lanes))
                return;
            break;
        case OP_ACTIVE_MASK: {
            if (quick_races.is_on)
                leave_undecided();
            if (machine.active_mask == NULL || op->place < machine.active_mask)
                machine.active_mask = op->place;
            struct op mask = *op;
            mask.bytes = 4;
            write_each(slots, &mask, lanes, lanes);
            break;
        }
        case OP_PATH:
            path_step(warp, frame, op, lanes);
            break;
        case OP_FENCE:
            if (unlikely(is_weak) && op->is_strong) {
                race_fence_sc(&warp->block->race,
                              warp->number * LANES + (uint32_t)__builtin_ctz(lanes),
                              (enum simt_scope)op->scope);
                break;
            }
            for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
                race_fence(&warp->block->race, warp->number * LANES + (uint32_t)__builtin_ctz(left),
                           (enum simt_scope)op->scope, (enum simt_order)op->order);
            break;
        case OP_PROXY_FENCE:
            for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
                race_proxy_fence(&warp->block->race,
                                 warp->number * LANES + (uint32_t)__builtin_ctz(left), op->what);
            break;
        case OP_SLEEP: {
            const uint32_t *time = (const uint32_t *)(const void *)(slots + op->a);
            machine.clock += time[__builtin_ctz(lanes)];
            if (schedule_sleep(warp, party)) {
                party->op = op + 1;
                return;
            }
            break;
        }
        case OP_LIBRARY:
            machine.calls += op->what != LIBRARY_DEVICE;
            party->op = op;
            if (call_library(warp, party, op, lanes))
                return;
            break;
        case OP_ASYNC_COPY:
            async_copy(warp, frame, op, lanes);
            break;
        case OP_ASYNC_COMMIT:
            async_commit(warp, op, lanes);
            break;
        case OP_ASYNC_WAIT:
            async_wait(warp, frame, op, lanes);
            break;
        case OP_BULK_COPY:
            bulk_copy(warp, frame, op, lanes);
            break;
        case OP_MBARRIER:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            use_mbarrier(warp, frame, op, lanes);
            party->looked = op->place;
            break;
        }
        op++;
    }
}
