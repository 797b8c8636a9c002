/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_CUDA_DELAY_PROBE_H
#define SIMTCHECK_CUDA_DELAY_PROBE_H

#include <cuda_runtime.h>

/* Measures the time from the launch of a child grid to its start, in nanoseconds: the median of
 * several measurements. */
cudaError_t delay_probe(unsigned int *nanoseconds);

#endif
