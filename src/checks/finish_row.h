/* SPDX-License-Identifier: MIT
 *
 * From the plan of a row to its verdict, in phases:
 * - collect: run all cases
 * - explain: compare wrong results with the variant's known defect
 * - shrink: look for a smaller case that fails
 * - locate: look for a race in that case, which has source lines
 * - judge: fill in the verdict
 */
#ifndef SIMTCHECK_CHECKS_FINISH_ROW_H
#define SIMTCHECK_CHECKS_FINISH_ROW_H

#include "supervisor.h"
#include "verdict.h"

/* Runs the phases one after the other, until an interrupt. run->plan and run->row are the caller's;
 * run->suspects is the caller's to free. Statuses as for supervisor_run(). */
enum engine_status finish_row(struct row_run *run, struct supervisor *supervisor);

#endif
