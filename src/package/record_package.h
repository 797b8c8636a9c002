/* SPDX-License-Identifier: MIT
 *
 * manifest.json of a package.
 */
#ifndef SIMTCHECK_PACKAGE_RECORD_PACKAGE_H
#define SIMTCHECK_PACKAGE_RECORD_PACKAGE_H

#include "build_files.h"
#include "record_check.h"
#include "record_snapshot.h"

enum { PACKAGE_VERSION = 1 };

/* A file of the package, except manifest.json and SHA256SUMS. */
struct package_member {
    const char *name;
    const char *kind; /* the command that wrote it; "attachment" for another file */
    uint64_t size;    /* in bytes */
    const char *sha256;
};

/* A test: a variant on an engine. */
struct package_test {
    enum engine_id engine;
    const char *id;
    enum variant_kind kind;
    bool has_model;
    enum model model; /* of a test for races */
    uint64_t cases;   /* of a test for results; 0: a test for races */
};

/* Tests that were skipped for one reason. */
struct package_skip {
    const char *reason;
    uint64_t tests;
};

struct package_result {
    enum check_result verdict; /* pass, fail or incomplete */
    uint64_t tests, conform, known_defects, known_deviations, failed, skipped, missing; /* listed */
    struct list skips;    /* of struct package_skip */
    struct list failures; /* texts: what failed, in the listed tests and in all other results */
    struct list known;    /* texts: what failed with a known deviation */
    struct list lacks;    /* texts: listed tests and other results that are missing or incomplete */
};

struct package_record {
    uint64_t version;
    struct build_record build;
    struct environment_record environment; /* that of the snapshot */
    struct list members;                   /* of struct package_member, by name */
    uint64_t level, seed;                  /* of the cases of the tests */
    struct list tests;                     /* of struct package_test */
    struct package_result result;
};

extern const struct table package_table, package_result_table;

#endif
