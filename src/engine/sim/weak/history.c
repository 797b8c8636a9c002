/* SPDX-License-Identifier: MIT
 *
 * The writes of each place, and the choice among them.
 */
#include "array.h"
#include "coherence.h"
#include "faults.h"
#include "places.h"
#include "policy.h"
#include "races.h"
#include "releases.h"
#include "weak.h"

#include "input_values.h"

#include <stdlib.h>

enum { GRANULE = 4 }; /* accesses are aligned, so each lies in one granule of 2^4 bytes */

static struct {
    struct place **buckets;
    uint32_t bucket_count, count;
    uint64_t last_serial;
    bool is_armed; /* the next access may choose */
    struct weak_limit limit;
} history;

/* The access that runs. */
static struct {
    struct place *place; /* null: it chose nothing */
    struct newcomer access;
    uint32_t chosen; /* the write that it reads */
    uint32_t before; /* the writes that precede its own */
    bool reads, writes, is_atomic, repeats;
} running;

/* Names of messages differ from all words of the race checker. */
#define MESSAGES (UINT64_C(1) << 62)

/* ---- Places ---- */

static struct place **bucket_of(const char *host)
{
    return &history
                .buckets[values_hash((uintptr_t)host >> GRANULE, 0) & (history.bucket_count - 1)];
}

static bool overlaps(const struct place *place, const char *host, uint32_t bytes)
{
    return host < place->host + place->bytes && place->host < host + bytes;
}

static void free_place(struct place *place)
{
    for (uint32_t w = 0; w < place->count; w++)
        free(place->writes[w].readers);
    free(place->writes);
    free(place);
}

static struct place *find_place(const char *host, uint32_t bytes)
{
    struct place *place = history.bucket_count == 0 ? NULL : *bucket_of(host);

    while (place != NULL && (place->host != host || place->bytes != bytes))
        place = place->next;
    return place;
}

/* Forgets the older writes of other places that overlap this one. */
static void forget_overlapping(const char *host, uint32_t bytes)
{
    struct place **at = history.bucket_count == 0 ? NULL : bucket_of(host);

    while (at != NULL && *at != NULL) {
        struct place *place = *at;
        if (!overlaps(place, host, bytes) || (place->host == host && place->bytes == bytes)) {
            at = &place->next;
            continue;
        }
        *at = place->next;
        history.count--;
        free_place(place);
    }
}

static bool make_buckets(void)
{
    struct place **old = history.buckets;
    uint32_t old_count = history.bucket_count;

    if (history.count < old_count)
        return true;
    history.bucket_count = old_count == 0 ? 1024 : 4 * old_count;
    history.buckets = calloc(history.bucket_count, sizeof *history.buckets);
    if (history.buckets == NULL)
        return false;
    for (uint32_t b = 0; b < old_count; b++)
        for (struct place *place = old[b], *next; place != NULL; place = next) {
            struct place **to = bucket_of(place->host);
            next = place->next;
            place->next = *to;
            *to = place;
        }
    free(old);
    return true;
}

static void copy_contents(const struct place *place, struct write *write)
{
    const struct region *region = place->region;

    memcpy(write->value, place->host, place->bytes);
    write->missing = 0;
    for (uint32_t i = 0; region->missing != 0 && i < place->bytes; i++)
        write->missing |= (uint32_t)!region->written[place->offset + i] << i;
}

static void show(const struct place *place, uint32_t w)
{
    const struct write *write = &place->writes[w];
    struct region *region = place->region;

    memcpy(place->host, write->value, place->bytes);
    for (uint32_t i = 0; i < place->bytes && (write->missing | region->missing) != 0; i++) {
        uint8_t *is_written = &region->written[place->offset + i];
        uint8_t written = !(write->missing >> i & 1);
        region->missing += (uint64_t)(*is_written != 0) - written;
        *is_written = written;
    }
}

/* Returns the write that the host memory holds while no access runs: one of the last ones. */
static uint32_t shown(const struct place *place)
{
    return 31 - (uint32_t)__builtin_clz(coherence_last(place));
}

static _Noreturn void run_out_of_memory(uint32_t lane)
{
    raise_fault(FAULT_UNSUPPORTED, lane, SAYS_WEAK_MEMORY_FULL);
}

/* Forgets the writes of a place, for example after an asynchronous copy has changed it. */
static void restart(struct place *place)
{
    for (uint32_t w = 0; w < place->count; w++)
        free(place->writes[w].readers);
    place->count = 1;
    place->writes[0] = (struct write){.message = release_word(place->region->race + place->offset)};
    copy_contents(place, &place->writes[0]);
}

static struct place *add_place(struct region *region, uint64_t offset, uint32_t bytes,
                               uint32_t lane)
{
    struct place *place = make_buckets() ? calloc(1, sizeof *place) : NULL;
    struct place **bucket;

    if (place == NULL)
        run_out_of_memory(lane);
    place->region = region;
    place->is_shared = region->is_shared;
    place->host = region->host + offset;
    place->offset = offset;
    place->bytes = bytes;
    place->writes = array_grown(NULL, &place->capacity, 1, sizeof *place->writes);
    if (place->writes == NULL)
        run_out_of_memory(lane);
    restart(place);
    bucket = bucket_of(place->host);
    place->next = *bucket;
    *bucket = place;
    history.count++;
    return place;
}

/* Makes room for one more write. */
static void make_room(struct place *place, uint32_t lane)
{
    struct write *writes;
    uint32_t oldest = 0;

    if (place->count == MAX_WRITES) {
        while (place->writes[oldest].before != 0)
            oldest++;
        coherence_remove(place, oldest);
    }
    writes = array_grown(place->writes, &place->capacity, place->count + 1, sizeof *writes);
    if (writes == NULL)
        run_out_of_memory(lane);
    place->writes = writes;
}

/* ---- Choices ---- */

static struct access access_of(const struct race_block *block, uint32_t thread, const struct op *op,
                               uint32_t bytes)
{
    uint32_t kind = op->access, scope = op->scope;

    if (kind & ACCESS_VOLATILE)
        scope = SIMT_SYSTEM;
    if (op->is_strong && !(kind & ACCESS_ATOMIC))
        kind |= ACCESS_VOLATILE;
    if (kind & STRONG)
        kind |= scope << SCOPE_SHIFT;
    return (struct access){.block = block->serial,
                           .epoch = block->epoch,
                           .time = block->threads[thread].time,
                           .place = (uint32_t)((const char *)op->place - source_base),
                           .thread = (uint16_t)thread,
                           .kind = (uint8_t)kind,
                           .size = (uint8_t)bytes};
}

/* Returns true if the write, or a read that has observed it, comes before the access. */
static bool is_known(const struct race_block *block, const struct write *write,
                     const struct access *now)
{
    if (write->made.block == 0 || order_holds(block, &write->made, now))
        return true;
    for (uint32_t r = 0; r < write->reader_count; r++)
        if (write->readers[r].observes && order_holds(block, &write->readers[r].first, now))
            return true;
    return false;
}

/* Returns the writes that are known to the access. */
static uint32_t all_known(const struct race_block *block, const struct place *place,
                          const struct access *now)
{
    uint32_t known = 0;

    for (uint32_t w = 0; w < place->count; w++)
        if (is_known(block, &place->writes[w], now))
            known |= BIT(w);
    return known;
}

static struct reader *reader_of(struct write *write, const struct access *now)
{
    for (uint32_t r = 0; r < write->reader_count; r++)
        if (write->readers[r].first.block == now->block &&
            write->readers[r].first.thread == now->thread)
            return &write->readers[r];
    return NULL;
}

/* Returns true if the write releases something to those of the block within that scope. */
static bool releases(const struct race_block *block, uint64_t message, int scope)
{
    for (int s = SIMT_BLOCK; s <= scope && s < RACE_SCOPES; s++)
        if (releases_found(message, ANY_SIZE, release_to_scope(block, (enum simt_scope)s)) != NULL)
            return true;
    return false;
}

static bool has_position(const struct place *place, uint32_t w)
{
    struct newcomer access = running.access;
    struct positions positions;

    access.from = BIT(w);
    coherence_find(place, &access, &positions);
    return positions.count > 0;
}

static bool may_read(const struct race_block *block, struct place *place, uint32_t w,
                     const struct op *op)
{
    struct write *write = &place->writes[w];
    const struct reader *reader = reader_of(write, &running.access.made);

    if (coherence_before(place, running.access.known) >> w & 1)
        return false;
    if (releases(block, write->message, history.limit.scope))
        return false;
    if (running.writes && !has_position(place, w))
        return false;
    /* An instruction that reads the same again, in a loop, must see other writes at last. */
    return reader == NULL || reader->op != op || (coherence_last(place) >> w & 1);
}

/* Chooses the write that the access reads: the shown one, in most runs. A read that a later acquire
 * operation has not waited for takes a write that was made since: it could have bound to the others
 * before. */
static uint32_t choose_read(const struct race_block *block, struct place *place,
                            const struct op *op)
{
    uint32_t able[MAX_WRITES], count = 0, last = shown(place), old = last;

    for (uint32_t k = 0; k <= place->count; k++) {
        uint32_t w = k == 0 ? last : place->count - k;
        if ((k > 0 && w == last) || !may_read(block, place, w, op))
            continue;
        if (place->writes[w].serial >= history.limit.since)
            able[count++] = w;
        else
            old = w;
    }
    return count > 0 ? able[schedule_choose(count)] : old;
}

static uint32_t choose_position(const struct place *place)
{
    struct positions positions;

    coherence_find(place, &running.access, &positions);
    if (positions.count == 0)
        return BIT(place->count) - 1;
    return positions.before[schedule_choose(positions.count)];
}

void weak_begin(void)
{
    weak_begin_late((struct weak_limit){.scope = -1});
}

void weak_begin_late(struct weak_limit limit)
{
    history.is_armed = true;
    history.limit = limit;
}

struct weak_limit weak_limit(int scope)
{
    return (struct weak_limit){scope, history.last_serial + 1};
}

uint64_t weak_word(const struct region *region, uint64_t offset)
{
    if (region->is_shared)
        use_shared_races(region->owner);
    return release_word(region->race + offset);
}

bool weak_has_release(const struct race_block *block, const struct region *region, uint64_t offset,
                      uint32_t bytes, int scope)
{
    const struct place *place = find_place(region->host + offset, bytes);

    if (place == NULL)
        return releases(block, weak_word(region, offset), scope);
    for (uint32_t w = 0; w < place->count; w++)
        if (releases(block, place->writes[w].message, scope))
            return true;
    return false;
}

bool weak_may_pass(const struct race_block *block, uint32_t thread, const struct op *op,
                   const struct region *region, uint64_t offset, int scope)
{
    uint32_t bytes = (uint32_t)op->bytes * (op->count > 0 ? op->count : 1), known, able;
    const struct place *place = find_place(region->host + offset, bytes);
    struct access now = access_of(block, thread, op, bytes);

    if (place == NULL)
        return !releases(block, weak_word(region, offset), scope);
    known = all_known(block, place, &now);
    able = op->kind == OP_ATOMIC ? coherence_last(place) : ~coherence_before(place, known);
    for (uint32_t w = 0; w < place->count; w++)
        if ((able >> w & 1) && !releases(block, place->writes[w].message, scope))
            return true;
    return false;
}

static void choose(const struct race_block *block, struct place *place, const struct op *op)
{
    running.place = place;
    running.access.known = all_known(block, place, &running.access.made);
    if (running.reads)
        running.chosen = choose_read(block, place, op);
    running.access.from = running.reads && running.writes ? BIT(running.chosen) : 0;
    if (running.writes)
        running.before = choose_position(place);
    race_messages.is_on = true;
    race_messages.is_stale = running.reads && running.chosen + 1 < place->count;
    race_messages.is_reduction = op->kind == OP_ATOMIC && op->reduces;
    race_messages.read = place->writes[running.reads ? running.chosen : 0].message;
    race_messages.written = MESSAGES | ++history.last_serial;
    if (running.reads)
        show(place, running.chosen);
}

void weak_choose(const struct warp *warp, const struct op *op, const struct group *group,
                 uint32_t lane)
{
    const struct race_block *block = &warp->block->race;
    struct region *region = group->region;
    uint64_t offset = group->offsets[lane];
    struct place *place = find_place(region->host + offset, group->bytes);
    bool is_atomic = (op->access & ACCESS_ATOMIC) != 0;
    bool is_write = is_atomic || (op->access & ACCESS_WRITE) != 0;

    if (is_write)
        forget_overlapping(region->host + offset, group->bytes);
    if (!history.is_armed || group->bytes > MAX_ACCESS || (place == NULL && !is_write))
        return;
    history.is_armed = false;
    if (place == NULL)
        place = add_place(region, offset, group->bytes, lane);
    if (memcmp(place->writes[shown(place)].value, place->host, place->bytes) != 0)
        restart(place);
    if (is_write)
        make_room(place, lane);
    running.access.made = access_of(block, warp->number * LANES + lane, op, group->bytes);
    running.writes = is_write;
    running.is_atomic = is_atomic;
    running.reads = is_atomic || !is_write;
    choose(block, place, op);
}

/* ---- After the access ---- */

static void add_reader(struct write *write, const struct op *op)
{
    const struct access *now = &running.access.made;
    struct reader *reader = reader_of(write, now);
    bool observes = write->made.block == 0 || order_are_morally_strong(&write->made, now);
    struct reader *readers;

    running.repeats = reader != NULL && reader->op == op;
    if (reader != NULL) {
        reader->op = op;
        reader->known = running.access.known;
        if (observes && !reader->observes)
            reader->first = *now;
        reader->observes = reader->observes || observes;
        return;
    }
    readers = array_grown(write->readers, &write->reader_capacity, write->reader_count + 1,
                          sizeof *readers);
    if (readers == NULL)
        run_out_of_memory(now->thread % LANES);
    write->readers = readers;
    readers[write->reader_count++] = (struct reader){*now, observes, running.access.known, op};
}

static void add_write(struct place *place)
{
    struct write *write = &place->writes[place->count++];

    *write = (struct write){.made = running.access.made,
                            .message = race_messages.written,
                            .serial = history.last_serial,
                            .is_atomic = running.is_atomic,
                            .from = running.access.from};
    copy_contents(place, write);
    coherence_add(place, &running.access, running.before);
}

void weak_end(struct party *party)
{
    struct place *place = running.place;

    running.place = NULL;
    running.repeats = false;
    if (place != NULL && running.reads)
        add_reader(&place->writes[running.chosen], machine.op);
    if (place != NULL && running.writes)
        add_write(place);
    if (place != NULL)
        show(place, shown(place));
    party->repeats = running.repeats;
    history.is_armed = false;
    race_messages = (struct race_messages){.is_on = false};
}

/* ---- The end of a job ---- */

/* Returns true if the host can see which of several writes is the last one. */
static bool has_several_ends(const struct place *place)
{
    uint32_t last = coherence_last(place);

    return (last & (last - 1)) != 0 && !place->is_shared &&
           place->region->host + place->offset == place->host;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = *(struct place *const *)left, *b = *(struct place *const *)right;
    uintptr_t first = a->region->race + a->offset, second = b->region->race + b->offset;

    return (first > second) - (first < second);
}

static void choose_end(const struct place *place)
{
    uint32_t last = coherence_last(place);

    for (uint32_t k = schedule_choose((uint32_t)__builtin_popcount(last)); k > 0; k--)
        last &= last - 1;
    show(place, (uint32_t)__builtin_ctz(last));
}

/* Chooses the last write of each place where several are unordered. */
void weak_choose_ends(void)
{
    struct place **places = history.count > 0 ? malloc(history.count * sizeof(*places)) : NULL;
    uint32_t count = 0;

    for (uint32_t b = 0; places != NULL && b < history.bucket_count; b++)
        for (struct place *place = history.buckets[b]; place != NULL; place = place->next)
            if (has_several_ends(place))
                places[count++] = place;
    if (count > 1)
        qsort(places, count, sizeof *places, compare_places);
    for (uint32_t k = 0; k < count; k++)
        choose_end(places[k]);
    free(places);
}

void weak_forget_places(void)
{
    for (uint32_t b = 0; b < history.bucket_count; b++)
        while (history.buckets[b] != NULL) {
            struct place *place = history.buckets[b];
            history.buckets[b] = place->next;
            free_place(place);
        }
    history.count = 0;
    history.is_armed = false;
    running.place = NULL;
    race_messages = (struct race_messages){.is_on = false};
}

void weak_close(void)
{
    weak_forget_places();
    free(history.buckets);
    history.buckets = NULL;
    history.bucket_count = 0;
}
