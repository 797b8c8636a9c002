/* SPDX-License-Identifier: MIT
 *
 * Compares faults member by member. The tests of sentences are in model/test_fault.c.
 */
#ifndef SIMTCHECK_TESTS_FAULT_MEMBERS_H
#define SIMTCHECK_TESTS_FAULT_MEMBERS_H

#include "fault.h"

#include <string.h>

/* A fault for tables: its kind, its sentence, and the other members that a test names. */
#define FAULT(name, ...)                                                                           \
    {                                                                                              \
        .kind = FAULT_##name, .sentence = SAYS_##__VA_ARGS__                                       \
    }

/* Returns whether a fault has the kind, the sentence and all other members of `expected` that are
 * not zero. A name, a file and a reason contain those expected. */
static inline bool fault_has(const struct fault *fault, const struct fault *expected)
{
    const struct array_element *is = &fault->element, *want = &expected->element;
    bool has = fault->kind == expected->kind && fault->sentence == expected->sentence &&
               (expected->line == 0 || fault->line == expected->line) &&
               (expected->bytes == 0 || fault->bytes == expected->bytes) &&
               (expected->origin == 0 || fault->origin == expected->origin) &&
               strstr(fault->file, expected->file) != NULL &&
               strstr(fault->object, expected->object) != NULL &&
               strstr(fault->reason, expected->reason) != NULL &&
               strstr(is->array, want->array) != NULL &&
               (want->side == 0 || is->side == want->side) &&
               (want->index == 0 || is->index == want->index) &&
               (want->count == 0 || is->count == want->count);

    for (int k = 0; k < FAULT_NUMBERS; k++)
        has = has && (expected->numbers[k] == 0 || fault->numbers[k] == expected->numbers[k]);
    for (int k = 0; k < FAULT_PLACES; k++)
        has =
            has &&
            (expected->others[k].line == 0 || fault->others[k].line == expected->others[k].line) &&
            strstr(fault->others[k].file, expected->others[k].file) != NULL;
    return has;
}

#endif
