/* SPDX-License-Identifier: MIT
 *
 * Calls of the CUDA runtime in programs that measure.
 */
#ifndef SIMTCHECK_BENCHMARK_CUDA_CALL_H
#define SIMTCHECK_BENCHMARK_CUDA_CALL_H

#include <cuda_runtime.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program if the call failed: with status 77 if there is no GPU, and with 3 otherwise. */
static inline void cuda_call(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, call, cudaGetErrorString(error));
    exit(error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice ? 77 : 3);
}

#define CHECK(call) cuda_call(call, #call)

#endif
