/* SPDX-License-Identifier: MIT
 *
 * A row that two snapshots have, for the rules that compare it.
 */
#include "difference.h"
#include "engines.h"

#include <math.h>
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

bool machine_text(const char *engine, double share, char *text, size_t size)
{
    const double threshold = 0.1; /* the same threshold as for a row */
    double change = share - 1;

    snprintf(text, size, "%s: all rows are %.0f %% %s, which is attributed to the machine", engine,
             100 * fabs(change), change < 0 ? "slower" : "faster");
    return fabs(change) > threshold;
}
