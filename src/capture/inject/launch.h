/* SPDX-License-Identifier: MIT
 *
 * Captures launches.
 */
#ifndef SIMTCHECK_CAPTURE_LAUNCH_H
#define SIMTCHECK_CAPTURE_LAUNCH_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* What `simtcheck capture` sets in the environment. */
struct capture_settings {
    const char *folder;
    const char *kernels;   /* a pattern of mangled names; null: all */
    uint64_t launches;     /* how many of each kernel and shape */
    uint64_t memory, disk; /* limits in bytes: of the memory of a launch, of the folder */
};

enum { UNMODELLED = 1024 };

struct launch {
    CUfunction function;
    const char *kernel; /* the mangled name */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes;
    bool cooperative;
    CUstream stream;
    void **parameters;           /* a pointer to each; or null */
    void **extra;                /* the buffer of all, in the form of cuLaunchKernel(); or null */
    char unmodelled[UNMODELLED]; /* what a replay does not model of it and its stream; "": none */
    char unsupported[320];       /* why an attribute prevents its capture; "": none does */
};

/* Call before and after the driver launches. launch_begin() returns true if it captures the launch;
 * then launch_end() must follow, before any other launch begins. `result`: what the driver
 * returned. */
bool launch_begin(const struct capture_settings *settings, const struct launch *launch);
void launch_end(const struct capture_settings *settings, CUresult result);

/* The program started or ended the recording of a graph. */
void launch_recording(int change);

/* The kernel with that handle became part of a graph without being launched. */
void launch_in_graph(const struct capture_settings *settings, const void *handle);

#endif
