/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

size_t children_of(pid_t parent, pid_t *children, size_t most)
{
    char path[64];
    size_t count = 0;
    int child;
    FILE *list;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    list = fopen(path, "r");
    while (list != NULL && count < most && fscanf(list, "%d", &child) == 1)
        children[count++] = child;
    if (list != NULL)
        fclose(list);
    return count;
}

bool is_called(pid_t process, const char *part)
{
    char path[64], name[4096];
    size_t length;
    FILE *line;

    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)process);
    line = fopen(path, "r");
    if (line == NULL)
        return false;
    length = fread(name, 1, sizeof name - 1, line);
    fclose(line);
    name[length] = '\0';
    return strstr(name, part) != NULL;
}

bool is_running(pid_t process)
{
    char path[64], state = '?';
    FILE *stat;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    stat = fopen(path, "r");
    if (stat == NULL)
        return false;
    if (fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    fclose(stat);
    return state == 'R';
}

bool is_caught(pid_t process, int number)
{
    char path[64], line[256];
    unsigned long long caught = 0;
    FILE *status;

    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "SigCgt: %llx", &caught) == 1)
            break;
    if (status != NULL)
        fclose(status);
    return caught >> (number - 1) & 1;
}

bool has_ended(pid_t child)
{
    siginfo_t ended = {.si_pid = 0};

    return waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           ended.si_pid != 0;
}

static double processor_seconds(pid_t process)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static void look_at(struct progress *progress, pid_t process)
{
    pid_t children[64];
    size_t count = children_of(process, children, 64), k = 0;
    double seconds = processor_seconds(process);

    while (k < progress->count && progress->seen[k].pid != process)
        k++;
    if (k == sizeof progress->seen / sizeof *progress->seen)
        return;
    if (k == progress->count)
        progress->seen[progress->count++] = (struct seen){process, 0};
    if (seconds > progress->seen[k].seconds)
        progress->seen[k].seconds = seconds;
    for (size_t c = 0; c < count; c++)
        look_at(progress, children[c]);
}

double progress_seconds(struct progress *progress, pid_t program)
{
    double sum = 0;

    look_at(progress, program);
    for (size_t k = 0; k < progress->count; k++)
        sum += progress->seen[k].seconds;
    return sum;
}

unsigned int end_children(char *what, size_t size)
{
    enum { LOOKS = 5000, LOOK_USECONDS = 1000, MAX_CHILDREN = 64 };
    pid_t children[MAX_CHILDREN];
    unsigned int left = 0;
    size_t count;

    /* Looks again for a while: a process may be about to end. */
    for (int looks = 0; looks < LOOKS; looks++) {
        pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended < 0 && errno == ECHILD)
            return 0;
        if (ended == 0)
            usleep(LOOK_USECONDS);
    }
    while ((count = children_of(getpid(), children, MAX_CHILDREN)) > 0)
        for (size_t k = 0; k < count; k++) {
            char path[64], name[64] = "";
            FILE *comm;
            snprintf(path, sizeof path, "/proc/%d/comm", (int)children[k]);
            comm = fopen(path, "r");
            if (comm != NULL) {
                if (fgets(name, sizeof name, comm) != NULL)
                    name[strcspn(name, "\n")] = '\0';
                fclose(comm);
            }
            snprintf(what, size, "process %s", name);
            kill(children[k], SIGKILL);
            kill(children[k], SIGCONT);
            waitpid(children[k], NULL, 0);
            left++;
        }
    return left;
}
