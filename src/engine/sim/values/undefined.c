/* SPDX-License-Identifier: MIT */
#include "undefined.h"

#include "faults.h"
#include "place_names.h"

#include "source_path.h"

#include <stdio.h>
#include <string.h>

/* Reads of undefined values, one for each place and kind, with the memory of the first read. An
 * exact one belongs to one read only. */
enum { MAX_ORIGINS = 512, MAX_EXACT = 256 };
static struct origin {
    const struct simt_place *place;
    enum fault_origin kind;
    bool is_exact;
    struct array_element element; /* FROM_MEMORY and FROM_SHARED */
    const char *what; /* FROM_INEXACT: what cannot be expressed; FROM_GROUP: what it is */
} origins[MAX_ORIGINS];
static uint32_t origin_count, exact_count;

/* The last read of unwritten memory by each lane of a warp at a place. A newer entry may replace an
 * older one. `run` is that of forget_origins(). */
enum { MAX_READS = 1024 };
static struct read {
    const struct simt_place *place;
    const struct warp *warp;
    const struct region *regions[LANES];
    uint64_t offsets[LANES], run;
} reads[MAX_READS];
static uint64_t current_run;

/* Where an undefined value in memory comes from, by the byte that has it. A newer entry may replace
 * an older one. */
enum { MAX_STORED = 1 << 12 };
static struct stored {
    const char *at;      /* the byte on the host */
    struct extent block; /* of shared memory: whose it is */
    uint32_t origin;
    uint64_t run;
    const struct region *region; /* that was read, and where; null: unknown */
    uint64_t offset;
} stored[MAX_STORED];

/* The places of results of wgmma that are not complete. Their origins are the numbers from
 * FIRST_PENDING on. */
enum { MAX_PENDING = 1024, FIRST_PENDING = 1 << 16 };
static const struct simt_place *pending_places[MAX_PENDING];
static uint32_t pending_count;
static const char before_wait[] = "a result of wgmma before its wgmma.wait_group";

void forget_origins(void)
{
    origin_count = exact_count = pending_count = 0;
    current_run++;
}

static struct read *read_at(const struct simt_place *place)
{
    uintptr_t hash = ((uintptr_t)place >> 3) ^ ((uintptr_t)machine.warp >> 6) * 31;

    return &reads[hash % MAX_READS];
}

static bool is_read(const struct read *read, const struct simt_place *place)
{
    return read->run == current_run && read->place == place && read->warp == machine.warp;
}

static uint32_t new_origin(const struct simt_place *place, enum fault_origin kind, bool is_exact)
{
    if (origin_count == MAX_ORIGINS)
        return MAX_ORIGINS;
    exact_count += is_exact;
    origins[origin_count++] = (struct origin){.place = place, .kind = kind, .is_exact = is_exact};
    return origin_count;
}

/* Returns the origin of that place and kind, which is new if its number is origin_count + 1 before
 * the call. */
static uint32_t add_origin(const struct simt_place *place, enum fault_origin kind)
{
    for (uint32_t k = 0; k < origin_count; k++)
        if (origins[k].place == place && origins[k].kind == kind && !origins[k].is_exact)
            return k + 1;
    return new_origin(place, kind, false);
}

static enum fault_origin kind_in(const struct region *region)
{
    return region == NULL ? FROM_LOCAL : region->is_shared ? FROM_SHARED : FROM_MEMORY;
}

static struct stored *stored_at(const struct region *region, uint64_t offset)
{
    return &stored[((uintptr_t)region->host + offset) % MAX_STORED];
}

static struct extent owner_of(const struct region *region)
{
    return region->owner != NULL ? region->owner->index : (struct extent){0, 0, 0};
}

static void note_read(const struct simt_place *place, uint32_t lane, const struct region *region,
                      uint64_t offset)
{
    struct read *read = read_at(place);

    if (!is_read(read, place))
        *read = (struct read){.place = place, .warp = machine.warp, .run = current_run};
    read->regions[lane] = region;
    read->offsets[lane] = offset;
}

/* Returns the origin of the undefined value that was stored there, or 0 if nothing was. */
static uint32_t stored_origin(const struct region *region, uint64_t offset, uint32_t lane)
{
    const struct stored *found = stored_at(region, offset);
    const struct extent owner = owner_of(region);

    if (found->run != current_run || found->at != region->host + offset ||
        memcmp(&found->block, &owner, sizeof owner) != 0)
        return 0;
    if (found->region != NULL)
        note_read(origins[found->origin - 1].place, lane, found->region, found->offset);
    return found->origin;
}

uint32_t undefined_origin(const struct simt_place *place, const struct region *region,
                          uint64_t offset, uint32_t lane)
{
    uint32_t before = origin_count,
             number = region != NULL ? stored_origin(region, offset, lane) : 0;

    if (number != 0)
        return number;
    number = add_origin(place, kind_in(region));
    if (region == NULL)
        return number;
    if (origin_count > before)
        name_element(region, offset, place, &origins[number - 1].element);
    note_read(place, lane, region, offset);
    return number;
}

uint32_t undefined_exactly(uint32_t origin, uint32_t lane)
{
    const struct origin *of;
    const struct read *read;
    uint32_t number;

    if (origin == 0 || undefined_is_pending(origin))
        return origin;
    of = &origins[origin - 1];
    if (of->element.array[0] == '\0' || of->is_exact || exact_count == MAX_EXACT)
        return origin;
    read = read_at(of->place);
    number = new_origin(of->place, of->kind, true);
    origins[number - 1].element = of->element;
    if (is_read(read, of->place) && read->regions[lane] != NULL)
        name_element(read->regions[lane], read->offsets[lane], of->place,
                     &origins[number - 1].element);
    return number;
}

uint32_t undefined_variable(const struct simt_place *place)
{
    return place != NULL ? add_origin(place, FROM_VARIABLE) : 0;
}

uint32_t undefined_shuffle(const struct simt_place *place)
{
    return add_origin(place, FROM_SHUFFLE);
}

uint32_t undefined_quotient(const struct simt_place *place)
{
    return add_origin(place, FROM_DIVISION);
}

uint32_t undefined_inexact(const struct simt_place *place, const char *what)
{
    uint32_t number = add_origin(place, FROM_INEXACT);

    if (origins[number - 1].kind == FROM_INEXACT)
        origins[number - 1].what = what;
    return number;
}

uint32_t undefined_group(const struct simt_place *place, const char *what)
{
    uint32_t number = add_origin(place, FROM_GROUP);

    if (origins[number - 1].kind == FROM_GROUP)
        origins[number - 1].what = what;
    return number;
}

uint32_t undefined_pending(const struct simt_place *place)
{
    uint32_t k = 0;

    while (k < pending_count && pending_places[k] != place)
        k++;
    if (k == MAX_PENDING)
        k--;
    else if (k == pending_count)
        pending_places[pending_count++] = place;
    return FIRST_PENDING + k;
}

bool undefined_is_pending(uint32_t origin)
{
    return origin >= FIRST_PENDING;
}

uint32_t undefined_settled(uint32_t origin)
{
    return origin >= FIRST_PENDING
               ? undefined_group(pending_places[origin - FIRST_PENDING], before_wait)
               : origin;
}

const char *undefined_reason(uint32_t origin)
{
    return origin != 0 && origin < FIRST_PENDING && origins[origin - 1].kind == FROM_INEXACT
               ? origins[origin - 1].what
               : NULL;
}

struct exact_refusal exact_refusal;

static enum fault_kind kind_of(uint32_t origin)
{
    enum fault_origin kind =
        origin == 0 || origin >= FIRST_PENDING ? FROM_NOTHING : origins[origin - 1].kind;

    return kind == FROM_DIVISION  ? FAULT_DIVISION
           : kind == FROM_INEXACT ? FAULT_UNSUPPORTED
                                  : FAULT_UNINITIALIZED_READ;
}

/* Records the use of a value of that origin. */
static void record_use(const struct block *block, uint32_t thread, const struct simt_place *place,
                       uint32_t number, struct facts *facts)
{
    static const struct origin none = {.kind = FROM_NOTHING};
    const struct origin *origin;
    char what[96];

    number = undefined_settled(number);
    origin = number == 0 ? &none : &origins[number - 1];
    facts->origin = origin->kind;
    facts->element = &origin->element;
    facts->others[0] = origin->place;
    if (origin->kind == FROM_INEXACT)
        snprintf(what, sizeof what, "%s, which %s cannot express", origin->what,
                 machine.floats->option);
    facts->object = origin->kind == FROM_INEXACT ? what : origin->what;
    record_facts(kind_of(number), block, thread, place, facts);
}

void use_undefined(const char *frame, uint32_t slot, uint32_t lanes, const char *use)
{
    struct head *head = head_of((char *)(uintptr_t)frame, slot);
    uint32_t lane;

    if (!(head->undefined & lanes))
        return;
    if (is_checked(machine.block)) {
        lane = (uint32_t)__builtin_ctz(head->undefined & lanes);
        record_use(machine.block, machine.warp->number * LANES + lane, machine.op->place,
                   undefined_exactly(head->origin, lane),
                   &(struct facts){.sentence = SAYS_USES_UNDEFINED, .reason = use});
        leave_unwritten();
    }
    head->undefined &= ~lanes;
}

void report_undefined_output(const struct region *region)
{
    struct array_element element;

    name_place(region->race + region->undefined.offset, region->undefined.place, &element);
    record_use(NULL, 0, region->undefined.place, region->undefined.origin,
               &(struct facts){.sentence = SAYS_STORED_UNDEFINED, .stored = &element});
}

/* ---- Registers and memory ---- */

static void note_stored(const struct region *region, uint64_t offset, uint32_t origin,
                        uint32_t lane)
{
    struct stored *entry = stored_at(region, offset);
    const struct read *read;

    if (origin == 0 || undefined_is_pending(origin))
        return;
    *entry = (struct stored){.at = region->host + offset,
                             .block = owner_of(region),
                             .origin = origin,
                             .run = current_run};
    read = read_at(origins[origin - 1].place);
    if (is_read(read, origins[origin - 1].place)) {
        entry->region = read->regions[lane];
        entry->offset = read->offsets[lane];
    }
}

void store_undefined_byte(struct region *region, uint64_t offset, const struct simt_place *place,
                          uint32_t origin, uint32_t lane)
{
    note_stored(region, offset, origin, lane);
    region->has_undefined = true;
    region->missing += region->written[offset] != 0;
    region->written[offset] = 0;
    if (region->undefined.place != NULL)
        return;
    region->undefined.place = place;
    region->undefined.origin = undefined_exactly(origin, lane);
    region->undefined.offset = offset;
}

uint32_t undefined_origin_of(const struct head *from)
{
    return from->origin != 0    ? from->origin
           : machine.op != NULL ? undefined_variable(machine.op->place)
                                : 0;
}

void note_undefined_bytes(char *frame, uint32_t slot, uint32_t lanes, const struct head *from)
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
    head->origin = undefined_origin_of(from);
}

uint32_t undefined_resized(uint32_t bytes, uint32_t from, uint32_t to, bool is_signed)
{
    if (is_signed && to > from && (bytes >> (from - 1) & 1) != 0)
        bytes |= ~((UINT32_C(2) << (from - 1)) - 1);
    return to >= LANES ? bytes : bytes & ((UINT32_C(1) << to) - 1);
}
