/* SPDX-License-Identifier: MIT
 *
 * Switching between stacks. One fiber stands for one GPU thread; the stack of engine_run() is home.
 * AddressSanitizer is told of every switch.
 */
#ifndef SIMTCHECK_MACHINE_FIBER_H
#define SIMTCHECK_MACHINE_FIBER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_SANITIZED
#endif
#endif

/* A stack and where it was left. */
struct fiber {
    void *stack_pointer;
#ifdef FIBER_SANITIZED
    void *fake_stack;
    const void *low;
    size_t size;
#endif
};

extern struct fiber fiber_home;

/* Do fibers run, and may a signal's handler leave them? */
extern volatile sig_atomic_t fiber_running, fiber_held;

/* Prepares a stack of `size` bytes at `low` so that the first switch to it calls `entry`, which
 * must not return. */
void fiber_prepare(struct fiber *fiber, void *low, size_t size, void (*entry)(void));

/* Goes home for good: the current fiber's stack is as good as free. */
_Noreturn void fiber_leave(void);

/* Runs fibers, from this one on, until one of them goes home. */
void fiber_run(struct fiber *first);

/* The way of fiber_switch(): saves the callee-saved registers on the current stack and its stack
 * pointer in *from, then goes on where the stack `to` was left. Neither the signal mask nor the
 * floating-point modes are switched: no kernel changes them. */
void fiber_exchange(void **from, void *to);

#ifdef FIBER_SANITIZED
void fiber_switch(struct fiber *from, struct fiber *to);
#else
static inline void fiber_switch(struct fiber *from, struct fiber *to)
{
    fiber_exchange(&from->stack_pointer, to->stack_pointer);
}
#endif

#endif
