/* SPDX-License-Identifier: MIT */
#include "merge_findings.h"

#include "findings.h"
#include "identity.h"
#include "verdict_words.h"
#include "whole_file.h"

#include <stdlib.h>
#include <string.h>

/* A finding while evidence is added. Identities are those of the first evidence. */
struct merged {
    struct finding_record record;
    struct identity identity;
    struct identity other;               /* of another compiler's code; no rule: none */
    const struct evidence_record *shown; /* the evidence that the finding shows */
    const struct identity *cause;        /* null: none */
    bool is_unexplained;                 /* a cause was looked for, and some evidence has none */
    const char *compiler;                /* of the first evidence; null: none */
    bool is_consequence;
    bool is_lockstep, is_weak; /* all evidence is */
};

/* ---- One statement ---- */

/* Returns whether two lines of a file are in one statement: the lines before the later one end
 * none, but for what stands in strings. Compilers number the parts of a statement in different
 * ways. */
static bool is_one_statement(const char *file, int one, int other)
{
    int first = one < other ? one : other, last = one < other ? other : one, line = 1;
    size_t size = 0;
    char *text = read_whole_file(file, &size);
    bool is_one = text != NULL, in_string = false;

    for (size_t k = 0; is_one && k < size && line < last; k++) {
        in_string ^= line >= first && text[k] == '"' && text[k - (k > 0)] != '\\';
        is_one = line < first || in_string || strchr(";{}", text[k]) == NULL;
        line += text[k] == '\n';
    }
    free(text);
    return is_one && line == last;
}

/* Returns whether each place of an identity is in one statement with a place of the other one. The
 * calls into which compilers say that code is inlined may differ. */
static bool has_places_of(const struct identity *a, const struct identity *b)
{
    uint32_t k = 0, other = 0;

    while (k < a->place_count && other < b->place_count) {
        const struct fault_place *one = &a->places[k], *place = &b->places[other];
        bool is_same =
            strcmp(one->file, place->file) == 0 &&
            (one->line == place->line || is_one_statement(one->file, one->line, place->line));
        k += is_same;
        other = is_same ? 0 : other + 1;
    }
    return k == a->place_count;
}

/* Returns whether the identities differ only in lines of one statement, and in the calls into which
 * it is inlined. Two accesses of a race that have these in common are one place. */
static bool is_equal_by_statement(const struct identity *a, const struct identity *b)
{
    struct identity moved = *b;

    if (!has_places_of(a, b) || !has_places_of(b, a))
        return false;
    memcpy(moved.places, a->places, sizeof moved.places);
    moved.place_count = a->place_count;
    if (a->place_count != b->place_count)
        moved.detail = a->detail;
    return identity_equal(a, &moved);
}

/* ---- Evidence ---- */

static struct identity identity_of(const struct evidence_record *evidence)
{
    struct identity identity = {
        .rule = evidence->rule, .detail = "", .relation = "", .of_kernel = true};
    const struct place_record *related = evidence->related.items;

    if (evidence->identity != NULL)
        return *evidence->identity;
    if (evidence->line > 0)
        identity_add_place(&identity, evidence->file, (int)evidence->line, "");
    for (size_t k = 0; k < evidence->related.count; k++)
        identity_add_place(&identity, related[k].file, (int)related[k].line, "");
    return identity;
}

static bool has_identity(const struct merged *known, const struct identity *identity)
{
    return identity_equal(&known->identity, identity) ||
           (known->other.rule != NULL && identity_equal(&known->other, identity));
}

static bool is_same(const struct merged *known, const struct check_record *check,
                    const struct evidence_record *evidence, const struct identity *identity)
{
    return check->kind != CHECKED_MUTANT &&
           (known->shown->allowed_by != NULL) == (evidence->allowed_by != NULL) &&
           (!identity->of_kernel || strcmp(known->record.kernel, check->kernel) == 0) &&
           (has_identity(known, identity) || (known->compiler != NULL && check->compiler != NULL &&
                                              strcmp(known->compiler, check->compiler) != 0 &&
                                              is_equal_by_statement(&known->identity, identity)));
}

static bool is_side(const struct race_side *a, const struct race_side *b)
{
    return a->number == b->number && memcmp(&a->block, &b->block, sizeof a->block) == 0;
}

/* Returns whether two failures are of one case, and two races of the same threads. */
static bool is_one_failure(const struct evidence_record *a, const struct evidence_record *b)
{
    const struct race *one = a->race, *other = b->race;

    return a->case_id != NULL && b->case_id != NULL && strcmp(a->case_id, b->case_id) == 0 &&
           (one == NULL) == (other == NULL) &&
           (one == NULL ||
            (is_side(&one->first, &other->first) && is_side(&one->second, &other->second)) ||
            (is_side(&one->first, &other->second) && is_side(&one->second, &other->first)));
}

/* Returns whether another compiler's code has the same failure, which has no finding of its own.
 * Compilers place instructions in different orders, which swaps the accesses of a race, and keep a
 * variable in memory or not. So the detail of the identity may differ. */
static bool is_same_failure(const struct merged *known, const struct check_record *check,
                            const struct evidence_record *evidence, const struct identity *identity)
{
    const struct evidence_record *all = known->record.evidence.items;
    struct identity moved = *identity;
    size_t e = 0;

    moved.detail = known->identity.detail;
    if (check->compiler == NULL || !is_same(known, check, evidence, &moved))
        return false;
    while (e < known->record.evidence.count &&
           (all[e].compiler == NULL || strcmp(all[e].compiler, check->compiler) == 0 ||
            !is_one_failure(&all[e], evidence)))
        e++;
    return e < known->record.evidence.count;
}

/* Adds evidence of a check. Returns the finding's id. */
static uint64_t add_evidence(struct memory *memory, struct list *findings,
                             const struct check_record *check,
                             const struct evidence_record *evidence)
{
    const struct identity identity = identity_of(evidence);
    struct merged *known = findings->items, *end = known + findings->count;
    bool is_lockstep = check->has_model && check->model == MODEL_LOCKSTEP;
    struct evidence_record *added;
    bool is_better;

    while (known < end && !is_same(known, check, evidence, &identity))
        known++;
    if (known == end)
        for (known = findings->items; known < end; known++)
            if (is_same_failure(known, check, evidence, &identity))
                break;
    if (known == end) {
        known = list_add(memory, findings, sizeof *known);
        *known = (struct merged){.record = {.id = findings->count, .kernel = check->kernel},
                                 .identity = identity,
                                 .shown = evidence,
                                 .compiler = check->compiler,
                                 .is_lockstep = is_lockstep,
                                 .is_weak = evidence->is_weak};
    }
    known->is_lockstep = known->is_lockstep && is_lockstep;
    known->is_weak = known->is_weak && evidence->is_weak;
    if (known->cause == NULL && evidence->allowed_by == NULL)
        known->cause = evidence->cause;
    is_better = evidence->is_examined && evidence->cause == NULL && known->cause != NULL &&
                !known->is_unexplained;
    known->is_unexplained =
        known->is_unexplained || (evidence->is_examined && evidence->cause == NULL);
    if (known->identity.place_count == 0)
        known->identity = identity;
    else if (!identity_equal(&known->identity, &identity))
        known->other = identity;
    added = list_add(memory, &known->record.evidence, sizeof *added);
    *added = *evidence;
    added->check = check_name(check, memory);
    added->compiler = check->compiler;
    if (is_better) { /* than one that a race explains */
        struct evidence_record *first = known->record.evidence.items, shown = *added;
        *added = *first;
        *first = shown;
        known->shown = evidence;
    }
    return known->record.id;
}

/* ---- Findings ---- */

static const char *unless_empty(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static void set_identity(struct memory *memory, struct merged *merged, bool has_both_models)
{
    struct finding_record *record = &merged->record;
    const struct identity *identity = &merged->identity;

    for (uint32_t k = 0; k < identity->place_count; k++) {
        const struct fault_place *place = &identity->places[k];
        struct place_record *added = list_add(memory, &record->places, sizeof *added);
        *added = (struct place_record){.file = memory_copy(memory, place->file),
                                       .line = (uint64_t)place->line};
        if (place->outer[0] != '\0')
            added->inlined_at = memory_copy(memory, place->outer);
    }
    record->identity_kernel = identity->of_kernel ? record->kernel : NULL;
    record->array = identity->array[0] != '\0' ? memory_copy(memory, identity->array) : NULL;
    record->detail = unless_empty(identity->detail);
    record->relation = unless_empty(identity->relation);
    record->condition = merged->is_weak                          ? "weak memory"
                        : merged->is_lockstep && has_both_models ? "model lockstep"
                                                                 : NULL;
    record->reason = identity->reason[0] != '\0' ? memory_copy(memory, identity->reason) : NULL;
}

static void set_record(struct memory *memory, struct merged *merged, bool has_both_models)
{
    struct finding_record *record = &merged->record;
    const struct evidence_record *shown = merged->shown;

    record->rule = merged->identity.rule;
    record->message = shown->message;
    record->file = shown->file;
    record->line = shown->line;
    record->related = shown->related;
    record->case_id = shown->case_id;
    record->command = shown->command;
    record->allowed_by = shown->allowed_by;
    set_identity(memory, merged, has_both_models);
}

/* Returns whether the evidence is of a thread that waits for ever at a place of the identity. */
static bool waits_at(const struct evidence_record *evidence, const struct identity *identity)
{
    const struct counterexample_record *shown = evidence->counterexample;
    const struct fault *fault = shown != NULL ? &shown->outcome.fault : NULL;

    if (fault == NULL || shown->outcome.kind != OUTCOME_FAULT ||
        (fault->kind != FAULT_DEADLOCK && fault->kind != FAULT_STEP_LIMIT &&
         fault->kind != FAULT_TIMEOUT))
        return false;
    for (uint32_t k = 0; k < identity->place_count; k++)
        if (identity->places[k].line == fault->line &&
            strcmp(identity->places[k].file, fault->file) == 0)
            return true;
    return false;
}

/* Returns the finding that explains another one, or null. One that is allowed explains nothing. A
 * race explains a wait for one of its accesses. */
static struct merged *cause_of(const struct list *findings, const struct merged *merged)
{
    struct merged *all = findings->items;

    for (size_t k = 0; k < findings->count; k++) {
        bool explains = merged->cause != NULL
                            ? has_identity(&all[k], merged->cause)
                            : strcmp(all[k].identity.rule, race_verdict_name(RACE)) == 0 &&
                                  strcmp(all[k].record.kernel, merged->record.kernel) == 0 &&
                                  waits_at(merged->shown, &all[k].identity);
        if (&all[k] != merged && all[k].shown->allowed_by == NULL && all[k].cause == NULL &&
            explains && !merged->is_unexplained)
            return &all[k];
    }
    return NULL;
}

/* Returns whether a check for races ran under the model independent. */
static bool has_both_models(const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    bool has = false;

    for (size_t c = 0; c < launch->checks.count; c++)
        has = has || (checks[c].kind == CHECKED_RACES && checks[c].has_model &&
                      checks[c].model == MODEL_INDEPENDENT && checks[c].result != RESULT_SKIPPED);
    return has;
}

/* Findings are in this order: what a thread does where it may not, then the rest, and last what an
 * array lacks at the end, which often follows from another bug. */
enum { RANK_OF_ACCESSES, RANK_OF_THREADS, RANK_OF_ARRAYS };

static unsigned int rank_of(const char *rule)
{
    return strncmp(rule, "out-of-bounds", strlen("out-of-bounds")) == 0 ? RANK_OF_ACCESSES
           : strcmp(rule, fault_name(FAULT_UNWRITTEN_OUTPUT)) == 0 ||
                   strcmp(rule, verdict_name(VERDICT_MISMATCH)) == 0
               ? RANK_OF_ARRAYS
               : RANK_OF_THREADS;
}

void merge_findings(struct memory *memory, struct launch_record *launch)
{
    struct check_record *checks = launch->checks.items;
    struct list findings = {NULL, 0}; /* of struct merged */
    bool has_both = has_both_models(launch);

    launch->findings = (struct list){NULL, 0};
    for (size_t c = 0; c < launch->checks.count; c++) {
        const struct evidence_record *evidence = checks[c].findings.items;
        checks[c].finding_ids = (struct list){NULL, 0};
        for (size_t e = 0; e < checks[c].findings.count; e++)
            LIST_ADD(memory, &checks[c].finding_ids, uint64_t) =
                add_evidence(memory, &findings, &checks[c], &evidence[e]);
    }
    for (size_t k = 0; k < findings.count; k++)
        set_record(memory, (struct merged *)findings.items + k, has_both);
    for (size_t k = 0; k < findings.count; k++) {
        struct merged *merged = (struct merged *)findings.items + k;
        struct merged *cause = cause_of(&findings, merged);
        merged->is_consequence = cause != NULL && merged->record.allowed_by == NULL;
        if (merged->is_consequence)
            LIST_ADD(memory, &cause->record.consequences, struct finding_record) = merged->record;
    }
    for (unsigned int rank = 0; rank <= RANK_OF_ARRAYS; rank++)
        for (size_t k = 0; k < findings.count; k++) {
            const struct merged *merged = (const struct merged *)findings.items + k;
            if (!merged->is_consequence && rank_of(merged->record.rule) == rank)
                LIST_ADD(memory, &launch->findings, struct finding_record) = merged->record;
        }
}
