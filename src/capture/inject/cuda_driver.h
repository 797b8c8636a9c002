/* SPDX-License-Identifier: MIT
 *
 * The CUDA driver that the program has loaded, with the types of cuda.h.
 */
#ifndef SIMTCHECK_CAPTURE_CUDA_DRIVER_H
#define SIMTCHECK_CAPTURE_CUDA_DRIVER_H

#include <cuda.h>

#include "driver_functions.h"

/* Finds the functions that the capture calls. Returns the name of one that this driver lacks, or
 * null. */
const char *cuda_driver_load(void);

/* Returns the name of a result, such as "CUDA_ERROR_ILLEGAL_ADDRESS". */
const char *cuda_driver_error(CUresult result);

#endif
