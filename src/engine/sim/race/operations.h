/* SPDX-License-Identifier: MIT
 *
 * Asynchronous operations, as threads of their own, and the fences between proxies.
 */
#ifndef SIMTCHECK_RACE_OPERATIONS_H
#define SIMTCHECK_RACE_OPERATIONS_H

#include "order.h"

/* Return the block and the thread that issued the operation. */
uint32_t operation_block(const struct access *access);
uint32_t operation_thread(const struct access *access);

void operations_forget(void);

#endif
