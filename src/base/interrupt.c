/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <signal.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

bool interrupt_came(void)
{
    return interrupted != 0;
}

void interrupt_catch(void)
{
    /* SA_RESTART lets a write in progress finish. poll() returns nevertheless. */
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    struct sigaction before;

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[k], &action, NULL);
}

void interrupt_hold(sigset_t *before)
{
    sigset_t held;

    sigemptyset(&held);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        sigaddset(&held, numbers[k]);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void interrupt_release(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
