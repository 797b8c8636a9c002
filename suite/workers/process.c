/* SPDX-License-Identifier: MIT */
#include "process.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIPE_BYTES = 1 << 20 }; /* wanted capacity of the pipe for requests */

void process_close_pipes(struct process *process)
{
    if (process->requests >= 0)
        close(process->requests);
    if (process->answers >= 0)
        close(process->answers);
    process->requests = process->answers = -1;
}

int process_reap(struct process *process, double patience)
{
    double limit = clock_seconds() + patience;
    int status = 0;

    process_close_pipes(process);
    while (waitpid(process->pid, &status, WNOHANG) == 0) {
        if (clock_seconds() > limit)
            kill(process->pid, SIGKILL);
        usleep(1000);
    }
    process->pid = 0;
    process->used = 0;
    return status;
}

/* In the child: puts the pipes where the worker expects them. Its standard output becomes standard
 * error, so that what a kernel prints cannot mix with a report. */
static _Noreturn void become_worker(const char *program, const struct engine_limits *limits,
                                    int requests, int answers)
{
    const struct delays *delays = &limits->delays;
    char deadline[32], steps[32], seed[16], per_cent[16], longest[16];

    snprintf(deadline, sizeof deadline, "%.17g", limits->deadline_seconds);
    snprintf(steps, sizeof steps, "%llu", (unsigned long long)limits->steps);
    snprintf(seed, sizeof seed, "%" PRIu32, delays->seed);
    snprintf(per_cent, sizeof per_cent, "%" PRIu32, delays->per_cent);
    snprintf(longest, sizeof longest, "%" PRIu32, delays->longest_ns);
    char *arguments[] = {
        (char *)(uintptr_t)program, deadline, steps, seed, per_cent, longest, NULL};
    if (answers == STDIN_FILENO)
        answers = dup(answers);
    if (requests == WORKER_ANSWER_FD)
        requests = dup(requests);
    if (dup2(requests, STDIN_FILENO) < 0 || dup2(answers, WORKER_ANSWER_FD) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(126);
    fcntl(STDIN_FILENO, F_SETFD, 0); /* dup2() of a descriptor to itself leaves it as it was */
    fcntl(WORKER_ANSWER_FD, F_SETFD, 0);
    if (requests > WORKER_ANSWER_FD)
        close(requests);
    if (answers > WORKER_ANSWER_FD)
        close(answers);
    execve(program, arguments, environ);
    _exit(127);
}

bool process_spawn(struct process *process, const char *program, const struct engine_limits *limits)
{
    int requests[2], answers[2], capacity;

    if (pipe2(requests, O_CLOEXEC) != 0)
        return false;
    if (pipe2(answers, O_CLOEXEC) != 0) {
        close(requests[0]);
        close(requests[1]);
        return false;
    }
    process->pid = fork();
    if (process->pid == 0) {
        setpgid(0, 0); /* an interrupt from the terminal is the supervisor's to handle */
        become_worker(program, limits, requests[0], answers[1]);
    }
    close(requests[0]);
    close(answers[1]);
    process->requests = requests[1];
    fcntl(requests[1], F_SETPIPE_SZ, PIPE_BYTES);
    capacity = fcntl(requests[1], F_GETPIPE_SZ);
    process->pipe_bytes = capacity > 0 ? (size_t)capacity / 2 : 0; /* pages may be half full */
    process->answers = answers[0];
    process->used = 0;
    if (process->pid > 0)
        return true;
    process->pid = 0;
    process_close_pipes(process);
    return false;
}

char *process_take_line(struct process *process, size_t *taken)
{
    char *line = process->buffer + *taken;
    char *end = memchr(line, '\n', process->used - *taken);

    if (end == NULL)
        return NULL;
    *end = '\0';
    *taken += (size_t)(end - line) + 1;
    return line;
}

void process_drop_taken(struct process *process, size_t taken)
{
    process->used -= taken;
    memmove(process->buffer, process->buffer + taken, process->used);
}

bool process_receive(struct process *process)
{
    ssize_t got;

    if (process->used == sizeof process->buffer)
        return false; /* no line is that long: whatever this is, it is not a worker */
    do
        got = read(process->answers, process->buffer + process->used,
                   sizeof process->buffer - process->used);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    process->used += (size_t)got;
    return true;
}

bool process_wait_readable(const struct process *process, double limit)
{
    struct pollfd poll_answers = {.fd = process->answers, .events = POLLIN};
    double left;

    while ((left = limit - clock_seconds()) > 0) {
        int ready = poll(&poll_answers, 1, (int)(left * 1000) + 1);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
    return false;
}
