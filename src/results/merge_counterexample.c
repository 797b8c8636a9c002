/* SPDX-License-Identifier: MIT */
#include "merge_counterexample.h"

void merge_counterexample(const struct counterexample_record *from,
                          struct counterexample *counterexample)
{
    *counterexample =
        (struct counterexample){.outcome = from->outcome, .exhaustive = from->smallest};
}
