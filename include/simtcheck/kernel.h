/* SPDX-License-Identifier: MIT
 *
 * The kernels that a program has for a GPU. Each EXPORT_KERNEL() adds an entry to one linker
 * section, so the table holds what was linked and no list has to be kept.
 */
#ifndef SIMTCHECK_KERNELS_KERNEL_H
#define SIMTCHECK_KERNELS_KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct simt_kernel {
    const char *name;
    const void *function; /* the handle for cudaLaunchKernel */
};

/* Finds a kernel of this program by name; null when there is none. */
const struct simt_kernel *simt_kernel_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
