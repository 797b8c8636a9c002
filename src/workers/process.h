/* SPDX-License-Identifier: MIT
 *
 * A worker process and the pipes to it: requests in one direction, lines of answers in the other.
 */
#ifndef SIMTCHECK_WORKERS_PROCESS_H
#define SIMTCHECK_WORKERS_PROCESS_H

#include "wire.h"

#include <poll.h>
#include <sys/types.h>

struct chunk;

/* The files from which workers load their kernels and their catalogue. */
struct code {
    unsigned int number; /* 0: their own */
    char path[512], programs[512];
};

/* A worker, as its supervisor sees it. */
struct process {
    pid_t pid; /* 0: not running */
    int requests, answers;
    struct chunk *chunk;  /* the chunk that it runs */
    struct chunk *queued; /* the chunk that it runs next, already sent */
    size_t pipe_bytes;    /* bytes that its pipe accepts without waiting for the reader */
    unsigned int use;     /* the number of the code that it uses */
    size_t answered;      /* lines about its chunk */
    size_t covered;       /* further lines, about the coverage of its chunk */
    char call[256];       /* code of the user that it calls; "": none */
    bool ending;          /* it has announced that it ends */
    bool put_down;        /* process_reap() had to kill it */
    double deadline;      /* when its silence becomes a hang */
    double busy;          /* when it was last seen to use processor time */
    double used_seconds;  /* the processor time that it had used then */
    size_t used;
    char buffer[4 * WORKER_LINE];
};

/* What a worker reports before it is ready. */
struct introduction {
    size_t batch;
    char description[256], lacks[NEEDS_TAIL_LAUNCH + 1][128];
};

/* Calls poll() for `seconds`. Returns -1 with EINTR on a signal or when `stopped` returns true. A
 * signal that arrives between that check and the wait also ends the wait. */
int process_wait(struct pollfd *files, nfds_t count, double seconds, bool (*stopped)(void));

/* Starts the program in `process` and waits until it is ready. Returns ENGINE_STOPPED when
 * `stopped` returns true meanwhile. Returns ENGINE_LOST when the program has started and ended
 * without an answer. On failure nothing runs, and `reason` says why in one sentence. */
enum engine_status process_start(struct process *process, const char *program,
                                 const struct engine_limits *limits, bool (*stopped)(void),
                                 struct introduction *introduction, char *reason,
                                 size_t reason_size);

/* Closes the pipes. The worker then ends. */
void process_close_pipes(struct process *process);

/* Waits for a process that is about to end. Kills it after `patience` seconds, or at once if it is
 * stopped. Returns its wait status. */
int process_reap(struct process *process, double patience);

/* Returns the processor time that it has used so far, in seconds; 0 when nothing runs. */
double process_seconds(const struct process *process);

/* Returns true if the process is stopped, as by a debugger or SIGSTOP. */
bool process_is_stopped(const struct process *process);

/* Returns true if the process died of a signal that no program sends itself by mistake. */
bool process_was_killed(int status);

/* Writes ", under a memory limit of 512 MiB" if there is a limit and it can be read; else an empty
 * text. */
void process_memory_limit(char *text, size_t size);

/* Writes the whole text, unless the process has closed its end; the end of its answers then reports
 * that. Kills a process that is stopped and does not read for a while. Writes nothing more once
 * `stopped` returns true. */
void process_send(struct process *process, const char *text, size_t length, bool (*stopped)(void));

/* Reads the available bytes. Returns false when the process has closed its end. */
bool process_receive(struct process *process);

/* Returns the next whole line of the bytes read, from `*taken` on, and advances `*taken` past it.
 * Returns null when no whole line is left. The line is valid until process_drop_taken(). */
char *process_take_line(struct process *process, size_t *taken);
void process_drop_taken(struct process *process, size_t taken);

#endif
