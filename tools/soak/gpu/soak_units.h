/* SPDX-License-Identifier: MIT
 *
 * The units that are checked: GPUs and MIG instances.
 */
#ifndef SIMTCHECK_SOAK_UNITS_H
#define SIMTCHECK_SOAK_UNITS_H

#include "soak_device.h"

enum { SOAK_MAX_UNITS = 128 };

struct soak_units {
    int count;
    char visible[SOAK_MAX_UNITS][96]; /* CUDA_VISIBLE_DEVICES of each process */
    char reason[SOAK_REASON];         /* why there is none */
};

/* Lists the units that CUDA_VISIBLE_DEVICES names, or all. The calling process does not open the
 * driver, because a process that has opened it cannot fork. Gives up after `patience` seconds. */
void soak_units_list(struct soak_units *units, double patience);

/* Adds the units that a list of names with commas has. */
void soak_units_add(struct soak_units *units, const char *names);

#endif
