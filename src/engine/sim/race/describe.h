/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_RACE_DESCRIBE_H
#define SIMTCHECK_RACE_DESCRIBE_H

#include "shadow.h"

/* Describes a race: what each side did, and which order is missing between them. Uses more stack
 * than a fiber has. */
void describe_race(const struct race_pair *found, struct race *described);

#endif
