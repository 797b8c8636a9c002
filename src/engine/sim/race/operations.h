/* SPDX-License-Identifier: MIT
 *
 * Asynchronous operations, as threads of their own, and the fences between proxies.
 */
#ifndef SIMTCHECK_RACE_OPERATIONS_H
#define SIMTCHECK_RACE_OPERATIONS_H

#include "synchronization.h"

static inline bool is_operation(const struct access *access)
{
    return access->thread >= SIMT_BLOCK_THREADS;
}

/* Returns true if `was` is ordered before `now`, an access of the operation that accesses memory
 * now. */
bool operation_comes_after(const struct access *was, const struct access *now);

/* Returns true if only a proxy fence is missing between those accesses. */
bool operation_lacks_fence(const struct access *was, const struct access *now);

/* Return the block and the thread that issued the operation. */
uint32_t operation_block(const struct access *access);
uint32_t operation_thread(const struct access *access);

void operations_forget(void);

#endif
