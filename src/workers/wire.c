/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include "outcome_tables.h"

#include <inttypes.h>
#include <string.h>

const char *const request_names[] = {
    [REQUEST_RUN] = "run",   [REQUEST_DIGEST] = "digest",   [REQUEST_COUNT] = "count",
    [REQUEST_RACE] = "race", [REQUEST_COMPARE] = "compare", [REQUEST_EXPLAIN] = "explain",
};
_Static_assert(sizeof request_names / sizeof *request_names == REQUESTS, "a name for each");

/* ---- Cases ---- */

static const struct field case_fields[] = {
    FIELD("block", COUNTS32, struct test_case, shape.block),
    FIELD("size", COUNTS64, struct test_case, shape.size),
    FIELD("surplus", COUNT, struct test_case, shape.surplus),
    FIELD("depth", COUNT, struct test_case, shape.depth),
    FIELD("pattern", COUNT, struct test_case, values.pattern),
    FIELD("parameter", COUNT, struct test_case, values.parameter),
    FIELD("model", WORD, struct test_case, model, .words = &model_words),
    FIELD("schedule", COUNT, struct test_case, schedule.kind),
    FIELD("seed", COUNT, struct test_case, schedule.seed),
    FIELD("delays", COUNTS32, struct test_case, schedule.delays),
    FIELD("profile", COUNT, struct test_case, profile),
    FIELD("further", COUNTS64, struct test_case, shape.further),
    FIELD("default_limits", BOOL, struct test_case, default_limits),
};
static const struct table case_table = TABLE("case", case_fields, struct test_case);

/* The kind of variant, the members, and the variant's identifier. */
void wire_write_case(FILE *stream, const struct test_case *test)
{
    fprintf(stream, "%d", (int)test->variant->kind);
    field_wire_write(stream, &case_table, test);
    fprintf(stream, "\t%s\n", test->variant->id);
}

bool wire_read_case(char *fields, const struct catalogue *catalogue, struct test_case *test)
{
    const char *kind = strsep(&fields, "\t");
    bool total = kind != NULL && strcmp(kind, "1") == 0;

    memset(test, 0, sizeof *test);
    if (kind == NULL || (!total && strcmp(kind, "0") != 0) ||
        !field_wire_read(&fields, &case_table, test) || fields == NULL ||
        (int)test->values.pattern >= VALUE_PATTERNS || test->schedule.kind > SCHEDULE_EXECUTION ||
        test->profile > PROFILE_CDP1 || test->shape.surplus > 1)
        return false;
    test->variant = catalogue_find(catalogue, fields, total ? VARIANT_CORRECTED : VARIANT_ORIGINAL);
    return test->variant != NULL && variant_takes(test->variant, &test->shape);
}

/* ---- What comes of them ---- */

void wire_write_outcome(FILE *stream, size_t index, const struct outcome *outcome)
{
    fprintf(stream, "case\t%zu", index);
    field_wire_write(stream, &outcome_table, outcome);
    fputc('\n', stream);
}

bool wire_read_outcome(char *fields, struct outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    if (!field_wire_read(&fields, &outcome_table, outcome))
        return false;
    if (outcome->kind == OUTCOME_FAULT)
        fault_render(&outcome->fault);
    return true;
}

void wire_write_race(FILE *stream, const struct race *race)
{
    fputs("race", stream);
    field_wire_write(stream, &race_table, race);
    fputc('\n', stream);
}

bool wire_read_race(char *fields, struct race *race)
{
    memset(race, 0, sizeof *race);
    if (!field_wire_read(&fields, &race_table, race))
        return false;
    race_render(race);
    return true;
}

void wire_write_difference(FILE *stream, const struct difference *difference)
{
    fputs("difference", stream);
    field_wire_write(stream, &difference_table, difference);
    fputc('\n', stream);
}

bool wire_read_difference(char *fields, struct difference *difference)
{
    memset(difference, 0, sizeof *difference);
    return field_wire_read(&fields, &difference_table, difference);
}

/* ---- Coverage ---- */

void wire_write_point(FILE *stream, uint32_t kernel, size_t number,
                      const struct source_point *point)
{
    fprintf(stream, "point\t%" PRIu32 "\t%zu\t", kernel, number);
    point_write(stream, point);
    fputc('\n', stream);
}

bool wire_read_point(char *fields, uint32_t *kernel, size_t *number, struct source_point *point)
{
    int length = 0;

    return sscanf(fields, "%" SCNu32 "\t%zu\t%n", kernel, number, &length) == 2 && length > 0 &&
           point_read(fields + length, point);
}

void wire_write_reached(FILE *stream, const struct reached *reached)
{
    fprintf(stream, "reached\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\n", reached->index,
            reached->kernel, reached->first, reached->count);
}

bool wire_read_reached(const char *fields, struct reached *reached)
{
    return sscanf(fields, "%" SCNu32 "\t%" SCNu32 "\t%" SCNu32 "\t%" SCNu32, &reached->index,
                  &reached->kernel, &reached->first, &reached->count) == 4;
}

/* ---- Counters ---- */

static const struct field interval_fields[] = {
    {.type = FIELD_COUNTS64, .size = sizeof(struct interval_counters)}};
static const struct table interval_table =
    TABLE("interval", interval_fields, struct interval_counters);

static const struct field counters_fields[] = {
    FIELD("child_grids", COUNT, struct engine_counters, children),
    FIELD("child_threads", COUNT, struct engine_counters, child_threads),
    FIELD(NULL, MEMBERS, struct engine_counters, all, .table = &interval_table),
};
static const struct table counters_table =
    TABLE("counters", counters_fields, struct engine_counters);

void wire_write_counters(FILE *stream, const struct engine_counters *counters)
{
    fputs("counters", stream);
    field_wire_write(stream, &counters_table, counters);
    for (uint64_t i = 0; i < counters->interval_count; i++) {
        fputs("\ninterval", stream);
        field_wire_write(stream, &interval_table, &counters->intervals[i]);
    }
    fputc('\n', stream);
}

bool wire_read_counters(bool of_interval, char *fields, struct engine_counters *counters)
{
    if (of_interval)
        return counters->interval_count < MAX_INTERVALS &&
               field_wire_read(&fields, &interval_table,
                               &counters->intervals[counters->interval_count++]);
    counters->interval_count = 0;
    return field_wire_read(&fields, &counters_table, counters);
}
