/* SPDX-License-Identifier: MIT */
#include "source_path.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A number before an identifier is its length. A number that makes the name unique may follow. */
void source_variable(const char *linker, char *name, size_t size)
{
    snprintf(name, size, "%s", linker);
    if (strncmp(linker, "_Z", 2) != 0)
        return;
    for (const char *c = linker; *c != '\0'; c++) {
        char *end;
        unsigned long length;
        if (!isdigit((unsigned char)*c) || (c > linker && isdigit((unsigned char)c[-1])))
            continue;
        length = strtoul(c, &end, 10);
        if (length > 0 && length <= strlen(end) &&
            (end[length] == '\0' || (end[length] == '_' && strchr(end + length + 1, 'E') == NULL)))
            snprintf(name, size, "%.*s", (int)length, end);
    }
}

void source_function(const char *linker, char *name, size_t size)
{
    const char *c = linker + 2;

    snprintf(name, size, "%s", linker);
    if (strncmp(linker, "_Z", 2) != 0)
        return;
    c += *c == 'N';
    while (isdigit((unsigned char)*c)) {
        char *end;
        unsigned long length = strtoul(c, &end, 10);
        if (length > strlen(end))
            return;
        snprintf(name, size, "%.*s", (int)length, end);
        c = end + length;
    }
}
