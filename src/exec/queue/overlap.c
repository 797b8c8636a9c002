/* SPDX-License-Identifier: MIT
 *
 * Work that has run, but that later work may overlap because the host has not waited for it. The
 * simulator keeps its accesses.
 *
 * Work need not be kept if it is complete before all later work begins: the host is to wait for it
 * in this run, and its batch ends at a cut of the queue. What is queued later then comes after the
 * wait. tests/exec/order/ compares this with vector clocks in random programs.
 */
#include "guards.h"
#include "queue.h"

#include <stdlib.h>

enum { MAX_KEPT = 2 * MAX_QUEUED };

static struct {
    struct kept {
        uint32_t name, stream;
        uint64_t serial;
        struct batched batched; /* for reports */
        struct work work;
    } all[MAX_KEPT];
    uint32_t count, names;
} kept = {.names = MAX_BATCH};

/* The last work of each stream that was not kept, though the host had not waited for it. */
static struct clock dropped;
static const struct running *current;

bool is_behind(const struct running *run, const struct queued *item, uint64_t serial)
{
    static uint64_t visit;
    static uint32_t depth;
    bool found = false;

    if (depth++ == 0)
        visit++;
    for (size_t a = 0; !found && a < item->after_count; a++) {
        uint64_t at = item->after[a];
        struct queued *before =
            at >= run->first && at - run->first < run->count ? run->items[at - run->first] : NULL;
        found = at == serial;
        if (found || at < serial || before == NULL || before->visit == visit)
            continue;
        before->visit = visit;
        found = is_behind(run, before, serial);
    }
    depth--;
    return found;
}

static int compare_names(const void *name, const void *one)
{
    uint32_t a = *(const uint32_t *)name, b = ((const struct kept *)one)->name;

    return (a > b) - (a < b);
}

static struct kept *find(uint32_t name)
{
    return bsearch(&name, kept.all, kept.count, sizeof *kept.all, compare_names);
}

/* Clocks do not tell the order of the nodes of a graph, which has one stream. */
static bool is_before(const struct running *run, uint32_t stream, uint64_t serial,
                      const struct queued *item)
{
    return clock_has(&item->clock, stream, serial) ||
           (stream == item->stream && is_behind(run, item, serial));
}

/* Returns whether all later work comes after it. */
static bool is_over(const struct running *run, const struct kept *one)
{
    bool over = clock_has(&queue.host, one->stream, one->serial);

    for (size_t k = run->batch_start; over && k < run->count; k++)
        over = is_before(run, one->stream, one->serial, run->items[k]);
    for (const struct queued *item = queue.first; over && item != NULL; item = item->next)
        over = is_before(run, one->stream, one->serial, item);
    return over;
}

static bool comes_before(uint32_t name, uint32_t launch)
{
    const struct kept *one = find(name);

    return one == NULL || (launch != LAUNCHES_LATER && is_before(current, one->stream, one->serial,
                                                                 current->batch[launch].item));
}

void overlap_forget(void)
{
    kept.count = 0;
    launches_forget();
}

static bool is_expected(const struct running *run, const struct queued *item)
{
    return run->known != NULL && clock_has(run->known, item->stream, item->serial);
}

bool overlaps(const struct running *run, const struct queued *item)
{
    if (!options.detects_races || item->work.kind == WORK_HOST ||
        item->work.kind == WORK_ALLOCATE || item->work.kind == WORK_FREE)
        return false;
    for (uint32_t k = 0; k < MAX_STREAMS; k++)
        if (!is_before(run, k, dropped.serials[k], item))
            report_partial(
                "races with work that was queued long before, which nothing orders, are not found",
                &item->work.site);
    for (uint32_t k = 0; k < kept.count; k++)
        if (!is_before(run, kept.all[k].stream, kept.all[k].serial, item))
            return true;
    return !run->drops && !is_expected(run, item);
}

static void drop(uint32_t stream, uint64_t serial)
{
    if (dropped.serials[stream] < serial)
        dropped.serials[stream] = serial;
}

void overlap_drop(const struct running *run, const struct queued *item)
{
    if (!is_expected(run, item))
        drop(item->stream, item->serial);
}

void overlap_name(struct running *run, size_t end)
{
    bool is_cut = end == run->count || run->items[end]->is_cut,
         is_sequence = run->batch_count > 0 && run->items[run->batch_start]->is_cut;
    uint32_t left = 0;

    if (!options.detects_races)
        return;
    current = run;
    device.rules.comes_before = comes_before;
    for (uint32_t k = 0; k < kept.count; k++)
        if (!is_over(run, &kept.all[k]))
            kept.all[left++] = kept.all[k];
    kept.count = left;
    if (kept.count + run->batch_count > MAX_KEPT || launches_are_full()) {
        for (uint32_t k = 0; k < kept.count; k++)
            drop(kept.all[k].stream, kept.all[k].serial);
        overlap_forget();
    }
    for (uint32_t k = 1; k < run->batch_count; k++)
        is_sequence = is_sequence && (run->batch[k].after >> (k - 1) & 1);
    for (uint32_t k = 0; k < run->batch_count; k++)
        if (!is_cut || (!is_expected(run, run->batch[k].item) && !(run->drops && is_sequence)))
            run->batch[k].name = ++kept.names;
        else
            overlap_drop(run, run->batch[k].item);
}

void overlap_keep(const struct running *run)
{
    for (uint32_t k = 0; k < run->batch_count; k++) {
        const struct batched *one = &run->batch[k];
        if (one->name != 0)
            kept.all[kept.count++] =
                (struct kept){one->name, one->item->stream, one->item->serial, *one, *one->work};
    }
}

static bool is_earlier_run(uint32_t name, uint32_t launch)
{
    (void)name;
    return launch != LAUNCHES_LATER;
}

/* The write is a copy of the byte to itself, which runs now and is kept. */
void overlap_write(uint64_t address, const struct exec_site *site)
{
    void *at = (void *)(uintptr_t)address;
    struct work work = {.kind = WORK_COPY, .site = *site, .box = {at, at, 1, 1, 1, 1, 1, 0, 0}};
    struct batched write = {.work = &work};
    struct engine_outcome outcome;
    struct launch launch;

    guards.has_looked = guards.has_looked && kept.count > 0;
    for (const struct queued *item = queue.first; item != NULL; item = item->next)
        if (item->work.kind == WORK_HOST)
            return;
    if (!options.detects_races || kept.count == MAX_KEPT || !transfer_make(&work, &write.transfer))
        return;
    launch = transfer_launch(&write.transfer);
    launch.keep = ++kept.names;
    work.kind = WORK_HOST;
    device.rules.comes_before = is_earlier_run;
    device.rules.look = guards_look;
    device.rules.copied = NULL;
    if (launches_run(&launch, 1, &outcome) == ENGINE_OK)
        kept.all[kept.count++] =
            (struct kept){launch.keep, HOST_STREAM, ++queue.host.serials[HOST_STREAM], write, work};
}

const struct batched *overlap_find(uint32_t name)
{
    struct kept *one = find(name);

    if (one == NULL)
        return NULL;
    one->batched.work = &one->work;
    return &one->batched;
}

bool overlap_heard(uint32_t name, const struct batched *later)
{
    const struct kept *one = find(name);

    return one != NULL && clock_has(&later->item->heard, one->stream, one->serial);
}
