/* SPDX-License-Identifier: MIT */
#include "triton.h"

#include "store.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the path of Triton's cache, as Triton finds it. */
static void cache_folder(char *path, size_t size)
{
    const char *cache = getenv("TRITON_CACHE_DIR"), *home = getenv("TRITON_HOME");

    if (cache != NULL && *cache != '\0')
        snprintf(path, size, "%s", cache);
    else if ((home != NULL && *home != '\0') || (home = getenv("HOME")) != NULL)
        snprintf(path, size, "%s/.triton/cache", home);
    else
        *path = '\0';
}

static bool is_same(const char *folder, const char *name, size_t bytes, const char *hash)
{
    char found[CAPTURE_HASH] = "", error[CAPTURE_ERROR], *content;
    size_t count;

    if (!store_read(folder, name, &content, &count, error, sizeof error))
        return false;
    if (count == bytes)
        store_hash(content, count, found);
    free(content);
    return strcmp(found, hash) == 0;
}

/* Looks in a folder of the cache, and returns the PTX or null. */
static char *look_in(const char *folder, size_t bytes, const char *hash)
{
    static const char machine_code[] = ".cubin";
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    char name[sizeof entry->d_name], error[CAPTURE_ERROR], *text = NULL;
    size_t count;

    while (entries != NULL && text == NULL && (entry = readdir(entries)) != NULL) {
        size_t length = strlen(entry->d_name), end = sizeof machine_code - 1;
        if (length <= end || strcmp(entry->d_name + length - end, machine_code) != 0)
            continue;
        snprintf(name, sizeof name, "%s", entry->d_name);
        if (!is_same(folder, name, bytes, hash))
            continue;
        snprintf(name + length - end, sizeof name - (length - end), ".ptx");
        if (!store_read(folder, name, &text, &count, error, sizeof error))
            text = NULL;
    }
    if (entries != NULL)
        closedir(entries);
    return text;
}

char *triton_ptx(size_t bytes, const char *hash)
{
    char cache[PATH_MAX], folder[PATH_MAX], *text = NULL;
    const struct dirent *entry;
    DIR *folders;

    cache_folder(cache, sizeof cache);
    folders = opendir(cache);
    while (folders != NULL && text == NULL && (entry = readdir(folders)) != NULL) {
        if (entry->d_name[0] == '.' ||
            snprintf(folder, sizeof folder, "%s/%s", cache, entry->d_name) >= (int)sizeof folder)
            continue;
        text = look_in(folder, bytes, hash);
    }
    if (folders != NULL)
        closedir(folders);
    return text;
}
