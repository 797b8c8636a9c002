/* SPDX-License-Identifier: MIT
 *
 * wgmma: products of a warpgroup, which is four warps (PTX ISA 9.0, 9.7.15). Each warp computes 16
 * rows. A product may read shared memory at any time between its instruction and the wait of its
 * warpgroup, and its registers belong to it during that time.
 *
 * The simulator computes a product at its instruction. Until the wait, its results are undefined.
 * They stay undefined if a register of the product, or the shared memory that it reads, changes
 * before the wait. When races are detected, the reads count at both times.
 */
#include "group.h"

#include "array.h"
#include "faults.h"
#include "fnv.h"
#include "group_operands.h"
#include "matrix_registers.h"
#include "policy.h"
#include "undefined.h"

#include <stdlib.h>
#include <string.h>

/* A product that its warp has not waited for. */
struct product {
    const struct op *op;
    char *frames[LANES];
    struct group_operand b, a;  /* a: if it is in shared memory */
    uint64_t memory, registers; /* digests of what it reads in shared memory, and of a */
    uint32_t group;             /* groups committed before it */
    struct race_operation race;
};

struct group_state {
    struct product *products;
    uint32_t count, capacity, groups; /* groups: committed so far */
    uint32_t waits, issued_count;
    uint64_t issued; /* a digest of its products so far */
    struct arrival { /* at the last two waits: that digest, and the number of the last product */
        uint64_t issued;
        uint32_t last;
    } arrived[2];
    /* At the last wgmma.fence: the frame, its function, and its registers. These also have the
     * results of products since then. Null: there was none. */
    const char *frame;
    const struct function_code *code;
    char *fenced;
};

static struct group_state *state_of(struct warp *warp)
{
    if (warp->group == NULL)
        warp->group = calloc(1, sizeof *warp->group);
    if (warp->group == NULL)
        raise_out_of_memory(0);
    return warp->group;
}

void group_forget(struct warp *warp)
{
    if (warp->group != NULL) {
        free(warp->group->products);
        free(warp->group->fenced);
    }
    free(warp->group);
    warp->group = NULL;
}

static uint64_t registers_digest(char *const frames[LANES], const uint32_t *slots, uint32_t count)
{
    uint64_t digest = FNV_OFFSET_BASIS;

    for (uint32_t r = 0; r < count; r++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t word;
            memcpy(&word, frames[lane] + slots[r] + lane * sizeof word, sizeof word);
            digest = fnv_number(digest, word);
        }
    return digest;
}

/* ---- Products ---- */

/* PTX ISA, wgmma.mma_async: all threads of the warpgroup execute it. */
static void check_warps(const struct warp *warp, const struct group_state *state,
                        const struct op *op)
{
    const struct block *block = warp->block;
    uint32_t first = warp->number / GROUP_WARPS * GROUP_WARPS;

    for (uint32_t w = first; w < first + GROUP_WARPS; w++) {
        bool exists = w < block->warp_count;
        const struct group_state *other = exists ? block->warps[w].group : NULL;
        if (exists && (block->warps[w].alive == UINT32_MAX ||
                       (other != NULL && other->issued_count > state->issued_count)))
            continue;
        record_fault_of(FAULT_DIVERGENT_BARRIER, block, warp->number * LANES, op->place,
                        SAYS_WARPGROUP_INCOMPLETE, .object = op->matrix->opcode, .numbers = {w},
                        .reason = exists && block->warps[w].lanes == UINT32_MAX ? "has exited"
                                                                                : "does not exist");
        leave_faulty();
    }
}

/* Returns a value that all lanes must have in common. */
static uint64_t common(char *const frames[LANES], uint32_t slot, const char *name)
{
    uint64_t first, value;

    memcpy(&first, frames[0] + slot, sizeof first);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        use_undefined(frames[lane], slot, UINT32_C(1) << lane, name);
        memcpy(&value, frames[lane] + slot + lane * sizeof value, sizeof value);
        if (value != first)
            raise_fault(FAULT_DIVERGENT_BARRIER, lane, SAYS_DESCRIPTOR_DIFFERS);
    }
    return first;
}

/* Returns whether the accumulator counts: operand scale-d. */
static bool scales(char *const frames[LANES], const struct matrix_code *code)
{
    uint32_t trues = 0;

    for (uint32_t lane = 0; lane < LANES; lane++) {
        use_undefined(frames[lane], code->scale, UINT32_C(1) << lane,
                      "executes wgmma with a scale-d");
        trues +=
            (*(const uint32_t *)(const void *)(frames[lane] + code->scale) ^ code->scale_flip) >>
                lane &
            1;
    }
    if (trues != 0 && trues != LANES)
        raise_fault(FAULT_DIVERGENT_BARRIER, 0, SAYS_SCALE_DIFFERS);
    return trues != 0;
}

/* Reads the accumulator. The result of a product that is not complete is defined here. */
static void read_accumulator(struct operand_values *c, char *const frames[LANES],
                             const struct matrix_code *code, bool counts, bool *is_pending)
{
    read_operand(c, frames, code->c, code->c_count, 4);
    *is_pending = undefined_is_pending(c->origin);
    if (counts && !*is_pending)
        return;
    c->any_undefined = 0;
    memset(c->undefined, 0, sizeof c->undefined);
    if (!counts)
        memset(c->words, 0, sizeof c->words);
}

/* Notes results, which further products may use without a wgmma.fence. */
static void note_fenced(struct group_state *state, const struct frame *frame, const uint32_t *slots,
                        uint32_t count)
{
    for (uint32_t r = 0; state->frame == frame->slots && r < count; r++)
        memcpy(state->fenced + slots[r], frame->slots + slots[r], LANES * sizeof(uint32_t));
}

static void fence(struct group_state *state, const struct frame *frame)
{
    char *fenced = realloc(state->fenced, frame->code->frame_bytes);

    if (fenced == NULL)
        raise_out_of_memory(0);
    memcpy(fenced, frame->slots, frame->code->frame_bytes);
    state->fenced = fenced;
    state->frame = frame->slots;
    state->code = frame->code;
}

/* Returns whether the registers that a product reads were last written before a wgmma.fence, or by
 * a product after it. Compilers copy registers, and set them to constants where they are used. So
 * it is enough that another register had the values, or that all have one value. A fence in another
 * function counts for all registers. */
static bool is_fenced(const struct group_state *state, const struct frame *frame,
                      const uint32_t *slots, uint32_t count)
{
    const size_t bytes = LANES * sizeof(uint32_t);
    bool is_known = true, is_constant = true;

    if (state->frame != frame->slots || state->code != frame->code)
        return state->fenced != NULL;
    for (uint32_t r = 0; r < count; r++) {
        const char *values = frame->slots + slots[r];
        bool found = memcmp(state->fenced + slots[r], values, bytes) == 0;
        for (uint32_t k = 0; k < frame->code->register_count && !found; k++)
            found = memcmp(state->fenced + frame->code->registers[k], values, bytes) == 0;
        is_known = is_known && found;
        is_constant = is_constant && memcmp(values, frame->slots + slots[0], bytes) == 0 &&
                      memcmp(values, values + sizeof(uint32_t), bytes - sizeof(uint32_t)) == 0;
    }
    return is_known || is_constant;
}

/* Reads a sparse a's metadata. */
static void read_metadata(char *const frames[LANES], const struct matrix_code *code,
                          uint32_t metadata[LANES])
{
    for (uint32_t lane = 0; code->shape->sparse != 0 && lane < LANES; lane++) {
        use_undefined(frames[lane], code->metadata, UINT32_C(1) << lane,
                      "gives the metadata of a sparse matrix");
        memcpy(&metadata[lane], frames[lane] + code->metadata + lane * sizeof *metadata,
               sizeof *metadata);
    }
}

static struct product *add_product(struct group_state *state)
{
    struct product *products =
        array_grown(state->products, &state->capacity, state->count + 1, sizeof *products);

    if (products == NULL)
        raise_out_of_memory(0);
    state->products = products;
    products[state->count] = (struct product){.group = state->groups};
    return &products[state->count++];
}

/* Sets which results are undefined, and for which reason: unless there is a better one, because the
 * product is not complete. */
static void note_results(const struct op *op, struct operand_values *d, bool is_fenced)
{
    const struct matrix_code *code = op->matrix;
    uint32_t any = 0;

    for (uint32_t r = 0; r < code->d_count; r++)
        any |= d->undefined[r];
    if (op->exact != NULL)
        d->origin = undefined_inexact(op->place, op->exact->refusal);
    else if (!is_fenced)
        d->origin = undefined_group(op->place, "a result of wgmma without a wgmma.fence after its "
                                               "registers were last written");
    for (uint32_t r = 0; (op->exact != NULL || !is_fenced) && r < code->d_count; r++)
        d->undefined[r] = UINT32_MAX;
    if (op->exact != NULL || !is_fenced || any != 0)
        return;
    d->origin = undefined_pending(op->place);
    for (uint32_t r = 0; r < code->d_count; r++)
        d->undefined[r] = UINT32_MAX;
}

static void compute(char *const frames[LANES], const struct op *op, const struct product *product,
                    struct operand_values *d, struct operand_values *c)
{
    static struct matrix_lines a_lines, b_lines;
    static struct operand_values a;
    const struct matrix_code *code = op->matrix;
    const struct matrix_shape *shape = code->shape;
    struct undefined_lines lines = {.rows = {0}};
    uint32_t metadata[LANES] = {0}, a_origin = 0, b_origin = 0;
    bool a_in_memory = code->a_count == 0;

    read_metadata(frames, code, metadata);
    a.any_undefined = 0;
    if (a_in_memory)
        a_origin = group_read(&product->a, op, &a_lines, lines.rows);
    else
        read_operand(&a, frames, code->a, code->a_count, 4);
    b_origin = group_read(&product->b, op, &b_lines, lines.columns[0]);
    for (uint32_t r = 0; r < code->d_count; r++) {
        d->registers[r] = d->words[r];
        d->undefined[r] = 0;
    }
    d->origin = a_origin != 0          ? a_origin
                : a.any_undefined != 0 ? undefined_settled(a.origin)
                : b_origin != 0        ? b_origin
                                       : c->origin;
    matrix_multiply_group(shape, d->registers, a_in_memory ? &a_lines : NULL,
                          (const void *const *)a.registers, &b_lines,
                          (const void *const *)c->registers, metadata, code->selector);
    if (!a_in_memory)
        find_undefined_lines(&lines, &a, &shape->a, true);
    if (a_origin != 0 || b_origin != 0 || a.any_undefined != 0 || c->any_undefined != 0)
        find_undefined_results(shape, d, &lines, c);
}

/* Makes the product's accesses to shared memory. Returns a digest of what they read. */
static uint64_t read_memory(struct warp *warp, const struct product *product)
{
    uint64_t digest =
        group_access(warp, product->op, &product->a, &product->race, FNV_OFFSET_BASIS);

    return group_access(warp, product->op, &product->b, &product->race, digest);
}

static void multiply(struct warp *warp, const struct op *op, char *const frames[LANES])
{
    static struct operand_values c, d;
    const struct matrix_code *code = op->matrix;
    const struct frame *frame = frame_of(warp, 0);
    struct group_state *state = state_of(warp);
    struct product *product;
    bool counts, is_pending;

    check_warps(warp, state, op);
    product = add_product(state);
    product->op = op;
    memcpy(product->frames, frames, sizeof product->frames);
    counts = scales(frames, code);
    product->b = group_operand(op, false, warp->number,
                               common(frames, code->b[0], "executes wgmma with a descriptor of b"));
    if (code->a_count == 0)
        product->a =
            group_operand(op, true, warp->number,
                          common(frames, code->b[1], "executes wgmma with a descriptor of a"));
    state->issued_count++;
    state->issued = fnv_number(fnv_number(state->issued, (uintptr_t)op),
                               product->b.bits ^ product->a.bits << 1);
    if (race_on)
        product->race = race_issue(&warp->block->race, warp->number, UINT32_MAX, ACCESS_ASYNC);
    product->memory = read_memory(warp, product);
    product->registers = registers_digest(frames, code->a, code->a_count);
    read_accumulator(&c, frames, code, counts, &is_pending);
    compute(frames, op, product, &d, &c);
    note_results(op, &d,
                 is_fenced(state, frame, code->d, counts && !is_pending ? code->d_count : 0) &&
                     is_fenced(state, frame, code->a, code->a_count));
    write_operand(&d, frames, code->d, code->d_count, 4);
}

/* ---- Waiting ---- */

static bool is_due(const struct group_state *state, const struct product *product, uint32_t pending)
{
    return product->group < state->groups && state->groups - product->group > pending;
}

static void spoil(const struct product *product, const char *what)
{
    const struct matrix_code *code = product->op->matrix;
    const struct head spoiled = {.undefined = UINT32_MAX,
                                 .origin = undefined_group(product->op->place, what),
                                 .bytes = ALL_BYTES};

    for (uint32_t r = 0; r < code->d_count; r++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            note_undefined(product->frames[lane], code->d[r], UINT32_C(1) << lane, &spoiled);
}

/* Before the warps of the group meet: the latest time at which the products read. */
static void arrive(struct warp *warp, uint32_t pending)
{
    struct group_state *state = state_of(warp);
    struct arrival *arrival = &state->arrived[state->waits++ % 2];

    *arrival = (struct arrival){.issued = state->issued};
    for (uint32_t k = 0; k < state->count; k++) {
        const struct product *product = &state->products[k];
        const struct matrix_code *code = product->op->matrix;
        if (!is_due(state, product, pending))
            continue;
        arrival->last = product->race.number;
        if (read_memory(warp, product) != product->memory && policy.order != SCHEDULE_REVERSE)
            spoil(product, "a result of wgmma whose shared memory was overwritten before its "
                           "wgmma.wait_group");
        if (registers_digest(product->frames, code->a, code->a_count) != product->registers)
            spoil(product, "a result of wgmma whose registers were written before its "
                           "wgmma.wait_group");
    }
}

/* All warps of the group must have executed the same products. All of these have read what they
 * read. */
static void meet_group(const struct warp *warp, const struct group_state *state)
{
    uint32_t first = warp->number / GROUP_WARPS * GROUP_WARPS, which = (state->waits - 1) % 2;
    struct race_block *race = &warp->block->race;

    for (uint32_t w = first; w < first + GROUP_WARPS; w++) {
        const struct group_state *other = warp->block->warps[w].group;
        const struct arrival *arrival = &other->arrived[which];
        if (arrival->issued != state->arrived[which].issued)
            raise_fault(FAULT_DIVERGENT_BARRIER, 0, SAYS_GROUP_DIFFERS, .numbers = {w});
        for (uint32_t lane = 0; race_on && arrival->last > 0 && lane < LANES; lane++)
            race_waited(race, warp->number * LANES + lane,
                        race_by_wait(RACE_MATRICES, race, w * LANES), arrival->last);
    }
}

static bool uses(const struct product *product, const char *frame, uint32_t slot)
{
    return product->frames[0] == frame && product->op->matrix->d[0] == slot;
}

/* Makes the results of a product defined. A register that another instruction has written since is
 * undefined. */
static void define(struct group_state *state, const struct frame *frame,
                   const struct product *product)
{
    const struct matrix_code *code = product->op->matrix;
    bool was_written = false;

    for (uint32_t r = 0; r < code->d_count; r++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            struct head *head = head_of(product->frames[lane], code->d[r]);
            bool undefined = head->undefined >> lane & 1;
            was_written = was_written || !undefined;
            if (undefined && undefined_is_pending(head->origin))
                head->undefined &= ~(UINT32_C(1) << lane);
        }
    if (was_written)
        spoil(product,
              "a result of wgmma whose registers were written before its wgmma.wait_group");
    note_fenced(state, frame, code->d, code->d_count);
}

/* Makes copies of the product's results defined, unless products of that instruction remain. */
static void define_copies(struct warp *warp, const struct group_state *state,
                          const struct product *product)
{
    const struct frame *frame = frame_of(warp, 0);
    uint32_t origin = undefined_pending(product->op->place);

    for (uint32_t k = 0; k < state->count; k++)
        if (state->products[k].op->place == product->op->place)
            return;
    for (uint32_t r = 0; frame->slots == product->frames[0] && r < frame->code->register_count;
         r++) {
        struct head *head = head_of(frame->slots, frame->code->registers[r]);
        if (head->origin == origin)
            head->undefined = 0;
    }
}

static void complete(struct warp *warp, uint32_t pending)
{
    struct group_state *state = state_of(warp);
    uint32_t count = state->count, kept = 0;
    struct product *done = malloc((count + 1) * sizeof *done);
    uint32_t done_count = 0;

    if (done == NULL)
        raise_out_of_memory(0);
    meet_group(warp, state);
    for (uint32_t k = 0; k < count; k++) {
        struct product product = state->products[k];
        bool is_last = true;
        for (uint32_t later = k + 1; later < count; later++)
            is_last = is_last &&
                      !uses(&state->products[later], product.frames[0], product.op->matrix->d[0]);
        if (!is_due(state, &product, pending))
            continue;
        if (is_last)
            define(state, frame_of(warp, 0), &product);
        done[done_count++] = product;
    }
    for (uint32_t k = 0; k < count; k++)
        if (!is_due(state, &state->products[k], pending))
            state->products[kept++] = state->products[k];
    state->count = kept;
    for (uint32_t k = 0; k < done_count; k++)
        define_copies(warp, state, &done[k]);
    free(done);
}

void group_step(struct warp *warp, const struct op *op, char *const frames[LANES])
{
    switch (op->matrix->step) {
    case STEP_GROUP_MULTIPLY:
        multiply(warp, op, frames);
        break;
    case STEP_GROUP_FENCE:
        fence(state_of(warp), frame_of(warp, 0));
        break;
    case STEP_GROUP_COMMIT:
        state_of(warp)->groups++;
        break;
    case STEP_GROUP_ARRIVE:
        arrive(warp, op->matrix->pending);
        break;
    default:
        complete(warp, op->matrix->pending);
        break;
    }
}
