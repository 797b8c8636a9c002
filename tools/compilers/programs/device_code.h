/* SPDX-License-Identifier: MIT
 *
 * The concatenated text of the files idioms_*.cuh. The CUDA C++ functions that the operations of
 * cuda_operations.h call. They need only the toolkit's headers.
 */
#ifndef SIMTCHECK_COMPILERS_DEVICE_CODE_H
#define SIMTCHECK_COMPILERS_DEVICE_CODE_H

extern const char device_code[];

#endif
