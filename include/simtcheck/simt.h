/* SPDX-License-Identifier: MIT
 *
 * Definitions shared by kernels, catalogues and engines: limits of a GPU, extents, nested
 * launches.
 */
#ifndef SIMTCHECK_KERNELS_SIMT_H
#define SIMTCHECK_KERNELS_SIMT_H

#include "kernel.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of every GPU: CUDA C++ Programming Guide, technical specifications per compute
 * capability. */
enum {
    SIMT_WARP_LANES = 32,
    SIMT_BLOCK_THREADS = 1024,
    SIMT_BLOCK_THREADS_Z = 64,
    SIMT_GRID_ROWS = 65535, /* blocks of a grid in y, and in z */
};

/* Three-dimensional counts or coordinates, x fastest. */
struct extent {
    uint32_t x, y, z;
};

/* Streams of nested launches. A device-side cudaStream_t is one of these as a pointer. */
enum simt_stream { SIMT_STREAM_NULL, SIMT_STREAM_TAIL, SIMT_STREAM_FIRE_AND_FORGET };

/* The launches of kernels, counted by the CUDA engine's device code. */
struct simt_launch_count {
    unsigned int children, failed;
    unsigned int most;                  /* maximum of children: no more are launched; 0: no limit */
    unsigned long long blocks, threads; /* of all children */
    int error;                          /* error of the first failed launch, as a runtime error
                                           number */
};

#ifdef __cplusplus
}
#endif

#endif
