/* SPDX-License-Identifier: MIT
 *
 * Guards of host memory that unfinished work uses.
 */
#ifndef SIMTCHECK_EXEC_GUARDS_H
#define SIMTCHECK_EXEC_GUARDS_H

#include "internal.h"

enum { MAX_GUARDS = 1024 };

/* What a kernel has written to a word for others that read it meanwhile, such as the host: by a
 * strong write of system scope, which also releases what came before it. */
enum signal { SIGNAL_NONE, SIGNAL_STRONG, SIGNAL_RELEASE };

/* Memory that work uses. is_exact: it surely reads or writes all of it, as a copy does. A kernel
 * may access any part, or none. */
struct guard {
    uint64_t start, bytes, allocation, allocation_bytes;
    uint32_t stream;
    uint64_t serial;
    bool writes, is_exact, shares_pages; /* shares_pages: with other memory of the program */
    char *kept;             /* of a kernel: the contents before it ran; null: it has not run */
    unsigned char *signals; /* of each word: enum signal; null: of none */
    char *edges; /* if is_exact: what was in the bytes that are not protected; null: nothing is */
    struct exec_site site;
    bool is_open; /* not protected: an instruction of the host goes on */
};

extern struct guards {
    struct guard all[MAX_GUARDS];
    uint32_t count;
    size_t kept_bytes;
    bool is_applied, is_running;
    bool has_looked; /* a kernel may know of early writes: it has made a strong read */
} guards;

enum signal signal_at(const struct guard *guard, uint64_t address);
/* Removes the guards of the work, and of what its stream did before. */
void guards_hear(uint32_t stream, uint64_t serial);
/* Returns whether the memory of a guard differs from what it was before the kernel ran. */
bool has_changed(const struct guard *guard, uint64_t address);

#endif
