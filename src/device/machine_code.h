/* SPDX-License-Identifier: MIT
 *
 * Reads machine code from the ELF of a cubin. It needs no disassembler to compare the code of two
 * kernels or to find a kernel's registers.
 */
#ifndef SIMTCHECK_DEVICE_MACHINE_CODE_H
#define SIMTCHECK_DEVICE_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel, or a function that kernels call. */
struct kernel_code {
    const char *name; /* of its symbol, kept (reader.h) */
    uint64_t digest; /* of the instructions; equal code has equal digests */
    uint32_t bytes;  /* of the instructions */
    uint32_t registers;
    uint32_t stack_bytes;    /* a thread's frame, including spilled registers */
    uint32_t shared_bytes;   /* static shared memory; since compute capability 9.0, linked code has
                                1 KiB more for the system */
    uint32_t constant_bytes; /* of bank 0, which holds the parameters */
    /* Not in the ELF: bytes of registers that a thread stores to its stack and loads again. */
    bool has_spills; /* machine_code_spills() has found them */
    uint32_t spill_store_bytes, spill_load_bytes;
};

/* Reads the kernels of a cubin, in its order. The caller frees *kernels. Returns false with a
 * message. */
bool machine_code_read(const char *cubin, struct kernel_code **kernels, size_t *count, char *error,
                       size_t error_size);

/* Parses the output of `ptxas -v` about spills of the kernels. Kernels without a line in it stay
 * unchanged. */
void machine_code_spills(const char *said, struct kernel_code *kernels, size_t count);

#endif
