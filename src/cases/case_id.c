/* SPDX-License-Identifier: MIT */
#include "case_id.h"

#include "error_report.h"
#include "outcome_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char CASE_ID_VERSION[] = "2";

const uint64_t SIZE_LIMIT = UINT64_C(1) << 28;

/* Parses a decimal integer that is the whole word. Returns false on error. */
static bool number_parse(const char *word, uint64_t *number)
{
    char *end;

    if (word[0] < '0' || word[0] > '9')
        return false;
    errno = 0;
    *number = strtoull(word, &end, 10);
    return errno == 0 && *end == '\0';
}

/* Parses the number of "name-NUMBER". Returns false if `word` does not have that
 * name. */
static bool numbered_parse(const char *word, const char *name, uint64_t *number)
{
    size_t length = strlen(name);

    return strncmp(word, name, length) == 0 && word[length] == '-' &&
           number_parse(word + length + 1, number);
}

/* Schedules that are a name and a number. */
static const char *const numbered_schedules[] = {
    [SCHEDULE_RANDOM] = "random", [SCHEDULE_WEAK] = "weak", [SCHEDULE_EXECUTION] = "execution"};

void schedule_format(struct schedule schedule, char word[WORD_SIZE])
{
    int used = 0;

    if (numbered_schedules[schedule.kind] != NULL)
        snprintf(word, WORD_SIZE, "%s-%" PRIu64, numbered_schedules[schedule.kind], schedule.seed);
    else if (schedule.kind == SCHEDULE_DELAYS)
        for (int d = 0; d < MAX_DELAYS && (d == 0 || schedule.delays[d] != 0); d++)
            used += snprintf(word + used, WORD_SIZE - (size_t)used, "%s-%" PRIu32,
                             d == 0 ? "delay" : "", schedule.delays[d]);
    else
        snprintf(word, WORD_SIZE, "%s",
                 schedule.kind == SCHEDULE_REVERSE ? "reverse" : "sequential");
}

/* Parses "delay-17-42": ascending numbers of at least 1. Returns false on error. */
static bool delays_parse(const char *word, struct schedule *schedule)
{
    char copy[WORD_SIZE], *rest = copy, *item;
    uint64_t before = 0, point;

    *schedule = (struct schedule){SCHEDULE_DELAYS, 0, {0}};
    snprintf(copy, sizeof copy, "%s", word);
    strsep(&rest, "-");
    for (int d = 0; d < MAX_DELAYS && (item = strsep(&rest, "-")) != NULL; d++) {
        if (!number_parse(item, &point) || point <= before || point > UINT32_MAX)
            return false;
        schedule->delays[d] = (uint32_t)point;
        before = point;
    }
    return before > 0 && rest == NULL && strlen(word) < WORD_SIZE;
}

bool schedule_parse(const char *word, struct schedule *schedule)
{
    *schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    if (strcmp(word, "sequential") == 0)
        return true;
    if (strcmp(word, "reverse") == 0) {
        schedule->kind = SCHEDULE_REVERSE;
        return true;
    }
    if (strncmp(word, "delay-", 6) == 0)
        return delays_parse(word, schedule);
    for (int kind = SCHEDULE_RANDOM; kind <= SCHEDULE_EXECUTION; kind++) {
        schedule->kind = (enum schedule_kind)kind;
        if (numbered_schedules[kind] != NULL &&
            numbered_parse(word, numbered_schedules[kind], &schedule->seed))
            return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool numbered;
} patterns[] = {
    [VALUES_ZEROS] = {"zeros", false},
    [VALUES_UNIT] = {"unit", true},
    [VALUES_ONES] = {"ones", false},
    [VALUES_MINIMUM] = {"minimum", false},
    [VALUES_MAXIMUM] = {"maximum", false},
    [VALUES_ALTERNATE] = {"alternate", false},
    [VALUES_HASH] = {"hash", true},
    [VALUES_BYTES] = {"bytes", true},
    [VALUES_WHOLE] = {"whole", true},
    [VALUES_SUBNORMAL] = {"subnormal", true},
    [VALUES_MIXED] = {"mixed", true},
    [VALUES_CANCEL] = {"cancel", true},
    [VALUES_LARGE] = {"large", true},
    [VALUES_NEGATIVE_ZERO] = {"negative-zero", false},
    [VALUES_INFINITE] = {"infinite", true},
    [VALUES_OPPOSED] = {"opposed", true},
    [VALUES_NAN] = {"nan", true},
    [VALUES_ABSORBING] = {"absorbing", true},
    [VALUES_FILLED] = {"filled", false},
    [VALUES_HOLE] = {"hole", true},
    [VALUES_ASCENDING] = {"ascending", true},
    [VALUES_DESCENDING] = {"descending", true},
    [VALUES_EDGES] = {"edges", true},
};
_Static_assert(sizeof patterns / sizeof *patterns == VALUE_PATTERNS, "a name for each pattern");

void values_format(struct values values, char word[WORD_SIZE])
{
    if (patterns[values.pattern].numbered)
        snprintf(word, WORD_SIZE, "%s-%" PRIu64, patterns[values.pattern].name, values.parameter);
    else
        snprintf(word, WORD_SIZE, "%s", patterns[values.pattern].name);
}

bool values_parse(const char *word, struct values *values)
{
    for (int p = 0; p < VALUE_PATTERNS; p++) {
        *values = (struct values){(enum value_pattern)p, 0};
        if (patterns[p].numbered ? numbered_parse(word, patterns[p].name, &values->parameter)
                                 : strcmp(word, patterns[p].name) == 0)
            return true;
    }
    return false;
}

/* Returns whether cases of the variant may have such values. */
static bool takes_values(const struct variant *variant, enum value_pattern pattern)
{
    return variant->element == ELEMENT_F32 || pattern < VALUES_WHOLE ||
           (variant->launch != NULL && pattern != VALUES_EDGES &&
            (pattern == VALUES_WHOLE || pattern >= VALUES_FILLED));
}

static const char cdp1_suffix[] = "-cdp1", limits_suffix[] = "-limits";

void model_format(const struct test_case *test, char word[WORD_SIZE])
{
    snprintf(word, WORD_SIZE, "%s%s%s", model_name(test->model),
             test->profile == PROFILE_CDP1 ? cdp1_suffix : "",
             test->default_limits ? limits_suffix : "");
}

/* Cuts the suffix from the word. Returns false if it does not end with it. */
static bool cut_suffix(char *word, const char *suffix)
{
    size_t length = strlen(word), cut = strlen(suffix);

    if (length < cut || strcmp(word + length - cut, suffix) != 0)
        return false;
    word[length - cut] = '\0';
    return true;
}

/* Parses the output of model_format(). Returns false on error. */
static bool model_and_profile_parse(const char *word, struct test_case *test)
{
    char model[WORD_SIZE];

    snprintf(model, sizeof model, "%s", word);
    test->default_limits = cut_suffix(model, limits_suffix);
    test->profile = cut_suffix(model, cdp1_suffix) ? PROFILE_CDP1 : PROFILE_CDP2;
    return model_parse(model, &test->model);
}

bool profile_parse(const char *word, enum profile *profile)
{
    *profile = strcmp(word, "cdp1") == 0 ? PROFILE_CDP1 : PROFILE_CDP2;
    return *profile == PROFILE_CDP1 || strcmp(word, "cdp2") == 0;
}

bool model_parse(const char *word, enum model *model)
{
    unsigned int value = words_value(&model_words, word);

    *model = (enum model)value;
    return value < MODELS;
}

bool variant_kind_parse(const char *word, enum variant_kind *kind)
{
    unsigned int value = words_value(&variant_kind_words, word);

    *kind = (enum variant_kind)value;
    return value < variant_kind_words.count;
}

static const char surplus_suffix[] = "+1";

void block_format(const struct extent *block, char word[WORD_SIZE])
{
    if (block->z > 1)
        snprintf(word, WORD_SIZE, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, block->x, block->y, block->z);
    else if (block->y > 1)
        snprintf(word, WORD_SIZE, "%" PRIu32 "x%" PRIu32, block->x, block->y);
    else
        snprintf(word, WORD_SIZE, "%" PRIu32, block->x);
}

void size_format(const struct shape *shape, char word[WORD_SIZE])
{
    uint32_t count = shape_size_count(shape);
    int used = snprintf(word, WORD_SIZE, "%" PRIu64, shape->size[0]);

    for (uint32_t k = 1; k < count && (k > 1 || count > 2 || shape->size[1] != 1); k++)
        used += snprintf(word + used, WORD_SIZE - (size_t)used, "x%" PRIu64, shape_size(shape, k));
    if (shape->depth > 0)
        used += snprintf(word + used, WORD_SIZE - (size_t)used, "d%" PRIu32, shape->depth);
    if (shape->surplus > 0)
        snprintf(word + used, WORD_SIZE - (size_t)used, "%s", surplus_suffix);
}

size_t dimensions_parse(const char *word, size_t most, uint64_t limit,
                        uint64_t numbers[MAX_DIMENSIONS])
{
    char copy[WORD_SIZE];
    size_t count = 0;
    char *rest = copy;

    if (snprintf(copy, sizeof copy, "%s", word) >= (int)sizeof copy)
        return 0;
    while (rest != NULL) {
        char *next = strchr(rest, 'x');
        if (next != NULL)
            *next++ = '\0';
        if (count == most || !number_parse(rest, &numbers[count]) || numbers[count] > limit)
            return 0;
        count++;
        rest = next;
    }
    for (size_t i = count; i < MAX_DIMENSIONS; i++)
        numbers[i] = 1;
    return count;
}

/* FNV-1a. It detects a damaged or shortened case ID. */
uint32_t case_id_checksum(const char *text, size_t length)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
    return hash;
}

void case_id_format(const struct test_case *test, const struct engine_kind *engine,
                    char case_id[CASE_ID_SIZE])
{
    char schedule[WORD_SIZE], block[WORD_SIZE], size[WORD_SIZE], values[WORD_SIZE],
        model[WORD_SIZE];
    int length;

    model_format(test, model);
    schedule_format(test->schedule, schedule);
    block_format(&test->shape.block, block);
    size_format(&test->shape, size);
    values_format(test->values, values);
    length = snprintf(case_id, CASE_ID_SIZE - 9, "%s:%s:%s:%s:%s:%s:%s:%s:%s", CASE_ID_VERSION,
                      engine->name, test->variant->id, variant_kind_name(test->variant->kind),
                      model, schedule, block, size, values);
    snprintf(case_id + length, CASE_ID_SIZE - (size_t)length, ":%08" PRIx32,
             case_id_checksum(case_id, (size_t)length));
}

enum case_id_part {
    PART_VERSION,
    PART_ENGINE,
    PART_ID,
    PART_VARIANT,
    PART_MODEL,
    PART_SCHEDULE,
    PART_BLOCK,
    PART_SIZE,
    PART_VALUES,
    PART_CHECKSUM,
    CASE_ID_PARTS,
};

bool size_parse(const char *word, struct shape *shape)
{
    char copy[WORD_SIZE], *suffix;
    uint64_t n[MAX_DIMENSIONS], depth = 0;
    size_t count;

    if (snprintf(copy, sizeof copy, "%s", word) >= (int)sizeof copy)
        return false;
    suffix = strchr(copy, 'd');
    if (suffix != NULL) {
        *suffix++ = '\0';
        if (!number_parse(suffix, &depth) || depth > UINT32_MAX)
            return false;
    }
    count = dimensions_parse(copy, MAX_SIZES, SIZE_LIMIT, n);
    if (count == 0 || !size_set(shape, n, count))
        return false;
    shape->depth = (uint32_t)depth;
    return true;
}

bool size_set(struct shape *shape, const uint64_t sizes[MAX_SIZES], size_t count)
{
    uint64_t elements = 1;

    for (size_t k = 0; k < MAX_SIZES; k++) {
        uint64_t size = k < count ? sizes[k] : 1;
        if (size > 0 && elements > SIZE_LIMIT / size)
            return false;
        elements *= size;
        if (k < 2)
            shape->size[k] = size;
        else
            shape->further[k - 2] = k < count ? size + 1 : 0;
    }
    return true;
}

static bool shape_parse(const char *block, const char *size, struct shape *shape)
{
    uint64_t b[MAX_DIMENSIONS];
    char word[WORD_SIZE];

    snprintf(word, sizeof word, "%s", size);
    shape->surplus = cut_suffix(word, surplus_suffix);
    if (dimensions_parse(block, 3, 2 * SIMT_BLOCK_THREADS, b) == 0 || !size_parse(word, shape) ||
        b[2] > SIMT_BLOCK_THREADS_Z || b[0] * b[1] * b[2] < 1)
        return false;
    shape->block = (struct extent){(uint32_t)b[0], (uint32_t)b[1], (uint32_t)b[2]};
    return true;
}

bool case_id_parse(const char *case_id, const struct catalogue *catalogue, struct test_case *test,
                   const struct engine_kind **engine, char *reason, size_t reason_size)
{
    char copy[CASE_ID_SIZE], *fields[CASE_ID_PARTS], *rest = copy;
    const char *last = strrchr(case_id, ':');
    uint32_t sum;
    enum variant_kind kind;
    size_t count = 0;

    if (snprintf(copy, sizeof copy, "%s", case_id) >= (int)sizeof copy || last == NULL ||
        sscanf(last, ":%8" SCNx32, &sum) != 1 || strlen(last) != 9 ||
        sum != case_id_checksum(case_id, (size_t)(last - case_id)))
        return error_write(
            reason, reason_size,
            "case ID '%.80s' is damaged or cut short: copy the whole ID from the report", case_id);
    while (rest != NULL && count < CASE_ID_PARTS)
        fields[count++] = strsep(&rest, ":");
    if (count != CASE_ID_PARTS || rest != NULL ||
        strcmp(fields[PART_VERSION], CASE_ID_VERSION) != 0)
        return error_write(reason, reason_size,
                           "case ID '%.80s' has another version: this program reads version %s",
                           case_id, CASE_ID_VERSION);
    if (!variant_kind_parse(fields[PART_VARIANT], &kind) ||
        (test->variant = catalogue_find(catalogue, fields[PART_ID], kind)) == NULL)
        return error_write(reason, reason_size,
                           "case ID names the kernel '%s', variant '%s', which is unknown: '%s "
                           "list' shows all kernels. A case of `check` runs again with its whole "
                           "command and --case",
                           fields[PART_ID], fields[PART_VARIANT], program_invocation_short_name);
    if (!model_and_profile_parse(fields[PART_MODEL], test) ||
        !schedule_parse(fields[PART_SCHEDULE], &test->schedule) ||
        !shape_parse(fields[PART_BLOCK], fields[PART_SIZE], &test->shape) ||
        !values_parse(fields[PART_VALUES], &test->values))
        return error_write(reason, reason_size,
                           "case ID '%.80s' has a field that this program cannot read", case_id);
    if (test->shape.surplus > 0 && !variant_takes_surplus(test->variant))
        return error_write(reason, reason_size,
                           "case ID launches an extra block of %s, variant '%s', which does not "
                           "support extra blocks",
                           test->variant->id, fields[PART_VARIANT]);
    if (!variant_takes(test->variant, &test->shape))
        return error_write(reason, reason_size,
                           "case ID gives block %s and size %s to %s, which takes %" PRIu32
                           "-dimensional blocks, %" PRIu32
                           "-dimensional sizes and a maxDepth of at most %" PRIu32,
                           fields[PART_BLOCK], fields[PART_SIZE], test->variant->id,
                           test->variant->block_dimensions, test->variant->size_dimensions,
                           variant_deepest(test->variant));
    if (!takes_values(test->variant, test->values.pattern))
        return error_write(
            reason, reason_size,
            "case ID gives the values '%s' to %s: only kernels with float inputs take them",
            fields[PART_VALUES], test->variant->id);
    *engine = engine_kind_find(fields[PART_ENGINE]);
    if (*engine == NULL)
        return error_write(reason, reason_size,
                           "case ID names the engine '%s', which is not one of %s",
                           fields[PART_ENGINE], engine_kind_names());
    return true;
}
