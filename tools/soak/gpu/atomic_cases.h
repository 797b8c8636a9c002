/* SPDX-License-Identifier: MIT
 *
 * Atomic operations on global and shared memory, whose results do not depend on the order of
 * threads. Each thread has a word of its own. If the order of operations does not matter, the lanes
 * of a warp have another one together.
 */
#ifndef SIMTCHECK_SOAK_ATOMIC_CASES_H
#define SIMTCHECK_SOAK_ATOMIC_CASES_H

#include "operands.h"

#include <stdio.h>

/* Results: the old value, the thread's word, and for lane 0 the warp's word. */
enum { ATOMIC_RESULTS = 3, ATOMIC_BLOCK = 256 };

struct atomic_case {
    struct instruction_case instruction; /* its operands: the word in memory, then those of atom */
    char opcode[48];
    const char *space;
    bool commutes;
};

/* Returns all of them. The list lives until the program ends. */
const struct atomic_case *atomic_cases(size_t *count);

/* Makes the operands of that number. Every second cas finds the value that it compares with. */
void atomic_case_tuple(const struct atomic_case *atomic, uint32_t number,
                       uint64_t tuple[OPERANDS_WORDS]);

/* Writes PTX that runs the instruction with the operands at address `i`, and writes the results to
 * address `o`. `t` is the thread in the block of ATOMIC_BLOCK. */
void atomic_case_write(FILE *to, const struct atomic_case *atomic);

#endif
