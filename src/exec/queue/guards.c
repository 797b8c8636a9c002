/* SPDX-License-Identifier: MIT
 *
 * Accesses of the host to pinned and managed memory that unfinished work uses. The pages are
 * protected until the host has synchronized with the work. A fault shows the access, which then
 * goes on.
 */
#include "guards.h"

#include "queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, WORD = 4, COMPARED = 16, MAX_KEPT = 256 << 20 };

struct guards guards;

/* ---- Protection ---- */

/* The pages of which all bytes that belong to the allocation are guarded: these are protected. */
struct pages {
    uint64_t from, to;
};

static struct pages pages_of(const struct guard *guard)
{
    uint64_t end = guard->start + guard->bytes, last = guard->allocation + guard->allocation_bytes;
    struct pages pages = {(guard->start + PAGE - 1) / PAGE * PAGE, end / PAGE * PAGE};

    if (guard->start == guard->allocation && !guard->shares_pages)
        pages.from = guard->start;
    if (end == last && !guard->shares_pages)
        pages.to = (last + PAGE - 1) / PAGE * PAGE;
    return pages.from < pages.to ? pages : (struct pages){end, end};
}

static void protect(const struct guard *guard, int protection)
{
    const struct pages pages = pages_of(guard);

    if (pages.from < pages.to)
        mprotect((void *)(uintptr_t)pages.from, pages.to - pages.from, protection);
}

/* Returns how many bytes the guard has outside of the protected pages: `*before` them, and after. A
 * page that other memory shares is not protected, because system calls that use that memory would
 * fail. */
static size_t edges_of(const struct guard *guard, size_t *before)
{
    const struct pages pages = pages_of(guard);
    uint64_t end = guard->start + guard->bytes;

    *before = pages.from - guard->start;
    return *before + (pages.to < end ? end - pages.to : 0);
}

/* Compares these bytes with what was there, or takes them. Returns whether they are the same. */
static bool compare_edges(const struct guard *guard, bool takes)
{
    size_t before, after = edges_of(guard, &before) - before;
    char *first = (char *)(uintptr_t)guard->start, *last = first + guard->bytes - after;

    if (takes) {
        memcpy(guard->edges, first, before);
        memcpy(guard->edges + before, last, after);
    }
    return memcmp(guard->edges, first, before) == 0 &&
           memcmp(guard->edges + before, last, after) == 0;
}

/* Reports that the host has changed the edges. Only that can have happened while nothing runs. */
static void check_edges(const struct guard *guard)
{
    if (guard->edges == NULL || guards.is_running || compare_edges(guard, false))
        return;
    report_access(&guard->site, guard->writes, &guard->site, true);
    compare_edges(guard, true);
}

void guards_lift(void)
{
    for (uint32_t g = 0; guards.is_applied && g < guards.count; g++)
        protect(&guards.all[g], PROT_READ | PROT_WRITE);
    guards.is_applied = false;
}

void guards_apply(void)
{
    size_t before;

    if (guards.is_applied)
        return;
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].writes && edges_of(&guards.all[g], &before) > 0)
            report_remark(
                "where other memory shares the page, accesses of the host that come before "
                "its wait are found only if they change what a copy uses",
                &guards.all[g].site);
    for (uint32_t g = 0; g < guards.count; g++)
        if (!guards.all[g].writes && !guards.all[g].is_open)
            protect(&guards.all[g], PROT_READ);
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].writes && !guards.all[g].is_open)
            protect(&guards.all[g], PROT_NONE);
    guards.is_applied = guards.count > 0;
}

static bool is_synchronized(const struct guard *guard, uint64_t serials)
{
    return ((const uint64_t *)(uintptr_t)serials)[guard->stream] >= guard->serial;
}

/* Removes the guards for which `is_over` returns true. Nothing may be protected. */
static void remove_guards(bool (*is_over)(const struct guard *, uint64_t), uint64_t what)
{
    uint32_t kept = 0;

    guards_lift();
    for (uint32_t g = 0; g < guards.count; g++)
        if (!is_over(&guards.all[g], what)) {
            guards.all[kept++] = guards.all[g];
        } else {
            if (is_over == is_synchronized)
                check_edges(&guards.all[g]);
            if (guards.all[g].kept != NULL)
                guards.kept_bytes -= guards.all[g].bytes;
            free(guards.all[g].kept);
            free(guards.all[g].signals);
            free(guards.all[g].edges);
        }
    guards.count = kept;
}

void guards_before_run(void)
{
    guards_lift();
    for (uint32_t g = 0; g < guards.count; g++) {
        struct guard *guard = &guards.all[g];
        check_edges(guard);
        if (guard->is_exact || guard->kept != NULL || guards.kept_bytes + guard->bytes > MAX_KEPT)
            continue;
        guard->kept = malloc(guard->bytes);
        if (guard->kept == NULL)
            continue;
        guards.kept_bytes += guard->bytes;
        memcpy(guard->kept, (void *)(uintptr_t)guard->start, guard->bytes);
    }
    guards.is_running = true;
}

void guards_synchronize(const uint64_t *serials)
{
    if (guards.count > 0)
        remove_guards(is_synchronized, (uintptr_t)serials);
}

void guards_hear(uint32_t stream, uint64_t serial)
{
    uint64_t serials[MAX_STREAMS] = {0};

    serials[stream] = serial;
    guards_synchronize(serials);
}

static bool is_in_allocation(const struct guard *guard, uint64_t address)
{
    return guard->allocation == address;
}

void guards_forget(uint64_t address)
{
    if (guards.count > 0)
        remove_guards(is_in_allocation, address);
}

static bool is_any(const struct guard *guard, uint64_t unused)
{
    (void)guard, (void)unused;
    return true;
}

void guards_forget_all(void)
{
    remove_guards(is_any, 0);
}

/* ---- Signals ---- */

void guards_signal(uint64_t address, bool releases)
{
    for (uint32_t g = 0; g < guards.count; g++) {
        struct guard *guard = &guards.all[g];
        if (guard->is_exact || address - guard->start >= guard->bytes)
            continue;
        if (guard->signals == NULL)
            guard->signals = calloc(guard->bytes / WORD + 1, 1);
        if (guard->signals != NULL)
            guard->signals[(address - guard->start) / WORD] =
                releases ? SIGNAL_RELEASE : SIGNAL_STRONG;
    }
}

enum signal signal_at(const struct guard *guard, uint64_t address)
{
    return guard->signals != NULL ? (enum signal)guard->signals[(address - guard->start) / WORD]
                                  : SIGNAL_NONE;
}

/* Notes that a kernel may wait for the host. */
void guards_look(uint64_t address)
{
    for (uint32_t g = 0; !guards.has_looked && g < guards.count; g++)
        guards.has_looked = address - guards.all[g].start < guards.all[g].bytes;
}

/* ---- Reports ---- */

void report_access(const struct exec_site *work, bool work_writes, const struct exec_site *site,
                   bool writes)
{
    char text[256];

    report("unsynchronized-access", site,
           "the host %s memory before it waits for the end of %s, which %s it",
           writes ? "writes" : "reads", site_text(work, text, sizeof text),
           work_writes ? "writes" : "reads");
}

bool has_changed(const struct guard *guard, uint64_t address)
{
    uint64_t at = address - guard->start, rest = guard->bytes - at;

    return guard->kept != NULL && memcmp(guard->kept + at, (void *)(uintptr_t)address,
                                         rest < COMPARED ? (size_t)rest : COMPARED) != 0;
}

void guards_after_run(void)
{
    guards.is_running = false;
    for (uint32_t g = 0; g < guards.count; g++) {
        struct guard *guard = &guards.all[g];
        guard->is_open = false;
        if (guard->edges != NULL)
            compare_edges(guard, true);
    }
}

/* ---- New guards ---- */

static void add(struct guard guard)
{
    size_t edges, before;

    if (guards.count == MAX_GUARDS) {
        report_remark("accesses of the host to pinned and managed memory are found for 1024 copies "
                      "and kernels at once, but not for more",
                      &guard.site);
        return;
    }
    guards_lift();
    edges = guard.is_exact ? edges_of(&guard, &before) : 0;
    guard.edges = edges > 0 ? malloc(edges) : NULL;
    if (guard.edges != NULL)
        compare_edges(&guard, true);
    guards.all[guards.count++] = guard;
}

static void guard_range(const void *address, uint64_t bytes, bool writes, const struct work *work,
                        uint32_t stream, uint64_t serial)
{
    const struct exec_allocation *one = exec_find(address);

    if (one != NULL && one->kind != EXEC_DEVICE)
        add((struct guard){.start = (uintptr_t)address,
                           .bytes = bytes,
                           .allocation = one->address,
                           .allocation_bytes = one->bytes,
                           .stream = stream,
                           .serial = serial,
                           .writes = writes,
                           .is_exact = true,
                           .shares_pages = one->kind == EXEC_REGISTERED,
                           .site = work->site});
}

/* Guards a whole allocation. A kernel may access any part. */
static void guard_allocation(const struct exec_allocation *one, const struct work *work,
                             uint32_t stream, uint64_t serial)
{
    add((struct guard){.start = one->address,
                       .bytes = one->bytes,
                       .allocation = one->address,
                       .allocation_bytes = one->bytes,
                       .stream = stream,
                       .serial = serial,
                       .writes = true,
                       .shares_pages = one->kind == EXEC_REGISTERED,
                       .site = work->site});
}

/* Guards the allocations to which parameters point, and the managed variables. */
static void guard_arguments(const struct work *work, uint32_t stream, uint64_t serial)
{
    const struct exec_allocation *variable;
    size_t number = 0;

    for (size_t at = 0; at + sizeof(void *) <= work->argument_bytes; at += sizeof(void *)) {
        const struct exec_allocation *one;
        void *address;
        memcpy(&address, work->arguments + at, sizeof address);
        one = address != NULL ? exec_find(address) : NULL;
        if (one != NULL && one->kind != EXEC_DEVICE)
            guard_allocation(one, work, stream, serial);
    }
    while ((variable = variable_managed(&number)) != NULL)
        guard_allocation(variable, work, stream, serial);
}

/* Separate rows are not guarded. */
static void leave_out(const void *address, const struct work *work)
{
    const struct exec_allocation *one = exec_find(address);

    if (one != NULL && one->kind != EXEC_DEVICE)
        report_remark("accesses of the host to pinned and managed memory are not found for copies "
                      "and fills of separate rows",
                      &work->site);
}

void guard_work(const struct work *work, uint32_t stream, uint64_t serial)
{
    const struct exec_box *box = &work->box;
    const struct exec_fill *fill = &work->fill;

    if (work->kind == WORK_LAUNCH)
        guard_arguments(work, stream, serial);
    if (work->kind == WORK_FILL && fill->height > 1 && fill->width != fill->pitch)
        leave_out(fill->to, work);
    else if (work->kind == WORK_FILL)
        guard_range(fill->to, fill->width * fill->height, true, work, stream, serial);
    if (work->kind != WORK_COPY)
        return;
    if (box->depth != 1 ||
        (box->height > 1 && (box->width != box->to_pitch || box->width != box->from_pitch))) {
        leave_out(box->to, work);
        leave_out(box->from, work);
        return;
    }
    guard_range(box->to, box->width * box->height, true, work, stream, serial);
    guard_range(box->from, box->width * box->height, false, work, stream, serial);
}
