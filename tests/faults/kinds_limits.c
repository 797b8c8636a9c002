/* SPDX-License-Identifier: MIT
 *
 * Full disks, closed outputs, and resource limits of the program.
 */
#include "faults.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN                                                                                        \
    SEEDED, "run", "--engine", "sim", "--kernel", "sharedSum", "--kernel", "seededOffByOne",       \
        "--kernel", "seededStrayRead", "--block", "1-6", "--size", "5-8", "--max-failures",        \
        "100000", "--jobs", "4", "--json", "%results/report.json"

static void limit(__rlimit_resource_t what, uint64_t value)
{
    setrlimit(what, &(struct rlimit){value, value});
}

/* Limits files to any size that the report has while it grows. */
static void limit_file(struct trial *trial)
{
    limit(RLIMIT_FSIZE, trial->drawn % 3500);
}

static void limit_memory(struct trial *trial)
{
    limit(RLIMIT_AS, (8 + trial->drawn % 600) << 20);
}

static void limit_files(struct trial *trial)
{
    limit(RLIMIT_NOFILE, 4 + trial->drawn % 23); /* with 3, the loader has no descriptor left */
}

static void limit_stack(struct trial *trial)
{
    limit(RLIMIT_STACK, (64 + trial->drawn % 256) << 10);
}

static void limit_time(struct trial *trial)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){trial->drawn % 2, 4});
}

/* The limit does not apply to root, so the program runs as a user that owns nothing else. */
static void limit_processes(struct trial *trial)
{
    enum { UNUSED_ID = 61234 };

    if (getuid() == 0 &&
        (setgroups(0, NULL) != 0 || setgid(UNUSED_ID) != 0 || setuid(UNUSED_ID) != 0))
        _exit(126);
    limit(RLIMIT_NPROC, 1 + trial->drawn % 6);
}

static const char *missing_other_user(void)
{
    struct stat status;

    if (getuid() != 0)
        return "it needs to be root, for others have processes besides these";
    for (const char *at = strchr(&SEEDED[1], '/'); at != NULL; at = strchr(at + 1, '/')) {
        char folder[FAULT_PATH];
        snprintf(folder, sizeof folder, "%.*s", (int)(at - SEEDED), SEEDED);
        if (stat(folder, &status) != 0 || (status.st_mode & S_IXOTH) == 0)
            return "other users cannot see the build folder";
    }
    return NULL;
}

/* ---- Outputs ---- */

static void full_output(struct trial *trial)
{
    (void)trial;
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
}

static void full_errors(struct trial *trial)
{
    (void)trial;
    dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
}

static void close_output(struct trial *trial)
{
    (void)trial;
    close(STDOUT_FILENO);
}

static void close_all(struct trial *trial)
{
    (void)trial;
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
}

/* Closes the pipe's reader at once or after some bytes. */
static void lose_reader(struct trial *trial)
{
    int ends[2];
    size_t bytes = trial->drawn % 2000;

    if (pipe(ends) != 0)
        _exit(126);
    if (fork() == 0) {
        char byte;
        close(ends[1]);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        while (bytes > 0 && read(ends[0], &byte, 1) == 1)
            bytes--;
        _exit(0);
    }
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
}

/* ---- Where results go ---- */

/* Moves the results away. If the run has already ended, the report in them is whole. */
static void remove_results(struct trial *trial, pid_t program)
{
    char path[2 * FAULT_PATH];
    (void)program;

    snprintf(path, sizeof path, "%s/results", trial->folder);
    rename(path, trial_path(trial, "elsewhere"));
}

static void folder_for_file(struct trial *trial)
{
    mkdir(trial_path(trial, "results/report.json"), 0777);
}

static void full_device(struct trial *trial)
{
    if (symlink("/dev/full", trial_path(trial, "results/report.json")) != 0)
        _exit(126);
}

static void no_temporary_folder(struct trial *trial)
{
    setenv("TMPDIR", trial_path(trial, "nowhere"), 1);
}

#define CHECK                                                                                      \
    SIMTCHECK, "check", SAXPY,                                                                     \
        "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])", "--engine",   \
        "sim", "--size", "7", "--only", "run", "--verbose"

/* Limits the compiler's files, too. */
static void limit_compiler(struct trial *trial)
{
    limit(RLIMIT_FSIZE, trial->drawn % 60000);
}

const struct kind limit_kinds[] = {
    {.name = "file-full",
     .what = "files are full after a random number of bytes",
     .unwritten = true,
     .command = {{RUN, NULL}},
     .ends = ENDS_EITHER,
     .says = "cannot write",
     .prepare = limit_file},
    {.name = "device-full",
     .what = "the report goes to /dev/full",
     .command = {{RUN, NULL}},
     .ends = ENDS_STATUS,
     .status = 3,
     .says = "No space left",
     .prepare = full_device},
    {.name = "file-is-folder",
     .what = "the report's name is a folder's",
     .command = {{RUN, NULL}},
     .ends = ENDS_STATUS,
     .status = 3,
     .says = "cannot write",
     .prepare = folder_for_file},
    {.name = "results-removed",
     .what = "the report's folder is moved away at a random moment",
     .unwritten = true,
     .command = {{RUN, NULL}},
     .ends = ENDS_EITHER,
     .says = "cannot write",
     .inject = remove_results},
    {.name = "output-full",
     .what = "standard output is /dev/full",
     .command = {{RUN, NULL}},
     .ends = ENDS_EARLY,
     .says = "cannot write to standard output",
     .keeps = true,
     .prepare = full_output},
    {.name = "errors-full",
     .what = "standard error is /dev/full",
     .command = {{RUN, NULL}},
     .ends = ENDS_WHOLE,
     .prepare = full_errors},
    {.name = "output-closed",
     .what = "standard output is closed",
     .command = {{RUN, NULL}},
     .ends = ENDS_EARLY,
     .says = "cannot write to standard output",
     .keeps = true,
     .prepare = close_output},
    {.name = "all-closed",
     .what = "all three streams are closed",
     .command = {{RUN, NULL}},
     .ends = ENDS_EARLY,
     .keeps = true,
     .cannot_report = true, /* standard error, which would name the fault, is closed, too */
     .prepare = close_all},
    {.name = "reader-gone",
     .what = "the output's reader goes after a random number of bytes",
     .command = {{RUN, NULL}},
     .ends = ENDS_EITHER,
     .says = "cannot write to standard output",
     .keeps = true,
     .prepare = lose_reader},
    {.name = "memory-limit",
     .what = "8 to 608 MiB of address space",
     .command = {{RUN, NULL}},
     .ends = ENDS_EITHER,
     .says = "of address space|out of memory|was lost|were lost",
     .prepare = limit_memory},
    {.name = "files-limit",
     .what = "4 to 26 open files",
     .command = {{RUN, NULL}},
     .ends = ENDS_EITHER,
     .says = "Too many open files|before it was ready|was lost|were lost",
     .prepare = limit_files},
    {.name = "stack-limit",
     .what = "64 to 319 KiB of stack",
     .command = {{RUN, NULL}},
     .ends = ENDS_EITHER,
     .says = "the stack limit of",
     .all_or_none = true,
     .prepare = limit_stack},
    {.name = "time-limit",
     .what = "0 or 1 s of processor time",
     .command = {{SIMTCHECK, "run", "--engine", "sim", "--kernel", "reduceNeighbored", "--kernel",
                  "reduceInterleaved", "--block", "1-128", "--jobs", "1", "--json",
                  "%results/report.json", NULL}}, /* takes one worker more than a second */
     .ends = ENDS_EITHER,
     .says = "stopped before the end|interrupted|was lost|were lost",
     .dies_of = SIGXCPU, /* if the signal comes before its handler */
     .prepare = limit_time},
    {.name = "processes-limit",
     .what = "1 to 6 processes, as a user of its own",
     .command = {{RUN, NULL}},
     .ends = ENDS_EITHER,
     .says = "cannot start a worker",
     .prepare = limit_processes,
     .obstacle = missing_other_user},
    {.name = "no-temporary-folder",
     .what = "TMPDIR names no folder",
     .verdict_words = "  conforms",
     .command = {{CHECK, NULL}},
     .ends = ENDS_STATUS,
     .status = 3,
     .says = "cannot make a folder",
     .prepare = no_temporary_folder},
    {.name = "compiler-full",
     .what = "files are full while the compiler writes",
     .verdict_words = "  conforms",
     .command = {{CHECK, NULL}},
     .ends = ENDS_EITHER,
     .says = "cannot|File too large",
     .prepare = limit_compiler},
    {.name = NULL},
};
