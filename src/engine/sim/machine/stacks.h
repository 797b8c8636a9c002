/* SPDX-License-Identifier: MIT
 *
 * The stacks of a resident block's threads, and what tells that one was overrun.
 */
#ifndef SIMTCHECK_MACHINE_STACKS_H
#define SIMTCHECK_MACHINE_STACKS_H

#include "simt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each stack is a little off a power of two, or the hot words of all stacks would share a few
 * cache sets. */
enum { STACK_BYTES = 32768, STACK_STRIDE = STACK_BYTES + 192 };

struct stacks {
    void *memory;
    char *low; /* that of thread k starts at low + k * STACK_STRIDE */
    struct stacks *next;
};

/* Makes room for a block's threads; false when memory runs out. */
bool stacks_make(struct stacks *stacks);
void stacks_free(struct stacks *stacks);

/* The low end of thread k's stack, with what stands at both ends until a thread overwrites it. */
char *stacks_prepare(const struct stacks *stacks, uint32_t k);

/* Does that still stand there, at the low end and above the top? */
bool stacks_low_is_whole(const struct stacks *stacks, uint32_t k);
bool stacks_top_is_whole(const struct stacks *stacks, uint32_t k);

/* Is the address in pages that lie below all stacks of a block? */
bool stacks_is_guard(const void *address);

/* Is it in a thread's stack? */
bool stacks_has(uintptr_t address);

/* Whose stack, of those of a block, it is in; SIMT_BLOCK_THREADS or more: nobody's. */
size_t stacks_owner(const struct stacks *stacks, uintptr_t address);

#endif
