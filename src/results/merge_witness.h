/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_COMMANDS_MERGE_WITNESS_H
#define SIMTCHECK_COMMANDS_MERGE_WITNESS_H

#include "record_run.h"
#include "shrink.h"

/* What a shard's record says of a witness, but for its case. */
void merge_witness(const struct witness_record *from, struct witness *witness);

#endif
