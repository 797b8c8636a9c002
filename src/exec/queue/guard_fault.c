/* SPDX-License-Identifier: MIT
 *
 * A fault of the host at a guarded page: the access is checked, and goes on.
 */
#include "guards.h"

#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

static bool has_handler;
static struct sigaction before_ours;

enum { WIDEST_ATOMIC = 16 };

/* An instruction that goes on. The processor stops after it. */
static _Thread_local struct step {
    uint64_t allocation;
    uint32_t writes;            /* plain ones to the allocation in a row */
    uint64_t at;                /* of an atomic instruction; 0: it is a plain write */
    char before[WIDEST_ATOMIC]; /* what was there */
    uint64_t polled;            /* where the last atomic instruction has changed nothing */
} step;

static const struct exec_allocation *guarded(uint64_t address)
{
    const struct exec_allocation *one = exec_find((void *)(uintptr_t)address);

    for (uint32_t g = 0; one != NULL && g < guards.count; g++)
        if (guards.all[g].allocation == one->address)
            return one;
    return NULL;
}

/* Checks an access against the guards of the allocation. What a kernel writes is known only after
 * it has run. The host may access a word at the same time as a strong write of system scope. Its
 * own access counts as strong, because an atomic load is a plain instruction. */
static void check_access(uint64_t address, bool writes, const struct exec_site *site)
{
    run_all();
    for (uint32_t g = 0; g < guards.count; g++) {
        const struct guard *guard = &guards.all[g];
        if (address - guard->start >= guard->bytes)
            continue;
        if (guard->is_exact ? !guard->writes && !writes : !has_changed(guard, address))
            continue;
        if (signal_at(guard, address) == SIGNAL_NONE)
            report_access(&guard->site, guard->writes, site, writes);
        else if (signal_at(guard, address) == SIGNAL_RELEASE && !writes)
            guards_hear(guard->stream, guard->serial);
        return;
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

static void open_guards(uint64_t allocation, bool is_open)
{
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].allocation == allocation)
            guards.all[g].is_open = is_open;
}

/* Opens an allocation for a write before the kernels that use it have run: the write may be a
 * signal for which they wait. Returns false if other work uses it.
 *
 * Theorem: a weak access of such a kernel to what is written races with the write, if no host
 * function is queued and no kernel of the run makes a strong read of guarded memory. For an order,
 * the kernel or its stream would have to know of the write, or the host of the kernel. The launch
 * came before the write. Only a host function lets a stream wait for the host, and only a strong
 * read of memory that both reach lets a kernel. The host cannot know of what has not run. */
static bool open_early(const struct exec_allocation *one, uint64_t address,
                       const struct exec_site *site)
{
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].allocation == one->address &&
            (guards.all[g].is_exact || guards.all[g].kept != NULL))
            return false;
    overlap_write(address, site);
    open_guards(one->address, true);
    return true;
}

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100, MOST_STEPS = 64 };

/* Runs after the instruction. If the second atomic one in a row at a place changes nothing, the
 * host polls that place, and waits for a kernel. Others may be a signal for which a kernel waits.
 */
static void handle_step(int number, siginfo_t *info, void *context)
{
    bool polls;

    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    exec_enter("the host", NULL);
    polls = step.at != 0 && memcmp(step.before, (void *)(uintptr_t)step.at, WIDEST_ATOMIC) == 0;
    guards_lift();
    open_guards(step.allocation, false);
    if (polls && step.polled == step.at) {
        run_all();
        guards_forget(step.allocation);
    }
    step.polled = polls ? step.at : 0;
    exec_leave();
}

/* Lets an instruction go on, and stops after it. Many writes in a row, such as those of memset(),
 * are no signal: the allocation then stays open until the kernels have run. */
static void start_step(uint64_t allocation, uint64_t atomic, ucontext_t *context)
{
    const struct sigaction action = {.sa_sigaction = handle_step, .sa_flags = SA_SIGINFO};

    step.writes = atomic == 0 && step.allocation == allocation ? step.writes + 1 : 0;
    step.allocation = allocation;
    step.at = atomic / WIDEST_ATOMIC * WIDEST_ATOMIC;
    if (step.writes >= MOST_STEPS || sigaction(SIGTRAP, &action, NULL) != 0)
        return;
    if (step.at != 0)
        memcpy(step.before, (void *)(uintptr_t)step.at, WIDEST_ATOMIC);
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}
#else
static void start_step(uint64_t allocation, uint64_t atomic, ucontext_t *context)
{
    (void)allocation, (void)atomic, (void)context;
}
#endif

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
        sigaction(number, &before_ours, NULL); /* The instruction faults again. */
        has_handler = false;
        return;
    }
    counter = counter_of(context, &writes);
    site = site_of_fault(counter);
    guards_lift();
    if (is_atomic(counter)) {
        open_guards(one->address, true);
        start_step(one->address, address, context);
    } else if (writes && open_early(one, address, &site)) {
        start_step(one->address, 0, context);
    } else {
        step.writes = 0;
        check_access(address, writes, &site);
        guards_forget(one->address);
    }
    exec_leave();
}

void guards_watch(void)
{
    const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};

    if (has_handler || guards.count == 0)
        return;
    has_handler = sigaction(SIGSEGV, &action, &before_ours) == 0;
    if (!has_handler)
        guards_forget_all();
}
