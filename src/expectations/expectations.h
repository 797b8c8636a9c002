/* SPDX-License-Identifier: MIT
 *
 * Expectations: a file that lists known deviations. An entry names a test, how it fails, and on
 * which GPU, driver and compiler. docs/results.md describes the format.
 */
#ifndef SIMTCHECK_EXPECTATIONS_EXPECTATIONS_H
#define SIMTCHECK_EXPECTATIONS_EXPECTATIONS_H

#include "json_model.h"
#include "record_run.h"

#include <stdio.h>

enum expected_kind {
    EXPECT_RUN,
    EXPECT_RACES,
    EXPECT_DETERMINISM,
    EXPECT_LITMUS,
    EXPECT_EXEC,
};

enum { EXPECTED_KINDS = EXPECT_EXEC + 1 };

/* What a test ran on. Null: unknown. An entry that asks for an unknown fact does not apply. */
struct test_platform {
    const char *gpu;          /* "NVIDIA H100 80GB HBM3" */
    const char *architecture; /* "sm_90" */
    const char *driver;       /* "580.65.06" */
    const char *compiler, *compiler_version;
};

struct expected_failure {
    int line; /* of the head of the entry */
    enum expected_kind kind;
    const char *test;                    /* a glob */
    const char *results;                 /* separated by commas, without blanks around them */
    const char *gpu, *driver, *compiler; /* null: any */
    struct known_deviation known;
    bool has_expired;
    /* What became of it. */
    bool exists;                      /* the build has a test that matches */
    uint64_t excused, passed, failed; /* tests with a known deviation, that passed, and that failed
                                         in another way or after the entry expired */
    const char *unknown; /* an unknown fact, so that the entry did not apply; null: none */
};

/* A zeroed one has no entries. */
struct expectations {
    const char *path;
    struct list entries;          /* of struct expected_failure */
    bool has_all[EXPECTED_KINDS]; /* all tests of that kind were named */
    struct memory memory;
};

/* Reads a file. Entries expire by the date in SIMTCHECK_TODAY (YYYY-MM-DD), or by the clock. On
 * failure, returns false and writes a message with file and line. */
bool expectations_read(const char *path, struct expectations *expectations, char *error,
                       size_t size);
void expectations_free(struct expectations *expectations);

/* Notes that the build has a test of that name. */
void expectations_note(struct expectations *expectations, enum expected_kind kind,
                       const char *test);

/* Takes a test that failed with these results. Returns the entry of the first one if each of them
 * is a known deviation, and null if the failure counts. */
const struct expected_failure *expectations_take_failure(struct expectations *expectations,
                                                         enum expected_kind kind, const char *test,
                                                         const struct test_platform *platform,
                                                         const char *const *results, size_t count);

/* Takes a test that passed. */
void expectations_take_pass(struct expectations *expectations, enum expected_kind kind,
                            const char *test, const struct test_platform *platform);

/* Prints what became of the entries: known deviations, entries to remove, and expired ones. */
void expectations_print(const struct expectations *expectations, FILE *to);

#endif
