/* SPDX-License-Identifier: MIT */
#include "record_check.h"

#include <string.h>

static const char *const kind_names[] =
    {[CHECKED_RUN] = "run",     [CHECKED_RACES] = "races",   [CHECKED_DETERMINISM] = "determinism",
     [CHECKED_COSTS] = "costs", [CHECKED_MUTANT] = "mutant", [CHECKED_COMPILATION] = "compilation"},
                         *const result_names[] = {
                             [RESULT_PASS] = "pass",       [RESULT_FAIL] = "fail",
                             [RESULT_KNOWN] = "known",     [RESULT_SKIPPED] = "skipped",
                             [RESULT_BOUNDED] = "bounded", [RESULT_INCOMPLETE] = "incomplete"};

const struct words check_kind_words = WORDS_OF(kind_names),
                   check_result_words = WORDS_OF(result_names);

/* ---- Findings ---- */

static const struct field related_fields[] = {
    MEMBER(STRING, struct place_record, file),
    MEMBER(COUNT, struct place_record, line),
    MEMBER(STRING, struct place_record, text),
};
static const struct table related_table = TABLE("related", related_fields, struct place_record);

static const struct field evidence_fields[] = {
    MEMBER(STRING, struct evidence_record, check, OPTIONAL),
    MEMBER(STRING, struct evidence_record, compiler, OPTIONAL),
    MEMBER(COUNT, struct evidence_record, cases, OPTIONAL),
    MEMBER(STRING, struct evidence_record, rule),
    MEMBER(STRING, struct evidence_record, message),
    MEMBER(STRING, struct evidence_record, about, OPTIONAL),
    MEMBER(LIST, struct evidence_record, does, .item = &string_item, OPTIONAL),
    MEMBER(STRING, struct evidence_record, file),
    MEMBER(COUNT, struct evidence_record, line, OPTIONAL),
    MEMBER(LIST, struct evidence_record, related, OF(related), OPTIONAL),
    FIELD("case", STRING, struct evidence_record, case_id, NULLABLE),
    MEMBER(STRING, struct evidence_record, command, NULLABLE),
    MEMBER(STRING, struct evidence_record, input, OPTIONAL),
    MEMBER(STRING, struct evidence_record, replay, OPTIONAL),
    MEMBER(STRING, struct evidence_record, allowed_by, NULLABLE),
    MEMBER(LIST, struct evidence_record, notes, .item = &string_item, OPTIONAL),
    MEMBER(STRING, struct evidence_record, help, OPTIONAL),
    MEMBER(POINTER, struct evidence_record, counterexample, OF(counterexample), OPTIONAL),
    MEMBER(POINTER, struct evidence_record, race, OF(race), OPTIONAL),
};
static const struct table evidence_table =
    TABLE("evidence", evidence_fields, struct evidence_record);

static const struct field place_fields[] = {
    MEMBER(STRING, struct place_record, file),
    MEMBER(COUNT, struct place_record, line),
    MEMBER(STRING, struct place_record, inlined_at, OPTIONAL),
};
static const struct table place_table = TABLE("place", place_fields, struct place_record);

static const struct field identity_fields[] = {
    MEMBER(LIST, struct finding_record, places, OF(place)),
    FIELD("kernel", STRING, struct finding_record, identity_kernel, OPTIONAL),
    MEMBER(STRING, struct finding_record, array, OPTIONAL),
    MEMBER(STRING, struct finding_record, detail, OPTIONAL),
    MEMBER(STRING, struct finding_record, relation, OPTIONAL),
    MEMBER(STRING, struct finding_record, condition, OPTIONAL),
    MEMBER(STRING, struct finding_record, reason, OPTIONAL),
};
static const struct table identity_table =
    TABLE("identity", identity_fields, struct finding_record);

static const struct table finding_table;

static const struct field finding_fields[] = {
    MEMBER(COUNT, struct finding_record, id),
    MEMBER(STRING, struct finding_record, rule),
    MEMBER(STRING, struct finding_record, kernel),
    GROUP("identity", OF(identity)),
    MEMBER(STRING, struct finding_record, message),
    MEMBER(STRING, struct finding_record, file),
    MEMBER(COUNT, struct finding_record, line, OPTIONAL),
    MEMBER(LIST, struct finding_record, related, OF(related), OPTIONAL),
    FIELD("case", STRING, struct finding_record, case_id, NULLABLE),
    MEMBER(STRING, struct finding_record, command, NULLABLE),
    MEMBER(STRING, struct finding_record, allowed_by, NULLABLE),
    MEMBER(LIST, struct finding_record, evidence, OF(evidence)),
    MEMBER(LIST, struct finding_record, consequences, OF(finding)),
};
static const struct table finding_table = TABLE("finding", finding_fields, struct finding_record);

/* ---- Checks ---- */

static const struct field cost_fields[] = {
    MEMBER(COUNT, struct check_record, instructions_before),
    MEMBER(COUNT, struct check_record, instructions),
    MEMBER(COUNT, struct check_record, transactions_before),
    MEMBER(COUNT, struct check_record, transactions),
};
static const struct table cost_table = TABLE("cost", cost_fields, struct check_record);

static const struct field check_fields[] = {
    MEMBER(WORD, struct check_record, kind, WORDS(check_kind)),
    MEMBER(STRING, struct check_record, kernel),
    MEMBER(STRING, struct check_record, compiler, NULLABLE),
    MEMBER(WORD, struct check_record, engine, WORDS(engine)),
    MEMBER(WORD, struct check_record, model, WORDS(model),
           NULL_UNLESS(struct check_record, has_model)),
    MEMBER(STRING, struct check_record, change, OPTIONAL),
    MEMBER(WORD, struct check_record, result, WORDS(check_result)),
    MEMBER(STRING, struct check_record, verdict),
    MEMBER(COUNT, struct check_record, cases),
    MEMBER(COUNT, struct check_record, planned, OPTIONAL),
    MEMBER(STRING, struct check_record, sizes, OPTIONAL),
    MEMBER(COUNT, struct check_record, blocks, OPTIONAL),
    MEMBER(COUNT, struct check_record, all_blocks, OPTIONAL),
    MEMBER(COUNT, struct check_record, left_out, OPTIONAL),
    MEMBER(COUNT, struct check_record, schedules, OPTIONAL),
    MEMBER(COUNT, struct check_record, untried, OPTIONAL),
    MEMBER(COUNT, struct check_record, more_failures, OPTIONAL),
    MEMBER(NUMBER, struct check_record, seconds, .flags = FIELD_VARYING),
    MEMBER(STRING, struct check_record, note, OPTIONAL),
    MEMBER(STRING, struct check_record, inexact, OPTIONAL),
    MEMBER(STRING, struct check_record, clock, OPTIONAL),
    MEMBER(POINTER, struct check_record, reached, OF(reached), OPTIONAL),
    GROUP("cost", OF(cost), KNOWN_BY(struct check_record, has_cost)),
    MEMBER(POINTER, struct check_record, known_deviation, OF(known_deviation), OPTIONAL),
    MEMBER(POINTER, struct check_record, executions, OF(executions), OPTIONAL),
    MEMBER(POINTER, struct check_record, repair, OF(repair), OPTIONAL),
    FIELD("findings", LIST, struct check_record, finding_ids, .item = &count_item),
};
const struct table check_table = TABLE("check_row", check_fields, struct check_record);

/* ---- Launches, and the whole ---- */

static const struct field launch_fields[] = {
    MEMBER(STRING, struct launch_record, launch, NULLABLE),
    MEMBER(STRING, struct launch_record, from, OPTIONAL),
    MEMBER(LIST, struct launch_record, files, .item = &string_item),
    MEMBER(LIST, struct launch_record, flags, .item = &string_item),
    MEMBER(STRING, struct launch_record, oracle, NULLABLE),
    MEMBER(STRING, struct launch_record, against, NULLABLE),
    MEMBER(STRING, struct launch_record, reference, NULLABLE),
    MEMBER(COUNT, struct launch_record, ulps),
    MEMBER(LIST, struct launch_record, allowed, .item = &string_item),
    MEMBER(LIST, struct launch_record, compilers, .item = &string_item, OPTIONAL),
    MEMBER(LIST, struct launch_record, remarks, .item = &string_item, OPTIONAL),
    MEMBER(NUMBER, struct launch_record, seconds, .flags = FIELD_VARYING | FIELD_OPTIONAL),
    MEMBER(WORD, struct launch_record, result, WORDS(check_result)),
    MEMBER(LIST, struct launch_record, findings, OF(finding)),
    MEMBER(LIST, struct launch_record, checks, OF(check)),
};
const struct table launch_table = TABLE("launch", launch_fields, struct launch_record);

static const struct field check_results_fields[] = {
    MEMBER(COUNT, struct check_results, version),
    MEMBER(STRING, struct check_results, simtcheck),
    MEMBER(STRING, struct check_results, build),
    MEMBER(STRING, struct check_results, command, MARK),
    MEMBER(BOOL, struct check_results, complete),
    MEMBER(COUNT, struct check_results, status, NULL_UNLESS(struct check_results, has_status)),
    MEMBER(NUMBER, struct check_results, minutes, OPTIONAL),
    MEMBER(NUMBER, struct check_results, seconds, .flags = FIELD_VARYING),
    MEMBER(LIST, struct check_results, messages, .item = &string_item),
    MEMBER(LIST, struct check_results, launches, OF(launch), MARK),
};
const struct table check_results_table =
    TABLE("check_results", check_results_fields, struct check_results);

static const struct field exec_fields[] = {
    MEMBER(STRING, struct exec_record, program, OPTIONAL),
    MEMBER(POINTER, struct exec_record, finding, OF(evidence), OPTIONAL),
    MEMBER(STRING, struct exec_record, fault, OPTIONAL),
    MEMBER(STRING, struct exec_record, unordered, OPTIONAL),
    MEMBER(STRING, struct exec_record, class, OPTIONAL),
    MEMBER(STRING, struct exec_record, partial, OPTIONAL),
    MEMBER(STRING, struct exec_record, remark, OPTIONAL),
    MEMBER(STRING, struct exec_record, unusable, OPTIONAL),
    MEMBER(COUNT, struct exec_record, launches, OPTIONAL),
    MEMBER(COUNT, struct exec_record, skipped, OPTIONAL),
    MEMBER(COUNT, struct exec_record, repeated, OPTIONAL),
    MEMBER(STRING, struct exec_record, kernel, OPTIONAL),
    MEMBER(STRING, struct exec_record, why, OPTIONAL),
    MEMBER(COUNT, struct exec_record, threads, OPTIONAL),
    MEMBER(NUMBER, struct exec_record, seconds, OPTIONAL),
    MEMBER(BOOL, struct exec_record, printed, OPTIONAL),
};
const struct table exec_record_table = TABLE("exec", exec_fields, struct exec_record);

/* ---- Rules ---- */

const char rule_determinism[] = "determinism", rule_cost[] = "cost",
           rule_survivor[] = "surviving-mutant", rule_undetected[] = "undetected-mutant";

static const struct {
    const char *name, *level, *meaning;
} rules[] = {
    {rule_determinism, "error", "the outputs differ between two orders of threads, or two engines"},
    {rule_cost, "error",
     "the kernel is more expensive than its source says, or than --allow permits an edit to be"},
    {rule_survivor, "warning", "a change of the kernel passes the check"},
    {rule_undetected, "note",
     "a change of the kernel passes the check, and only a reference would detect it"},
    {"invalid-call", "error", "a call of the CUDA API has wrong arguments"},
    {"unsynchronized-access", "error",
     "the host accesses memory that unfinished work of a stream uses"},
};

const char *rule_meaning(const char *rule)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rule, rules[k].name) == 0)
            return rules[k].meaning;
    for (int k = FAULT_NONE + 1; k < FAULT_KINDS; k++)
        if (strcmp(rule, fault_name((enum fault_kind)k)) == 0)
            return fault_meaning((enum fault_kind)k);
    for (int k = 0; k < RACE_VERDICTS; k++)
        if (strcmp(rule, race_verdict_name((enum race_verdict)k)) == 0)
            return race_verdict_meaning((enum race_verdict)k);
    return verdict_meaning(VERDICT_MISMATCH);
}

const char *rule_level(const char *rule)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rule, rules[k].name) == 0)
            return rules[k].level;
    return rules[0].level;
}
