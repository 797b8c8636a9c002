/* SPDX-License-Identifier: MIT */
#include "flags.h"

#include "places.h"
#include "releases.h"

#include "input_values.h"

/* The last strong write or read of a word by a thread. A later one of another word or thread may
 * replace it: then a message says less. */
struct note {
    struct access access;
    uint64_t word, number; /* number: of the note, from 1 on */
    uintptr_t address;
    enum simt_order order;
    /* Of a read, by scope: what it could acquire, and what was released at the word for all. */
    const struct happens_before *found[RACE_SCOPES], *released;
};

enum { NOTES = 1024 };

static struct note writes[NOTES], reads[NOTES];
static uint64_t numbers, first_number; /* first_number: notes before it are of earlier jobs */

void flags_forget(void)
{
    first_number = numbers;
}

void flags_note(const struct race_block *block, uint32_t thread, uintptr_t address,
                unsigned int kind, enum simt_order order, const void *place)
{
    const struct race_thread *own = &block->threads[thread];
    struct note note = {.access = {.block = block->serial,
                                   .epoch = block->epoch,
                                   .time = own->time,
                                   .place = (uint32_t)((const char *)place - source_base),
                                   .rounds = own->rounds,
                                   .thread = (uint16_t)thread,
                                   .kind = (uint8_t)kind},
                        .word = release_word(address),
                        .number = ++numbers,
                        .address = address,
                        .order = order};
    uint32_t slot =
        (uint32_t)values_hash(note.word, (uint64_t)block->serial << 10 | thread) % NOTES;

    if (kind & (ACCESS_WRITE | ACCESS_ATOMIC))
        writes[slot] = note;
    if (kind & ACCESS_WRITE)
        return;
    for (int scope = SIMT_BLOCK; scope < RACE_SCOPES; scope++)
        note.found[scope] = own->looked == note.word ? own->found[scope] : NULL;
    note.released = releases_found(note.word, ANY_SIZE, TO_DEVICE);
    reads[slot] = note;
}

void flags_fence(const struct race_block *block)
{
    order_blocks[block->serial].fenced = numbers;
}

/* Returns whether the write comes after that access, by all that is known. In one iteration of a
 * loop, the order of the code decides. */
static bool is_after(const struct note *write, const struct access *was)
{
    const struct access *access = &write->access;

    return access->block == was->block &&
           (access->epoch > was->epoch ||
            (access->thread == was->thread &&
             (access->place > was->place || access->rounds > was->rounds)));
}

/* Returns what is missing between the two accesses, although the flag was written and read between
 * them. */
static enum flag_lack lack_of(const struct note *write, const struct note *read,
                              const struct access *was)
{
    bool acquires = read->order == SIMT_ACQUIRE || read->order == SIMT_ACQ_REL,
         fences = order_blocks[read->access.block].fenced >= read->number;

    for (int scope = SIMT_BLOCK; scope < RACE_SCOPES; scope++)
        if (order_is_among(read->found[scope], was, 0))
            return acquires ? FLAG_LACKS_NOTHING
                   : fences ? FLAG_LACKS_FENCE_SCOPE
                            : FLAG_LACKS_ACQUIRE;
    if (order_is_among(read->released, was, 0))
        return FLAG_LACKS_READ_SCOPE;
    if (order_is_among(releases_found(write->word, ANY_SIZE, release_to_block(was->block)), was, 0))
        return FLAG_LACKS_WRITE_SCOPE;
    return acquires || fences ? FLAG_LACKS_RELEASE : FLAG_LACKS_BOTH;
}

struct flag flags_find(const struct access *was, const struct access *now, uintptr_t address)
{
    const struct note *read = NULL, *write = NULL;
    struct flag flag = {.lacks = FLAG_LACKS_NOTHING};

    for (const struct note *r = reads; r < reads + NOTES; r++) {
        if (r->number <= first_number || r->access.block != now->block ||
            (r->access.thread != now->thread && r->access.epoch >= now->epoch) ||
            r->word == release_word(address) || (read != NULL && r->number < read->number))
            continue;
        for (const struct note *w = writes; w < writes + NOTES; w++)
            if (w->number > first_number && w->word == r->word && w->number < r->number &&
                is_after(w, was) &&
                !(w->access.block == r->access.block && w->access.thread == r->access.thread)) {
                read = r;
                write = w;
            }
    }
    if (read == NULL)
        return flag;
    flag = (struct flag){lack_of(write, read, was), write->access, read->access, {.array = ""}};
    order_memory->name(read->address, source_place(source_base + read->access.place),
                       &flag.element);
    return flag;
}
