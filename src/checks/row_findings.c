/* SPDX-License-Identifier: MIT */
#include "row_findings.h"

#include "case_id.h"
#include "identity.h"
#include "launch_text.h"
#include "replay_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Records ---- */

struct check_record check_of(const struct session *session, enum check_kind kind,
                             const struct variant *variant, const struct engine_kind *engine)
{
    char kernel[KERNEL_TEXT];
    bool is_launch = variant->launch != NULL;

    return (struct check_record){.kind = kind,
                                 .kernel = is_launch ? variant->launch->calls[0].kernel
                                                     : memory_copy(&session->sinks->findings.memory,
                                                                   report_kernel(variant, kernel)),
                                 .function = is_launch ? NULL : variant->kernel,
                                 .engine = engine->id,
                                 .compiler = session->compiler};
}

/* Sets the words that run one case, or two to compare, again. */
static void set_replay(const struct session *session, struct evidence_record *finding,
                       const char *cases)
{
    struct memory *memory = &session->sinks->findings.memory;

    uint64_t launch = session->replay.launch;

    finding->replay =
        session->replay.name == NULL ? memory_text(memory, "simtcheck replay %s", cases)
        : launch > 0 ? memory_text(memory, "--launch %" PRIu64 " --case %s", launch, cases)
                     : memory_text(memory, "--case %s", cases);
}

/* Writes the input of a case in words. The values of a launch are left out. Returns the text. */
static const char *words_of_input(const struct test_case *test, char text[SIZES_TEXT])
{
    _Static_assert((int)SIZES_TEXT >= (int)INPUT_TEXT, "room for both");
    uint64_t sizes[MAX_SIZES] = {0};

    if (test->variant->launch == NULL || launch_is_captured(test->variant))
        return input_text(test, text);
    for (uint32_t k = 0; k < shape_size_count(&test->shape); k++)
        sizes[k] = shape_size(&test->shape, k);
    sizes_text(test->variant, sizes, sizes, text);
    return text[0] != '\0' ? text : "any size";
}

struct evidence_record *check_add_finding(const struct session *session, struct check_record *check,
                                          const char *rule, const char *message,
                                          const struct test_case *test,
                                          const struct engine_kind *engine)
{
    struct memory *memory = &session->sinks->findings.memory;
    struct evidence_record *finding = list_add(memory, &check->findings, sizeof *finding);
    const char *case_id = test != NULL ? report_case_id(memory, test, engine) : NULL;
    char *command = case_id != NULL ? replay_line_command(session, case_id) : NULL;
    char text[SIZES_TEXT];

    *finding =
        (struct evidence_record){.rule = rule,
                                 .message = memory_copy(memory, message),
                                 .case_id = case_id,
                                 .command = command != NULL ? memory_copy(memory, command) : NULL};
    if (case_id != NULL) {
        finding->input = memory_copy(memory, words_of_input(test, text));
        set_replay(session, finding, case_id);
    }
    free(command);
    return finding;
}

void evidence_note(const struct session *session, struct evidence_record *evidence,
                   const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    LIST_ADD(&session->sinks->findings.memory, &evidence->notes, const char *) =
        memory_copy(&session->sinks->findings.memory, text);
}

void order_text(const struct outcome *outcome, const struct test_case *one,
                const struct test_case *other, char *text, size_t size)
{
    char schedules[2][WORD_SIZE];

    schedule_format(one->schedule, schedules[0]);
    schedule_format(other->schedule, schedules[1]);
    snprintf(text, size, "%s is %s under %s, %s, and %s under %s, %s", outcome->difference.place,
             outcome->difference.expected, model_name(one->model), schedules[0],
             outcome->difference.got, model_name(other->model), schedules[1]);
}

void evidence_note_unordered(const struct session *session, struct evidence_record *evidence,
                             const struct outcome *one, const struct outcome *other)
{
    const char *mask = one->active_mask[0] != '\0' ? one->active_mask : other->active_mask;
    const char *atomic = one->atomic[0] != '\0' ? one->atomic : other->atomic;

    if (mask[0] != '\0')
        evidence_note(session, evidence,
                      "CUDA does not define which lanes __activemask() returns at %s", mask);
    if (atomic[0] != '\0')
        evidence_note(session, evidence,
                      "CUDA does not define which thread comes first at the atomic operation at %s",
                      atomic);
    if (one->digest == other->digest && one->printed != other->printed)
        evidence_note(session, evidence,
                      "what printf() prints at %s depends on the order of threads: if it may, add "
                      "--allow prints:%s",
                      one->prints, one->prints);
}

void finding_compare(const struct session *session, struct evidence_record *finding,
                     const struct test_case *first, const struct engine_kind *engine)
{
    struct memory *memory = &session->sinks->findings.memory;
    const char *cases =
        memory_text(memory, "%s,%s", report_case_id(memory, first, engine), finding->case_id);
    char *command = replay_line_command(session, cases);

    set_replay(session, finding, cases);
    if (command != NULL)
        finding->command = memory_copy(memory, command);
    free(command);
}

/* Returns what `print` prints of the record. */
static const char *printed(struct memory *memory, void (*print)(FILE *, const void *),
                           const void *record)
{
    char *text = NULL;
    const char *kept;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return "";
    print(to, record);
    fclose(to);
    kept = memory_copy(memory, text);
    free(text);
    return kept;
}

static const struct identity *keep_identity(struct memory *memory, struct identity identity)
{
    struct identity *kept = memory_take(memory, sizeof *kept);

    *kept = identity;
    return kept;
}

/* Sets the places of a race: the first access, and the second one as related. */
static void take_race(struct memory *memory, struct evidence_record *finding,
                      const struct race *race)
{
    finding->race = memory_take(memory, sizeof *race);
    *finding->race = *race;
    finding->file = finding->race->first.file;
    finding->line = (uint64_t)race->first.line;
    if (race->second.line > 0)
        LIST_ADD(memory, &finding->related, struct place_record) =
            (struct place_record){.file = finding->race->second.file,
                                  .line = (uint64_t)race->second.line,
                                  .text = race_side_text(memory, &race->second, &race->first)};
}

/* Adds the place where other threads wait, or where memory was freed, as a related one. */
static void take_other_place(struct memory *memory, struct evidence_record *finding)
{
    const struct fault *fault = &finding->counterexample->outcome.fault;
    const struct fault_place *other = &fault->others[0];
    const char *text = fault->sentence == SAYS_SKIPS_BARRIER ? "continues here"
                       : fault->kind == FAULT_DIVERGENT_BARRIER || fault->kind == FAULT_DEADLOCK
                           ? "other threads wait here"
                       : fault->kind == FAULT_USE_AFTER_FREE || fault->sentence == SAYS_FREES_AGAIN
                           ? "freed here"
                       : fault->kind != FAULT_UNINITIALIZED_READ ? NULL
                       : fault->origin == FROM_VARIABLE          ? "used here"
                       : fault->origin <= FROM_SHARED            ? "read here"
                                                                 : "it comes from here";

    if (text != NULL && other->line > 0 &&
        (other->line != fault->line || strcmp(other->file, fault->file) != 0))
        LIST_ADD(memory, &finding->related, struct place_record) =
            (struct place_record){.file = other->file, .line = (uint64_t)other->line, .text = text};
}

/* Notes why memory may differ from that of the GPU although both are right. */
static void note_reasons(const struct session *session, struct evidence_record *evidence,
                         const struct test_case *test, const struct outcome *outcome)
{
    const char *place = outcome->difference.place;

    if (!launch_is_captured(test->variant) || outcome->kind != OUTCOME_MISMATCH)
        return;
    if (test->variant->ulps > 0)
        evidence_note(session, evidence,
                      "floats of this kernel are not exact: numbers that nearly cancel may differ "
                      "by more than the tolerance. --tolerance ulp:N sets another");
    if (outcome->atomic[0] != '\0')
        evidence_note(session, evidence,
                      "the GPU may have had another order of threads: the effect of the atomic "
                      "operation at %s depends on it. If every order is right, give --allow "
                      "order:%.*s",
                      outcome->atomic, (int)strcspn(place, "["), place);
}

/* The same as check_add_outcome(), with a race in the same case and a note. Returns the evidence.
 */
static struct evidence_record *add_outcome(const struct session *session,
                                           struct check_record *check,
                                           const struct counterexample *counterexample,
                                           const struct engine_kind *engine,
                                           const struct race *race, const char *note)
{
    struct memory *memory = &session->sinks->findings.memory;
    struct counterexample explained = *counterexample;
    const struct outcome *outcome = &explained.outcome;
    bool is_fault = outcome->kind == OUTCOME_FAULT;
    char mismatch[OUTCOME_TEXT];
    const char *text = is_fault ? outcome->fault.text : mismatch;
    struct evidence_record *finding;

    session_explain_outcome(session, &explained.outcome);
    outcome_text(outcome, mismatch, sizeof mismatch);
    finding = check_add_finding(
        session, check, is_fault ? fault_name(outcome->fault.kind) : verdict_name(VERDICT_MISMATCH),
        note[0] == '\0'                 ? text
        : outcome->kind == OUTCOME_PASS ? note
                                        : memory_text(memory, "%s; %s", text, note),
        &counterexample->test, engine);
    finding->counterexample = report_counterexample(memory, &explained, engine);
    if (outcome->kind != OUTCOME_PASS)
        finding->identity = keep_identity(memory, identity_of_outcome(outcome));
    note_reasons(session, finding, &counterexample->test, outcome);
    if (is_fault) {
        finding->file = finding->counterexample->outcome.fault.file;
        finding->line = (uint64_t)outcome->fault.line;
        take_other_place(memory, finding);
    } else if (outcome->difference.line > 0) {
        finding->file = finding->counterexample->outcome.difference.file;
        finding->line = (uint64_t)outcome->difference.line;
    } else if (race != NULL) {
        take_race(memory, finding, race);
    }
    return finding;
}

struct evidence_record *check_add_outcome(const struct session *session, struct check_record *check,
                                          const struct counterexample *counterexample,
                                          const struct engine_kind *engine)
{
    return add_outcome(session, check, counterexample, engine, NULL, "");
}

void check_add_cause(const struct session *session, struct evidence_record *evidence,
                     const struct race *race)
{
    evidence->cause = keep_identity(&session->sinks->findings.memory, identity_of_race(race));
}

/* Adds failures of a row, the first one with a race and a note. */
static void add_failures(const struct session *session, struct check_record *check,
                         const struct list *list, const struct engine_kind *engine,
                         const struct race *race, const char *note)
{
    const struct failure *failures = list->items;

    for (size_t k = 0; k < list->count; k++) {
        struct evidence_record *evidence =
            add_outcome(session, check, &failures[k].counterexample, engine, k == 0 ? race : NULL,
                        k == 0 ? note : "");
        evidence->cases = failures[k].cases;
        evidence->is_examined = failures[k].is_examined;
        if (failures[k].with != NULL)
            evidence_note(session, evidence, "it stays with %s", failures[k].with);
        if (failures[k].has_cause)
            check_add_cause(session, evidence, &failures[k].cause);
    }
}

void check_take_known(const struct session *session, struct check_record *check,
                      const struct known_deviation *known)
{
    struct evidence_record *findings = check->findings.items;

    if (known == NULL)
        return;
    check->result = RESULT_KNOWN;
    check->known_deviation = known;
    for (size_t k = 0; k < check->findings.count; k++)
        if (findings[k].allowed_by == NULL)
            findings[k].allowed_by =
                memory_text(&session->sinks->findings.memory, "known deviation until %s: %s",
                            known->expires, known->link);
}

/* ---- Run ---- */

/* Returns the sizes of a launch that has one, such as "n = 0,33", which replace a range. */
static const char *few_sizes_text(struct memory *memory, const struct row *row, const char *range)
{
    const char *text = memory_text(memory, "%.*s", (int)(strchr(range, '=') - range + 2), range);

    for (size_t k = 0; k < row->few_count; k++)
        text = memory_text(memory, "%s%s%" PRIu64, text, k > 0 ? "," : "", row->few[k]);
    return text;
}

static void take_row(const struct session *session, const struct row *row)
{
    struct memory *memory = &session->sinks->findings.memory;
    const struct run_row *record = &row->record;
    struct check_record check = check_of(session, CHECKED_RUN, row->variant, row->engine);
    char sizes[SIZES_TEXT];

    check.result = record->verdict == VERDICT_SKIPPED       ? RESULT_SKIPPED
                   : record->verdict == VERDICT_UNSUPPORTED ? RESULT_INCOMPLETE
                   : record->verdict == VERDICT_PARTIAL     ? RESULT_BOUNDED
                   : !verdict_is_right(record->verdict)     ? RESULT_FAIL
                   : row->untried > 0                       ? RESULT_BOUNDED
                                                            : RESULT_PASS;
    check.verdict = verdict_name(record->verdict);
    check.cases = record->cases;
    check.blocks = record->blocks;
    check.all_blocks = record->all_blocks;
    check.left_out = record->left_out;
    check.untried = row->untried;
    check.planned = row->planned;
    check.sizes = memory_copy(memory, sizes_text(row->variant, row->least, row->most, sizes));
    if (row->few_count > 1 && row->few_count <= SIZES_FEW && strstr(check.sizes, "..") != NULL &&
        strchr(check.sizes, ',') == NULL)
        check.sizes = few_sizes_text(memory, row, check.sizes);
    check.more_failures = row->more_failures;
    check.seconds = record->seconds;
    check.note = row->unsupported > 0 ? row->unsupported_outcome.fault.text : record->note;
    check.inexact = row->inexact;
    check.clock = row->clock;
    check.reached = row->coverage.count > 0 ? report_reached(memory, &row->coverage) : NULL;
    if (check.result == RESULT_FAIL && row->found_failures.count > 0)
        add_failures(session, &check, &row->found_failures, row->engine, record->race,
                     record->note);
    else if (check.result == RESULT_FAIL && record->counterexample != NULL && !row->is_costly)
        add_outcome(session, &check, record->counterexample->found, row->engine, record->race,
                    record->note);
    else if (check.result == RESULT_FAIL)
        check_add_finding(session, &check,
                          row->is_costly ? rule_cost : verdict_name(VERDICT_MISMATCH), record->note,
                          NULL, row->engine);
    check_take_known(session, &check, record->known_deviation);
    findings_add_check(&session->sinks->findings, &check);
}

void run_take_findings(const struct session *session, const struct report *report)
{
    for (size_t r = 0; findings_has_launch(&session->sinks->findings) && r < report->row_count; r++)
        take_row(session, &report->rows[r]);
    findings_save(&session->sinks->findings);
}

void replay_take_finding(const struct session *session, const struct list *failures,
                         const struct test_case *first, const struct engine_kind *engine)
{
    struct memory *memory = &session->sinks->findings.memory;
    const struct counterexample *counterexample =
        &((const struct failure *)failures->items)->counterexample;
    const struct test_case *test = &counterexample->test;
    const struct outcome *outcome = &counterexample->outcome;
    struct check_record check;
    char domain[256];

    if (!findings_has_launch(&session->sinks->findings))
        return;
    check = check_of(session, CHECKED_RUN, counterexample->test.variant, engine);
    check.cases = 1;
    check.result = outcome->kind == OUTCOME_PASS ? RESULT_PASS : RESULT_FAIL;
    check.verdict = outcome_name(outcome->kind);
    if (first != NULL)
        check.note = memory_text(memory, "compared with %s", report_case_id(memory, first, engine));
    else if (variant_violations(test->variant, &test->shape) != 0) {
        report_domain(test->variant, domain, sizeof domain);
        check.note = memory_text(memory, "outside the domain: %s", domain);
    }
    if (first != NULL && outcome->kind == OUTCOME_MISMATCH) {
        struct evidence_record *finding;
        struct outcome explained = *outcome;
        char text[OUTCOME_TEXT];
        session_explain_outcome(session, &explained);
        order_text(&explained, first, test, text, sizeof text);
        finding = check_add_finding(session, &check, rule_determinism, text, test, engine);
        finding_compare(session, finding, first, engine);
        evidence_note_unordered(session, finding, outcome, outcome);
        check_add_order(session, finding, &explained);
    } else if (check.result == RESULT_FAIL) {
        add_failures(session, &check, failures, engine, NULL, "");
    }
    for (size_t k = 0; first == NULL && check.note != NULL && k < check.findings.count; k++)
        evidence_note(session, (struct evidence_record *)check.findings.items + k, "%s",
                      check.note);
    findings_add_check(&session->sinks->findings, &check);
}

/* ---- Races ---- */

/* Returns why a race does not fail, or null if it does. */
static const char *why_allowed(struct memory *memory, const struct race_row *row,
                               const struct race *race, const struct allowances *allow)
{
    char text[ALLOWANCE_TEXT];
    uint32_t by = race->same_value ? race_allowance(&allow->places, race) : MAX_ALLOWED;

    if (by < MAX_ALLOWED) {
        allowance_text(&allow->places.all[by], text);
        return memory_text(memory, "--allow %s", text);
    }
    return row->record.as_expected && row->variant->known_defect != NULL
               ? memory_text(memory, "the catalogue declares this known defect: %s",
                             row->variant->known_defect->text)
               : NULL;
}

static bool has_race(const struct outcome *outcome, struct identity identity)
{
    for (int i = 0; i < RACE_IDENTITIES && outcome->race_identities[i] != 0; i++)
        if (outcome->race_identities[i] == identity_hash(&identity))
            return true;
    return false;
}

/* Adds the races. One of the case with a wrong result shows that case. */
static void add_races(const struct session *session, struct check_record *check,
                      const struct race_row *row, const struct allowances *allow)
{
    struct memory *memory = &session->sinks->findings.memory;
    const struct delay_search *search = &row->search;
    const struct race *pairs = row->record.pairs.items;
    bool is_wrong = row->searched && search->wrong;
    char wrong[OUTCOME_TEXT];

    if (is_wrong)
        races_wrong_text(search, wrong, sizeof wrong);
    for (size_t p = 0; p < row->record.pairs.count; p++) {
        const struct race *race = &pairs[p];
        bool has_wrong = is_wrong && !search->other &&
                         has_race(&search->counterexample.outcome, identity_of_race(race));
        struct evidence_record *finding;
        if (race->strong)
            continue;
        finding = check_add_finding(
            session, check, race_verdict_name(RACE),
            memory_text(memory, "%s: %s, in %s at %s:%d; %s, in %s at %s:%d; %s%s%s%s", race->place,
                        race_side_text(memory, &race->first, &race->second), race->first.kernel,
                        race->first.file, race->first.line,
                        race_side_text(memory, &race->second, &race->first), race->second.kernel,
                        race->second.file, race->second.line, race->missing,
                        race->removed[0] != '\0' ? "; " : "", race->removed,
                        is_wrong && (search->other || has_wrong)
                            ? memory_text(memory, "; wrong result: %s", wrong)
                            : ""),
            has_wrong ? &search->counterexample.test : &row->pair_tests[p], row->engine);
        finding->allowed_by = why_allowed(memory, row, race, allow);
        finding->identity = keep_identity(memory, identity_of_race(race));
        if (row->variant->launch != NULL && finding->allowed_by == NULL &&
            races_are_same_value(row, race))
            evidence_note(
                session, finding, "--allow same-value:%s accepts such races",
                strchr(race->element.array, ' ') != NULL && race->second.line != 0
                    ? memory_text(memory, "%s:%d", race->second.file, race->second.line)
                    : memory_text(memory, "%.*s", (int)strcspn(race->place, "[,"), race->place));
        if (row->variant->launch == NULL && finding->allowed_by == NULL)
            evidence_note(session, finding, "the catalogue declares %s",
                          row->variant->known_defect != NULL
                              ? "a known defect, which does not name this race"
                              : race_verdict_name(races_expected(row)));
        finding->help = row->help[p];
        if (row->repair != NULL && row->repair->changes.count > 0)
            finding->help = printed(memory, races_print_repair, row->repair);
        else if (row->repair != NULL)
            evidence_note(session, finding, "%s", row->repair->reason);
        finding->is_weak = row->pair_tests[p].schedule.kind == SCHEDULE_WEAK ||
                           row->pair_tests[p].schedule.kind == SCHEDULE_EXECUTION;
        take_race(memory, finding, race);
    }
}

void check_add_order(const struct session *session, struct evidence_record *evidence,
                     const struct outcome *outcome)
{
    struct identity identity = identity_of_difference(&outcome->difference);

    identity.rule = race_verdict_name(ORDER_DEPENDENT);
    evidence->identity = keep_identity(&session->sinks->findings.memory, identity);
}

/* Adds a result that depends on the order, at the first pair of unordered accesses. */
static void add_order(const struct session *session, struct check_record *check,
                      const struct race_row *row)
{
    struct memory *memory = &session->sinks->findings.memory;
    struct evidence_record *finding;
    char wrong[OUTCOME_TEXT];

    races_wrong_text(&row->search, wrong, sizeof wrong);
    finding = check_add_finding(session, check, race_verdict_name(ORDER_DEPENDENT), wrong,
                                &row->search.counterexample.test, row->engine);
    finding->counterexample =
        report_counterexample(memory, &row->search.counterexample, row->engine);
    if (row->search.other)
        finding_compare(session, finding, &row->search.base.test, row->engine);
    check_add_order(session, finding, &row->search.counterexample.outcome);
    if (row->search.other)
        evidence_note_unordered(session, finding, &row->search.base.outcome,
                                &row->search.counterexample.outcome);
    if (row->record.pairs.count > 0)
        take_race(memory, finding, row->record.pairs.items);
    if (row->record.as_expected)
        finding->allowed_by = memory_text(memory, "the catalogue declares this known defect: %s",
                                          row->variant->known_defect->text);
}

static bool has_failure(const struct check_record *check)
{
    const struct evidence_record *findings = check->findings.items;

    for (size_t k = 0; k < check->findings.count; k++)
        if (findings[k].allowed_by == NULL)
            return true;
    return false;
}

static void take_race_row(const struct session *session, const struct race_row *row,
                          const struct allowances *allow)
{
    struct memory *memory = &session->sinks->findings.memory;
    struct check_record check = check_of(session, CHECKED_RACES, row->variant, row->engine);
    enum race_verdict verdict = races_verdict(row);

    check.has_model = true;
    check.model = row->record.model;
    check.verdict = race_verdict_name(verdict);
    check.result = verdict == RACE_SKIPPED       ? RESULT_SKIPPED
                   : verdict == RACE_UNSUPPORTED ? RESULT_INCOMPLETE
                   : !row->record.as_expected    ? RESULT_FAIL
                   : row->is_bounded             ? RESULT_BOUNDED
                                                 : RESULT_PASS;
    check.cases = row->record.cases;
    check.left_out = row->left_out;
    check.untried = row->untried;
    check.more_failures = row->more_races;
    check.schedules = row->searched ? row->search.schedules : 0;
    check.seconds = row->seconds;
    check.note = row->unsupported > 0 ? row->unsupported_outcome.fault.text : row->skipped;
    check.executions = row->record.executions;
    check.repair = row->repair;
    add_races(session, &check, row, allow);
    add_failures(session, &check, &row->found_faults, row->engine, NULL, "");
    if (verdict == ORDER_DEPENDENT)
        add_order(session, &check, row);
    if (verdict == RACE_WRONG)
        check_add_outcome(session, &check, &row->search.counterexample, row->engine);
    if (check.result == RESULT_FAIL && !has_failure(&check) && row->variant->launch != NULL)
        check_add_finding(session, &check, race_verdict_name(verdict),
                          "only cases with more races than are listed have one that fails",
                          row->kept > 0 ? &row->smallest[0] : NULL, row->engine);
    else if (check.result == RESULT_FAIL && !has_failure(&check))
        check_add_finding(session, &check, verdict_name(VERDICT_MISMATCH),
                          memory_text(memory, "%s; the catalogue declares %s",
                                      race_verdict_name(verdict),
                                      race_verdict_name(races_expected(row))),
                          NULL, row->engine);
    check_take_known(session, &check, row->record.known_deviation);
    findings_add_check(&session->sinks->findings, &check);
}

void races_take_findings(const struct session *session, const struct race_row *rows, size_t count,
                         const struct allowances *allow)
{
    for (size_t r = 0; findings_has_launch(&session->sinks->findings) && r < count; r++)
        take_race_row(session, &rows[r], allow);
    findings_save(&session->sinks->findings);
}
