/* SPDX-License-Identifier: MIT
 *
 * Workers that are killed, stopped, missing, outdated, or that send invalid answers.
 */
#include "faults.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The rows conform, wrong-result and fault. All verdicts must stay the same. */
#define ROWS                                                                                       \
    "run", "--engine", "sim", "--kernel", "sharedSum", "--kernel", "seededOffByOne", "--kernel",   \
        "seededStrayRead", "--kernel", "seededHarmlessRace", "--block", "1-40", "--size", "5-8",   \
        "--max-failures", "100000", "--deadline", "0.3", "--json", "%results/report.json"
#define BY_TWO                                                                                     \
    {                                                                                              \
        {                                                                                          \
            SEEDED, ROWS, "--jobs", "2", NULL                                                      \
        }                                                                                          \
    }
#define BY_PROXY                                                                                   \
    {                                                                                              \
        {                                                                                          \
            "%bin/seeded", ROWS, "--jobs", "1", NULL                                               \
        }                                                                                          \
    }

static void with_proxy(struct trial *trial)
{
    with_worker(trial, "sim", PROXY_WORKER);
    setenv("REAL_WORKER", SEEDED "-worker-sim", 1);
}

static void with_own(struct trial *trial)
{
    with_worker(trial, "sim", SEEDED "-worker-sim");
}

/* ---- Signals ---- */

static void kill_worker(struct trial *trial, pid_t program)
{
    signal_worker(trial, program, SIGKILL);
}

static void end_worker(struct trial *trial, pid_t program)
{
    signal_worker(trial, program, SIGTERM);
}

static void abort_worker(struct trial *trial, pid_t program)
{
    signal_worker(trial, program, SIGABRT);
}

static void stop_worker(struct trial *trial, pid_t program)
{
    signal_worker(trial, program, SIGSTOP);
}

static void stop_all(struct trial *trial, pid_t program)
{
    pid_t children[16];
    size_t count;

    trial->injected = kill(program, SIGSTOP) == 0 && !has_ended(program);
    count = children_of(program, children, 16);
    for (size_t k = 0; k < count; k++)
        kill(children[k], SIGSTOP);
    usleep(14000000); /* longer than the worker timeout */
    kill(program, SIGCONT);
    for (size_t k = 0; k < count; k++)
        kill(children[k], SIGCONT);
}

static void kill_program(struct trial *trial, pid_t program)
{
    signal_program(trial, program, false, SIGKILL);
}

/* ---- Invalid worker programs ---- */

static void remove_worker(struct trial *trial)
{
    unlink(trial_path(trial, "bin/seeded-worker-sim"));
}

static void write_worker(struct trial *trial, const char *text, mode_t mode)
{
    const char *path = trial_path(trial, "bin/seeded-worker-sim");
    FILE *to;

    unlink(path);
    to = fopen(path, "w");
    if (to == NULL || fputs(text, to) < 0 || fclose(to) != 0 || chmod(path, mode) != 0)
        _exit(126);
}

static void old_worker(struct trial *trial)
{
    write_worker(trial, "#!/bin/sh\nprintf 'ready\\t0123456789abcdef\\t64\\tan old one\\n' >&3\n",
                 0755);
}

static void older_worker(struct trial *trial)
{
    write_worker(trial, "#!/bin/sh\necho ready 64 >&3\n", 0755);
}

static void cut_worker(struct trial *trial)
{
    write_worker(trial, "\177ELF", 0755);
}

static void locked_worker(struct trial *trial)
{
    write_worker(trial, "#!/bin/sh\n", 0644);
}

/* Removes the worker's program as soon as a worker runs, and kills that worker. */
static void remove_and_kill(struct trial *trial, pid_t program)
{
    enum { MICROSECONDS = 1000 };

    while (random_worker(trial, program) == 0 && !has_ended(program))
        usleep(MICROSECONDS);
    remove_worker(trial);
    signal_worker(trial, program, SIGKILL);
}

/* ---- Invalid answers ---- */

static void fault_is(struct trial *trial, const char *name)
{
    char at[32];

    /* The supervisor does not read what follows the last answer. */
    snprintf(at, sizeof at, "%ld",
             trial->answers > 1 ? (long)(trial->drawn % (uint64_t)(trial->answers - 1)) : 0);
    setenv("FAULT", name, 1);
    setenv("FAULT_AT", at, 1);
}

static void garbage(struct trial *trial)
{
    fault_is(trial, "garbage");
}

static void cut(struct trial *trial)
{
    fault_is(trial, "cut");
}

static void endless_line(struct trial *trial)
{
    fault_is(trial, "endless-line");
}

static void endless_lines(struct trial *trial)
{
    fault_is(trial, "endless-lines");
}

static void silence(struct trial *trial)
{
    fault_is(trial, "silence");
}

const struct kind worker_kinds[] = {
    {.name = "worker-killed",
     .what = "SIGKILL to a worker at a random moment",
     .command = BY_TWO,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .inject = kill_worker},
    {.name = "worker-ended",
     .what = "SIGTERM to a worker at a random moment",
     .command = BY_TWO,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .inject = end_worker},
    {.name = "worker-aborted",
     .what = "SIGABRT to a worker at a random moment",
     .command = BY_TWO,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .inject = abort_worker},
    {.name = "worker-stopped",
     .what = "SIGSTOP to a worker at a random moment",
     .command = BY_TWO,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .inject = stop_worker},
    {.name = "all-stopped",
     .what = "SIGSTOP to program and workers, 14 s, SIGCONT",
     .command = BY_TWO,
     .ends = ENDS_WHOLE,
     .may_have_no_effect = true,
     .inject = stop_all,
     .least = 20},
    {.name = "program-killed",
     .what = "SIGKILL to simtcheck at a random moment",
     .command = BY_TWO,
     .ends = ENDS_EARLY,
     .dies_of = SIGKILL,
     .inject = kill_program},
    {.name = "worker-missing",
     .what = "the worker's program is not there",
     .command = {{"%bin/seeded", ROWS, NULL}},
     .ends = ENDS_STATUS,
     .status = 77,
     .says = "seeded-worker-sim",
     .set_up = with_own,
     .prepare = remove_worker},
    {.name = "worker-removed",
     .what = "the worker's program is removed, and the worker killed",
     .command = {{"%bin/seeded", ROWS, "--jobs", "1", NULL}},
     .ends = ENDS_EARLY,
     .says = "before it was ready|cannot start",
     .set_up = with_own,
     .inject = remove_and_kill},
    {.name = "worker-old",
     .what = "the worker is of another build",
     .command = {{"%bin/seeded", ROWS, NULL}},
     .ends = ENDS_STATUS,
     .status = 3,
     .says = "is from another build",
     .set_up = with_own,
     .prepare = old_worker},
    {.name = "worker-older",
     .what = "the worker speaks another protocol",
     .command = {{"%bin/seeded", ROWS, NULL}},
     .ends = ENDS_STATUS,
     .status = 3,
     .says = "is from another build",
     .set_up = with_own,
     .prepare = older_worker},
    {.name = "worker-no-program",
     .what = "the worker's program is cut to four bytes",
     .command = {{"%bin/seeded", ROWS, NULL}},
     .ends = ENDS_STATUS,
     .status = 3,
     .says = "seeded-worker-sim",
     .set_up = with_own,
     .prepare = cut_worker},
    {.name = "worker-locked",
     .what = "the worker's program may not be run",
     .command = {{"%bin/seeded", ROWS, NULL}},
     .ends = ENDS_STATUS,
     .status = 77,
     .says = "seeded-worker-sim",
     .set_up = with_own,
     .prepare = locked_worker},
    {.name = "worker-babbles",
     .what = "4096 random bytes instead of a random answer",
     .command = BY_PROXY,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .by_proxy = true,
     .set_up = with_proxy,
     .prepare = garbage},
    {.name = "answer-cut",
     .what = "half of a random answer, then the worker ends",
     .command = BY_PROXY,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .by_proxy = true,
     .set_up = with_proxy,
     .prepare = cut},
    {.name = "answer-endless",
     .what = "an answer without end instead of a random one",
     .command = BY_PROXY,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .by_proxy = true,
     .set_up = with_proxy,
     .prepare = endless_line},
    {.name = "answers-endless",
     .what = "a random answer again and again without end",
     .command = BY_PROXY,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .by_proxy = true,
     .set_up = with_proxy,
     .prepare = endless_lines},
    {.name = "worker-silent",
     .what = "no answer any more from a random one on",
     .command = BY_PROXY,
     .ends = ENDS_WHOLE,
     .says = "was lost|were lost",
     .by_proxy = true,
     .set_up = with_proxy,
     .prepare = silence,
     .least = 20},
    {.name = NULL},
};
