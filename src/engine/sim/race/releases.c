/* SPDX-License-Identifier: MIT */
#include "releases.h"

#include "input_values.h"

#include <stdlib.h>
#include <string.h>

/* What has been released at a word: by the strong write whose value it holds, and by atomic
 * accesses since. There is one record for each block, each cluster, and for device scope. Each
 * thread also has a record of what it released at that word by release operations. */
struct release {
    uint64_t word;   /* 0: free */
    uint64_t to;     /* who may acquire it */
    uint32_t writes; /* the count of the word's device record at that time; differs after an
                        overwrite */
    uint32_t size;   /* of the accesses that released it */
    const struct happens_before *before;
};

#define OF_CLUSTER (UINT64_C(1) << 60)
#define TO_ITSELF (UINT64_C(1) << 63) /* the bits below hold the scope */
enum { SELF_SCOPE = 61, OWNER_SHIFT = 24 };
#define IN_SHARED (UINT64_C(1) << 63)

static struct {
    struct release *releases;
    uint32_t count, capacity;
} table;

uint64_t release_word(uintptr_t address)
{
    uint64_t offset = address - order_memory->shared_base;

    if (offset >= order_memory->shared_size)
        return address;
    return IN_SHARED | (uint64_t)race_shared_owner->serial << OWNER_SHIFT | offset;
}

uint64_t release_to_block(uint32_t serial)
{
    return serial;
}

uint64_t release_to_scope(const struct race_block *block, enum simt_scope scope)
{
    return scope == SIMT_BLOCK     ? release_to_block(block->serial)
           : scope == SIMT_CLUSTER ? OF_CLUSTER | block->cluster
                                   : TO_DEVICE;
}

uint64_t release_to_itself(const struct race_block *block, uint32_t thread, enum simt_scope scope)
{
    return TO_ITSELF | (uint64_t)scope << SELF_SCOPE | (uint64_t)block->serial << 10 | thread;
}

static struct release *place_of(struct release *releases, uint32_t capacity, uint64_t word,
                                uint64_t to)
{
    for (uint32_t i = (uint32_t)values_hash(word, to ^ to >> 32);; i++) {
        struct release *place = &releases[i & (capacity - 1)];
        if (place->word == 0 || (place->word == word && place->to == to))
            return place;
    }
}

/* Makes room for `more` records. Returns false if memory runs out. */
static bool make_room(uint32_t more)
{
    uint32_t capacity = table.capacity == 0 ? 64 : 2 * table.capacity;
    struct release *releases;

    if (2 * (table.count + more) <= table.capacity)
        return true;
    releases = calloc(capacity, sizeof *releases);
    if (releases == NULL) {
        order_memory->out_of_memory();
        return false;
    }
    for (uint32_t i = 0; i < table.capacity; i++)
        if (table.releases[i].word != 0)
            *place_of(releases, capacity, table.releases[i].word, table.releases[i].to) =
                table.releases[i];
    free(table.releases);
    table.releases = releases;
    table.capacity = capacity;
    return true;
}

/* Returns the record that counts how often the word was overwritten, or a free record. */
static struct release *device_record(uint64_t word)
{
    return place_of(table.releases, table.capacity, word, TO_DEVICE);
}

void releases_publish(uint64_t word, size_t size, uint64_t to, const struct happens_before *before)
{
    struct release *place, *device;

    if (before == NULL || !make_room(2))
        return;
    device = device_record(word);
    table.count += device->word == 0;
    device->word = word;
    place = place_of(table.releases, table.capacity, word, to);
    table.count += place->word == 0;
    if (place->writes != device->writes || place->size != size)
        place->before = NULL;
    if (!(to & TO_ITSELF)) /* a thread knows all that it has released before */
        before = happens_before_join(place->before, before);
    *place = (struct release){word, to, device->writes, (uint32_t)size, before};
}

const struct happens_before *releases_found(uint64_t word, size_t size, uint64_t to)
{
    const struct release *place;

    if (table.capacity == 0)
        return NULL;
    place = place_of(table.releases, table.capacity, word, to);
    if (size != ANY_SIZE && size != place->size && !(to & TO_ITSELF))
        return NULL;
    return (to & TO_ITSELF) || place->writes == device_record(word)->writes ? place->before : NULL;
}

void releases_overwrite(uint64_t word)
{
    struct release *device;

    if (table.capacity == 0)
        return;
    device = device_record(word);
    if (device->word == 0)
        return;
    device->writes++;
    device->before = NULL;
}

void releases_forget(void)
{
    if (table.capacity > 0)
        memset(table.releases, 0, table.capacity * sizeof *table.releases);
    table.count = 0;
}

void releases_close(void)
{
    free(table.releases);
    memset(&table, 0, sizeof table);
}
