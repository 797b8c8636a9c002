/* SPDX-License-Identifier: MIT */
#include "busy_wait.h"

#include "budget.h"
#include "fault.h"
#include "memory.h"
#include "source.h"

#include <stdio.h>
#include <string.h>

enum {
    PATIENCE = 4,      /* looks that find nothing new, before a thread waits */
    MAX_MEETINGS = 16, /* warp operations from one look to the next that are part of the wait */
    MAX_PLACES = 4,    /* that a fault names */
};

static uint64_t waits; /* accesses made in waiting */

void busy_wait_start(void)
{
    waits = 0;
}

uint64_t busy_wait_progress(void)
{
    return budget_made() - waits;
}

/* What the word holds; false where there is none that others can change. */
static bool look(uintptr_t address, size_t size, uint64_t value[2])
{
    value[0] = value[1] = 0;
    if (size > 2 * sizeof *value || !(memory_is_global(address) || memory_is_shared(address)))
        return false;
    memcpy(value, (const void *)address, size);
    return true;
}

static struct spin *own(void)
{
    return &current.block->spins[current.thread->number];
}

bool busy_wait_waits(uintptr_t address, size_t size)
{
    struct spin *spin = own();
    uint64_t value[2];
    uint32_t k = 0;

    if (!look(address, size, value))
        return false;
    current.thread->has_looked = true;
    spin->meetings = 0;
    while (k < spin->count && spin->seen[k].address != address)
        k++;
    if (k < spin->count && memcmp(spin->seen[k].value, value, sizeof value) == 0) {
        if (spin->looks == PATIENCE)
            return true;
        spin->looks++;
        return false;
    }
    if (k == spin->count) {
        k = spin->next;
        spin->next = (spin->next + 1) % SPIN_WORDS;
        spin->count += spin->count < SPIN_WORDS;
    }
    spin->looks = 0;
    spin->seen[k].address = address;
    memcpy(spin->seen[k].value, value, sizeof value);
    return false;
}

bool busy_wait_meets(void)
{
    struct spin *spin = own();

    return current.thread->has_looked && spin->looks >= PATIENCE &&
           ++spin->meetings <= MAX_MEETINGS;
}

void busy_wait_waited(void)
{
    waits++;
    budget_add_budget(1);
}

void busy_wait_forget(void)
{
    struct spin *spin = own();

    if (current.thread->has_looked)
        spin->count = spin->next = spin->looks = spin->meetings = 0;
}

/* ---- A wait that nobody can end ---- */

struct place {
    char file[96];
    int line;
    uint32_t threads;
};

static void find_place(const struct spin *spin, struct place *place)
{
    *place = (struct place){.threads = 1};
    if (spin->site != NULL) {
        source_shorten(spin->site->file, place->file, sizeof place->file);
        place->line = spin->site->line;
    } else if (!source_line(spin->code, place->file, sizeof place->file, &place->line)) {
        snprintf(place->file, sizeof place->file, "an unknown place");
    }
}

void busy_wait_blame(struct resident_block *const blocks[], uint32_t count)
{
    struct place places[MAX_PLACES], place;
    uint32_t known = 0;
    const struct thread *first = NULL;
    const struct resident_block *block = NULL;
    struct simt_site site;
    char text[256];
    size_t used = 0;

    for (uint32_t b = 0; b < count; b++)
        for (uint32_t t = 0; t < blocks[b]->scheduler.threads; t++) {
            const struct thread *thread = &blocks[b]->threads[t];
            uint32_t k = 0;
            const struct spin *spin = &blocks[b]->spins[t];
            if (thread->exited || !thread->has_looked || spin->looks < PATIENCE)
                continue;
            if (first == NULL) {
                first = thread;
                block = blocks[b];
            }
            find_place(spin, &place);
            while (k < known &&
                   (places[k].line != place.line || strcmp(places[k].file, place.file) != 0))
                k++;
            if (k < known)
                places[k].threads++;
            else if (known < MAX_PLACES)
                places[known++] = place;
        }
    text[0] = '\0';
    for (uint32_t k = 0; k < known && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u thread%s at %s:%d",
                                 k > 0 ? ", " : "", places[k].threads,
                                 places[k].threads == 1 ? "" : "s", places[k].file, places[k].line);
    site = (struct simt_site){.file = known > 0 ? places[0].file : "",
                              .line = known > 0 ? places[0].line : 0};
    fault_record_of(block, first, FAULT_DEADLOCK, &site,
                    "waits in a loop for what nobody can do any more: %s", text);
}
