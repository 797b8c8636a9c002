/* SPDX-License-Identifier: MIT
 *
 * Runs several single-threaded toolkit programs at once.
 */
#ifndef SIMTCHECK_BASE_PARALLEL_H
#define SIMTCHECK_BASE_PARALLEL_H

#include <stddef.h>

/* As parallel_for(), on at most `most_threads` threads. */
void parallel_for_on(size_t most_threads, size_t count, void (*work)(void *context, size_t k),
                     void *context);

/* Calls work(context, k) for each k below `count`, on as many threads as there are processors.
 * Waits for all calls. */
void parallel_for(size_t count, void (*work)(void *context, size_t k), void *context);

#endif
