/* SPDX-License-Identifier: MIT
 *
 * A row that two snapshots have, for the rules that compare it.
 */
#include "difference.h"
#include "engines.h"

#include <stdarg.h>
#include <stdio.h>

void pair_note(struct row_pair *pair, enum change change, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    LIST_ADD(pair->memory, &pair->details, const char *) = memory_copy(pair->memory, text);
    if (change > pair->change)
        pair->change = change;
}

bool engine_is_steady(const char *name)
{
    const struct engine_kind *engine = engine_kind_find(name);
    return engine != NULL && engine->simulates;
}
