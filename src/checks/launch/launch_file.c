/* SPDX-License-Identifier: MIT */
#include "launch_file.h"

#include "build.h"
#include "error_report.h"
#include "reader.h"
#include "whole_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

bool is_launch_file(const char *word)
{
    const char *end = strrchr(word, '.');

    return end != NULL && strcmp(end, ".launches") == 0;
}

/* Splits "OPTION ..." into words. Returns false after an error message. */
static bool split_options(const char *path, const char *text, struct launch_line *line)
{
    wordexp_t words;

    if (wordexp(text, &words, WRDE_NOCMD | WRDE_UNDEF) != 0)
        return error_report("%s:%d: cannot split the options '%s' into words: quote characters "
                            "such as '<', '(' and '$'",
                            path, line->number, text);
    line->options = calloc(words.we_wordc + 1, sizeof *line->options);
    for (size_t w = 0; line->options != NULL && w < words.we_wordc; w++)
        line->options[line->option_count++] = strdup(words.we_wordv[w]);
    wordfree(&words);
    return line->options != NULL || error_report("out of memory");
}

/* Removes "FILE.cu:" or "FILE.ptx:", and "NAME =" from the front of a line. */
static char *take_lead(char *text, struct launch_line *line)
{
    char *launch = strstr(text, "<<<"), *cu = strstr(text, ".cu:"), *ptx = strstr(text, ".ptx:"),
         *colon = cu != NULL    ? cu + 3
                  : ptx != NULL ? ptx + 4
                                : NULL,
         *equals = strchr(text, '=');

    if (colon != NULL && launch != NULL && colon < launch) {
        *colon = '\0';
        line->file = text;
        text = colon + 1;
        text += strspn(text, " \t");
        equals = strchr(text, '=');
    }
    if (equals != NULL && launch != NULL && equals < launch &&
        text + reader_name_length(text) + strspn(text + reader_name_length(text), " \t") == equals)
        text = equals + 1 + strspn(equals + 1, " \t");
    return text;
}

/* Returns the blank before the options of a line, or its end. They begin with the first '-' after
 * the launch that is outside of its brackets. */
static char *end_of_launch(char *text)
{
    int depth = 0;

    for (char *next; (next = strstr(text, ">>>")) != NULL; text = next)
        next += 3;
    for (; *text != '\0' && (depth > 0 || !isblank((unsigned char)*text) || text[1] != '-'); text++)
        depth += (strchr("([{", *text) != NULL) - (strchr(")]}", *text) != NULL);
    return text;
}

static bool read_line(const char *path, char *text, int number, struct launch_file *file)
{
    struct launch_line *lines, *line;
    char *end = end_of_launch(text);

    text += strspn(text, " \t");
    if (*text == '\0' || *text == '#')
        return true;
    lines = realloc(file->lines, (file->count + 1) * sizeof *lines);
    if (lines == NULL)
        return error_report("out of memory");
    file->lines = lines;
    line = &lines[file->count++];
    *line = (struct launch_line){.number = number};
    if (*end != '\0') {
        *end = '\0';
        if (!split_options(path, end + 1, line))
            return false;
    }
    line->launch = take_lead(text, line);
    for (end = text + strlen(text); end > line->launch && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return true;
}

bool launch_file_read(const char *path, struct launch_file *file)
{
    size_t size = 0;
    int number = 1;
    bool good = true;

    *file = (struct launch_file){.text = read_whole_file(path, &size)};
    if (file->text == NULL)
        return error_report("cannot read '%s': %s", path, strerror(errno));
    file->text[size] = '\0';
    if (strlen(file->text) != size)
        return error_report("'%s' is no text: byte %zu is zero", path, strlen(file->text) + 1);
    for (char *cr = file->text; (cr = strstr(cr, "\r\n")) != NULL;)
        *cr = ' ';
    for (char *line = file->text + (strncmp(file->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
         good && *line != '\0';) {
        char *next;
        int joined = 0;
        while ((next = strchr(line, '\n')) != NULL && next > line && next[-1] == '\\') {
            next[-1] = next[0] = ' ';
            joined++;
        }
        if (next != NULL)
            *next++ = '\0';
        else
            next = line + strlen(line);
        good = read_line(path, line, number, file);
        number += 1 + joined;
        line = next;
    }
    return good && (file->count > 0 ||
                    error_report("'%s' has no launch: add a line such as saxpy<<<(n + 255) / 256, "
                                 "256>>>(n, 2.0f, in float x[n], inout float y[n])",
                                 path));
}

void launch_file_free(struct launch_file *file)
{
    for (size_t k = 0; k < file->count; k++) {
        for (size_t w = 0; w < file->lines[k].option_count; w++)
            free(file->lines[k].options[w]);
        free(file->lines[k].options);
    }
    free(file->lines);
    free(file->text);
    *file = (struct launch_file){.text = NULL};
}
