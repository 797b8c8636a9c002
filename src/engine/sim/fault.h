/* SPDX-License-Identifier: MIT
 *
 * The job's fault: the first one that is recorded. Formats say what the thread does, to follow
 * "thread (x,y,z) of block (x,y,z)".
 */
#ifndef SIMTCHECK_HOST_FAULT_H
#define SIMTCHECK_HOST_FAULT_H

#include "block.h"

/* Forgets the fault of the job before. */
void fault_reset(void);

/* Has there been one? */
bool fault_came(void);

/* Records a fault of the current thread, if there is one, and goes on. */
void fault_record(enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fault_record_at(enum fault_kind kind, const struct simt_site *site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes a fault at a code address after which the case can go on. It is the job's if there is no
 * other. */
void fault_note(enum fault_kind kind, const void *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool fault_noted(void);

/* Records a fault of another thread; `site` may be null, and so may `thread`: nobody's. */
void fault_record_of(const struct resident_block *block, const struct thread *thread,
                     enum fault_kind kind, const struct simt_site *site, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Records a fault of the current thread at a code address (null: unknown) or at a site, and leaves
 * its fiber. */
_Noreturn void fault_raise(enum fault_kind kind, const void *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void fault_raise_at(enum fault_kind kind, const struct simt_site *site,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Faults when the current thread has overrun its stack. */
void fault_check_stack(const void *code);

/* The current thread has overrun its stack; the job's time is up. */
_Noreturn void fault_raise_stack(const void *code);
_Noreturn void fault_raise_deadline(const void *code, const struct simt_site *site);
/* The same, in the first of those places, from the innermost call on, that is a kernel's. */
_Noreturn void fault_raise_deadline_in(void *const calls[], int count);
enum { MAX_CALLS = 16 };
/* What these say: so many seconds. */
void fault_set_deadline(double seconds);

/* The fault, with its source line. On the stack of engine_run(): looking a line up takes more stack
 * than a fiber has. */
const struct fault *fault_located(void);

#endif
