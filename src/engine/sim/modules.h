/* SPDX-License-Identifier: MIT
 *
 * The modules of PTX that are loaded: their kernels, and their variables in global memory.
 */
#ifndef SIMTCHECK_SIM_MODULES_H
#define SIMTCHECK_SIM_MODULES_H

#include "decode.h"

/* Loads the PTX in a file, or in all files *.ptx of a folder, or where `path` is null that in the
 * program, in place of what was loaded before. False, with a sentence. */
bool modules_load(const char *path, char *reason, size_t reason_size);
void modules_forget(void);

/* The kernel of that name: one that it was exported by, or its name in PTX; null: there is none. */
const struct function_code *modules_kernel(const char *name);
/* The name of a kernel for reports. */
const char *modules_name(const struct function_code *code);

/* Does the kernel, or what it calls, do what a run may depend on by more than whole barriers? */
bool modules_needs_order(const struct function_code *code);

/* A number of the kernel, the same in each process that has loaded this code. */
uint32_t modules_number(const struct function_code *code);

/* The function at an address; null: there is none. */
const struct function_code *modules_function_at(uint64_t address);

/* Are there kernels that launch others as CUDA 11 does; kernels that call malloc()? */
bool modules_launch_as_cuda_11(void);
bool modules_allocate(void);

/* Places the variables of all modules in global memory and gives them their first values, and the
 * grid's workspace after them; false when there is no room. */
bool modules_place_variables(void);

/* Where blocks of a grid meet at its barrier: %envreg1 and %envreg2. */
uint64_t modules_workspace(void);

#endif
