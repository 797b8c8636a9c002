/* SPDX-License-Identifier: MIT */
#include "process.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIPE_BYTES = 1 << 20 }; /* wanted capacity of the pipe for requests */

/* A fresh GPU context can take a minute. A stopped worker may be continued soon. */
static const double START_SECONDS = 120, END_SECONDS = 20, LOOK_UP_SECONDS = 0.2,
                    STOPPED_SECONDS = 3;

static bool is_stopped(bool (*stopped)(void))
{
    return stopped != NULL && stopped();
}

void process_close_pipes(struct process *process)
{
    if (process->requests >= 0)
        close(process->requests);
    if (process->answers >= 0)
        close(process->answers);
    process->requests = process->answers = -1;
}

bool process_is_stopped(const struct process *process)
{
    siginfo_t state = {.si_pid = 0};

    return waitid(P_PID, (id_t)process->pid, &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           state.si_pid != 0;
}

int process_reap(struct process *process, double patience)
{
    double limit = clock_seconds() + patience;
    int status = 0;

    process->put_down = false;
    process_close_pipes(process);
    while (waitpid(process->pid, &status, WNOHANG) == 0) {
        if (clock_seconds() > limit || process_is_stopped(process)) {
            kill(process->pid, SIGKILL);
            process->put_down = true;
        }
        usleep(1000);
    }
    process->pid = 0;
    process->used = 0;
    process->use = 0;
    return status;
}

/* In the child: puts the pipes where the worker expects them. Its standard output becomes standard
 * error, so the output of kernels cannot mix with a report. */
static _Noreturn void become_worker(pid_t supervisor, const char *program,
                                    const struct engine_limits *limits, int requests, int answers)
{
    const struct delays *delays = &limits->delays;
    char deadline[32], steps[32], seed[16], per_cent[16], longest[16], rules[16];
    sigset_t none;

    snprintf(deadline, sizeof deadline, "%.17g", limits->deadline_seconds);
    snprintf(steps, sizeof steps, "%llu", (unsigned long long)limits->steps);
    snprintf(seed, sizeof seed, "%" PRIu32, delays->seed);
    snprintf(per_cent, sizeof per_cent, "%" PRIu32, delays->per_cent);
    snprintf(longest, sizeof longest, "%" PRIu32, delays->longest_ns);
    snprintf(rules, sizeof rules, "%d",
             (limits->strict_barriers ? WORKER_STRICT_BARRIERS : 0) |
                 (limits->warp_barriers ? WORKER_WARP_BARRIERS : 0) |
                 ((int)limits->floats * WORKER_FLOATS));
    char *arguments[] = {
        (char *)(uintptr_t)program, deadline, steps, seed, per_cent, longest, rules, NULL};
    if (answers == STDIN_FILENO)
        answers = dup(answers);
    if (requests == WORKER_ANSWER_FD)
        requests = dup(requests);
    if (dup2(requests, STDIN_FILENO) < 0 || dup2(answers, WORKER_ANSWER_FD) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(126);
    /* A busy worker must not outlive the supervisor. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != supervisor)
        _exit(126);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a crash is a result */
    fcntl(STDIN_FILENO, F_SETFD, 0); /* dup2() of a descriptor to itself keeps its flags */
    fcntl(WORKER_ANSWER_FD, F_SETFD, 0);
    if (requests > WORKER_ANSWER_FD)
        close(requests);
    if (answers > WORKER_ANSWER_FD)
        close(answers);
    execve(program, arguments, environ);
    _exit(127);
}

static bool spawn(struct process *process, const char *program, const struct engine_limits *limits)
{
    int requests[2], answers[2], capacity;
    pid_t supervisor;

    if (pipe2(requests, O_CLOEXEC) != 0)
        return false;
    if (pipe2(answers, O_CLOEXEC) != 0) {
        close(requests[0]);
        close(requests[1]);
        return false;
    }
    supervisor = getpid();
    process->pid = fork();
    if (process->pid == 0) {
        setpgid(0, 0); /* The supervisor handles interrupts from the terminal. */
        become_worker(supervisor, program, limits, requests[0], answers[1]);
    }
    close(requests[0]);
    close(answers[1]);
    process->requests = requests[1];
    fcntl(requests[1], F_SETPIPE_SZ, PIPE_BYTES);
    fcntl(requests[1], F_SETFL, O_NONBLOCK); /* process_send() waits and checks the process
                                                meanwhile. */
    capacity = fcntl(requests[1], F_GETPIPE_SZ);
    process->pipe_bytes = capacity > 0 ? (size_t)capacity / 2 : 0; /* Pages may be half full. */
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

int process_wait(struct pollfd *files, nfds_t count, double seconds, bool (*stopped)(void))
{
    struct timespec left = {.tv_sec = seconds > 0 ? (time_t)seconds : 0};
    sigset_t all, before;
    int ready;

    left.tv_nsec = seconds > 0 ? (long)((seconds - (double)left.tv_sec) * 1e9) : 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = EINTR;
    ready = is_stopped(stopped) ? -1 : ppoll(files, count, &left, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ready;
}

/* Waits until there is room for more. Returns false if there will be none. */
static bool wait_writable(const struct process *process, double since, bool (*stopped)(void))
{
    struct pollfd requests = {.fd = process->requests, .events = POLLOUT};

    while (!is_stopped(stopped)) {
        if (process_wait(&requests, 1, LOOK_UP_SECONDS, stopped) > 0)
            return true;
        if (clock_seconds() - since > STOPPED_SECONDS && process_is_stopped(process)) {
            kill(process->pid, SIGKILL);
            return false;
        }
    }
    return false;
}

void process_send(struct process *process, const char *text, size_t length, bool (*stopped)(void))
{
    double since = clock_seconds();

    while (length > 0) {
        ssize_t sent = write(process->requests, text, length);
        if (sent < 0 &&
            (errno == EINTR || (errno == EAGAIN && wait_writable(process, since, stopped))))
            continue;
        if (sent <= 0)
            return;
        text += sent;
        length -= (size_t)sent;
    }
}

bool process_receive(struct process *process)
{
    ssize_t got;

    if (process->used == sizeof process->buffer)
        return false; /* No worker writes so long a line. */
    do
        got = read(process->answers, process->buffer + process->used,
                   sizeof process->buffer - process->used);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    process->used += (size_t)got;
    return true;
}

/* ---- Until it is ready ---- */

/* Waits until there is something to read. Returns false at the time limit or on a stop. */
static bool wait_readable(const struct process *process, double limit, bool (*stopped)(void))
{
    struct pollfd poll_answers = {.fd = process->answers, .events = POLLIN};
    double left;

    while ((left = limit - clock_seconds()) > 0 && !is_stopped(stopped)) {
        int ready = process_wait(&poll_answers, 1, left < LOOK_UP_SECONDS ? left : LOOK_UP_SECONDS,
                                 stopped);
        if (ready > 0)
            return true;
        if ((ready < 0 && errno != EINTR) ||
            (START_SECONDS - left > STOPPED_SECONDS && process_is_stopped(process)))
            return false;
    }
    return false;
}

/* Reads a "lacks" line. Returns false if the line is another one. */
static bool take_lack(struct introduction *introduction, const char *line)
{
    int need, text = 0;

    if (sscanf(line, "lacks\t%d\t%n", &need, &text) != 1 || text == 0 || need < 0 ||
        need > NEEDS_TAIL_LAUNCH)
        return false;
    snprintf(introduction->lacks[need], sizeof introduction->lacks[need], "%s", line + text);
    return true;
}

/* Reads the "ready" line, or the line that says why the worker is not ready. */
static enum engine_status take_ready(const char *line, const char *program,
                                     struct introduction *introduction, char *reason,
                                     size_t reason_size)
{
    char identity[64];

    if (sscanf(line, "ready\t%63s\t%zu\t%255[^\n]", identity, &introduction->batch,
               introduction->description) == 3 &&
        strcmp(identity, build_identity) == 0)
        return ENGINE_OK;
    if (strncmp(line, "ready", 5) == 0) {
        snprintf(reason, reason_size,
                 "the worker '%.300s' is from another build: build both programs again", program);
        return ENGINE_ERROR;
    }
    snprintf(reason, reason_size, "%.500s",
             strchr(line, '\t') != NULL ? strchr(line, '\t') + 1 : line);
    return strncmp(line, "unavailable\t", 12) == 0 ? ENGINE_UNAVAILABLE : ENGINE_ERROR;
}

enum engine_status process_start(struct process *process, const char *program,
                                 const struct engine_limits *limits, bool (*stopped)(void),
                                 struct introduction *introduction, char *reason,
                                 size_t reason_size)
{
    double limit = clock_seconds() + START_SECONDS;
    enum engine_status status = ENGINE_ERROR;
    size_t taken = 0;
    char *line = NULL;
    int end;

    if (!spawn(process, program, limits)) {
        snprintf(reason, reason_size, "cannot start a worker: %s", strerror(errno));
        return ENGINE_ERROR;
    }
    do
        line = process_take_line(process, &taken);
    while (line != NULL ? take_lack(introduction, line)
                        : wait_readable(process, limit, stopped) && process_receive(process));
    if (line != NULL) {
        status = take_ready(line, program, introduction, reason, reason_size);
        process_drop_taken(process, taken);
        if (status != ENGINE_OK)
            process_reap(process, END_SECONDS);
        return status;
    }
    end = process_reap(process, 0);
    if (is_stopped(stopped)) {
        snprintf(reason, reason_size, "interrupted before the worker was ready");
        return ENGINE_STOPPED;
    }
    snprintf(reason, reason_size, "the worker '%.300s' %s before it was ready", program,
             WIFSIGNALED(end) ? strsignal(WTERMSIG(end)) : "ended");
    return ENGINE_LOST;
}

double process_seconds(const struct process *process)
{
    struct timespec used;
    clockid_t clock;

    if (process->pid == 0 || clock_getcpuclockid(process->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return 0;
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

bool process_was_killed(int status)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

    for (size_t k = 0; WIFSIGNALED(status) && k < sizeof own / sizeof *own; k++)
        if (own[k] == WTERMSIG(status))
            return false;
    return WIFSIGNALED(status);
}

void process_memory_limit(char *text, size_t size)
{
    char line[512], path[640];
    unsigned long long bytes = 0;
    FILE *groups = fopen("/proc/self/cgroup", "r"), *limit = NULL;

    text[0] = '\0';
    snprintf(path, sizeof path, "/sys/fs/cgroup/memory.max");
    while (groups != NULL && fgets(line, sizeof line, groups) != NULL)
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
        }
    if (groups != NULL)
        fclose(groups);
    limit = fopen(path, "r");
    if (limit == NULL)
        limit = fopen("/sys/fs/cgroup/memory.max", "r");
    if (limit != NULL && fscanf(limit, "%llu", &bytes) == 1)
        snprintf(text, size, ", under a memory limit of %llu MiB", bytes >> 20);
    if (limit != NULL)
        fclose(limit);
}
