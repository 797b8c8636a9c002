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

static bool write_index(const char *folder, const struct capture_index *index, char *error,
                        size_t size)
{
    json_t *object = model_json(&capture_index_table, index);
    char *text = json_dumps(object, JSON_INDENT(2));
    bool good = text != NULL
                    ? store_write(folder, "capture.json", text, strlen(text), false, error, size)
                    : error_write(error, size, "out of memory");

    free(text);
    json_decref(object);
    return good;
}

static void begin_again(struct capture_index *index, struct memory *memory, void *context)
{
    (void)memory;
    (void)context;
    index->complete = false;
}

bool capture_create(const char *folder, char *error, size_t size)
{
    const struct capture_index empty = {.version = CAPTURE_VERSION};
    struct capture capture;
    char path[PATH_MAX];
    bool good;

    snprintf(path, sizeof path, "%s/capture.json", folder);
    if (access(path, F_OK) == 0) {
        if (!capture_open(folder, &capture, error, size))
            return false;
        good = capture_verify(&capture) ||
               error_write(error, size, "cannot add launches to '%s'", folder);
        capture_close(&capture);
        return good && capture_update(folder, begin_again, NULL, error, size);
    }
    if (!make_folder(folder, error, size))
        return false;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        if (!make_folder(path, error, size))
            return false;
    }
    return write_index(folder, &empty, error, size);
}

bool capture_update(const char *folder, capture_updater *update, void *context, char *error,
                    size_t size)
{
    int file = lock(folder);
    struct capture capture;
    bool good;

    if (file < 0)
        return error_write(error, size, "cannot lock '%s': %s", folder, strerror(errno));
    good = capture_open(folder, &capture, error, size);
    if (good) {
        update(&capture.index, &capture.memory, context);
        good = write_index(folder, &capture.index, error, size);
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

static struct list piece_records(const struct capture_pieces *pieces, struct memory *memory)
{
    struct list list = list_take(memory, pieces->count, sizeof(struct piece_record));
    struct piece_record *records = list.items;

    for (size_t k = 0; k < pieces->count; k++)
        records[k] = (struct piece_record){pieces->items[k].offset, pieces->items[k].bytes,
                                           pieces->items[k].blob};
    return list;
}

static struct list allocation_records(const struct captured_launch *launch, struct memory *memory)
{
    struct list list =
        list_take(memory, launch->allocation_count, sizeof(struct allocation_record));
    struct allocation_record *records = list.items;

    for (size_t k = 0; k < list.count; k++) {
        const struct capture_allocation *allocation = &launch->allocations[k];
        records[k] = (struct allocation_record){
            .address = memory_text(memory, "0x%llx", (unsigned long long)allocation->address),
            .bytes = allocation->bytes,
            .variable = allocation->variable,
            .before = piece_records(&allocation->before, memory),
            .after = piece_records(&allocation->after, memory)};
    }
    return list;
}

static struct list parameter_records(const struct captured_launch *launch, struct memory *memory)
{
    struct list list = list_take(memory, launch->parameter_count, sizeof(struct parameter_record));
    struct parameter_record *records = list.items;

    for (size_t k = 0; k < list.count; k++)
        records[k] = (struct parameter_record){launch->layout[k].offset, launch->layout[k].bytes};
    return list;
}

static struct list linked_hashes(const struct captured_launch *launch, struct memory *memory)
{
    struct list list = list_take(memory, launch->linked_count, sizeof(const char *));
    const char **hashes = list.items;

    for (size_t k = 0; k < list.count; k++)
        hashes[k] = launch->linked[k];
    return list;
}

static const char *hexadecimal(const unsigned char *bytes, size_t count, struct memory *memory)
{
    char *text = memory_take(memory, 2 * count + 1);

    for (size_t k = 0; k < count; k++)
        snprintf(text + 2 * k, 3, "%02x", bytes[k]);
    return text;
}

static json_t *launch_json(const struct captured_launch *launch)
{
    struct memory memory = {NULL};
    struct captured_record record = {
        .version = CAPTURE_VERSION,
        .kernel = launch->kernel,
        .module = launch->module,
        .linked = linked_hashes(launch, &memory),
        .shared_bytes = launch->shared_bytes,
        .cooperative = launch->cooperative,
        .gpu_error = launch->gpu_error,
        .unmodelled = launch->unmodelled,
        .parameters = hexadecimal(launch->parameters, launch->parameter_bytes, &memory),
        .layout = parameter_records(launch, &memory),
        .allocations = allocation_records(launch, &memory)};
    json_t *object;

    memcpy(record.grid, launch->grid, sizeof record.grid);
    memcpy(record.block, launch->block, sizeof record.block);
    memcpy(record.cluster, launch->cluster, sizeof record.cluster);
    object = model_json(&captured_record_table, &record);
    memory_free(&memory);
    return object;
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
    json_t *object = launch_json(launch);
    char *text = json_dumps(object, JSON_INDENT(1)), path[NAME_MAX];
    bool good = false;

    json_decref(object);
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
