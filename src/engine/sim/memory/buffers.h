/* SPDX-License-Identifier: MIT
 *
 * The memory of an invocation: its buffers, variables, textures and surfaces, and the parameters of
 * kernels, which point to them.
 */
#ifndef SIMTCHECK_SIM_BUFFERS_H
#define SIMTCHECK_SIM_BUFFERS_H

#include "engine.h"
#include "machine.h"

/* Initializes memory: the engine's own variables, and the heap if kernels allocate. Forgets all
 * other arrays, modules and views. Returns false if there is no room. */
bool buffers_start_memory(void);

/* Places the buffers of the invocation and fills them. Returns false after a fault. */
bool buffers_place(const struct invocation *invocation, struct values values);

/* Writes the parameters of a launch of that invocation in their memory layout. */
void buffers_bind(unsigned char *parameters, const struct function_code *code,
                  const struct host_launch *launch);

/* Copies the results of the run, and reports an output that is not written. */
void buffers_collect(void *const results[MAX_BUFFERS]);

/* Returns the contents of buffer k after a run, or null if it has none. */
const char *buffers_host(uint32_t k);
/* Returns the place of the last store to an element. Null: it is unknown. */
const struct simt_place *buffers_last_store(uint32_t k, uint64_t index);

#endif
