/* SPDX-License-Identifier: MIT
 *
 * The command `init`: writes a file of launches to start from.
 */
#include "command.h"
#include "declarations.h"
#include "error_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the path: FILE.launches for FILE.cu. */
static void name_of(const struct command_line *line, char *path, size_t size)
{
    const char *out = line->common->output, *file = line->words[0], *end = strrchr(file, '.');
    size_t length = end != NULL && strchr(end, '/') == NULL ? (size_t)(end - file) : strlen(file);

    if (out != NULL)
        snprintf(path, size, "%s", out);
    else
        snprintf(path, size, "%.*s.launches", (int)length, file);
}

/* Writes the launches of the kernels of a file, after the name of the file if there are several.
 * Returns false after an error message. */
static bool write_launches(FILE *to, const struct command_line *line, const char *file)
{
    struct declarations declarations = {.all = {NULL, 0}};
    bool is_named = line->word_count > 1,
         good = declarations_of(&declarations, file, line->flags, line->flag_count);
    const struct declaration *all = declarations.all.items;

    if (good && declarations.all.count == 0)
        good = error_report("'%s' defines no kernel", file);
    for (size_t d = 0; d < declarations.all.count; d++)
        fprintf(to, "%s%s%s\n", is_named ? file : "", is_named ? ": " : "", all[d].launch);
    declarations_free(&declarations);
    return good;
}

static int init(const struct command_line *line, const struct session *session)
{
    char path[4096], *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool good = to != NULL;

    (void)session;
    for (size_t w = 0; w < line->word_count && good; w++)
        if (!write_launches(to, line, line->words[w]))
            return EXIT_USAGE;
    name_of(line, path, sizeof path);
    good = good && fclose(to) == 0;
    to = fopen(path, "wx");
    if (to == NULL && errno == EEXIST) {
        error_report("'%s' exists: remove it, or give another file with --out", path);
        return EXIT_USAGE;
    }
    good = good && to != NULL &&
           fprintf(to,
                   "# Launches for 'simtcheck check', one on each line. Correct the grid, the "
                   "arguments and\n# the sizes. Options may follow, as in: ... --size "
                   "0,1,31,1000\n%s",
                   text) > 0;
    free(text);
    if ((to != NULL && fclose(to) != 0) || !good) {
        error_report("cannot write '%s': %s", path, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    printf("%s: correct the launches, then run simtcheck check %s %s\n", path, line->words[0],
           path);
    return EXIT_CONFORMS;
}

static const struct option_row init_rows[] = {
    {"out", "FILE", &option_text, COMMON_AT(output, const char *), .help = "the file to write",
     .usual = "FILE.launches beside FILE.cu"},
    {.name = NULL},
};

static const struct option_part init_parts[] = {
    {init_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command init_command = {
    .name = "init",
    .summary = "write a file with a launch of each kernel, for check",
    .arguments = "FILE.cu ...",
    .help = "The launches are a start: correct the grid, the arguments and the sizes in the file. "
            "Then check them with 'simtcheck check FILE.cu FILE.launches'.",
    .example = "simtcheck init sum.cu",
    .parts = init_parts,
    .takes_flags = true,
    .words = "files of CUDA C++",
    .least_words = 1,
    .most_words = 16,
    .run = init,
};
