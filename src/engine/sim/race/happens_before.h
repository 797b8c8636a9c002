/* SPDX-License-Identifier: MIT
 *
 * The accesses that happen before a thread's next access, as facts about other threads. Threads
 * with the same facts share them. They live until the end of the job.
 */
#ifndef SIMTCHECK_RACE_HAPPENS_BEFORE_H
#define SIMTCHECK_RACE_HAPPENS_BEFORE_H

#include <stddef.h>
#include <stdint.h>

/* Null means that nothing happens before. */
struct happens_before;

struct fact {
    uint64_t about;
    uint32_t value;
};

/* Adds facts on top of a base, the highest value of each. If memory runs out, calls
 * happens_before_out_of_memory() and returns the base. */
const struct happens_before *happens_before_make(const struct happens_before *base,
                                                 struct fact *facts, size_t count);

/* Returns what comes before either of the two. */
const struct happens_before *happens_before_join(const struct happens_before *a,
                                                 const struct happens_before *b);

/* Marks: bits of a fact's subject, a number from 1 to 7. */
enum { MARK_SHIFT = 59, MARK_MASK = 7 };

/* Adds a copy of each fact that has no mark, with that mark. */
const struct happens_before *happens_before_mark(const struct happens_before *before,
                                                 uint64_t mark);

/* Returns a copy of each fact that has no mark or that one, with that mark. */
const struct happens_before *happens_before_only_mark(const struct happens_before *before,
                                                      uint64_t mark);

/* Returns the value of a fact, or 0 if none exists. */
uint32_t happens_before_value(const struct happens_before *before, uint64_t about);

/* happens_before_forget() drops all facts at the end of a job. happens_before_bytes() returns the
 * memory that they take; at most happens_before_most. happens_before_close() frees the
 * remaining memory. */
void happens_before_forget(void);
size_t happens_before_bytes(void);
void happens_before_close(void);

/* Memory limit for facts, in bytes. */
extern size_t happens_before_most;

/* Set this to a function that makes the job end with a fault. */
extern void (*happens_before_out_of_memory)(void);

#endif
