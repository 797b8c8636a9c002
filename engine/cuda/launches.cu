/* SPDX-License-Identifier: MIT */
#include "launches.h"

#include "dialect.h"

#ifdef __CUDACC_RDC__

__device__ simt_launch_count simt_launches;

static_assert(sizeof(launch_count) == sizeof(simt_launch_count), "the same, seen from both sides");

cudaError_t launches_reset(cudaStream_t stream)
{
    static const simt_launch_count none = {0, 0, 0, 0};
    return cudaMemcpyToSymbolAsync(simt_launches, &none, sizeof none, 0, cudaMemcpyHostToDevice,
                                   stream);
}

cudaError_t launches_read(cudaStream_t stream, launch_count *count)
{
    cudaError_t error = cudaMemcpyFromSymbolAsync(count, simt_launches, sizeof *count, 0,
                                                  cudaMemcpyDeviceToHost, stream);
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

#else /* a program without kernels that launch */

cudaError_t launches_reset(cudaStream_t)
{
    return cudaSuccess;
}

cudaError_t launches_read(cudaStream_t, launch_count *count)
{
    *count = {0, 0, 0, 0};
    return cudaSuccess;
}

#endif

bool launches_have_device_wait()
{
#ifdef HAVE_DEVICE_WAIT
    return true;
#else
    return false;
#endif
}

bool launches_have_tail_launch()
{
#ifdef HAVE_TAIL_LAUNCH
    return true;
#else
    return false;
#endif
}
