/* SPDX-License-Identifier: MIT
 *
 * Which build this is: its version, its sources and the files that decide results.
 */
#ifndef SIMTCHECK_IDENTITY_BUILD_FILES_H
#define SIMTCHECK_IDENTITY_BUILD_FILES_H

#include "json_model.h"

struct build_file_record {
    const char *name;
    uint64_t size;
    const char *sha256;
};

struct build_record {
    const char *hash;         /* see build_hash() */
    const char *simtcheck;    /* version */
    const char *sources;      /* build_identity */
    const char *commit;       /* null: not built from a git repository */
    const char *working_tree; /* "clean" or "changed"; null as above */
    struct list files;        /* of struct build_file_record, by name */
};

extern const struct table build_table;

/* Reads this program, its workers, and the PTX of its kernels. A file that cannot be read has the
 * size 0 and the digest of no bytes. */
struct build_record build_read(struct memory *memory);

/* Returns the SHA-256 over all other members of the record, as text. */
const char *build_hash(const struct build_record *build, struct memory *memory);

#endif
