/* SPDX-License-Identifier: MIT
 *
 * Shards of `toolchain`, made one. A family is that of the shard which came to it first, for so it
 * is in one piece; pairs of one code are the smallest of all.
 */
#include "merge.h"

#include "complain.h"
#include "shrink_program.h"
#include "toolchain_report.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A family, or a pair, of a shard. */
struct found {
    json_t *value;          /* the family; the pair's rows */
    uint64_t when;          /* in the work of all shards */
    size_t order;           /* among those of one time, which are of one shard */
    struct program program; /* of a pair: the first of the two */
};

struct all_found {
    struct found *found;
    size_t count;
};

static struct found *add(struct all_found *all, json_t *value, uint64_t when)
{
    struct found *found = realloc(all->found, (all->count + 1) * sizeof *found);

    if (found == NULL) {
        complain("out of memory");
        return NULL;
    }
    all->found = found;
    found[all->count] = (struct found){.value = value, .when = when, .order = all->count};
    return &found[all->count++];
}

/* ---- Counts ---- */

static void add_member(json_t *to, const json_t *from, const char *name)
{
    json_object_set_new(
        to, name, json_integer((json_int_t)(merge_count(to, name) + merge_count(from, name))));
}

/* Adds a shard's stage to that of the shards before. */
static void add_stage(json_t *to, const json_t *from)
{
    static const char *const counts[] = {"programs", "wrong", "same_code_pairs", "kernels"},
                             *const reasons[] = {"unavailable", "kernels_unavailable"};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        add_member(to, from, counts[k]);
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
        if (merge_text(to, reasons[k])[0] == '\0')
            json_object_set(to, reasons[k], json_object_get(from, reasons[k]));
    json_array_extend(json_object_get(to, "kernels_wrong"), json_object_get(from, "kernels_wrong"));
}

static bool add_stages(json_t *to, const json_t *from)
{
    size_t count = json_array_size(from);

    for (size_t s = 0; s < count; s++)
        if (strcmp(merge_text(json_array_get(to, s), "stage"),
                   merge_text(json_array_get(from, s), "stage")) != 0 ||
            count != json_array_size(to))
            return complain("shards are of different work: one has the stage '%s', and another not",
                            merge_text(json_array_get(from, s), "stage"));
    for (size_t s = 0; s < count; s++)
        add_stage(json_array_get(to, s), json_array_get(from, s));
    return true;
}

/* ---- Families ---- */

static int compare_when(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    if (one->when != other->when)
        return one->when < other->when ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

/* "family2: input_b32 0; ...", with another number. */
static void rename_family(json_t *family, size_t number)
{
    const char *text = strchr(merge_text(family, "program"), ':');

    json_object_set_new(family, "program",
                        json_sprintf("family%zu%s", number, text != NULL ? text : ""));
}

static json_t *merge_families(struct all_found *all)
{
    json_t *families = json_array(), *family = NULL;
    size_t k;

    if (all->count > 0)
        qsort(all->found, all->count, sizeof *all->found, compare_when);
    for (size_t f = 0; f < all->count; f++) {
        json_array_foreach(families, k, family)
        {
            if (strcmp(merge_text(family, "shape"), merge_text(all->found[f].value, "shape")) == 0)
                break;
        }
        if (k < json_array_size(families)) {
            add_member(family, all->found[f].value, "members");
        } else if (k < MOST_FAMILIES) {
            json_array_append_new(families, json_deep_copy(all->found[f].value));
            rename_family(json_array_get(families, k), k + 1);
        }
    }
    return families;
}

/* ---- Pairs of one code ---- */

/* Reads the first program of a pair, which says where the pair stands. */
static bool read_pair(struct found *found)
{
    char reason[256], *text = NULL;
    bool good;

    if (asprintf(&text, "p: %s", merge_text(json_array_get(found->value, 0), "one")) < 0)
        return complain("out of memory");
    good = program_read(text, &found->program, reason, sizeof reason) ||
           complain("a shard's program '%s': %s", text, reason);
    free(text);
    return good;
}

/* The smallest first, and of those as small what was found first. */
static int compare_pairs(const void *a, const void *b)
{
    const struct found *one = a, *other = b;

    return program_is_simpler(&one->program, &other->program)   ? -1
           : program_is_simpler(&other->program, &one->program) ? 1
                                                                : compare_when(a, b);
}

static bool is_same_pair(const json_t *rows, const json_t *other)
{
    const json_t *one = json_array_get(rows, 0), *two = json_array_get(other, 0);

    return strcmp(merge_text(one, "one"), merge_text(two, "one")) == 0 &&
           strcmp(merge_text(one, "other"), merge_text(two, "other")) == 0;
}

/* Adds the rows of `from` by other assemblers than those of `to`. */
static void add_rows(json_t *to, const json_t *from)
{
    json_t *row, *known;
    size_t r, k;

    json_array_foreach(from, r, row)
    {
        bool found = false;
        json_array_foreach(to, k, known) found = found || json_equal(known, row);
        if (!found)
            json_array_append(to, row);
    }
}

/* *twice: how many pairs more than one shard has. */
static json_t *merge_pairs(struct all_found *all, uint64_t *twice)
{
    json_t *pairs = json_array(), *rows = json_array(), *pair = NULL;
    size_t k;

    if (all->count > 0)
        qsort(all->found, all->count, sizeof *all->found, compare_pairs);
    for (size_t f = 0; f < all->count; f++) {
        json_array_foreach(pairs, k, pair)
        {
            if (is_same_pair(pair, all->found[f].value))
                break;
        }
        *twice += k < json_array_size(pairs);
        if (k < json_array_size(pairs))
            add_rows(pair, all->found[f].value);
        else if (k < MOST_TWINS)
            json_array_append_new(pairs, json_copy(all->found[f].value));
    }
    json_array_foreach(pairs, k, pair) json_array_extend(rows, pair);
    json_decref(pairs);
    return rows;
}

/* ---- The whole ---- */

static bool add_shard(json_t *whole, const json_t *result, struct all_found *families,
                      struct all_found *pairs)
{
    const json_t *origin = json_object_get(result, "origin"), *pair;
    json_t *family;
    size_t k;

    add_member(whole, result, "programs");
    add_member(whole, result, "same_code_pairs");
    json_array_extend(json_object_get(whole, "unsteady"), json_object_get(result, "unsteady"));
    json_array_foreach(json_object_get(result, "families"), k, family)
    {
        const json_t *when = json_array_get(json_object_get(origin, "families"), k);
        if (add(families, family, (uint64_t)json_integer_value(when)) == NULL)
            return false;
    }
    json_array_foreach(json_object_get(origin, "pairs"), k, pair)
    {
        struct found *found = add(pairs, json_object_get(pair, "rows"), merge_count(pair, "when"));
        if (found == NULL || !read_pair(found))
            return false;
    }
    if (json_object_get(result, "code") != NULL)
        json_object_set(whole, "code", json_object_get(result, "code"));
    return true;
}

/* Has each shard tried what it was to try? */
static bool are_whole(const struct shard_results *shards)
{
    for (uint64_t k = 0; k < shards->count; k++) {
        struct shard shard = {k + 1, shards->count};
        uint64_t programs = merge_count(shards->results[k], "programs"),
                 drawn = toolchain_drawn(shards->options->count, &shard);
        bool idioms = toolchain_has_idioms(shards->options->no_idioms, &shard);
        char name[32];
        shards_name(&shard, name);
        if (programs < drawn || (programs == drawn) == idioms)
            return complain("%s: it has %" PRIu64 " programs, and %" PRIu64
                            " were to be drawn in it, %s the idioms",
                            name, programs, drawn, idioms ? "besides" : "without");
    }
    return true;
}

static int verdict(const json_t *whole)
{
    const json_t *stage;
    bool wrong = merge_count(whole, "same_code_pairs") > 0 ||
                 json_array_size(json_object_get(whole, "unsteady")) > 0,
         missing = false;
    size_t s;

    json_array_foreach(json_object_get(whole, "stages"), s, stage)
    {
        wrong = wrong || merge_count(stage, "wrong") > 0 ||
                json_array_size(json_object_get(stage, "kernels_wrong")) > 0;
        missing = missing || merge_text(stage, "unavailable")[0] != '\0' ||
                  merge_text(stage, "kernels_unavailable")[0] != '\0';
    }
    return wrong ? EXIT_DIFFERS : missing ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}

static void print(const json_t *whole)
{
    const json_t *stage, *family;
    size_t k;

    printf("%-30s %9s %9s %9s\n", "stage", "programs", "wrong", "one code");
    json_array_foreach(json_object_get(whole, "stages"), k, stage) printf(
        "%-30s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "%s%s\n", merge_text(stage, "stage"),
        merge_count(stage, "programs"), merge_count(stage, "wrong"),
        merge_count(stage, "same_code_pairs"),
        merge_text(stage, "unavailable")[0] != '\0' ? "  " : "", merge_text(stage, "unavailable"));
    json_array_foreach(json_object_get(whole, "families"), k, family)
        printf("\n%s: %" PRIu64 " programs; to blame: %s\n    %s\n", merge_text(family, "shape"),
               merge_count(family, "members"), merge_text(family, "blamed"),
               merge_text(family, "program"));
    printf("\ntoolchain: %" PRIu64 " programs: %zu families, %" PRIu64 " pairs of one code\n",
           merge_count(whole, "programs"), json_array_size(json_object_get(whole, "families")),
           merge_count(whole, "same_code_pairs"));
}

int merge_toolchain(const struct shard_results *shards, json_t **merged)
{
    const json_t *first = shards->results[0];
    struct all_found families = {NULL, 0}, pairs = {NULL, 0};
    json_t *stages = json_deep_copy(json_object_get(first, "stages")),
           *whole = json_pack("{s:O?, s:i, s:o*, s:[], s:i, s:b}", "seed",
                              json_object_get(first, "seed"), "programs", 0, "stages", stages,
                              "unsteady", "same_code_pairs", 0, "complete", shards->complete);
    uint64_t twice = 0;
    bool good = are_whole(shards);

    for (size_t k = 0; good && k < shards->count; k++)
        good = add_shard(whole, shards->results[k], &families, &pairs) &&
               (k == 0 || add_stages(stages, json_object_get(shards->results[k], "stages")));
    if (good) {
        json_object_set_new(whole, "families", merge_families(&families));
        json_object_set_new(whole, "same_code", merge_pairs(&pairs, &twice));
        json_object_set_new(
            whole, "same_code_pairs",
            json_integer((json_int_t)(merge_count(whole, "same_code_pairs") - twice)));
        print(whole);
        *merged = whole;
    } else {
        json_decref(whole);
    }
    free(families.found);
    free(pairs.found);
    return good ? verdict(*merged) : EXIT_USAGE;
}
