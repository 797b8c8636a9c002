/* SPDX-License-Identifier: MIT */
#include "children.h"

#include "clock.h"
#include "interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MICROSECONDS = 5000 };

static void start(const struct children *children, size_t k, struct child *child)
{
    *child = (struct child){.id = fork(), .worked = clock_seconds()};
    if (child->id == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        children->work(children->context, k);
        exit(0); /* not _exit(): a build that measures coverage writes its counts then */
    }
}

/* Notes whether a child has ended, and kills it if it hangs. */
static void attend(struct child *child, uint64_t progress, double patience)
{
    const double now = clock_seconds();

    if (waitpid(child->id, &child->status, WNOHANG) != 0) { /* negative: SIGCHLD is ignored */
        child->id = 0;
        return;
    }
    if (progress != child->progress)
        child->worked = now;
    child->progress = progress;
    if (now - child->worked < patience)
        return;
    kill(child->id, SIGKILL);
    child->id = 0;
    child->is_hung = true;
    child->patience = patience;
}

void children_run(const struct children *children, struct child *all)
{
    bool is_told = false, is_running = children->count > 0;
    double patience = children->patience;

    fflush(NULL);
    for (size_t k = 0; k < children->count; k++)
        start(children, k, &all[k]);
    while (is_running) {
        const bool tell = interrupt_came() && !is_told;

        is_running = false;
        is_told = is_told || tell;
        if (tell && children->grace < patience)
            patience = children->grace;
        for (size_t k = 0; k < children->count; k++) {
            if (all[k].id > 0 && tell)
                kill(all[k].id, SIGTERM);
            if (all[k].id > 0)
                attend(&all[k],
                       children->progress != NULL ? children->progress(children->context, k) : 0,
                       patience);
            is_running = is_running || all[k].id > 0;
        }
        usleep(POLL_MICROSECONDS);
    }
}
