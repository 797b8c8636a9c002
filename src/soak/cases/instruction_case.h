/* SPDX-License-Identifier: MIT
 *
 * One row of the table that list_instructions writes.
 */
#ifndef SIMTCHECK_SOAK_INSTRUCTION_CASE_H
#define SIMTCHECK_SOAK_INSTRUCTION_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction_case {
    const char *opcode;
    size_t form;          /* index of instruction_forms */
    const char *types[4]; /* types of the operands; null ends them */
    bool takes_carry;
    const char *result;
};

extern const struct instruction_case instruction_cases[];
extern const size_t instruction_count;
extern const char *const instruction_forms[];
extern const size_t instruction_form_count;

#endif
