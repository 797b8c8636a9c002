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
    char base[WORD_SIZE];

    schedule_format(search->base.test.schedule, base);
    if (search->other && difference->place[0] == '\0')
        snprintf(text, size, "outputs differ from those of schedule %s", base);
    else if (search->other)
        snprintf(text, size, "%s is %s, and %s under schedule %s", difference->place,
                 difference->got, difference->expected, base);
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

bool races_same_lines(const struct race *a, const struct race *b)
{
    return a->first.line == b->first.line && a->second.line == b->second.line &&
           strcmp(a->first.file, b->first.file) == 0 &&
           strcmp(a->second.file, b->second.file) == 0 && is_same_array(a, b) &&
           a->first.access == b->first.access && a->second.access == b->second.access;
}

/* Returns whether all races of the array are between writes of equal values. */
static bool is_same_value(const struct race_row *row, const struct race *race)
{
    const struct race *pairs = row->record.pairs.items;
    bool same = true;

    for (size_t p = 0; p < row->record.pairs.count; p++) {
        const struct race *other = &pairs[p];
        same = same && (other->same_value || other->strong || !is_same_array(other, race));
    }
    return same && !race->strong;
}

static void print_pairs(const struct race_row *row)
{
    enum { MAX_STRONG = 3 };
    const struct race *pairs = row->record.pairs.items;
    size_t strong = 0;

    for (size_t p = 0; p < row->record.pairs.count; p++) {
        const struct race *race = &pairs[p];
        size_t earlier = 0;
        while (earlier < p && !races_same_lines(&pairs[earlier], race))
            earlier++;
        if (earlier < p || (race->strong && ++strong > MAX_STRONG))
            continue;
        races_print_pair(race);
        if (row->variant->launch != NULL && is_same_value(row, race))
            printf("        --allow same-value:%.*s accepts such races\n", name_length(race),
                   race->place);
    }
    if (strong > MAX_STRONG)
        printf("    and %zu more such pair%s\n", strong - MAX_STRONG,
               report_plural(strong - MAX_STRONG));
    if (row->more_races > 0)
        printf("    %" PRIu64 " case%s with further findings, which are not listed\n",
               row->more_races, report_plural(row->more_races));
}

bool races_has_oracle(const struct variant *variant)
{
    return variant->contract != CONTRACT_NONE && !variant->may_abstain;
}

/* Prints that no schedule that was searched gives a wrong result. */
static void print_passed(const struct race_row *row, const char *shape)
{
    const struct delay_search *search = &row->search;
    bool one = search->schedules == 1; /* nothing was compared without an oracle */

    printf("    %s: %s in ", shape,
           races_has_oracle(row->variant) ? "the result is right"
           : search->by_digest && !one    ? "no fault, and identical outputs,"
                                          : "no fault");
    if (one)
        fputs("the only schedule", stdout);
    else
        printf("all %" PRIu64 " schedules", search->schedules);
    printf(" with up to %u delay%s\n", search->delays, report_plural(search->delays));
}

static void print_search(const struct session *session, const struct race_row *row)
{
    const struct delay_search *search = &row->search;
    char shape[SHAPE_TEXT], schedule[WORD_SIZE], text[OUTCOME_TEXT];

    if (!row->searched)
        return;
    shape_text(row->variant, &search->test.shape, shape);
    if (search->wrong) {
        const struct test_case *test = &search->counterexample.test;
        schedule_format(test->schedule, schedule);
        races_wrong_text(search, text, sizeof text);
        printf("    wrong result: %s, schedule %s: %s\n", shape, schedule, text);
        if (search->other) {
            report_unordered(&search->base.outcome, &search->counterexample.outcome);
            replay_line_print_two(session, &search->base.test, test, row->engine);
        } else {
            replay_line_print(session, test, row->engine);
        }
    } else if (row->record.racing > 0 || row->record.unordered > 0) {
        print_passed(row, shape);
    }
}

static void print_executions(const struct race_row *row)
{
    const struct executions_record *executions = row->record.executions;
    char title[KERNEL_TEXT];

    if (executions == NULL || row->record.racing > 0)
        return;
    report_kernel(row->variant, title);
    printf("\n%s, %s: %s%" PRIu64 " execution%s of a small shape under weak memory\n", title,
           model_name(row->record.model), executions->all ? "ran all " : "ran the first ",
           executions->number, report_plural(executions->number));
}

static void print_passed_executions(const struct executions_record *executions)
{
    printf(": no race in %s %" PRIu64 " execution%s", executions->all ? "all" : "the first",
           executions->number, report_plural(executions->number));
    if (!executions->all)
        printf(" and %" PRIu64 " random ones", executions->random);
}

/* Prints where a change is. Instructions of one source line are told apart by their PTX lines. */
static void print_change_place(const struct list *changes, const struct repair_change *change)
{
    const struct repair_change *all = changes->items;
    size_t same = 0;

    for (size_t k = 0; k < changes->count; k++)
        same += strcmp(all[k].place, change->place) == 0;
    printf(" at %s", change->place);
    if (same > 1)
        printf(" (line %" PRIu32 " of the PTX)", change->ptx_line);
}

static void print_repair(const struct repair_record *repair)
{
    const struct repair_change *changes;

    if (repair == NULL)
        return;
    changes = repair->changes.items;
    fputs("    repair: ", stdout);
    for (size_t k = 0; k < repair->changes.count; k++) {
        const struct repair_change *change = &changes[k];
        fputs(k > 0 ? ", and " : "", stdout);
        if (change->from[0] != '\0')
            printf("%s instead of %s", change->to, change->from);
        else
            printf("%s after the access", change->to);
        print_change_place(&repair->changes, change);
    }
    if (repair->changes.count > 0)
        print_passed_executions(&repair->executions);
    else
        fputs(repair->reason, stdout);
    if (repair->unordered)
        fputs("; plain data becomes strong: check that every order of these accesses is right",
              stdout);
    putchar('\n');
}

void races_print_details(const struct session *session, const struct race_row *row)
{
    enum race_verdict verdict = races_verdict(row), declared = races_expected(row);
    char shape[SHAPE_TEXT], text[OUTCOME_TEXT], values[WORD_SIZE], title[KERNEL_TEXT];

    report_kernel(row->variant, title);
    if (row->left_out > 0) {
        printf("\n%s, %s: %" PRIu64 " case%s with special values %s not judged, because the kernel "
               "fails with values of that kind and may reject them\n",
               title, model_name(row->record.model), row->left_out, report_plural(row->left_out),
               row->left_out == 1 ? "is" : "are");
        report_case(session, "the first:", &row->first_left_out, row->engine);
    }
    print_executions(row);
    if (row->record.as_expected && verdict == RACE_FREE && row->record.unordered == 0)
        return;
    printf("\n%s, %s: %s", title, model_name(row->record.model), race_verdict_name(verdict));
    if (row->kept > 0 && !launch_is_captured(row->variant)) {
        printf(", at %s", shape_text(row->variant, &row->smallest[0].shape, shape));
        values_format(row->smallest[0].values, values);
        if (row->smallest[0].values.pattern != VALUES_HASH)
            printf(", values %s", values);
    }
    if (row->skipped != NULL)
        printf(": %s", row->skipped);
    if (!row->record.as_expected && verdict != declared && row->variant->launch == NULL)
        printf("; the catalogue declares %s", race_verdict_name(declared));
    putchar('\n');
    if (row->record.unexpected > 0)
        printf("    %" PRIu64 " case%s with a race that the known defect does not name\n",
               row->record.unexpected, report_plural(row->record.unexpected));
    if (row->record.faults > 0) {
        outcome_text(&row->fault, text, sizeof text);
        printf("    %" PRIu64 " case%s with a fault; the first: %s\n", row->record.faults,
               report_plural(row->record.faults), text);
        replay_line_print(session, &row->fault_test, row->engine);
    }
    print_pairs(row);
    if (row->record.racing > 0 && row->smallest[0].schedule.kind >= SCHEDULE_DELAYS)
        replay_line_print(session, &row->smallest[0], row->engine);
    print_repair(row->repair);
    print_search(session, row);
    if (row->record.known_deviation != NULL)
        expected_print(row->record.known_deviation);
}

void races_print_head(void)
{
    printf("%-39s %-9s %-11s %6s %6s %14s %-6s %s\n", "kernel", "variant", "model", "cases",
           "racing", "schedules", "result", "verdict");
}

void races_print_record(const struct variant *variant, const struct race_record *record,
                        bool by_digest)
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
    printf("%-39s %-9s %-11s %6" PRIu64 " %6" PRIu64 " %14s %-6s %s%s\n", report_name(variant),
           report_variant(variant), model_name(record->model), record->cases, record->racing,
           searched, result, race_verdict_name(record->verdict),
           record->as_expected               ? ""
           : record->known_deviation != NULL ? " (known deviation)"
                                             : " (!)");
    fflush(stdout);
}

void races_print_row(const struct race_row *row)
{
    races_print_record(row->variant, &row->record, row->search.by_digest);
}
