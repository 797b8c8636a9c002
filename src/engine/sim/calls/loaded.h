/* SPDX-License-Identifier: MIT
 *
 * A shared object of kernels that the host compiler has made of anybody's source: its shared arrays
 * are its thread-local segment, and its __device__ and __constant__ variables are whole pages of
 * its own, which stand in the arena of global memory as well. There is one at the most.
 */
#ifndef SIMTCHECK_HOST_LOADED_H
#define SIMTCHECK_HOST_LOADED_H

#include "simt_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on it is that one, which dlopen() gave. False, with a sentence. */
bool loaded_take(void *handle, const struct simt_source_code *code, char *reason,
                 size_t reason_size);

bool loaded_is_there(void);

/* Where it starts in memory. */
const void *loaded_start(void);

/* Its thread-local segment, and where in there dynamic shared memory starts, behind all arrays. */
void loaded_shared(uintptr_t *base, size_t *size);
size_t loaded_dynamic_start(void);

/* Its variables, and the pages on which they lie. */
const struct simt_source_variable *loaded_variable(size_t k); /* from 0 on; null: no more */
uintptr_t loaded_pages(size_t *bytes);

/* Makes those pages the memory at `alias` too; gives all variables their first values again. */
bool loaded_map(void *alias, char *reason, size_t reason_size);
void loaded_restore(void);

/* Are those bytes constants of its code, such as strings? */
bool loaded_is_constant(uintptr_t address, size_t size);

#endif
