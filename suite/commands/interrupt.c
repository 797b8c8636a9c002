/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <signal.h>

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
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: poll() must wake */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGXCPU, &action, NULL);
}
