/* SPDX-License-Identifier: MIT */
#include "argued.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4 };

/* Returns the next cell of a row from *at on, without surrounding blanks and backquotes. A cell
 * writes a bar as "\|". Returns null at the end of the row. */
static const char *take_cell(struct memory *memory, const char **at)
{
    const char *from = *at + strspn(*at, " \t"), *end = from;
    char *cell, *to;

    while (*end != '\0' && *end != '\n' && *end != '|')
        end += end[0] == '\\' && end[1] == '|' ? 2 : 1;
    if (*end != '|')
        return NULL;
    *at = end + 1;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (end - from >= 2 && from[0] == '`' && end[-1] == '`') {
        from++;
        end--;
    }
    cell = to = memory_take(memory, (size_t)(end - from) + 1);
    for (; from < end; from++)
        if (!(from[0] == '\\' && from[1] == '|'))
            *to++ = *from;
    return cell;
}

static bool add_row(struct argued *argued, struct list *rows, const char *text, int line)
{
    struct memory *memory = &argued->memory;
    const char *at = text + 1;
    struct argued_row row = {.line = line, .where = take_cell(memory, &at)};

    row.before = take_cell(memory, &at);
    row.after = take_cell(memory, &at);
    row.reason = take_cell(memory, &at);
    if (row.reason == NULL || row.reason[0] == '\0')
        return false;
    LIST_ADD(memory, rows, struct argued_row) = row;
    *argued = (struct argued){rows->items, rows->count, *memory};
    return true;
}

bool argued_read(const char *path, struct argued *argued, char *error, size_t error_size)
{
    FILE *from = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    struct list rows = {NULL, 0};
    bool good = from != NULL;

    *argued = (struct argued){.rows = NULL};
    if (!good)
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
    for (int number = 1; good && getline(&line, &room, from) > 0; number++) {
        if (strncmp(line, "| `", 3) != 0)
            continue;
        good = add_row(argued, &rows, line, number);
        if (!good)
            snprintf(error, error_size,
                     "%s:%d: a row must have %d cells: function, line, changed line, reason", path,
                     number, CELLS);
    }
    free(line);
    if (from != NULL)
        fclose(from);
    if (!good)
        argued_free(argued);
    return good;
}

void argued_free(struct argued *argued)
{
    memory_free(&argued->memory);
    *argued = (struct argued){.rows = NULL};
}

struct argued_row *argued_find(const struct argued *argued, const char *where, const char *before,
                               const char *after)
{
    for (size_t k = 0; k < argued->count; k++)
        if (strcmp(argued->rows[k].where, where) == 0 &&
            strcmp(argued->rows[k].before, before) == 0 &&
            strcmp(argued->rows[k].after, after) == 0)
            return &argued->rows[k];
    return NULL;
}
