/* SPDX-License-Identifier: MIT
 *
 * Machine code of the modules. The driver compiles one module after the other in a process, so
 * several processes compile them, each with a context of its own. This does not depend on the
 * driver's cache.
 */
#ifndef SIMTCHECK_SOAK_CODE_H
#define SIMTCHECK_SOAK_CODE_H

#include "soak_device.h"

/* In memory and files that the processes share. */
struct soak_code {
    const char *visible; /* CUDA_VISIBLE_DEVICES of the processes; null: nothing is compiled */
    int *files;          /* of each module; empty: not compiled */
    struct soak_code_state {
        _Atomic size_t next, compiled; /* modules */
        _Atomic uint32_t capability;   /* of the code, such as 90 */
        char reason[SOAK_REASON];      /* why a process could not compile, or "" */
    } * state;
};

/* Makes the memory and the files. Returns false if there is not enough. */
bool soak_code_open(struct soak_code *code, const char *visible, size_t count);

/* Compiles modules that no other process has begun, for the GPU that is visible. */
void soak_code_compile(struct soak_code *code, const struct soak_module *modules, size_t count);

/* Returns the code of module m if it runs on a GPU with those facts, or null. The caller frees it.
 */
void *soak_code_read(const struct soak_code *code, size_t m, const struct soak_facts *facts);

#endif
