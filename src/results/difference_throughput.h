/* SPDX-License-Identifier: MIT
 *
 * Rates and the ladder of two snapshots: what is slower, and what is so by the machine.
 */
#ifndef SIMTCHECK_RESULTS_DIFFERENCE_THROUGHPUT_H
#define SIMTCHECK_RESULTS_DIFFERENCE_THROUGHPUT_H

#include "difference.h"

/* By engine that runs on a CPU, how fast the machine was for the new snapshot, as a share of how
 * fast it was for the old one, beyond what its pace says: a list of struct machine_record. It is
 * the change that three quarters of the engine's rows have at the least; 1 where there are fewer
 * than three rows, or where it is by more than twice, which is none of the machine. */
struct list throughput_machine(const json_t *old_snapshot, const json_t *new_snapshot,
                               struct memory *memory);

/* "host: all 22 % slower, which is taken for the machine's", of one of the above. False: it is too
 * little to be told. */
bool throughput_machine_tells(const char *engine, double share, char *text, size_t size);

void judge_rate(struct row_pair *pair);
void judge_rung(struct row_pair *pair);

#endif
