/* SPDX-License-Identifier: MIT
 *
 * Source lines on a page.
 */
#include "installation.h"
#include "members.h"
#include "page.h"
#include "whole_file.h"

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

/* Returns the contents of a file within a folder, which the caller frees. Returns null if it is
 * elsewhere or if its path is too long. */
static char *read_within(const char *folder, const char *file)
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
    return read_whole_file(target, &length);
}

static char *read_source(const char *file)
{
    char kernels[PATH_MAX], *text = NULL;

    installation_data("kernels", kernels, sizeof kernels);
    if (strchr(kernels, '/') != NULL && strncmp(file, "kernels/", 8) == 0)
        text = read_within(kernels, file + 8);
    return text == NULL && file[0] != '\0' ? read_within(".", file) : text;
}

/* Cuts a text into lines, and returns how many of them there are from number `first` on. */
static int take_lines(char *text, json_int_t first, const char *lines[LINES_SHOWN])
{
    int count = 0;

    for (json_int_t k = 1; count < LINES_SHOWN && text != NULL && *text != '\0'; k++) {
        char *line = strsep(&text, "\n");
        line[strcspn(line, "\r")] = '\0';
        if (k >= first)
            lines[count++] = line;
    }
    return count;
}

/* Writes the lines around that line without their common indentation. Returns false if the text has
 * no such line. */
static bool write_lines(FILE *to, char *text, json_int_t line)
{
    json_int_t first = line > LINES_AROUND ? line - LINES_AROUND : 1;
    const char *lines[LINES_SHOWN];
    int count = take_lines(text, first, lines);
    size_t blank = SIZE_MAX;

    for (int k = 0; k < count; k++) {
        size_t own = strspn(lines[k], " \t");
        if (lines[k][own] != '\0' && own < blank)
            blank = own;
    }
    for (int k = 0; k < count; k++) {
        bool is_marked = first + k == line;
        fprintf(to, "%s<i>%lld</i> ", is_marked ? "<mark>" : "", first + k);
        html_text(to, strlen(lines[k]) < blank ? "" : lines[k] + blank);
        fputs(is_marked ? "</mark>" : "\n", to);
    }
    return first + count > line;
}

void page_code(FILE *to, const json_t *row)
{
    const char *file = text_in(row, "file");
    json_int_t line = number_in(row, "line");
    char *text = line > 0 && line < LONGEST_SOURCE ? read_source(file) : NULL;

    fputs("<p class=\"where\"><code>", to);
    html_text(to, file);
    fprintf(to, ":%lld</code></p>\n", line);
    if (text == NULL)
        return;
    fputs("<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"", to);
    html_text(to, file);
    fprintf(to, ", line %lld\">", line);
    if (!write_lines(to, text, line))
        fputs("This version of the file has no such line.", to);
    fputs("</pre>\n", to);
    free(text);
}
