/* SPDX-License-Identifier: MIT */
#include "dimensions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIMENSIONS = 4, MAX_SOURCE = 1 << 20 };

/* Returns the file's contents, or null. The caller frees them. */
static char *read_source(const char *path)
{
    FILE *from = fopen(path, "r");
    char *text = from != NULL ? malloc(MAX_SOURCE + 1) : NULL;

    if (text != NULL)
        text[fread(text, 1, MAX_SOURCE, from)] = '\0';
    if (from != NULL)
        fclose(from);
    return text;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether the word that ends before `end` is the name of a type of numbers. Elements of
 * other types may be accessed in part. */
static bool is_number_type(const char *start, const char *end)
{
    static const char *const types[] = {
        "char",   "short",   "int",     "unsigned", "long",    "float",    "double",  "bool",
        "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"};
    const char *word;

    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    for (word = end; word > start && is_word(word[-1]);)
        word--;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strlen(types[t]) == (size_t)(end - word) &&
            strncmp(types[t], word, (size_t)(end - word)) == 0)
            return true;
    return false;
}

/* Reads "[2][33]". Returns the number of dimensions, or 0 if one is no number. */
static size_t read_sizes(const char *c, uint64_t sizes[MAX_DIMENSIONS])
{
    size_t count = 0;

    while (*c == '[' && count < MAX_DIMENSIONS) {
        char *end;
        sizes[count++] = strtoull(c + 1, &end, 10);
        if (end == c + 1 || *end != ']')
            return 0;
        c = end + 1;
    }
    return *c == '[' ? 0 : count;
}

/* Finds the declaration of the shared array. Returns the number of its dimensions. If there are
 * several declarations, they must be the same. */
static size_t find_sizes(const char *source, const char *name, uint64_t sizes[MAX_DIMENSIONS])
{
    static const char shared[] = "__shared__";
    size_t length = strlen(name), found = 0;

    for (const char *c = source; (c = strstr(c, shared)) != NULL;) {
        const char *start = c += sizeof shared - 1;
        for (; *c != '\0' && *c != ';'; c++) {
            uint64_t read[MAX_DIMENSIONS] = {0};
            size_t count;
            if (strncmp(c, name, length) != 0 || is_word(c[-1]) || c[length] != '[')
                continue;
            count = is_number_type(start, c) ? read_sizes(c + length, read) : 0;
            if (count < 2 || (found != 0 && memcmp(read, sizes, sizeof read) != 0))
                return 0;
            found = count;
            memcpy(sizes, read, sizeof read);
        }
    }
    return found;
}

void dimensions_restore(struct race *race)
{
    char *bracket = strchr(race->place, '['), *end = NULL, name[sizeof race->place], *source;
    uint64_t sizes[MAX_DIMENSIONS] = {0},
             index = bracket != NULL ? strtoull(bracket + 1, &end, 10) : 0;
    size_t count = 0, used;

    if (end == NULL || strcmp(end, "]") != 0)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(bracket - race->place), race->place);
    source = read_source(race->second.file);
    if (source != NULL)
        count = find_sizes(source, name, sizes);
    free(source);
    used = strlen(name);
    for (size_t k = 0; k < count && used < sizeof race->place; k++) {
        uint64_t below = 1;
        for (size_t d = k + 1; d < count; d++)
            below *= sizes[d];
        if (below == 0)
            return;
        used += (size_t)snprintf(race->place + used, sizeof race->place - used, "[%llu]",
                                 (unsigned long long)(index / below));
        index %= below;
    }
}
