/* SPDX-License-Identifier: MIT
 *
 * Speed in the results of other commands: `compare` and the page of `report`.
 */
#ifndef SIMTCHECK_BENCH_BENCH_WING_H
#define SIMTCHECK_BENCH_BENCH_WING_H

#include "difference.h"
#include "page.h"

/* Returns a list of struct named_value, with an entry for each engine that runs on a CPU. An
 * entry estimates how fast the machine ran the new snapshot, as a ratio to the old one, beyond the
 * ratio of their paces. At least three quarters of the engine's rows changed by that ratio or more.
 * The ratio is 1 if there are fewer than three rows. It is also 1 if it exceeds a factor of two,
 * because a machine alone does not explain that. */
struct list throughput_machine(const json_t *old_snapshot, const json_t *new_snapshot,
                               struct memory *memory);

/* The rows of its parts of a snapshot, and its sections of a page. */
extern const struct part_rows throughput_rows[], benchmark_rows[];
extern const struct page_section bench_sections[];

#endif
