/* SPDX-License-Identifier: MIT
 *
 * The device code that the CUDA engine runs: that linked into the program (module_linked.cu), or
 * the same with delays put into it (module_delayed.cu).
 */
#ifndef SIMTCHECK_ENGINE_CUDA_MODULE_H
#define SIMTCHECK_ENGINE_CUDA_MODULE_H

#include "engine.h"
#include "kernel.h"

#include <cuda_runtime.h>

/* Which engine that makes. */
engine_id module_engine();

/* Makes the code ready on the current device; once a process. */
cudaError_t module_open(const engine_limits &limits);

/* Takes the kernels of that file from now on. */
cudaError_t module_load(const char *path);

/* What cudaLaunchKernel() takes for the kernel of that name. */
cudaError_t module_function(const char *kernel, const void **function);

/* A variable of a loaded file: where it is on the device, and its bytes. */
cudaError_t module_variable(const char *symbol, void **address, size_t *bytes);

/* Gives it what it held when this was called first, in that stream. */
cudaError_t module_restore(const char *symbol, cudaStream_t stream);

/* Where the simt_launch_count is on the device, one for all kernels, so that only a job that runs
 * alone can be told its own; null: no kernel of the program launches. */
cudaError_t module_launches(void **address);

/* Says what is special about the code, for reports: ", ..." or nothing. */
void module_describe(char *text, size_t size);

/* Does this toolkit have what such a kernel needs? */
bool module_has_device_wait();
bool module_has_tail_launch();

#endif
