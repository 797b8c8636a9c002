/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_ENGINE_CUDA_DELAY_PROBE_H
#define SIMTCHECK_ENGINE_CUDA_DELAY_PROBE_H

#include <cuda_runtime.h>

/* Measures how long after its launch a child grid runs, in nanoseconds: the median of some. */
cudaError_t delay_probe(unsigned int *nanoseconds);

#endif
