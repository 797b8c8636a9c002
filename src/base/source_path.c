/* SPDX-License-Identifier: MIT */
#include "source_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the current folder with a slash at its end, or "" if it is unknown or the root. */
static const char *current_folder(void)
{
    static char folder[PATH_MAX + 1];
    size_t length;

    if (folder[0] != '\0' || getcwd(folder, PATH_MAX) == NULL)
        return folder;
    length = strlen(folder);
    if (length == 1)
        folder[0] = '\0';
    else
        memcpy(folder + length, "/", 2);
    return folder;
}

void source_path_shorten(const char *path, char *shown, size_t size)
{
    const char *folder = current_folder(), *tail = path;
    size_t length = strlen(folder);
    int slashes = 0;

    if (length > 0 && strncmp(path, folder, length) == 0)
        tail = path + length;
    else if (path[0] == '/')
        for (tail = path + strlen(path); tail > path; tail--)
            if (tail[-1] == '/' && ++slashes == 2)
                break;
    snprintf(shown, size, "%s", tail);
}
