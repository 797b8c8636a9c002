/* SPDX-License-Identifier: MIT
 *
 * Operands of wgmma for the kernels of `soak`. A block has two warpgroups, with one shared memory
 * and registers of their own. Each thread's words fill its part of the shared memory, then its
 * registers. Registers of operand C beyond the words repeat those before.
 */
#ifndef SIMTCHECK_SOAK_GROUP_H
#define SIMTCHECK_SOAK_GROUP_H

#include "group_cases.h"
#include "soak_cases.h"

enum { SOAK_GROUP_WORDS = SOAK_MAX_WORDS };

uint64_t soak_group_operand(const struct group_case *group, uint32_t number, uint32_t word);

/* Writes the tuple's registers, and which thread and shared memory it has. */
void soak_group_describe(FILE *to, const struct group_case *group, uint32_t number);

/* Writes PTX that runs the instruction with the operands at `i`, and writes two registers of the
 * result to each word at `o`. `t` is the thread. */
void soak_group_write(FILE *to, const struct group_case *group);

#endif
