/* SPDX-License-Identifier: MIT
 *
 * Completes the list of a capture's files.
 */
#include "capture_file.h"

#include "error_report.h"
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char launches[] = "launches/";

struct listing {
    const char *folder;
    char *error;
    size_t size;
    bool good;
};

/* Fills in the hash. The name of a blob or a module is the hash of its content. */
static bool hash_file(const struct listing *listing, struct file_record *file,
                      struct memory *memory)
{
    char hash[CAPTURE_HASH], *text;
    size_t count;

    if (strncmp(file->path, launches, strlen(launches)) == 0) {
        if (!store_read(listing->folder, file->path, &text, &count, listing->error, listing->size))
            return false;
        store_hash(text, count, hash);
        free(text);
    } else {
        snprintf(hash, sizeof hash, "%s", strchr(file->path, '/') + 1);
    }
    file->hash = memory_copy(memory, hash);
    return true;
}

static void list_new(struct capture_index *index, struct memory *memory, void *context)
{
    struct listing *listing = context;
    struct list added = {.items = NULL};
    struct file_record *files;

    listing->good = capture_list_unlisted(listing->folder, &index->files, &added, memory) ||
                    error_write(listing->error, listing->size, "cannot read the folder '%s': %s",
                                listing->folder, strerror(errno));
    files = added.items;
    for (size_t k = 0; listing->good && k < added.count; k++) {
        listing->good = hash_file(listing, &files[k], memory);
        LIST_ADD(memory, &index->files, struct file_record) = files[k];
    }
    if (listing->good)
        capture_list_sort(&index->files);
    index->complete = listing->good;
}

bool capture_finish(const char *folder, char *error, size_t size)
{
    struct listing listing = {folder, error, size, false};

    return capture_update(folder, list_new, &listing, error, size) && listing.good;
}
