/* SPDX-License-Identifier: MIT
 *
 * The instructions of the PTX ISA that the simulator has and those that it rejects, from the tables
 * of forms.
 */
#ifndef SIMTCHECK_PTX_CAPABILITY_H
#define SIMTCHECK_PTX_CAPABILITY_H

#include "forms.h"

enum capability_status { CAPABILITY_SUPPORTED, CAPABILITY_IN_PART, CAPABILITY_REJECTED };

/* Instructions of one name in one chapter of the ISA. */
struct capability {
    char name[32];
    const char *chapter, *title; /* "9.7.1", "Integer arithmetic" */
    const struct form **forms;   /* supported ones; ends with null */
    const struct form **missing; /* rejected ones, whose meaning is the reason; ends with null */
};

const char *capability_status_name(enum capability_status status);
enum capability_status capability_status(const struct capability *capability);

/* Returns all instructions by chapter, and their number. Returns null if memory is short. */
struct capability *capabilities_list(size_t *count);
void capabilities_free(struct capability *list, size_t count);

#endif
