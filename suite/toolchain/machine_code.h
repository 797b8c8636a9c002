/* SPDX-License-Identifier: MIT
 *
 * What stands in a file of machine code, read from its ELF: no disassembler is needed to tell
 * whether two kernels have the same code.
 */
#ifndef SIMTCHECK_TOOLCHAIN_MACHINE_CODE_H
#define SIMTCHECK_TOOLCHAIN_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_code {
    char name[64];
    uint64_t digest; /* of the instructions; equal code has equal digests */
    uint32_t bytes;
};

/* The kernels of a cubin, in its order; the caller frees *kernels. False, with a sentence. */
bool machine_code_read(const char *cubin, struct kernel_code **kernels, size_t *count, char *error,
                       size_t error_size);

#endif
