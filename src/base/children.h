/* SPDX-License-Identifier: MIT
 *
 * Child processes that run a function of this program, and may hang.
 */
#ifndef SIMTCHECK_BASE_CHILDREN_H
#define SIMTCHECK_BASE_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process, and how it ended. */
struct child {
    pid_t id;        /* 0: it has ended; negative: it could not be started */
    int status;      /* as of waitpid() */
    bool is_hung;    /* it was killed, after so many seconds without progress */
    double patience; /* these seconds */
    double worked;   /* when its progress was seen to grow */
    uint64_t progress;
};

/* What the children do. */
struct children {
    size_t count;
    void (*work)(void *context, size_t k);         /* the child exits with 0 when it returns */
    uint64_t (*progress)(void *context, size_t k); /* grows while child k works; null: unknown */
    void *context;
    double patience; /* how many seconds a child may make no progress */
    double grace;    /* the same after an interrupt, if that is less */
};

/* Starts the children and waits for them. A child without progress is killed; this does not wait
 * for its end, because a process that hangs in a driver may not die. An interrupt is passed on as
 * SIGTERM. The children are killed when this process ends. */
void children_run(const struct children *children, struct child *all);

#endif
