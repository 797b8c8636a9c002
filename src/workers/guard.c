/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include "error_report.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { LATE = SIGVTALRM, STACK = 1 << 16 };

static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, LATE};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static struct sigaction before[NUMBERS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The call of this thread. Its signals are handled on a stack of their own, because the call may
 * have used up its stack. */
static _Thread_local struct guard {
    volatile sig_atomic_t is_active;
    sigjmp_buf back;
    char stack[STACK];
} guard;

/* Returns to guard_call(). A crash elsewhere has its former effect: the instruction runs again. */
static void on_signal(int number)
{
    if (guard.is_active)
        siglongjmp(guard.back, number);
    for (size_t k = 0; k < NUMBERS; k++)
        if (numbers[k] == number && number != LATE)
            sigaction(number, &before[k], NULL);
}

static void catch_all(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};

    for (size_t k = 0; k < NUMBERS; k++)
        sigaction(numbers[k], &action, &before[k]);
}

/* Starts a clock of this thread's processor time. Returns false on error. */
static bool start_timer(double seconds, timer_t *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = LATE};
    struct itimerspec limit = {.it_value.tv_sec = (time_t)seconds};

    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    limit.it_value.tv_nsec = (long)((seconds - (double)limit.it_value.tv_sec) * 1e9);
    return timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer) == 0 &&
           timer_settime(*timer, 0, &limit, NULL) == 0;
}

static FILE *announced_to; /* null: nowhere */

void guard_announce_to(FILE *answers)
{
    announced_to = answers;
}

void guard_announce(const char *what)
{
    if (announced_to != NULL && fprintf(announced_to, "calls\t%s\n", what) > 0)
        fflush(announced_to);
}

bool guard_call(const char *what, double seconds, void (*call)(void *context), void *context,
                char *reason, size_t size)
{
    const stack_t stack = {.ss_sp = guard.stack, .ss_size = sizeof guard.stack};
    stack_t former;
    volatile bool has_timer;
    timer_t timer;
    int number;

    guard_announce(what);
    pthread_once(&once, catch_all);
    sigaltstack(&stack, &former);
    has_timer = start_timer(seconds, &timer);
    number = sigsetjmp(guard.back, 1);
    guard.is_active = number == 0;
    if (number == 0)
        call(context);
    guard.is_active = false;
    if (has_timer)
        timer_delete(timer);
    sigaltstack(&former, NULL);
    guard_announce("");
    if (number == 0)
        return true;
    return number == LATE
               ? error_write(reason, size, "is still running at the deadline of %g s (--deadline)",
                             seconds)
               : error_write(reason, size, "crashes (%s)", strsignal(number));
}
