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
#include <string.h>

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

static const char *name_of(const struct shard_record *file, char name[32])
{
    const struct shard shard = {file->shard, file->shards};

    shards_name(&shard, name);
    return name;
}

/* Checks that the shard ran to its end. Returns false after an error message. */
static bool has_ended(const struct shard_record *file)
{
    char name[32];

    if (!file->has_status)
        return error_report("%s: %s was killed or is still running: run it again", file->path,
                            name_of(file, name));
    if (file->status != EXIT_CONFORMS && file->status != EXIT_DIFFERS &&
        file->status != EXIT_UNAVAILABLE)
        return error_report("%s: %s ended early, with exit status %" PRIu64 ": run it again",
                            file->path, name_of(file, name), file->status);
    return true;
}

/* Reads a file, and adds its JSON to those that the record refers to. */
static bool read_shard(const char *path, struct shard_record *file, json_t *documents,
                       struct memory *memory)
{
    json_t *document = results_load(path, "shard");
    char why[512];

    if (document == NULL)
        return false;
    json_array_append_new(documents, document);
    if (!model_is_marked(&shard_table, document))
        return error_report("%s: this is not a shard: run, races and compilers write one with "
                            "--shard I/N --json FILE",
                            path);
    if (!model_read(&shard_table, document, file, memory, why, sizeof why))
        return error_report("%s: invalid shard: %s", path, why);
    file->path = path;
    file->document = document;
    if (file->version != SHARD_VERSION)
        return error_report("%s: shard version %" PRIu64
                            " is not supported: this program reads version %d",
                            path, file->version, SHARD_VERSION);
    if (kind_of(file->command) == NULL)
        return error_report("%s: invalid shard: unknown command '%s'", path, file->command);
    if (file->shards > MAX_SHARDS)
        return error_report("%s: invalid shard: %" PRIu64 " shards, but the maximum is %d", path,
                            file->shards, MAX_SHARDS);
    if (strcmp(file->build, build_identity) != 0)
        return error_report("%s: build %s wrote this shard, and this program is build %s: merge "
                            "with the same build",
                            path, file->build, build_identity);
    return has_ended(file);
}

/* ---- Files compared with each other ---- */

/* Checks that the member is the same in both files. Prints an error message with both values
 * otherwise. */
static bool is_same(const struct shard_record *one, const struct shard_record *other,
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
static bool has_same_result(const struct shard_record *one, const struct shard_record *other)
{
    const struct field *result = MEMBER_OF(shard_table, struct shard_record, result);
    const struct table *table = kind_of(one->command)->table;
    json_t *a = json_deep_copy(one->document), *b = json_deep_copy(other->document);
    bool same;

    model_drop_varying(table, model_member(result, a));
    model_drop_varying(table, model_member(result, b));
    same = json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

/* Accepts a second file of the same shard, from a task that ran again, if both have the same
 * results. Returns false after an error message otherwise. */
static bool take_again(const struct shard_record *first, const struct shard_record *again)
{
    char name[32];

    if (!has_same_result(first, again))
        return error_report("%s and %s are both %s, but differ: give only one of them", first->path,
                            again->path, name_of(first, name));
    printf("%s: another copy of %s, with the same results as %s\n", again->path,
           name_of(first, name), first->path);
    return true;
}

/* Sets by_number[I - 1] to the file of shard I. Returns false after an error message for each file
 * that does not fit. */
static bool sort_shards(const struct shard_record *files, size_t count,
                        const struct shard_record **by_number)
{
    const struct field *const shared[] = {MEMBER_OF(shard_table, struct shard_record, command),
                                          MEMBER_OF(shard_table, struct shard_record, shards),
                                          MEMBER_OF(shard_table, struct shard_record, options),
                                          MEMBER_OF(shard_table, struct shard_record, engines)};
    bool good = true;

    for (size_t f = 0; f < count; f++) {
        const struct shard_record **place = &by_number[files[f].shard - 1];
        bool fits = true;
        for (size_t k = 0; fits && k < sizeof shared / sizeof *shared; k++)
            fits = is_same(&files[0], &files[f], shared[k]);
        if (fits && *place != NULL)
            fits = take_again(*place, &files[f]);
        else if (fits)
            *place = &files[f];
        good = good && fits;
    }
    for (uint64_t k = 0; good && k < files[0].shards; k++)
        if (by_number[k] == NULL) {
            const struct shard_record missing = {.shard = k + 1, .shards = files[0].shards};
            char name[32];
            error_report("%s is missing", name_of(&missing, name));
            by_number[0] = NULL;
        }
    return good && by_number[0] != NULL;
}

/* ---- The options of the shards ---- */

/* Parses the options of a shard again. The caller owns words[], which must stay valid while the
 * result is used. Returns null after an error message. */
static const struct selection *read_again(const struct shard_record *file,
                                          shard_options_reader *read, void *context,
                                          const char **words)
{
    const char *const *given = file->options.items;
    size_t count = file->options.count;
    const struct selection *selection;

    for (size_t k = 0; k < count; k++)
        words[k] = given[k];
    selection = read(context, file->command, count, (char **)(void *)words);
    if (selection == NULL)
        error_report("%s: the options in the shard are not options of '%s'", file->path,
                     file->command);
    return selection;
}

/* ---- Merging ---- */

/* Merges shards that belong together. Returns the exit status. */
static int merge_all(const struct session *session, shard_options_reader *read, void *context,
                     const struct shard_record *const *files)
{
    struct memory memory = {NULL};
    struct shard_results shards = {
        .session = session, .files = files, .count = files[0]->shards, .memory = &memory};
    json_t *merged = NULL;
    int status = EXIT_USAGE;

    shards.selection =
        read_again(files[0], read, context,
                   memory_take(&memory, (files[0]->options.count + 1) * sizeof(const char *)));
    if (shards.selection != NULL)
        status = kind_of(files[0]->command)->merge(&shards, &merged);
    if (merged != NULL && !session_save(session, merged))
        status = EXIT_ENVIRONMENT;
    memory_free(&memory);
    return status;
}

int merge_shards(const char *const *paths, size_t count, shard_options_reader *read, void *context,
                 const struct session *session)
{
    struct memory memory = {NULL};
    struct shard_record *files = memory_take(&memory, count * sizeof *files);
    const struct shard_record **by_number =
        memory_take(&memory, MAX_SHARDS * sizeof(const struct shard_record *));
    json_t *documents = json_array();
    int status = EXIT_USAGE;
    bool good = true;

    for (size_t f = 0; f < count; f++)
        good = read_shard(paths[f], &files[f], documents, &memory) && good;
    if (good && sort_shards(files, count, by_number))
        status = merge_all(session, read, context, by_number);
    json_decref(documents);
    memory_free(&memory);
    return status;
}
