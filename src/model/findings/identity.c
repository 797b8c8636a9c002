/* SPDX-License-Identifier: MIT */
#include "identity.h"

#include "fnv.h"
#include "verdict_words.h"

#include <stdio.h>
#include <string.h>

static int compare_places(const struct fault_place *a, const struct fault_place *b)
{
    int order = strcmp(a->file, b->file);

    if (order == 0)
        order = a->line - b->line;
    return order != 0 ? order : strcmp(a->outer, b->outer);
}

void identity_add_place(struct identity *identity, const char *file, int line, const char *outer)
{
    struct fault_place place = {.line = line};
    uint32_t k = identity->place_count;

    if (line == 0 || k == IDENTITY_PLACES)
        return;
    snprintf(place.file, sizeof place.file, "%s", file);
    snprintf(place.outer, sizeof place.outer, "%s", outer);
    for (; k > 0 && compare_places(&identity->places[k - 1], &place) > 0; k--)
        identity->places[k] = identity->places[k - 1];
    identity->places[k] = place;
    identity->place_count++;
}

/* Sets the name of an array. Rows of a matrix, such as "in[3]", are one array. */
static void set_array(struct identity *identity, const char *array)
{
    snprintf(identity->array, sizeof identity->array, "%.*s", (int)strcspn(array, "["), array);
}

/* Adds a text without its numbers. */
static void add_reason(struct identity *identity, const char *text)
{
    char *to = identity->reason + strlen(identity->reason);
    const char *end = identity->reason + sizeof identity->reason - 1;

    for (; *text != '\0' && to < end; text++)
        if (strchr("0123456789", *text) == NULL)
            *to++ = *text;
    *to = '\0';
}

struct identity identity_of_fault(const struct fault *fault)
{
    unsigned int by = fault_identity(fault->kind);
    struct identity identity = {.rule = fault_name(fault->kind),
                                .detail = by & BY_SIDE     ? element_side_name(fault->element.side)
                                          : by & BY_ORIGIN ? fault_origin_name(fault->origin)
                                                           : "",
                                .relation = "",
                                .of_kernel = (by & BY_KERNEL) != 0};
    bool is_read = (by & BY_READ) && fault->others[0].line != 0;

    if ((by & (BY_PLACE | BY_READ)) && !is_read)
        identity_add_place(&identity, fault->file, fault->line, fault->outer);
    for (int k = 0; k < FAULT_PLACES && (is_read || (by & BY_OTHERS)); k++)
        identity_add_place(&identity, fault->others[k].file, fault->others[k].line,
                           fault->others[k].outer);
    if (by & BY_ARRAY)
        set_array(&identity, fault->element.array);
    if (by & BY_OBJECT)
        add_reason(&identity, fault->object);
    if (by & BY_REASON)
        add_reason(&identity, fault->reason);
    if (by & BY_SENTENCE)
        add_reason(&identity, fault_sentence_name(fault->sentence));
    return identity;
}

struct identity identity_of_difference(const struct difference *difference)
{
    struct identity identity = {
        .rule = verdict_name(VERDICT_MISMATCH), .detail = "", .relation = "", .of_kernel = true};

    set_array(&identity, difference->element.unit != ELEMENT_NONE ? difference->element.array
                                                                  : difference->place);
    identity_add_place(&identity, difference->file, difference->line, difference->outer);
    return identity;
}

struct identity identity_of_race(const struct race *race)
{
    /* One missing barrier lets lanes of a warp race in small blocks, and warps in larger ones. */
    enum race_relation relation =
        race->relation == RELATION_LANES ? RELATION_WARPS : race->relation;
    struct identity identity = {.rule = race_verdict_name(RACE),
                                .detail = race_hazard_name(race->hazard),
                                .relation = race_relation_name(relation)};
    const struct race_side *const sides[] = {&race->first, &race->second};

    for (int s = 0; s < 2; s++)
        identity_add_place(&identity, sides[s]->file, sides[s]->line, sides[s]->outer);
    if (identity.place_count == 2 &&
        compare_places(&identity.places[0], &identity.places[1]) == 0) {
        identity.place_count = 1; /* such as x[i]++: a lost update has several hazards */
        identity.detail = "";
    }
    set_array(&identity, race->element.array);
    return identity;
}

struct identity identity_of_outcome(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_FAULT ? identity_of_fault(&outcome->fault)
                                          : identity_of_difference(&outcome->difference);
}

bool identity_equal(const struct identity *a, const struct identity *b)
{
    if (strcmp(a->rule, b->rule) != 0 || strcmp(a->array, b->array) != 0 ||
        strcmp(a->detail, b->detail) != 0 || strcmp(a->relation, b->relation) != 0 ||
        strcmp(a->reason, b->reason) != 0)
        return false;
    if (a->place_count == 0 || b->place_count == 0)
        return true;
    for (uint32_t k = 0; k < a->place_count && k < b->place_count; k++)
        if (compare_places(&a->places[k], &b->places[k]) != 0)
            return false;
    return a->place_count == b->place_count;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return fnv_bytes(hash, text, strlen(text) + 1);
}

uint64_t identity_hash(const struct identity *identity)
{
    uint64_t hash = hash_text(FNV_OFFSET_BASIS, identity->rule);

    for (uint32_t k = 0; k < identity->place_count; k++) {
        hash = hash_text(hash, identity->places[k].file);
        hash = fnv_number(hash, (uint64_t)identity->places[k].line);
        hash = hash_text(hash, identity->places[k].outer);
    }
    hash = hash_text(hash, identity->array);
    hash = hash_text(hash, identity->detail);
    hash = hash_text(hash, identity->relation);
    hash = hash_text(hash, identity->reason);
    return hash != 0 ? hash : 1;
}
