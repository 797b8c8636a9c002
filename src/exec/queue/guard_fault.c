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

static const struct exec_allocation *guarded(uint64_t address)
{
    const struct exec_allocation *one = exec_find((void *)(uintptr_t)address);

    for (uint32_t g = 0; one != NULL && g < guards.count; g++)
        if (guards.all[g].allocation == one->address)
            return one;
    return NULL;
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

#if defined(__x86_64__)
enum { WIDEST_ATOMIC = 16, TRAP_FLAG = 0x100 };

/* An atomic instruction that goes on. The processor stops behind it. */
static _Thread_local struct step {
    uint64_t allocation, at;
    char before[WIDEST_ATOMIC]; /* what was there */
    uint64_t polled;            /* where the last one has changed nothing */
} step;

/* Runs behind an atomic instruction. If the second one in a row at a place changes nothing, the
 * host polls that place, and waits for a kernel. Others may be a signal for which a kernel waits.
 */
static void handle_step(int number, siginfo_t *info, void *context)
{
    bool polls;

    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    exec_enter("the host", NULL);
    polls = memcmp(step.before, (void *)(uintptr_t)step.at, WIDEST_ATOMIC) == 0;
    guards_lift();
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].allocation == step.allocation)
            guards.all[g].is_open = false;
    if (polls && step.polled == step.at) {
        run_all();
        guards_forget(step.allocation);
    }
    step.polled = polls ? step.at : 0;
    exec_leave();
}

/* Lets an atomic instruction go on, and stops behind it. */
static void start_step(uint64_t allocation, uint64_t address, ucontext_t *context)
{
    const struct sigaction action = {.sa_sigaction = handle_step, .sa_flags = SA_SIGINFO};

    if (sigaction(SIGTRAP, &action, NULL) != 0) {
        guards_forget(allocation);
        return;
    }
    step.allocation = allocation;
    step.at = address / WIDEST_ATOMIC * WIDEST_ATOMIC;
    memcpy(step.before, (void *)(uintptr_t)step.at, WIDEST_ATOMIC);
    for (uint32_t g = 0; g < guards.count; g++)
        if (guards.all[g].allocation == allocation)
            guards.all[g].is_open = true;
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}
#else
static void start_step(uint64_t allocation, uint64_t address, ucontext_t *context)
{
    (void)address, (void)context;
    guards_forget(allocation);
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
        start_step(one->address, address, context);
    } else if (!writes || !open_early(one, address, &site)) {
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
