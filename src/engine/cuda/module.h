/* SPDX-License-Identifier: MIT
 *
 * The device code that the CUDA engine runs. It is the code linked into the program
 * (module_linked.cu), or the same code with added delays (module_delayed.cu).
 */
#ifndef SIMTCHECK_CUDA_MODULE_H
#define SIMTCHECK_CUDA_MODULE_H

#include "engine.h"
#include "kernel.h"

#include <cuda_runtime.h>

/* Returns which engine this code implements. */
engine_id module_engine();

/* Prepares the code on the current device. Call it once per process. */
cudaError_t module_open(const engine_limits &limits);

/* Uses the kernels of that file from now on. */
cudaError_t module_load(const char *path);

/* Returns in *function the argument that cudaLaunchKernel() needs for the kernel of that name. */
cudaError_t module_function(const char *kernel, const void **function);

/* Returns the device address of a loaded file's variable, and its size in bytes. */
cudaError_t module_variable(const char *symbol, void **address, size_t *bytes);

/* Returns the contents of a loaded file's variable that nothing writes, on the host. They stay
 * valid until another file is loaded. */
cudaError_t module_contents(const char *symbol, void **contents);

/* Restores, in that stream, the value that the variable had at the first call of this function. */
cudaError_t module_restore(const char *symbol, cudaStream_t stream);

/* Returns the device address of simt_launch_count, or null if no kernel of the program launches.
 * All kernels share the counter, so only a job that runs alone can get its own count. */
cudaError_t module_launches(void **address);

/* Writes what is special about the code, for reports: ", ..." or an empty string. */
void module_describe(char *text, size_t size);

/* Returns true if this toolkit supports kernels with device-side wait. */
bool module_has_device_wait();
bool module_has_tail_launch();

#endif
