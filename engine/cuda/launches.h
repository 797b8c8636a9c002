/* SPDX-License-Identifier: MIT
 *
 * What kernels launch on the device. One count for all kernels, so only a job that runs alone can
 * be told its own.
 */
#ifndef SIMTCHECK_ENGINE_CUDA_LAUNCHES_H
#define SIMTCHECK_ENGINE_CUDA_LAUNCHES_H

#include <cuda_runtime.h>

struct launch_count {
    unsigned int children, failed;
    unsigned long long threads; /* of all children */
    int error;                  /* of the first that failed, as the runtime numbers it */
};

cudaError_t launches_reset(cudaStream_t stream);
/* Waits for the stream. */
cudaError_t launches_read(cudaStream_t stream, launch_count *count);

/* Does this toolkit have what such a kernel needs? */
bool launches_have_device_wait();
bool launches_have_tail_launch();

#endif
