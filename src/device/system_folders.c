/* SPDX-License-Identifier: MIT */
#include "system_folders.h"

#include "module.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID = 1 << 16, OWN = 12 };

/* Returns how many words, from this one on, are not for the question: the user's folders and
 * headers, and what is compiled to what. A folder of -isystem is that of a library. */
static size_t count_left_out(const char *const *words, const char *source)
{
    static const char *const pairs[] = {
        "-o", "-include", "--pre-include", "-imacros", "-iquote", "--include-path", "-I"};

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (strcmp(words[0], pairs[k]) == 0)
            return words[1] != NULL ? 2 : 1;
        else if (k > 2 && strncmp(words[0], pairs[k], strlen(pairs[k])) == 0)
            return 1;
    return strcmp(words[0], source) == 0 || strcmp(words[0], "-ptx") == 0 ||
           strcmp(words[0], "-S") == 0;
}

/* Adds the folders between two lines of the compiler's output, each after a blank. */
static void write_folders(FILE *to, char *said)
{
    char *line = strstr(said, "\n#include <...> search starts here:\n");

    if (line == NULL)
        return;
    fputs("\n" MODULE_SYSTEM_FOLDERS, to);
    line = strtok_r(line, "\n", &said);
    while ((line = strtok_r(NULL, "\n", &said)) != NULL && *line == ' ') {
        char *folder = realpath(line + 1, NULL);
        if (folder != NULL && strchr(folder, ':') == NULL)
            fprintf(to, ":%s", folder);
        free(folder);
    }
    fputc('\n', to);
}

/* Both compilers show their folders when they preprocess an empty file. nvcc needs no CUDA for
 * that. CPATH has folders of the user, too. */
void system_folders_add(const char *const *arguments, const char *source, const char *ptx)
{
    const char *const start[] = {"env", "-u", "CPATH", "-u", "CPLUS_INCLUDE_PATH", arguments[0]};
    const char *const of_nvcc[] = {"-Xcompiler", "-v", "-x", "c++"}, *const end[] = {
                                                                         "-E", "/dev/null", "-o",
                                                                         "/dev/null"};
    char *said = malloc(SAID);
    const char **question;
    size_t count = 0, length = 0;
    FILE *to = fopen(ptx, "a");
    bool is_nvcc = false;

    while (arguments[length] != NULL)
        is_nvcc = strcmp(arguments[length++], "-ptx") == 0 || is_nvcc;
    question = calloc(length + 16, sizeof *question);
    if (said != NULL && question != NULL && to != NULL) {
        memcpy(question, start, sizeof start);
        count = sizeof start / sizeof *start;
        for (size_t k = 1, left_out; k<length; k += left_out> 0 ? left_out : 1)
            if ((left_out = count_left_out(arguments + k, source)) == 0)
                question[count++] = arguments[k];
        if (is_nvcc) {
            memcpy(question + count, of_nvcc, sizeof of_nvcc);
            count += sizeof of_nvcc / sizeof *of_nvcc;
        } else
            question[count++] = "-v";
        memcpy(question + count, end, sizeof end);
        if (tool_run(question, said, SAID) == 0)
            write_folders(to, said);
    }
    if (to != NULL)
        fclose(to);
    free(question);
    free(said);
}
