/* SPDX-License-Identifier: MIT
 *
 * What `simtcheck compilers` shows and writes, and what is in its shards.
 */
#ifndef SIMTCHECK_COMMANDS_COMPILERS_REPORT_H
#define SIMTCHECK_COMMANDS_COMPILERS_REPORT_H

#include "json_model.h"
#include "record_tools.h"
#include "shard.h"
#include "trial.h"

/* The table of compilers and stages; families with the versions that are wrong and right; programs
 * of one code. */
void compilers_report_print(const struct trial *trial);

/* Prints one line that says it all, beginning with "compilers: ": ci/conformance shows it. Returns
 * the exit status: something is wrong, or not all could be tried, or neither. */
int compilers_report_verdict(const struct trial *trial);

/* The same as a record, whose texts and lists are the memory's or the trial's; and as JSON, the
 * caller's. */
struct compilers_record compilers_report_record(const struct trial *trial, struct memory *memory);
json_t *compilers_report_json(const struct trial *trial);

/* What shards are merged by: when, in the work of all, families and pairs were found. */
struct compilers_origin *compilers_report_origin(const struct trial *trial, struct memory *memory);

/* How many of so many programs that are drawn the shard has, and whether it has the idioms. */
uint64_t compilers_drawn(uint64_t count, const struct shard *shard);
bool compilers_has_idioms(bool no_idioms, const struct shard *shard);

#endif
