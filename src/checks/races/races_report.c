/* SPDX-License-Identifier: MIT */
#include "races_report.h"
#include "expected.h"
#include "launch_text.h"
#include "record_run.h"
#include "replay_line.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns whether the result is wrong in the usual order, too, so that the order is not the cause.
 */
static bool is_always_wrong(const struct race_row *row)
{
    return row->variant->known_defect == NULL && row->search.base.outcome.kind == OUTCOME_MISMATCH;
}

enum race_verdict races_verdict(const struct race_row *row)
{
    return row->skipped != NULL     ? RACE_SKIPPED
           : row->record.racing > 0 ? RACE
           : row->record.faults > 0 ? RACE_FAULT
           : row->searched && row->search.wrong
               ? is_always_wrong(row) ? RACE_WRONG : ORDER_DEPENDENT
           : row->unsupported > 0 ? RACE_UNSUPPORTED
           : row->same_value > 0  ? RACE_OF_SAME
                                  : RACE_FREE;
}

enum race_verdict races_expected(const struct race_row *row)
{
    const struct known_defect *known_defect = row->variant->known_defect;

    if (known_defect != NULL && (known_defect->races >> row->record.model & 1))
        return RACE;
    return known_defect != NULL && (known_defect->order >> row->record.model & 1) ? ORDER_DEPENDENT
                                                                                  : RACE_FREE;
}

/* ---- JSON ---- */

void races_wrong_text(const struct delay_search *search, char *text, size_t size)
{
    const struct difference *difference = &search->counterexample.outcome.difference;
    char base[WORD_SIZE], own[WORD_SIZE];

    schedule_format(search->base.test.schedule, base);
    schedule_format(search->counterexample.test.schedule, own);
    if (search->other && difference->place[0] == '\0')
        snprintf(text, size, "outputs under schedule %s differ from those under schedule %s", own,
                 base);
    else if (search->other)
        snprintf(text, size, "%s is %s under schedule %s, and %s under schedule %s",
                 difference->place, difference->got, own, difference->expected, base);
    else
        outcome_text(&search->counterexample.outcome, text, size);
}

static void set_search(struct race_record *record, const struct race_row *row)
{
    char text[OUTCOME_TEXT], block[WORD_SIZE], size[WORD_SIZE];
    const struct delay_search *search = &row->search;

    block_format(&search->test.shape.block, block);
    size_format(&search->test.shape, size);
    record->has_search = true;
    record->wrong = search->wrong;
    record->block = memory_copy(row->memory, block);
    record->size = memory_copy(row->memory, size);
    record->delays = search->delays;
    record->schedules = search->schedules;
    if (!search->wrong)
        return;
    races_wrong_text(search, text, sizeof text);
    record->outcome = memory_copy(row->memory, text);
    record->case_id = report_case_id(row->memory, &search->counterexample.test, row->engine);
}

struct race_row race_row_start(const struct variant *variant, const struct engine_kind *engine,
                               enum model model, struct memory *memory)
{
    return (struct race_row){.variant = variant,
                             .engine = engine,
                             .memory = memory,
                             .record = {.id = variant->id, .kind = variant->kind, .model = model}};
}

void race_row_settle(struct race_row *row)
{
    struct race_record *record = &row->record;

    record->verdict = races_verdict(row);
    record->expected = races_expected(row);
    if (row->searched)
        set_search(record, row);
    if (row->kept > 0)
        record->smallest = report_case_id(row->memory, &row->smallest[0], row->engine);
}

json_t *races_json(const struct race_row *rows, size_t count, size_t all_rows)
{
    struct memory memory = {NULL};
    struct list records = list_take(&memory, count, sizeof(struct race_record));
    struct race_record *all = records.items;
    json_t *json;

    for (size_t r = 0; r < count; r++) {
        all[r] = rows[r].record;
        all[r].all_rows = all_rows;
    }
    json = model_json_list(&race_record_table, &records);
    memory_free(&memory);
    return json;
}

/* ---- Text ---- */

/* Returns the length of the array's name in the race's place. */
static int name_length(const struct race *race)
{
    return (int)strcspn(race->place, "[,");
}

static bool is_same_array(const struct race *a, const struct race *b)
{
    return name_length(a) == name_length(b) &&
           strncmp(a->place, b->place, (size_t)name_length(a)) == 0;
}

bool races_are_same_value(const struct race_row *row, const struct race *race)
{
    const struct race *pairs = row->record.pairs.items;
    bool same = true;

    for (size_t p = 0; p < row->record.pairs.count; p++) {
        const struct race *other = &pairs[p];
        same = same && (other->same_value || other->strong || !is_same_array(other, race));
    }
    return same && !race->strong;
}

bool races_has_oracle(const struct variant *variant)
{
    return variant->contract != CONTRACT_NONE && !variant->may_abstain;
}

static void print_executions(const struct session *session, const struct race_row *row)
{
    const struct executions_record *executions = row->record.executions;
    char title[KERNEL_TEXT];

    if (executions == NULL || row->record.racing > 0)
        return;
    report_kernel(row->variant, title);
    session_say(session, "\n%s, %s: %s%" PRIu64 " execution%s of a small shape under weak memory\n",
                title, model_name(row->record.model),
                executions->all ? "ran all " : "ran the first ", executions->number,
                report_plural(executions->number));
}

static void print_passed_executions(FILE *to, const struct executions_record *executions)
{
    fprintf(to, ": no race in %s %" PRIu64 " execution%s", executions->all ? "all" : "the first",
            executions->number, report_plural(executions->number));
    if (!executions->all)
        fprintf(to, " and %" PRIu64 " random ones", executions->random);
}

/* Prints where a change is. Instructions of one source line are told apart by their PTX lines. */
static void print_change_place(FILE *to, const struct list *changes,
                               const struct repair_change *change)
{
    const struct repair_change *all = changes->items;
    size_t same = 0;

    for (size_t k = 0; k < changes->count; k++)
        same += strcmp(all[k].place, change->place) == 0;
    fprintf(to, " at %s", change->place);
    if (same > 1)
        fprintf(to, " (line %" PRIu32 " of the PTX)", change->ptx_line);
}

void races_print_repair(FILE *to, const void *record)
{
    const struct repair_record *repair = record;
    const struct repair_change *changes = repair->changes.items;

    for (size_t k = 0; k < repair->changes.count; k++) {
        const struct repair_change *change = &changes[k];
        fprintf(to, "%s", k > 0 ? ", and " : "");
        if (change->from[0] != '\0')
            fprintf(to, "%s instead of %s", change->to, change->from);
        else
            fprintf(to, "%s after the access", change->to);
        print_change_place(to, &repair->changes, change);
    }
    if (repair->changes.count > 0)
        print_passed_executions(to, &repair->executions);
    else
        fprintf(to, "%s", repair->reason);
    if (repair->unordered)
        fputs("; plain data becomes strong: check that every order of these accesses is right", to);
}

void races_print_details(const struct session *session, const struct race_row *row)
{
    char title[KERNEL_TEXT];

    report_kernel(row->variant, title);
    if (row->left_out > 0) {
        session_say(session,
                    "\n%s, %s: %" PRIu64
                    " case%s with special values %s not judged, because the kernel "
                    "fails with values of that kind and may reject them\n",
                    title, model_name(row->record.model), row->left_out,
                    report_plural(row->left_out), row->left_out == 1 ? "is" : "are");
        report_case(session, "the first:", &row->first_left_out, row->engine);
    }
    print_executions(session, row);
    if (row->record.known_deviation != NULL)
        expected_print(session, row->record.known_deviation);
}

void races_print_head(const struct session *session)
{
    session_say(session, "%-39s %-9s %-11s %6s %6s %14s %-6s %s\n", "kernel", "variant", "model",
                "cases", "racing", "schedules", "result", "verdict");
}

void races_print_record(const struct session *session, const struct variant *variant,
                        const struct race_record *record, bool by_digest)
{
    bool has_search = record->has_search;
    char searched[48] = "-";
    const char *result = "-";

    if (has_search)
        snprintf(searched, sizeof searched, "%" PRIu64 " (%" PRIu64 ")", record->schedules,
                 record->delays);
    if (has_search && races_has_oracle(variant))
        result = record->wrong ? "wrong" : "right";
    else if (has_search && by_digest && record->schedules > 1)
        result = record->wrong ? "other" : "same";
    session_say(session, "%-39s %-9s %-11s %6" PRIu64 " %6" PRIu64 " %14s %-6s %s%s\n",
                report_name(variant), report_variant(variant), model_name(record->model),
                record->cases, record->racing, searched, result, race_verdict_name(record->verdict),
                record->as_expected               ? ""
                : record->known_deviation != NULL ? " (known deviation)"
                                                  : " (!)");
    fflush(stdout);
}

void races_print_row(const struct session *session, const struct race_row *row)
{
    races_print_record(session, row->variant, &row->record, row->search.by_digest);
}
