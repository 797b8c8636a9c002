/* SPDX-License-Identifier: MIT */
#include "report.h"
#include "replay_line.h"

#include "case_id.h"
#include "error_report.h"
#include "expected.h"
#include "launch_text.h"
#include "races_report.h"
#include "record_run.h"
#include "wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_domain(const struct variant *variant, char *text, size_t size)
{
    size_t used = 0;

    if (domain_count(variant->domain) == 0)
        snprintf(text, size, "every n, every B");
    for (size_t k = 0; k < domain_count(variant->domain) && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "",
                                 variant->domain->conditions[k].text);
}

const char *report_variant(const struct variant *variant)
{
    return variant->launch != NULL ? "-" : variant_kind_name(variant->kind);
}

const char *report_name(const struct variant *variant)
{
    return variant->launch != NULL ? variant->launch->calls[0].kernel : variant->id;
}

const char *report_kernel(const struct variant *variant, char text[KERNEL_TEXT])
{
    bool is_launch = variant->launch != NULL;

    snprintf(text, KERNEL_TEXT, "%.255s%s%s", report_name(variant), is_launch ? "" : " ",
             is_launch ? "" : report_variant(variant));
    return text;
}

const char *report_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void report_interrupted(size_t rows)
{
    error_report("interrupted: %zu row%s a verdict, the rest have none", rows,
                 rows == 1 ? " has" : "s have");
}

/* ---- JSON ---- */

/* Names the models under which the variant races inside its domain, as the catalogue declares. */
static const char *races_word(const struct variant *variant)
{
    static const char *const words[] = {[0] = "-",
                                        [UNDER_LOCKSTEP] = "lockstep",
                                        [UNDER_INDEPENDENT] = "independent",
                                        [UNDER_BOTH] = "both"};
    _Static_assert(sizeof words / sizeof *words == UNDER_BOTH + 1, "a word for each");
    if (variant->known_defect != NULL && variant->known_defect->races == 0)
        return "order";
    return words[variant->known_defect != NULL ? variant->known_defect->races : 0];
}

void report_known_defect(const struct variant *variant, char *text, size_t size)
{
    const struct known_defect *known_defect = variant->known_defect;
    bool races = known_defect->races != 0;
    unsigned int models = races ? known_defect->races : known_defect->order;

    snprintf(text, size, "%s under %s: %s", races ? "races" : "depends on the order of accesses",
             models == UNDER_BOTH          ? "both models"
             : models == UNDER_INDEPENDENT ? "independent"
                                           : "lockstep",
             known_defect->text);
}

bool report_limits(const struct variant *variant, enum profile profile, char *text, size_t size)
{
    struct limit_error error = {NULL, SOME_ORDERS};
    struct shape fits, fails;
    char shape[SHAPE_TEXT];

    for (int deep = 0; deep < 2 && error.text == NULL; deep++)
        error = plan_limits(variant, profile, deep == 1, &fits, &fails);
    if (error.text != NULL)
        snprintf(text, size, "default limits: %s from %s on: %s",
                 error.when == EVERY_ORDER ? "waits at depth 2 and deeper fail"
                                           : "launches may fail",
                 shape_text(variant, &fails, shape), error.text);
    return error.text != NULL;
}

struct counterexample_record *report_counterexample(struct memory *memory,
                                                    const struct counterexample *counterexample,
                                                    const struct engine_kind *engine)
{
    const struct test_case *test = &counterexample->test;
    struct counterexample_record *record = memory_take(memory, sizeof *record);
    struct counterexample *found = memory_take(memory, sizeof *found);
    char schedule[WORD_SIZE], values[WORD_SIZE], block[WORD_SIZE], size[WORD_SIZE];

    schedule_format(test->schedule, schedule);
    values_format(test->values, values);
    block_format(&test->shape.block, block);
    size_format(&test->shape, size);
    *record = (struct counterexample_record){.id = memory_copy(memory, test->variant->id),
                                             .kind = test->variant->kind,
                                             .engine = engine->id,
                                             .model = test->model,
                                             .schedule = memory_copy(memory, schedule),
                                             .block = memory_copy(memory, block),
                                             .size = memory_copy(memory, size),
                                             .values = memory_copy(memory, values),
                                             .case_id = report_case_id(memory, test, engine),
                                             .outcome = counterexample->outcome,
                                             .smallest = counterexample->exhaustive,
                                             .found = found};
    *found = *counterexample;
    return record;
}

const char *report_case_id(struct memory *memory, const struct test_case *test,
                           const struct engine_kind *engine)
{
    char case_id[CASE_ID_SIZE];

    if (test->variant == NULL)
        return NULL;
    case_id_format(test, engine, case_id);
    return memory_copy(memory, case_id);
}

struct list report_points(struct memory *memory, const struct coverage *coverage)
{
    struct list list = list_take(memory, coverage->count, sizeof(const char *));

    for (size_t k = 0; k < coverage->count; k++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        if (stream != NULL) {
            point_write(stream, &coverage->points[k]);
            fclose(stream);
        }
        ((const char **)list.items)[k] = memory_copy(memory, text != NULL ? text : "");
        free(text);
    }
    return list;
}

static bool is_missing(const struct source_point *point)
{
    return !point->reached && point->kind != POINT_FUNCTION;
}

struct reached_record *report_reached(struct memory *memory, const struct coverage *coverage)
{
    const struct coverage_counts counts = coverage_count(coverage);
    struct reached_record *record = memory_take(memory, sizeof *record);

    *record = (struct reached_record){
        counts.lines, counts.lines_reached, counts.branches, counts.branches_reached, {NULL, 0}};
    for (size_t k = 0; k < coverage->count; k++) {
        char text[POINT_TEXT];
        if (is_missing(&coverage->points[k]))
            LIST_ADD(memory, &record->not_reached, const char *) =
                memory_copy(memory, point_text(&coverage->points[k], text));
    }
    return record;
}

json_t *report_json(const struct report *report)
{
    struct memory memory = {NULL};
    struct run_record record = {
        .cases = report->cases,
        .mismatches = report->mismatches,
        .known = report->known,
        .seconds = report->seconds,
        .workers_lost = report->lost,
        .complete = report->complete,
        .seed = report->seed,
        .level = report->level,
        .build = build_identity,
        .results = list_take(&memory, report->row_count, sizeof(struct run_row)),
    };
    json_t *json;

    for (size_t r = 0; r < report->row_count; r++)
        ((struct run_row *)record.results.items)[r] = report->rows[r].record;
    json = model_json(&run_table, &record);
    memory_free(&memory);
    return json;
}

/* ---- Text ---- */

void report_head(const struct session *session)
{
    session_say(session, "%-39s %-9s %-12s %11s %8s %7s %-8s %s\n", "kernel", "variant", "engine",
                "blocks", "cases", "failed", "races", "verdict");
    fflush(stdout);
}

void report_case(const struct session *session, const char *lead,
                 const struct counterexample *counterexample, const struct engine_kind *engine)
{
    const struct test_case *test = &counterexample->test;
    char schedule[WORD_SIZE], input[INPUT_TEXT], model[WORD_SIZE], outcome[OUTCOME_TEXT],
        case_id[CASE_ID_SIZE];

    schedule_format(test->schedule, schedule);
    if (counterexample->outcome.kind == OUTCOME_PASS && test->variant->contract == CONTRACT_NONE)
        snprintf(outcome, sizeof outcome, "no fault, and no reference to compare with");
    else
        outcome_text(&counterexample->outcome, outcome, sizeof outcome);
    session_say(session, "    %s %s", lead, input_text(test, input));
    model_format(test, model);
    if (engine->simulates)
        session_say(session, ", %s, %s", model, schedule);
    session_say(session, ": %s\n", outcome);
    case_id_format(test, engine, case_id);
    session_say(session, "        --case %s\n", case_id);
}

/* Prints how much of the kernel's source the cases executed, and the first points that they missed.
 */
static void print_reached(const struct session *session, const struct coverage *coverage)
{
    enum { MAX_MISSING = 8 };
    const struct coverage_counts counts = coverage_count(coverage);
    uint64_t missing =
                 counts.lines - counts.lines_reached + counts.branches - counts.branches_reached,
             shown = 0;

    session_say(session,
                "    reached %" PRIu64 " of %" PRIu64 " line%s, %" PRIu64 " of %" PRIu64
                " branch%s",
                counts.lines_reached, counts.lines, report_plural(counts.lines),
                counts.branches_reached, counts.branches, counts.branches == 1 ? "" : "es");
    for (size_t k = 0; k < coverage->count && shown < MAX_MISSING; k++) {
        char text[POINT_TEXT];
        if (is_missing(&coverage->points[k]))
            session_say(session, "%s%s", shown++ == 0 ? "; not: " : ", ",
                        point_text(&coverage->points[k], text));
    }
    if (missing > shown)
        session_say(session, " and %" PRIu64 " more", missing - shown);
    session_say(session, "\n");
}

void report_row(const struct session *session, const struct row *row)
{
    const struct run_row *record = &row->record;
    char blocks[32], share[64] = "";

    snprintf(blocks, sizeof blocks, "%" PRIu64, record->blocks);
    if (record->all_blocks > 0)
        snprintf(blocks, sizeof blocks, "%" PRIu64 "/%" PRIu64, record->blocks, record->all_blocks);
    if (record->verdict == VERDICT_KNOWN_DEFECT)
        snprintf(share, sizeof share, ": %" PRIu64 " of %" PRIu64 " inside", record->found,
                 record->inside);
    if (row->as != NULL)
        snprintf(share, sizeof share, ", run as %.40s", row->as->id);
    session_say(session, "%-39s %-9s %-12s %11s %8" PRIu64 " %7" PRIu64 " %-8s %s%s%s\n",
                report_name(row->variant), report_variant(row->variant), row->engine->name, blocks,
                record->cases, record->mismatches, races_word(row->variant),
                verdict_name(record->verdict), share,
                record->known_deviation != NULL ? " (known deviation)" : "");
    if (record->default_limits != NULL && verdict_is_right(record->verdict))
        session_say(session, "    %s\n", record->default_limits);
    if (row->coverage.count > 0 && session->sinks->is_verbose)
        print_reached(session, &row->coverage);
    fflush(stdout);
}

/* Prints the case that shows why each condition of the domain is needed. */
static void print_domain(const struct session *session, const struct row *row)
{
    const struct variant *variant = row->variant;
    const struct run_row *record = &row->record;
    const struct boundary_record *boundaries = record->boundaries.items;
    char text[256], kernel[KERNEL_TEXT];

    session_say(session, "\n%s on %s: right where all of these hold\n",
                report_kernel(variant, kernel), row->engine->name);
    for (size_t k = 0; k < record->boundaries.count; k++) {
        const struct counterexample_record *proof = boundaries[k].counterexample;
        char shape[SHAPE_TEXT];
        session_say(session, "    %-30s ", boundaries[k].condition);
        if (proof == NULL) {
            session_say(session, "%s\n",
                        boundaries[k].cases == 0 ? "no case violates it alone"
                                                 : "no failing case on this engine");
            continue;
        }
        session_say(session, "else %s gives %s\n",
                    shape_text(variant, &proof->found->test.shape, shape),
                    proof->outcome.kind == OUTCOME_FAULT ? fault_name(proof->outcome.fault.kind)
                                                         : outcome_name(proof->outcome.kind));
    }
    if (record->known_defect_counterexample != NULL) {
        report_known_defect(variant, text, sizeof text);
        session_say(session, "  %s\n", text);
        report_case(session, "wrong:", record->known_defect_counterexample->found, row->engine);
    }
    if (record->note[0] != '\0')
        session_say(session, "    note: %s\n", record->note);
}

static void print_details(const struct session *session, const struct report *report,
                          const struct row *row)
{
    char kernel[KERNEL_TEXT];

    switch (row->record.verdict) {
    case VERDICT_CONFORMS_IN_DOMAIN:
    case VERDICT_KNOWN_DEFECT:
        print_domain(session, row);
        break;
    case VERDICT_SKIPPED:
        if (row > report->rows && strcmp(row[-1].record.note, row->record.note) == 0)
            break; /* printed already */
        session_say(session, "\n%s on %s: %s: %s\n", report_kernel(row->variant, kernel),
                    row->engine->name, verdict_name(row->record.verdict), row->record.note);
        break;
    case VERDICT_MISMATCH: /* findings say more */
    case VERDICT_FAULT:
    case VERDICT_UNSUPPORTED:
    case VERDICT_CONFORMS:
    case VERDICT_PARTIAL:
        break;
    }
}

/* Prints what the run did not try. */
static void print_left_out(const struct session *session, const struct report *report)
{
    uint64_t shapes = 0;
    bool blocks = false;

    for (size_t r = 0; r < report->row_count; r++) {
        const struct run_row *record = &report->rows[r].record;
        shapes += record->left_out;
        blocks = blocks || record->blocks < record->all_blocks;
    }
    if (blocks)
        session_say(
            session,
            "\nNot tried: some block sizes (column 'blocks'); --level 2 tries all of them\n");
    if (shapes > 0)
        session_say(session,
                    "%sNot tried: %" PRIu64
                    " shape%s that violate%s several conditions of a domain at once\n",
                    blocks ? "" : "\n", shapes, report_plural(shapes), shapes == 1 ? "s" : "");
}

bool report_end(const struct report *report, const struct session *session)
{
    for (size_t r = 0; r < report->row_count && session->sinks->is_verbose; r++)
        print_details(session, report, &report->rows[r]);
    print_left_out(session, report);
    session_say(session, "\n%" PRIu64 " case%s in %.1f s, %.0f cases/s; %" PRIu64 " failed",
                report->cases, report_plural(report->cases), report->seconds,
                report->seconds > 0 ? (double)report->cases / report->seconds : 0.0,
                report->mismatches);
    if (report->known > 0)
        session_say(session, "; %" PRIu64 " failed with a known deviation", report->known);
    session_say(session, "%s\n", report->complete ? "" : "; stopped before the end");
    return fflush(stdout) == 0 && !ferror(stdout);
}
