/* SPDX-License-Identifier: MIT */
#include "option.h"

#include "build.h"
#include "case_id.h"
#include "checks.h"
#include "engines.h"
#include "error_report.h"
#include "near_name.h"
#include "plan.h"
#include "reader.h"
#include "selection.h"
#include "shard.h"
#include "source_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plain values ---- */

static bool parse_number(void *value, const struct option_row *row, const char *word)
{
    uint64_t *number = value;
    char *end;

    errno = 0;
    *number = strtoull(word, &end, 10);
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || *number < row->least ||
        *number > row->most)
        return error_report("--%s '%s' is not a whole number from %" PRIu64 " to %" PRIu64,
                            row->name, word, row->least, row->most);
    return true;
}

static bool parse_flag(void *value, const struct option_row *row, const char *word)
{
    (void)row;
    (void)word;
    *(bool *)value = true;
    return true;
}

static bool parse_text(void *value, const struct option_row *row, const char *word)
{
    (void)row;
    *(const char **)value = word;
    return true;
}

/* Writes the choices as "run, races or determinism". */
static void list_choices(const char *const *choices, char *text, size_t size)
{
    size_t used = 0;

    for (size_t k = 0; choices[k] != NULL && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 k == 0                   ? ""
                                 : choices[k + 1] == NULL ? " or "
                                                          : ", ",
                                 choices[k]);
}

const char *const *option_words(const struct option_row *row)
{
    return row->list_choices != NULL ? row->list_choices() : row->choices;
}

static bool parse_choices(void *value, const struct option_row *row, const char *word)
{
    const char *const *choices = option_words(row);
    char text[256] = "";

    for (size_t k = 0; choices[k] != NULL; k++) {
        if (strcmp(word, choices[k]) != 0)
            continue;
        *(unsigned int *)value |= 1u << k;
        return true;
    }
    list_choices(choices, text, sizeof text);
    return error_report("--%s '%s' is not one of %s", row->name, word, text);
}

static bool parse_time(void *value, const struct option_row *row, const char *word,
                       const char *unit, double least, double most)
{
    char *end;
    double time = strtod(word, &end);

    if (word[strspn(word, "0123456789.")] != '\0' || end == word || *end != '\0' ||
        !(time >= least && time <= most))
        return error_report("--%s '%s' is not a time in %s from %g to %g", row->name, word, unit,
                            least, most);
    *(double *)value = time;
    return true;
}

static bool parse_seconds(void *value, const struct option_row *row, const char *word)
{
    return parse_time(value, row, word, "seconds", 0.1, 86400);
}

static bool parse_minutes(void *value, const struct option_row *row, const char *word)
{
    return parse_time(value, row, word, "minutes", 0.01, 1440);
}

const struct option_type option_number = {.parse = parse_number};
const struct option_type option_flag = {.parse = parse_flag, .is_repeatable = true};
const struct option_type option_text = {.parse = parse_text, .values = "FILE"};
const struct option_type option_choices = {.parse = parse_choices, .is_repeatable = true};
const struct option_type option_seconds = {.parse = parse_seconds};
const struct option_type option_minutes = {.parse = parse_minutes};

/* ---- Engines ---- */

#define ENGINE_NAMES "sim cuda"

bool option_find_engine(const char *option, const char *word, const struct engine_kind **kind)
{
    *kind = engine_kind_find(word);
    return *kind != NULL ||
           error_report("%s '%s' is not an engine: choose %s", option, word, engine_kind_names());
}

static bool parse_engine(void *value, const struct option_row *row, const char *word)
{
    char option[32];

    snprintf(option, sizeof option, "--%s", row->name);
    return option_find_engine(option, word, value);
}

static bool parse_engines(void *value, const struct option_row *row, const char *word)
{
    const struct engine_kind *kind;

    if (!parse_engine(&kind, row, word))
        return false;
    engine_list_add(value, kind->id);
    return true;
}

const struct option_type option_engine = {.parse = parse_engine, .values = ENGINE_NAMES};
const struct option_type option_engines = {
    .parse = parse_engines, .is_repeatable = true, .values = ENGINE_NAMES};

/* ---- Selection ---- */

static bool parse_kernel(void *value, const struct option_row *row, const char *word)
{
    struct selection *selection = value;

    if (selection->glob_count == MAX_GLOBS)
        return error_report("more than %d --%s options: give fewer", MAX_GLOBS, row->name);
    selection->globs[selection->glob_count++] = word;
    return true;
}

static bool parse_variant(void *value, const struct option_row *row, const char *word)
{
    bool *kinds = ((struct selection *)value)->kinds;
    enum variant_kind kind;

    kinds[VARIANT_ORIGINAL] = kinds[VARIANT_CORRECTED] = strcmp(word, "all") == 0;
    if (kinds[VARIANT_ORIGINAL])
        return true;
    if (!variant_kind_parse(word, &kind))
        return error_report("--%s '%s' is not a variant: original, corrected or all", row->name,
                            word);
    kinds[kind] = true;
    return true;
}

static bool parse_model(void *value, const struct option_row *row, const char *word)
{
    bool *models = ((struct plan_request *)value)->models;
    enum model model;

    for (int m = 0; m < MODELS; m++)
        models[m] = strcmp(word, "both") == 0;
    if (models[0])
        return true;
    if (!model_parse(word, &model))
        return error_report("--%s '%s' is not a model: lockstep, independent or both", row->name,
                            word);
    models[model] = true;
    return true;
}

static bool parse_schedule(void *value, const struct option_row *row, const char *word)
{
    struct plan_request *cases = value;
    struct schedule schedule;

    if (!schedule_parse(word, &schedule))
        return error_report(
            "--%s '%s' is not a schedule: sequential, reverse, random-SEED, delay-N, weak-SEED "
            "or execution-N",
            row->name, word);
    if (cases->schedule_count == MAX_SCHEDULES)
        return error_report("more than %d --%s options: give fewer", MAX_SCHEDULES, row->name);
    cases->schedules[cases->schedule_count++] = schedule;
    cases->schedules_chosen = true;
    return true;
}

static bool parse_profile(void *value, const struct option_row *row, const char *word)
{
    struct plan_request *cases = value;

    cases->profile_chosen = true;
    return profile_parse(word, &cases->profile) ||
           error_report("--%s '%s' is not a profile: cdp1 or cdp2", row->name, word);
}

static bool parse_shard(void *value, const struct option_row *row, const char *word)
{
    return shard_parse(word, value) ||
           error_report("--%s '%s' is not a shard: write I/N, such as 2/8 for the second of 8 "
                        "parts; N is at most %d",
                        row->name, word, MAX_SHARDS);
}

const struct option_type option_kernels = {.parse = parse_kernel, .is_repeatable = true};
const struct option_type option_variants = {.parse = parse_variant,
                                            .values = "original corrected all"};
const struct option_type option_models = {.parse = parse_model,
                                          .values = "lockstep independent both"};
const struct option_type option_schedules = {
    .parse = parse_schedule,
    .is_repeatable = true,
    .values = "sequential reverse random- delay- weak- execution-"};
const struct option_type option_profile = {.parse = parse_profile, .values = "cdp1 cdp2"};
const struct option_type option_shard = {.parse = parse_shard};

/* ---- Blocks and sizes ---- */

/* The maximum count of numbers, in one list and in total. */
enum { MAX_LIST = 1 << 20 };

/* The largest B of a kernel that launches half as many threads. */
enum { LARGEST_BLOCK = 2 * SIMT_BLOCK_THREADS };

/* Calls `add` for each item of a comma-separated list. A range A-B is one item for each of its
 * numbers. Returns false after an error message. */
static bool parse_list(const char *list, uint64_t limit,
                       bool (*add)(struct plan_request *, const char *item),
                       struct plan_request *cases)
{
    char *copy = strdup(list), *rest = copy, *item;
    bool good = copy != NULL && *copy != '\0';

    while (good && (item = strsep(&rest, ",")) != NULL) {
        uint64_t low[MAX_DIMENSIONS], high[MAX_DIMENSIONS];
        char *dash = strchr(item, '-'), word[WORD_SIZE];
        if (dash == NULL) {
            good = add(cases, item);
            continue;
        }
        *dash = '\0';
        good = dimensions_parse(item, 1, limit, low) != 0 &&
               dimensions_parse(dash + 1, 1, limit, high) != 0 && low[0] <= high[0] &&
               high[0] - low[0] < MAX_LIST;
        for (; good && low[0] <= high[0]; low[0]++) {
            snprintf(word, sizeof word, "%" PRIu64, low[0]);
            good = add(cases, word);
        }
    }
    free(copy);
    return good;
}

/* Returns the list with room for one more item. It grows at powers of two. Returns null when memory
 * runs out. */
static void *with_room(const void *list, size_t count, size_t size)
{
    void *own = (void *)(uintptr_t)list; /* a plan does not change it, and the options own it */

    return (count & (count - 1)) != 0 ? own : realloc(own, (count == 0 ? 1 : 2 * count) * size);
}

static bool add_block(struct plan_request *cases, const char *item)
{
    uint64_t numbers[MAX_DIMENSIONS], threads;
    struct extent *blocks;

    if (dimensions_parse(item, 3, LARGEST_BLOCK, numbers) == 0)
        return false;
    threads = numbers[0] * numbers[1] * numbers[2];
    if (threads < 1 || (threads > SIMT_BLOCK_THREADS && threads != numbers[0]) ||
        numbers[2] > SIMT_BLOCK_THREADS_Z || cases->block_count == MAX_LIST)
        return false;
    blocks = with_room(cases->blocks, cases->block_count, sizeof *blocks);
    if (blocks == NULL)
        return false;
    blocks[cases->block_count++] =
        (struct extent){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    cases->blocks = blocks;
    return true;
}

static bool append_size(struct plan_request *cases, const struct shape *size)
{
    struct shape *sizes;

    if (cases->size_count == MAX_LIST)
        return false;
    sizes = with_room(cases->sizes, cases->size_count, sizeof *sizes);
    if (sizes == NULL)
        return false;
    sizes[cases->size_count++] = *size;
    cases->sizes = sizes;
    return true;
}

static bool add_size(struct plan_request *cases, const char *item)
{
    struct shape size = {.block = {1, 1, 1}};

    return cases->size_names.count == 0 && size_parse(item, &size) && append_size(cases, &size);
}

/* The values of one named size. */
struct named_values {
    char name[32];
    struct plan_request values; /* its sizes, of one dimension each */
};

/* Combines every value of each name with every value of the others. */
static bool combine(struct plan_request *cases, const struct named_values *named, size_t count)
{
    size_t index[MAX_SIZES] = {0}, k;

    do {
        struct shape size = {.block = {1, 1, 1}};
        uint64_t values[MAX_SIZES];
        for (k = 0; k < count; k++)
            values[k] = named[k].values.sizes[index[k]].size[0];
        if (!size_set(&size, values, count) || !append_size(cases, &size))
            return false;
        for (k = 0; k < count && ++index[k] == named[k].values.size_count; k++)
            index[k] = 0;
    } while (k < count);
    return true;
}

/* Returns the index of that name among the known ones, which it may join. Returns MAX_SIZES if
 * there are too many, or if other names were given before. */
static size_t place_of(const struct plan_request *cases, struct named_values *named, size_t *count,
                       const char *name)
{
    size_t k = 0;

    while (k < *count && strcmp(named[k].name, name) != 0)
        k++;
    if (k == *count && k < MAX_SIZES && reader_name_length(name) == strlen(name) &&
        strlen(name) < sizeof named->name && name[0] != '\0' && strcmp(name, "B") != 0 &&
        (cases->size_names.count == 0 ||
         (k < cases->size_names.count && strcmp(cases->size_names.name[k], name) == 0)))
        strcpy(named[(*count)++].name, name);
    return k < *count ? k : MAX_SIZES;
}

/* Reads "rows=1-33,1000,cols=32": values without a name belong to the name before them. */
static bool add_named_sizes(struct plan_request *cases, const char *list)
{
    struct named_values named[MAX_SIZES] = {{.name = ""}};
    char *copy = strdup(list), *rest = copy, *item;
    size_t count = 0, k = MAX_SIZES;
    bool good = copy != NULL && (cases->size_names.count > 0 || cases->size_count == 0);

    while (good && (item = strsep(&rest, ",")) != NULL) {
        char *value = strchr(item, '=');
        if (value != NULL) {
            *value++ = '\0';
            k = place_of(cases, named, &count, item);
        }
        good = k < MAX_SIZES &&
               parse_list(value != NULL ? value : item, SIZE_LIMIT, add_size, &named[k].values);
    }
    good = good && (cases->size_names.count == 0 || cases->size_names.count == count) &&
           combine(cases, named, count);
    cases->size_names.count = (uint32_t)count;
    for (k = 0; k < count; k++) {
        strcpy(cases->size_names.name[k], named[k].name);
        free((void *)(uintptr_t)named[k].values.sizes);
    }
    free(copy);
    return good;
}

static bool parse_blocks(void *value, const struct option_row *row, const char *word)
{
    return parse_list(word, LARGEST_BLOCK, add_block, value) ||
           error_report(
               "--%s '%s' is not a list of blocks of 1 to 1024 threads: write 1-64,256 or 32x16",
               row->name, word);
}

static bool parse_sizes(void *value, const struct option_row *row, const char *word)
{
    if (strncmp(word, "B=", 2) == 0 || strstr(word, ",B=") != NULL)
        return error_report(
            "--%s '%s': B is the number of threads of a block: give its values with "
            "--block, and the size another name",
            row->name, word);
    if (strchr(word, '=') != NULL)
        return add_named_sizes(value, word) ||
               error_report(
                   "--%s '%s' is not a list of at most %d sizes with at most %d names, the "
                   "same in each --%s: write rows=1-33,1000,cols=32",
                   row->name, word, MAX_LIST, MAX_SIZES, row->name);
    return parse_list(word, SIZE_LIMIT, add_size, value) ||
           error_report("--%s '%s' is not a list of at most %d sizes from 0 to %" PRIu64
                        ": write 0-33,1000; or 100x33 (columns x rows); or rows=1-33,cols=32; or, "
                        "for nested kernels, 4x8d2 (4 blocks, size 8, maxDepth 2)",
                        row->name, word, MAX_LIST, SIZE_LIMIT);
}

static void release_blocks(void *value)
{
    free((void *)(uintptr_t)((struct plan_request *)value)->blocks);
}

static void release_sizes(void *value)
{
    free((void *)(uintptr_t)((struct plan_request *)value)->sizes);
}

const struct option_type option_blocks = {parse_blocks, true, release_blocks, NULL};
const struct option_type option_sizes = {parse_sizes, true, release_sizes, NULL};

/* ---- Compilers ---- */

static bool parse_compilers(void *value, const struct option_row *row, const char *word)
{
    struct compiler_list *list = value;

    if (list->count == MAX_COMPILERS)
        return error_report("more than %d --%s options: give fewer", MAX_COMPILERS, row->name);
    list->paths[list->count++] = word;
    return true;
}

static bool parse_architecture(void *value, const struct option_row *row, const char *word)
{
    *(const char **)value = word;
    return strncmp(word, "sm_", 3) == 0 ||
           error_report("--%s '%s' is not an architecture: write it as sm_90", row->name, word);
}

const struct option_type option_compilers = {
    .parse = parse_compilers, .is_repeatable = true, .values = "FILE"};
const struct option_type option_architecture = {.parse = parse_architecture};

/* ---- Allowances ---- */

static bool parse_tolerance(void *value, const struct option_row *row, const char *word)
{
    uint64_t *ulps = value;
    int length = -1;

    return (sscanf(word, "ulp:%" SCNu64 "%n", ulps, &length) == 1 && length > 0 &&
            word[length] == '\0' && word[4] != '-' && *ulps > 0 && *ulps <= UINT32_MAX) ||
           error_report(
               "--%s '%s' is not a tolerance: write ulp:4 for 4 units in the last place, or "
               "leave the option out for none",
               row->name, word);
}

/* Parses a word such as "instructions:5%", where `lead` is "instructions:". */
static bool parse_per_cent(const char *word, const char *lead, uint64_t *per_cent)
{
    size_t length = strlen(lead);
    int more = -1;

    return strncmp(word, lead, length) == 0 && word[length] >= '0' && word[length] <= '9' &&
           sscanf(word + length, "%" SCNu64 "%n", per_cent, &more) == 1 && more > 0 &&
           strcmp(word + length + more, "%") == 0 && *per_cent <= 1000000;
}

/* Parses "order:list" or "prints:my.cu:12". */
static bool parse_place(const char *word, struct allowance_list *list)
{
    struct allowance added = {.place = ""};
    size_t length = strcspn(word, ":"), what = 0;
    char shown[sizeof added.place];

    while (what < ALLOWANCES && (strlen(allowed_words[what]) != length ||
                                 strncmp(word, allowed_words[what], length) != 0))
        what++;
    word += length;
    if (word[0] == ':' && word[1] == '/') { /* places are compared as messages show them */
        source_path_shorten(word + 1, shown, sizeof shown);
        word = shown;
    } else if (*word++ != ':')
        return false;
    if (what == ALLOWANCES || list->count == MAX_ALLOWED ||
        snprintf(added.place, sizeof added.place, "%s", word) >= (int)sizeof added.place ||
        added.place[0] == '\0' ||
        ((what == ALLOWED_WARP_BARRIERS || what == ALLOWED_PRINTS) &&
         strchr(added.place, ':') == NULL))
        return false;
    added.what = (enum allowed)what;
    list->all[list->count++] = added;
    return true;
}

static bool parse_allowance(void *value, const struct option_row *row, const char *word)
{
    struct allowances *allowances = value;
    char kind[NEAR_NAME];
    struct near_name near = {.word = kind, .edits = 0};

    if (row->choices != NULL)
        return parse_choices(&allowances->everywhere, row, word);
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(word, ":"), word);
    for (size_t k = 0; k < ALLOWANCES; k++)
        near_name_offer(&near, allowed_words[k]);
    near_name_offer(&near, "instructions");
    near_name_offer(&near, "transactions");
    return parse_place(word, &allowances->places) ||
           parse_per_cent(word, "instructions:", &allowances->instructions) ||
           parse_per_cent(word, "transactions:", &allowances->transactions) ||
           error_report("--%s '%s' must name an array or a line: order:ARRAY, same-value:ARRAY, "
                        "same-value:FILE:LINE, warp-barriers:FILE:LINE or prints:FILE:LINE, at "
                        "most %d; for gate also instructions:5%% or transactions:5%%%s",
                        row->name, word, MAX_ALLOWED, near.edits > 0 ? near.text : "");
}

const struct option_type option_tolerance = {.parse = parse_tolerance};
const struct option_type option_allowances = {
    .parse = parse_allowance,
    .is_repeatable = true,
    .values = "same-value: order: warp-barriers: prints: instructions: transactions:"};
