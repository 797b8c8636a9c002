/* SPDX-License-Identifier: MIT */
#include "shards.h"

#include "command.h"
#include "complain.h"
#include "json_model.h"
#include "record_snapshot.h"
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The one shard that this process is, and what was written of it last. */
static struct memory memory;
static struct shard_record record;
static json_t *result_so_far;

bool shards_fit(const struct options *options)
{
    if (options->shard.count == 0)
        return true;
    if (options->json == NULL)
        return complain("--shard needs --json FILE, which merge takes");
    if (options->selection.cases.level == 3)
        return complain("--level 3 runs until it is stopped: a shard takes 1 or 2");
    return options->minutes == 0 ||
           complain("--minutes ends anywhere: give --count N, of which a shard is a part");
}

void shards_name(const struct shard *shard, char name[32])
{
    snprintf(name, 32, "shard %" PRIu64 "/%" PRIu64, shard->number, shard->count);
}

void shards_note_engine(const char *engine, const char *description)
{
    struct named_text *known = record.engines.items;
    size_t k = 0;

    while (k < record.engines.count && strcmp(known[k].name, engine) != 0)
        k++;
    if (k == record.engines.count) {
        known = list_add(&memory, &record.engines, sizeof *known);
        known->name = memory_copy(&memory, engine);
        k = 0;
    }
    known[k].text = description != NULL ? memory_copy(&memory, description) : NULL;
}

void shards_print_end(const struct shard *shard, uint64_t count, const char *pieces)
{
    char name[32];

    shards_name(shard, name);
    if (count == 0)
        printf("%s: none of the %s are in it, so nothing is wrong\n", name, pieces);
    else
        printf("%s: %" PRIu64 " %s; `%s merge` tells the verdicts of all shards\n", name, count,
               pieces, program_invocation_short_name);
}

/* Does the option change nothing of the results? */
static bool is_of_the_place(const char *name)
{
    static const char *const names[] = {"shard", "json", "jobs", "require"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

/* As a command line has them: "--seed=1". */
static struct list option_words(const struct options *options)
{
    struct list words = list_take(&memory, 0, sizeof(const char *));

    for (size_t k = 0; k < options->given_count; k++) {
        const struct given_option *given = &options->given[k];
        if (!is_of_the_place(given->name))
            LIST_ADD(&memory, &words, const char *) =
                memory_text(&memory, "--%s%s%s", given->name, given->value != NULL ? "=" : "",
                            given->value != NULL ? given->value : "");
    }
    return words;
}

json_t *shards_wrap(const struct options *options, json_t *result)
{
    struct list engines = record.engines;

    json_decref(result_so_far);
    result_so_far = result;
    record = (struct shard_record){.version = SHARD_VERSION,
                                   .command = options->command->name,
                                   .shard = options->shard.number,
                                   .shards = options->shard.count,
                                   .build = build_identity,
                                   .options = option_words(options),
                                   .engines = engines,
                                   .result = result};
    return model_json(&shard_table, &record);
}

json_t *shards_end(int status)
{
    json_t *whole = NULL;

    if (result_so_far != NULL) {
        record.has_status = true;
        record.status = (uint64_t)status;
        whole = model_json(&shard_table, &record);
    }
    json_decref(result_so_far);
    result_so_far = NULL;
    record = (struct shard_record){.version = 0};
    memory_free(&memory);
    return whole;
}
