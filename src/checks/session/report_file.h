/* SPDX-License-Identifier: MIT
 *
 * The file that a command writes its results to. The file of a shard also has everything that
 * `merge` needs to decide whether shards belong together.
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
    const char *command; /* the command that the shard is part of */
    json_t *given;       /* of a shard: the options that the results depend on */
    json_t *engines;     /* of a shard: the description of each engine, by name */
    json_t *document;    /* of a shard: the results that were written last */
    json_t *pending;     /* the value that a pipe gets at the end */
};

/* Writes a value, and takes ownership of it. A pipe gets only the last value, at the end. Returns
 * false after an error message. */
bool report_file_save(struct report_file *file, json_t *value);

/* Keeps an engine's description for the file of a shard. Null: the engine is not available. */
void report_file_note_engine(struct report_file *file, const char *engine, const char *description);

/* Ends the file. A shard gets its exit status, and a pipe its value. A shard without exit status
 * was killed. Returns false after an error message. */
bool report_file_end(struct report_file *file, int status);

/* Writes a value in the format of the reports. Returns false with errno set on error. */
bool report_file_dump(const void *value, FILE *stream);

/* Writes the shard's name, such as "shard 2/8". */
void shards_name(const struct shard *shard, char name[32]);

/* Prints how many pieces the shard had, and that `merge` gives the overall verdict. `pieces` is a
 * regular plural, such as "cases". */
void shards_print_end(const struct shard *shard, uint64_t count, const char *pieces);

#endif
