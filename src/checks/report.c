/* SPDX-License-Identifier: MIT */
#include "report.h"
#include "replay_line.h"

#include "clock.h"
#include "races_report.h"
#include "token.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void report_domain(const struct variant *variant, char *text, size_t size)
{
    size_t used = 0;

    if (domain_count(variant->domain) == 0)
        snprintf(text, size, "every n, every B");
    for (size_t k = 0; k < domain_count(variant->domain) && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "",
                                 variant->domain->conditions[k].text);
}

/* ---- JSON ---- */

/* The models under which the variant races inside its domain, as its descriptor claims. */
static const char *races_word(const struct variant *variant)
{
    static const char *const words[] = {
        [0] = "-", [UNDER_LOCKSTEP] = "lockstep", [UNDER_ITS] = "its", [UNDER_BOTH] = "both"};
    _Static_assert(sizeof words / sizeof *words == UNDER_BOTH + 1, "a word for each");
    if (variant->finding != NULL && variant->finding->races == 0)
        return "order";
    return words[variant->finding != NULL ? variant->finding->races : 0];
}

void report_finding(const struct variant *variant, char *text, size_t size)
{
    const struct finding *finding = variant->finding;
    bool races = finding->races != 0;
    unsigned int models = races ? finding->races : finding->order;

    snprintf(text, size, "%s under %s: %s", races ? "races" : "depends on the order of accesses",
             models == UNDER_BOTH  ? "both models"
             : models == UNDER_ITS ? "its"
                                   : "lockstep",
             finding->text);
}

json_t *report_models_json(unsigned int models)
{
    json_t *array = json_array();

    for (int m = 0; m < MODELS; m++)
        if (models >> m & 1)
            json_array_append_new(array, json_string(model_name((enum model)m)));
    return array;
}

static json_t *extent_json(const struct extent *extent)
{
    return json_pack("[i, i, i]", (int)extent->x, (int)extent->y, (int)extent->z);
}

static json_t *fault_json(const struct fault *fault)
{
    json_t *object = json_pack("{s:s, s:s}", "kind", fault_name(fault->kind), "text", fault->text);

    if (fault->line != 0) {
        json_object_set_new(object, "file", json_string(fault->file));
        json_object_set_new(object, "line", json_integer(fault->line));
        json_object_set_new(object, "block", extent_json(&fault->block));
        json_object_set_new(object, "thread", extent_json(&fault->thread));
    }
    return object;
}

static json_t *witness_json(const struct witness *witness, const struct engine_kind *engine)
{
    const struct test_case *test = &witness->test;
    char token[TOKEN_SIZE], schedule[WORD_SIZE], values[WORD_SIZE], block[WORD_SIZE],
        size[WORD_SIZE];
    json_t *object;

    token_format(test, engine, token);
    schedule_format(test->schedule, schedule);
    values_format(test->values, values);
    block_format(&test->shape.block, block);
    size_format(&test->shape, size);
    object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "id", test->variant->id,
                       "form", form_name(test->variant->form), "engine", engine->name, "model",
                       model_name(test->model), "schedule", schedule, "block", block, "size", size,
                       "values", values, "token", token);
    switch (witness->outcome.kind) {
    case OUTCOME_PASS:
        json_object_set_new(object, "outcome", json_string("pass"));
        break;
    case OUTCOME_MISMATCH:
        json_object_set_new(object, "outcome", json_string("mismatch"));
        json_object_set_new(object, "place", json_string(witness->outcome.difference.place));
        json_object_set_new(object, "expected", json_string(witness->outcome.difference.expected));
        json_object_set_new(object, "got", json_string(witness->outcome.difference.got));
        break;
    case OUTCOME_FAULT:
        json_object_set_new(object, "outcome", json_string("fault"));
        json_object_set_new(object, "fault", fault_json(&witness->outcome.fault));
        break;
    }
    json_object_set_new(object, "smallest", json_boolean(witness->exhaustive));
    return object;
}

static json_t *token_json(const struct test_case *test, const struct engine_kind *engine)
{
    char token[TOKEN_SIZE];

    if (test->variant == NULL)
        return json_null();
    token_format(test, engine, token);
    return json_string(token);
}

static json_t *origin_json(const struct row *row)
{
    const struct origin *origin = &row->origin;

    return json_pack("{s:i, s:I, s:o, s:o, s:b, s:I}", "of", (int)origin->of, "tried",
                     (json_int_t)row->witness.tried, "witness",
                     token_json(&origin->witness, row->engine), "finding",
                     token_json(&origin->finding, row->engine), "refuted", origin->refuted,
                     "untried", (json_int_t)origin->untried);
}

static json_t *row_json(const struct row *row)
{
    const struct finding *finding = row->variant->finding;
    json_t *boundaries = json_array();
    char domain[256];
    json_t *object;

    for (size_t k = 0; k < domain_count(row->variant->domain); k++) {
        const struct boundary *boundary = &row->boundaries[k];
        json_array_append_new(
            boundaries,
            json_pack("{s:s, s:b, s:I, s:o}", "condition", row->variant->domain->conditions[k].text,
                      "may_pass", row->variant->domain->conditions[k].outside != OUTSIDE_FAILS,
                      "cases", (json_int_t)boundary->cases, "witness",
                      boundary->proved ? witness_json(&boundary->witness, row->engine)
                                       : json_null()));
    }
    report_domain(row->variant, domain, sizeof domain);
    object = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:f, s:s, s:s, s:o, s:o, s:I, s:s?, s:o}", "id",
        row->variant->id, "form", form_name(row->variant->form), "engine", row->engine->name,
        "cases", (json_int_t)row->cases, "inside", (json_int_t)row->inside, "mismatches",
        (json_int_t)row->mismatches, "verdict", verdict_name(row->verdict), "seconds", row->seconds,
        "note", row->note, "domain", domain, "witness",
        row->has_witness ? witness_json(&row->witness, row->engine) : json_null(), "boundaries",
        boundaries, "found", (json_int_t)row->found, "finding",
        row->variant->finding != NULL ? row->variant->finding->text : NULL, "finding_witness",
        row->found_witness ? witness_json(&row->finding, row->engine) : json_null());
    json_object_set_new(object, "race", row->has_race ? races_pair_json(&row->race) : json_null());
    json_object_set_new(object, "blocks", json_integer((json_int_t)row->blocks));
    json_object_set_new(object, "all_blocks", json_integer((json_int_t)row->all_blocks));
    json_object_set_new(object, "left_out", json_integer((json_int_t)row->left_out));
    json_object_set_new(object, "map", domain_map_json(&row->map));
    json_object_set_new(object, "same_as",
                        row->as != NULL ? json_string(row->as->id) : json_null());
    json_object_set_new(object, "races", report_models_json(finding != NULL ? finding->races : 0));
    json_object_set_new(object, "order", report_models_json(finding != NULL ? finding->order : 0));
    return object;
}

json_t *report_json(const struct report *report)
{
    json_t *results = json_array();

    for (size_t r = 0; r < report->row_count; r++) {
        json_t *row = row_json(&report->rows[r]);
        if (report->is_shard)
            json_object_set_new(row, "origin", origin_json(&report->rows[r]));
        json_array_append_new(results, row);
    }
    return json_pack("{s:I, s:I, s:f, s:I, s:b, s:I, s:i, s:o}", "cases", (json_int_t)report->cases,
                     "mismatches", (json_int_t)report->mismatches, "seconds", report->seconds,
                     "workers_lost", (json_int_t)report->lost, "complete", report->complete, "seed",
                     (json_int_t)report->seed, "level", (int)report->level, "results", results);
}

/* ---- Text ---- */

void report_head(void)
{
    printf("%-39s %-8s %-12s %11s %8s %7s %-8s %s\n", "kernel", "form", "engine", "blocks", "cases",
           "failed", "races", "verdict");
    fflush(stdout);
}

void report_case(const char *lead, const struct witness *witness, const struct engine_kind *engine)
{
    const struct test_case *test = &witness->test;
    char token[TOKEN_SIZE], schedule[WORD_SIZE], values[WORD_SIZE], block[WORD_SIZE],
        size[WORD_SIZE], model[WORD_SIZE], outcome[512];

    token_format(test, engine, token);
    schedule_format(test->schedule, schedule);
    values_format(test->values, values);
    block_format(&test->shape.block, block);
    size_format(&test->shape, size);
    outcome_text(&witness->outcome, outcome, sizeof outcome);
    printf("    %s block %s, size %s, values %s", lead, block, size, values);
    model_format(test, model);
    if (engine->simulates)
        printf(", %s, %s", model, schedule);
    printf(": %s\n", outcome);
    replay_line_print(token);
}

void report_row(const struct row *row)
{
    char blocks[32], share[64] = "";

    snprintf(blocks, sizeof blocks, "%" PRIu64, row->blocks);
    if (row->all_blocks > 0)
        snprintf(blocks, sizeof blocks, "%" PRIu64 "/%" PRIu64, row->blocks, row->all_blocks);
    if (row->verdict == VERDICT_FINDING)
        snprintf(share, sizeof share, ": %" PRIu64 " of %" PRIu64 " inside", row->found,
                 row->inside);
    if (row->as != NULL)
        snprintf(share, sizeof share, ", run as %.40s", row->as->id);
    printf("%-39s %-8s %-12s %11s %8" PRIu64 " %7" PRIu64 " %-8s %s%s\n", row->variant->id,
           form_name(row->variant->form), row->engine->name, blocks, row->cases, row->mismatches,
           races_word(row->variant), verdict_name(row->verdict), share);
    fflush(stdout);
}

static void print_failure(const struct row *row)
{
    printf("\n%s %s on %s: %s\n", row->variant->id, form_name(row->variant->form),
           row->engine->name, verdict_name(row->verdict));
    if (row->has_witness) {
        bool passes = row->witness.outcome.kind == OUTCOME_PASS;
        report_case(passes ? "passes:" : "fails:", &row->witness, row->engine);
        if (!passes)
            printf("    %s fails in this way (%" PRIu64 " cases tried)\n",
                   row->witness.exhaustive ? "no smaller shape" : "a smaller shape may exist that",
                   row->witness.tried);
        if (row->has_race)
            races_print_pair(&row->race);
    }
    if (row->note[0] != '\0')
        printf("    note: %s\n", row->note);
}

/* Why each condition of a domain that holds is there. */
static void print_domain(const struct row *row)
{
    const struct variant *variant = row->variant;
    char text[256];

    printf("\n%s %s on %s: right where all of these hold\n", variant->id, form_name(variant->form),
           row->engine->name);
    for (size_t k = 0; k < domain_count(variant->domain); k++) {
        const struct boundary *boundary = &row->boundaries[k];
        const struct witness *witness = &boundary->witness;
        char block[WORD_SIZE], size[WORD_SIZE];
        printf("    %-30s ", variant->domain->conditions[k].text);
        if (!boundary->proved) {
            printf("%s\n", boundary->cases == 0 ? "not tried without"
                                                : "else right on this engine, by luck");
            continue;
        }
        block_format(&witness->test.shape.block, block);
        size_format(&witness->test.shape, size);
        printf("else block %s, size %s gives %s\n", block, size,
               witness->outcome.kind == OUTCOME_MISMATCH ? "mismatch"
                                                         : fault_name(witness->outcome.fault.kind));
    }
    if (row->found_witness) {
        report_finding(variant, text, sizeof text);
        printf("  %s\n", text);
        report_case("wrong:", &row->finding, row->engine);
    }
    if (row->note[0] != '\0')
        printf("    note: %s\n", row->note);
}

static void print_details(const struct report *report, const struct row *row)
{
    switch (row->verdict) {
    case VERDICT_MISMATCH:
    case VERDICT_FAULT:
        print_failure(row);
        break;
    case VERDICT_CONFORMS_IN_DOMAIN:
    case VERDICT_FINDING:
        print_domain(row);
        break;
    case VERDICT_UNAVAILABLE:
        if (row > report->rows && strcmp(row[-1].note, row->note) == 0)
            break; /* said already */
        printf("\n%s %s on %s: %s: %s\n", row->variant->id, form_name(row->variant->form),
               row->engine->name, verdict_name(row->verdict), row->note);
        break;
    case VERDICT_CONFORMS:
    case VERDICT_PARTIAL:
        break;
    }
}

void report_replay(const struct witness *witness, const struct engine_kind *engine)
{
    static const enum verdict verdicts[] = {[OUTCOME_PASS] = VERDICT_CONFORMS,
                                            [OUTCOME_MISMATCH] = VERDICT_MISMATCH,
                                            [OUTCOME_FAULT] = VERDICT_FAULT};
    const struct variant *variant = witness->test.variant;
    char domain[256];

    printf("%s %s on %s: %s\n", variant->id, form_name(variant->form), engine->name,
           verdict_name(verdicts[witness->outcome.kind]));
    report_case("case:", witness, engine);
    if (variant_violations(variant, &witness->test.shape) != 0) {
        report_domain(variant, domain, sizeof domain);
        printf("    outside the domain: %s\n", domain);
    }
    fflush(stdout);
}

/* What the run did not try. */
static void print_left_out(const struct report *report)
{
    uint64_t shapes = 0;
    bool blocks = false;

    for (size_t r = 0; r < report->row_count; r++) {
        shapes += report->rows[r].left_out;
        blocks = blocks || report->rows[r].blocks < report->rows[r].all_blocks;
    }
    if (blocks)
        printf("\nLeft out: the blocks beyond those counted above; --level 2 tries all\n");
    if (shapes > 0)
        printf("%sLeft out: %" PRIu64 " shapes that break several conditions of a domain at "
               "once\n",
               blocks ? "" : "\n", shapes);
}

bool report_end(const struct report *report)
{
    for (size_t r = 0; r < report->row_count; r++)
        print_details(report, &report->rows[r]);
    print_left_out(report);
    printf("\n%" PRIu64 " cases in %.1f s, %.0f cases/s; %" PRIu64 " failed%s\n", report->cases,
           report->seconds, report->seconds > 0 ? (double)report->cases / report->seconds : 0.0,
           report->mismatches, report->complete ? "" : "; stopped before the end");
    return fflush(stdout) == 0 && !ferror(stdout);
}

void report_progress(const struct row *row, uint64_t count, bool finished)
{
    static double last;
    double now = clock_seconds();

    if (!isatty(STDERR_FILENO))
        return;
    if (!finished && now - last < 0.1)
        return;
    last = now;
    if (finished)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\r\033[K%s %s %s: %" PRIu64 " of %" PRIu64 " cases", row->variant->id,
                form_name(row->variant->form), row->engine->name, row->cases, count);
    fflush(stderr);
}
