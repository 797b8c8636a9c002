/* SPDX-License-Identifier: MIT
 *
 * Merges shards of `compilers`. A family comes from the shard that found it first, so that its data
 * are consistent. Pairs with the same code are the smallest over all shards.
 */
#include "compilers_wing.h"

#include "compilers.h"
#include "compilers_report.h"
#include "error_report.h"
#include "record_compilers.h"
#include "shrink_program.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A family or a pair of a shard. */
struct found {
    struct family_record family;
    struct list rows;       /* of a pair: list of struct twins_record */
    uint64_t when;          /* position in the work of all shards */
    size_t order;           /* order among those of one position, which are in one shard */
    struct program program; /* of a pair: the first of the two */
};

struct merging {
    const struct shard_results *shards;
    struct compilers_record whole;
    struct list families, pairs; /* of struct found */
};

static struct found *add(struct merging *merging, struct list *all, uint64_t when)
{
    struct found *found = list_add(merging->shards->memory, all, sizeof *found);

    found->when = when;
    found->order = all->count - 1;
    return found;
}

static void extend(struct memory *memory, struct list *to, const struct list *from,
                   size_t item_size)
{
    for (size_t k = 0; k < from->count; k++)
        memcpy(list_add(memory, to, item_size), (const char *)from->items + k * item_size,
               item_size);
}

/* ---- Counts ---- */

/* Adds a shard's stage to the sum of the shards before. */
static void add_stage(struct memory *memory, struct stage_record *to,
                      const struct stage_record *from)
{
    to->programs += from->programs;
    to->wrong += from->wrong;
    to->same_code_pairs += from->same_code_pairs;
    to->kernels += from->kernels;
    if (to->skipped[0] == '\0')
        to->skipped = from->skipped;
    if (to->kernels_skipped[0] == '\0')
        to->kernels_skipped = from->kernels_skipped;
    extend(memory, &to->kernels_wrong, &from->kernels_wrong, sizeof(struct wrong_kernel_record));
}

static bool add_stages(struct merging *merging, const struct list *from)
{
    struct stage_record *to = merging->whole.stages.items;
    const struct stage_record *stages = from->items;

    for (size_t s = 0; s < from->count; s++)
        if (from->count != merging->whole.stages.count || strcmp(to[s].stage, stages[s].stage) != 0)
            return error_report(
                "the shards belong to different runs: only some have the stage '%s'",
                stages[s].stage);
    for (size_t s = 0; s < from->count; s++)
        add_stage(merging->shards->memory, &to[s], &stages[s]);
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

/* Returns the program with another number: "family2: input_b32 0; ...". */
static const char *renamed(struct memory *memory, const char *program, size_t number)
{
    const char *text = strchr(program, ':');

    return memory_text(memory, "family%zu%s", number, text != NULL ? text : "");
}

static void sort(struct list *all, int (*compare)(const void *a, const void *b))
{
    if (all->count > 0)
        qsort(all->items, all->count, sizeof(struct found), compare);
}

static void merge_families(struct merging *merging)
{
    struct memory *memory = merging->shards->memory;
    struct list *families = &merging->whole.families;
    const struct found *found;

    sort(&merging->families, compare_when);
    found = merging->families.items;
    for (size_t f = 0; f < merging->families.count; f++) {
        struct family_record *known = families->items;
        size_t k = 0;
        while (k < families->count && strcmp(known[k].shape, found[f].family.shape) != 0)
            k++;
        if (k < families->count) {
            known[k].members += found[f].family.members;
        } else if (k < MAX_FAMILIES) {
            known = list_add(memory, families, sizeof *known);
            *known = found[f].family;
            known->program = renamed(memory, known->program, k + 1);
        }
    }
}

/* ---- Pairs with the same code ---- */

/* Reads the first program of a pair, which determines the order of pairs. Returns false after an
 * error message. */
static bool read_pair(struct found *found)
{
    const struct twins_record *first = found->rows.items;
    char reason[256], *text = NULL;
    bool good;

    if (asprintf(&text, "p: %s", first->one) < 0)
        return error_report("out of memory");
    good = program_read(text, &found->program, reason, sizeof reason) ||
           error_report("a shard's program '%s': %s", text, reason);
    free(text);
    return good;
}

/* Orders pairs by size, and pairs of the same size by when they were found. */
static int compare_pairs(const void *a, const void *b)
{
    const struct found *one = a, *other = b;

    return program_is_simpler(&one->program, &other->program)   ? -1
           : program_is_simpler(&other->program, &one->program) ? 1
                                                                : compare_when(a, b);
}

static bool is_same_pair(const struct twins_record *one, const struct twins_record *other)
{
    return strcmp(one->one, other->one) == 0 && strcmp(one->other, other->other) == 0;
}

/* Adds the rows of `from` for assemblers that `to` lacks. */
static void add_rows(struct memory *memory, struct list *to, const struct list *from)
{
    const struct twins_record *rows = from->items;

    for (size_t r = 0; r < from->count; r++) {
        const struct twins_record *known = to->items;
        bool found = false;
        for (size_t k = 0; k < to->count; k++)
            found = found || (is_same_pair(&known[k], &rows[r]) &&
                              strcmp(known[k].ptxas, rows[r].ptxas) == 0);
        if (!found)
            LIST_ADD(memory, to, struct twins_record) = rows[r];
    }
}

/* Returns how many pairs more than one shard has. */
static uint64_t merge_pairs(struct merging *merging)
{
    struct memory *memory = merging->shards->memory;
    struct list pairs = list_take(memory, 0, sizeof(struct list)); /* list of rows */
    const struct found *found;
    uint64_t twice = 0;

    sort(&merging->pairs, compare_pairs);
    found = merging->pairs.items;
    for (size_t f = 0; f < merging->pairs.count; f++) {
        struct list *known = pairs.items;
        size_t k = 0;
        while (k < pairs.count && !is_same_pair(known[k].items, found[f].rows.items))
            k++;
        twice += k < pairs.count;
        if (k == pairs.count && k < MAX_TWINS) {
            known = list_add(memory, &pairs, sizeof *known);
            *known = list_take(memory, 0, sizeof(struct twins_record));
            extend(memory, known, &found[f].rows, sizeof(struct twins_record));
        } else if (k < pairs.count) {
            add_rows(memory, &known[k], &found[f].rows);
        }
    }
    for (size_t k = 0; k < pairs.count; k++)
        extend(memory, &merging->whole.same_code, (struct list *)pairs.items + k,
               sizeof(struct twins_record));
    return twice;
}

/* ---- The whole ---- */

static bool add_found(struct merging *merging, const struct compilers_record *part)
{
    const struct compilers_origin *origin = part->origin;
    const struct family_record *families = part->families.items;
    const struct pair_record *pairs;

    if (origin == NULL || origin->families.count != part->families.count)
        return error_report("a shard has no origin for each of its families");
    for (size_t k = 0; k < part->families.count; k++)
        add(merging, &merging->families, ((const uint64_t *)origin->families.items)[k])->family =
            families[k];
    pairs = origin->pairs.items;
    for (size_t k = 0; k < origin->pairs.count; k++) {
        struct found *found = add(merging, &merging->pairs, pairs[k].when);
        found->rows = pairs[k].rows;
        if (!read_pair(found))
            return false;
    }
    return true;
}

_Static_assert(offsetof(struct compilers_request, selection) == 0, "it begins with the selection");

/* Checks that the shard tried all of its programs. Returns false after an error message. */
static bool is_whole(const struct shard_results *shards, size_t k, uint64_t programs)
{
    const struct compilers_request *request =
        (const struct compilers_request *)(const void *)shards->selection;
    struct shard shard = {k + 1, shards->count};
    uint64_t drawn = compilers_drawn(request->count, &shard);
    bool idioms = compilers_has_idioms(request->no_idioms, &shard);
    char name[32];

    if (programs >= drawn && (programs == drawn) != idioms)
        return true;
    shards_name(&shard, name);
    return error_report("%s has %" PRIu64 " programs, but %" PRIu64
                        " random programs are planned, %s the idioms",
                        name, programs, drawn, idioms ? "in addition to" : "without");
}

/* Starts with the first shard's stages. Those of other shards are added to them. */
static void begin(struct merging *merging, const struct compilers_record *first)
{
    struct memory *memory = merging->shards->memory;
    struct compilers_record *whole = &merging->whole;
    struct stage_record *stages;

    *whole = (struct compilers_record){
        .seed = first->seed,
        .stages = list_take(memory, first->stages.count, sizeof *stages),
        .has_complete = true,
        .complete = true,
    };
    stages = whole->stages.items;
    for (size_t s = 0; s < whole->stages.count; s++)
        stages[s] =
            (struct stage_record){.stage = ((struct stage_record *)first->stages.items)[s].stage,
                                  .skipped = "",
                                  .kernels_skipped = ""};
}

static bool add_shard(struct merging *merging, size_t k)
{
    struct memory *memory = merging->shards->memory;
    struct compilers_record *whole = &merging->whole, *part = memory_take(memory, sizeof *part);

    if (!merge_read(merging->shards, k, &compilers_table, part) ||
        !is_whole(merging->shards, k, part->programs))
        return false;
    if (!part->has_complete)
        return error_report("%s: invalid shard: result: complete is missing",
                            merging->shards->files[k]->path);
    if (k == 0)
        begin(merging, part);
    whole->programs += part->programs;
    whole->same_code_pairs += part->same_code_pairs;
    whole->complete = whole->complete && part->complete;
    extend(memory, &whole->unsteady, &part->unsteady, sizeof(const char *));
    if (part->code != NULL)
        whole->code = part->code;
    return add_stages(merging, &part->stages) && add_found(merging, part);
}

static int verdict(const struct compilers_record *whole)
{
    const struct stage_record *stages = whole->stages.items;
    bool wrong = whole->same_code_pairs > 0 || whole->unsteady.count > 0, missing = false;

    for (size_t s = 0; s < whole->stages.count; s++) {
        wrong = wrong || stages[s].wrong > 0 || stages[s].kernels_wrong.count > 0;
        missing = missing || stages[s].skipped[0] != '\0' || stages[s].kernels_skipped[0] != '\0';
    }
    return wrong ? EXIT_DIFFERS : missing ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}

static void print(const struct compilers_record *whole)
{
    const struct stage_record *stages = whole->stages.items;
    const struct family_record *families = whole->families.items;

    printf("%-30s %9s %9s %9s\n", "stage", "programs", "wrong", "same code");
    for (size_t k = 0; k < whole->stages.count; k++)
        printf("%-30s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "%s%s\n", stages[k].stage,
               stages[k].programs, stages[k].wrong, stages[k].same_code_pairs,
               stages[k].skipped[0] != '\0' ? "  " : "", stages[k].skipped);
    for (size_t k = 0; k < whole->families.count; k++)
        printf("\n%s: %" PRIu64 " programs; cause: %s\n    %s\n", families[k].shape,
               families[k].members, families[k].cause, families[k].program);
    printf("\ncompilers: %" PRIu64 " programs: %zu families, %" PRIu64
           " pairs with the same code\n",
           whole->programs, whole->families.count, whole->same_code_pairs);
}

int merge_compilers(const struct shard_results *shards, json_t **merged)
{
    struct merging merging = {.shards = shards};

    for (size_t k = 0; k < shards->count; k++)
        if (!add_shard(&merging, k))
            return EXIT_USAGE;
    merge_families(&merging);
    merging.whole.same_code_pairs -= merge_pairs(&merging);
    print(&merging.whole);
    *merged = model_json(&compilers_table, &merging.whole);
    return verdict(&merging.whole);
}
