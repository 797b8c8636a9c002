/* SPDX-License-Identifier: MIT
 *
 * The table of compiled kernels. Each EXPORT_KERNEL() adds an entry to one linker section, so a
 * program's table holds what was linked into it and no list has to be kept.
 */
#ifndef SIMTCHECK_KERNELS_KERNEL_H
#define SIMTCHECK_KERNELS_KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls `function`, whatever its signature, with each argument given by its address. */
typedef void (*simt_invoke)(void (*function)(void), void *const *arguments);

struct simt_kernel {
    const char *name;
    const void *function; /* host engine: the function; CUDA: the handle for cudaLaunchKernel */
    simt_invoke invoke;   /* null under CUDA */
    /* Makes one access, by which the engine sees whether accesses of this file are told to it;
     * null: they are not compiled for that. */
    void (*probe)(int *word);
};

/* From now on the kernels are these `count` ones, of code that was loaded, and no others. */
void simt_kernels_take(const struct simt_kernel *const *kernels, size_t count);

/* Finds a kernel of this program by name; null when there is none. */
const struct simt_kernel *simt_kernel_find(const char *name);

/* The kernels of this program, from 0 on; null: there are no more. */
const struct simt_kernel *simt_kernel_at(size_t k);

/* The name of the kernel with that function; null when the program has none. */
const char *simt_kernel_name(void (*function)(void));

#ifdef __cplusplus
}
#endif

#endif
