/* SPDX-License-Identifier: MIT */
#include "capture_file.h"

#include "error_report.h"
#include "store.h"

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

/* Returns the content of a JSON file of this version, or null. `text` gets the text, for the caller
 * to free. */
static json_t *load(const char *folder, const char *name, char **text, char *error, size_t size)
{
    struct capture_version version;
    json_error_t place;
    char why[CAPTURE_ERROR];
    json_t *value;
    size_t count;

    if (!store_read(folder, name, text, &count, error, size))
        return NULL;
    value = json_loadb(*text, count, 0, &place);
    if (value == NULL)
        snprintf(why, sizeof why, "%s in line %d", place.text, place.line);
    if (value == NULL ||
        !model_read(&capture_version_table, value, &version, NULL, why, sizeof why))
        error_write(error, size, "'%s/%s' is damaged: %s", folder, name, why);
    else if (version.version != CAPTURE_VERSION)
        error_write(error, size,
                    "'%s/%s' has version %llu of captures, and this simtcheck has version %d: "
                    "capture again, to a new folder",
                    folder, name, (unsigned long long)version.version, CAPTURE_VERSION);
    else
        return value;
    json_decref(value);
    free(*text);
    return NULL;
}

static bool open_index(struct capture *capture, char *error, size_t size)
{
    char *text, why[CAPTURE_ERROR];

    capture->json = load(capture->folder, "capture.json", &text, error, size);
    if (capture->json == NULL)
        return false;
    free(text);
    return model_read(&capture_index_table, capture->json, &capture->index, &capture->memory, why,
                      sizeof why) ||
           error_write(error, size, "'%s/capture.json' is damaged: %s", capture->folder, why);
}

bool capture_open(const char *folder, struct capture *capture, char *error, size_t size)
{
    *capture = (struct capture){.folder = strdup(folder)};
    if (capture->folder == NULL)
        return error_write(error, size, "out of memory");
    if (!open_index(capture, error, size)) {
        capture_close(capture);
        return false;
    }
    capture_list_sort(&capture->index.files);
    capture_list_launches(capture);
    return true;
}

void capture_close(struct capture *capture)
{
    memory_free(&capture->memory);
    json_decref(capture->json);
    free(capture->folder);
    *capture = (struct capture){.folder = NULL};
}

/* ---- Pieces and modules ---- */

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

static bool read_piece(const struct source *source, const struct piece_record *record,
                       const struct capture_allocation *allocation, uint64_t least,
                       struct capture_piece *piece)
{
    char path[NAME_MAX], *content;
    size_t count;

    if (record->offset < least || record->bytes > allocation->bytes ||
        record->offset > allocation->bytes - record->bytes)
        return fail(source, "a piece of memory overlaps another or is outside of its allocation");
    *piece = (struct capture_piece){.offset = record->offset, .bytes = record->bytes};
    snprintf(piece->blob, sizeof piece->blob, "%s", record->blob);
    snprintf(path, sizeof path, "blobs/%s", piece->blob);
    if (!store_read_compressed(source->folder, path, piece->blob, piece->bytes, &content, &count,
                               source->error, source->size))
        return false;
    piece->content = (unsigned char *)content;
    return count == piece->bytes || fail(source, "a blob does not have the 'bytes' of its piece");
}

static bool read_pieces(const struct source *source, const struct list *records,
                        const struct capture_allocation *allocation, struct capture_pieces *pieces)
{
    const struct piece_record *record = records->items;
    uint64_t least = 0;

    pieces->items = calloc(records->count + 1, sizeof *pieces->items);
    if (pieces->items == NULL)
        return fail(source, "out of memory");
    for (; pieces->count < records->count; record++) {
        if (!read_piece(source, record, allocation, least, &pieces->items[pieces->count++]))
            return false;
        least = record->offset + record->bytes;
    }
    return true;
}

/* ---- Launches ---- */

/* Copies a text. Null stays null. */
static bool copy_text(const struct source *source, const char *text, char **copy)
{
    *copy = text != NULL ? strdup(text) : NULL;
    return text == NULL || *copy != NULL || fail(source, "out of memory");
}

static bool read_allocation(const struct source *source, const struct allocation_record *record,
                            uint64_t least, struct capture_allocation *allocation)
{
    allocation->address = strtoull(record->address, NULL, 16);
    allocation->bytes = record->bytes;
    if (allocation->address < least || allocation->bytes > UINT64_MAX - allocation->address)
        return fail(source, "an allocation overlaps another, or its address or size is wrong");
    return copy_text(source, record->variable, &allocation->variable) &&
           read_pieces(source, &record->before, allocation, &allocation->before) &&
           read_pieces(source, &record->after, allocation, &allocation->after);
}

static bool read_allocations(const struct source *source, const struct list *records,
                             struct captured_launch *launch)
{
    const struct allocation_record *record = records->items;
    uint64_t least = 1;

    launch->allocations = calloc(records->count + 1, sizeof *launch->allocations);
    if (launch->allocations == NULL)
        return fail(source, "out of memory");
    for (; launch->allocation_count < records->count; record++) {
        struct capture_allocation *allocation = &launch->allocations[launch->allocation_count++];
        if (!read_allocation(source, record, least, allocation))
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
        return fail(source, "'parameters' must be hexadecimal");
    launch->parameter_bytes = (uint32_t)(length / 2);
    launch->parameters = malloc(length / 2 + 1);
    if (launch->parameters == NULL)
        return fail(source, "out of memory");
    for (size_t k = 0; k < length / 2; k++)
        launch->parameters[k] =
            (unsigned char)strtoul((const char[]){text[2 * k], text[2 * k + 1], '\0'}, NULL, 16);
    return true;
}

static bool read_layout(const struct source *source, const struct list *records,
                        struct captured_launch *launch)
{
    const struct parameter_record *record = records->items;

    launch->layout = calloc(records->count + 1, sizeof *launch->layout);
    if (launch->layout == NULL)
        return fail(source, "out of memory");
    for (; launch->parameter_count < records->count; record++) {
        if (record->bytes > launch->parameter_bytes ||
            record->offset > launch->parameter_bytes - record->bytes)
            return fail(source, "a parameter is outside of 'parameters'");
        launch->layout[launch->parameter_count++] =
            (struct capture_parameter){record->offset, record->bytes};
    }
    return true;
}

static bool read_linked(const struct source *source, const struct list *hashes,
                        struct captured_launch *launch)
{
    const char *const *hash = hashes->items;

    launch->linked = calloc(hashes->count + 1, sizeof *launch->linked);
    if (launch->linked == NULL)
        return fail(source, "out of memory");
    for (; launch->linked_count < hashes->count; hash++)
        snprintf(launch->linked[launch->linked_count++], CAPTURE_HASH, "%s", *hash);
    return true;
}

static bool read_members(const struct source *source, const struct captured_record *record,
                         struct captured_launch *launch)
{
    snprintf(launch->module, sizeof launch->module, "%s", record->module);
    launch->shared_bytes = record->shared_bytes;
    launch->cooperative = record->cooperative;
    memcpy(launch->grid, record->grid, sizeof launch->grid);
    memcpy(launch->block, record->block, sizeof launch->block);
    memcpy(launch->cluster, record->cluster, sizeof launch->cluster);
    return copy_text(source, record->kernel, &launch->kernel) &&
           copy_text(source, record->gpu_error, &launch->gpu_error) &&
           copy_text(source, record->unmodelled, &launch->unmodelled) &&
           read_linked(source, &record->linked, launch) &&
           read_parameter_bytes(source, record->parameters, launch) &&
           read_layout(source, &record->layout, launch) &&
           read_allocations(source, &record->allocations, launch);
}

/* Compares the text with its checksum in the list. */
static bool is_intact(const struct capture *capture, const char *path, const char *text)
{
    const char *expected = capture_list_find(&capture->index.files, path);
    char found[CAPTURE_HASH];

    store_hash(text, strlen(text), found);
    return expected != NULL && strcmp(found, expected) == 0;
}

/* Fills in the record. Returns what owns its texts, or null. */
static json_t *read_record(const struct capture *capture, const struct source *source,
                           struct captured_record *record, struct memory *memory)
{
    char *text, why[CAPTURE_ERROR];
    json_t *value = load(source->folder, source->name, &text, source->error, source->size);
    bool good = value != NULL;

    if (good && !is_intact(capture, source->name, text))
        good = error_write(source->error, source->size,
                           "'%s/%s' is damaged: it does not have its checksum; capture again, or "
                           "restore the file",
                           source->folder, source->name);
    if (value != NULL)
        free(text);
    if (good && !model_read(&captured_record_table, value, record, memory, why, sizeof why))
        good = fail(source, why);
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

bool capture_read_launch(const struct capture *capture, const char *name,
                         struct captured_launch *launch, char *error, size_t size)
{
    char path[PATH_MAX];
    const struct source source = {capture->folder, path, error, size};
    struct memory memory = {NULL};
    struct captured_record record;
    json_t *value;
    bool good;

    *launch = (struct captured_launch){.kernel = NULL};
    snprintf(path, sizeof path, "launches/%s", name);
    value = read_record(capture, &source, &record, &memory);
    good = value != NULL && read_members(&source, &record, launch);
    memory_free(&memory);
    json_decref(value);
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
    free(launch->unmodelled);
    free(launch->linked);
    free(launch->kernel);
    *launch = (struct captured_launch){.kernel = NULL};
}
