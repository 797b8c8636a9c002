/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_RESULTS_MERGE_COUNTEREXAMPLE_H
#define SIMTCHECK_RESULTS_MERGE_COUNTEREXAMPLE_H

#include "record_run.h"
#include "shrink.h"

/* Copies a counterexample from a shard's record, except for its case. */
void merge_counterexample(const struct counterexample_record *from,
                          struct counterexample *counterexample);

#endif
