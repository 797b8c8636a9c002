/* SPDX-License-Identifier: MIT */
#include "capture_file.h"

#include "error_report.h"
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t MAX_MODULE = (size_t)1 << 30;

/* Where errors go, and what they are about. */
struct source {
    const char *folder, *name;
    char *error;
    size_t size;
};

static bool fail(const struct source *source, const char *why)
{
    return error_write(source->error, source->size, "'%s/%s' is not a captured launch: %s",
                       source->folder, source->name, why);
}

/* ---- The folder ---- */

static int is_launch(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), end = strlen(".json");

    return entry->d_name[0] != '.' && length > end &&
           strcmp(entry->d_name + length - end, ".json") == 0;
}

static bool list_launches(struct capture *capture, char *error, size_t size)
{
    struct dirent **entries;
    char path[PATH_MAX];
    int count;

    snprintf(path, sizeof path, "%s/launches", capture->folder);
    count = scandir(path, &entries, is_launch, alphasort);
    if (count < 0)
        return error_write(error, size, "cannot read the folder '%s': %s", path, strerror(errno));
    capture->launches = calloc((size_t)count + 1, sizeof *capture->launches);
    for (int k = 0; k < count; k++) {
        if (capture->launches != NULL)
            capture->launches[capture->launch_count++] = strdup(entries[k]->d_name);
        free(entries[k]);
    }
    free(entries);
    return capture->launches != NULL || error_write(error, size, "out of memory");
}

static bool open_index(struct capture *capture, char *error, size_t size)
{
    json_error_t place;
    json_int_t version;
    size_t count;
    char *text;

    if (!store_read(capture->folder, "capture.json", &text, &count, error, size))
        return false;
    capture->index = json_loadb(text, count, 0, &place);
    free(text);
    if (capture->index == NULL)
        return error_write(error, size, "'%s/capture.json' is damaged: %s in line %d",
                           capture->folder, place.text, place.line);
    if (json_unpack(capture->index, "{s:I}", "version", &version) != 0)
        return error_write(error, size, "'%s/capture.json' is damaged: it has no version",
                           capture->folder);
    return version == CAPTURE_VERSION ||
           error_write(error, size,
                       "'%s' has version %lld of captures, and this simtcheck has version %d: "
                       "capture to a new folder",
                       capture->folder, (long long)version, CAPTURE_VERSION);
}

bool capture_open(const char *folder, struct capture *capture, char *error, size_t size)
{
    *capture = (struct capture){.folder = strdup(folder)};
    if (capture->folder == NULL)
        return error_write(error, size, "out of memory");
    if (open_index(capture, error, size) && list_launches(capture, error, size))
        return true;
    capture_close(capture);
    return false;
}

void capture_close(struct capture *capture)
{
    for (size_t k = 0; k < capture->launch_count; k++)
        free(capture->launches[k]);
    free(capture->launches);
    json_decref(capture->index);
    free(capture->folder);
    *capture = (struct capture){.folder = NULL};
}

/* ---- Pieces and modules ---- */

static bool is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == CAPTURE_HASH - 1 && text[CAPTURE_HASH - 1] == '\0';
}

char *capture_read_module(const struct capture *capture, const char *module, char *error,
                          size_t size)
{
    char path[NAME_MAX], *text;
    size_t count;

    snprintf(path, sizeof path, "modules/%s.ptx", module);
    if (!store_read_compressed(capture->folder, path, module, MAX_MODULE, &text, &count, error,
                               size))
        return NULL;
    return text;
}

static bool read_piece(const struct source *source, const json_t *value,
                       const struct capture_allocation *allocation, uint64_t least,
                       struct capture_piece *piece)
{
    json_int_t offset, bytes;
    const char *blob;
    char path[NAME_MAX], *content;
    size_t count;

    if (json_unpack((json_t *)(uintptr_t)value, "{s:I, s:I, s:s}", "offset", &offset, "bytes",
                    &bytes, "blob", &blob) != 0 ||
        !is_hash(blob))
        return fail(source, "a piece of memory needs 'offset', 'bytes' and 'blob'");
    if (offset < 0 || bytes <= 0 || (uint64_t)offset < least ||
        (uint64_t)bytes > allocation->bytes ||
        (uint64_t)offset > allocation->bytes - (uint64_t)bytes)
        return fail(source, "a piece of memory overlaps another or is outside of its allocation");
    *piece = (struct capture_piece){.offset = (uint64_t)offset, .bytes = (uint64_t)bytes};
    snprintf(piece->blob, sizeof piece->blob, "%s", blob);
    snprintf(path, sizeof path, "blobs/%s", blob);
    if (!store_read_compressed(source->folder, path, blob, piece->bytes, &content, &count,
                               source->error, source->size))
        return false;
    piece->content = (unsigned char *)content;
    return count == piece->bytes || fail(source, "a blob does not have the 'bytes' of its piece");
}

static bool read_pieces(const struct source *source, const json_t *array,
                        const struct capture_allocation *allocation, struct capture_pieces *pieces)
{
    size_t count = json_array_size(array);
    uint64_t least = 0;

    if (!json_is_array(array))
        return fail(source, "'before' and 'after' must be arrays");
    pieces->items = calloc(count + 1, sizeof *pieces->items);
    if (pieces->items == NULL)
        return fail(source, "out of memory");
    while (pieces->count < count) {
        struct capture_piece *piece = &pieces->items[pieces->count];
        if (!read_piece(source, json_array_get(array, pieces->count++), allocation, least, piece))
            return false;
        least = piece->offset + piece->bytes;
    }
    return true;
}

/* ---- Launches ---- */

/* Copies a text. Null stays null. */
static bool read_text(const struct source *source, const json_t *value, char **text)
{
    if (!json_is_string(value) && !json_is_null(value))
        return fail(source, "'kernel', 'variable' and 'gpu_error' must be texts");
    *text = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
    return json_is_null(value) || *text != NULL || fail(source, "out of memory");
}

static bool read_allocation(const struct source *source, json_t *value, uint64_t least,
                            struct capture_allocation *allocation)
{
    const char *address;
    json_t *variable, *before, *after;
    json_int_t bytes;
    char *end;

    if (json_unpack(value, "{s:s, s:I, s:o, s:o, s:o}", "address", &address, "bytes", &bytes,
                    "variable", &variable, "before", &before, "after", &after) != 0)
        return fail(source, "an allocation needs 'address', 'bytes', 'variable', 'before' and "
                            "'after'");
    errno = 0;
    allocation->address = strtoull(address, &end, 16);
    allocation->bytes = bytes > 0 ? (uint64_t)bytes : 0;
    if (errno != 0 || strncmp(address, "0x", 2) != 0 || *end != '\0' || bytes <= 0 ||
        allocation->address < least || allocation->address + allocation->bytes < least)
        return fail(source, "an allocation overlaps another, or its address or size is wrong");
    return read_text(source, variable, &allocation->variable) &&
           read_pieces(source, before, allocation, &allocation->before) &&
           read_pieces(source, after, allocation, &allocation->after);
}

static bool read_allocations(const struct source *source, const json_t *array,
                             struct captured_launch *launch)
{
    size_t count = json_array_size(array);
    uint64_t least = 1;

    if (!json_is_array(array))
        return fail(source, "'allocations' must be an array");
    launch->allocations = calloc(count + 1, sizeof *launch->allocations);
    if (launch->allocations == NULL)
        return fail(source, "out of memory");
    while (launch->allocation_count < count) {
        struct capture_allocation *allocation = &launch->allocations[launch->allocation_count];
        json_t *value = json_array_get(array, launch->allocation_count++);
        if (!read_allocation(source, value, least, allocation))
            return false;
        least = allocation->address + allocation->bytes;
    }
    return true;
}

static bool read_parameter_bytes(const struct source *source, const char *text,
                                 struct captured_launch *launch)
{
    size_t length = strlen(text);

    if (length % 2 != 0 || strspn(text, "0123456789abcdef") != length)
        return fail(source, "the 'bytes' of 'parameters' must be hexadecimal");
    launch->parameter_bytes = (uint32_t)(length / 2);
    launch->parameters = malloc(length / 2 + 1);
    if (launch->parameters == NULL)
        return fail(source, "out of memory");
    for (size_t k = 0; k < length / 2; k++)
        launch->parameters[k] =
            (unsigned char)strtoul((const char[]){text[2 * k], text[2 * k + 1], '\0'}, NULL, 16);
    return true;
}

static bool read_parameters(const struct source *source, json_t *value,
                            struct captured_launch *launch)
{
    json_int_t offset, bytes;
    const char *text;
    json_t *layout;

    if (json_unpack(value, "{s:s, s:o}", "bytes", &text, "layout", &layout) != 0 ||
        !json_is_array(layout))
        return fail(source, "'parameters' needs 'bytes' and 'layout'");
    if (!read_parameter_bytes(source, text, launch))
        return false;
    launch->layout = calloc(json_array_size(layout) + 1, sizeof *launch->layout);
    if (launch->layout == NULL)
        return fail(source, "out of memory");
    for (; launch->parameter_count < json_array_size(layout); launch->parameter_count++) {
        if (json_unpack(json_array_get(layout, launch->parameter_count), "{s:I, s:I}", "offset",
                        &offset, "bytes", &bytes) != 0 ||
            offset < 0 || bytes < 0 || offset + bytes > (json_int_t)launch->parameter_bytes)
            return fail(source, "a parameter is outside of the 'bytes' of 'parameters'");
        launch->layout[launch->parameter_count] =
            (struct capture_parameter){(uint32_t)offset, (uint32_t)bytes};
    }
    return true;
}

/* Reads three numbers, each at least `least`. */
static bool read_three(const struct source *source, json_t *value, json_int_t least,
                       uint32_t three[3])
{
    json_int_t all[3];

    if (json_unpack(value, "[III!]", &all[0], &all[1], &all[2]) != 0)
        return fail(source, "'grid', 'block' and 'cluster' must have three numbers");
    for (int k = 0; k < 3; k++) {
        if (all[k] < least || all[k] > INT32_MAX)
            return fail(source, "a number of 'grid', 'block' or 'cluster' is out of range");
        three[k] = (uint32_t)all[k];
    }
    return true;
}

static bool read_members(const struct source *source, json_t *object,
                         struct captured_launch *launch)
{
    json_t *kernel, *grid, *block, *cluster, *gpu_error, *parameters, *allocations;
    const char *module;
    json_error_t place;
    int cooperative;
    json_int_t shared;

    if (json_unpack_ex(object, &place, 0, "{s:o, s:s, s:o, s:o, s:o, s:I, s:b, s:o, s:o, s:o}",
                       "kernel", &kernel, "module", &module, "grid", &grid, "block", &block,
                       "cluster", &cluster, "shared_bytes", &shared, "cooperative", &cooperative,
                       "gpu_error", &gpu_error, "parameters", &parameters, "allocations",
                       &allocations) != 0)
        return fail(source, place.text);
    if (!is_hash(module) || shared < 0 || shared > INT32_MAX)
        return fail(source, "'module' must be a hash, and 'shared_bytes' a size");
    snprintf(launch->module, sizeof launch->module, "%s", module);
    launch->shared_bytes = (uint32_t)shared;
    launch->cooperative = cooperative;
    if (!json_is_string(kernel))
        return fail(source, "'kernel' must be a name");
    return read_text(source, kernel, &launch->kernel) &&
           (launch->kernel != NULL || fail(source, "'kernel' must be a text")) &&
           read_text(source, gpu_error, &launch->gpu_error) &&
           read_three(source, grid, 1, launch->grid) &&
           read_three(source, block, 1, launch->block) &&
           read_three(source, cluster, 0, launch->cluster) &&
           read_parameters(source, parameters, launch) &&
           read_allocations(source, allocations, launch);
}

/* Compares the text with its checksum. */
static bool is_intact(const char *text)
{
    const char *found = NULL, *hash;
    char expected[CAPTURE_HASH];

    for (const char *at = text; (at = strstr(at, CAPTURE_CHECKSUM)) != NULL; at++)
        found = at;
    if (found == NULL)
        return false;
    store_hash(text, (size_t)(found - text), expected);
    hash = found + strlen(CAPTURE_CHECKSUM);
    return strncmp(hash, expected, CAPTURE_HASH - 1) == 0 &&
           strcmp(hash + CAPTURE_HASH - 1, "\"\n}\n") == 0;
}

/* Returns the content of the launch's file, or null. */
static json_t *load(const struct source *source)
{
    json_error_t place;
    json_int_t version;
    json_t *object;
    size_t count;
    char *text;

    if (!store_read(source->folder, source->name, &text, &count, source->error, source->size))
        return NULL;
    object = json_loadb(text, count, 0, &place);
    if (object == NULL || json_unpack(object, "{s:I}", "version", &version) != 0)
        fail(source, object == NULL ? place.text : "it has no version");
    else if (version != CAPTURE_VERSION)
        error_write(source->error, source->size,
                    "'%s/%s' has version %lld of captures, and this simtcheck has version %d: "
                    "capture again",
                    source->folder, source->name, (long long)version, CAPTURE_VERSION);
    else if (!is_intact(text))
        error_write(source->error, source->size,
                    "'%s/%s' is damaged: it does not have its checksum; capture again, or restore "
                    "the file",
                    source->folder, source->name);
    else {
        free(text);
        return object;
    }
    free(text);
    json_decref(object);
    return NULL;
}

bool capture_read_launch(const struct capture *capture, const char *name,
                         struct captured_launch *launch, char *error, size_t size)
{
    char path[PATH_MAX];
    const struct source source = {capture->folder, path, error, size};
    json_t *object;
    bool good;

    *launch = (struct captured_launch){.kernel = NULL};
    snprintf(path, sizeof path, "launches/%s", name);
    object = load(&source);
    good = object != NULL && read_members(&source, object, launch);
    json_decref(object);
    if (!good)
        captured_launch_free(launch);
    return good;
}

static void free_pieces(struct capture_pieces *pieces)
{
    for (size_t k = 0; k < pieces->count; k++)
        free(pieces->items[k].content);
    free(pieces->items);
}

void captured_launch_free(struct captured_launch *launch)
{
    for (size_t a = 0; a < launch->allocation_count; a++) {
        free(launch->allocations[a].variable);
        free_pieces(&launch->allocations[a].before);
        free_pieces(&launch->allocations[a].after);
    }
    free(launch->allocations);
    free(launch->layout);
    free(launch->parameters);
    free(launch->gpu_error);
    free(launch->kernel);
    *launch = (struct captured_launch){.kernel = NULL};
}
