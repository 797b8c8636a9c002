/* SPDX-License-Identifier: MIT */
#include "frames.h"

#include "async.h"
#include "cluster.h"
#include "faults.h"
#include "group.h"

#include <stdlib.h>
#include <string.h>

static void fill_word(char *slots, uint32_t slot, uint32_t value)
{
    uint32_t *to = (uint32_t *)(void *)(slots + slot);

    for (uint32_t l = 0; l < LANES; l++)
        to[l] = value;
}

/* Returns the value of a special register that all threads of a warp have in common. */
static uint32_t uniform_special(const struct warp *warp, enum special special)
{
    const struct block *block = warp->block;
    const struct grid *grid = block->grid;

    switch (special) {
    case SPECIAL_NTID_X:
        return grid->block.x;
    case SPECIAL_NTID_Y:
        return grid->block.y;
    case SPECIAL_NTID_Z:
        return grid->block.z;
    case SPECIAL_CTAID_X:
        return block->index.x;
    case SPECIAL_CTAID_Y:
        return block->index.y;
    case SPECIAL_CTAID_Z:
        return block->index.z;
    case SPECIAL_NCTAID_X:
        return grid->extent.x;
    case SPECIAL_NCTAID_Y:
        return grid->extent.y;
    case SPECIAL_NCTAID_Z:
        return grid->extent.z;
    case SPECIAL_DYNAMIC_SHARED:
        return grid->shared_bytes;
    case SPECIAL_TOTAL_SHARED:
        return grid->code->shared_bytes + grid->shared_bytes;
    case SPECIAL_ALL_SHARED:
        return grid->code->shared_bytes + grid->shared_bytes + RESERVED_SHARED;
    case SPECIAL_WORKSPACE_LOW:
        return (uint32_t)grid->workspace;
    case SPECIAL_WORKSPACE_HIGH:
        return (uint32_t)(grid->workspace >> 32);
    case SPECIAL_GROUP_BARRIER:
        return BARRIERS + warp->number / GROUP_WARPS;
    default:
        return 0;
    }
}

/* Fills special registers that do not change during the life of the thread. */
static void fill_special(const struct warp *warp, char *slots, const struct special_slot *special)
{
    const struct block *block = warp->block;
    const struct extent *b = &block->grid->block;
    uint32_t *to = (uint32_t *)(void *)(slots + special->slot);

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
    if (special->special < SPECIAL_LANEID || special->special > SPECIAL_LANEMASK_GE) {
        fill_word(slots, special->slot, uniform_special(warp, special->special));
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
    raise_out_of_memory(0);
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

void leave_frame(struct frame *frame, uint32_t lanes)
{
    struct function_code *code = (struct function_code *)(uintptr_t)frame->code;

    frame->lanes &= ~lanes;
    if (frame->lanes != 0)
        return;
    frame->outer = code->free_frames;
    code->free_frames = frame;
}

void start_warp(struct warp *warp, struct block *block, uint32_t number)
{
    uint32_t left = block->threads - number * LANES;
    struct frame *frame;

    warp->block = block;
    warp->number = number;
    warp->alive = warp->lanes = left >= LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    warp->party_count = 0;
    warp->ended = NULL;
    warp->steps = 1; /* because the times of race.h start at 1 */
    memset(warp->errors, 0, sizeof warp->errors);
    memset(warp->allocations, 0, sizeof warp->allocations);
    warp->looks = warp->slices = 0;
    warp->polls = false;
    memset(warp->kept, 0, sizeof warp->kept);
    warp->fenced = 0;
    memset(warp->meetings, 0, sizeof warp->meetings);
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
