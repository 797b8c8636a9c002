/* SPDX-License-Identifier: MIT */
#include "source_path.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the current folder with a slash at its end. Returns "" if it is unknown or the root, or a
 * program of `exec` has another one than `exec`: then paths relative to it would mislead. */
static const char *current_folder(void)
{
    static _Thread_local char folder[PATH_MAX + 1];
    const char *start = getenv("SIMTCHECK_EXEC_START");
    size_t length = getcwd(folder, PATH_MAX) != NULL ? strlen(folder) : 0;

    if (length <= 1 || (start != NULL && strcmp(start, folder) != 0))
        return "";
    memcpy(folder + length, "/", 2);
    return folder;
}

/* The last absolute paths that were cut, of each thread. */
enum { RECENT = 8 };
static _Thread_local struct {
    char path[1024];
    size_t tail; /* where the text that is shown begins */
} recent[RECENT];

static void keep_path(const char *path, const char *tail)
{
    static _Thread_local unsigned int next;

    for (int k = 0; k < RECENT; k++)
        if (strcmp(recent[k].path, path) == 0)
            return;
    if (strlen(path) < sizeof recent->path) {
        recent[next % RECENT].tail = (size_t)(tail - path);
        strcpy(recent[next++ % RECENT].path, path);
    }
}

const char *source_path_whole(const char *shown)
{
    for (int k = 0; k < RECENT; k++)
        if (recent[k].path[0] != '\0' && strcmp(recent[k].path + recent[k].tail, shown) == 0)
            return recent[k].path;
    return shown;
}

void source_path_shorten(const char *path, char *shown, size_t size)
{
    const char *folder = current_folder(), *tail = path;
    size_t length = strlen(folder);
    int slashes = 0;

    if (length > 0 && strncmp(path, folder, length) == 0)
        tail = path + length;
    else if (path[0] == '/') {
        for (tail = path + strlen(path); tail > path; tail--)
            if (tail[-1] == '/' && ++slashes == 2)
                break;
        keep_path(path, tail);
    }
    while (strlen(tail) >= size && strchr(tail, '/') != NULL)
        tail = strchr(tail, '/') + 1;
    while (strncmp(tail, "./", 2) == 0) /* as clang names a header beside the file */
        tail += 2;
    snprintf(shown, size, "%s", tail);
}

static bool has_any(const char *path, const char *const *parts)
{
    while (*parts != NULL && strstr(path, *parts) == NULL)
        parts++;
    return *parts != NULL;
}

/* Returns whether the file is below one of the folders. */
static bool is_below(const char *path, const char *folders)
{
    char *whole = realpath(path, NULL);
    bool found = false;

    while (whole != NULL && !found && *folders == ':') {
        size_t length = strcspn(++folders, ":");
        found = strncmp(whole, folders, length) == 0 && whole[length] == '/';
        folders += length;
    }
    free(whole);
    return found;
}

enum source_owner source_path_owner(const char *path, const char *folders)
{
    static const char folder[] = "/include/";
    static const char *const own[] = {"/include/simtcheck/", "/device/clang/", NULL};
    static const char *const libraries[] = {
        "/usr/include/",   "/usr/lib/",         "/usr/local/cuda", "/lib/clang/",
        "-linux/include/", "/include/cccl/",    "/include/c++/",   "/libcudacxx/include/",
        "/cub/cub/",       "-packages/nvidia/", "/thrust/thrust/", NULL};
    const char *name = strrchr(path, '/');
    char api[PATH_MAX];

    if (has_any(path, own) ||
        (name != NULL && (strcmp(name, "/dialect.h") == 0 || strcmp(name, "/the launch") == 0)))
        return OWNER_SIMTCHECK;
    if (folders != NULL)
        return is_below(path, folders) ? OWNER_LIBRARY : OWNER_USER;
    if (has_any(path, libraries))
        return OWNER_LIBRARY;
    for (const char *at = path; (at = strstr(at, folder)) != NULL; at += sizeof folder - 1) {
        int length =
            snprintf(api, sizeof api, "%.*s%scuda_runtime_api.h", (int)(at - path), path, folder);
        if (length < (int)sizeof api && access(api, F_OK) == 0)
            return OWNER_LIBRARY;
    }
    return OWNER_USER;
}

/* Returns the end of the template arguments that begin at `I`. */
static const char *skip_arguments(const char *c)
{
    int depth = 0;

    while (*c != '\0') {
        char *end;
        if (isdigit((unsigned char)*c)) {
            unsigned long length = strtoul(c, &end, 10);
            c = length <= strlen(end) ? end + length : end;
            continue;
        }
        depth += strchr("IJNXL", *c) != NULL;
        depth -= *c++ == 'E';
        if (depth == 0)
            break;
    }
    return c;
}

/* Writes the parts of a name in a namespace or a class, joined by "::". Parts that the compiler has
 * added for static variables and namespaces without a name are left out. */
static bool write_nested(const char *c, char *name, size_t size)
{
    size_t used = 0;

    while (*c != 'E') {
        char *end;
        unsigned long length;
        c += *c == 'L' || *c == 'K';
        if (*c == 'I') {
            c = skip_arguments(c);
            continue;
        }
        length = isdigit((unsigned char)*c) ? strtoul(c, &end, 10) : 0;
        if (length == 0 || length > strlen(end) || used >= size)
            return false;
        if (strncmp(end, "_INTERNAL_", 10) != 0 && strncmp(end, "_GLOBAL__N", 10) != 0)
            used += (size_t)snprintf(name + used, size - used, "%s%.*s", used > 0 ? "::" : "",
                                     (int)length, end);
        c = end + length;
    }
    return used > 0;
}

/* Returns the name behind what nvcc writes before the name of a static variable:
 * "__nv_static_28__178e575d_9_launch_cu__Z1aPd_", with the length of the text after "static_28_".
 */
static const char *skip_static(const char *linker)
{
    static const char start[] = "__nv_static_";
    char *end;
    unsigned long length;

    if (strncmp(linker, start, sizeof start - 1) != 0)
        return linker;
    length = strtoul(linker + sizeof start - 1, &end, 10);
    return length > 0 && length + 2 < strlen(end) ? end + length + 2 : linker;
}

/* A number before an identifier is its length. A number that makes the name unique may follow. */
void source_variable(const char *linker, char *name, size_t size)
{
    linker = skip_static(linker);
    linker += strncmp(linker, "__Z", 3) == 0;
    snprintf(name, size, "%s", linker);
    if (strncmp(linker, "_Z", 2) != 0)
        return;
    if (linker[2] == 'N' && write_nested(linker + 3, name, size))
        return;
    snprintf(name, size, "%s", linker);
    for (const char *c = linker; *c != '\0'; c++) {
        char *end;
        unsigned long length;
        if (!isdigit((unsigned char)*c) || (c > linker && isdigit((unsigned char)c[-1])))
            continue;
        length = strtoul(c, &end, 10);
        if (length > 0 && length <= strlen(end) &&
            (end[length] == '\0' || (end[length] == 'I' && c == linker + 2) ||
             (end[length] == '_' && strchr(end + length + 1, 'E') == NULL)))
            snprintf(name, size, "%.*s", (int)length, end);
    }
}

void source_function(const char *linker, char *name, size_t size)
{
    const char *c = linker + 2;

    snprintf(name, size, "%s", linker);
    if (strncmp(linker, "_Z", 2) != 0)
        return;
    c += strspn(c, "ZNKL");
    while (isdigit((unsigned char)*c)) {
        char *end;
        unsigned long length = strtoul(c, &end, 10);
        if (length > strlen(end))
            return;
        snprintf(name, size, "%.*s", (int)length, end);
        c = end + length;
    }
}
