/* SPDX-License-Identifier: MIT */
#include "members.h"

#include "error_report.h"

json_t *results_load(const char *path, const char *what)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (document == NULL && error.line > 0)
        error_report("%s:%d:%d: this is not a complete %s: %s", path, error.line, error.column,
                     what, error.text);
    else if (document == NULL)
        error_report("%s", error.text);
    return document;
}

const char *text_in(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text != NULL ? text : "";
}

json_int_t number_in(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}
