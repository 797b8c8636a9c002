/* SPDX-License-Identifier: MIT
 *
 * The files idioms_*.cuh, one after the other, as text: CUDA C++ that the operations of
 * cuda_operations.h call, and that needs nothing but the toolkit's headers.
 */
#ifndef SIMTCHECK_COMPILERS_DEVICE_CODE_H
#define SIMTCHECK_COMPILERS_DEVICE_CODE_H

extern const char device_code[];

#endif
