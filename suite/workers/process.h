/* SPDX-License-Identifier: MIT
 *
 * A worker process and the pipes to it: requests one way, lines of answers the other.
 */
#ifndef SIMTCHECK_WORKERS_PROCESS_H
#define SIMTCHECK_WORKERS_PROCESS_H

#include "wire.h"

#include <sys/types.h>

struct chunk;

/* A worker, as its supervisor sees it. */
struct process {
    pid_t pid; /* 0: not running */
    int requests, answers;
    struct chunk *chunk;  /* it works on this */
    struct chunk *queued; /* and has been sent this already */
    size_t pipe_bytes;    /* what its pipe takes without waiting for its reader */
    bool ending;          /* it said that it ends after this */
    double deadline;      /* when its silence becomes a hang */
    size_t used;
    char buffer[4 * WORKER_LINE];
};

/* Starts the program in `process`, whose members for chunks are the caller's; false with errno set
 * when it cannot. */
bool process_spawn(struct process *process, const char *program,
                   const struct engine_limits *limits);

/* Closes the pipes, by which a worker is told to end. */
void process_close_pipes(struct process *process);

/* Waits for a process that is about to end; kills it after so many seconds. Returns its wait
 * status. */
int process_reap(struct process *process, double patience);

/* Waits until there is something to read; false when the time has come. */
bool process_wait_readable(const struct process *process, double limit);

/* Reads what there is; false when the process has closed its end. */
bool process_receive(struct process *process);

/* The next whole line of what was read, from `*taken` on, which moves behind it; null when there is
 * none. It is valid until process_drop_taken() makes room for more. */
char *process_take_line(struct process *process, size_t *taken);
void process_drop_taken(struct process *process, size_t taken);

#endif
