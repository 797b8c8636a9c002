/* SPDX-License-Identifier: MIT
 *
 * What a run shows and writes.
 */
#ifndef SIMTCHECK_SUITE_REPORT_H
#define SIMTCHECK_SUITE_REPORT_H

#include "run.h"

#include <jansson.h>

/* The domain in words: its conditions joined by ", "; "every n, every B" for a total form. */
void report_domain(const struct variant *variant, char *text, size_t size);

/* `list`, as a table or as JSON. False when it could not be written. */
bool report_list(const struct catalogue *catalogue, bool json);

/* The table: its head, then each row as it is done; at the end what stands behind the verdicts and
 * a closing line. */
void report_head(void);
void report_row(const struct row *row);
/* False when what was shown could not be written. */
bool report_end(const struct report *report);

/* What a replayed case gave. */
void report_replay(const struct row *row, const struct witness *witness);

/* Shows how far a row is, on a terminal only; done with `finished`. */
void report_progress(const struct row *row, uint64_t count, bool finished);

/* Writes a value, which it takes over, to the file. An earlier version of it stays whole until the
 * new one is. False with errno set when it cannot be written. */
bool report_write(json_t *value, const char *path);

/* Likewise the rows so far. */
bool report_json(const struct report *report, const char *path);

#endif
