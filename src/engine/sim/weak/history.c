/* SPDX-License-Identifier: MIT
 *
 * The writes of each place, in coherence order, and the choice among them.
 */
#include "weak.h"

#include "access_order.h"
#include "array.h"
#include "input_values.h"
#include "places.h"
#include "schedule.h"

#include <stdlib.h>

enum {
    MAX_BYTES = 16, /* of an access */
    GRANULE = 4,    /* accesses are aligned, so each lies in one granule of 2^4 bytes */
    MAX_WRITES = 32 /* that a place keeps */
};

/* A thread's reads of a write. */
struct reader {
    struct access first;
    bool observes;       /* the write precedes it in observation order */
    const struct op *op; /* the last one */
};

struct write {
    struct access made; /* block 0: by the host, or unknown */
    uint64_t message;   /* its name among the releases of the race checker */
    bool is_atomic;
    uint32_t missing; /* bytes that nothing has written, as bits */
    char value[MAX_BYTES];
    struct reader *readers;
    uint32_t reader_count, reader_capacity;
};

struct place {
    struct place *next;
    char *host;
    uint32_t bytes;
    uint32_t count, capacity;
    struct write *writes;
};

bool weak_on;

static struct {
    struct place **buckets;
    uint32_t bucket_count, count;
    uint64_t last_message;
    bool is_armed; /* the next access may choose */
} history;

/* The access that runs. */
static struct {
    struct place *place; /* null: it chose nothing */
    struct region *region;
    uint64_t offset;
    struct access now;
    uint32_t chosen; /* the write that it reads, or the position of its own */
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

static void copy_contents(struct write *write, const struct region *region, uint64_t offset,
                          uint32_t bytes)
{
    memcpy(write->value, region->host + offset, bytes);
    write->missing = 0;
    for (uint32_t i = 0; region->missing != 0 && i < bytes; i++)
        write->missing |= (uint32_t)!region->written[offset + i] << i;
}

static void show(const struct write *write, struct region *region, uint64_t offset, uint32_t bytes)
{
    memcpy(region->host + offset, write->value, bytes);
    for (uint32_t i = 0; i < bytes && (write->missing | region->missing) != 0; i++) {
        uint8_t written = !(write->missing >> i & 1);
        region->missing += (uint64_t)(region->written[offset + i] != 0) - written;
        region->written[offset + i] = written;
    }
}

static _Noreturn void run_out_of_memory(uint32_t lane)
{
    raise_fault(FAULT_UNSUPPORTED, lane,
                "needs more memory for --memory weak than there is: try a "
                "smaller size");
}

static struct place *add_place(const struct region *region, uint64_t offset, uint32_t bytes,
                               uint32_t lane)
{
    struct place *place = make_buckets() ? calloc(1, sizeof *place) : NULL;
    struct place **bucket;

    if (place == NULL)
        run_out_of_memory(lane);
    place->host = region->host + offset;
    place->bytes = bytes;
    place->writes = array_grown(NULL, &place->capacity, 1, sizeof *place->writes);
    if (place->writes == NULL)
        run_out_of_memory(lane);
    place->writes[place->count++] = (struct write){.message = release_word(region->race + offset)};
    copy_contents(&place->writes[0], region, offset, bytes);
    bucket = bucket_of(place->host);
    place->next = *bucket;
    *bucket = place;
    history.count++;
    return place;
}

/* Forgets all but the last write, for example after an asynchronous copy has changed the place. */
static void restart(struct place *place, const struct region *region, uint64_t offset)
{
    for (uint32_t w = 0; w < place->count; w++)
        free(place->writes[w].readers);
    place->count = 1;
    place->writes[0] = (struct write){.message = release_word(region->race + offset)};
    copy_contents(&place->writes[0], region, offset, place->bytes);
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

/* Returns the last write that is known. The access cannot read an older one. */
static uint32_t find_floor(const struct race_block *block, const struct place *place,
                           const struct access *now)
{
    uint32_t w = place->count - 1;

    while (w > 0 && !is_known(block, &place->writes[w], now))
        w--;
    return w;
}

static struct reader *reader_of(struct write *write, const struct access *now)
{
    for (uint32_t r = 0; r < write->reader_count; r++)
        if (write->readers[r].first.block == now->block &&
            write->readers[r].first.thread == now->thread)
            return &write->readers[r];
    return NULL;
}

/* Returns true if no write may come between this one and the next: an atomic access read this one
 * and made the next. */
static bool is_joined(const struct place *place, uint32_t w, const struct access *now)
{
    return w + 1 < place->count && place->writes[w + 1].is_atomic &&
           order_are_morally_strong(&place->writes[w + 1].made, now);
}

/* An instruction that reads the same write again, in a loop, must see other writes at last. */
static bool may_choose(struct place *place, uint32_t w, const struct op *op)
{
    const struct reader *reader;

    if (w + 1 == place->count)
        return true;
    if (running.writes && is_joined(place, w, &running.now))
        return false;
    reader = running.reads ? reader_of(&place->writes[w], &running.now) : NULL;
    return reader == NULL || reader->op != op;
}

/* Chooses one of the writes from `floor` on: the last one, in most runs. A write goes behind it. */
static uint32_t choose(struct place *place, uint32_t floor, const struct op *op)
{
    uint32_t able[MAX_WRITES + 1], count = 0;

    for (uint32_t w = place->count; w-- > floor;)
        if (may_choose(place, w, op))
            able[count++] = w;
    return able[schedule_choose(count)];
}

void weak_begin(void)
{
    history.is_armed = true;
}

void weak_choose(const struct warp *warp, const struct op *op, const struct group *group,
                 uint32_t lane)
{
    const struct race_block *block = &warp->block->race;
    struct region *region = group->region;
    uint64_t offset = group->offsets[lane];
    struct place *place = find_place(region->host + offset, group->bytes);
    bool is_write = (op->access & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0;

    if (is_write)
        forget_overlapping(region->host + offset, group->bytes);
    if (!history.is_armed || group->bytes > MAX_BYTES || (place == NULL && !is_write))
        return;
    history.is_armed = false;
    if (place == NULL)
        place = add_place(region, offset, group->bytes, lane);
    if (memcmp(place->writes[place->count - 1].value, place->host, place->bytes) != 0)
        restart(place, region, offset);
    running.place = place;
    running.region = region;
    running.offset = offset;
    running.now = access_of(block, warp->number * LANES + lane, op, group->bytes);
    running.writes = is_write;
    running.is_atomic = (op->access & ACCESS_ATOMIC) != 0;
    running.reads = !is_write || running.is_atomic;
    running.chosen = choose(place, find_floor(block, place, &running.now), op);
    race_messages.is_on = true;
    race_messages.is_stale = running.reads && running.chosen + 1 < place->count;
    race_messages.is_reduction = op->kind == OP_ATOMIC && op->reduces;
    race_messages.read = place->writes[running.chosen].message;
    race_messages.written = MESSAGES | ++history.last_message;
    if (running.reads && running.chosen + 1 < place->count)
        show(&place->writes[running.chosen], region, offset, place->bytes);
}

/* ---- After the access ---- */

static void add_reader(struct write *write, const struct op *op)
{
    struct reader *reader = reader_of(write, &running.now);
    bool observes = write->made.block == 0 || running.now.block == 0 ||
                    order_are_morally_strong(&write->made, &running.now);
    struct reader *readers;

    running.repeats = reader != NULL && reader->op == op;
    if (reader != NULL) {
        reader->op = op;
        if (observes && !reader->observes)
            reader->first = running.now;
        reader->observes = reader->observes || observes;
        return;
    }
    readers = array_grown(write->readers, &write->reader_capacity, write->reader_count + 1,
                          sizeof *readers);
    if (readers == NULL)
        run_out_of_memory(running.now.thread % LANES);
    write->readers = readers;
    readers[write->reader_count++] = (struct reader){running.now, observes, op};
}

/* Drops the oldest write of a place that has too many. */
static void make_room(struct place *place)
{
    struct write *writes;

    if (place->count == MAX_WRITES) {
        free(place->writes[0].readers);
        memmove(place->writes, place->writes + 1, --place->count * sizeof *place->writes);
        running.chosen--;
    }
    writes = array_grown(place->writes, &place->capacity, place->count + 1, sizeof *writes);
    if (writes == NULL)
        run_out_of_memory(running.now.thread % LANES);
    place->writes = writes;
}

static void insert_write(struct place *place)
{
    struct write *to;

    make_room(place);
    to = &place->writes[running.chosen + 1];
    memmove(to + 1, to, (place->count - running.chosen - 1) * sizeof *to);
    place->count++;
    *to = (struct write){
        .made = running.now, .message = race_messages.written, .is_atomic = running.is_atomic};
    copy_contents(to, running.region, running.offset, place->bytes);
}

void weak_end(struct party *party)
{
    struct place *place = running.place;

    running.place = NULL;
    running.repeats = false;
    if (place != NULL && running.reads)
        add_reader(&place->writes[running.chosen], machine.op);
    if (place != NULL && running.writes)
        insert_write(place);
    if (place != NULL)
        show(&place->writes[place->count - 1], running.region, running.offset, place->bytes);
    party->repeats = running.repeats;
    history.is_armed = false;
    race_messages = (struct race_messages){.is_on = false};
}

/* ---- A job ---- */

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
