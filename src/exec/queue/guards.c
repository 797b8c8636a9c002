/* SPDX-License-Identifier: MIT
 *
 * Accesses of the host to pinned and managed memory that unfinished work uses. The pages are
 * protected until the host has synchronized with the work. A fault shows the access, which then
 * goes on.
 */
#include "guards.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, COMPARED = 16, MAX_KEPT = 256 << 20 };

struct guards guards;

/* ---- Protection ---- */

/* Protects the pages of which all bytes that belong to the allocation are guarded. */
static void protect(const struct guard *guard, int protection)
{
    uint64_t end = guard->start + guard->bytes, last = guard->allocation + guard->allocation_bytes,
             from = (guard->start + PAGE - 1) / PAGE * PAGE, to = end / PAGE * PAGE;

    if (guard->start == guard->allocation && !guard->shares_pages)
        from = guard->start;
    if (end == last && !guard->shares_pages)
        to = (last + PAGE - 1) / PAGE * PAGE;
    if (from < to)
        mprotect((void *)(uintptr_t)from, to - from, protection);
}

void guards_lift(void)
{
    for (uint32_t g = 0; guards.is_applied && g < guards.count; g++)
        protect(&guards.all[g], PROT_READ | PROT_WRITE);
    guards.is_applied = false;
}

void guards_apply(void)
{
    if (guards.is_applied)
        return;
    for (uint32_t g = 0; g < guards.count; g++)
        if (!guards.all[g].writes)
            protect(&guards.all[g], PROT_READ);
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].writes && guards.all[g].written == 0)
            protect(&guards.all[g], PROT_NONE);
    guards.is_applied = guards.count > 0;
}

/* Removes the guards for which `is_over` returns true. Nothing may be protected. */
static void remove_guards(bool (*is_over)(const struct guard *, uint64_t), uint64_t what)
{
    uint32_t kept = 0;

    guards_lift();
    for (uint32_t g = 0; g < guards.count; g++)
        if (!is_over(&guards.all[g], what)) {
            guards.all[kept++] = guards.all[g];
        } else if (guards.all[g].kept != NULL) {
            guards.kept_bytes -= guards.all[g].bytes;
            free(guards.all[g].kept);
        }
    guards.count = kept;
}

void guards_before_run(void)
{
    guards_lift();
    for (uint32_t g = 0; g < guards.count; g++) {
        struct guard *guard = &guards.all[g];
        if (guard->is_exact || guard->kept != NULL || guards.kept_bytes + guard->bytes > MAX_KEPT)
            continue;
        guard->kept = malloc(guard->bytes);
        if (guard->kept == NULL)
            continue;
        guards.kept_bytes += guard->bytes;
        memcpy(guard->kept, (void *)(uintptr_t)guard->start, guard->bytes);
    }
}

static bool is_synchronized(const struct guard *guard, uint64_t serials)
{
    return ((const uint64_t *)(uintptr_t)serials)[guard->stream] >= guard->serial;
}

void guards_synchronize(const uint64_t *serials)
{
    if (guards.count > 0)
        remove_guards(is_synchronized, (uintptr_t)serials);
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

/* ---- Reports ---- */

void report_access(const struct guard *guard, const struct exec_site *site, bool writes)
{
    char work[256];

    report("unsynchronized-access", site,
           "the host %s memory before it waits for the end of %s, which %s it",
           writes ? "writes" : "reads", site_text(&guard->site, work, sizeof work),
           guard->writes ? "writes" : "reads");
}

bool has_changed(const struct guard *guard, uint64_t address)
{
    uint64_t at = address - guard->start, rest = guard->bytes - at;

    return guard->kept != NULL && memcmp(guard->kept + at, (void *)(uintptr_t)address,
                                         rest < COMPARED ? (size_t)rest : COMPARED) != 0;
}

void guards_after_run(void)
{
    for (uint32_t g = 0; g < guards.count; g++) {
        struct guard *guard = &guards.all[g];
        if (guard->written != 0 && has_changed(guard, guard->written))
            report_access(guard, &guard->writer, true);
        guard->written = 0;
    }
}

/* ---- New guards ---- */

static void add(struct guard guard)
{
    if (guards.count == MAX_GUARDS)
        return;
    guards_lift();
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

void guard_work(const struct work *work, uint32_t stream, uint64_t serial)
{
    const struct exec_box *box = &work->box;

    if (work->kind == WORK_LAUNCH)
        guard_arguments(work, stream, serial);
    if (work->kind != WORK_COPY || box->depth != 1 ||
        (box->height > 1 && (box->width != box->to_pitch || box->width != box->from_pitch)))
        return;
    guard_range(box->to, box->width * box->height, true, work, stream, serial);
    guard_range(box->from, box->width * box->height, false, work, stream, serial);
}
