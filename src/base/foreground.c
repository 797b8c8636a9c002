/* SPDX-License-Identifier: MIT */
#include "foreground.h"

#include "error_report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127, BY_SIGNAL = 128 };

static volatile pid_t child;

static void pass_on(int number)
{
    if (child > 0)
        kill(child, number);
}

/* Becomes the program, or writes errno to the pipe. */
static _Noreturn void become(char *const arguments[], int failed)
{
    static const int ignored_here[] = {SIGPIPE, SIGXFSZ};
    ssize_t written;

    for (size_t k = 0; k < sizeof ignored_here / sizeof *ignored_here; k++)
        signal(ignored_here[k], SIG_DFL);
    execvp(arguments[0], arguments);
    written = write(failed, &errno, sizeof errno);
    _exit(written > 0 ? NOT_STARTED : NOT_STARTED + 1);
}

/* Signals while the program runs: of the terminal, which the program receives too, and of others.
 */
static const struct {
    int number;
    void (*handler)(int);
} handled[] = {{SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGTERM, pass_on}, {SIGHUP, pass_on}};

enum { HANDLED = sizeof handled / sizeof *handled };

/* Waits for the end of the program. Returns its status as waitpid() does. `reason` gets errno if it
 * could not be started, or 0. */
static int wait_for_end(int failed, int *reason)
{
    struct sigaction before[HANDLED];
    int status = 0;
    pid_t ended;
    ssize_t count;

    for (int k = 0; k < HANDLED; k++)
        sigaction(handled[k].number, &(struct sigaction){.sa_handler = handled[k].handler},
                  &before[k]);
    do
        count = read(failed, reason, sizeof *reason);
    while (count < 0 && errno == EINTR);
    if (count <= 0)
        *reason = 0;
    do /* orphans, too, if they become children of this process */
        ended = waitpid(-1, &status, 0);
    while (ended != child && (ended > 0 || errno == EINTR));
    child = 0;
    for (int k = 0; k < HANDLED; k++)
        sigaction(handled[k].number, &before[k], NULL);
    return status;
}

int foreground_run(char *const arguments[], pid_t *process)
{
    int failed[2], status, reason;

    fflush(NULL);
    if (pipe2(failed, O_CLOEXEC) != 0 || (child = fork()) < 0) {
        error_report("cannot start '%s': %s", arguments[0], strerror(errno));
        return NOT_STARTED;
    }
    if (child == 0)
        become(arguments, failed[1]);
    close(failed[1]);
    if (process != NULL)
        *process = child;
    status = wait_for_end(failed[0], &reason);
    close(failed[0]);
    if (reason != 0) {
        error_report("cannot start '%s': %s", arguments[0], strerror(reason));
        return NOT_STARTED;
    }
    return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
