/* SPDX-License-Identifier: MIT
 *
 * The loaded PTX modules: their kernels, and their variables in global memory.
 */
#ifndef SIMTCHECK_SIM_MODULES_H
#define SIMTCHECK_SIM_MODULES_H

#include "decode.h"

/* Modules that are linked with each other, and share one space of names. */
struct launch_module;
struct launch_text;

/* Loads PTX in place of all loaded modules: a file, or all files *.ptx of a folder, or, if `path`
 * is null, the PTX in the program. These are the engine's own modules, which the functions below
 * mean by a null set. Returns false on error, with a sentence in `reason`. */
bool modules_load(const char *path, char *reason, size_t reason_size);
void modules_forget(void);

/* Loads one more set, and places its variables. Returns null on error, with a sentence.
 * modules_unload() frees the variables of a set. modules_unload_all() frees all sets but the
 * engine's own, before arrays_start(). */
struct launch_module *modules_add(const struct launch_text *texts, size_t count, char *reason,
                                  size_t reason_size);
void modules_unload(struct launch_module *set);
void modules_unload_all(void);

/* Returns the kernel with that exported name or PTX name, or null if none exists. */
const struct function_code *modules_kernel(const struct launch_module *set, const char *name);
/* Returns the array of a variable by its name in PTX, or null if none exists. */
struct region *modules_variable(const struct launch_module *set, const char *name);
/* Returns the array of the number-th variable that the host accesses at the same address, or null.
 */
struct region *modules_shared_variable(const struct launch_module *set, size_t number);
/* Returns true for a variable that gets an array. */
bool modules_is_placed(const struct variable *variable);

/* Returns the name of a kernel for reports. */
const char *modules_name(const struct function_code *code);

/* Returns true if the kernel, or a function that it calls, may depend on an order of threads other
 * than by whole barriers. */
bool modules_needs_order(const struct function_code *code);

/* Returns a number of the kernel that is the same in each process that has loaded this code. */
uint32_t modules_number(const struct function_code *code);

/* Returns the function at an address, or null if none exists. */
const struct function_code *modules_function_at(uint64_t address);

/* Return true if there are kernels that launch others as CUDA 11 does, and kernels that call
 * malloc(). */
bool modules_launch_as_cuda_11(void);
bool modules_allocate(void);

/* Places the variables of the engine's own modules in global memory with their initial values,
 * followed by the workspaces of grids. Returns false if there is no room. */
bool modules_place_variables(void);

/* Returns the address of the workspace for the barrier of host grid k: %envreg1 and %envreg2.
 * modules_clear_workspaces() resets all of them. */
uint64_t modules_workspace(uint32_t k);
void modules_clear_workspaces(void);

#endif
