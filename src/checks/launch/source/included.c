/* SPDX-License-Identifier: MIT */
#include "included.h"

#include "whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the folder of the k-th flag, or null if the flag names none: "-I FOLDER", "-IFOLDER". */
static const char *folder_of(const char *const *flags, size_t count, size_t k)
{
    static const char *const names[] = {"-I",         "-isystem",       "-iquote",
                                        "-idirafter", "--include-path", "--system-include"};

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        size_t length = strlen(names[n]);
        if (strncmp(flags[k], names[n], length) != 0)
            continue;
        if (flags[k][length] == '\0')
            return k + 1 < count ? flags[k + 1] : NULL;
        return flags[k] + length + (flags[k][length] == '=');
    }
    return NULL;
}

/* Returns the path without links of a header in a folder, or null. The folder has that length. */
static char *path_in(const char *folder, size_t length, const char *name, size_t name_length)
{
    char *path = NULL, *whole = NULL;

    if (asprintf(&path, "%.*s/%.*s", (int)length, folder, (int)name_length, name) > 0)
        whole = realpath(path, NULL);
    free(path);
    return whole;
}

/* Returns the name that the line includes, with the '"' or '<' before it, or null. */
static const char *name_of(const char *line)
{
    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    return *line == '"' || *line == '<' ? line : NULL;
}

/* Returns whether the path is new, and then adds it. */
static bool add_path(struct list *seen, struct memory *memory, const char *path)
{
    for (size_t k = 0; k < seen->count; k++)
        if (strcmp(((const char **)seen->items)[k], path) == 0)
            return false;
    LIST_ADD(memory, seen, const char *) = memory_copy(memory, path);
    return true;
}

void included_each(const char *path, const char *text, const char *const *flags, size_t flag_count,
                   struct list *seen, struct memory *memory,
                   void (*visit)(void *context, const char *text), void *context)
{
    const char *slash = strrchr(path, '/');

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        const char *name = name_of(line += *line == '\n');
        size_t length = name != NULL ? strcspn(name + 1, "\">\n") : 0, size = 0;
        char *whole = NULL, *own = NULL;
        if (length == 0)
            continue;
        if (*name == '"')
            whole = path_in(slash != NULL ? path : ".", slash != NULL ? (size_t)(slash - path) : 1,
                            name + 1, length);
        for (size_t k = 0; k < flag_count && whole == NULL; k++) {
            const char *folder = folder_of(flags, flag_count, k);
            if (folder != NULL)
                whole = path_in(folder, strlen(folder), name + 1, length);
        }
        if (whole != NULL && add_path(seen, memory, whole) &&
            (own = read_whole_file(whole, &size)) != NULL) {
            own[size] = '\0';
            visit(context, own);
            included_each(whole, own, flags, flag_count, seen, memory, visit, context);
        }
        free(own);
        free(whole);
    }
}
