/* SPDX-License-Identifier: MIT
 *
 * What `simtcheck toolchain` shows and writes, and what is in its shards.
 */
#ifndef SIMTCHECK_COMMANDS_TOOLCHAIN_REPORT_H
#define SIMTCHECK_COMMANDS_TOOLCHAIN_REPORT_H

#include "json_model.h"
#include "record_tools.h"
#include "shard.h"
#include "trial.h"

/* The table of compilers and stages; families with the versions that are wrong and right; programs
 * of one code. */
void toolchain_report_print(const struct trial *trial);

/* One line that says it all, beginning with "toolchain: ": ci/conformance shows it. */
void toolchain_report_verdict(const struct trial *trial);

/* The same as a record, whose texts and lists are the memory's or the trial's; and as JSON, the
 * caller's. */
struct toolchain_record toolchain_report_record(const struct trial *trial, struct memory *memory);
json_t *toolchain_report_json(const struct trial *trial);

/* What shards are merged by: when, in the work of all, families and pairs were found. */
struct toolchain_origin *toolchain_report_origin(const struct trial *trial, struct memory *memory);

/* How many of so many programs that are drawn the shard has, and whether it has the idioms. */
uint64_t toolchain_drawn(uint64_t count, const struct shard *shard);
bool toolchain_has_idioms(bool no_idioms, const struct shard *shard);

#endif
