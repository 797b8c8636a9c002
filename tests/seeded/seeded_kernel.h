/* SPDX-License-Identifier: MIT
 *
 * The signature of the seeded kernels of test_races.c: each gets (data, flag, out), arrays of
 * zeros.
 */
#ifndef SIMTCHECK_TESTS_SEEDED_KERNEL_H
#define SIMTCHECK_TESTS_SEEDED_KERNEL_H

#include <simtcheck/dialect.h>

#define KERNEL(name)                                                                               \
    __global__ void name(int *data, int *flag, int *out);                                          \
    EXPORT_KERNEL(name);                                                                           \
    __global__ void name(int *data, int *flag, int *out)
#define USES_NO_FLAG (void)flag
#define USES_DATA_ALONE (void)flag, (void)out

#endif
