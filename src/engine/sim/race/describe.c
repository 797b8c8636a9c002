/* SPDX-License-Identifier: MIT
 *
 * Describes a race: what each side did, and which order is missing between them.
 */
#include "describe.h"

#include "operations.h"
#include "places.h"

#include <stdio.h>
#include <string.h>

static const char *const scope_names[] = {[SIMT_BLOCK] = "block",
                                          [SIMT_CLUSTER] = "cluster",
                                          [SIMT_DEVICE] = "device",
                                          [SIMT_SYSTEM] = "system"};
_Static_assert(sizeof scope_names / sizeof *scope_names == SIMT_SYSTEM + 1, "a name for each");

/* Returns the memory ordering that the access has in the PTX, or null. */
static const char *semantics_of(const struct access *access)
{
    const struct simt_place *place = source_place(source_base + access->place);

    return place != NULL ? place->semantics : NULL;
}

/* Writes the line of an access. Returns the text. */
static const char *line_of(const struct access *access, char text[SOURCE_LINE])
{
    char file[SOURCE_FILE];
    int line = 0;

    if (source_line(source_base + access->place, file, sizeof file, &line))
        snprintf(text, SOURCE_LINE, "%s:%d", file, line);
    else
        snprintf(text, SOURCE_LINE, "an unknown line");
    return text;
}

static bool is_volatile(const struct access *access)
{
    return (access->kind & ACCESS_VOLATILE) && semantics_of(access) == NULL;
}

/* Fills in the part that describes compiled code. */
static void describe_inlining(const struct simt_place *place, struct race_side *side)
{
    if (place == NULL)
        return;
    side->ptx_line = (int)place->line;
    source_outer(&place->site, side->outer, sizeof side->outer);
    source_library(&place->site, side->library, sizeof side->library);
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
    return (access->kind & (ACCESS_WRITE | ACCESS_ASYNC)) |
           (is_volatile(access) ? ACCESS_VOLATILE : 0);
}

/* Returns the host's launch of the grid, or of its ancestor. */
static uint32_t launch_of(const struct race_grid *grid)
{
    while (grid->parent != NULL)
        grid = grid->parent;
    return grid->launch;
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
    if (semantics_of(access) != NULL)
        snprintf(side->semantics, sizeof side->semantics, "%s", semantics_of(access));
    if (side->semantics[0] != '\0' || (access->kind & ACCESS_ATOMIC))
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

/* An order, and the numbers of its sentence. */
struct order {
    enum fault_sentence lacks;
    int64_t numbers[FAULT_NUMBERS];
};

#define ORDER(says, ...) ((struct order){SAYS_##says, {__VA_ARGS__}})
#define INDEX(block) (block).x, (block).y, (block).z

static struct order lacks_in_block(const struct race_pair *found)
{
    const struct access *a = &found->first, *b = &found->second;
    bool lanes = a->thread / SIMT_WARP_LANES == b->thread / SIMT_WARP_LANES;
    enum fault_sentence lacks = lanes ? SAYS_NO_SYNCWARP : SAYS_NO_BARRIER;

    if (a->epoch < b->epoch)
        lacks = SAYS_HAD_EXITED;
    else if (lanes && order_model == MODEL_LOCKSTEP)
        lacks = a->time == b->time ? SAYS_ONE_STEP : SAYS_PLAIN_STEPS;
    else if (((a->kind | b->kind) & ACCESS_ATOMIC) || semantics_of(a) != NULL ||
             semantics_of(b) != NULL)
        lacks = lanes ? SAYS_NO_SYNCWARP_ATOMIC : SAYS_NO_BARRIER_ATOMIC;
    else if ((a->kind | b->kind) & ACCESS_VOLATILE)
        lacks = lanes ? SAYS_NO_SYNCWARP_VOLATILE : SAYS_NO_BARRIER_VOLATILE;
    return (struct order){lacks, {a->thread, b->thread, INDEX(order_blocks[a->block].index)}};
}

static struct order lacks_between_grids(const struct race_pair *found)
{
    const struct access *a = &found->first;
    const struct block_record *first = &order_blocks[a->block];
    const struct block_record *second = &order_blocks[found->second.block];
    const struct race_grid *child = child_towards(first->grid, second->grid);

    if (child != NULL && child->parent_block != a->block)
        return ORDER(LAUNCHED_BY_BLOCK, INDEX(order_blocks[child->parent_block].index),
                     INDEX(first->index));
    if (child != NULL)
        return a->thread == child->parent_thread
                   ? ORDER(LAUNCHER_GOES_ON, a->thread)
                   : ORDER(BESIDE_LAUNCHER, a->thread, child->parent_thread);
    if (child_towards(second->grid, first->grid) != NULL)
        return ORDER(CHILD_NOT_WAITED_FOR, 0);
    return first->grid->parent == NULL && second->grid->parent == NULL ? ORDER(TWO_LAUNCHES, 0)
                                                                       : ORDER(TWO_GRIDS, 0);
}

static enum fault_sentence lacks_with_operation(const struct race_pair *found)
{
    const struct access *b = &found->second;

    if (!found->unfenced)
        return is_operation(&found->first) ? SAYS_OPERATION_FIRST
               : operation_needs_fence(&found->first, b) && !(b->kind & ACCESS_ATOMIC)
                   ? SAYS_OPERATION_AFTER_WRITE
                   : SAYS_OPERATION_SECOND;
    return b->kind & ACCESS_ATOMIC  ? SAYS_SIGNAL_UNFENCED
           : b->kind & ACCESS_WRITE ? SAYS_WRITE_UNFENCED
                                    : SAYS_READ_UNFENCED;
}

static struct order lacks_at_end(const struct access *a, const struct access *end)
{
    return (struct order){is_operation(a) ? SAYS_BLOCK_LEAVES_OPERATION : SAYS_BLOCK_DOES_NOT_WAIT,
                          {INDEX(order_blocks[end->block].index)}};
}

static struct order lacks_between_blocks(const struct race_pair *found)
{
    const struct access *a = &found->first, *b = &found->second;
    const struct block_record *first = &order_blocks[a->block], *second = &order_blocks[b->block];
    bool atomic = ((a->kind | b->kind) & ACCESS_ATOMIC) != 0;
    enum fault_sentence lacks =
        first->cluster == second->cluster
            ? atomic ? SAYS_NO_CLUSTER_BARRIER_ATOMIC : SAYS_NO_CLUSTER_BARRIER
        : atomic                             ? SAYS_NO_GRID_ORDER_ATOMIC
        : (a->kind & b->kind & ACCESS_WRITE) ? SAYS_TWO_BLOCKS_WRITE
                                             : SAYS_NO_GRID_ORDER;

    return (struct order){lacks, {0}};
}

/* Returns the order that is missing between the accesses. */
static struct order lacks(const struct race_pair *found)
{
    const struct access *a = &found->first, *b = &found->second;

    if (is_end(a) || is_end(b))
        return is_end(a) ? lacks_at_end(b, a) : lacks_at_end(a, b);
    if (cells_break_constancy(a, b))
        return (b->kind & ACCESS_TEXTURE) == ACCESS_TEXTURE ? ORDER(TEXTURE_CONSTANT, 0)
                                                            : ORDER(LOAD_CONSTANT, 0);
    if (a->kind & b->kind & ACCESS_ATOMIC)
        return (a->kind ^ b->kind) & ACCESS_ASYNC ? ORDER(ATOMICS_OF_PROXIES, 0)
               : a->size != b->size               ? ORDER(ATOMICS_OF_SIZES, 0)
                                                  : ORDER(ATOMICS_OF_SCOPES, 0);
    if (is_operation(a) || is_operation(b))
        return (struct order){lacks_with_operation(found), {0}};
    if (a->block == b->block)
        return lacks_in_block(found);
    if (order_blocks[a->block].grid != order_blocks[b->block].grid)
        return lacks_between_grids(found);
    return lacks_between_blocks(found);
}

/* Writes which flag was to order the accesses, and what is missing so that it does. */
static void describe_flag(const struct race_pair *found, char *text, size_t size)
{
    static const char *const lacks[] = {
        [FLAG_LACKS_BOTH] = " before the write and after the read is missing",
        [FLAG_LACKS_RELEASE] = " before the write, or a release, is missing",
        [FLAG_LACKS_ACQUIRE] = " after the read, or an acquire, is missing",
        [FLAG_LACKS_WRITE_SCOPE] = ": the scope of the write, or of the fence before it,",
        [FLAG_LACKS_READ_SCOPE] = ": the scope of the read",
        [FLAG_LACKS_FENCE_SCOPE] = ": the scope of the fence after the read"};
    const struct flag *flag = &found->flag;
    const struct access *idle = flag->lacks == FLAG_LACKS_RELEASE ? &flag->write : &flag->read;
    bool is_narrow = flag->lacks > FLAG_LACKS_ACQUIRE;
    char place[96], written[SOURCE_LINE], read[SOURCE_LINE];

    if (flag->lacks == FLAG_LACKS_NOTHING)
        return;
    snprintf(text, size, "%s, written at %s and read at %s, does not order the two accesses%s%s%s",
             array_element_text(&flag->element, place, sizeof place),
             line_of(&flag->write, written), line_of(&flag->read, read),
             is_narrow                               ? ""
             : flag->write.block == flag->read.block ? ": __threadfence_block()"
                                                     : ": __threadfence()",
             lacks[flag->lacks],
             is_narrow           ? " does not include the other thread"
             : is_volatile(idle) ? ", and volatile accesses order nothing"
                                 : ", and relaxed accesses order nothing");
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
    const struct order missing = lacks(found);

    *described = (struct race){.count = found->count,
                               .strong = found->strong,
                               .same_value = !found->strong && found->same};
    describe_side(&found->first, &described->first);
    describe_side(&found->second, &described->second);
    described->first.before_known = found->before_known;
    described->first.before = found->before;
    described->first.after_known = found->after_known;
    described->first.after = found->after;
    described->second.before_known = found->second_known && (found->second.kind & ACCESS_WRITE);
    described->second.before = found->second_before;
    described->second.after_known = found->second_known && !(found->second.kind & ACCESS_ATOMIC);
    described->second.after =
        found->second.kind & ACCESS_WRITE ? found->second_after : found->second_before;
    describe_value(&found->first, found->address, &described->first);
    describe_value(&found->second, found->address, &described->second);
    described->element = found->element;
    described->shares = found->shares;
    described->relation = relation_between(found);
    described->hazard = hazard_of(found);
    described->lacks = missing.lacks;
    memcpy(described->numbers, missing.numbers, sizeof missing.numbers);
    if (!found->strong &&
        (described->relation == RELATION_WARPS || described->relation == RELATION_BLOCKS))
        describe_flag(found, described->flag, sizeof described->flag);
    race_render(described);
}
