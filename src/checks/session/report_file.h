/* SPDX-License-Identifier: MIT
 *
 * The file that a command writes its results to. The file of a shard also has everything by which
 * `merge` decides whether the shard goes together with the others.
 */
#ifndef SIMTCHECK_CHECKS_REPORT_FILE_H
#define SIMTCHECK_CHECKS_REPORT_FILE_H

#include "shard.h"

#include <jansson.h>
#include <stdio.h>

enum { SHARD_VERSION = 1 };

struct report_file {
    const char *path;    /* null: nothing is written */
    struct shard shard;  /* count 0: the results are not those of a shard */
    const char *command; /* that the shard is of */
    json_t *given;       /* of a shard: the options that the results depend on */
    json_t *engines;     /* of a shard: what each engine says of itself, by name */
    json_t *document;    /* of a shard: the results that were written last */
    json_t *pending;     /* what a pipe gets at the end */
};

/* Writes a value, which it takes over. A pipe gets only the last value, at the end. Returns false
 * after an error message. */
bool report_file_save(struct report_file *file, json_t *value);

/* Keeps what an engine says of itself for the file of a shard. Null: the engine is not available.
 */
void report_file_note_engine(struct report_file *file, const char *engine, const char *description);

/* Ends the file: a shard gets its exit status, and a pipe its value. A shard without exit status
 * was killed. Returns false after an error message. */
bool report_file_end(struct report_file *file, int status);

/* Writes a value in the form of the reports. Returns false with errno set on error. */
bool report_file_dump(const void *value, FILE *stream);

/* "shard 2/8". */
void shards_name(const struct shard *shard, char name[32]);

/* Prints how many pieces were in the shard, and that `merge` gives the verdict of all. */
void shards_print_end(const struct shard *shard, uint64_t count, const char *pieces);

#endif
