/* SPDX-License-Identifier: MIT
 *
 * What each kernel did, and which launches are not checked, as the options of `simtcheck exec` say.
 */
#include "internal.h"

#include "clock.h"
#include "source_path.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

/* The launches of a kernel that are checked, or (why) those that are not, and why. */
struct kernel_use {
    struct kernel_use *next;
    char name[NAME];
    const char *why; /* null: they are checked */
    uint64_t launches, threads;
    double seconds;
};
static struct kernel_use *first;

/* The options. A list has a text for each line, and ends with an empty one. A line is a glob, and
 * to exclude kernels, ": " and why. */
static struct {
    char *names, *excluded; /* null: not given */
    uint64_t skip, count;   /* launches; count 0: all */
    double end;             /* of the time for checks; 0: none */
} filter;

static double number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? strtod(text, NULL) : 0;
}

static char *lines_of(const char *variable)
{
    const char *text = getenv(variable);
    char *lines = text != NULL && text[0] != '\0' ? strdup(text) : NULL;

    for (char *end = lines; end != NULL && (end = strchr(end, '\n')) != NULL;)
        *end++ = '\0';
    return lines;
}

/* Runs when this library is loaded, before the program can clear its environment. */
__attribute__((constructor)) static void read_filter(void)
{
    filter = (__typeof__(filter)){
        .names = lines_of("SIMTCHECK_EXEC_KERNELS"),
        .excluded = lines_of("SIMTCHECK_EXEC_EXCLUDED"),
        .skip = (uint64_t)number_of("SIMTCHECK_EXEC_SKIP"),
        .count = (uint64_t)number_of("SIMTCHECK_EXEC_COUNT"),
        .end = number_of("SIMTCHECK_EXEC_END"),
    };
}

/* Returns the first line of a list whose glob fits the kernel's name, in PTX or in messages. Null:
 * none. */
static const char *find_line(const char *lines, const char *linker, const char *name)
{
    char glob[1024];

    for (const char *at = lines; at != NULL && *at != '\0'; at += strlen(at) + 1) {
        const char *colon = strstr(at, ": ");

        snprintf(glob, sizeof glob, "%.*s", colon != NULL ? (int)(colon - at) : (int)strlen(at),
                 at);
        if (fnmatch(glob, linker, 0) == 0 || fnmatch(glob, name, 0) == 0)
            return at;
    }
    return NULL;
}

/* Returns why the next launch of that kernel is not checked, or null. The text stays. */
static const char *why_not(const char *linker, const char *name)
{
    static uint64_t selected;
    const char *excluded = find_line(filter.excluded, linker, name);

    if (excluded != NULL)
        return excluded;
    if (filter.names != NULL && find_line(filter.names, linker, name) == NULL)
        return "--kernel-name";
    if (selected++ < filter.skip)
        return "--launch-skip";
    if (filter.count > 0 && selected > filter.skip + filter.count)
        return "--launch-count";
    return filter.end > 0 && clock_seconds() >= filter.end ? "--minutes" : NULL;
}

struct kernel_use *kernels_take(const struct exec_launch *launch)
{
    const uint32_t *grid = launch->grid, *block = launch->block;
    char name[NAME];
    struct kernel_use **at = &first;
    const char *why;

    source_function(launch->function->name, name, sizeof name);
    why = why_not(launch->function->name, name);
    while (*at != NULL && (strcmp((*at)->name, name) != 0 || (*at)->why != why))
        at = &(*at)->next;
    if (*at == NULL && (*at = calloc(1, sizeof **at)) == NULL)
        return NULL;
    memcpy((*at)->name, name, sizeof name);
    (*at)->why = why;
    (*at)->launches++;
    (*at)->threads +=
        (uint64_t)grid[0] * grid[1] * grid[2] * ((uint64_t)block[0] * block[1] * block[2]);
    return *at;
}

bool kernels_is_checked(const struct kernel_use *use)
{
    return use == NULL || use->why == NULL;
}

void kernels_add_time(struct kernel_use *use, double seconds)
{
    if (use != NULL)
        use->seconds += seconds;
}

void kernels_report(void)
{
    for (struct kernel_use *use = first; use != NULL; use = use->next) {
        if (use->launches > 0)
            report_kernel(use->name, use->why, use->launches, use->threads, use->seconds);
        use->launches = use->threads = 0;
        use->seconds = 0;
    }
}
