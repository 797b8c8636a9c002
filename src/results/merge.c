/* SPDX-License-Identifier: MIT
 *
 * `merge`: the results of all shards of a piece of work as one, as if it had not been in shards.
 */
#include "merge.h"

#include "complain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *command;
    int (*merge)(const struct shard_results *shards, json_t **merged);
} kinds[] = {{"run", merge_run}, {"races", merge_races}, {"toolchain", merge_toolchain}};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* A file, as far as it is known to be good. */
struct shard_file {
    const char *path;
    json_t *document;
    struct shard shard;
    size_t kind;
};

const char *merge_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

uint64_t merge_count(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

bool merge_is_of_words(const json_t *array)
{
    const json_t *word;
    size_t k;

    json_array_foreach(array, k, word)
    {
        if (!json_is_string(word))
            return false;
    }
    return json_is_array(array);
}

/* ---- A file by itself ---- */

/* Has it the members of a shard, of a command that there is? */
static bool is_shard(struct shard_file *file)
{
    const json_t *document = file->document;

    file->shard.number = merge_count(document, "shard");
    file->shard.count = merge_count(document, "shards");
    for (file->kind = 0; file->kind < KINDS; file->kind++)
        if (strcmp(kinds[file->kind].command, merge_text(document, "command")) == 0)
            break;
    return file->kind < KINDS && file->shard.number >= 1 &&
           file->shard.number <= file->shard.count && file->shard.count <= MOST_SHARDS &&
           json_is_string(json_object_get(document, "build")) &&
           merge_is_of_words(json_object_get(document, "options")) &&
           json_is_object(json_object_get(document, "engines")) &&
           (json_is_object(json_object_get(document, "result")) ||
            json_is_array(json_object_get(document, "result")));
}

/* Did it come to its end, by itself? */
static bool has_ended(const struct shard_file *file)
{
    const json_t *status = json_object_get(file->document, "status");
    char name[32];

    shards_name(&file->shard, name);
    if (!json_is_integer(status))
        return complain("%s: %s was killed, or runs still: run it again", file->path, name);
    if (json_integer_value(status) != EXIT_CONFORMS && json_integer_value(status) != EXIT_DIFFERS &&
        json_integer_value(status) != EXIT_UNAVAILABLE)
        return complain("%s: %s ended with status %" JSON_INTEGER_FORMAT
                        ", before all was done: run it again",
                        file->path, name, json_integer_value(status));
    return true;
}

static bool read_shard(const char *path, struct shard_file *file)
{
    json_error_t error;

    file->path = path;
    file->document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (file->document == NULL && error.line > 0)
        return complain("%s:%d:%d: this is no whole shard: %s", path, error.line, error.column,
                        error.text);
    if (file->document == NULL)
        return complain("%s", error.text);
    if (!json_is_integer(json_object_get(file->document, "simtcheck_shard")))
        return complain("%s: it is no shard: run, races or toolchain with --shard I/N --json FILE "
                        "write one",
                        path);
    if (merge_count(file->document, "simtcheck_shard") != SHARD_VERSION)
        return complain("%s: its version is %" PRIu64 ", and this program knows %d", path,
                        merge_count(file->document, "simtcheck_shard"), SHARD_VERSION);
    if (!is_shard(file))
        return complain("%s: it is not as a shard is written: it was changed, or is of another "
                        "program",
                        path);
    if (strcmp(merge_text(file->document, "build"), build_identity) != 0)
        return complain("%s: it is of build %s, and this program of %s: merge it with its own",
                        path, merge_text(file->document, "build"), build_identity);
    return has_ended(file);
}

/* ---- Files with each other ---- */

/* Is that member the same in both? Else a sentence that has both. */
static bool is_same(const struct shard_file *one, const struct shard_file *other, const char *name)
{
    const json_t *a = json_object_get(one->document, name),
                 *b = json_object_get(other->document, name);
    char *before, *after;

    if (json_equal(a, b))
        return true;
    before = json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT);
    after = json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT);
    complain("%s and %s are of different work: %s %s and %s", one->path, other->path, name,
             before != NULL ? before : "", after != NULL ? after : "");
    free(before);
    free(after);
    return false;
}

/* What differs from one run of the same to the next. */
static void drop_times(json_t *value)
{
    const char *name;
    json_t *member;
    size_t k;

    json_object_del(value, "seconds");
    json_object_del(value, "workers_lost");
    json_object_foreach(value, name, member) drop_times(member);
    json_array_foreach(value, k, member) drop_times(member);
}

static bool has_same_result(const struct shard_file *one, const struct shard_file *other)
{
    json_t *a = json_deep_copy(one->document), *b = json_deep_copy(other->document);
    bool same;

    drop_times(a);
    drop_times(b);
    same = json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

/* A shard may be there twice, of a task that was run again, where both say the same. */
static bool take_again(const struct shard_file *first, const struct shard_file *again)
{
    char name[32];

    shards_name(&first->shard, name);
    if (!has_same_result(first, again))
        return complain("%s and %s are both %s, and differ: give one of them", first->path,
                        again->path, name);
    printf("%s: %s once more, with the same results as %s\n", again->path, name, first->path);
    return true;
}

/* by_number[I - 1] becomes the file of shard I. False after a sentence on each that does not fit.
 */
static bool sort_shards(const struct shard_file *files, size_t count,
                        const struct shard_file **by_number)
{
    static const char *const shared[] = {"command", "shards", "options", "engines"};
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
            complain("%s is missing", name);
            by_number[0] = NULL;
        }
    return good && by_number[0] != NULL;
}

/* ---- The options that the shards were given ---- */

/* Reads them again; words[] is the caller's, and lasts as long as the work is used. */
static bool read_again(const struct shard_file *file, shard_options_reader *read,
                       const char **words, struct shard_work *work)
{
    const json_t *given = json_object_get(file->document, "options");
    size_t count = json_array_size(given);

    for (size_t k = 0; k < count; k++)
        words[k] = json_string_value(json_array_get(given, k));
    return read(kinds[file->kind].command, count, (char **)(void *)words, work) ||
           complain("%s: its options are none of %s", file->path, kinds[file->kind].command);
}

/* ---- All ---- */

/* Is the whole complete, by that shard? False after a sentence where it does not say whether it is
 * itself. Rows of races need not, for each is whole. */
static bool take_complete(const struct shard_file *file, struct shard_results *shards)
{
    const json_t *result = json_object_get(file->document, "result"),
                 *complete = json_object_get(result, "complete");

    if (json_is_object(result) && !json_is_boolean(complete))
        return complain("%s: its complete is no boolean: it was changed, or is of another program",
                        file->path);
    shards->complete = shards->complete && !json_is_false(complete);
    return true;
}

/* Of the shards that go together; returns the exit status. */
static int merge_all(struct session *session, shard_options_reader *read,
                     const struct shard_file *const *by_number)
{
    size_t count = by_number[0]->shard.count;
    json_t **results = calloc(count, sizeof *results), *merged = NULL;
    const char **paths = calloc(count, sizeof *paths);
    int *statuses = calloc(count, sizeof *statuses), status = EXIT_USAGE;
    const char **words = calloc(
        json_array_size(json_object_get(by_number[0]->document, "options")) + 1, sizeof *words);
    struct shard_work ran;
    struct shard_results shards = {&ran, session->catalogue, results, paths, statuses, count, true};
    bool enough = results != NULL && paths != NULL && statuses != NULL && words != NULL,
         good = true;

    for (size_t k = 0; enough && k < count; k++) {
        results[k] = json_object_get(by_number[k]->document, "result");
        paths[k] = by_number[k]->path;
        statuses[k] = (int)merge_count(by_number[k]->document, "status");
        good = take_complete(by_number[k], &shards) && good;
    }
    if (!enough) {
        complain("out of memory");
        status = EXIT_ENVIRONMENT;
    } else if (good && read_again(by_number[0], read, words, &ran)) {
        status = kinds[by_number[0]->kind].merge(&shards, &merged);
    }
    if (merged != NULL && !session_save(session, merged))
        status = EXIT_ENVIRONMENT;
    free(words);
    free(results);
    free(paths);
    free(statuses);
    return status;
}

int merge_shards(const char *const *paths, size_t count, shard_options_reader *read,
                 struct session *session)
{
    struct shard_file *files = calloc(count, sizeof *files);
    const struct shard_file **by_number = calloc(MOST_SHARDS, sizeof(const struct shard_file *));
    int status = EXIT_USAGE;
    bool good = files != NULL && by_number != NULL;

    if (!good)
        status = EXIT_ENVIRONMENT;
    for (size_t f = 0; files != NULL && f < count; f++)
        good = read_shard(paths[f], &files[f]) && good;
    if (good && sort_shards(files, count, by_number))
        status = merge_all(session, read, by_number);
    for (size_t f = 0; files != NULL && f < count; f++)
        json_decref(files[f].document);
    free(files);
    free(by_number);
    return status;
}
