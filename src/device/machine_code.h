/* SPDX-License-Identifier: MIT
 *
 * What stands in a file of machine code, read from its ELF: no disassembler is needed to tell
 * whether two kernels have the same code, nor how many registers a kernel has.
 */
#ifndef SIMTCHECK_COMPILERS_MACHINE_CODE_H
#define SIMTCHECK_COMPILERS_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel, or a function that kernels call. */
struct kernel_code {
    char name[256];  /* of its symbol */
    uint64_t digest; /* of the instructions; equal code has equal digests */
    uint32_t bytes;  /* of the instructions */
    uint32_t registers;
    uint32_t stack_bytes;  /* a thread's frame, spilled registers among it */
    uint32_t shared_bytes; /* static shared memory; since compute capability 9.0, linked code has 1
                              KiB more, which is the system's */
    uint32_t constant_bytes; /* of bank 0, which has the parameters */
    /* What no ELF tells: bytes of registers that a thread stores to its stack, and loads again. */
    bool has_spills; /* machine_code_spills() has found it */
    uint32_t spill_store_bytes, spill_load_bytes;
};

/* The kernels of a cubin, in its order; the caller frees *kernels. False, with a sentence. */
bool machine_code_read(const char *cubin, struct kernel_code **kernels, size_t *count, char *error,
                       size_t error_size);

/* Takes what `ptxas -v` said of spills when it assembled the kernels. One of which it said nothing
 * stays as it is. */
void machine_code_spills(const char *said, struct kernel_code *kernels, size_t count);

#endif
