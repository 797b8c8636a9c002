/* SPDX-License-Identifier: MIT
 *
 * Findings from the evidence of checks: evidence with one identity is one finding, and a race
 * explains its consequences.
 */
#ifndef SIMTCHECK_CHECKS_MERGE_FINDINGS_H
#define SIMTCHECK_CHECKS_MERGE_FINDINGS_H

#include "json_model.h"
#include "record_check.h"

/* Sets the findings of the launch, and which of them each check has. The records share the texts of
 * the evidence; the rest is in `memory`. */
void merge_findings(struct memory *memory, struct launch_record *launch);

#endif
