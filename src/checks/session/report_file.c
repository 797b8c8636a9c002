/* SPDX-License-Identifier: MIT */
#include "report_file.h"

#include "atomic_file.h"
#include "json_model.h"
#include "record_snapshot.h"
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void shards_name(const struct shard *shard, char name[32])
{
    snprintf(name, 32, "shard %" PRIu64 "/%" PRIu64, shard->number, shard->count);
}

void shards_print_end(const struct shard *shard, uint64_t count, const char *pieces)
{
    char name[32];

    shards_name(shard, name);
    if (count == 0)
        printf("%s: empty, because all %s are in other shards\n", name, pieces);
    else
        printf("%s: %" PRIu64 " %.*s; `%s merge` prints the verdicts of all shards\n", name, count,
               (int)strlen(pieces) - (count == 1), pieces, program_invocation_short_name);
}

void report_file_note_engine(struct report_file *file, const char *engine, const char *description)
{
    if (file->shard.count == 0)
        return;
    if (file->engines == NULL)
        file->engines = json_object();
    json_object_set_new(file->engines, engine,
                        description != NULL ? json_string(description) : json_null());
}

bool report_file_dump(const void *value, FILE *stream)
{
    return json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0 &&
           fputc('\n', stream) != EOF && fflush(stream) == 0;
}

/* Returns the value of a shard's file, with the exit status if it has ended. */
static json_t *wrap(const struct report_file *file, bool has_ended, int status)
{
    struct memory memory = {NULL};
    struct shard_record record = {.version = SHARD_VERSION,
                                  .command = file->command,
                                  .shard = file->shard.number,
                                  .shards = file->shard.count,
                                  .build = build_identity,
                                  .has_status = has_ended,
                                  .status = (uint64_t)status,
                                  .result = file->document};
    json_t *value;
    const char *name;
    size_t k;

    json_array_foreach(file->given, k, value) LIST_ADD(&memory, &record.options, const char *) =
        json_string_value(value);
    json_object_foreach(file->engines, name, value)
        LIST_ADD(&memory, &record.engines, struct named_value) =
            (struct named_value){.name = name, .text = json_string_value(value)};
    value = model_json(&shard_table, &record);
    memory_free(&memory);
    return value;
}

/* Writes the value to the file. */
static bool save(struct report_file *file, json_t *value)
{
    bool good = true;

    if (file->path != NULL && file_stays_in_place(file->path)) {
        json_decref(file->pending);
        file->pending = value;
        if (file_can_be_written(file->path))
            return true;
        file_report_error(file->path);
        json_decref(file->pending);
        file->pending = NULL;
        return false;
    }
    if (file->path != NULL && !file_replace(report_file_dump, value, file->path))
        good = file_report_error(file->path);
    json_decref(value);
    return good;
}

bool report_file_save(struct report_file *file, json_t *value)
{
    if (file->shard.count == 0)
        return save(file, value);
    json_decref(file->document);
    file->document = value;
    return save(file, wrap(file, false, 0));
}

bool report_file_end(struct report_file *file, int status)
{
    bool good = file->document == NULL || save(file, wrap(file, true, status));

    if (file->pending != NULL)
        good = (file_write_in_place(report_file_dump, file->pending, file->path) ||
                file_report_error(file->path)) &&
               good;
    json_decref(file->document);
    json_decref(file->engines);
    json_decref(file->given);
    json_decref(file->pending);
    *file = (struct report_file){.path = NULL};
    return good;
}
