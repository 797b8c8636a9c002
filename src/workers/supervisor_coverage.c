/* SPDX-License-Identifier: MIT */
#include "supervisor_coverage.h"

#include "supervisor_failures.h"

#include <stdlib.h>

void supervisor_forget_kernels(struct supervisor *supervisor)
{
    for (size_t k = 0; k < supervisor->kernel_count; k++)
        coverage_free(&supervisor->kernels[k].coverage);
    free(supervisor->kernels);
    supervisor->kernels = NULL;
    supervisor->kernel_count = 0;
}

static struct known_kernel *find_kernel(struct supervisor *supervisor, uint32_t kernel)
{
    for (size_t k = 0; k < supervisor->kernel_count; k++)
        if (supervisor->kernels[k].kernel == kernel)
            return &supervisor->kernels[k];
    return NULL;
}

static struct known_kernel *add_kernel(struct supervisor *supervisor, uint32_t kernel)
{
    struct known_kernel *grown =
        realloc(supervisor->kernels, (supervisor->kernel_count + 1) * sizeof *grown);

    if (grown == NULL)
        return NULL;
    supervisor->kernels = grown;
    grown[supervisor->kernel_count] = (struct known_kernel){.kernel = kernel};
    return &grown[supervisor->kernel_count++];
}

bool supervisor_take_point(struct supervisor *supervisor, char *line)
{
    struct source_point point;
    struct known_kernel *known;
    uint32_t kernel;
    size_t number;

    if (line == NULL || !wire_read_point(line, &kernel, &number, &point) || number >= MAX_POINTS)
        return false;
    known = find_kernel(supervisor, kernel);
    if (known == NULL)
        known = add_kernel(supervisor, kernel);
    if (known != NULL && number > known->coverage.count)
        return false;
    if (known == NULL ||
        (number == known->coverage.count && !coverage_add(&known->coverage, &point)))
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
    return true;
}

bool supervisor_take_reached(struct supervisor *supervisor, struct chunk *chunk, const char *line)
{
    const struct known_kernel *known;
    struct reached reached;

    if (line == NULL || chunk == NULL || !wire_read_reached(line, &reached) ||
        reached.index >= chunk->count ||
        (chunk->reached_count > 0 &&
         reached.index < chunk->reached[chunk->reached_count - 1].index))
        return false;
    known = find_kernel(supervisor, reached.kernel);
    if (known == NULL || reached.point >= known->coverage.count)
        return false;
    if (!chunk_reach(chunk, &reached))
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
    return true;
}

size_t supervisor_count_reached(struct supervisor *supervisor, const struct chunk *chunk,
                                size_t next, uint32_t index)
{
    for (; next < chunk->reached_count && chunk->reached[next].index <= index; next++) {
        const struct reached *reached = &chunk->reached[next];
        struct known_kernel *known = find_kernel(supervisor, reached->kernel);
        known->was_launched = true;
        known->coverage.points[reached->point].reached = true;
    }
    return next;
}

bool supervisor_take_coverage(struct supervisor *supervisor, struct coverage *coverage)
{
    bool good = true;

    for (size_t k = 0; k < supervisor->kernel_count; k++) {
        struct known_kernel *known = &supervisor->kernels[k];
        if (coverage != NULL && known->was_launched)
            good = good && coverage_merge(coverage, &known->coverage);
        known->was_launched = false;
        for (size_t p = 0; p < known->coverage.count; p++)
            known->coverage.points[p].reached = false;
    }
    return good;
}
