/* SPDX-License-Identifier: MIT */
#include "declarations.h"
#include "reader.h"

#include <stdio.h>
#include <string.h>

void parameter_bare_type(const char *type, char bare[NAME_TEXT])
{
    struct reader reader = {type, bare, 0};
    size_t length;

    while (reader_take_word(&reader, "const") || reader_take_word(&reader, "volatile"))
        continue;
    reader_skip_blanks(&reader);
    length = strcspn(reader.at, "*&[");
    while (length > 0 && reader.at[length - 1] == ' ')
        length--;
    snprintf(bare, NAME_TEXT, "%.*s", (int)length, reader.at);
    if (length > 6 && strcmp(bare + length - 6, " const") == 0)
        bare[length - 6] = '\0';
}

bool parameter_is_to_pointer(const struct parameter *parameter)
{
    const char *star = strchr(parameter->type, '*');

    return star != NULL && strchr(star + 1, '*') != NULL;
}
