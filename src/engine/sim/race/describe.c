/* SPDX-License-Identifier: MIT
 *
 * Describes a race: what each side did, and which order is missing between them.
 */
#include "describe.h"

#include "operations.h"
#include "places.h"

#include <stdio.h>

static const char *const scope_names[] = {[SIMT_BLOCK] = "block",
                                          [SIMT_CLUSTER] = "cluster",
                                          [SIMT_DEVICE] = "device",
                                          [SIMT_SYSTEM] = "system"};
_Static_assert(sizeof scope_names / sizeof *scope_names == SIMT_SYSTEM + 1, "a name for each");

/* Fills in the part that describes compiled code. */
static void describe_inlining(const struct simt_place *place, struct race_side *side)
{
    if (place == NULL)
        return;
    side->ptx_line = (int)place->line;
    source_outer(&place->site, side->outer, sizeof side->outer);
}

/* Describes a side's value: the type, and the value of the element in the word around `address`. A
 * word of a longer element is no value. */
static void describe_value(const struct access *access, uintptr_t address, struct race_side *side)
{
    const struct simt_place *place = source_place(source_base + access->place);
    uint32_t bytes = place != NULL && place->element > 0 ? place->element : 4;
    unsigned int shift = bytes < 4 ? 8 * (unsigned int)(address % 4 / bytes * bytes) : 0;
    uint32_t mask = bytes < 4 ? (UINT32_C(1) << 8 * bytes) - 1 : UINT32_MAX;

    side->bytes = bytes < 4 ? bytes : 4;
    side->is_float = bytes == 4 && place != NULL && place->is_float;
    side->before_known = side->before_known && bytes <= 4;
    side->after_known = side->after_known && bytes <= 4;
    side->before = side->before >> shift & mask;
    side->after = side->after >> shift & mask;
}

/* Returns the block, and sets the thread, that made the access or issued the operation. */
static const struct block_record *author(const struct access *access, uint32_t *thread)
{
    *thread = is_operation(access) ? operation_thread(access) : access->thread;
    return &order_blocks[is_operation(access) ? operation_block(access) : access->block];
}

static unsigned int described_kind(const struct access *access)
{
    if (access->kind & ACCESS_ATOMIC)
        return ACCESS_ATOMIC | (access->kind & ACCESS_ASYNC);
    if (is_end(access))
        return ACCESS_EXIT;
    return access->kind & (ACCESS_WRITE | ACCESS_VOLATILE | ACCESS_ASYNC);
}

/* Returns the host's launch of the grid, or of its ancestor. */
static uint32_t launch_of(const struct race_grid *grid)
{
    while (grid->parent != NULL)
        grid = grid->parent;
    return (uint32_t)grid->serial;
}

static void describe_side(const struct access *access, struct race_side *side)
{
    uint32_t thread;
    const struct block_record *record = author(access, &thread);
    const struct extent *block = &record->grid->block;
    const void *place = source_base + access->place;

    snprintf(side->kernel, sizeof side->kernel, "%s", record->grid->kernel);
    side->grid = record->grid->serial;
    side->launch = launch_of(record->grid);
    side->block = record->index;
    side->number = thread;
    side->thread = (struct extent){thread % block->x, thread / block->x % block->y,
                                   thread / block->x / block->y};
    side->access = described_kind(access);
    if (access->kind & ACCESS_ATOMIC)
        snprintf(side->scope, sizeof side->scope, "%s", scope_names[kind_scope(access->kind)]);
    describe_inlining(source_place(place), side);
    if (!source_line(place, side->file, sizeof side->file, &side->line))
        side->line = 0;
}

/* Returns the grid, among `grid` and its ancestors, that `ancestor` launched. Null: none. */
static const struct race_grid *child_towards(const struct race_grid *ancestor,
                                             const struct race_grid *grid)
{
    while (grid != NULL && grid->parent != ancestor)
        grid = grid->parent;
    return grid;
}

static void describe_in_block(const struct race_pair *found, char *text, size_t size)
{
    const struct access *a = &found->first, *b = &found->second;
    const struct extent *block = &order_blocks[a->block].index;
    bool lanes = a->thread / SIMT_WARP_LANES == b->thread / SIMT_WARP_LANES;
    const char *why = "";

    if (a->epoch < b->epoch) {
        snprintf(text, size,
                 "thread %u of block (%u,%u,%u) had exited before the others reached the barrier, "
                 "and a barrier orders only the threads that reach it",
                 a->thread, block->x, block->y, block->z);
        return;
    }
    if (lanes && order_model == MODEL_LOCKSTEP)
        why = a->time == b->time
                  ? ": both are in one step of their warp"
                  : ": steps of a warp order volatile and atomic accesses, not plain ones";
    else if ((a->kind | b->kind) & ACCESS_ATOMIC)
        why = ": without fences on both sides an atomic access orders nothing";
    else if ((a->kind | b->kind) & ACCESS_VOLATILE)
        why = ": volatile accesses are not ordered between threads";
    snprintf(text, size,
             "no barrier%s orders these two accesses, by threads %u and %u of block (%u,%u,%u)%s",
             lanes ? " and no __syncwarp()" : "", a->thread, b->thread, block->x, block->y,
             block->z, why);
}

static void describe_between_grids(const struct race_pair *found, char *text, size_t size)
{
    const struct access *a = &found->first;
    const struct block_record *first = &order_blocks[a->block];
    const struct block_record *second = &order_blocks[found->second.block];
    const struct race_grid *child = child_towards(first->grid, second->grid);

    if (child != NULL && child->parent_block == a->block && a->thread == child->parent_thread) {
        snprintf(
            text, size,
            "thread %u makes its access after it launched the child grid, with no wait for that "
            "grid in between",
            a->thread);
    } else if (child != NULL && child->parent_block == a->block) {
        snprintf(text, size,
                 "a child grid sees what its launching thread, %u, did before the launch, but no "
                 "barrier orders the access of thread %u before that launch",
                 child->parent_thread, a->thread);
    } else if (child != NULL) {
        const struct extent *launching = &order_blocks[child->parent_block].index;
        snprintf(text, size,
                 "the child grid was launched by block (%u,%u,%u), which is not ordered with block "
                 "(%u,%u,%u): only a tail launch runs after its whole parent grid",
                 launching->x, launching->y, launching->z, first->index.x, first->index.y,
                 first->index.z);
    } else if (child_towards(second->grid, first->grid) != NULL) {
        snprintf(text, size, "no thread has waited for the child grid");
    } else if (first->grid->parent == NULL && second->grid->parent == NULL) {
        snprintf(text, size,
                 "nothing orders these two launches: they are in different streams, and the second "
                 "waits for no event after the first");
    } else {
        snprintf(text, size,
                 "nothing orders these two grids: they are in different streams or "
                 "were launched by different blocks");
    }
}

/* Describes a race with an operation. */
static void describe_operation(const struct race_pair *found, char *text, size_t size)
{
    const struct access *a = &found->first, *b = &found->second;

    if (found->unfenced && b->kind & ACCESS_ATOMIC)
        snprintf(text, size,
                 "the asynchronous operation signals the mbarrier in the async proxy: "
                 "fence.mbarrier_init or fence.proxy.async is missing after its initialization");
    else if (found->unfenced)
        snprintf(text, size,
                 "the write is in the generic proxy and the %s in the async proxy: "
                 "fence.proxy.async is missing between them",
                 b->kind & ACCESS_WRITE ? "other write" : "read");
    else if (is_operation(a))
        snprintf(text, size,
                 "an asynchronous operation makes the first access, and nothing before the second "
                 "waits until it is complete");
    else
        snprintf(text, size,
                 "an asynchronous operation makes the second access, and nothing orders the first "
                 "before its issue");
}

static void describe_end(const struct race_pair *found, char *text, size_t size)
{
    const struct access *a = is_end(&found->first) ? &found->second : &found->first;
    const struct access *end = is_end(&found->first) ? &found->first : &found->second;
    const struct extent *block = &order_blocks[end->block].index;

    snprintf(text, size,
             "shared memory exists until its block ends, and block (%u,%u,%u) does not wait for "
             "this access%s",
             block->x, block->y, block->z,
             is_operation(a) ? " of an asynchronous operation"
                             : ": a cluster barrier is missing before the end of the kernel");
}

static void describe_missing(const struct race_pair *found, char *text, size_t size)
{
    const struct access *a = &found->first, *b = &found->second;
    const struct block_record *first = &order_blocks[a->block], *second = &order_blocks[b->block];

    if (is_end(a) || is_end(b))
        describe_end(found, text, size);
    else if (cells_break_constancy(a, b))
        snprintf(text, size, "%s",
                 (b->kind & ACCESS_TEXTURE) == ACCESS_TEXTURE
                     ? "a texture or surface may not read what its own grid has written"
                     : "ld.global.nc needs memory that the grid does not write");
    else if (a->kind & b->kind & ACCESS_ATOMIC)
        snprintf(text, size,
                 (a->kind ^ b->kind) & ACCESS_ASYNC
                     ? "atomic accesses in the generic and the async proxy are not atomic together"
                 : a->size != b->size
                     ? "atomic accesses of different sizes are not atomic together"
                     : "the scope of an atomic access does not include the other thread");
    else if (is_operation(a) || is_operation(b))
        describe_operation(found, text, size);
    else if (a->block == b->block)
        describe_in_block(found, text, size);
    else if (first->grid != second->grid)
        describe_between_grids(found, text, size);
    else if (first->cluster == second->cluster)
        snprintf(text, size,
                 "no cluster barrier orders blocks (%u,%u,%u) and (%u,%u,%u) of one cluster%s",
                 first->index.x, first->index.y, first->index.z, second->index.x, second->index.y,
                 second->index.z,
                 (a->kind | b->kind) & ACCESS_ATOMIC
                     ? ", and an atomic access orders nothing without fences on both sides"
                     : "");
    else
        snprintf(text, size,
                 "nothing orders blocks (%u,%u,%u) and (%u,%u,%u) of one grid, because a barrier "
                 "orders only the threads of its block%s",
                 first->index.x, first->index.y, first->index.z, second->index.x, second->index.y,
                 second->index.z,
                 (a->kind | b->kind) & ACCESS_ATOMIC
                     ? ", and an atomic access orders nothing without fences on both sides"
                     : "");
}

/* Returns what the two accesses do, in the order of the program. */
static enum race_hazard hazard_of(const struct race_pair *found)
{
    const struct access *first = found->is_backward ? &found->second : &found->first;
    const struct access *second = found->is_backward ? &found->first : &found->second;
    const unsigned int writes = ACCESS_WRITE | ACCESS_ATOMIC;

    return !(first->kind & writes)    ? HAZARD_READ_WRITE
           : !(second->kind & writes) ? HAZARD_WRITE_READ
                                      : HAZARD_WRITE_WRITE;
}

static enum race_relation relation_between(const struct race_pair *found)
{
    uint32_t threads[2];
    const struct block_record *a = author(&found->first, &threads[0]);
    const struct block_record *b = author(&found->second, &threads[1]);

    return found->unfenced                                                ? RELATION_PROXIES
           : a->grid != b->grid                                           ? RELATION_GRIDS
           : a != b                                                       ? RELATION_BLOCKS
           : threads[0] / SIMT_WARP_LANES != threads[1] / SIMT_WARP_LANES ? RELATION_WARPS
                                                                          : RELATION_LANES;
}

void describe_race(const struct race_pair *found, struct race *described)
{
    *described = (struct race){.count = found->count,
                               .strong = found->strong,
                               .same_value = !found->strong && found->same};
    describe_side(&found->first, &described->first);
    describe_side(&found->second, &described->second);
    described->first.before_known = found->before_known;
    described->first.before = found->before;
    described->first.after_known = found->after_known;
    described->first.after = found->after;
    described->second.before_known = (found->second.kind & ACCESS_WRITE) != 0;
    described->second.before = found->second_before;
    described->second.after_known = !(found->second.kind & ACCESS_ATOMIC);
    described->second.after =
        found->second.kind & ACCESS_WRITE ? found->second_after : found->second_before;
    describe_value(&found->first, found->address, &described->first);
    describe_value(&found->second, found->address, &described->second);
    described->element = found->element;
    array_element_text(&found->element, described->place, sizeof described->place);
    described->shares = found->shares;
    described->relation = relation_between(found);
    described->hazard = hazard_of(found);
    describe_missing(found, described->missing, sizeof described->missing);
}
