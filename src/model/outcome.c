/* SPDX-License-Identifier: MIT */
#include "outcome_tables.h"

#include "catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const
    model_names[] = {[MODEL_LOCKSTEP] = "lockstep", [MODEL_INDEPENDENT] = "independent"},
    *const outcome_names[] = {
        [OUTCOME_PASS] = "pass", [OUTCOME_MISMATCH] = "wrong-result", [OUTCOME_FAULT] = "fault"};
_Static_assert(sizeof model_names / sizeof *model_names == MODELS, "a name for each model");

static const char *const variant_kind_names[] = {
    [VARIANT_ORIGINAL] = "original", [VARIANT_CORRECTED] = "corrected"};

const struct words variant_kind_words = WORDS_OF(variant_kind_names),
                   model_words = WORDS_OF(model_names), outcome_words = WORDS_OF(outcome_names);

const char *model_name(enum model model)
{
    return model_names[model];
}

const char *outcome_name(enum outcome_kind kind)
{
    return outcome_names[kind];
}

/* ---- Faults and differences ---- */

static const char *const kind_names[] = {
#define ROW(name, word, ...) [FAULT_##name] = (word),
    FAULT_KIND_ROWS(ROW)
#undef ROW
};
static const char *const sentence_names[] = {
#define ROW(name, template) [SAYS_##name] = #name,
    FAULT_SENTENCE_ROWS(ROW)
#undef ROW
};
static const char *const origin_names[] = {
#define ROW(name, word, template) [FROM_##name] = (word),
    FAULT_ORIGIN_ROWS(ROW)
#undef ROW
};
static const char *const unit_names[] = {[ELEMENT_NONE] = "whole",
                                         [ELEMENT_INDEX] = "element",
                                         [ELEMENT_BYTE] = "byte",
                                         [ELEMENT_OF_HEAP] = "byte of malloc()"};
static const char *const side_names[] = {
    [SIDE_INSIDE] = "inside", [SIDE_BEFORE] = "before", [SIDE_AFTER] = "after"};

const struct words fault_words = WORDS_OF(kind_names);
static const struct words sentence_words = WORDS_OF(sentence_names),
                          origin_words = WORDS_OF(origin_names), unit_words = WORDS_OF(unit_names),
                          side_words = WORDS_OF(side_names);

const char *fault_origin_name(enum fault_origin origin)
{
    return origin_names[origin];
}

const char *fault_sentence_name(enum fault_sentence sentence)
{
    return sentence_names[sentence];
}

const char *element_side_name(enum element_side side)
{
    return side_names[side];
}

static bool has_array(const void *record)
{
    return ((const struct array_element *)record)->array[0] != '\0';
}

static bool has_index(const void *record)
{
    const struct array_element *element = record;

    return element->unit != ELEMENT_NONE && element->index >= 0;
}

static const struct field element_fields[] = {
    MEMBER(TEXT, struct array_element, array),
    MEMBER(WORD, struct array_element, unit, WORDS(unit)),
    MEMBER(WORD, struct array_element, side, WORDS(side)),
    MEMBER(COUNT, struct array_element, index, .has = has_index),
    MEMBER(COUNT, struct array_element, count, OPTIONAL),
    MEMBER(COUNT, struct array_element, offset, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct array_element, bytes, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct array_element, access, .flags = FIELD_ONLY_WIRE),
};
static const struct table element_table = TABLE("element", element_fields, struct array_element);

static bool has_line(const void *record)
{
    return ((const struct fault *)record)->line != 0;
}

static bool has_element(const void *record)
{
    return has_array(&((const struct fault *)record)->element);
}

static bool has_origin(const void *record)
{
    return (fault_identity(((const struct fault *)record)->kind) & BY_READ) != 0;
}

static const struct field other_fields[] = {
    MEMBER(TEXT, struct fault_place, file),
    MEMBER(COUNT, struct fault_place, line),
    MEMBER(TEXT, struct fault_place, outer),
    MEMBER(COUNT, struct fault_place, threads),
};
static const struct table other_table = TABLE("other", other_fields, struct fault_place);

/* Workers send the other members, and the supervisor renders the text. */
static const struct field fault_fields[] = {
    MEMBER(WORD, struct fault, kind, WORDS(fault)),
    MEMBER(TEXT, struct fault, text, .flags = FIELD_ONLY_JSON),
    MEMBER(WORD, struct fault, sentence, WORDS(sentence), .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct fault, file, .has = has_line),
    MEMBER(COUNT, struct fault, line, .has = has_line),
    FIELD("inlined_at", TEXT, struct fault, outer, OPTIONAL),
    MEMBER(TEXT, struct fault, library, OPTIONAL),
    MEMBER(BOOL, struct fault, has_thread, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNTS32, struct fault, block, .has = has_line),
    MEMBER(COUNTS32, struct fault, thread, .has = has_line),
    MEMBER(COUNT, struct fault, depth, .flags = FIELD_ONLY_WIRE),
    MEMBER(BOOL, struct fault, writes, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct fault, bytes, OPTIONAL),
    MEMBER(OBJECT, struct fault, element, OF(element), .has = has_element),
    MEMBER(OBJECT, struct fault, stored, OF(element), .flags = FIELD_ONLY_WIRE),
    MEMBER(WORD, struct fault, origin, WORDS(origin), .has = has_origin),
    MEMBER(TEXT, struct fault, object, OPTIONAL),
    MEMBER(TEXT, struct fault, reason, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNTS64, struct fault, numbers, .flags = FIELD_ONLY_WIRE),
#define OTHER(k) FIELD(NULL, MEMBERS, struct fault, others[k], OF(other), .flags = FIELD_ONLY_WIRE)
    OTHER(0),
    OTHER(1),
    OTHER(2),
    OTHER(3),
#undef OTHER
};
_Static_assert(FAULT_PLACES == 4, "a row for each of the other places");
const struct table fault_table = TABLE("fault", fault_fields, struct fault);

static bool is_element(const void *record)
{
    return ((const struct difference *)record)->element.unit != ELEMENT_NONE;
}

static const struct field difference_fields[] = {
    MEMBER(TEXT, struct difference, place),
    MEMBER(TEXT, struct difference, expected),
    MEMBER(TEXT, struct difference, got),
    MEMBER(OBJECT, struct difference, element, OF(element), .has = is_element),
    MEMBER(COUNT, struct difference, buffer, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct difference, file, OPTIONAL),
    MEMBER(COUNT, struct difference, line, OPTIONAL),
    FIELD("inlined_at", TEXT, struct difference, outer, OPTIONAL),
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
    MEMBER(COUNT, struct outcome, instructions, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, races, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNTS64, struct outcome, race_identities, .flags = FIELD_ONLY_WIRE),
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
    MEMBER(TEXT, struct outcome, barriers, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct outcome, prints, .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNT, struct outcome, printed, .flags = FIELD_ONLY_WIRE),
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

static const char *const access_names[] = {"atomic", "exit", "write", "read"};
static const unsigned int access_bits[] = {ACCESS_ATOMIC, ACCESS_EXIT, ACCESS_WRITE, 0};
static const struct words access_words = WORDS_OF(access_names);

/* Writes the value of an element. The simulator fills unwritten memory with bytes 0xa5. Returns the
 * text. */
static const char *value_text(const struct race_side *side, uint32_t value, char *text, size_t size)
{
    /* A race from a file of results has no width. */
    const bool is_narrow = side->bytes == 1 || side->bytes == 2;
    const uint32_t mask = is_narrow ? (UINT32_C(1) << 8 * side->bytes) - 1 : UINT32_MAX;
    float number;

    memcpy(&number, &value, sizeof number);
    if (value == (mask & 0xa5a5a5a5))
        snprintf(text, size, "0x%" PRIx32 " (unwritten memory)", value);
    else if (side->is_float)
        snprintf(text, size, "%.9g", (double)number);
    else
        snprintf(text, size, "%" PRIi32, (int32_t)value);
    return text;
}

const char *race_does(const struct race_side *side, char text[RACE_DOES])
{
    enum { VALUE = 40 };
    char after[VALUE] = "it", before[VALUE] = "", how[2 * VALUE] = "";
    const char *semantics = side->semantics, *verb;
    bool is_changed = side->before_known && side->after_known;

    if (side->after_known)
        value_text(side, side->after, after, sizeof after);
    if (is_changed)
        value_text(side, side->before, before, sizeof before);
    if (side->access & ACCESS_ATOMIC)
        verb = "updates";
    else if (side->access & ACCESS_WRITE)
        verb = semantics[0] != '\0' ? "stores" : "writes";
    else
        verb = semantics[0] != '\0' ? "loads" : "reads";
    if (semantics[0] != '\0' || (side->access & ACCESS_ATOMIC))
        snprintf(how, sizeof how, "%s%s%s%s, scope %s",
                 side->access & ACCESS_ATOMIC ? " atomically" : "",
                 semantics[0] != '\0' ? " with " : "", semantics,
                 semantics[0] != '\0' ? " semantics" : "", side->scope);
    else if (side->access & ACCESS_VOLATILE)
        snprintf(how, sizeof how, " (volatile)");
    if (side->access & ACCESS_EXIT)
        snprintf(text, RACE_DOES, "exits");
    else
        snprintf(text, RACE_DOES, "%s %s%s%s%s%s", verb, after, how,
                 side->access & ACCESS_ASYNC ? " asynchronously" : "", is_changed ? " over " : "",
                 before);
    return text;
}

const char *race_access_word(const struct race_side *side)
{
    size_t word = 0;

    while ((side->access & access_bits[word]) != access_bits[word])
        word++;
    return access_names[word];
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
    MEMBER(BITS, struct race_side, access, WORDS(access), .bits = access_bits,
           .flags = FIELD_ONLY_JSON),
    FIELD("volatile", BIT, struct race_side, access, .bit = ACCESS_VOLATILE,
          .flags = FIELD_ONLY_JSON),
    FIELD("async", BIT, struct race_side, access, .bit = ACCESS_ASYNC,
          .flags = FIELD_ONLY_JSON | FIELD_OPTIONAL),
    FIELD("inlined_at", TEXT, struct race_side, outer, OPTIONAL),
    MEMBER(TEXT, struct race_side, library, OPTIONAL),
    MEMBER(COUNT, struct race_side, ptx_line, OPTIONAL),
    MEMBER(TEXT, struct race_side, scope, OPTIONAL),
    MEMBER(TEXT, struct race_side, semantics, OPTIONAL),
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

static const char *const hazard_names[] = {[HAZARD_WRITE_READ] = "write-read",
                                           [HAZARD_READ_WRITE] = "read-write",
                                           [HAZARD_WRITE_WRITE] = "write-write"};
static const char *const relation_names[] = {[RELATION_LANES] = "lanes",
                                             [RELATION_WARPS] = "warps",
                                             [RELATION_BLOCKS] = "blocks",
                                             [RELATION_GRIDS] = "grids",
                                             [RELATION_PROXIES] = "proxies"};
static const struct words hazard_words = WORDS_OF(hazard_names),
                          relation_words = WORDS_OF(relation_names);

const char *race_hazard_name(enum race_hazard hazard)
{
    return hazard_names[hazard];
}

const char *race_relation_name(enum race_relation relation)
{
    return relation_names[relation];
}

void race_render(struct race *race)
{
    array_element_text(&race->element, race->place, sizeof race->place);
    if (race->flag[0] != '\0')
        memcpy(race->missing, race->flag, sizeof race->missing);
    else
        sentence_render(race->lacks, race->numbers, race->missing, sizeof race->missing);
}

static const struct field race_fields[] = {
    MEMBER(OBJECT, struct race, first, OF(side)),
    MEMBER(OBJECT, struct race, second, OF(side)),
    MEMBER(TEXT, struct race, place, .flags = FIELD_ONLY_JSON),
    MEMBER(OBJECT, struct race, element, OF(element)),
    MEMBER(WORD, struct race, hazard, WORDS(hazard)),
    MEMBER(WORD, struct race, relation, WORDS(relation)),
    MEMBER(WORD, struct race, lacks, WORDS(sentence), .flags = FIELD_ONLY_WIRE),
    MEMBER(COUNTS64, struct race, numbers, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct race, flag, .flags = FIELD_ONLY_WIRE),
    MEMBER(TEXT, struct race, missing, .flags = FIELD_ONLY_JSON),
    MEMBER(TEXT, struct race, removed, OPTIONAL),
    MEMBER(COUNT, struct race, count),
    MEMBER(BOOL, struct race, strong),
    MEMBER(BOOL, struct race, shares, .flags = FIELD_ONLY_WIRE),
    MEMBER(BOOL, struct race, same_value),
};
const struct table race_table = TABLE("pair", race_fields, struct race);
