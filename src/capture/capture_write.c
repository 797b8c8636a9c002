/* SPDX-License-Identifier: MIT */
#include "capture_file.h"

#include "error_report.h"
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folders[] = {"modules", "blobs", "launches"};

/* ---- The folder ---- */

static bool make_folder(const char *path, char *error, size_t size)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           error_write(error, size, "cannot make the folder '%s': %s", path, strerror(errno));
}

/* Waits until no other process changes capture.json. Returns a file to close, or -1. */
static int lock(const char *folder)
{
    char path[PATH_MAX];
    int file;

    snprintf(path, sizeof path, "%s/.lock", folder);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (file >= 0 && flock(file, LOCK_EX) != 0)
        if (errno != EINTR) {
            close(file);
            return -1;
        }
    return file;
}

static bool write_index(const char *folder, const json_t *index, char *error, size_t size)
{
    char *text = json_dumps(index, JSON_INDENT(2));
    bool good = text != NULL
                    ? store_write(folder, "capture.json", text, strlen(text), false, error, size)
                    : error_write(error, size, "out of memory");

    free(text);
    return good;
}

bool capture_create(const char *folder, char *error, size_t size)
{
    struct capture capture;
    char path[PATH_MAX];
    json_t *index;
    bool good;

    snprintf(path, sizeof path, "%s/capture.json", folder);
    if (access(path, F_OK) == 0) {
        good = capture_open(folder, &capture, error, size);
        if (good)
            capture_close(&capture);
        return good;
    }
    if (!make_folder(folder, error, size))
        return false;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        if (!make_folder(path, error, size))
            return false;
    }
    index = json_pack("{s:i, s:[], s:[]}", "version", CAPTURE_VERSION, "processes", "left_out");
    good = write_index(folder, index, error, size);
    json_decref(index);
    return good;
}

bool capture_update(const char *folder, void (*update)(json_t *index, void *context), void *context,
                    char *error, size_t size)
{
    int file = lock(folder);
    struct capture capture;
    bool good;

    if (file < 0)
        return error_write(error, size, "cannot lock '%s': %s", folder, strerror(errno));
    good = capture_open(folder, &capture, error, size);
    if (good) {
        update(capture.index, context);
        good = write_index(folder, capture.index, error, size);
        capture_close(&capture);
    }
    close(file);
    return good;
}

static uint64_t size_below(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    struct stat status;
    uint64_t sum = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode))
            sum += (uint64_t)status.st_size;
    if (folder != NULL)
        closedir(folder);
    return sum;
}

uint64_t capture_size(const char *folder)
{
    uint64_t sum = size_below(folder);
    char path[PATH_MAX];

    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        sum += size_below(path);
    }
    return sum;
}

/* ---- Pieces and modules ---- */

bool capture_write_blob(const char *folder, const void *bytes, size_t count,
                        char hash[CAPTURE_HASH], char *error, size_t size)
{
    char path[NAME_MAX];

    store_hash(bytes, count, hash);
    snprintf(path, sizeof path, "blobs/%s", hash);
    return store_write_compressed(folder, path, bytes, count, error, size);
}

bool capture_write_module(const char *folder, const char *ptx, size_t length,
                          char hash[CAPTURE_HASH], char *error, size_t size)
{
    char path[NAME_MAX];

    store_hash(ptx, length, hash);
    snprintf(path, sizeof path, "modules/%s.ptx", hash);
    return store_write_compressed(folder, path, ptx, length, error, size);
}

/* ---- Launches ---- */

static json_t *pieces_json(const struct capture_pieces *pieces)
{
    json_t *array = json_array();

    for (size_t k = 0; k < pieces->count; k++)
        json_array_append_new(array, json_pack("{s:I, s:I, s:s}", "offset",
                                               (json_int_t)pieces->items[k].offset, "bytes",
                                               (json_int_t)pieces->items[k].bytes, "blob",
                                               pieces->items[k].blob));
    return array;
}

static json_t *allocations_json(const struct captured_launch *launch)
{
    json_t *array = json_array();
    char address[32];

    for (size_t a = 0; a < launch->allocation_count; a++) {
        const struct capture_allocation *allocation = &launch->allocations[a];
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)allocation->address);
        json_array_append_new(array, json_pack("{s:s, s:I, s:s?, s:o, s:o}", "address", address,
                                               "bytes", (json_int_t)allocation->bytes, "variable",
                                               allocation->variable, "before",
                                               pieces_json(&allocation->before), "after",
                                               pieces_json(&allocation->after)));
    }
    return array;
}

static json_t *parameters_json(const struct captured_launch *launch)
{
    char *text = calloc(launch->parameter_bytes + 1, 2);
    json_t *layout = json_array(), *object;

    for (size_t k = 0; text != NULL && k < launch->parameter_bytes; k++)
        snprintf(text + 2 * k, 3, "%02x", launch->parameters[k]);
    for (size_t p = 0; p < launch->parameter_count; p++)
        json_array_append_new(layout, json_pack("{s:I, s:I}", "offset",
                                                (json_int_t)launch->layout[p].offset, "bytes",
                                                (json_int_t)launch->layout[p].bytes));
    object = json_pack("{s:s, s:o}", "bytes", text, "layout", layout);
    free(text);
    return object;
}

static json_t *launch_json(const struct captured_launch *launch)
{
    const uint32_t *grid = launch->grid, *block = launch->block, *cluster = launch->cluster;

    return json_pack("{s:i, s:s, s:s, s:[III], s:[III], s:[III], s:I, s:b, s:s?, s:o, s:o}",
                     "version", CAPTURE_VERSION, "kernel", launch->kernel, "module", launch->module,
                     "grid", (json_int_t)grid[0], (json_int_t)grid[1], (json_int_t)grid[2], "block",
                     (json_int_t)block[0], (json_int_t)block[1], (json_int_t)block[2], "cluster",
                     (json_int_t)cluster[0], (json_int_t)cluster[1], (json_int_t)cluster[2],
                     "shared_bytes", (json_int_t)launch->shared_bytes, "cooperative",
                     launch->cooperative, "gpu_error", launch->gpu_error, "parameters",
                     parameters_json(launch), "allocations", allocations_json(launch));
}

/* Returns the text of the file, with the checksum of what is before it. */
static char *launch_text(const struct captured_launch *launch)
{
    json_t *object = launch_json(launch);
    char *text = object != NULL ? json_dumps(object, JSON_INDENT(1)) : NULL, *whole = NULL;
    char hash[CAPTURE_HASH];
    int length;

    json_decref(object);
    if (text == NULL)
        return NULL;
    length = (int)strlen(text) - 2; /* without "\n}" */
    store_hash(text, (size_t)length, hash);
    if (asprintf(&whole, "%.*s" CAPTURE_CHECKSUM "%s\"\n}\n", length, text, hash) < 0)
        whole = NULL;
    free(text);
    return whole;
}

/* Writes the beginning of the kernel's name, in characters that file names may have. */
static void file_name(const char *kernel, unsigned int number, char *path, size_t size)
{
    enum { MOST = 100 };
    char name[MOST + 1] = "";

    for (size_t k = 0; k < MOST && kernel[k] != '\0'; k++)
        name[k] = (kernel[k] >= '0' && kernel[k] <= '9') ||
                          (kernel[k] >= 'A' && kernel[k] <= 'Z') ||
                          (kernel[k] >= 'a' && kernel[k] <= 'z')
                      ? kernel[k]
                      : '_';
    snprintf(path, size, "launches/%06u-%s.json", number, name);
}

bool capture_write_launch(const char *folder, unsigned int *number,
                          const struct captured_launch *launch, char *error, size_t size)
{
    char *text = launch_text(launch), path[NAME_MAX];
    bool good = false;

    if (text == NULL)
        return error_write(error, size, "cannot write the launch of '%s': out of memory",
                           launch->kernel);
    do {
        file_name(launch->kernel, *number, path, sizeof path);
        good = store_write(folder, path, text, strlen(text), true, error, size);
    } while (!good && errno == EEXIST && ++*number > 0);
    free(text);
    return good;
}
