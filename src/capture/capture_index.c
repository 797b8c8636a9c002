/* SPDX-License-Identifier: MIT
 *
 * The list of a capture's files, in capture.json.
 */
#include "capture_file.h"

#include "error_report.h"
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char launches[] = "launches/";

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct file_record *)a)->path, ((const struct file_record *)b)->path);
}

void capture_list_sort(struct list *files)
{
    if (files->count > 0)
        qsort(files->items, files->count, sizeof(struct file_record), compare_paths);
}

const char *capture_list_find(const struct list *files, const char *path)
{
    const struct file_record key = {.path = path}, *found = NULL;

    if (files->count > 0)
        found = bsearch(&key, files->items, files->count, sizeof key, compare_paths);
    return found != NULL ? found->hash : NULL;
}

void capture_list_launches(struct capture *capture)
{
    const struct list *files = &capture->index.files;
    const struct file_record *all = files->items;

    capture->launches = memory_take(&capture->memory, (files->count + 1) * sizeof(char *));
    for (size_t k = 0; k < files->count; k++)
        if (strncmp(all[k].path, launches, strlen(launches)) == 0)
            capture->launches[capture->launch_count++] = all[k].path + strlen(launches);
}

bool capture_list_unlisted(const char *folder, const struct list *listed, struct list *added,
                           struct memory *memory)
{
    static const char *const folders[] = {"blobs", "launches", "modules"};
    const struct dirent *entry;

    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        DIR *entries = opendir(memory_text(memory, "%s/%s", folder, folders[k]));
        if (entries == NULL)
            return false;
        while ((entry = readdir(entries)) != NULL) {
            const char *path = memory_text(memory, "%s/%s", folders[k], entry->d_name);
            if (entry->d_name[0] != '.' && capture_list_find(listed, path) == NULL)
                LIST_ADD(memory, added, struct file_record).path = path;
        }
        closedir(entries);
    }
    return true;
}

bool capture_verify(const struct capture *capture)
{
    const struct list *listed = &capture->index.files;
    const struct file_record *files = listed->items;
    struct list surplus = {.items = NULL};
    struct memory memory = {NULL};
    bool good = true;

    if (!capture->index.complete)
        return error_report("'%s' is not complete: 'simtcheck capture' was killed, or had an "
                            "older version. Capture again, to a new folder",
                            capture->folder);
    for (size_t k = 0; k < listed->count; k++)
        if (access(memory_text(&memory, "%s/%s", capture->folder, files[k].path), F_OK) != 0)
            good = error_report("'%s/%s' is missing: restore the file, or capture again, to a new "
                                "folder",
                                capture->folder, files[k].path);
    if (!capture_list_unlisted(capture->folder, listed, &surplus, &memory))
        good =
            error_report("'%s' lacks a folder of captures: %s", capture->folder, strerror(errno));
    files = surplus.items;
    for (size_t k = 0; k < surplus.count; k++)
        good = error_report("'%s/%s' is not listed in capture.json: remove the file, or capture "
                            "again, to a new folder",
                            capture->folder, files[k].path);
    memory_free(&memory);
    return good;
}
