/* SPDX-License-Identifier: MIT
 *
 * The outcomes of a test.
 */
#include "litmus_model.h"

#include <stdlib.h>
#include <string.h>

struct litmus_outcome *litmus_outcome_add(const struct litmus_test *test,
                                          struct litmus_outcomes *outcomes, const int *values)
{
    const size_t used = (size_t)test->term_count * sizeof *values;
    struct litmus_outcome *list = outcomes->list;

    for (size_t k = 0; k < outcomes->count; k++)
        if (memcmp(list[k].values, values, used) == 0)
            return &list[k];
    list = realloc(list, (outcomes->count + 1) * sizeof *list);
    if (list == NULL)
        return NULL;
    outcomes->list = list;
    list[outcomes->count] = (struct litmus_outcome){.is_allowed = false};
    memcpy(list[outcomes->count].values, values, used);
    return &list[outcomes->count++];
}

bool litmus_is_allowed(const struct litmus_test *test, const struct litmus_outcomes *outcomes)
{
    for (size_t k = 0; k < outcomes->count; k++)
        if (outcomes->list[k].is_allowed && litmus_condition_holds(test, outcomes->list[k].values))
            return true;
    return false;
}

bool litmus_is_sequential(const struct litmus_test *test, const struct litmus_outcomes *outcomes)
{
    for (size_t k = 0; k < outcomes->count; k++)
        if (outcomes->list[k].is_sequential &&
            litmus_condition_holds(test, outcomes->list[k].values))
            return true;
    return false;
}
