/* SPDX-License-Identifier: MIT
 *
 * Accesses of a warp: address resolution, checks, and data movement.
 */
#include "access.h"

#include "arrays.h"
#include "cluster.h"
#include "counters.h"
#include "faults.h"
#include "heap.h"
#include "place_names.h"
#include "policy.h"
#include "races.h"
#include "snapshot.h"
#include "undefined.h"

#include "module.h"
#include "source_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static inline void read_addresses(const char *slots, const struct op *op, uint32_t lanes,
                                  uint64_t at[LANES])
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint64_t offset = (uint64_t)op->offset;

    if (is_one(lanes)) {
        const void *a = slots + op->a;
        at[first] = op->is_wide ? ((const uint64_t *)a)[first] + offset
                                : ((const uint32_t *)a)[first] + offset;
        if (op->space == SPACE_SHARED)
            at[first] = (uint32_t)at[first];
        return;
    }
    if (op->is_wide) {
        const uint64_t *a = (const uint64_t *)(const void *)(slots + op->a);
        for (uint32_t l = 0; l < LANES; l++)
            at[l] = a[l] + offset;
    } else {
        const uint32_t *a = (const uint32_t *)(const void *)(slots + op->a);
        for (uint32_t l = 0; l < LANES; l++)
            at[l] = a[l] + offset;
    }
    if (op->space == SPACE_SHARED)
        for (uint32_t l = 0; l < LANES; l++)
            at[l] = (uint32_t)at[l];
    if (lanes != UINT32_MAX)
        for (uint32_t l = 0; l < LANES; l++)
            at[l] = lanes >> l & 1 ? at[l] : at[first];
}

/* ---- Where ---- */

static bool is_shared(const struct op *op, uint64_t address)
{
    return op->space == SPACE_SHARED || (op->space == SPACE_GENERIC && is_shared_address(address));
}

/* Returns true for a generic address that another block has made. */
static bool is_foreign(const struct block *block, const struct op *op, uint64_t address)
{
    return op->space == SPACE_GENERIC && address >> 32 != block->window >> 32;
}

/* Returns false for another block's shared memory that has gone, that is in no block of the
 * cluster, or that the instruction does not access. */
static bool may_reach(const struct block *block, const struct op *op, uint64_t address)
{
    const struct block *owner = cluster_owner(block, address);

    return owner == block || (owner != NULL && (op->space == SPACE_GENERIC || op->in_cluster));
}

static struct region *region_at(const struct block *block, const struct op *op, uint64_t address)
{
    static struct region none;
    uint64_t number;

    if (is_shared(op, address)) {
        number = (uint32_t)address >> SHARED_SHIFT;
        if (unlikely(number >= block->region_count || is_foreign(block, op, address))) {
            block = may_reach(block, op, address) ? cluster_owner(block, address) : NULL;
            number = ((uint32_t)address & ~RANK_BITS) >> SHARED_SHIFT;
        }
        return block != NULL && number < block->region_count ? &block->regions[number] : &none;
    }
    number = (address - GLOBAL_BASE) >> GLOBAL_SHIFT;
    return likely(number < GLOBAL_REGIONS) ? &machine.regions[number] : arrays_find(address);
}

/* Returns the address of a region, as an instruction writes it that accesses `address` there. */
static uint64_t low_of(const struct region *region, uint64_t address)
{
    return region->low +
           (region->is_shared ? address & ~((UINT64_C(1) << RANK_SHIFT) - 1) : UINT64_C(0));
}

static bool is_private(const struct op *op, uint64_t address)
{
    uint64_t window = address >> 40;

    return op->space == SPACE_LOCAL || op->space == SPACE_PARAM ||
           (op->space != SPACE_SHARED &&
            (window == LOCAL_WINDOW_BASE >> 40 || window == PARAMETER_WINDOW_BASE >> 40 ||
             window == CHILD_WINDOW_BASE >> 40));
}

static bool writes(const struct op *op)
{
    return (op->access & ACCESS_WRITE) != 0;
}

static enum fault_kind stray_kind(const struct op *op)
{
    return writes(op) ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ;
}

/* Returns the nearest array of shared memory: the second half of a window is before the next one.
 */
static const struct region *nearest_shared(const struct region *region, const struct op *op,
                                           uint64_t address)
{
    const struct region *next =
        region_at(machine.block, op, address + (UINT64_C(1) << (SHARED_SHIFT - 1)));

    return next->host != NULL ? next : region;
}

static _Noreturn void raise_stray(const struct op *op, const struct region *region, uint32_t lane,
                                  uint64_t address, uint32_t bytes)
{
    enum fault_kind kind = stray_kind(op);
    struct array_element element;

    if (is_shared(op, address)) {
        if (!may_reach(machine.block, op, address))
            cluster_raise_stray(machine.block, op, lane, address, writes(op), bytes);
        region = nearest_shared(region, op, address);
        address = (uint32_t)address & ~RANK_BITS;
    }
    heap_check_freed(region, lane, writes(op), bytes);
    arrays_check_freed(region, lane, writes(op), bytes);
    if (region->host == NULL)
        raise_fault(kind, lane, SAYS_OUTSIDE_ARRAYS, .writes = writes(op), .bytes = bytes,
                    .numbers = {(int64_t)address});
    heap_check_bounds(region, kind, lane, writes(op), bytes, (int64_t)(address - region->low));
    name_index(region, (int64_t)(address - region->low), op->place, &element);
    raise_fault(kind, lane, SAYS_OUTSIDE_ELEMENTS, .writes = writes(op), .bytes = bytes,
                .element = &element);
}

/* Call before each write. */
static void check_writable(struct region *region, uint32_t lane, uint64_t offset)
{
    struct array_element element;

    if (likely(region->is_writable && region->snapshot >= machine.snapshot))
        return;
    if (region->is_writable || is_copy(machine.block)) {
        if (region->snapshot < machine.snapshot)
            snapshot_save(region);
        return;
    }
    name_index(region, (int64_t)offset, NULL, &element);
    if (region->is_constant) {
        element.index = (int64_t)offset;
        raise_fault(FAULT_READ_ONLY, lane, SAYS_WRITES_CONSTANT, .writes = true,
                    .element = &element);
    }
    raise_fault(FAULT_READ_ONLY, lane, SAYS_WRITES_INPUT, .writes = true, .element = &element);
}

static _Noreturn void raise_misaligned(const struct op *op, uint32_t lane, uint64_t address,
                                       uint32_t bytes)
{
    const struct region *region = region_at(machine.block, op, address);
    struct array_element element;

    if (is_private(op, address) || region->host == NULL)
        raise_fault(FAULT_MISALIGNED, lane, SAYS_NOT_ALIGNED, .writes = writes(op), .bytes = bytes);
    name_element(region, address - low_of(region, address), op->place, &element);
    raise_fault(FAULT_MISALIGNED, lane, SAYS_ELEMENT_NOT_ALIGNED, .writes = writes(op),
                .bytes = bytes, .element = &element);
}

void check_tile(const struct op *op, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const struct region *region = region_at(machine.block, op, address);
    struct array_element element;

    if (likely(address % bytes == 0) || region->host == NULL)
        return; /* the access itself raises a fault for a wrong address */
    name_element(region, address - low_of(region, address), op->place, &element);
    raise_fault(FAULT_MISALIGNED, lane, SAYS_MATRIX_NOT_ALIGNED, .writes = writes(op),
                .bytes = bytes, .element = &element);
}

/* Groups the lanes whose accesses are in the same array as the first lane's. Raises a fault if that
 * access is in no array. */
static void find_group(const struct block *block, const struct op *op, const uint64_t at[LANES],
                       uint32_t lanes, struct group *group)
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes), bytes = (uint32_t)op->bytes * op->count;
    struct region *region = region_at(block, op, at[first]);
    uint64_t limit = region->bytes - bytes, over = 0, apart = 0, astray = 0;

    group->region = region;
    group->bytes = bytes;
    group->lanes = lanes;
    if (unlikely(region->host == NULL || region->bytes < bytes))
        raise_stray(op, region, first, at[first], bytes);
    uint64_t low = low_of(region, at[first]);
    if (is_one(lanes)) {
        uint64_t offset = at[first] - low;
        group->offsets[first] = offset;
        group->is_contiguous = false;
        if (unlikely((int64_t)(offset | (limit - offset)) < 0))
            raise_stray(op, region, first, at[first], bytes);
        if (unlikely((at[first] & (bytes - 1)) != 0))
            raise_misaligned(op, first, at[first], bytes);
        return;
    }
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t offset = at[l] - low;
        group->offsets[l] = offset;
        over |= offset | (limit - offset);
        astray |= at[l];
        apart |= offset - group->offsets[0] - l * bytes;
    }
    group->is_contiguous = apart == 0 && lanes == UINT32_MAX;
    if (unlikely((int64_t)over < 0)) {
        group->is_contiguous = false; /* some lanes leave the group */
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            if ((int64_t)(group->offsets[l] | (limit - group->offsets[l])) >= 0)
                continue;
            if (l == first)
                raise_stray(op, region, l, at[l], bytes);
            group->lanes &= ~(left & -left);
        }
    }
    if (unlikely((astray & (bytes - 1)) != 0)) {
        for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            if (at[l] & (bytes - 1))
                raise_misaligned(op, l, at[l], bytes);
        }
    }
}

/* Counts an access of these lanes, except for lanes whose memory is private. */
static void count(struct warp *warp, const struct op *op, const uint64_t at[LANES], uint32_t lanes)
{
    uint32_t shared = 0, global = 0;

    for (uint32_t left = op->a != 0 ? lanes : 0; left != 0; left &= left - 1) {
        uint64_t address = at[__builtin_ctz(left)];
        if (is_private(op, address))
            continue;
        if (region_at(warp->block, op, address)->is_shared)
            shared |= left & -left;
        else
            global |= left & -left;
    }
    count_access(warp, (op->access & ACCESS_WRITE) != 0, at, (uint32_t)op->bytes * op->count,
                 global, shared);
}

/* ---- Private memory: a thread's local arrays, and the kernel's parameters ---- */

static char *private_bytes(struct warp *warp, const struct frame *frame, const struct op *op,
                           uint32_t lane, uint64_t address, uint32_t bytes, uint8_t **written)
{
    const struct grid *grid = warp->block->grid;
    uint64_t offset = address - local_window(warp, lane);

    if (address >> 40 == CHILD_WINDOW_BASE >> 40) {
        offset = address - CHILD_WINDOW_BASE;
        *written = NULL;
        if (warp->children[lane] != NULL && offset < sizeof warp->children[lane]->parameters &&
            bytes <= sizeof warp->children[lane]->parameters - offset)
            return (char *)warp->children[lane]->parameters + offset;
        raise_fault(stray_kind(op), lane, SAYS_OUTSIDE_CHILD_PARAMETERS, .writes = writes(op),
                    .bytes = bytes);
    }
    if (op->a == 0)
        offset = frame->local + (uint64_t)op->offset;
    else if (address >> 40 == PARAMETER_WINDOW_BASE >> 40) {
        offset = address - PARAMETER_WINDOW_BASE;
        *written = NULL;
        if (offset + bytes <= grid->code->parameter_bytes && !(op->access & ACCESS_WRITE))
            return (char *)grid->parameters + offset;
        if (op->access & ACCESS_WRITE)
            raise_fault(FAULT_OUT_OF_BOUNDS_WRITE, lane, SAYS_WRITES_PARAMETERS, .writes = true,
                        .bytes = bytes);
        raise_fault(FAULT_OUT_OF_BOUNDS_READ, lane, SAYS_OUTSIDE_PARAMETERS, .bytes = bytes);
    } else if (address >> 40 == LOCAL_WINDOW_BASE >> 40 &&
               (offset + (1 << (LOCAL_SHIFT - 1))) >> LOCAL_SHIFT != 0)
        raise_fault(stray_kind(op), lane, SAYS_OTHER_LOCAL_MEMORY, .writes = writes(op),
                    .bytes = bytes);
    for (const struct frame *call = frame; call != NULL; call = call->outer)
        for (uint32_t v = 0; v < call->code->local_count; v++) {
            uint64_t low = call->local + call->code->locals[v].offset;
            if (offset >= low && offset - low <= call->code->locals[v].bytes &&
                call->code->locals[v].bytes - (offset - low) >= bytes) {
                *written = warp->local[lane].written + offset;
                return warp->local[lane].bytes + offset;
            }
        }
    raise_fault(stray_kind(op), lane, SAYS_OUTSIDE_LOCAL_ARRAYS, .writes = writes(op),
                .bytes = bytes);
}

/* ---- Moving ---- */

static inline void load_element(char *to, const char *from, const struct op *op)
{
    uint64_t value = 0;
    uint32_t unused = 64 - 8u * op->bytes;

    if (op->bytes == op->to_bytes) {
        copy_bytes(to, from, op->bytes);
        return;
    }
    copy_bytes(&value, from, op->bytes);
    if (op->is_signed)
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    copy_bytes(to, &value, op->to_bytes);
}

/* Returns a mask of the bytes that nothing has written. */
static uint32_t unwritten(const uint8_t *written, uint32_t bytes)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < bytes; i++)
        mask |= (uint32_t)!written[i] << i;
    return mask;
}

static void note_loaded(char *slots, const struct op *op, uint32_t lanes)
{
    for (uint32_t k = 0; k < op->count; k++)
        head_of(slots, op->parts[k])->undefined &= ~lanes;
}

/* Records that a lane loaded bytes that include unwritten ones. */
static void note_unwritten(char *slots, const struct op *op, uint32_t lane, const uint8_t *written,
                           uint32_t origin)
{
    for (uint32_t k = 0; k < op->count; k++) {
        const struct head loaded = {
            .undefined = UINT32_C(1) << lane,
            .origin = origin,
            .bytes = undefined_resized(unwritten(written + k * op->bytes, op->bytes), op->bytes,
                                       op->to_bytes, op->is_signed)};
        note_undefined(slots, op->parts[k], loaded.undefined, &loaded);
    }
}

static void find_undefined(char *slots, const struct op *op, const struct group *group)
{
    const struct region *region = group->region;

    for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        const uint8_t *written = region->written + group->offsets[l];
        if (unwritten(written, group->bytes) != 0)
            note_unwritten(slots, op, l, written,
                           undefined_origin(op->place, region, group->offsets[l], l));
    }
}

static void load_group(char *slots, const struct op *op, const struct group *group)
{
    const char *host = group->region->host;

    if (op->count == 1 && op->bytes == op->to_bytes && group->is_contiguous) {
        memcpy(slots + op->parts[0], host + group->offsets[0], LANES * (size_t)op->bytes);
        return;
    }
    if (op->count == 1 && op->bytes == 4 && op->to_bytes == 4) {
        uint32_t *to = (uint32_t *)(void *)(slots + op->parts[0]);
        for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            memcpy(&to[l], host + group->offsets[l], 4);
        }
        return;
    }
    for (uint32_t k = 0; k < op->count; k++)
        for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            load_element(slots + op->parts[k] + l * op->to_bytes,
                         host + group->offsets[l] + k * op->bytes, op);
        }
}

static void load_private(struct warp *warp, const struct frame *frame, const struct op *op,
                         uint32_t lane, uint64_t address)
{
    uint32_t bytes = (uint32_t)op->bytes * op->count;
    uint8_t *written;
    const char *from = private_bytes(warp, frame, op, lane, address, bytes, &written);

    for (uint32_t k = 0; k < op->count; k++)
        load_element(frame->slots + op->parts[k] + lane * op->to_bytes, from + k * op->bytes, op);
    note_loaded(frame->slots, op, UINT32_C(1) << lane);
    if (written != NULL && unwritten(written, bytes) != 0)
        note_unwritten(frame->slots, op, lane, written, undefined_origin(op->place, NULL, 0, lane));
}

struct region *shared_region(const struct warp *warp, const struct frame *frame,
                             const struct op *op, uint32_t lane, uint64_t *offset)
{
    struct region *region;
    uint64_t at[LANES], address;
    uint64_t bytes = (uint64_t)op->bytes * (op->count > 0 ? op->count : 1);

    if (op->a == 0 || (head_of(frame->slots, op->a)->undefined >> lane & 1))
        return NULL;
    read_addresses(frame->slots, op, UINT32_C(1) << lane, at);
    address = at[lane];
    if (is_private(op, address))
        return NULL;
    region = region_at(warp->block, op, address);
    *offset = address - low_of(region, address);
    return region->host == NULL || region->bytes < bytes || *offset > region->bytes - bytes
               ? NULL
               : region;
}

void load(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    uint64_t at[LANES];
    struct group group;
    uint32_t first_lane = (uint32_t)__builtin_ctz(lanes), used = lanes;

    if (unlikely(op->carry != 0)) /* decode_dropped.c */
        used &= (*(const uint32_t *)(const void *)(frame->slots + op->carry) ^ op->flip_c) |
                head_of(frame->slots, op->carry)->undefined;
    if (unlikely(op->a != 0 && (head_of(frame->slots, op->a)->undefined & lanes) != 0))
        use_undefined(frame->slots, op->a, lanes, "reads at an address");
    if (op->a != 0)
        read_addresses(frame->slots, op, lanes, at);
    if (unlikely(op->is_strong || (op->access & ACCESS_VOLATILE) != 0))
        note_look(warp, first_lane, op, op->a != 0 ? at[first_lane] : 0);
    if (unlikely(machine.counters != NULL))
        count(warp, op, at, lanes);
    for (uint32_t left = op->d2 != 0 ? lanes : 0; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        ((uint64_t *)(void *)(frame->slots + op->d2))[l] = at[l];
    }
    for (uint32_t left = lanes; left != 0; left &= ~group.lanes) {
        uint32_t those = (left & used) != 0 ? left & used : left;
        uint32_t first = (uint32_t)__builtin_ctz(those);
        if (unlikely(op->space != SPACE_SHARED && (op->a == 0 || is_private(op, at[first])))) {
            group.lanes = UINT32_C(1) << first;
            load_private(warp, frame, op, first, op->a == 0 ? 0 : at[first]);
            continue;
        }
        find_group(warp->block, op, at, those, &group);
        if (likely(op->d2 == 0 && (group.lanes & used) != 0))
            check_races(warp, op, &group);
        load_group(frame->slots, op, &group);
        note_loaded(frame->slots, op, group.lanes);
        if (group.region->missing != 0)
            find_undefined(frame->slots, op, &group);
    }
}

void check_chosen(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    uint32_t chosen = *(const uint32_t *)(const void *)(frame->slots + op->c) ^ op->flip_c;

    for (uint32_t k = op->target; k != 0; k = frame->code->ops[k].target) {
        const struct op *load = &frame->code->ops[k];
        const uint64_t *kept = (const uint64_t *)(const void *)(frame->slots + load->d2);
        uint32_t taken = lanes & (chosen ^ load->flip_c);
        uint64_t at[LANES];
        struct group group;
        if (taken == 0)
            continue;
        for (uint32_t l = 0; l < LANES; l++)
            at[l] = kept[taken >> l & 1 ? l : (uint32_t)__builtin_ctz(taken)];
        machine.op = load;
        for (uint32_t left = taken; left != 0; left &= ~group.lanes) {
            group.lanes = left & -left;
            if (load->space != SPACE_SHARED && is_private(load, at[__builtin_ctz(left)]))
                continue;
            find_group(warp->block, load, at, left, &group);
            check_races(warp, load, &group);
        }
    }
    machine.op = op;
}

static void mark_written(struct region *region, uint64_t offset, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        region->missing -= region->written[offset + i] == 0;
        region->written[offset + i] = 1;
    }
}

void note_written(struct region *region, uint64_t offset, uint32_t bytes)
{
    if (region->missing != 0)
        mark_written(region, offset, bytes);
}

void (*access_look)(uint64_t address);

/* Counts strong reads that repeat an earlier read of the lane. A loop that reads new places each
 * time does not wait for one of them. A loop that returns to an earlier place may wait, and all of
 * its reads count. Brent's method finds a cycle of any length: it keeps one place, for twice as
 * many reads each time. */
void note_look(struct warp *warp, uint32_t lane, const struct op *op, uint64_t address)
{
    struct look *kept = &warp->kept[lane];
    bool is_kept = kept->op == op && kept->address == address;

    if (unlikely(access_look != NULL) &&
        (op->scope == SIMT_SYSTEM || (op->access & ACCESS_VOLATILE) != 0))
        access_look(address);
    kept->age++;
    if (is_kept || kept->age < kept->period) {
        warp->looks++;
        if (kept->stores == machine.stores)
            schedule_looks_again();
    }
    if (is_kept) {
        kept->period = kept->age;
        kept->age = 0;
        kept->stores = machine.stores;
    } else if (kept->age < kept->period) {
        return;
    } else if (kept->period > 0) { /* the thread has left the loop */
        *kept = (struct look){op, address, 0, 1, 0, machine.stores};
    } else if (kept->age >= kept->most) {
        *kept = (struct look){op, address, 0, 2 * kept->most + 1, 0, machine.stores};
    }
}

/* Counts a strong write as progress, unless it stores the current value or restores a recent one. A
 * waiting thread may take a lock for a moment, and then have to release it. */
static void note_progress(uint64_t address, uint64_t before, uint64_t after)
{
    static struct {
        uint64_t address, values[2];
    } history[64];
    uint64_t place = (address >> 2) % 64;

    if (before == after)
        return;
    if (history[place].address != address ||
        (history[place].values[0] != after && history[place].values[1] != after))
        machine.progress++;
    if (history[place].address != address) {
        history[place].address = address;
        history[place].values[0] = after;
        history[place].values[1] = before;
    } else if (history[place].values[0] != after && history[place].values[1] != after) {
        history[place].values[1] = history[place].values[0];
        history[place].values[0] = after;
    }
}

static uint64_t word_of(const char *host, uint32_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, host, bytes < sizeof value ? bytes : sizeof value);
    return value;
}

void (*access_signal)(uint64_t address, bool releases);

static void signal_host(const struct op *op, const struct region *region, uint64_t offset,
                        uint32_t lane)
{
    if (access_signal != NULL && !region->is_shared &&
        (op->scope == SIMT_SYSTEM || (op->access & ACCESS_VOLATILE) != 0))
        access_signal(region->low + offset, (machine.warp->fenced >> lane & 1) != 0 ||
                                                op->order == SIMT_RELEASE ||
                                                op->order == SIMT_ACQ_REL);
}

static void store_strongly(const char *slots, const struct op *op, const struct group *group)
{
    for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        for (uint32_t k = 0; k < op->count; k++) {
            const char *host = group->region->host + group->offsets[l] + k * op->bytes;
            note_progress(group->region->low + group->offsets[l] + k * op->bytes,
                          word_of(host, op->bytes),
                          word_of(slots + op->parts[k] + l * op->bytes, op->bytes));
            signal_host(op, group->region, group->offsets[l] + k * op->bytes, l);
        }
    }
}

static void store_group(const char *slots, const struct op *op, const struct group *group)
{
    char *host = group->region->host;

    if (op->count == 1 && group->is_contiguous) {
        memcpy(host + group->offsets[0], slots + op->parts[0], LANES * (size_t)op->bytes);
        if (group->region->missing != 0)
            mark_written(group->region, group->offsets[0], LANES * (uint32_t)op->bytes);
        return;
    }
    for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        for (uint32_t k = 0; k < op->count; k++)
            copy_bytes(host + group->offsets[l] + k * op->bytes,
                       slots + op->parts[k] + l * op->bytes, op->bytes);
        if (group->region->missing != 0)
            mark_written(group->region, group->offsets[l], group->bytes);
    }
}

static void store_private(struct warp *warp, const struct frame *frame, const struct op *op,
                          uint32_t lane, uint64_t address)
{
    uint32_t bytes = (uint32_t)op->bytes * op->count;
    uint8_t *written;
    char *to = private_bytes(warp, frame, op, lane, address, bytes, &written);

    for (uint32_t k = 0; k < op->count; k++) {
        const struct head *head = head_of(frame->slots, op->parts[k]);
        uint32_t undefined = undefined_bytes(head, lane);
        copy_bytes(to + k * op->bytes, frame->slots + op->parts[k] + lane * op->bytes, op->bytes);
        for (uint32_t i = 0; written != NULL && i < op->bytes; i++)
            written[k * op->bytes + i] = !(undefined >> i & 1);
    }
}

/* Marks the bytes that got an undefined value as unwritten. */
static void store_undefined(char *slots, const struct op *op, const struct group *group)
{
    for (uint32_t k = 0; k < op->count; k++) {
        const struct head *head = head_of(slots, op->parts[k]);
        for (uint32_t left = head->undefined & group->lanes; left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left), bytes = undefined_bytes(head, l);
            uint64_t at = group->offsets[l] + k * op->bytes;
            for (uint32_t i = 0; i < op->bytes; i++)
                if (bytes >> i & 1)
                    store_undefined_byte(group->region, at + i, op->place, head->origin, l);
        }
    }
}

/* When races are described, lanes store one after the other. If two lanes write one place, the
 * second is compared with the value that the first stored. */
static void store_in_turn(struct warp *warp, const char *slots, const struct op *op,
                          const struct group *group)
{
    struct group one = *group;

    one.is_contiguous = false;
    for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
        one.lanes = left & -left;
        check_races_within_step(warp, op, &one, left == group->lanes);
        store_group(slots, op, &one);
        if (race_unsettled)
            race_settle();
    }
}

void store(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    uint64_t at[LANES];
    struct group group;
    uint32_t undefined = 0;

    machine.stores++;
    if (unlikely(op->a != 0 && (head_of(frame->slots, op->a)->undefined & lanes) != 0))
        use_undefined(frame->slots, op->a, lanes, "writes at an address");
    for (uint32_t k = 0; k < op->count; k++)
        undefined |= head_of(frame->slots, op->parts[k])->undefined & lanes;
    if (op->a != 0)
        read_addresses(frame->slots, op, lanes, at);
    if (unlikely(machine.counters != NULL))
        count(warp, op, at, lanes);
    for (uint32_t left = lanes; left != 0; left &= ~group.lanes) {
        uint32_t first = (uint32_t)__builtin_ctz(left);
        if (unlikely(op->space != SPACE_SHARED && (op->a == 0 || is_private(op, at[first])))) {
            group.lanes = UINT32_C(1) << first;
            store_private(warp, frame, op, first, op->a == 0 ? 0 : at[first]);
            continue;
        }
        find_group(warp->block, op, at, left, &group);
        check_writable(group.region, first, group.offsets[first]);
        if (likely(!race_on))
            check_races(warp, op, &group);
        if (unlikely(group.bytes > group.region->widest))
            group.region->widest = group.bytes;
        if (unlikely(op->is_strong || (op->access & ACCESS_VOLATILE) != 0))
            store_strongly(frame->slots, op, &group);
        if (likely(!race_on))
            store_group(frame->slots, op, &group);
        else
            store_in_turn(warp, frame->slots, op, &group);
        if (unlikely(undefined != 0))
            store_undefined(frame->slots, op, &group);
    }
}

/* ---- Atomic instructions ---- */

static void atomic_lane(char *slots, const struct op *op, const struct group *group, uint32_t lane)
{
    struct region *region = group->region;
    char *host = region->host + group->offsets[lane];
    bool reads = op->returns || !op->exchanges;
    bool undefined = reads && region->missing != 0 &&
                     unwritten(region->written + group->offsets[lane], op->bytes) != 0;
    char old[16];

    if (!reads)
        note_written(region, group->offsets[lane], op->bytes);
    copy_bytes(old, host, op->bytes);
    machine.lanes = UINT32_C(1) << lane;
    op->atomic(host, slots + op->b + lane * op->bytes, slots + op->c + lane * op->bytes,
               region->is_shared);
    machine.stores += memcmp(old, host, op->bytes) != 0;
    note_progress(region->low + group->offsets[lane], word_of(old, op->bytes),
                  word_of(host, op->bytes));
    signal_host(op, region, group->offsets[lane], lane);
    if (op->returns) {
        struct head *head = head_of(slots, op->d);
        copy_bytes(slots + op->d + lane * op->bytes, old, op->bytes);
        head->undefined &= ~(UINT32_C(1) << lane);
    }
    if (undefined && is_checked(machine.block)) {
        struct array_element element;
        name_element(region, group->offsets[lane], op->place, &element);
        use_unwritten(lane, &(struct facts){.sentence = SAYS_READS_UNWRITTEN, .element = &element});
    }
}

/* The elements of a vector are accessed one by one, but its address must be aligned. */
static void check_vector(const struct op *op, const uint64_t at[LANES], uint32_t lanes)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        if (at[l] % op->to_bytes != 0)
            raise_misaligned(op, l, at[l], op->to_bytes);
    }
}

void atomic(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    uint64_t at[LANES];
    struct group group;

    use_undefined(frame->slots, op->a, lanes, "makes an atomic access at an address");
    use_undefined(frame->slots, op->b, lanes, "makes an atomic access with a value");
    use_undefined(frame->slots, op->c, lanes, "makes an atomic access with a value");
    read_addresses(frame->slots, op, lanes, at);
    if (unlikely(op->to_bytes != op->bytes))
        check_vector(op, at, lanes);
    if ((op->returns || op->commutes == 0) &&
        (machine.atomic == NULL || op->place < machine.atomic))
        machine.atomic = op->place;
    note_look(warp, (uint32_t)__builtin_ctz(lanes), op, at[__builtin_ctz(lanes)]);
    if (unlikely(machine.counters != NULL))
        count(warp, op, at, lanes);
    for (uint32_t left = lanes; left != 0; left &= ~group.lanes) {
        find_group(warp->block, op, at, left, &group);
        check_writable(group.region, (uint32_t)__builtin_ctz(left),
                       group.offsets[__builtin_ctz(left)]);
        for (uint32_t each = group.lanes; each != 0; each &= each - 1) {
            struct group one = group;
            one.lanes = each & -each;
            check_races(warp, op, &one);
            atomic_lane(frame->slots, op, &one, (uint32_t)__builtin_ctz(each));
            if (unlikely(race_unsettled))
                race_settle();
        }
    }
}

/* ---- For other instructions ---- */

char *find_lane(const struct block *block, const struct op *access, uint32_t lane, uint64_t address,
                struct group *group)
{
    uint64_t at[LANES];

    for (uint32_t l = 0; l < LANES; l++)
        at[l] = address;
    find_group(block, access, at, UINT32_C(1) << lane, group);
    if (access->access & (ACCESS_WRITE | ACCESS_ATOMIC))
        check_writable(group->region, lane, group->offsets[lane]);
    return group->region->host + group->offsets[lane];
}

char *access_lane(struct warp *warp, const struct frame *frame, const struct op *access,
                  uint32_t lane, uint64_t address, struct region **region)
{
    struct group group;
    uint8_t *written;
    char *at;

    if (access->space != SPACE_SHARED && is_private(access, address)) {
        char *bytes = private_bytes(warp, frame, access, lane, address, access->bytes, &written);
        *region = NULL;
        if ((access->access & ACCESS_WRITE) && written != NULL)
            memset(written, true, access->bytes);
        return bytes;
    }
    at = find_lane(warp->block, access, lane, address, &group);
    *region = group.region;
    check_races(warp, access, &group);
    if ((access->access & ACCESS_WRITE) && group.region->missing != 0)
        mark_written(group.region, group.offsets[lane], access->bytes);
    return at;
}

bool is_constant(const struct block *block, uint64_t address)
{
    const struct op generic = {.space = SPACE_GENERIC, .a = 1, .bytes = 1, .count = 1};

    return !is_private(&generic, address) && region_at(block, &generic, address)->is_constant;
}

const char *readable_text(struct warp *warp, const struct frame *frame, uint32_t lane,
                          uint64_t address, uint32_t bytes)
{
    const struct op generic = {.space = SPACE_GENERIC, .a = 1, .bytes = 1, .count = 1};
    const struct region *region = region_at(warp->block, &generic, address);
    uint64_t low = low_of(region, address);

    if (is_private(&generic, address)) {
        for (const struct frame *call = frame; call != NULL; call = call->outer)
            for (uint32_t v = 0; v < call->code->local_count; v++) {
                uint64_t offset = address - local_window(warp, lane);
                uint64_t from = call->local + call->code->locals[v].offset;
                if (offset >= from && offset - from + bytes <= call->code->locals[v].bytes)
                    return warp->local[lane].bytes + offset;
            }
        return NULL;
    }
    if (region->host == NULL || address < low || region->bytes < bytes ||
        address - low > region->bytes - bytes)
        return NULL;
    return region->host + (address - low);
}
