/* SPDX-License-Identifier: MIT */
#include "record_run.h"

static const struct field rank_fields[] = {
    MEMBER(COUNT, struct rank_record, threads),
    MEMBER(COUNT, struct rank_record, elements),
    MEMBER(COUNT, struct rank_record, place),
    MEMBER(COUNT, struct rank_record, tried),
};
static const struct table rank_table = TABLE("rank", rank_fields, struct rank_record);

static const struct field counterexample_fields[] = {
    MEMBER(STRING, struct counterexample_record, id),
    FIELD("variant", WORD, struct counterexample_record, kind, WORDS(variant_kind)),
    MEMBER(WORD, struct counterexample_record, engine, WORDS(engine)),
    MEMBER(WORD, struct counterexample_record, model, WORDS(model)),
    MEMBER(STRING, struct counterexample_record, schedule),
    MEMBER(STRING, struct counterexample_record, block),
    MEMBER(STRING, struct counterexample_record, size),
    MEMBER(STRING, struct counterexample_record, values),
    FIELD("case", STRING, struct counterexample_record, case_id),
    FIELD(NULL, MEMBERS, struct counterexample_record, outcome, OF(outcome)),
    MEMBER(BOOL, struct counterexample_record, smallest),
    MEMBER(POINTER, struct counterexample_record, rank, OF(rank), OPTIONAL),
};
const struct table counterexample_table =
    TABLE("counterexample", counterexample_fields, struct counterexample_record);

static const struct field boundary_fields[] = {
    MEMBER(STRING, struct boundary_record, condition),
    MEMBER(BOOL, struct boundary_record, may_pass),
    MEMBER(COUNT, struct boundary_record, cases),
    MEMBER(POINTER, struct boundary_record, counterexample, OF(counterexample), NULLABLE),
};
const struct table boundary_table = TABLE("boundary", boundary_fields, struct boundary_record);

static const struct field origin_fields[] = {
    FIELD("of", COUNT, struct run_row, origin),
    MEMBER(BOOL, struct run_row, refuted),
    MEMBER(COUNT, struct run_row, untried),
    MEMBER(LIST, struct run_row, points, .item = &string_item),
};
static const struct table origin_table = TABLE("origin", origin_fields, struct run_row);

static const struct field reached_fields[] = {
    MEMBER(COUNT, struct reached_record, lines),
    MEMBER(COUNT, struct reached_record, lines_reached),
    MEMBER(COUNT, struct reached_record, branches),
    MEMBER(COUNT, struct reached_record, branches_reached),
    MEMBER(LIST, struct reached_record, not_reached, .item = &string_item),
};
const struct table reached_table = TABLE("reached", reached_fields, struct reached_record);

static const struct field known_deviation_fields[] = {
    MEMBER(STRING, struct known_deviation, link, CHANGED),
    MEMBER(STRING, struct known_deviation, expires),
    MEMBER(STRING, struct known_deviation, reason, NULLABLE),
};
const struct table known_deviation_table =
    TABLE("known_deviation", known_deviation_fields, struct known_deviation);

static const struct field run_row_fields[] = {
    MEMBER(STRING, struct run_row, id, KEY),
    FIELD("variant", WORD, struct run_row, kind, WORDS(variant_kind), KEY),
    MEMBER(WORD, struct run_row, engine, WORDS(engine), KEY),
    MEMBER(COUNT, struct run_row, cases, CHANGED),
    MEMBER(COUNT, struct run_row, inside, SHOWN(CHANGED, "cases inside the domain")),
    MEMBER(COUNT, struct run_row, mismatches, .flags = FIELD_STEADY_ONLY,
           SHOWN(MORE_IS_WORSE, "wrong cases")),
    MEMBER(WORD, struct run_row, verdict, WORDS(verdict)),
    MEMBER(NUMBER, struct run_row, seconds, .flags = FIELD_VARYING),
    MEMBER(STRING, struct run_row, note),
    MEMBER(STRING, struct run_row, domain),
    MEMBER(POINTER, struct run_row, counterexample, OF(counterexample), NULLABLE),
    MEMBER(LIST, struct run_row, boundaries, OF(boundary)),
    MEMBER(COUNT, struct run_row, found, .flags = FIELD_STEADY_ONLY,
           SHOWN(MORE_IS_WORSE, "wrong cases due to the known defect")),
    MEMBER(STRING, struct run_row, known_defect, NULLABLE, SHOWN(CHANGED, "known defect")),
    MEMBER(POINTER, struct run_row, known_defect_counterexample, OF(counterexample), NULLABLE),
    MEMBER(POINTER, struct run_row, race, OF(race), NULLABLE),
    MEMBER(COUNT, struct run_row, blocks),
    MEMBER(COUNT, struct run_row, all_blocks),
    MEMBER(COUNT, struct run_row, left_out),
    MEMBER(LIST, struct run_row, map,
           .item = &(const struct field){.type = FIELD_STRING,
                                         .size = sizeof(const char *),
                                         .pattern = "^[0-9]+(-[0-9]+)? [0-9a-f]+$"}),
    MEMBER(STRING, struct run_row, same_as, NULLABLE),
    MEMBER(SET, struct run_row, races, WORDS(model)),
    MEMBER(SET, struct run_row, order, WORDS(model)),
    GROUP("origin", OF(origin), KNOWN_BY(struct run_row, has_origin)),
    MEMBER(POINTER, struct run_row, reached, OF(reached), OPTIONAL),
    MEMBER(POINTER, struct run_row, known_deviation, OF(known_deviation), OPTIONAL),
    MEMBER(STRING, struct run_row, default_limits, OPTIONAL),
};

static bool run_row_agrees(const void *record, char *why, size_t size)
{
    const struct run_row *row = record;
    bool right = verdict_is_right(row->verdict);

    if ((right || row->verdict == VERDICT_SKIPPED) && row->mismatches > 0)
        snprintf(why, size, "is inconsistent: %.60s has the verdict %s, but %llu of its cases fail",
                 row->id, verdict_name(row->verdict), (unsigned long long)row->mismatches);
    else if (right && row->cases == 0)
        snprintf(why, size, "is inconsistent: %.60s has the verdict %s, but no cases", row->id,
                 verdict_name(row->verdict));
    else if (row->verdict == VERDICT_KNOWN_DEFECT &&
             (row->kind == VARIANT_CORRECTED || row->known_defect == NULL))
        snprintf(why, size, "is inconsistent: %.60s %s has the verdict %s, but declares no defect",
                 row->id, words_name(&variant_kind_words, row->kind), verdict_name(row->verdict));
    else
        return true;
    return false;
}

const struct table run_row_table =
    TABLE("run_row", run_row_fields, struct run_row, .check = run_row_agrees);

static const struct field run_fields[] = {
    MEMBER(COUNT, struct run_record, cases, MARK),
    MEMBER(COUNT, struct run_record, mismatches),
    MEMBER(COUNT, struct run_record, known, OPTIONAL),
    MEMBER(NUMBER, struct run_record, seconds, .flags = FIELD_VARYING),
    MEMBER(COUNT, struct run_record, workers_lost, .flags = FIELD_VARYING),
    MEMBER(BOOL, struct run_record, complete),
    MEMBER(COUNT, struct run_record, seed),
    MEMBER(COUNT, struct run_record, level),
    MEMBER(STRING, struct run_record, build),
    MEMBER(LIST, struct run_record, results, OF(run_row), MARK),
};
const struct table run_table = TABLE("run", run_fields, struct run_record);

/* ---- Races ---- */

static const struct field search_fields[] = {
    MEMBER(STRING, struct race_record, block),
    MEMBER(STRING, struct race_record, size),
    MEMBER(COUNT, struct race_record, delays),
    MEMBER(COUNT, struct race_record, schedules),
    MEMBER(BOOL, struct race_record, wrong),
    MEMBER(STRING, struct race_record, outcome, OPTIONAL),
    FIELD("case", STRING, struct race_record, case_id, OPTIONAL),
};
static const struct table search_table = TABLE("search", search_fields, struct race_record);

static const struct field executions_fields[] = {
    MEMBER(COUNT, struct executions_record, number),
    MEMBER(BOOL, struct executions_record, all),
    MEMBER(COUNT, struct executions_record, random, OPTIONAL),
};
const struct table executions_table =
    TABLE("executions", executions_fields, struct executions_record);

static const struct field repair_change_fields[] = {
    MEMBER(TEXT, struct repair_change, place),
    MEMBER(COUNT, struct repair_change, ptx_line),
    MEMBER(TEXT, struct repair_change, from, OPTIONAL),
    MEMBER(TEXT, struct repair_change, to),
};
static const struct table repair_change_table =
    TABLE("repair_change", repair_change_fields, struct repair_change);

static const struct field repair_fields[] = {
    MEMBER(LIST, struct repair_record, changes, OF(repair_change)),
    MEMBER(OBJECT, struct repair_record, executions, OF(executions)),
    MEMBER(BOOL, struct repair_record, unordered, OPTIONAL),
    MEMBER(STRING, struct repair_record, reason, OPTIONAL),
};
const struct table repair_table = TABLE("repair", repair_fields, struct repair_record);

static const struct field race_record_fields[] = {
    MEMBER(STRING, struct race_record, id, KEY),
    FIELD("variant", WORD, struct race_record, kind, WORDS(variant_kind), KEY),
    MEMBER(STRING, struct race_record, engine, .flags = FIELD_FROM_PLACE, KEY),
    MEMBER(WORD, struct race_record, model, WORDS(model), MARK, KEY),
    MEMBER(WORD, struct race_record, verdict, WORDS(race_verdict)),
    MEMBER(WORD, struct race_record, expected, WORDS(race_verdict)),
    MEMBER(BOOL, struct race_record, as_expected, SHOWN(CLAIM, "as expected")),
    MEMBER(COUNT, struct race_record, cases, CHANGED),
    MEMBER(COUNT, struct race_record, racing, SHOWN(CHANGED, "cases that race")),
    MEMBER(COUNT, struct race_record, unordered),
    MEMBER(COUNT, struct race_record, checked),
    MEMBER(COUNT, struct race_record, unexpected,
           SHOWN(MORE_IS_WORSE, "cases with an unexpected race")),
    MEMBER(COUNT, struct race_record, faults, SHOWN(MORE_IS_WORSE, "cases that end in a fault")),
    MEMBER(LIST, struct race_record, pairs, OF(race), MARK),
    GROUP("search", OF(search), NULL_UNLESS(struct race_record, has_search)),
    MEMBER(POINTER, struct race_record, executions, OF(executions), OPTIONAL),
    MEMBER(STRING, struct race_record, smallest, OPTIONAL),
    MEMBER(COUNT, struct race_record, all_rows, OPTIONAL),
    MEMBER(POINTER, struct race_record, known_deviation, OF(known_deviation), OPTIONAL),
};

/* Returns whether a row with the verdict fails, unless it expects that verdict. */
static bool has_failed(enum race_verdict verdict)
{
    return verdict == RACE || verdict == ORDER_DEPENDENT || verdict == RACE_WRONG ||
           verdict == RACE_FAULT;
}

static bool race_agrees(const void *record, char *why, size_t size)
{
    const struct race_record *row = record;

    if (row->verdict == RACE_FREE && (row->racing > 0 || row->faults > 0 || row->wrong))
        snprintf(why, size,
                 "is inconsistent: %.60s has the verdict %s, but a case with a race, a fault or a "
                 "wrong result",
                 row->id, race_verdict_name(RACE_FREE));
    else if (row->as_expected && (row->unexpected > 0 || row->faults > 0))
        snprintf(why, size,
                 "is inconsistent: %.60s is as expected, but has an unexpected race or a fault",
                 row->id);
    else if (row->verdict != RACE_SKIPPED && row->cases == 0)
        snprintf(why, size, "is inconsistent: %.60s has the verdict %s, but no cases", row->id,
                 race_verdict_name(row->verdict));
    else if (row->as_expected && row->verdict != row->expected && has_failed(row->verdict))
        snprintf(why, size,
                 "is inconsistent: %.60s is as expected, but has the verdict %s instead of %s",
                 row->id, race_verdict_name(row->verdict), race_verdict_name(row->expected));
    else
        return true;
    return false;
}

const struct table race_record_table =
    TABLE("race_row", race_record_fields, struct race_record, .check = race_agrees);
