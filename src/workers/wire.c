/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const request_names[] = {
    [REQUEST_RUN] = "run",
    [REQUEST_DIGEST] = "digest",
    [REQUEST_COUNT] = "count",
    [REQUEST_RACE] = "race",
};
_Static_assert(sizeof request_names / sizeof *request_names == REQUESTS, "a name for each");

/* The next fields: whole numbers, then texts, which stay where they are. */
static bool read_numbers(char **fields, int count, unsigned long long numbers[])
{
    for (int i = 0; i < count; i++) {
        const char *field = strsep(fields, "\t");
        char *end;
        if (field == NULL)
            return false;
        numbers[i] = strtoull(field, &end, 10);
        if (end == field || *end != '\0')
            return false;
    }
    return true;
}

static bool read_texts(char **fields, int count, const char *texts[])
{
    for (int i = 0; i < count; i++)
        if ((texts[i] = strsep(fields, "\t")) == NULL)
            return false;
    return true;
}

/* A text may be what a kernel has printed. */
static void write_text(FILE *stream, const char *text)
{
    fputc('\t', stream);
    for (; *text != '\0'; text++)
        fputc(*text >= 0 && *text < ' ' ? ' ' : *text > '~' || *text < 0 ? '?' : *text, stream);
}

void wire_write_case(FILE *stream, const struct test_case *test)
{
    const struct extent *block = &test->shape.block;

    fprintf(stream, "%d\t%u\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%d\t%" PRIu64 "\t%d\t%d\t%" PRIu64,
            (int)test->variant->form, block->x, block->y, block->z, test->shape.size[0],
            test->shape.size[1], (int)test->values.pattern, test->values.parameter,
            (int)test->model, (int)test->schedule.kind, test->schedule.seed);
    for (int d = 0; d < MAX_DELAYS; d++)
        fprintf(stream, "\t%" PRIu32, test->schedule.delays[d]);
    fprintf(stream, "\t%d\t%" PRIu32 "\t%" PRIu32 "\t%s\n", (int)test->profile,
            test->shape.surplus, test->shape.depth, test->variant->id);
}

bool wire_read_case(char *fields, const struct catalogue *catalogue, struct test_case *test)
{
    enum { DELAYS = 11, PROFILE = DELAYS + MAX_DELAYS, SURPLUS, DEPTH, NUMBERS };
    unsigned long long number[NUMBERS];
    const char *id;

    if (!read_numbers(&fields, NUMBERS, number) || !read_texts(&fields, 1, &id) ||
        number[0] > FORM_TOTAL || number[6] >= VALUE_PATTERNS || number[8] >= MODELS ||
        number[9] > SCHEDULE_DELAYS || number[PROFILE] > PROFILE_CDP1 || number[SURPLUS] > 1 ||
        number[DEPTH] > UINT32_MAX)
        return false;
    *test = (struct test_case){
        .variant = catalogue_find(catalogue, id, (enum form)number[0]),
        .shape = {{(uint32_t)number[1], (uint32_t)number[2], (uint32_t)number[3]},
                  {number[4], number[5]},
                  (uint32_t)number[SURPLUS],
                  (uint32_t)number[DEPTH]},
        .values = {(enum value_pattern)number[6], number[7]},
        .model = (enum model)number[8],
        .schedule = {.kind = (enum schedule_kind)number[9], .seed = number[10]},
        .profile = (enum profile)number[PROFILE],
    };
    for (int d = 0; d < MAX_DELAYS; d++)
        test->schedule.delays[d] = (uint32_t)number[DELAYS + d];
    return test->variant != NULL && variant_takes(test->variant, &test->shape);
}

void wire_write_outcome(FILE *stream, size_t index, const struct outcome *outcome)
{
    const struct fault *fault = &outcome->fault;
    fprintf(stream,
            "case\t%zu\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
            "\t%" PRIu64 "\t%" PRIu64 "\t%d\t%u\t%u\t%u\t%u\t%u\t%u\t%d",
            index, (int)outcome->kind, outcome->digest, outcome->points, outcome->races,
            outcome->unordered, outcome->checked, outcome->unclaimed, outcome->same_value,
            (int)fault->kind, fault->block.x, fault->block.y, fault->block.z, fault->thread.x,
            fault->thread.y, fault->thread.z, fault->line);
    write_text(stream, fault->file);
    write_text(stream, outcome->difference.place);
    write_text(stream, outcome->difference.expected);
    write_text(stream, outcome->difference.got);
    write_text(stream, fault->text);
    fputc('\n', stream);
}

bool wire_read_outcome(char *fields, struct outcome *outcome)
{
    enum { NUMBERS = 16, FAULT = 8, TEXTS = 5 };
    struct fault *fault = &outcome->fault;
    unsigned long long number[NUMBERS];
    const char *text[TEXTS];

    memset(outcome, 0, sizeof *outcome);
    if (!read_numbers(&fields, NUMBERS, number) || !read_texts(&fields, TEXTS, text))
        return false;
    if (number[0] > OUTCOME_FAULT || number[FAULT] >= FAULT_KINDS)
        return false;
    outcome->kind = (enum outcome_kind)number[0];
    outcome->digest = number[1];
    outcome->points = number[2];
    outcome->races = number[3];
    outcome->unordered = number[4];
    outcome->checked = number[5];
    outcome->unclaimed = number[6];
    outcome->same_value = number[7];
    fault->kind = (enum fault_kind)number[FAULT];
    fault->block = (struct extent){(uint32_t)number[FAULT + 1], (uint32_t)number[FAULT + 2],
                                   (uint32_t)number[FAULT + 3]};
    fault->thread = (struct extent){(uint32_t)number[FAULT + 4], (uint32_t)number[FAULT + 5],
                                    (uint32_t)number[FAULT + 6]};
    fault->line = (int)number[FAULT + 7];
    snprintf(fault->file, sizeof fault->file, "%s", text[0]);
    snprintf(outcome->difference.place, sizeof outcome->difference.place, "%s", text[1]);
    snprintf(outcome->difference.expected, sizeof outcome->difference.expected, "%s", text[2]);
    snprintf(outcome->difference.got, sizeof outcome->difference.got, "%s", text[3]);
    snprintf(fault->text, sizeof fault->text, "%s", text[4]);
    return true;
}

enum { INTERVAL_NUMBERS = sizeof(struct interval_counters) / sizeof(uint64_t) };

static void write_interval(FILE *stream, const struct interval_counters *interval)
{
    const uint64_t *numbers = (const uint64_t *)interval;

    for (size_t k = 0; k < INTERVAL_NUMBERS; k++)
        fprintf(stream, "\t%" PRIu64, numbers[k]);
    fputc('\n', stream);
}

static bool read_interval(char **fields, struct interval_counters *interval)
{
    unsigned long long numbers[INTERVAL_NUMBERS];
    uint64_t *to = (uint64_t *)interval;

    if (!read_numbers(fields, INTERVAL_NUMBERS, numbers))
        return false;
    for (size_t k = 0; k < INTERVAL_NUMBERS; k++)
        to[k] = numbers[k];
    return true;
}

void wire_write_counters(FILE *stream, const struct engine_counters *counters)
{
    fprintf(stream, "counters\t%" PRIu64 "\t%" PRIu64, counters->children, counters->child_threads);
    write_interval(stream, &counters->all);
    for (uint64_t i = 0; i < counters->interval_count; i++) {
        fputs("interval", stream);
        write_interval(stream, &counters->intervals[i]);
    }
}

bool wire_read_counters(bool of_interval, char *fields, struct engine_counters *counters)
{
    unsigned long long numbers[2];

    if (of_interval)
        return counters->interval_count < MAX_INTERVALS &&
               read_interval(&fields, &counters->intervals[counters->interval_count++]);
    if (!read_numbers(&fields, 2, numbers) || !read_interval(&fields, &counters->all))
        return false;
    counters->children = numbers[0];
    counters->child_threads = numbers[1];
    counters->interval_count = 0;
    return true;
}

static void write_side(FILE *stream, const struct race_side *side)
{
    fprintf(stream,
            "\t%" PRIu64 "\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%d\t%d\t%" PRIu32 "\t%d\t%" PRIu32
            "\t%d\t%s\t%s\t%s\t%s",
            side->grid, side->block.x, side->block.y, side->block.z, side->thread.x, side->thread.y,
            side->thread.z, side->number, side->access, side->line, side->before_known,
            side->before, side->after_known, side->after, side->ptx_line, side->kernel, side->scope,
            side->file, side->outer);
}

static bool read_side(char **fields, struct race_side *side)
{
    enum { NUMBERS = 15, TEXTS = 4 };
    unsigned long long number[NUMBERS];
    const char *text[TEXTS];

    if (!read_numbers(fields, NUMBERS, number) || !read_texts(fields, TEXTS, text))
        return false;
    *side = (struct race_side){
        .grid = number[0],
        .block = {(uint32_t)number[1], (uint32_t)number[2], (uint32_t)number[3]},
        .thread = {(uint32_t)number[4], (uint32_t)number[5], (uint32_t)number[6]},
        .number = (uint32_t)number[7],
        .access = (unsigned int)number[8],
        .line = (int)number[9],
        .before_known = number[10] != 0,
        .before = (uint32_t)number[11],
        .after_known = number[12] != 0,
        .after = (uint32_t)number[13],
        .ptx_line = (int)number[14],
    };
    snprintf(side->kernel, sizeof side->kernel, "%s", text[0]);
    snprintf(side->scope, sizeof side->scope, "%s", text[1]);
    snprintf(side->file, sizeof side->file, "%s", text[2]);
    snprintf(side->outer, sizeof side->outer, "%s", text[3]);
    return true;
}

void wire_write_race(FILE *stream, const struct race *race)
{
    fprintf(stream, "race\t%" PRIu64 "\t%d\t%d\t%s\t%s", race->count, race->strong,
            race->same_value, race->place, race->missing);
    write_side(stream, &race->first);
    write_side(stream, &race->second);
    fputc('\n', stream);
}

bool wire_read_race(char *fields, struct race *race)
{
    unsigned long long number[3];
    const char *text[2];

    memset(race, 0, sizeof *race);
    if (!read_numbers(&fields, 3, number) || !read_texts(&fields, 2, text))
        return false;
    race->count = number[0];
    race->strong = number[1] != 0;
    race->same_value = number[2] != 0;
    snprintf(race->place, sizeof race->place, "%s", text[0]);
    snprintf(race->missing, sizeof race->missing, "%s", text[1]);
    return read_side(&fields, &race->first) && read_side(&fields, &race->second);
}
