/* SPDX-License-Identifier: MIT */
#include "record_run.h"

static const struct field counterexample_fields[] = {
    FIELD("id", STRING, struct counterexample_record, id),
    FIELD("variant", WORD, struct counterexample_record, kind, .words = &variant_kind_words),
    FIELD("engine", WORD, struct counterexample_record, engine, .words = &engine_words),
    FIELD("model", WORD, struct counterexample_record, model, .words = &model_words),
    FIELD("schedule", STRING, struct counterexample_record, schedule),
    FIELD("block", STRING, struct counterexample_record, block),
    FIELD("size", STRING, struct counterexample_record, size),
    FIELD("values", STRING, struct counterexample_record, values),
    FIELD("case", STRING, struct counterexample_record, case_id),
    FIELD(NULL, MEMBERS, struct counterexample_record, outcome, .table = &outcome_table),
    FIELD("smallest", BOOL, struct counterexample_record, smallest),
};
const struct table counterexample_table =
    TABLE("counterexample", counterexample_fields, struct counterexample_record);

static const struct field boundary_fields[] = {
    FIELD("condition", STRING, struct boundary_record, condition),
    FIELD("may_pass", BOOL, struct boundary_record, may_pass),
    FIELD("cases", COUNT, struct boundary_record, cases),
    FIELD("counterexample", POINTER, struct boundary_record, counterexample,
          .table = &counterexample_table, .flags = FIELD_NULLABLE),
};
const struct table boundary_table = TABLE("boundary", boundary_fields, struct boundary_record);

static const struct field origin_fields[] = {
    FIELD("of", COUNT, struct origin_record, of),
    FIELD("tried", COUNT, struct origin_record, tried),
    FIELD("counterexample", STRING, struct origin_record, counterexample, .flags = FIELD_NULLABLE),
    FIELD("known_defect", STRING, struct origin_record, known_defect, .flags = FIELD_NULLABLE),
    FIELD("refuted", BOOL, struct origin_record, refuted),
    FIELD("untried", COUNT, struct origin_record, untried),
};
static const struct table origin_table = TABLE("origin", origin_fields, struct origin_record);

static const struct field run_row_fields[] = {
    FIELD("id", STRING, struct run_row, id, .compare = COMPARE_KEY),
    FIELD("variant", WORD, struct run_row, kind, .words = &variant_kind_words,
          .compare = COMPARE_KEY),
    FIELD("engine", WORD, struct run_row, engine, .words = &engine_words, .compare = COMPARE_KEY),
    FIELD("cases", COUNT, struct run_row, cases, .compare = COMPARE_CHANGED),
    FIELD("inside", COUNT, struct run_row, inside, .compare = COMPARE_CHANGED,
          .shown = "cases inside the domain"),
    FIELD("mismatches", COUNT, struct run_row, mismatches, .flags = FIELD_STEADY_ONLY,
          .compare = COMPARE_MORE_IS_WORSE, .shown = "wrong cases"),
    FIELD("verdict", WORD, struct run_row, verdict, .words = &verdict_words),
    FIELD("seconds", NUMBER, struct run_row, seconds, .flags = FIELD_VARYING),
    FIELD("note", STRING, struct run_row, note),
    FIELD("domain", STRING, struct run_row, domain),
    FIELD("counterexample", POINTER, struct run_row, counterexample, .table = &counterexample_table,
          .flags = FIELD_NULLABLE),
    FIELD("boundaries", LIST, struct run_row, boundaries, .table = &boundary_table),
    FIELD("found", COUNT, struct run_row, found, .flags = FIELD_STEADY_ONLY,
          .compare = COMPARE_MORE_IS_WORSE, .shown = "wrong cases by the known defect"),
    FIELD("known_defect", STRING, struct run_row, known_defect, .flags = FIELD_NULLABLE,
          .compare = COMPARE_CHANGED, .shown = "claimed known defect"),
    FIELD("known_defect_counterexample", POINTER, struct run_row, known_defect_counterexample,
          .table = &counterexample_table, .flags = FIELD_NULLABLE),
    FIELD("race", POINTER, struct run_row, race, .table = &race_table, .flags = FIELD_NULLABLE),
    FIELD("blocks", COUNT, struct run_row, blocks),
    FIELD("all_blocks", COUNT, struct run_row, all_blocks),
    FIELD("left_out", COUNT, struct run_row, left_out),
    FIELD("map", LIST, struct run_row, map,
          .item = &(const struct field){.type = FIELD_STRING,
                                        .size = sizeof(const char *),
                                        .pattern = "^[0-9]+(-[0-9]+)? [0-9a-f]+$"}),
    FIELD("same_as", STRING, struct run_row, same_as, .flags = FIELD_NULLABLE),
    FIELD("races", SET, struct run_row, races, .words = &model_words),
    FIELD("order", SET, struct run_row, order, .words = &model_words),
    FIELD("origin", POINTER, struct run_row, origin, .table = &origin_table,
          .flags = FIELD_OPTIONAL),
};

static bool run_row_agrees(const void *record, char *why, size_t size)
{
    const struct run_row *row = record;
    bool right = verdict_is_right(row->verdict);

    if ((right || row->verdict == VERDICT_SKIPPED) && row->mismatches > 0)
        snprintf(why, size, "is wrong: %.60s has the verdict %s, and %llu of its cases fail",
                 row->id, verdict_name(row->verdict), (unsigned long long)row->mismatches);
    else if (right && row->cases == 0)
        snprintf(why, size, "is wrong: %.60s has the verdict %s, and no case", row->id,
                 verdict_name(row->verdict));
    else
        return true;
    return false;
}

const struct table run_row_table =
    TABLE("run_row", run_row_fields, struct run_row, .check = run_row_agrees);

static const struct field run_fields[] = {
    FIELD("cases", COUNT, struct run_record, cases, .flags = FIELD_MARK),
    FIELD("mismatches", COUNT, struct run_record, mismatches),
    FIELD("seconds", NUMBER, struct run_record, seconds, .flags = FIELD_VARYING),
    FIELD("workers_lost", COUNT, struct run_record, workers_lost, .flags = FIELD_VARYING),
    FIELD("complete", BOOL, struct run_record, complete),
    FIELD("seed", COUNT, struct run_record, seed),
    FIELD("level", COUNT, struct run_record, level),
    FIELD("results", LIST, struct run_record, results, .table = &run_row_table,
          .flags = FIELD_MARK),
};
const struct table run_table = TABLE("run", run_fields, struct run_record);

/* ---- Races ---- */

static const struct field search_fields[] = {
    FIELD("block", STRING, struct search_record, block),
    FIELD("size", STRING, struct search_record, size),
    FIELD("delays", COUNT, struct search_record, delays),
    FIELD("schedules", COUNT, struct search_record, schedules),
    FIELD("wrong", BOOL, struct search_record, wrong),
    FIELD("outcome", STRING, struct search_record, outcome, .flags = FIELD_OPTIONAL),
    FIELD("case", STRING, struct search_record, case_id, .flags = FIELD_OPTIONAL),
};
static const struct table search_table = TABLE("search", search_fields, struct search_record);

static const struct field race_record_fields[] = {
    FIELD("id", STRING, struct race_record, id, .compare = COMPARE_KEY),
    FIELD("variant", WORD, struct race_record, kind, .words = &variant_kind_words,
          .compare = COMPARE_KEY),
    FIELD("engine", STRING, struct race_record, engine, .flags = FIELD_FROM_PLACE,
          .compare = COMPARE_KEY),
    FIELD("model", WORD, struct race_record, model, .words = &model_words, .flags = FIELD_MARK,
          .compare = COMPARE_KEY),
    FIELD("verdict", WORD, struct race_record, verdict, .words = &race_verdict_words),
    FIELD("expected", WORD, struct race_record, expected, .words = &race_verdict_words),
    FIELD("as_expected", BOOL, struct race_record, as_expected, .compare = COMPARE_CLAIM,
          .shown = "as its descriptor claims"),
    FIELD("cases", COUNT, struct race_record, cases, .compare = COMPARE_CHANGED),
    FIELD("racing", COUNT, struct race_record, racing, .compare = COMPARE_CHANGED,
          .shown = "cases that race"),
    FIELD("unordered", COUNT, struct race_record, unordered),
    FIELD("checked", COUNT, struct race_record, checked),
    FIELD("unexpected", COUNT, struct race_record, unexpected, .compare = COMPARE_MORE_IS_WORSE,
          .shown = "cases with a race that is not claimed"),
    FIELD("faults", COUNT, struct race_record, faults, .compare = COMPARE_MORE_IS_WORSE,
          .shown = "cases that end in a fault"),
    FIELD("pairs", LIST, struct race_record, pairs, .table = &race_table, .flags = FIELD_MARK),
    FIELD("search", POINTER, struct race_record, search, .table = &search_table,
          .flags = FIELD_NULLABLE),
    FIELD("smallest", STRING, struct race_record, smallest, .flags = FIELD_OPTIONAL),
    FIELD("all_rows", COUNT, struct race_record, all_rows, .flags = FIELD_OPTIONAL),
};

static bool race_agrees(const void *record, char *why, size_t size)
{
    const struct race_record *row = record;

    if (row->verdict == RACE_FREE &&
        (row->racing > 0 || row->faults > 0 || (row->search != NULL && row->search->wrong)))
        snprintf(why, size, "is wrong: %.60s has the verdict %s, and a case that is not", row->id,
                 race_verdict_name(RACE_FREE));
    else if (row->as_expected && (row->unexpected > 0 || row->faults > 0))
        snprintf(why, size, "is wrong: %.60s is as claimed, and has a race or a fault that is not",
                 row->id);
    else
        return true;
    return false;
}

const struct table race_record_table =
    TABLE("race_row", race_record_fields, struct race_record, .check = race_agrees);
