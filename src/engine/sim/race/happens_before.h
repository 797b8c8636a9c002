/* SPDX-License-Identifier: MIT
 *
 * What comes before a thread's next access, as facts about others, shared by all that have the
 * same. Lives as long as the job.
 */
#ifndef SIMTCHECK_RACE_HAPPENS_BEFORE_H
#define SIMTCHECK_RACE_HAPPENS_BEFORE_H

#include <stddef.h>
#include <stdint.h>

/* Null: nothing. */
struct happens_before;

struct fact {
    uint64_t about;
    uint32_t value;
};

/* Those facts on top of a base, the highest of each. When memory
 * runs out, `out_of_memory` is called and the base comes back. */
const struct happens_before *happens_before_make(const struct happens_before *base,
                                                 struct fact *facts, size_t count);

/* What comes before either. */
const struct happens_before *happens_before_join(const struct happens_before *a,
                                                 const struct happens_before *b);

/* The value of a fact; 0: there is none. */
uint32_t happens_before_value(const struct happens_before *before, uint64_t about);

/* Forgets all, at the end of a job; and gives all memory back. */
void happens_before_forget(void);
void happens_before_close(void);

/* Bytes, beyond which there is no memory for facts. */
extern size_t happens_before_most;

/* To be set: the job is to end with a fault. */
extern void (*happens_before_out_of_memory)(void);

#endif
