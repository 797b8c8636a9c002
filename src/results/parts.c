/* SPDX-License-Identifier: MIT */
#include "difference.h"
#include "part.h"
#include "wing.h"

static const struct wing *const no_wings[] = {NULL};
const struct wing *const *wings = no_wings;

void wings_use(const struct wing *const *all)
{
    wings = all;
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

static bool has_rows_at(size_t offset)
{
    const struct part_rows *rows;

    for (size_t k = 0; (rows = part_rows_at(k)) != NULL; k++)
        if (rows->offset == offset)
            return true;
    return offset == offsetof(struct snapshot_record, options);
}

const char *part_unknown(const json_t *snapshot, size_t k)
{
    for (size_t f = 0; f < snapshot_table.count; f++) {
        const struct field *field = &snapshot_table.fields[f];
        const json_t *value = model_member(field, snapshot);
        bool is_part = field->type == FIELD_POINTER || field->type == FIELD_LIST ||
                       field->type == FIELD_MAP;
        if (is_part && !has_rows_at(field->offset) &&
            json_object_size(value) + json_array_size(value) > 0 && k-- == 0)
            return field->name;
    }
    return NULL;
}
