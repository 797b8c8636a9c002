/* SPDX-License-Identifier: MIT
 *
 * From PTX to what runs: machine code by a ptxas, or a shared object for the host engine.
 */
#ifndef SIMTCHECK_TOOLCHAIN_BUILD_H
#define SIMTCHECK_TOOLCHAIN_BUILD_H

#include <stdbool.h>
#include <stddef.h>

/* A ptxas and what it says of itself. */
struct assembler {
    const char *path;
    char version[32]; /* "13.0.88" */
};

/* False, with a sentence, when it is none. */
bool assembler_open(const char *path, struct assembler *assembler, char *error, size_t error_size);

/* Assembles at -O<level> for `architecture` ("sm_90"). False, with what ptxas says. */
bool build_machine_code(const struct assembler *assembler, const char *architecture, int level,
                        const char *ptx, const char *cubin, char *error, size_t error_size);

/* Translates, and compiles by the C compiler that built this program, or that which the environment
 * names in SIMTCHECK_CC, into a shared object for the engine ptx.
 * False, with a sentence. */
bool build_host_code(const char *ptx, const char *object, char *error, size_t error_size);

#endif
