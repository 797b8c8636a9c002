/* SPDX-License-Identifier: MIT */
#include "selection.h"

#include "case_id.h"
#include "error_report.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>

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

/* ---- Checks ---- */

/* Returns a glob that matches no id of the catalogue, or null if each matches one. */
static const char *unmatched_glob(const struct selection *selection,
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

static bool has_any(const struct selection *selection, const struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++)
        if (selection_has(selection, &catalogue->variants[i]))
            return true;
    return false;
}

/* Returns whether a selected variant takes blocks and sizes like the shape's. */
static bool takes(const struct selection *selection, const struct catalogue *catalogue,
                  const struct shape *shape)
{
    for (size_t i = 0; i < catalogue->count; i++)
        if (selection_has(selection, &catalogue->variants[i]) &&
            variant_takes(&catalogue->variants[i], shape))
            return true;
    return false;
}

/* Returns whether there is a case to run. */
static bool has_cases(const struct selection *selection, const struct catalogue *catalogue)
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

/* Checks that every --kernel matches something, because a misspelt name must not pass. Returns
 * false after an error message. */
static bool selects_something(const struct selection *selection, const struct catalogue *catalogue)
{
    const char *unmatched = unmatched_glob(selection, catalogue);

    if (unmatched != NULL)
        return error_report("no kernel matches --kernel '%s': see '%s list'", unmatched,
                            program_invocation_short_name);
    return has_any(selection, catalogue) ||
           error_report("no kernel matches both --kernel and --variant: see '%s list'",
                        program_invocation_short_name);
}

/* Checks that each block and size fits at least one selected kernel. Each kernel leaves out shapes
 * whose dimensions do not fit it. Returns false after an error message. */
static bool shapes_fit(const struct selection *selection, const struct catalogue *catalogue)
{
    const struct plan_request *cases = &selection->cases;
    char word[WORD_SIZE];

    for (size_t b = 0; b < cases->block_count; b++) {
        struct shape shape = {cases->blocks[b], {1, 1}, 0, 0, {0, 0}};
        if (takes(selection, catalogue, &shape))
            continue;
        block_format(&shape.block, word);
        return error_report(
            "--block %s: no selected kernel takes a block of so many dimensions or threads: give "
            "fewer, such as 256",
            word);
    }
    for (size_t z = 0; z < cases->size_count; z++) {
        struct shape shape = cases->sizes[z];
        if (takes(selection, catalogue, &shape))
            continue;
        size_format(&shape, word);
        return error_report("--size %s: no selected kernel takes such a size: give one dimension, "
                            "such as 1000, and a maxDepth only for a kernel that takes one",
                            word);
    }
    return true;
}

/* Returns how many blocks the plan of a kernel with that number of block dimensions has. */
static uint64_t blocks_of(const struct plan_request *cases, uint32_t dimensions)
{
    static const uint64_t all[] = {1, 1024, 7262, 25670};
    enum { SOME = 128 };

    return cases->blocks != NULL                         ? cases->block_count
           : cases->level == 1 && all[dimensions] > SOME ? SOME
                                                         : all[dimensions];
}

/* Checks that no plan exceeds MAX_SHAPES shapes, which would take too much memory and time. Returns
 * false after an error message. */
static bool plans_fit(const struct selection *selection, const struct catalogue *catalogue)
{
    enum { MAX_SHAPES = 1 << 22 };
    const struct plan_request *cases = &selection->cases;
    uint64_t most = 0;

    for (size_t i = 0; i < catalogue->count; i++) {
        const struct variant *variant = &catalogue->variants[i];
        uint64_t shapes = cases->size_count * blocks_of(cases, variant->block_dimensions);
        if (selection_has(selection, variant) && shapes > most)
            most = shapes;
    }
    return most <= MAX_SHAPES || error_report("--block and --size make up to %" PRIu64
                                              " shapes for a kernel, more than %d: give fewer",
                                              most, MAX_SHAPES);
}

bool selection_fits(const struct selection *selection, const struct catalogue *catalogue)
{
    if (!selects_something(selection, catalogue) || !shapes_fit(selection, catalogue) ||
        !plans_fit(selection, catalogue))
        return false;
    return has_cases(selection, catalogue) ||
           error_report(
               "every shape of --block and --size violates several conditions of the kernels' "
               "domains, or has dimensions that the kernels do not take: give others, or "
               "--assume-corrected");
}
