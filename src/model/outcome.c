/* SPDX-License-Identifier: MIT */
#include "outcome_tables.h"

#include "catalogue.h"

static const char *const fault_names[] = {
    [FAULT_NONE] = "none",
    [FAULT_OUT_OF_BOUNDS_READ] = "out-of-bounds-read",
    [FAULT_OUT_OF_BOUNDS_WRITE] = "out-of-bounds-write",
    [FAULT_READ_ONLY] = "write-to-input",
    [FAULT_UNINITIALIZED_READ] = "uninitialized-read",
    [FAULT_UNWRITTEN_OUTPUT] = "unwritten-output",
    [FAULT_DIVERGENT_BARRIER] = "divergent-barrier",
    [FAULT_DEADLOCK] = "deadlock",
    [FAULT_STEP_LIMIT] = "step-limit",
    [FAULT_TIMEOUT] = "timeout",
    [FAULT_LAUNCH] = "launch-error",
    [FAULT_CHILD_LAUNCH] = "child-launch-error",
    [FAULT_RUNAWAY] = "runaway-launches",
    [FAULT_UNEXPECTED_OUTPUT] = "unexpected-output",
    [FAULT_DIVISION] = "division-by-zero",
    [FAULT_LOCAL_POINTER_ESCAPE] = "local-pointer-escape",
    [FAULT_STACK] = "stack-overflow",
    [FAULT_MISALIGNED] = "misaligned-access",
    [FAULT_TRAP] = "trap",
    [FAULT_UNSUPPORTED] = "unsupported",
    [FAULT_CRASH] = "crash",
};
_Static_assert(sizeof fault_names / sizeof *fault_names == FAULT_KINDS, "a name for each kind");

static const char
    *const model_names[] = {[MODEL_LOCKSTEP] = "lockstep", [MODEL_INDEPENDENT] = "independent"},
           *const outcome_names[] = {
               [OUTCOME_PASS] = "pass", [OUTCOME_MISMATCH] = "mismatch", [OUTCOME_FAULT] = "fault"};
_Static_assert(sizeof model_names / sizeof *model_names == MODELS, "a name for each model");

static const char *const variant_kind_names[] = {
    [VARIANT_ORIGINAL] = "original", [VARIANT_CORRECTED] = "corrected"};

const struct words variant_kind_words = WORDS_OF(variant_kind_names),
                   fault_words = WORDS_OF(fault_names), model_words = WORDS_OF(model_names),
                   outcome_words = WORDS_OF(outcome_names);

const char *fault_name(enum fault_kind kind)
{
    return fault_names[kind];
}

const char *model_name(enum model model)
{
    return model_names[model];
}

const char *outcome_name(enum outcome_kind kind)
{
    return outcome_names[kind];
}

/* ---- Faults and differences ---- */

static bool has_line(const void *record)
{
    return ((const struct fault *)record)->line != 0;
}

static const struct field fault_fields[] = {
    FIELD("kind", WORD, struct fault, kind, .words = &fault_words),
    FIELD("text", TEXT, struct fault, text),
    FIELD("file", TEXT, struct fault, file, .has = has_line),
    FIELD("line", COUNT, struct fault, line, .has = has_line),
    FIELD("block", COUNTS32, struct fault, block, .has = has_line),
    FIELD("thread", COUNTS32, struct fault, thread, .has = has_line),
};
const struct table fault_table = TABLE("fault", fault_fields, struct fault);

static const struct field difference_fields[] = {
    FIELD("place", TEXT, struct difference, place),
    FIELD("expected", TEXT, struct difference, expected),
    FIELD("got", TEXT, struct difference, got),
};
const struct table difference_table = TABLE("difference", difference_fields, struct difference);

/* ---- Outcomes ---- */

static bool is_fault(const void *record)
{
    return ((const struct outcome *)record)->kind == OUTCOME_FAULT;
}

static bool is_mismatch(const void *record)
{
    return ((const struct outcome *)record)->kind == OUTCOME_MISMATCH;
}

static const struct field outcome_fields[] = {
    FIELD("outcome", WORD, struct outcome, kind, .words = &outcome_words),
    FIELD("digest", COUNT, struct outcome, digest, .flags = FIELD_ONLY_WIRE),
    FIELD("points", COUNT, struct outcome, points, .flags = FIELD_ONLY_WIRE),
    FIELD("races", COUNT, struct outcome, races, .flags = FIELD_ONLY_WIRE),
    FIELD("unordered", COUNT, struct outcome, unordered, .flags = FIELD_ONLY_WIRE),
    FIELD("checked", COUNT, struct outcome, checked, .flags = FIELD_ONLY_WIRE),
    FIELD("unexpected", COUNT, struct outcome, unexpected, .flags = FIELD_ONLY_WIRE),
    FIELD("same_value", COUNT, struct outcome, same_value, .flags = FIELD_ONLY_WIRE),
    FIELD(NULL, MEMBERS, struct outcome, difference, .table = &difference_table,
          .has = is_mismatch),
    FIELD("fault", OBJECT, struct outcome, fault, .table = &fault_table, .has = is_fault),
#ifdef SIMTCHECK_EXTRA_MEMBER
    FIELD("extra", COUNT, struct outcome, extra, .compare = COMPARE_MORE_IS_WORSE),
#endif
};
const struct table outcome_table = TABLE("outcome", outcome_fields, struct outcome);

/* ---- Races ---- */

static bool writes(const void *record)
{
    return (((const struct race_side *)record)->access & ACCESS_WRITE) != 0;
}

static bool reads(const void *record)
{
    return !writes(record);
}

static const struct bits_word access_words[] = {
    {"atomic", ACCESS_ATOMIC}, {"write", ACCESS_WRITE}, {"read", 0}};

const char *race_access_word(const struct race_side *side)
{
    const struct bits_word *word = access_words;

    while ((side->access & word->bits) != word->bits)
        word++;
    return word->word;
}

static const struct field side_fields[] = {
    FIELD("kernel", TEXT, struct race_side, kernel),
    FIELD("grid", COUNT, struct race_side, grid),
    FIELD("block", COUNTS32, struct race_side, block),
    FIELD("thread", COUNTS32, struct race_side, thread),
    FIELD("number", COUNT, struct race_side, number, .flags = FIELD_ONLY_WIRE),
    FIELD("file", TEXT, struct race_side, file),
    FIELD("line", COUNT, struct race_side, line),
    FIELD("accesses", COUNT, struct race_side, access, .flags = FIELD_ONLY_WIRE),
    FIELD("access", BITS, struct race_side, access, .flags = FIELD_ONLY_JSON,
          .bits_words = access_words),
    FIELD("volatile", BIT, struct race_side, access, .flags = FIELD_ONLY_JSON,
          .bit = ACCESS_VOLATILE),
    FIELD("inlined_at", TEXT, struct race_side, outer, .flags = FIELD_OPTIONAL),
    FIELD("ptx_line", COUNT, struct race_side, ptx_line, .flags = FIELD_OPTIONAL),
    FIELD("scope", TEXT, struct race_side, scope, .flags = FIELD_OPTIONAL),
    FIELD("before_known", BOOL, struct race_side, before_known, .flags = FIELD_ONLY_WIRE),
    FIELD("old", COUNT, struct race_side, before, .flags = FIELD_KNOWN,
          .known = offsetof(struct race_side, before_known)),
    FIELD("after_known", BOOL, struct race_side, after_known, .flags = FIELD_ONLY_WIRE),
    FIELD("new", COUNT, struct race_side, after, .flags = FIELD_KNOWN,
          .known = offsetof(struct race_side, after_known), .has = writes),
    FIELD("value", COUNT, struct race_side, after, .flags = FIELD_KNOWN | FIELD_ONLY_JSON,
          .known = offsetof(struct race_side, after_known), .has = reads),
};
static const struct table side_table = TABLE("side", side_fields, struct race_side);

static const struct field race_fields[] = {
    FIELD("first", OBJECT, struct race, first, .table = &side_table),
    FIELD("second", OBJECT, struct race, second, .table = &side_table),
    FIELD("place", TEXT, struct race, place),
    FIELD("missing", TEXT, struct race, missing),
    FIELD("count", COUNT, struct race, count),
    FIELD("strong", BOOL, struct race, strong),
    FIELD("same_value", BOOL, struct race, same_value),
};
const struct table race_table = TABLE("pair", race_fields, struct race);
