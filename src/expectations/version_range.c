/* SPDX-License-Identifier: MIT */
#include "version_range.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 6 };

struct version {
    unsigned long numbers[MAX_NUMBERS];
    size_t count;
};

/* Reads a version and returns its end, or null if there is none. */
static const char *read_version(const char *text, struct version *version)
{
    char *end;

    for (version->count = 0; version->count < MAX_NUMBERS; text = end + 1) {
        if (!isdigit((unsigned char)*text))
            return NULL;
        version->numbers[version->count++] = strtoul(text, &end, 10);
        if (*end != '.')
            return end;
    }
    return NULL;
}

/* Compares the numbers that both have. */
static int compare(const struct version *a, const struct version *b)
{
    for (size_t k = 0; k < a->count && k < b->count; k++)
        if (a->numbers[k] != b->numbers[k])
            return a->numbers[k] < b->numbers[k] ? -1 : 1;
    return 0;
}

/* Reads a range, whose ends are the same if it is one version. */
static bool read_range(const char *text, struct version *least, struct version *most)
{
    const char *end = read_version(text, least);

    *most = *least;
    if (end != NULL && *end == '-')
        end = read_version(end + 1, most);
    return end != NULL && *end == '\0' && compare(least, most) <= 0;
}

bool version_range_is_valid(const char *range)
{
    struct version least, most;

    return read_range(range, &least, &most);
}

bool version_is_in_range(const char *range, const char *text)
{
    struct version least, most, version;
    const char *end = read_version(text, &version);

    return read_range(range, &least, &most) && end != NULL && *end == '\0' &&
           version.count >= least.count && version.count >= most.count &&
           compare(&version, &least) >= 0 && compare(&version, &most) <= 0;
}

const char *compiler_versions(const char *compiler, char *name, size_t size)
{
    const char *blank = strrchr(compiler, ' ');
    bool has_versions = blank != NULL && isdigit((unsigned char)blank[1]);

    snprintf(name, size, "%.*s", has_versions ? (int)(blank - compiler) : (int)strlen(compiler),
             compiler);
    return has_versions ? blank + 1 : NULL;
}
