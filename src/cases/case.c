/* SPDX-License-Identifier: MIT */
#include "case.h"

#include <stdio.h>
#include <string.h>

bool outcome_same_kind(const struct outcome *a, const struct outcome *b)
{
    return a->kind == b->kind && a->kind != OUTCOME_PASS &&
           (a->kind != OUTCOME_FAULT || a->fault.kind == b->fault.kind);
}

bool outcome_is_foreign(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_FAULT && outcome->fault.kind != FAULT_UNWRITTEN_OUTPUT;
}

/* "kernels/nested_reduce.cu" is the family nested_reduce's. */
static bool is_of_family(const char *file, const char *family)
{
    const char *slash = strrchr(file, '/');
    size_t length = strlen(family);

    file = slash != NULL ? slash + 1 : file;
    return strncmp(file, family, length) == 0 && strcmp(file + length, ".cu") == 0;
}

static bool lies_in(const struct race_side *side, const struct variant *variant, const int lines[2])
{
    return side->line >= lines[0] && side->line <= lines[1] &&
           is_of_family(side->file, variant->family);
}

bool race_is_claimed(const struct variant *variant, const struct race *race)
{
    const struct finding *finding = variant->finding;
    size_t length = strcspn(race->place, "[");

    if (finding == NULL || finding->place == NULL || strlen(finding->place) != length ||
        strncmp(finding->place, race->place, length) != 0)
        return false;
    return (lies_in(&race->first, variant, finding->one) &&
            lies_in(&race->second, variant, finding->other)) ||
           (lies_in(&race->first, variant, finding->other) &&
            lies_in(&race->second, variant, finding->one));
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
