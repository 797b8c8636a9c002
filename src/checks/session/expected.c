/* SPDX-License-Identifier: MIT */
#include "expected.h"

#include "launch_text.h"

#include <stdio.h>
#include <string.h>

enum { TEST_NAME = 512 };

/* Writes the name of a row: ENGINE:KERNEL:VARIANT as in case IDs. A kernel of a launch has no
 * variant. Returns the text. */
static const char *name_of(const struct variant *variant, const struct engine_kind *engine,
                           char name[TEST_NAME])
{
    if (variant->launch != NULL)
        snprintf(name, TEST_NAME, "%s:%s", engine->name, variant->launch->calls[0].kernel);
    else
        snprintf(name, TEST_NAME, "%s:%s:%s", engine->name, variant->id,
                 variant_kind_name(variant->kind));
    return name;
}

void expected_note(const struct session *session, enum expected_kind kind)
{
    const struct catalogue *catalogue = session->catalogue;
    char name[TEST_NAME];

    for (size_t v = 0; session->sinks->expectations != NULL && v < catalogue->count; v++) {
        if (catalogue->variants[v].launch != NULL)
            return;
        for (int e = 0; e < NAMED_ENGINES; e++)
            if (kind != EXPECT_RACES || engine_kinds[e].simulates)
                expectations_note(session->sinks->expectations, kind,
                                  name_of(&catalogue->variants[v], &engine_kinds[e], name));
        session->sinks->expectations->has_all[kind] = true;
    }
}

/* ---- Platforms ---- */

/* Copies what is between two texts. Returns null if a text is missing. */
static const char *between(const char *description, const char *before, const char *after,
                           char *text, size_t size)
{
    const char *start = strstr(description, before),
               *end = start != NULL ? strstr(start + strlen(before), after) : NULL;

    if (end == NULL)
        return NULL;
    start += strlen(before);
    snprintf(text, size, "%.*s", (int)(end - start), start);
    return text;
}

/* Writes the compute capability of a description, such as 9.0, as sm_90. */
static const char *architecture_in(const char *description, char *text, size_t size)
{
    static const char before[] = ", compute capability ";
    const char *found = strstr(description, before);
    int major, minor;

    if (found == NULL || sscanf(found + strlen(before), "%d.%d", &major, &minor) != 2)
        return NULL;
    snprintf(text, size, "sm_%d%d", major, minor);
    return text;
}

struct test_platform platform_of(const char *description, struct platform_texts *texts)
{
    struct test_platform platform = {
        .gpu = between(description, " engine, ", ", compute capability ", texts->gpu,
                       sizeof texts->gpu),
        .architecture =
            architecture_in(description, texts->architecture, sizeof texts->architecture),
        .driver = between(description, ", driver ", " ", texts->driver, sizeof texts->driver),
        .compiler_version = between(description, ", compiled by nvcc ", ",",
                                    texts->compiler_version, sizeof texts->compiler_version)};

    if (platform.gpu != NULL && strcmp(platform.gpu, "unknown GPU") == 0)
        platform.gpu = platform.architecture = NULL;
    if (platform.compiler_version != NULL)
        platform.compiler = "nvcc";
    return platform;
}

/* Returns what a row ran on. The compiler of a user's kernels is that of the session. */
static struct test_platform platform_of_row(const struct session *session,
                                            const struct expected_row *row,
                                            struct platform_texts *texts)
{
    struct test_platform platform = platform_of(supervisor_description(row->supervisor), texts);

    if (row->variant->launch != NULL) {
        platform.compiler = strncmp(session->compiler, "clang", 5) == 0
                                ? "clang" /* or "clang -O0" */
                                : session->compiler;
        platform.compiler_version =
            session->compiler_version[0] != '\0' ? session->compiler_version : NULL;
    }
    return platform;
}

/* ---- Rows ---- */

const struct known_deviation *expected_failure(const struct session *session,
                                               const struct expected_row *row,
                                               const char *const *results, size_t count)
{
    struct platform_texts texts;
    char name[TEST_NAME];
    const struct expected_failure *entry;

    if (session->sinks->expectations == NULL)
        return NULL;
    const struct test_platform platform = platform_of_row(session, row, &texts);
    entry = expectations_take_failure(session->sinks->expectations, row->kind,
                                      name_of(row->variant, row->engine, name), &platform, results,
                                      count);
    return entry != NULL ? &entry->known : NULL;
}

void expected_pass(const struct session *session, const struct expected_row *row)
{
    struct platform_texts texts;
    char name[TEST_NAME];

    if (session->sinks->expectations == NULL)
        return;
    const struct test_platform platform = platform_of_row(session, row, &texts);
    expectations_take_pass(session->sinks->expectations, row->kind,
                           name_of(row->variant, row->engine, name), &platform);
}

void expected_print(const struct session *session, const struct known_deviation *known)
{
    session_say(session, "    known deviation: %s until %s%s%s\n", known->link, known->expires,
                known->reason != NULL ? ": " : "", known->reason != NULL ? known->reason : "");
}
