/* SPDX-License-Identifier: MIT
 *
 * The kernels of a program for a GPU. Each EXPORT_KERNEL() adds an entry to one linker section. So
 * the table lists all linked kernels, and no list needs maintenance.
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

/* Finds a kernel of this program by name. Returns null if it does not exist. */
const struct simt_kernel *simt_kernel_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
