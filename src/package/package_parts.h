/* SPDX-License-Identifier: MIT
 *
 * What the making and the verifying of packages share.
 */
#ifndef SIMTCHECK_PACKAGE_PARTS_H
#define SIMTCHECK_PACKAGE_PARTS_H

#include "archive.h"
#include "kinds.h"
#include "package.h"

/* ---- The contents of a package ---- */

#define PACKAGE_MANIFEST "manifest.json"
#define PACKAGE_SUMS "SHA256SUMS"

/* A file of a package, except manifest.json and SHA256SUMS. */
struct package_file {
    const char *name;
    const char *kind;                  /* as in struct package_member */
    const struct results_kind *result; /* unless `document` is null */
    json_t *document;                  /* null: an attachment */
    const void *record;
};

/* A zeroed one is empty. */
struct package_contents {
    struct list files;               /* of struct package_file */
    const struct package_file *file; /* the snapshot; null: none yet */
    const struct snapshot_record *snapshot;
    struct memory memory;
};

/* Reads the members that are files of results by their names. There must be one snapshot, with
 * results of `run`. Returns false with the reason. Call contents_free() in either case. */
bool contents_read(struct package_contents *contents, const struct list *members, char *why,
                   size_t size);
void contents_free(struct package_contents *contents);

/* Checks that the results are from that build. Returns false with the reason. */
bool contents_fit(const struct package_contents *contents, const struct build_record *build,
                  char *why, size_t size);

/* Returns the lines of SHA256SUMS, in the format of the program sha256sum. */
const char *package_sums(const struct list *members, const struct archive_member *manifest,
                         struct memory *memory);

/* ---- The list of tests, and their results ---- */

/* Returns every test of the catalogue on these engines, as struct package_test. */
struct list package_tests(const struct catalogue *catalogue, const struct plan_request *cases,
                          const struct engine_list *engines, struct memory *memory);

/* For a tool that judges a file: notes what failed, unless the deviation is known, and what is
 * missing. */
struct judging;
void judging_fail(struct judging *judging, const struct known_deviation *known, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
void judging_lack(struct judging *judging, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Judges all results. Texts belong to the memory and to the contents. */
struct package_result package_judge(const struct list *tests,
                                    const struct package_contents *contents, struct memory *memory);

/* Prints the result. */
void package_print(const struct package_record *package);

/* Reads a file of at most ARCHIVE_MIB. Returns null after an error message. */
const char *package_load(const char *path, size_t *size, struct memory *memory);

#endif
