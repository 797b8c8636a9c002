/* SPDX-License-Identifier: MIT */
#include "case.h"

#include "identity.h"

#include <stdio.h>
#include <string.h>

bool outcome_is_unsupported(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_FAULT && outcome->fault.kind == FAULT_UNSUPPORTED;
}

bool outcome_hangs(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_FAULT &&
           (outcome->fault.kind == FAULT_TIMEOUT || outcome->fault.kind == FAULT_STEP_LIMIT);
}

bool outcome_same_finding(const struct outcome *a, const struct outcome *b)
{
    struct identity first, second;

    if (a->kind != b->kind || a->kind == OUTCOME_PASS)
        return false;
    first = identity_of_outcome(a);
    second = identity_of_outcome(b);
    return identity_equal(&first, &second);
}

bool outcome_is_foreign(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_FAULT && outcome->fault.kind != FAULT_UNWRITTEN_OUTPUT;
}

/* Returns whether the file is the family's: "kernels/nested_reduce.cu" belongs to nested_reduce. */
static bool is_of_family(const char *file, const char *family)
{
    const char *slash = strrchr(file, '/');
    size_t length = strlen(family);

    file = slash != NULL ? slash + 1 : file;
    return strncmp(file, family, length) == 0 && strcmp(file + length, ".cu") == 0;
}

/* Returns the sides of the variant's known defect whose regions contain the access, as bits. */
static unsigned int sides_of(const struct race_side *access, const struct variant *variant)
{
    unsigned int sides = 0;

    if (!is_of_family(access->file, variant->family))
        return 0;
    for (const struct defect_region *region = variant->known_defect->regions;
         region->family != NULL; region++)
        if (strcmp(region->family, variant->family) == 0 && access->line >= region->first &&
            access->line <= region->last)
            sides |= region->sides;
    return sides;
}

bool race_is_expected(const struct variant *variant, const struct race *race)
{
    const struct known_defect *known_defect = variant->known_defect;
    size_t length = strcspn(race->place, "[");
    unsigned int first, second;

    if (known_defect == NULL || known_defect->place == NULL ||
        strlen(known_defect->place) != length ||
        strncmp(known_defect->place, race->place, length) != 0)
        return false;
    first = sides_of(&race->first, variant);
    second = sides_of(&race->second, variant);
    return first != 0 && second != 0 && (first | second) == DEFECT_BOTH_SIDES;
}

void outcome_text(const struct outcome *outcome, char *text, size_t size)
{
    const struct difference *difference = &outcome->difference;

    switch (outcome->kind) {
    case OUTCOME_PASS:
        snprintf(text, size, "equals the oracle");
        break;
    case OUTCOME_MISMATCH:
        snprintf(text, size, "%s%sexpected %s, got %s", difference->place,
                 difference->place[0] != '\0' ? ": " : "", difference->expected, difference->got);
        break;
    case OUTCOME_FAULT:
        snprintf(text, size, "%s: %s", fault_name(outcome->fault.kind), outcome->fault.text);
        break;
    }
}

uint32_t race_allowance(const struct allowance_list *allowed, const struct race *race)
{
    const struct race_side *const sides[] = {&race->first, &race->second};
    uint32_t by = allowance_find(allowed, ALLOWED_SAME_VALUE, race->place);

    for (int s = 0; s < 2 && by == MAX_ALLOWED; s++) {
        char line[SOURCE_LINE];
        snprintf(line, sizeof line, "%.255s:%d", sides[s]->file, sides[s]->line);
        by = allowance_find(allowed, ALLOWED_SAME_VALUE, line);
    }
    return by;
}
