/* SPDX-License-Identifier: MIT
 *
 * Files of a capture that are complete at each moment, and their hashes. Functions return false
 * after they wrote a message to `error`.
 */
#ifndef SIMTCHECK_CAPTURE_STORE_H
#define SIMTCHECK_CAPTURE_STORE_H

#include "capture_file.h"

#include <limits.h>

/* Fills in the hash of the bytes. */
void store_hash(const void *bytes, size_t count, char hash[CAPTURE_HASH]);

/* Writes FOLDER/PATH completely or not at all. If `exclusive`, an existing file stays, and errno is
 * EEXIST. */
bool store_write(const char *folder, const char *path, const void *bytes, size_t count,
                 bool exclusive, char *error, size_t size);

/* Compresses and writes FOLDER/PATH.zst, unless it exists. */
bool store_write_compressed(const char *folder, const char *path, const void *bytes, size_t count,
                            char *error, size_t size);

/* Reads FOLDER/PATH. The caller frees the bytes; a null character follows them. */
bool store_read(const char *folder, const char *path, char **bytes, size_t *count, char *error,
                size_t size);

/* Reads FOLDER/PATH.zst and decompresses it to at most `most` bytes. They must have the hash. */
bool store_read_compressed(const char *folder, const char *path, const char *hash, size_t most,
                           char **bytes, size_t *count, char *error, size_t size);

/* The list of a capture's files: sorts it, finds the hash of a file or null, and fills in the names
 * of the launches. */
void capture_list_sort(struct list *files);
const char *capture_list_find(const struct list *files, const char *path);
/* Adds the paths of files that are not listed. Returns false if a folder cannot be read. */
bool capture_list_unlisted(const char *folder, const struct list *listed, struct list *added,
                           struct memory *memory);
void capture_list_launches(struct capture *capture);

#endif
