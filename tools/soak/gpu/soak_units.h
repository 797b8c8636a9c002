/* SPDX-License-Identifier: MIT
 *
 * The units that are checked: GPUs and MIG instances. Each has a process of its own, because CUDA
 * shows a process one MIG instance only, and because a GPU that hangs or fails takes its process
 * with it.
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

/* How the process of a unit ended. */
struct soak_end {
    bool is_hung;
    char reason[SOAK_REASON]; /* why it had to be killed or crashed, or "" */
};

/* Lists the units that CUDA_VISIBLE_DEVICES names, or all. The calling process does not open the
 * driver, because a process that has opened it cannot fork. Gives up after `patience` seconds. */
void soak_units_list(struct soak_units *units, double patience);

/* Adds the units that a list of names with commas has. */
void soak_units_add(struct soak_units *units, const char *names);

/* Calls check(context, k) in a process for each unit, and waits for them. A process whose count of
 * answers does not grow for `patience` seconds hangs, and is killed. An interrupt is passed on. */
void soak_units_run(const struct soak_units *units, double patience,
                    void (*check)(void *context, int k), void *context,
                    const _Atomic uint64_t answers[SOAK_MAX_UNITS], struct soak_end *ends);

#endif
