/* SPDX-License-Identifier: MIT */
#include "expectations.h"

#include "version_range.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void expectations_free(struct expectations *expectations)
{
    memory_free(&expectations->memory);
    *expectations = (struct expectations){.path = NULL};
}

/* ---- Which entries apply ---- */

/* Returns whether a fact is as the entry asks. An unknown fact is not, and `unknown` gets its name.
 */
static bool has_fact(const char *asked, const char *fact, const char *name,
                     bool (*fits)(const char *asked, const char *fact), const char **unknown)
{
    if (asked == NULL)
        return true;
    if (fact == NULL) {
        *unknown = name;
        return false;
    }
    return fits(asked, fact);
}

static bool glob_fits(const char *glob, const char *name)
{
    return fnmatch(glob, name, 0) == 0;
}

/* Returns whether a compiler is as asked: a glob of names, and perhaps versions after a blank. */
static bool compiler_fits(const struct expected_failure *entry,
                          const struct test_platform *platform, const char **unknown)
{
    char name[64];
    const char *versions;

    if (entry->compiler == NULL)
        return true;
    versions = compiler_versions(entry->compiler, name, sizeof name);
    return has_fact(name, platform->compiler, "compiler", glob_fits, unknown) &&
           has_fact(versions, platform->compiler_version, "version of the compiler",
                    version_is_in_range, unknown);
}

static bool platform_fits(const struct expected_failure *entry,
                          const struct test_platform *platform, const char **unknown)
{
    bool by_architecture = entry->gpu != NULL && strncmp(entry->gpu, "sm_", 3) == 0;

    return has_fact(entry->gpu, by_architecture ? platform->architecture : platform->gpu, "GPU",
                    glob_fits, unknown) &&
           has_fact(entry->driver, platform->driver, "driver", version_is_in_range, unknown) &&
           compiler_fits(entry, platform, unknown);
}

/* Returns whether the entry is of that test. */
static bool names_test(const struct expected_failure *entry, enum expected_kind kind,
                       const char *test)
{
    return entry->kind == kind && glob_fits(entry->test, test);
}

/* ---- Tests ---- */

void expectations_note(struct expectations *expectations, enum expected_kind kind, const char *test)
{
    struct expected_failure *entries = expectations->entries.items;

    for (size_t k = 0; k < expectations->entries.count; k++)
        entries[k].exists = entries[k].exists || names_test(&entries[k], kind, test);
}

static bool has_result(const struct expected_failure *entry, const char *result)
{
    const size_t length = strlen(result);

    for (const char *at = entry->results; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, result, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* Returns the first entry in force for that result, or null. */
static struct expected_failure *entry_of(const struct expectations *expectations,
                                         enum expected_kind kind, const char *test,
                                         const struct test_platform *platform, const char *result)
{
    struct expected_failure *entries = expectations->entries.items;
    const char *unknown;

    for (size_t k = 0; k < expectations->entries.count; k++)
        if (names_test(&entries[k], kind, test) && platform_fits(&entries[k], platform, &unknown) &&
            !entries[k].has_expired && has_result(&entries[k], result))
            return &entries[k];
    return NULL;
}

const struct expected_failure *expectations_take_failure(struct expectations *expectations,
                                                         enum expected_kind kind, const char *test,
                                                         const struct test_platform *platform,
                                                         const char *const *results, size_t count)
{
    struct expected_failure *entries = expectations->entries.items;
    bool is_known = count > 0;

    for (size_t r = 0; r < count; r++)
        is_known = is_known && entry_of(expectations, kind, test, platform, results[r]) != NULL;
    for (size_t k = 0; k < expectations->entries.count; k++) {
        struct expected_failure *entry = &entries[k];
        const char *unknown = NULL;
        bool excuses = false;

        if (!names_test(entry, kind, test))
            continue;
        for (size_t r = 0; r < count && is_known; r++)
            excuses = excuses || entry_of(expectations, kind, test, platform, results[r]) == entry;
        if (excuses)
            entry->excused++;
        else if (!is_known && platform_fits(entry, platform, &unknown))
            entry->failed++;
        else if (!is_known && unknown != NULL)
            entry->unknown = unknown;
    }
    return is_known ? entry_of(expectations, kind, test, platform, results[0]) : NULL;
}

void expectations_take_pass(struct expectations *expectations, enum expected_kind kind,
                            const char *test, const struct test_platform *platform)
{
    struct expected_failure *entries = expectations->entries.items;
    const char *unknown;

    for (size_t k = 0; k < expectations->entries.count; k++)
        entries[k].passed +=
            names_test(&entries[k], kind, test) && platform_fits(&entries[k], platform, &unknown);
}

/* ---- The report ---- */

/* Prints what became of an entry, if there is anything to say. */
static void print_entry(const struct expectations *expectations,
                        const struct expected_failure *entry, FILE *to)
{
    const struct known_deviation *known = &entry->known;
    char place[512];

    snprintf(place, sizeof place, "%s:%d: %s", expectations->path, entry->line, entry->test);
    if (entry->excused > 0)
        fprintf(to, "%s: known deviation in %" PRIu64 " test%s: %s, %s until %s\n", place,
                entry->excused, entry->excused == 1 ? "" : "s", entry->results, known->link,
                known->expires);
    if (entry->failed > 0 && entry->has_expired)
        fprintf(to, "%s: the entry expired on %s, so the failure counts: %s\n", place,
                known->expires, known->link);
    else if (entry->failed > 0)
        fprintf(to, "%s: does not only fail with '%s', so the failure counts: %s\n", place,
                entry->results, known->link);
    else if (entry->passed > 0 && entry->excused == 0)
        fprintf(to, "%s: passes now: remove the entry (%s)\n", place, known->link);
    else if (entry->unknown != NULL)
        fprintf(to, "%s: the failure counts, because the %s is unknown\n", place, entry->unknown);
    else if (!entry->exists && expectations->has_all[entry->kind])
        fprintf(to, "%s: no test matches: remove the entry, or correct the name\n", place);
}

void expectations_print(const struct expectations *expectations, FILE *to)
{
    const struct expected_failure *entries = expectations->entries.items;

    for (size_t k = 0; k < expectations->entries.count; k++)
        print_entry(expectations, &entries[k], to);
}
