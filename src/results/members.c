/* SPDX-License-Identifier: MIT */
#include "members.h"

const char *text_in(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text != NULL ? text : "";
}

json_int_t number_in(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

json_int_t number_at(const json_t *row, const char *name, size_t place)
{
    return json_integer_value(json_array_get(json_object_get(row, name), place));
}
