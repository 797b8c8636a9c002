/* SPDX-License-Identifier: MIT */
#include "selection.h"

#include <fnmatch.h>

bool selection_has(const struct selection *selection, const struct variant *variant)
{
    bool named = selection->glob_count == 0;

    for (size_t g = 0; g < selection->glob_count; g++)
        named = named || fnmatch(selection->globs[g], variant->id, 0) == 0;
    return named && selection->kinds[variant->kind];
}

bool selection_is_limited(const struct selection *selection)
{
    return selection->cases.blocks != NULL || selection->cases.sizes != NULL;
}

const char *selection_lacks(const struct selection *selection, const struct variant *variant)
{
    if (!selection->cases.profile_chosen)
        return NULL;
    if (selection->cases.profile == PROFILE_CDP2 && variant->need == NEEDS_DEVICE_WAIT)
        return "CDP2 does not support waiting on the device";
    if (selection->cases.profile == PROFILE_CDP1 && variant->need == NEEDS_TAIL_LAUNCH)
        return "CDP1 does not support tail launches";
    return NULL;
}

const char *selection_unmatched(const struct selection *selection,
                                const struct catalogue *catalogue)
{
    for (size_t g = 0; g < selection->glob_count; g++) {
        bool known = false;
        for (size_t i = 0; i < catalogue->count && !known; i++)
            known = fnmatch(selection->globs[g], catalogue->variants[i].id, 0) == 0;
        if (!known)
            return selection->globs[g];
    }
    return NULL;
}

bool selection_has_any(const struct selection *selection, const struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++)
        if (selection_has(selection, &catalogue->variants[i]))
            return true;
    return false;
}

bool selection_takes(const struct selection *selection, const struct catalogue *catalogue,
                     const struct shape *shape)
{
    for (size_t i = 0; i < catalogue->count; i++)
        if (selection_has(selection, &catalogue->variants[i]) &&
            variant_takes(&catalogue->variants[i], shape))
            return true;
    return false;
}

bool selection_has_cases(const struct selection *selection, const struct catalogue *catalogue)
{
    if (!selection_is_limited(selection))
        return true;
    for (size_t i = 0; i < catalogue->count; i++) {
        struct plan plan;
        uint64_t count;
        if (!selection_has(selection, &catalogue->variants[i]))
            continue;
        if (!plan_make(&selection->cases, &catalogue->variants[i], true, 0, &plan))
            return true; /* when memory runs out, which the run then reports */
        count = plan_count(&plan);
        plan_free(&plan);
        if (count > 0)
            return true;
    }
    return false;
}
