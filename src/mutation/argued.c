/* SPDX-License-Identifier: MIT */
#include "argued.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4 };

/* The next cell of a row, from *at on, without blanks and backquotes around it; in it "\|" stands
 * for a bar. The caller's; null: there is none, or memory runs out. */
static char *take_cell(const char **at)
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
    cell = to = malloc((size_t)(end - from) + 1);
    for (; to != NULL && from < end; from++)
        if (!(from[0] == '\\' && from[1] == '|'))
            *to++ = *from;
    if (to != NULL)
        *to = '\0';
    return cell;
}

static void free_row(struct argued_row *row)
{
    free(row->where);
    free(row->before);
    free(row->after);
    free(row->reason);
}

static bool add_row(struct argued *argued, const char *text, int line)
{
    const char *at = text + 1;
    struct argued_row row = {.line = line, .where = take_cell(&at)}, *more;

    row.before = take_cell(&at);
    row.after = take_cell(&at);
    row.reason = take_cell(&at);
    more = row.where != NULL && row.before != NULL && row.after != NULL && row.reason != NULL &&
                   row.reason[0] != '\0'
               ? realloc(argued->rows, (argued->count + 1) * sizeof *more)
               : NULL;
    if (more == NULL) {
        free_row(&row);
        return false;
    }
    argued->rows = more;
    more[argued->count++] = row;
    return true;
}

bool argued_read(const char *path, struct argued *argued, char *error, size_t error_size)
{
    FILE *from = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool good = from != NULL;

    *argued = (struct argued){.rows = NULL};
    if (!good)
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
    for (int number = 1; good && getline(&line, &room, from) > 0; number++) {
        if (strncmp(line, "| `", 3) != 0)
            continue;
        good = add_row(argued, line, number);
        if (!good)
            snprintf(error, error_size,
                     "%s:%d is to have %d cells: where, the line, what becomes of it, the reason",
                     path, number, CELLS);
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
    for (size_t k = 0; k < argued->count; k++)
        free_row(&argued->rows[k]);
    free(argued->rows);
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
