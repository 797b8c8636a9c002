/* SPDX-License-Identifier: MIT
 *
 * The modules of PTX that this program was translated from: their variables in global memory, and
 * the shared arrays of their entries. A program of source kernels has none.
 */
#ifndef SIMTCHECK_HOST_MODULES_H
#define SIMTCHECK_HOST_MODULES_H

#include "simt_ptx.h"

/* From now on the modules are these, of code that was loaded, and no others. */
void modules_take(const struct simt_module *const *modules, size_t count);

/* Has this program kernels from PTX? */
bool modules_are_there(void);

/* Do kernels of this program launch others, and wait for them on the device? A toolkit that has the
 * one may not have the other. */
bool modules_launch(void);
bool modules_wait(void);

/* The entry with that function; null: there is none. */
const struct simt_entry *modules_entry(void (*function)(void));

/* Does a launch with such blocks fail, for the kernel was compiled for others
 * (__launch_bounds__())? */
bool modules_refuse(void (*function)(void), const struct extent *block);

/* The most static shared memory of an entry, in bytes. */
uint32_t modules_most_shared(void);

/* Calls `place` for each variable that kernels of that function's module may name; it gives the
 * address. When all have theirs, initial values are written. False when `place` gave 0. A null
 * function stands for those of all modules. */
bool modules_place(void (*function)(void),
                   uintptr_t (*place)(const struct simt_variable *variable));

#endif
