/* SPDX-License-Identifier: MIT */
#include "case.h"

#include <stdio.h>

bool outcome_same_kind(const struct outcome *a, const struct outcome *b)
{
    return a->kind == b->kind && a->kind != OUTCOME_PASS &&
           (a->kind != OUTCOME_FAULT || a->fault.kind == b->fault.kind);
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
