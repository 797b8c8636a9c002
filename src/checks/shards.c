/* SPDX-License-Identifier: MIT */
#include "shards.h"

#include "command.h"
#include "complain.h"
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The one shard that this process is. */
static json_t *engines, *document;

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
    if (engines == NULL)
        engines = json_object();
    json_object_set_new(engines, engine,
                        description != NULL ? json_string(description) : json_null());
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
static json_t *options_json(const struct options *options)
{
    json_t *words = json_array();

    for (size_t k = 0; k < options->given_count; k++) {
        const struct given_option *given = &options->given[k];
        if (!is_of_the_place(given->name))
            json_array_append_new(words, json_sprintf("--%s%s%s", given->name,
                                                      given->value != NULL ? "=" : "",
                                                      given->value != NULL ? given->value : ""));
    }
    return words;
}

json_t *shards_wrap(const struct options *options, json_t *result)
{
    if (engines == NULL)
        engines = json_object();
    json_decref(document);
    document =
        json_pack("{s:i, s:s, s:I, s:I, s:s, s:o, s:O, s:n, s:o}", "simtcheck_shard", SHARD_VERSION,
                  "command", options->command->name, "shard", (json_int_t)options->shard.number,
                  "shards", (json_int_t)options->shard.count, "build", build_identity, "options",
                  options_json(options), "engines", engines, "status", "result", result);
    return json_incref(document);
}

json_t *shards_end(int status)
{
    json_t *whole = document;

    if (document != NULL)
        json_object_set_new(document, "status", json_integer(status));
    json_decref(engines);
    engines = document = NULL;
    return whole;
}
