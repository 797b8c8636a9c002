/* SPDX-License-Identifier: MIT
 *
 * What `simtcheck compilers` prints and writes, and the contents of its shards.
 */
#ifndef SIMTCHECK_COMPILERS_REPORT_H
#define SIMTCHECK_COMPILERS_REPORT_H

#include "json_model.h"
#include "record_compilers.h"
#include "shard.h"
#include "trial.h"

/* Prints the table of compilers and stages, the families with the wrong and right versions, and the
 * pairs of programs with the same code. */
void compilers_report_print(const struct trial *trial);

/* Prints a line for each ptxas: sums over its kernels, in bytes except for registers. */
void compilers_report_code(const struct code_record *facts);

/* Prints a summary line that begins with "compilers: ", which ci/conformance shows. Returns the
 * exit status: something is wrong, the trial is incomplete, or neither. */
int compilers_report_verdict(const struct trial *trial);

/* Returns the report as a record or as JSON. The record's texts and lists belong to `memory` or the
 * trial; the caller owns the JSON. */
struct compilers_record compilers_report_record(const struct trial *trial, struct memory *memory);
json_t *compilers_report_json(const struct trial *trial);

/* Returns the keys for merging shards: when families and pairs were found in the work of all
 * shards. */
struct compilers_origin *compilers_report_origin(const struct trial *trial, struct memory *memory);

/* Returns how many of `count` drawn programs the shard has; and whether it has the idioms. */
uint64_t compilers_drawn(uint64_t count, const struct shard *shard);
bool compilers_has_idioms(bool no_idioms, const struct shard *shard);

#endif
