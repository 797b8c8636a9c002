/* SPDX-License-Identifier: MIT */
#include "selection.h"

#include "plan.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

bool selection_is_limited(const struct options *options)
{
    return options->blocks != NULL || options->sizes != NULL;
}

const char *selection_lacks(const struct options *options, const struct variant *variant,
                            const struct supervisor *supervisor)
{
    if (options->profile_chosen && options->profile == PROFILE_CDP2 &&
        variant->need == NEEDS_DEVICE_WAIT)
        return "CDP2 has no waiting on the device";
    if (options->profile_chosen && options->profile == PROFILE_CDP1 &&
        variant->need == NEEDS_TAIL_LAUNCH)
        return "CDP1 has no tail launches";
    return supervisor_lacks(supervisor, variant->need);
}

/* Every --kernel has to match something, or a misspelt gate would be green. */
static bool selects_something(const struct options *options, const struct catalogue *catalogue)
{
    bool any = false;

    for (size_t g = 0; g < options->glob_count; g++) {
        bool known = false;
        for (size_t i = 0; i < catalogue->count && !known; i++)
            known = fnmatch(options->globs[g], catalogue->variants[i].id, 0) == 0;
        if (!known) {
            fprintf(stderr, "%s: no kernel matches --kernel '%s': see '%s list'\n",
                    program_invocation_short_name, options->globs[g],
                    program_invocation_short_name);
            return false;
        }
    }
    for (size_t i = 0; i < catalogue->count && !any; i++)
        any = options_select(options, &catalogue->variants[i]);
    if (!any)
        fprintf(stderr, "%s: no kernel matches both --kernel and --form: see '%s list'\n",
                program_invocation_short_name, program_invocation_short_name);
    return any;
}

/* Is there a case at all? */
static bool runs_something(const struct options *options, const struct catalogue *catalogue)
{
    if (!selection_is_limited(options))
        return true;
    for (size_t i = 0; i < catalogue->count; i++) {
        struct plan plan;
        uint64_t count;
        if (!options_select(options, &catalogue->variants[i]) ||
            !plan_make(options, &catalogue->variants[i], true, 0, &plan))
            continue;
        count = plan_count(&plan);
        plan_free(&plan);
        if (count > 0)
            return true;
    }
    fprintf(stderr,
            "%s: every shape of --block and --size breaks several conditions of the kernels' "
            "domains, or has dimensions that are not theirs: give others, or --assume-total\n",
            program_invocation_short_name);
    return false;
}

/* Does a selected kernel take the shape? */
static bool is_taken(const struct options *options, const struct catalogue *catalogue,
                     const struct shape *shape)
{
    for (size_t i = 0; i < catalogue->count; i++)
        if (options_select(options, &catalogue->variants[i]) &&
            variant_takes(&catalogue->variants[i], shape))
            return true;
    return false;
}

/* A block or size of more dimensions than any selected kernel takes is a mistake; each kernel
 * leaves out those that are not for it. */
static bool shapes_fit(const struct options *options, const struct catalogue *catalogue)
{
    char word[WORD_SIZE];

    for (size_t b = 0; b < options->block_count; b++) {
        struct shape shape = {options->blocks[b], {1, 1}};
        if (is_taken(options, catalogue, &shape))
            continue;
        block_format(&shape.block, word);
        fprintf(stderr,
                "%s: none of the kernels takes blocks such as %s: give fewer dimensions, such as "
                "256\n",
                program_invocation_short_name, word);
        return false;
    }
    for (size_t z = 0; z < options->size_count; z++) {
        struct shape shape = {{1, 1, 1}, {options->sizes[z][0], options->sizes[z][1]}};
        if (is_taken(options, catalogue, &shape))
            continue;
        size_format(shape.size, word);
        fprintf(stderr,
                "%s: none of the kernels takes sizes such as %s: give one dimension, such as "
                "1000\n",
                program_invocation_short_name, word);
        return false;
    }
    return true;
}

bool selection_fits(const struct options *options, const struct catalogue *catalogue)
{
    return selects_something(options, catalogue) && shapes_fit(options, catalogue) &&
           runs_something(options, catalogue);
}
