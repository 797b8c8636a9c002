/* SPDX-License-Identifier: MIT
 *
 * Speed in the results of other commands: `compare` and the page of `report`.
 */
#ifndef SIMTCHECK_BENCH_BENCH_WING_H
#define SIMTCHECK_BENCH_BENCH_WING_H

#include "difference.h"
#include "page.h"

/* Compares the throughput of two snapshots. Returns a list of struct machine_record, with an entry
 * for each engine that runs on a CPU. An entry estimates how fast the machine ran the new snapshot,
 * as a ratio to the old one, beyond the ratio of their paces. At least three quarters of the
 * engine's rows changed by that ratio or more. The ratio is 1 if there are fewer than three rows.
 * It is also 1 if it exceeds a factor of two, because a machine alone does not explain that. */
struct list throughput_machine(const json_t *old_throughput, json_t *new_throughput,
                               struct memory *memory);

void judge_throughput(struct row_pair *pair);
void judge_benchmark(struct row_pair *pair);

page_writer page_benchmark;

#endif
