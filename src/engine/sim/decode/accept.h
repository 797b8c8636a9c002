/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_ACCEPT_H
#define SIMTCHECK_SIM_ACCEPT_H

#include "catalogue.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the simulator can run the PTX of that file. Returns false otherwise, with a
 * sentence in `error`. */
bool decode_accepts(const char *path, char *error, size_t error_size);

/* The same for files that are linked. */
bool decode_accepts_linked(const char *const *paths, size_t count, char *error, size_t error_size);

/* Returns true if the driver of a GPU can load the PTX of that file. Returns false if it calls a
 * function that only the simulator has, with the reason in `error`. */
bool decode_runs_on_gpu(const char *path, char *error, size_t error_size);

/* Floats whose last bits PTX does not define: sums of atomic additions, which depend on the order,
 * and results of approximate instructions, such as ex2.approx. */
struct inexact_floats {
    enum element element; /* their type, such as ELEMENT_F32; ELEMENT_I32: there are none */
    bool are_added;       /* they are atomic sums */
    char place[256];      /* where one of them is computed, such as "my.cu:12" */
};

/* Returns such floats of the kernels of files that are linked, and atomic sums if there are both. */
struct inexact_floats decode_inexact_floats(const char *const *paths, size_t count);

/* A source line whose instructions, or whose inlined calls, access global or shared memory. */
struct access_line {
    char file[96]; /* as in faults */
    int line;
    bool reads, writes;
};

struct access_lines {
    struct access_line *all;
    size_t count;
};

/* Lists these lines of the PTX of that file. Returns false without a list on error. The caller
 * frees `lines->all`. */
bool decode_access_lines(const char *path, struct access_lines *lines);

/* Returns true if these kernels of the PTX of that file, and the functions that they may call,
 * access no global or shared memory, pass no barrier of a block and call no function of the CUDA
 * runtime.
 */
bool decode_is_idle(const char *path, const char *const *kernels, size_t count);

#endif
