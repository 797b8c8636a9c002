/* SPDX-License-Identifier: MIT
 *
 * Stands between a supervisor and a real worker, REAL_WORKER, and passes on its lines. Once in a
 * trial it injects FAULT instead of line number FAULT_AT. TRIAL is the trial's folder. There
 * "answers" gets the number of lines, and "injected" exists after the fault.
 */
#include "wire.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static FILE *start_worker(char **argv)
{
    int ends[2];

    if (pipe(ends) != 0)
        exit(3);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], WORKER_ANSWER_FD);
        if (ends[0] != WORKER_ANSWER_FD)
            close(ends[0]);
        if (ends[1] != WORKER_ANSWER_FD)
            close(ends[1]);
        execv(getenv("REAL_WORKER"), argv);
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

static void say(int to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t said = write(to, text, length);
        if (said <= 0)
            _exit(0);
        text += said;
        length -= (size_t)said;
    }
}

static void say_garbage(int to, unsigned int seed)
{
    for (int k = 0; k < 4096; k++) {
        char byte = (char)rand_r(&seed);
        say(to, &byte, 1);
    }
    for (;;)
        pause();
}

/* Injects the fault instead of the line. */
static void do_fault(const char *fault, const char *line, size_t length, int to)
{
    if (strcmp(fault, "garbage") == 0)
        say_garbage(to, (unsigned int)length);
    if (strcmp(fault, "cut") == 0) {
        say(to, line, length / 2);
        _exit(0);
    }
    while (strcmp(fault, "endless-line") == 0)
        say(to, "a line without end ", 19);
    while (strcmp(fault, "endless-lines") == 0)
        say(to, line, length);
    if (strcmp(fault, "stop") == 0)
        raise(SIGSTOP);
    while (strcmp(fault, "silence") == 0)
        pause();
    if (strcmp(fault, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(fault, "exit") == 0)
        _exit(0);
}

/* Returns true for the first fault of a trial. If endless lines start at the end of a chunk,
 * "injected" gets the line's number. */
static bool is_first(const char *fault, const char *line, long number)
{
    bool ends = strncmp(line, "done", 4) == 0 || strncmp(line, "end", 3) == 0;
    char path[512];
    int file;

    snprintf(path, sizeof path, "%s/injected", getenv("TRIAL"));
    file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file >= 0 && ends && strcmp(fault, "endless-lines") == 0)
        dprintf(file, "end %ld\n", number);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static void write_count(long lines)
{
    char path[512];
    FILE *to;

    snprintf(path, sizeof path, "%s/answers", getenv("TRIAL"));
    to = fopen(path, "a");
    if (to != NULL) {
        fprintf(to, "%ld\n", lines);
        fclose(to);
    }
}

int main(int argc, char **argv)
{
    const char *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    long number = 0;
    FILE *answers;
    int to;

    (void)argc;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    to = fcntl(WORKER_ANSWER_FD, F_DUPFD_CLOEXEC, 64);
    close(WORKER_ANSWER_FD);
    answers = start_worker(argv);
    close(STDIN_FILENO);
    while ((length = getline(&line, &size, answers)) > 0) {
        if (fault != NULL && at != NULL && number == atol(at) && is_first(fault, line, number))
            do_fault(fault, line, (size_t)length, to);
        say(to, line, (size_t)length);
        number++;
    }
    write_count(number);
    return 0;
}
