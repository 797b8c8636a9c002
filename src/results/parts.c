/* SPDX-License-Identifier: MIT */
#include "difference.h"
#include "part.h"
#include "wing.h"

#include <string.h>

static const struct wing *const no_wings[] = {NULL};
const struct wing *const *wings = no_wings;

void wings_use(const struct wing *const *all)
{
    wings = all;
    for (; *all != NULL; all++)
        for (const struct part *part = (*all)->parts; part != NULL && part->name != NULL; part++)
            snapshot_add_part(part->name, part->member);
}

const struct part *part_at(size_t k)
{
    const struct part *part = core_parts;

    for (const struct wing *const *wing = wings;; wing++) {
        for (; part != NULL && part->name != NULL; part++)
            if (k-- == 0)
                return part;
        if (*wing == NULL)
            return NULL;
        part = (*wing)->parts;
    }
}

const char *const *part_names(void)
{
    enum { MAX_PARTS = 32 }; /* bits of struct snapshot_request */
    static const char *names[MAX_PARTS + 1];
    const struct part *part;

    for (size_t k = 0; k < MAX_PARTS; k++) {
        part = part_at(k);
        names[k] = part != NULL ? part->name : NULL;
        if (part == NULL)
            break;
    }
    return names;
}

const struct part_rows *part_rows_at(size_t k)
{
    const struct part *part;

    for (size_t p = 0; (part = part_at(p)) != NULL; p++)
        for (const struct part_rows *rows = part->rows; rows->name != NULL; rows++)
            if (k-- == 0)
                return rows;
    for (const struct part_rows *rows = rows_of_limits; rows->name != NULL; rows++)
        if (k-- == 0)
            return rows;
    return NULL;
}

const char *part_unknown(const json_t *snapshot, size_t k)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)snapshot, name, value)
    {
        size_t f = 0;
        while (f < snapshot_table.count && strcmp(snapshot_table.fields[f].name, name) != 0)
            f++;
        if (f == snapshot_table.count && json_object_size(value) + json_array_size(value) > 0 &&
            k-- == 0)
            return name;
    }
    return NULL;
}
