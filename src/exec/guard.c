/* SPDX-License-Identifier: MIT
 *
 * Accesses of the host to pinned and managed memory that unfinished work uses. The pages are
 * protected until the host has synchronized with the work. A fault shows the access, which then
 * goes on.
 */
#include "internal.h"

#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, MAX_GUARDS = 1024, COMPARED = 16, MAX_KEPT = 256 << 20 };

/* Memory that work uses. is_exact: it surely reads or writes all of it, as a copy does. A kernel
 * may access any part, or none. */
struct guard {
    uint64_t start, bytes, allocation, allocation_bytes;
    uint32_t stream;
    uint64_t serial;
    bool writes, is_exact, shares_pages; /* shares_pages: with other memory of the program */
    char *kept; /* of a kernel: the contents before it ran; null: it has not run */
    struct exec_site site;
    uint64_t written; /* where the host has written before the kernel runs; 0: nowhere */
    struct exec_site writer;
};

static struct {
    struct guard all[MAX_GUARDS];
    uint32_t count;
    size_t kept_bytes;
    bool is_applied, has_handler;
    struct sigaction before;
} guards;

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

static bool is_synchronized(const struct guard *guard, uint64_t unused)
{
    (void)unused;
    return host_is_behind(guard->stream, guard->serial);
}

void guards_synchronize(void)
{
    if (guards.count > 0)
        remove_guards(is_synchronized, 0);
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

/* ---- Faults ---- */

static const struct exec_allocation *guarded(uint64_t address)
{
    const struct exec_allocation *one = exec_find((void *)(uintptr_t)address);

    for (uint32_t g = 0; one != NULL && g < guards.count; g++)
        if (guards.all[g].allocation == one->address)
            return one;
    return NULL;
}

static void report_access(const struct guard *guard, const struct exec_site *site, bool writes)
{
    char work[256];

    report("unsynchronized-access", site,
           "the host %s memory before it waits for the end of %s, which %s it",
           writes ? "writes" : "reads", site_text(&guard->site, work, sizeof work),
           guard->writes ? "writes" : "reads");
}

static bool has_changed(const struct guard *guard, uint64_t address)
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

/* Checks an access against the guards of the allocation. What a kernel writes is known only after
 * it has run. */
static void check_access(uint64_t address, bool writes, const struct exec_site *site)
{
    run_all();
    for (uint32_t g = 0; g < guards.count; g++) {
        const struct guard *guard = &guards.all[g];
        if (address - guard->start >= guard->bytes)
            continue;
        if (guard->is_exact ? guard->writes || writes : has_changed(guard, address)) {
            report_access(guard, site, writes);
            return;
        }
    }
}

static uintptr_t counter_of(const ucontext_t *context, bool *writes)
{
#if defined(__x86_64__)
    *writes = (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    *writes = false;
    return (uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    *writes = false;
    return 0;
#endif
}

/* Finds the place of an instruction; it may be in a function of the C library. */
static struct exec_site site_of_fault(uintptr_t counter)
{
    enum { DEEPEST = 12 };
    struct exec_site site = {.name = "the host", .addresses = {(void *)(counter + 1)}};
    void *frames[DEEPEST];
    int count = backtrace(frames, DEEPEST);

    for (int k = 0; k < count; k++)
        if ((uintptr_t)frames[k] == counter)
            for (int f = 1; f < EXEC_FRAMES && k + f < count; f++)
                site.addresses[f] = frames[k + f];
    return site;
}

/* Returns whether the instruction is atomic: then a kernel may use the memory at the same time. */
static bool is_atomic(uintptr_t counter)
{
#if defined(__x86_64__)
    enum { OPERAND_SIZE = 0x66, LOCK = 0xf0, REPEAT = 0xf2, REX = 0x40, EXCHANGE = 0x86 };
    const unsigned char *code = (const unsigned char *)counter;

    while (*code == OPERAND_SIZE || (*code & 0xfe) == REPEAT || (*code & 0xf0) == REX)
        code++;
    return *code == LOCK || (*code & 0xfe) == EXCHANGE;
#else
    (void)counter;
    return false;
#endif
}

/* Opens an allocation for a write before the kernels that use it have run: the write may be a
 * signal for which they wait. Returns false if other work uses it. */
static bool open_early(const struct exec_allocation *one, uint64_t address,
                       const struct exec_site *site)
{
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].allocation == one->address &&
            (guards.all[g].is_exact || guards.all[g].kept != NULL))
            return false;
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].allocation == one->address) {
            guards.all[g].written = address;
            guards.all[g].writer = *site;
        }
    return true;
}

static void handle(int number, siginfo_t *info, void *context)
{
    uint64_t address = (uintptr_t)info->si_addr;
    const struct exec_allocation *one;
    struct exec_site site;
    uintptr_t counter;
    bool writes;

    exec_enter("the host", NULL);
    one = guarded(address);
    if (one == NULL) {
        exec_leave();
        sigaction(number, &guards.before, NULL); /* The instruction faults again. */
        guards.has_handler = false;
        return;
    }
    counter = counter_of(context, &writes);
    site = site_of_fault(counter);
    guards_lift();
    if (is_atomic(counter)) {
        guards_forget(one->address);
    } else if (!writes || !open_early(one, address, &site)) {
        check_access(address, writes, &site);
        guards_forget(one->address);
    }
    exec_leave();
}

/* ---- New guards ---- */

static void add(struct guard guard)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};

    if (!guards.has_handler)
        guards.has_handler = sigaction(SIGSEGV, &action, &guards.before) == 0;
    if (guards.count == MAX_GUARDS || !guards.has_handler)
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
