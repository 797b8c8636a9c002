/* SPDX-License-Identifier: MIT
 *
 * Source lines on a page.
 */
#include "html.h"
#include "installation.h"
#include "members.h"
#include "page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINES_AROUND = 2, LINES_SHOWN = 2 * LINES_AROUND + 1, LONGEST_SOURCE = 1 << 20 };

/* Returns whether the path is source code. A file of results may name any file, and only source
 * code is shown. */
static bool is_source(const char *path)
{
    static const char *const ends[] = {".cu", ".cuh", ".h", ".c"};
    const char *dot = strrchr(path, '.');
    bool is = false;

    for (size_t k = 0; dot != NULL && k < sizeof ends / sizeof *ends; k++)
        is = is || strcmp(dot, ends[k]) == 0;
    return is;
}

/* Opens a file within a folder. Returns null if it is elsewhere or if its path is too long. */
static FILE *open_within(const char *folder, const char *file)
{
    char path[PATH_MAX], root[PATH_MAX], target[PATH_MAX];
    struct stat status;
    size_t length;

    if (snprintf(path, sizeof path, "%s%s%s", file[0] == '/' ? "" : folder,
                 file[0] == '/' ? "" : "/", file) >= (int)sizeof path ||
        realpath(folder, root) == NULL || realpath(path, target) == NULL)
        return NULL;
    length = strlen(root);
    if (strncmp(target, root, length) != 0 || (target[length] != '/' && length > 1) ||
        !is_source(target) || stat(target, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > LONGEST_SOURCE)
        return NULL;
    return fopen(target, "r");
}

static FILE *open_source(const char *file)
{
    char kernels[PATH_MAX];
    FILE *from = NULL;

    installation_data("kernels", kernels, sizeof kernels);
    if (strchr(kernels, '/') != NULL && strncmp(file, "kernels/", 8) == 0)
        from = open_within(kernels, file + 8);
    return from == NULL && file[0] != '\0' ? open_within(".", file) : from;
}

/* Reads lines, starting with number `first`, and returns how many. The caller owns each. */
static int read_lines(FILE *from, json_int_t first, char *lines[LINES_SHOWN])
{
    char *text = NULL;
    size_t room = 0;
    int count = 0;

    for (json_int_t k = 1; count < LINES_SHOWN && getline(&text, &room, from) >= 0; k++) {
        if (k < first)
            continue;
        text[strcspn(text, "\r\n")] = '\0';
        lines[count++] = text;
        text = NULL;
        room = 0;
    }
    free(text);
    return count;
}

/* Writes the lines around that line without their common indentation. Returns false if the file has
 * no such line. */
static bool write_lines(FILE *to, FILE *from, json_int_t line)
{
    json_int_t first = line > LINES_AROUND ? line - LINES_AROUND : 1;
    char *lines[LINES_SHOWN];
    int count = read_lines(from, first, lines);
    size_t blank = SIZE_MAX;

    for (int k = 0; k < count; k++) {
        size_t own = strspn(lines[k], " \t");
        if (lines[k][own] != '\0' && own < blank)
            blank = own;
    }
    for (int k = 0; k < count; k++) {
        html(to, first + k == line ? "<mark><i>%lld</i> %s</mark>" : "<i>%lld</i> %s\n", first + k,
             strlen(lines[k]) < blank ? "" : lines[k] + blank);
        free(lines[k]);
    }
    return first + count > line;
}

void page_code(FILE *to, const json_t *row)
{
    const char *file = text_in(row, "file");
    json_int_t line = number_in(row, "line");
    FILE *from = line > 0 && line < LONGEST_SOURCE ? open_source(file) : NULL;

    html(to, "<p class=\"where\"><code>%s:%lld</code></p>\n", file, line);
    if (from == NULL)
        return;
    html(to, "<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"%s, line %lld\">",
         file, line);
    if (!write_lines(to, from, line))
        html(to, "This version of the file has no such line.");
    html(to, "</pre>\n");
    fclose(from);
}
