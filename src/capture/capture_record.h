/* SPDX-License-Identifier: MIT
 *
 * The JSON files of a capture: its index, capture.json, and a file for each launch.
 */
#ifndef SIMTCHECK_CAPTURE_CAPTURE_RECORD_H
#define SIMTCHECK_CAPTURE_CAPTURE_RECORD_H

#include "field.h"

/* ---- capture.json ---- */

/* A process whose launches were captured. */
struct process_record {
    const char *program; /* its command line */
    const char *gpu, *compute_capability;
    uint64_t driver; /* version, such as 13000 */
};

/* Launches of a kernel that were not captured. */
struct left_out_record {
    const char *kernel, *reason;
    uint64_t launches;
};

/* A file. Its hash is that of the text, or of the uncompressed content. */
struct file_record {
    const char *path, *hash;
};

struct capture_index {
    uint64_t version;
    bool complete;         /* all files are listed, because no process writes any more */
    struct list files;     /* of struct file_record, sorted by path */
    struct list processes; /* of struct process_record */
    struct list left_out;  /* of struct left_out_record */
};

extern const struct table capture_index_table;

/* The version alone, which both kinds of files have. */
struct capture_version {
    uint64_t version;
};

extern const struct table capture_version_table;

/* ---- A launch; capture_file.h describes the members ---- */

struct piece_record {
    uint64_t offset, bytes;
    const char *blob;
};

struct allocation_record {
    const char *address; /* hexadecimal */
    uint64_t bytes;
    const char *variable;
    struct list before, after; /* of struct piece_record */
};

struct parameter_record {
    uint32_t offset, bytes;
};

struct captured_record {
    uint64_t version;
    const char *kernel, *module;
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
    bool cooperative;
    const char *gpu_error, *unmodelled;
    const char *parameters;  /* hexadecimal, two digits a byte */
    struct list linked;      /* of hashes of modules */
    struct list layout;      /* of struct parameter_record */
    struct list allocations; /* of struct allocation_record */
};

extern const struct table captured_record_table;

#endif
