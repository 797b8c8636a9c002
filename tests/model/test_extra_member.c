/* SPDX-License-Identifier: MIT
 *
 * A member that is added only to struct outcome and to its table must appear everywhere that
 * outcomes go. SIMTCHECK_EXTRA_MEMBER is defined for the sources of this program.
 */
#include "check.h"

#include "difference.h"
#include "json_model.h"
#include "record_snapshot.h"
#include "verdict.h"
#include "wire.h"

TEST(wire_format_carries_the_extra_member)
{
    struct outcome sent = {.kind = OUTCOME_PASS, .extra = 7}, got;
    char *line = NULL, *rest;
    size_t size;
    FILE *to = open_memstream(&line, &size);

    wire_write_outcome(to, 3, &sent);
    fclose(to);
    line[strcspn(line, "\n")] = '\0';
    rest = line + strlen("case\t3\t");
    assert_true(wire_read_outcome(rest, &got));
    assert_int_equal(got.extra, 7);
    free(line);
}

/* Returns a run of one row whose counterexample has the member. The caller drops it. */
static json_t *run_with(uint64_t extra)
{
    struct counterexample_record counterexample = {
        .id = "k",
        .schedule = "sequential",
        .block = "1",
        .size = "1",
        .values = "ones",
        .case_id = "t",
        .outcome = {.kind = OUTCOME_FAULT, .extra = extra}};
    struct run_row row = {.id = "k",
                          .verdict = VERDICT_FAULT,
                          .mismatches = 1,
                          .note = "",
                          .domain = "",
                          .counterexample = &counterexample};
    struct run_record run = {.build = "", .results = {&row, 1}};

    return model_json(&run_table, &run);
}

/* `merge` takes counterexamples as they are read. */
TEST(merge_keeps_the_extra_member)
{
    json_t *json = run_with(7);
    struct memory memory = {NULL};
    struct run_record run;
    const struct run_row *row;
    char why[256] = "";

    assert_true(model_read(&run_table, json, &run, &memory, why, sizeof why));
    row = run.results.items;
    assert_int_equal(row->counterexample->outcome.extra, 7);
    json_decref(json);
    memory_free(&memory);
}

/* Checks the member in the row's counterexample, and in the schema. */
TEST(json_and_schema_include_the_extra_member)
{
    json_t *json = run_with(7), *schema = model_schema(&run_table, "", ""), *extra = NULL,
           *type = NULL;

    assert_int_equal(
        json_unpack(json, "{s:[{s:{s:o}}]}", "results", "counterexample", "extra", &extra), 0);
    assert_int_equal(json_integer_value(extra), 7);
    assert_int_equal(json_unpack(schema, "{s:{s:{s:{s:o}}}}", "$defs", "counterexample",
                                 "properties", "extra", &type),
                     0);
    assert_string_equal(json_string_value(json_object_get(type, "type")), "integer");
    json_decref(json);
    json_decref(schema);
}

TEST(compare_reports_the_extra_member)
{
    json_t *before = json_pack("{s:i, s:{}, s:o}", "simtcheck_snapshot", 1, "environment", "run",
                               run_with(7)),
           *after = json_pack("{s:i, s:{}, s:o}", "simtcheck_snapshot", 1, "environment", "run",
                              run_with(9));
    struct memory memory = {NULL};
    struct comparison_record record = difference_record("a", before, "b", after, &memory);
    const struct change_record *row = record.rows.items;

    assert_int_equal(record.rows.count, 1);
    assert_int_equal(row->change, CHANGE_REGRESSION);
    assert_string_equal(*(const char *const *)row->details.items, "extra 7 -> 9");
    json_decref(before);
    json_decref(after);
    memory_free(&memory);
}

TEST_MAIN("extra member", NULL, NULL)
