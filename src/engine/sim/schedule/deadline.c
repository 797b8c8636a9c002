/* SPDX-License-Identifier: MIT */
#include "deadline.h"

#include "budget.h"
#include "fault.h"

#include <execinfo.h>
#include <sys/time.h>
#include <ucontext.h>

/* Two ticks without a step mean a loop without an access; see on_tick(). */
enum { TICK_MICROSECONDS = 100000, ALTERNATE_STACK = 65536 };

static char alternate_stack[ALTERNATE_STACK];
static int64_t watched_countdown;
static uint64_t watched_steps;

/* As a return address, which stands after its instruction. */
static const void *interrupted_at(const void *context)
{
    const ucontext_t *machine = context;
#if defined(__x86_64__)
    return (const char *)machine->uc_mcontext.gregs[REG_RIP] + 1;
#else
    return (const char *)machine->uc_mcontext.pc + 1;
#endif
}

/* A handler that will not return takes its signal off the mask. */
static void unblock(int number)
{
    sigset_t unblocked;

    sigemptyset(&unblocked);
    sigaddset(&unblocked, number);
    sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
}

/* The deadline has passed. A kernel that makes accesses is told at the end of its span of steps;
 * one that makes none is left from here. The callbacks are short, so a fiber that has made no step
 * since the last tick is in kernel code and holds no lock. */
static void on_tick(int number, siginfo_t *info, void *context)
{
    void *calls[MAX_CALLS];

    (void)info;
    if (!fiber_running)
        return;
    if (fiber_held || !steps.overdue || watched_countdown != steps.countdown ||
        watched_steps != steps.made) {
        budget_set_overdue(true);
        watched_countdown = steps.countdown;
        watched_steps = steps.made;
        return;
    }
    unblock(number);
    calls[0] = (void *)(uintptr_t)interrupted_at(context);
    fault_raise_deadline_in(calls, 1 + backtrace(calls + 1, MAX_CALLS - 1));
}

/* A GPU would give some number and go on. */
static void on_division(int number, siginfo_t *info, void *context)
{
    (void)info;
    if (!fiber_running) {
        signal(number, SIG_DFL);
        return;
    }
    unblock(number);
    fault_raise(FAULT_DIVISION, interrupted_at(context),
                "divides an integer by zero, or the smallest by -1");
}

/* A thread has overrun its stack without an access on the way; anything else is a crash. */
static void on_bad_address(int number, siginfo_t *info, void *context)
{
    if (!fiber_running || !stacks_is_guard(info->si_addr)) {
        signal(number, SIG_DFL); /* and back to it */
        return;
    }
    unblock(number);
    fault_raise_stack(interrupted_at(context));
}

bool deadline_open(void)
{
    void *call;
    struct sigaction tick = {.sa_sigaction = on_tick,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    struct sigaction bad_address = {.sa_sigaction = on_bad_address,
                                    .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction division = {.sa_sigaction = on_division, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};

    backtrace(&call, 1); /* which loads a library the first time, and may not in a handler */
    return sigaltstack(&stack, NULL) == 0 && sigaction(SIGPROF, &tick, NULL) == 0 &&
           sigaction(SIGSEGV, &bad_address, NULL) == 0 && sigaction(SIGFPE, &division, NULL) == 0;
}

void deadline_set(double seconds)
{
    struct itimerval timer = {0};

    if (seconds > 0) {
        int64_t microseconds = (int64_t)(seconds * 1e6) + 1;
        timer.it_value.tv_sec = (time_t)(microseconds / 1000000);
        timer.it_value.tv_usec = (suseconds_t)(microseconds % 1000000);
        timer.it_interval.tv_usec = TICK_MICROSECONDS;
        fault_set_deadline(seconds);
    }
    budget_set_overdue(false);
    setitimer(ITIMER_PROF, &timer, NULL);
}
