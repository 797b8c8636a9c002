/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Keeps the beginning and reads the rest, too, so that the program does not block on a full
 * pipe. */
static void read_all(int from, char *said, size_t size)
{
    char piece[4096];
    size_t used = 0;
    ssize_t got;

    while ((got = read(from, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR)) {
        size_t room = size - 1 - used, some = got > 0 ? (size_t)got : 0;
        some = some < room ? some : room;
        memcpy(said + used, piece, some);
        used += some;
    }
    said[used] = '\0';
}

/* Returns this process's environment with the variable, "NAME=value", set. The caller frees it.
 * Returns null when memory runs out. */
static char **environment_with(char *variable)
{
    size_t name = strcspn(variable, "=") + 1, count = 0, used = 0;
    char **all;

    while (environ[count] != NULL)
        count++;
    all = calloc(count + 2, sizeof *all);
    if (all == NULL)
        return NULL;
    for (size_t k = 0; k < count; k++)
        if (strncmp(environ[k], variable, name) != 0)
            all[used++] = environ[k];
    all[used] = variable;
    return all;
}

/* As tool_run(), in that environment. */
static int run_in(char **environment, const char *const *arguments, char *said, size_t size)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status, error;
    pid_t pid;

    said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(said, size, "%s", strerror(errno));
        return 127;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    error = posix_spawnp(&pid, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments,
                         environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0)
        read_all(ends[0], said, size);
    else
        snprintf(said, size, "cannot run %s: %s", arguments[0], strerror(error));
    close(ends[0]);
    if (error != 0)
        return 127;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tool_run(const char *const *arguments, char *said, size_t size)
{
    char folder[TOOL_FOLDER], variable[TOOL_FOLDER + 8];
    bool made = tool_make_folder("tool", folder);
    char **environment = NULL;
    int status;

    if (made) {
        snprintf(variable, sizeof variable, "TMPDIR=%s", folder);
        environment = environment_with(variable);
    }
    status = run_in(environment != NULL ? environment : environ, arguments, said, size);
    free(environment);
    if (made)
        tool_remove_folder(folder);
    return status;
}

bool tool_make_folder(const char *name, char folder[TOOL_FOLDER])
{
    const char *within = getenv("TMPDIR");

    if (within == NULL || within[0] == '\0')
        within = "/tmp";
    if (snprintf(folder, TOOL_FOLDER, "%s/simtcheck-%s-XXXXXX", within, name) < TOOL_FOLDER)
        return mkdtemp(folder) != NULL;
    errno = ENAMETOOLONG;
    return false;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

bool tool_remove_folder(const char *folder)
{
    enum { DESCRIPTORS = 16 };

    return folder[0] == '\0' || nftw(folder, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS) == 0;
}
