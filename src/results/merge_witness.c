/* SPDX-License-Identifier: MIT */
#include "merge_witness.h"

void merge_witness(const struct witness_record *from, struct witness *witness)
{
    *witness = (struct witness){.outcome = from->outcome, .exhaustive = from->smallest};
}
