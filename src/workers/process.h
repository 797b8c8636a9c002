/* SPDX-License-Identifier: MIT
 *
 * A worker process and the pipes to it: requests one way, lines of answers the other.
 */
#ifndef SIMTCHECK_WORKERS_PROCESS_H
#define SIMTCHECK_WORKERS_PROCESS_H

#include "wire.h"

#include <poll.h>
#include <sys/types.h>

struct chunk;

/* Files that workers are to take their kernels and their catalogue from. */
struct code {
    unsigned int number; /* 0: their own */
    char path[512], programs[512];
};

/* A worker, as its supervisor sees it. */
struct process {
    pid_t pid; /* 0: not running */
    int requests, answers;
    struct chunk *chunk;  /* it works on this */
    struct chunk *queued; /* and has been sent this already */
    size_t pipe_bytes;    /* what its pipe takes without waiting for its reader */
    unsigned int use;     /* the number of the code that it was told to use */
    size_t answered;      /* lines, about its chunk */
    bool ending;          /* it said that it ends after this */
    bool put_down;        /* process_reap() had to kill it */
    double deadline;      /* when its silence becomes a hang */
    size_t used;
    char buffer[4 * WORKER_LINE];
};

/* What a worker says of itself before it is ready. */
struct introduction {
    size_t batch;
    char description[256], lacks[NEEDS_TAIL_LAUNCH + 1][128];
};

/* poll() for so many seconds that is left at once by a signal, and when `stopped` says so: -1 then,
 * with EINTR. A signal that comes between that look and the wait is not slept through. */
int process_wait(struct pollfd *files, nfds_t count, double seconds, bool (*stopped)(void));

/* Starts the program in `process` and waits until it is ready. ENGINE_STOPPED when `stopped` says
 * so meanwhile; ENGINE_LOST when it has started, and has ended without a word. On failure nothing
 * runs, and `reason` says why in one sentence. */
enum engine_status process_start(struct process *process, const char *program,
                                 const struct engine_limits *limits, bool (*stopped)(void),
                                 struct introduction *introduction, char *reason,
                                 size_t reason_size);

/* Closes the pipes, by which a worker is told to end. */
void process_close_pipes(struct process *process);

/* Waits for a process that is about to end; kills it after so many seconds, or at once if it is
 * stopped. Returns its wait status. */
int process_reap(struct process *process, double patience);

/* Processor time that it has used so far, in seconds; 0 when nothing runs. */
double process_seconds(const struct process *process);

/* Has somebody stopped it, as a debugger does or SIGSTOP? */
bool process_is_stopped(const struct process *process);

/* Did it die of a signal that no program sends itself by mistake? */
bool process_was_killed(int status);

/* ", under a memory limit of 512 MiB", where there is one and it can be read; else empty. */
void process_memory_limit(char *text, size_t size);

/* Writes all of it, unless the process has closed its end: that is noticed when its answers end.
 * One that is stopped and does not read is killed after a while; nothing more is written once
 * `stopped` says so. */
void process_send(struct process *process, const char *text, size_t length, bool (*stopped)(void));

/* Reads what there is; false when the process has closed its end. */
bool process_receive(struct process *process);

/* The next whole line of what was read, from `*taken` on, which moves behind it; null when there is
 * none. It is valid until process_drop_taken() makes room for more. */
char *process_take_line(struct process *process, size_t *taken);
void process_drop_taken(struct process *process, size_t taken);

#endif
