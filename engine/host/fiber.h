/* SPDX-License-Identifier: MIT
 *
 * Switching between stacks. One fiber stands for one GPU thread.
 */
#ifndef SIMTCHECK_ENGINE_HOST_FIBER_H
#define SIMTCHECK_ENGINE_HOST_FIBER_H

#include <stddef.h>

/* Saves the callee-saved registers on the current stack and its stack pointer in *from, then goes
 * on where the stack `to` was left. Neither the signal mask nor the floating-point modes are
 * switched: no kernel changes them. */
void fiber_switch(void **from, void *to);

/* Prepares a stack of `size` bytes at `low` so that the first switch to the result calls `entry`,
 * which must not return. */
void *fiber_prepare(void *low, size_t size, void (*entry)(void));

#endif
