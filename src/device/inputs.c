/* SPDX-License-Identifier: MIT */
#include "inputs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

bool inputs_each(char *rule, bool (*visit)(char *name, void *context), void *context)
{
    char *from = strstr(rule, ": "), *name, *to, end;

    if (from == NULL)
        return false;
    for (from++;; from++) {
        while (*from == ' ' || (from[0] == '\\' && from[1] == '\n'))
            from += *from == ' ' ? 1 : 2;
        if (*from == '\0' || strcmp(from, "\n") == 0)
            return true;
        for (name = to = from; *from != '\0' && strchr(" \n", *from) == NULL; *to++ = *from++) {
            if (from[0] == '\\' && from[1] != '\0' && strchr(" #", from[1]) != NULL)
                from++;
            else if (*from == '\\' || *from == '\t')
                return false;
        }
        end = *from;
        *to = '\0';
        if (to == name || !visit(name, context))
            return false;
        if (end != ' ')
            return end == '\0' || from[1] == '\0';
    }
}

bool inputs_is_sure(const char *name)
{
    bool good = strchr(name, '$') == NULL;

    for (const char *start = name, *end; good && (end = strchr(start, '/')) != NULL;
         start = end + 1) {
        char *folder = start > name ? strndup(name, (size_t)(start - name)) : strdup(".");
        DIR *directory = folder != NULL ? opendir(folder) : NULL;
        struct dirent *entry;
        size_t length = (size_t)(end - start);
        while (directory != NULL && good && (entry = readdir(directory)) != NULL)
            good = strncmp(entry->d_name, start, length) != 0 || entry->d_name[length] != '\\';
        if (directory != NULL)
            closedir(directory);
        free(folder);
    }
    return good;
}

bool inputs_have_options(const char *flags)
{
    static const char *const starts[] = {"@",        "-optf",  "--options-file",
                                         "--config", "-specs", "--specs"};

    for (const char *word = flags; *word != '\0'; word++)
        for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
            if ((word == flags || strchr(" \t\n,=\"'\\", word[-1]) != NULL) &&
                strncmp(word, starts[s], strlen(starts[s])) == 0)
                return true;
    return strpbrk(flags, "$`") != NULL;
}
