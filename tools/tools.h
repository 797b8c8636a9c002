/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_TOOLS_TOOLS_H
#define SIMTCHECK_TOOLS_TOOLS_H

struct wing;

/* The wings of simtcheck, in the order in which a snapshot runs their parts; end with null. */
extern const struct wing *const all_wings[];

#endif
