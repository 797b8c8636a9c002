/* SPDX-License-Identifier: MIT */
#include "store.h"

#include "error_report.h"
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

void store_hash(const void *bytes, size_t count, char hash[CAPTURE_HASH])
{
    XXH128_hash_t value = XXH3_128bits(bytes, count);

    snprintf(hash, CAPTURE_HASH, "%016llx%016llx", (unsigned long long)value.high64,
             (unsigned long long)value.low64);
}

/* ---- Writing ---- */

static uint64_t written_bytes;

uint64_t capture_written(void)
{
    return __atomic_load_n(&written_bytes, __ATOMIC_RELAXED);
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
    return true;
}

/* Gives the temporary file its name. */
static bool settle(const char *temporary, const char *path, bool exclusive)
{
    bool good;

    if (!exclusive)
        return rename(temporary, path) == 0;
    good = link(temporary, path) == 0;
    unlink(temporary);
    return good;
}

bool store_write(const char *folder, const char *path, const void *bytes, size_t count,
                 bool exclusive, char *error, size_t size)
{
    static unsigned int serial;
    char temporary[PATH_MAX], whole[PATH_MAX];
    bool good;
    int file, reason;

    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    if (snprintf(temporary, sizeof temporary, "%s/.temporary-%ld-%u", folder, (long)getpid(),
                 __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED)) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return error_write(error, size, "'%s' is too long: use a folder with a shorter path",
                           folder);
    }
    file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    good = file >= 0 && write_all(file, bytes, count);
    if (file >= 0)
        good = close(file) == 0 && good;
    good = good && settle(temporary, whole, exclusive);
    if (good) {
        __atomic_add_fetch(&written_bytes, count, __ATOMIC_RELAXED);
        return true;
    }
    reason = errno;
    if (file >= 0)
        unlink(temporary);
    error_write(error, size, "cannot write '%s': %s", whole, strerror(reason));
    errno = reason;
    return false;
}

bool store_write_compressed(const char *folder, const char *path, const void *bytes, size_t count,
                            char *error, size_t size)
{
    size_t room = ZSTD_compressBound(count), length;
    char whole[PATH_MAX], name[NAME_MAX];
    void *compressed;
    bool good;

    snprintf(name, sizeof name, "%s.zst", path);
    snprintf(whole, sizeof whole, "%s/%s", folder, name);
    if (access(whole, F_OK) == 0)
        return true;
    compressed = malloc(room);
    if (compressed == NULL)
        return error_write(error, size, "cannot write '%s': out of memory", whole);
    length = ZSTD_compress(compressed, room, bytes, count, 1);
    if (ZSTD_isError(length))
        good =
            error_write(error, size, "cannot compress '%s': %s", whole, ZSTD_getErrorName(length));
    else
        good = store_write(folder, name, compressed, length, false, error, size);
    free(compressed);
    return good;
}

/* ---- Reading ---- */

bool store_read(const char *folder, const char *path, char **bytes, size_t *count, char *error,
                size_t size)
{
    char whole[PATH_MAX];

    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    *bytes = read_whole_file(whole, count);
    return *bytes != NULL ||
           error_write(error, size, "cannot read '%s': %s", whole,
                       errno == ENOTSUP ? "it is not a regular file" : strerror(errno));
}

bool store_read_compressed(const char *folder, const char *path, const char *hash, size_t most,
                           char **bytes, size_t *count, char *error, size_t size)
{
    char name[NAME_MAX], found[CAPTURE_HASH] = "", *compressed;
    unsigned long long length;
    size_t read;

    *bytes = NULL;
    snprintf(name, sizeof name, "%s.zst", path);
    if (!store_read(folder, name, &compressed, &read, error, size))
        return false;
    length = ZSTD_getFrameContentSize(compressed, read);
    if (length <= most) /* an error is a large number */
        *bytes = malloc((size_t)length + 1);
    if (*bytes != NULL) {
        *count = ZSTD_decompress(*bytes, (size_t)length, compressed, read);
        if (*count == length)
            store_hash(*bytes, *count, found);
    }
    free(compressed);
    if (strcmp(found, hash) != 0) {
        free(*bytes);
        *bytes = NULL;
        return error_write(error, size,
                           "'%s/%s' is damaged: its content does not have the hash that its name "
                           "says; capture again, or restore the file",
                           folder, name);
    }
    (*bytes)[*count] = '\0';
    return true;
}
