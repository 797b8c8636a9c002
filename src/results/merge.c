/* SPDX-License-Identifier: MIT
 *
 * `merge`: combines the results of all shards of one piece of work, as if it had run without
 * shards.
 */
#include "merge.h"

#include "error_report.h"
#include "kinds.h"
#include "members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A shard's file, and what was read from it. */
struct shard_file {
    const char *path;
    json_t *document;
    struct shard_record record;
    struct shard shard;
    const struct results_kind *kind; /* null: of no command */
};

/* ---- A single file ---- */

/* Returns the kind of the command that wrote it, or null if the command is unknown. */
static const struct results_kind *kind_of(const char *command)
{
    const struct results_kind *kind;

    for (size_t k = 0; (kind = results_kind(k)) != NULL; k++)
        if (kind->merge != NULL && strcmp(kind->name, command) == 0)
            return kind;
    return NULL;
}

/* Checks that the shard ran to its end. Returns false after an error message. */
static bool has_ended(const struct shard_file *file)
{
    const struct shard_record *record = &file->record;
    char name[32];

    shards_name(&file->shard, name);
    if (!record->has_status)
        return error_report("%s: %s was killed or is still running: run it again", file->path,
                            name);
    if (record->status != EXIT_CONFORMS && record->status != EXIT_DIFFERS &&
        record->status != EXIT_UNAVAILABLE)
        return error_report("%s: %s ended early, with exit status %" PRIu64 ": run it again",
                            file->path, name, record->status);
    return true;
}

static bool read_shard(const char *path, struct shard_file *file, struct memory *memory)
{
    struct shard_record *record = &file->record;
    char why[512];

    file->path = path;
    file->document = results_load(path, "shard");
    if (file->document == NULL)
        return false;
    if (!model_is_marked(&shard_table, file->document))
        return error_report("%s: this is not a shard: run, races and compilers write one with "
                            "--shard I/N --json FILE",
                            path);
    if (!model_read(&shard_table, file->document, record, memory, why, sizeof why))
        return error_report("%s: invalid shard: %s", path, why);
    if (record->version != SHARD_VERSION)
        return error_report("%s: shard version %" PRIu64
                            " is not supported: this program reads version %d",
                            path, record->version, SHARD_VERSION);
    file->shard = (struct shard){.number = record->shard, .count = record->shards};
    file->kind = kind_of(record->command);
    if (file->kind == NULL)
        return error_report("%s: invalid shard: unknown command '%s'", path, record->command);
    if (record->shards > MAX_SHARDS)
        return error_report("%s: invalid shard: %" PRIu64 " shards, but the maximum is %d", path,
                            record->shards, MAX_SHARDS);
    if (strcmp(record->build, build_identity) != 0)
        return error_report("%s: build %s wrote this shard, and this program is build %s: merge "
                            "with the same build",
                            path, record->build, build_identity);
    return has_ended(file);
}

/* ---- Files compared with each other ---- */

/* Checks that the member is the same in both files. Prints an error message with both values
 * otherwise. */
static bool is_same(const struct shard_file *one, const struct shard_file *other,
                    const struct field *member)
{
    struct memory memory = {NULL};
    const json_t *a = model_member(member, one->document),
                 *b = model_member(member, other->document);

    if (json_equal(a, b))
        return true;
    error_report("%s and %s belong to different runs: %s is %s in one and %s in the other",
                 one->path, other->path, member->name, memory_json(&memory, a),
                 memory_json(&memory, b));
    memory_free(&memory);
    return false;
}

/* Returns whether two shards have the same results, except for values that vary between runs. */
static bool has_same_result(const struct shard_file *one, const struct shard_file *other)
{
    const struct field *result = MEMBER_OF(shard_table, struct shard_record, result);
    json_t *a = json_deep_copy(one->document), *b = json_deep_copy(other->document);
    bool same;

    model_drop_varying(one->kind->table, model_member(result, a));
    model_drop_varying(one->kind->table, model_member(result, b));
    same = json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

/* Accepts a second file of the same shard, from a task that ran again, if both have the same
 * results. Returns false after an error message otherwise. */
static bool take_again(const struct shard_file *first, const struct shard_file *again)
{
    char name[32];

    shards_name(&first->shard, name);
    if (!has_same_result(first, again))
        return error_report("%s and %s are both %s, but differ: give only one of them", first->path,
                            again->path, name);
    printf("%s: another copy of %s, with the same results as %s\n", again->path, name, first->path);
    return true;
}

/* Sets by_number[I - 1] to the file of shard I. Returns false after an error message for each file
 * that does not fit. */
static bool sort_shards(const struct shard_file *files, size_t count,
                        const struct shard_file **by_number)
{
    const struct field *const shared[] = {MEMBER_OF(shard_table, struct shard_record, command),
                                          MEMBER_OF(shard_table, struct shard_record, shards),
                                          MEMBER_OF(shard_table, struct shard_record, options),
                                          MEMBER_OF(shard_table, struct shard_record, engines)};
    bool good = true;

    for (size_t f = 0; f < count; f++) {
        const struct shard_file **place = &by_number[files[f].shard.number - 1];
        bool fits = true;
        for (size_t k = 0; fits && k < sizeof shared / sizeof *shared; k++)
            fits = is_same(&files[0], &files[f], shared[k]);
        if (fits && *place != NULL)
            fits = take_again(*place, &files[f]);
        else if (fits)
            *place = &files[f];
        good = good && fits;
    }
    for (uint64_t k = 0; good && k < files[0].shard.count; k++)
        if (by_number[k] == NULL) {
            struct shard missing = {k + 1, files[0].shard.count};
            char name[32];
            shards_name(&missing, name);
            error_report("%s is missing", name);
            by_number[0] = NULL;
        }
    return good && by_number[0] != NULL;
}

/* ---- The options of the shards ---- */

/* Parses the options of a shard again. The caller owns words[], which must stay valid while the
 * result is used. Returns null after an error message. */
static const struct selection *read_again(const struct shard_file *file, shard_options_reader *read,
                                          void *context, const char **words)
{
    const char *const *given = file->record.options.items;
    size_t count = file->record.options.count;
    const struct selection *selection;

    for (size_t k = 0; k < count; k++)
        words[k] = given[k];
    selection = read(context, file->kind->name, count, (char **)(void *)words);
    if (selection == NULL)
        error_report("%s: the options in the shard are not options of '%s'", file->path,
                     file->kind->name);
    return selection;
}

/* ---- Merging ---- */

/* Merges shards that belong together. Returns the exit status. */
static int merge_all(const struct session *session, shard_options_reader *read, void *context,
                     const struct shard_file *const *by_number)
{
    size_t count = by_number[0]->shard.count;
    struct memory memory = {NULL};
    const json_t **results = calloc(count, sizeof *results);
    json_t *merged = NULL;
    const char **paths = calloc(count, sizeof *paths);
    int *statuses = calloc(count, sizeof *statuses), status = EXIT_USAGE;
    const char **words = calloc(by_number[0]->record.options.count + 1, sizeof *words);
    struct shard_results shards = {NULL, session, results, paths, statuses, count, &memory};
    bool enough = results != NULL && paths != NULL && statuses != NULL && words != NULL;

    for (size_t k = 0; enough && k < count; k++) {
        results[k] = by_number[k]->record.result;
        paths[k] = by_number[k]->path;
        statuses[k] = (int)by_number[k]->record.status;
    }
    if (!enough) {
        error_report("out of memory");
        status = EXIT_ENVIRONMENT;
    } else {
        shards.selection = read_again(by_number[0], read, context, words);
        if (shards.selection != NULL)
            status = by_number[0]->kind->merge(&shards, &merged);
    }
    if (merged != NULL && !session_save(session, merged))
        status = EXIT_ENVIRONMENT;
    memory_free(&memory);
    free(words);
    free(results);
    free(paths);
    free(statuses);
    return status;
}

int merge_shards(const char *const *paths, size_t count, shard_options_reader *read, void *context,
                 const struct session *session)
{
    struct shard_file *files = calloc(count, sizeof *files);
    const struct shard_file **by_number = calloc(MAX_SHARDS, sizeof(const struct shard_file *));
    struct memory memory = {NULL};
    int status = EXIT_USAGE;
    bool good = files != NULL && by_number != NULL;

    if (!good)
        status = EXIT_ENVIRONMENT;
    for (size_t f = 0; files != NULL && f < count; f++)
        good = read_shard(paths[f], &files[f], &memory) && good;
    if (good && sort_shards(files, count, by_number))
        status = merge_all(session, read, context, by_number);
    for (size_t f = 0; files != NULL && f < count; f++)
        json_decref(files[f].document);
    memory_free(&memory);
    free(files);
    free(by_number);
    return status;
}
