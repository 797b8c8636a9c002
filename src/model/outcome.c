/* SPDX-License-Identifier: MIT */
#include "outcome_tables.h"

#include "catalogue.h"

static const struct {
    const char *name, *meaning;
} faults[] = {
    [FAULT_NONE] = {"none", NULL},
    [FAULT_OUT_OF_BOUNDS_READ] = {"out-of-bounds-read",
                                  "a read outside an array, or outside shared or local memory"},
    [FAULT_OUT_OF_BOUNDS_WRITE] = {"out-of-bounds-write",
                                   "a write outside an array, or outside shared or local memory"},
    [FAULT_READ_ONLY] = {"write-to-input", "a write to an input or a constant"},
    [FAULT_UNINITIALIZED_READ] =
        {"uninitialized-read",
         "a value that was never written is used: in an output, an address, a branch, a call, an "
         "atomic access, a vote or an argument of the library"},
    [FAULT_UNWRITTEN_OUTPUT] = {"unwritten-output",
                                "an element of an output that the kernel does not write"},
    [FAULT_DIVERGENT_BARRIER] =
        {"divergent-barrier",
         "threads that a barrier or warp operation names do not arrive, or wait elsewhere"},
    [FAULT_INVALID_ASYNC] =
        {"invalid-async",
         "an asynchronous copy or an mbarrier operation that PTX does not define: a wrong size or "
         "alignment, an object that is not initialized, a count out of range, or a copy that is "
         "incomplete when its block ends"},
    [FAULT_DEADLOCK] = {"deadlock", "threads wait for an event that no thread can cause any more"},
    [FAULT_STEP_LIMIT] = {"step-limit", "a case executes more instructions than --steps allows"},
    [FAULT_TIMEOUT] = {"timeout", "a case takes longer than --deadline"},
    [FAULT_LAUNCH] = {"launch-error", "a launch that CUDA rejects"},
    [FAULT_CHILD_LAUNCH] = {"child-launch-error", "a nested launch that fails"},
    [FAULT_RUNAWAY] = {"runaway-launches", "more child grids than a limit allows"},
    [FAULT_UNEXPECTED_OUTPUT] = {"unexpected-output",
                                 "the kernel prints and should not, or prints something else"},
    [FAULT_DIVISION] = {"division-by-zero",
                        "the quotient or remainder of an integer division by zero is used"},
    [FAULT_LOCAL_POINTER_ESCAPE] =
        {"local-pointer-escape",
         "a child grid gets a pointer to local or shared memory of its parent"},
    [FAULT_STACK] = {"stack-overflow", "calls nest deeper than the stack"},
    [FAULT_MISALIGNED] = {"misaligned-access",
                          "an access at an address that is not a multiple of its size"},
    [FAULT_TRAP] = {"trap", "a trap instruction or a failed assertion"},
    [FAULT_USE_AFTER_FREE] = {"use-after-free",
                              "an access to memory that free() or delete has released"},
    [FAULT_INVALID_FREE] = {"invalid-free",
                            "free() of a wrong address, or of the same address twice"},
    [FAULT_MEMORY_LEAK] = {"memory-leak", "memory of malloc() or new that the kernels do not free"},
    [FAULT_UNSUPPORTED] = {"unsupported",
                           "the kernel needs a feature that the engine does not have"},
    [FAULT_CRASH] = {"crash", "the worker process died, or the GPU reported an error"},
};
_Static_assert(sizeof faults / sizeof *faults == FAULT_KINDS, "a name for each kind");

static const char
    *const model_names[] = {[MODEL_LOCKSTEP] = "lockstep", [MODEL_INDEPENDENT] = "independent"},
           *const outcome_names[] = {
               [OUTCOME_PASS] = "pass", [OUTCOME_MISMATCH] = "mismatch", [OUTCOME_FAULT] = "fault"};
_Static_assert(sizeof model_names / sizeof *model_names == MODELS, "a name for each model");

static const char *const variant_kind_names[] = {
    [VARIANT_ORIGINAL] = "original", [VARIANT_CORRECTED] = "corrected"};

const struct words variant_kind_words = WORDS_OF(variant_kind_names),
                   fault_words = {&faults[0].name, sizeof *faults, FAULT_KINDS},
                   model_words = WORDS_OF(model_names), outcome_words = WORDS_OF(outcome_names);

const char *fault_name(enum fault_kind kind)
{
    return faults[kind].name;
}

const char *fault_meaning(enum fault_kind kind)
{
    return faults[kind].meaning;
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
    MEMBER(WORD, struct fault, kind, WORDS(fault)),
    MEMBER(TEXT, struct fault, text),
    MEMBER(TEXT, struct fault, file, .has = has_line),
    MEMBER(COUNT, struct fault, line, .has = has_line),
    MEMBER(COUNTS32, struct fault, block, .has = has_line),
    MEMBER(COUNTS32, struct fault, thread, .has = has_line),
};
const struct table fault_table = TABLE("fault", fault_fields, struct fault);

static const struct field difference_fields[] = {
    MEMBER(TEXT, struct difference, place),
    MEMBER(TEXT, struct difference, expected),
    MEMBER(TEXT, struct difference, got),
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
    FIELD("outcome", WORD, struct outcome, kind, WORDS(outcome)),
    MEMBER(COUNT, struct outcome, digest, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, points, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, races, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, unordered, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, checked, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, unexpected, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, same_value, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, excused, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNTS64, struct outcome, order, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct outcome, active_mask, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct outcome, atomic, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct outcome, inexact, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct outcome, clock, .flags = FIELD_ONLY_WIRE),
    FIELD(NULL, MEMBERS, struct outcome, difference, OF(difference), .has = is_mismatch),
    MEMBER(OBJECT, struct outcome, fault, OF(fault), .has = is_fault),
#ifdef SIMTCHECK_EXTRA_MEMBER
    MEMBER(COUNT, struct outcome, extra, .compare = COMPARE_MORE_IS_WORSE),
#endif
};
const struct table outcome_table = TABLE("outcome", outcome_fields, struct outcome);

uint64_t outcome_orders(const struct outcome *a, const struct outcome *b)
{
    uint64_t differ = 0;

    for (size_t k = 0; k < sizeof a->order / sizeof *a->order; k++)
        differ |= a->order[k] != b->order[k] ? UINT64_C(1) << k : 0;
    return differ;
}

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
    {"atomic", ACCESS_ATOMIC}, {"exit", ACCESS_EXIT}, {"write", ACCESS_WRITE}, {"read", 0}};

const char *race_access_word(const struct race_side *side)
{
    const struct bits_word *word = access_words;

    while ((side->access & word->bits) != word->bits)
        word++;
    return word->word;
}

static const struct field side_fields[] = {
    MEMBER(TEXT, struct race_side, kernel),
    MEMBER(COUNT, struct race_side, grid),
    MEMBER(COUNTS32, struct race_side, block),
    MEMBER(COUNTS32, struct race_side, thread),
    MEMBER(COUNT, struct race_side, number, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct race_side, file),
    MEMBER(COUNT, struct race_side, line),
    FIELD("accesses", COUNT, struct race_side, access, .flags = FIELD_ONLY_WIRE),
    MEMBER(BITS, struct race_side, access, .bits_words = access_words, .flags = FIELD_ONLY_JSON),
    FIELD("volatile", BIT, struct race_side, access, .bit = ACCESS_VOLATILE,
          .flags = FIELD_ONLY_JSON),
    FIELD("async", BIT, struct race_side, access, .bit = ACCESS_ASYNC,
          .flags = FIELD_ONLY_JSON | FIELD_OPTIONAL),
    FIELD("inlined_at", TEXT, struct race_side, outer, OPTIONAL),
    MEMBER(COUNT, struct race_side, ptx_line, OPTIONAL),
    MEMBER(TEXT, struct race_side, scope, OPTIONAL),
    MEMBER(BOOL, struct race_side, is_float, OPTIONAL),
    MEMBER(COUNT, struct race_side, bytes, .flags = FIELD_ONLY_WIRE),
    MEMBER(BOOL, struct race_side, before_known, .flags = FIELD_ONLY_WIRE),
    FIELD("old", COUNT, struct race_side, before, KNOWN_BY(struct race_side, before_known)),
    MEMBER(BOOL, struct race_side, after_known, .flags = FIELD_ONLY_WIRE),
    FIELD("new", COUNT, struct race_side, after, KNOWN_BY(struct race_side, after_known),
          .has = writes),
    FIELD("value", COUNT, struct race_side, after, .flags = FIELD_KNOWN | FIELD_ONLY_JSON,
          .known = offsetof(struct race_side, after_known), .has = reads),
};
static const struct table side_table = TABLE("side", side_fields, struct race_side);

static const struct field race_fields[] = {
    MEMBER(OBJECT, struct race, first, OF(side)),
    MEMBER(OBJECT, struct race, second, OF(side)),
    MEMBER(TEXT, struct race, place),
    MEMBER(TEXT, struct race, missing),
    MEMBER(TEXT, struct race, removed, OPTIONAL),
    MEMBER(COUNT, struct race, count),
    MEMBER(BOOL, struct race, strong),
    MEMBER(BOOL, struct race, same_value),
};
const struct table race_table = TABLE("pair", race_fields, struct race);
