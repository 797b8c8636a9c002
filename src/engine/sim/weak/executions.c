/* SPDX-License-Identifier: MIT */
#include "executions.h"

#include "engine.h"

enum { MAX_CHOICES = 64 }; /* of two or more possibilities, whose numbers fit in 64 bits */

static struct {
    uint32_t taken, bound;
} path[MAX_CHOICES];
static uint32_t path_count;
static uint64_t rest, product;
static bool is_too_long; /* no number of 64 bits holds the choices */

void executions_start(uint64_t number)
{
    rest = number;
    product = 1;
    path_count = 0;
    is_too_long = false;
}

uint32_t executions_choose(uint32_t count)
{
    uint32_t taken = (uint32_t)(rest % count);

    is_too_long = is_too_long || product > UINT64_MAX / count;
    if (is_too_long)
        return 0;
    product *= count;
    rest /= count;
    path[path_count].taken = taken;
    path[path_count++].bound = count;
    return taken;
}

uint64_t executions_next(void)
{
    uint64_t number = 0;

    if (is_too_long)
        return NO_EXECUTION;
    while (path_count > 0 && path[path_count - 1].taken + 1 == path[path_count - 1].bound)
        path_count--;
    if (path_count == 0)
        return 0;
    path[path_count - 1].taken++;
    for (uint32_t k = path_count; k-- > 0;)
        number = number * path[k].bound + path[k].taken;
    return number;
}
